"""What learners' docstrings share, written once: parameters and attributes that mean the same everywhere."""

from __future__ import annotations

import functools
import inspect
import textwrap
from typing import Any, TypeVar

from ..inputs.sklearn_parts import StrOptions
from ..learn.keeps import KEEPS
from .solvers import OF_STEPS

DRAWN = " and ".join(f'"{name}"' for name, kind in KEEPS.items() if kind.needs_random_order)
# What the choices of a parameter mean; a learner's docstring lists those that it has.
CHOICES = {
    "order": {
        "auto": f'"cyclic" for batch "all", "random" for the keeps {DRAWN}, else "shuffle"',
        "cyclic": "as the data lie",
        "shuffle": "a new uniform permutation every pass",
        "blocks": "blocks of consecutive rows in random order, rows permuted inside a cache-sized window (fastest on large "
        "data, not a uniform permutation)",
        "random": "with replacement",
        "alternate": "one of each class in turn",
        "worst": "the row with the smallest margin (of a regression, the largest error) after every update, each look at "
        "all rows counting as a pass",
    },
    "keep": {name: kind.meaning for name, kind in KEEPS.items()},
    "multiclass": {
        "auto": '"softmax" for cross-entropy, "ovr" for the squared error',
        "softmax": "one distribution over all classes",
        "worst": "the true class gains what its highest-scoring rival loses, as the rule says of the lead between them",
        "all": "all rivals that score at least as high lose, the true class gains once (it may go round for ever even where "
        "the classes are separable)",
        "uniform": "those rivals share the loss",
        "ovr": "one class against the rest, each on its own",
    },
}
PARAMETERS = {
    "order": ("", "Which sample comes next."),
    "batch_size": ('int or "all"', "Samples scored before the weights move."),
    "keep": ("", "Which weights are handed back."),
    "max_votes": (
        "int or None",
        'With ``keep="vote"``: only the longest survivors vote; None keeps all, whatever memory that takes.',
    ),
    "multiclass": ("", "For three and more classes."),
    "init": (
        '{"zeros", "ones", "random"} or array',
        "First weights: an array of shape (outputs, features), or (outputs, features + 1) with the intercept last.",
    ),
    "l2": (
        "",
        "The penalty: ``l2 / 2 |w|^2`` is added to the sum of all rows' losses; the bias is not penalised.  Steps descend on the "
        "same sum: over a pass the weights decay by ``eta l2`` in all (in a stream l2 is shared out over the rows so far).",
    ),
    "max_iter": ("int", "Largest number of passes."),
    "tol": ("float or None", "Stop when the weights moved less than this over a pass."),
    "min_progress": (
        "float or None",
        "Stop after ``n_iter_no_change`` passes without progress.  A pass makes progress if it makes fewer mistakes than the last "
        "one that did, by this share of them; for learners that also learn from right answers, if its loss is smaller by this "
        "share.  In batches of all rows any improvement counts.  The fit waits four times as long where fewer than one row in "
        "200 is a mistake, and always about a third of a millisecond; a loss that has fallen to a hundredth of the first pass's "
        "counts as the end (not in regression).  None: never stop for this reason.  Not used with ``early_stopping``.",
    ),
    "time_limit": ("float or None", "Stop after this many seconds."),
    "fit_intercept": ("bool", "Whether to learn a bias."),
    "intercept_scaling": (
        'float or "radius"',
        'The constant feature whose weight is the bias; "radius": the largest norm of a row, so that a step g of the weights '
        "is a step R^2 g of the bias.",
    ),
    "early_stopping": (
        "bool",
        "Hold out ``validation_fraction`` of the rows and stop when their score has not improved for ``n_iter_no_change`` "
        "passes.",
    ),
    "validation_fraction": ("float", "Share of the rows held out."),
    "n_iter_no_change": ("int", "Passes to wait for a better held-out score, or for progress."),
    "class_weight": ('dict, "balanced" or None', "Factors of the sample weights by class."),
    "history": (
        '{"basic", "full"}',
        "Whether to look at all rows after every pass and note the loss and, of classifiers, errors and smallest margin.",
    ),
    "warm_start": ("bool", "Start from the weights the last fit handed back."),
    "random_state": ("int, RandomState instance or None", "Seed of everything random."),
}
USUAL_L2 = (
    '"auto": 1 where ``solver="auto"`` and no steps are wanted (as ``alpha=1`` of RidgeClassifier and ``C=1`` of '
    "LogisticRegression), else 0."
)
# When ``solver="auto"`` takes steps; a learner's docstring has this in place of ``{wanted}``.
WANTED = (
    "Steps are wanted where somebody watches them (``trace``, ``passes_curve``, callbacks), where rows come part by part "
    "(``partial_fit``, files), and where a parameter that speaks of steps alone is not at its default: {}."
)
CLASSIFIER = {
    "coef_": ("ndarray of shape (1, n_features) or (n_classes, n_features)", ""),
    "intercept_": ("ndarray of shape (1,) or (n_classes,)", ""),
    "classes_": ("ndarray of shape (n_classes,)", ""),
    "n_mistakes_": (
        "int",
        "Rows scored wrongly (or as a tie) when they were learned from, over all passes; of classes learned one against the "
        "rest, counted for each of them.",
    ),
    "n_errors_": (
        "int or None",
        "Training rows that ``predict`` gets wrong with the weights handed back; None after ``partial_fit``.  (Where a score is "
        "zero but for rounding, ``predict`` may differ from the pass that ended a fit.)",
    ),
}
REGRESSOR = {
    "coef_": ("ndarray of shape (n_features,)", ""),
    "intercept_": ("ndarray of shape (1,)", ""),
}
ATTRIBUTES = {
    "n_iter_": ("int", "Passes made, and calls of ``partial_fit``; of a solver its steps, each a look at all rows."),
    "stop_reason_": (
        "str or None",
        'Why the fit ended: "separated", "stable", "cycle", "no_improvement", "no_progress", "inseparable", "budget", "time", '
        '"callback", "interrupted" or, of a solver, "solved" (of weights that grow for ever "separated" or "no_minimum", and '
        '"stalled" where rounding ended it); None after ``partial_fit``.',
    ),
    "keep_": ("str", 'Which weights were handed back; of ``keep="auto"``: "last" or "average".'),
    "history_": (
        "dict of ndarrays",
        "One entry a pass, or call of ``partial_fit``, of which the last 4096 are kept; of a solver one in all.",
    ),
    "n_features_in_": ("int", ""),
    "feature_names_in_": ("ndarray of str", "Only if X had string column names."),
}


T = TypeVar("T")


def documented(learner: type[T]) -> type[T]:
    """Fill the gaps ``{parameters}`` and ``{attributes}`` of a learner's docstring."""
    lines = []
    for line in (inspect.getdoc(learner) or "").splitlines():
        if line == "{parameters}":
            for name, parameter in inspect.signature(learner).parameters.items():
                if name in PARAMETERS:
                    kind, text = _offered(learner, name)
                    lines += _entry(name, f"{kind}, default={_shown(parameter.default)}", text)
        elif line == "{attributes}":
            own = CLASSIFIER if hasattr(learner, "decision_function") else REGRESSOR
            for name, (kind, text) in (own | ATTRIBUTES).items():
                lines += _entry(name, kind, text)
        elif line.strip() == "{wanted}":
            lines += _entry("", "", WANTED.format(", ".join(_of_steps(learner))))[1:]
        else:
            lines.append(line)
    learner.__doc__ = "\n".join(lines) + "\n"
    return learner


def _of_steps(learner: Any) -> list[str]:
    """Its parameters that speak of steps alone."""
    return [f"``{name}``" for name in OF_STEPS if name in inspect.signature(learner).parameters]


def _offered(learner: Any, name: str) -> tuple[str, str]:
    """Type and text of a parameter; of one with choices, those that this learner has."""
    kind, text = PARAMETERS[name]
    if name == "l2":
        choices = learner._parameter_constraints[name]
        auto = any(isinstance(each, StrOptions) for each in choices)
        return ('float or "auto"', f"{text}  {USUAL_L2}") if auto else ("float", text)
    if name not in CHOICES:
        return kind, text
    options = next(each.options for each in learner._parameter_constraints[name] if isinstance(each, StrOptions))
    offered = {choice: meaning for choice, meaning in CHOICES[name].items() if choice in options}
    listed = "; ".join(f'"{choice}": {meaning}' for choice, meaning in offered.items())
    return "{" + ", ".join(f'"{choice}"' for choice in offered) + "}", f"{text}  {listed}."


@functools.cache  # learners share most entries
def _entry(name: str, kind: str, text: str) -> list[str]:
    lines = textwrap.wrap(text, 112, break_long_words=False, break_on_hyphens=False)
    return [f"{name} : {kind}", *(f"    {line}" for line in lines)]


def _shown(default: Any) -> str:
    return f'"{default}"' if isinstance(default, str) else str(default)
