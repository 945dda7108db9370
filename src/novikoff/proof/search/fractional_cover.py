"""The smallest cost that hits every witness, rows taken in parts: a lower bound, and the packing that proves it.

    minimise  c.x   subject to   sum_{i in W_j} x_i >= 1 for every witness W_j,   low <= x <= high

Its dual is a packing of witnesses: u_j >= 0 with sum_{j: i in W_j} u_j <= c_i.  The dual simplex method (C. E. Lemke, The dual
method of solving the linear programming problem, 1954) for variables between two bounds: a new witness is a new row, a row of data
that is removed or kept has equal bounds, and both leave every old basis a start, since a variable that is not in the basis can stand at
the bound that the sign of its reduced cost asks for.  So one dictionary

    basic = t + T (not basic),   cost = constant + d.(not basic)

serves all nodes of a search.  Floats: what is proved is worked out elsewhere, from u.
"""

from __future__ import annotations

import numpy as np

LOWERED = 1e-5  # of a cost, at most, each by another share: equal costs have many equal bases, between which the method would go round
FEASIBLE = 1e-7  # how far a witness may be from hit
ZERO = 1e-9  # what is smaller is rounding
LOOSE, MOST_LOOSE = (
    0.05,
    60,
)  # witnesses that are hit by so much more than 1, and how many of them stay in the dictionary
JOIN = 20  # witnesses that join the dictionary at once
REFRESH = 500  # pivots after which the dictionary is made again
MOST_PIVOTS = 2000  # of one solution: the bound is then not the best, and still a bound


class Cover:
    """Witnesses as sets of rows, and the programme over them.  ``rows`` are the rows that some witness has, in the order of x."""

    def __init__(self) -> None:
        self.rows: list[int] = []
        self.place: dict[int, int] = {}
        self.sets = self._room = np.zeros((0, 0))
        self.active = np.zeros(0, dtype=bool)  # the others were forgotten
        self.cost = self.low = self.high = np.zeros(0)
        self.work = 0
        self._T: np.ndarray
        self._t: np.ndarray
        self._in: np.ndarray
        self._out: np.ndarray
        self._d: np.ndarray
        self._up: np.ndarray
        self._start()

    def add(self, rows: list[int], costs: list[float]) -> None:
        """One more witness, with the costs of its rows."""
        for row, cost in zip(rows, costs, strict=True):
            if row not in self.place:
                place = self.place[row] = len(self.rows)
                self.rows.append(row)
                share = (place * 0.6180339887498949) % 1.0  # spread evenly over 0 to 1
                self.cost = np.append(self.cost, cost * (1 - LOWERED * share))
                self.low, self.high = np.append(self.low, 0.0), np.append(self.high, 1.0)
                self._d = np.append(self._d, self.cost[-1])
                self._out = np.append(self._out, place)
                self._up = np.append(self._up, False)
                self._T = np.hstack([self._T, np.zeros((len(self._T), 1))])
        count, width = len(self.sets) + 1, len(self.rows)
        if count > len(self._room) or width > self._room.shape[1]:
            room = np.zeros((2 * count, width + 50))
            room[: count - 1, : self.sets.shape[1]] = self.sets
            self._room = room
        self.sets = self._room[:count, :width]
        self.sets[-1, [self.place[row] for row in rows]] = 1.0
        self.active = np.append(self.active, True)

    def forget(self, witness: int) -> None:
        """Leave out a witness that is none."""
        self.sets[witness], self.active[witness] = 0.0, False
        self._start()

    def fix(self, removed: list[int], kept: list[int]) -> None:
        """Which rows are removed and which are kept; all others are free."""
        self.low[:], self.high[:] = 0.0, 1.0
        self.low[[self.place[row] for row in removed]] = 1.0
        self.high[[self.place[row] for row in kept]] = 0.0

    def kept_witness(self) -> int | None:
        """A witness all of whose rows are kept, so that there is no solution."""
        inside = np.flatnonzero(self.active & (self.sets @ self.high == 0))
        return int(inside[0]) if inside.size else None

    def solve(self) -> np.ndarray:
        """The best x.  Only witnesses that were once not hit are in the dictionary."""
        while True:
            self._pivot_until_feasible()
            x = self._values()
            hit = self.sets @ x
            missed = np.setdiff1d(np.flatnonzero(self.active & (hit < 1 - FEASIBLE)), -1 - self._in[self._in < 0])
            self.work += self.sets.size
            if missed.size == 0:
                return x
            self._join(missed[np.argsort(hit[missed], kind="stable")[:JOIN]])

    def packing(self) -> dict[int, float]:
        """u_j for every witness that has some."""
        some = np.flatnonzero((self._out < 0) & (self._d > ZERO))
        return dict(zip((-1 - self._out[some]).tolist(), self._d[some].tolist(), strict=True))

    # The dictionary.  Variables are named by numbers: x by its place, what witness j is hit by beyond 1 by -1 - j.

    def _start(self) -> None:
        """Nothing is basic."""
        self._T, self._t = np.zeros((0, len(self.rows))), np.zeros(0)
        self._in, self._out = np.zeros(0, dtype=np.intp), np.arange(len(self.rows))
        self._d, self._up = self.cost.copy(), np.zeros(len(self.rows), dtype=bool)
        self._since = 0

    def _join(self, new: np.ndarray) -> None:
        """Rows of the dictionary for these witnesses."""
        sets, basic, out = self.sets[new], np.flatnonzero(self._in >= 0), self._out >= 0
        T, share = np.zeros((len(new), len(self.rows))), sets[:, self._in[basic]]
        T[:, out] = sets[:, self._out[out]]
        self._T = np.vstack([self._T, T + share @ self._T[basic]])
        self._t = np.append(self._t, share @ self._t[basic] - 1.0)
        self._in = np.append(self._in, -1 - new)

    def _bounds(self, names: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x = names >= 0
        return np.where(x, self.low[names * x], 0.0), np.where(x, self.high[names * x], np.inf)

    def _at_bounds(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """The values of what is not basic, each at the bound that its reduced cost asks for."""
        self._up = (self._out >= 0) & ((self._d < -ZERO) | (self._up & (self._d <= ZERO)))
        return np.where(self._up, high, low)

    def _values(self) -> np.ndarray:
        x, at = np.zeros(len(self.rows)), self._at_bounds(*self._bounds(self._out))
        out, basic = self._out >= 0, self._in >= 0
        x[self._out[out]] = at[out]
        x[self._in[basic]] = (self._T @ at + self._t)[basic]
        return x

    def _pivot_until_feasible(self) -> None:
        out_low, out_high = self._bounds(self._out)
        in_low, in_high = self._bounds(self._in)
        for _ in range(MOST_PIVOTS):
            if self._since >= REFRESH:
                self._refresh()
                out_low, out_high = self._bounds(self._out)
                in_low, in_high = self._bounds(self._in)
            basic = self._T @ self._at_bounds(out_low, out_high) + self._t
            loose = (self._in < 0) & (basic > LOOSE)
            if np.count_nonzero(loose) > MOST_LOOSE:
                stay = ~loose
                self._T, self._t, self._in, basic = self._T[stay], self._t[stay], self._in[stay], basic[stay]
                in_low, in_high = in_low[stay], in_high[stay]
            below, above = in_low - basic, basic - in_high
            missed = np.maximum(below, above)
            r = int(np.argmax(missed)) if missed.size else 0
            if missed.size == 0 or missed[r] <= ZERO:
                return
            falls = above[r] > below[r]
            slopes = -self._T[r] if falls else self._T[r]
            can = np.flatnonzero((out_high > out_low) & np.where(self._up, slopes < -ZERO, slopes > ZERO))
            if can.size == 0:
                return
            ratios = np.abs(self._d[can]) / np.abs(slopes[can])
            ties = can[ratios <= ratios.min() + ZERO]
            k = int(ties[np.argmax(np.abs(slopes[ties]))])
            self._exchange(r, k)
            self._up[k] = falls and self._out[k] >= 0
            in_low[r], out_low[k] = out_low[k], in_low[r]
            in_high[r], out_high[k] = out_high[k], in_high[r]

    def _exchange(self, r: int, k: int) -> None:
        """The r-th basic variable leaves, the k-th of the others enters."""
        pivot = self._T[r, k]
        line, constant = -self._T[r] / pivot, -self._t[r] / pivot
        line[k] = 1 / pivot
        column, slope = self._T[:, k].copy(), self._d[k]
        self._T[:, k], self._d[k] = 0.0, 0.0
        self._T += column[:, None] * line
        self._t += column * constant
        self._T[r], self._t[r] = line, constant
        self._d += slope * line
        self._in[r], self._out[k] = self._out[k], self._in[r]
        self._since += 1
        self.work += self._T.size

    def _refresh(self) -> None:
        """The same basis, from the witnesses again, so that rounding does not add up."""
        tight, basic, up = -1 - self._out[self._out < 0], set(self._in[self._in >= 0].tolist()), self._up
        at_high = set(self._out[up & (self._out >= 0)].tolist())
        self._start()
        self._join(np.sort(tight))
        for r in range(len(self._in)):
            can = [k for k, name in enumerate(self._out.tolist()) if name in basic]
            k = can[int(np.argmax(np.abs(self._T[r, can])))]
            if abs(self._T[r, k]) > ZERO:
                self._exchange(r, k)
        self._up = np.isin(self._out, list(at_high))
        self._since = 0
