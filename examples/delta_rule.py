"""The delta rule on its error surface
===================================

Online, mini-batch and batch paths, a step too large, and the direct solution.

::

    python examples/delta_rule.py [folder for the picture]

One feature, so that a line has two numbers, w and b, and the mean squared error is a bowl above their plane.  Every path
is a ``trace`` of ``AdalineRegressor``: each of its points is the pair (w, b) after one update.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.exceptions import ConvergenceWarning

from novikoff import AdalineRegressor, trace
from novikoff.plots.drawing import INK
from novikoff.studies.tracing import Trace
from pictures import save

SEED = 0
ROWS = 40
START = [[-1.0, 3.0]]  # w, b


def data() -> tuple[np.ndarray, np.ndarray]:
    """d = 1.5 x + 1 and noise."""
    rng = np.random.default_rng(SEED)
    x = rng.uniform(-1, 2, ROWS)
    return x[:, None], 1.5 * x + 1 + rng.normal(scale=0.6, size=ROWS)


def paths(X: np.ndarray, d: np.ndarray) -> dict[str, Trace]:
    """Three ways down, and one that leads away."""
    limit = 2 / largest_curvature(X)
    learners = {
        "online": AdalineRegressor(0.06, solver="steps", max_iter=5, init=START, order="cyclic"),
        "batches of 10": AdalineRegressor(0.02, solver="steps", batch_size=10, max_iter=6, init=START, order="cyclic"),
        "batch": AdalineRegressor("auto", solver="steps", batch_size="all", max_iter=25, init=START),
        "batch, step too large": AdalineRegressor(
            1.06 * limit, solver="steps", batch_size="all", max_iter=14, init=START
        ),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # one of them is meant to diverge
        return {name: trace(learner, X, d) for name, learner in learners.items()}


def largest_curvature(X: np.ndarray) -> float:
    """The largest eigenvalue of the sum of (x, 1) (x, 1)^T: steps of all rows diverge from 2 over it."""
    rows = np.column_stack([X, np.ones(len(X))])
    return float(np.linalg.eigvalsh(rows.T @ rows)[-1])


def error(X: np.ndarray, d: np.ndarray, w: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Half the mean squared error of the line w x + b."""
    return 0.5 * np.mean((d - np.multiply.outer(w, X[:, 0]) - np.asarray(b)[..., None]) ** 2, axis=-1)


def points(path: Trace) -> np.ndarray:
    """The start and every (w, b) on the way."""
    return np.vstack([path.before[:1, 0], path.after[:, 0]])


def report(X: np.ndarray, d: np.ndarray, found: dict[str, Trace], exact: AdalineRegressor) -> None:
    w, b = float(exact.coef_[0]), float(exact.intercept_[0])
    least = float(error(X, d, np.array(w), np.array(b)))
    print(f"direct solution: w = {w:.4f}, b = {b:.4f}, half the mean squared error {least:.4f}")
    for name, path in found.items():
        last = points(path)[-1]
        print(
            f"{name:<22} eta = {path.estimator.eta_:.4f}, {len(path):>3} updates in {path.estimator.n_iter_:>2} passes: "
            f"w = {last[0]:.4f}, b = {last[1]:.4f}, error {float(error(X, d, *last)):.4f}"
        )
    calm, online = found["batch"], points(found["online"])
    lost = error(X, d, *points(calm).T)
    off = np.abs(online[-ROWS:] - [w, b]).max()
    print(
        f"""
Batch: the error falls with every one of {len(calm)} steps: {bool(np.all(np.diff(lost) < 0))}; eta="auto" sees to that.
Online steps follow one row each and hover about the solution: in the last pass they are up to {off:.2f} off.
Steps of all rows diverge from eta = {2 / largest_curvature(X):.4f}, 2 over the largest curvature of the summed error."""
    )
    try:
        AdalineRegressor(1.0, solver="steps", batch_size="all", max_iter=5000, init=START).fit(X, d)
    except OverflowError as refused:
        print(f"With eta = 1 the fit ends in an error: {refused}")


def draw(X: np.ndarray, d: np.ndarray, found: dict[str, Trace], exact: AdalineRegressor, folder: Path) -> Path:
    figure = Figure(figsize=(9.4, 9.8), dpi=100, layout="constrained")
    grid = figure.subplots(2, 2, sharex=True, sharey=True)
    solution = float(exact.coef_[0]), float(exact.intercept_[0])
    w, b = np.meshgrid(np.linspace(-3.2, 5.2, 200), np.linspace(-2.6, 4.6, 200))
    height = error(X, d, w, b)
    levels = float(error(X, d, *np.array(solution))) + np.geomspace(0.04, 20, 9)
    for ax, (name, path) in zip(grid.flat, found.items(), strict=True):
        ax.contour(w, b, height, levels=levels, colors="#9bb7cf", linewidths=0.9, zorder=1)
        way = points(path)
        look = {"color": "#D55E00" if "large" in name else "#0072B2", "linewidth": 1.2, "markersize": 3.5}
        ax.plot(*way.T, "-o", markeredgecolor="white", markeredgewidth=0.4, label="path", zorder=3, **look)
        ax.plot(*way[0], "s", color=INK, markersize=9, linestyle="", label="start", zorder=4)
        star = {"color": "#E69F00", "markeredgecolor": INK, "markersize": 17, "linestyle": ""}
        ax.plot(*solution, "*", label="direct solution", zorder=5, **star)
        ax.set_title(f"{name}: eta = {path.estimator.eta_:.3g}, {len(path)} updates", fontsize=11)
        ax.set(xlim=(-3.2, 5.2), ylim=(-2.6, 4.6), xlabel="$w$", ylabel="$b$")
        ax.label_outer()
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    figure.suptitle("The delta rule on its error surface (lines: equal mean squared error)", fontsize=14)
    return save(figure, folder / "delta_rule.png")


def main(folder: Path) -> None:
    X, d = data()
    found = paths(X, d)
    exact = AdalineRegressor(solver="direct").fit(X, d)
    report(X, d, found, exact)
    print(f"Picture: {draw(X, d, found, exact, folder).name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
