"""Two radial basis functions: the plane of the rows beside the plane of their features (L2)."""

from __future__ import annotations

from typing import Any

from ..demonstration import Ask, Control, Demonstration, Parameters, Preset
from ..level_lines import positive_regions
from ..point_sets import CLOUDS, EIGHT, OVERLAP, RING, XOR
from ..python_code import number, numbers
from ..scenes import Data
from .verdict_drawn import weights_of

ACROSS = 72  # places of the grid that finds the boundary
SECONDS = 3.0  # for a proof
PASSES = 20  # of the pocket, where no line separates


def features(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """The features of every row, a line between them, and what that line is in the plane of the rows."""
    import numpy as np

    from ...estimators.features import RadialBasis  # when asked: scikit-learn takes long to import
    from ...proof.answer.separable import separability  # likewise

    X, y = data.arrays()
    centres = _centres(parameters)
    radial = RadialBasis(centers=centres, width=parameters["width"]).fit(X)
    phi = radial.transform(X)
    before = separability(X, y, time_limit=SECONDS)
    proof = separability(phi, y, max_margin=True, time_limit=SECONDS)
    weights = (weights_of(proof) if proof.separable else None) or _pocket(phi, y)
    w, b = np.array(weights[:2]), weights[2]
    return {
        "centres": centres,
        "features": phi.tolist(),
        "weights": weights,
        "margin": proof.margin if proof.separable else None,
        "separable_before": before.separable,
        "separable": proof.separable,
        "errors": int(((phi @ w + b > 0) != (y == 1)).sum()),
        "regions": positive_regions(lambda Z: radial.transform(Z) @ w + b, [*data.X, *centres], ACROSS),
        "title": _title(proof.separable),
        "said": _said(before.separable, proof.separable),
    }


def _centres(parameters: Parameters) -> list[list[float]]:
    x1, y1, x2, y2 = parameters["centres"]
    return [[x1, y1], [x2, y2]]


def _pocket(phi: Any, y: Any) -> list[float]:
    """The best weights that a perceptron came by."""
    from ...estimators.perceptron import Perceptron  # as in features

    learner = Perceptron(keep="pocket", order="cyclic", max_iter=PASSES, min_progress=None)
    learner.fit(phi, y)
    return [*learner.coef_[0].tolist(), float(learner.intercept_[0])]


def _title(separable: bool | None) -> str:
    return {
        True: "Separable by two features",
        False: "Not separable by these features",
        None: "Undecided in time",
    }[separable]


def _said(before: bool | None, after: bool | None) -> str:
    if after is None or before is None:
        return "A proof took too long: move something."
    if after:
        start = "A line separates the rows themselves, too" if before else "No line separates the rows themselves"
        return f"{start}; a line separates their features, and in the plane of the rows it is a curve."
    if before:
        return "A line separates the rows themselves, but their features overlap: features can lose what matters."
    return "No line separates the features. The best line that the pocket found is drawn: move a centre, or change the width."


def python(data: Data, parameters: Parameters) -> str:
    """The code of this view."""
    centres = ", ".join(map(numbers, _centres(parameters)))
    return (
        "from novikoff import RadialBasis, separability\n\n"
        f"radial = RadialBasis(centers=[{centres}], width={number(parameters['width'])})\n"
        "phi = radial.fit_transform(X)\n"
        "print(phi)\nprint(separability(phi, y, max_margin=True))\n"
    )


RBF_FEATURES = Demonstration(
    name="features",
    title="Features: a curve that is a line elsewhere",
    lectures="L1, L2 (\u03c6)",
    text=(
        "L2 writes w\u00b7\u03c6(x) instead of w\u00b7x: a perceptron can read features \u03c6(x) of a row instead of the row itself. "
        "Here \u03c6 has two parts, \u03c6\u2c7c(x) = exp(\u2212\u2016x \u2212 c\u2c7c\u2016\u00b2 / 2\u03c3\u00b2): how close x is to the centre "
        "c\u2c7c.",
        "Left are the rows, right their features. A line on the right is a curve on the left. Such features and a linear unit "
        "are a radial basis function network (Broomhead and Lowe 1988).",
    ),
    task="Drag the centres of the ring away from its middle: when does the verdict turn? Then put both centres of XOR on corners of one "
    "side. Is there a width \u03c3 that makes it separable?",
    presets=(
        Preset("xor", "XOR", XOR, {"centres": [0.0, 0.0, 1.0, 1.0], "width": 0.5}),
        Preset("ring", "A ring", RING, {"centres": [0.0, 0.0, 1.5, 1.25], "width": 0.875}),
        Preset("ring-lost", "A ring, centres beside it", RING, {"centres": [-2.0, 1.5, 2.0, 1.5], "width": 0.75}),
        Preset("overlap", "Classes that overlap", OVERLAP, {"centres": [2.25, 2.0, -0.75, 0.25], "width": 1.25}),
        Preset("clouds", "Two clouds", CLOUDS, {"centres": [3.0, 2.5, 0.0, 0.0], "width": 1.5}),
        Preset("eight", "The lecture\u2019s eight points", EIGHT, {"centres": [1.5, 1.5, -1.5, -1.5], "width": 1.5}),
    ),
    controls=(
        Control(
            "centres",
            "Centres",
            [0.0, 0.0, 1.0, 1.0],
            parts=("c\u2081: x\u2081", "x\u2082", "c\u2082: x\u2081", "x\u2082"),
            low=-1e6,
            high=1e6,
        ),
        Control("width", "Width \u03c3", 1.0, low=0.01, high=1000),
    ),
    asks={"features": Ask(features, follows=True)},
    python=python,
)
