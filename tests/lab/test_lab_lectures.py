"""A neuron, sums of losses, regression, separation and the perceptron's conventions: what the page is told is what plain Python and the library say;
and every item of the lectures has a place."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from test_lab_engine import drawn, few_and_many
from test_lab_engine import told as told_all

from common import ROOT
from lecture_table import lecture_table
from novikoff import AdalineRegressor, LogisticNeuron, separability, theory
from novikoff.lab.own_data.file_columns import columns_of
from novikoff.rows.readers.reading_options import Reading
from novikoff.tables.progress import Watcher
from page_engine import CLOUDS, DEMONSTRATIONS, EIGHT, NEARLY, ONE_FAR, OVERLAP, TOUCHING, answer, points

MEASURED = points("regression", "measured")


def told(demo, ask, data, **parameters):
    found = answer({"demo": demo, "ask": ask, "data": data.as_dict(), "parameters": parameters})
    assert "answer" in found, found
    return found["answer"]


def signs_of(data):
    return np.where(np.array(data.y) == 1, 1.0, -1.0)


@pytest.mark.parametrize("output", ["above", "least", "linear", "smooth"])
@pytest.mark.parametrize("point", [[3.0, 1.0], [0.5, 0.25], [-1.0, 2.0]])
def test_a_neuron_weighs_adds_and_compares(output, point):
    found = told("neuron", "unit", OVERLAP, weights=[1.0, -2.0], theta=0.0, point=point, output=output)
    w = np.array([1.0, -2.0])
    a = float(w @ point)
    answers = {"above": 1 if a > 0 else -1, "least": 1 if a >= 0 else -1, "linear": a, "smooth": 1 / (1 + np.exp(-a))}
    assert found["score"] == a
    assert found["output"] == pytest.approx(answers[output])
    assert found["distance"] == pytest.approx(a / np.linalg.norm(w))
    assert w @ found["foot"] == pytest.approx(0, abs=1e-12)
    signed = signs_of(OVERLAP) * (np.array(OVERLAP.X) @ w)
    assert [each["signed"] for each in found["rows"]] == signed.tolist()
    positive = np.array(OVERLAP.X) @ w >= 0 if output == "least" else np.array(OVERLAP.X) @ w > 0
    assert found["errors"] == (positive != (np.array(OVERLAP.y) == 1)).sum()


def test_a_threshold_moves_the_line():
    found = told("neuron", "unit", EIGHT, weights=[3.0, 4.0], theta=10.0, point=[2.0, 1.0])
    assert (found["bias"], found["score"], found["output"]) == (-10, 0, -1)  # a tie: minus one, as L3 and L4 have it
    assert found["from_origin"] == -2
    assert (
        told("neuron", "unit", EIGHT, weights=[3.0, 4.0], theta=10.0, point=[2.0, 1.0], output="least")["output"] == 1
    )


def test_sums_of_losses():
    w = [1.0, -0.5, 0.25]
    found = told("losses", "sums", OVERLAP, start=w, slope=2.0)
    m = signs_of(OVERLAP) * (np.column_stack([OVERLAP.X, np.ones(len(OVERLAP.y))]) @ w)
    sums = {each["name"]: each["sum"] for each in found["sums"]}
    assert found["mean_all"] == pytest.approx(-m.mean())
    assert found["unit"] == (m <= 0).mean()
    assert sums["perceptron"] == pytest.approx(np.maximum(0, -m).sum())
    assert found["weighed"] == pytest.approx(4 * sums["perceptron"])
    assert sums["entropy"] == pytest.approx(np.log1p(np.exp(-2 * m)).sum())


def test_the_sum_over_all_rows_leads_away_from_a_line_that_separates():
    found = told("descent", "bowl", ONE_FAR, start=[0.0, 0.25], eta=0.01, bowl="all")
    X, t = np.array(ONE_FAR.X), signs_of(ONE_FAR)
    assert (t * (X @ [0.0, 0.25]) > 0).all()  # the start is right
    for before, after in zip(found["path"], found["path"][1:], strict=False):
        np.testing.assert_allclose(np.subtract(after, before), 0.01 * t @ X, rtol=1e-9)
    assert found["wrong"] == (t * (X @ found["path"][-1]) <= 0).sum() > 0
    assert np.diff(found["errors"]).max() < 0


def test_descent_on_flat_and_weighed_sums():
    assert len({tuple(w) for w in told("descent", "bowl", OVERLAP, bowl="flat")["path"]}) == 1
    weighed = told("descent", "bowl", EIGHT, start=[-2.0, -1.0], eta=0.01, bowl="weighed")
    plain = told("descent", "bowl", EIGHT, start=[-2.0, -1.0], eta=0.04, bowl="perceptron")
    np.testing.assert_allclose(weighed["path"], plain["path"], rtol=1e-12)


def test_row_by_row_beside_all_at_once():
    found = told("descent", "bowl", OVERLAP, start=[-1.0, 1.0], eta=0.03)
    w = np.array([-1.0, 1.0])
    for k, (x, t) in enumerate(zip(OVERLAP.X * 2, np.tile(signs_of(OVERLAP), 2), strict=True)):
        w = w + 0.03 * (t - w @ x) * np.array(x)
        np.testing.assert_allclose(found["row_by_row"][k + 1], w, rtol=1e-9)


def test_regression_takes_the_steps_of_the_library():
    found = told("regression", "regression", MEASURED, eta=0.125, passes=5)
    learned = np.array([x for x, held in zip(MEASURED.X, MEASURED.y, strict=True) if not held])
    x, t = learned.T
    np.testing.assert_allclose(found["direct"], np.polyfit(x, t, 1), rtol=1e-9)
    learner = AdalineRegressor(
        solver="steps", eta=0.125, l2=0, order="cyclic", keep="last", init=[[0.0, 0.0]], min_progress=None, max_iter=5
    )
    learner.fit(x[:, None], t)
    np.testing.assert_allclose(
        found["steps"][-1]["after"], [learner.coef_.ravel()[0], np.ravel(learner.intercept_)[0]], rtol=1e-9
    )
    w = np.zeros(2)
    rows = np.column_stack([x, np.ones(len(x))])
    for step in found["batch"]:
        np.testing.assert_allclose(step, w, rtol=1e-9, atol=1e-12)
        w = w + 0.125 * rows.T @ (t - rows @ w)


@few_and_many
def test_logistic_regression_is_at_its_minimum(rng, share):
    scenes = [
        {"demo": "separation", "ask": "live", "data": drawn(rng), "parameters": {"l2": float(l2)}}
        for l2 in rng.choice([1.0, 0.01, 1e-4], int(200 * share))
    ]
    for scene, found in zip(scenes, told_all(scenes), strict=True):
        X = np.column_stack([scene["data"]["X"], np.ones(len(scene["data"]["y"]))])
        t, l2, w = 2.0 * np.array(scene["data"]["y"]) - 1, scene["parameters"]["l2"], np.array(found["chosen"])
        slope = -(t / (1 + np.exp(t * (X @ w)))) @ X + l2 * w * [1, 1, 0]
        assert np.abs(slope).max() < 1e-6 * (1 + np.abs(X).max())
        assert found["infinite"] == (found["kind"] != "overlap")
        assert (found["estimate"] is None) == found["infinite"]
        if found["direction"]:
            assert (t * (X @ found["direction"])).min() >= -1e-9


def test_logistic_regression_is_the_librarys():
    for data in (OVERLAP, CLOUDS):
        found = told("separation", "live", data, l2=0.01)
        neuron = LogisticNeuron(l2=0.01, solver="newton", tol=1e-12).fit(data.X, data.y)
        np.testing.assert_allclose(found["chosen"], [*neuron.coef_[0], *neuron.intercept_], rtol=1e-4)


@pytest.mark.parametrize("data", [NEARLY, TOUCHING, OVERLAP], ids=["nearly", "touching", "overlap"])
def test_coefficients_grow_exactly_where_they_are_proved_to(data):
    found = told("separation", "live", data)
    assert found["kind"] == separability(data.X, data.y).kind
    grown = found["lengths"][-1] / found["lengths"][-2]
    assert (grown > 1.1) == found["infinite"]
    if not found["infinite"]:
        assert found["estimate"]["weights"] == pytest.approx([found[name][-1] for name in ("w1", "w2", "b")], rel=1e-5)


def perceptron_twin(data, start, eta, mistaken, passes):
    w, after = np.array(start), []
    for _ in range(passes):
        moved = False
        for x, t in zip(data.X, signs_of(data), strict=True):
            row = np.array([*x, 1.0])
            if mistaken(t, w @ row):
                w, moved = w + eta * t * row, True
            after.append(w.tolist())
        if not moved:
            break
    return after


@pytest.mark.parametrize("start", [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [1.0, -2.0, 0.5]])
@pytest.mark.parametrize("data", [EIGHT, CLOUDS], ids=["eight", "clouds"])
@pytest.mark.parametrize(
    ("tie", "mistaken"),
    [("strict", lambda t, a: t * a < 0), ("least", lambda t, a: (1 if a >= 0 else -1) != t)],
    ids=["strict", "least"],
)
def test_what_counts_as_a_mistake(start, data, tie, mistaken):
    found = told("perceptron", "trace", data, start=start, tie=tie)
    assert [each["after"] for each in found["steps"]] == perceptron_twin(data, start, 1.0, mistaken, 200)
    if found["complete"] and tie == "strict" and start == [0.0, 0.0, 0.0]:
        assert found["updates"] == 0
        assert "on the line" in found["ending"]


def test_it_stops_at_a_small_change():
    whole = told("perceptron", "trace", OVERLAP, start=[2.0, -2.0, 0.0], eta=0.05, batch="all")["steps"]
    found = told("perceptron", "trace", OVERLAP, start=[2.0, -2.0, 0.0], eta=0.05, batch="all", theta=0.1)
    changes = [np.linalg.norm(np.subtract(each["after"], each["before"])) for each in found["steps"]]
    assert changes[-1] < 0.1 <= min(changes[:-1])
    assert [each["after"] for each in found["steps"]] == [each["after"] for each in whole][: len(changes)]
    assert "no proof" in found["ending"]


def test_rows_turned_over_take_the_same_steps():
    same = {"start": [-3.0, 2.0, 0.0], "eta": 0.25, "bias": "none"}
    one, other = (told("perceptron", "trace", EIGHT, **same, flip=flip) for flip in ("no", "yes"))
    assert [each["after"] for each in one["steps"]] == [each["after"] for each in other["steps"]]
    assert {each["y"] for each in other["steps"]} == {1}
    assert other["turned"] == [[-a, -b] for (a, b), k in zip(EIGHT.X, EIGHT.y, strict=True) if k == 0]


def test_a_start_is_drawn():
    message = {"demo": "perceptron", "ask": "draw", "data": EIGHT.as_dict(), "parameters": {}}
    first, second = (answer(message | {"more": {"seed": seed}})["answer"]["start"] for seed in (1, 2))
    assert first != second
    assert all(abs(value) <= 4 and 8 * value == round(8 * value) for value in [*first, *second])


def test_the_dual_by_hand_is_below_every_primal():
    data = points("support", "hand")
    best = told("support", "machine", data)["dual"]
    for first, second in [(0.0, 0.0), (0.25, 0.125), (0.1, 0.3), (1.0, 0.0)]:
        found = told("support", "hand", data, dual="hand", hand=[first, second])
        t = signs_of(data)
        assert np.dot(found["alpha"], t) == 0
        w = (np.array(found["alpha"]) * t) @ data.X
        assert found["dual"] == pytest.approx(sum(found["alpha"]) - w @ w / 2)
        assert found["feasible"] == (min(found["alpha"]) >= 0)
        if found["feasible"]:
            assert found["dual"] <= best + 1e-9


@few_and_many
def test_the_smallest_ball_is_the_librarys(rng, share):
    scenes = [
        {"demo": "kernel", "ask": "kernel", "data": drawn(rng), "parameters": {"kernel": "linear", "radius": "ball"}}
        for _ in range(int(100 * share))
    ]
    for scene, found in zip(scenes, told_all(scenes), strict=True):
        assert found["ball"]["radius"] == pytest.approx(float(theory.radius(scene["data"]["X"]).radius), rel=1e-9)


def as_csv(X, labels, between=","):
    names = [f"x{j}" for j in range(len(X[0]))]
    lines = [[*map(repr, row), label] for row, label in zip(X, labels, strict=True)]
    return "\n".join(between.join(line) for line in [[*names, "kind"], *lines]) + "\n"


@few_and_many
def test_a_small_file_is_decided_as_by_the_library(rng, share):
    for _ in range(int(100 * share)):
        n, d = int(rng.integers(4, 60)), int(rng.integers(1, 7))
        X = (rng.integers(-9, 10, (n, d)) / 4).tolist()
        w = rng.normal(size=d)
        y = (np.array(X) @ w + rng.normal(size=n) * rng.choice([0, 0.5]) > 0).astype(int)
        y[:2] = [0, 1]
        found = answer({"ask": "own table", "text": as_csv(X, np.array(["no", "yes"])[y], str(rng.choice([",", ";"])))})
        assert found["answer"]["kind"] == separability(X, y).kind
        weights, signs = found["answer"]["weights"], 2 * y - 1
        if found["answer"]["kind"] == "complete":
            scores = np.column_stack([X, np.ones(n)]) @ [each["value"] for each in weights]
            assert (signs * scores).min() > -1e-12
        else:
            rows = [each["line"] - 2 for each in found["answer"]["witness"]]
            shares = np.array([each["weight"] for each in found["answer"]["witness"]])
            sums = (shares * signs[rows]) @ np.column_stack([X, np.ones(n)])[rows]
            np.testing.assert_allclose(sums, 0, atol=1e-9)
            assert shares.min() > 0


def test_words_missing_values_and_quotes_in_a_file():
    text = 'colour,size,kind\nred,1,"a, b"\nblue,2,c\nblue,NA,c\nred,3,"a, b"\ngreen,4,c\n'
    found = answer({"ask": "own table", "text": text})["answer"]
    assert (found["rows"], found["dropped"], found["classes"]) == (4, 1, ["a, b", "c"])
    assert [each["name"] for each in found["weights"]] == ["colour = green", "colour = red", "size", "bias"]
    other = answer({"ask": "own table", "text": text, "target": "colour", "positive": "red"})["answer"]
    assert (other["target"], other["positive"], other["kind"]) == ("colour", "red", "complete")


@pytest.mark.parametrize(
    ("lines", "target"),
    [
        (["kind,size,year", "a,1.5,2007", "b,2.5,2008", "a,3.5,2007"], "kind"),
        (["size,kind,year", "1.5,a,2007", "2.5,b,2008", "3.5,a,2007"], "kind"),
        (["size,year", "1,2007", "2,2007", "2,2008"], "year"),
        (["y,size", "1,0.5", *(f"{k % 2},{k / 8}" for k in range(30))], "y"),
    ],
)
def test_the_likely_target_is_that_of_python(tmp_path, lines, target):
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    found = columns_of(str(tmp_path / "rows.csv"), Watcher(), Reading())
    assert answer({"ask": "own table", "text": "\n".join(lines)})["answer"]["target"] == found["target"] == target


def test_a_file_without_names_has_numbered_columns():
    found = answer({"ask": "own table", "text": "1,2,yes\n2,1,no\n3,NA,yes\n4,4,no\n"})["answer"]
    assert (found["columns"], found["rows"], found["dropped"]) == (["column 1", "column 2", "column 3"], 3, 1)
    assert {each["line"] for each in found["witness"]} <= {1, 2, 4}


def test_a_column_that_is_left_out_costs_no_row():
    lines = [f"{k},{'' if k % 2 else f'word {k}'},,{'yes' if k > 30 else 'no'}" for k in range(60)]
    found = answer({"ask": "own table", "text": "\n".join(["size,note,empty,kind", *lines])})["answer"]
    assert (found["rows"], found["dropped"], found["left"]) == (60, 0, ["note", "empty"])


def test_many_rows_of_many_columns_are_decided(rng):
    X = rng.normal(size=(5000, 39)).round(3)
    y = np.where(X @ rng.normal(size=39) + rng.normal(size=5000) > 0, "yes", "no")
    found = answer({"ask": "own table", "text": as_csv(X.tolist(), y)})["answer"]
    assert (found["kind"], found["rows"]) == ("overlap", 5000)
    assert len(found["witness"]) <= 41


def test_columns_of_all_sizes_are_decided():
    """Means from 0.003 to 900: unless columns are levelled this takes over a minute, since floats do not help."""
    X, y = load_breast_cancer(return_X_y=True)
    found = answer({"ask": "own table", "text": as_csv(X.tolist(), np.array(["no", "yes"])[y])})["answer"]
    assert (found["kind"], found["rows"]) == ("complete", len(X))
    weights = [each["value"] for each in found["weights"]]
    assert ((2 * y - 1) * (np.column_stack([X, np.ones(len(X))]) @ weights)).min() > 0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a", "no table"),
        ("a,a\n1,2\n", "same name"),
        ("a,b\n1,2,3\n", "Line 2 has 3 fields"),
        ("a,b\n1,2\n", "only one class"),
        ("a,b,c,d,e,f\n" + "".join(f"{k}x," * 5 + f"{k % 2}\n" for k in range(20)), "become 77 columns"),
        ("a,b\n" + "1,2\n" * 5001, "up to 5000 rows"),
        ("a,b\n" + "".join(f"1,{k}\n" for k in range(30)), "up to 20 classes"),
    ],
)
def test_files_that_the_page_cannot_take_are_refused(text, why):
    assert why in answer({"ask": "own table", "text": text})["error"]


# Sections and slides of the lectures: each must have an item or a question.
SECTIONS = {
    "L0": [f"L0 11.{part}" for part in (62, 63, "64", "64.1", "64.2", 65, "65.1", 66, 67, 68, 69, 70)],
    "L1": 30,
    "L2": 12,
    "L3": 15,
    "L4": 11,
}


def test_every_item_of_the_lectures_has_a_place():
    known = answer({"ask": "catalogue"})["answer"]
    both = known["items"] + known["questions"]
    for each in both:
        assert each["preset"] in [preset.name for preset in DEMONSTRATIONS[each["demo"]].presets], each
    assert len({(each["place"], each["text"]) for each in both}) == len(both) >= 120
    places = Counter(each["place"] for each in both)
    assert set(SECTIONS["L0"]) <= set(places)
    for lecture in ("L1", "L2", "L3", "L4"):
        assert places[lecture] >= SECTIONS[lecture], lecture
    assert {each["demo"] for each in known["items"]} == set(DEMONSTRATIONS)


def test_the_table_of_the_lectures_is_the_pages():
    table = lecture_table(answer({"ask": "catalogue"})["answer"])
    assert table in (ROOT / "docs" / "lab-lectures.md").read_text(encoding="utf8")
