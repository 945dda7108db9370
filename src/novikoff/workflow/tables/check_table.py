"""``check_table``: are the classes of a table linearly separable?"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from ...inputs.atomic import check_writable, keep_apart
from ...inputs.clock import check_limit
from ..check_result import CheckRequest, CheckResult
from ..checking import check
from ..watching import NOBODY, Watcher
from .table_sources import TableKeywords, documented, source_of


@documented(TableKeywords)
def check_table(
    source: Any,
    target: str | None = None,
    *,
    max_margin: bool = False,
    directions: bool = True,
    time_limit: float | None = None,
    memory: str | None = None,
    dask: Any = None,
    certificate: str | PathLike[str] | None = None,
    certificate_rows: str | PathLike[str] | None = None,
    watcher: Watcher | None = None,
    on_verdict: Callable[[CheckResult], None] | None = None,
    **reading: Unpack[TableKeywords],
) -> CheckResult:
    """Prove whether the classes of a table are linearly separable, and name the rows and features that prove it.

    The rows are taken as they are but for missing values, which are filled in, and categories, which become one feature a
    level.  ``separability`` answers the same of arrays, ``novikoff check`` of files in a shell.

    Parameters
    ----------
    {parameters}

    Returns
    -------
    CheckResult
        ``separable``: True, False or None (undecided); ``kind``: "complete", "quasi-complete", "overlap" or None; ``witness``:
        the rows that prove that no weights separate, with their places; ``in_the_way``: rows without which the rest is
        separable; ``coefficients``: what becomes of those of a logistic regression; ``proof``: the proof itself, as
        ``separability`` returns it.  ``print(result)`` shows all of it, ``to_html()`` as a page.

    Examples
    --------
    >>> import pandas as pd
    >>> from novikoff import check_table
    >>> table = pd.DataFrame({"x": [0, 0, 1, 1], "y": [0, 1, 0, 1], "xor": ["no", "yes", "yes", "no"]})
    >>> result = check_table(table, "xor")
    >>> result.separable, result.kind, [row.place for row in result.witness][0]
    (False, 'overlap', 'pandas DataFrame (rows count from 0): row 0')
    """
    check_limit(time_limit)
    request = CheckRequest(
        source=source_of(source, target, reading, memory, dask),
        max_margin=max_margin,
        directions=directions,
        time_limit=time_limit,
        certificate=None if certificate is None else Path(certificate),
        certificate_rows=None if certificate_rows is None else Path(certificate_rows),
    )
    _check_writable(request)
    return check(request, watcher or NOBODY, on_verdict or (lambda verdict: None))


def _check_writable(request: CheckRequest) -> None:
    """Refuse what cannot be written, before anything long is begun."""
    proof, rows = request.certificate, request.certificate_rows
    if rows is not None and proof is None:
        raise ValueError("certificate_rows=... goes with certificate=...: say where to save the proof, too.")
    files = [name for name in request.source.files if isinstance(name, str)]
    keep_apart(proof, [*files, rows])
    keep_apart(rows, files)
    for path in (proof, rows):
        if path is not None:
            check_writable(path)
