"""Damage files, read them, and use what was read: each is refused by name or works.

    NUMBA_BOUNDSCHECK=1 python tests/support/attack.py {texts,columns,models} CASES SEED

With that setting every place that a kernel goes to is compared with its array, so that a step outside is an error and not
a crash, or none, later on.  Prints how many damaged files were used to the end, and how many were refused.
"""

import contextlib
import io
import random
import secrets
import sys
import tempfile
import warnings
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import feather, parquet
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import novikoff
from common import as_kind
from mutations import CSV, JSON, SVM, flipped, model_changed, text_changed
from novikoff import (
    AdalineRegressor,
    KernelPerceptron,
    KernelSVM,
    LinearSVM,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    Perceptron,
    RadialBasis,
    TableEncoder,
)
from novikoff.cli.main import program
from novikoff.compiled import jit
from novikoff.models.export.exporting import export
from novikoff.models.files.checkpoint import Checkpoint
from novikoff.models.files.packed import read_file
from novikoff.models.files.saving import ModelFileError
from novikoff.rows.readers import byte_sources
from novikoff.rows.readers.reading import Reading, open_data
from novikoff.rows.store.blocks import DataError, TableBlock
from novikoff.rows.store.row_store import Store, in_order, put_rows
from novikoff.system.files import atomic_write
from novikoff.tables.predict_table import predict_lines
from novikoff.tables.score_table import score_table
from novikoff.tables.training import learn

WIDEST = 10**5  # features that weights are made for


class Base(NamedTuple):
    """A file that is whole, what it has, and a model of it."""

    content: bytes
    ending: str
    target: str
    names: list[str]
    model: Path


def check_name(path: Path, refusal: Exception) -> None:
    """A refusal begins with the file's name."""
    assert str(refusal).startswith(str(path)), (path.read_bytes(), refusal)


# Files of rows


def with_model(folder: Path, content: bytes, ending: str, target: str, names: list[str]) -> Base:
    model = folder / f"{secrets.token_hex(4)}.novikoff"
    whole = folder / f"whole.{ending}"
    whole.write_bytes(content)
    with contextlib.redirect_stdout(io.StringIO()):
        program()(["fit", str(whole), "-t", target, "--no-test", "-o", str(model)], standalone_mode=False)
    return Base(content, ending, target, names, model)


def text_bases(folder: Path) -> list[Base]:
    table = [
        (CSV[0], "csv", "kind", ["kind", "length", "depth", "island"]),
        (CSV[1], "csv", "column3", ["column1", "column2"]),
        (CSV[2], "csv", "t", ["t", "x"]),
        (CSV[3], "csv", "b", ["a", "b"]),
        (CSV[4], "csv", "y", ["y", "u", "x", "v"]),
        (SVM[0], "svm", "label", ["label"]),
        (SVM[1], "svm", "label", ["label"]),
        (JSON[0], "jsonl", "kind", ["kind", "x", "ok"]),
        (JSON[1], "jsonl", "y", ["x", "y"]),
    ]
    return [with_model(folder, text.encode(), *rest) for text, *rest in table]


def column_bases(folder: Path) -> list[Base]:
    frame = pd.DataFrame(
        {
            "kind": np.tile(["a", "b", "c"], 20),
            "x": np.arange(60) / 7,
            "n": np.arange(60) % 13,
            "c": pd.Categorical(np.tile(["u", None, "v", "w"], 15)),
            "ok": np.arange(60) % 2 == 0,
        }
    )
    frame.loc[5, "x"] = None
    table, found = pa.Table.from_pandas(frame, preserve_index=False), []
    for packing in ("zstd", "uncompressed"):
        parquet.write_table(table, folder / "parquet", compression=packing if packing == "zstd" else "none")
        feather.write_feather(table, folder / "feather", compression=packing, chunksize=25)
        with pa.ipc.new_file(folder / "arrow", table.schema) as file:
            file.write_table(table, max_chunksize=40)
        for ending in ("parquet", "feather", "arrow"):
            content = (folder / ending).read_bytes()
            found.append(with_model(folder, content, ending, "kind", table.column_names))
    return found


def check_blocks(data):
    """Blocks are such as their schema says; how many rows they have."""
    rows = 0
    for block in data.blocks():
        n = len(block.rows)
        assert n > 0
        assert block.rows[0] >= rows
        rows = block.rows[-1] + 1
        if isinstance(block, TableBlock):
            assert block.numbers.shape == (n, len(data.schema.numbers))
            assert block.codes.shape == (n, len(data.schema.categories))
            assert not np.isinf(block.numbers).any()
            for column, name in zip(block.codes.T, data.schema.categories, strict=True):
                assert -1 <= column.min() <= column.max() < len(data.schema.levels[name])
        else:
            assert block.starts[0] == 0
            assert (np.diff(block.starts) >= 0).all()
            assert block.starts[-1] == len(block.values) == len(block.indices)
            assert np.isfinite(block.values).all()
            if len(block.indices):
                assert 0 <= block.indices.min() <= block.indices.max() < data.schema.n_features
        if data.schema.target is not None and data.schema.task == "classes":
            assert block.target.shape == (n,)
            assert 0 <= block.target.min() <= block.target.max() < len(data.schema.labels)
    return rows


def learn_from(data, limit):
    """Two passes over the rows, and a look at what was learned."""
    schema = data.schema
    with Store(limit) as store:
        for block in data.blocks():
            store.add(block)
        if schema.n_features > WIDEST:
            return
        with contextlib.suppress(
            ValueError, OverflowError
        ):  # one class only, a column without values, numbers too large
            encoder = None
            if schema.columns:
                encoder = TableEncoder(unseen="zeros").fit_blocks(schema, lambda: in_order(store), gaps=True)
            learner = Perceptron(batch_size=2) if schema.task == "classes" else PassiveAggressiveRegressor()
            learn(learner, store, schema, encoder, passes=2, seed=0)


def read_and_use(rng: random.Random, base: Base, path: Path) -> None:
    target = rng.choice([base.target, base.target, None, *base.names])
    limit = rng.choice([0, 10**9])
    match rng.choice(["read", "learn", "numbers", "score", "predict"]):
        case "read":
            data = open_data([path], target, reading=Reading(drop_missing=rng.random() < 0.3))
            rows = check_blocks(data)
            assert rows == 0 or data.locate(rows - 1).startswith(str(path))
        case "learn":
            learn_from(open_data([path], target, needed=True), limit)
        case "numbers":
            learn_from(open_data([path], target, needed=True, task="numbers"), limit)
        case "score":
            score_table(base.model, str(path), target, unseen=rng.choice(["error", "zeros"]))
        case "predict":
            scores = rng.random() < 0.5
            lines = predict_lines(base.model, str(path), scores=scores, unseen="zeros")
            atomic_write(path.with_suffix(".out"), lines)


def files_of_rows(rng: random.Random, folder: Path, cases: int, bases: list[Base], change) -> int:
    """Damage so many files, whole or in many chunks; how many could be used."""
    used, whole = 0, byte_sources.CHUNK
    try:
        for _ in range(cases):
            base = rng.choice(bases)
            path = folder / f"damaged.{base.ending}"
            path.write_bytes(change(rng, base.content))
            byte_sources.CHUNK = rng.choice([whole, whole, whole, 20])
            try:
                read_and_use(rng, base, path)
                used += 1
            except DataError as error:
                check_name(path, error)
            except Exception as error:
                raise AssertionError(f"{path.read_bytes()!r}: {error!r}") from error
    finally:
        byte_sources.CHUNK = whole
    return used


# Model files

X = np.random.default_rng(5).normal(size=(12, 2))
Y = np.digitize(X[:, 0], [-0.5, 0.5])
FRAME = pd.DataFrame({"a": [*X[:-1, 0], None], "kind": np.where(X[:, 1] > 0, "x", "y")})
ROWS = "a,kind,label,more\n0.5,x,yes,1\n-1,y,no,2\n,z,yes,3\n"  # as the first model reads them


def victims():
    """Small models of every kind of content."""
    few = {"max_iter": 2, "random_state": 0}
    table = make_pipeline(TableEncoder(unseen="zeros"), Perceptron(keep="average", class_weight="balanced", **few))
    yield table.fit(FRAME, np.where(Y > 1, "yes", "no"))
    yield make_pipeline(RadialBasis(n_centers=3, random_state=0), LinearSVM()).fit(X, Y)
    yield Perceptron(keep="pocket", init=np.ones((3, 3)), **few).fit(X, Y)
    yield PassiveAggressiveClassifier(keep="vote", max_votes=3, **few).fit(as_kind(X, "csr64"), Y)
    yield AdalineRegressor(**few).fit(X, X[:, 1])
    yield KernelPerceptron(keep="vote", max_votes=3, **few).fit(as_kind(X, "csr64"), Y)
    yield KernelPerceptron(kernel="precomputed", keep="last", **few).fit(X @ X.T, Y)
    yield KernelPerceptron(keep="average", **few).partial_fit(X, Y, classes=[0, 1, 2])
    yield KernelSVM(kernel="poly", coef0=1.0).fit(X, Y)


def victim_files(folder: Path) -> list[tuple]:
    """Of each its bytes, its header and its arrays."""
    found = []
    for place, model in enumerate(victims()):
        path = folder / f"{place}.novikoff"
        checkpoint = {"next_pass": 2, "made_from": {"seed": 0}}
        novikoff.save(model, path, notes={"target": "label", "files": ["rows.csv"], "checkpoint": checkpoint})
        found.append((path.read_bytes(), *read_file(path)))
    return found


def rows_for(model):
    """Rows of the columns that the model wants."""
    first = model[0] if hasattr(model, "steps") else model
    if not hasattr(first, "columns_"):
        return np.resize(X, (6, first.n_features_in_))
    return pd.DataFrame(
        {column.name: ["x", "z", None] if hasattr(column, "levels") else [0, 1, None] for column in first.columns_}
    )


def use_model(model, folder: Path) -> None:
    """Predict, score, learn on where the model does that, save and export."""
    data = rows_for(model)
    novikoff.save(model, folder / "again.novikoff")
    if not hasattr(model, "predict"):  # a step was taken out
        model.transform(data)
        return
    for language in ("json", "c", "javascript"):
        with contextlib.suppress(ValueError):  # what has no weights cannot be exported
            export(model, folder / f"exported.{language}", language)
    try:
        known = model.predict(data)
    except DataError:  # of a level that the model does not know, or a number far from all that it knows
        return
    assert len(known) == len(data)
    with contextlib.suppress(ValueError):  # scores that are too large
        model.score(data, known)
    if hasattr(model, "partial_fit"):
        with contextlib.suppress(ValueError, OverflowError):  # parameters that no data suit, numbers too large
            model.partial_fit(data, known)


def use_file(rng: random.Random, path: Path, folder: Path) -> None:
    """What the command line does with a model, and what a program does."""
    rows = folder / "rows.csv"
    rows.write_text(ROWS)
    target = rng.choice([None, None, "label", "a", "kind", "more"])
    with contextlib.suppress(ValueError):  # other columns than the model's, a target that it does not have
        score_table(path, str(rows), target, unseen=rng.choice(["error", "zeros"]))
    with contextlib.suppress(ValueError):
        lines = predict_lines(path, str(rows), scores=True, unseen="zeros")
        atomic_write(folder / "predicted.csv", lines)
    model = novikoff.load(path)
    learner = model[-1] if hasattr(model, "steps") else model
    if hasattr(learner, "max_iter"):
        with contextlib.suppress(DataError):  # notes that learning cannot have left
            Checkpoint(path, {"seed": 0}).resume(clone(learner))
    if getattr(model, "kernel", "") == "precomputed" and model.n_features_in_ > 1000:
        return  # no array in the file is as wide as the kernel matrix was
    use_model(model, folder)


def model_files(rng: random.Random, folder: Path, cases: int) -> int:
    """Damage so many model files; how many could be used."""
    path, whole, used = folder / "mutant.novikoff", victim_files(folder), 0
    for number in range(cases):
        path.write_bytes(model_changed(rng, *whole[number % len(whole)]))
        try:
            use_file(rng, path, folder)
            used += 1
        except ModelFileError as error:
            check_name(path, error)
    return used


def attack(kind: str, cases: int, seed: int) -> int:
    """How many of so many damaged files could be used; an error that is no refusal comes through."""
    rng = random.Random(f"{kind} {seed}")
    with tempfile.TemporaryDirectory() as made, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        folder = Path(made)
        if kind == "models":
            return model_files(rng, folder, cases)
        texts = kind == "texts"
        bases = (text_bases if texts else column_bases)(folder)
        return files_of_rows(rng, folder, cases, bases, text_changed if texts else flipped)


def check_that_bounds_are_checked() -> None:
    """Or nothing would be shown."""
    try:
        put_rows(np.zeros((2, 1)), np.array([2]), np.array([0]), np.zeros((2, 1)))
    except IndexError:
        return
    raise SystemExit("Bounds are not checked: set NUMBA_BOUNDSCHECK=1.")


if __name__ == "__main__":
    jit.compiles_at_once.append(True)  # plain Python looks at bounds, too
    if numba.config.BOUNDSCHECK:
        check_that_bounds_are_checked()
    kind, cases, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    used = attack(kind, cases, seed)
    print(f"{kind}: {used} used, {cases - used} refused")
