"""Kill a fit again and again, at moments drawn at random, until it comes to its end.

    python tests/support/killed.py FOLDER KILLS

One process imports everything and forks; each child is the command, killed after a while.  Prints how many were killed,
and in how many of these a checkpoint had been written before.
"""

import contextlib
import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np

from novikoff.cli import main


def command(folder, name):
    """The arguments of the fit; ``name`` is the model's."""
    return [
        "fit", str(folder / "rows.csv"), "--target", "y", "--passes", "120", "--no-test",
        "-o", str(folder / name), "--checkpoint", str(folder / f"{name}.checkpoint"),
    ]  # fmt: skip


def child(arguments):
    """Start the command in a process of its own."""
    number = os.fork()
    if number:
        return number
    with contextlib.suppress(BaseException), open(os.devnull, "w") as nowhere:
        sys.stdout = sys.stderr = nowhere
        main.program()(arguments, standalone_mode=False)
        os._exit(0)
    os._exit(1)


def run(folder, kills):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 8)).round(3)
    y = np.where(X.sum(axis=1) + rng.standard_normal(4000) > 0, "yes", "no")
    text = "\n".join(",".join([*map(str, row), label]) for row, label in zip(X, y, strict=True))
    (folder / "rows.csv").write_text("a,b,c,d,e,f,g,h,y\n" + text + "\n")
    for name in ("first", "whole"):  # the first compiles kernels
        began = time.perf_counter()
        assert os.waitpid(child(command(folder, name)), 0)[1] == 0
    whole = time.perf_counter() - began
    moments, killed, resumed = random.Random(0), 0, 0
    while killed < kills or not resumed:
        number = child(command(folder, "model"))
        time.sleep(moments.uniform(0.1 * whole, whole))
        os.kill(number, signal.SIGKILL)
        killed += os.WIFSIGNALED(os.waitpid(number, 0)[1])
        resumed += (folder / "model.checkpoint").exists()
        if (folder / "model").exists():  # at the end too early: begin again
            (folder / "model").rename(folder / f"model{killed}")
            (folder / "model.checkpoint").unlink()
    assert os.waitpid(child(command(folder, "model")), 0)[1] == 0
    print(killed, resumed)


if __name__ == "__main__":
    run(Path(sys.argv[1]), int(sys.argv[2]))
