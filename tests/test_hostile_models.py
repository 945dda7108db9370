"""Model files that were damaged, or made to do harm, are refused or hold a model that works."""

import contextlib
import copy
import json
import random
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import novikoff
from common import as_kind
from novikoff import (
    AdalineRegressor,
    KernelPerceptron,
    KernelSVM,
    LinearSVM,
    PassiveAggressiveClassifier,
    Perceptron,
    RadialBasis,
    TableEncoder,
)
from novikoff.data.blocks import DataError
from novikoff.models.files import ModelFileError, read_header
from novikoff.models.tensors import file_bytes, read_file

MUTANTS = 1000
rng = np.random.default_rng(5)
X = rng.normal(size=(12, 2))
Y = np.digitize(X[:, 0], [-0.5, 0.5])
FRAME = pd.DataFrame({"a": [*X[:-1, 0], None], "kind": np.where(X[:, 1] > 0, "x", "y")})


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


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("victims")
    found = []
    for place, model in enumerate(victims()):
        path = folder / f"{place}.novikoff"
        novikoff.save(model, path)
        found.append((path.read_bytes(), *read_file(path)))
    return found


def bytes_changed(draw, content):
    """Flipped, cut, doubled or overwritten bytes; the checksum does not know."""
    content = bytearray(content)
    at = draw.randrange(len(content))
    match draw.randrange(4):
        case 0:
            content[at] ^= 1 << draw.randrange(8)
        case 1:
            del content[at:]
        case 2:
            content[at:at] = content[at : at + draw.randrange(1, 64)]
        case 3:
            content[at : at + 8] = draw.randbytes(8)
    return bytes(content)


ODD = [
    None,
    True,
    -1,
    0,
    1,
    3,
    10**12,
    2**70,
    0.0,
    -1.5,
    1e308,
    5e-324,
    "",
    "nan",
    "inf",
    "x",
    "vote",
    "\ud800",
    [],
    {},
]
ODD += ["coef_", {"transposed": "coef_"}, {"array": "coef_"}, {"list": []}, {"dict": [[[], 1]]}, "stream.counts", [[]]]


def places(tree, path=()):
    """All places in a tree of JSON."""
    yield path
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield from places(value, (*path, key))


def follow(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def header_changed(draw, text):
    """The header with something replaced, moved, removed or renamed: valid JSON."""
    header = json.loads(text)
    found = list(places(header))[1:]
    *parents, key = draw.choice(found)
    parent = follow(header, parents)
    match draw.randrange(4):
        case 0 | 1:
            parent[key] = draw.choice(ODD)
        case 2:
            parent[key] = copy.deepcopy(follow(header, draw.choice(found)))
        case 3:
            value = parent.pop(key)
            if draw.random() < 0.5 and isinstance(parent, dict):
                parent[draw.choice(["other", str(key) + "_", "class"])] = value
    return json.dumps(header)


def arrays_changed(draw, arrays):
    """Arrays with an odd value, another shape or type, or another's place."""
    arrays = {name: array.copy() for name, array in arrays.items()}
    name = draw.choice(list(arrays))
    array = arrays[name]
    match draw.randrange(5):
        case 0 | 1:
            if array.size:
                odd = [np.nan, np.inf, -1, 1e308, 0, 2**40] if array.dtype.kind == "f" else [0, 1, 99, 2**31 - 1]
                odd += [-1, -(2**31)] if array.dtype.kind == "i" else []
                array.reshape(-1)[draw.randrange(array.size)] = draw.choice(odd)
        case 2:
            arrays[name] = array.reshape(draw.choice([(-1,), (1, *array.shape), (*array.shape, 1)]))
        case 3:
            arrays[name] = draw.choice([array[:-1], np.concatenate([array, array]), array[:0], array.T.copy()])
        case 4:
            arrays[name] = array.astype(draw.choice(["f4", "f8", "i8", "i4", "u4", "?"]))
    return arrays


def mutant(draw, content, text, arrays):
    with np.errstate(all="ignore"):
        match draw.randrange(5):
            case 0:
                return bytes_changed(draw, content)
            case 1 | 2:
                return file_bytes(header_changed(draw, text), arrays)
            case 3:
                return file_bytes(text, arrays_changed(draw, arrays))
            case _:
                return file_bytes(header_changed(draw, text), arrays_changed(draw, arrays))


def rows_for(model):
    """Rows of the columns that the model wants."""
    first = model[0] if hasattr(model, "steps") else model
    if not hasattr(first, "columns_"):
        return np.resize(X, (6, first.n_features_in_))
    return pd.DataFrame(
        {column.name: ["x", "z", None] if hasattr(column, "levels") else [0, 1, None] for column in first.columns_}
    )


def use(model):
    """Predict, and learn on where the model does that."""
    data = rows_for(model)
    if not hasattr(model, "predict"):  # a step was taken out
        model.transform(data)
        return
    try:
        known = model.predict(data)
    except DataError:  # of a level that the model does not know, or a number far from all that it knows
        return
    assert len(known) == len(data)
    if hasattr(model, "partial_fit"):
        with contextlib.suppress(ValueError, OverflowError):  # parameters that no data suit, numbers too large
            model.partial_fit(data, known)


def test_mutated_files_are_refused_or_work(files, tmp_path):
    path = tmp_path / "mutant.novikoff"
    draw = random.Random(1)
    refused = 0
    for number in range(MUTANTS):
        content, text, arrays = files[number % len(files)]
        path.write_bytes(mutant(draw, content, text, arrays))
        try:
            model = novikoff.load(path)
        except ModelFileError:
            refused += 1
            continue
        if getattr(model, "kernel", "") == "precomputed" and model.n_features_in_ > 1000:
            continue  # no array in the file is as wide as the kernel matrix was
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            use(model)
    assert 0.5 * MUTANTS < refused < 0.95 * MUTANTS  # both ends are met often


def rewritten(path, text, arrays, **changes):
    path.write_bytes(file_bytes(json.dumps({**json.loads(text), **changes}), arrays))
    return path


def test_what_is_not_understood_is_refused(files, tmp_path):
    _, text, arrays = files[2]
    path = tmp_path / "m.novikoff"
    model = json.loads(text)["model"]
    with pytest.raises(ModelFileError, match="format 2, and this version of novikoff reads formats up to 1: update it"):
        novikoff.load(rewritten(path, text, arrays, format=2, later="things"))
    with pytest.raises(ModelFileError, match=r"unknown class 'os\.system'"):
        novikoff.load(rewritten(path, text, arrays, model={**model, "class": "os.system"}))
    with pytest.raises(ModelFileError, match="parameters that a Perceptron has not"):
        novikoff.load(rewritten(path, text, arrays, model={**model, "parameters": {"magic": 1}}))
    deep = "[" * 100_000 + "]" * 100_000
    path.write_bytes(file_bytes(text.replace('"notes": {}', f'"notes": {deep}'), arrays))
    with pytest.raises(ModelFileError, match="no JSON"):
        novikoff.load(path)
    content = bytearray(files[2][0])
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match="checksum is wrong"):
        read_header(path)


@pytest.mark.parametrize(
    "cells",
    [
        {"missing": []},
        {"numerals": {"a": {"decimal": ";", "thousands": "", "unit": ""}}},
        {"numerals": {"a": {"decimal": ",", "thousands": ",", "unit": ""}}},
        {"numerals": {"a": {"decimal": ",", "thousands": "", "unit": "(((("}}},
        {"dates": {"when": "yyy"}},
        {"dates": {"a": "ymd"}},
        {"dates": {"b": "ymd"}, "numerals": {"b": {"decimal": ",", "thousands": "", "unit": ""}}},
        {"dates": {"b": 7}},
        {"surprise": 1},
    ],
)
def test_ways_of_writing_that_nobody_has_are_refused(files, tmp_path, cells):
    _, text, arrays = files[0]
    model = json.loads(text)["model"]
    model["steps"][0][1]["fitted"]["cells_"] |= cells
    with pytest.raises(ModelFileError):
        novikoff.load(rewritten(tmp_path / "m.novikoff", text, arrays, model=model))


def test_a_header_that_claims_a_terabyte_is_refused_before_anything_is_allocated(tmp_path):
    path = tmp_path / "m.novikoff"
    claim = {"dtype": "F64", "shape": [10**12], "data_offsets": [0, 8 * 10**12]}
    header = json.dumps({"__metadata__": {"novikoff": "{}", "sha256": ""}, "coef_": claim}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header)
    with pytest.raises(ModelFileError, match="no model file, or it is damaged"):
        novikoff.load(path)
    path.write_bytes((10**15).to_bytes(8, "little") + header)
    with pytest.raises(ModelFileError, match="no model file, or it is damaged"):
        novikoff.load(path)


@pytest.mark.parametrize(
    ("victim", "name", "place", "value", "message"),
    [
        (5, "stream.points.X.indices", 0, 2, "parts contradict each other"),
        (5, "stream.points.X.indices", 0, -1, "parts contradict each other"),
        (5, "stream.points.X.indptr", 1, 99, "parts contradict each other"),
        (5, "stream.points.numbers", 0, 5, "row numbers that do not ascend"),
        (5, "stream.keep.who", 0, 77, "steps of rows that are not in the support"),
        (5, "stream.keep.sizes", 0, 99, "parts that contradict each other"),
        (5, "votes_.tenure", 0, 0.0, "tenure has values below"),
        (6, "stream.points.numbers", -1, 12, "row numbers that training had not"),
        (2, "stream.counts", 0, np.nan, "counts has values that are not finite"),
        (2, "stream.counts", 8, 7.0, "stream contradicts the rest"),
        (2, "stream.counts", 9, 3.0, "stream contradicts the rest"),
        (2, "coef_", 0, np.inf, "coef_ has values that are not finite"),
        (2, "classes_", 0, 5, "labels that are not sorted"),
        (1, "radialbasis.widths_", 0, 0.0, "widths_ has values that are not positive"),
    ],
)
def test_single_values_that_would_do_harm(files, tmp_path, victim, name, place, value, message):
    _, text, arrays = files[victim]
    changed = arrays[name].copy()
    changed.reshape(-1)[place] = value
    path = tmp_path / "m.novikoff"
    path.write_bytes(file_bytes(text, {**arrays, name: changed}))
    with pytest.raises(ModelFileError, match=message):
        novikoff.load(path)
