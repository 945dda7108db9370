"""Workers with other versions are refused, with the remedy; several types of processors are said."""

import subprocess
import sys
from ast import literal_eval

import cloudpickle
import pytest

from novikoff.rows.dask_engine import judge, what_is_here

HERE = {"novikoff": "1.0", "numpy": "2.4", "numba": "0.68", "processor": "znver4"}


@pytest.mark.parametrize("package", ["novikoff", "numpy", "numba"])
def test_other_versions_are_refused(package):
    workers = {f"tcp://{number}": HERE | ({package: "0.9"} if number > 1 else {}) for number in range(7)}
    with pytest.raises(
        RuntimeError, match=rf"5 of 7 workers have another {package}.*0\.9 on tcp://2.*Install {package}=="
    ):
        judge(workers, HERE)


def test_processors_of_several_types_are_said():
    workers = {"tcp://1": HERE, "tcp://2": HERE, "tcp://3": HERE | {"processor": "skylake"}}
    with pytest.warns(UserWarning, match=r"2 of znver4, 1 of skylake.*may round differently"):
        judge(workers, HERE)
    judge(workers | {"tcp://3": HERE}, HERE | {"processor": "skylake"})  # the client does not compute
    judge({}, HERE)


ASK = """
import pickle, sys
sys.modules["novikoff"] = None
print(pickle.load(sys.stdin.buffer)())
"""


def test_a_worker_without_this_package_can_answer():
    """The question is sent as source."""
    sent = cloudpickle.dumps(what_is_here())
    done = subprocess.run([sys.executable, "-c", ASK], input=sent, capture_output=True, timeout=300, check=True)
    found = literal_eval(done.stdout.decode())
    assert found == what_is_here()() | {"novikoff": "missing"}
    assert found.keys() == HERE.keys()
