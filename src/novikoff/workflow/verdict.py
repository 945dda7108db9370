"""Whether rows are linearly separable: asked for, or said unasked of a fit where that is cheap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from operator import add
from typing import Any

import numpy as np
from scipy import sparse

from ..inputs.clock import Clock, Room
from ..proof.answer.describe import verdict
from ..proof.answer.proofs import Proof, prove
from ..proof.answer.reasons import PLAIN, Model, Variable
from ..proof.problem.read_rows import read
from ..rows.encoding.encoder import TableEncoder
from ..rows.encoding.feature_columns import Category, Number
from ..rows.store.blocks import Block, DataError, TableBlock
from ..rows.store.splits import PartOf
from .documents import HIDDEN, Result
from .loading import Rows
from .proving import weights_as_given
from .training import Trained, fit_encoder

CHEAP = 1_000_000  # numbers, encoded, and leads over other classes, up to which ``fit`` asks unasked
SECONDS = 2.0  # that it spends on the answer at most


@dataclass(frozen=True, kw_only=True)
class Separability(Result):
    """What is said of separability unasked."""

    kind: str | None
    text: str
    ask: str | None  # how to ask for the proof
    proof: Proof | None = field(default=None, compare=False, repr=False, metadata=HIDDEN)


def as_given(rows: Rows) -> tuple[Any, np.ndarray, list[str], Model]:
    """The rows as they stand in the files, except for missing values and categories: X, y, the features' names and what these are
    made of."""
    encoder = fit_encoder(rows, None, standardise=False)
    X, y = rows.gather(encoder, None)
    model = model_of(encoder, np.unique(y), rows.schema.target)
    if isinstance(encoder, TableEncoder):
        model = model._replace(terms=partial(_terms, X, encoder.columns_))
    return X, y, feature_names(rows.schema.n_features, encoder), model


def model_of(encoder: Any, labels: np.ndarray, target: str | None) -> Model:
    """The columns of a table.  The levels of a category are compared with its first one, as in R: that one is taken last."""
    outcomes = tuple(f"{target} = {label}" for label in labels) if target else None
    if not isinstance(encoder, TableEncoder):
        return Model(outcomes=outcomes)
    order: list[int] = []
    for column in encoder.columns_:
        places = range(len(order), len(order) + len(column.features))
        order += [*places[1:], *places[:1]]
    return Model(outcomes=outcomes, order=np.array(order))


def _terms(X: Any, columns: tuple[Number | Category, ...]) -> Iterator[tuple[Variable]]:
    """The variables of a table, of its encoded rows."""
    X, place = sparse.csc_array(X) if sparse.issparse(X) else X, 0
    for column in columns:
        own = X[:, place : place + len(column.features)]
        own = own.toarray() if sparse.issparse(own) else np.asarray(own)
        place += len(column.features)
        if isinstance(column, Number):
            yield (Variable.of_numbers(column.name, own[:, 0]),)
        else:
            texts = np.array([name.removeprefix(f"{column.name}=") for name in column.features], dtype=object)
            yield (Variable(column.name, texts[own.argmax(axis=1)]),)


def feature_names(width: int, encoder: Any) -> list[str]:
    """The names of encoded features; those of sparse rows count from 1, as their files do."""
    return [f"x{j + 1}" for j in range(width)] if encoder is None else list(map(str, encoder.get_feature_names_out()))


def prove_rows(
    X: Any,
    y: np.ndarray,
    names: list[str],
    time_limit: float | None,
    max_margin: bool,
    model: Model = PLAIN,
    trained: Trained | None = None,
    room: Room | None = None,
) -> Proof:
    """``separability`` with the features' names; the weights of a learner, if there is one, are tried first."""
    pairs, classes, _ = read(X, y, True)
    guess = weights_as_given(trained.learner, trained.encoder, names, classes) if trained is not None else None
    proof = prove(pairs, classes, np.array(names, dtype=object), Clock(time_limit, room=room), max_margin, guess=guess)
    return replace(proof, _model=model)


def filled_in(rows: Rows) -> list[str]:
    """A note, where numbers were missing: the proof is of rows in which something stands instead."""
    missing = rows.fold(_missing_numbers, add)
    if not missing:
        return []
    what = "1 missing number was" if missing == 1 else f"{missing:,} missing numbers were"
    return [f"{what} filled in with medians: the verdict is of the rows as filled in (missing='drop' leaves them out)"]


def _missing_numbers(blocks: Iterable[Block]) -> int:
    return sum(int(np.count_nonzero(np.isnan(block.numbers))) for block in blocks if isinstance(block, TableBlock))


def refuse_rounded(rows: Rows) -> None:
    """Raise where a proof would be about rounded numbers."""
    if rows.data.rounded is not None:
        raise DataError(f"{_why_not(rows)}.")


def _why_not(rows: Rows) -> str:
    found = rows.data.rounded
    assert found is not None
    return (
        f"{found.place}: {found} cannot be held by float64 exactly, so nothing can be proved of these rows. "
        f"{found.remedy}"
    )


def cheap_verdict(rows: Rows, trained: Trained, members: PartOf | None, ask: str) -> tuple[Separability, int | None]:
    """What a fit says of separability, and Novikoff's bound of the perceptron's mistakes on the rows it learned from."""
    if rows.data.rounded is not None:
        return Separability(kind=None, text=f"not said: {_why_not(rows)}", ask=None), None
    encoder = trained.encoder
    width = rows.schema.n_features if encoder is None else len(encoder.get_feature_names_out())
    if rows.n_rows * max(width, len(rows.schema.labels)) > CHEAP:
        return Separability(kind=None, text="not looked at: the data are large", ask=ask), None
    X, y, names, model = as_given(rows)
    proof = prove_rows(X, y, names, SECONDS, False, model, trained)
    text = verdict(proof, proof._pairs)
    bound = None
    if proof.separable and _bounded(trained.learner):
        X, y = rows.gather(encoder, members)
        if np.unique(y).size == len(proof.classes):
            names = feature_names(rows.schema.n_features, encoder)
            bound = prove_rows(X, y, names, SECONDS, max_margin=True).mistake_bound
    return Separability(kind=proof.kind, text=text, ask=ask, proof=proof), bound


def _bounded(learner: Any) -> bool:
    """Whether Novikoff's theorem, as ``separability`` has it, holds for this learner."""
    return (
        type(learner).__name__ == "Perceptron"
        and learner.batch_size == 1
        and isinstance(learner.init, str)
        and learner.init == "zeros"
        and learner.fit_intercept
        and learner.intercept_scaling == 1
        and learner.class_weight is None
        and learner.multiclass == "worst"
    )
