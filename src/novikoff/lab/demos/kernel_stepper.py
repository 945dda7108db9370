"""The kernel perceptron, row by row: how often each row was a mistake, and the curve that follows (L2, L3)."""

from __future__ import annotations

from typing import Any

from ..demonstration import Ask, Control, Demonstration, Parameters, Preset
from ..level_lines import positive_regions
from ..point_sets import EIGHT, OVERLAP, RING, XOR
from ..python_code import number
from ..scenes import Data

MOST_STEPS = 200  # that the page can go through
MOST_PASSES = 100
ACROSS = 60  # places of the grid that finds a boundary


def steps(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """Every row that was read, and after every update the counts, the bias and the boundary."""
    import numpy as np

    from ...dual.kernels import make_kernel  # when asked: scikit-learn takes long to import
    from ...studies.tracing import trace  # likewise

    X, y = data.arrays()
    signs = np.where(y == 1, 1, -1)
    found = trace(_learner(parameters), X, y, max_updates=MOST_STEPS, every_row=True)
    kind = make_kernel(parameters["kernel"], parameters["degree"], parameters["gamma"], 1.0, X)
    rows = kind.points(X, np.arange(len(X)))
    gram = kind.values(rows, rows)

    def state(weights: Any) -> dict[str, Any]:
        def score(Z: Any) -> Any:
            return kind.values(kind.points(Z, np.full(len(Z), -1)), rows) @ weights[:-1] + weights[-1]

        return {
            "alpha": np.abs(weights[:-1]).astype(int).tolist(),
            "bias": float(weights[-1]),
            "errors": int(((gram @ weights[:-1] + weights[-1] > 0) != (y == 1)).sum()),
            "regions": positive_regions(score, data.X, ACROSS),
        }

    states, shown = [state(found.before[0, 0])], []
    for step in found:
        if step.moved:
            states.append(state(step.after[0]))
        score = float(step.scores[0])
        shown.append(
            {
                "row": int(step.row),
                "y": int(signs[step.row]),
                "pass": step.pass_number,
                "score": score,
                "signed": signs[step.row] * score + 0.0,
                "moved": step.moved,
                "state": len(states) - 1,
            }
        )
    return {
        "steps": shown,
        "states": states,
        "signs": signs.tolist(),
        "gram": gram.tolist(),
        "radius2": float(kind.diagonal(rows).max()),
        "complete": found.complete,
        "ending": _ending(found),
    }


def _learner(parameters: Parameters) -> Any:
    from ...estimators.kernel_perceptron import KernelPerceptron  # as in steps

    return KernelPerceptron(
        parameters["kernel"],
        degree=parameters["degree"],
        gamma=parameters["gamma"],
        coef0=1.0,
        order="cyclic",
        keep="last",
        max_iter=MOST_PASSES,
        min_progress=None,
    )


def _ending(found: Any) -> str:
    learner, mistakes = found.estimator, int(found.moved.sum())
    count = f"{mistakes} mistake{'s' * (mistakes != 1)} in {learner.n_iter_} pass{'es' * (learner.n_iter_ != 1)}"
    if not found.complete:
        return f"The first {len(found)} rows are shown: {count}, and the perceptron is not done."
    return {
        "separated": f"Separated after {count}: a whole pass without a mistake.",
        "cycle": f"A cycle after {count}: the same scores came back at the same row, so it would never end.",
    }.get(learner.stop_reason_, f"Not separated after {count}.")


def python(data: Data, parameters: Parameters) -> str:
    """The code of this view."""
    kernel = parameters["kernel"]
    choice = {
        "rbf": f", gamma={number(parameters['gamma'])}",
        "poly": f", degree={parameters['degree']}, gamma={number(parameters['gamma'])}, coef0=1",
        "linear": "",
    }[kernel]
    return (
        "from novikoff import KernelPerceptron, trace\n\n"
        f'learner = KernelPerceptron("{kernel}"{choice}, order="cyclic", keep="last", max_iter={MOST_PASSES}, min_progress=None)\n'
        f"steps = trace(learner, X, y, max_updates={MOST_STEPS}, every_row=True)  # alpha_i y_i of every row, then b\n"
        "print(steps)\n"
    )


KERNEL_STEPPER = Demonstration(
    name="kernel",
    title="The kernel perceptron, step by step",
    lectures="L2, L3 (12)",
    text=(
        "The weights of a perceptron are a sum of rows: w = \u03a3 \u03b1\u1d62 y\u1d62 \u03c6(x\u1d62), where \u03b1\u1d62 counts the mistakes "
        "at row i. So a score needs only products of features: a = \u03a3 \u03b1\u1d62 y\u1d62 k(x\u1d62, x) + b with "
        "k(x, z) = \u03c6(x)\u00b7\u03c6(z).",
        "On a mistake \u03b1\u1d62 grows by one and b \u2190 b + y\u1d62R\u00b2, R\u00b2 = max k(x, x). \u03c6 itself is never worked out, and "
        "may have any number of parts (Aizerman, Braverman and Rozonoer 1964).",
    ),
    task="Step through XOR with the polynomial kernel. Then take degree 1, or the linear kernel: what happens, and why? Make \u03b3 large for "
    "the ring: which rows keep \u03b1 = 0?",
    presets=(
        Preset("ring", "A ring", RING, {"gamma": 0.5}),
        Preset("ring-poly", "A ring, polynomial", RING, {"kernel": "poly", "degree": 2}),
        Preset("xor", "XOR", XOR, {"kernel": "poly", "degree": 2}),
        Preset("overlap", "Classes that overlap", OVERLAP, {"gamma": 2.0}),
        Preset("linear", "Eight points, linear kernel", EIGHT, {"kernel": "linear"}),
        Preset("xor-linear", "XOR, linear: it never ends", XOR, {"kernel": "linear"}),
    ),
    controls=(
        Control(
            "kernel",
            "Kernel",
            "rbf",
            (
                ("rbf", "exp(\u2212\u03b3\u2016x \u2212 z\u2016\u00b2)"),
                ("poly", "(\u03b3 x\u00b7z + 1)\u1d48"),
                ("linear", "x\u00b7z"),
            ),
        ),
        Control("gamma", "\u03b3", 1.0, low=0.001, high=1000),
        Control("degree", "Degree", 2, low=1, high=9, whole=True, step=1, only=("kernel", "poly")),
    ),
    asks={"kernel": Ask(steps)},
    python=python,
)
