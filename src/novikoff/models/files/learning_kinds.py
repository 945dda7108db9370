"""Where learning stands, as a kind of value: running weights and, in the dual form, kernel and support."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ...dual.dual_machine import Span
from ...dual.kernels import RBF, Linear, Points, Poly, Precomputed
from ...estimators.base import SETTLED, checked_parameters, learned_by, rule_of
from ...learn.keeps import Last
from ...learn.learning import Learned
from ...learn.rows import CSR, Dense, by_columns
from ...learn.state import BAD_ROW, EXCUSED, PAUSE, State, memory_size
from .array_kinds import Array, Sparse
from .learner_parts import Keep
from .value_kinds import Kind, Out, Real, Record, Source, Unreadable, Unstorable, Whole

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

    def unpack(self, stored: Any, name: str, source: Source) -> Linear:
        if not isinstance(stored, dict) or stored.get("name") not in self.NAMES.values():
            raise Unreadable(f"{name} is not a kernel")
        wanted = {"poly": ["degree", "gamma", "coef0"], "rbf": ["gamma"]}.get(stored["name"], [])
        if set(stored) != {"name", *wanted}:
            raise Unreadable(f"{name} lacks something, or has something unknown")
        numbers = {key: Real().unpack(stored[key], f"{name}.{key}", source) for key in wanted}
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


def check_points(points: Points, kernel: Linear, name: str, source: Source) -> None:
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
    "constant2": Real(0.0),
    "keep": Keep(),
}


def read_state(stored: Any, name: str, source: Source, shape: tuple[int, int]) -> tuple[Last, State, float]:
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
    memory = _read_memory(stored.get("memory"), name, source)
    state = State(weights, parts["bias"], overcount, parts["bias_debt"], counts, keep.pauses, memory)
    return keep, state, parts["constant2"]


def _read_memory(stored: Any, name: str, source: Source) -> np.ndarray:
    """What the rule remembers: in the file of a learner whose rule remembers something, and in no other."""
    outputs, size = source.sizes["outputs"], memory_size(rule_of(source.learner))
    if (stored is not None) != (size > 0):
        raise Unreadable(f"{name} lacks what the rule remembers, or has something unknown")
    if not size:
        return np.zeros((outputs, 0))
    memory = Array("f", outputs, size, low=0.0).unpack(stored, f"{name}.memory", source)
    if memory.dtype != np.float64 or not memory.flags.c_contiguous:
        raise Unreadable(f"{name}.memory has numbers of an unknown type, or not in rows")
    return memory


class PrimalLearning(Kind):
    """Where learning stands: ``partial_fit`` goes on from it."""

    def pack(self, value: Any, name: str, out: Out) -> Any:
        state = value.state
        parts = {**state._asdict(), "debt": state.overcount, "bias_debt": state.bias_overcount}
        parts |= {"constant2": value.constant2, "keep": value.keep}
        packed = {key: kind.pack(parts[key], f"{name}.{key}", out) for key, kind in STATE.items()}
        if state.memory.size:
            packed["memory"] = out.put(state.memory, f"{name}.memory")
        return packed | self._pack_rows(value.rows, name, out)

    def _pack_rows(self, rows: Any, name: str, out: Out) -> dict[str, Any]:
        return {"layout": "sparse" if by_columns(rows) else "dense"}

    def unpack(self, stored: Any, name: str, source: Source) -> Any:
        if not isinstance(stored, dict) or set(stored) - {"memory"} != {*STATE, "layout"}:
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

    def unpack(self, stored: Any, name: str, source: Source) -> Any:
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
