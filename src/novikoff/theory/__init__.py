"""The theory of linear classifiers as working functions, exact wherever numbers allow.

>>> from novikoff import theory
>>> theory.dichotomies([[0, 0], [0, 1], [1, 0], [1, 1]])  # all labelings but XOR and its opposite
Dichotomies(count=14, cover=14)
>>> theory.boolean_network([0, 1, 1, 0]).n_units  # which takes three perceptrons
3
"""

from .boolean import BooleanNetwork, boolean_network
from .cover import capacity, cover_fraction
from .enclosing_ball import Ball, radius
from .gaps import Gap, gap
from .margin_of_weights import margin
from .mistake_bounds import novikoff_bound
from .pictures import plot_cover, plot_gap
from .shattering import Dichotomies, can_shatter, dichotomies

__all__ = [
    "Ball",
    "BooleanNetwork",
    "Dichotomies",
    "Gap",
    "boolean_network",
    "can_shatter",
    "capacity",
    "cover_fraction",
    "dichotomies",
    "gap",
    "margin",
    "novikoff_bound",
    "plot_cover",
    "plot_gap",
    "radius",
]
