"""Times of two checkouts: how they are taken and judged.  No test here depends on how long anything takes."""

import pickle
from contextlib import contextmanager

import pytest
from benchmarks import against
from benchmarks.against import Comparison, Row, Times, compare, count_turns, verdict
from benchmarks.checkouts import Checkout, checkout, this
from benchmarks.measure import Settings
from benchmarks.works import WORKS
from hypothesis import given
from hypothesis import strategies as st

seconds = st.floats(1e-6, 1e3)


def fake_row(times, log):
    """A row whose sides note that they were called, and take the given times one after the other."""

    @contextmanager
    def start(side):
        left = iter(times[side])

        def sample():
            log.append(side)
            return next(left)

        yield sample

    return Row("fake", start)


@given(st.lists(seconds, min_size=2, max_size=8), st.lists(seconds, min_size=2, max_size=8), st.integers(1, 3))
def test_sides_take_turns_and_the_best_counts(others, ours, launches):
    def endless(values):
        while True:
            yield from (Times(value, value) for value in values)

    log = []
    row = fake_row({"a": endless(others), "b": endless(ours)}, log)
    found = compare(row, "a", "b", launches, seconds=float("inf"))
    turns = len(log) // launches
    for launch in range(launches):
        called = log[launch * turns : (launch + 1) * turns]
        a, b = ("a", "b") if launch % 2 == 0 else ("b", "a")
        assert called[:2] == [a, b]  # not counted
        assert called[2:] == [a, b, b, a] * ((turns - 2) // 4)
    best = [min(times.wall for launch in side for times in launch) for side in found]
    assert found.ratio == (best[1] / best[0], best[1] / best[0])
    assert len(found.launches) == launches
    assert found.spread >= 0


@given(seconds, seconds)
def test_turns_are_bounded_and_fall_with_what_they_take(a_pair, in_all):
    least, most = against.TURNS
    assert least <= count_turns(2 * a_pair, in_all) <= count_turns(a_pair, in_all) <= most


@pytest.mark.parametrize(
    ("wall", "processor", "launches", "said"),
    [
        (1.0, 1.0, [1.0, 1.0], "same"),
        (1.049, 1.049, [1.049, 1.049], "same"),
        (1.2, 1.1, [1.1, 1.2], "SLOWER by 10%"),
        (1.2, 1.1, [0.9, 1.2], "unclear"),
        (1.2, 1.0, [1.0, 1.0], "unclear"),
        (0.9, 1.2, [1.1, 1.2], "unclear"),
        (0.9, 0.9, [0.8, 0.9], "faster"),
        (0.9, 0.9, [0.8, 1.1], "same"),
        (0.9, 1.0, [1.0, 1.0], "same"),
    ],
)
def test_verdict(wall, processor, launches, said):
    assert verdict(Times(wall, processor), launches) == said


def test_a_slower_side_is_called_slower():
    slow, quick = [Times(2.0, 2.0)] * 4, [Times(1.0, 1.0)] * 4
    assert Comparison([quick], [slow]).verdict == "SLOWER by 100%"
    assert Comparison([slow], [quick]).verdict == "faster"


def test_rows_have_names_of_their_own():
    assert len(set(against.NAMES)) == len(against.NAMES)
    assert set(against.chosen("iris,svm")) == {"iris", "svm-dense", "svm-text", "svm-census", "svm-kernel"}
    with pytest.raises(SystemExit, match="no row"):
        against.chosen("nothing")


@pytest.mark.slow
def test_a_worker_does_its_work_again_and_again(tmp_path):
    work = next(work for work in WORKS if work.name == "iris")
    path = tmp_path / "data"
    path.write_bytes(pickle.dumps(work.data(Settings())))
    with against.in_process("iris", path)(this()) as sample:
        for times in (sample(), sample()):
            assert min(times) > 0


def test_the_other_package_is_the_one_that_runs(tmp_path):
    """A checkout of its own: a package that says so, and fails to do more."""
    package = tmp_path / "src" / "novikoff"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("print('the other')")
    assert checkout(tmp_path).python("-c", "import novikoff").stdout == "the other\n"
    with pytest.raises(RuntimeError, match="ModuleNotFoundError"):
        checkout(tmp_path).python("-c", "import novikoff.estimators")


def test_no_checkout_is_refused(tmp_path):
    with pytest.raises(SystemExit, match="no checkout"):
        checkout(tmp_path)


def test_a_package_from_elsewhere_is_refused(tmp_path):
    (tmp_path / "src").mkdir()
    code = "from benchmarks.checkouts import refuse_another_package as refuse; refuse()"
    this().python("-c", code)
    with pytest.raises(RuntimeError, match=r"imported|No module named"):
        Checkout(tmp_path).python("-c", code)
