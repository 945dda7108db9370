"""Weights that give the smallest bound of Novikoff's theorem (``mistakes``)."""

from __future__ import annotations

from ...system.clock import Clock
from ..check.mistakes import Ideal, as_ideal, mistake_bound
from ..problem.coordinates import Weights, simpler, to_moved
from ..problem.pairs import Pairs
from .metrics import Augmented
from .widest_margin import EXACT_DIM, exactly, widest


def ideal_weights(pairs: Pairs, known: list[Weights], constant2: float, clock: Clock) -> Ideal:
    """Weights of the largest g, or the best that were found; ``known`` are some that separate, ``constant2`` is c^2."""
    metric, start = Augmented(pairs, constant2), to_moved(pairs, known[0])
    found = widest(pairs, metric, start, clock)
    candidates = [*known] if found is None else [*known, metric.weights(found.x)]
    if pairs.n_rivals * (metric.kept.size + pairs.fit_intercept) <= EXACT_DIM:
        candidates += [metric.exact_weights(nearest) for nearest, *_ in exactly(pairs, metric, start, found, clock)][
            -1:
        ]
    ideals = (as_ideal(pairs, weights, constant2) for weights in candidates)
    return min((ideal for ideal in ideals if ideal.lead > 0), key=lambda each: each.ratio)


def simple_ideal(pairs: Pairs, ideal: Ideal) -> Ideal:
    """Weights of few digits that give the same bound, if there are such."""
    ideals = (as_ideal(pairs, weights, ideal.constant2) for weights in simpler(pairs, ideal.weights))
    bound = mistake_bound(pairs, ideal)
    return next((each for each in ideals if each.lead > 0 and mistake_bound(pairs, each) <= bound), ideal)
