"""Rules that remember something of each feature, and whose steps are scaled feature by feature.

Such a rule declares, as fields with defaults, how many numbers it remembers of each weight (``per_weight``: sums over rows, which
start at 0) and of each column (``per_column``: maxima), and is decorated with ``each_feature``.  It says in one line each

``moved(rule, x, w, g, rate, ...)``  the new weight of a feature x whose output asks for the step g, after noting it in memory;
``term(rule, x, w, ...)``            what a feature adds to the row's sum for an output, if the rule asks for ``row_sum``;
``grown(rule, x, ...)``              by what factor a column's weights change before the row is scored: rules with ``per_column``.

The loops over a row's features are here, once for dense and sparse rows and any number of outputs.  The constant feature is one
more column, the last.  A step costs as much as the row has values.  Such rules take batches of 1, and weights do not decay.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compiled.jit import by_type, helper
from .rows import entries, entry, place, scaled_score, width

MOST, LEAST = 1e150, 1e-150  # numbers of rows whose squares, and those of one over them, are floats


@by_type
def moved(rule, x, w, g, rate, memory, k, per_weight, a, b, per_column, j):
    """The new weight; ``per_weight[:, a, b]`` and ``per_column[:, j]`` are what the rule remembers of it and of its column."""


@by_type
def term(rule, x, w, per_weight, a, b, per_column, j):
    """What a feature adds to ``row_sum``."""


@by_type
def grown(rule, x, per_column, j):
    """Note x in ``per_column[:, j]``; return what the weights of the column are multiplied by."""


@by_type
def note_row(rule, total, memory, k):
    """Note in ``memory[k]`` a row whose ``row_sum`` is this."""


# What the sweep asks; of other rules, this is how steps are made, and the rest costs nothing.


@by_type
def look(rule, rows, i, constant2, state, scratch):
    """Look at row i before it is scored; return whether its numbers are in range."""


@by_type
def training_scores(rule, rows, i, constant2, state, scale, scores):
    """The scores that steps go by."""


@by_type
def make_step(rule, rows, i, r, rate, constant2, seen, state, scratch):
    """Move the weights by the step of row i, which is line r of ``pending``."""


@look.otherwise
def do_not_look(rule, rows, i, constant2, state, scratch):
    return True


@training_scores.otherwise
def usual_scores(rule, rows, i, constant2, state, scale, scores):
    scaled_score(rows, i, state.weights, scale, state.bias, scores)


@helper
def row_sum(rule, rows, i, constant2, state, k):
    """The sum of ``term`` over the features of row i, the constant one counted, for output k."""
    total = 0.0
    first, last = entries(rows, i)
    for q in range(first, last):
        j, x = entry(rows, i, q)
        a, b = place(rows, k, j)
        total += term(rule, np.float64(x), np.float64(state.weights[a, b]), state.per_weight, a, b, state.per_column, j)
    if constant2 > 0:
        c = np.sqrt(constant2)
        j = width(rows, state.weights)
        a, b = place(rows, k, j)
        total += term(rule, c, state.bias[k] / c, state.per_weight, a, b, state.per_column, j)
    return total


@helper
def step_each_feature(rule, rows, i, r, rate, constant2, seen, state, scratch):
    """w_j <- moved(...) for every feature of row i and every output that asks for a step; an average counts what changed."""
    weights, overcount, memory = state.weights, state.overcount, state.memory
    first, last = entries(rows, i)
    for k in range(scratch.step.size):
        g = np.float64(scratch.pending[r, k])
        if g != 0:
            for q in range(first, last):
                j, x = entry(rows, i, q)
                a, b = place(rows, k, j)
                before = np.float64(weights[a, b])
                weights[a, b] = moved(
                    rule, np.float64(x), before, g, rate, memory, k, state.per_weight, a, b, state.per_column, j
                )
                if overcount.size:
                    overcount[a, b] += (weights[a, b] - before) * scratch.counted[k]
            if constant2 > 0:
                c = np.sqrt(constant2)
                j = width(rows, weights)
                a, b = place(rows, k, j)
                before = state.bias[k]
                w = moved(rule, c, before / c, g, rate, memory, k, state.per_weight, a, b, state.per_column, j)
                state.bias[k] = c * w
                if state.bias_overcount.size:
                    state.bias_overcount[k] += (state.bias[k] - before) * seen


@helper
def look_at_columns(rule, rows, i, constant2, state, scratch):
    """Have every column of row i grow to its number, and note the row; whether its numbers are in range."""
    weights, overcount, outputs = state.weights, state.overcount, state.bias.size
    first, last = entries(rows, i)
    fine = True
    for q in range(first, last):
        j, x = entry(rows, i, q)
        size = np.float64(abs(x))
        if not (LEAST < size < MOST or size == 0):
            fine = False
    for q in range(first, last):
        j, x = entry(rows, i, q)
        if fine and x != 0:  # a row that is refused leaves no trace
            size = np.float64(abs(x))
            factor = grown(rule, size, state.per_column, j)
            if factor != 1:
                for k in range(outputs):
                    a, b = place(rows, k, j)
                    before = weights[a, b]
                    weights[a, b] = factor * before
                    if overcount.size:
                        overcount[a, b] += (weights[a, b] - before) * scratch.counted[k]
    if constant2 > 0:
        factor = grown(rule, np.sqrt(constant2), state.per_column, width(rows, weights))
        for k in range(outputs):
            state.bias[k] *= factor  # 0 at first, then 1: the constant feature does not grow
    if fine:
        total = row_sum(rule, rows, i, constant2, state, 0)
        for k in range(outputs):
            note_row(rule, total, state.memory, k)
    return fine


@helper
def row_sums(rule, rows, i, constant2, state, scale, scores):
    """Row sums in the place of scores."""
    for k in range(scores.size):
        scores[k] = row_sum(rule, rows, i, constant2, state, k)


def each_feature(kind: Any) -> Any:
    """Have a rule's steps made feature by feature."""
    make_step.of(kind)(getattr(step_each_feature, "py_func", step_each_feature))
    return kind


def each_column(kind: Any) -> Any:
    """Have a rule look at the columns of a row before it is scored."""
    look.of(kind)(getattr(look_at_columns, "py_func", look_at_columns))
    return kind


def scored_by_sums(kind: Any) -> Any:
    """Have a rule go by row sums, not by scores."""
    training_scores.of(kind)(getattr(row_sums, "py_func", row_sums))
    return kind
