"""Numbers, names and commands as people read them: counts, shares, scores, lists, and what is typed into a shell."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from math import isinf, isnan
from typing import Any

WRITTEN_OUT = 10**6  # up to here numbers are given digit by digit


def count(number: int) -> str:
    """A whole number."""
    return f"{number:,}"


def at_most(bound: int) -> str:
    """A bound that is not exceeded: a large one by its first two digits, rounded up, such as 1.5e16."""
    if bound <= WRITTEN_OUT:
        return count(bound)
    power = len(str(bound)) - 1
    first = -(-bound // 10 ** (power - 1))
    return f"{first / 10:.1f}e{power}" if first < 100 else f"1.0e{power + 1}"


MOST_DECIMALS = 6  # of a share that would otherwise read as all or nothing
LONG = 60  # characters of a name in a sentence or a page's table
METRICS = {"r2": "R²"}


def sentence(text: str) -> str:
    """A text that begins with a capital letter; names in it stay as they are."""
    return text[:1].upper() + text[1:]


def cut(name: Any, most: int) -> str:
    """A clean name of no more than so many characters, the last of them an ellipsis if some were cut."""
    text = clean(name)
    return text if len(text) <= most else text[: most - 1] + "…"


def number(value: float | None, digits: int = 4) -> str:
    """A number in few digits; a word if it is missing, undefined or infinite."""
    if value is None:
        return "unknown"
    if isinstance(value, int):
        return count(value)
    if isnan(value):
        return "undefined"
    if isinf(value):
        return "infinite" if value > 0 else "-infinite"
    if 10**digits <= abs(value) < WRITTEN_OUT:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def signed(weight: float) -> str:
    """A weight with its sign."""
    if isnan(weight) or isinf(weight) or weight == 0:
        return number(weight + 0.0)
    return f"{weight:+#.3g}".removesuffix(".")


def share(value: float | None) -> str:
    """A share as a percentage, which reads 0% or 100% only if it is that."""
    if value is None or isnan(value) or isinf(value):
        return number(value)
    percent = 100 * value
    for decimals in range(1, MOST_DECIMALS):
        text = f"{percent:.{decimals}f}"
        if float(text) not in (0.0, 100.0):
            return f"{text}%"
    whole = f"{percent:.0f}%"
    return whole if value in (0, 1) else f"{'just under' if value < float(text) / 100 else 'just over'} {whole}"


def score(metric: str | None, value: float | None) -> str:
    """A score: an accuracy as a percentage, any other as a number."""
    return share(value) if metric == "accuracy" else number(value)


def spread(metric: str | None, value: float | None) -> str:
    """How far scores go either way; that of an accuracy in percentage points."""
    if value is None or metric != "accuracy":
        return number(value, 3)
    return f"{number(100 * value, 2)} points"


def metric_name(metric: str | None) -> str:
    """What a score is called."""
    return METRICS.get(metric or "", clean(metric or "score"))


def some(value: int, noun: str, many: str | None = None) -> str:
    """So many of a thing: "no rows", "1 row", "2 rows"."""
    return f"{count(value) if value else 'no'} {noun if value == 1 else many or noun + 's'}"


def listed(names: Sequence[Any], few: int = 8) -> str:
    """The first few of many names."""
    text = ", ".join(cut(name, LONG) for name in names[:few])
    return text + (f" and {count(len(names) - few)} more" if len(names) > few else "")


def seconds(value: float) -> str:
    """A span of time."""
    return f"{value:.2g} seconds" if value < 10 else f"{value:,.0f} seconds"


def score_of_test(test: Mapping[str, Any]) -> str:
    """The score of a test with its spread and of which rows it speaks, in a sentence."""
    metric = test.get("metric")
    text = f"{sentence(clean(test.get('kind') or 'test'))} {metric_name(metric)}: {score(metric, test.get('score'))}"
    if test.get("spread") is not None:
        text += f" ± {spread(metric, test['spread'])}"
    if test.get("low") is not None and test.get("high") is not None:
        text += f", between {score(metric, test['low'])} and {score(metric, test['high'])}"
    if test.get("spread_is"):
        text += f" ({clean(test['spread_is'])})"
    return text + (f", of {some(test['rows'], 'row')}." if test.get("rows") is not None else ".")


def keyword(name: str, value: Any = ...) -> str:
    """A keyword argument as it is typed: ``ignore='id'``; without a value ``ignore=...``."""
    return f"{name}={'...' if value is ... else repr(value)}"


def clean(name: Any) -> str:
    """A name or value on one line, with nothing in it that could steer a terminal or hide."""
    text = str(name)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def quote(word: Any) -> str:
    """A word as it is typed into a shell; what cannot be printed is written as ``$'...'`` (POSIX, 2024) has it."""
    text = str(word)
    if text.isprintable():
        return shlex.quote(text)
    return "$'" + "".join(map(_escaped, text)) + "'"


def _escaped(c: str) -> str:
    if c in "\\'":
        return "\\" + c
    return c if c.isprintable() else "".join(f"\\{byte:03o}" for byte in c.encode("utf-8", "surrogateescape"))


def quote_file(name: Any) -> str:
    """A file's name as it is typed into a shell; one that begins with a dash is no option."""
    text = str(name)
    return quote(f"./{text}" if text.startswith("-") and text != "-" else text)


def command(*words: Any) -> str:
    """A command as it is typed into a shell."""
    return " ".join(map(quote, words))


def installing(extra: str) -> str:
    """How to get the packages of an extra.  The package is on no index: they are installed from a copy of the repository."""
    return f'pip install ".[{extra}]" in a copy of the repository'
