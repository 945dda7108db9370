"""A cluster on a laptop
=====================

Rows in partitions, two worker processes, one of which is killed on the way.

::

    python examples/cluster_on_a_laptop.py [folder for the picture]

Two processes on one machine are slower than one.  They show what a real cluster does: the code is the same, but for
``Client("scheduler:8786")`` instead of a ``LocalCluster``.  Needs ``pip install ".[dask,plot]"``.

.. image:: ../../examples/cluster_on_a_laptop.png
   :alt: Training errors against passes for 1, 8, 64 and 512 partitions: the more partitions are mixed, the steadier
"""
# sphinx_gallery_thumbnail_path = '../examples/cluster_on_a_laptop.png'

from __future__ import annotations

import logging
import os
import signal
import sys
import warnings
from pathlib import Path
from threading import Timer

import dask
import numpy as np
from distributed import Client, LocalCluster
from matplotlib.figure import Figure
from sklearn.exceptions import ConvergenceWarning

from novikoff import Perceptron
from novikoff.distributed import fit
from pictures import save

ROWS, COLUMNS, PARTITIONS, PASSES = 20_000, 20, 8, 12


def read_partition(number: int) -> tuple[np.ndarray, np.ndarray]:
    """What would be a file: rows of one class only, in the first half of the partitions class 0."""
    rng = np.random.default_rng(number)
    y = np.full(ROWS // PARTITIONS, number * 2 // PARTITIONS)
    return rng.normal(size=(y.size, COLUMNS)) + 0.25 * (2 * y[:, None] - 1), y


def learner(passes: int = PASSES) -> Perceptron:
    return Perceptron(keep="average", max_iter=passes, min_progress=None, history="full", random_state=0)


def on_a_cluster() -> Perceptron:
    """Learn on two workers, and kill one of them on the way."""
    partitions = [dask.delayed(read_partition)(number) for number in range(PARTITIONS)]  # read by the workers
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": logging.CRITICAL}
    with LocalCluster(n_workers=2, **options) as cluster, Client(cluster) as client:
        victim = next(iter(client.run(os.getpid).values()))
        killing = Timer(0.5, os.kill, (victim, signal.SIGKILL))
        killing.start()
        fitted = fit(learner(), partitions, client=client)
        killing.join()
    return fitted


def report(here: Perceptron, there: Perceptron, said: str) -> None:
    same = np.array_equal(here.coef_, there.coef_) and np.array_equal(here.intercept_, there.intercept_)
    X, y = (np.concatenate(column) for column in zip(*map(read_partition, range(PARTITIONS)), strict=True))
    print(
        f"""Said at the start: {said}

{PASSES} passes over {ROWS:,} rows in {PARTITIONS} partitions, on two workers, one of which was killed meanwhile.
The same weights as in one process, to the last bit: {same}
{there.score(X, y):.1%} of the rows are classified correctly, with weights from one machine {learner().fit(X, y).score(X, y):.1%}."""
    )


def draw(folder: Path) -> Path:
    """What mixing does: errors after each pass, rows in few or many partitions."""
    rows = [np.concatenate(column) for column in zip(*map(read_partition, range(PARTITIONS)), strict=True)]
    order = np.random.default_rng(0).permutation(ROWS)
    figure = Figure(figsize=(7.2, 4.2), dpi=110, layout="constrained")
    ax = figure.subplots()
    for count in (1, 8, 64, 512):
        parts = np.array_split(order, count)
        fitted = fit(learner().set_params(keep="last"), [tuple(column[part] for column in rows) for part in parts])
        ax.plot(
            np.arange(1, PASSES + 1), 100 * fitted.history_["errors"] / ROWS, marker="o", label=f"{count} partition(s)"
        )
    ax.set(xlabel="passes", ylabel="training errors of the running weights, %")
    ax.legend(title="weights mixed after every pass", frameon=False)
    return save(figure, folder / "cluster_on_a_laptop.png")


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        here = fit(learner(), [read_partition(number) for number in range(PARTITIONS)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what was said already, and what Dask says of a worker that dies
        report(here, on_a_cluster(), str(caught[0].message))
        draw(folder)


if __name__ == "__main__":
    main()
