"""The last word on a machine with a kernel: both objectives with everything that rounding may have hidden.

The machine is its ``alpha`` and its bias, as they are returned, with the kernel of the rows as they are given.  The primal
value is bounded from above and the dual value from below, from the scores and the bounds of their errors (``kernel_sums``).

The dual bounds the primal only if ``sum_i alpha_i y_i = 0`` (``balance``).  If r remains of that sum, the dual value may be too
large by ``|r b|``, b being the best bias; as that is where some row's slack vanishes, ``|b| <= 1 + R sqrt(2 P)``, R^2 the largest
``k(x, x)``.
"""

from __future__ import annotations

from math import fsum

import numpy as np

from ..inputs.rounding_error import UNIT, gamma, unit_of
from .balance import balanced
from .kernel_sums import KernelSums
from .pair_steps import KernelAnswer
from .problem import Problem


def audited_kernel(problem: Problem, sums: KernelSums, answer: KernelAnswer) -> KernelAnswer:
    """The answer, whose bias is that of the scores less their offset, with the bias of the rows as they are given, and with
    values that rounding cannot have improved."""
    alpha = balanced(answer.alpha, problem.signs)
    found = sums.of(alpha * problem.signs)
    b = float(answer.b - found.offset)
    bias = b + found.offset
    rounding = (
        2
        * gamma(8, unit_of(found.scores.dtype))
        * (1.0 + np.abs(found.scores).astype(float) + abs(b) + abs(float(found.offset)))
    )
    short = (1 - problem.signs * (found.scores + bias)).astype(float)
    slack = np.maximum(0.0, short + 2 * UNIT * np.abs(short) + found.error + rounding)
    primal = (0.5 * max(found.square, 0.0) + float(problem.bounds @ slack)) * sums.surely**2
    dual = fsum(alpha.tolist()) - 0.5 * found.square
    dual -= 4 * UNIT * (fsum(alpha.tolist()) + abs(found.square))
    rest = abs(fsum((alpha * problem.signs).tolist()))
    if rest:
        dual -= rest * (1.0 + (2.0 * primal * sums.largest()) ** 0.5) * sums.surely
    return KernelAnswer(alpha, b, primal, dual)
