"""What learners remember beside their weights, as kinds of values: records, votes, keeps, kernels, where a stream stands."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cycles import Cycle
from ..dual import Span
from ..dual_votes import DualVote, DualVotes, Voter
from ..estimators.base import Continuation
from ..estimators.combinations import SETTLED, checked_parameters
from ..estimators.kernel_perceptron import KernelContinuation
from ..keeps import KEEPS, Last, Pocket, Run, Vote, Votes
from ..kernels import RBF, Linear, Points, Poly, Precomputed
from ..problem import BAD_ROW, EXCUSED, PAUSE, State
from ..rows import CSR, Dense
from .kinds import Array, Flag, Kind, Maybe, Out, Real, Record, Source, Sparse, Text, Unreadable, Unstorable, Whole

LARGEST_DEGREE = 1000  # of a polynomial: more would take for ever to reckon


class Records(Kind):
    """Lists of numbers, one entry a pass: a history."""

    def __init__(self, lists: bool) -> None:
        self._lists = lists

    def pack(self, value: Any, name: str, out: Out) -> Any:
        return {key: out.put(np.asarray(values), f"{name}.{key}") for key, values in value.items()}

    def unpack(self, stored: Any, name: str, source: Source) -> Any:
        if not isinstance(stored, dict):
            raise Unreadable(f"{name} is no history")
        found = {}
        for key, values in stored.items():
            numbers = Array("fi", f"{name} entries", finite=False).unpack(values, f"{name}.{key}", source)
            found[Text().unpack(key, name, source)] = numbers.tolist() if self._lists else numbers
        if found and "seconds" not in found:
            raise Unreadable(f"{name} does not say how long it took")
        return found


class Counts(Kind):
    """Weights of the rows of each class that were seen, in the order in which classes came."""

    def pack(self, value: Any, name: str, out: Out) -> Any:
        return [[key, Real().pack(count, name, out)] for key, count in value.items()]

    def unpack(self, stored: Any, name: str, source: Source) -> dict[Any, float]:
        labels = source.learner.classes_.tolist()
        found = {}
        for item in stored if isinstance(stored, list) else [None]:
            if (
                not isinstance(item, list)
                or len(item) != 2
                or isinstance(item[0], list | dict)
                or item[0] not in labels
            ):
                raise Unreadable(f"{name} counts rows of unknown classes")
            found[labels[labels.index(item[0])]] = Real(0.0).unpack(item[1], name, source)
        return found


VOTES = Record(
    Votes,
    {
        "coef": Array("f", "votes", "outputs", "features"),
        "intercept": Array("f", "votes", "outputs"),
        "tenure": Array("f", "votes", low=5e-324),
    },
)
PAST = Record(
    lambda coef, intercept, tenure: list(zip(coef, intercept, tenure.tolist(), strict=True)),
    {
        "coef": Array("f", "past", "outputs", "features"),
        "intercept": Array("f", "past", "outputs"),
        "tenure": Array("f", "past", low=0.0),
    },
    read=lambda past: dict(
        zip(("coef", "intercept", "tenure"), (np.array(part) for part in zip(*past, strict=True)), strict=True)
    ),
)
DUAL_VOTES = Record(
    DualVotes,
    {
        "steps": Sparse("support", None, dense=False),
        "intercept": Array("f", "votes", "outputs"),
        "tenure": Array("f", "votes", low=5e-324),
    },
)
CYCLE = Record(
    Cycle,
    {
        "rows": Array("i", "cycle", low=0),
        "steps": Array("f", "cycle", "outputs"),
        "proves_inseparable": Flag(),
    },
)
POCKET = Maybe(
    Record(
        lambda coef, intercept: (coef, intercept),
        {"coef": Array("f", "outputs", "features"), "intercept": Array("f", "outputs")},
        read=lambda pocket: {"coef": pocket[0], "intercept": pocket[1]},
    )
)


def _dual_past(keep: DualVote) -> dict[str, Any]:
    """All steps in a row, and where voters and blocks of steps end."""
    groups = [voter.steps for voter in keep._past] + [keep._since]
    pieces = [piece for group in groups for piece in group]
    empty = np.empty(0, np.intp), np.empty((0, 0))
    return {
        "groups": np.array([len(group) for group in groups]),
        "sizes": np.array([len(who) for who, _ in pieces], np.intp),
        "who": np.concatenate([who for who, _ in pieces]) if pieces else empty[0],
        "steps": np.concatenate([steps.T for _, steps in pieces]) if pieces else empty[1],
        "intercept": np.array([voter.intercept for voter in keep._past]) if keep._past else empty[1],
        "tenure": np.array([voter.tenure for voter in keep._past]),
    }


DUAL_PAST = Record(
    lambda **parts: parts,
    {
        "groups": Array("i", None, low=0),
        "sizes": Array("i", None, low=0),
        "who": Array("i", "steps", low=0),
        "steps": Array("f", "steps", None),
        "intercept": Array("f", "past", None),
        "tenure": Array("f", "past", low=0.0),
    },
    read=_dual_past,
)


def _restore_dual_past(keep: DualVote, parts: dict[str, np.ndarray], source: Source, name: str) -> None:
    groups, sizes, outputs = parts["groups"], parts["sizes"], source.sizes["outputs"]
    wide = [len(part) == 0 or part.shape[1] == outputs for part in (parts["steps"], parts["intercept"])]
    whole = groups.size == parts["tenure"].size + 1 and groups.sum() == sizes.size and sizes.sum() == parts["who"].size
    if not (whole and all(wide)) or max(groups.max(), sizes.max(initial=0)) > 2**48:
        raise Unreadable(f"{name} has parts that contradict each other")
    ends = np.cumsum(sizes)[:-1]
    pieces = list(zip(np.split(parts["who"], ends), (part.T for part in np.split(parts["steps"], ends)), strict=True))
    pieces = pieces if sizes.size else []
    ends = np.cumsum(groups)
    grouped = [pieces[end - count : end] for end, count in zip(ends, groups, strict=True)]
    voters = zip(grouped, parts["intercept"], parts["tenure"].tolist(), strict=False)
    keep._past, keep._since = [Voter(*voter) for voter in voters], grouped[-1]


class Keep(Kind):
    """The memory of the learner's ``keep``."""

    def pack(self, value: Any, name: str, out: Out) -> Any:
        if isinstance(value, Vote):
            return PAST.pack(value._past, name, out) if value._past else None
        if isinstance(value, DualVote):
            return DUAL_PAST.pack(value, name, out)
        if isinstance(value, Pocket):
            return {
                "pocket": POCKET.pack(value._pocket, name, out),
                "errors": Real().pack(value._errors, name, out),
                "counted_at": Real().pack(value._counted_at, name, out),
            }
        return POCKET.pack(value._pocket, name, out) if isinstance(value, Run) else None

    def unpack(self, stored: Any, name: str, source: Source) -> Last:
        learner = source.learner
        if learner.keep == "vote":
            return self._voters(stored, name, source)
        keep = KEEPS[learner.keep]()
        if isinstance(keep, Pocket):
            if not isinstance(stored, dict) or set(stored) != {"pocket", "errors", "counted_at"}:
                raise Unreadable(f"{name} is no pocket")
            keep._errors = Real(0.0, finite=False).unpack(stored["errors"], name, source)
            keep._counted_at = Real(-1.0).unpack(stored["counted_at"], name, source)
            stored = stored["pocket"]
        if isinstance(keep, Run):
            keep._pocket = POCKET.unpack(stored, name, source)
        elif stored is not None:
            raise Unreadable(f"{name} has nothing to remember")
        return keep

    def _voters(self, stored: Any, name: str, source: Source) -> Last:
        if hasattr(source.learner, "kernel"):
            dual = DualVote(source.learner.max_votes)
            _restore_dual_past(dual, DUAL_PAST.unpack(stored, name, source), source, name)
            return dual
        keep = Vote(source.learner.max_votes)
        keep._past = [] if stored is None else PAST.unpack(stored, name, source)
        return keep


class KernelOf(Kind):
    """A kernel with its numbers."""

    NAMES = {Linear: "linear", Poly: "poly", RBF: "rbf", Precomputed: "precomputed"}  # noqa: RUF012

    def pack(self, value: Any, name: str, out: Out) -> Any:
        if type(value) not in self.NAMES:
            raise Unstorable(f"{name} is a function, which cannot be stored: nothing but data can be")
        return {"name": self.NAMES[type(value)], **{key: float(number) for key, number in vars(value).items()}}

    def unpack(self, stored: Any, name: str, source: Source) -> Linear:
        if not isinstance(stored, dict) or stored.get("name") not in self.NAMES.values():
            raise Unreadable(f"{name} is no kernel")
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
    if points.numbers.dtype != np.intp or np.any(np.diff(points.numbers) <= 0):
        raise Unreadable(f"{name} has row numbers that do not ascend")
    if given and points.numbers.size and points.numbers[-1] >= features:
        raise Unreadable(f"{name} has row numbers that training had not")


STATE = {
    "weights": Array("f", None, None),
    "bias": Array("f", "outputs"),
    "debt": Array("f", None, None),
    "bias_debt": Array("f", None),
    "counts": Array("f", BAD_ROW + 1, low=-1.0),
    "constant2": Real(0.0),
    "keep": Keep(),
}


def read_state(stored: Any, name: str, source: Source, shape: tuple[int, int]) -> tuple[Last, State, float]:
    """The keep and the running weights, of this shape."""
    parts = {key: kind.unpack(stored[key], f"{name}.{key}", source) for key, kind in STATE.items()}
    weights, debt, counts, keep = parts["weights"], parts["debt"], parts["counts"], parts["keep"]
    averages = source.learner.keep == "average"
    sizes = weights.shape == shape and (debt.shape == shape if averages else debt.size == 0)
    sizes = sizes and parts["bias_debt"].size == (parts["bias"].size if averages else 0)
    types = (
        weights.dtype == parts["bias"].dtype and debt.dtype == parts["bias_debt"].dtype == counts.dtype == np.float64
    )
    fair = np.all(counts[:BAD_ROW] >= 0) and counts[BAD_ROW] == -1 and counts[PAUSE] <= EXCUSED
    if not (sizes and types and fair and float(counts[PAUSE]).is_integer()):
        raise Unreadable(f"{name} contradicts the rest")
    state = State(weights, parts["bias"], debt, parts["bias_debt"], counts, keep.pauses)
    return keep, state, parts["constant2"]


class Stream(Kind):
    """Where learning stands: ``partial_fit`` goes on from it."""

    def pack(self, value: Any, name: str, out: Out) -> Any:
        parts = {**value.state._asdict(), "constant2": value.constant2, "keep": value.keep}
        packed = {key: kind.pack(parts[key], f"{name}.{key}", out) for key, kind in STATE.items()}
        return packed | self._pack_rows(value.rows, name, out)

    def _pack_rows(self, rows: Any, name: str, out: Out) -> dict[str, Any]:
        return {"layout": "sparse" if isinstance(rows, CSR) else "dense"}

    def unpack(self, stored: Any, name: str, source: Source) -> Any:
        if not isinstance(stored, dict) or set(stored) != {*STATE, "layout"}:
            raise Unreadable(f"{name} lacks something, or has something unknown")
        shape, layout = (source.sizes["outputs"], source.sizes["features"]), stored["layout"]
        if layout not in ("dense", "sparse"):
            raise Unreadable(f"{name} has weights in an unknown layout")
        keep, state, constant2 = read_state(stored, name, source, shape if layout == "dense" else shape[::-1])
        if not state.weights.flags.c_contiguous or not (state.debt.flags.c_contiguous or not state.debt.size):
            raise Unreadable(f"{name} has weights that are not in rows")
        dtype, index = state.weights.dtype, np.uint32
        rows = (
            Dense(np.empty((0, shape[1]), dtype))
            if layout == "dense"
            else CSR(np.empty(0, dtype), np.empty(0, index), np.empty(0, index))
        )
        return Continuation(keep, state, rows, constant2, checked_parameters(source.learner))


class KernelStream(Stream):
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
        if isinstance(keep, DualVote):
            steps = [*(step for voter in keep._past for step in voter.steps), *keep._since]
            if not all(np.isin(who, points.numbers).all() for who, _ in steps):
                raise Unreadable(f"{name}.keep has steps of rows that are not in the support")
        bits = np.random.SFC64(0)
        bits.state = {"bit_generator": "SFC64", "state": {"state": words}, "has_uint32": spare, "uinteger": uinteger}
        span = Span(
            parts["kernel"], points, np.empty((0, 0)), parts["square"], np.random.Generator(bits), parts["seen"]
        )
        return KernelContinuation(keep, state, span, constant2, checked_parameters(source.learner))


def refuse_changed(learner: Any) -> None:
    """Refuse to store a learner whose choices were changed since it learned, so that they contradict what it remembers."""
    before = learner._continue.parameters
    for name in SETTLED:
        if vars(learner).get(name) != before.get(name):
            raise Unstorable(
                f"{name} was changed since the learner was fitted: fit again, or set it back to {before[name]!r}"
            )
