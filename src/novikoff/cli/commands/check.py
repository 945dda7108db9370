"""``novikoff check``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..command_options import AsJson, ColumnOptions, Dask, Files, ReadingOptions, Target, keywords_of, on_same_rows
from ..printing import WATCHER, document_of, print_result
from ..process import begin_work, import_compiler

if TYPE_CHECKING:
    from ...tables.check_table import CheckResult

SEPARABLE = {True: 0, False: 1, None: 3}  # exit statuses


def check(
    files: Files,
    reading: ReadingOptions,
    columns: ColumnOptions,
    target: Target = None,
    max_margin: Annotated[bool, typer.Option("--max-margin", help="Also find the largest margin.")] = False,
    directions: Annotated[
        bool,
        typer.Option(
            "--directions/--no-directions",
            help="Whether to find out which coefficients of a logistic regression have no finite estimate.",
        ),
    ] = True,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            min=0.0,
            help="Seconds after which the search ends; what is not proved by then is undecided.",
        ),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option("--memory", help="The most memory to use, e.g. 1GB; rows that do not fit wait on disk."),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--certificate", help="Where to save the proof, a JSON file that anyone can check (docs/trust.md)."
        ),
    ] = None,
    certificate_rows: Annotated[
        Path | None,
        typer.Option(
            "--certificate-rows", help="Where to save the rows that the proof is about, a CSV file of numbers."
        ),
    ] = None,
    dask: Dask = None,
    as_json: AsJson = False,
) -> None:
    """Prove whether the classes are linearly separable.

    It names the rows and features that prove the answer. The verdict is printed as soon as it is proved; which rows are in the
    way, and what becomes of the coefficients of a logistic regression, may take longer. With --json everything is printed at the
    end.

    Exit status: 0 separable, 1 not separable, 2 error, 3 undecided.

    Example: novikoff check examples/penguins.csv --target species
    """
    options = keywords_of(reading, columns)
    fit = {"next": f"{on_same_rows('fit', files, target, reading, columns, dask)} -o MODEL"}
    printed = 0

    def tell(verdict: CheckResult) -> None:
        nonlocal printed
        if not as_json:
            printed = print_result(document_of(verdict) | fit)

    from ...tables.check_table import check_table  # when it runs: scikit-learn takes long to import

    import_compiler()
    begin_work()
    result = check_table(
        files,
        target,
        max_margin=max_margin,
        directions=directions,
        time_limit=time_limit,
        memory=memory,
        dask=dask,
        certificate=certificate,
        certificate_rows=certificate_rows,
        watcher=WATCHER,
        on_verdict=tell,
        **options,
    )
    print_result(document_of(result) | fit, as_json, printed)
    raise typer.Exit(SEPARABLE[result.separable])
