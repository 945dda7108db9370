"""What is shown of a model's score on files."""

from __future__ import annotations

from typing import Any

from ...inputs.readable import listed, metric_name, number, score, sentence, some
from ...inputs.sections import Limits, Section, remarks
from .class_sections import against_chance, classes_section, confusion_section


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
