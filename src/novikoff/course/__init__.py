"""Exercises for the five lectures, with checks: a task has a text and data, and says whether an answer is right.

Answers are computed, not stored: a check works out from the task's data whether an answer is right, with the functions of
``novikoff.course.plain``, in which every algorithm of the lectures stands in a few lines.  What is wrong is told, with a
hint, but never the solution.

>>> from novikoff import course
>>> task = course.task("L0.5")
>>> print(task.statement)  # doctest: +ELLIPSIS
One student runs w <- w + eta y x on misclassified samples with eta = ...
>>> task.check("half of it")
Not yet: The answer must be a number; got 'half of it'.
>>> task.check(task.data["eta"] / 2)
Right: the answer passes all checks.

``course.tasks()`` lists them all.  With another seed a task has other numbers: ``course.task("L0.5", seed=7)``.
"""

from __future__ import annotations

from difflib import get_close_matches
from numbers import Integral

from . import lecture0, lecture1, lecture2, lecture3, lecture4, plain  # noqa: F401 (their exercises register themselves)
from .exercises import EXERCISES, Task, Verdict

__all__ = ["Task", "Verdict", "plain", "task", "tasks"]


def task(name: str, *, seed: int = 0) -> Task:
    """A task with its data.

    Parameters
    ----------
    name : str
        Such as "L0.3", as ``tasks`` lists them.
    seed : int, default=0
        Other seeds give other data, so that every student can have their own.

    Returns
    -------
    Task
        ``statement``, ``data`` and ``check(answer)``.

    Examples
    --------
    >>> from novikoff import course
    >>> course.task("L1.5", seed=3).check(2)  # doctest: +ELLIPSIS
    Not yet: ...
    """
    if not isinstance(name, str) or name not in EXERCISES:
        near = get_close_matches(str(name).upper(), EXERCISES, n=1)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"There is no task {name!r}.{meant} novikoff.course.tasks() lists them.")
    if not isinstance(seed, Integral) or isinstance(seed, bool):
        raise ValueError(f"seed must be a whole number; got {seed!r}.")
    return Task(EXERCISES[name], int(seed))


def tasks(lecture: int | None = None) -> dict[str, str]:
    """The tasks, in order.

    Parameters
    ----------
    lecture : int, default=None
        A lecture, 0 to 4; None: all.

    Returns
    -------
    dict
        The title of every task by its name.

    Examples
    --------
    >>> from novikoff import course
    >>> list(course.tasks(2))[:3]
    ['L2.1', 'L2.2', 'L2.3']
    >>> course.tasks()["L1.7"]
    'Write the ratchet'
    """
    if lecture is not None and (not isinstance(lecture, Integral) or not 0 <= lecture <= 4):
        raise ValueError(f"lecture must be a number from 0 to 4; got {lecture!r}.")
    chosen = "L" if lecture is None else f"L{int(lecture)}."
    return {name: exercise.title for name, exercise in EXERCISES.items() if name.startswith(chosen)}
