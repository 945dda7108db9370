"""What is shown of every kind of result, section by section."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from heapq import nlargest
from itertools import pairwise
from math import fsum, nan
from typing import Any

from ...estimators.fit_sentences import compiled, how_it_ended, mistakes_made
from ...inputs.counts import count
from ...inputs.readable import (
    LONG,
    cut,
    listed,
    metric_name,
    number,
    score,
    score_of_test,
    sentence,
    share,
    signed,
    some,
    spread,
)
from ...inputs.sections import SIDE_BY_SIDE, Limits, Section, Table, remarks, shortened
from ...inputs.shell import clean
from ...proof.answer.verdict_sections import check_sections
from ...proof.answer.verdict_sentences import words_for
from .wording import PYTHON, Wording

MOST_CLASSES = 12  # that a confusion matrix is shown of; of more, the largest confusions
CONFUSIONS = 10
OF_ROWS = {
    "training": "the rows that were learned from",
    "progressive": "each row was predicted just before it was first learned from",
    "cross-validated": "each row was predicted by a fit that had not seen it",
    "held-out": "rows kept apart from the fit",
}


def confusion_section(confusion: dict[str, Any] | None) -> list[Section]:
    """The confusion matrix, or the largest confusions of many classes."""
    if not confusion or not confusion.get("labels"):
        return []
    labels = [clean(label) for label in confusion["labels"]]
    title = "Confusion" + (f", {clean(confusion['of'])} rows" if confusion.get("of") else "")
    if len(labels) <= MOST_CLASSES:
        rows = [[label, *map(count, row)] for label, row in zip(labels, confusion["counts"], strict=True)]
        table = Table(["true class", *labels], rows, "l" + "r" * len(labels))
        return [Section(title, ["Columns are the predicted classes."], [table], picture="confusion")]
    wrong = largest_confusions(labels, confusion)
    line = f"The largest confusions among {count(len(labels))} classes:" if wrong else "No row was given a wrong class."
    table = Table(["true class", "predicted", "rows"], [(true, said, count(n)) for n, true, said in wrong], "llr")
    return [Section(title, [line], [table] if wrong else [], picture="confusion")]


def largest_confusions(labels: Sequence[str], confusion: dict[str, Any]) -> list[tuple[int, str, str]]:
    """The most frequent pairs of a true class and a wrong answer, the most frequent first."""
    pairs = confusion.get("pairs")
    if pairs is None:
        pairs = [(i, j, n) for i, row in enumerate(confusion["counts"]) for j, n in enumerate(row)]
    most = nlargest(CONFUSIONS, ((n, i, j) for i, j, n in pairs if n and i != j), key=lambda each: each[0])
    return [(n, labels[i], labels[j]) for n, i, j in most]


def against_chance(result: dict[str, Any]) -> list[str]:
    """What answering the largest class would score, and the balanced accuracy, in sentences."""
    lines = []
    if result.get("chance") is not None:
        largest = result.get("largest_class")
        name = "the largest class" if largest is None else f"the largest class, {cut(largest, LONG)},"
        lines.append(f"Always answering {name} would score {share(result['chance'])}.")
    if result.get("balanced_accuracy") is not None:
        lines.append(f"Balanced accuracy, the mean of the classes' recalls: {share(result['balanced_accuracy'])}.")
    return lines


def classes_section(classes: list[dict[str, Any]] | None, limits: Limits) -> list[Section]:
    """Precision, recall and F1 of each class."""
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


def all_weights_sections(result: dict[str, Any], limits: Limits) -> list[Section]:
    """All that the result holds: how much that is was the user's choice."""
    weights = result.get("weights") or []
    most = max((len(each["features"]) for each in weights), default=0)
    return [*weights_section(weights, most), *remarks(result)]


def weights_section(weights: list[dict[str, Any]] | None, features: int, classes: int | None = None) -> list[Section]:
    """The strongest weights by name, some classes side by side."""
    if not weights:
        return []
    shown = weights if classes is None else weights[:classes]
    total = max(len(each["features"]) for each in shown)
    lines = ["+ speaks for a class, - against it; the strongest first."]
    more = []
    if shown[0].get("class") is None:
        lines = ["The answer rises with features of + and falls with those of -; the strongest first."]
    if total > features:
        more.append(f"{count(features)} of {count(total)} features are shown.")
    if len(shown) < len(weights):
        more.append(f"{count(len(shown))} of {count(len(weights))} classes are shown.")
    groups = [shown[at : at + SIDE_BY_SIDE] for at in range(0, len(shown), SIDE_BY_SIDE)]
    tables = [_side_by_side(group, features) for group in groups]
    if any("" in row for table in tables for row in table.rows):
        more.append("Blank: not among the strongest of that class.")
    return [Section("Weights", lines, tables, more, picture="weights")]


def _side_by_side(group: list[dict[str, Any]], few: int) -> Table:
    """The features that are strongest in any class of the group, and their weights in each."""
    by_class = [{each["name"]: each["weight"] for each in one["features"]} for one in group]
    size: dict[str, float] = {}
    for own in by_class:
        for name, weight in own.items():
            size[name] = max(size.get(name, 0.0), abs(weight))
    names = nlargest(few, size, key=size.__getitem__)
    rows = [[clean(name), *(signed(own[name]) if name in own else "" for own in by_class)] for name in names]
    heads = [clean(one["class"]) if one.get("class") is not None else "weight" for one in group]
    return Table(["feature", *heads], rows, "l" + "r" * len(heads))


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


def compare_sections(result: dict[str, Any], limits: Limits) -> list[Section]:
    """All sections of a comparison."""
    test, learners = result.get("test") or {}, result.get("learners") or []
    metric = test.get("metric") or "accuracy"
    balanced = any(each.get("balanced_accuracy") is not None for each in learners)
    cells = [
        (
            clean(each["name"]),
            "none" if each.get("score") is None else score(metric, each["score"]),
            "" if each.get("spread") is None else f"± {spread(metric, each['spread'])}",
            *([_if_known(each.get("balanced_accuracy"))] if balanced else []),
            "" if each.get("seconds") is None else f"{each['seconds']:.2g}",
        )
        for each in learners
    ]
    kind, rows = clean(test.get("kind") or ""), some(result.get("rows") or 0, "row")
    lines = [f"{sentence(kind)} {metric_name(metric)} of {rows}, the best first.".strip()]
    if test.get("spread_is"):
        lines.append(f"±: {clean(test['spread_is'])}.")
    lines += against_chance(result)
    if balanced:
        lines.append("Balanced: the mean of the classes' recalls.")
    lines.append("Seconds are those of one fit, the median over the folds.")
    if said := compiled(result.get("compiling")):
        lines.append(said)
    if result.get("plot"):
        lines.append(f"Drawn in {clean(result['plot'])}.")
    heads = ["learner", metric_name(metric), "spread", *(["balanced"] if balanced else []), "seconds"]
    table = Table(heads, cells, "lrl" + "r" * balanced + "r")
    return [Section("Learners compared", lines, [table], _notes(learners), picture="compare"), *remarks(result)]


def _notes(learners: list[dict[str, Any]]) -> list[str]:
    """What is to be said of learners, those of which the same is said together."""
    named: dict[str, list[str]] = {}
    for each in learners:
        if each.get("note"):
            named.setdefault(each["note"], []).append(clean(each["name"]))
    return [f"{', '.join(names)}: {clean(note)}" for note, names in named.items()]


def _if_known(value: float | None) -> str:
    return "" if value is None else share(value)


def predict_sections(result: dict[str, Any], limits: Limits) -> list[Section]:
    """All sections of predictions."""
    rows, columns = result.get("rows") or 0, result.get("columns") or {}
    lines = [f"{some(rows, 'row')} of {listed(result.get('files') or ['the table'], 3)}."]
    if result.get("parts"):
        return [Section("Predictions", [*lines, f"Written to {listed(result['parts'], 3)}."]), *remarks(result)]
    found = [Section("Predictions", lines, _answers(columns.get("prediction") or [], result.get("classes"), limits))]
    shown = [
        [_cell(name, values[place]) for name, values in columns.items()] for place in range(min(rows, limits.rows))
    ]
    align = "".join("r" if values and isinstance(values[0], int | float) else "l" for values in columns.values())
    more, table = shortened(Table([clean(name) for name in columns], shown, align), limits.rows, "row", total=rows)
    return [*found, Section("The first rows", [], [table], more), *remarks(result)]


def _answers(answers: list[Any], classes: list[Any] | None, limits: Limits) -> list[Table]:
    """How many rows got each answer, the most frequent first; of numbers nothing."""
    if not classes:
        return []
    counted = Counter(answers).most_common(limits.rows)
    rows = [(clean(answer), count(many), share(many / len(answers))) for answer, many in counted]
    return [Table(["answer", "rows", "share"], rows, "lrr")]


def _cell(name: str, value: Any) -> str:
    return (
        share(value)
        if name.startswith("probability of ")
        else number(value)
        if isinstance(value, float)
        else clean(value)
    )


def score_sections(result: dict[str, Any], limits: Limits) -> list[Section]:
    """All sections of a score."""
    metric = result.get("metric")
    text = f"{sentence(metric_name(metric))}: {score(metric, result.get('score'))}"
    if result.get("low") is not None and result.get("high") is not None:
        text += f", 95% interval {score(metric, result['low'])} to {score(metric, result['high'])}"
    lines = [f"{text}, of {some(result.get('rows') or 0, 'row')} of {listed(result.get('files') or ['the file'], 3)}."]
    lines += against_chance(result)
    if result.get("mean_squared_error") is not None:
        lines.append(f"Mean squared error: {number(result['mean_squared_error'])}.")
    found = [Section("Score", lines), *confusion_section(result.get("confusion"))]
    return found + classes_section(result.get("per_class"), limits) + remarks(result)


VIEWS: dict[str, Callable[[dict[str, Any], Limits], list[Section]]] = {
    "check": check_sections,
    "compare": compare_sections,
    "predict": predict_sections,
    "score": score_sections,
    "weights": all_weights_sections,
}


def sections_of(document: dict[str, Any], limits: Limits, words: Wording = PYTHON) -> list[Section]:
    """What is shown of a result, whatever ``document["command"]`` made it; ``words`` say what to do next."""
    if document["command"] == "fit":
        return fit_sections(document, limits, words)
    return VIEWS[document["command"]](document, limits)
