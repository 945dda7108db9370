"""What a demonstration is: its text, presets, controls and the questions that it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .scenes import Data

Parameters = dict[str, Any]


class Ask(NamedTuple):
    """A question that the page asks about a scene."""

    answer: Callable[[Data, Parameters, Any], dict[str, Any]]  # the last is what else the page says, None if nothing
    follows: bool = False  # whether it is asked while a row is dragged, not only when the row rests
    by_itself: bool = True  # asked at every change of data and parameters; else only when somebody wants to know


@dataclass(frozen=True)
class Control:
    """A parameter that the page shows as a field."""

    name: str
    label: str
    default: Any
    options: tuple[tuple[Any, str], ...] = ()  # values and what they are called; none: a number or numbers
    low: float = -1e6
    high: float = 1e6
    step: float | str = "any"  # of a number field
    whole: bool = False
    parts: tuple[str, ...] = ()  # of several numbers, what each is called
    help: str = ""
    slider: bool = False  # whether options are shown as places of a slider, in their order
    only: tuple[str, Any] | None = None  # shown only if another parameter has this value

    def read(self, value: Any) -> Any:
        """The value, checked."""
        if self.options:
            if value not in [known for known, _ in self.options] or isinstance(value, float):
                raise ValueError(f"{self.label}: {value!r} is not one of its choices.")
            return value
        if self.parts:
            if not isinstance(value, list) or len(value) != len(self.parts):
                raise ValueError(f"{self.label}: give {len(self.parts)} numbers.")
            return [self._number(each) for each in value]
        return self._number(value)

    def _number(self, value: Any) -> float | int:
        if isinstance(value, bool) or not isinstance(value, int | float) or not self.low <= value <= self.high:
            raise ValueError(f"{self.label}: give a number from {self.low:g} to {self.high:g}.")
        if self.whole and value != int(value):
            raise ValueError(f"{self.label}: give a whole number.")
        return int(value) if self.whole else float(value)


@dataclass(frozen=True)
class Preset:
    """Data and parameters to begin with."""

    name: str
    title: str
    data: Data
    parameters: Parameters = field(default_factory=dict)  # those that are not the default


@dataclass(frozen=True)
class Demonstration:
    """One demonstration of the lab."""

    name: str  # in addresses; the page's part of it is ``page/demos/<name>.js``
    title: str
    lectures: str  # where it is taught
    text: tuple[str, ...]  # short paragraphs
    task: str
    presets: tuple[Preset, ...]
    asks: dict[str, Ask]
    python: Callable[[Data, Parameters], str]  # the code that makes this view
    controls: tuple[Control, ...] = ()

    def parameters(self, given: Any) -> Parameters:
        """All parameters, checked; those that are not given have their defaults."""
        given = {} if given is None else given
        known = {control.name: control for control in self.controls}
        if not isinstance(given, dict) or not given.keys() <= known.keys():
            raise ValueError(f"The parameters of this demonstration are {', '.join(known) or 'none'}.")
        return {name: known[name].read(given.get(name, known[name].default)) for name in known}

    def described(self) -> dict[str, Any]:
        """What the page is told at its start."""
        return {
            "name": self.name,
            "title": self.title,
            "lectures": self.lectures,
            "text": list(self.text),
            "task": self.task,
            "asks": {name: {"follows": ask.follows, "by_itself": ask.by_itself} for name, ask in self.asks.items()},
            "controls": [
                {
                    "name": control.name,
                    "label": control.label,
                    "options": [list(option) for option in control.options],
                    "low": control.low,
                    "high": control.high,
                    "step": control.step,
                    "parts": list(control.parts),
                    "help": control.help,
                    "slider": control.slider,
                    "only": None if control.only is None else list(control.only),
                }
                for control in self.controls
            ],
            "presets": [
                {
                    "name": preset.name,
                    "title": preset.title,
                    "data": preset.data.as_dict(),
                    "parameters": self.parameters(preset.parameters),
                }
                for preset in self.presets
            ],
        }
