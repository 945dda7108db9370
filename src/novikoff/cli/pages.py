"""What is shown of each command's result."""

from __future__ import annotations

from math import nan
from typing import Any

from .fit_page import fit_sections
from .phrases import clean, count, listed, metric_name, number, score, seconds, sentence, share, some, spread
from .sections import Limits, Section, Table, confusion_section, remarks, shortened, weights_section

LIMITS_OF_COEFFICIENTS = {"+inf": "to +infinity", "-inf": "to -infinity", "either": "to either infinity"}
VERDICTS = {
    "complete": "Separable",
    "quasi-complete": "Not separable (quasi-complete)",
    "overlap": "Not separable (overlap)",
}


def sections(result: dict[str, Any], limits: Limits) -> list[Section]:
    """All sections of a result, whichever command it is of."""
    return PAGES[result["command"]](result, limits)


def title(result: dict[str, Any]) -> str:
    """A result in a line."""
    subject = result.get("model") if result["command"] in ("score", "weights") else None
    files = listed(result.get("files") or [], 3)
    return " ".join(filter(None, ("novikoff", result["command"], clean(subject) if subject else "", files)))


def _check(result: dict[str, Any], limits: Limits) -> list[Section]:
    lines = [clean(line) for line in (result.get("text") or "").splitlines()]
    lines.append(f"{some(result.get('rows') or 0, 'row')}, {some(result.get('features') or 0, 'feature')}.")
    lines += _margin(result)
    undecided = "Undecided" if result.get("separable") is None else "Not separable (kind undecided)"
    found = [Section(VERDICTS.get(result.get("kind") or "", undecided), lines)]
    found += _witness(result, limits)
    found += _suspects(result.get("suspects") or [], result.get("n_suspects") or 0, limits)
    found += _directions(result.get("directions") or [], limits)
    return found + remarks(result)


def _margin(result: dict[str, Any]) -> list[str]:
    lines = []
    if result.get("margin") is not None:
        lines.append(f"The closest row is {number(result['margin'])} from the boundary that proves it.")
    if result.get("margin_bounds"):
        lines.append(_largest_margin(*result["margin_bounds"]))
    if result.get("mistake_bound") is not None:
        bound = count(result["mistake_bound"])
        lines.append(f"A perceptron that learns row by row makes at most {bound} mistakes (Novikoff).")
    if result.get("seconds") is not None:
        rounds = f" in {some(result['rounds'], 'round')}" if result.get("rounds") else ""
        lines.append(f"Found{rounds} after {seconds(result['seconds'])}.")
    return lines


def _largest_margin(low: float, high: float) -> str:
    if number(low, 6) == number(high, 6):
        return f"The largest possible margin is {number(low, 6)}, proved to within {high - low:.1g}."
    return f"The largest possible margin is between {number(low, 6)} and {number(high, 6)}."


def _witness(result: dict[str, Any], limits: Limits) -> list[Section]:
    rows = result.get("witness") or []
    if not rows:
        return []
    names = list(dict.fromkeys(name for row in rows for name in row.get("values") or {}))[: limits.values]
    rivals = any(row.get("rival") is not None for row in rows)  # of more than two classes
    cells = [
        [
            clean(row["place"]),
            clean(row["label"]),
            *([clean(row["rival"] or "")] if rivals else []),
            share(row["share"]),
            *(_value(row, name) for name in names),
        ]
        for row in rows
    ]
    heads = ["row", "class", *(["rival"] if rivals else []), "share", *map(clean, names)]
    table = Table(heads, cells, "pl" + "l" * rivals + "r" * (1 + len(names)))
    more, table = shortened(table, limits.rows, "row", total=result.get("n_witness"))
    line = "These rows prove it: mixed with these shares, the classes meet in one point."
    if rivals:
        line = "These rows prove it: added to their own class and taken from a rival with these shares, they cancel in every class."
    return [Section("The proof", [line], [table], more)]


def _value(row: dict[str, Any], name: str) -> str:
    value = (row.get("values") or {}).get(name)
    if value is None or value != value:
        return "(missing)"
    return number(value) if isinstance(value, int | float) else clean(value)


def _suspects(rows: list[dict[str, Any]], total: int, limits: Limits) -> list[Section]:
    if not rows:
        return []
    line = f"Without {'this row' if total == 1 else f'these {count(total)} rows'} the rest is separable:"
    cells = [(clean(row["place"]), clean(row["label"])) for row in rows]
    more, table = shortened(Table(["row", "class"], cells, "pl"), limits.rows, "row", total=total)
    return [Section("Rows most in the way", [line], [table], more)]


def _directions(directions: list[dict[str, Any]], limits: Limits) -> list[Section]:
    """The coefficients without a finite estimate."""
    endless = [each for each in directions if each.get("direction") in LIMITS_OF_COEFFICIENTS]
    if not endless:
        return []
    cells = [
        (clean(each["feature"]), clean(each.get("class") or ""), LIMITS_OF_COEFFICIENTS[each["direction"]])
        for each in endless
    ]
    more, table = shortened(Table(["feature", "class", "goes"], cells, "lll"), limits.rows, "coefficient")
    line = "In a logistic regression these coefficients have no finite estimate:"
    return [Section("What it means for a logistic regression", [line], [table], more)]


def _score(result: dict[str, Any], limits: Limits) -> list[Section]:
    metric = result.get("metric")
    text = f"{sentence(metric_name(metric))}: {score(metric, result.get('score'))}"
    if result.get("low") is not None and result.get("high") is not None:
        text += f", 95% interval {score(metric, result['low'])} to {score(metric, result['high'])}"
    lines = [f"{text}, of {some(result.get('rows') or 0, 'row')} of {listed(result.get('files') or ['the file'], 3)}."]
    found = [Section("Score", lines), *confusion_section(result.get("confusion"))]
    return found + _per_class(result.get("per_class") or [], limits) + remarks(result)


def _per_class(classes: list[dict[str, Any]], limits: Limits) -> list[Section]:
    if not classes:
        return []
    measures = ("precision", "recall", "f1")
    cells = [
        (clean(each["label"]), count(each["rows"]), *(_measure(each.get(name)) for name in measures))
        for each in classes
    ]
    more, table = shortened(Table(["class", "rows", *measures], cells, "lrrrr"), limits.rows, "class", "classes")
    lines = [
        "Precision: the share right among the rows given a class; recall: among the rows of that class;"
        " f1: their harmonic mean."
    ]
    meant = []
    if any("undefined" in row for row in cells):
        meant.append("Undefined: there are no such rows.")
    return [Section("Each class", lines, [table], [*meant, *more])]


def _measure(value: float | None) -> str:
    return share(nan if value is None else value)


def _compare(result: dict[str, Any], limits: Limits) -> list[Section]:
    test, learners = result.get("test") or {}, result.get("learners") or []
    metric = test.get("metric") or "accuracy"
    cells = [
        (
            clean(each["name"]),
            "none" if each.get("score") is None else score(metric, each["score"]),
            "" if each.get("spread") is None else f"± {spread(metric, each['spread'])}",
            "" if each.get("seconds") is None else f"{each['seconds']:.2g}",
            clean(each.get("note") or ""),
        )
        for each in learners
    ]
    kind = clean(test.get("kind") or "")
    rows = result.get("rows") or {}
    of = rows.get("read") if isinstance(rows, dict) else rows
    lines = [f"{sentence(kind)} {metric_name(metric)} of {some(of or 0, 'row')}, the best first.".strip()]
    if test.get("spread_is"):
        lines.append(f"±: {clean(test['spread_is'])}.")
    if result.get("chance") is not None:
        lines.append(f"Always answering the largest class would score {score(metric, result['chance'])}.")
    lines.append("Seconds are those of one fit, the median over the folds.")
    if result.get("plot"):
        lines.append(f"Drawn in {clean(result['plot'])}.")
    table = Table(["learner", metric_name(metric), "spread", "seconds", "note"], cells, "lrlrl")
    return [Section("Learners compared", lines, [table], picture="compare"), *remarks(result)]


def _weights(result: dict[str, Any], limits: Limits) -> list[Section]:
    """All that the result holds: how much that is was the user's choice."""
    weights = result.get("weights") or []
    most = max((len(each["features"]) for each in weights), default=0)
    return [*weights_section(weights, most), *remarks(result)]


PAGES = {"fit": fit_sections, "check": _check, "score": _score, "compare": _compare, "weights": _weights}
