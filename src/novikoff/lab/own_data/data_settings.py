"""What the page wants done with a file: the target, the columns, the learner; checked, as nothing is taken on trust."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...inputs.shell import command, quote_file
from ...workflow.choices import CHOICES, PASSES

FOLDS = 5
KINDS = ("number", "category", "ignore")
MISSING = ("impute", "drop")
LEARNERS = {choice.name: choice for choice in CHOICES}
MOST_PASSES, MOST_FOLDS, MOST_COLUMNS, MOST_LETTERS = 1000, 20, 2000, 1000


@dataclass(frozen=True)
class DataSettings:
    """The choices on the page."""

    target: str | None = None  # None: that of a LIBSVM file
    kinds: dict[str, str] = field(default_factory=dict)  # columns that are not taken as they look
    missing: str = "impute"
    learner: str = "perceptron"
    passes: int = PASSES
    standardise: bool = True
    folds: int = FOLDS  # of a comparison
    seed: int = 0

    @property
    def task(self) -> str:
        """Whether labels or numbers are predicted."""
        return LEARNERS[self.learner].task

    @property
    def reading(self) -> dict[str, Any]:
        """Keywords of all table functions, without those that are as they are anyway."""
        named = {
            "categorical": [name for name, kind in self.kinds.items() if kind == "category"],
            "numeric": [name for name, kind in self.kinds.items() if kind == "number"],
            "ignore": [name for name, kind in self.kinds.items() if kind == "ignore"],
            "use": [name for name, kind in self.kinds.items() if kind != "ignore"],
        }
        found: dict[str, Any] = {name: values for name, values in named.items() if values}
        return found if self.missing == "impute" else {**found, "missing": self.missing}

    @property
    def learning(self) -> dict[str, Any]:
        """Keywords of the functions that learn, likewise."""
        usual = DataSettings()
        given = {"passes": self.passes, "standardise": self.standardise, "seed": self.seed}
        return {name: value for name, value in given.items() if value != getattr(usual, name)}

    def calls(self, ask: str, file: str) -> dict[str, str]:
        """The command and the Python that do the same."""
        keywords = dict(self.reading)
        if ask != "check":
            keywords |= self.learning
        if ask == "compare":
            keywords |= {"task": "numbers"} if self.task == "numbers" else {}
            keywords |= {} if self.folds == FOLDS else {"folds": self.folds}
        target = [] if self.target is None else ["--target", self.target]
        chosen = ["--learner", self.learner] if ask == "fit" else []
        words = [word for name, value in keywords.items() for word in _option(name, value)]
        function = {"check": "check_table", "fit": "fit_table", "compare": "compare_tables"}[ask]
        given = [repr(file), *([] if self.target is None else [repr(self.target)])]
        if ask == "fit":
            given.append(f"learner={self.learner!r}")
        given += [f"{name}={value!r}" for name, value in keywords.items()]
        return {
            "shell": f"novikoff {ask} {quote_file(file)} {command(*target, *chosen, *words)}".rstrip(),
            "python": f"from novikoff import {function}\n\nresult = {function}({', '.join(given)})\nprint(result)\n",
        }


def _option(name: str, value: Any) -> list[str]:
    """A keyword as an option of the command line."""
    if isinstance(value, list):
        return [word for each in value for word in (f"--{name}", each)]
    if name in ("standardise", "task"):
        return ["--raw" if name == "standardise" else "--numbers"]
    return [f"--{name}", str(value)]


def read_settings(given: Any) -> DataSettings:
    """The settings in a message, checked."""
    if not isinstance(given, dict) or not given.keys() <= DataSettings.__dataclass_fields__.keys():
        raise ValueError(f"Settings are {', '.join(DataSettings.__dataclass_fields__)}.")
    found = DataSettings(**given)
    if found.target is not None and not _is_name(found.target):
        raise ValueError("The target is the name of a column.")
    kinds = found.kinds
    if not isinstance(kinds, dict) or len(kinds) > MOST_COLUMNS or not all(map(_is_name, kinds)):
        raise ValueError(f"Columns are named, and at most {MOST_COLUMNS} of them are set by hand.")
    for name, kind in kinds.items():
        if kind not in KINDS:
            raise ValueError(f"{name}: a column is one of {', '.join(KINDS)}; got {kind!r}.")
    for what, value, known in (
        ("missing", found.missing, MISSING),
        ("learner", found.learner, tuple(LEARNERS)),
    ):
        if value not in known:
            raise ValueError(f"{what} is one of {', '.join(map(str, known))}; got {value!r}.")
    if not isinstance(found.standardise, bool):
        raise ValueError(f"standardise is true or false; got {found.standardise!r}.")
    for what, number, low, high in (
        ("passes", found.passes, 1, MOST_PASSES),
        ("folds", found.folds, 2, MOST_FOLDS),
        ("seed", found.seed, 0, 2**31 - 1),
    ):
        if isinstance(number, bool) or not isinstance(number, int) or not low <= number <= high:
            raise ValueError(f"{what} is a whole number from {low} to {high}; got {number!r}.")
    return found


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MOST_LETTERS
