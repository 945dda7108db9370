"""Why classes are separated: what is said is true of the rows, for columns of every sort, two classes and several, dense and sparse."""

import re

import numpy as np
import pytest
from scipy import sparse

from novikoff import LogisticNeuron, SeparationError, separability


def holds(text, X, names, y):
    """Whether a sentence about columns is true, and how many rows it is about."""
    column = {name: X[:, j] for j, name in enumerate(names)}
    found = re.fullmatch(r"(?:all (\d+) rows|(the only) row) with (.+) = (\d) (?:have|has) class (\d+)", text)
    if found:
        rows = np.all([column[name] == int(found[4]) for name in found[3].split(" = ")], axis=0)
        assert rows.sum() == (1 if found[2] else int(found[1]))
        return bool(np.all(y[rows] == int(found[5])))
    sides = re.findall(r"(every|no) row with (\w+) (>=|<=|>|<) (\S+?) has class (\d+)", text)
    assert sides, text
    compare = {">=": np.greater_equal, "<=": np.less_equal, ">": np.greater, "<": np.less}
    true = []
    for which, name, sign, number, label in sides:
        rows = compare[sign](column[name], float(number))
        true.append(rows.any() and np.all((y[rows] == int(label)) == (which == "every")))
    return all(true)


@pytest.mark.parametrize("seed", range(30))
def test_reasons_are_true(seed):
    rng = np.random.default_rng(seed)
    n, classes = 14, 2 if seed % 3 else 3
    level = rng.integers(4, size=n)
    x = rng.integers(0, 6, n) / 4
    X = np.column_stack([level == 1, level == 2, level == 3, x, rng.integers(2, size=n)]).astype(float)
    y = np.clip((x * 2 + (level == seed % 4) * 3 * (seed % 2)).astype(int) + rng.integers(2, size=n), 0, classes - 1)
    y[:classes] = np.arange(classes)
    names = ["b", "c", "d", "x", "z"]
    proof = separability(X, y, feature_names=names)
    assert all(holds(text, X, names, y) for text in proof.reasons), proof.reasons
    assert separability(sparse.csr_array(X), y, feature_names=names).reasons == proof.reasons
    separated = proof.rows == "separated"
    for name, column in zip(names, X.T, strict=True):
        for value in np.unique(column) if name != "x" else []:
            one_class = np.unique(y[column == value]).size == 1 and separated[column == value].all()
            named = any(f" {name} = {int(value)} ha" in f" {text}" for text in proof.reasons)
            assert named or not one_class


def test_a_number_that_tells_one_of_several_classes_apart():
    x, y = np.array([[0.0], [0], [1], [1], [2], [2], [4], [5], [7]]), [0, 1, 1, 0, 0, 1, 2, 2, 2]
    assert separability(x, y).reasons == ["every row with x0 >= 4 has class 2, and no row with x0 <= 2 has class 2"]


def test_where_classes_overlap_there_is_no_reason():
    assert separability([[0.0], [1], [2], [3]], [0, 1, 0, 1]).reasons == []


def test_learners_say_what_separates_and_what_helps():
    dose, died = np.array([[1.0], [2], [2], [3]]), [0, 0, 1, 1]
    said = "Every row with x0 > 2 has class 1, and every row with x0 < 2 has class 0; rows with x0 = 2 have both."
    with pytest.raises(SeparationError, match=re.escape(said)) as caught:
        LogisticNeuron(on_separation="raise").fit(dose, died)
    assert "use a penalty" not in str(caught.value)  # it has one
    with pytest.raises(SeparationError, match="use a penalty"):
        LogisticNeuron(l2=0, on_separation="raise").fit(dose, died)
    with pytest.raises(SeparationError, match="has another class, and every row with x0 <= 1 has class a"):
        LogisticNeuron(on_separation="raise", multiclass="ovr").fit(dose, ["a", "b", "c", "c"])
