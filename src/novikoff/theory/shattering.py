"""Which labelings of given points are separable: counted and listed, exactly, whatever their position.

A labeling of the points z = (x, 1) is separable if some v has y_i v.z_i > 0 for all of them.  So separable labelings are the
regions into which the hyperplanes {v : z_i.v = 0} cut the space of weights.  One more hyperplane adds as many regions as the
others cut it into itself (Cover 1965; T. Zaslavsky, Facing up to arrangements, 1975):

    regions(z_1, ..., z_n) = regions(z_1, ..., z_{n-1}) + regions(z_1, ..., z_{n-1} in the hyperplane of z_n) ,

and in a hyperplane there is one dimension less.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, gcd
from typing import Any

import numpy as np
from scipy import sparse

from ..proof.arithmetic.exact import whole_numbers
from ..proof.problem.faces import spanning_rows
from ..proof.problem.pairs import Pairs
from ..proof.problem.read_rows import read_rows
from ..report.html import notebook_view
from ..report.sections import Section, Table
from ..report.words import count, share, some
from ..system.clock import never
from .cover import cover_fraction

Vector = tuple[int, ...]
MOST_STEPS = 10_000_000  # vectors that are projected before counting is refused


@dataclass(frozen=True, repr=False)
class Dichotomies:
    """The separable labelings of some points.  Made by ``dichotomies``.

    Attributes
    ----------
    count : int
        Their number.
    cover : int
        The number from Cover's theorem for the same number of points in general position, which is never smaller.
    """

    count: int
    cover: int
    _vectors: tuple[Vector, ...]

    @property
    def fraction(self) -> Fraction:
        """``count`` divided by the number of all labelings, 2^N, exactly."""
        return Fraction(self.count, 1 << len(self._vectors))

    @cached_property
    def labelings(self) -> np.ndarray:
        """The separable labelings, an array of shape (count, N) of -1 and 1, computed when first used."""
        found = sorted(_regions_with_weights(list(self._vectors), len(self._vectors[0])))
        return np.array(found, dtype=np.int8).reshape(len(found), len(self._vectors))

    def __int__(self) -> int:
        return self.count

    def _repr_html_(self) -> str:
        points = len(self._vectors)
        rows = [
            ["all labelings", count(1 << points), ""],
            ["separable", count(self.count), share(float(self.fraction))],
            ["separable in general position (Cover)", count(self.cover), share(self.cover / (1 << points))],
        ]
        title = f"Labelings of {some(points, 'point')} that a hyperplane separates"
        return notebook_view([Section(title, tables=[Table(["labelings", "count", "share"], rows, "lrr")])])

    def __repr__(self) -> str:
        return f"Dichotomies(count={self.count}, cover={self.cover})"


def dichotomies(X: Any, fit_intercept: bool = True) -> Dichotomies:
    """Count the labelings of these points that a hyperplane separates, exactly.

    Cover's theorem counts them for points in general position; these points may be anywhere.  Labelings with only one class
    count, too (with an intercept they are always separable).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points.  The work grows like binomial(n_samples, n_features); if it would take too long, there is an error.
    fit_intercept : bool, default=True
        Whether there is an intercept, or hyperplanes pass through the origin.

    Returns
    -------
    Dichotomies
        ``count``, ``cover`` (from the theorem), ``fraction`` and ``labelings``.

    References
    ----------
    T. M. Cover, Geometrical and statistical properties of systems of linear inequalities with applications in pattern
    recognition, 1965.
    T. Zaslavsky, Facing up to arrangements: face-count formulas for partitions of space by hyperplanes, 1975.

    Examples
    --------
    All but XOR and its opposite are separable on the corners of a square; on a line fewer labelings are:

    >>> from novikoff.theory import dichotomies
    >>> dichotomies([[0, 0], [0, 1], [1, 0], [1, 1]])
    Dichotomies(count=14, cover=14)
    >>> on_a_line = dichotomies([[0, 0], [1, 1], [2, 2], [3, 3]])
    >>> on_a_line.count, on_a_line.cover
    (8, 14)
    >>> on_a_line.labelings[:3].tolist()
    [[-1, -1, -1, -1], [-1, -1, -1, 1], [-1, -1, 1, 1]]
    """
    vectors = _read(X, fit_intercept)
    points, width = len(vectors), len(vectors[0])
    steps = points * sum(comb(points, i) for i in range(min(width, points) - 1))
    if steps > MOST_STEPS:
        raise ValueError(
            f"{points} points in {width - fit_intercept} dimensions have too many labelings to count ({steps:.0e} steps, "
            f"{MOST_STEPS:.0e} are allowed). Take fewer points, or cover_fraction for points in general position."
        )
    general = int(cover_fraction(points, width - 1) * 2**points)
    count = _regions(list(dict.fromkeys(map(_line, vectors)))) if all(map(any, vectors)) else 0
    return Dichotomies(count, general, tuple(vectors))


def can_shatter(X: Any, fit_intercept: bool = True) -> bool:
    """Whether hyperplanes can separate every labeling of these points.

    They can if and only if the points are affinely independent, so that (x, 1) are linearly independent: then any labels are
    the exact scores of some weights.  Otherwise the points can be divided into two sets whose convex hulls meet (Radon's
    theorem), and no hyperplane separates these two sets.  So d + 1 points in d dimensions can be shattered and d + 2 never: the
    Vapnik-Chervonenkis dimension of hyperplanes is d + 1.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Points.
    fit_intercept : bool, default=True
        Whether there is an intercept, or hyperplanes pass through the origin (and the points must be linearly independent).

    Returns
    -------
    bool
        Decided by the rank, in exact arithmetic.

    References
    ----------
    V. N. Vapnik, A. Ya. Chervonenkis, On the uniform convergence of relative frequencies of events to their probabilities,
    1971.

    Examples
    --------
    >>> from novikoff.theory import can_shatter
    >>> can_shatter([[0, 0], [1, 0], [0, 1]]), can_shatter([[0, 0], [1, 0], [0, 1], [1, 1]])
    (True, False)
    >>> can_shatter([[0, 0], [1, 1], [2, 2]])  # on a line
    False
    """
    X = read_rows(X)
    if X.shape[0] > X.shape[1] + fit_intercept:
        return False
    pairs = Pairs(X, np.ones(X.shape[0], dtype=np.intp), 2, bool(fit_intercept))
    return bool(spanning_rows(pairs, never)[1].size == X.shape[0])


def _read(X: Any, fit_intercept: bool) -> list[Vector]:
    """The points, with a constant feature if there is an intercept, times one power of two: whole numbers."""
    X = read_rows(X)
    X = (X.toarray() if sparse.issparse(X) else X).astype(np.float64)
    if fit_intercept:
        X = np.column_stack([X, np.ones(len(X))])
    return [tuple(map(int, row)) for row in whole_numbers(X)[0].tolist()]


def _line(vector: Vector) -> Vector:
    """The shortest whole vector along this one or against it: the same for all normals of one hyperplane."""
    first = next(number for number in vector if number)
    unit = gcd(*vector) if first > 0 else -gcd(*vector)
    return tuple(number // unit for number in vector)


def _within(vector: Vector, normal: Vector, place: int) -> Vector:
    """The vector in coordinates of the hyperplane of ``normal``, whose number in ``place`` is positive and is solved for."""
    own, pivot = vector[place], normal[place]
    return tuple(pivot * a - own * b for j, (a, b) in enumerate(zip(vector, normal, strict=True)) if j != place)


def _regions(lines: list[Vector]) -> int:
    """The number of regions between the hyperplanes of these normals, no two parallel."""
    if not lines:
        return 1
    if len(lines[0]) <= 2:
        return 2 * len(lines)
    total = 1
    for number, normal in enumerate(lines):
        place = next(j for j, value in enumerate(normal) if value)
        total += _regions(list({_line(_within(other, normal, place)) for other in lines[:number]}))
    return total


def _regions_with_weights(vectors: list[Vector], width: int) -> dict[Vector, Vector]:
    """Every sign pattern of v.z_i that has no zero, with ``width`` whole numbers v that have it.

    A region that the next hyperplane cuts in two has a v on that hyperplane; M v + z and M v - z, M large, are on either side.
    Other regions lie on the side of their own v.
    """
    found: dict[Vector, Vector] = {(): (0,) * width}
    for number, z in enumerate(vectors):
        if not any(z):
            return {}
        earlier = vectors[:number]
        cut = _regions_in_hyperplane(earlier, z)
        far = 1 + max((abs(_dot(z, other)) for other in earlier), default=0)
        following: dict[Vector, Vector] = {}
        for signs, v in found.items():
            if signs in cut:
                for side in (-1, 1):
                    following[*signs, side] = tuple(far * a + side * b for a, b in zip(cut[signs], z, strict=True))
            else:
                following[*signs, 1 if _dot(z, v) > 0 else -1] = v
        found = following
    return found


def _regions_in_hyperplane(vectors: list[Vector], z: Vector) -> dict[Vector, Vector]:
    """The same for the hyperplane of z, each v as a vector of the whole space."""
    place = next(j for j, value in enumerate(z) if value)
    if z[place] < 0:
        z = tuple(-number for number in z)
    rest, lifted = z[:place] + z[place + 1 :], {}
    for signs, v in _regions_with_weights([_within(other, z, place) for other in vectors], len(rest)).items():
        wide = tuple(z[place] * number for number in v)
        lifted[signs] = (*wide[:place], -_dot(rest, v), *wide[place:])
    return lifted


def _dot(one: Vector, other: Vector) -> int:
    return sum(a * b for a, b in zip(one, other, strict=True))
