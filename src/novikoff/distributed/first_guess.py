"""Where Newton's method begins over partitions: at the solution for some of the rows, which is found here.

A step over all rows is a round.  The solution for n rows is about ``sqrt(columns / n)`` away from that for all, in units of the
deviation of scores, and every step squares that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from ..estimators.likelihood import Problem, maximise
from ..inputs.clock import Clock
from .folding import Engine
from .rounds import Ready
from .taken_rows import Facts, Rows, both_facts, facts_of, taken

MOST_NUMBERS = 1 << 20  # of some rows, which are sent here
ROWS_AN_UNKNOWN = 20  # fewer tell little
SHARE = 4  # of all rows no more than a part of so many are some
MOST_STEPS = 30


class Look(NamedTuple):
    """What is known of rows, and some of them, partition after partition."""

    facts: Facts
    some: tuple[Rows, ...]


def stride(rows: int, columns: int, unknowns: int) -> int:
    """Which rows are some: each of so many; 0: none."""
    some = min(MOST_NUMBERS // max(1, columns), rows // SHARE)
    return -(-rows // some) if some >= ROWS_AN_UNKNOWN * unknowns else 0


def look_at_some(engine: Engine, every: int) -> Look:
    """Of all partitions."""
    look: Look = engine.fold(look_of, both_looks, every)
    return look


def look_of(number: int, ready: Ready, every: int) -> Look | None:
    """Of one partition."""
    facts = facts_of(number, ready, None)
    if facts is None:
        return None
    X, target, weight = taken(ready)
    if not every:
        return Look(facts, ())
    return Look(facts, (Rows(X[::every], target[::every], weight[::every]),))


def both_looks(one: Look, other: Look) -> Look:
    """Of both."""
    return Look(both_facts(one.facts, other.facts), one.some + other.some)


def guess(look: Look, problem: Problem, place: int, clock: Clock) -> tuple[np.ndarray, np.ndarray] | None:
    """Weights and bias for some rows; ``place``: the class that stands against the rest, or -1.  None: they have no best ones."""
    if not look.some:
        return None
    parts = [rows.X for rows in look.some]
    X = sparse.csr_array(sparse.vstack(parts)) if sparse.issparse(parts[0]) else np.concatenate(parts)
    target = np.concatenate([rows.target for rows in look.some])
    weighted = any(rows.weight.size for rows in look.some)
    each = [rows.weight if rows.weight.size else np.ones(rows.target.size) for rows in look.some]
    weight = np.concatenate(each) if weighted else np.empty(0)
    share = (weight.sum() if weighted else target.size) / look.facts.weight
    target = target == place if place >= 0 else target
    own = problem._replace(X=X.astype(float), target=target, weight=weight, l2=problem.l2 * share)
    found = maximise(own, "newton", MOST_STEPS, clock)
    return (found.coef, found.bias) if found.reason == "solved" else None
