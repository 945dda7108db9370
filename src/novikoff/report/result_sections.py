"""What is shown of every kind of result, section by section: the answer first, then what it rests on.

``Wording`` is how each place says what to do next: Python here, the command line in its own words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from heapq import nlargest
from itertools import pairwise
from math import fsum, nan
from typing import Any, NamedTuple

from .fit_sentences import compiled, how_it_ended, mistakes_made, still_improving
from .sections import SIDE_BY_SIDE, Limits, Section, Table, remarks, shortened
from .verdict_sections import check_sections
from .words import (
    LONG,
    clean,
    count,
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


class Advice(NamedTuple):
    """A sentence, and what to type."""

    text: str
    commands: list[str]


class Wording(NamedTuple):
    """What is said of a model that is saved in a file, of one that is not, and of learning that was interrupted."""

    prompt: str  # before each line that can be typed
    saved: Callable[[str], list[str]]  # of the file: what uses it
    unsaved: Advice
    interrupted: Callable[[dict[str, Any]], Advice]  # of what is left
    passes: Callable[[int], str]  # so many, as they are asked for


def _saved(file: str) -> list[str]:
    return [f"novikoff.predict_table({file!r}, new_rows)", f"novikoff.score_table({file!r}, labelled_rows)"]


def _interrupted(left: dict[str, Any]) -> Advice:
    if not left.get("checkpoint"):
        return Advice("The first pass was not over: nothing was saved.", [])
    passes = some(left.get("passes") or 0, "whole pass", "whole passes")
    file = str(left["checkpoint"])
    return Advice(f"What was learned in {passes} is in {file}. The same call with checkpoint={file!r} goes on.", [])


PYTHON = Wording(
    prompt=">>> ",
    saved=_saved,
    unsaved=Advice(
        "The model is result.model, and is not saved in a file.",
        ["result.save('model.novikoff')", "novikoff.predict_table(result, new_rows)"],
    ),
    interrupted=_interrupted,
    passes=lambda most: f"passes={most}",
)


SAID_FIRST = (
    "each learned as a label",
    "learned as different classes",
    "is the sum of other rows",
)  # in notes that the answer begins with
MOST_CLASSES = 12  # that a confusion matrix is shown of; of more, the largest confusions
CONFUSIONS = 10
UNDEFINED = {  # by the place in the table
    2: "Precision undefined: no row was predicted as this class.",
    3: "Recall undefined: no row is of this class.",
}
LEFT_OUT = {"unlabelled": "without a label", "dropped": "with missing values"}  # rows, by their names in documents
OF_ROWS = {
    "training": "the rows that were learned from",
    "progressive": "each row was predicted just before it was first learned from",
    "cross-validated": "each row was predicted by a fit that had not seen it",
    "held-out": "rows kept apart from the fit",
    "test-file": "the rows of the file that was given for the test",
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
    """What answering the commonest class would score, and the balanced accuracy, in sentences."""
    lines = []
    if result.get("chance") is not None:
        always = sentence(_always(result.get("largest_class"))) + "," * (result.get("largest_class") is not None)
        lines.append(f"{always} would score {share(result['chance'])}.")
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
    meant = [text for place, text in UNDEFINED.items() if any(row[place] == "undefined" for row in cells)]
    return [Section("Each class", lines, [table], [*meant, *more])]


MEASURES = {  # by their names in documents: what they are called, and what they mean
    "auc": ("AUC", "how often the class ranks above another; 0.5: by chance"),
    "average_precision": ("average precision", "the mean precision over all thresholds"),
    "matthews": ("Matthews correlation", "1: all right, 0: by chance"),
    "log_loss": ("log loss", "of the probabilities; smaller is better"),
    "brier": ("Brier score", "squared error of the probabilities; smaller is better"),
}


def measures_section(measures: dict[str, Any] | None) -> list[Section]:
    """How well rows are ranked, what probabilities are worth, and the confusion at a threshold."""
    if not measures:
        return []
    of = f"{clean(measures['of'])} rows" + (
        f"; the positive class is {cut(measures['positive'], LONG)}" if measures.get("positive") is not None else ""
    )
    rows = [
        (name, number(measures[key]), what) for key, (name, what) in MEASURES.items() if measures.get(key) is not None
    ]
    if not rows and not measures.get("at_threshold"):  # rows of one class rank nothing
        return []
    lines = [f"Of {of}."]
    if at := measures.get("at_threshold"):
        lines.append(
            f"At the threshold {number(at['threshold'])}: {count(at['true_positive'])} positive rows found, "
            f"{count(at['false_negative'])} missed, {some(at['false_positive'], 'false alarm')}, "
            f"{count(at['true_negative'])} negative rows right; precision {_measure(at['precision'])}, "
            f"recall {_measure(at['recall'])}."
        )
    found = [Section("Ranking and probabilities", lines, [Table(["measure", "value", "what it says"], rows, "lrl")])]
    if measures.get("roc"):
        line = (
            "True positives against false positives; precision against recall; calibration: of rows with about this probability, so many "
            "are positive."
        )
        calibration = [(number(p), share(right), count(int(n))) for p, right, n in measures.get("calibration") or []]
        shown = [Table(["mean probability", "positive", "rows"], calibration, "rrr")] if calibration else []
        found.append(Section("Curves", [line], shown, picture="curves", page_only=True))
    return found


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
    rows = [[cut(name, LONG), *(signed(own[name]) if name in own else "" for own in by_class)] for name in names]
    heads = [clean(one["class"]) if one.get("class") is not None else "weight" for one in group]
    return Table(["feature", *heads], rows, "l" + "r" * len(heads))


def fit_sections(result: dict[str, Any], limits: Limits, words: Wording = PYTHON) -> list[Section]:
    """All sections of a fit; ``words`` say what to do next."""
    notes = remarks({"notes": [note for note in result.get("notes") or [] if not _comes_first(note)]})
    return [
        _answer(result, words),
        *remarks({"warnings": result.get("warnings")}),
        *_scores(result),
        *confusion_section(result.get("confusion")),
        *classes_section(result.get("per_class"), limits),
        *measures_section(result.get("measures")),
        *weights_section(result.get("weights"), limits.rows, limits.classes),
        *_margins(result.get("margins")),
        *_residuals(result.get("residuals")),
        *_regions(result.get("regions")),
        *_ending(result, limits),
        *_read(result, limits),
        *notes,
    ]


def _answer(result: dict[str, Any], words: Wording) -> Section:
    """How good the model is, whether the classes are separable, what was left out or filled in, and what to do next."""
    if result.get("resume"):
        text, commands = words.interrupted(result["resume"])
        return Section("Interrupted", [clean(text)], commands=commands)
    verdict = result.get("separability") or {}
    first = [f"{sentence(clean(note))}." for note in result.get("notes") or [] if _comes_first(note)]
    lines = [*first, *_how_good(result), *(clean(line) for line in (verdict.get("text") or "").splitlines())]
    lines += [*_more_passes(result, words), *_changed(result)]
    if result.get("model"):
        lines.append(f"The model is saved in {clean(result['model'])}.")
        commands = words.saved(result["model"])
    else:
        lines.append(words.unsaved.text)
        commands = words.unsaved.commands
    return Section("The answer", lines, commands=[*commands, *([verdict["ask"]] if verdict.get("ask") else [])])


def _comes_first(note: str) -> bool:
    """Whether the answer begins with a note: without it the score says little."""
    return any(part in note for part in SAID_FIRST)


def _how_good(result: dict[str, Any]) -> list[str]:
    """The score on rows that were not learned from, beside that of always giving the same answer."""
    fit, test = result.get("fit") or {}, result.get("test") or {}
    training = fit.get("training") or {}
    tested = test.get("kind")
    if not tested and not training:
        return []
    metric = test.get("metric") or ("r2" if result.get("task") == "numbers" else "accuracy")
    found = score(metric, (test if tested else training).get("score"))
    on = (
        f"rows that it did not learn from: {found} ({clean(tested)})"
        if tested
        else f"the rows that it learned from: {found}"
    )
    same = "; always answering the mean: 0" if metric == "r2" else ""
    if result.get("chance") is not None:
        same = f"; {_always(result.get('largest_class'))}: {share(result['chance'])}"
    untested = "" if tested else " It was not tested on other rows."
    return [f"{sentence(metric_name(metric))} on {on}{same}.{untested}"]


def _always(label: Any) -> str:
    named = "" if label is None else f"'{cut(label, LONG)}', "
    return f"always answering {named}the commonest class"


def _more_passes(result: dict[str, Any], words: Wording) -> list[str]:
    """What to try where learning ended at the limit of passes, unless more of them cannot separate the classes."""
    fit, kind = result.get("fit") or {}, (result.get("separability") or {}).get("kind")
    improving = bool(fit.get("solver")) or still_improving((result.get("history") or {}).get("mistakes"))
    if (
        fit.get("stop_reason") != "budget"
        or not fit.get("passes")
        or (kind not in (None, "complete") and not improving)
    ):
        return []
    limit = some(fit["passes"], *(("iteration", "iterations") if fit.get("solver") else ("pass", "passes")))
    still = " while still improving" if improving else ""
    return [f"Learning stopped at the limit of {limit}{still}; try {words.passes(10 * fit['passes'])}."]


def _changed(result: dict[str, Any]) -> list[str]:
    """Which rows and columns were left out, and which values were filled in."""
    rows, lines = result.get("rows") or {}, []
    left = [f"{some(rows[name], 'row')} {why}" for name, why in LEFT_OUT.items() if rows.get(name)]
    columns = [f"'{cut(each['column'], LONG - 2)}'" for each in result.get("left_out") or []]
    if columns:
        left.append(f"{'column' if len(columns) == 1 else 'columns'} {listed(columns)}")
    if left:
        lines.append(f"Left out: {'; '.join(left)}.")
    lacking = [each for each in result.get("columns") or [] if each.get("missing")]
    numbers = sum(each["missing"] for each in lacking if each.get("fill") is not None)
    others = sum(each["missing"] for each in lacking) - numbers
    filled = [f"{some(numbers, 'missing number')}, with the column's median"] if numbers else []
    filled += [f"{some(others, 'missing category', 'missing categories')}, as one more level"] if others else []
    return [*lines, f"Filled in: {'; '.join(filled)}."] if filled else lines


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
        kind += f", {some(column['levels'], 'word or pair' if kind == 'text' else 'level', 'words and pairs' if kind == 'text' else None)}"
    text = count(missing) if missing else "none"
    if missing and column.get("fill") is not None:
        text += f", filled with {number(column['fill'])}"
    elif missing and column.get("kind") == "category":
        text += ", kept as a level"
    return clean(column["name"]), kind, text


def _ending(result: dict[str, Any], limits: Limits) -> list[Section]:
    fit, history = result.get("fit"), result.get("history") or {}
    sections = []
    if fit:
        lines = [
            how_it_ended(result.get("learner") or {}, fit, history),
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
    lines += against_chance({**result, "chance": None})  # which the answer has
    counted = any(own.get("errors") is not None for _, own, _ in found)  # of numbers there is no wrong and right
    rows = [
        (
            name,
            count(own.get("rows") or 0),
            *([_if_known(own.get("errors"), count)] if counted else []),
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
    heads = ["measured on", "rows", *(["wrong"] if counted else []), metric_name(metric), "spread"]
    table = Table(heads, rows, "lr" + "r" * counted + "rl")
    return [Section("Scores", lines, [table], meant, picture="scores")]


def _spread(metric: str, test: dict[str, Any]) -> str:
    """How far a score may be off: an interval, which need not be even about it, or a deviation."""
    if test.get("low") is not None and test.get("high") is not None:
        return f"{score(metric, test['low'])} to {score(metric, test['high'])}"
    return "" if test.get("spread") is None else f"± {spread(metric, test['spread'])}"


def _margins(margins: dict[str, Any] | None) -> list[Section]:
    if not margins or not margins.get("counts"):
        return []
    of = clean(margins.get("of") or "")
    line = f"Distance of {of} rows from the boundary; below 0: on the wrong side."
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
    lines = (
        [f"The model's answers over two columns of numbers: {clean(regions['note'])}"] if regions.get("note") else []
    )
    return [Section("Regions", lines, [Table(heads, rows, "lrrr")], picture="regions", page_only=True)]


def compare_sections(result: dict[str, Any], limits: Limits) -> list[Section]:
    """All sections of a comparison."""
    test, learners = result.get("test") or {}, result.get("learners") or []
    metric = test.get("metric") or "accuracy"
    balanced = any(each.get("balanced_accuracy") is not None for each in learners)
    more = [name for name in ("auc", "log_loss") if any(each.get(name) is not None for each in learners)]
    cells = [
        (
            clean(each["name"]),
            "none" if each.get("score") is None else score(metric, each["score"]),
            "" if each.get("spread") is None else f"± {spread(metric, each['spread'])}",
            *([_if_known(each.get("balanced_accuracy"), share)] if balanced else []),
            *("" if each.get(name) is None else number(each[name], 3) for name in more),
            "" if each.get("seconds") is None else f"{each['seconds']:.2g}",
        )
        for each in learners
    ]
    kind, rows = clean(test.get("kind") or ""), some(result.get("rows") or 0, "row")
    lines = _best(learners, metric, f"{kind} {metric_name(metric)} of {rows}".strip(), result.get("beaten") or [])
    lines += against_chance(result)
    meant = [f"±: {clean(test['spread_is'])}."] if test.get("spread_is") else []
    meant += ["Balanced: the mean of the classes' recalls."] * balanced
    meant.append("Seconds are those of one fit, the median over the folds.")
    meant += [said] if (said := compiled(result.get("compiling"))) else []
    meant += [f"Drawn in {clean(result['plot'])}."] if result.get("plot") else []
    named = [MEASURES[name][0] for name in more]
    heads = ["learner", metric_name(metric), "spread", *(["balanced"] if balanced else []), *named, "seconds"]
    table = Table(heads, cells, "lrl" + "r" * (balanced + len(more) + 1))
    commands = [result["next"]] if result.get("next") else []
    notes = [*_notes(learners), *meant]
    return [Section("Learners compared", lines, [table], notes, commands, picture="compare"), *remarks(result)]


def _best(learners: list[dict[str, Any]], metric: str, of: str, beaten: list[str]) -> list[str]:
    """The best learner, and which others are worse by more than chance."""
    tried = [each for each in learners if each.get("score") is not None]
    if not tried:
        return ["No learner could be tested."]
    best = tried[0]
    said = [f"The best is {clean(best['name'])}: {score(metric, best['score'])} ({of})."]
    if len(tried) > 1:
        test = "a t-test on the folds, corrected for the rows they share, at 95%"
        if not beaten:
            said.append(f"No difference between it and the others is larger than chance ({test}).")
        else:
            rest = "; the others may be as good" if len(beaten) < len(tried) - 1 else ""
            said.append(f"Worse by more than chance ({test}): {listed(beaten)}{rest}.")
    return said


def _notes(learners: list[dict[str, Any]]) -> list[str]:
    """What is to be said of learners, those of which the same is said together."""
    named: dict[str, list[str]] = {}
    for each in learners:
        if each.get("note"):
            named.setdefault(each["note"], []).append(clean(each["name"]))
    return [f"{', '.join(names)}: {clean(note)}" for note, names in named.items()]


def _if_known(value: Any, show: Callable[[Any], str]) -> str:
    return "" if value is None else show(value)


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
    found += classes_section(result.get("per_class"), limits) + measures_section(result.get("measures"))
    return found + remarks(result)


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
