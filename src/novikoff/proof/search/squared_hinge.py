"""The weights of the least squared hinge loss, without a penalty: they answer Gordan's alternative at once.

    minimise  1/2 sum_i max(0, 1 - y_i u_i)^2    over the scores  u = Z v  of all weights v

The minimum is attained, since the loss is piecewise quadratic.  It is 0, and then some weights separate; or its slopes
l_i = max(0, 1 - y_i u_i) are a relation, sum_i l_i y_i z_i = 0.  Newton's method with an exact line search ends after a few steps (O. L.
Mangasarian, A finite Newton method for classification, Optimization Methods and Software 17, 2002).  With P = G G' the projection onto all
scores (``NearlyOrthonormal``), one step solves a system as large as the fewer of the rows A with a loss and the rows I without:

    u = P_{:A} a ,  P_AA a = y_A     or     u = P (y_A, u_I) ,  (1 - P_II) u_I = P_IA y_A ,

or, of many rows, G_A' G_A in the space of weights.  P is the same for all y.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dposv

from ..check.verified import NearlyOrthonormal

MOST_STEPS = 60
RIDGE = 1e-13  # what keeps a system regular that rounding makes singular
SURE = 1e-9  # of the largest score: a smaller lead may be rounding


@np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore")  # what is not finite proves nothing
def least_squared_hinge(frame: NearlyOrthonormal, y: np.ndarray) -> tuple[str, np.ndarray]:
    """Scores of these signs, and whether all are right ("apart"), their losses are a relation ("overlap"), or nothing is known."""
    P, G = frame.P, frame.G
    u = G @ (G.T @ y) if P is None else P @ y
    for _ in range(MOST_STEPS):
        leads = y * u
        active = leads < 1
        if not active.any():
            return "apart", u
        full = _newton(G, P, y, active)
        if full is None:
            return "unknown", u
        aims = y * full
        if aims.min() > SURE * aims.max():
            return "apart", full
        if np.array_equal(aims < 1, active):
            return "overlap", full
        u = u + _step(1 - leads, aims - leads) * (full - u)
    return "unknown", u


def _newton(G: np.ndarray, P: np.ndarray | None, y: np.ndarray, active: np.ndarray) -> np.ndarray | None:
    """The scores of least loss if exactly these rows had one; None where rounding hides them."""
    count, size = G.shape
    wanted = np.where(active, y, 0.0)
    n_active = int(np.count_nonzero(active))
    smaller = min(n_active, count - n_active)
    if P is None or smaller >= size:
        some = G[active]
        solved, failed = _solved(some.T @ some, G.T @ wanted)
        return None if failed else G @ solved
    if n_active == smaller:
        rows = np.flatnonzero(active)
        solved, failed = _solved(P[np.ix_(rows, rows)], y[rows])
        return None if failed else P[:, rows] @ solved
    scores = P @ wanted
    rows = np.flatnonzero(~active)
    if rows.size == 0:
        return scores
    M = -P[np.ix_(rows, rows)]
    M.flat[:: rows.size + 1] += 1.0
    solved, failed = _solved(M, scores[rows])
    return None if failed else scores + P[:, rows] @ solved


def _solved(M: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, bool]:
    M.flat[:: len(M) + 1] += RIDGE
    _, solved, failed = dposv(M, right)
    if failed:  # a larger ridge; M is untouched
        M.flat[:: len(M) + 1] += 1e5 * RIDGE
        _, solved, failed = dposv(M, right)
    return solved, bool(failed)


def _step(slack: np.ndarray, change: np.ndarray) -> float:
    """The t > 0 at which sum_i max(0, slack_i - t change_i)^2 is smallest: the slope, piecewise linear, is followed from one t at which a
    row gains or loses its loss to the next."""
    active = (slack > 0) | ((slack == 0) & (change < 0))
    some = np.flatnonzero(change != 0)
    times = slack[some] / change[some]
    later = times > 0
    some, times = some[later], times[later]
    order = np.argsort(times, kind="stable")
    some, times = some[order], times[order]
    turns = -np.sign(change[some])  # a row leaves whose lead grows
    part = change[active]
    slopes = np.append(0.0, np.cumsum(-turns * change[some] * slack[some])) - part @ slack[active]
    bends = np.append(0.0, np.cumsum(turns * change[some] ** 2)) + part @ part
    past = np.flatnonzero(slopes[:-1] + bends[:-1] * times >= 0)
    place = int(past[0]) if past.size else times.size
    if bends[place] > 0 and -slopes[place] > 0:
        return float(-slopes[place] / bends[place])
    return float(times[min(place, times.size - 1)]) if times.size else 1.0
