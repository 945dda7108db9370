"""Which weights the model keeps.

``auto``     the last weights if they are where learning was to lead, else the average.
``last``     the weights after the last step.
``average``  the mean of the weights after every sample seen (Freund & Schapire 1999; Collins 2002).
``vote``     every weight vector with the number of samples it survived; the decision is their vote (Freund & Schapire).
``pocket``   naive pocket: after every update count the training errors, keep the best weights.
``run``      Gallant's pocket (1990): the weights with the longest run of consecutive correct predictions.
``ratchet``  Gallant's pocket with ratchet: a longer run *and* fewer training errors.

The kernel adds up what an average needs.  For the others it pauses when weights that may deserve a place are about to
change, and ``retire`` looks at them; a naive pocket that counts just before weights change finds the same as one that
counts just after.  A mini-batch is one step, and the weights after it count for all of its samples.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..compiled.jit import exact
from .forms import answer
from .rows import CSR, Dense, public, score
from .state import (
    ALWAYS,
    AT_RECORDS,
    BEST_RUN,
    COUNTED,
    MOVES,
    NEVER,
    RIGHT_RUN,
    SEEN,
    SURVIVED,
    Problem,
    State,
    plain_work,
)


class Stored(NamedTuple):
    """One thing that a keep remembers, as a file holds it: an array of these sizes or, without sizes, a number."""

    sizes: tuple[
        str | None, ...
    ] = ()  # "outputs", "features", a name for a size that several arrays share, or None: any
    low: float = -np.inf
    finite: bool = True
    whole: bool = False  # numbers of rows or places


Layout = dict[str, Any]  # each name's ``Stored``, or a ``Layout`` in its turn
WEIGHTS: Layout = {"coef": Stored(("outputs", "features")), "intercept": Stored(("outputs",))}
Weights = tuple[np.ndarray, np.ndarray]


class Last:
    """The weights after the last step.  A keep says of itself all that others need to know of it: nobody asks its name."""

    meaning = "the weights after the last step"
    parameters: ClassVar[tuple[str, ...]] = ()  # of the learner, which the keep is made with
    pauses = NEVER
    averages = False  # whether the kernel adds up weights over all samples
    remembers = False  # whether it remembers other weights than the running ones
    by_vote = False  # whether all weights that it remembers decide, and ``votes`` tells them
    needs_random_order = False  # rows drawn with replacement
    needs_single_rows = False  # batches of 1
    needs_all_rows = False  # together, so that there is no ``partial_fit``
    layout: ClassVar[Layout] = {}  # of what ``remembered`` says

    def stands_for(self, ended: str) -> str:
        """The name of the keep whose weights it uses, if that is another one; ``ended``: why learning ended, empty while
        it goes on."""
        return ""

    def retire(self, state: State, problem: Problem) -> None:
        """Look at weights that are about to change."""

    def consider(self, state: State, problem: Problem) -> None:
        """Look at the present weights, at the start and at the end of a pass.  Harmless to repeat."""

    def finish(self, state: State, problem: Problem) -> None:
        """Look at the steps of a block of rows, which only the dual form makes."""

    def handed_back(self, state: State, rows: Any) -> Weights:
        """``(coef, intercept)``, as arrays of their own."""
        return public(rows, state.weights).copy(), state.bias.copy()

    def copied(self) -> Last:
        """A keep that remembers the same, and forgets nothing if this one learns more."""
        twin = object.__new__(type(self))
        twin.__dict__.update(
            {name: list(part) if isinstance(part, list) else part for name, part in vars(self).items()}
        )
        return twin

    def remembered(self) -> dict[str, Any] | None:
        """All that it must recall to go on from a file, by the names of ``layout``."""
        return None

    def recall(self, memory: dict[str, Any] | None, outputs: int) -> None:
        """Go on from what another keep of its kind remembered of so many outputs; a ``ValueError`` if it cannot be so."""
        if memory is not None:
            raise ValueError("has nothing to remember")

    def alone(self) -> Last:
        """The same keep, to be kept: it knows nothing of a source."""
        return self

    def rows_remembered(self) -> np.ndarray:
        """Numbers of rows that it remembers steps of, which only the dual form does."""
        return np.empty(0, np.intp)


class Average(Last):
    """The mean of the weights after every sample seen.

    With w_t the weights after sample t of weight s_t, and C_t the weight of the samples before it,
    sum_t s_t w_t = S w_T - sum_t C_t (w_t - w_(t-1)): S w_T counts each step for all samples, also for those before it, and
    the second sum is that overcount, so that only steps cost anything.  Weights that shrink are stored as w_t = a_t v_t; the
    same holds for v with s_t a_t in the place of s_t (counted so far: ``COUNTED``), and when the factor a is multiplied
    into v, the sum so far is taken off the overcount, and counting starts again.
    """

    meaning = "the mean of the weights after every row"
    averages = True

    def handed_back(self, state: State, rows: Any) -> Weights:
        seen = state.counts[SEEN] or 1.0
        share = state.counts[COUNTED] / seen if state.counts[SEEN] else 1.0
        coef, intercept = state.weights * share - state.overcount / seen, state.bias - state.bias_overcount / seen
        return public(rows, coef.astype(state.weights.dtype)), intercept.astype(state.bias.dtype)


class Auto(Average):
    """The last weights if they separate the classes, no longer change, or solve the problem, or if each step used all rows.
    Else the average, which changes less and does better on new rows if classes overlap (Freund & Schapire 1999)."""

    meaning = (
        "the last weights if they separate the classes, no longer change or solve the problem, or if a batch is all rows; "
        "else the mean of the weights after every row"
    )
    parameters: ClassVar[tuple[str, ...]] = ("batch_size",)
    layout: ClassVar[Layout] = {"averages": Stored(low=0.0, whole=True)}
    found = ("separated", "stable", "solved", "no_minimum", "stalled")

    def __init__(self, batch_size: int | str = 1) -> None:
        self.averages = batch_size != "all"

    def stands_for(self, ended: str) -> str:
        return "average" if self.averages and ended not in self.found else "last"

    def remembered(self) -> dict[str, Any] | None:
        return {"averages": int(self.averages)}

    def recall(self, memory: dict[str, Any] | None, outputs: int) -> None:
        if memory is None or memory["averages"] not in (0, 1):
            raise ValueError("does not say whether it averages")
        self.averages = memory["averages"] == 1


class Votes(NamedTuple):
    """Weight vectors that vote, each with the weight of the samples it survived."""

    coef: np.ndarray  # (votes, outputs, features)
    intercept: np.ndarray  # (votes, outputs)
    tenure: np.ndarray  # (votes,): the weight of the samples that each survived


class Vote(Last):
    """Every weight vector, or the ``max_votes`` longest survivors; ``coef_`` is their mean by survival."""

    meaning = "all weight vectors vote, each with the number of rows it survived"
    parameters = ("max_votes",)
    pauses = ALWAYS
    remembers = True
    by_vote = True
    layout: ClassVar[Layout] = {
        "coef": Stored(("past", "outputs", "features")),
        "intercept": Stored(("past", "outputs")),
        "tenure": Stored(("past",), low=0.0),
    }

    def __init__(self, max_votes: int | None = None) -> None:
        self._max_votes = np.inf if max_votes is None else max_votes
        self._past: list[tuple[np.ndarray, np.ndarray, float]] = []

    def retire(self, state: State, problem: Problem) -> None:
        if state.counts[SURVIVED] > 0:
            self._past.append(self._present(state, problem.rows))
            self._drop_shortest(self._past)

    def _present(self, state: State, rows: Dense | CSR) -> tuple[np.ndarray, np.ndarray, float]:
        return public(rows, state.weights).copy(), state.bias.copy(), float(state.counts[SURVIVED])

    def _drop_shortest(self, voters: list[tuple[np.ndarray, np.ndarray, float]]) -> None:
        if len(voters) > self._max_votes:
            del voters[min(range(len(voters)), key=lambda v: (voters[v][2], -v))]

    def votes(self, state: State, rows: Dense | CSR) -> Votes:
        """All votes, the oldest first; before any sample was seen, the first weights."""
        voters = list(self._past)
        if state.counts[SURVIVED] > 0:
            voters.append(self._present(state, rows))
            self._drop_shortest(voters)
        voters = voters or [(public(rows, state.weights), state.bias, 1.0)]
        return Votes(*(np.array(part) for part in zip(*voters, strict=True)))

    def handed_back(self, state: State, rows: Any) -> Weights:
        votes = self.votes(state, rows)
        share = (votes.tenure / votes.tenure.sum()).astype(state.weights.dtype)
        return np.tensordot(share, votes.coef, 1), share @ votes.intercept

    def remembered(self) -> dict[str, Any] | None:
        if not self._past:
            return None
        return dict(zip(self.layout, (np.array(part) for part in zip(*self._past, strict=True)), strict=True))

    def recall(self, memory: dict[str, Any] | None, outputs: int) -> None:
        parts = () if memory is None else (memory["coef"], memory["intercept"], memory["tenure"].tolist())
        self._past = list(zip(*parts, strict=True))


class Run(Last):
    """The weights with the longest run of consecutive correct predictions.  The first weights start in the pocket, run 0."""

    meaning = "the weights with the longest run of correct predictions"
    pauses = AT_RECORDS
    remembers = True
    needs_random_order = True
    needs_single_rows = True
    layout = WEIGHTS

    def __init__(self) -> None:
        self._pocket: Weights | None = None

    def retire(self, state: State, problem: Problem) -> None:
        self.consider(state, problem)

    def consider(self, state: State, problem: Problem) -> None:
        if self._pocket is None or state.counts[RIGHT_RUN] > state.counts[BEST_RUN]:
            self._put_in(state, problem.rows)

    def _put_in(self, state: State, rows: Dense | CSR) -> None:
        self._pocket = public(rows, state.weights).copy(), state.bias.copy()
        state.counts[BEST_RUN] = state.counts[RIGHT_RUN]

    def handed_back(self, state: State, rows: Any) -> Weights:
        return self._pocket or super().handed_back(state, rows)

    def remembered(self) -> dict[str, Any] | None:
        return dict(zip(WEIGHTS, self._pocket, strict=True)) if self._pocket else None

    def recall(self, memory: dict[str, Any] | None, outputs: int) -> None:
        self._pocket = None if memory is None else (memory["coef"], memory["intercept"])


class Pocket(Run):
    """The weights with the fewest training errors of all."""

    meaning = "the weights with the fewest training errors, counted after every update (slow)"
    pauses = ALWAYS
    needs_random_order = False
    needs_single_rows = False
    needs_all_rows = True
    layout: ClassVar[Layout] = {
        "pocket": WEIGHTS,
        "errors": Stored(low=0.0, finite=False),
        "counted_at": Stored(low=-1.0),
    }

    def __init__(self) -> None:
        super().__init__()
        self._errors = np.inf
        self._counted_at = -1.0  # moves when errors were last counted: more of them mean other weights

    def consider(self, state: State, problem: Problem) -> None:
        if state.counts[MOVES] != self._counted_at:
            self._counted_at = state.counts[MOVES]
            found = self._count(state, problem)
            if found < self._errors:
                self._errors = found
                self._put_in(state, problem.rows)

    def _count(self, state: State, problem: Problem) -> float:
        """The weight of the training errors, or more than the fewest so far."""
        return errors_below(self._errors, problem, state.weights, state.bias)

    def remembered(self) -> dict[str, Any] | None:
        return {"pocket": super().remembered(), "errors": self._errors, "counted_at": self._counted_at}

    def recall(self, memory: dict[str, Any] | None, outputs: int) -> None:
        if memory is None:
            raise ValueError("is no pocket")
        super().recall(memory["pocket"], outputs)
        self._errors, self._counted_at = memory["errors"], memory["counted_at"]


class Ratchet(Pocket):
    """The weights with a longer run than the pocket's, if they make fewer training errors too.

    Gallant looks as soon as a run gets longer than the pocket's, so the run remembered is longer by one.
    """

    meaning = "the kept weights are replaced only by weights with both a longer run and fewer training errors"
    pauses = AT_RECORDS
    needs_random_order = True
    needs_single_rows = True

    def consider(self, state: State, problem: Problem) -> None:
        if self._pocket is None or state.counts[RIGHT_RUN] > state.counts[BEST_RUN]:
            super().consider(state, problem)

    def _put_in(self, state: State, rows: Dense | CSR) -> None:
        longer = state.counts[BEST_RUN] + (self._pocket is not None)
        super()._put_in(state, rows)
        state.counts[BEST_RUN] = longer


KEEPS: dict[str, type[Last]] = {
    "auto": Auto,
    "last": Last,
    "average": Average,
    "vote": Vote,
    "pocket": Pocket,
    "run": Run,
    "ratchet": Ratchet,
}


def meant(keep: Last, ended: str) -> Last:
    """The keep whose weights are used if learning ended for this reason: itself, or the one that it stands for."""
    name = keep.stands_for(ended)
    return KEEPS[name]() if name else keep


def new_keep(kind: type[Last], learner: Any) -> Any:
    """A keep of this kind that remembers nothing yet, with the parameters of the learner that it asks for."""
    return kind(**{name: getattr(learner, name) for name in kind.parameters})


@exact(lambda limit, problem, weights, bias: plain_work(problem, problem.members.size, bias.size))
def errors_below(limit, problem, weights, bias):
    """The weight of the training errors, counted with prediction; counting ends once it reaches ``limit``."""
    rows, target, weight, members, _ = problem
    scores = np.empty(bias.size, weights.dtype)
    total = 0.0
    for m in range(members.size):
        i = members[m]
        score(rows, i, weights, bias, scores)
        if answer(scores) != target[i]:
            total += weight[i] if weight.size else 1.0
            if total >= limit:
                break
    return total
