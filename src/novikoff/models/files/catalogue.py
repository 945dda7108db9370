"""Which models can be stored, what is stored of each, and what must hold of the whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...estimators.base import check, learned_by, remembered
from ...estimators.features import RadialBasis
from ...estimators.kernel_svm import KernelSVM
from ...estimators.learners import LEARNERS
from ...estimators.linear_svm import LinearSVM
from ...learn.stops import Landmark
from ...rows.encoding.encoder import TableEncoder, UsedColumns
from ...rows.encoding.feature_columns import Category, Number, Text
from ...rows.store.blocks import Cells, Numeral
from .learning_kinds import (
    CYCLE,
    DUAL_VOTES,
    POINTS,
    VOTES,
    Counts,
    DualLearning,
    HistoryKind,
    KernelOf,
    PrimalLearning,
    check_points,
)
from .value_kinds import (
    Array,
    Flag,
    Float,
    Kind,
    Labels,
    Maybe,
    Named,
    Out,
    ReadArrays,
    Record,
    Several,
    Sparse,
    String,
    Unreadable,
    Whole,
)


class Alternative(Kind):
    """One of two kinds, told apart by their form."""

    def __init__(self, kinds: dict[type, Record], tag: str) -> None:
        self._kinds, self._tag = kinds, tag

    def pack(self, value: Any, name: str, out: Out) -> Any:
        return {self._tag: type(value).__name__, **self._kinds[type(value)].pack(value, name, out)}

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> Any:
        for form, kind in self._kinds.items():
            if isinstance(stored, dict) and stored.get(self._tag) == form.__name__:
                return kind.unpack({key: value for key, value in stored.items() if key != self._tag}, name, source)
        raise Unreadable(f"{name} is of an unknown kind")


class NumberOrArray(Kind):
    """A number of two classes, an array of more."""

    def pack(self, value: Any, name: str, out: Out) -> Any:
        return out.put(value, name) if isinstance(value, np.ndarray) else Float(finite=False).pack(value, name, out)

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> Any:
        if isinstance(stored, float) or stored == "inf":
            return Float(0.0, finite=False).unpack(stored, name, source)
        return Array("f", "outputs", finite=False).unpack(stored, name, source)


class Entry(NamedTuple):
    """How one class is stored."""

    fitted: dict[str, Kind]  # attributes, in the order in which they are read
    needed: tuple[str, ...]
    check: Callable[[Any, ReadArrays], None]
    before: dict[str, Any] = {}  # noqa: RUF012 - parameters that older files lack: what a learner did before it had them


IF_ANY = ("class_counts", "reach", "landmark")  # stored only where there is something

COLUMNS: dict[str, Kind] = {"n_features_in_": Whole(1), "feature_names_in_": Labels("features", ascending=False)}
PASSES: dict[str, Kind] = {"n_iter_": Whole(), "stop_reason_": Maybe(String())}
LEARNED: dict[str, Kind] = {
    **PASSES,
    "keep_": String(),
    "records": HistoryKind(lists=True),
    "reach": Float(0.0),
    "eta_": Float(0.0),
    "solver_": String(),
    "l2_": Float(0.0),
    "duality_gap_": Float(finite=False),
}
LANDMARK = Record(
    Landmark,
    {"weights": Array("f", None, None), "bias": Array("f", "outputs"), "passes": Whole(), "patience": Whole(1)},
)
LEARNED |= {"landmark": LANDMARK}
CLASSES: dict[str, Kind] = {**COLUMNS, "classes_": Labels("classes")}
CLASSIFIED: dict[str, Kind] = {"n_mistakes_": Whole(), "n_errors_": Maybe(Whole()), "class_counts": Counts()}


def _check_votes(model: Any) -> None:
    if learned_by(model).keep.by_vote != hasattr(model, "votes_"):
        raise Unreadable("votes_ contradicts keep")


def _check_passes(model: Any) -> None:
    """Learning goes on from the last pass of the record, and counts from the number of passes."""
    history = learned_by(model).history
    if history and not (history["seconds"] and hasattr(model, "n_iter_") and hasattr(model, "stop_reason_")):
        raise Unreadable("records has no passes, or n_iter_ or stop_reason_ is missing")


def _check_linear(model: Any, source: ReadArrays) -> None:
    _check_passes(model)
    _check_votes(model)
    if model.coef_.dtype != model.intercept_.dtype or model.coef_.dtype != learned_by(model).state.weights.dtype:
        raise Unreadable("coef_ has numbers of another type than the rest")


def _check_kernel(model: Any, source: ReadArrays) -> None:
    support = learned_by(model).rows.points
    _check_passes(model)
    _check_votes(model)
    if hasattr(model, "votes_") and model.votes_.steps.shape[1] != model.votes_.intercept.size:
        raise Unreadable("votes_ has parts that contradict each other")
    if (model.kernel == "precomputed") != (type(learned_by(model).rows.kernel).__name__ == "Precomputed"):
        raise Unreadable("kernel contradicts what was learned")
    if not model.dual_coef_.dtype == model.intercept_.dtype == support.X.dtype:
        raise Unreadable("dual_coef_ has numbers of another type than the rest")


def _check_machine(model: Any, source: ReadArrays) -> None:
    if len(model.classes_) < 2:
        raise Unreadable("classes_ has only one class")
    found = remembered(model)
    if "support_points" in found:
        kernel, points = found["fitted_kernel"], found["support_points"]
        if hasattr(model, "n_support_"):  # class after class
            points = points._replace(numbers=np.sort(points.numbers))
        check_points(points, kernel, "support_points", source)
        if points.X.dtype != np.float64:
            raise Unreadable("support_points has numbers of another type than the rest")
        if (model.kernel == "precomputed") != (type(kernel).__name__ == "Precomputed"):
            raise Unreadable("kernel contradicts what was learned")


def _check_pairs(model: Any, source: ReadArrays) -> None:
    _check_machine(model, source)
    classes = len(model.classes_)
    pairs = hasattr(model, "n_support_")
    lines, biases = (classes - 1, classes * (classes - 1) // 2) if pairs else (source.sizes["outputs"],) * 2
    if len(model.dual_coef_) != lines or len(model.intercept_) != biases:
        raise Unreadable("dual_coef_ or intercept_ has a shape that does not fit the rest")
    if pairs and (
        classes == 2 or len(model.n_support_) != classes or model.n_support_.sum() != model.dual_coef_.shape[1]
    ):
        raise Unreadable("n_support_ does not add up to the support")


def _check_table(model: Any, source: ReadArrays) -> None:
    names = [column.name for column in model.columns_]
    if len(set(names)) < len(names) or list(model.feature_names_in_) != names or list(model.n_missing_) != names:
        raise Unreadable("columns_ has names twice, or other names than the rest")
    for column in model.columns_:
        if isinstance(column, Category) and not (
            column.levels and all(map(str.__lt__, column.levels, column.levels[1:]))
        ):
            raise Unreadable(f"columns_ has levels of {column.name!r} that are not sorted, or none")
        if isinstance(column, Text) and not (
            len(column.words) == len(column.idf) > 0 and all(map(str.__lt__, column.words, column.words[1:]))
        ):
            raise Unreadable(f"columns_ has words of {column.name!r} that are not sorted, or have other weights")
    dates = model.cells_.dates
    if not model.cells_.sane or not {*names, *model.cells_.numerals}.isdisjoint(dates):
        raise Unreadable("cells_ has a format of numbers or dates that does not exist")


def _check_used(model: Any, source: ReadArrays) -> None:
    columns = model.columns_
    if not columns.size or (np.diff(columns) <= 0).any() or columns[-1] >= model.n_features_in_:
        raise Unreadable("columns_ is empty, not ascending, or has numbers beyond n_features_in_")


def _check_centres(model: Any, source: ReadArrays) -> None:
    if not (model.widths_ > 0).all():
        raise Unreadable("widths_ has values that are not positive")


LINEAR_CLASSIFIER = Entry(
    {
        **CLASSES,
        "coef_": Array("f", "outputs", "features"),
        "intercept_": Array("f", "outputs"),
        "votes_": VOTES,
        "cycle_": CYCLE,
        "stream": PrimalLearning(),
        **LEARNED,
        **CLASSIFIED,
    },
    ("n_features_in_", "classes_", "coef_", "intercept_", "stream"),
    _check_linear,
)
LINEAR_REGRESSOR = Entry(
    {
        **COLUMNS,
        "coef_": Array("f", "features"),
        "intercept_": Array("f", "outputs"),
        "stream": PrimalLearning(),
        **LEARNED,
    },
    ("n_features_in_", "coef_", "intercept_", "stream"),
    _check_linear,
)
DUAL_CLASSIFIER = Entry(
    {
        **CLASSES,
        "stream": DualLearning(),
        "support_": Array("i", "support", low=0),
        "support_vectors_": Sparse("support", "support features"),
        "dual_coef_": Array("f", "outputs", "support"),
        "intercept_": Array("f", "outputs"),
        "votes_": DUAL_VOTES,
        **LEARNED,
        **CLASSIFIED,
    },
    ("n_features_in_", "classes_", "stream", "support_", "support_vectors_", "dual_coef_", "intercept_"),
    _check_kernel,
)
SOLVED: dict[str, Kind] = {
    **PASSES,
    "objective_": Float(finite=False),
    "duality_gap_": Float(finite=False),
    "history_": HistoryKind(lists=False),
}
SUPPORT: dict[str, Kind] = {
    "support_": Array("i", "support", low=0),
    "dual_coef_": Array("f", "outputs", "support"),
    "intercept_": Array("f", "outputs"),
}
SUPPORT_OF_PAIRS: dict[str, Kind] = {  # ``_check_pairs`` compares their shapes, which are others for pairs of classes
    "support_": Array("i", "support", low=0),
    "n_support_": Array("i", "classes", low=0),
    "dual_coef_": Array("f", None, "support"),
    "intercept_": Array("f", None),
}
LAST = Record(
    lambda alphas, C: (alphas, C),
    {"alphas": Array("f"), "C": Float(5e-324, finite=False)},
    read=lambda last: {"alphas": last[0], "C": last[1]},
)
LINEAR_MACHINE = Entry(
    {
        **CLASSES,
        "coef_": Array("f", "outputs", "features"),
        **SUPPORT,
        "slack_": Array("f"),
        "margin_": NumberOrArray(),
        "last_solution": LAST,
        "loss_": String(),
        "solver_": String(),
        **SOLVED,
    },
    ("n_features_in_", "classes_", "coef_", "intercept_"),
    _check_machine,
)
KERNEL_MACHINE = Entry(
    {
        **CLASSES,
        **SUPPORT_OF_PAIRS,
        "support_vectors_": Sparse("support", "support features"),
        "fitted_kernel": KernelOf(),
        "support_points": POINTS,
        **SOLVED,
    },
    ("n_features_in_", "classes_", "dual_coef_", "intercept_", "fitted_kernel", "support_points"),
    _check_pairs,
    {"multiclass": "ovr"},
)
COLUMN = Alternative(
    {
        Number: Record(
            Number,
            {"name": String(), "fill": Float(), "center": Float(), "scale": Float(np.finfo(float).smallest_subnormal)},
        ),
        Category: Record(Category, {"name": String(), "levels": Several(String()), "missing": Flag()}),
        Text: Record(Text, {"name": String(), "words": Several(String()), "idf": Several(Float(0.0))}),
    },
    "kind",
)
NUMERAL = Record(Numeral, {"decimal": String(), "thousands": String(), "unit": String()})
CELLS = Record(Cells, {"missing": Several(String()), "numerals": Named(NUMERAL), "dates": Named(String())})
TABLE = Entry(
    {**COLUMNS, "columns_": Several(COLUMN), "n_missing_": Named(Whole()), "cells_": CELLS},
    ("n_features_in_", "feature_names_in_", "columns_", "n_missing_"),
    _check_table,
)
CENTRES = Entry(
    {**COLUMNS, "centers_": Array("f", "centers", "features"), "widths_": Array("f", "centers")},
    ("n_features_in_", "centers_", "widths_"),
    _check_centres,
)

USED = Entry(
    {"n_features_in_": Whole(1), "columns_": Array("i", "columns", low=0)}, ("n_features_in_", "columns_"), _check_used
)

OF_LEARNERS = {  # by what their table says
    ("classes", True): LINEAR_CLASSIFIER,
    ("numbers", True): LINEAR_REGRESSOR,
    ("classes", False): DUAL_CLASSIFIER,
}
CATALOGUE: dict[type, Entry] = {
    **{row.kind(): OF_LEARNERS[row.task, row.linear] for row in LEARNERS},
    LinearSVM: LINEAR_MACHINE,
    KernelSVM: KERNEL_MACHINE,
    TableEncoder: TABLE,
    RadialBasis: CENTRES,
    UsedColumns: USED,
}
CLASSES_BY_NAME = {kind.__name__: kind for kind in CATALOGUE}


def check_choices(model: Any) -> None:
    """Whether parameters are such as the class takes."""
    try:
        check(model)
    except (ValueError, TypeError) as error:
        raise Unreadable(f"its parameters are refused: {error}") from None
