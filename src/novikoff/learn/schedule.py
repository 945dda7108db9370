"""How far a step goes: the rate eta, how it falls, and how the weights decay meanwhile."""

from __future__ import annotations

from typing import NamedTuple


class Schedule(NamedTuple):
    """The rate of batch number t = 0, 1, 2, ... is ``eta / (1 + slowing t)``.

    A constant rate has ``slowing`` 0; the rate 1 / (lam t), t counted from 1, has ``eta`` = 1 / lam and ``slowing`` 1.
    """

    eta: float
    slowing: float = 0.0
    lam: float = 0.0  # L2 penalty: before each step the weights, not the bias, shrink by 1 - rate * lam
    mean: bool = False  # whether the steps of a batch are averaged rather than added
