"""``novikoff fit``: files to a model, and everything that is to be said of it."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .choices import Choice, choose, make, read_settings
from .loading import Rows, loaded
from .options import ColumnOptions, LearningOptions, ReadingOptions, TestOptions


@dataclass
class Request:
    """What ``fit`` is asked for."""

    files: list[str]
    target: str | None
    learner: str
    top: int
    output: Path | None
    report: Path | None
    checkpoint: Path | None
    reading: ReadingOptions
    columns: ColumnOptions
    learning: LearningOptions
    testing: TestOptions
    arguments: list[str]  # as typed, to be shown where they are to be repeated

    def fingerprint(self, rows: Rows, learner: Any) -> dict[str, Any]:
        """What must be the same for learning to go on where it stopped."""
        options = {"learner": type(learner).__name__, **learner.get_params(), "target": self.target}
        for group in (self.reading, self.columns, self.testing):
            options |= asdict(group)
        options["standardise"] = self.learning.standardise
        return {name: str(value) for name, value in options.items()} | {
            "rows": rows.store.n_rows,
            "checksum of the rows": rows.checksum,
        }


def fit(request: Request) -> dict[str, Any]:
    """Everything that ``--json`` prints.  While files are read, a thread imports what learning needs."""
    from ..models.atomic import check_writable, keep_apart

    began = time.perf_counter()
    keep_apart(request.output, [*request.files, request.checkpoint])
    keep_apart(request.checkpoint, request.files)
    for path in (request.output, request.checkpoint):
        if path is not None:
            check_writable(path)
    if request.report is not None:
        request.report.mkdir(parents=True, exist_ok=True)
        check_writable(request.report / "index.html")
    choice, settings = choose(request.learner), read_settings(request.learning.set)
    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(_prepare, choice, settings, request.learning)

        def look() -> None:
            if made.done():
                made.result()  # raises what is wrong with the learner's parameters

        files = request.files, request.target, choice.task, request.reading, request.columns, request.learning.memory
        with loaded(*files, meanwhile=look) as rows:
            learner, fit_rows = made.result()
            return fit_rows(request, rows, learner, began)


def _prepare(choice: Choice, settings: dict[str, Any], learning: LearningOptions) -> tuple[Any, Any]:
    """The learner, and the function that will train it: what takes long to import."""
    learner = make(choice, settings, learning.passes, learning.seed)
    from .outcome import fit_rows

    return learner, fit_rows
