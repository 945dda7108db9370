"""``warm_up`` leaves nothing to compile."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import novikoff
from novikoff.compiled.jit import JIT_OFF
from novikoff.tables import warming

LATER = """
import numpy as np
from scipy import sparse
from novikoff import Perceptron
from novikoff.compiled import jit, numba_parts
X, y = np.random.default_rng(1).standard_normal((200, 9)), np.arange(200) % 3
listener = numba_parts.TimingListener()
with numba_parts.install_listener("numba:compile", listener), jit.compiling():
    for rows in (X, sparse.csr_array(X)):
        for classes in (y, y > 0):
            Perceptron(max_iter=5).fit(rows, classes).partial_fit(rows, classes).predict(rows)
assert not listener.done
"""


def run(code, folder):
    env = {**os.environ, "PYTHONPATH": str(Path(novikoff.__file__).parents[1]), "NUMBA_CACHE_DIR": str(folder)}
    return subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=env, capture_output=True, text=True)


@pytest.mark.slow
@pytest.mark.skipif(JIT_OFF, reason="nothing is compiled")
def test_a_later_process_compiles_nothing(tmp_path):
    warm = "from novikoff import warm_up\nfound = warm_up('perceptron')\nprint(found.kernels, found.kept)"
    made = run(warm, tmp_path)
    kernels, kept = map(int, made.stdout.split())
    assert kernels == kept == len(list(tmp_path.rglob("*.bin"))) > 4
    assert run(warm, tmp_path).stdout.split() == ["0", str(kept)]
    assert run(LATER, tmp_path).stderr == ""


@pytest.mark.skipif(JIT_OFF, reason="nothing is compiled")
def test_a_folder_that_cannot_be_written_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(warming, "_work", lambda choices: [lambda: None])
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path / "nothing"))
    with pytest.raises(OSError, match=r"cannot be kept in .*nothing.*NUMBA_CACHE_DIR"):
        warming.warm_up()


@pytest.mark.skipif(JIT_OFF, reason="nothing is compiled")
def test_every_learner_is_fitted_to_every_kind_of_rows(monkeypatch):
    fitted = set()
    monkeypatch.setattr(
        warming, "_fit", lambda choice, more, X, y: fitted.add((choice.class_name, type(X), len(set(y))))
    )
    monkeypatch.setattr(warming, "_read", lambda X, y: None)
    for piece in warming._work(warming.CHOICES):
        piece()
    for choice in warming.CHOICES:
        kinds = {(kind, classes) for name, kind, classes in fitted if name == choice.class_name}
        assert len(kinds) == (4 if choice.task == "classes" else 2)


def test_a_learner_that_is_not_known_is_an_error(monkeypatch):
    monkeypatch.setattr(warming, "JIT_OFF", False)
    with pytest.raises(ValueError, match="Did you mean perceptron"):
        warming.warm_up("perceptrn")


def test_without_the_compiler_there_is_nothing_to_do(monkeypatch):
    monkeypatch.setattr(warming, "JIT_OFF", True)
    with pytest.raises(ValueError, match="NUMBA_DISABLE_JIT"):
        warming.warm_up()
