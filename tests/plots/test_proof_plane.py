"""The plane of a proof: what is drawn is true of the rows, in any number of features."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from novikoff import separability
from novikoff.plots.proof_picture import MOST_DRAWN, plane_of, plot_proof

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def plane(X, y, features=None, **asked):
    proof = separability(X, y, **asked)
    return proof, plane_of(proof, proof._pairs.X, proof._pairs.target, features)


def separable(rng, rows=40, width=5):
    X = rng.normal(size=(rows, width))
    w = rng.normal(size=width)
    y = (X @ w > 0).astype(int)
    y[:2] = 0, 1
    X[:2] = -w, w
    return X, y


def overlapping(rng, rows=60, width=4):
    return rng.normal(size=(rows, width)), np.arange(rows) % 2


def assert_projection(points, X, unit=1.0):
    """No two rows are farther apart in the picture than they are, to rounding."""
    apart = np.linalg.norm(points[:, None] - points[None], axis=2) * unit
    truly = np.linalg.norm(X[:, None] - X[None], axis=2)
    assert np.all(apart <= truly * (1 + 1e-9) + 1e-9)


def test_separable_rows_are_drawn_at_their_exact_distance_in_margins(rng):
    X, y = separable(rng)
    proof, found = plane(X, y, max_margin=True)
    [weights] = proof.exact_weights
    norm = float(sum(w * w for w in weights[:-1])) ** 0.5
    for row, sign, (across, _) in zip(X.tolist(), np.where(y == 1, 1, -1), found.points, strict=True):
        exactly = sum((Fraction(x) * w for x, w in zip(row, weights, strict=False)), weights[-1])
        assert across == pytest.approx(float(exactly) / norm / proof.margin, rel=1e-6)
        assert sign * across >= 1 - 1e-6  # on its side, a margin away
    assert np.abs(found.points[:, 0]).min() == pytest.approx(1, rel=1e-6)
    assert_projection(found.points, X, proof.margin)


def test_the_second_axis_lies_in_the_boundary_and_no_direction_in_it_spreads_rows_more(rng):
    X, y = separable(rng)
    proof, found = plane(X, y)
    normal = proof.coef[0] / np.linalg.norm(proof.coef[0])
    within = X - X.mean(axis=0)
    within = within - np.outer(within @ normal, normal)
    most = np.linalg.svd(within)[1][0] ** 2  # the largest principal variance
    up = found.points[:, 1] * proof.margin
    assert np.sum((up - up.mean()) ** 2) == pytest.approx(most, rel=1e-8)


def test_the_hulls_meet_in_the_middle_of_the_picture(rng):
    X, y = overlapping(rng)
    proof, found = plane(X, y)
    assert proof.kind == "overlap"
    weights = np.array([float(weight) for weight in proof.witness.weights])
    for k in (0, 1):
        own = y[proof.witness.rows] == k
        mean = weights[own] @ found.points[proof.witness.rows[own]] / weights[own].sum()
        np.testing.assert_allclose(mean, 0, atol=1e-9)
    assert_projection(found.points, X)


def test_witness_rows_spread_most_in_the_plane_of_the_witness(rng):
    X, y = overlapping(rng)
    proof, found = plane(X, y)
    rows = np.unique(proof.witness.rows)
    own = y[proof.witness.rows] == 0
    shares = np.array([float(weight) for weight in proof.witness.weights])
    point = shares[own] @ X[proof.witness.rows[own]] / shares[own].sum()
    sizes = np.linalg.svd(X[rows] - point)[1]
    np.testing.assert_allclose(np.linalg.svd(found.points[rows])[1], sizes[:2], rtol=1e-7)


def test_three_separable_classes_are_drawn_with_regions_that_are_theirs(rng):
    centres = 8 * rng.normal(size=(3, 6))
    y = np.arange(60) % 3
    X = centres[y] + rng.normal(size=(60, 6)) * 0.3
    proof, found = plane(X, y)
    assert proof.kind == "complete"
    scores = found.points @ found.weights[:, :2].T + found.weights[:, 2]
    np.testing.assert_array_equal(scores.argmax(axis=1), y)
    truly = X @ proof.coef.T + proof.intercept
    np.testing.assert_allclose(scores - scores[:, :1], truly - truly[:, :1], atol=1e-8 * np.abs(truly).max())
    assert_projection(found.points, X)


def test_regions_of_more_classes_are_not_drawn_as_if_they_lay_in_a_plane():
    proof, found = plane(np.eye(5), np.arange(5))
    assert proof.kind == "complete"
    assert found.weights is None
    assert "no regions" in found.said


def test_two_features_by_name_or_number_are_drawn_as_they_are(rng):
    X, y = overlapping(rng)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    proof = separability(frame, y)
    for features in (("d", "b"), (3, 1), ["d", np.int64(1)]):
        ax = proof.plot(features=features)
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("d", "b")
        assert "projection: 2 of 4 features" in ax.get_title()
        drawn = np.vstack([part.get_offsets() for part in ax.collections if part.get_label().startswith("class ")])
        assert {tuple(row) for row in drawn} == {tuple(row) for row in X[:, [3, 1]]}
    for features in ("a", ("a",), ("a", "a"), ("a", "b", "c")):
        with pytest.raises(ValueError, match="two different columns"):
            proof.plot(features=features)
    for features in (("a", "e"), (0, 4), (0, -1), (0, True)):
        with pytest.raises(
            ValueError, match=r"no feature .*choose names \('a', 'b', 'c', 'd'\) or numbers from 0 to 3"
        ):
            proof.plot(features=features)


def test_the_boundary_is_drawn_in_two_features_only_where_it_is_a_line_there():
    X = np.array([[0.0, 0.0, 5.0], [0.0, 1.0, 5.0], [2.0, 0.0, 5.0], [2.0, 1.0, 5.0]])
    proof, found = plane(X, [0, 0, 1, 1], (0, 1))
    assert not proof.coef[0, 2]
    np.testing.assert_array_equal(found.weights[0], [*proof.coef[0, :2], proof.intercept[0]])
    proof, found = plane(X + np.arange(4)[:, None] * [0, 0, 1.0], [0, 1, 0, 1], (0, 2))
    assert (found.weights is None) == bool(proof.coef[0, 1])


def test_sparse_and_dense_rows_are_drawn_alike(rng):
    X = np.where(rng.random((50, 12)) < 0.3, rng.integers(-3, 4, (50, 12)), 0).astype(float)
    for y in (np.arange(50) % 2, (X[:, 0] + X[:, 1] > 0).astype(int), np.arange(50) % 3):
        dense, thin = plane(X, y)[1], plane(sparse.csr_array(X), y)[1]
        assert dense.names == thin.names
        np.testing.assert_allclose(np.abs(dense.points), np.abs(thin.points), atol=1e-6 * np.abs(dense.points).max())


def test_one_feature_is_drawn_with_a_line_for_each_class():
    ax = separability([[1.0], [2.0], [3.0], [5.0]], ["a", "a", "b", "b"]).plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    (line,) = [line for line in ax.lines if line.get_label() == "decision line"]
    assert 2 < line.get_xy1()[0] < 3
    assert line.get_xy2()[0] == pytest.approx(line.get_xy1()[0])
    ax = separability([[1.0], [3.0], [3.0], [2.0]], [0, 0, 1, 1], fit_intercept=False).plot()
    assert "origin" in ax.get_title()
    several = separability([[1.0], [2.0], [3.0]], [0, 1, 2]).plot()
    assert several.get_ylabel() == "class"


def test_of_many_rows_some_are_drawn_and_all_of_the_witness(rng):
    X = rng.normal(size=(6 * MOST_DRAWN, 3))
    y = (np.arange(len(X)) % 50 == 0).astype(int)  # a rare class
    proof = separability(X, y)
    ax = proof.plot()
    parts = {part.get_label(): part.get_offsets() for part in ax.collections}
    drawn = np.vstack([parts["class 0"], parts["class 1"]])
    assert len(drawn) <= MOST_DRAWN + 2 + len(proof.witness)
    assert len(parts["class 1"]) >= 20
    assert f"{len(drawn):,} of 6,000 rows are drawn" in ax.get_title()
    rings = parts["rows of the witness, and their shares"]
    assert len(rings) == len(np.unique(proof.witness.rows))
    assert {tuple(row) for row in rings} <= {tuple(row) for row in drawn}


def test_shares_are_written_beside_few_witness_rows():
    square = np.array([[0.0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]])
    ax = separability(square, [0, 1, 1, 0]).plot()
    assert [text.get_text() for text in ax.texts] == ["50%"] * 4


def test_names_that_look_like_formulas_are_only_names(rng):
    X, y = overlapping(rng, width=2)
    for name in ("$x", r"$\frac{$", "a$b$c", "\x1b[31m", "_" * 500, r"\$"):
        frame = pd.DataFrame(X, columns=[name, "other"])
        ax = separability(frame, np.where(y == 1, name, "no")).plot()
        ax.figure.canvas.draw()
        ax = separability(np.column_stack([X, X]) ** 3, np.where(y == 1, name, "no")).plot()
        ax.figure.canvas.draw()


def test_rows_that_spread_in_no_other_direction_are_drawn_too():
    line = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 1.0])
    for y in ([0, 0, 1, 1], [0, 1, 0, 1]):
        ax = separability(line, y).plot()
        ax.figure.canvas.draw()
    equal = np.ones((4, 3))
    separability(equal, [0, 1, 0, 1]).plot().figure.canvas.draw()


def test_undecided_proofs_are_drawn(rng):
    X, y = rng.normal(size=(4000, 30)), rng.integers(0, 2, 4000)
    proof = separability(X, y, time_limit=1e-9)
    assert proof.kind is None
    assert "undecided" in proof.plot().get_title()


def test_rows_of_another_width_are_refused(rng):
    X, y = overlapping(rng)
    with pytest.raises(ValueError, match="X has 2 features, but the proof is about 4"):
        plot_proof(separability(X, y), X[:, :2], y)
