"""An exercise: a text, data drawn from a seed, and a judge that computes whether an answer is right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any

from ..report.html import notebook_view
from ..report.sections import Section
from .answer_reading import Wrong

EXERCISES: dict[str, Exercise] = {}
TRIALS = "trials"  # what a student's function is tried on; not shown


@dataclass(frozen=True)
class Exercise:
    """What does not depend on the seed."""

    name: str  # such as "L0.3"
    title: str
    text: str  # with {names} of the data
    draw: Callable[[Random], dict[str, Any]]
    judge: Callable[..., None]  # of the answer and the data, raises Wrong


def exercise(
    name: str, title: str, draw: Callable[[Random], dict[str, Any]]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make an exercise of a judge: its docstring is the text, its arguments after the first are the data."""

    def register(judge: Callable[..., None]) -> Callable[..., None]:
        assert judge.__doc__ is not None
        assert name not in EXERCISES
        EXERCISES[name] = Exercise(name, title, " ".join(judge.__doc__.split()), draw, judge)
        return judge

    return register


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right; if not, what is wrong and a hint.  Made by ``Task.check``.

    It is true or false where a condition is asked for.

    Attributes
    ----------
    right : bool
        Whether it is right.
    message : str
        What was found.
    hint : str
        Where to look, or nothing.
    """

    right: bool
    message: str
    hint: str = ""

    def __bool__(self) -> bool:
        return self.right

    def __str__(self) -> str:
        return f"{'Right' if self.right else 'Not yet'}: {self.message}{f' Hint: {self.hint}' if self.hint else ''}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        hint = [f"Hint: {self.hint}"] if self.hint else []
        return notebook_view([Section("Right" if self.right else "Not yet", [self.message, *hint])])


class Task:
    """A task of a lecture with its data.  Made by ``task``.

    Attributes
    ----------
    name : str
        Such as "L0.3": the lecture, and the number of the task.
    title : str
        A few words.
    seed : int
        What the numbers were drawn from.
    """

    def __init__(self, exercise: Exercise, seed: int) -> None:
        self.name, self.title, self.seed = exercise.name, exercise.title, seed
        self._exercise = exercise
        self._data = exercise.draw(Random(f"{exercise.name} {seed}"))

    @property
    def data(self) -> Mapping[str, Any]:
        """The numbers, to compute with; a copy each time.  What functions are tried on is not shown."""
        return deepcopy({name: value for name, value in self._data.items() if name != TRIALS})

    @property
    def statement(self) -> str:
        """What to do, in the lecture's notation, with the numbers."""
        return self._exercise.text.format(**self._data)

    def check(self, answer: Any) -> Verdict:
        """Judge an answer.

        Parameters
        ----------
        answer : number, list, array or function
            As the statement asks for.

        Returns
        -------
        Verdict
            True or False where a condition is asked for; ``message`` says what is wrong, ``hint`` where to look.  The solution is
            not told.
        """
        try:
            self._exercise.judge(answer, **deepcopy(self._data))
        except Wrong as wrong:
            return Verdict(False, wrong.message, wrong.hint)
        return Verdict(True, "the answer passes all checks.")

    def _repr_html_(self) -> str:
        return notebook_view(
            [Section(f"{self.name} {self.title}", self.statement.splitlines(), footnotes=[f"Seed {self.seed}."])]
        )

    def __repr__(self) -> str:
        return f"{self.name} {self.title} (seed {self.seed})\n{self.statement}"
