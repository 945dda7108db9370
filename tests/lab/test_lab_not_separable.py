"""Cycle, pockets, average and vote in the lab are those of plain Python, exactly."""

from __future__ import annotations

from fractions import Fraction

import pytest

from novikoff import Perceptron
from novikoff.course import plain
from novikoff.proof.answer.separable import separability
from page_engine import DEMONSTRATIONS, EIGHT, NOISY, OVERLAP, TOUCHING, XOR, answer

SETS = {"overlap": OVERLAP, "xor": XOR, "noisy": NOISY, "touching": TOUCHING, "eight": EIGHT}
every_set = pytest.mark.parametrize("data", SETS.values(), ids=SETS)

MOST_STEPS = 400  # that the page can go through


def told(ask, data, **parameters):
    message = {"demo": "inseparable", "ask": ask, "data": data.as_dict(), "parameters": parameters}
    found = answer(message)
    assert "error" not in found, found
    return found["answer"]


def exact(data):
    """Rows with a constant 1, and signs, as fractions."""
    return [[*map(Fraction, x), Fraction(1)] for x in data.X], [1 if label == 1 else -1 for label in data.y]


@every_set
@pytest.mark.parametrize("start", [[0.0, 0.0, 0.0], [2.0, -1.0, 0.5]], ids=["zeros", "elsewhere"])
def test_every_keep_is_that_of_plain_python_after_every_row(data, start):
    found = told("keeps", data, start=start, passes=8, seed=5)
    (X, y), first = exact(data), list(map(Fraction, start))
    draws = [step["row"] for step in found["steps"]]
    assert len(draws) == len(found["k"]) - 1
    functions = {"pocket": plain.pocket, "run": plain.gallant_pocket, "ratchet": plain.ratchet_pocket}
    for k in range(1, len(draws) + 1, 3):
        step = found["steps"][k - 1]
        for name, function in functions.items():
            kept = function(X, y, draws[:k], first)
            assert step["kept"][name] == kept
            assert found[name][k] == plain.count_errors(kept, X, y)
        voters = plain.survivors(X, y, draws[:k], first)
        assert step["after"] == voters[-1][0]
        assert found["now"][k] == plain.count_errors(voters[-1][0], X, y)
        assert found["vote"][k] == sum(plain.vote(voters, x) != label for x, label in zip(X, y, strict=True))
        mean = plain.average(X, y, draws[:k], first)
        assert step["kept"]["average"] == pytest.approx([float(each) for each in mean], rel=1e-12, abs=1e-12)


@every_set
def test_the_ends_are_those_of_fits(data):
    found = told("keeps", data, passes=6, seed=7)
    for keep in ("pocket", "run", "ratchet", "average", "vote"):
        model = Perceptron(order="random", keep=keep, max_iter=6, min_progress=None, max_votes=None, random_state=7)
        assert found[keep][-1] == model.fit(data.X, data.y).n_errors_


@every_set
def test_run_counters_count_right_answers(data):
    steps = told("keeps", data, seed=1)["steps"]
    run = best = best_ratchet = 0
    for step in steps:
        run = 0 if step["moved"] else run + 1
        assert step["moved"] == (step["signed"] <= 0)
        assert step["run_now"] == run
        assert step["longer"] == (run > best_ratchet)
        best = max(best, run)
        assert step["best_run"] == best
        if "ratchet" in step["swapped"]:
            assert step["longer"]
            best_ratchet = run
        assert step["best_ratchet"] == best_ratchet


def test_a_run_may_get_worse_but_a_ratchet_never():
    found = told("keeps", NOISY, seed=2)
    worse = [k for k in found["k"][1:] if found["run"][k] > found["run"][k - 1]]
    assert worse == [210]  # the task names this row
    for name in ("pocket", "ratchet"):
        assert found[name] == sorted(found[name], reverse=True)
    vote = told("keeps", XOR)["vote"]
    assert vote.index(0) == 62  # likewise
    assert min(told("keeps", XOR)["pocket"]) == 1


@every_set
@pytest.mark.parametrize("start", [[0.0, 0.0, 0.0], [1.0, 3.0, -2.0]], ids=["zeros", "elsewhere"])
def test_a_cycle_is_one_and_proves_what_the_prover_says(data, start):
    found = told("cycle", data, start=start, eta=0.5)
    (X, y), w = exact(data), list(map(Fraction, start))
    seen = [w]
    for number, step in enumerate(found["steps"]):
        i = number % len(y)
        assert step["row"] == i
        wrong = y[i] * sum(a * b for a, b in zip(w, X[i], strict=True)) <= 0
        assert step["moved"] == wrong
        w = [a + Fraction(1, 2) * y[i] * b for a, b in zip(w, X[i], strict=True)] if wrong else w
        assert step["after"] == w
        assert step["errors"] == plain.count_errors(w, X, y)
        seen.append(w)
    separable = separability(data.X, data.y).separable
    assert found["reason"] == ("separated" if separable else "cycle")
    if separable:
        assert found["proof"] is None
        return
    begins, proof = found["begins"], found["proof"]
    if begins is None:  # too long a way to the cycle for the page
        assert len(found["steps"]) == MOST_STEPS
    else:
        assert seen[begins] == seen[-1]
        assert begins % len(y) == len(found["steps"]) % len(y)  # the same row comes next
        assert [step["inside"] for step in found["steps"]] == [k >= begins for k in range(len(found["steps"]))]
        inside = [step["row"] for step in found["steps"][begins:] if step["moved"]]
        assert {each["row"]: each["weight"] for each in proof["rows"]} == {
            row: inside.count(row) / 2 for row in set(inside)
        }
    for k in (1, -1):
        some = [(each["weight"], X[each["row"]]) for each in proof["rows"] if y[each["row"]] == k]
        total = sum(Fraction(weight) for weight, _ in some)
        mean = [sum(Fraction(weight) * x[j] for weight, x in some) / total for j in range(2)]
        assert proof["common"] == [float(each) for each in mean]
    assert proof["sum"] == [0, 0, 0]


def test_what_is_not_proved_is_not_said():
    found = told("cycle", OVERLAP, eta=0.1)  # rounded: 0.1 is no fraction of two
    if found["proof"] is None:
        assert found["title"] != "Separable: it ends"
    message = {"demo": "inseparable", "data": XOR.as_dict() | {"y": [1, 1, 1, 1]}, "parameters": {}}
    for ask in ("cycle", "keeps"):
        assert "same class" in answer(message | {"ask": ask})["error"]


def test_steps_have_an_end(rng):
    """Many rows: the page goes through the first 400, and a long cycle is looked for beyond them."""
    X = rng.integers(-40, 40, (150, 2)) / 4
    many = {"X": X.tolist(), "y": [0, 1] * 75, "names": ["a", "b"], "classes": ["no", "yes"]}
    for ask, most in (("keeps", 300), ("cycle", 400)):
        found = answer({"demo": "inseparable", "ask": ask, "data": many, "parameters": {}})["answer"]
        assert len(found["steps"]) == most
    assert found["reason"] in ("cycle", "budget")
    assert found["begins"] is None


def test_the_catalogue_has_both_after_the_bound():
    names = list(DEMONSTRATIONS)
    assert names[names.index("bound") + 1 :][:2] == ["inseparable", "support"]
