"""What is asked of rows that are checked for separability, and what is found out."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from ..inputs.inline_picture import Picture, drawn
from ..proof.answer.proofs import Proof
from .documents import HIDDEN, INLINE, Result
from .loading import LeftOut, Source
from .shown_result import ShownResult


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
class WitnessRow(Result):
    """A row of those that prove that classes are not separable."""

    row: int
    place: str  # in the files
    label: str
    values: dict[str, Any]  # of a table
    rival: str | None  # of several classes, the one that it is set against
    weight: str  # exactly; in hexadecimal where it is long
    share: float  # of its class's weights; of several classes, of the sum of all


@dataclass(frozen=True, kw_only=True)
class RowInTheWay(Result):
    """A row without which others might be separable."""

    place: str
    label: str


@dataclass(frozen=True, kw_only=True)
class MarginFound(Result):
    """Margins, of rows that were looked at all at once."""

    margin: float | None
    margin_bounds: tuple[float, float] | None  # of the largest
    mistake_bound: int | None


@dataclass(frozen=True, kw_only=True)
class RowsInTheWay(Result):
    """The rows most in the way of separation, the first of them listed; None: the time ended before they were known.  How many must go
    at least is proved, and as many suffice as are in the way; ``must_go`` says it in words, with the places of other rows that would do."""

    suspects: list[RowInTheWay]
    n_suspects: int | None
    must_go_at_least: int | None = None
    must_go: str | None = None


@dataclass(frozen=True, kw_only=True)
class CoefficientLimit(Result):
    """What becomes of a coefficient of a logistic regression."""

    feature: str  # or the intercept
    class_: str | None
    direction: str | None  # None: undecided


@dataclass(frozen=True, kw_only=True)
class Coefficients(Result):
    """What becomes of all of them; nothing is said where all are finite."""

    directions: list[CoefficientLimit] | None = None
    finite_coefficients: int | None = None
    undecided_coefficients: int | None = None
    reasons: list[str] | None = None  # what single variables separate


@dataclass(frozen=True, kw_only=True, repr=False)
class CheckResult(ShownResult):
    """Whether the classes of rows are linearly separable, and what proves it.

    ``separable`` is True, False or None (undecided), ``kind`` says more; ``proof`` is what ``novikoff.separability`` returns of
    the rows as features (of more rows than fit into memory, what can be said of these).
    """

    command: ClassVar[str] = "check"
    files: list[str]
    target: str | None
    rows: int
    classes: list[str]
    left_out: list[LeftOut]
    notes: list[str]
    kind: str | None
    separable: bool | None  # None: undecided
    text: str
    features: int
    witness: list[WitnessRow] | None  # the first of them
    n_witness: int | None
    margins: MarginFound | None = field(default=None, metadata=INLINE)
    rounds: int | None = None  # over rows that are more than memory holds
    seconds: float
    in_the_way: RowsInTheWay | None = field(default=None, metadata=INLINE)
    coefficients: Coefficients | None = field(default=None, metadata=INLINE)
    proof: Any = field(default=None, compare=False, metadata=HIDDEN)

    def _picture(self) -> Picture | None:
        return drawn(self.proof.plot) if isinstance(self.proof, Proof) else None
