"""Where learning stands, as a kind of value: running weights and, in the dual form, kernel and support."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ...dual.dual_machine import Span
from ...dual.dual_votes import DualVotes
from ...dual.kernels import RBF, Linear, Points, Poly, Precomputed
from ...estimators.base import SETTLED, checked_parameters, empty_keep, learned_by, rule_of
from ...learn.keeps import Last, Layout, Stored, Votes
from ...learn.learning import Learned
from ...learn.rows import CSR, Dense, by_columns
from ...learn.state import BAD_ROW, EXCUSED, PAUSE, State, memory_of
from ...proof.check.cycles import Cycle
from .value_kinds import (
    Array,
    Flag,
    Float,
    Kind,
    Maybe,
    Out,
    ReadArrays,
    Record,
    Sparse,
    String,
    Unreadable,
    Unstorable,
    Whole,
)

# What learners remember beside their weights, as kinds of values: records, votes, what keeps remember.


class HistoryKind(Kind):
    """Lists of numbers, one entry a pass: a history."""

    def __init__(self, lists: bool) -> None:
        self._lists = lists

    def pack(self, value: Any, name: str, out: Out) -> Any:
        return {key: out.put(np.asarray(values), f"{name}.{key}") for key, values in value.items()}

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> Any:
        if not isinstance(stored, dict):
            raise Unreadable(f"{name} is not a history")
        found = {}
        for key, values in stored.items():
            numbers = Array("fi", f"{name} entries", finite=False).unpack(values, f"{name}.{key}", source)
            found[String().unpack(key, name, source)] = numbers.tolist() if self._lists else numbers
        if found and "seconds" not in found:
            raise Unreadable(f"{name} does not say how long it took")
        return found


class Counts(Kind):
    """Weights of the rows of each class that were seen, in the order in which classes came."""

    def pack(self, value: Any, name: str, out: Out) -> Any:
        return [[key, Float().pack(count, name, out)] for key, count in value.items()]

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> dict[Any, float]:
        labels = {label: label for label in source.learner.classes_.tolist()}
        found = {}
        for item in stored if isinstance(stored, list) else [None]:
            if (
                not isinstance(item, list)
                or len(item) != 2
                or isinstance(item[0], list | dict)
                or item[0] not in labels
            ):
                raise Unreadable(f"{name} counts rows of unknown classes")
            found[labels[item[0]]] = Float(0.0).unpack(item[1], name, source)
        return found


VOTES = Record(
    Votes,
    {
        "coef": Array("f", "votes", "outputs", "features"),
        "intercept": Array("f", "votes", "outputs"),
        "tenure": Array("f", "votes", low=5e-324),
    },
)
DUAL_VOTES = Record(
    DualVotes,
    {
        "steps": Sparse("support", None, dense=False),
        "intercept": Array("f", "votes", "outputs"),
        "tenure": Array("f", "votes", low=5e-324),
    },
)


class CycleRecord(Record):
    """A cycle; older files lack its last part.  What the learner says of classes and intercept is not stored again."""

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> Cycle:
        stored = {"against_rest": None, **stored} if isinstance(stored, dict) else stored
        parts, learner = super().unpack(stored, name, source), source.learner
        if (
            parts["against_rest"] is None
        ):  # of an older file, which does not say whether one class or all of them are meant
            parts["proves_inseparable"] = parts["proves_inseparable"] and parts["steps"].shape[1] == 1
            parts["against_rest"] = np.empty(0, np.int64)
        return Cycle(**parts, classes=learner.classes_, fit_intercept=bool(learner.fit_intercept))


CYCLE = CycleRecord(
    dict,
    {
        "rows": Array("i", "cycle", low=0),
        "steps": Array("f", "cycle", "outputs"),
        "proves_inseparable": Flag(),
        "against_rest": Maybe(Array("i", None, low=0)),
    },
)


class Keep(Kind):
    """The memory of the learner's ``keep``, which says itself what that is."""

    def pack(self, value: Any, name: str, out: Out) -> Any:
        return Remembered(value.layout).pack(value.remembered(), name, out)

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> Last:
        learner = source.learner
        keep = empty_keep(learner)
        try:
            keep.recall(Remembered(keep.layout).unpack(stored, name, source), source.sizes["outputs"])
        except ValueError as error:
            raise Unreadable(f"{name} {error}") from None
        return keep


class Remembered(Kind):
    """What a keep remembers, of this layout; None: nothing."""

    def __init__(self, layout: Layout) -> None:
        self._kinds = {field: _kind_of(part) for field, part in layout.items()}

    def pack(self, value: Any, name: str, out: Out) -> Any:
        if value is None:
            return None
        return {field: kind.pack(value[field], self._place(name, field), out) for field, kind in self._kinds.items()}

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> dict[str, Any] | None:
        if stored is None:
            return None
        if not isinstance(stored, dict) or set(stored) != set(self._kinds):
            raise Unreadable(f"{name} lacks something, or has something unknown")
        return {
            field: kind.unpack(stored[field], self._place(name, field), source) for field, kind in self._kinds.items()
        }

    def _place(self, name: str, field: str) -> str:
        return name if isinstance(self._kinds[field], Remembered) else f"{name}.{field}"


def _kind_of(part: Stored | Layout) -> Kind:
    if not isinstance(part, Stored):
        return Remembered(part)
    if not part.sizes:
        return Float(part.low, finite=part.finite)
    return Array("i" if part.whole else "f", *part.sizes, low=part.low, finite=part.finite)


LARGEST_DEGREE = 1000  # of a polynomial: more would take far too long to compute
EMPTY_COLUMNS = 1 << 24  # that sparse rows may have without a value in them, since products take room for each, ...
COLUMNS_A_VALUE = 1000  # ... and so many more for each value that a file has


class KernelOf(Kind):
    """A kernel with its numbers."""

    NAMES = {Linear: "linear", Poly: "poly", RBF: "rbf", Precomputed: "precomputed"}  # noqa: RUF012

    def pack(self, value: Any, name: str, out: Out) -> Any:
        if type(value) not in self.NAMES:
            raise Unstorable(f"{name} is a function, which cannot be stored: only data can be stored")
        return {"name": self.NAMES[type(value)], **{key: float(number) for key, number in vars(value).items()}}

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> Linear:
        if not isinstance(stored, dict) or stored.get("name") not in self.NAMES.values():
            raise Unreadable(f"{name} is not a kernel")
        wanted = {"poly": ["degree", "gamma", "coef0"], "rbf": ["gamma"]}.get(stored["name"], [])
        if set(stored) != {"name", *wanted}:
            raise Unreadable(f"{name} lacks something, or has something unknown")
        numbers = {key: Float().unpack(stored[key], f"{name}.{key}", source) for key in wanted}
        if stored["name"] == "rbf":
            return RBF(numbers["gamma"])
        if stored["name"] == "poly":
            if not (0 <= numbers["degree"] <= LARGEST_DEGREE and numbers["degree"].is_integer()):
                raise Unreadable(f"{name} has a degree that is not from 0 to {LARGEST_DEGREE}")
            return Poly(int(numbers["degree"]), numbers["gamma"], numbers["coef0"])
        return Linear() if stored["name"] == "linear" else Precomputed()


POINTS = Record(
    Points,
    {
        "X": Sparse("support", "support features"),
        "squares": Array("f", None, low=0.0),
        "numbers": Array("i", "support", low=0),
    },
)


def check_points(points: Points, kernel: Linear, name: str, source: ReadArrays) -> None:
    """Whether rows of a support are such as its kernel reads."""
    given = isinstance(kernel, Precomputed)
    features = source.sizes["features"]
    if points.X.shape[1] != (0 if given else features) or points.squares.size != (0 if given else len(points.numbers)):
        raise Unreadable(f"{name} has rows of another width")
    if sparse.issparse(points.X) and features > EMPTY_COLUMNS + COLUMNS_A_VALUE * points.X.nnz:
        raise Unreadable(f"{name} has {features:,} columns, far too many for the few values it has")
    if points.numbers.dtype != np.intp or np.any(np.diff(points.numbers) <= 0):
        raise Unreadable(f"{name} has row numbers that do not ascend")
    if given and points.numbers.size and points.numbers[-1] >= features:
        raise Unreadable(f"{name} has row numbers that are not in the training data")


STATE = {
    "weights": Array("f", None, None),
    "bias": Array("f", "outputs"),
    "debt": Array("f", None, None),  # the overcount of an average
    "bias_debt": Array("f", None),
    "counts": Array("f", BAD_ROW + 1, low=-1.0),
    "constant2": Float(0.0),
    "keep": Keep(),
}


def read_state(stored: Any, name: str, source: ReadArrays, shape: tuple[int, int]) -> tuple[Last, State, float]:
    """The keep and the running weights, of this shape."""
    parts = {key: kind.unpack(stored[key], f"{name}.{key}", source) for key, kind in STATE.items()}
    weights, overcount, counts, keep = parts["weights"], parts["debt"], parts["counts"], parts["keep"]
    averages = keep.averages
    sizes = weights.shape == shape and (overcount.shape == shape if averages else overcount.size == 0)
    sizes = sizes and parts["bias_debt"].size == (parts["bias"].size if averages else 0)
    types = (
        weights.dtype == parts["bias"].dtype
        and overcount.dtype == parts["bias_debt"].dtype == counts.dtype == np.float64
    )
    fair = np.all(counts[:BAD_ROW] >= 0) and counts[BAD_ROW] == -1 and counts[PAUSE] <= EXCUSED
    if not (sizes and types and fair and float(counts[PAUSE]).is_integer()):
        raise Unreadable(f"{name} contradicts the rest")
    memory = _read_memory(stored, name, source, stored.get("layout") == "sparse")
    state = State(weights, parts["bias"], overcount, parts["bias_debt"], counts, keep.pauses, *memory)
    return keep, state, parts["constant2"]


MEMORY = ("memory", "per_weight", "per_column")  # what a rule remembers: of each output, of each weight, of each column


def _read_memory(stored: Any, name: str, source: ReadArrays, columns_first: bool) -> list[np.ndarray]:
    """What the rule remembers: in the file of a learner whose rule remembers something, and in no other."""
    outputs, features = source.sizes["outputs"], source.sizes["features"]
    remembers = memory_of(rule_of(source.learner))
    sizes: list[tuple[int, ...]] = [(outputs, remembers.output), remembers.weights_shape(outputs, features)]
    if columns_first:
        sizes[1] = (sizes[1][0], sizes[1][2], sizes[1][1])
    found = []
    for part, wanted in zip(MEMORY, [*sizes, remembers.columns_shape(features)], strict=True):
        if (part in stored) != (np.prod(wanted) > 0):
            raise Unreadable(f"{name} lacks what the rule remembers, or has something unknown")
        array = np.zeros(wanted)
        if part in stored:
            array = Array("f", *wanted, low=0.0).unpack(stored[part], f"{name}.{part}", source)
            if array.dtype != np.float64 or not array.flags.c_contiguous:
                raise Unreadable(f"{name}.{part} has numbers of an unknown type, or not in rows")
        found.append(array)
    return found


class PrimalLearning(Kind):
    """Where learning stands: ``partial_fit`` goes on from it."""

    def pack(self, value: Any, name: str, out: Out) -> Any:
        state = value.state
        parts = {**state._asdict(), "debt": state.overcount, "bias_debt": state.bias_overcount}
        parts |= {"constant2": value.constant2, "keep": value.keep}
        packed = {key: kind.pack(parts[key], f"{name}.{key}", out) for key, kind in STATE.items()}
        for part in MEMORY:
            if getattr(state, part).size:
                packed[part] = out.put(getattr(state, part), f"{name}.{part}")
        return packed | self._pack_rows(value.rows, name, out)

    def _pack_rows(self, rows: Any, name: str, out: Out) -> dict[str, Any]:
        return {"layout": "sparse" if by_columns(rows) else "dense"}

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> Any:
        if not isinstance(stored, dict) or set(stored) - {*MEMORY} != {*STATE, "layout"}:
            raise Unreadable(f"{name} lacks something, or has something unknown")
        shape, layout = (source.sizes["outputs"], source.sizes["features"]), stored["layout"]
        if layout not in ("dense", "sparse"):
            raise Unreadable(f"{name} has weights in an unknown layout")
        keep, state, constant2 = read_state(stored, name, source, shape if layout == "dense" else shape[::-1])
        if not state.weights.flags.c_contiguous or not (state.overcount.flags.c_contiguous or not state.overcount.size):
            raise Unreadable(f"{name} has weights that are not in rows")
        dtype, index = state.weights.dtype, np.uint32
        rows = (
            Dense(np.empty((0, shape[1]), dtype))
            if layout == "dense"
            else CSR(np.empty(0, dtype), np.empty(0, index), np.empty(0, index))
        )
        return Learned(keep, state, rows, constant2, checked_parameters(source.learner))


class DualLearning(PrimalLearning):
    """The same of a learner in the dual form, with its support."""

    SPAN = {  # noqa: RUF012
        "kernel": KernelOf(),
        "points": POINTS,
        "square": Array("f", 1),
        "seen": Whole(),
        "random": Record(
            lambda state, spare, uinteger: (state, spare, uinteger),
            {"state": Array("u", 4), "spare": Whole(0, 1), "uinteger": Whole(0, 2**32 - 1)},
            read=lambda rng: {
                "state": rng.bit_generator.state["state"]["state"],
                "spare": rng.bit_generator.state["has_uint32"],
                "uinteger": rng.bit_generator.state["uinteger"],
            },
        ),
    }

    def _pack_rows(self, rows: Any, name: str, out: Out) -> dict[str, Any]:
        parts = {**rows._asdict(), "random": rows.rng}
        return {key: kind.pack(parts[key], f"{name}.{key}", out) for key, kind in self.SPAN.items()}

    def unpack(self, stored: Any, name: str, source: ReadArrays) -> Any:
        if not isinstance(stored, dict) or set(stored) != {*STATE, *self.SPAN}:
            raise Unreadable(f"{name} lacks something, or has something unknown")
        parts = {key: kind.unpack(stored[key], f"{name}.{key}", source) for key, kind in self.SPAN.items()}
        points, (words, spare, uinteger) = parts["points"], parts["random"]
        check_points(points, parts["kernel"], f"{name}.points", source)
        shape = source.sizes["outputs"], len(points.numbers)
        keep, state, constant2 = read_state(stored, name, source, shape)
        if state.weights.dtype != np.float64 or parts["square"].dtype != np.float64 or words.dtype != np.uint64:
            raise Unreadable(f"{name} has numbers of an unknown type")
        if not np.isin(keep.rows_remembered(), points.numbers).all():
            raise Unreadable(f"{name}.keep has steps of rows that are not in the support")
        bits = np.random.SFC64(0)
        bits.state = {"bit_generator": "SFC64", "state": {"state": words}, "has_uint32": spare, "uinteger": uinteger}
        span = Span(
            parts["kernel"], points, np.empty((0, 0)), parts["square"], np.random.Generator(bits), parts["seen"]
        )
        return Learned(keep, state, span, constant2, checked_parameters(source.learner))


def refuse_changed(learner: Any) -> None:
    """Refuse to store a learner whose choices were changed since it learned, so that they contradict what it remembers."""
    before = learned_by(learner).parameters
    for name in SETTLED:
        if vars(learner).get(name) != before.get(name):
            raise Unstorable(
                f"{name} was changed since the learner was fitted: fit again, or set it back to {before[name]!r}"
            )
