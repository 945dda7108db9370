"""The page's engine against the library: scenes at random, bit for bit where nothing is rounded, verdicts by the plain checker, machines by
their gap.  Quick ones always; the slow ones are more than two thousand."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

from novikoff import KernelPerceptron, Perceptron, separability, trace
from novikoff.estimators.learners import LEARNERS
from novikoff.proof.check import plain
from novikoff.theory import boolean_network
from page_engine import answers

ULPS = 4  # of each step of a rule with exp or a division

few_and_many = pytest.mark.parametrize(
    "share", [pytest.param(0.05, id="few"), pytest.param(1.0, id="many", marks=pytest.mark.slow)]
)


def drawn(rng, classes=2, rows=(2, 14)):
    """Rows on a coarse grid, so that sums and products are exact, with at least two classes."""
    n = int(rng.integers(max(rows[0], classes), rows[1] + 1))
    X = rng.integers(-12, 13, (n, 2)) / 2 ** rng.integers(0, 3)
    y = rng.integers(0, classes, n)
    y[:2] = [0, 1]
    names = [chr(65 + k) for k in range(classes)]
    return {"X": X.tolist(), "y": y.tolist(), "names": ["a", "b"], "classes": names}


def told(messages):
    found = answers(messages)
    assert [each["error"] for each in found if "error" in each] == []
    return [each["answer"] for each in found]


def quiet_trace(learner, data, most, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return trace(learner, np.array(data["X"]), np.array(data["y"]), max_updates=most, **more)


@few_and_many
def test_verdicts_are_proved(rng, share):
    scenes = [(drawn(rng), str(rng.choice(["one", "none"]))) for _ in range(int(1000 * share))]
    messages = [{"demo": "verdict", "data": data, "parameters": {"bias": bias}} for data, bias in scenes]
    files = told([each | {"ask": "certificate"} for each in messages])
    shown = told([each | {"ask": "verdict"} for each in messages])
    for (data, _), found, verdict in zip(scenes, files, shown, strict=True):
        certificate = json.loads(found["certificate"])
        plain.check(certificate, data["X"], [data["classes"][k] for k in data["y"]])
        claims = {claim["claim"]: claim for claim in certificate["claims"]}
        assert verdict["kind"] in claims
        if verdict["separable"]:
            low, high = verdict["margin_bounds"]
            assert claims["complete"]["margin"] == low <= claims["margin at most"]["margin"] == high
            assert np.nextafter(low, np.inf) >= high
    for (data, bias), verdict in list(zip(scenes, shown, strict=True))[:100]:
        proof = separability(data["X"], data["y"], fit_intercept=bias == "one", max_margin=True)
        assert verdict["kind"] == proof.kind
        if proof.separable:  # the library's is a lower bound, too, and may be a little smaller
            assert proof.margin <= verdict["margin"] <= proof.margin * (1 + 1e-9)
        assert verdict["mistake_bound"] == (str(proof.mistake_bound) if proof.separable else None)


@few_and_many
def test_the_fewest_rows_must_go(rng, share):
    from itertools import combinations

    scenes = [drawn(rng, rows=(3, 7)) for _ in range(int(100 * share))]
    bias = [str(rng.choice(["one", "none"])) for _ in scenes]
    found = told(
        [
            {"demo": "verdict", "ask": "fewest", "data": data, "parameters": {"bias": each}}
            for data, each in zip(scenes, bias, strict=True)
        ]
    )

    def separable(data, left, through):
        y = [data["y"][row] for row in left]
        return (len(set(y)) < 2 and (not through or all(any(data["X"][row]) for row in left))) or (
            len(set(y)) == 2
            and bool(separability([data["X"][row] for row in left], y, fit_intercept=not through).separable)
        )

    for data, each, through in zip(scenes, found, [one == "none" for one in bias], strict=True):
        rows = range(len(data["y"]))
        assert separable(data, [row for row in rows if row not in each["rows"]], through)
        if each["count"]:
            assert not any(
                separable(data, [row for row in rows if row not in gone], through)
                for gone in combinations(rows, each["count"] - 1)
            )


@few_and_many
def test_perceptrons_take_the_same_steps(rng, share):
    scenes = []
    for _ in range(int(500 * share)):
        parameters = {
            "order": str(rng.choice(["cyclic", "shuffle", "random", "alternate", "worst"])),
            "batch": str(rng.choice(["1", "1", "2", "4", "all"])),
            "bias": str(rng.choice(["one", "radius", "none"])),
            "seed": int(rng.integers(1000)),
            "eta": float(rng.choice([0.25, 0.5, 1.0, 3.0])),
            "start": (rng.integers(-8, 9, 3) / 4).tolist(),
        }
        if parameters["bias"] == "none":
            parameters["start"][2] = 0.0
        if parameters["order"] == "worst":
            parameters["batch"] = "1"
        if parameters["batch"] == "all":
            parameters["order"] = "cyclic"
        scenes.append({"demo": "perceptron", "ask": "trace", "data": drawn(rng), "parameters": parameters})
    for scene, found in zip(scenes, told(scenes), strict=True):
        p = scene["parameters"]
        learner = Perceptron(
            p["eta"],
            order=p["order"],
            batch_size="all" if p["batch"] == "all" else int(p["batch"]),
            keep="last",
            init=[p["start"]],
            max_iter=200,
            min_progress=None,
            fit_intercept=p["bias"] != "none",
            intercept_scaling="radius" if p["bias"] == "radius" else 1.0,
            random_state=p["seed"],
        )
        steps = quiet_trace(learner, scene["data"], 1000, every_row=True)
        assert [each["after"] for each in found["steps"]] == steps.after[:, 0].tolist()
        assert [each["moved"] for each in found["steps"]] == steps.moved.tolist()
        assert [each["pass"] for each in found["steps"]] == steps.pass_number.tolist()
        assert (found["complete"], found["passes"]) == (steps.complete, steps.estimator.n_iter_)
        if p["batch"] == "1":
            assert [each["score"] for each in found["steps"]] == steps.scores[:, 0].tolist()


@few_and_many
def test_several_classes_take_the_same_steps(rng, share):
    scenes = []
    for _ in range(int(200 * share)):
        form, order = str(rng.choice(["worst", "all", "uniform", "ovr"])), str(rng.choice(["cyclic", "shuffle"]))
        parameters = {"form": form, "order": order, "seed": int(rng.integers(1000)), "eta": 12.0}
        scenes.append({"demo": "classes", "ask": "trace", "data": drawn(rng, 3), "parameters": parameters})
        scenes[-1]["data"]["y"][2] = 2
    for scene, found in zip(scenes, told(scenes), strict=True):
        p = scene["parameters"]
        learner = Perceptron(
            p["eta"],
            multiclass=p["form"],
            order=p["order"],
            keep="last",
            max_iter=2000,
            min_progress=None,
            random_state=p["seed"],
        )
        steps = quiet_trace(learner, scene["data"], 250, every_row=True)
        assert [each["after"] for each in found["steps"]] == steps.after.tolist()


RULES = {
    "perceptron": ("Perceptron", ("eta",), {}),
    "delta": ("Adaline", ("eta",), {"solver": "steps", "l2": 0}),
    "neuron": ("LogisticNeuron", ("eta", "slope"), {"loss": "squared", "solver": "steps", "l2": 0}),
    "entropy": ("LogisticNeuron", ("eta", "slope"), {"solver": "steps", "l2": 0}),
    "hinge": ("HingeSGD", ("eta",), {"lam": 0.01}),
    "pa": ("PassiveAggressiveClassifier", (), {"variant": "PA"}),
    "pa1": ("PassiveAggressiveClassifier", ("C",), {"variant": "PA-I"}),
}


@few_and_many
def test_rules_take_the_same_step(rng, share):
    scenes = []
    for _ in range(int(300 * share)):
        data = drawn(rng)
        parameters = {
            "row": int(rng.integers(len(data["y"]))),
            "start": (rng.integers(-8, 9, 3) / 4).tolist(),
            "eta": float(rng.choice([0.0625, 0.25, 1.0])),
            "slope": float(rng.choice([0.5, 1.0, 4.0])),
            "C": float(rng.choice([0.125, 1.0])),
        }
        scenes.append({"demo": "rules", "ask": "row", "data": data, "parameters": parameters})
    makers = {each.name: each.make for each in LEARNERS}
    for scene, found in zip(scenes, told(scenes), strict=True):
        p, data = scene["parameters"], scene["data"]
        first = [p["row"], *(k for k in range(len(data["y"])) if k != p["row"])]
        turned = data | {"X": [data["X"][k] for k in first], "y": [data["y"][k] for k in first]}
        for each in found["rules"]:
            name, takes, more = RULES[each["name"]]
            learner = makers[name](
                **{one: p[one] for one in takes},
                **more,
                order="cyclic",
                keep="last",
                init=[p["start"]],
                min_progress=None,
                max_iter=1,
            )
            after = quiet_trace(learner, turned, 1, every_row=True).after[0, 0]
            exact = each["name"] in ("perceptron", "delta")
            x = np.abs([*data["X"][p["row"]], 1.0])
            scale = np.maximum(np.abs(after), np.abs(p["start"])) + x
            assert (np.abs(after - each["after"]) <= (0 if exact else ULPS) * np.spacing(scale)).all(), each["name"]


@few_and_many
def test_kernel_perceptrons_take_the_same_steps(rng, share):
    scenes = []
    for _ in range(int(100 * share)):
        kernel = str(rng.choice(["poly", "linear"]))
        parameters = {"kernel": kernel, "gamma": 0.5, "degree": int(rng.integers(1, 4))}
        scenes.append({"demo": "kernel", "ask": "kernel", "data": drawn(rng, rows=(2, 8)), "parameters": parameters})
    for scene, found in zip(scenes, told(scenes), strict=True):
        p = scene["parameters"]
        learner = KernelPerceptron(
            p["kernel"],
            degree=p["degree"],
            gamma=0.5,
            coef0=1.0,
            order="cyclic",
            keep="last",
            max_iter=100,
            min_progress=None,
        )
        steps = quiet_trace(learner, scene["data"], 200, every_row=True)
        assert [each["score"] for each in found["steps"]] == steps.scores[:, 0].tolist()
        assert found["complete"] == steps.complete
        last = found["states"][-1]
        assert last["alpha"] == np.abs(steps.after[-1, 0, :-1]).tolist()


@few_and_many
def test_machines_have_a_small_gap(rng, share):
    scenes = []
    for _ in range(int(200 * share)):
        parameters = {"C": str(rng.choice(["100", "10", "1", "0.1", "0.01"]))}
        scenes.append({"demo": "support", "ask": "machine", "data": drawn(rng, rows=(4, 25)), "parameters": parameters})
    for scene, found in zip(scenes, told(scenes), strict=True):
        X, C = np.array(scene["data"]["X"]), float(scene["parameters"]["C"])
        y = np.where(np.array(scene["data"]["y"]) == 1, 1.0, -1.0)
        alpha, (*w, b) = np.array([row["alpha"] for row in found["rows"]]), found["weights"]
        assert found["gap"] <= 1e-9
        v = (alpha * y) @ X
        primal = np.dot(w, w) / 2 + C * np.maximum(0, 1 - y * (X @ w + b)).sum()
        assert primal - (alpha.sum() - v @ v / 2) <= 1e-5 * primal + 1e-6 * C * len(y)  # of numbers with eight digits
        assert abs(alpha @ y) <= 1e-6 * C * len(y)
        assert ((alpha >= 0) & (alpha <= C * (1 + 1e-7))).all()


@few_and_many
def test_networks_compute_their_functions_with_as_few_units(rng, share):
    tables = [rng.integers(0, 2, 2 ** int(rng.integers(1, 5))).tolist() for _ in range(int(120 * share))]
    messages = []
    for table in tables:
        inputs = len(table).bit_length() - 1
        X = [[(k >> (inputs - 1 - j)) & 1 for j in range(inputs)] for k in range(len(table))]
        data = {"X": X, "y": table, "names": [f"x{j}" for j in range(inputs)], "classes": ["0", "1"]}
        messages.append({"demo": "boolean", "ask": "network", "data": data})
    for table, found in zip(tables, told(messages), strict=True):
        assert [int(row["total"] > 0) for row in found["rows"]] == table
        assert found["units"] == boolean_network(table).n_units
