"""The sections of any result, found by the kind of the result that its document names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...inputs.sections import Limits, Section
from ...proof.answer.verdict_sections import check_sections
from .compare_sections import compare_sections
from .fit_sections import fit_sections
from .predict_sections import predict_sections
from .score_sections import score_sections
from .weight_sections import all_weights_sections
from .wording import PYTHON, Wording

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
