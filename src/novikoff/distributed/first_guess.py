"""Where Newton's method begins over partitions: at the solution for some of the rows, which is found here.

A step over all rows is a round.  The solution for n rows is about ``sqrt(columns / n)`` away from that for all, in units of the
deviation of scores, and its second derivatives are as near to those of all: the first step is made with them (Roosta-Khorasani
& Mahoney 2019).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from ..inputs.clock import Clock
from ..solvers.lbfgs import Found, Problem, maximise
from .folding import Engine
from .rounds import Ready
from .taken_rows import Facts, Rows, both_facts, facts_of, taken

MOST_NUMBERS = 1 << 20  # of some rows, which are sent here
ROWS_AN_UNKNOWN = 20  # fewer tell little
SHARE = 4  # of all rows no more than a part of so many are some
MOST_STEPS = 30

NEARLY = 1e-3  # a gap of the solution for some rows that is near enough for a start


class Look(NamedTuple):
    """What is known of rows, and some of them, partition after partition.  If there are some, means are of those."""

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
    X, target, weight = rows = taken(ready)
    some = Rows(X[::every], target[::every], weight[::every]) if every else rows
    facts = facts_of(number, some, None)
    if facts is None or not every:
        return Look(facts, ()) if facts else None
    each = weight if weight.size else np.ones(1)
    total = float(weight.sum()) if weight.size else float(target.size)
    facts = facts._replace(rows=target.size, values=X.size, weight=total)
    return Look(facts._replace(least=float(each.min()), most=float(each.max())), (some,))


def both_looks(one: Look, other: Look) -> Look:
    """Of both."""
    return Look(both_facts(one.facts, other.facts), one.some + other.some)


def together(look: Look) -> Ready:
    """The rows that are some, below each other."""
    parts = [rows.X for rows in look.some]
    X = sparse.csr_array(sparse.vstack(parts)) if sparse.issparse(parts[0]) else np.concatenate(parts)
    target = np.concatenate([rows.target for rows in look.some])
    each = [rows.weight if rows.weight.size else np.ones(rows.target.size) for rows in look.some]
    weight = np.concatenate(each) if any(rows.weight.size for rows in look.some) else np.empty(0)
    return Ready(X.astype(float), target, weight, np.arange(target.size), np.empty(0, np.intp))


def weight_of(rows: Ready) -> float:
    """That of all rows."""
    return float(rows.weight.sum()) if rows.weight.size else float(rows.target.size)


def guess(rows: Ready, share: float, problem: Problem, place: int, clock: Clock) -> Found:
    """The solution for some rows, which are this share of all; ``place``: the class that stands against the rest, or -1."""
    target = rows.target == place if place >= 0 else rows.target
    own = problem._replace(X=rows.X, target=target, weight=rows.weight, l2=problem.l2 * share)
    return maximise(own, "newton", MOST_STEPS, clock, NEARLY)
