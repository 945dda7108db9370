"""The theory of linear classifiers as working functions, exact where possible.

>>> from novikoff import theory
>>> theory.dichotomies([[0, 0], [0, 1], [1, 0], [1, 1]])  # all labelings but XOR and its opposite
Dichotomies(count=14, cover=14)
>>> theory.boolean_network([0, 1, 1, 0]).n_units  # which takes three perceptrons
3
"""

from typing import TYPE_CHECKING, Any

from .boolean_networks import BooleanNetwork, boolean_network
from .convergence_gap import Gap, gap
from .cover import capacity, cover_fraction
from .depth_of_points import Depth, depth
from .enclosing_ball import Ball, radius
from .labelings import Capacity, Labelings, measured_capacity, separable, shattering_dimensionality
from .margin_of_weights import margin
from .mistake_bounds import novikoff_bound
from .shattering import Dichotomies, can_shatter, dichotomies

if TYPE_CHECKING:
    from ..plots import plot_capacity, plot_cover, plot_gap

__all__ = [
    "Ball",
    "BooleanNetwork",
    "Capacity",
    "Depth",
    "Dichotomies",
    "Gap",
    "Labelings",
    "boolean_network",
    "can_shatter",
    "capacity",
    "cover_fraction",
    "depth",
    "dichotomies",
    "gap",
    "margin",
    "measured_capacity",
    "novikoff_bound",
    "plot_capacity",
    "plot_cover",
    "plot_gap",
    "radius",
    "separable",
    "shattering_dimensionality",
]


def __getattr__(name: str) -> Any:
    if name not in ("plot_capacity", "plot_cover", "plot_gap"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .. import plots  # when something is drawn

    return getattr(plots, name)
