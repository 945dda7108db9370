"""What learners tell their users: warnings when a fit does not end as expected, and what a parameter of another library is called here."""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from ..checks.arrays import spread
from ..learn.learning import Outcome
from ..learn.state import Problem
from .solver_or_steps import gap_asked

WIDE_SCALES = 100.0  # columns whose largest values differ by more than this slow the perceptron down noticeably
HOPELESS_SCALES = 1e4  # and by more than this leave steps of any rule little chance
MOST_NAMES = 5  # of classes, in a sentence
ALL_MAY_NOT_END = "'all' may cycle even then"

# Who hears remarks in this thread, in place of a warning; filters of warnings would belong to all threads.
_HEARD: ContextVar[list[str] | None] = ContextVar("novikoff_heard", default=None)


@contextmanager
def heard_warnings() -> Iterator[list[str]]:
    """Within it, what learners would warn of is added to this list instead."""
    heard: list[str] = []
    before = _HEARD.set(heard)
    try:
        yield heard
    finally:
        _HEARD.reset(before)


def warn(text: str) -> None:
    """Warn, and name the line of the user's own code that led here."""
    heard = _HEARD.get()
    if heard is not None:
        heard.append(text)
        return
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in ("novikoff", "sklearn", "contextlib"):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, ConvergenceWarning, stacklevel=level)


def not_there_yet(learner: Any, X: Any, outcome: Outcome) -> None:
    """Warn if a solver did not reach the minimum; of steps, if the weights still moved by more than ``tol``, or if the columns
    differ so much in scale that the weights can hardly have come far (not if ``X`` is None: not in memory)."""
    if getattr(learner, "solver_", "steps") != "steps":
        if outcome.reason in SHORT_OF_MINIMUM:
            warn(not_solved(learner, outcome))
        return
    if outcome.reason not in ("budget", "time", "no_progress"):
        return
    parts = []
    if learner.tol is not None:
        more = {
            "budget": "Raise max_iter",
            "time": "Raise time_limit",
            "no_progress": "Use min_progress=None, raise max_iter",
        }
        parts.append(
            f"After {_passes(outcome)} the weights still moved by {outcome.moved:.3g} in one pass, which is not less than "
            f"tol={learner.tol:.3g}. {more[outcome.reason]} or tol, use smaller steps, or keep='average'. If no weights fit all "
            "rows, steps of constant size on single rows, in an order that changes, never settle."
        )
    values = getattr(learner, "kernel", None) == "precomputed"  # of a kernel: they have no columns to scale
    sizes = np.empty(0) if values or X is None else column_sizes(X)
    if sizes.size and sizes.max() > HOPELESS_SCALES * sizes.min():
        parts.append(
            f"{differ(sizes)}: steps of the right size for the largest columns hardly change the weights of the "
            "smallest ones. Scale the columns, e.g. with make_pipeline(StandardScaler(), ...) or, for sparse data, MaxAbsScaler."
        )
    if parts:
        warn(" ".join(parts))


# How a solver ended, and what helps; where there is no minimum, ``separation`` says so.
SHORT_OF_MINIMUM = {
    "budget": ("all that max_iter={most} allows", "Pass max_iter={more}"),
    "time": ("all that time_limit={limit:.3g} s allows", "Raise time_limit"),
    "stalled": (
        "and rounding allows no further one",
        "Scale the columns, e.g. with make_pipeline(StandardScaler(), ...) or, for sparse data, MaxAbsScaler",
    ),
}


def not_solved(learner: Any, outcome: Outcome) -> str:
    """The text of the warning when a solver ended short of the minimum."""
    why, remedy = SHORT_OF_MINIMUM[outcome.reason]
    made = "1 iteration" if outcome.passes == 1 else f"{outcome.passes} iterations"
    gap = getattr(learner, "duality_gap_", None)
    where = (
        "has not reached the minimum"
        if gap is None
        else f"is at a relative duality gap of {gap:.3g}, above tol={gap_asked(learner):.3g}"
    )
    why = why.format(most=outcome.passes, limit=learner.time_limit or 0.0)
    return f"the solver ({learner.solver_}) made {made}, {why}, and {where}. {remedy.format(more=10 * outcome.passes)}."


def not_right(learner: Any, outcome: Outcome, rows: int) -> str:
    """The text of the kernel perceptron's warning."""
    more = {"cycle": "read them in another order (order='shuffle')", "no_progress": "use min_progress=None"}.get(
        outcome.reason, "allow more passes"
    )
    if learner._form == "all":
        more = f"use multiclass='worst' ({ALL_MAY_NOT_END})"
    return (
        f"{_ended(learner, outcome)}: {learner.n_errors_} of {rows} training rows are classified wrongly. If the classes cannot be "
        "separated, the last weights depend on the last mistakes: use keep='average', or another kernel or gamma. If they can "
        f"be separated, {more}."
    )


def _passes(outcome: Outcome) -> str:
    return f"{outcome.passes} pass{'es' * (outcome.passes != 1)}"


def _ended(learner: Any, outcome: Outcome) -> str:
    """Why the fit ended before all rows were right."""
    if outcome.reason == "budget":
        return f"the fit ended after {_passes(outcome)}, all that max_iter={outcome.passes} allows, before every row was classified correctly"
    if outcome.reason == "time":
        return f"the time limit ended the fit in pass {outcome.passes}, before every row was classified correctly"
    if outcome.reason == "inseparable":
        return f"the fit stopped after {_passes(outcome)}"
    if outcome.reason == "no_progress":
        return f"after {_passes(outcome)} the mistakes did not become fewer (min_progress={learner.min_progress:.3g})"
    common = " (apart from what is common to all classes)" if learner._form == "all" else ""
    return f"in pass {outcome.passes} the weights returned to earlier values{common}, so they would repeat without end"


def not_separated(learner: Any, X: Any, problem: Problem, order: str, outcome: Outcome) -> str:
    """The text of the perceptron's warning."""
    errors, rows = learner.n_errors_, problem.members.size
    ended = _ended(learner, outcome)
    parts = [f"{ended}: {errors} of {rows} training rows are classified wrongly by the kept weights."]
    if errors == 0:
        same = "" if outcome.reason in ("no_progress", "inseparable") else ", by the same weights"
        parts = [f"{ended}{same}, though the kept weights classify all {rows} training rows correctly."]
    proved = _proved(learner, outcome)
    in_order = order == "cyclic" and learner.batch_size != "all"
    sorted_by_class = in_order and not proved and is_sorted_by_class(problem.target[problem.members])
    parts += [proved] if proved else []
    parts += _scales(column_sizes(X), problem.constant2**0.5)
    parts += (
        ["The rows are sorted by class and were read in that order; use order='shuffle'."] if sorted_by_class else []
    )
    return " ".join([*parts, _remedy(learner, outcome, bool(proved))])


def _proved(learner: Any, outcome: Outcome) -> str:
    """What a cycle, or a proof, proves."""
    weights = "weights" if learner.fit_intercept else "weights without an intercept"
    if outcome.reason == "inseparable":
        one = outcome.proof.against_rest
        who = "the classes" if one is None else f"class {one!r} from all others together"
        return f"It is proved that no {weights} separate {who} ({outcome.proof.kind or 'kind undecided'}; see proof_)."
    if outcome.cycle is None:
        return ""
    zero = "The updates of one cycle add up to exactly zero"
    if learner.cycle_.proves_inseparable:
        return f"{zero}, which proves that no {weights} separate the classes."
    names = [repr(label) for label in learner.classes_[learner.cycle_.against_rest[: MOST_NAMES + 1]].tolist()]
    if not names:
        return ""
    if len(names) == 1:
        return f"{zero} for class {names[0]}, which proves that no {weights} separate it from all others together."
    listed = ", ".join(names[:MOST_NAMES]) + (", ..." if len(names) > MOST_NAMES else "")
    return f"{zero} for the classes {listed}, which proves that no {weights} separate any of them from all others together."


def _scales(sizes: np.ndarray, constant: float) -> list[str]:
    """What to do about columns of very different sizes."""
    if sizes.size and sizes.max() > WIDE_SCALES * sizes.min():
        return [
            f"{differ(sizes)}; scale them, "
            "e.g. with make_pipeline(StandardScaler(), ...) or, for sparse data, MaxAbsScaler."
        ]
    if sizes.size and constant and not constant / WIDE_SCALES <= sizes.max() <= constant * WIDE_SCALES:
        return [
            f"The largest value is about {sizes.max():.3g}, but the constant feature of the intercept is {constant:.3g}; scale "
            "the columns or use intercept_scaling='radius'."
        ]
    return []


def _remedy(learner: Any, outcome: Outcome, proved: bool) -> str:
    """The last sentence: what to do."""
    reason = outcome.reason
    good = f"the kept weights ({learner.keep_}) may still be good"
    if learner.keep_ == "last":
        good = "keep='average' or keep='ratchet' may still give good weights"
    if learner._form == "all":
        return f"If the classes can be separated, use multiclass='worst': {ALL_MAY_NOT_END}; if not, {good}."
    if outcome.proof is not None and outcome.proof.separable:
        return f"Some weights do separate them (proved; see proof_), so {_more(reason)}."
    if learner._form == "ovr":
        each = "" if proved else f"If each class can be separated from all others together, {_more(reason)}. "
        return (
            f"{each}If all classes at once can be separated, multiclass='worst' finds weights that do; if not, {good}."
        )
    if proved:
        return f"More passes will not help; {good}."
    decides = " (separability(X, y) can decide that)" if reason == "no_progress" else ""
    return f"If the classes can be separated{decides}, {_more(reason)}; if not, {good}."


def _more(reason: str) -> str:
    more = {"budget": "raise max_iter", "time": "raise time_limit", "cycle": "use order='shuffle'"}
    return (more | {"no_progress": "use min_progress=None"})[reason]


def differ(sizes: np.ndarray) -> str:
    """By how much they do, also where the quotient is beyond the largest float."""
    large, small = sizes.max(), sizes.min()
    ratio = f"{large / small:.3g}" if large < 1e308 * min(small, 1.0) else f"{large:.3g} / {small:.3g}"
    return f"The largest values of the columns differ by a factor of about {ratio}"


def column_sizes(X: Any) -> np.ndarray:
    """About the largest absolute value of every column that is not all zero, from rows spread over the data."""
    X = spread(X)
    if sparse.issparse(X):
        sizes = np.zeros(X.shape[1])
        np.maximum.at(sizes, X.indices, np.abs(X.data))
    else:
        sizes = np.maximum(np.abs(X.max(axis=0)), np.abs(X.min(axis=0))).astype(float)
    return sizes[sizes > 0]


def is_sorted_by_class(labels: np.ndarray) -> bool:
    """Whether every class is one run of rows, and not all of one row."""
    runs = 1 + np.count_nonzero(labels[1:] != labels[:-1])
    return bool(runs == np.unique(labels).size < labels.size)


# Parameters that learners have in other libraries, and what they are called here; for those that are missing, what does the same.
#
# The table has the parameters of scikit-learn's linear learners, of River's, and of LIBLINEAR and its interfaces that some learner
# here does not have.  ``docs/migration-scikit-learn.md`` says more about them, and a test compares it with this table.


class Peer(NamedTuple):
    """A parameter of other libraries.  Of several rows with its name, the first that fits a learner counts."""

    name: str
    ours: str  # what means the same, if the learner has it; empty: nothing, which fits every learner
    advice: str  # which value means the same; or what to do instead
    learners: tuple[str, ...] = ()  # that the row fits; empty: all

    def fits(self, learner: str, parameters: Iterable[str]) -> bool:
        """Whether it is about a learner of this name with these parameters."""
        return (not self.learners or learner in self.learners) and (not self.ours or self.ours in parameters)


AGGRESSIVE = "PassiveAggressiveClassifier", "PassiveAggressiveRegressor"
SOLVED = "LinearSVM", "KernelSVM"
NO_RATE = "its steps need no learning rate"
NO_PENALTY = "it has no penalty; HingeSGD, LogisticNeuron and the support vector machines have one"
NO_L1 = "there is no L1 penalty here; scikit-learn's SGDClassifier, LogisticRegression and ElasticNet have one"
AT_ONCE = "it uses all rows at once"

PEERS = (
    # learning rates
    Peer("eta0", "eta", "the same number"),
    Peer("eta0", "C", "the same number, as with learning_rate='pa1'", AGGRESSIVE),
    Peer("eta0", "", NO_RATE),
    Peer(
        "learning_rate",
        "eta",
        "the number eta0 for 'constant', 'auto' for 'optimal', 'inverse' for 'invscaling' with power_t=1",
        ("HingeSGD",),
    ),
    Peer(
        "learning_rate", "eta", "the number eta0 for 'constant'; for rates that decrease, keep='average' does instead"
    ),
    Peer("learning_rate", "variant", "'PA-I' for 'pa1', 'PA-II' for 'pa2'"),
    Peer("learning_rate", "", NO_RATE),
    Peer("power_t", "eta", "'inverse' for power_t=1; other powers are not available", ("HingeSGD",)),
    Peer("power_t", "", "there is no rate that decreases with a power; keep='average' does instead"),
    Peer("optimizer", "eta", "the number in SGD(number)"),
    Peer("optimizer", "", NO_RATE),
    Peer("clip_gradient", "", "steps are not clipped; scale the columns instead"),
    # penalties
    Peer("alpha", "lam", "the same number"),
    Peer("alpha", "l2", "alpha times the number of rows for SGDClassifier and SGDRegressor, the same number for Ridge"),
    Peer("alpha", "C", "1 / (alpha times the number of rows)", SOLVED),
    Peer("alpha", "", NO_PENALTY),
    Peer("penalty", "lam", "the number alpha for 'l2'; 'l1' and 'elasticnet' are not available"),
    Peer("penalty", "l2", "0 for None, a larger number for 'l2'; 'l1' and 'elasticnet' are not available"),
    Peer("penalty", "", "the penalty is L2, and C is its counterpart", SOLVED),
    Peer("penalty", "", NO_PENALTY),
    Peer("l1_ratio", "", NO_L1),
    Peer("l1", "", NO_L1),
    Peer("l2", "lam", "the same number"),
    Peer("l2", "C", "1 / (l2 times the number of rows)", SOLVED),
    Peer("l2", "", NO_PENALTY),
    Peer("C", "lam", "1 / (C times the number of rows)"),
    Peer("C", "l2", "1 / C"),
    Peer("C", "", NO_PENALTY),
    Peer("cost", "C", "the same number"),
    Peer("cost", "l2", "1 / cost"),
    Peer("positive", "", "weights may have any sign; scikit-learn's Ridge(positive=True) limits them"),
    # losses
    Peer(
        "loss",
        "variant",
        "'PA-I' for 'hinge' and 'epsilon_insensitive', 'PA-II' for 'squared_hinge' and 'squared_epsilon_insensitive'",
    ),
    Peer("loss", "", "it has the hinge loss; LinearSVM has a choice", ("KernelSVM",)),
    Peer(
        "loss",
        "",
        "each learner has its own loss: HingeSGD 'hinge', LogisticNeuron 'log_loss', Adaline 'squared_error', Perceptron 'perceptron'",
    ),
    Peer("mode", "variant", "'PA' for 0, 'PA-I' for 1, 'PA-II' for 2"),
    Peer("epsilon", "", "only PassiveAggressiveRegressor has it"),
    Peer("p", "", "only p=2 is available"),
    # passes, and what is kept of them
    Peer("shuffle", "order", "'shuffle' for True, 'cyclic' for False"),
    Peer("shuffle", "", AT_ONCE),
    Peer("average", "keep", "'average' for True, 'last' for False"),
    Peer("average", "", AT_ONCE),
    Peer("max_iter", "time_limit", "seconds; iterations are not limited"),
    Peer("n_iter", "max_iter", "the same number"),
    Peer("eps", "tol", "here it is the relative duality gap", SOLVED),
    Peer("early_stopping", "", "it ends when the duality gap is at most tol", SOLVED),
    Peer("validation_fraction", "", "it ends when the duality gap is at most tol", SOLVED),
    Peer("n_iter_no_change", "", "it ends when the duality gap is at most tol", SOLVED),
    Peer(
        "warm_start",
        "",
        "call partial_fit to go on from a fit",
        (
            "ALMAClassifier",
            "AdaGradClassifier",
            "AdaGradRegressor",
            "AROWClassifier",
            "SecondOrderPerceptron",
            "KernelPerceptron",
        ),
    ),
    Peer("verbose", "", "see history_ after the fit, or set a scikit-learn callback"),
    # intercepts and first weights
    Peer("learn_intercept", "fit_intercept", "the same"),
    Peer("bias", "intercept_scaling", "the same number; fit_intercept=False for -1"),
    Peer("bias", "fit_intercept", "False for -1, else True"),
    Peer("intercept_lr", "intercept_scaling", "the square root of intercept_lr / eta"),
    Peer("intercept_scaling", "", "the intercept is not penalised, so nothing has to make it large", SOLVED),
    Peer("intercept_init", "init", "an array of the weights, with the intercept in its last column"),
    Peer("initializer", "init", "'zeros', 'ones', 'random' or an array"),
    # several classes
    Peer("multi_class", "multiclass", "the same", ("LinearSVM",)),
    Peer("multi_class", "multiclass", "'softmax' for 'multinomial', 'ovr' for 'ovr'", ("LogisticNeuron",)),
    Peer("multi_class", "multiclass", "'ovr' for 'ovr'"),
    Peer("multi_class", "", "every class is learned against the rest"),
    Peer("decision_function_shape", "multiclass", "'pairs'; pair_scores(X) has the scores of 'ovo'", ("KernelSVM",)),
    Peer("break_ties", "", "ties are always broken, as with break_ties=True"),
    # the machinery
    Peer("probability", "", "put CalibratedClassifierCV around it"),
    Peer("dual", "solver", "'auto'; the form is chosen by the shape of the data"),
    Peer("solver", "", "there is one solver"),
    Peer("shrinking", "", "leave it out; it only affects speed"),
    Peer("copy_X", "", "leave it out; X is never changed"),
    Peer("n_jobs", "", "leave it out; one thread learns all classes"),
    Peer("random_state", "", "leave it out; nothing is random"),
)
NAMES = {peer.name for peer in PEERS}


def said_here(kind: type, name: str) -> str:
    """What to use in place of a parameter that a learner does not have, in a sentence; empty if it has it, or
    if none does."""
    if name not in NAMES:
        return ""
    own = inspect.signature(kind.__init__).parameters  # type: ignore[misc]
    if name in own or any(each.kind is each.VAR_KEYWORD for each in own.values()):
        return ""
    known = {each.__name__ for each in kind.__mro__}
    found = next((peer for peer in PEERS if peer.name == name and any(peer.fits(each, own) for each in known)), None)
    if found is None:
        return ""
    return f"Use {found.ours}: {found.advice}." if found.ours else f"{found.advice[:1].upper()}{found.advice[1:]}."
