"""What is shown of predictions: how many rows got each answer, and the first rows."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ...inputs.counts import count
from ...inputs.readable import listed, number, share, some
from ...inputs.sections import Limits, Section, Table, remarks, shortened
from ...inputs.shell import clean


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
