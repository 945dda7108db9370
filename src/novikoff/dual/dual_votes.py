"""``keep="vote"`` in the dual form: which steps lie between two voters, and how voters are counted.

Voter v has the weights ``w_v = w_(v-1) + (the steps between them)``, so the scores of all voters on a row are running
sums over steps, each step a kernel value (Freund & Schapire 1999, section 3): they cost no more than the last voter's.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse

from ..learn.keeps import KEEPS, Auto, Last, Layout, Stored
from ..learn.state import ALWAYS, SURVIVED, Problem, State
from .kernels import Linear, Points

Steps = list[tuple[np.ndarray, np.ndarray]]  # row numbers, and the steps (outputs, rows) of these rows

VALUES_AT_ONCE = 4_000_000  # kernel values and scores held in memory


class DualVotes(NamedTuple):
    """Voters, each with the weight of the samples it survived."""

    steps: sparse.csc_array  # (support rows, voters * outputs): from the voter before; column v * outputs + k
    intercept: np.ndarray  # (voters, outputs)
    tenure: np.ndarray  # (voters,): the weight of the samples that each survived

    def mean(self) -> tuple[np.ndarray, np.ndarray]:
        """Their mean by survival, as ``(dual_coef, intercept)``: a step counts for all voters from then on."""
        share = self.tenure / self.tenure.sum()
        later = np.cumsum(share[::-1])[::-1]
        outputs = self.intercept.shape[1]
        coef = [self.steps[:, k::outputs] @ later for k in range(outputs)]
        return np.array(coef), share @ self.intercept

    def shares(self, kernel: Linear, support: Points, points: Points) -> np.ndarray:
        """For two classes the share of votes for class 1 minus those for class 0; else each class's share."""
        some = max(1, VALUES_AT_ONCE // max(self.steps.shape))
        firsts = range(0, len(points.numbers), some)
        return np.concatenate([self._shares(kernel, support, points.take(slice(at, at + some))) for at in firsts])

    def _shares(self, kernel: Linear, support: Points, points: Points) -> np.ndarray:
        shape = len(points.numbers), *self.intercept.shape
        scores = np.zeros(shape)
        if len(support.numbers):
            scores += (self.steps.T @ kernel.values(points, support).T).T.reshape(shape)
        scores = np.cumsum(scores, axis=1) + self.intercept
        total = self.tenure.sum()
        if shape[2] == 1:
            return np.where(scores[:, :, 0] > 0, 1.0, -1.0) @ self.tenure / total  # a tie adds up to 0 exactly
        chosen = scores.argmax(axis=2)
        return np.stack([(chosen == k) @ self.tenure for k in range(shape[2])], axis=1) / total


class Voter(NamedTuple):
    """One voter while learning goes on."""

    steps: Steps  # from the voter before
    intercept: np.ndarray
    survived: float


class DualVote(Last):
    """Every voter, or the ``max_votes`` longest survivors: the steps of one that is dropped pass to the next."""

    parameters = ("max_votes",)
    pauses = ALWAYS
    remembers = True
    by_vote = True
    layout: ClassVar[Layout] = {  # all steps in a row, and where voters and blocks of steps end
        "groups": Stored((None,), low=0, whole=True),
        "sizes": Stored((None,), low=0, whole=True),
        "who": Stored(("steps",), low=0, whole=True),
        "steps": Stored(("steps", None)),
        "intercept": Stored(("past", None)),
        "tenure": Stored(("past",), low=0.0),
    }

    def __init__(self, max_votes: int | None = None) -> None:
        self._max_votes = np.inf if max_votes is None else max_votes
        self._past: list[Voter] = []
        self._since: Steps = []  # steps since the last voter
        self._noted: np.ndarray | None = None  # steps of the present block that were noted already

    def retire(self, state: State, problem: Problem) -> None:
        self._note(state, problem)
        if state.counts[SURVIVED] > 0:
            self._past.append(self._present(state))
            self._since = []
            self._drop_shortest(self._past)

    def finish(self, state: State, problem: Problem) -> None:
        """Note the last steps of a block."""
        self._note(state, problem)
        self._noted = None

    def _note(self, state: State, problem: Problem) -> None:
        new = state.weights if self._noted is None else state.weights - self._noted
        moved = np.flatnonzero(new.any(axis=0))
        if moved.size:
            self._since.append((problem.members[moved], new[:, moved]))
            self._noted = state.weights.copy()

    def _present(self, state: State) -> Voter:
        return Voter(self._since, state.bias.copy(), float(state.counts[SURVIVED]))

    def _drop_shortest(self, voters: list[Voter]) -> None:
        if len(voters) > self._max_votes:
            place = min(range(len(voters)), key=lambda v: (voters[v].survived, -v))
            steps = voters.pop(place).steps
            if place < len(voters):
                voters[place] = voters[place]._replace(steps=steps + voters[place].steps)
            elif voters is self._past:
                self._since = steps + self._since

    def votes(self, state: State, numbers: np.ndarray) -> DualVotes:
        """All votes, the oldest first; before any sample was seen, the first weights.  ``numbers``: the support, ascending."""
        voters = list(self._past)
        if state.counts[SURVIVED] > 0:
            voters.append(self._present(state))
            self._drop_shortest(voters)
        voters = voters or [Voter([], state.bias.copy(), 1.0)]
        outputs = state.bias.size
        rows, columns, values = [np.empty(0, np.intp)], [np.empty(0, np.intp)], [np.empty(0)]
        for v, voter in enumerate(voters):
            for who, steps in voter.steps:
                k, place = np.nonzero(steps)
                rows.append(np.searchsorted(numbers, who[place]))
                columns.append(v * outputs + k)
                values.append(steps[k, place])
        places = np.concatenate(rows), np.concatenate(columns)
        shape = numbers.size, len(voters) * outputs
        table = sparse.csc_array((np.concatenate(values), places), shape=shape)
        return DualVotes(table, np.array([voter.intercept for voter in voters]), np.array([v.survived for v in voters]))

    def remembered(self) -> dict[str, Any] | None:
        groups = [voter.steps for voter in self._past] + [self._since]
        pieces = [piece for group in groups for piece in group]
        empty = np.empty(0, np.intp), np.empty((0, 0))
        return {
            "groups": np.array([len(group) for group in groups]),
            "sizes": np.array([len(who) for who, _ in pieces], np.intp),
            "who": np.concatenate([who for who, _ in pieces]) if pieces else empty[0],
            "steps": np.concatenate([steps.T for _, steps in pieces]) if pieces else empty[1],
            "intercept": np.array([voter.intercept for voter in self._past]) if self._past else empty[1],
            "tenure": np.array([voter.survived for voter in self._past]),
        }

    def recall(self, memory: dict[str, Any] | None, outputs: int) -> None:
        if memory is None:
            raise ValueError("lacks something, or has something unknown")
        groups, sizes, who, steps, intercept, survived = (memory[name] for name in self.layout)
        wide = all(len(part) == 0 or part.shape[1] == outputs for part in (steps, intercept))
        whole = groups.size == survived.size + 1 and groups.sum() == sizes.size and sizes.sum() == who.size
        if not (whole and wide) or max(groups.max(), sizes.max(initial=0)) > 2**48:
            raise ValueError("has parts that contradict each other")
        ends = np.cumsum(sizes)[:-1]
        pieces = list(zip(np.split(who, ends), (part.T for part in np.split(steps, ends)), strict=True))
        pieces = pieces if sizes.size else []
        grouped = [pieces[end - count : end] for end, count in zip(np.cumsum(groups), groups, strict=True)]
        voters = zip(grouped, intercept, survived.tolist(), strict=False)
        self._past, self._since = [Voter(*voter) for voter in voters], grouped[-1]

    def rows_remembered(self) -> np.ndarray:
        steps = [*(step for voter in self._past for step in voter.steps), *self._since]
        return np.concatenate([np.empty(0, np.intp), *(who for who, _ in steps)])


class LastIfBounded(Auto):
    """An average would remember every row that was ever in the support."""

    averages = False
    parameters: ClassVar[tuple[str, ...]] = ()

    def __init__(self) -> None:
        super().__init__("all")


DUAL_KEEPS = {**KEEPS, "vote": DualVote}
BOUNDED_KEEPS = {**DUAL_KEEPS, "auto": LastIfBounded}  # for a support of bounded size
