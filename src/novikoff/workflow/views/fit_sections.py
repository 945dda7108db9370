"""What is shown of a fit: what was read, the verdict, how it ended, scores, confusion, weights, and how to go on."""

from __future__ import annotations

from itertools import pairwise
from math import fsum
from typing import Any

from ...estimators.fit_sentences import compiled, how_it_ended, mistakes_made
from ...inputs.counts import count
from ...inputs.readable import listed, metric_name, number, score, score_of_test, sentence, some, spread
from ...inputs.sections import Limits, Section, Table, remarks, shortened
from ...inputs.shell import clean
from ...proof.answer.verdict_sentences import words_for
from .class_sections import against_chance, classes_section, confusion_section
from .weight_sections import weights_section
from .wording import PYTHON, Wording

OF_ROWS = {
    "training": "the rows that were learned from",
    "progressive": "each row was predicted just before it was first learned from",
    "cross-validated": "each row was predicted by a fit that had not seen it",
    "held-out": "rows kept apart from the fit",
}


def fit_sections(result: dict[str, Any], limits: Limits, words: Wording = PYTHON) -> list[Section]:
    """All sections of a fit; ``words`` say what to do next."""
    return [
        *_read(result, limits),
        *_verdict(result.get("separability")),
        *_ending(result, limits),
        *_scores(result),
        *confusion_section(result.get("confusion")),
        *classes_section(result.get("per_class"), limits),
        *weights_section(result.get("weights"), limits.rows, limits.classes),
        *_margins(result.get("margins")),
        *_residuals(result.get("residuals")),
        *_regions(result.get("regions")),
        *remarks(result),
        *_use(result, words),
    ]


def _read(result: dict[str, Any], limits: Limits) -> list[Section]:
    rows, columns = result.get("rows") or {}, result.get("columns") or []
    lines = [_rows_read(rows, result.get("files") or [])]
    if result.get("features"):
        made = some(result["features"], "feature")
        make = "makes" if len(columns) == 1 else "make"
        lines.append((f"{some(len(columns), 'column')} {make} {made}" if columns else made) + ".")
    if result.get("target") is not None:
        lines.append(f"The target is {clean(result['target'])}.")
    lines += _classes(result.get("classes") or [])
    if not columns:
        return [Section("What was read", lines)]
    missing = sum(bool(column.get("missing")) for column in columns)
    where = "In the rows for training, " if rows.get("held_out") else ""  # those held out are not looked at
    text = f"values are missing in {some(missing, 'column')}." if missing else "no value is missing."
    lines.append(sentence(where + text))
    if len(columns) > limits.rows:
        columns = sorted(columns, key=lambda column: -(column.get("missing") or 0))
    table = Table(["column", "kind", "missing"], [_column(column) for column in columns], "lll")
    more, table = shortened(table, limits.rows, "column")
    return [Section("What was read", lines, [table], more)]


def _rows_read(rows: dict[str, int], files: list[str]) -> str:
    parts = [f"{some(rows.get('read') or 0, 'row')} read" + (f" from {listed(files, 3)}" if files else "")]
    if rows.get("unlabelled"):
        parts.append(f"{count(rows['unlabelled'])} without a label left out")
    if rows.get("dropped"):
        parts.append(f"{count(rows['dropped'])} left out")
    if rows.get("training") is not None:
        parts.append(f"{count(rows['training'])} for training")
    if rows.get("held_out"):
        parts.append(f"{count(rows['held_out'])} held out")
    return ", ".join(parts) + "."


def _classes(classes: list[dict[str, Any]]) -> list[str]:
    """How many rows each class has, the largest first."""
    if not classes:
        return []
    largest = sorted(classes, key=lambda each: -(each.get("rows") or 0))
    named = listed([f"{clean(each['label'])} ({count(each.get('rows') or 0)})" for each in largest])
    return [f"{some(len(classes), 'class', 'classes')} (rows): {named}."]


def _column(column: dict[str, Any]) -> tuple[str, str, str]:
    kind, missing = clean(column.get("kind", "")), column.get("missing") or 0
    if column.get("levels") is not None:
        kind += f", {some(column['levels'], 'level')}"
    text = count(missing) if missing else "none"
    if missing and column.get("fill") is not None:
        text += f", filled with {number(column['fill'])}"
    elif missing and column.get("kind") == "category":
        text += ", kept as a level"
    return clean(column["name"]), kind, text


def _verdict(verdict: dict[str, Any] | None) -> list[Section]:
    if not verdict:
        return []
    text = verdict.get("text") or words_for(verdict.get("kind"), None).sentence
    commands = [verdict["ask"]] if verdict.get("ask") else []
    return [
        Section("Are the classes linearly separable?", [clean(line) for line in text.splitlines()], commands=commands)
    ]


def _ending(result: dict[str, Any], limits: Limits) -> list[Section]:
    fit, history = result.get("fit"), result.get("history") or {}
    sections = []
    if fit:
        lines = [
            how_it_ended(result.get("learner") or {}, fit),
            compiled(fit.get("compiling")),
            mistakes_made(fit),
        ]
        sections.append(Section("How the fit ended", [line for line in lines if line]))
    made = history.get("mistakes")
    if made is not None and len(made):
        rows = [(count(each), number(made[each - 1])) for each in _evenly(len(made), limits.rows)]
        line = "Mistakes in each pass over the training rows" + (", some passes." if len(rows) < len(made) else ".")
        table = Table(["pass", "mistakes"], rows, "rr")
        sections.append(Section("Learning curve", [line], [table], picture="history", page_only=True))
    return sections


def _evenly(last: int, most: int) -> list[int]:
    """From 1 to ``last``, no more than so many numbers, about equally far apart."""
    steps = min(last, most) - 1
    return sorted({round(1 + place * ((last - 1) / steps)) for place in range(steps + 1)}) if steps else [1]


def _scores(result: dict[str, Any]) -> list[Section]:
    """A table of all scores; each row says of which rows of data it speaks."""
    fit, test = result.get("fit") or {}, result.get("test") or {}
    metric = test.get("metric") or ("r2" if result.get("task") == "numbers" else "accuracy")
    found = [(name, fit[name], "") for name in ("training", "progressive") if fit.get(name)]
    lines = []
    if test.get("kind"):
        found.append((test["kind"], test, _spread(metric, test)))
        lines.append(score_of_test({**test, "metric": metric}))
        if test.get("folds"):
            lines.append(f"The folds: {listed([score(metric, each) for each in test['folds']], 10)}.")
    if not found:
        return []
    lines += against_chance(result)
    counted = any(own.get("errors") is not None for _, own, _ in found)  # of numbers there is no wrong and right
    rows = [
        (
            name,
            count(own.get("rows") or 0),
            *([_wrong(own)] if counted else []),
            score(metric, own.get("score")),
            either,
        )
        for name, own, either in found
    ]
    meant = [f"{name}: {OF_ROWS[name]}." for name, *_ in rows if name in OF_ROWS]
    if regression := result.get("regression"):
        lines.append(f"Mean squared error on {regression['of']} rows: {number(regression['mean_squared_error'])}.")
    if residuals := result.get("residuals"):
        lines.append(_how_far(residuals))
    heads = ["of rows", "rows", *(["wrong"] if counted else []), metric_name(metric), "spread"]
    table = Table(heads, rows, "lr" + "r" * counted + "rl")
    return [Section("Scores", lines, [table], meant, picture="scores")]


def _spread(metric: str, test: dict[str, Any]) -> str:
    """How far a score may be off: an interval, which need not be even about it, or a deviation."""
    if test.get("low") is not None and test.get("high") is not None:
        return f"{score(metric, test['low'])} to {score(metric, test['high'])}"
    return "" if test.get("spread") is None else f"± {spread(metric, test['spread'])}"


def _wrong(own: dict[str, Any]) -> str:
    return count(own["errors"]) if own.get("errors") is not None else ""


def _margins(margins: dict[str, Any] | None) -> list[Section]:
    if not margins or not margins.get("counts"):
        return []
    of = clean(margins.get("of") or "")
    line = f"How far {of} rows are on their side of the boundary; below 0: on the wrong one."
    return [Section("Margins", [line], [_histogram(margins)], picture="margins", page_only=True)]


def _histogram(found: dict[str, Any]) -> Table:
    spans = zip(pairwise(found["edges"]), found["counts"], strict=True)
    rows = [(number(low), number(high), count(own)) for (low, high), own in spans]
    return Table(["from", "to", "rows"], rows, "rrr")


def _how_far(residuals: dict[str, Any]) -> str:
    """How far answers are from the truth, in a sentence."""
    squared, absolute, largest = (
        number(residuals[name]) for name in ("root_mean_squared_error", "mean_absolute_error", "largest")
    )
    return (
        f"Of {residuals['of']} rows, answers are off by {absolute} on average (mean absolute error) and by {largest} at "
        f"most; root mean squared error: {squared}."
    )


def _residuals(residuals: dict[str, Any] | None) -> list[Section]:
    """The residuals as a histogram, and answers beside the truth."""
    if not residuals or not residuals.get("counts"):
        return []
    of = clean(residuals.get("of") or "")
    line = f"True value less answer, of {of} rows: above 0 the answer was too low."
    points = residuals.get("points") or []
    shown = f"Answers beside the true values of {some(len(points), 'row')}; on the line they are the same."
    return [
        Section("Residuals", [line], [_histogram(residuals)], picture="residuals", page_only=True),
        *([Section("Answers", [shown], picture="answers", page_only=True)] if points else []),
    ]


def _regions(regions: dict[str, Any] | None) -> list[Section]:
    """Beside the picture: where the rows of each class lie on average."""
    if not regions or not regions.get("points"):
        return []
    rows = []
    for label in dict.fromkeys(regions["labels"]):
        own = [point for point, theirs in zip(regions["points"], regions["labels"], strict=True) if theirs == label]
        rows.append(
            (clean(label), count(len(own)), *(number(fsum(values) / len(values)) for values in zip(*own, strict=True)))
        )
    heads = ["class", "rows", *(f"mean {clean(name)}" for name in regions["names"])]
    lines = [sentence(clean(regions["note"]))] if regions.get("note") else []
    return [Section("Regions", lines, [Table(heads, rows, "lrrr")], picture="regions", page_only=True)]


def _use(result: dict[str, Any], words: Wording) -> list[Section]:
    """Where the model is, and what uses it."""
    if result.get("resume"):
        text, commands = words.interrupted(result["resume"])
        return [Section("Interrupted", [clean(text)], commands=commands)]
    if not result.get("model"):
        return [Section("How to go on", [words.unsaved.text], commands=words.unsaved.commands)]
    saved = f"Saved as {clean(result['model'])}."
    return [Section("How to use the model", [saved], commands=words.saved(result["model"]))]
