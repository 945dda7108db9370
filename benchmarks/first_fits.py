"""The first fit on a new machine: every learner in a fresh process, its folder of compiled kernels empty, then filled."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from novikoff.estimators.learners import LEARNERS

from .measure import Benchmark, Limit, Result, Settings, at_most, show_time
from .processes import byte_code, empty

PENGUINS = Path(__file__).parents[1] / "examples" / "penguins.csv"
QUIET = "import warnings; warnings.simplefilter('ignore')\n"
COMPILED = "from novikoff.compiled import jit; jit.compiles_at_once.append(True)\n"
DATA = {
    "iris": "from sklearn.datasets import load_iris; X, y = load_iris(return_X_y=True)\n",
    "digits": "from sklearn.datasets import load_digits; X, y = load_digits(return_X_y=True)\n",
    "dense": "import numpy as np; rng = np.random.default_rng(0); X = rng.standard_normal((1000, 20))\n"
    "y = (X @ rng.standard_normal(20) + rng.standard_normal(1000) > 0).astype(int)\n",
    "sparse": "import numpy as np; from scipy import sparse; rng = np.random.default_rng(0)\n"
    "X = sparse.random_array((2000, 500), density=0.02, format='csr', rng=rng)\n"
    "y = (X @ rng.standard_normal(500) > 0).astype(int)\n",
}
SIZES = {"iris": "iris", "digits": "digits", "dense": "1,000 x 20", "sparse": "sparse 2,000 x 500"}
PEERS = {
    "Perceptron": "linear_model.Perceptron()",
    "Adaline": "linear_model.RidgeClassifier()",
    "AdalineRegressor": "linear_model.Ridge()",
    "LogisticNeuron": "linear_model.LogisticRegression()",
    "HingeSGD": "linear_model.SGDClassifier()",
    "LinearSVM": "svm.LinearSVC()",
    "KernelSVM": "svm.SVC()",
    "KernelPerceptron": "svm.SVC()",
}
ANY_PEER = "linear_model.SGDClassifier()"
ANY_REGRESSOR = "linear_model.SGDRegressor()"
KERNELS = ("KernelPerceptron", "KernelSVM")
LEARNING, WITH_KERNELS = at_most(1.5, 0.5, " s"), at_most(4, 2, " s")
COMMANDS: dict[str, Limit] = {
    "fit": at_most(1.5, 0.5, " s"),
    "check": at_most(1.5, 0.5, " s"),
    "compare": at_most(6, 3, " s"),
}


def processor_time(command: list[str], **environment: str) -> float:
    """Processor time of a program from its start to its end, imports included; one thread."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=os.environ | byte_code() | threads | environment, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):  # ``check``: the classes are not separable
        raise RuntimeError((done.stdout + done.stderr).decode()[-2000:])
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cold_and_warm(ours: list[str], peer: list[str] | None, settings: Settings) -> Result:
    """Processor time beyond that of the warm run."""
    rounds = settings.size(3, 1)
    with tempfile.TemporaryDirectory() as folder:
        kept = empty(folder)
        processor_time(ours, NUMBA_CACHE_DIR=kept)
        if ours[1] == "-c":  # what runs before it is compiled is compiled for the warm runs
            processor_time([*ours[:-1], f"{COMPILED}{ours[-1]}"], NUMBA_CACHE_DIR=kept)
        if peer:
            processor_time(peer)
        warm, cold, its = [], [], []
        for _ in range(rounds):
            cold.append(processor_time(ours, NUMBA_CACHE_DIR=empty(folder)))
            warm.append(processor_time(ours, NUMBA_CACHE_DIR=kept))
            its += [processor_time(peer)] if peer else []
    return Result(
        f"{show_time(min(cold))}, warm {show_time(min(warm))}",
        show_time(min(its)) if its else "-",
        min(cold) - min(warm),
        "processor time of a whole process; the figure: cold less warm",
    )


def fit_row(name: str, numbers: bool, data: str) -> Benchmark:
    begin = f"{QUIET}{DATA[data]}"
    peer = PEERS.get(name, ANY_REGRESSOR if numbers else ANY_PEER)
    ours = [sys.executable, "-c", f"{begin}import novikoff; novikoff.{name}().fit(X, y)"]
    theirs = [sys.executable, "-c", f"{begin}from sklearn import linear_model, svm; {peer}.fit(X, y)"]
    return Benchmark(
        f"first-fit-{data}-{name}",
        f"first fit of {name} on {SIZES[data]}, start included; peer: {peer}",
        WITH_KERNELS if name in KERNELS else LEARNING,
        lambda settings: cold_and_warm(ours, theirs, settings),
    )


def command_row(command: str, limit: Limit) -> Benchmark:
    ours = [sys.executable, "-m", "novikoff", command, str(PENGUINS), "--target", "species"]
    return Benchmark(
        f"first-fit-command-{command}",
        f"first `novikoff {command}` on penguins",
        limit,
        lambda settings: cold_and_warm(ours, None, settings),
    )


def first_fit_rows() -> Iterator[Benchmark]:
    """All learners on four sets, and three commands."""
    learners = [(row.name, row.task == "numbers") for row in LEARNERS] + [("LinearSVM", False), ("KernelSVM", False)]
    for data in DATA:
        for name, numbers in learners:
            yield fit_row(name, numbers, data)
    for command, limit in COMMANDS.items():
        yield command_row(command, limit)
