"""Radial basis functions: features with which a linear classifier learns curved boundaries."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.utils import check_array, gen_batches
from sklearn.utils.extmath import row_norms
from sklearn.utils.validation import check_is_fitted

from ..checks.arrays import generator, read_weights, read_X
from ..checks.sklearn_parts import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    Interval,
    StrOptions,
    TransformerMixin,
    fit_context,
)

MOST = 100  # centres, unless told
NEIGHBOURS = 2  # centres that decide the width of one
AT_ONCE = 2**20  # numbers held in a step of transform
FAR = 1e100  # in units of the centres and widths: beyond it every feature is 0, and squares stay in range


class RadialBasis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Gaussian radial basis functions: features that tell how close a row is to each of several reference points.

    Feature j is ``exp(-|x - c_j|^2 / (2 width_j^2))``: 1 at its centre ``c_j`` and 0 far away.  A linear classifier on
    these features is a radial basis function network (Broomhead and Lowe 1988), trained here in two steps, as by Moody and
    Darken (1989): first the centres and widths, without labels, then the weights:
    ``make_pipeline(RadialBasis(), Perceptron())``.

    Choose it if no line separates the classes, if the columns are few (a few dozen at most) and of similar scale, and if
    rows that are close to each other usually have the same class.  If every distinct row is a centre, Gaussians of one
    width separate any labelling (Micchelli 1986), even random labels: fewer centres generalise better.  Do not choose it
    if the columns differ in scale and you will not scale them, if there are so many columns that all distances are
    similar, if a linear classifier is good enough, or if you must predict for rows far from all training rows: there all
    features are 0.

    Parameters
    ----------
    n_centers : int or None, default=None
        The largest number of centres.  None: 100, or with given ``centers`` their number.  If there are no more distinct
        rows than that, they are the centres.
    centers : {"kmeans", "random"} or array of shape (n_centers, n_features), default="kmeans"
        "kmeans": the means of k-means clusters; "random": distinct training rows, drawn at random; or the points
        themselves.
    width : {"neighbours", "max"} or float, default="neighbours"
        "neighbours": for each centre the root mean square of the distances to its P nearest other centres (Moody and
        Darken 1989), here P = 2, so that two centres that are close to each other do not both become narrow; "max": for all centres
        ``d / sqrt(2 m)``, where d is the largest distance between two of the m centres (Lowe 1989, in the form of Haykin
        1994), which is narrow if there are many columns; or one number for all.  If all centres are one point, both names
        mean the root mean square distance of the rows from it, or 1 if that is 0.
    random_state : int, RandomState instance or None, default=None
        The seed of k-means and of the rows drawn at random.

    Attributes
    ----------
    centers_ : ndarray of shape (n_centers, n_features)
        Unless given, distinct and sorted by their coordinates; dense even if X is sparse.
    widths_ : ndarray of shape (n_centers,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X had string column names.

    References
    ----------
    D. S. Broomhead, D. Lowe, Multivariable functional interpolation and adaptive networks, 1988.
    C. A. Micchelli, Interpolation of scattered data: distance matrices and conditionally positive definite functions, 1986.
    J. Moody, C. J. Darken, Fast learning in networks of locally-tuned processing units, 1989.
    D. Lowe, Adaptive radial basis function nonlinearities, and the problem of generalisation, 1989.
    S. Haykin, Neural networks: a comprehensive foundation, 1994.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from novikoff import Perceptron, RadialBasis
    >>> X, xor = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> RadialBasis(width=0.5).fit_transform(X).round(2).tolist()[0]
    [1.0, 0.14, 0.14, 0.02]
    >>> network = make_pipeline(RadialBasis(), Perceptron(order="cyclic")).fit(X, xor)
    >>> network[-1].stop_reason_, network.predict(X).tolist()
    ('separated', [0, 1, 1, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_centers": [Interval(Integral, 1, None, closed="left"), None],
        "centers": [StrOptions({"kmeans", "random"}), "array-like"],
        "width": [StrOptions({"neighbours", "max"}), Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_centers: int | None = None,
        *,
        centers: Any = "kmeans",
        width: float | str = "neighbours",
        random_state: Any = None,
    ) -> None:
        self.n_centers = n_centers
        self.centers = centers
        self.width = width
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> RadialBasis:
        """Place the centres and decide their widths.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : ignored
            Labels are not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows in k-means; also, rows are drawn with a probability in proportion to their weight.  Rows of weight
            0 are left out.

        Returns
        -------
        self
        """
        X = read_X(self, X, reset=True)
        weight = read_weights(sample_weight, X)
        if weight.size:
            weight /= weight.max() or 1.0
            members = np.flatnonzero(weight)
            if members.size == 0:
                raise ValueError("Every sample weight is zero: no row is left from which to choose centres.")
            X, weight = X[members], weight[members]
        else:
            weight = np.ones(X.shape[0])
        given = np.empty((0, 0)) if isinstance(self.centers, str) else self._read_centers(X.dtype)
        unit = _unit(X, given)
        X = _in_units(X, unit)
        centers = _in_units(given, unit) if given.size else self._place(X, weight)
        self.centers_ = given if given.size else np.ldexp(centers, unit)
        if isinstance(self.width, str):
            self.widths_ = _out_of_units(_widths(self.width, X, weight, centers), unit)
        else:
            self.widths_ = np.full(len(centers), float(self.width))
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Compute the features of rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_centers)
            Between 0 and 1; float32 if X is, else float64.
        """
        check_is_fitted(self)
        X = read_X(self, X, reset=False)
        unit = _unit(self.centers_, self.widths_)
        centers = _in_units(self.centers_.astype(np.float64), unit)
        widths = np.maximum(np.ldexp(self.widths_, -unit), np.finfo(float).tiny)  # 0 would make 0 / 0 of a centre
        features = np.empty((X.shape[0], len(centers)), dtype=X.dtype)
        largest = len(centers) if sparse.issparse(X) else max(centers.shape)
        for rows in gen_batches(X.shape[0], max(1, AT_ONCE // largest)):
            with np.errstate(over="ignore", under="ignore"):  # either way the feature is 0
                features[rows] = np.exp(-0.5 * (_distances(_in_units(X[rows], unit), centers) / widths) ** 2)
        return features

    def _read_centers(self, dtype: Any) -> np.ndarray:
        centers = check_array(self.centers, dtype=dtype, copy=True, input_name="centers")
        if centers.shape[1] != self.n_features_in_:
            raise ValueError(f"centers has {centers.shape[1]} columns, but X has {self.n_features_in_}.")
        if self.n_centers is not None:
            raise ValueError(
                f"The {len(centers)} given centers are used as they are, so n_centers={self.n_centers} has no effect: "
                "use n_centers=None."
            )
        return centers

    def _place(self, X: Any, weight: np.ndarray) -> np.ndarray:
        """Centres by k-means or by lot, sorted."""
        most = MOST if self.n_centers is None else self.n_centers
        rng = generator(self.random_state)
        # Sorted so, rows come as if drawn one after the other, each with the chance of its weight among those left.
        order = np.argsort(-np.log(weight) - rng.gumbel(size=len(weight)))
        rows = _first_distinct(X, order, most + 1)
        if self.centers == "kmeans" and len(rows) > most:
            from sklearn.cluster import KMeans  # takes half a second, which others need not wait for

            kmeans = KMeans(most, random_state=int(rng.integers(2**31)))
            centers = kmeans.fit(X, sample_weight=weight).cluster_centers_  # it says so if rows all but equal share one
        else:
            centers = X[rows[:most]]
        return np.unique(centers.toarray() if sparse.issparse(centers) else centers, axis=0)

    @property
    def _n_features_out(self) -> int:
        return len(self.centers_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _widths(kind: str, X: Any, weight: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """The width of every centre; 0 where all rows and centres are one point."""
    apart = cdist(centers, centers)
    if not apart.any():
        squares = _distances(X, centers[:1])[:, 0] ** 2
        return np.full(len(centers), np.average(squares, weights=weight) ** 0.5)
    if kind == "max":
        return np.full(len(centers), apart.max() / (2 * len(centers)) ** 0.5)
    apart[apart == 0] = np.inf  # a centre is no neighbour of itself, nor of its repeats
    nearest = np.sort(apart, axis=1)[:, :NEIGHBOURS]
    return np.sqrt(np.mean(nearest**2, axis=1, where=np.isfinite(nearest)))


def _first_distinct(X: Any, order: Iterable[int], most: int) -> list[int]:
    """In this order, the first row of each kind, until there are ``most``."""
    found: dict[bytes | tuple[bytes, bytes], int] = {}
    for row in order:
        if sparse.issparse(X):
            part = slice(X.indptr[row], X.indptr[row + 1])
            found.setdefault((X.indices[part].tobytes(), X.data[part].tobytes()), row)
        else:
            found.setdefault((X[row] + 0.0).tobytes(), row)  # -0.0 is 0.0
        if len(found) == most:
            break
    return list(found.values())


def _distances(X: Any, centers: np.ndarray) -> np.ndarray:
    """|x - c| for all rows and centres, from values in units that keep squares in range.

    Dense rows by their differences.  Sparse rows by |x|^2 - 2 x.c + |c|^2, exact except for rounding of the largest of
    these, so that their zeros cost nothing.
    """
    if not sparse.issparse(X):
        return cdist(X, centers)
    X, centers = X.astype(np.float64, copy=False), centers.astype(np.float64, copy=False)
    squares = row_norms(X, squared=True)[:, None] - 2 * (X @ centers.T) + row_norms(centers, squared=True)
    return np.sqrt(np.maximum(squares, 0))


# Units: everything is divided by a power of two, which is exact, so that the square of no distance leaves the range of
# floats whatever the scale of the data.


def _unit(*arrays: Any) -> int:
    """The power of two just above the largest value."""
    values = (array.data if sparse.issparse(array) else array for array in arrays)
    return int(np.frexp(max(float(np.abs(each).max(initial=0.0)) for each in values))[1])


def _in_units(X: Any, unit: int) -> Any:
    """X divided by two to the ``unit``, in floats of the same size; what is farther than FAR is put there."""
    if sparse.issparse(X):
        scaled = sparse.csr_array((_in_units(X.data, unit), X.indices, X.indptr), shape=X.shape, copy=True)
        scaled.sum_duplicates()
        scaled.eliminate_zeros()
        return scaled
    far = min(FAR, float(np.finfo(X.dtype).max))
    with np.errstate(over="ignore", under="ignore"):
        return np.clip(np.ldexp(X, -unit), -far, far)


def _out_of_units(widths: np.ndarray, unit: int) -> np.ndarray:
    """Widths times two to the ``unit``; 1 for those that are 0."""
    with np.errstate(over="ignore"):
        widths = np.minimum(np.ldexp(widths, unit), np.finfo(float).max)
    return np.where(widths > 0, widths, 1.0)
