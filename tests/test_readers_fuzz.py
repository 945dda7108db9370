"""Damaged files are read into consistent blocks or refused with a DataError that names the file; nothing else."""

import random
import re
from pathlib import Path

import numpy as np
import pytest

from novikoff.data import chunks
from novikoff.data.blocks import DataError, TableBlock
from novikoff.data.chunks import CHUNK
from novikoff.data.reading import open_data

EXAMPLES = Path(__file__).parents[1] / "examples"
CSV = [
    'kind,length,depth,island\nA,39.1,18.7,Torg\nB,39.5,NA,"Dre, am"\nA, 40.3 ,18,Biscoe\n"C ""x""",1e3,-2.5,?\n',
    "1;2.5;a\n3;4.5;b\n-5;.5;a\n",
    "t\tx\r\nja\t1\r\nnein\t\r\nja\t3\r\n",
    'a,b\n"multi\nline",1\nplain,2\n\n"",3\n',
]
SVM = ["1 1:0.5 3:2e-3 7:1\n-1 2:4 # note\n\n+1 qid:3 1:0.25\n", "3 1:12345678901234567890\n2 4:-0 9:1e-300\n"]
JSON = [
    '{"kind": "A", "x": 1.5, "ok": true}\n{"kind": "B", "x": null, "ok": false}\n\n{"kind": "A", "ok": true}\n',
    '{"x": 1, "y": "\\u00e4"}\n{"x": -2e3, "y": "b"}\n',
]
ODD = [
    b'"',
    b'""',
    b"\0",
    b"\r",
    b"\n",
    b"\r\n",
    b",",
    b";",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xc3",
    "€𝄞\u2028".encode(),
]
ODD += [
    b"inf",
    b"nan",
    b"1e999",
    b"-",
    b":",
    b"{",
    b"}",
    b"[",
    b"\\ud800",
    b"#",
    b" ",
    b"9" * 30,
    b"1:",
    b"0:1",
    b"null",
]


def mutate(rng: random.Random, data: bytes) -> bytes:
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        change = rng.randrange(5)
        if change == 0 and at < len(data):
            data = data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
        elif change == 1:
            data = data[:at] + data[at + rng.randint(1, 6) :]
        elif change == 2:
            data = data[:at] + rng.choice(ODD) + data[at:]
        elif change == 3:
            data = data[:at] if rng.random() < 0.3 else data
        else:
            other = rng.randrange(len(data) + 1)
            data = data[:at] + data[other : other + rng.randint(1, 8)] + data[at:]
    return data


def check_blocks(data):
    rows = 0
    for block in data.blocks():
        n = len(block.rows)
        assert n > 0
        assert block.rows[0] >= rows  # rows without a label are left out
        assert (np.diff(block.rows) > 0).all()
        rows = int(block.rows[-1]) + 1
        if isinstance(block, TableBlock):
            assert block.numbers.shape == (n, len(data.schema.numbers))
            assert block.codes.shape == (n, len(data.schema.categories))
            assert not np.isinf(block.numbers).any()
            for column, name in zip(block.codes.T, data.schema.categories, strict=True):
                assert column.min() >= -1
                assert column.max() < len(data.schema.levels[name])
        else:
            assert block.starts[0] == 0
            assert (np.diff(block.starts) >= 0).all()
            assert block.starts[-1] == len(block.values) == len(block.indices)
            assert np.isfinite(block.values).all()
            if len(block.indices):
                assert block.indices.min() >= 0
                assert block.indices.max() < data.schema.n_features
        if data.schema.target is not None:
            assert block.target.shape == (n,)
            assert 0 <= block.target.min() <= block.target.max() < len(data.schema.labels)
    return rows


def refusal(path, target) -> str | None:
    """Read a file; what the error says if it is refused."""
    try:
        data = open_data([path], target)
        rows = check_blocks(data)
        assert not rows or data.locate(rows - 1).startswith(f"{path}:")
    except DataError as error:
        return str(error)
    except Exception as error:
        raise AssertionError(f"{path.read_bytes()!r}: {error!r}") from error
    return None


def damage(path, bases, times, seed, monkeypatch):
    """Damage files, read each, in one chunk or in many, and count those that could be read."""
    rng = random.Random(seed)
    read = 0
    for _ in range(times):
        base = rng.choice(bases)
        monkeypatch.setattr(chunks, "CHUNK", rng.choice([CHUNK, CHUNK, CHUNK, 20]))
        path.write_bytes(mutate(rng, base.encode()))
        first = re.split("[,\t;]", base, maxsplit=1)[0]
        target = {".svm": "label", ".csv": first, ".jsonl": "kind" if "kind" in base else "y"}[path.suffix]
        said = refusal(path, None if rng.random() < 0.3 or (path.suffix == ".csv" and not first.isalpha()) else target)
        assert said is None or said.startswith(str(path)), (path.read_bytes(), said)
        read += said is None
    return read


@pytest.mark.parametrize(("bases", "ending", "times"), [(CSV, "csv", 1000), (SVM, "svm", 300), (JSON, "jsonl", 300)])
def test_damage_is_read_or_refused_by_name(tmp_path, monkeypatch, bases, ending, times):
    read = damage(tmp_path / f"damaged.{ending}", bases, times, 20, monkeypatch)
    assert times / 20 < read < times


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_damaged_columns_are_read_or_refused_by_name(tmp_path, ending):
    rng = random.Random(1)
    path = tmp_path / f"damaged.{ending}"
    for _ in range(60):
        data = bytearray((EXAMPLES / f"penguins.{ending}").read_bytes())
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        path.write_bytes(data[: rng.choice([len(data), len(data), rng.randrange(len(data))])])
        said = refusal(path, "species")
        assert said is None or said.startswith(str(path)), said
