"""The perceptron, row by row: every number of every step (L0 11.63 to 11.65, L1, L4)."""

from __future__ import annotations

from typing import Any

from ..demonstration import Ask, Control, Demonstration, Parameters, Preset
from ..line_errors import line_errors
from ..point_sets import AND, CLOUDS, EIGHT, FOUR_CASES, NARROW, OR, XOR
from ..python_code import number, numbers
from ..scenes import Data

MOST_STEPS = 1000  # that the page can go through
MOST_PASSES = 200
SCALING: dict[str, Any] = {"one": 1.0, "radius": "radius", "none": 1.0}


def steps(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """The trace: every row that was read, or every batch of rows."""
    import numpy as np

    from ...studies.tracing import trace  # when asked: scikit-learn takes long to import

    place = _places(data, parameters["order"])
    X, y = np.array(data.X)[place], np.array(data.y)[place]
    found = trace(_learner(parameters), X, y, max_updates=MOST_STEPS, every_row=True)
    signs = np.where(np.array(data.y) == 1, 1, -1)
    errors, margins = line_errors(X, y, found.after[:, 0]), _margins(X, y, found.after[:, 0])
    total, shown = 0, []
    for k, step in enumerate(found):
        rows, scores = place[np.atleast_1d(step.row)], step.scores.ravel()
        read = [_read(data, int(row), int(signs[row]), float(score)) for row, score in zip(rows, scores, strict=True)]
        total += step.mistakes
        shown.append(
            {
                **(read[0] if parameters["batch"] == "1" else {"rows": read}),
                "pass": step.pass_number,
                "moved": step.moved,
                "before": step.before[0].tolist(),
                "after": step.after[0].tolist(),
                "mistakes": total,
                "errors": errors[k],
                "margin": margins[k],
            }
        )
    first = found.before[0, 0].tolist()
    return {
        "start": first,
        "start_errors": line_errors(X, y, found.before[0, 0])[0],
        "steps": shown,
        "passes": found.estimator.n_iter_,
        "updates": int(found.moved.sum()),
        "complete": found.complete,
        "constant": _constant(found.estimator, X),
        "ending": _ending(found),
    }


def _read(data: Data, row: int, sign: int, score: float) -> dict[str, Any]:
    """A row as the weights found it."""
    signed = sign * score + 0.0
    return {"row": row, "x": data.X[row], "y": sign, "score": score, "signed": signed, "wrong": signed <= 0}


def guess(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """Whether the weights that somebody expects after a step are right."""
    found = steps(data, parameters, None)["steps"]
    if not isinstance(more, dict) or not isinstance(more.get("step"), int) or not 0 <= more["step"] < len(found):
        raise ValueError("There is no such step.")
    weights = more.get("weights")
    if not isinstance(weights, list) or len(weights) != 3 or not all(type(each) in (int, float) for each in weights):
        raise ValueError("Give three numbers: w\u2081, w\u2082 and b.")
    step = found[more["step"]]
    parts = [abs(one - other) <= 5e-4 * max(1.0, abs(other)) for one, other in zip(weights, step["after"], strict=True)]
    if all(parts):
        said = "Right." if step["moved"] else "Right: y\u00b7a > 0, so nothing changes."
    elif not step["moved"]:
        said = "Not quite: y\u00b7a is positive, so is there a reason to change anything?"
    else:
        names = ["w\u2081", "w\u2082", "b"]
        wrong = " and ".join(name for name, right in zip(names, parts, strict=True) if not right)
        said = f"Not quite: look at {wrong} again. The update adds \u03b7\u00b7y times each row that is wrong."
    return {"right": all(parts), "said": said}


def _learner(parameters: Parameters) -> Any:
    from ...estimators.perceptron import Perceptron  # when asked: scikit-learn takes long to import

    order = parameters["order"]
    return Perceptron(
        parameters["eta"],
        order="cyclic" if order == "sorted" else order,
        batch_size=_batch(parameters),
        keep="last",
        init=[parameters["start"]],
        max_iter=MOST_PASSES,
        min_progress=None,
        fit_intercept=parameters["bias"] != "none",
        intercept_scaling=SCALING[parameters["bias"]],
        random_state=parameters["seed"],
    )


def _batch(parameters: Parameters) -> Any:
    return "all" if parameters["batch"] == "all" else int(parameters["batch"])


def _places(data: Data, order: str) -> Any:
    """The rows in the order in which the learner is given them."""
    import numpy as np

    return np.argsort(-np.array(data.y), kind="stable") if order == "sorted" else np.arange(len(data.y))


def _margins(X: Any, y: Any, lines: Any) -> list[float | None]:
    """Of each line the distance of the closest row, negative if a row is on the wrong side; None if there is no line."""
    import numpy as np

    least = ((2 * y - 1)[:, None] * (X @ lines[:, :-1].T + lines[:, -1])).min(axis=0)
    lengths = np.sqrt((lines[:, :-1] ** 2).sum(axis=1))
    return [float(low / length) if length else None for low, length in zip(least, lengths, strict=True)]


def _constant(learner: Any, X: Any) -> float:
    """The square of the constant feature, which an update of the bias is multiplied by."""
    if not learner.fit_intercept:
        return 0.0
    return float((X * X).sum(axis=1).max()) if learner.intercept_scaling == "radius" else 1.0


def _ending(found: Any) -> str:
    learner, updates = found.estimator, int(found.moved.sum())
    count = f"{updates} update{'s' * (updates != 1)} in {learner.n_iter_} pass{'es' * (learner.n_iter_ != 1)}"
    if not found.complete:
        return f"The first {len(found)} steps are shown: {count}, and the perceptron is not done."
    return {
        "separated": f"Separated after {count}: a whole pass without a mistake.",
        "cycle": f"A cycle after {count}: the same weights came back at the same row, so it would never end. "
        "That proves that no line separates these rows.",
    }.get(learner.stop_reason_, f"Not separated after {count}.")


def python(data: Data, parameters: Parameters) -> str:
    """The code of this view."""
    order, bias = parameters["order"], parameters["bias"]
    choices = [
        f"eta={number(parameters['eta'])}",
        f'order="{"cyclic" if order == "sorted" else order}"',
        *([] if parameters["batch"] == "1" else [f"batch_size={_batch(parameters)!r}"]),
        'keep="last"',
        f"init=[{numbers(parameters['start'])}]",
        f"max_iter={MOST_PASSES}",
        "min_progress=None",
    ]
    choices += {"none": ["fit_intercept=False"], "radius": ['intercept_scaling="radius"'], "one": []}[bias]
    choices += [f"random_state={parameters['seed']}"] if order == "shuffle" else []
    by_class = "X, y = zip(*sorted(zip(X, y), key=lambda row: -row[1]))  # +1 first\n" if order == "sorted" else ""
    return (
        "from novikoff import Perceptron, trace\n\n"
        f"{by_class}steps = trace(Perceptron({', '.join(choices)}), X, y, max_updates={MOST_STEPS}, every_row=True)\n"
        "print(steps)\n"
    )


PERCEPTRON_STEPPER = Demonstration(
    name="perceptron",
    title="The perceptron, step by step",
    lectures="L0 11.63\u201311.65, L1, L4",
    text=(
        "The perceptron reads one row after another. The score a = w\u00b7x + b says on which side of the line a row is; "
        "y\u00b7a is positive if that is the right side.",
        "Where y\u00b7a \u2264 0, it makes an update: w \u2190 w + \u03b7\u00b7y\u00b7x. The bias b is the weight of a constant x\u2080, "
        "so it moves along. When a whole pass needs no update, the line separates the classes.",
    ),
    task="Start with weights that err. Find a start and a learning rate \u03b7 for which the perceptron needs more than ten "
    "updates on the eight points. Does \u03b7 matter if you start from zero?",
    presets=(
        Preset("eight", "The lecture\u2019s eight points", EIGHT, {"start": [-2.0, -3.0, 2.0], "eta": 0.5}),
        Preset("narrow", "A narrow gap", NARROW),
        Preset("clouds", "Two clouds", CLOUDS, {"order": "shuffle"}),
        Preset("sorted", "Two clouds, one class after the other", CLOUDS, {"order": "sorted"}),
        Preset("and", "AND", AND),
        Preset("or", "OR", OR),
        Preset("xor", "XOR: it never ends", XOR),
        Preset("cases", "The four cases of a mistake", FOUR_CASES, {"start": [-1.0, 0.0, 0.0], "bias": "none"}),
        Preset("batch", "All rows for one update", EIGHT, {"start": [-2.0, -3.0, 2.0], "eta": 0.125, "batch": "all"}),
    ),
    controls=(
        Control("start", "Start", [0.0, 0.0, 0.0], parts=("w\u2081", "w\u2082", "b"), low=-1000, high=1000),
        Control("eta", "Learning rate \u03b7", 1.0, low=0.001, high=1000),
        Control(
            "order",
            "Order of rows",
            "cyclic",
            (
                ("cyclic", "as they lie"),
                ("sorted", "sorted: all +1 first"),
                ("shuffle", "shuffled in every pass"),
                ("alternate", "+1 and \u22121 in turn"),
                ("worst", "the worst row next"),
            ),
        ),
        Control(
            "batch",
            "Rows for each update",
            "1",
            (("1", "1: online"), ("2", "2: a mini-batch"), ("4", "4: a mini-batch"), ("all", "all: batch")),
        ),
        Control("seed", "Shuffle number", 0, low=0, high=1_000_000, whole=True, step=1, only=("order", "shuffle")),
        Control(
            "bias",
            "Bias",
            "one",
            (("one", "x\u2080 = 1"), ("radius", "x\u2080 = R, the longest row"), ("none", "none: through the origin")),
        ),
    ),
    asks={"trace": Ask(steps), "guess": Ask(guess, by_itself=False)},
    python=python,
)
