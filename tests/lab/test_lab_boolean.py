"""Networks of the lab compute their tables, and the counts of functions are those of the literature."""

from __future__ import annotations

from itertools import product

import pytest

from novikoff.theory import boolean_network
from page_engine import DEMONSTRATIONS, answer

PRESETS = DEMONSTRATIONS["boolean"].presets
THRESHOLD = {1: 4, 2: 14, 3: 104, 4: 1882}  # functions of n inputs that one unit can do: OEIS A000609


def table_of(values):
    inputs = len(values).bit_length() - 1
    X = [list(bits) for bits in product((0, 1), repeat=inputs)]
    return {"X": X, "y": values, "names": [f"x{j}" for j in range(inputs)], "classes": ["0", "1"]}


def told(ask, data):
    found = answer({"demo": "boolean", "ask": ask, "data": data})
    assert "error" not in found, found
    return found["answer"]


def check_network(data):
    found = told("network", data)
    assert found["units"] == len(found["hidden"]) + 1
    for row in found["rows"]:
        assert data["X"][row["place"]] == row["bits"]
        assert data["y"][row["place"]] == row["value"]
        scores = [
            sum(w * x for w, x in zip(u["weights"], row["bits"], strict=True)) + u["bias"] for u in found["hidden"]
        ]
        fires = [int(score > 0) for score in scores]
        signals = fires if found["hidden"] else row["bits"]
        total = sum(w * x for w, x in zip(found["last"]["weights"], signals, strict=True)) + found["last"]["bias"]
        assert (row["scores"], row["fires"], row["total"]) == (scores, fires, total)
        assert row["value"] == (total > 0)
    return found


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_the_network_computes_the_table(preset):
    check_network(preset.data.as_dict())


def test_rows_in_another_order_are_the_same_function():
    data = table_of([0, 1, 1, 0])
    turned = data | {"X": data["X"][::-1], "y": data["y"][::-1]}
    assert check_network(turned)["number"] == check_network(data)["number"] == 6


@pytest.mark.parametrize("inputs", list(THRESHOLD))
def test_one_unit_can_do_as_many_functions_as_are_known(inputs):
    found = told("functions", table_of([0] * 2**inputs))
    assert found["one"] == THRESHOLD[inputs]
    assert found["all"] == 2**2**inputs
    if inputs <= 3:
        assert len(found["units"]) == found["all"]
        assert found["units"].count(1) == found["one"]
        assert {each["units"]: each["functions"] for each in found["counts"]} == {
            units: found["units"].count(units) for units in set(found["units"])
        }


def test_the_units_of_every_function_are_those_of_its_network():
    found = told("functions", table_of([0] * 8))
    for number in range(128, 256):  # the other half was worked out by this very call
        assert found["units"][number] == boolean_network([int(bit) for bit in f"{number:08b}"]).n_units


def test_the_functions_of_two_inputs_have_their_names():
    found = told("functions", table_of([0] * 4))
    meant = {
        "AND": lambda a, b: a & b,
        "XOR": lambda a, b: a ^ b,
        "OR": lambda a, b: a | b,
        "NAND": lambda a, b: 1 - (a & b),
    }
    meant |= {"NOR": lambda a, b: 1 - (a | b), "equal": lambda a, b: int(a == b), "never": lambda a, b: 0}
    meant |= {
        "x\u2081": lambda a, b: a,
        "x\u2082": lambda a, b: b,
        "not x\u2081": lambda a, b: 1 - a,
        "always": lambda a, b: 1,
    }
    meant |= {"not x\u2082": lambda a, b: 1 - b, "x\u2081, not x\u2082": lambda a, b: a & (1 - b)}
    meant |= {"x\u2082, not x\u2081": lambda a, b: b & (1 - a), "x\u2081 or not x\u2082": lambda a, b: a | (1 - b)}
    meant |= {"x\u2082 or not x\u2081": lambda a, b: b | (1 - a)}
    for number, name in enumerate(found["names"]):
        assert f"{number:04b}" == "".join(str(meant[name](a, b)) for a, b in product((0, 1), repeat=2))


@pytest.mark.parametrize(
    "change",
    [
        {"X": [[0, 0], [0, 1], [1, 0], [1, 0.5]]},
        {"X": [[0, 0], [0, 1], [1, 0], [1, 0]]},
        {"X": [[0, 0], [0, 1], [1, 0]], "y": [0, 1, 1]},
        {"classes": ["0", "1", "2"]},
    ],
)
def test_what_is_no_truth_table_is_refused(change):
    for ask in ("network", "functions"):
        data = table_of([0, 1, 1, 0]) | change
        assert "truth table" in answer({"demo": "boolean", "ask": ask, "data": data})["error"]


def test_formulas_are_written_as_people_write_them():
    found = told("network", table_of([0, 1, 1, 0]))
    assert [unit["text"] for unit in found["hidden"]] == ["\u22122x0 + 2x1 \u2212 1 > 0", "2x0 \u2212 2x1 \u2212 1 > 0"]
    assert found["last"]["text"] == "2h\u2081 + 2h\u2082 \u2212 1 > 0"
