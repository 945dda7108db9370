"""What the lab answers is what the library says."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import novikoff
from novikoff import Perceptron, load_trace, separability, theory
from novikoff.lab.scenes import packed, unpacked
from novikoff.studies.tracing import trace
from page_engine import DEMONSTRATIONS, EIGHT, OVERLAP, TOUCHING, XOR, answer

PRESETS = [(demo, preset) for demo in DEMONSTRATIONS.values() for preset in demo.presets]
every_preset = pytest.mark.parametrize(("demo", "preset"), PRESETS, ids=lambda each: each.name)


def told(demo, ask, data, **parameters):
    message = {"demo": demo, "ask": ask, "data": data.as_dict(), "parameters": parameters}
    found = answer(json.loads(json.dumps(message)))
    assert "error" not in found, found
    return found["answer"]


def test_the_catalogue_is_json_and_names_every_demonstration():
    known = answer({"ask": "catalogue"})["answer"]
    assert [each["name"] for each in known["demonstrations"]] == list(DEMONSTRATIONS)
    assert known["glossary"] == sorted(known["glossary"])
    for each in known["demonstrations"]:
        assert each["text"]
        assert each["task"]
        assert each["presets"]


@every_preset
def test_every_question_of_every_preset_is_answered(demo, preset):
    parameters = preset.parameters
    for name, ask in demo.asks.items():
        if ask.by_itself:
            first, second = (told(demo.name, name, preset.data, **parameters) for _ in range(2))
            assert first == second  # a pure function


@every_preset
def test_python_for_a_view_runs(demo, preset, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code = told(demo.name, "python", preset.data, **preset.parameters)["code"]
    names: dict = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(code, "view", "exec"), names)
    assert sorted(map(list, names["X"])) == sorted(preset.data.X)


@pytest.mark.parametrize("order", ["cyclic", "sorted", "shuffle", "alternate", "worst"])
@pytest.mark.parametrize("bias", ["one", "radius", "none"])
def test_the_stepper_shows_the_trace(order, bias):
    start, eta = [1.0, -2.0, 0.0 if bias == "none" else 0.5], 0.75
    found = told("perceptron", "trace", OVERLAP, order=order, bias=bias, start=start, eta=eta, seed=3)
    place = np.argsort(-np.array(OVERLAP.y), kind="stable") if order == "sorted" else np.arange(len(OVERLAP.y))
    X, y = np.array(OVERLAP.X)[place], np.array(OVERLAP.y)[place]
    learner = Perceptron(
        eta,
        order="cyclic" if order == "sorted" else order,
        init=[start],
        max_iter=200,
        min_progress=None,
        keep="last",
        fit_intercept=bias != "none",
        intercept_scaling="radius" if bias == "radius" else 1.0,
        random_state=3,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # most of them do not end
        steps = trace(learner, X, y, max_updates=1000, every_row=True)
    shown = found["steps"]
    assert [each["row"] for each in shown] == place[steps.row].tolist()
    assert [each["score"] for each in shown] == steps.scores[:, 0].tolist()
    assert [each["after"] for each in shown] == steps.after[:, 0].tolist()
    assert [each["before"] for each in shown] == steps.before[:, 0].tolist()
    assert [each["moved"] for each in shown] == steps.moved.tolist()
    for each in shown:
        assert each["moved"] == (each["signed"] <= 0)
        assert each["errors"] == sum(
            (np.dot(each["after"][:2], x) + each["after"][2] > 0) != (k == 1) for x, k in zip(X, y, strict=True)
        )


@pytest.mark.parametrize("batch", ["2", "4", "all"])
@pytest.mark.parametrize("data", [EIGHT, OVERLAP], ids=["eight", "overlap"])
def test_the_steps_of_batches_are_those_of_the_lecture(data, batch):
    start, eta = [-2.0, -3.0, 2.0], 0.125  # sums of eighths are exact
    found = told("perceptron", "trace", data, batch=batch, start=start, eta=eta)
    X = np.column_stack([data.X, np.ones(len(data.y))])
    signs = np.where(np.array(data.y) == 1, 1, -1)
    size = len(signs) if batch == "all" else int(batch)
    w, first = np.array(start), 0
    for step in found["steps"]:
        rows = list(range(first, min(first + size, len(signs))))
        scores = X[rows] @ w
        wrong = signs[rows] * scores <= 0
        assert [each["row"] for each in step["rows"]] == rows
        assert [each["score"] for each in step["rows"]] == scores.tolist()
        assert [each["wrong"] for each in step["rows"]] == wrong.tolist()
        assert step["before"] == w.tolist()
        w = w + eta * (signs[rows][wrong] @ X[rows][wrong])
        assert step["after"] == w.tolist()
        assert step["moved"] == wrong.any()
        first = rows[-1] + 1 if rows[-1] + 1 < len(signs) else 0
    assert len(found["steps"]) > 1


def test_one_pass_has_all_four_cases_of_a_mistake():
    (cases,) = [each for each in DEMONSTRATIONS["perceptron"].presets if each.name == "cases"]
    steps = told("perceptron", "trace", cases.data, **cases.parameters)["steps"][:4]
    assert {(step["y"], step["x"][0] > 0) for step in steps} == {(1, True), (1, False), (-1, True), (-1, False)}
    for step in steps:
        assert step["signed"] < 0
        assert (step["after"][0] > step["before"][0]) == (step["y"] * step["x"][0] > 0)


def test_every_question_of_the_lectures_has_a_place_to_try_it():
    questions = answer({"ask": "catalogue"})["answer"]["questions"]
    for each in questions:
        assert each["preset"] in [preset.name for preset in DEMONSTRATIONS[each["demo"]].presets], each["text"]
        assert each["hint"].endswith((".", "?"))
    shown = {"neuron", "regression", "separation"}  # what the lectures say, without a question
    assert {each["demo"] for each in questions} == set(DEMONSTRATIONS) - shown
    marked = Counter(each["place"] for each in questions if each["marked"])  # one exercise of 11.65.1 asks three
    assert marked == {"L0 11.62": 2, "L0 11.63": 7, "L0 11.64": 1, "L0 11.65": 1, "L0 11.65.1": 3, "L0 11.70": 1}


def test_the_last_line_of_the_eight_points_has_its_margin():
    last = told("perceptron", "trace", EIGHT)["steps"][-1]
    w, b = last["after"][:2], last["after"][2]
    assert last["margin"] == pytest.approx(theory.margin(EIGHT.X, EIGHT.y, [w], [b]))


def test_a_guess_is_judged():
    steps = told("perceptron", "trace", EIGHT, start=[-2.0, -3.0, 2.0], eta=0.5)["steps"]
    message = {"demo": "perceptron", "ask": "guess", "data": EIGHT.as_dict()}
    message["parameters"] = {"start": [-2.0, -3.0, 2.0], "eta": 0.5}
    for number, step in enumerate(steps[:10]):
        right = answer(message | {"more": {"step": number, "weights": step["after"]}})["answer"]
        wrong = answer(message | {"more": {"step": number, "weights": [9.0, *step["after"][1:]]}})["answer"]
        assert right["right"]
        assert not wrong["right"]
        assert ("w\u2081" in wrong["said"]) == step["moved"]
    assert "no such step" in answer(message | {"more": {"step": 10**6, "weights": [0, 0, 0]}})["error"]
    assert "three numbers" in answer(message | {"more": {"step": 0, "weights": ["0", 0, 0]}})["error"]


@pytest.mark.parametrize("bias", ["one", "none"])
@pytest.mark.parametrize("data", [EIGHT, XOR, TOUCHING, OVERLAP], ids=["eight", "xor", "touching", "overlap"])
def test_a_verdict_is_the_provers(data, bias):
    proof = separability(data.X, data.y, max_margin=True, fit_intercept=bias == "one", feature_names=data.names)
    found = told("verdict", "verdict", data, bias=bias)
    assert found["kind"] == proof.kind
    assert found["separable"] == proof.separable
    assert found["margin"] == proof.margin
    assert found["margin_bounds"] == (list(proof.margin_bounds) if proof.separable else None)
    assert found["mistake_bound"] == (str(proof.mistake_bound) if proof.separable else None)
    exact = told("verdict", "fractions", data, bias=bias)
    if found["separable"]:
        w1, w2, b = map(Fraction, exact["weights"])
        scores = [
            (2 * k - 1) * (w1 * Fraction(x) + w2 * Fraction(y) + b) for (x, y), k in zip(data.X, data.y, strict=True)
        ]
        assert min(scores) == 1
        assert found["support"] == [row for row, score in enumerate(scores) if score == 1]
        return
    shares = [Fraction(each) for each in exact["shares"]]
    if bias == "one":  # both means are the same point, exactly
        points = {
            k: [
                sum(
                    share * Fraction(data.X[each["row"]][j])
                    for share, each in zip(shares, found["witness"], strict=True)
                    if each["class"] == k
                )
                for j in range(2)
            ]
            for k in (0, 1)
        }
        assert points[0] == points[1] == [Fraction(each) for each in exact["common"]]
        assert found["common"] == [float(each) for each in points[0]]
        assert sum(share for share, each in zip(shares, found["witness"], strict=True) if each["class"] == 0) == 1


def test_the_files_of_a_verdict_are_checked_by_the_plain_checker(tmp_path):
    import subprocess
    import sys

    from novikoff.proof.check import plain

    for data in (EIGHT, XOR, OVERLAP):
        found = told("verdict", "certificate", data)
        for part, name in (("certificate", "certificate.json"), ("rows", "rows.csv")):
            (tmp_path / name).write_text(found[part], encoding="utf8")
        words = [sys.executable, plain.__file__, "certificate.json", "rows.csv"]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["and", "or", "clouds", "narrow"])
def test_curves_keep_the_inequalities_of_the_proof(name):
    (preset,) = [each for each in DEMONSTRATIONS["bound"].presets if each.name == name]
    found = told("bound", "curves", preset.data, eta=0.5)
    assert int(found["bound"]) == theory.novikoff_bound(preset.data.X, preset.data.y, eta=0.5)
    assert found["mistakes"] <= int(found["bound"])
    for low, length, high in zip(found["lower"], found["squared"], found["upper"], strict=True):
        if length is not None:
            assert low * (1 - 1e-12) <= length <= high * (1 + 1e-12)
    fall = np.diff(found["gap"])
    assert np.all(fall <= -found["guaranteed"] * np.diff(found["gap_k"]) * (1 - 1e-9))


def test_too_small_a_multiple_guarantees_nothing():
    (narrow,) = [each for each in DEMONSTRATIONS["bound"].presets if each.name == "narrow"]
    found = told("bound", "curves", narrow.data, share=0.25)
    assert found["guaranteed"] < 0 < found["grew"]
    assert "no" in told("bound", "curves", XOR)["said"]
    assert told("bound", "curves", XOR)["separable"] is False


# Scenes


def scene_of(data, **more):
    return {"version": 1, "demo": "perceptron", "data": data.as_dict(), "parameters": {}, "view": {}, **more}


def test_a_scene_survives_its_address():
    scene = scene_of(EIGHT, view={"step": 3})
    assert unpacked(packed(scene)) == scene
    checked = answer({"ask": "scene", "scene": scene})["answer"]
    assert checked["parameters"]["eta"] == 1.0
    assert packed(scene).isascii()


def test_five_hundred_rows_fit_into_a_link(rng):
    X = rng.integers(-4096, 4096, (500, 2)) / 64
    data = {"X": X.tolist(), "y": [0, 1] * 250, "names": ["a", "b"], "classes": ["no", "yes"]}
    scene = scene_of(EIGHT) | {"data": data}
    assert len(packed(scene)) < 16_000
    assert unpacked(packed(scene))["data"] == data


HOSTILE = [
    ("no scene of version", {"version": 2}),
    ("There is no demonstration", {"demo": 7}),
    ("one entry for each row", {"data": EIGHT.as_dict() | {"y": [0]}}),
    ("from 1 to 500", {"data": EIGHT.as_dict() | {"X": [[0.0, 0.0]] * 501, "y": [0] * 501}}),
    ("not 2 numbers", {"data": EIGHT.as_dict() | {"X": [[0.0, "1"]] * 8}}),
    ("not 2 numbers", {"data": EIGHT.as_dict() | {"X": [[0.0, 1e300]] * 8}}),
    ("not 2 numbers", {"data": EIGHT.as_dict() | {"X": [[True, 1.0]] * 8}}),
    ("whole number from 0 to 1", {"data": EIGHT.as_dict() | {"y": [2] * 8}}),
    ("Names in a scene", {"data": EIGHT.as_dict() | {"names": ["a", "b" * 1000]}}),
    ("at least two classes", {"data": EIGHT.as_dict() | {"classes": ["a"]}}),
]


@pytest.mark.parametrize(("why", "change"), HOSTILE)
def test_scenes_that_are_none_are_refused(why, change):
    assert why in answer({"ask": "scene", "scene": scene_of(EIGHT) | change})["error"]


def test_hostile_links_are_refused():
    for text in ("", "%%%", "AAAA", packed(scene_of(EIGHT))[:-8], packed({"version": 1, "x": "a" * 5_000_000})):
        with pytest.raises(ValueError, match="no scene"):
            unpacked(text)


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (None, "There is no question"),
        ({"ask": "files"}, "There is no question"),
        ({"ask": "trace", "demo": "../../etc"}, "There is no demonstration"),
        ({"ask": "trace", "demo": ["perceptron"]}, "There is no demonstration"),
        ({"ask": "open", "demo": "perceptron", "data": EIGHT.as_dict()}, "there is no question"),
        ({"ask": "trace", "demo": "perceptron", "data": EIGHT.as_dict(), "parameters": {"shell": 1}}, "The parameters"),
        ({"ask": "trace", "demo": "perceptron", "data": EIGHT.as_dict(), "parameters": {"eta": "1"}}, "give a number"),
        ({"ask": "trace", "demo": "perceptron", "data": EIGHT.as_dict(), "parameters": {"order": []}}, "choices"),
        ({"ask": "trace file", "trace": {"format": "x"}}, "traces of a Perceptron"),
    ],
)
def test_messages_that_are_none_are_refused(message, why):
    assert why in answer(message)["error"]


def test_a_trace_that_is_dropped_becomes_a_scene(tmp_path):
    learner = Perceptron(0.5, order="cyclic", init=[[1.0, -1.0, 0.25]], keep="last", min_progress=None)
    labels = np.array(["<b>no", "yes"])[EIGHT.y]
    trace(learner, EIGHT.X, labels, every_row=True).save(tmp_path / "steps.json")
    given = json.loads((tmp_path / "steps.json").read_text())
    scene = answer({"ask": "trace file", "trace": given})["answer"]
    assert scene["data"]["classes"] == ["<b>no", "yes"]
    message = {"demo": scene["demo"], "ask": "trace", "data": scene["data"], "parameters": scene["parameters"]}
    shown = answer(message)["answer"]["steps"]
    assert [each["after"] for each in shown] == load_trace(tmp_path / "steps.json").after[:, 0].tolist()


def test_the_server_starts_without_heavy_imports():
    import subprocess
    import sys

    words = "import sys, novikoff.lab.starting, novikoff.lab.page_export; print([m for m in ('sklearn', 'numba', 'starlette') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True).stdout == "[]\n"
    assert novikoff.__version__
