"""The demonstrations in the order of the lectures: a new one is a line here."""

from __future__ import annotations

from .demonstration import Demonstration
from .demos.bound_curves import BOUND_CURVES
from .demos.class_regions import CLASS_REGIONS
from .demos.passes_shown import PASSES_SHOWN
from .demos.perceptron_stepper import PERCEPTRON_STEPPER
from .demos.rules_compared import RULES_COMPARED
from .demos.verdict_drawn import VERDICT_DRAWN

DEMONSTRATIONS: dict[str, Demonstration] = {
    each.name: each
    for each in (PERCEPTRON_STEPPER, VERDICT_DRAWN, BOUND_CURVES, RULES_COMPARED, CLASS_REGIONS, PASSES_SHOWN)
}
