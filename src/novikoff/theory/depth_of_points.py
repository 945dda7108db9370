"""How deep a point lies in a cloud of rows: the fewest rows in any closed halfspace that has the point."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse

from ..proof.answer.fewest import FewestErrors, fewest_errors
from ..proof.problem.read_rows import read_rows


@dataclass(frozen=True)
class Depth:
    """The depth of a point.  Made by ``depth``.

    Attributes
    ----------
    lower, upper : int
        Bounds of the depth, proved; equal where it is settled.
    rows : ndarray of shape (upper,)
        The numbers of the rows in a halfspace that has so few of them.
    direction : tuple of Fraction
        Its v, exactly; all zero if every row is equal to the point.
    proof : FewestErrors
        What ``fewest_errors`` says of the rows (label 1) and the point, the last row (label 0).
    """

    lower: int
    upper: int
    rows: np.ndarray
    direction: tuple[Fraction, ...]
    proof: FewestErrors

    @property
    def depth(self) -> int | None:
        """The depth; None where it is not settled."""
        return self.lower if self.lower == self.upper else None


def depth(point: Any, X: Any, *, time_limit: float | None = None, max_work: float | None = None) -> Depth:
    """Find the halfspace depth of a point among rows, exactly and with proof, in any dimension.

    It is the smallest number of rows x_i with v.x_i >= v.point, over all directions v: 0 outside the convex hull, about half of the rows at the centre.  No hyperplane through the point has fewer rows on
    one side.  The rows that must go before a hyperplane separates the others from the point are just these, so ``fewest_errors`` finds
    them, and proves that there are no fewer.

    Parameters
    ----------
    point : array-like of shape (n_features,)
        The point.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The rows.
    time_limit : float, default=None
        Seconds after which the bounds that are known are returned.
    max_work : float, default=None
        The same as a number of multiplications.

    Returns
    -------
    Depth
        ``depth``: the depth, None where it is not settled; ``lower``, ``upper``: bounds of it.  ``rows``: the rows of a halfspace that has
        ``upper`` of them; ``direction``: its v, as exact fractions (all zero if every row is equal to the point).  ``proof``: what
        ``fewest_errors`` says of the rows (label 1) and the point, the last row (label 0); ``proof.save(path)`` writes the certificate.

    References
    ----------
    J. W. Tukey, Mathematics and the picturing of data, Proceedings of the International Congress of Mathematicians, 1975.

    Examples
    --------
    >>> from novikoff.theory import depth
    >>> square = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> depth([0.5, 0.5], square).depth, depth([0, 0], square).depth, depth([2, 2], square).depth
    (2, 1, 0)
    """
    rows, centre = read_rows(X), read_rows(np.asarray(point).reshape(1, -1))
    count, width = rows.shape
    if centre.shape[1] != width:
        raise ValueError(f"point has {centre.shape[1]} numbers and the rows have {width}: give as many.")
    both = (
        sparse.vstack([rows, sparse.csr_array(centre)]).tocsr() if sparse.issparse(rows) else np.vstack([rows, centre])
    )
    labels, costs = np.append(np.ones(count, dtype=int), 0), np.append(np.ones(count), count + 1)  # the point stays
    proof = fewest_errors(both, labels, sample_weight=costs, time_limit=time_limit, max_work=max_work)
    inside = proof.rows
    return Depth(int(proof.lower), int(proof.upper), inside, tuple(-number for number in proof.weights[0][:-1]), proof)
