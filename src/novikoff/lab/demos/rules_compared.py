"""Seven rules on the same row and on the same rows, their losses as curves, and the error as a bowl (L0 11.62 to 11.64, L1, L4)."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..contour_lines import contour_lines
from ..demonstration import Ask, Control, Demonstration, Parameters, Preset
from ..point_sets import EIGHT, FAR_OF_FEW, OVERLAP
from ..scenes import Data

DECAY = 0.01  # lambda of the hinge rule
DESCENT = 40  # steps in the bowl
SPREAD = (1.34, 1.21)  # of the lines to either side, in heights of the picture: those of a phone are rather high
LEVELS = 7  # lines of the bowl
WORK = 60_000  # losses that a bowl is made of
LOST = 12  # so many pictures away from the bottom, the steps are lost
LEAP = 2**-10  # where a curve leaps it has two points so close together
MARGINS = sorted([*(k / 8 for k in range(-16, 25)), LEAP, 1 - LEAP])  # y.a of the curves
SCORES = sorted([*(k / 8 for k in range(-32, 33)), LEAP])  # a of the neuron's curves


class Rule(NamedTuple):
    """A rule as the page shows it, and the learner that has it."""

    label: str
    formula: str  # of g
    learner: str
    takes: tuple[str, ...]  # of the parameters of the demonstration
    options: dict[str, Any]  # of the learner, always the same


STEPS = {"solver": "steps", "l2": 0}
RULES = {
    "perceptron": Rule("perceptron", "\u03b7\u00b7y if y\u00b7a \u2264 0", "Perceptron", ("eta",), {}),
    "delta": Rule("delta rule (Adaline)", "\u03b7\u00b7(d \u2212 a)", "Adaline", ("eta",), STEPS),
    "neuron": Rule(
        "neuron, squared error",
        "\u03b7\u00b7(d \u2212 \u03c6)\u00b7\u03c6\u2032",
        "LogisticNeuron",
        ("eta", "slope"),
        {"loss": "squared", **STEPS},
    ),
    "entropy": Rule(
        "neuron, cross-entropy", "\u03b7\u00b7s\u00b7(d \u2212 \u03c6)", "LogisticNeuron", ("eta", "slope"), STEPS
    ),
    "hinge": Rule("hinge", "\u03b7\u00b7y if y\u00b7a < 1", "HingeSGD", ("eta",), {"lam": DECAY}),
    "pa": Rule(
        "passive-aggressive",
        "y\u00b7\u2113/\u2016x\u0303\u2016\u00b2",
        "PassiveAggressiveClassifier",
        (),
        {"variant": "PA"},
    ),
    "pa1": Rule(
        "PA-I",
        "y\u00b7min(C, \u2113/\u2016x\u0303\u2016\u00b2)",
        "PassiveAggressiveClassifier",
        ("C",),
        {"variant": "PA-I"},
    ),
}
DESCENDED = [name for name in RULES if not name.startswith("pa")]  # the rules that go down the slope of their loss


def one_row(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """What every rule does with one row, from the same weights."""
    import numpy as np

    from ...estimators.base import rule_of  # when asked: scikit-learn takes long to import
    from ...learn import rules  # likewise

    X, y, signs = _arrays(data)
    row = min(parameters["row"], len(data.y) - 1)
    first = np.array([row, *(k for k in range(len(y)) if k != row)])
    x, sign = np.append(X[row], 1.0), float(signs[row])
    before = np.array(parameters["start"])
    shown = []
    for name in RULES:
        learner = _learner(name, parameters, passes=1)
        after = _trace(learner, X[first], y[first], 1).after[0, 0]
        shown.append(
            {
                "name": name,
                "label": RULES[name].label,
                "formula": RULES[name].formula,
                "after": after.tolist(),
                "moved": bool((after != before).any()),
                "score": float(after @ x),
                "loss": float(rules.loss(rule_of(learner), sign, float(before @ x))),
                "loss_after": float(rules.loss(rule_of(learner), sign, float(after @ x))),
            }
        )
    score = float(before @ x)
    output = -sign if score == 0 else 1.0 if score > 0 else -1.0
    driven, by_outputs = _mistake_driven(X, y, parameters), _by_outputs(X, signs, parameters)
    same = len(driven) == len(by_outputs)  # but for rounding, at a score of nearly 0
    return {
        "row": row,
        "x": X[row].tolist(),
        "y": int(sign),
        "length2": float(x @ x),
        "start": before.tolist(),
        "score": score,
        "signed": sign * score + 0.0,
        "rules": shown,
        "output": int(output),
        "difference": int(sign - output),
        "half_step": parameters["eta"] / 2 * (sign - output) + 0.0,
        "whole_step": parameters["eta"] * float(rules.step(rules.Perceptron(), sign, score)) + 0.0,
        "updates": len(driven) - 1,
        "updates_by_outputs": len(by_outputs) - 1,
        "apart": float(np.abs(driven - by_outputs).max()) if same else None,
    }


def on_all(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """What every rule makes of all rows, pass by pass."""
    import numpy as np

    X, y, _ = _arrays(data)
    passes = parameters["passes"]
    found: dict[str, Any] = {"passes": list(range(passes + 1)), "after": {}, "rows": len(y)}
    for name in RULES:
        try:
            steps = _trace(_learner(name, parameters, passes), X, y, passes * len(y))
        except OverflowError:  # so large a rate that the weights left the range of numbers
            found[name], found["after"][name] = [None] * (passes + 1), None
            continue
        ends = np.flatnonzero(np.diff(steps.pass_number, append=passes + 1))
        weights = [steps.before[0, 0], *steps.after[ends, 0]]
        weights += [weights[-1]] * (passes + 1 - len(weights))
        found[name] = [int(((X @ w[:2] + w[2] > 0) != (y == 1)).sum()) for w in weights]
        found["after"][name] = weights[-1].tolist()
    return found


def curves(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """Loss and step of every rule, and the neuron's answer, as curves."""
    from ...learn import rules  # as above

    X, _, _ = _arrays(data)
    row = X[min(parameters["row"], len(X) - 1)]
    length2, slope = float(row @ row + 1), parameters["slope"]
    own = {name: _learner(name, parameters, passes=1)._rule() for name in RULES}
    answers = [float(rules.sigmoid(slope * a)) for a in SCORES]
    return {
        "margin": MARGINS,
        "unit": [float(m <= 0) for m in MARGINS],
        "all_rows": [-m for m in MARGINS],
        **{f"loss_{name}": [float(rules.loss(own[name], 1.0, m)) for m in MARGINS] for name in DESCENDED},
        **{
            f"step_{name}": [float(rules.step_of_row(rule, 1.0, m, length2, None, 0)) for m in MARGINS]
            for name, rule in own.items()
        },
        "a": SCORES,
        "phi": answers,
        "phi_slope": [slope * phi * (1 - phi) for phi in answers],
        "tangent": [0.5 + slope * a / 4 if abs(slope * a) <= 2 else None for a in SCORES],
        "step": [float(a > 0) for a in SCORES],
    }


def bowl(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """The error of all rows over two weights, and the way down in steps of all rows at once; no bias."""
    import numpy as np

    from ...estimators.base import rule_of  # as above
    from ...learn import rules  # as above

    X, y, signs = _arrays(data)
    name = parameters["bowl"]
    learner = _learner(name, parameters, DESCENT).set_params(batch_size="all", fit_intercept=False)
    learner.set_params(init=[[*parameters["start"][:2], 0.0]])
    rule = rule_of(learner)

    def error(w: Any) -> float:
        return sum(float(rules.loss(rule, sign, a)) for sign, a in zip(signs.tolist(), (X @ w).tolist(), strict=True))

    try:
        path = _trace(learner, X, y, DESCENT).after[:, 0, :2]
    except OverflowError:
        path = np.full((1, 2), np.inf)
    start = np.array(parameters["start"][:2])
    bottom = np.linalg.lstsq(X, signs, rcond=None)[0]  # of the squared error; the picture is the same for all rules
    reach = 1.15 * max(1.0, float(abs(start - bottom).max()))
    near = (np.abs(path - bottom) < LOST * reach).all(axis=1)
    path = np.vstack([start, path[: int(np.cumprod(near).sum())]])
    errors = [error(w) for w in path]
    size = max(12, min(40, int((WORK / len(y)) ** 0.5)))
    xs, ys = (np.linspace(bottom[j] - part * reach, bottom[j] + part * reach, size) for j, part in enumerate(SPREAD))
    values = np.array([[error(np.array([u, v])) for u in xs] for v in ys])
    low, high = float(values.min()), float(values.max())
    levels = [low + (high - low) * (k / (LEVELS + 1)) ** 2 for k in range(1, LEVELS + 1)]
    largest = float(np.linalg.eigvalsh(X.T @ X)[-1]) if name == "delta" else 0.0
    limit = 2 / largest if largest else None
    return {
        "frame": [float(bottom[j] + part * reach) for j, part in ((0, -4 / 3), (0, 4 / 3), (1, -1), (1, 1))],
        "lines": [{"level": level, "lines": contour_lines(xs, ys, values, level)} for level in levels],
        "bottom": bottom.tolist() if name == "delta" else None,
        "path": path.tolist(),
        "k": list(range(len(path))),
        "errors": errors,
        "limit": limit,
        "said": _said(errors, parameters["eta"], limit, lost=not near.all()),
    }


def _said(errors: list[float], eta: float, limit: float | None, lost: bool) -> str:
    if limit is not None:
        where = f"2/\u03bb = {limit:.4g}, where \u03bb is the largest eigenvalue of the sum of x\u00b7x\u1d40"
        if eta < limit:
            return f"\u03b7 = {eta:g} is below {where}: the steps end at the bottom."
        return f"\u03b7 = {eta:g} is not below {where}: nothing keeps the steps from leading farther away each time."
    steps, first, last = len(errors) - 1, errors[0], errors[-1]
    count = f"{steps} step{'s' * (steps != 1)}"
    if lost:
        return f"After {count} the next one leads far out of the picture: \u03b7 is too large."
    if last > first:
        return f"After {count} the error is {last:.4g}, larger than at the start ({first:.4g}): \u03b7 is too large."
    return f"{count} bring the error from {first:.4g} to {last:.4g}."


def _arrays(data: Data) -> tuple[Any, Any, Any]:
    """Rows, class numbers, and labels +1 and -1."""
    import numpy as np

    X, y = data.arrays()
    return X, y, np.where(y == 1, 1.0, -1.0)


def _trace(learner: Any, X: Any, y: Any, steps: int) -> Any:
    from ...studies.tracing import trace  # as above

    return trace(learner, X, y, max_updates=steps, every_row=True)


def _options(name: str, parameters: Parameters) -> dict[str, Any]:
    """What the learner of a rule is told, but for its passes."""
    rule = RULES[name]
    common = {"order": "cyclic", "keep": "last", "init": [parameters["start"]], "min_progress": None}
    return {each: parameters[each] for each in rule.takes} | rule.options | common


def _learner(name: str, parameters: Parameters, passes: int) -> Any:
    """The learner of a rule."""
    from ...estimators.learners import LEARNERS  # as above

    (found,) = [each for each in LEARNERS if each.name == RULES[name].learner]
    return found.make(**_options(name, parameters), max_iter=passes)


def _mistake_driven(X: Any, y: Any, parameters: Parameters) -> Any:
    """The weights of the perceptron, from the start, after every update."""
    import numpy as np

    steps = _trace(_learner("perceptron", parameters, parameters["passes"]), X, y, parameters["passes"] * len(y))
    return np.vstack([steps.before[:1, 0], steps.after[steps.moved, 0]])


def _by_outputs(X: Any, t: Any, parameters: Parameters) -> Any:
    """The same by targets and outputs: ``w <- w + eta / 2 (t - o) x``, where o is the sign of a, and -t at a tie."""
    import numpy as np

    weights = [np.array(parameters["start"])]
    for _ in range(parameters["passes"]):
        before = len(weights)
        for x, target in zip(np.column_stack([X, np.ones(len(X))]), t, strict=True):
            a = weights[-1] @ x
            output = -target if a == 0 else np.sign(a)
            if target != output:
                weights.append(weights[-1] + parameters["eta"] / 2 * (target - output) * x)
        if len(weights) == before:
            break
    return np.array(weights)


def python(data: Data, parameters: Parameters) -> str:
    """The code of this view."""
    names = sorted({rule.learner for rule in RULES.values()})
    made = ""
    for name, rule in RULES.items():
        options = _options(name, parameters) | {"max_iter": parameters["passes"]}
        made += (
            f"    {rule.learner}({', '.join(f'{key}={value!r}' for key, value in options.items())}),  # {rule.label}\n"
        )
    return (
        f"from novikoff import {', '.join(names)}, trace\n\nlearners = [\n{made}]\n"
        "for learner in learners:\n    learner.fit(X, y)\n"
        "    print(type(learner).__name__, learner.coef_, learner.intercept_, learner.score(X, y))\n"
        f"row = {min(parameters['row'], len(data.y) - 1)}\n"
        "for learner in learners:  # what they do with one row\n"
        "    first = [row, *(k for k in range(len(y)) if k != row)]\n"
        "    step = trace(learner, [X[k] for k in first], [y[k] for k in first], max_updates=1, every_row=True)[0]\n"
        "    print(type(learner).__name__, step.after)\n"
    )


RULES_COMPARED = Demonstration(
    name="rules",
    title="Rules side by side",
    lectures="L0 11.62\u201311.64, L1, L4",
    text=(
        "All these rules change the weights along the row: w \u2190 w + g\u00b7x\u0303, with x\u0303 = (x, 1). They differ in g. The perceptron "
        "waits for a mistake, y\u00b7a \u2264 0. The hinge waits until y\u00b7a < 1, and lets old weights fade a little (\u03bb = 0.01). The delta rule "
        "learns from every row, since its target d = \u00b11 is a number that a should be. Passive-aggressive rules take the smallest "
        "step that makes the loss \u2113 = 1 \u2212 y\u00b7a zero; PA-I takes no step longer than C.",
        "The neuron answers \u03c6(a) = 1/(1 + e\u207b\u02e2\u1d43), between 0 and 1, and d is 0 or 1. With a small slope s it is nearly a line, as in "
        "Adaline; with a large one nearly a step, as in the perceptron, and then \u03c6\u2032 is 0 nearly everywhere and nothing is learned.",
        "Most of these steps go down the slope of a loss. The error of all rows over two weights is a bowl; if \u03b7 is too large, steps "
        "leap across it and climb.",
    ),
    task="Find the largest \u03b7 for which the steps in the bowl of the delta rule still end at the bottom. Then take the row that is far "
    "away on the right side: which rules are pulled by it, and which line errs because of it?",
    presets=(
        Preset("eight", "The lecture\u2019s eight points", EIGHT, {"start": [-0.5, 0.25, 0.125], "eta": 0.04}),
        Preset("diverges", "\u03b7 too large", EIGHT, {"start": [-0.5, 0.25, 0.125], "eta": 0.05}),
        Preset("far", "One row far away", FAR_OF_FEW, {"eta": 0.01, "row": 3, "start": [0.5, 0.0, 0.0], "passes": 40}),
        Preset("overlap", "Classes that overlap", OVERLAP, {"eta": 0.05, "passes": 20}),
        Preset("gentle", "A neuron like Adaline", OVERLAP, {"eta": 0.5, "slope": 0.3, "bowl": "neuron"}),
        Preset("steep", "A neuron like a step", OVERLAP, {"eta": 0.5, "slope": 12.0, "bowl": "neuron"}),
    ),
    controls=(
        Control("row", "Row", 0, low=0, high=499, whole=True, step=1),
        Control("start", "Start", [1.0, -1.0, 0.0], parts=("w\u2081", "w\u2082", "b"), low=-1000, high=1000),
        Control("eta", "Learning rate \u03b7", 0.1, low=0.0001, high=10),
        Control("slope", "Slope s of the neuron", 1.0, low=0.01, high=100),
        Control("C", "C of PA-I", 0.1, low=0.0001, high=1000),
        Control("passes", "Passes over all rows", 10, low=1, high=50, whole=True, step=1),
        Control("bowl", "Bowl of", "delta", tuple((name, RULES[name].label) for name in DESCENDED)),
    ),
    asks={"row": Ask(one_row), "set": Ask(on_all), "curves": Ask(curves), "bowl": Ask(bowl)},
    python=python,
)
