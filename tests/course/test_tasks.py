"""Every task: right answers pass, typical mistakes get their hint, garbage gets a sentence, and nothing wrong passes."""

import importlib
import itertools
import random
import re
import threading
from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest

from course_answers import FUNCTIONS, RIGHT, ROUNDED_DOWN, UNIQUE, WRONG
from novikoff import course
from novikoff.course import student_functions
from novikoff.course.answer_reading import Wrong
from novikoff.course.comparing_answers import same
from novikoff.course.plain import dot, square

NAMES = list(course.tasks())
SEEDS = range(4)
every_task = pytest.mark.parametrize("name", NAMES)


def test_every_lecture_has_its_tasks():
    assert set(RIGHT) == set(WRONG) == set(NAMES)
    assert len(NAMES) == 53
    for lecture in range(5):
        some = course.tasks(lecture)
        assert len(some) >= 6
        assert list(some) == [f"L{lecture}.{k + 1}" for k in range(len(some))]
    assert len(set(course.tasks().values())) == len(NAMES)


@every_task
def test_right_answers_pass(name):
    for seed in SEEDS:
        task = course.task(name, seed=seed)
        verdict = task.check(RIGHT[name](task.data))
        assert verdict, f"seed {seed}: {verdict}"
        assert verdict.right
        assert str(verdict).startswith("Right")


@pytest.mark.parametrize("name", ROUNDED_DOWN)
def test_bounds_may_be_rounded_down(name):
    for seed in SEEDS:
        task = course.task(name, seed=seed)
        assert task.check(ROUNDED_DOWN[name](task.data))


@pytest.mark.parametrize("name", ["L0.10", "L1.4", "L2.5"])
def test_answers_may_be_rounded_as_students_do_but_not_further(name):
    rounded = 0
    for seed in range(12):
        task = course.task(name, seed=seed)
        right = float(RIGHT[name](task.data))
        for decimals in (2, 3, 4):
            given = round(right, decimals)
            enough = len(str(abs(given)).replace(".", "").strip("0")) >= 3
            if enough and len(str(given).partition(".")[2]) > 1:
                rounded += given != right
                assert task.check(given), (seed, given, right)
                other = round(given + 3 * 10**-decimals, decimals)
                assert other == round(right, decimals - 1) or not task.check(other), (seed, other, right)
        if right != round(right, 1) and abs(right) > 10:
            verdict = task.check(round(right, 1))
            assert not verdict
            assert "2 decimals and 3 digits" in verdict.hint
    assert rounded > 5


@pytest.mark.parametrize("name", ROUNDED_DOWN)
def test_bounds_are_not_rounded_up_and_slips_may_be_rounded(name):
    up = 0
    for seed in range(12):
        task = course.task(name, seed=seed)
        right = RIGHT[name](task.data)
        if right != floor(right):
            verdict = task.check(ceil(right))
            assert not verdict
            up += "round down" in verdict.hint
    assert up > 3
    task = course.task("L2.5")
    verdict = task.check(floor(WRONG["L2.5"][0][0](task.data)))
    assert "start" in verdict.hint


def test_a_rho_that_was_rounded_down_is_said_to_be_rounded():
    def smallest_rho(Phi, y, w_star):
        return max(
            Fraction(square(x) + max(map(square, Phi)), 2 * t * dot(w_star, x)) for x, t in zip(Phi, y, strict=True)
        )

    found = 0
    for seed in range(12):
        task = course.task("L2.3", seed=seed)
        needed = smallest_rho(**task.data)
        down = floor(needed * 1000) / 1000
        if down < needed and abs(needed - Fraction(down)) < Fraction(1, 2000) and len(str(down)) > 4:
            verdict = task.check(down)
            assert not verdict
            found += "Round it up" in verdict.hint
            assert task.check(down + 0.001)
    assert found


def cut(answer, how):
    if isinstance(answer, list | tuple):
        return type(answer)(cut(part, how) for part in answer)
    return how(answer)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in ("L2.2", "L2.6", "L2.8")])
@pytest.mark.parametrize(
    "how", [int, floor, round, lambda value: round(value, 1)], ids=["int", "floor", "round", "tenths"]
)
def test_functions_that_cut_off_decimals_do_not_pass(name, how):
    hints = []
    for seed in SEEDS:
        task = course.task(name, seed=seed)
        right = RIGHT[name](task.data)
        if how(0.5) == 0.5 and name not in ("L1.2", "L1.3", "L2.9", "L3.8", "L4.6"):
            continue  # halves have one decimal
        verdict = task.check(lambda *arguments, right=right: cut(right(*arguments), how))
        assert not verdict
        hints.append(verdict.hint)
    assert all("cuts off" in hint for hint in hints)


def test_a_solution_of_a_numerical_solver_passes():
    """One that leaves the box, and the plane of the sum, by rounding."""
    for seed in SEEDS:
        task = course.task("L3.5", seed=seed)
        alpha = [float(value) for value in RIGHT["L3.5"](task.data)]
        assert task.check([value - 1e-10 for value in alpha])
        assert task.check([alpha[0] + 1e-10, *alpha[1:]])
        assert not task.check([alpha[0] + 1e-3, *alpha[1:]])


@every_task
def test_typical_mistakes_get_their_hint(name):
    for make, hint in WRONG[name]:
        hints = []
        for seed in SEEDS:
            task = course.task(name, seed=seed)
            verdict = task.check(make(task.data))
            assert not verdict, f"seed {seed}, {hint!r} passed"
            assert verdict.message.endswith("."), verdict.message
            hints.append(f"{verdict.message} {verdict.hint}")
        assert any(re.search(hint, found) for found in hints), (hint, hints)


@every_task
def test_no_known_slip_leads_to_the_right_answer(name, monkeypatch):
    """Data are drawn so that a wrong idea shows."""
    found = []

    def agree(function, right, trials, read, slips, hint):
        expected = [right(*trial) for trial in trials]
        found.extend(text for text, slip in slips.items() if same([slip(*trial) for trial in trials], expected))

    def expect(answer, right, slips, message, hint):
        found.extend(text for value, text in slips if same(value, right))

    module = importlib.import_module(f"novikoff.course.lecture{name[1]}")
    monkeypatch.setattr(module, "agree", agree)
    monkeypatch.setattr(module, "expect", expect, raising=False)
    for seed in range(12):
        task = course.task(name, seed=seed)
        task.check(RIGHT[name](task.data))
    assert found == []


class Evil:
    """Raises at every touch."""

    def __len__(self):
        raise RuntimeError("length")

    def __iter__(self):
        raise RuntimeError("iteration")

    def __float__(self):
        raise RuntimeError("float")

    def __repr__(self):
        raise RuntimeError("repr")


class Liar(float):
    """Says that it equals everything."""

    def __eq__(self, other):
        return True

    __hash__ = float.__hash__

    def __sub__(self, other):
        return 0.0

    __rsub__ = __le__ = __ge__ = __sub__


class Endless(list):
    """As long as one likes."""

    def __iter__(self):
        return itertools.count()


LOOP = []
LOOP.append(LOOP)
GARBAGE = [
    None,
    True,
    "text",
    b"bytes",
    "",
    [],
    [[]],
    {},
    {"a": 1},
    set(),
    object(),
    Evil(),
    [Evil()] * 3,
    Endless(),
    [Endless()] * 2,
    LOOP,
    [LOOP] * 3,
    float("nan"),
    float("inf"),
    [float("nan")] * 3,
    [1, None, 3],
    ["1", "2", "3"],
    1j,
    10**6000,
    [10**6000] * 2,
    Fraction(1, 3**9000),
    [1e308] * 3,
    Liar(-1e30),
    [Liar(-1e30)] * 2,
    [Liar(-1e30)] * 3,
    np.array("x"),
    np.zeros((2, 2, 2)),
    np.array([object()] * 3),
    np.array([[1.0, np.nan]] * 3),
    range(10**9),
    itertools.count(),
    int,
    course,
    (lambda: 0),
]


@every_task
def test_garbage_gets_a_sentence(name):
    task = course.task(name)
    for given in GARBAGE:
        verdict = task.check(given)
        assert not verdict, given
        assert verdict.message.endswith("."), verdict.message
        assert str(verdict).startswith("Not yet: ")


EXTREMES = (0, -1, 1e99, -1e99, 1e-300, Fraction(1, 3), -0.0, 10**99, np.float32(3), np.int8(-5), True, None, 1e101)


def with_extremes(answer, rng):
    """An answer of the same shape with other numbers."""
    if isinstance(answer, list | tuple | set):
        return type(answer)(with_extremes(part, rng) for part in answer)
    return rng.choice(EXTREMES) if rng.random() < 0.7 else answer


@pytest.mark.parametrize("name", [name for name in NAMES if name not in FUNCTIONS])
def test_extreme_numbers_are_judged(name):
    """Answers of the right shape: nothing is raised, and the verdict of the same answer is the same."""
    rng = random.Random(name)
    for seed in range(12):
        task = course.task(name, seed=seed % 4)
        answer = with_extremes(RIGHT[name](task.data), rng)
        verdict = task.check(answer)
        assert verdict == task.check(answer)
        if name in UNIQUE and not verdict:
            assert task.check(RIGHT[name](task.data))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_that_return_garbage_get_a_sentence(name):
    task = course.task(name)
    for given in GARBAGE:
        verdict = task.check(lambda *arguments, given=given: given)
        assert not verdict, given
        assert verdict.message.endswith("."), verdict.message


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_must_be_right_for_all_trials(name):
    """A function that is right but for one call, and one that remembers answers, fail."""
    task = course.task(name)
    right = RIGHT[name](task.data)
    calls = itertools.count()

    def once_wrong(*arguments):
        answer = right(*arguments)
        return answer if next(calls) else [v + 1 for v in answer] if isinstance(answer, list) else (answer, answer)

    assert not task.check(once_wrong)
    first = []

    def remembers(*arguments):
        first.append(right(*arguments))
        return first[0]

    assert not task.check(remembers)


def moved(answer, by):
    """An answer whose numbers are a little off."""
    if isinstance(answer, list | tuple):
        return type(answer)(moved(part, by) for part in answer)
    return float(answer) * (1 + by) + by


@pytest.mark.parametrize("name", UNIQUE)
def test_near_misses_do_not_pass(name):
    for seed in SEEDS:
        task = course.task(name, seed=seed)
        right = RIGHT[name](task.data)
        assert task.check(moved(right, 1e-13)) or name == "L4.1"
        for by in (1e-3, -1e-3, 3e-6):
            assert not task.check(moved(right, by)), (seed, by)


@every_task
def test_the_solution_is_not_told(name):
    for seed in SEEDS:
        task = course.task(name, seed=seed)
        right = RIGHT[name](task.data)
        if name not in UNIQUE:
            continue
        texts = {repr(right), str(right)} if isinstance(right, list | tuple) or abs(right) > 20 else {None}
        for make, _ in WRONG[name]:
            verdict = str(task.check(make(task.data)))
            assert not any(text and text in verdict for text in texts), verdict


@every_task
def test_data_are_those_of_the_seed(name):
    task, again = course.task(name, seed=3), course.task(name, seed=3)
    assert task.data == again.data
    assert task.statement == again.statement
    assert "{" not in task.statement
    assert (name in FUNCTIONS and name != "L2.8") == ("trials" in task._data)
    assert "trials" not in task.data
    others = [course.task(name, seed=seed).data for seed in range(4, 12)]
    assert task.data == {} or name == "L1.1" or any(other != task.data for other in others)
    for value in task.data.values():
        if isinstance(value, list):
            value.clear()
    task.check(RIGHT[name](again.data))
    assert task.data == again.data  # a copy each time
    assert task.check(RIGHT[name](again.data))


def test_functions_get_copies():
    task = course.task("L0.4")

    def spoils(w, X, y, eta):
        answer = RIGHT["L0.4"]({})(w, X, y, eta)
        w.clear(), X.clear(), y.clear()
        return answer

    assert task.check(spoils)
    assert task.check(lambda *a: np.array(RIGHT["L0.4"]({})(*a)))


def test_witnesses_of_any_sort_pass():
    """Answers that are right but not those of the tests: checks compute, they do not compare."""
    from novikoff.course import plain

    for seed in SEEDS:
        task = course.task("L0.11", seed=seed)
        rows = plain.signed_rows(task.data["X"], task.data["y"], False)
        assert task.check(plain.witness(rows))
        assert task.check([7 * v for v in plain.witness(rows)])
    assert course.task("L0.9").check((np.array([[0, 0], [9, 0], [0, 9], [2, 2]]), np.array([1, 1, 1, -1])))
    assert course.task("L2.3").check(10**6)
    assert course.task("L2.7").check(([[2, 1], [-2, -1], [0, 1]], [1, 1, 1]))
    assert course.task("L1.10").check([-2, 0, 3, -3, 2][:5])


def test_what_does_not_end_is_left_alone(monkeypatch):
    """Where no line of Python shows that a function goes on: it is waited for, and then left."""
    monkeypatch.setattr(student_functions, "MOST_SECONDS", 0.05)
    gate = threading.Event()
    verdict = course.task("L0.3").check(lambda *arguments: gate.wait())
    gate.set()
    assert not verdict
    assert "did not return" in verdict.message


def deep(*arguments):
    return deep(*arguments)


def grows(*arguments):
    n = 0
    while n >= 0:
        n += 1


@pytest.mark.parametrize("function", [deep, grows, lambda *a: [0 for _ in iter(int, 1)]])
def test_endless_functions_are_stopped(function):
    verdict = course.task("L0.3").check(function)
    assert not verdict
    assert "RecursionError" in verdict.message or "without returning" in verdict.message


def test_functions_that_swallow_the_stop_do_not_pass():
    def swallows(w, x, y, eta):
        try:
            while True:
                pass
        except BaseException:
            return RIGHT["L0.3"]({})(w, x, y, eta)

    assert "without returning" in course.task("L0.3").check(swallows).message


def test_tasks_that_do_not_exist():
    with pytest.raises(ValueError, match=r"no task 'l0\.3'\. Did you mean 'L0\.3'"):
        course.task("l0.3")
    with pytest.raises(ValueError, match="tasks\\(\\) lists them"):
        course.task(None)
    with pytest.raises(ValueError, match="seed must be a whole number"):
        course.task("L0.1", seed="x")
    with pytest.raises(ValueError, match="from 0 to 4"):
        course.tasks(5)


def test_wrong_is_no_error_of_ours():
    assert issubclass(Wrong, Exception)
    assert "L0.1" in repr(course.task("L0.1"))
