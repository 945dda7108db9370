"""What a search has found: what proves the verdict, before it is checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np

from ..problem.pairs import Direction


@dataclass
class Finding:
    """What was found.

    ``direction``: no negative lead, and a positive one on every pair that is not on the boundary; None where it was not
    found or there is none.  ``circuit``: pairs and positive weights of one relation that cannot be made smaller.
    ``relation``: pairs and positive weights of a relation whose vectors span those of all boundary pairs; ``basis``: pairs
    of it with independent vectors that span the same.  ``boundary``: a mask of pairs, None until all are settled.  A
    direction without a boundary has no negative lead and some positive ones, no more.  ``violation``: the smallest distance by
    which weights so far missed the row they miss most.  ``in_floats``: overlap was proved in floating point, with no relation at hand.
    """

    circuit: dict[int, int] = field(default_factory=dict)
    relation: dict[int, int] = field(default_factory=dict)
    basis: list[int] = field(default_factory=list)
    direction: Direction | None = None
    boundary: np.ndarray | None = None
    violation: float = inf
    in_floats: bool = False
