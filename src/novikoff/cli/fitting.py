"""``novikoff fit``: files to a model, and everything that is to be said of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .choices import choose, make, read_settings
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
        from .. import __version__

        options = {
            "version": __version__,
            "learner": type(learner).__name__,
            **learner.get_params(),
            "target": self.target,
        }
        for group in (self.reading, self.columns, self.testing):
            options |= asdict(group)
        options["standardise"] = self.learning.standardise
        return {name: str(value) for name, value in options.items()} | {
            "rows": rows.store.n_rows,
            "checksum of the rows": rows.checksum,
        }


def fit(request: Request) -> dict[str, Any]:
    """Everything that ``--json`` prints."""
    from ..models.atomic import check_writable, keep_apart

    keep_apart(request.output, [*request.files, request.checkpoint])
    keep_apart(request.checkpoint, request.files)
    for path in (request.output, request.checkpoint):
        if path is not None:
            check_writable(path)
    if request.report is not None:
        request.report.mkdir(parents=True, exist_ok=True)
        check_writable(request.report / "index.html")
    choice = choose(request.learner)
    learner = make(choice, read_settings(request.learning.set), request.learning.passes, request.learning.seed)
    files = request.files, request.target, choice.task, request.reading, request.columns, request.learning.memory
    from .compiling import stopwatch
    from .outcome import fit_rows  # imported before there is anything to interrupt

    with stopwatch() as watch, loaded(*files) as rows:
        return fit_rows(request, rows, learner, watch)
