"""Radial basis function networks
==============================

What no line can separate, a radial basis function network can: XOR, two circles, two spirals.

::

    python examples/rbf_network.py [folder for the picture]

Features that say how close a row is to each of some centres, and a perceptron on them.  The perceptron still draws a
line, but in the space of the features; seen from the data it is a curve.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import make_circles
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline, make_pipeline

from novikoff import Perceptron, RadialBasis
from novikoff.plots import plot_regions
from novikoff.plots.drawing import INK
from pictures import save

SEED = 0


class Problem(NamedTuple):
    rows: np.ndarray
    labels: np.ndarray
    network: Pipeline


def spirals(rows: int, turns: float, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Two arms, one the other turned by half a circle."""
    share = np.linspace(0, 1, rows)
    angle, radius = 2 * np.pi * turns * share, 0.1 + 0.9 * share
    arm = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    X = np.vstack([arm, -arm])
    return X + np.random.default_rng(SEED).normal(scale=noise, size=X.shape), np.repeat([0, 1], rows)


def problems() -> dict[str, Problem]:
    xor = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    bases = {
        "XOR": (xor, RadialBasis(centers=[[0, 0], [1, 1]], width=0.5**0.5)),
        "two circles": (
            make_circles(200, noise=0.08, factor=0.5, random_state=SEED),
            RadialBasis(15, random_state=SEED),
        ),
        "two spirals": (spirals(120, 2, 0.015), RadialBasis(70, random_state=SEED)),
    }
    found = {}
    for name, ((X, y), basis) in bases.items():
        found[name] = Problem(X, y, make_pipeline(basis, Perceptron(random_state=SEED)).fit(X, y))
    return found


def errors_of_a_line(X: np.ndarray, y: np.ndarray) -> int:
    """The errors of the best line a perceptron meets in some passes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # no line separates these rows
        return Perceptron(keep="pocket", max_iter=50, random_state=SEED).fit(X, y).n_errors_


def report(found: dict[str, Problem]) -> None:
    print("               rows  a line's errors  centres  network's errors  passes  updates  ended")
    for name, (X, y, network) in found.items():
        basis, clf = network
        print(
            f"{name:<13} {len(y):>5} {errors_of_a_line(X, y):>16} {len(basis.centers_):>8} {clf.n_errors_:>17} "
            f"{clf.n_iter_:>7} {clf.n_mistakes_:>8}  {clf.stop_reason_}"
        )
    separated = sum(network[-1].stop_reason_ == "separated" for *_, network in found.values())
    print(f"{separated} of {len(found)} networks ended with every row right.")
    X, _, network = found["XOR"]
    print("\nXOR with centres (0, 0) and (1, 1): rows, their two features, and the sign of the network's score")
    for row, (first, second), score in zip(X, network[0].transform(X), network.decision_function(X), strict=True):
        print(f"    ({row[0]}, {row[1]})   {first:.3f}  {second:.3f}   {'+' if score > 0 else '-'}")
    print("(0, 1) and (1, 0) have become one point, and a line separates it from the other two.")


def draw(found: dict[str, Problem], folder: Path) -> Path:
    figure = Figure(figsize=(9.2, 9.8), dpi=110, layout="constrained")
    xor, features, *others = figure.subplots(2, 2).flat
    for ax, (name, (X, y, network)) in zip((xor, *others), found.items(), strict=True):
        plot_regions(network, X, y, ax)
        show_centres(ax, network[0])
        ax.set_title(f"{name}: {len(network[0].centers_)} centres, {network[-1].n_errors_} of {len(y)} rows wrong")
    X, y, network = found["XOR"]
    plot_regions(network[-1], network[0].transform(X), y, features)
    features.set_title("XOR, seen by the perceptron: a line")
    features.set_xlabel("closeness to (0, 0)")
    features.set_ylabel("closeness to (1, 1)")
    for ax in figure.axes:
        ax.get_legend().remove()
    figure.suptitle("Radial basis function networks", fontsize=14)
    handles = {
        label: handle for ax in figure.axes for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    labels = ["margin band" if label.startswith("margin") else label for label in handles]
    figure.legend(handles.values(), labels, loc="outside lower center", ncols=len(labels), frameon=False)
    return save(figure, folder / "rbf_network.png")


def show_centres(ax, basis: RadialBasis) -> None:
    look = {"marker": "D", "s": 90, "facecolors": "none", "edgecolors": INK, "linewidths": 1.0}
    ax.scatter(*basis.centers_.T, **look, label="centres", zorder=6)


def main(folder: Path) -> None:
    found = problems()
    report(found)
    print(f"Picture: {draw(found, folder).name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
