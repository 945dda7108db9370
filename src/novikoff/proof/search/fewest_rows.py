"""The fewest rows that must go so that a hyperplane separates the rest: branch and cut over witnesses.

    minimise  sum_{i in S} c_i   such that the rows outside S are completely separable

Every witness (rows that cancel) must lose a row, and rows that have lost one of every witness are separable: S is a smallest hitting
set of witnesses, of which there are too many to list (J. Chinneck 1996; E. Amaldi, M. Pfetsch and L. Trotter, On the maximum feasible
subsystem problem, IISs and IIS-hypergraphs, 2003; of halfspace depth, D. Bremner and D. Chen, A branch and cut algorithm for the
halfspace depth problem, 2009).  A node of the tree has removed rows R and kept rows Q.  Its bound is a packing (``fractional_cover``) of witnesses
that have lost no row to R; witnesses that the best fractional set does not hit are looked for by a walk (``circuits``), and join.  Where
none is found, one row is removed in the one child and kept in the other.  Sets S come from hyperplanes: the multipliers of walks,
line searches that minimise the cost of wrong rows along a line (T. Nguyen and S. Sanner, Algorithms for direct 0-1 loss
optimization in binary classification, 2013), and swaps of a row of S for another that is in every witness without it.

Floats only propose: a bound is that of a packing in whole numbers, of witnesses whose relations hold exactly (this is found out when a
packing raises a bound: most witnesses never do), and the rows that weights get wrong are found exactly.  Equal rows of one class are right or wrong together, and are one row here whose cost is their sum.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

import numpy as np

from ...system.clock import Clock, OutOfTime
from ..arithmetic.exact import relation
from ..problem.coordinates import Weights, to_moved, to_user
from ..problem.equal_rows import equal_rows
from ..problem.faces import Face
from ..problem.pairs import Direction, Pairs
from .circuits import Circuits
from .fractional_cover import Cover
from .gordan import Circuit, Search, gordan, some_pairs
from .perceptron_guess import learned_direction

UNITS = 1 << 20  # a packing is rounded to multiples of 1 over this
HIT = 1 - 1e-6  # a witness hit by less than this is missed
FRACTIONAL = 1e-6
ABOUT = 1e-3  # a packing whose floats miss a bound by so much proves no better one
WALKS = 4  # for one fractional set, each away from what the one before found
BEST_OF_WALK = 2  # witnesses that a walk contributes
AVOID = 0.3  # added to the cost of rows that a walk has found
REMOVED = 10.0  # the cost of removed rows in a walk
GAIN, SLOW_AT_ROOT, SLOW = (
    0.02,
    8,
    3,
)  # a round of new witnesses that raises the bound by less is slow; so many, and a row is chosen
STARTS, LINES, LINES_LATER = 6, 400, 20  # line searches at the beginning and at each node
SWAPS = 1000  # walks that may bring no better set of rows before swaps of rows end
FLAT = 1e-12
MOST_NUMBERS = 20_000_000  # of vectors; beyond, only a perceptron is tried
MOST_DIMENSIONS = 100  # likewise: a witness is confirmed exactly, which takes seconds where there are more
PASSES = 10  # of that perceptron
PUT_BACK = 1.0  # times the work allowed, for putting rows back
SURE_DIM = 20  # up to so many dimensions a witness that keeps a row from going back is confirmed; beyond, floats are believed, as nothing is proved by it
LINES_SHARE = 0.3  # of the work allowed
EXACT = 30  # multiplications that one of an exact system counts as


class OutOfWork(OutOfTime):
    """The counted work is done."""


@dataclass
class Node:
    """Rows removed and kept, a proved bound, and the packing that proves it (in units); the row that its children differ in."""

    removed: frozenset[int] = frozenset()
    kept: frozenset[int] = frozenset()
    bound: int | Fraction = 0
    packing: dict[int, int | Fraction] = field(default_factory=dict)
    row: int | None = None
    children: tuple[Node, ...] = ()


@dataclass
class FoundWitness:
    """A witness: its pairs, their rows, and their whole weights; none before these are worked out."""

    pairs: tuple[int, ...]
    rows: tuple[int, ...]
    relation: dict[int, int]


class DistinctRows:
    """Rows that differ, with their costs; ``first`` and ``group`` say which rows of the given ones they are.  Rows that cost nothing are
    left out, and are in no group: -1."""

    def __init__(self, pairs: Pairs, costs: Sequence[int | Fraction]) -> None:
        numbers = equal_rows(pairs.X)
        numbers = np.arange(pairs.n_rows) if numbers is None else numbers
        keys = numbers * (pairs.n_rivals + 1) + pairs.target
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        sums: list[int | Fraction] = [0] * len(first)
        for place, cost in zip(inverse.tolist(), costs, strict=True):
            sums[place] += cost
        costly = np.array([place for place in np.argsort(first).tolist() if sums[place] > 0], dtype=np.intp)
        self.first, self.costs = first[costly], [sums[place] for place in costly.tolist()]
        number = np.full(len(first), -1)
        number[costly] = np.arange(costly.size)
        self.group = np.where([cost > 0 for cost in costs], number[inverse], -1)
        self.pairs = pairs
        if len(self.first) < pairs.n_rows and len(self.first):
            X, target = pairs.X[self.first], pairs.target[self.first]
            self.pairs = Pairs(X, target, pairs.n_rivals + 1, pairs.fit_intercept)

    def all_equal(self, rows: Iterable[int]) -> np.ndarray:
        """The given rows that are equal to these."""
        return np.flatnonzero(np.isin(self.group, list(rows)))


class FewestRows:
    """The search.  ``upper`` is the cost of ``wrong``, the rows that ``weights`` get wrong; ``lower`` is proved by the tree below ``root``."""

    def __init__(self, problem: DistinctRows, clock: Clock, max_work: float, seed: int = 0) -> None:
        self.problem, self.pairs, self.clock, self.max_work = problem, problem.pairs, clock, max_work
        self.costs = problem.costs
        self.whole = all(isinstance(cost, int) for cost in self.costs)
        self.rng = np.random.default_rng(seed)
        self.cover = Cover()
        self.circuits: Circuits | None = None
        self.witnesses: list[FoundWitness] = []
        self.known: set[tuple[int, ...]] = set()
        self.root = Node()
        self.open: list[tuple[int | Fraction, int, int, Node]] = [(0, 0, 0, self.root)]
        self.nodes, self._exact_work = 0, 0
        self.wrong, self.upper = frozenset(range(len(self.costs))), sum(self.costs)
        self.weights = Weights(np.zeros((self.pairs.n_rivals, self.pairs.n_features + 1)))
        self.history: list[tuple[float, int | Fraction, int | Fraction]] = []
        self._best = self._last = np.zeros(
            0
        )  # weights for the turned vectors: the best so far, and those of the last walk

    @property
    def work(self) -> int:
        """Multiplications so far, about."""
        return self.cover.work + self._exact_work + (0 if self.circuits is None else self.circuits.work)

    @property
    def lower(self) -> int | Fraction:
        first = [
            entry[-1].bound for entry in self.open[:3]
        ]  # the node in work, whose bound may have risen, and those next to it
        return min([*first, self.upper])

    def run(self) -> None:
        """Search until both bounds are equal, or the time or the work is over; then put rows back that can be."""
        try:
            self._begin()
            self._note()
            while self.open and self.lower < self.upper:
                node = self.open[0][-1]
                self._work_on(node)
                heapq.heappop(self.open)
                for child in node.children:
                    heapq.heappush(self.open, (node.bound, -len(child.removed) - len(child.kept), self._next(), child))
                self._note()
        except OutOfWork:
            pass
        except OutOfTime:
            return
        self.max_work = self.work + PUT_BACK * self.max_work
        if self.lower < self.upper:
            try:
                self._put_back()
            except OutOfTime:
                return

    def _next(self) -> int:
        self.nodes += 1
        return self.nodes

    def _note(self) -> None:
        seen = (self.lower, self.upper)
        self.clock.note("fewest errors", self.nodes, float(self.upper - self.lower))
        if not self.history or self.history[-1][1:] != seen:
            self.history.append((self.clock.seconds, *seen))

    def _tick(self) -> None:
        self.clock.tick()
        if self.work > self.max_work:
            raise OutOfWork

    # The beginning

    def _offer_learned(self) -> None:
        """What a perceptron finds, where there is too much for anything else."""
        rows = np.arange(self.pairs.n_rows)
        self.offer(learned_direction(self.pairs, rows, average=True, passes=PASSES, time_limit=self.clock.part(0.5)))

    def _begin(self) -> None:
        pairs = self.pairs
        if not self.costs:
            return
        self.offer(self._largest_class())
        nothing = np.flatnonzero(~pairs.not_zero())
        for pair in nothing.tolist():
            self._add([pair], {pair: 1})
        if pairs.count * pairs.dim > MOST_NUMBERS:
            self._offer_learned()
            return
        if pairs.dim > MOST_DIMENSIONS:
            self._offer_learned()
            raise OutOfWork
        self.numbers = np.flatnonzero(pairs.not_zero())
        self.row_of = self.numbers // pairs.n_rivals
        if self.numbers.size == 0:
            return
        vectors = pairs.vectors(self.numbers)
        self.offer(Direction(vectors.sum(axis=0) / max(1.0, float(np.abs(vectors.sum(axis=0)).max()))))
        circuits = Circuits(vectors, self.rng, self._tick, self.max_work)
        if not circuits.begun:
            self._offer_learned()
            return
        if circuits.multipliers is not None:
            self.offer(Direction(circuits.direction(-circuits.multipliers)))
            if self.upper == 0:
                return
            self._alternative(frozenset((nothing // pairs.n_rivals).tolist()))
            return
        self.circuits = circuits
        self._row_costs = np.array([float(cost) for cost in self.costs])
        self._confirm(np.sort(self.numbers[circuits.support()]))
        self.cover.fix([], [])
        if self.witnesses:
            self.cover.solve()
            self._raise(self.root, self.cover.packing())
        ones = np.ones(len(circuits.unit))
        start = np.linalg.lstsq(circuits.unit, ones, rcond=None)[0]
        self._lines(start, LINES)
        self._swaps()
        for turn in range(1, STARTS):
            if self.upper == self.root.bound or self.work > LINES_SHARE * self.max_work:
                return
            away = 0.3 * turn * float(np.abs(self._best).mean()) * self.rng.normal(size=start.size)
            self._lines(self._best + away, LINES)

    def _largest_class(self) -> Direction | None:
        """Every row in the class whose rows cost the most."""
        if not self.pairs.fit_intercept:
            return None
        sums: list[int | Fraction] = [0] * (self.pairs.n_rivals + 1)
        for k, cost in zip(self.pairs.target.tolist(), self.costs, strict=True):
            sums[k] += cost
        largest = max(range(len(sums)), key=sums.__getitem__)
        weights = np.zeros((self.pairs.n_rivals, self.pairs.width))
        weights[:, -1] = -1.0 if largest == 0 else 0.0
        weights[largest - 1, -1] = 1.0 if largest else -1.0
        return Direction(weights.ravel())

    # Sets of rows, from above

    def offer(self, direction: Direction | None) -> None:
        """Take a direction if the rows that it gets wrong, exactly, cost less than those of the best so far."""
        if direction is None or not np.isfinite(direction.floats).all() or not direction.floats.any():
            return
        signs = self.pairs.signs(direction).reshape(self.pairs.n_rows, self.pairs.n_rivals)
        wrong = frozenset(np.flatnonzero((signs <= 0).any(axis=1)).tolist())
        cost = sum(self.costs[row] for row in wrong)
        if cost < self.upper or (cost == self.upper and not self.weights.floats.any()):
            self.wrong, self.upper, self.weights = wrong, cost, to_user(self.pairs, direction)

    def _offer_turned(self, w: np.ndarray) -> None:
        """The same of weights for the turned vectors, if about so many rows are wrong."""
        assert self.circuits is not None
        if not np.isfinite(w).all() or not w.any():
            return
        leads = (self.circuits.unit @ w).reshape(-1, self.pairs.n_rivals).min(axis=1)
        cost = float(self._row_costs[self.row_of[:: self.pairs.n_rivals][leads <= 0]].sum())
        if not self._best.size or cost < self.upper:
            self.offer(Direction(self.circuits.direction(w)))
            self._best = w / float(np.abs(w).max())

    def _lines(self, w: np.ndarray, count: int) -> None:
        """Line searches from w: along a random direction, or towards a wrong row."""
        assert self.circuits is not None
        A, rivals = self.circuits.unit, self.pairs.n_rivals
        costs = self._row_costs[self.row_of[::rivals]]
        leads = A @ w
        best = float(costs[(leads <= 0).reshape(-1, rivals).any(axis=1)].sum())
        for turn in range(count):
            self._tick()
            wrong = np.flatnonzero(leads <= 0)
            if wrong.size == 0 or self.work > LINES_SHARE * self.max_work:
                break
            v = self.rng.normal(size=w.size) if turn % 2 == 0 else A[wrong[self.rng.integers(wrong.size)]]
            v = v * self.rng.normal(size=w.size) if turn % 4 == 1 else v
            slopes = A @ v
            with np.errstate(divide="ignore", invalid="ignore"):
                crossing = -leads / slopes
            begins = np.where(slopes > FLAT, crossing, -np.inf).reshape(-1, rivals).max(axis=1)
            ends = np.where(slopes < -FLAT, crossing, np.inf).reshape(-1, rivals).min(axis=1)
            never = ((np.abs(slopes) <= FLAT) & (leads <= 0)).reshape(-1, rivals).any(axis=1)
            right = ~never & (begins < ends)
            places = np.concatenate([begins[right], ends[right]])
            order = np.argsort(places, kind="stable")
            saved = np.cumsum(np.concatenate([costs[right], -costs[right]])[order])
            places = np.clip(places[order], -1e12, 1e12)
            room = np.diff(places) > 1e-9 * (1 + np.abs(places[:-1]))
            if not room.any():
                continue
            loss = np.where(room, costs.sum() - saved[:-1], np.inf)
            least = float(loss.min())
            if least > best:
                continue
            ties = np.flatnonzero(loss <= least)
            k = int(ties[self.rng.integers(ties.size)])
            begin, end = float(places[k]), float(places[k + 1])
            step = end - 1.0 if begin <= -1e12 else begin + 1.0 if end >= 1e12 else (begin + end) / 2
            w = w + step * v
            w = w / float(np.abs(w).max())
            leads = A @ w
            best = float(costs[(leads <= 0).reshape(-1, rivals).any(axis=1)].sum())
            self.circuits.work += 2 * A.size
        self._offer_turned(w)

    def _witness_without(self, removed: frozenset[int]) -> frozenset[int]:
        """The rows of a witness that has none of these, as far as floats tell; none, where weights separate all other rows: they are
        taken, if they cost less."""
        assert self.circuits is not None
        gone = np.zeros(len(self.costs))
        gone[list(removed)] = 1.0
        cost = gone[self.row_of]
        for w in self.circuits.minimise(cost):  # noqa: B007
            support = self.circuits.support()
            if not cost[support].any():
                return frozenset(self.row_of[support].tolist())
        self._offer_turned(-w)
        return frozenset()

    def _swaps(self) -> None:
        """Let a row go back, and take another for it that is in every witness this brings; then let rows go back that can.  Sets that cost
        as much are taken, too, so that the search moves on."""
        now, walks = self.wrong, 0
        while now and walks < SWAPS and self.root.bound < self.upper and self.work < LINES_SHARE * self.max_work:
            least, back = self.upper, int(self.rng.choice(sorted(now)))
            without = trial = now - {back}
            inside = self._witness_without(trial)
            others = self.rng.permutation(sorted(inside - {back})).tolist()
            walks += 1
            while inside and others:
                row = others.pop()
                trial = without | {row}
                inside = self._witness_without(trial)
                others = [other for other in others if other in inside]
                walks += 1
            if inside or sum(self.costs[row] for row in trial) > sum(self.costs[row] for row in now):
                continue
            now = trial
            for row in sorted(trial):
                now = now if self._witness_without(now - {row}) else now - {row}
                walks += 1
            walks = 0 if self.upper < least else walks

    def _put_back(self) -> None:
        """Let rows go back, those that are the least wrong first, until none can: then no row of the set can be spared."""
        if self.circuits is None:
            return
        leads = self.pairs.leads(to_moved(self.pairs, self.weights))[0].reshape(-1, self.pairs.n_rivals).min(axis=1)
        for row in sorted(self.wrong, key=lambda row: -leads[row]):
            if row not in self.wrong:
                continue
            others = self.wrong - {row}
            known = [
                j
                for j, found in enumerate(self.witnesses)
                if self.cover.active[j] and row in found.rows and others.isdisjoint(found.rows)
            ]
            if any(self.pairs.dim > SURE_DIM or self._sure([j]) for j in known):
                continue
            gone = np.zeros(len(self.costs))
            gone[list(others)] = 1.0
            cost, stays = gone[self.row_of], False
            for w in self.circuits.minimise(cost):  # noqa: B007
                support = self.circuits.support()
                if stays := not cost[support].any():
                    break
            if self.pairs.dim <= SURE_DIM:
                if not (stays and self._confirm(np.sort(self.numbers[support]))):
                    self._alternative(others)
            elif not stays:
                self.offer(Direction(self.circuits.direction(-w)))

    # Witnesses, from below

    def _add(self, pairs: Iterable[int], found: dict[int, int]) -> bool:
        """Let a witness join, as far as floats tell if its weights are not known yet; whether it is new."""
        key = tuple(sorted(pairs))
        if key in self.known:
            return False
        self.known.add(key)
        rows = tuple(sorted({pair // self.pairs.n_rivals for pair in key}))
        self.witnesses.append(FoundWitness(key, rows, found))
        self.cover.add(list(rows), [float(self.costs[row]) for row in rows])
        return True

    def _sure(self, numbers: Iterable[int]) -> bool:
        """Whether the relations of all these witnesses hold exactly; those that do not are forgotten."""
        all_hold = True
        for j in numbers:
            found = self.witnesses[j]
            if not found.relation:
                self._tick()
                holds = self._relation(np.array(found.pairs))
                if len(holds) == len(found.pairs):
                    found.relation = holds
                    continue
                all_hold = False
                self.cover.forget(j)
                if holds:
                    self._add(holds, holds)
        return all_hold

    def _relation(self, pairs: np.ndarray) -> dict[int, int]:
        """The whole weights of these pairs, those above 0, if they cancel exactly; none if that was not found."""
        self._exact_work += EXACT * pairs.size**3
        weights = relation(self.pairs.whole_vectors(pairs), self.pairs.vectors(pairs), pairs.size, tick=self.clock.tick)
        return {
            pair: weight for pair, weight in zip(pairs.tolist(), weights or [0] * pairs.size, strict=True) if weight
        }

    def _confirm(self, pairs: np.ndarray) -> bool:
        """Let the witness of these pairs join, if their relation holds exactly; whether a new one did."""
        if tuple(sorted(pairs.tolist())) in self.known:
            return False
        found = self._relation(pairs)
        return bool(found) and self._add(found, found)

    def _alternative(self, removed: frozenset[int]) -> bool:
        """Either weights that separate all other rows, which are taken if they cost less, or a new witness of them; whether the latter."""
        before = len(self.witnesses)
        if self.circuits is not None:
            gone = np.zeros(len(self.costs))
            gone[list(removed)] = 1.0
            cost, w = gone[self.row_of], None
            for w in self.circuits.minimise(cost):  # noqa: B007
                support = self.circuits.support()
                if not cost[support].any():
                    break
            if not cost[self.circuits.support()].any() and self._confirm(
                np.sort(self.numbers[self.circuits.support()])
            ):
                return True
            if w is not None:
                self.offer(Direction(self.circuits.direction(-w)))
                if self.wrong <= removed:
                    return False
        rows = np.array(sorted(set(range(len(self.costs))) - removed), dtype=np.intp)
        if rows.size == 0:
            return False
        part = Pairs(self.pairs.X[rows], self.pairs.target[rows], self.pairs.n_rivals + 1, self.pairs.fit_intercept)
        found = gordan(
            Search(Face(part, np.empty(0, dtype=np.intp), self.clock.tick), some_pairs(part, self.clock), self.clock)
        )
        if isinstance(found, Circuit):
            rivals = part.n_rivals
            named = {int(rows[p // rivals]) * rivals + p % rivals: weight for p, weight in found.positive.items()}
            self._add(named, named)
        elif found is not None:
            self.offer(to_moved(self.pairs, to_user(part, found)))
        return len(self.witnesses) > before

    def _missed(self, x: np.ndarray, removed: frozenset[int]) -> bool:
        """Let witnesses join that the fractional set x does not hit; whether there are any."""
        self._tick()
        if self.circuits is None:
            return self._alternative(frozenset(np.flatnonzero(x > 0.5).tolist()) | removed)
        gone = np.zeros(len(x), dtype=bool)
        gone[list(removed)] = True
        share, away = x[self.row_of], x[self.row_of] + REMOVED * gone[self.row_of]
        any_new = False
        for _ in range(WALKS):
            found: dict[tuple[int, ...], tuple[float, int]] = {}
            for w in self.circuits.minimise(away):  # noqa: B007
                support = self.circuits.support()
                rows = self.row_of[support]
                hit = float(share[support].sum() if self.pairs.n_rivals == 1 else x[np.unique(rows)].sum())
                if hit < HIT and not gone[rows].any():
                    found[tuple(np.sort(support).tolist())] = (hit, support.size)
            self._last = -w
            self._offer_turned(-w)
            new = 0
            for key in sorted(found, key=found.__getitem__):
                new += self._add(self.numbers[list(key)].tolist(), {})
                if new == BEST_OF_WALK:
                    break
            any_new = any_new or new > 0
            if not new:
                break
            best = min(found, key=found.__getitem__)
            away = away + AVOID * np.isin(self.row_of, self.row_of[list(best)])
        return any_new

    # Nodes

    def _work_on(self, node: Node) -> None:
        """Raise a node's bound as far as new witnesses do; then give it two children, unless the bound is enough."""
        last, slow, most = -np.inf, 0, SLOW if node.removed or node.kept else SLOW_AT_ROOT
        x = np.zeros(len(self.costs))
        if not self.witnesses and not self._alternative(frozenset()):
            node.bound = self.upper
            return
        while True:
            self.cover.fix(sorted(node.removed), sorted(node.kept))
            inside = self.cover.kept_witness()
            if inside is not None:
                if not self._sure([inside]):
                    continue
                node.bound, node.packing = self.upper, {inside: self.upper * UNITS}
                return
            solution = self.cover.solve()
            x[self.cover.rows] = solution
            if not self._raise(node, self.cover.packing()):
                continue
            if node.bound >= self.upper:
                return
            value = float(self.cover.cost @ solution)
            if not self._missed(x, node.removed):
                chosen = frozenset(np.flatnonzero(x > 0.5).tolist())
                fractional = bool(np.any((x > FRACTIONAL) & (x < 1 - FRACTIONAL)))
                if fractional or not self._alternative(chosen):
                    break
            slow = slow + 1 if value - last < GAIN else 0
            if slow >= most:
                break
            last = value
        if node.bound >= self.upper:
            return
        self._branch(node, x)

    def _branch(self, node: Node, x: np.ndarray) -> None:
        """Choose the row that is the most undecided, and in the most witnesses that count."""
        free = np.array(
            [row for row in self.cover.rows if row not in node.removed and row not in node.kept], dtype=np.intp
        )
        alive = self.cover.sets @ self.cover.low == 0
        often = self.cover.sets[alive].sum(axis=0)[[self.cover.place[row] for row in free.tolist()]]
        score = np.minimum(x[free], 1 - x[free]) * often
        if score.max(initial=0.0) <= 0:
            score = x[free] + 1e-3 * often
        row = int(free[np.argmax(score)])
        node.row = row
        node.children = (
            Node(node.removed | {row}, node.kept, node.bound),
            Node(node.removed, node.kept | {row}, node.bound),
        )
        if self.circuits is not None:
            for start in (self._best, self._last):
                self._lines(start, LINES_LATER)

    def _raise(self, node: Node, packing: dict[int, float]) -> bool:
        """The packing in whole units, made to fit every row, and the bound that it proves, if that is higher.  Whether no witness of it
        was forgotten."""
        about = sum(packing.values()) + sum(float(self.costs[row]) for row in node.removed)
        if about < float(node.bound) * (1 - ABOUT):
            return True
        bound, units = exact_packing(self, node, packing, UNITS)
        if bound > node.bound:
            if not self._sure(units):
                return False
            node.bound, node.packing = bound, units
        return True


def exact_packing(
    search: FewestRows, node: Node, packing: dict[int, float], units: int
) -> tuple[int | Fraction, dict[int, int | Fraction]]:
    """A packing near this one, in multiples of 1 over ``units``, that fits every row; and the bound that it proves.  What does not
    fit is taken off, and what still fits is added."""
    found: dict[int, int | Fraction] = {}
    left: dict[int, int | Fraction] = {}
    for j, number in sorted(packing.items(), key=lambda entry: (-entry[1], entry[0])):
        rows = [row for row in search.witnesses[j].rows if row not in node.kept]
        if not rows or not node.removed.isdisjoint(rows):
            continue
        for row in rows:
            left.setdefault(row, search.costs[row] * units)
        found[j] = min(int(number * units + 0.5), *(left[row] for row in rows))
        for row in rows:
            left[row] -= found[j]
    for j in found:
        rows = [row for row in search.witnesses[j].rows if row not in node.kept]
        more = min(left[row] for row in rows)
        found[j] += more
        for row in rows:
            left[row] -= more
    total = sum(search.costs[row] for row in node.removed) + Fraction(sum(found.values())) / units
    return ceil(total) if search.whole else total, {j: number for j, number in found.items() if number}


def smallest_sets(search: FewestRows, most: int) -> tuple[list[frozenset[int]], bool]:
    """All sets of rows that cost as little as the best one, of a search that is solved, up to so many; and whether these are all.

    Cases by a witness that is not hit yet: its first row goes, or it stays and the second goes, and so on.  What costs too much,
    by its packing, is not looked at."""
    found: list[frozenset[int]] = []
    cases = [Node()]
    try:
        while cases:
            search._tick()
            node = cases.pop()
            search.cover.fix(sorted(node.removed), sorted(node.kept))
            inside = search.cover.kept_witness()
            if inside is not None:
                if not search._sure([inside]):
                    cases.append(node)
                continue
            search.cover.solve()
            bound, units = exact_packing(search, node, search.cover.packing(), UNITS)
            if bound > search.upper:
                if not search._sure(units):
                    cases.append(node)
                continue
            open_ones = {
                j: [row for row in each.rows if row not in node.kept]
                for j, each in enumerate(search.witnesses)
                if search.cover.active[j] and node.removed.isdisjoint(each.rows)
            }
            if not open_ones:
                if search._alternative(node.removed):
                    cases.append(node)
                elif sum(search.costs[row] for row in node.removed) == search.upper:
                    found.append(node.removed)
                    if len(found) > most:
                        return found[:most], False
                continue
            least = min(open_ones, key=lambda j: len(open_ones[j]))
            if not search._sure([least]):
                cases.append(node)
                continue
            free = open_ones[least]
            for place, row in reversed([*enumerate(free)]):
                cases.append(Node(node.removed | {row}, node.kept | {*free[:place]}))
    except OutOfTime:
        return found, False
    return found, True
