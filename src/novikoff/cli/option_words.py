"""Messages of the library in the words of the command line: ``ignore='id'`` becomes ``--ignore id``."""

from __future__ import annotations

import ast
import re
from typing import Any

from ..inputs.shell import quote

KEYWORDS = (
    "target", "format", "delimiter", "header", "encoding", "na", "decimal", "thousands", "zero_based", "n_features",
    "categorical", "numeric", "ignore", "use", "dates", "missing", "memory", "learner", "learners", "parameters", "passes",
    "standardise", "seed", "folds", "hold_out", "test", "output", "checkpoint", "top", "max_margin", "directions",
    "time_limit", "certificate", "certificate_rows", "task", "unseen", "keep", "scores", "probabilities", "dask",
)  # fmt: skip
PARAMETERS = ("keep", "order", "batch_size", "solver")  # of learners, that messages name with a value: typed with --set
RENAMED = {"learners": "learner", "parameters": "set"}
SWITCHES = {
    ("header", False): "--no-header",
    ("standardise", False): "--raw",
    ("test", False): "--no-test",
    ("directions", False): "--no-directions",
    ("task", "numbers"): "--numbers",
}
TEXT = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
TYPED = re.compile(
    rf"(?<![\w'\"])(?P<name>{'|'.join(dict.fromkeys(KEYWORDS + PARAMETERS))})="
    rf"(?P<value>\.\.\.|True|False|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?|{TEXT}|\{{(?:{TEXT}|[^{{}}'\"])*\}})"
)
TOLD = ("notes", "warnings", "note", "text", "why")  # keys of documents whose texts are messages


def in_options(text: str) -> str:
    """The text with every keyword argument as the option that it is here."""

    def option(found: re.Match[str]) -> str:
        name, typed = found["name"], found["value"]
        if typed == "..." and name not in KEYWORDS:
            return found[0]
        if typed == "...":
            ends = "." if found.end() == len(text) else ""
            return f"--{_dashed(name)}{ends}"
        return _option(name, ast.literal_eval(typed))

    return TYPED.sub(option, text)


def _option(name: str, value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"--set {quote(f'{key}={each}')}" for key, each in value.items())
    if name in PARAMETERS:
        return _option("parameters", {name: value})
    if (name, value) in SWITCHES:
        return SWITCHES[name, value]
    return f"--{_dashed(name)}" if value is True else f"--{_dashed(name)} {quote(value)}"


def _dashed(name: str) -> str:
    return RENAMED.get(name, name).replace("_", "-")


def told_in_options(document: Any, told: bool = False) -> Any:
    """A document whose messages name options."""
    if isinstance(document, dict):
        return {key: told_in_options(value, key in TOLD) for key, value in document.items()}
    if isinstance(document, list):
        return [told_in_options(part, told) for part in document]
    return in_options(document) if told and isinstance(document, str) else document
