"""Which weights are handed back.

``last``     the weights after the last step.
``average``  the mean of the weights after every sample seen (Freund & Schapire 1999; Collins 2002).
``vote``     every weight vector with the number of samples it survived; the decision is their vote (Freund & Schapire).
``pocket``   naive pocket: after every update count the training errors, keep the best weights.
``run``      Gallant's pocket (1990): the weights with the longest run of consecutive right answers.
``ratchet``  Gallant's pocket with ratchet: a longer run *and* fewer training errors.

The kernel adds up what an average needs.  For the others it pauses when weights that may deserve a place are about to
change, and ``retire`` looks at them; a naive pocket that counts just before weights change finds the same as one that
counts just after.  A mini-batch is one step, and the weights after it count for all of its samples.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .forms import answer
from .jit import kernel
from .problem import ALWAYS, AT_RECORDS, BEST_RUN, HELD, MOVES, NEVER, RIGHT_RUN, SEEN, TENURE, Problem, State
from .rows import CSR, Dense, public, score


class Last:
    """The weights after the last step."""

    pauses = NEVER

    def retire(self, state: State, problem: Problem) -> None:
        """Look at weights that are about to change."""

    def consider(self, state: State, problem: Problem) -> None:
        """Look at the present weights, at the start and at the end of a pass.  Harmless to repeat."""

    def finish(self, state: State, problem: Problem) -> None:
        """Look at the steps of a block of rows, which only the dual form makes."""

    def handed_back(self, state: State, rows: Any) -> tuple[np.ndarray, np.ndarray]:
        """``(coef, intercept)``, as arrays of their own."""
        return public(rows, state.weights).copy(), state.bias.copy()


class Average(Last):
    """The mean of the weights after every sample seen.

    With w_t the weights after sample t of weight s_t, and C_t the weight of the samples before it,
    sum_t s_t w_t = S w_T - sum_t C_t (w_t - w_(t-1)), so that only steps cost anything.  Weights that decay are stored
    as w_t = a_t v_t; the same holds for v with s_t a_t in the place of s_t, and when the factor a is multiplied into v,
    the debt is settled: it takes in the sum so far, and counting starts anew.
    """

    def handed_back(self, state: State, rows: Any) -> tuple[np.ndarray, np.ndarray]:
        seen = state.counts[SEEN] or 1.0
        share = state.counts[HELD] / seen if state.counts[SEEN] else 1.0
        coef, intercept = state.weights * share - state.debt / seen, state.bias - state.bias_debt / seen
        return public(rows, coef.astype(state.weights.dtype)), intercept.astype(state.bias.dtype)


class Votes(NamedTuple):
    """Weight vectors that vote, each with the weight of the samples it survived."""

    coef: np.ndarray  # (votes, outputs, features)
    intercept: np.ndarray  # (votes, outputs)
    tenure: np.ndarray  # (votes,)


class Vote(Last):
    """Every weight vector, or the ``max_votes`` longest survivors; handed back is their mean by survival."""

    pauses = ALWAYS

    def __init__(self, max_votes: int | None = None) -> None:
        self._max_votes = np.inf if max_votes is None else max_votes
        self._past: list[tuple[np.ndarray, np.ndarray, float]] = []

    def retire(self, state: State, problem: Problem) -> None:
        if state.counts[TENURE] > 0:
            self._past.append(self._present(state, problem.rows))
            self._drop_shortest(self._past)

    def _present(self, state: State, rows: Dense | CSR) -> tuple[np.ndarray, np.ndarray, float]:
        return public(rows, state.weights).copy(), state.bias.copy(), float(state.counts[TENURE])

    def _drop_shortest(self, voters: list[tuple[np.ndarray, np.ndarray, float]]) -> None:
        if len(voters) > self._max_votes:
            del voters[min(range(len(voters)), key=lambda v: (voters[v][2], -v))]

    def votes(self, state: State, rows: Dense | CSR) -> Votes:
        """All votes, the oldest first; before any sample was seen, the first weights."""
        voters = list(self._past)
        if state.counts[TENURE] > 0:
            voters.append(self._present(state, rows))
            self._drop_shortest(voters)
        voters = voters or [(public(rows, state.weights), state.bias, 1.0)]
        return Votes(*(np.array(part) for part in zip(*voters, strict=True)))

    def handed_back(self, state: State, rows: Any) -> tuple[np.ndarray, np.ndarray]:
        votes = self.votes(state, rows)
        share = (votes.tenure / votes.tenure.sum()).astype(state.weights.dtype)
        return np.tensordot(share, votes.coef, 1), share @ votes.intercept


class Run(Last):
    """The weights with the longest run of consecutive right answers.  The first weights start in the pocket, run 0."""

    pauses = AT_RECORDS

    def __init__(self) -> None:
        self._pocket: tuple[np.ndarray, np.ndarray] | None = None

    def retire(self, state: State, problem: Problem) -> None:
        self.consider(state, problem)

    def consider(self, state: State, problem: Problem) -> None:
        if self._pocket is None or state.counts[RIGHT_RUN] > state.counts[BEST_RUN]:
            self._put_in(state, problem.rows)

    def _put_in(self, state: State, rows: Dense | CSR) -> None:
        self._pocket = public(rows, state.weights).copy(), state.bias.copy()
        state.counts[BEST_RUN] = state.counts[RIGHT_RUN]

    def handed_back(self, state: State, rows: Any) -> tuple[np.ndarray, np.ndarray]:
        return self._pocket or super().handed_back(state, rows)


class Pocket(Run):
    """The weights with the fewest training errors of all."""

    pauses = ALWAYS

    def __init__(self) -> None:
        super().__init__()
        self._errors = np.inf
        self._counted_at = -1.0  # moves when errors were last counted: more of them mean other weights

    def consider(self, state: State, problem: Problem) -> None:
        if state.counts[MOVES] != self._counted_at:
            self._counted_at = state.counts[MOVES]
            found = errors_below(self._errors, problem, state.weights, state.bias)
            if found < self._errors:
                self._errors = found
                self._put_in(state, problem.rows)


class Ratchet(Pocket):
    """The weights with a longer run than the pocket's, if they make fewer training errors too.

    Gallant looks as soon as a run gets longer than the pocket's, so the run remembered is longer by one.
    """

    pauses = AT_RECORDS

    def consider(self, state: State, problem: Problem) -> None:
        if self._pocket is None or state.counts[RIGHT_RUN] > state.counts[BEST_RUN]:
            super().consider(state, problem)

    def _put_in(self, state: State, rows: Dense | CSR) -> None:
        longer = state.counts[BEST_RUN] + (self._pocket is not None)
        super()._put_in(state, rows)
        state.counts[BEST_RUN] = longer


KEEPS = {"last": Last, "average": Average, "vote": Vote, "pocket": Pocket, "run": Run, "ratchet": Ratchet}


@kernel
def errors_below(limit, problem, weights, bias):
    """The weight of the training errors, counted with prediction; counting ends once it reaches ``limit``."""
    rows, target, weight, members, _ = problem
    scores = np.empty(bias.size, weights.dtype)
    total = 0.0
    for m in range(members.size):
        i = members[m]
        score(rows, i, weights, 1.0, bias, scores)
        if answer(scores) != target[i]:
            total += weight[i] if weight.size else 1.0
            if total >= limit:
                break
    return total
