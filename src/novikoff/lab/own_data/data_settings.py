"""What the page wants done with a file: the target, the columns, the learner; checked, as nothing is taken on trust."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...report.words import command, quote_file
from ...tables.learner_choices import CHOICES, typed_parameters

FOLDS = 5
KINDS = ("number", "category", "ignore")
MISSING = ("impute", "drop")
ENCODINGS = ("utf-8", "utf-16", "latin-1", "cp1252")
DATES = ("leave-out", "categories", "parts", "day-first", "month-first")
LEARNERS = {choice.name: choice for choice in CHOICES}
MOST_PASSES, MOST_FOLDS, MOST_COLUMNS, MOST_LETTERS, MOST_WORDS = 1000, 20, 2000, 1000, 50
OF_FILES = ("delimiter", "header", "encoding", "na", "decimal", "thousands", "dates")  # settings of how a file is read
TYPED = {"delimiter": {"\t": "tab"}, "thousands": {" ": "space", "": "none"}}  # as the command line has them


@dataclass(frozen=True)
class DataSettings:
    """The choices on the page."""

    target: str | None = None  # None: that of a LIBSVM file
    kinds: dict[str, str] = field(default_factory=dict)  # columns that are not taken as they look
    missing: str = "impute"
    learner: str = "perceptron"
    passes: int | None = None  # as many as the learner makes by default
    standardise: bool = True
    folds: int = FOLDS  # of a comparison
    seed: int = 0
    parameters: dict[str, str] = field(default_factory=dict)  # of the learner, as they are typed
    delimiter: str | None = None  # None, here and below: what the file looks like
    header: bool | None = None
    encoding: str = "utf-8"
    na: list[str] = field(default_factory=list)  # words that mean: missing
    decimal: str | None = None
    thousands: str | None = None
    dates: str = "leave-out"

    @property
    def task(self) -> str:
        """Whether labels or numbers are predicted."""
        return LEARNERS[self.learner].task

    @property
    def typed(self) -> dict[str, Any]:
        """The parameters of the learner as values."""
        return typed_parameters(self.parameters)

    @property
    def file_reading(self) -> dict[str, Any]:
        """Keywords that say how a file is read, without those that are as they are anyway."""
        usual = DataSettings()
        return {name: getattr(self, name) for name in OF_FILES if getattr(self, name) != getattr(usual, name)}

    @property
    def reading(self) -> dict[str, Any]:
        """Keywords of all table functions, likewise."""
        named = {
            "categorical": [name for name, kind in self.kinds.items() if kind == "category"],
            "numeric": [name for name, kind in self.kinds.items() if kind == "number"],
            "ignore": [name for name, kind in self.kinds.items() if kind == "ignore"],
            "use": [name for name, kind in self.kinds.items() if kind != "ignore"],
        }
        found = self.file_reading | {name: values for name, values in named.items() if values}
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
        if ask == "fit" and self.parameters:
            keywords |= {"parameters": self.typed}
        if ask == "compare":
            keywords |= {"task": "numbers"} if self.task == "numbers" else {}
            keywords |= {} if self.folds == FOLDS else {"folds": self.folds}
        target = [] if self.target is None else ["--target", self.target]
        chosen = ["--learner", self.learner] if ask == "fit" else []
        words = [word for name, value in keywords.items() for word in self._option(name, value)]
        function = {"check": "check_table", "fit": "fit_table", "compare": "compare_tables"}[ask]
        given = [repr(file), *([] if self.target is None else [repr(self.target)])]
        if ask == "fit":
            given.append(f"learner={self.learner!r}")
        given += [f"{name}={value!r}" for name, value in keywords.items()]
        return {
            "shell": f"novikoff {ask} {quote_file(file)} {command(*target, *chosen, *words)}".rstrip(),
            "python": f"from novikoff import {function}\n\nresult = {function}({', '.join(given)})\nprint(result)\n",
        }

    def _option(self, name: str, value: Any) -> list[str]:
        """A keyword as an option of the command line."""
        if name == "parameters":
            return [word for each, text in self.parameters.items() for word in ("--set", f"{each}={text}")]
        if isinstance(value, list):
            return [word for each in value for word in (f"--{name}", each)]
        if name in ("standardise", "task"):
            return ["--raw" if name == "standardise" else "--numbers"]
        if name == "header":
            return ["--header" if value else "--no-header"]
        return [f"--{name}", TYPED.get(name, {}).get(value, str(value))]


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
        ("encoding", found.encoding, ENCODINGS),
        ("dates", found.dates, DATES),
    ):
        if value not in known:
            raise ValueError(f"{what} is one of {', '.join(map(str, known))}; got {value!r}.")
    if not isinstance(found.standardise, bool):
        raise ValueError(f"standardise is true or false; got {found.standardise!r}.")
    typed = found.parameters
    if not isinstance(typed, dict) or not all(map(_is_name, (*typed, *typed.values()))):
        raise ValueError("parameters are texts by name.")
    _check_file_reading(found)
    for what, number, low, high in (
        ("passes", 1 if found.passes is None else found.passes, 1, MOST_PASSES),
        ("folds", found.folds, 2, MOST_FOLDS),
        ("seed", found.seed, 0, 2**31 - 1),
    ):
        if isinstance(number, bool) or not isinstance(number, int) or not low <= number <= high:
            raise ValueError(f"{what} is a whole number from {low} to {high}; got {number!r}.")
    return found


def _check_file_reading(found: DataSettings) -> None:
    """Refuse what could not say how a file is read; the readers know more."""
    if found.header is not None and not isinstance(found.header, bool):
        raise ValueError(f"header is true, false or null; got {found.header!r}.")
    for what, text in (("delimiter", found.delimiter), ("decimal", found.decimal), ("thousands", found.thousands)):
        if text is not None and not (isinstance(text, str) and len(text) <= 1):
            raise ValueError(f"{what} is one character; got {text!r}.")
    if not isinstance(found.na, list) or len(found.na) > MOST_WORDS or not all(map(_is_name, found.na)):
        raise ValueError(f"na is a list of at most {MOST_WORDS} words that mean: missing.")


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MOST_LETTERS
