"""Traces of every update, curves over passes, and features made of distances."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import novikoff

from .cases import Case
from .fit_cases import CLASSIFIERS, NUMBERS, REGRESSORS, data, make, rule_of


def cases() -> Iterator[Case]:
    for name, numbers, batch in product({**CLASSIFIERS, **REGRESSORS}, NUMBERS, (1, 7)):
        for n_classes in (0,) if name in REGRESSORS else (2, 3):
            text = f"{name} {numbers} {n_classes} classes batch {batch}"
            yield Case("trace", text, partial(trace, name, numbers, n_classes, batch), rule_of(name, numbers))
            yield Case("passes_curve", text, partial(curve, name, numbers, n_classes, batch), rule_of(name, numbers))
    for width in ("neighbours", 1.0):
        yield Case("RadialBasis", f"width {width}", partial(features, width))


def trace(name: str, numbers: str, n_classes: int, batch: int) -> Any:
    found = novikoff.trace(make(name, batch_size=batch), *data(numbers, "dense64", n_classes))
    return {part: getattr(found, part) for part in ("after", "before", "mistakes", "pass_number", "row", "scores")}


def curve(name: str, numbers: str, n_classes: int, batch: int) -> Any:
    learner = make(name, batch_size=batch)
    return novikoff.passes_curve(learner, *data(numbers, "dense64", n_classes), passes=4, random_state=0)


def features(width: Any) -> Any:
    X, _ = data("floats", "dense64", 2)
    basis = novikoff.RadialBasis(8, width=width, random_state=0).fit(X)
    return {"fitted": basis, "features": basis.transform(X)}
