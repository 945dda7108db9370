"""The demonstrations in the order of the lectures: a new one is a line here."""

from __future__ import annotations

from .demonstration import Demonstration
from .demos.boolean_units import BOOLEAN_UNITS
from .demos.bound_curves import BOUND_CURVES
from .demos.class_regions import CLASS_REGIONS
from .demos.kernel_stepper import KERNEL_STEPPER
from .demos.not_separable import NOT_SEPARABLE
from .demos.passes_shown import PASSES_SHOWN
from .demos.perceptron_stepper import PERCEPTRON_STEPPER
from .demos.rbf_features import RBF_FEATURES
from .demos.rules_compared import RULES_COMPARED
from .demos.shattering_tiles import SHATTERING_TILES
from .demos.support_vectors import SUPPORT_VECTORS
from .demos.verdict_drawn import VERDICT_DRAWN

DEMONSTRATIONS: dict[str, Demonstration] = {
    each.name: each
    for each in (
        PERCEPTRON_STEPPER,
        VERDICT_DRAWN,
        BOUND_CURVES,
        NOT_SEPARABLE,
        SUPPORT_VECTORS,
        RULES_COMPARED,
        CLASS_REGIONS,
        SHATTERING_TILES,
        RBF_FEATURES,
        KERNEL_STEPPER,
        BOOLEAN_UNITS,
        PASSES_SHOWN,
    )
}
