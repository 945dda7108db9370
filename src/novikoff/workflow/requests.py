"""What can be asked for: which files, and what is to be done with them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .choices import Choice, LearningSettings

if TYPE_CHECKING:
    from ..rows.readers.reading_options import Reading


class Source(NamedTuple):
    """Files with a target, and how they are read."""

    files: list[Any]  # paths, or data frames
    target: str | None
    reading: Reading
    complete: bool = False  # a missing value is an error
    memory: str | None = None  # what the process may take, such as "1GB"; None: half of what is free
    cluster: Any = None  # where rows are to stay: "local:4", an address, a client; None: here, or where they lie


class AskedTest(NamedTuple):
    """How a learner is to be tested; if nothing is said, as suits the number of rows."""

    folds: int | None = None
    hold_out: float | None = None  # share of the rows
    no_test: bool = False


@dataclass(frozen=True, kw_only=True)
class FitRequest:
    """What is to be learned, and how."""

    source: Source
    choice: Choice
    learner: Any = None  # an estimator, not fitted, if one was given
    learning: LearningSettings
    testing: AskedTest
    output: Path | None = None  # where the model is saved
    checkpoint: Path | None = None  # what learning goes on from, written after every pass
    made_with: dict[str, Any]  # options that what is learned depends on; a checkpoint made with others is refused
    top: int = 5  # weights of each class
    regions: bool | tuple[str, ...] = False  # whether answers in a plane are wanted; names: in that of these columns
    ask: str  # how to ask for a proof of separability
    interrupted: str = "return"  # what becomes of Ctrl-C: a result that says where learning stands, or "raise"


@dataclass(frozen=True, kw_only=True)
class CheckRequest:
    """What is to be proved of the classes of rows."""

    source: Source
    max_margin: bool = False  # also find the largest margin
    directions: bool = True  # also find out what becomes of the coefficients of a logistic regression
    time_limit: float | None = None  # seconds
    certificate: Path | None = None  # where the proof is saved
    certificate_rows: Path | None = None  # and the rows that it is about, as numbers


@dataclass(frozen=True, kw_only=True)
class CompareRequest:
    """Which learners are to be compared, and how."""

    source: Source
    task: str  # "classes" or "numbers"
    asked: list[Any] | None = None  # learners by name, or estimators; None: all that suit
    folds: int = 5
    learning: LearningSettings
