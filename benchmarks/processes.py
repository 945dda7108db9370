"""What shows only in a fresh process: imports, the first fit, peak memory."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache

from .measure import Result, Settings, show_time

CLOCK = "from time import perf_counter; began = perf_counter()\n"
STOP = "\nprint(perf_counter() - began)"
SMALL = "import numpy as np; rng = np.random.default_rng(0); X = rng.standard_normal((200, 10)); y = X[:, 0] > rng.standard_normal(200)\n"
PEAK = (
    "import novikoff, sklearn.linear_model\nfrom benchmarks import data\nfrom benchmarks.behaviour import peak_memory\n"
)
QUIET = "import warnings; warnings.simplefilter('ignore')\n"


def child(code: str, **environment: str) -> float:
    """The number that Python code prints in a separate process, which finds byte code where the last one left it."""
    environment = os.environ | byte_code() | environment
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return float(done.stdout.split()[-1])


def byte_code() -> dict[str, str]:
    """What the environment says of processes that find byte code where the last one left it."""
    return {"PYTHONPYCACHEPREFIX": byte_code_folder(), "PYTHONDONTWRITEBYTECODE": ""}


@cache
def byte_code_folder() -> str:
    """A folder for this run, so that byte code is at hand whatever the environment says about writing it."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def take_turns(runners: dict[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """The smallest number of each runner, after one turn that only fills the system's file cache and writes byte code."""
    for runner in runners.values():
        runner()
    turns = [{name: runner() for name, runner in runners.items()} for _ in range(rounds)]
    return {name: min(turn[name] for turn in turns) for name in runners}


def import_beyond(base: str, ours: str, peer: str) -> Callable[[Settings], Result]:
    """Time of ``import ours`` in a fresh process that has imported ``base``, and of ``import peer`` in another."""

    def measure(settings: Settings) -> Result:
        modules = {"ours": ours, "peer": peer}
        runners = {
            side: lambda what=what: child(f"import {base}\n{CLOCK}import {what}{STOP}")
            for side, what in modules.items()
        }
        times = take_turns(runners, settings.size(15, 3))
        return Result(show_time(times["ours"]), f"{show_time(times['peer'])} ({peer})", times["ours"])

    return measure


def first_fit(ours: str, peer: str, warm: bool) -> Callable[[Settings], Result]:
    """Import and first fit on 200 x 10 in a fresh process that has imported scikit-learn and made its data.

    ``ours`` and ``peer`` are code that ends in a fit of X, y.  Warm: the compiled kernels are on disk; cold: the folder
    for them is empty.
    """

    def measure(settings: Settings) -> Result:
        prepare = f"import sklearn\n{QUIET}{SMALL}{CLOCK}"
        with tempfile.TemporaryDirectory() as folder:
            runners = {
                "ours": lambda: child(f"{prepare}{ours}{STOP}", NUMBA_CACHE_DIR=folder if warm else empty(folder)),
                "peer": lambda: child(f"{prepare}{peer}{STOP}"),
            }
            times = take_turns(runners, settings.size(7, 2))
        remark = "import and fit, after `import sklearn`"
        return Result(show_time(times["ours"]), show_time(times["peer"]), times["ours"], remark)

    return measure


def empty(folder: str) -> str:
    """A new folder in this one."""
    return tempfile.mkdtemp(dir=folder)


def memory(rows: int, data: str, ours: str, peer: str) -> Callable[[Settings], Result]:
    """Peak memory of ``fit`` beyond X, over the bytes of X, each in a separate process.

    ``data`` is a call of a function of ``benchmarks.data``, with ``{rows}`` in it; ``ours`` and ``peer`` are code that
    makes an estimator.
    """

    def measure(settings: Settings) -> Result:
        made = data.format(rows=settings.size(rows, rows // 10))
        mine, its = (child(f"{QUIET}{PEAK}print(peak_memory({estimator}, *data.{made}))") for estimator in (ours, peer))
        return Result(f"{mine:.3f}", f"{its:.3f}", mine, "of the bytes of X")

    return measure
