"""What is shown of learners that were compared."""

from __future__ import annotations

from typing import Any

from ...estimators.fit_sentences import compiled
from ...inputs.readable import metric_name, score, sentence, share, some, spread
from ...inputs.sections import Limits, Section, Table, remarks
from ...inputs.shell import clean
from .class_sections import against_chance


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
