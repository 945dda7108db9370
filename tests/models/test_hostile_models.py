"""Model files that were made to do harm are refused; ``test_attack.py`` damages them at random."""

import json

import numpy as np
import pytest

import novikoff
from attack import victim_files
from novikoff.models.files import packed
from novikoff.models.files.packed import file_bytes
from novikoff.models.files.saving import ModelFileError, read_header
from novikoff.models.files.value_kinds import Unreadable
from novikoff.tables.fitted_models import open_model


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return victim_files(tmp_path_factory.mktemp("victims"))


def rewritten(path, text, arrays, **changes):
    path.write_bytes(file_bytes(json.dumps({**json.loads(text), **changes}), arrays))
    return path


def test_what_is_not_understood_is_refused(files, tmp_path):
    _, text, arrays = files[2]
    path = tmp_path / "m.novikoff"
    model = json.loads(text)["model"]
    with pytest.raises(ModelFileError, match="format 4, and this version of novikoff reads formats up to 3: update it"):
        novikoff.load(rewritten(path, text, arrays, format=4, later="things"))
    with pytest.raises(ModelFileError, match=r"unknown class 'os\.system'"):
        novikoff.load(rewritten(path, text, arrays, model={**model, "class": "os.system"}))
    with pytest.raises(ModelFileError, match="parameters that a Perceptron does not have"):
        novikoff.load(rewritten(path, text, arrays, model={**model, "parameters": {"magic": 1}}))
    deep = "[" * 100_000 + "]" * 100_000
    path.write_bytes(file_bytes(text.replace('"files": ["rows.csv"]', f'"files": {deep}'), arrays))
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


@pytest.mark.parametrize("lacking", ["n_iter_", "stop_reason_"])
@pytest.mark.parametrize("victim", [2, 3, 4, 5])
def test_a_record_of_passes_without_their_number_or_end_is_refused(files, tmp_path, victim, lacking):
    """``partial_fit`` goes on from there."""
    _, text, arrays = files[victim]
    model = json.loads(text)["model"]
    del model["fitted"][lacking]
    with pytest.raises(
        ModelFileError, match=r"m\.novikoff.*records has no passes, or n_iter_ or stop_reason_ is missing"
    ):
        novikoff.load(rewritten(tmp_path / "m.novikoff", text, arrays, model=model))


def test_a_record_of_no_passes_is_refused(files, tmp_path):
    _, text, arrays = files[2]
    empty = {name: array[:0] if name.startswith("records.") else array for name, array in arrays.items()}
    with pytest.raises(ModelFileError, match="records has no passes"):
        novikoff.load(rewritten(tmp_path / "m.novikoff", text, empty))


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


def written(path, header, data=b""):
    """A file of the format, whatever its header says."""
    path.write_bytes(len(header).to_bytes(8, "little") + header + data)
    return path


@pytest.mark.parametrize("many", ["tensors", "keys"])
def test_a_header_of_a_million_values_is_refused_before_it_is_parsed(files, tmp_path, monkeypatch, many):
    """In memory each takes twenty times what it takes in the file."""
    text = files[2][1]
    metadata, tensors = {"novikoff": text, "sha256": ""}, {}
    if many == "keys":
        notes = {str(k): 0 for k in range(1_100_000)}
        metadata["novikoff"] = json.dumps({**json.loads(text), "notes": notes})
    else:
        tensors = {str(k): {"dtype": "F64", "shape": [0], "data_offsets": [0, 0]} for k in range(250_000)}
    path = written(tmp_path / "m.novikoff", json.dumps({"__metadata__": metadata, **tensors}).encode())
    monkeypatch.setattr("novikoff.models.files.packed.parsed", None)
    with pytest.raises(ModelFileError, match="more than 2,000,000 values"):
        novikoff.load(path)


def test_a_file_is_opened_once_and_read_as_far_as_its_header_promises(files, tmp_path, monkeypatch):
    path, opened = tmp_path / "m.novikoff", []
    path.write_bytes(files[0][0])

    def counted(*arguments):
        opened.append(arguments)
        return open(*arguments)

    monkeypatch.setattr(packed, "open", counted, raising=False)
    open_model(path)
    assert len(opened) == 1
    with path.open("r+b") as file:
        file.truncate(10**12)  # takes no room on the disk, but would in memory
    with pytest.raises(ModelFileError, match="no model file, or it is damaged"):
        novikoff.load(path)
    for promised in (0, 10**12, -1, "7", None):
        entry = {"dtype": "F64", "shape": [1], "data_offsets": [0, promised]}
        with pytest.raises(ModelFileError, match="no model file, or it is damaged"):
            novikoff.load(written(path, json.dumps({"coef_": entry}).encode(), bytes(8)))


def test_sparse_columns_that_a_model_only_claims_are_refused(files, tmp_path):
    """Products of sparse rows take room for every column."""
    _, text, arrays = files[5]
    claim = text.replace('"n_features_in_": 2', '"n_features_in_": 1000000000').replace(", 2]", ", 1000000000]")
    path = tmp_path / "m.novikoff"
    path.write_bytes(file_bytes(claim, arrays))
    with pytest.raises(ModelFileError, match="1,000,000,000 columns, far too many for the few values it has"):
        novikoff.load(path)


TEXTS = {"a": np.frombuffer(b"xyz", np.uint8), "b": np.array([1, 3])}
NUMBER = {"n": np.zeros(1000)}


@pytest.mark.parametrize(
    ("form", "arrays"),
    [
        (["texts", "a", "b"], {**TEXTS, "b": np.array([1, 2])}),
        (["texts", "a", "b"], {**TEXTS, "b": np.array([2, 1, 3])}),
        (["texts", "a", "b"], {**TEXTS, "b": np.array([-1, 3])}),
        (["texts", "a", "b"], {**TEXTS, "a": np.array([255, 254, 253], np.uint8)}),
        (["texts", "a", "a"], TEXTS),
        (["texts", "a", "c"], TEXTS),
        (["texts", "a"], TEXTS),
        (["values", "c"], NUMBER),
        (["values", ["n"]], NUMBER),
        (["values", "n"], {"n": np.zeros((2, 2))}),
        (["lists", "b", ["values", "n"]], {**NUMBER, "b": np.array([999])}),
        (["lists", "b", ["values", "n"]], {**NUMBER, "b": np.array([1001, -1])}),
        (["lists", "b", ["values", "n"]], {**NUMBER, "b": np.zeros(1000, np.int8)}),
        (["lists", "b", ["mapping", ["plain", ["k"]], ["plain", [1]]]], TEXTS),
        (["mapping", ["values", "n"], ["plain", []]], NUMBER),
        (["mapping", ["plain", ["k", "k"]], ["plain", [1, 2]]], {}),
        (["mapping", ["plain", ["k"]], ["plain", [1, 2]]], {}),
        (["tables", "k", [[["x"], [["values", "n"]]]]], {**NUMBER, "k": np.zeros(1000, np.int8)}),
        (["tables", "k", [[["x"], [["values", "n"]]]]], {**NUMBER, "k": np.ones(1000, np.int8)}),
        (["tables", "k", [[[], []]]], {"k": np.zeros(1000, np.int8)}),
        (["tables", "k", []], {"k": np.zeros(1000, np.int8)}),
        (["tables", "k", [1]], {"k": np.zeros(1000, np.int8)}),
        (["unknown"], {}),
        ([], {}),
    ],
)
def test_lists_that_cannot_have_been_packed_are_refused(form, arrays):
    """Among them those of few bytes that would become many objects."""
    with pytest.raises(Unreadable):
        packed.unpack({"packed": form}, dict(arrays))


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
        (6, "stream.points.numbers", -1, 12, "row numbers that are not in the training data"),
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
