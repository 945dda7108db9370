"""Model files that were made to do harm are refused; ``test_attack.py`` damages them at random."""

import json

import numpy as np
import pytest

import novikoff
from attack import victim_files
from novikoff.models.files import ModelFileError, read_header
from novikoff.models.tensors import file_bytes


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
    with pytest.raises(ModelFileError, match="format 2, and this version of novikoff reads formats up to 1: update it"):
        novikoff.load(rewritten(path, text, arrays, format=2, later="things"))
    with pytest.raises(ModelFileError, match=r"unknown class 'os\.system'"):
        novikoff.load(rewritten(path, text, arrays, model={**model, "class": "os.system"}))
    with pytest.raises(ModelFileError, match="parameters that a Perceptron has not"):
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
