"""How good a learner is on rows it has not learned from: held out, or part by part."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from ..inputs.counts import count
from ..inputs.keywords import keyword
from ..rows.scores import Evaluation, Misses, both_evaluations
from ..rows.store.splits import PartOf, Split
from .compiling import stopwatch
from .documents import Result
from .loading import Rows
from .requests import AskedTest
from .training import evaluate_rows, fit_encoder, lenient, train

SMALL = 20_000  # rows up to which learning several times costs little
SHARE, PARTS = 0.1, 5  # held out of larger data; parts of smaller ones
WILSON = 1.96  # deviations of a normal distribution that 95% stay within


class Plan(NamedTuple):
    """How to test: neither of both means not at all."""

    share: float = 0.0
    parts: int = 0


@dataclass(frozen=True, kw_only=True)
class HeldOutScore(Result):
    """The score on rows that were kept apart; of an accuracy with a 95% interval."""

    kind: str = "held-out"
    metric: str
    score: float | None
    low: float | None = None
    high: float | None = None
    spread_is: str | None = None  # what the interval says
    errors: int | None = None
    rows: int


@dataclass(frozen=True, kw_only=True)
class CrossValidatedScore(Result):
    """The score on all rows, each asked of a learner that had not seen it."""

    kind: str = "cross-validated"
    metric: str
    score: float | None
    spread: float | None
    spread_is: str | None
    errors: int | None  # of numbers None
    rows: int
    folds: list[float]  # the score of each
    seconds: float  # of one fit: the median


class Tested(NamedTuple):
    """What the tested rows were answered, all folds together."""

    labels: tuple[str, ...]
    confusion: Any
    misses: Misses

    @classmethod
    def of(cls, found: Evaluation) -> Tested:
        """Of rows that were tested together."""
        return cls(found.labels, found.confusion, found.misses)


def plan(asked: AskedTest, n_rows: int) -> Plan:
    """What is asked for; by itself, a cross-validation of small data and rows held out of large ones."""
    if sum([asked.folds is not None, asked.hold_out is not None, asked.no_test]) > 1:
        raise ValueError("Choose one of folds=..., hold_out=... and test=False.")
    if asked.no_test:
        return Plan()
    if asked.hold_out is not None:
        if not 0 < asked.hold_out < 1:
            raise ValueError(f"{keyword('hold_out', asked.hold_out)} must lie between 0 and 1, both left out.")
        held = round(asked.hold_out * n_rows)
        if not 0 < held < n_rows:
            raise ValueError(
                f"{keyword('hold_out', asked.hold_out)} holds out {held or 'none'} of {n_rows} rows: hold out {'fewer' if held else 'more'}, or pass "
                "folds=5."
            )
        return Plan(share=asked.hold_out)
    if asked.folds is None and n_rows < PARTS:
        return Plan()  # nothing could be said of so few
    parts = asked.folds or (PARTS if n_rows <= SMALL else 0)
    if parts:
        refuse_too_many(parts, n_rows)
    return Plan(parts=parts) if parts else Plan(share=SHARE)


def refuse_too_many(folds: int, n_rows: int) -> None:
    """Refuse folds that rows would not suffice for."""
    if folds > n_rows:
        raise ValueError(f"{keyword('folds', folds)} is more than the {n_rows} rows: choose from 2 to {n_rows}.")


def test_held_out(rows: Rows, trained: Any, members: PartOf) -> tuple[HeldOutScore, Tested]:
    """The score on held-out rows of a learner that has not seen them."""
    found = evaluate_rows(rows, trained.learner, lenient(trained.encoder), members)
    if rows.schema.task == "numbers":
        return HeldOutScore(metric="r2", score=found.misses.r2, rows=found.n), Tested.of(found)
    low, high = wilson(found.n - found.errors, found.n)
    return HeldOutScore(
        metric="accuracy",
        score=found.accuracy,
        low=low,
        high=high,
        spread_is="95% interval for rows drawn as these were",
        errors=found.errors,
        rows=found.n,
    ), Tested.of(found)


def cross_validate(
    rows: Rows, learner: Any, splits: list[Split], seed: int, standardise: bool, title: str
) -> tuple[CrossValidatedScore, Tested]:
    """The score on each part of a learner that has learned from the others; encoders, too, see the others only."""
    found, times = [], []
    for number, split in enumerate(splits, 1):
        with stopwatch() as watch:
            # A rare value may be in one part only.
            encoder = lenient(fit_encoder(rows, split.train, standardise, gaps=True))
            try:
                trained = train(
                    rows, clone(learner), encoder, split.train, seed, title=f"{title} {number}/{len(splits)}"
                )
            except ValueError as error:
                raise ValueError(f"Part {number} of the cross-validation cannot be tested: {error}") from None
            if trained.ending is not None and trained.ending.interrupted:
                raise KeyboardInterrupt
            times.append(watch.seconds)
        found.append(evaluate_rows(rows, trained.learner, encoder, split.test, margins=False))
    numbers = rows.schema.task == "numbers"
    each = [part.misses.r2 if numbers else part.accuracy for part in found]
    scores = [one for one in each if one is not None]  # R² of rows whose numbers are all the same is None
    spread = float(np.std(scores, ddof=1)) if len(scores) == len(splits) else None
    all_parts = reduce(both_evaluations, found)
    tested, total = Tested.of(all_parts), all_parts.n
    return CrossValidatedScore(
        metric="r2" if numbers else "accuracy",
        score=tested.misses.r2 if numbers else float(tested.confusion.trace() / total),
        spread=spread,
        spread_is=None if spread is None else spread_over(len(splits), total),
        errors=None if numbers else all_parts.errors,
        rows=total,
        folds=scores,
        seconds=float(np.median(times)),
    ), tested


def spread_over(folds: int, rows: int) -> str:
    """What ± says of a cross-validation."""
    each = count(rows // folds) + (f" or {count(rows // folds + 1)}" if rows % folds else "")
    return f"standard deviation of {count(folds)} scores, of {each} row{'s' * (each != '1')} each"


def wilson(right: int, n: int) -> tuple[float, float]:
    """A 95% interval of a share (E. B. Wilson, Probable inference, the law of succession, and statistical inference, 1927)."""
    p, z2 = right / n, WILSON**2
    middle, half = p + z2 / (2 * n), WILSON * (p * (1 - p) / n + z2 / (4 * n * n)) ** 0.5
    return max(0.0, (middle - half) / (1 + z2 / n)), min(1.0, (middle + half) / (1 + z2 / n))
