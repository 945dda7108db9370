"""Several classes: a weight vector for each, regions that are convex, and four ways to share an update (L1)."""

from __future__ import annotations

from typing import Any

from ..demonstration import Ask, Control, Demonstration, Parameters, Preset
from ..point_sets import FIVE_ON_A_LINE, FOUR_CORNERS, INNER, THREE_CLOUDS, THREE_MIXED
from ..python_code import number
from ..scenes import Data

MOST_STEPS = 250  # that the page can go through
MOST_PASSES = 2000
SECONDS = 3.0
FORMS = ("worst", "all", "uniform", "ovr")
FAR = 4.0  # the regions are cut off at so many times the spread of the rows


def steps(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """The trace: every row that was read, with all scores, and the regions of the weights after it."""
    import numpy as np

    from ...studies.tracing import trace  # when asked: scikit-learn takes long to import

    X, y, present = _arrays(data)
    found = trace(_learner(parameters, parameters["form"]), X, y, max_updates=MOST_STEPS, every_row=True)
    box = _box(X)
    start = _all_outputs(found.before[0])
    shown = []
    for step in found:
        own = int(np.searchsorted(present, y[step.row]))
        scores = _all_scores(step.scores)
        after = _all_outputs(step.after)
        changed = after - _all_outputs(step.before)
        entry = {
            "row": step.row,
            "own": own,
            "pass": step.pass_number,
            "moved": step.moved,
            "scores": scores.tolist(),
            "wrong": _wrong(parameters["form"], scores, own),
            "change": [round(float(each), 12) + 0.0 for each in changed[:, 2]],  # in units of the row: its x0 is 1
            "after": after.tolist(),
            "errors": _errors(X, y, present, after),
        }
        if step.moved:
            entry["regions"] = regions(after, box)
        shown.append(entry)
    return {
        "present": present.tolist(),
        "start": start.tolist(),
        "start_errors": _errors(X, y, present, start),
        "start_regions": regions(start, box),
        "steps": shown,
        "complete": found.complete,
    }


def compared(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """How the four forms end on the same rows, and whether any weights are right for all of them."""
    from ...proof.answer.separable import separability  # as above

    X, y, _ = _arrays(data)
    proof = separability(X, y, time_limit=SECONDS)
    found = []
    for form in FORMS:
        learner = _learner(parameters, form).fit(X, y)
        found.append(
            {
                "form": form,
                "mistakes": int(learner.n_mistakes_),
                "passes": learner.n_iter_,
                "errors": int(learner.n_errors_),
                "reason": learner.stop_reason_,
                "said": _said(form, learner, data.classes),
            }
        )
    word = {True: "Separable", False: "Not separable", None: "Undecided"}[proof.separable]
    sentence = {
        True: "Some weights give every row its own class the largest score; that is proved.",
        False: "No weights give every row its own class the largest score; that is proved.",
        None: "It was not decided in time whether some weights are right for all rows.",
    }[proof.separable]
    return {"separable": proof.separable, "title": word, "sentence": sentence, "forms": found}


def regions(weights: Any, box: list[list[float]]) -> list[list[list[float]]]:
    """For each class the corners of the part of the box where its score is the largest; empty if there is none.

    Each is what half-planes have in common, so it is convex.  Where two classes have the same weights, the first one counts.
    """
    found = []
    for k, own in enumerate(weights):
        corners = box
        for j, other in enumerate(weights):
            lead = own - other
            if j != k and not lead.any():
                corners = corners if k < j else []
            elif j != k:
                corners = _cut(corners, lead)
        found.append([[round(x, 3), round(y, 3)] for x, y in corners] if len(corners) > 2 else [])
    return found


def _cut(corners: list[list[float]], lead: Any) -> list[list[float]]:
    """The part of a convex shape where ``lead`` is not negative (I. E. Sutherland, G. W. Hodgman 1974)."""
    kept = []
    values = [float(lead[0] * x + lead[1] * y + lead[2]) for x, y in corners]
    for k, (corner, value) in enumerate(zip(corners, values, strict=True)):
        before, other = values[k - 1], corners[k - 1]
        if (before < 0) != (value < 0):
            part = before / (before - value)
            kept.append([other[0] + part * (corner[0] - other[0]), other[1] + part * (corner[1] - other[1])])
        if value >= 0:
            kept.append(corner)
    return kept


def _box(X: Any) -> list[list[float]]:
    """A rectangle far around the rows and the origin."""
    low, high = X.min(axis=0).clip(max=0), X.max(axis=0).clip(min=0)
    middle, reach = (low + high) / 2, FAR * float(max(high - low))
    (x0, y0), (x1, y1) = (middle - reach).tolist(), (middle + reach).tolist()
    return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]


def _arrays(data: Data) -> tuple[Any, Any, Any]:
    """Rows, their classes, and the classes that any row has."""
    import numpy as np

    X, y = data.arrays()
    return X, y, np.unique(y)


def _all_outputs(weights: Any) -> Any:
    """A weight vector for each class: of two classes the learner has one for their difference."""
    import numpy as np

    return weights if len(weights) > 1 else np.vstack([-weights, weights]) / 2 + 0.0


def _all_scores(scores: Any) -> Any:
    import numpy as np

    return scores if len(scores) > 1 else np.concatenate([-scores, scores]) / 2 + 0.0


def _wrong(form: str, scores: Any, own: int) -> list[int]:
    """The outputs that make the row a mistake: rivals that score at least as high, or perceptrons on the wrong side."""
    if form == "ovr" and len(scores) > 2:
        return [k for k, score in enumerate(scores) if (score <= 0 if k == own else score >= 0)]
    return [k for k, score in enumerate(scores) if k != own and score >= scores[own]]


def _errors(X: Any, y: Any, present: Any, weights: Any) -> int:
    """Rows that these weights predict wrongly: the first largest score counts."""
    return int((present[(X @ weights[:, :2].T + weights[:, 2]).argmax(axis=1)] != y).sum())


def _learner(parameters: Parameters, form: str) -> Any:
    from ...estimators.perceptron import Perceptron  # as above

    return Perceptron(
        parameters["eta"],
        multiclass=form,
        order=parameters["order"],
        keep="last",
        max_iter=MOST_PASSES,
        min_progress=None,
        random_state=parameters["seed"],
    )


def _said(form: str, learner: Any, classes: list[str]) -> str:
    if learner.stop_reason_ == "separated":
        return "every row right"
    if learner.stop_reason_ != "cycle":
        return f"not done after {learner.n_iter_} passes"
    if form == "all":
        return "loops: all weights came back, but for what is common to all classes"
    if form == "ovr":
        apart = " or ".join(classes[int(each)] for each in learner.cycle_.against_rest)
        return f"loops: no line parts {apart} from the rest" if apart else "loops"
    return "loops: the same weights came back"


def python(data: Data, parameters: Parameters) -> str:
    """The code of this view."""
    seed = f", random_state={parameters['seed']}" if parameters["order"] == "shuffle" else ""
    choices = (
        f'{number(parameters["eta"])}, multiclass=form, order="{parameters["order"]}", keep="last", '
        f"max_iter={MOST_PASSES}, min_progress=None{seed}"
    )
    return (
        "from novikoff import Perceptron, separability, trace\n\n"
        f'for form in ("{parameters["form"]}", {", ".join(repr(each) for each in FORMS if each != parameters["form"])}):\n'
        f"    learner = Perceptron({choices}).fit(X, y)\n"
        "    print(form, learner.stop_reason_, learner.n_mistakes_, learner.n_errors_)\n"
        "print(separability(X, y))\n"
        f'form = "{parameters["form"]}"\n'
        f"print(trace(Perceptron({choices}), X, y, max_updates={MOST_STEPS}, every_row=True))\n"
    )


CLASS_REGIONS = Demonstration(
    name="classes",
    title="Several classes",
    lectures="L1",
    text=(
        "Each class C\u2096 has its own weights and its own score y\u2096(x) = w\u2096\u00b7x + b\u2096. A row is given the class of the largest score. Where "
        "one class has it, so do all points between two such points: every region is convex.",
        "If another class scores at least as high as the true one, the true class gains \u03b7\u00b7x. Who loses it? worst: only the rival with the "
        "highest score. all: every such rival loses the whole of it, as in the lecture. uniform: they share it. ovr: each class has its "
        "perceptron against the rest.",
        "The lecture\u2019s theorem says that it ends if the classes are separable. For worst and uniform that is true; for all it is not: see five "
        "classes on a line.",
    ),
    task="Take five classes on a line and step through a few passes of all, worst and uniform. Which of the three ends? Then move one of "
    "the five rows off the line, a little at a time: when does all end, too?",
    presets=(
        Preset("three", "Three clouds", THREE_CLOUDS),
        Preset("line", "Five on a line: all never ends", FIVE_ON_A_LINE, {"form": "all"}),
        Preset("line-worst", "Five on a line: worst ends", FIVE_ON_A_LINE),
        Preset("corners", "Four corners", FOUR_CORNERS, {"form": "uniform"}),
        Preset("inner", "A class between others: ovr fails", INNER, {"form": "ovr"}),
        Preset("mixed", "Not separable", THREE_MIXED, {"order": "shuffle"}),
    ),
    controls=(
        Control(
            "form",
            "Who loses",
            "worst",
            (
                ("worst", "worst: the highest rival"),
                ("all", "all: every rival as high"),
                ("uniform", "uniform: they share it"),
                ("ovr", "ovr: one against the rest"),
            ),
        ),
        Control("eta", "Learning rate \u03b7", 1.0, low=0.001, high=1000),
        Control(
            "order",
            "Order of rows",
            "cyclic",
            (("cyclic", "as they lie"), ("shuffle", "shuffled in every pass"), ("alternate", "the classes in turn")),
        ),
        Control("seed", "Shuffle number", 0, low=0, high=1_000_000, whole=True, step=1, only=("order", "shuffle")),
    ),
    asks={"trace": Ask(steps), "forms": Ask(compared)},
    python=python,
)
