"""Solved learners beside scikit-learn's, defaults on both sides: ``python -m benchmarks.solvers [--data FOLDER] [--only WORD] [--runs N]``.

Processor time of one thread, ours and theirs in turn, medians of the runs; the ratio is their time over ours.  Beside it the accuracy on
other rows and the gap that ours proved.  ``--data``: a folder with ``mnist.npz`` and ``clinc_minilm.npz``, which are left out without it.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from novikoff import Adaline, LinearSVM, LogisticNeuron

PAIRS = ((LinearSVM, LinearSVC), (LogisticNeuron, LogisticRegression), (Adaline, RidgeClassifier))
TRAINED = 0.75  # of the rows


def embeddings(rows: int, columns: int, classes: int, spread: float) -> tuple[np.ndarray, np.ndarray]:
    """Rows like those of sentence encoders: float32, of length 1, correlated columns, overlapping classes."""
    rng = np.random.default_rng(classes)
    basis, middles = rng.normal(size=(columns // 4, columns)), rng.normal(size=(classes, columns // 4)) * spread
    y = rng.integers(0, classes, rows)
    X = (middles[y] + rng.normal(size=(rows, columns // 4))) @ basis + 0.5 * rng.normal(size=(rows, columns))
    return (X / np.linalg.norm(X, axis=1, keepdims=True)).astype(np.float32), y


def sets(folder: Path | None) -> Iterator[tuple[str, Any, np.ndarray]]:
    """Names, rows and labels."""
    for name in ("iris", "wine", "breast_cancer", "digits"):
        yield name, *getattr(datasets, f"load_{name}")(return_X_y=True)
    for rows, columns in ((100_000, 50), (350_000, 40)):
        made = datasets.make_classification(rows, columns, n_informative=15, flip_y=0.1, random_state=1)
        yield f"made {rows} x {columns}", *made
    for classes, spread in ((2, 0.12), (20, 0.22), (20, 0.6)):
        yield f"embeddings 768, {classes} classes, {spread}", *embeddings(20_000, 768, classes, spread)
    if folder is None:
        return
    with np.load(folder / "mnist.npz") as kept:
        X = (kept["X"].reshape(len(kept["X"]), -1)[:16_000] / 255.0).astype(np.float32)
        yield "mnist 12000", X, kept["y"].ravel()[:16_000].astype(int)
    with np.load(folder / "clinc_minilm.npz") as kept:
        X, y = (kept[name] for name in list(kept)[:2])
        yield "sentences, 150 classes", X.astype(np.float32), y


def seconds(learner: Any, X: Any, y: np.ndarray) -> float:
    """Of one fit."""
    before = time.process_time()
    learner.fit(X, y)
    return time.process_time() - before


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--runs", type=int, default=7)
    asked = parser.parse_args()
    print("| rows | learner | ours | theirs | ratio | accuracy, ours and theirs | gap |\n|---|---|---|---|---|---|---|")
    for name, X, y in sets(asked.data):
        if asked.only not in name:
            continue
        order = np.random.default_rng(0).permutation(len(y))
        X, y, first = X[order], y[order], int(TRAINED * len(y))
        for own, peer in PAIRS:
            times: list[tuple[float, float]] = []
            with warnings.catch_warnings(), threadpool_limits(1):
                warnings.simplefilter("ignore")
                own().fit(X[:100], y[:100])  # what is compiled once
                for _ in range(asked.runs):
                    mine, theirs = own(), peer()
                    times.append((seconds(mine, X[:first], y[:first]), seconds(theirs, X[:first], y[:first])))
            ours, others = np.median(times, axis=0)
            scores = [100 * learner.score(X[first:], y[first:]) for learner in (mine, theirs)]
            print(
                f"| {name} | {own.__name__} | {1e3 * ours:.1f} ms | {1e3 * others:.1f} ms | {others / ours:.2f} | "
                f"{scores[0]:.2f}, {scores[1]:.2f} | {mine.duality_gap_:.0e} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
