"""Separated classes, for which logistic regression has no finite estimate: detected, and reported or refused.

Weights that no row contradicts, and that some rows agree with, make the loss smaller the longer they are, without end
(A. Albert and J. A. Anderson, On the existence of maximum likelihood estimates in logistic regression models, 1984; so does
any loss that falls with every score).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..checks.arrays import refuse_not_finite
from ..checks.rounding import REMEDY as ROUNDED_REMEDY
from ..checks.rounding import Rounded
from ..learn.learning import Outcome, Part, RowSource
from ..learn.state import Problem
from ..proof.answer.describe import cheap_limits, endless
from ..proof.answer.proofs import Proof, prove
from ..proof.check.cycles import ONE_AND_REST
from ..proof.check.sure_margins import sure_margins
from ..proof.problem.pairs import Pairs
from ..proof.problem.read_rows import one_entry_each
from ..system.clock import Clock
from .advice import warn
from .base import rounded_number
from .solver_or_steps import asks_for_steps, penalty

CHEAP_NUMBERS, CHEAP_DIMENSIONS = 1_000_000, 50  # up to here a proof costs about as much as a fit of 100 passes
NAMES_LISTED = 5  # in a message


class SeparationError(ValueError):
    """Raised if classes are separated and ``on_separation="raise"``.

    Parameters
    ----------
    text : str
        What is wrong, and what to do.
    proof : Proof
        The result of ``separability``.

    Examples
    --------
    >>> from novikoff import LogisticNeuron, SeparationError
    >>> dose, died = [[1], [2], [2], [3]], [0, 0, 1, 1]
    >>> try:
    ...     LogisticNeuron(on_separation="raise").fit(dose, died)
    ... except SeparationError as refused:
    ...     print(refused.proof.kind, refused.proof.directions)
    quasi-complete {'intercept': '-inf', 'x0': '+inf'}
    """

    def __init__(self, text: str, proof: Proof) -> None:
        super().__init__(text)
        self.proof = proof

    def __reduce__(self) -> Any:
        return SeparationError, (str(self), self.proof)


def refuse_separated(learner: Any, source: RowSource) -> None:
    """Raise where classes are separated, completely or quasi-completely; warn where that could not be decided."""
    X, problem, rounded = source.X, source.problem, rounded_number(learner, source)
    if rounded is not None:
        warn(f"{_nothing_proved(rounded)}; the fit goes on.")
        return
    refuse_not_finite(X, getattr(learner, "feature_names_in_", None))
    for who, proof in proofs(learner, *rows_of(X, problem), Clock(learner.time_limit)):
        if proof.kind in ("complete", "quasi-complete"):
            raise SeparationError(f"{explain(learner, who, proof)} on_separation='raise' refuses that.", proof)
        if proof.kind is None:
            warn(f"Whether {who} are separated could not be decided in {proof.seconds:.3g} s; the fit goes on.")


def warn_of_separated(learner: Any, source: RowSource, outcome: Outcome) -> None:
    """Warn where the weights found separate classes, or where it is cheap to find out that some weights do, or where a solver has
    found no minimum."""
    X, problem, rounded = source.X, source.problem, rounded_number(learner, source)
    if rounded is not None:
        warn(" ".join(filter(None, [f"{_nothing_proved(rounded)}.", without_minimum(learner, outcome)])))
        return
    if X is not None:
        refuse_not_finite(X, getattr(learner, "feature_names_in_", None))
    text = evidence(learner, source)
    if text is None and X is not None and is_cheap(learner, X, problem):
        some = (pair for pair in proofs(learner, *rows_of(X, problem), Clock()) if pair[1].kind != "overlap")
        text = next((explain(learner, who, proof) for who, proof in some), None)
    text = text or without_minimum(learner, outcome)
    if text is not None:
        warn(text)


def without_minimum(learner: Any, outcome: Outcome) -> str | None:
    """What to say of a solver whose weights grow without limit, though nothing is proved; None if they do not."""
    if outcome.reason not in ("separated", "no_minimum"):
        return None
    return (
        f"After {outcome.passes} iterations of solver={learner.solver_!r} the loss still falls while the weights grow, now of length "
        f"{learner.history_['norm'][-1]:.3g}: without a penalty it has no minimum. {_remedy(learner)}"
    )


def _nothing_proved(rounded: Rounded | str) -> str:
    return (
        f"X has {rounded}: the fit has learned from rounded numbers, so it is not said whether the classes are separated. "
        + ROUNDED_REMEDY
    )


def is_cheap(learner: Any, X: Any, problem: Problem) -> bool:
    """Whether a proof costs about as much as a fit."""
    rivals = 1 if learner._form in ("binary", "ovr") else learner._n_outputs - 1
    numbers, dimensions = problem.members.size * X.shape[1] * rivals, (X.shape[1] + 1) * rivals
    return numbers <= CHEAP_NUMBERS and dimensions <= CHEAP_DIMENSIONS


def overlapping(learner: Any, X: Any, problem: Problem, target: np.ndarray) -> bool | None:
    """Whether nothing separates the rows that take part, by a proof: then the loss has a minimum without a penalty, however far away, else none; None
    if a proof is not cheap, or does not decide it."""
    if not is_cheap(learner, X, problem):
        return None
    kinds = {proof.kind for _, proof in proofs(learner, X, target, Clock(learner.time_limit))}
    return False if kinds & {"complete", "quasi-complete"} else True if kinds <= {"overlap"} else None


def rows_of(X: Any, problem: Problem) -> tuple[Any, np.ndarray]:
    """The rows that take part, and their classes."""
    return X[problem.members], problem.target[problem.members]


def proofs(learner: Any, rows: Any, target: np.ndarray, clock: Clock) -> Iterator[tuple[str, Proof]]:
    """Which classes, and what is proved of their separation: all at once, or with one-vs-rest each against the rest."""
    names = getattr(learner, "feature_names_in_", learner._column_names)
    rows = one_entry_each(rows)
    present, target = np.unique(target, return_inverse=True)

    def proof(numbers: np.ndarray, classes: np.ndarray) -> Proof:
        return prove(Pairs(rows, numbers, len(classes), learner.fit_intercept), classes, names, clock.shared(1.0))

    if present.size < 2:
        return
    if learner._form != "ovr":
        yield "the classes", proof(target, learner.classes_[present])
        return
    for k, name in enumerate(learner.classes_[present].tolist()):
        one = proof((target == k).astype(np.intp), ONE_AND_REST)
        yield f"class {name!r} and the rest", replace(one, against_rest=name)


class KnownMargins(NamedTuple):
    """The smallest of some rows."""

    rows: int
    lead: float  # of all classes together
    each: np.ndarray  # of each against the rest


def margins_of(coef: np.ndarray, bias: np.ndarray, part: Part) -> KnownMargins:
    """Those of the rows of a part."""
    X, problem = part.X, part.problem
    return KnownMargins(problem.members.size, *sure_margins(coef, bias, X, problem.target, problem.members))


def both_margins(one: KnownMargins, other: KnownMargins) -> KnownMargins:
    """Those of both."""
    return KnownMargins(one.rows + other.rows, min(one.lead, other.lead), np.minimum(one.each, other.each))


def evidence(learner: Any, source: RowSource) -> str | None:
    """What to say of classes that the weights found separate; None if they do not, or rounding leaves it open."""
    apart = learner._form == "ovr"
    if learner.n_errors_ and not apart:
        return None
    rows, lead, each = source.fold(partial(margins_of, learner.coef_, learner.intercept_), both_margins)
    who, least = "the classes", lead
    if apart and np.any(each > 0):
        first = int(np.argmax(each > 0))
        who, least = f"class {learner.classes_[[first]].tolist()[0]!r} and the rest", float(each[first])
    elif apart or lead <= 0:
        return None
    return (
        f"The weights classify all {rows} training rows correctly, by at least {least:.3g} in score: {who} "
        f"are linearly separable. {_endless(learner)}, now of length {learner.history_['norm'][-1]:.3g}, would grow without "
        f"limit, and the probabilities tend to 0 and 1. {_remedy(learner)}"
    )


def explain(learner: Any, who: str, proof: Proof) -> str:
    """What to say of classes that are proved to be separated."""
    if proof.kind == "complete":
        found = f"{who} are linearly separable"
    elif proof.rows is None:
        found = (
            f"{who} are quasi-completely separated: some weights separate some rows, and have no row on the wrong side"
        )
    else:
        count = np.count_nonzero(proof.rows == "separated")
        found = (
            f"{who} are quasi-completely separated: some weights separate {count} of {len(proof.rows)} rows, and have no row on the "
            "wrong side"
        )
    why = "".join(f" {reason[0].upper()}{reason[1:]}." for reason in proof.reasons[:1]) if cheap_limits(proof) else ""
    return f"{found[0].upper()}{found[1:]} (proved).{why} {_endless(learner)} grow without limit{_which(proof)}. {_remedy(learner)}"


def _remedy(learner: Any) -> str:
    if penalty(learner, asks_for_steps(learner)):
        return (
            "The predicted classes are still good, but the penalty, not the data, decides how large coefficients are. To interpret them, remove "
            "the columns that separate."
        )
    return "The predicted classes are still good. To interpret coefficients, use a penalty (l2), or remove the columns that separate."


def _endless(learner: Any) -> str:
    loss = "cross-entropy" if learner.loss == "cross_entropy" else "the squared error"
    if penalty(learner, asks_for_steps(learner)):
        return f"So {loss} has a minimum only because of the penalty l2: without it the weights"
    return f"So {loss} has no minimum: the weights"


def _which(proof: Proof) -> str:
    """The features whose coefficients have no finite estimate, where a few do not."""
    if proof.kind == "complete" or len(proof.classes) > 2:
        return ""
    limits = [f"that of {name} {where}" for name, where in endless(proof).items()]
    return ", " + ", ".join(limits) if 0 < len(limits) <= NAMES_LISTED else ""
