"""Why mistakes end: two curves that close in on the weights, and a distance that falls (L0 11.67 to 11.68, L2, L3)."""

from __future__ import annotations

from typing import Any

from ..demonstration import Ask, Control, Demonstration, Parameters, Preset
from ..point_sets import AND, CLOUDS, EIGHT, NARROW, OR
from ..python_code import number
from ..scenes import Data

MOST_MISTAKES = 3000  # that are traced
POINTS = 240  # of a curve
SECONDS = 3.0


def curves(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """Both inequalities of the proof, mistake by mistake."""
    import numpy as np

    from ...estimators.perceptron import Perceptron  # when asked: scikit-learn takes long to import
    from ...proof.answer.separable import separability  # likewise
    from ...studies.tracing import trace  # likewise
    from ...theory.comparison import compare  # likewise
    from ...theory.convergence_gap import gap  # likewise

    (X, y), eta = data.arrays(), parameters["eta"]
    proof = separability(X, y, time_limit=SECONDS)
    if not proof.separable:
        why = "undecided in time" if proof.separable is None else "not separable"
        return {"separable": proof.separable, "said": f"These classes are {why}: the theorem says nothing of them."}
    them = compare(X, y, 1, True, 1.0, SECONDS)
    learner = Perceptron(
        eta,
        order=parameters["order"],
        keep="last",
        max_iter=100_000,
        min_progress=None,
        random_state=parameters["seed"],
    )
    found = trace(learner, X, y, max_updates=MOST_MISTAKES)
    radius2, square = float(them.step), them.inner(them.weights, them.weights)
    gamma2 = float(them.lead**2 / square)
    bound = int(them.step * square / them.lead**2)
    weights = np.concatenate([found.before[:1, 0], found.after[:, 0]])
    lengths = (weights * weights).sum(axis=1)
    mistakes = len(found)
    last = min(bound, max(4 * mistakes, 40)) if bound > 400 else bound
    marks = sorted(
        {*np.linspace(0, max(last, mistakes), POINTS).astype(int).tolist(), *range(min(mistakes, POINTS) + 1)}
    )
    usual = eta * radius2
    fall = gap(found, X, y, rho=parameters["share"] * usual)
    shown = np.unique(np.linspace(0, mistakes, min(mistakes + 1, POINTS)).astype(int))
    return {
        "separable": True,
        "mistakes": mistakes,
        "complete": found.complete,
        "bound": str(bound),
        "radius2": radius2,
        "gamma2": gamma2,
        "k": marks,
        "lower": [k * k * eta * eta * gamma2 for k in marks],
        "upper": [k * eta * eta * radius2 for k in marks],
        "squared": [float(lengths[k]) if k <= mistakes else None for k in marks],
        "rho": fall.rho,
        "usual_rho": usual,
        "guaranteed": fall.guaranteed,
        "gap_k": shown.tolist(),
        "gap": fall.gap[shown].tolist(),
        "gap_bound": fall.bound[shown].tolist(),
        "grew": int((fall.decrease < 0).sum()),
        "said": _said(mistakes, bound, found.complete),
        "gap_said": _gap_said(fall),
    }


def _said(mistakes: int, bound: int, complete: bool) -> str:
    some = f"{mistakes} mistake{'s' * (mistakes != 1)}"
    if not complete:
        return f"The first {some} are shown. There are at most {bound:,} of them."
    return f"{some} made; R\u00b2/\u03b3\u00b2 allows at most {bound:,}."


def _gap_said(fall: Any) -> str:
    grew = int((fall.decrease < 0).sum())
    if fall.guaranteed > 0:
        return f"Every mistake lowers the distance by at least {fall.guaranteed:.4g}, so mistakes must end."
    if grew:
        return f"With so small a \u03c1 nothing is guaranteed: {grew} of the mistakes made the distance larger."
    return "With so small a \u03c1 nothing is guaranteed, though here no mistake made the distance larger."


def python(data: Data, parameters: Parameters) -> str:
    """The code of this view."""
    choices = f'eta={number(parameters["eta"])}, order="{parameters["order"]}", keep="last", max_iter=100_000, min_progress=None'
    seed = f", random_state={parameters['seed']}" if parameters["order"] == "shuffle" else ""
    return (
        "from novikoff import Perceptron, theory, trace\n\n"
        f"steps = trace(Perceptron({choices}{seed}), X, y, max_updates={MOST_MISTAKES})\n"
        "print(len(steps), theory.novikoff_bound(X, y))\n"
        "usual = theory.gap(steps, X, y).rho\n"
        f"fall = theory.gap(steps, X, y, rho={number(parameters['share'])} * usual)\n"
        "print(fall.gap, fall.guaranteed)\n"
    )


BOUND_CURVES = Demonstration(
    name="bound",
    title="Mistakes against the bound",
    lectures="L0 11.67\u201311.68, L2, L3",
    text=(
        "Rows are augmented here: x\u0303 = (x, 1). R is the length of the longest, and \u03b3 the smallest y\u00b7w*\u00b7x\u0303 of the best "
        "weights w* of length 1.",
        "Each mistake adds at least \u03b7\u03b3 to w\u00b7w*, so \u2016w\u2016\u00b2 is at least k\u00b2\u03b7\u00b2\u03b3\u00b2 after k mistakes. "
        "Each adds at most \u03b7\u00b2R\u00b2 to \u2016w\u2016\u00b2. The parabola overtakes the line at k = R\u00b2/\u03b3\u00b2: no more mistakes fit in "
        "between (Novikoff 1962).",
        "The second proof looks at \u2016w \u2212 \u03c1w*\u2016\u00b2, where w* is scaled so that its smallest y\u00b7w*\u00b7x\u0303 is 1. With "
        "\u03c1 = \u03b7R\u00b2 every mistake lowers it by at least \u03b7\u00b2R\u00b2.",
    ),
    task="Drag two rows of different classes closer together. How does the bound grow, and how do the mistakes? Then make \u03c1 "
    "smaller than half: does the distance still fall at every mistake?",
    presets=(
        Preset("and", "AND", AND),
        Preset("or", "OR", OR),
        Preset("eight", "The lecture\u2019s eight points", EIGHT),
        Preset("clouds", "Two clouds", CLOUDS),
        Preset("narrow", "A narrow gap", NARROW, {"share": 0.25}),
    ),
    controls=(
        Control("eta", "Learning rate \u03b7", 1.0, low=0.001, high=1000),
        Control(
            "order",
            "Order of rows",
            "cyclic",
            (("cyclic", "as they lie"), ("shuffle", "shuffled in every pass"), ("alternate", "+1 and \u22121 in turn")),
        ),
        Control("seed", "Shuffle number", 0, low=0, high=1_000_000, whole=True, step=1, only=("order", "shuffle")),
        Control(
            "share",
            "\u03c1 as a share of \u03b7R\u00b2",
            1.0,
            low=0.01,
            high=4,
            help="1 in the proof; try less than 0.5",
        ),
    ),
    asks={"curves": Ask(curves)},
    python=python,
)
