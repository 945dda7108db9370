"""The support vector machine from a hard to a soft margin, beside a Gaussian classifier (L3)."""

from __future__ import annotations

from math import floor, log10
from typing import Any

from ..demonstration import Ask, Control, Demonstration, Parameters, Preset
from ..line_errors import line_errors
from ..point_sets import CLOUDS, EIGHT, FAR, NOISY, OVERLAP
from ..scenes import Data

HARD = "hard"
SOFT = ("100", "30", "10", "3", "1", "0.3", "0.1", "0.03", "0.01")  # values of C, from nearly hard to soft
TOL = 1e-10  # of the gap: so small that numbers which must not move do not
SECONDS = 3.0
ON_THE_MARGIN = 1e-7  # a row whose score differs from 1 by no more


def machine(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """The line, its margin, alpha and slack of every row, both objectives, and the line of the Gaussian classifier."""
    import numpy as np

    X, y = data.arrays()
    fitted = _fitted(X, y, parameters["C"])
    w, b = fitted.coef_[0], float(fitted.intercept_[0])
    signs = np.where(y == 1, 1.0, -1.0)
    alpha, slack = np.zeros(len(y)), fitted.slack_
    alpha[fitted.support_] = np.abs(fitted.dual_coef_[0])
    most, square = float(alpha.max()), float(w @ w)
    feet = X + (signs * slack / square)[:, None] * w if square else X  # where slack would move a row to
    scores, size = signs * (X @ w + b), float(np.abs(X).max())
    roles = [_role(*each, fitted.C) for each in zip(alpha.tolist(), scores.tolist(), strict=True)]
    columns = {
        "signed": steady(scores.tolist(), 1.0),
        "alpha": steady(alpha.tolist(), most),
        "share": steady((alpha / most if most else alpha).tolist(), 1.0),
        "slack": steady(slack.tolist(), 1.0),
    }
    rows = [
        {"row": i, "x": data.X[i], "class": data.y[i], "role": roles[i], "foot": steady(feet[i].tolist(), size)}
        | {name: column[i] for name, column in columns.items()}
        for i in range(len(y))
    ]
    dual = fitted.dual_coef_[0] @ X[fitted.support_]
    values = {
        "square": square,
        "slack": float(slack.sum()),
        "primal": fitted.objective_,
        "alphas": float(alpha.sum()),
        "dual": float(alpha.sum() - 0.5 * (dual @ dual)),
    }
    normal = gaussian(X, y)
    return {
        "weights": steady([*w.tolist(), b]),
        "margin": steady([fitted.margin_])[0] if square else None,
        "rows": rows,
        "supporting": len(fitted.support_),
        "bound": roles.count("bound"),
        **{name: steady([value])[0] for name, value in values.items()},
        "gap": max(fitted.duality_gap_, TOL),
        "gaussian": normal,
        "errors": line_errors(X, y, [*w.tolist(), b])[0],
        "gaussian_errors": None if normal is None else line_errors(X, y, normal)[0],
    }


def steady(values: list[float], size: float | None = None) -> list[float]:
    """Numbers with the first eight digits of one of this size, or of the largest.

    The last bits of a solver's sums depend on where the numbers lie in memory; what is shown must be the same each time.
    """
    size = max(map(abs, values), default=0.0) if size is None else size
    if size == 0:
        return [0.0] * len(values)
    places = 7 - floor(log10(size))
    return [round(value, places) + 0.0 for value in values]


def gaussian(X: Any, y: Any) -> list[float] | None:
    """The line of two Gaussians with their classes' means and one covariance (Fisher 1936), the bias last; None if rows lie on a line.

    ``w = S^-1 (m1 - m0)``, ``b = -w.(m1 + m0) / 2 + log(n1 / n0)``, S the mean of both scatters: Bayes' classifier if classes are so.
    """
    import numpy as np

    means = [X[y == k].mean(axis=0) for k in (0, 1)]
    apart = X - np.array(means)[y]
    covariance = apart.T @ apart / max(1, len(y) - 2)
    if np.linalg.cond(covariance) > 1e10:
        return None
    w = np.linalg.solve(covariance, means[1] - means[0])
    b = -0.5 * w @ (means[0] + means[1]) + np.log((y == 1).sum() / (y == 0).sum())
    return steady([*w.tolist(), float(b)])


def path(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """The same machine for every finite C, from soft to hard."""
    import numpy as np

    from ...studies.regularization_path import svm_path  # when asked: scikit-learn takes long to import

    X, y = data.arrays()
    found = svm_path(
        X, y, [float(C) for C in reversed(SOFT)], loss="hinge", tol=1e-6, time_limit=SECONDS, random_state=0
    )
    square = np.square(found.coef[:, 0]).sum(axis=1)
    lines = np.column_stack([found.coef[:, 0], found.intercept])
    short = 1 - np.where(y == 1, 1, -1) * (found.coef[:, 0] @ X.T + found.intercept)
    return {
        "log_C": np.log10(found.C).tolist(),
        "margin": [steady([each])[0] if each < np.inf else None for each in (1 / np.sqrt(square)).tolist()],
        "slack": steady(np.maximum(0.0, short).sum(axis=1).tolist(), 1.0),
        "supporting": found.n_support.tolist(),
        "errors": line_errors(X, y, lines),
    }


def solving(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """Primal and dual while the machine is solved, from where the dual says something."""
    from ...estimators.linear_svm import LinearSVM  # when asked: scikit-learn takes long to import
    from ...studies.svm_steps import svm_trace  # likewise

    if parameters["C"] == HARD:
        return {"iteration": []}
    X, y = data.arrays()
    found = svm_trace(LinearSVM(float(parameters["C"]), loss="hinge", tol=1e-6, random_state=0), X, y)
    first = int((found.dual > 0).argmax())
    return {
        "iteration": list(range(first, len(found.gap))),
        "primal": steady(found.primal[first:].tolist()),
        "dual": steady(found.dual[first:].tolist()),
    }


def _fitted(X: Any, y: Any, C: str) -> Any:
    from ...estimators.linear_svm import LinearSVM  # when asked: scikit-learn takes long to import
    from ...solvers.hard_margin import Inseparable  # likewise

    try:
        limit = float("inf") if C == HARD else float(C)
        return LinearSVM(limit, loss="hinge", tol=TOL, time_limit=SECONDS, random_state=0).fit(X, y)
    except Inseparable:
        raise ValueError("C = \u221e allows no slack, but no line separates these rows: choose a smaller C.") from None


def _role(alpha: float, score: float, C: float) -> str:
    """Where more rows are on the margin than hold it, which of them have alpha > 0 is not determined: all are on the margin."""
    if alpha >= C * (1 - 1e-9):
        return "bound"
    return "margin" if alpha > 0 or abs(score - 1) <= ON_THE_MARGIN else "none"


def python(data: Data, parameters: Parameters) -> str:
    """The code of this view."""
    C = 'float("inf")' if parameters["C"] == HARD else parameters["C"]
    steps = "" if parameters["C"] == HARD else "print(svm_trace(machine, X, y).gap)\n"
    values = ", ".join(reversed(SOFT))
    return (
        f"from novikoff import LinearSVM, svm_path{', svm_trace' if steps else ''}\n\n"
        f'machine = LinearSVM(C={C}, loss="hinge", tol={TOL:g}).fit(X, y)\n'
        "print(machine.coef_, machine.intercept_, machine.margin_)\n"
        "print(machine.support_, machine.dual_coef_, machine.slack_)\n"
        "print(machine.objective_, machine.duality_gap_)\n"
        f"{steps}"
        f'print(svm_path(X, y, C=[{values}], loss="hinge").n_support)\n'
    )


SUPPORT_VECTORS = Demonstration(
    name="support",
    title="Support vectors",
    lectures="L3",
    text=(
        "Of all lines choose the one with the largest margin 1/\u2016w\u2016. Rows may fall short of the margin by a slack \u03be, at a "
        "price: minimise \u00bd\u2016w\u2016\u00b2 + C\u00b7\u03a3\u03be\u1d62, where y\u1d62(w\u00b7x\u1d62 + b) \u2265 1 \u2212 \u03be\u1d62. "
        "A large C makes the margin hard, a small one soft. (The lecture writes a for w, z for \u03be and \u03b3 for C.)",
        "The answer is w = \u03a3 \u03b1\u1d62y\u1d62x\u1d62 with 0 \u2264 \u03b1\u1d62 \u2264 C. Only rows with \u03b1\u1d62 > 0 support the line: those "
        "on the margin, and those with slack. Any \u03b1 gives a dual value D that no primal value P can be below, so a gap P \u2212 D of "
        "zero proves that both are the best.",
        "A Gaussian classifier describes each class by its mean, and both by one covariance. All rows take part in that.",
    ),
    task="Take \u201cOne row far away\u201d and drag that row still further. Which line moves, and why? Can any row without a halo move "
    "the machine\u2019s line? Then make C smaller: when does the first row get slack, and what becomes of the margin?",
    presets=(
        Preset("clouds", "Two clouds, hard margin", CLOUDS),
        Preset("soft", "Two clouds, soft margin", CLOUDS, {"C": "0.3"}),
        Preset("far", "One row far away", FAR),
        Preset("overlap", "Classes that overlap", OVERLAP, {"C": "1"}),
        Preset("noisy", "Two wrong labels", NOISY, {"C": "1"}),
        Preset("eight", "The lecture\u2019s eight points", EIGHT),
    ),
    controls=(
        Control(
            "C",
            "C",
            HARD,
            ((HARD, "\u221e (hard margin)"), *((C, C) for C in SOFT)),
            slider=True,
            help="from hard to soft",
        ),
    ),
    asks={"machine": Ask(machine, follows=True), "path": Ask(path), "solving": Ask(solving)},
    python=python,
)
