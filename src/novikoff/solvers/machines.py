"""A batch of support vector machines over the same rows: solver after solver, until the gap of every output is proved."""

from __future__ import annotations

import logging
from math import inf
from typing import Any, NamedTuple

import numpy as np

from ..checks.arrays import generator
from ..system.clock import Clock
from .audit import Candidate, Fit, GapBounds, GapProof, prove
from .crammer_singer import interior, sweeps
from .dual_descent import descend
from .newton import newton
from .objectives import CrammerSinger, Hinge
from .shifted_rows import shifted
from .small_newton import small_newton

log = logging.getLogger(__name__)

NO_START = 0.1  # a gap of some output that is no better to start from than nothing
CLOSER = 1e-3  # of the tolerance is asked for of a solver that has missed it: what it believed was wrong
SAID = {"small": "newton", "sweeps": "descent"}  # what users call them
PRECISE = ("small", "newton", "interior")  # which of them that is, if there is one


class Solved(NamedTuple):
    """What is proved of all outputs, and how it was found."""

    proof: GapProof
    gaps: np.ndarray  # proved, of each output
    steps: np.ndarray  # likewise
    solver: str
    history: list[tuple[float, float]]  # seconds, and the gap proved until then


def solve(
    loss: Hinge | CrammerSinger,
    fit: Fit,
    tol: float,
    methods: list[str],
    clock: Clock,
    random_state: Any,
    start: Candidate | None,
) -> Solved:
    """Try these methods in turn on what is not proved yet, each from what the ones before have found; of each side the best is kept."""
    best: GapProof | None = None
    fit = fit._replace(centre=fit.near())
    count = 1 if isinstance(loss, CrammerSinger) else len(loss.signs)  # of problems
    steps, used, history = np.zeros(count, np.int64), [], []
    precise = next((method for method in methods if method in PRECISE), methods[0])
    turns = [(method, tol) for method in methods] + [(precise, CLOSER * tol)]
    open_ = np.arange(count)
    if start is not None and start.shares is not None:  # which may do
        best = prove(
            loss, fit, start.coef, start.bias, inf, start.shares
        )  # without the care that a last proof may need
        gaps = best.gap.each
        if gaps.max() <= tol:
            return Solved(best, gaps, steps, SAID.get(methods[0], methods[0]), [(clock.seconds, float(gaps.max()))])
    for method, asked in turns:
        mine = loss if isinstance(loss, CrammerSinger) or open_.size == count else loss.of(open_)
        found = run(method, mine, fit, asked, clock, start, random_state)
        used.append(SAID.get(method, method))
        if found is None:
            continue
        proof = prove(mine, fit, found.coef, found.bias, tol, found.shares)
        if not np.isfinite(proof.gap.primal + proof.gap.dual).all():
            found = _finite(found)
            proof = prove(mine, fit, found.coef, found.bias, tol, found.shares)
        best = proof if best is None else better(best, proof, open_)
        steps[open_] += found.steps
        gaps = best.gap.each
        history.append((clock.seconds, float(gaps.max())))
        log.info("%s: gap %.3g after %d steps, %.3g s", method, history[-1][1], found.steps.sum(), clock.seconds)
        open_ = np.flatnonzero(~(gaps <= tol))
        if not open_.size or clock.over:
            break
        some = slice(None) if loss.joint else open_
        start = None
        if gaps[open_].max() <= NO_START:
            start = Candidate(best.coef[some], best.bias[some], steps[open_], best.shares[:, some])
    assert best is not None
    return Solved(best, gaps, steps, "+".join(dict.fromkeys(used)), history)


def _finite(found: Candidate) -> Candidate:
    """Zero weights instead of numbers that have overflowed."""
    lost = ~(np.isfinite(found.coef).all(axis=1) & np.isfinite(found.bias))
    if found.shares is not None:
        lost |= ~np.isfinite(found.shares).all(axis=0)
    coef, bias = np.where(lost[:, None], 0.0, found.coef), np.where(lost, 0.0, found.bias)
    return Candidate(coef, bias, found.steps, None if found.shares is None else np.where(lost, 0.0, found.shares))


def better(best: GapProof, proof: GapProof, some: np.ndarray) -> GapProof:
    """Of each side of some problems the better one."""
    coef, bias, shares, scores = (part.copy() for part in (best.coef, best.bias, best.shares, best.scores))
    primal, dual = best.gap.primal.copy(), best.gap.dual.copy()
    lower, higher = ~(proof.gap.primal >= primal[some]), ~(proof.gap.dual <= dual[some])
    primal[some[lower]], dual[some[higher]] = proof.gap.primal[lower], proof.gap.dual[higher]
    if len(primal) < len(coef):  # all outputs are one problem
        some, lower, higher = (np.repeat(part, len(coef)) for part in (some, lower, higher))
        some = np.arange(len(coef))
    down, up = some[lower], some[higher]
    coef[down], bias[down], scores[:, down] = proof.coef[lower], proof.bias[lower], proof.scores[:, lower]
    shares[:, up] = proof.shares[:, higher]
    return GapProof(coef, bias, GapBounds(primal, dual, best.gap.zero), shares, scores)


def run(
    method: str, loss: Any, fit: Fit, tol: float, clock: Clock, start: Candidate | None, random_state: Any
) -> Candidate | None:
    """What a solver finds; None if it has given up."""
    if method == "small":
        return small_newton(loss, fit, tol, clock, start)
    if method == "newton":
        return newton(loss, fit, tol, clock, start)
    if method == "descent":
        return descend(loss, fit, tol, clock, start, generator(random_state))
    X, centre, classes = fit.X.astype(float, copy=False), fit.near(), loss.outputs
    near = X if centre is None else X - centre
    if start is not None:
        bias = start.bias if fit.intercept else np.zeros(classes)
        start = start._replace(bias=np.asarray(shifted(start.coef, bias, centre, 1)))
    solver = sweeps if method == "sweeps" else interior
    found: Candidate = solver(loss, near, fit.intercept, classes, tol, clock, random_state, start)
    return found._replace(bias=np.asarray(shifted(found.coef, found.bias, centre, -1)))
