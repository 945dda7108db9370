"""Radial basis functions: the formula, where centres and widths come from, and the networks made of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs, make_circles
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from novikoff import Perceptron, RadialBasis

X, Y = load_iris(return_X_y=True)
KINDS = [{}, {"n_centers": 7}, {"n_centers": 7, "centers": "random"}, {"centers": X[:5]}]
WIDTHS = [{}, {"width": "max"}, {"width": 0.7}]

REPEATS = "k-means and random rows start from random draws, which a repeated row changes"
DRAWS = {
    "check_sample_weight_equivalence_on_dense_data": REPEATS,
    "check_sample_weight_equivalence_on_sparse_data": REPEATS,
}
TRANSFORMERS = [
    (RadialBasis(), {}),
    (RadialBasis(width="max"), {}),
    (RadialBasis(3), DRAWS),
    (RadialBasis(3, centers="random"), DRAWS),
]


@parametrize_with_checks(
    [transformer for transformer, _ in TRANSFORMERS],
    expected_failed_checks=lambda given: next(why for known, why in TRANSFORMERS if repr(known) == repr(given)),
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def formula(X, centers, widths):
    """The definition, row by row."""
    return np.array(
        [[np.exp(-np.sum((x - c) ** 2) / (2 * w**2)) for c, w in zip(centers, widths, strict=True)] for x in X]
    )


# The features


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_features_are_the_formula(kind, width):
    basis = RadialBasis(**kind, **width, random_state=0).fit(X)
    assert np.allclose(basis.transform(X), formula(X, basis.centers_, basis.widths_), rtol=1e-12, atol=0)
    assert np.array_equal(np.diag(basis.transform(basis.centers_)), np.ones(len(basis.centers_)))
    assert np.array_equal(clone(basis).fit_transform(X), basis.transform(X))


def test_the_features_are_exact_far_from_the_origin():
    grid = np.arange(40.0).reshape(20, 2) * 2.0**-20
    near = RadialBasis(centers=grid[::4]).fit_transform(grid)
    far = RadialBasis(centers=grid[::4] + 2.0**20).fit_transform(grid + 2.0**20)
    assert np.array_equal(near, far)


@pytest.mark.parametrize("convert", [sparse.csr_matrix, sparse.csr_array, sparse.csc_array, sparse.coo_array])
@pytest.mark.parametrize("kind", KINDS)
def test_sparse_and_dense_agree(kind, convert):
    rows = np.where(X > 1.5, X, 0)[::2]
    dense = RadialBasis(**kind, random_state=0).fit(rows)
    thin = RadialBasis(**kind, random_state=0).fit(convert(rows))
    assert np.allclose(thin.centers_, dense.centers_, rtol=1e-9)
    assert np.allclose(thin.transform(convert(rows)), dense.transform(rows), atol=1e-9)


def test_sparse_rows_may_be_stored_in_many_ways():
    plain = sparse.csr_array(np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0], [1.0, 0.0, 2.0]]))
    untidy = sparse.csr_array(
        ([2.0, 1.0, 0.0, 0.5, 2.0, 0.5], np.array([2, 0, 1, 0, 2, 0], dtype=np.int64), np.array([0, 2, 3, 6])), (3, 3)
    )
    before = untidy.indices.copy(), untidy.data.copy()
    basis = RadialBasis().fit(untidy)
    assert basis.centers_.tolist() == [[0, 0, 0], [1, 0, 2]]
    assert np.array_equal(basis.transform(untidy), basis.transform(plain))
    assert np.array_equal(before[0], untidy.indices)
    assert np.array_equal(before[1], untidy.data)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("kind", KINDS)
def test_float32_stays_float32(kind, convert):
    small = RadialBasis(**kind, random_state=0).fit(convert(X.astype(np.float32)))
    features = small.transform(convert(X.astype(np.float32)))
    assert features.dtype == small.centers_.dtype == np.float32
    assert np.allclose(features, formula(X, small.centers_.astype(float), small.widths_), atol=1e-5)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("width", ["neighbours", "max"])
@pytest.mark.parametrize("kind", KINDS[:3])
def test_the_scale_of_the_data_makes_no_difference(kind, width, dtype, convert):
    basis = RadialBasis(**kind, width=width, random_state=0)
    expected = basis.fit_transform(convert(X.astype(dtype)))
    for power in (-500, 500, 1000) if dtype is np.float64 else (-100, 100):  # 2**500 is about 1e150
        scaled = convert(np.ldexp(X.astype(dtype), power))
        assert np.array_equal(basis.fit_transform(scaled), expected)
    tiny, zero = np.ldexp(X.astype(dtype), -power), np.zeros_like(X, dtype=dtype)
    assert np.array_equal(basis.transform(convert(tiny)), basis.transform(convert(zero)))


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_no_scale_gives_nan(convert):
    values = np.array([[1e308, -1e308], [-1e308, 1e308], [1e-308, 5e-324], [0, 1], [1e150, -1e-150], [-1, 1e8]])
    for kind in ({}, {"n_centers": 1}, {"n_centers": 3}, {"n_centers": 3, "centers": "random"}, {"centers": values}):
        for width in ("neighbours", "max", 1e-300, 5e-324, 1.0, 1e300):
            for rows in (values, values[2:4], values * 1e-160, values[3:4]):
                basis = RadialBasis(**kind, width=width, random_state=0).fit(convert(rows))
                features = basis.transform(convert(values))
                assert np.all((features >= 0) & (features <= 1))
                assert np.all(basis.widths_ > 0)
                assert np.all(np.isfinite(basis.widths_))
    far = RadialBasis(width=1.0).fit(convert(values[3:4])).transform(convert(values[:2]))
    assert np.array_equal(far, np.zeros((2, 1)))


# Centres


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("centers", ["kmeans", "random"])
def test_few_distinct_rows_are_the_centres(centers, convert):
    distinct = np.array([[0.0, 0.0], [0.0, 1.0], [2.0, 0.0]])
    rows = np.tile(distinct, (5, 1))
    rows[3] = -0.0
    for n_centers in (None, 3, 15, 1000):
        basis = RadialBasis(n_centers, centers=centers).fit(convert(rows))
        assert np.array_equal(basis.centers_, distinct)
    assert basis.transform(convert(rows)).shape == (15, 3)


@pytest.mark.parametrize("centers", ["kmeans", "random"])
def test_the_order_of_rows_makes_no_difference_where_all_are_centres(centers):
    shuffled = np.random.default_rng(0).permutation(X)
    one, two = (RadialBasis(1000, centers=centers).fit(rows) for rows in (X, shuffled))
    assert np.array_equal(one.centers_, two.centers_)
    assert np.array_equal(one.widths_, two.widths_)


def test_random_centres_are_distinct_training_rows():
    for seed in range(20):
        centers = RadialBasis(10, centers="random", random_state=seed).fit(np.repeat(X, 3, axis=0)).centers_
        assert len(np.unique(centers, axis=0)) == 10
        assert {tuple(row) for row in centers} <= {tuple(row) for row in X}


def test_k_means_finds_the_middle_of_clusters():
    points, cluster = make_blobs(300, centers=[[0, 0], [9, 0], [0, 9]], cluster_std=0.3, random_state=0)
    basis = RadialBasis(3, random_state=0).fit(points)
    means = np.array([points[cluster == k].mean(axis=0) for k in range(3)])
    assert np.allclose(basis.centers_, np.unique(means, axis=0))


def test_given_centres_are_used_as_they_are():
    given = np.array([[5.0, 3.0, 1.0, 0.0], [4.0, 3.0, 1.0, 0.0], [5.0, 3.0, 1.0, 0.0]])
    basis = RadialBasis(centers=given).fit(X)
    assert np.array_equal(basis.centers_, given)
    assert basis.widths_.tolist() == [1, 1, 1]  # repeats are no neighbours
    given[0] = 9
    assert basis.centers_[0, 0] == 5


def test_the_seed_decides():
    for centers in ("kmeans", "random"):
        first, again, other = (RadialBasis(9, centers=centers, random_state=seed).fit(X).centers_ for seed in (0, 0, 1))
        assert np.array_equal(first, again)
        assert not np.array_equal(first, other)


@pytest.mark.parametrize("centers", ["kmeans", "random"])
def test_sample_weights(centers):
    basis = RadialBasis(5, centers=centers, random_state=0)
    weight = np.where(Y == 0, 0.0, 3.0)
    weighted = clone(basis).fit(X, sample_weight=weight)
    removed = clone(basis).fit(X[Y > 0])
    assert np.array_equal(weighted.centers_, removed.centers_)
    assert np.array_equal(weighted.widths_, removed.widths_)
    heavy = clone(basis).set_params(n_centers=1).fit(X, sample_weight=np.where(np.arange(150) == 70, 1e300, 1e-20))
    assert np.allclose(heavy.centers_, X[70])
    with pytest.raises(ValueError, match="no row is left"):
        basis.fit(X, sample_weight=np.zeros(150))


# Widths


def test_width_by_neighbours_is_the_root_mean_square_of_two_distances():
    basis = RadialBasis().fit([[0, 0], [3, 0], [0, 4], [100, 0]])
    by_centre = dict(zip(map(tuple, basis.centers_), basis.widths_, strict=True))
    assert by_centre[0, 0] == pytest.approx(((9 + 16) / 2) ** 0.5)
    assert by_centre[3, 0] == pytest.approx(((9 + 25) / 2) ** 0.5)
    assert by_centre[0, 4] == pytest.approx(((16 + 25) / 2) ** 0.5)
    assert by_centre[100, 0] == pytest.approx(((97**2 + 100**2) / 2) ** 0.5)
    assert RadialBasis().fit([[0, 0], [3, 4]]).widths_ == pytest.approx([5, 5])


def test_width_max_and_given_width():
    assert RadialBasis(width="max").fit([[0, 0], [3, 4], [1, 1]]).widths_ == pytest.approx([5 / 6**0.5] * 3)
    assert RadialBasis(width=0.3).fit([[0, 0], [3, 4], [1, 1]]).widths_.tolist() == [0.3] * 3


@pytest.mark.parametrize("width", ["neighbours", "max"])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_width_of_a_single_centre(width, convert):
    rows = np.array([[0.0, 2.0], [0.0, -2.0], [4.0, 0.0], [-4.0, 0.0]])
    assert RadialBasis(1, width=width).fit(convert(rows)).widths_ == pytest.approx([10**0.5])
    twice = RadialBasis(centers=[[0, 0], [0, 0]], width=width).fit(convert(rows), sample_weight=[1, 1, 0, 0])
    assert twice.widths_ == pytest.approx([2, 2])
    for value in (0.0, 1e-200, 5.0, 1e200):
        constant = RadialBasis(width=width).fit(convert(np.full((9, 2), value)))
        assert constant.widths_.tolist() == [1]
        assert constant.transform(convert(np.full((2, 2), value))).tolist() == [[1], [1]]


# Conventions


def test_names_and_data_frames():
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    basis = RadialBasis(3, random_state=0).set_output(transform="pandas").fit(frame)
    assert basis.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    features = basis.transform(frame)
    assert features.columns.tolist() == ["radialbasis0", "radialbasis1", "radialbasis2"]
    assert np.array_equal(features, RadialBasis(3, random_state=0).fit_transform(X))


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_bad_values_are_named(convert):
    bad = X.copy()
    bad[7, 2] = np.nan
    with pytest.raises(ValueError, match="NaN, first in row 7, column 2"):
        RadialBasis().fit(convert(bad))
    with pytest.raises(ValueError, match="NaN, first in row 7, column 2"):
        RadialBasis().fit(X).transform(convert(bad))


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"n_centers": 0}, "'n_centers' parameter"),
        ({"centers": "means"}, "'centers' parameter"),
        ({"width": 0.0}, "'width' parameter"),
        ({"width": np.inf}, "'width' parameter"),
        ({"width": "median"}, "'width' parameter"),
        ({"centers": [[1, 2]]}, "centers has 2 columns, but X has 4"),
        ({"centers": [[1, 2, 3, np.nan]]}, "centers contains NaN"),
        ({"centers": X[:3], "n_centers": 3}, "use n_centers=None"),
    ],
)
def test_senseless_choices_are_refused(choice, message):
    with pytest.raises(ValueError, match=message):
        RadialBasis(**choice).fit(X)


# Radial basis function networks


def two_spirals(rows, turns):
    share = np.linspace(0, 1, rows)
    angle, radius = 2 * np.pi * turns * share, 0.1 + 0.9 * share
    arm = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return np.vstack([arm, -arm]), np.repeat([0, 1], rows)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("centers", ["kmeans", "random"])
@pytest.mark.parametrize(
    ("n_centers", "rows", "labels"),
    [
        (None, np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])),
        (20, *make_circles(200, noise=0.08, factor=0.5, random_state=0)),
        (100, *two_spirals(97, 1.5)),
    ],
    ids=["xor", "circles", "two spirals"],
)
def test_networks_separate_what_no_line_can(n_centers, rows, labels, centers, seed):
    basis = RadialBasis(n_centers, centers=centers, random_state=seed)
    network = make_pipeline(basis, Perceptron(random_state=seed)).fit(rows, labels)
    assert network[-1].stop_reason_ == "separated"
    assert network.score(rows, labels) == 1


def test_all_rows_as_centres_separate_any_labels():
    rows, labels = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2
    network = make_pipeline(RadialBasis(60, width=0.1), Perceptron(random_state=0)).fit(rows, labels)
    assert network[-1].stop_reason_ == "separated"


def test_grid_search():
    network = make_pipeline(RadialBasis(random_state=0), Perceptron(keep="average", max_iter=20, random_state=0))
    choices = {"radialbasis__n_centers": [1, 30], "radialbasis__width": ["neighbours", "max", 1.0]}
    assert GridSearchCV(network, choices, cv=3).fit(X, Y).best_score_ > 0.9
