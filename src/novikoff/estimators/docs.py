"""What the docstrings of learners share: parameters and attributes that mean the same in every learner."""

from __future__ import annotations

import functools
import inspect
import textwrap
from typing import Any, TypeVar

from ..checks.sklearn_parts import StrOptions
from ..learn.keeps import KEEPS
from .solver_or_steps import ITERATIONS, OF_STEPS, PASSES

DRAWN = " and ".join(f'"{name}"' for name, kind in KEEPS.items() if kind.needs_random_order)
# What the choices of a parameter mean; a learner's docstring lists those that it has.
CHOICES = {
    "order": {
        "auto": f'"cyclic" for batch "all", "random" for the keeps {DRAWN}, else "shuffle"',
        "cyclic": "the rows in their given order",
        "shuffle": "a new random permutation in every pass",
        "blocks": "blocks of consecutive rows in random order, and rows shuffled inside a window of cache size (the fastest "
        "random order on large data, but not a uniform permutation)",
        "random": "rows drawn at random, with replacement",
        "alternate": "one row of each class in turn",
        "worst": "after every update, the row with the smallest margin (for regression, with the largest error); each "
        "search through all rows counts as a pass",
    },
    "keep": {name: kind.meaning for name, kind in KEEPS.items()},
    "multiclass": {
        "auto": '"softmax" for cross-entropy, "ovr" for the squared error',
        "softmax": "one distribution over all classes",
        "worst": "only the true class and its highest-scoring rival change, by the same amount in opposite directions; the "
        "rule is applied to the difference of their scores",
        "two": "the true class and its two highest-scoring rivals change; the rule is applied to the lead over both, the logarithm of the sum "
        "of their exponentials, and each loses its share of what the true class gains",
        "all": "all rivals that score at least as high as the true class lose, the true class gains once (this may cycle even "
        "if the classes are separable)",
        "uniform": "the same rivals, but each loses an equal share, so that together they lose what the true class gains",
        "ovr": "one-vs-rest: one separate problem for each class",
    },
}
PARAMETERS = {
    "order": ("", "The order in which rows are read."),
    "batch_size": ('int or "all"', "The number of rows that are scored before the weights change."),
    "keep": ("", "Which weights the fitted model keeps."),
    "max_votes": (
        "int or None",
        'With ``keep="vote"``: the largest number of weight vectors that vote; those that survived longest are kept.  '
        "None keeps all of them, which may need much memory.",
    ),
    "multiclass": ("", "How to learn three or more classes."),
    "init": (
        '{"zeros", "ones", "random"} or array',
        "The first weights: zeros, ones, random numbers, or an array of shape (outputs, features), or of shape "
        "(outputs, features + 1) with the intercept last.",
    ),
    "l2": (
        "",
        "The L2 regularisation: ``l2 / 2 |w|^2`` is added to the sum of the losses of all rows; the bias is not penalised.  "
        "Steps minimise the same sum: during one pass the weights decay by ``eta l2`` in total (in a stream, l2 is shared "
        "equally among the rows so far).",
    ),
    "max_iter": ("int", "The largest number of passes (epochs)."),
    "tol": ("float or None", "Stop when the weights moved by less than this during a pass.  None: no such stop."),
    "min_progress": (
        "float or None",
        "Stop after ``n_iter_no_change`` passes without progress.  A pass makes progress if its mistakes are fewer, by at least "
        "this share, than those of the last pass that made progress; for learners that also learn from correctly classified "
        "rows, if its loss is smaller by this share.  With batches of all rows, any improvement counts.  The fit waits four "
        "times as long if fewer than one row in 200 is a mistake, and always at least about a third of a millisecond.  It also "
        "ends when the loss has fallen to a hundredth of the loss of the first pass (not in regression).  None: no such "
        "stop.  Not used with ``early_stopping``.",
    ),
    "time_limit": ("float or None", "Stop after this many seconds.  None: no limit."),
    "fit_intercept": ("bool", "Whether to learn a bias."),
    "intercept_scaling": (
        'float or "radius"',
        'The value of the constant feature; the bias is this value times its weight.  "radius": R, the largest norm of a '
        "row, so that a step g x of the weights comes with a step R^2 g of the bias.",
    ),
    "early_stopping": (
        "bool",
        "Hold out ``validation_fraction`` of the rows, and stop when the score on them has not improved for "
        "``n_iter_no_change`` passes.",
    ),
    "validation_fraction": ("float", "The share of the rows that is held out for ``early_stopping``."),
    "n_iter_no_change": (
        "int",
        "The number of passes to wait for a better score on the held-out rows, or for progress.",
    ),
    "class_weight": ('dict, "balanced" or None', "Factors of the sample weights for each class."),
    "history": (
        '{"basic", "full"}',
        'What ``history_`` records.  With "full", all rows are scored after every pass, to record the loss and, for '
        "classifiers, also the errors and the smallest margin.",
    ),
    "warm_start": ("bool", "Whether to start from the weights of the last fit."),
    "random_state": ("int, RandomState instance or None", "The seed of all random choices."),
}
# The same of learners that can be solved or stepped.
OF_BOTH = {
    "max_iter": (
        "int or None",
        f"The largest number of a solver's iterations, or of passes (epochs) for steps.  None: {ITERATIONS} iterations, "
        f"{PASSES} passes.",
    ),
    "tol": (
        "float or None",
        "For a solver: stop when the objective is proved to be within this share of its minimum (the relative duality gap); None: "
        "1e-4.  For steps: stop when the weights moved by less than this during a pass; None: no such stop.",
    ),
    "warm_start": (
        "bool",
        "Whether to start from the weights of the last fit.  For a solver, the minimum is the same.",
    ),
}
USUAL_L2 = (
    '"auto": 1 (like ``alpha=1`` in RidgeClassifier and ``C=1`` in LogisticRegression), but 0 if you ask for steps, as in '
    "textbooks."
)
# What asks for steps; a learner's docstring has this in place of ``{wanted}``.
WANTED = (
    'You ask for steps with ``solver="steps"``, with ``trace``, ``passes_curve`` or ``partial_fit``, or by giving a parameter that only '
    "steps have another value than its default: {}.  Such a parameter together with another named solver is an error.  No other "
    "parameter changes the algorithm; callbacks do not either: to them a solved fit is one pass."
)
CLASSIFIER = {
    "coef_": ("ndarray of shape (1, n_features) or (n_classes, n_features)", ""),
    "intercept_": ("ndarray of shape (1,) or (n_classes,)", ""),
    "classes_": ("ndarray of shape (n_classes,)", ""),
    "n_mistakes_": (
        "int",
        "The number of mistakes in all passes: rows with a wrong score, or a tie, at the moment they were used.  With "
        "one-vs-rest, the mistakes of all classes are added.",
    ),
    "n_errors_": (
        "int or None",
        "The number of training rows that ``predict`` gets wrong; None after ``partial_fit``, and after a fit over partitions "
        "unless ``distributed.fit(..., count_errors=True)`` asked for it.  (If a score is zero up to "
        "rounding, ``predict`` may differ from the last pass of the fit.)",
    ),
}
REGRESSOR = {
    "coef_": ("ndarray of shape (n_features,)", ""),
    "intercept_": ("ndarray of shape (1,)", ""),
}
ATTRIBUTES = {
    "n_iter_": (
        "int",
        "The number of passes, and of calls of ``partial_fit``.  For a solver: its steps, each of which uses all rows.",
    ),
    "stop_reason_": (
        "str or None",
        'Why the fit ended: "separated", "stable", "cycle", "no_improvement", "no_progress", "inseparable", "budget", "time", '
        '"callback" or "interrupted"; for a solver also "solved", "separated" or "no_minimum" (the weights would grow without '
        'limit), or "stalled" (rounding allowed no further step).  None after ``partial_fit``.',
    ),
    "keep_": ("str", 'Which weights were kept; with ``keep="auto"``: "last" or "average".'),
    "history_": (
        "dict of ndarrays",
        "One entry for each pass; with ``partial_fit``, one for each of the last 4096 calls; for a solver, a single entry.",
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
    """Its parameters that only apply to steps."""
    return [f"``{name}``" for name in OF_STEPS if name in inspect.signature(learner).parameters]


def _offered(learner: Any, name: str) -> tuple[str, str]:
    """Type and text of a parameter; if it has choices, those that this learner offers."""
    kind, text = PARAMETERS[name]
    if "solver" in inspect.signature(learner).parameters:
        kind, text = OF_BOTH.get(name, (kind, text))
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
