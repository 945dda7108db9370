"""How good a learner is on rows it has not learned from: held out, or part by part."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from ..data.evaluation import evaluate
from ..data.splits import folds, held_out
from .loading import Rows
from .options import TestOptions
from .training import fit_encoder, lenient, train

SMALL = 20_000  # rows up to which learning several times costs little
SHARE, PARTS = 0.1, 5  # held out of larger data; parts of smaller ones
WILSON = 1.96  # deviations of a normal distribution that 95% stay within


class Plan(NamedTuple):
    """How to test: neither of both means not at all."""

    share: float = 0.0
    parts: int = 0


def plan(options: TestOptions, n_rows: int) -> Plan:
    """What the options ask for; by themselves, a cross-validation of small data and rows held out of large ones."""
    asked = [options.folds is not None, options.hold_out is not None, options.no_test]
    if sum(asked) > 1:
        raise ValueError("Choose one of --folds, --hold-out and --no-test.")
    if options.no_test:
        return Plan()
    if options.hold_out is not None:
        if not 0 < options.hold_out < 1:
            raise ValueError(f"--hold-out {options.hold_out} must lie between 0 and 1, both left out.")
        return Plan(share=options.hold_out)
    if options.folds is None and n_rows < PARTS:
        return Plan()  # nothing could be said of so few
    parts = options.folds or (PARTS if n_rows <= SMALL else 0)
    if parts > n_rows:
        raise ValueError(f"--folds {parts} is more than the {n_rows} rows.")
    return Plan(parts=parts) if parts else Plan(share=SHARE)


def test_held_out(rows: Rows, trained: Any, share: float, seed: int) -> tuple[dict[str, Any], list]:
    """The score on held-out rows of a learner that has not seen them."""
    found = evaluate(trained.learner, rows.store, rows.schema, lenient(trained.encoder), held_out(share, seed).test)
    if not found.n:
        raise ValueError(
            f"--hold-out {share} holds out none of {rows.store.n_rows} rows: hold out more, or pass --folds 5."
        )
    if rows.schema.task == "numbers":
        return {"kind": "held-out", "metric": "r2", "score": found.r2, "rows": found.n}, [found]
    low, high = wilson(found.n - found.errors, found.n)
    return {
        "kind": "held-out",
        "metric": "accuracy",
        "score": found.accuracy,
        "low": low,
        "high": high,
        "spread": (high - low) / 2,
        "spread_is": "95% interval for rows drawn as these were",
        "rows": found.n,
    }, [found]


def cross_validate(
    rows: Rows, learner: Any, parts: int, seed: int, standardise: bool, title: str
) -> tuple[dict[str, Any], list]:
    """The score on each part of a learner that has learned from the others; encoders, too, see the others only."""
    found, times = [], []
    for number, split in enumerate(folds(parts, seed), 1):
        began = time.perf_counter()
        if not any(split.train(block.rows).any() for block in rows.store.blocks):
            raise ValueError(f"--folds {parts}: all rows are in one part; choose more parts, or another --seed.")
        # A rare value may be in one part only.
        encoder = lenient(fit_encoder(rows, split.train, standardise, gaps=True))
        try:
            trained = train(rows, clone(learner), encoder, split.train, seed, title=f"{title} {number}/{parts}")
        except ValueError as error:
            raise ValueError(f"Part {number} of the cross-validation cannot be tested: {error}") from None
        if trained.ending is not None and trained.ending.interrupted:
            raise KeyboardInterrupt
        times.append(time.perf_counter() - began)
        found.append(evaluate(trained.learner, rows.store, rows.schema, encoder, split.test))
    numbers = rows.schema.task == "numbers"
    each = [part.r2 if numbers else part.accuracy for part in found]
    scores = [one for one in each if one is not None]  # of a part without rows, or with one number in all, None
    total = sum(part.n for part in found)
    score: float | None = 1 - sum(part.errors for part in found) / total
    if numbers:
        score = float(np.mean(scores)) if scores else None
    return {
        "kind": "cross-validated",
        "metric": "r2" if numbers else "accuracy",
        "score": score,
        "spread": float(np.std(scores, ddof=1)) if len(scores) > 1 else None,
        "spread_is": f"standard deviation over {len(scores)} folds",
        "rows": total,
        "folds": scores,
        "seconds": float(np.median(times)),
    }, found


def wilson(right: int, n: int) -> tuple[float, float]:
    """A 95% interval of a share (E. B. Wilson, Probable inference, the law of succession, and statistical inference, 1927)."""
    p, z2 = right / n, WILSON**2
    middle, half = p + z2 / (2 * n), WILSON * (p * (1 - p) / n + z2 / (4 * n * n)) ** 0.5
    return max(0.0, (middle - half) / (1 + z2 / n)), min(1.0, (middle + half) / (1 + z2 / n))
