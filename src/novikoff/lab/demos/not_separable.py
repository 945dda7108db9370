"""What a perceptron does where no line separates the classes, and which of its weights are worth keeping (L0 11.66, L1)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..demonstration import Ask, Control, Demonstration, Parameters, Preset
from ..line_errors import line_errors
from ..point_sets import EIGHT, NOISY, OVERLAP, TOUCHING, XOR
from ..python_code import number, numbers
from ..scenes import Data

MOST_STEPS = 400  # rows read that the page can go through
MOST_PASSES = 3000  # in which a cycle is looked for
POCKETS = ("pocket", "run", "ratchet")
KEPT = (*POCKETS, "average")  # weights that are a line; a vote is none


def cycle(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """The rows in their order, again and again, until the weights come back; and what that proves."""
    import numpy as np

    from ...studies.tracing import trace  # when asked: scikit-learn takes long to import

    X, y = data.arrays()
    learner = _learner(parameters, order="cyclic", keep="last", max_iter=MOST_PASSES)
    found = trace(learner, X, y, max_updates=MOST_STEPS, every_row=True)
    fitted: Any = found.estimator if found.complete else learner.fit(X, y)
    after = found.after[:, 0]
    begins = _beginning(found, fitted) if found.complete and fitted.stop_reason_ == "cycle" else None
    shown = [
        {
            "row": int(row),
            "pass": int(found.pass_number[k]),
            "moved": bool(found.moved[k]),
            "after": after[k].tolist(),
            "errors": errors,
            "inside": begins is not None and k >= begins,
        }
        for k, (row, errors) in enumerate(zip(found.row, line_errors(X, y, after), strict=True))
    ]
    answer: dict[str, Any] = {
        "reason": fitted.stop_reason_,
        "passes": fitted.n_iter_,
        "start": found.before[0, 0].tolist(),
        "start_errors": line_errors(X, y, found.before[0, 0])[0],
        "steps": shown,
        "begins": begins,  # the weights before this step are those after the last one
        "length": None if begins is None else len(shown) - begins,
        "proof": None,
    }
    if fitted.stop_reason_ == "cycle" and fitted.cycle_.proves_inseparable:
        answer["proof"] = _proof(fitted.cycle_, X, y)
    return answer | _told(answer, int(np.unique(after, axis=0).shape[0]))


def _beginning(found: Any, fitted: Any) -> int | None:
    """The step with which the cycle begins that ends with the last one: the steps from there add up to those of ``cycle_``."""
    import numpy as np

    after, last = found.after[:, 0], len(found) - 1
    ends = [k for k in range(last) if found.pass_number[k] != found.pass_number[k + 1]]
    firsts = [k + 1 for k in reversed(ends) if np.array_equal(after[k], after[last])]
    if np.array_equal(found.before[0, 0], after[last]):
        firsts.append(0)
    counted = fitted.cycle_
    for first in firsts:
        mine = np.bincount(found.row[first:][found.moved[first:]], minlength=len(found.y))
        if np.array_equal(mine[counted.rows] * fitted.eta, np.abs(counted.steps[:, 0])):
            return first
    return None


def _proof(cycle: Any, X: Any, y: Any) -> dict[str, Any]:
    """The steps of a cycle, row by row, and their sum; the mean that they are for either class."""
    rows, weights = cycle.witness.rows.tolist(), cycle.witness.weights
    terms = [
        [weight * (1 if y[row] == 1 else -1) * Fraction(value) for value in (*X[row].tolist(), 1)]
        for row, weight in zip(rows, weights, strict=True)
    ]
    total = sum(weight for row, weight in zip(rows, weights, strict=True) if y[row] == 1)
    plus = [term for row, term in zip(rows, terms, strict=True) if y[row] == 1]
    return {
        "rows": [
            {"row": row, "class": int(y[row]), "weight": float(weight), "term": [float(value) for value in term]}
            for row, weight, term in zip(rows, weights, terms, strict=True)
        ],
        "sum": [float(sum(column)) for column in zip(*terms, strict=True)],
        "common": [float(sum(column) / total) for column in list(zip(*plus, strict=True))[:2]],
    }


def _told(answer: dict[str, Any], different: int) -> dict[str, str]:
    passes, length = answer["passes"], answer["length"]
    many = f"{passes} pass{'es' * (passes != 1)}"
    if answer["reason"] == "separated":
        return {
            "title": "Separable: it ends",
            "sentence": f"After {many} a line separates these rows. Turn a label, or move a row among the others.",
        }
    if answer["reason"] != "cycle":
        return {
            "title": "No cycle so far",
            "sentence": f"No weights came back at the end of {many}. That proves nothing: a cycle may be longer, and rounded "
            "numbers may hide it (an \u03b7 such as 0.1 is rounded; 1 or 0.5 is not).",
        }
    if length is None:
        return {
            "title": "A cycle: it never ends",
            "sentence": f"After {many} the weights are again what they were at the end of an earlier pass. The first "
            f"{len(answer['steps'])} rows are shown.",
        }
    return {
        "title": "A cycle: it never ends",
        "sentence": f"After {many} the weights are what they were {length} rows before, and the same rows come next. "
        f"Only {different} different weights ever occur.",
    }


def keeps(data: Data, parameters: Parameters, more: Any) -> dict[str, Any]:
    """One stream of rows drawn at random, and what each way to keep weights has kept after every row."""
    import numpy as np

    from ...studies.tracing import trace  # when asked: scikit-learn takes long to import

    X, y = data.arrays()
    passes = min(parameters["passes"], max(1, MOST_STEPS // len(y)))
    found = {
        name: trace(_learner(parameters, "random", name, passes), X, y, max_updates=MOST_STEPS, every_row=True)
        for name in KEPT
    }
    stream = found["run"]
    after, signs = stream.after[:, 0], np.where(y == 1, 1, -1)
    first = stream.before[0, 0]
    for_plus = np.where(X @ after[:, :-1].T + after[:, -1] > 0, 1, -1).cumsum(
        axis=1
    )  # after each row the weights have a vote more
    voted = ((for_plus > 0) != (y == 1)[:, None]).sum(axis=0).tolist()
    begin = line_errors(X, y, first)
    curves = {name: begin + line_errors(X, y, found[name].kept[:, 0]) for name in KEPT}
    curves |= {"now": begin + line_errors(X, y, after), "vote": begin + voted}
    shown = []
    for k, step in enumerate(stream):
        held = {name: found[name].kept[k, 0] for name in KEPT}
        past = {name: found[name].kept[k - 1, 0] if k else first for name in POCKETS}
        best = int(found["ratchet"].kept_run[k - 1]) if k else 0
        shown.append(
            {
                "row": step.row,
                "pass": step.pass_number,
                "y": int(signs[step.row]),
                "score": float(step.scores[0]),
                "signed": float(signs[step.row] * step.scores[0]) + 0.0,
                "moved": step.moved,
                "after": step.after[0].tolist(),
                "run_now": step.run,
                "best_run": step.kept_run,
                "best_ratchet": int(found["ratchet"].kept_run[k]),
                "longer": step.run > best,
                "swapped": [name for name in POCKETS if not np.array_equal(held[name], past[name])],
                "kept": {name: weights.tolist() for name, weights in held.items()},
            }
        )
    return {
        "start": first.tolist(),
        "steps": shown,
        "k": list(range(len(shown) + 1)),
        **curves,
        "rows": len(y),
        "ending": _ending(stream, curves),
    }


def _ending(stream: Any, curves: dict[str, list[int]]) -> str:
    if stream.estimator.stop_reason_ == "separated":
        return f"Separated after {len(stream)} rows: where a line separates the classes, nothing needs a pocket."
    best = min(min(curve) for curve in curves.values())
    return f"{len(stream)} rows were drawn. The fewest errors that any of them had at any time: {best}."


def _learner(parameters: Parameters, order: str, keep: str, max_iter: int) -> Any:
    from ...estimators.perceptron import Perceptron  # when asked: scikit-learn takes long to import

    return Perceptron(
        parameters["eta"],
        order=order,
        keep=keep,
        init=[parameters["start"]],
        max_iter=max_iter,
        min_progress=None,
        random_state=parameters["seed"],
    )


def python(data: Data, parameters: Parameters) -> str:
    """The code of this view."""
    first = f"eta={number(parameters['eta'])}, init=[{numbers(parameters['start'])}], min_progress=None"
    passes = min(parameters["passes"], max(1, MOST_STEPS // len(data.y)))
    return (
        "from novikoff import Perceptron\n\n"
        f'round_ = Perceptron({first}, order="cyclic", keep="last", max_iter={MOST_PASSES}).fit(X, y)\n'
        "print(round_.stop_reason_)\n"
        'if round_.stop_reason_ == "cycle":\n'
        "    print(round_.cycle_.proves_inseparable, round_.cycle_.witness)\n"
        'for keep in ("last", "pocket", "run", "ratchet", "average", "vote"):  # the same rows in the same order\n'
        f'    model = Perceptron({first}, order="random", keep=keep, max_votes=None, max_iter={passes}, '
        f"random_state={parameters['seed']})\n"
        "    print(keep, model.fit(X, y).n_errors_)\n"
    )


NOT_SEPARABLE = Demonstration(
    name="inseparable",
    title="Not separable: what to keep",
    lectures="L0 11.66, L1",
    text=(
        "If no line separates the classes, the perceptron never ends: read in a fixed order, its weights come back to earlier ones. "
        "That is a proof, for the steps in between add up to zero.",
        "Its last weights may be bad ones. So keep better ones in a pocket: those with the fewest errors on all rows (naive "
        "pocket), or those that answered rightly most often in a row (Gallant 1990), or, with ratchet, only those that have both a "
        "longer run and fewer errors. Or take the average of all weights, or let all of them vote (Freund and Schapire 1999).",
    ),
    task="Go on to row 210 of the clouds with two wrong labels: Gallant\u2019s pocket gets worse there. How can that be, and why does "
    "the ratchet not do so? On XOR the vote errs nowhere after 62 rows, although no line does that: how?",
    presets=(
        Preset("noisy", "Clouds with two wrong labels", NOISY, {"seed": 2}),
        Preset("xor", "XOR", XOR),
        Preset("overlap", "Classes that overlap", OVERLAP),
        Preset("touching", "Hulls that touch", TOUCHING),
        Preset("eight", "Separable: the eight points", EIGHT, {"start": [-2.0, -3.0, 2.0], "eta": 0.5}),
    ),
    controls=(
        Control("start", "Start", [0.0, 0.0, 0.0], parts=("w\u2081", "w\u2082", "b"), low=-1000, high=1000),
        Control("eta", "Learning rate \u03b7", 1.0, low=0.001, high=1000),
        Control("passes", "Rows drawn, in passes", 16, low=1, high=100, whole=True, step=1, help="up to 400 rows"),
        Control("seed", "Number of the draw", 0, low=0, high=1_000_000, whole=True, step=1),
    ),
    asks={"keeps": Ask(keeps), "cycle": Ask(cycle)},
    python=python,
)
