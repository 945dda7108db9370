"""The machine of the lab is the library's, its proof holds, and the Gaussian classifier is scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.svm import SVC

from page_engine import CLOUDS, EIGHT, FAR, NOISY, OVERLAP, XOR, answer

SOFT = ("100", "30", "10", "3", "1", "0.3", "0.1", "0.03", "0.01")
SETS = {"clouds": CLOUDS, "eight": EIGHT, "far": FAR, "noisy": NOISY, "overlap": OVERLAP}
every_set = pytest.mark.parametrize("data", SETS.values(), ids=SETS)


def asked(ask, data, C="hard"):
    return answer({"demo": "support", "ask": ask, "data": data.as_dict(), "parameters": {"C": C}})


def told(*words):
    found = asked(*words)
    assert "error" not in found, found
    return found["answer"]


def signed(data):
    return np.array(data.X), np.where(np.array(data.y) == 1, 1.0, -1.0)


@every_set
@pytest.mark.parametrize("C", ["100", "1", "0.1"])
def test_alpha_slack_and_both_objectives(data, C):
    found, (X, y), limit = told("machine", data, C), signed(data), float(C)
    *w, b = found["weights"]
    alpha, slack = (np.array([row[name] for row in found["rows"]]) for name in ("alpha", "slack"))
    scores = y * (X @ w + b)
    assert slack == pytest.approx(np.maximum(0, 1 - scores), abs=1e-6)
    primal = 0.5 * np.dot(w, w) + limit * slack.sum()
    assert found["primal"] == pytest.approx(primal, rel=1e-6)
    assert (alpha >= 0).all()
    assert (alpha <= limit * (1 + 1e-7)).all()
    assert abs(alpha @ y) <= 1e-6 * limit
    v = (alpha * y) @ X
    assert found["dual"] == pytest.approx(alpha.sum() - 0.5 * v @ v, rel=1e-6)
    assert found["dual"] <= primal * (1 + 1e-6)
    assert found["gap"] == 1e-10
    other = SVC(kernel="linear", C=limit, tol=1e-9).fit(X, y)
    assert w == pytest.approx(other.coef_[0], abs=1e-4)
    for row, score in zip(found["rows"], scores, strict=True):
        assert row["signed"] == pytest.approx(score, abs=1e-6)
        if row["role"] == "none":
            assert row["alpha"] == 0
            assert score >= 1 - 1e-6
        elif row["role"] == "margin":
            assert score == pytest.approx(1, abs=1e-5)
        else:
            assert row["alpha"] == pytest.approx(limit)
            assert score <= 1 + 1e-6
        if row["slack"] > 0:  # its slack moves it onto the margin
            sign = 1 if row["class"] == 1 else -1
            assert sign * (np.dot(w, row["foot"]) + b) == pytest.approx(1, abs=1e-6)
    assert found["supporting"] == sum(row["alpha"] > 0 for row in found["rows"])


@pytest.mark.parametrize("C", ["hard", "100", "1"])
@pytest.mark.parametrize("data", [CLOUDS, FAR], ids=["clouds", "far"])
def test_a_row_that_supports_nothing_moves_nothing_but_the_gaussian_line(data, C):
    found = told("machine", data, C)
    idle = [row["row"] for row in found["rows"] if row["role"] == "none" and row["signed"] > 1.5]
    assert len(idle) > 5
    for row in idle:
        away = np.array(found["weights"][:2]) * (1 if data.y[row] == 1 else -1)
        X = [list(x) for x in data.X]
        X[row] = (np.array(X[row]) + away / np.linalg.norm(away)).tolist()
        moved = told("machine", type(data)(X, data.y, data.names, data.classes), C)
        assert moved["weights"] == pytest.approx(found["weights"], abs=2e-5)
        assert moved["margin"] == pytest.approx(found["margin"], rel=1e-5)
        assert [each["role"] for each in moved["rows"]] == [each["role"] for each in found["rows"]]
        assert not np.allclose(moved["gaussian"], found["gaussian"], rtol=1e-3)


@every_set
def test_the_gaussian_line_is_that_of_scikit_learn(data):
    X, y = np.array(data.X), np.array(data.y)
    other = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    scale = (len(y) - 2) / len(y)  # scikit-learn divides the scatter by n
    *w, b = told("machine", data, "1")["gaussian"]
    assert w == pytest.approx(other.coef_[0] * scale, rel=1e-5)
    prior = np.log((y == 1).sum() / (y == 0).sum())
    assert b - prior == pytest.approx((other.intercept_[0] - prior) * scale, rel=1e-5)


def test_rows_on_one_line_have_no_gaussian_line():
    flat = type(EIGHT)([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]], [0, 0, 1, 1], EIGHT.names, EIGHT.classes)
    found = told("machine", flat)
    assert found["gaussian"] is None
    assert found["gaussian_errors"] is None
    assert found["margin"] == pytest.approx(2**0.5 / 2)


def test_a_hard_margin_that_does_not_exist():
    assert "no line separates" in asked("machine", OVERLAP)["error"]
    assert "same class" in asked("machine", type(XOR)(XOR.X, [1] * 4, XOR.names, XOR.classes))["error"]
    assert told("solving", CLOUDS)["iteration"] == []


@every_set
def test_the_path_has_the_machines_of_all_c(data):
    found = told("path", data)
    for k, C in enumerate(reversed(SOFT)):
        one = told("machine", data, C)
        assert found["log_C"][k] == pytest.approx(np.log10(float(C)))
        assert found["margin"][k] == pytest.approx(one["margin"], rel=3e-3)
        assert found["slack"][k] == pytest.approx(one["slack"], rel=3e-3, abs=1e-4)
    assert all(np.diff(found["slack"]) <= 1e-4)  # the dearer slack is, the less of it
    assert all(np.diff(found["margin"]) <= 1e-4)


@every_set
def test_primal_and_dual_close_in(data):
    found, best = told("solving", data, "1"), told("machine", data, "1")
    assert all(np.diff(found["dual"]) >= 0)
    assert max(found["dual"]) <= best["primal"] * (1 + 1e-7)
    assert min(found["primal"]) >= best["dual"] * (1 - 1e-7)
    assert found["primal"][-1] == pytest.approx(found["dual"][-1], rel=2e-6)
