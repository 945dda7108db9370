"""Names, numbers and scores as people read them: the same words in results, pictures, reports and on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isinf, isnan
from typing import Any

from .counts import count
from .shell import clean

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
    """A number in few digits; what is no number is said in a word."""
    if value is None:
        return "unknown"
    if isinstance(value, int):
        return count(value)
    if isnan(value):
        return "undefined"
    if isinf(value):
        return "infinite" if value > 0 else "-infinite"
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
