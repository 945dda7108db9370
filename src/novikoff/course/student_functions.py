"""Functions that students write are called with copies of their arguments, and are stopped if they do not end.

A function runs in a thread, where every line of Python is counted; after ``MOST_LINES`` of them it is ended.  What no line
of Python shows (a sleep, a call of a library that does not return) is waited for ``MOST_SECONDS``, and then left alone.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from copy import deepcopy
from types import FrameType
from typing import Any

from .answer_reading import Wrong, shown
from .comparing_answers import cut_off, readable, same

Slips = dict[str, Callable[..., Any]]  # a hint, and the function that makes this slip

MOST_LINES = 300_000
MOST_SECONDS = 20.0


class _Endless(BaseException):
    """Too many lines; no ``except Exception`` holds it up."""


def called(function: Any, *arguments: Any) -> Any:
    """What a student's function returns; ``Wrong`` if it is none, raises, or does not end."""
    if not callable(function):
        raise Wrong(
            f"The answer must be a function; got {shown(function)}.", "Pass the function itself, without parentheses."
        )
    outcome: list[tuple[str, Any]] = []
    copies = deepcopy(arguments)
    thread = threading.Thread(target=_run, args=(function, copies, outcome), daemon=True)
    thread.start()
    thread.join(MOST_SECONDS)
    if not outcome:
        raise Wrong(
            f"Your function did not return within {MOST_SECONDS:g} seconds.",
            "Does a loop wait for something that never comes?",
        )
    kind, value = outcome[0]
    if kind == "returned":
        return value
    if kind == "endless":
        raise Wrong(
            f"Your function was stopped after {MOST_LINES:,} lines without returning.",
            "Does a loop go on without end?  It must end also where no line separates the samples.",
        )
    raise Wrong(
        f"Your function raised {value} for the arguments {_listed(arguments)}.",
        "Call it yourself with these arguments.",
    )


def _run(function: Callable[..., Any], arguments: tuple[Any, ...], outcome: list[tuple[str, Any]]) -> None:
    left = MOST_LINES

    def count(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise _Endless
        return count

    try:
        sys.settrace(count)
        try:
            value = function(*arguments)
        finally:
            sys.settrace(None)
        outcome.append(("endless", None) if left < 0 else ("returned", value))
    except _Endless:
        outcome.append(("endless", None))
    except BaseException as error:  # also SystemExit and KeyboardInterrupt: a function must not end the session
        outcome.append(("raised", _described(error)))


def _described(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text[:200]}" if text else type(error).__name__


def _listed(arguments: tuple[Any, ...]) -> str:
    return ", ".join(map(shown, arguments))


def agree(
    function: Any,
    right: Callable[..., Any],
    trials: list[tuple[Any, ...]],
    read: Callable[..., Any],
    slips: Slips,
    hint: str,
) -> None:
    """``Wrong`` unless a student's function returns what it must for all trials.

    ``read`` turns what it returned into plain numbers, given the trial's arguments.  ``slips`` are functions with a known mistake:
    if one explains every answer that was given, its text is the hint.
    """
    answers = []
    for trial in trials:
        given = called(function, *trial)
        if given is None:
            raise Wrong("Your function returns nothing (None).", "Does every path through it end with return?")
        answers.append(read(given, *trial))
    expected = [right(*deepcopy(trial)) for trial in trials]
    failed = [place for place in range(len(trials)) if not same(answers[place], expected[place])]
    if not failed:
        return
    for text, slip in slips.items():
        slipped = [slip(*deepcopy(trial)) for trial in trials]
        if all(same(answer, other) for answer, other in zip(answers, slipped, strict=True)):
            hint = text
            break
    else:
        if all(map(cut_off, answers, expected)):
            hint = "Your function rounds its numbers or cuts off their decimals: return them as they are."
    place = failed[0]
    raise Wrong(
        f"Your function is wrong for {len(failed)} of {len(trials)} trials, first for the arguments {_listed(trials[place])}, "
        f"where it returns {shown(readable(answers[place]))}.",
        hint,
    )
