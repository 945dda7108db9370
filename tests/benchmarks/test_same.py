"""Results of two checkouts: what is recorded, and which differences are seen."""

import warnings
from collections import Counter, namedtuple
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from benchmarks.same import record as one_side
from benchmarks.same.cases import BITS, DIGITS, GAP, MESSAGES, Case, Place, record
from benchmarks.same.differences import differences, lines, same_bits
from benchmarks.same.file_cases import without_times
from benchmarks.same.plain import Incomparable, leaves
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from novikoff import Perceptron


def one(leaf, rule=DIGITS):
    return {Place("kind", "name", "coef_", rule): leaf}


def found(a, b, **more):
    return list(differences(one(a, **more), one(b, **more)))


numbers = st.lists(st.floats(-1e6, 1e6).filter(lambda value: abs(value) > 1e-6), min_size=1, max_size=5).map(np.array)


@given(numbers)
def test_equal_arrays_do_not_differ(values):
    assert not found(values, values.copy(), rule=BITS)


@given(numbers, st.integers(-15, -2), st.sampled_from([BITS, DIGITS]))
def test_the_size_of_a_difference_is_what_was_added(values, exponent, rule):
    size = 10.0**exponent
    moved = values.copy()
    largest = np.abs(values).argmax()
    moved[largest] *= 1 + size
    (difference,) = found(values, moved, rule=rule)
    assert difference.size == pytest.approx(size / (1 + size), rel=0.2, abs=3e-16)
    assert exponent == -12 or difference.allowed == (exponent < -12 and rule is DIGITS)


def test_one_bit_is_a_difference():
    assert not same_bits(0.1 + 0.2, 0.3)
    assert not same_bits(np.array([0.0]), np.array([-0.0]))
    assert same_bits(np.array([np.nan]), np.array([np.nan]))
    assert not same_bits(1, 1.0)
    assert not same_bits(True, 1)
    assert not same_bits(np.zeros(2), np.zeros(2, np.float32))
    assert not same_bits(np.zeros((1, 2)), np.zeros(2))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (3, 4),
        ("budget", "separated"),
        (None, 1.0),
        (np.array([1, 2]), np.array([1, 3])),
        (np.array([1.0, np.nan]), np.array([1.0, 2.0])),
        (np.array([np.inf]), np.array([-np.inf])),
        (np.zeros(2), np.zeros(3)),
    ],
)
def test_what_is_no_small_difference_is_never_allowed(a, b):
    (difference,) = found(a, b)
    assert not difference.allowed


def test_float32_is_judged_by_its_own_digits():
    a = np.array([1.0], np.float32)
    (difference,) = found(a, np.nextafter(a, np.float32(2)))
    assert difference.allowed


def test_what_is_proved_to_a_gap_is_judged_by_it():
    small, larger = np.array([1e-11]), np.array([3e-11])
    assert found(small, larger, rule=GAP)[0].allowed
    assert not found(small, larger)[0].allowed
    assert not found(np.array([1.0]), np.array([1.0 + 1e-8]), rule=GAP)[0].allowed


def test_what_only_one_side_has_is_a_difference():
    both = one(1.0)
    more = {**both, Place("kind", "name", "more_", DIGITS): 1.0}
    assert [each.place.way for each in differences(both, more)] == ["more_"]
    assert [each.place.way for each in differences(more, both)] == ["more_"]
    assert lines(both, more, list(differences(both, more))) == [("kind", "2", "1", "0", "1", "no number")]


def test_a_result_is_taken_apart():
    @dataclass
    class Inside:
        a: float
        _hidden: int = 0

    Pair = namedtuple("Pair", "x y")
    value = {
        "list": [Inside(1.0), Pair(Fraction(1, 3), None)],
        "seconds": 2.0,
        "names": np.array(["a", None], dtype=object),
    }
    ways = {".".join(way): leaf for way, leaf in leaves(value)}
    assert ways == {"list.0.a": 1.0, "list.1.x": "1/3", "list.1.y": None, "names.0": "a", "names.1": None}
    assert {way[-1] for way, _ in leaves(sparse.csr_array(np.eye(2)))} == {"format", "data", "indices", "indptr"}
    with pytest.raises(Incomparable):
        list(leaves(object()))


def test_a_fit_is_recorded_without_its_times():
    learner = Perceptron(order="cyclic", max_iter=2).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    ways = {way[0] for way, _ in leaves(learner)}
    assert {"coef_", "intercept_", "n_iter_", "n_mistakes_", "n_errors_", "stop_reason_", "history_"} <= ways
    assert not any("seconds" in way for way, _ in leaves(learner))


def test_errors_and_warnings_are_results():
    def refuse():
        raise ValueError("no such order")

    def warn():
        warnings.warn("slow", stacklevel=1)
        return 1

    kept = record([Case("fits", "one", refuse), Case("fits", "two", warn)])
    texts = {(place.name, place.way): leaf for place, leaf in kept.items() if place.kind == MESSAGES}
    assert kept[Place("fits", "one", "error", DIGITS)] == "ValueError"
    assert texts["fits: one", "error"] == "no such order"
    assert texts["fits: two", "warnings"] == "UserWarning: slow"
    with pytest.raises(Incomparable):
        record([Case("fits", "three", object)])


def test_no_case_hides_another():
    cases = list(one_side.chosen(""))
    most = Counter((case.kind, case.name) for case in cases).most_common(1)
    assert most[0][1] == 1


def test_the_same_side_twice_is_the_same():
    first, second = (record(one_side.chosen("RadialBasis,trace")) for _ in range(2))
    assert first
    assert not list(differences(first, second))


def test_seconds_leave_texts():
    assert without_times("it took 0.34 seconds.\n  Done") == without_times("it took 12\nseconds. Done")
