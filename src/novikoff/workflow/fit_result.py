"""What there is to say of a fit: what was read, how learning ended, and how good the model is."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..models.files.saving import save
from .by_class import Confusion, ScoresByClass
from .documents import FILE_OF_MODEL, HIDDEN, INLINE, Result
from .fitted_models import ClassWeights
from .loading import LeftOut
from .regions import Regions
from .shown_result import ShownResult
from .testing import CrossValidatedScore, HeldOutScore
from .training import Interrupted
from .verdict import Separability


@dataclass(frozen=True, kw_only=True)
class RowCounts(Result):
    """How many rows there were, and what became of them."""

    read: int
    dropped: int
    unlabelled: int
    training: int
    held_out: int


@dataclass(frozen=True, kw_only=True)
class ColumnRead(Result):
    """A column of a table; of numbers with what stands for missing ones, of categories with how many there are."""

    name: str
    kind: str
    missing: int
    fill: float | None = None
    levels: int | None = None


@dataclass(frozen=True, kw_only=True)
class LearnerUsed(Result):
    """A learner, and its parameters that are not as they are by default."""

    name: str
    parameters: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class ClassSize(Result):
    """How many rows a class has."""

    label: str
    rows: int


@dataclass(frozen=True, kw_only=True)
class RowsScore(Result):
    """The score on some rows."""

    rows: int
    errors: int | None = None  # of classes
    score: float | None


@dataclass(frozen=True, kw_only=True)
class FitEnding(Result):
    """How learning ended, and what it has come to on the rows it learned from."""

    passes: int | None  # or iterations of a solver
    solver: str | None  # None: it took steps
    l2: float | None  # the penalty that was used; None: the learner has none
    stop_reason: str | None
    seconds: float
    compiling: float  # seconds, which later fits need not
    mistakes: int | None
    mistake_bound: int | None  # Novikoff's
    training: RowsScore
    progressive: RowsScore | None = None  # of each row before it was first learned from


@dataclass(frozen=True, kw_only=True)
class Margins(Result):
    """How far rows are from the boundary, as a histogram."""

    of: str  # which rows
    edges: list[float]
    counts: list[int]


@dataclass(frozen=True, kw_only=True)
class SquaredError(Result):
    """The mean squared error on some rows."""

    of: str
    mean_squared_error: float


@dataclass(frozen=True, kw_only=True)
class Residuals(Result):
    """By how much numbers were missed: true value less answer."""

    of: str
    rows: int
    root_mean_squared_error: float
    mean_absolute_error: float
    largest: float
    edges: list[float]  # of a histogram
    counts: list[int]
    points: list[list[float]]  # some rows: true value, answer


@dataclass(frozen=True, kw_only=True)
class ModelReport(Result):
    """How good a model is; parts that concern classes, or numbers, only are None of the others."""

    separability: Separability | None = None
    fit: FitEnding
    test: HeldOutScore | CrossValidatedScore | None  # None: it was not tested
    confusion: Confusion | None = None
    by_class: ScoresByClass | None = field(default=None, metadata=INLINE)
    margins: Margins | None = None
    regression: SquaredError | None = None
    residuals: Residuals | None = None
    weights: list[ClassWeights] | None  # None: it has none in the features
    regions: Regions | None = None

    def to_dict(self) -> dict[str, Any]:
        """The document, in which a test always has a kind."""
        found = super().to_dict()
        return found if self.test is not None else {**found, "test": {"kind": None}}


@dataclass(frozen=True, kw_only=True, repr=False)
class FitResult(ShownResult):
    """What was read, who learned from it, and what came of that.

    ``model`` is the fitted model: a pipeline that takes what the table held; of sparse rows the learner itself.  ``scores``
    has the score on each kind of rows, ``separability`` what is known of the classes, ``proof`` what proves that.
    """

    command: ClassVar[str] = "fit"
    version: str
    files: list[str]
    target: str | None
    task: str
    rows: RowCounts
    columns: list[ColumnRead]
    left_out: list[LeftOut]
    features: int
    learner: LearnerUsed
    history: dict[str, list[float]]
    warnings: list[str]
    notes: list[str]
    model_file: str | None = field(metadata=FILE_OF_MODEL)
    resume: Interrupted | None
    classes: list[ClassSize] | None = None
    report: ModelReport | None = field(default=None, metadata=INLINE)  # None: learning was interrupted
    model: Any = field(default=None, compare=False, metadata=HIDDEN)  # None likewise

    @property
    def scores(self) -> dict[str, float | None]:
        """The score (accuracy, of numbers R²) by the rows it is of: "training", "progressive" (each row just before it was
        first learned from), and "cross-validated" or "held-out"."""
        if self.report is None:
            return {}
        ending, test = self.report.fit, self.report.test
        found = {"training": ending.training.score}
        if ending.progressive is not None:
            found["progressive"] = ending.progressive.score
        return found if test is None else {**found, test.kind: test.score}

    @property
    def separability(self) -> Separability | None:
        """What is known of the separability of the classes; None of numbers."""
        return None if self.report is None else self.report.separability

    @property
    def proof(self) -> Any:
        """What proves it, as ``novikoff.separability`` returns it; None where that was not asked."""
        return None if self.separability is None else self.separability.proof

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the model with the name of its target, for ``predict_table``, ``score_table`` and the command line.

        Parameters
        ----------
        path : str or path
            The file.
        """
        save(self.model, path, notes={"target": self.target, "files": self.files})
