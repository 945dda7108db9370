"""What a notebook shows of a proof: the verdict, what it rests on, and numbers that are those of the data."""

import re
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

from markup import HOSTILE, read_view, table_of, words
from novikoff import distributed, separability

XOR, Y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [0, 1, 1, 0]


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, y


def view(proof):
    return read_view(proof._repr_html_())


def titles(tree):
    return ["".join(each.itertext()) for each in tree.iter("summary")]


def test_a_witness_is_shown_with_its_rows_weights_and_values():
    tree = view(separability(XOR, Y, feature_names=["left", "right"]))
    assert titles(tree)[:2] == ["Not separable (overlap)", "The proof"]
    assert table_of(tree) == [
        ["row", "class", "weight", "share", "left", "right"],
        ["0", "0", "1", "50.0%", "0", "0"],
        ["1", "1", "1", "50.0%", "0", "1"],
        ["2", "1", "1", "50.0%", "1", "0"],
        ["3", "0", "1", "50.0%", "1", "1"],
    ]
    assert "exact arithmetic" in words(tree)
    assert all(each.get("open") is not None for each in tree.iter("details"))


def test_the_weights_shown_prove_the_verdict(iris):
    """Read back from the table, they are a witness, to the digits shown."""
    X, y = iris
    proof = separability(X[y > 0], y[y > 0], max_margin=True)
    heads, *rows = table_of(view(proof))
    shares = {(int(row[0]), row[1]): float(row[heads.index("share")].rstrip("%")) / 100 for row in rows}
    for label in ("1", "2"):
        assert sum(share for (_, own), share in shares.items() if own == label) == pytest.approx(1, abs=0.01)
    data = X[y > 0].to_numpy()
    means = [sum(share * data[row] for (row, own), share in shares.items() if own == label) for label in ("1", "2")]
    np.testing.assert_allclose(*means, atol=0.02)


def test_separating_weights_are_shown_and_the_rows_that_hold_the_margin(iris):
    X, y = iris
    proof = separability(X[y < 2], y[y < 2], max_margin=True)
    tree = view(proof)
    assert titles(tree)[:3] == ["Separable", "The proof", "Rows that hold the margin"]
    heads, *rows = table_of(tree)
    assert heads == ["feature", "weight"]
    shown = dict(rows)
    assert list(shown)[-1] == "intercept"
    for name, weight in zip(X.columns, proof.coef[0], strict=True):
        assert float(shown[name]) == pytest.approx(weight, rel=5e-3)
    assert [int(row[0]) for row in table_of(tree, 1)[1:]] == proof.support.rows.tolist()
    assert re.search(r"at most [\d,.e]+ mistakes", words(tree))


def test_what_becomes_of_coefficients_is_shown_and_rows_in_the_way():
    tree = view(separability([[1.0], [2.0], [3.0], [3.0], [4.0]], [0, 0, 0, 1, 1], feature_names=["dose"]))
    assert titles(tree)[0] == "Not separable (quasi-complete)"
    assert "Weights with no row on the wrong side" in titles(tree)
    assert ["dose", "to +infinity"] in table_of(tree, 3)
    assert "Rows most in the way" in titles(tree)


def test_several_classes_are_shown_with_rivals(iris):
    X, y = iris
    proof = separability(X, y)
    tree = view(proof)
    assert table_of(tree)[0] == ["feature", "weight for 0", "weight for 1", "weight for 2"]
    heads, *rows = table_of(tree, 1)
    assert heads[:3] == ["row", "class", "rival"]
    assert [row[2] for row in rows] == [str(rival) for rival in proof.witness.rivals]


def test_without_an_intercept_nothing_is_said_of_hulls_and_shares_add_up():
    proof = separability(XOR + 1, Y, fit_intercept=False)
    tree = view(proof)
    assert "hull" not in words(tree)
    assert "have the same mean" not in words(tree)
    heads, *rows = table_of(tree)
    assert sum(float(row[heads.index("share")].rstrip("%")) for row in rows) == pytest.approx(100, abs=0.2)
    assert "origin" in words(tree)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_names_in_data_cannot_become_markup(kind):
    names = [HOSTILE, "<img src=x onerror=alert(1)>"]
    X = pd.DataFrame(XOR, columns=names) if kind == "dense" else sparse.csr_array(XOR)
    for y in (Y, [0, 0, 1, 1]):
        labels = np.where(np.array(y) == 1, HOSTILE, "</style><b>")
        proof = separability(X, labels, feature_names=names, max_margin=True)
        text = words(view(proof))
        assert HOSTILE in text
        assert "<b>" in text


def test_only_features_that_sparse_witness_rows_have_are_shown():
    X = sparse.csr_array((np.ones(2), ([0, 1], [700, 700])), shape=(2, 1000))
    heads, *rows = table_of(view(separability(X, [0, 1])))
    assert heads[-1] == "x700"
    assert [row[-1] for row in rows] == ["1", "1"]


def test_long_witnesses_and_many_features_are_cut_and_counted(rng):
    X = rng.normal(size=(80, 30))
    proof = separability(X, np.arange(80) % 2)
    if proof.separable:
        pytest.skip("these are separable")
    tree = view(proof)
    heads, *rows = table_of(tree)
    assert len(rows) == 12
    assert f"{len(proof.witness) - 12} more rows are not shown." in words(tree)
    assert "24 more columns are not shown." in words(tree)
    assert "weight" not in heads  # fractions of hundreds of digits
    assert max(len(str(weight)) for weight in proof.witness.weights) > 16
    assert all(isinstance(weight, Fraction) for weight in proof.witness.weights)


def test_undecided_is_said_and_nothing_is_claimed(rng):
    proof = separability(rng.normal(size=(4000, 30)), rng.integers(0, 2, 4000), time_limit=1e-9)
    tree = view(proof)
    assert titles(tree)[0] == "Undecided"
    assert "Checked" not in words(tree)


def test_without_matplotlib_all_but_the_picture_is_shown(monkeypatch):
    proof = separability(XOR, Y)
    with_picture = view(proof)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    without = view(proof)
    assert [len(list(tree.iter("img"))) for tree in (with_picture, without)] == [1, 0]
    assert words(without) == words(with_picture)


def test_rows_in_partitions_are_shown_by_their_numbers_in_the_whole(rng):
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    proof = distributed.separability([(X[:15], y[:15]), (X[15:], y[15:])])
    tree = view(proof)
    assert list(tree.iter("img")) == []
    for row in table_of(tree)[1:]:
        assert int(row[1]) == y[int(row[0])]
        np.testing.assert_allclose([float(value) for value in row[-3:]], X[int(row[0])], rtol=1e-3)


def test_one_class_is_refused_before_there_is_anything_to_show():
    with pytest.raises(ValueError, match="only one class"):
        separability(XOR, [1, 1, 1, 1])
    with pytest.raises(ValueError, match="0 sample"):
        separability(np.empty((0, 2)), [])
