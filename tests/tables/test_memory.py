"""``--memory`` is a bound: what would take more is counted and refused first, and what need not take it does not."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy import sparse

import novikoff
from novikoff.rows.encoding.encoder import UsedColumns
from novikoff.rows.readers.columnar import largest_batch

MEASURED = """
import re, sys
from novikoff.__main__ import main
try:
    main()
finally:  # the peak of this program alone: others count what the process was before it, too
    with open("/proc/self/status") as status:
        print("peak", re.search(r"VmHWM:\\s*(\\d+) kB", status.read())[1], file=sys.stderr)
"""
ALLOWED = 1_000_000_000  # bytes

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell peaks"),
]


TIGHT = 800_000_000


def novikoff_run(*arguments, memory="1GB"):
    """Exit status, output, messages and peak memory in bytes of a command that may take so much."""
    command = [sys.executable, "-c", MEASURED, *map(str, arguments), *(["--memory", memory] if memory else [])]
    env = {**os.environ, "NO_COLOR": "1", "COLUMNS": "1000"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=env)
    *messages, last = done.stderr.strip().splitlines()
    return done.returncode, done.stdout, "\n".join(messages), 1024 * int(last.removeprefix("peak "))


def refused_within(*arguments, allowed=ALLOWED):
    """The message of a command that refuses, and takes no more than it may."""
    status, _, message, peak = novikoff_run(*arguments, memory=f"{allowed // 10**6}MB")
    assert status == 2
    assert peak < allowed
    return message


@pytest.fixture
def far_apart(tmp_path):
    """Sparse rows of few columns, whose numbers go up to 2^31 - 2."""
    path = tmp_path / "far.svm"
    path.write_text("".join(f"{i % 2} {1 + i % 2}:1 {10 + i}:{i} 2147483646:1\n" for i in range(50)))
    return path


def test_indices_far_apart_take_no_room_of_their_own(far_apart, tmp_path):
    model = tmp_path / "far.novikoff"
    status, out, _, peak = novikoff_run("fit", far_apart, "--json", "-o", model)
    assert status == 0
    assert peak < ALLOWED
    assert json.loads(out)["fit"]["training"]["errors"] == 0
    assert model.stat().st_size < 100_000
    loaded = novikoff.load(model)
    rows = sparse.csr_matrix(([1.0, 5.0], ([0, 1], [0, 1])), shape=(2, 2**31 - 2))
    assert loaded.predict(rows).tolist() == ["0", "1"]
    status, out, _, peak = novikoff_run("check", far_apart, "--json")
    assert (status, json.loads(out)["kind"]) == (0, "complete")
    assert peak < ALLOWED


def test_used_columns_change_no_answer():
    rng = np.random.default_rng(0)
    X = sparse.random_array((60, 40), density=0.1, rng=rng, format="csr")
    y = rng.integers(0, 3, 60)
    few = UsedColumns().fit(X[:30])
    part = few.transform(X)
    assert np.array_equal(part.toarray(), X.toarray()[:, few.columns_])
    whole, less = (novikoff.Perceptron(order="cyclic", max_iter=5).fit(rows[:30], y[:30]) for rows in (X, part))
    assert np.array_equal(whole.decision_function(X), less.decision_function(part))


def test_many_labels(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("a,b,y\n" + "".join(f"{i % 97},{i % 89},c{i % 6000}\n" for i in range(12_000)))
    status, out, _, peak = novikoff_run("fit", path, "-t", "y", "--no-test", "--passes", "1", "--json")
    assert status == 0
    assert peak < ALLOWED
    confusion = json.loads(out)["confusion"]
    assert sum(rows for _, _, rows in confusion["pairs"]) == 12_000


def test_many_weights_are_refused_before_they_are_made(tmp_path):
    path = tmp_path / "wide.svm"
    path.write_text("".join(f"{i} {1 + i}:1 {1_000_000 + i}:1\n" for i in range(600)))
    message = refused_within("fit", path)
    assert "1,000,599 features for each of 600 classes make 600,359,400 weights" in message
    assert "--memory" in message


def test_a_proof_of_very_many_classes_is_refused_before_it_begins(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("a,b,y\n" + "".join(f"{i % 97},{i % 89},c{i % 6000}\n" for i in range(12_000)))
    message = refused_within("check", path, "-t", "y", "--time-limit", "5", allowed=TIGHT)
    assert "a proof about 6,000 classes takes about 1.7 GB, and there is room for 0.18 GB" in message
    assert "--memory 2.4GB" in message
    status, _, _, peak = novikoff_run("check", path, "-t", "y", "--time-limit", "5", "--no-directions", memory="2.4GB")
    assert status in (1, 3)
    assert peak < 2_400_000_000
    path.write_text("a,c,y\n" + "".join(f"{i % 97},v{i % 3000},c{i % 2000}\n" for i in range(6000)))
    assert "2,000 classes" in refused_within("check", path, "-t", "y", "--time-limit", "5", allowed=TIGHT)


def test_a_line_of_commas(tmp_path):
    path = tmp_path / "commas.csv.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(400):
            file.write(b"," * 1_000_000)
    assert "commas.csv.gz:1: more than 4,000,000 fields" in refused_within("fit", path, "-t", "y")


def test_very_many_columns_are_counted(tmp_path):
    path = tmp_path / "columns.csv"
    path.write_text(",".join(f"c{j}" for j in range(300_000)) + "\n" + ",".join(["1"] * 300_000) + "\n")
    assert "300,000 columns take about 1.2 GB" in refused_within("fit", path, "-t", "c0")


def test_a_document_in_a_line(tmp_path):
    path = tmp_path / "long.jsonl"
    path.write_text('{"a": [' + "[]," * 10_000_000 + "[]]}\n")
    assert "long.jsonl:1: a record longer than 16 MB" in refused_within("fit", path, "-t", "y")
    path.write_text('{"a": [' + "[]," * 2_000_000 + "[]]}\n")
    assert "long.jsonl:1: an object of more than 4 MB" in refused_within("fit", path, "-t", "y")


@pytest.mark.parametrize("compression", [None, "zstd"])
def test_a_huge_batch(compression, tmp_path):
    path = tmp_path / "huge.arrow"
    n = 30_000_000
    table = pa.table({"x": np.zeros(n), "y": pa.DictionaryArray.from_arrays(np.zeros(n, np.int8), ["a"])})
    with pa.ipc.new_file(path, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table)
    assert "huge.arrow: its largest batch of rows takes about 0." in refused_within("fit", path, "-t", "y")


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_the_size_of_batches_is_told_from_the_footer(compression, tmp_path):
    path = tmp_path / "rows.arrow"
    table = pa.table({"x": np.arange(100_000.0), "y": pa.array(["a", "bb"] * 50_000).dictionary_encode()})
    with pa.ipc.new_file(path, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table, max_chunksize=25_000)
    once, twice = 25_000 * 12, 2 * 25_000 * 12
    assert once <= largest_batch(path) <= twice + 10_000
    path.write_bytes(path.read_bytes()[:-7])
    assert largest_batch(path) == 0  # which Arrow refuses


def test_very_many_levels_are_counted(tmp_path):
    path = tmp_path / "levels.csv"
    path.write_text("id,y\n" + "".join(f"{'x' * 200}{i},{i % 2}\n" for i in range(700_000)))
    assert "levels.csv: column 'id': its " in refused_within("fit", path, "-t", "y", "--use", "id")


ROWS = 2000


def shared(text):
    """A column of rows that all have one text, of which the file has one copy."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(ROWS, np.int32)), pa.array([text]))


def views(text):
    """The same, as views."""
    each = np.zeros(ROWS, [("length", "<i4"), ("start", "S4"), ("buffer", "<i4"), ("offset", "<i4")])
    each["length"], each["start"] = len(text), text[:4].encode()
    buffers = [None, pa.py_buffer(each.tobytes()), pa.py_buffer(text.encode())]
    return pa.Array.from_buffers(pa.string_view(), ROWS, buffers)


LONG_TEXT = "a" * 2_000_000


@pytest.mark.parametrize(("name", "column"), [("t", shared), ("y", shared), ("t", views)])
@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_a_text_that_rows_share(name, column, ending, tmp_path):
    path = tmp_path / f"shared.{ending}"
    columns = {
        "x": np.arange(ROWS) % 7,
        "t": pa.array(["s", "t"] * (ROWS // 2)),
        "y": pa.array(["p", "q"] * (ROWS // 2)),
    }
    columns[name] = column(LONG_TEXT)
    if ending == "parquet" and column is views:
        pytest.skip("Arrow would write a copy for each row")
    table = pa.table(columns)
    if ending == "parquet":
        parquet.write_table(table, path, store_schema=False, compression="zstd")
        assert path.stat().st_size < 10_000
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    said = refused_within("fit", path, "-t", "y", allowed=TIGHT)
    assert f"shared.{ending}: row 1, column {name!r}: " in said
    assert f"has 2,000,000 characters, and a {'label' if name == 'y' else 'level of a category'} may have 1,000" in said
    assert ("--ignore t" in said) == (name == "t")


def test_a_number_of_many_digits_that_rows_share(tmp_path):
    path = tmp_path / "zeros.parquet"
    table = pa.table({"x": shared("0" * 2_000_000 + "9007199254740993"), "y": ["p", "q"] * (ROWS // 2)})
    parquet.write_table(table, path, store_schema=False, compression="zstd")
    said = refused_within("check", path, "-t", "y", "--numeric", "x", allowed=TIGHT)
    assert "row 1, column 'x': float64 cannot hold 9007199254740993 in column 'x' exactly" in said


@pytest.mark.parametrize("use_dictionary", [False, True])
def test_pages_that_memory_does_not_hold(use_dictionary, tmp_path):
    path = tmp_path / "pages.parquet"
    table = pa.table(
        {"x": np.arange(ROWS) % 7, "t": [f"{i}" * 20_000 for i in range(ROWS)], "y": ["p", "q"] * (ROWS // 2)}
    )
    parquet.write_table(
        table, path, use_dictionary=use_dictionary, compression="zstd", dictionary_pagesize_limit=1 << 30
    )
    assert "pages.parquet: the pages of its columns, 't' above all, take" in refused_within(
        "fit", path, "-t", "y", allowed=TIGHT
    )
    status, _, _, peak = novikoff_run("fit", path, "-t", "y", "--ignore", "t", "--no-test", memory="800MB")
    assert (status, peak < TIGHT) == (0, True)


def test_a_long_label_takes_no_more_than_its_letters(tmp_path):
    path, model = tmp_path / "label.csv", tmp_path / "label.novikoff"
    labels = ["a", "b"] * 100_000
    labels[1234] = "z" * 1000
    path.write_text("x,w,y\n" + "".join(f"{i % 7},{i % 5},{label}\n" for i, label in enumerate(labels)))
    runs = [
        ("check", path, "-t", "y"),
        ("fit", path, "-t", "y", "--passes", "1", "-o", model),
        ("predict", model, path),
        ("score", model, path),
    ]
    for arguments in runs:
        status, _, _, peak = novikoff_run(*arguments, memory=None)
        assert status in (0, 1)
        assert peak < ALLOWED  # as many rows as long as the longest label would take 800 MB alone


@pytest.mark.parametrize(
    ("ending", "rows"), [("csv", "{x},{y}\n"), ("svm", "{x} {c}:1\n"), ("jsonl", '{{"x":{x},"y":"{y}"}}\n')]
)
def test_very_many_thin_rows(ending, rows, tmp_path):
    path = tmp_path / f"thin.{ending}.gz"
    piece = "".join(rows.format(x=i % 2, c=1 + i % 7, y="ab"[i % 2]) for i in range(50_000)).encode()
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"x,y\n" * (ending == "csv"))
        for _ in range(120_000_000 // len(piece)):
            file.write(piece)
    target = [] if ending == "svm" else ["-t", "y"]
    status, _, _, peak = novikoff_run("fit", path, *target, "--passes", "1", memory="800MB")
    assert status == 0
    assert peak < TIGHT


def test_texts_of_very_many_words(tmp_path):
    path, rng = tmp_path / "texts.csv", np.random.default_rng(0)
    words = np.array([f"w{k}" for k in range(300_000)])
    shares = np.cumsum(1 / np.arange(1, len(words) + 1) ** 1.05)
    with path.open("w") as file:
        file.write("review,y\n")
        for k in range(120_000):
            found = np.searchsorted(shares, shares[-1] * rng.random(40))
            file.write(f"{' '.join(words[found])} {'good' if k % 2 else 'bad'},{'ab'[k % 2]}\n")
    status, out, _, peak = novikoff_run("fit", path, "-t", "y", "--passes", "1", "--no-test", "--json", memory="800MB")
    assert (status, json.loads(out)["columns"][0]["kind"]) == (0, "text")
    assert peak < TIGHT


def test_a_proof_of_few_rows_and_very_many_columns(tmp_path):
    path, rng = tmp_path / "wide.csv", np.random.default_rng(0)
    names, rows = ",".join(f"c{j}" for j in range(40_000)), rng.integers(-99, 100, (150, 40_000)) / 10
    lines = (",".join(map(str, row)) + f",{i % 2}\n" for i, row in enumerate(rows.tolist()))
    path.write_text(f"{names},y\n" + "".join(lines))
    status, out, _, peak = novikoff_run("check", path, "-t", "y", "--json", memory="800MB")
    assert (status, json.loads(out)["kind"]) == (0, "complete")
    assert peak < 800_000_000


PROVED = """
import re, sys
import numpy as np
from scipy import sparse
from novikoff import separability

def memory(name):
    with open("/proc/self/status") as status:
        return 1024 * int(re.search(name + r":\\s*(\\d+) kB", status.read())[1])

def problem(n, d):
    X = np.empty((n, d), dtype=sys.argv[3])
    for row in X:  # no second array, however short
        row[:] = rng.standard_normal(d)
    weights = rng.standard_normal(d).astype(X.dtype)
    if sys.argv[4] == "sparse":
        X[rng.random((n, d)) < 0.95] = 0
        X = sparse.csr_array(X)
    return X, (X @ weights > 0).astype(int)

rng = np.random.default_rng(0)
separability(*problem(1300, 210))  # what is loaded and compiled once is no part of it
X, y = problem(int(sys.argv[1]), int(sys.argv[2]))
size = sum(part.nbytes for part in ((X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)))
with open("/proc/self/clear_refs", "w") as peaks:
    peaks.write("5")  # begin to look for a new peak
before = memory("VmRSS")
proof = separability(X, y)
peak = memory("VmHWM")
assert proof.kind == "complete"
print((peak - before) / size)
"""


@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="the system does not begin a new peak")
@pytest.mark.parametrize(
    "shape",
    [
        (150, 10_000, "float64", "dense"),
        (4000, 400, "float64", "dense"),
        (4000, 400, "float32", "dense"),
        (20_000, 2500, "float64", "sparse"),
    ],
)
def test_a_proof_takes_no_more_than_four_times_its_rows(shape):
    done = subprocess.run([sys.executable, "-c", PROVED, *map(str, shape)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 4
