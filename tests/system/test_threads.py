"""The library touches nothing that other threads of a program share: filters of warnings, seeds, numbers of threads."""

import ast
import pickle
import random
import threading
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_info

import novikoff
from novikoff import Perceptron, passes_curve, separability
from novikoff.estimators.advice import heard_warnings, warn
from novikoff.proof.search import decide
from novikoff.system import threads as blas

LIBRARY = Path(novikoff.__file__).parent
SHARED = {  # what changes a whole process
    "catch_warnings",
    "simplefilter",
    "filterwarnings",
    "resetwarnings",
    "seterr",
    "seed",
    "setlocale",
    "putenv",
    "unsetenv",
    "chdir",
    "umask",
    "setrecursionlimit",
    "setswitchinterval",
    "set_config",
    "threadpool_limits",
    "set_num_threads",
}
ALONE = {("warming.py", "catch_warnings"), ("warming.py", "simplefilter")}  # warm_up is called before other work begins
OVERLAP = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])


def modules():
    """Those of the library; the command line is a program, whose process is its own."""
    return [path for path in LIBRARY.rglob("*.py") if path.relative_to(LIBRARY).parts[0] != "cli"]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(LIBRARY)))
def test_no_module_calls_what_changes_the_whole_process(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            assert name not in SHARED or (path.name, name) in ALONE, f"{path}:{node.lineno}: {name}"
        targets = node.targets if isinstance(node, ast.Assign) else []
        assert not any("environ" in ast.unparse(target) for target in targets), f"{path}:{node.lineno}"


def in_threads(*works):
    """Run these at the same time; raise what one of them raised."""
    raised = []

    def run(work):
        try:
            work()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    if raised:
        raise raised[0]


def crossed(monkeypatch, learn):
    """Two threads in ``learn``: the first goes in, the second goes in, the first comes out, the second comes out."""
    first_in, second_in, first_out = threading.Event(), threading.Event(), threading.Event()
    fit = Perceptron.fit

    def watched(self, *args, **kwargs):
        if threading.current_thread().name == "first":
            first_in.set()
            assert second_in.wait(60)
        else:
            assert first_in.wait(60)
            second_in.set()
            assert first_out.wait(60)
        return fit(self, *args, **kwargs)

    def first():
        threading.current_thread().name = "first"
        learn()
        first_out.set()

    monkeypatch.setattr(Perceptron, "fit", watched)
    in_threads(first, learn)
    monkeypatch.undo()


def learn_quietly(X, y):
    with heard_warnings():
        Perceptron(max_iter=3).fit(X, y)


def test_filters_of_warnings_stay_as_they_were(monkeypatch):
    X, y = OVERLAP
    with warnings.catch_warnings():
        warnings.resetwarnings()
        warnings.simplefilter("error", ConvergenceWarning)
        before = list(warnings.filters)
        crossed(monkeypatch, lambda: learn_quietly(X, y))
        assert warnings.filters == before
        with pytest.raises(ConvergenceWarning):
            Perceptron(max_iter=3).fit(X, y)


def test_two_threads_ask_for_proofs_of_sparse_rows(monkeypatch):
    """Where the prover lets a perceptron try first, that one does not warn, and nobody else's warnings are lost."""
    X, y = OVERLAP
    wide = sparse.csr_array(np.hstack([X, np.ones((4, 2500))]))
    asked = []
    real = decide.learned_direction
    monkeypatch.setattr(decide, "learned_direction", lambda *a, **k: asked.append(1) or real(*a, **k))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        before = list(warnings.filters)
        in_threads(*[lambda: [separability(wide, y) for _ in range(10)]] * 2)
        assert warnings.filters == before
    assert len(asked) == 20


def test_silence_is_of_one_thread_only():
    heard = []
    inside, spoken = threading.Event(), threading.Event()

    def quiet():
        with heard_warnings():
            inside.set()
            assert spoken.wait(60)
            warn("not heard")

    def speaks():
        assert inside.wait(60)
        warn("heard")
        spoken.set()

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        in_threads(quiet, speaks)
        warn("heard again")
        heard = [str(each.message) for each in caught]
    assert heard == ["heard", "heard again"]


def test_a_curve_of_passes_is_silent_and_leaves_filters_alone():
    X, y = np.tile(OVERLAP[0], (5, 1)), np.tile(OVERLAP[1], 5)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        before = list(warnings.filters)
        passes_curve(Perceptron(), X, y, passes=3, cv=2)
        assert warnings.filters == before


@pytest.fixture
def limits(monkeypatch):
    """What is set and taken back of a library that is not there."""
    log = []

    class Library:
        @contextmanager
        def limit(self, **choice):
            log.append(choice["limits"])
            yield
            log.append("back")

    monkeypatch.setattr(blas, "_libraries", Library)
    return log


def test_the_number_of_threads_is_taken_back_by_the_last_to_leave(limits):
    both = threading.Barrier(2)
    first_out = threading.Event()

    def first():
        with blas.one_thread():
            both.wait(60)
        assert limits == [1]
        first_out.set()

    def second():
        with blas.one_thread():
            both.wait(60)
            assert first_out.wait(60)
            assert limits == [1]

    in_threads(first, second)
    assert limits == [1, "back"]
    with pytest.raises(ZeroDivisionError), blas.one_thread():
        raise ZeroDivisionError
    assert limits == [1, "back"] * 2


def test_nothing_else_of_the_process_changes():
    def state():
        return (
            random.getstate(),
            pickle.dumps(np.random.mtrand._rand),  # NumPy's shared generator
            np.geterr(),
            [(each["internal_api"], each["num_threads"]) for each in threadpool_info()],
            list(warnings.filters),
        )

    X, y = OVERLAP
    separability(X, y)
    before = state()
    for labels in (y, [0, 0, 1, 1], [0, 1, 2, 2]):
        proof = separability(X, labels, max_margin=True)
        assert proof.verify(X, labels)
        assert str(proof)
    novikoff.KernelPerceptron(random_state=0).fit(X, [0, 0, 1, 1])
    novikoff.LinearSVM(random_state=0).fit(X, y)
    assert state() == before
