"""The perceptron in its dual form
===============================

What kernels make of a line, and what a budget of support vectors costs.

::

    python examples/kernel_perceptron.py [folder for the picture]

The dual form knows rows by their kernel values only.  A polynomial kernel draws curves of a low degree, a radial one
whatever the rows ask for; every row that was ever mistaken stays a support vector, unless a budget bounds their number.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from matplotlib.figure import Figure
from sklearn.datasets import make_circles
from sklearn.exceptions import ConvergenceWarning

from novikoff import KernelPerceptron
from novikoff.plots import plot_regions
from novikoff.plots.drawing import INK
from pictures import save
from rbf_network import spirals

SEED = 0

CIRCLES = make_circles(200, noise=0.08, factor=0.5, random_state=SEED)
SPIRALS = spirals(120, 2, 0.015)
EXAMPLES = {
    "circles, polynomial of degree 2": (CIRCLES, {"kernel": "poly", "degree": 2, "coef0": 1.0}),
    "circles, radial": (CIRCLES, {"kernel": "rbf", "gamma": 2.0}),
    "spirals, radial": (SPIRALS, {"kernel": "rbf", "gamma": 20.0}),
    "spirals, radial, budget of 60": (SPIRALS, {"kernel": "rbf", "gamma": 20.0, "budget": 60}),
}


def fits() -> dict[str, KernelPerceptron]:
    usual = {"keep": "last", "max_iter": 200, "random_state": SEED}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a budget may be too small to get every row right
        return {name: KernelPerceptron(**usual, **choice).fit(*data) for name, (data, choice) in EXAMPLES.items()}


def report(found: dict[str, KernelPerceptron]) -> None:
    print(f"{'':<33}support vectors  mistakes  errors  passes  ended")
    for name, clf in found.items():
        print(
            f"{name:<33}{clf.support_.size:>15}{clf.n_mistakes_:>10}{clf.n_errors_:>8}{clf.n_iter_:>8}  {clf.stop_reason_}"
        )
    separated = sum(clf.stop_reason_ == "separated" for clf in found.values())
    print(f"{separated} of {len(found)} fits ended with every row right.")


def draw(found: dict[str, KernelPerceptron], folder: Path) -> Path:
    figure = Figure(figsize=(9.2, 9.8), dpi=110, layout="constrained")
    for ax, (name, clf) in zip(figure.subplots(2, 2).flat, found.items(), strict=True):
        X, y = EXAMPLES[name][0]
        plot_regions(clf, X, y, ax)
        look = {"s": 70, "facecolors": "none", "edgecolors": INK, "linewidths": 0.9}
        ax.scatter(*X[clf.support_].T, **look, label="support vectors", zorder=6)
        ax.set_title(
            f"{name}\n{clf.support_.size} support vectors, {clf.n_errors_} of {len(y)} rows wrong", fontsize=11
        )
    handles = {
        label: handle for ax in figure.axes for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    for ax in figure.axes:
        ax.get_legend().remove()
    figure.suptitle("Kernel perceptrons", fontsize=14)
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=len(handles), frameon=False)
    return save(figure, folder / "kernel_perceptron.png")


def main(folder: Path) -> None:
    found = fits()
    report(found)
    print(f"Picture: {draw(found, folder).name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
