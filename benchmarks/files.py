"""From a file to a model, start-up included: the command line against a script and against Vowpal Wabbit."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from .measure import Result, Settings, show_time
from .processes import byte_code

AT_ONCE = 100_000  # rows written at a time

SCRIPT = """
import pickle, sys
import pandas as pd
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
frame = pd.read_csv(sys.argv[1])
label = frame.pop("label")
learner = SGDClassifier(loss="perceptron", average=True, learning_rate="constant", eta0=1, penalty=None, max_iter=5, tol=None)
model = make_pipeline(StandardScaler(), learner).fit(frame, label)
pickle.dump(model, open(sys.argv[2], "wb"))
"""
RABBIT = """
import sys
import vowpalwabbit
workspace = vowpalwabbit.Workspace(f"-d {sys.argv[1]} -c -k --passes 5 --holdout_off --loss_function hinge --quiet -f {sys.argv[2]}")
workspace.finish()
"""
WATCH = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[2:]).returncode
with open(sys.argv[1], "w") as out:
    out.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status)
"""
OURS = (sys.executable, "-m", "novikoff")


def run(*command: str, fine: tuple[int, ...] = (0,)) -> float:
    """Seconds that a program takes, from its start to its end; ``fine`` are exit statuses."""
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    environment |= byte_code()
    began = perf_counter()
    done = subprocess.run(command, capture_output=True, env=environment)
    seconds = perf_counter() - began
    if done.returncode not in fine:
        raise RuntimeError((done.stdout + done.stderr).decode()[-2000:])
    return seconds


def peak_memory(*command: str, fine: tuple[int, ...]) -> tuple[float, float]:
    """Seconds, and the most memory that a program has, in GB, as a small program sees it that does nothing else: the system
    counts what the parent of a program has as the program's own."""
    with folder() as place:
        seconds = run(sys.executable, "-c", WATCH, str(place / "peak"), *command, fine=fine)
        return seconds, int((place / "peak").read_text()) * 1024 / 1e9


def take_turns(runners: dict[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """The best time of each after a first turn that fills caches of files and kernels."""
    turns = [{name: runner() for name, runner in runners.items()} for _ in range(rounds + 1)]
    return {name: min(turn[name] for turn in turns[1:]) for name in runners}


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def table_blocks(rows: int, columns: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(0)
    plane = rng.standard_normal(columns)
    for _ in range(0, rows, AT_ONCE):
        X = rng.standard_normal((AT_ONCE, columns)).round(4)
        yield X, np.where(X @ plane + rng.standard_normal(AT_ONCE) > 0, 1, -1)


def write_table(csv: Path, rabbit: Path | None, rows: int, columns: int = 30) -> None:
    """The same rows as CSV and in Vowpal Wabbit's format."""
    names = ["label", *(f"x{j}" for j in range(columns))]
    with pa.OSFile(str(csv), "wb") as out, open(rabbit or os.devnull, "wb") as other:
        for number, (X, y) in enumerate(table_blocks(rows, columns)):
            table = pa.table([pa.array(y), *(pa.array(column) for column in X.T)], names)
            options = pa.csv.WriteOptions(include_header=number == 0, quoting_style="needed")
            pa.csv.write_csv(table, out, options)
            if rabbit:
                fields = [
                    pc.binary_join_element_wise(str(j), pa.array(X[:, j]).cast(pa.string()), ":")
                    for j in range(columns)
                ]
                other.write(joined(pc.binary_join_element_wise(pa.array(y).cast(pa.string()), "|", *fields, " ")))


def write_sparse(svm: Path, rabbit: Path, rows: int, filled: int = 40, width: int = 20_000) -> None:
    """The same sparse rows as LIBSVM and in Vowpal Wabbit's format."""
    rng = np.random.default_rng(0)
    plane = rng.standard_normal(width)
    with open(svm, "wb") as one, open(rabbit, "wb") as other:
        for _ in range(0, rows, AT_ONCE):
            steps = rng.integers(1, 2 * width // filled, size=(AT_ONCE, filled))
            indices = np.minimum(np.cumsum(steps, axis=1), width - filled + np.arange(filled)[None])
            values = rng.integers(1, 1000, size=(AT_ONCE, filled)) / 1000
            y = np.where((plane[indices] * values).sum(axis=1) > 0, 1, -1)
            texts = [pa.array(part.ravel()).cast(pa.string()) for part in (indices + 1, values)]
            fields = pc.binary_join_element_wise(*texts, ":")
            starts = pa.array(np.arange(0, len(fields) + 1, filled, dtype=np.int32))
            lines = pc.binary_join(pa.ListArray.from_arrays(starts, fields), " ")
            labels = pa.array(y).cast(pa.string())
            one.write(joined(pc.binary_join_element_wise(labels, lines, " ")))
            other.write(joined(pc.binary_join_element_wise(labels, "|", lines, " ")))


def joined(lines: pa.Array) -> bytes:
    return "\n".join([*lines.to_pylist(), ""]).encode()


def table_to_model(against: str) -> Callable[[Settings], Result]:
    """CSV of 2M x 30 numbers, 5 passes; the peer "script" or "rabbit"."""

    def measure(settings: Settings) -> Result:
        with folder() as place:
            csv, rabbit, model = place / "rows.csv", place / "rows.vw", place / "model"
            write_table(csv, rabbit if against == "rabbit" else None, settings.size(2_000_000, 100_000))
            peers = {
                "script": lambda: run(sys.executable, "-c", SCRIPT, str(csv), str(model) + ".pickle"),
                "rabbit": lambda: run(sys.executable, "-c", RABBIT, str(rabbit), str(model) + ".vw"),
            }
            ours = (*OURS, "fit", str(csv), "--target", "label", "--passes", "5", "--no-test", "-o", str(model))
            times = take_turns({"ours": lambda: run(*ours), "peer": peers[against]}, settings.size(3, 1))
            remark = f"{csv.stat().st_size / 1e6:.0f} MB; ours also encodes, scores the training rows and reports"
            return Result(show_time(times["ours"]), show_time(times["peer"]), times["peer"] / times["ours"], remark)

    return measure


def sparse_to_model(settings: Settings) -> Result:
    """LIBSVM of 1M x 40 non-zeros, 5 passes, against Vowpal Wabbit."""
    with folder() as place:
        svm, rabbit, model = place / "rows.svm", place / "rows.vw", place / "model"
        write_sparse(svm, rabbit, settings.size(1_000_000, 100_000))
        ours = (*OURS, "fit", str(svm), "--passes", "5", "--no-test", "-o", str(model))
        times = take_turns(
            {
                "ours": lambda: run(*ours),
                "peer": lambda: run(sys.executable, "-c", RABBIT, str(rabbit), str(model) + ".vw"),
            },
            settings.size(3, 1),
        )
        remark = f"{svm.stat().st_size / 1e6:.0f} MB, Vowpal Wabbit's own {rabbit.stat().st_size / 1e6:.0f} MB"
        return Result(show_time(times["ours"]), show_time(times["peer"]), times["peer"] / times["ours"], remark)


def peak_of(command: str) -> Callable[[Settings], Result]:
    """Peak memory of "fit", "check" or "score" on a CSV file of 2 GB, in GB."""

    def measure(settings: Settings) -> Result:
        with folder() as place:
            csv, few, model = place / "rows.csv", place / "few.csv", place / "model"
            write_table(csv, None, settings.size(9_000_000, 100_000))
            size = csv.stat().st_size / 1e9
            target, bound = ("--target", "label"), ("--memory", "1GB")
            if command == "score":
                write_table(few, None, AT_ONCE)
                run(*OURS, "fit", str(few), *target, "--no-test", "-o", str(model))
            asked = {
                "fit": ("fit", str(csv), *target, *bound, "--passes", "2", "--no-test"),
                "check": ("check", str(csv), *target, *bound),
                "score": ("score", str(model), str(csv)),
            }
            seconds, peak = peak_memory(*OURS, *asked[command], fine=(0, 1))
            return Result(f"{peak:.2f} GB", "-", peak, f"a file of {size:.1f} GB, {seconds:.0f} s")

    return measure


def start_up(settings: Settings) -> Result:
    """Seconds of ``novikoff --help``."""
    times = take_turns({"ours": lambda: run(*OURS, "--help")}, settings.size(10, 2))
    return Result(show_time(times["ours"]), "-", times["ours"])
