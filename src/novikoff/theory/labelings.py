"""Many labelings of the same points: which of them a hyperplane separates, each with proof; and what that says of the points.

The rows are decomposed once (``NearlyOrthonormal``); each labeling then takes a few systems of linear equations that are no larger than half the
number of rows, and one product or one Cholesky decomposition for its proof in floating point.  Labelings that this does not decide are
decided in exact arithmetic, so none is left open.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import combinations
from math import comb, nan, sqrt
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from ..proof.answer.proofs import FLOATING, Proof, prove
from ..proof.check.verified import NearlyOrthonormal
from ..proof.problem.faces import spanning_pairs
from ..proof.problem.pairs import Pairs
from ..proof.problem.read_rows import check_intercept, read_rows
from ..proof.search.squared_hinge import least_squared_hinge
from ..system.clock import Clock, never
from ..system.rounding_error import TINY, gamma

AT_ONCE = 64  # labelings whose weights are checked together
Z95 = 1.959963984540054  # standard deviations of a normal number that leave out one in twenty
GRID = 12  # numbers of dimensions that are tried


@dataclass(frozen=True, repr=False)
class Labelings:
    """Labelings of the same points, and which of them a hyperplane separates.  Made by ``separable``.

    Attributes
    ----------
    labelings : ndarray of shape (n_labelings, n_points)
        -1 or 1 for each point, or for each group of rows.
    separable : ndarray of shape (n_labelings,)
        Whether a hyperplane separates the rows of the one label strictly from those of the other; proved, none undecided.
    methods : ndarray of shape (n_labelings,)
        How that was proved: in "floating point", every rounding error bounded, or in "exact arithmetic".
    exhaustive : bool
        Whether these are all labelings in question, so that ``fraction`` is no estimate.
    """

    labelings: np.ndarray
    separable: np.ndarray
    methods: np.ndarray
    exhaustive: bool = False
    _rows: Any = field(default=None, repr=False)
    _places: np.ndarray | None = None
    _intercept: bool = True

    @property
    def fraction(self) -> float:
        """The share of the labelings that are separable."""
        return float(self.separable.mean()) if self.separable.size else nan

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share among all labelings, if these are random; the share itself, if these are all."""
        if self.exhaustive:
            return self.fraction, self.fraction
        return wilson(int(self.separable.sum()), self.separable.size)

    def proof(self, number: int) -> Proof:
        """Prove one labeling as ``novikoff.separability`` does, of labels -1 and 1.

        Parameters
        ----------
        number : int
            Its place in ``labelings``.

        Returns
        -------
        Proof
            With weights or a witness, ``verify`` and ``save``.
        """
        target = _spread(self.labelings[number], self._places) > 0
        pairs = Pairs(self._rows, target.astype(np.intp), 2, self._intercept)
        return prove(pairs, np.array([-1, 1]), None, Clock())

    def __len__(self) -> int:
        return len(self.separable)

    def __repr__(self) -> str:
        return f"Labelings({int(self.separable.sum())} of {len(self)} separable)"


def separable(
    X: Any,
    labelings: Any = 1000,
    *,
    groups: Any = None,
    balanced: bool = False,
    fit_intercept: bool = True,
    n_jobs: int = 1,
    random_state: Any = None,
) -> Labelings:
    """Tell which labelings of the same rows a hyperplane separates, and prove every answer.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows.
    labelings : int or array-like of shape (n_labelings, n_samples), default=1000
        How many random labelings, or the labelings: two different values, such as 0 and 1 or -1 and 1, for every row, or every group.
    groups : array-like of shape (n_samples,), default=None
        Rows with the same value here have the same label always: the responses to one stimulus, views of one object ("manifolds").
        The order of the groups is that of their sorted values.
    balanced : bool, default=False
        Whether random labelings give both labels to equally many points (of an odd number, one more has -1); else every label is a
        coin toss.
    fit_intercept : bool, default=True
        Whether there is an intercept, or hyperplanes pass through the origin.
    n_jobs : int, default=1
        Threads; the answers do not depend on their number.
    random_state : int, RandomState instance or None, default=None
        Seed of the random labelings.

    Returns
    -------
    Labelings
        ``separable``, ``methods``, ``fraction``, ``interval``, and ``proof(i)`` for each.

    References
    ----------
    S. M. Rump, Verification methods: rigorous results using floating-point arithmetic, Acta Numerica 19, 2010.

    Examples
    --------
    >>> from novikoff import theory
    >>> square = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> theory.separable(square, [[0, 0, 0, 1], [0, 1, 1, 0]]).separable.tolist()
    [True, False]
    >>> theory.separable(square, 400, random_state=0)  # 14 of 16 are
    Labelings(356 of 400 separable)
    """
    check_intercept(fit_intercept)
    if not isinstance(n_jobs, Integral) or n_jobs < 1:
        raise ValueError(f"n_jobs must be a whole number of threads, at least 1; got {n_jobs!r}.")
    rows, places, count = _read(X, groups)
    asked = _read_labelings(labelings, count, balanced, random_state)
    return _decide(rows, places, asked, bool(fit_intercept), int(n_jobs))


def _decide(
    rows: np.ndarray,
    places: np.ndarray | None,
    asked: np.ndarray,
    fit_intercept: bool,
    n_jobs: int,
    all_of_them: bool = False,
) -> Labelings:
    pairs, frame = _frame(rows, fit_intercept)
    found, methods = np.zeros(len(asked), dtype=bool), np.full(len(asked), FLOATING, dtype=object)
    parts = [slice(start, start + AT_ONCE) for start in range(0, len(asked), AT_ONCE)]

    def look(part: slice) -> None:
        signs = _spread(asked[part].astype(np.float64), places)
        verdicts = _in_floats(frame, signs) if frame.regular else np.zeros(len(signs))
        for place in np.flatnonzero(verdicts == 0).tolist():
            question = Pairs(pairs.X, (signs[place] > 0).astype(np.intp), 2, pairs.fit_intercept)
            proof = prove(question, np.array([-1, 1]), None, Clock())
            if proof.separable is None:
                raise ArithmeticError(
                    f"Labeling {part.start + place} was not decided; please report this with the data."
                )
            verdicts[place] = 1 if proof.separable else -1
            methods[part.start + place] = proof.method
        found[part] = verdicts > 0

    if n_jobs == 1:
        for part in parts:
            look(part)
    else:
        with ThreadPoolExecutor(n_jobs) as pool:
            list(pool.map(look, parts))
    return Labelings(asked, found, methods, all_of_them, rows, places, fit_intercept)


@np.errstate(over="ignore", under="ignore", invalid="ignore")  # what is not finite proves nothing
def _in_floats(frame: NearlyOrthonormal, signs: np.ndarray) -> np.ndarray:
    """For every row of signs 1 (separable, surely), -1 (overlap, surely) or 0: floats do not tell."""
    verdicts, apart = np.zeros(len(signs)), []
    scores = np.zeros((len(signs), len(frame.Z)))
    for number, y in enumerate(signs):
        how, scores[number] = least_squared_hinge(frame, y)
        if how == "apart":
            apart.append(number)
        elif how == "overlap" and frame.overlap(y, np.maximum(1 - y * scores[number], 0.0)):
            verdicts[number] = -1
    if apart:
        weights = frame.T @ (frame.G.T @ scores[apart].T)
        leads = (frame.Z @ weights) * signs[apart].T
        terms = frame.Z.shape[1] + 8
        error = 1.01 * gamma(terms) * (np.abs(frame.Z) @ np.abs(weights)) + terms * TINY * (1 + np.abs(weights).max())
        verdicts[np.array(apart)[(leads > error).all(axis=0)]] = 1
    return verdicts


def _frame(rows: np.ndarray, fit_intercept: bool) -> tuple[Pairs, NearlyOrthonormal]:
    """The rows, and a decomposition of them: where columns depend on others, of some that span the same, found out exactly."""
    count = len(rows)
    pairs = Pairs(rows, np.ones(count, dtype=np.intp), 2, fit_intercept)
    frame = NearlyOrthonormal(pairs.vectors(np.arange(count)))
    if frame.regular:
        return pairs, frame
    columns = np.vstack([rows.T, np.ones((int(fit_intercept), count))]).astype(np.float64)
    turned = Pairs(columns, np.ones(len(columns), dtype=np.intp), 2, False)
    some = np.sort(spanning_pairs(turned, np.flatnonzero(turned.not_zero()), never))
    kept = some[some < rows.shape[1]]
    if kept.size + (kept.size < some.size) == rows.shape[1] + fit_intercept or kept.size == 0:
        return pairs, frame
    fewer = Pairs(np.ascontiguousarray(rows[:, kept]), pairs.target, 2, bool(kept.size < some.size))
    return fewer, NearlyOrthonormal(fewer.vectors(np.arange(count)))


def _read(X: Any, groups: Any) -> tuple[np.ndarray, np.ndarray | None, int]:
    """The rows, the place of the group of each (None: every row for itself), and how many labels a labeling has."""
    rows = read_rows(X)
    rows = np.ascontiguousarray(rows.toarray() if sparse.issparse(rows) else rows)
    if groups is None:
        return rows, None, len(rows)
    given = np.asarray(groups)
    if given.shape != (len(rows),):
        raise ValueError(f"groups must have one value for each of the {len(rows)} rows; got shape {given.shape}.")
    names, places = np.unique(given, return_inverse=True)
    return rows, places, len(names)


def _read_labelings(labelings: Any, count: int, balanced: bool, random_state: Any) -> np.ndarray:
    """-1 and 1, a row for each labeling."""
    if isinstance(labelings, Integral) and not isinstance(labelings, bool):
        if labelings < 1:
            raise ValueError(f"labelings must be at least 1 if it is a number; got {labelings}.")
        rng = check_random_state(random_state)
        if balanced:
            ordered = np.where(np.arange(count) < count // 2, 1, -1).astype(np.int8)
            return np.array([rng.permutation(ordered) for _ in range(int(labelings))])
        return (2 * rng.randint(0, 2, size=(int(labelings), count)) - 1).astype(np.int8)
    given = np.asarray(labelings)
    if given.ndim == 1 and given.size == count:
        given = given[None, :]
    if given.ndim != 2 or given.shape[1] != count:
        raise ValueError(
            f"labelings must be a number or have a row for each labeling with {count} labels, one for each row of X or each group; "
            f"got shape {given.shape}."
        )
    values = np.unique(given)
    if values.size > 2 or (values.size == 1 and values[0] not in (-1, 0, 1)):
        raise ValueError(
            f"labelings must have two different values, such as -1 and 1; got {values.size}: {values[:5].tolist()}."
        )
    return np.where(given == (values[-1] if values.size == 2 else 1), 1, -1).astype(np.int8)


def _spread(labels: np.ndarray, places: np.ndarray | None) -> np.ndarray:
    """Labels of groups as labels of rows."""
    return labels if places is None else labels[..., places]


@dataclass(frozen=True, repr=False)
class Capacity:
    """How many points for each weight a hyperplane separates with random labels.  Made by ``measured_capacity``.

    Attributes
    ----------
    capacity : float
        The number of points (or groups) divided by the number of weights at which half of the labelings are separable; nan where the share does not cross
        one half in the dimensions that were tried.
    interval : tuple of float
        Where the ends of the 95 % intervals of the shares cross one half; nan where they do not.
    dims : ndarray
        The numbers of dimensions that the points were projected to.
    fractions, low, high : ndarray
        The share of separable labelings in each, and its Wilson interval.
    n_points : int
        Points, or groups.
    fit_intercept : bool
        Whether there was an intercept, which counts as one weight more.
    """

    capacity: float
    interval: tuple[float, float]
    dims: np.ndarray
    fractions: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n_points: int
    fit_intercept: bool

    def __repr__(self) -> str:
        low, high = self.interval
        return f"Capacity({self.capacity:.3g} points for each weight, 95 % between {low:.3g} and {high:.3g})"


def measured_capacity(
    X: Any,
    groups: Any = None,
    *,
    dims: Sequence[int] | None = None,
    labelings: int = 200,
    projections: int = 10,
    balanced: bool = False,
    fit_intercept: bool = True,
    n_jobs: int = 1,
    random_state: Any = None,
) -> Capacity:
    """Measure the capacity of points: how many of them for each weight are separable with random labels, half of the time.

    The points are projected at random to fewer and fewer dimensions; in each, random labelings are decided (``separable``).  Points in general position have the capacity 2
    (Cover 1965, ``capacity``).  Groups that share a label, such as all responses to one stimulus, have less, and the less the larger and
    higher-dimensional they are.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows.
    groups : array-like of shape (n_samples,), default=None
        Rows with the same value share a label.
    dims : sequence of int, default=None
        The dimensions to project to.  None: a grid of 12, from 1 to the number of rows or features, whichever is smaller.
    labelings : int, default=200
        Random labelings in each.
    projections : int, default=10
        Random projections in each, which share the labelings.
    balanced : bool, default=False
        Whether labelings give both labels to equally many points.
    fit_intercept : bool, default=True
        Whether there is an intercept, which counts as one weight more.
    n_jobs : int, default=1
        Threads.
    random_state : int, RandomState instance or None, default=None
        Seed of projections and labelings.

    Returns
    -------
    Capacity
        ``capacity``, its ``interval``, and the shares in all dimensions; ``plot_capacity`` draws them.

    References
    ----------
    T. M. Cover, Geometrical and statistical properties of systems of linear inequalities with applications in pattern recognition, 1965.
    U. Cohen, S. Chung, D. D. Lee, H. Sompolinsky, Separability and geometry of object manifolds in deep neural networks, Nature
    Communications 11, 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff import theory
    >>> points = np.random.default_rng(0).normal(size=(40, 40))
    >>> measured = theory.measured_capacity(points, random_state=0)
    >>> round(measured.capacity, 1)
    2.0
    """
    rows, places, count = _read(X, groups)
    check_intercept(fit_intercept)
    width = rows.shape[1]
    most = max(1, min(width, len(rows)))
    grid = np.unique(
        np.linspace(1, most, GRID).round().astype(int) if dims is None else np.asarray(list(dims), dtype=int)
    )
    if grid.size == 0 or grid[0] < 1 or grid[-1] > width:
        raise ValueError(f"dims must be whole numbers from 1 to {width}, the number of features; got {grid.tolist()}.")
    rng = check_random_state(random_state)
    right, total = np.zeros(grid.size, dtype=int), np.zeros(grid.size, dtype=int)
    each = -(-labelings // projections)
    for place, size in enumerate(grid.tolist()):
        for _ in range(projections):
            turn = rng.normal(size=(width, size)) / sqrt(width)
            asked = _read_labelings(each, count, balanced, rng)
            found = _decide(rows @ turn, places, asked, bool(fit_intercept), n_jobs).separable
            right[place] += int(found.sum())
            total[place] += found.size
    bounds = np.array([wilson(int(r), int(n)) for r, n in zip(right, total, strict=True)])
    shares = right / total
    crossed = [
        count / (d + fit_intercept) for d in (_half(grid, line) for line in (shares, bounds[:, 1], bounds[:, 0]))
    ]
    return Capacity(
        crossed[0], (crossed[2], crossed[1]), grid, shares, bounds[:, 0], bounds[:, 1], count, bool(fit_intercept)
    )


def _half(dims: np.ndarray, shares: np.ndarray) -> float:
    """The number of dimensions at which the share, which grows with them but for chance, crosses one half; nan where it does not."""
    above = np.flatnonzero(shares >= 0.5)
    if above.size == 0 or above[0] == 0:
        return float(dims[0]) if above.size and shares[0] == 0.5 else nan
    high = int(above[0])
    part = (0.5 - shares[high - 1]) / (shares[high] - shares[high - 1])
    return float(dims[high - 1] + part * (dims[high] - dims[high - 1]))


def shattering_dimensionality(
    X: Any,
    groups: Any = None,
    *,
    labelings: int = 1000,
    fit_intercept: bool = True,
    n_jobs: int = 1,
    random_state: Any = None,
) -> Labelings:
    """Tell which share of the balanced labelings of points, or of groups of rows, a hyperplane separates.

    All labelings that give both labels to half of the points, up to a change of all signs, where they are no more than ``labelings``;
    else so many random ones.  (S. Bernardi and others average the accuracy of a classifier over the same labelings and call it the
    shattering dimensionality; here every labeling is separable or not, with proof.)

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows.
    groups : array-like of shape (n_samples,), default=None
        Rows with the same value, such as all trials of one condition, share a label.
    labelings : int, default=1000
        The most labelings.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    n_jobs : int, default=1
        Threads.
    random_state : int, RandomState instance or None, default=None
        Seed of the random labelings.

    Returns
    -------
    Labelings
        ``fraction`` is the share; ``exhaustive``: whether these are all.

    References
    ----------
    M. Rigotti and others, The importance of mixed selectivity in complex cognitive tasks, Nature 497, 2013.
    S. Bernardi and others, The geometry of abstraction in the hippocampus and prefrontal cortex, Cell 183, 2020.

    Examples
    --------
    >>> from novikoff import theory
    >>> theory.shattering_dimensionality([[0, 0], [0, 1], [1, 0], [1, 1]])  # all but XOR
    Labelings(2 of 3 separable)
    """
    rows, places, count = _read(X, groups)
    check_intercept(fit_intercept)
    half = count // 2
    all_of_them = comb(count, half) // (2 if count % 2 == 0 else 1)
    if all_of_them > labelings:
        asked = _read_labelings(labelings, count, True, random_state)
        return _decide(rows, places, asked, bool(fit_intercept), n_jobs)
    asked = np.full((all_of_them, count), -1, dtype=np.int8)
    for line, chosen in zip(
        asked, combinations(range(count), half), strict=False
    ):  # of even counts, those with the first point
        line[list(chosen)] = 1
    return _decide(rows, places, asked, bool(fit_intercept), n_jobs, all_of_them=True)


def wilson(right: int, count: int) -> tuple[float, float]:
    """A 95 % interval of a share (E. B. Wilson, Probable inference, the law of succession, and statistical inference, 1927)."""
    share, z = right / count, Z95 * Z95 / count
    middle, half = (share + z / 2) / (1 + z), sqrt(share * (1 - share) * z + z * z / 4) / (1 + z)
    return max(0.0, middle - half), min(1.0, middle + half)
