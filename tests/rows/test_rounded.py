"""Numbers in files that float64 cannot hold: ``check`` refuses them by place, ``fit`` takes them and proves nothing."""

import json
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import feather, parquet
from typer.testing import CliRunner

from novikoff import Perceptron, TableEncoder
from novikoff.cli.main import program
from novikoff.rows.readers.reading import open_data
from novikoff.rows.readers.reading_options import Reading
from novikoff.tables import check_table
from novikoff.tables.check_table import weights_as_given

ODD = 2**53 + 1
ROWS = [(2**53 - 4, 0.75, "a"), (2**53, 0.5, "a"), (ODD, 0.5, "b"), (2**53 + 4, 0.25, "b")]


def _text(pattern, head=""):
    return lambda path: path.write_text(head + "".join(pattern.format(i=i, v=v, y=y) for i, v, y in ROWS))


def _table(write, kind=int):
    ids, v, y = zip(*ROWS, strict=True)
    return lambda path: write(pa.table({"id": [kind(i) for i in ids], "v": v, "y": y}), path)


def _arrow(table, path):
    with pa.ipc.new_file(path, table.schema) as file:
        file.write_table(table)


FILES = {
    "plain.csv": (_text("{i},{v},{y}\n", "id,v,y\n"), ":4:1"),
    "blanks.csv": (_text(" {i} ,{v},{y}\n", "id,v,y\n"), ":4:2"),
    "quoted.csv": (_text('"{i}",{v},"{y}"\n', "id,v,y\n"), ":4:1"),
    "point.csv": (_text("{i}.0,{v},{y}\n", "id,v,y\n"), ":4:1"),
    "long.csv": (_text("{v},1{i}{i},{y}\n", "v,id,y\n"), ":2:6"),
    "quoted.tsv": (_text('{i}\t{v}\t"{y}"\n', "id\tv\ty\n"), ":4:1"),
    "plain.tsv": (_text("{i}\t{v}\t{y}\n", "id\tv\ty\n"), ":4:1"),
    "whole.jsonl": (_text('{{"id": {i}, "v": {v}, "y": "{y}"}}\n'), ":3"),
    "point.jsonl": (_text('{{"id": {i}.0, "v": {v}, "y": "{y}"}}\n'), ":3"),
    "texts.jsonl": (_text('{{"id": "{i}", "v": {v}, "y": "{y}"}}\n'), ":3"),
    "rows.parquet": (_table(parquet.write_table), ": row 3, column 'id'"),
    "decimals.parquet": (_table(parquet.write_table, Decimal), ": row 3, column 'id'"),
    "rows.feather": (_table(feather.write_feather), ": row 3, column 'id'"),
    "rows.arrow": (_table(_arrow), ": row 3, column 'id'"),
}


def run(*arguments):
    done = CliRunner().invoke(program(), [str(argument) for argument in arguments])
    return done.exit_code, done.stdout, " ".join(done.stderr.split())


def fitted(*arguments):
    status, out, said = run("fit", *arguments, "--json")
    assert status == 0, said
    return json.loads(out)


@pytest.mark.parametrize("name", FILES)
def test_check_refuses_and_fit_proves_nothing(name, tmp_path):
    path, (write, place) = tmp_path / name, FILES[name]
    write(path)
    numeric = ("--numeric", "id") if name == "texts.jsonl" else ()
    status, _, said = run("check", path, "--target", "y", *numeric)
    assert status == 2
    assert f"{path}{place}: " in said
    assert "in column 'id' exactly, so nothing can be proved" in said
    assert "--ignore id or --categorical id; else subtract a constant" in said
    result = fitted(path, "--target", "y", *numeric)
    assert result["separability"]["kind"] is None
    assert f"{path}{place}: " in result["separability"]["text"]
    assert any("was rounded" in note for note in result["notes"])
    assert result["fit"]["mistake_bound"] is None
    assert run("check", path, "--target", "y", "--ignore", "id")[0] in (0, 1)


def test_sparse_rows(tmp_path):
    path = tmp_path / "rows.libsvm"
    path.write_text(f"0 1:1 2:{2**53}\n1\n1 3:{ODD} 4:1\n")
    status, _, said = run("check", path)
    assert (status, f"{path}:3: float64 cannot hold {ODD} in the value of index 3 exactly" in said) == (2, True)
    assert f"{path}:3: " in fitted(path)["separability"]["text"]
    path.write_text(f"{2**53} 1:1\n{ODD} 1:2\n{2**60} 1:3\n")
    assert f"{path}:2: float64 cannot hold {ODD} in the label exactly" in run("check", path)[2]
    path.write_text(f"0 1:{2**53} 2:1e23\n1 1:{2**60} 2:0.1\n")
    assert run("check", path)[0] == 0


@pytest.mark.parametrize(
    "text",
    [
        f"x,y\n{2**53},a\n{2**60},b\n",
        "x,y\n0.1,a\n0.30000000000000004,b\n",
        "x,y\n1e23,a\n6.02214076e23,b\n",
        f"x,y\n{2**53}.0,a\n1.8446744073709552e+19,b\n",
        f"x,y,z\n{ODD},a,\n1,a,1\n2,b,2\n",
    ],
)
def test_what_stands_for_a_float_is_proved_of(text, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(text)
    assert run("check", path, "--target", "y", "--missing", "drop")[0] == 0


def test_large_labels_and_categories_of_json_lines_are_not_merged(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(f'{{"x": 1, "c": {ODD}, "y": {2**53}}}\n{{"x": 2, "c": {2**53}, "y": {ODD}}}\n')
    data = open_data([path], "y", reading=Reading(categorical=("c",)))
    codes = np.concatenate([block.codes for block in data.blocks()])
    assert codes.tolist() == [[0], [1]]
    assert data.schema.levels == {"c": [str(ODD), str(2**53)]}
    assert data.schema.labels == [str(2**53), str(ODD)]
    assert data.rounded is None


def test_decimal_columns_are_the_floats_nearest_to_them(tmp_path):
    texts = ["0.3", "0.1", "12.34", "0.07", "1.15"]
    table = pa.table({"x": [Decimal(text) for text in texts], "y": list("ababa")})
    parquet.write_table(table, tmp_path / "rows.parquet")
    block = next(iter(open_data([tmp_path / "rows.parquet"], "y").blocks()))
    assert block.numbers[:, 0].tolist() == [float(text) for text in texts]
    assert TableEncoder(standardise=False).fit_transform(table.select(["x"])).ravel().tolist() == [*map(float, texts)]


@given(st.lists(st.integers(-(10**20), 10**20) | st.integers(2**53 - 4, 2**53 + 4), min_size=1, max_size=5))
@settings(max_examples=50)
def test_readers_agree_on_what_is_rounded(tmp_path_factory, numbers):
    folder = tmp_path_factory.mktemp("files")
    wrong = [int(float(number)) != number for number in numbers]
    for name, pattern, head in (
        ("a.csv", "{},z\n", "x,y\n"),
        ("b.csv", '{},"z"\n', "x,y\n"),
        ("c.jsonl", '{{"x": {}, "y": "z"}}\n', ""),
        ("d.libsvm", "1 1:{}\n", ""),
    ):
        path = folder / name
        path.write_text(head + "".join(map(pattern.format, numbers)))
        data = open_data([path], None)
        list(data.blocks())
        assert (data.rounded is None) == (not any(wrong)), name
        if data.rounded is not None:
            assert (data.rounded.row, data.rounded.text) == (wrong.index(True), str(numbers[wrong.index(True)]))


def test_several_files_and_standard_input(tmp_path):
    first, second, model = tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "m.novikoff"
    first.write_text("id,y\n1,a\n2,b\n")
    second.write_text(f"id,y\n3,a\n\n{ODD},b\n")
    assert f"{second}:4:1: float64 cannot hold {ODD} in column 'id'" in run("check", first, second, "--target", "y")[2]
    assert fitted(first, second, "--target", "y", "-o", model)["notes"]
    done = CliRunner().invoke(program(), ["score", str(model), "-"], input=second.read_text())
    assert done.exit_code == 0, done.stderr
    assert "standard input:4:1" in " ".join(done.stdout.split())


def test_learners_of_rounded_files_prove_nothing(tmp_path):
    path = tmp_path / "plain.csv"
    FILES["plain.csv"][0](path)
    options = ("--learner", "linear-svm", "--set", "C=inf")
    status, _, said = run("fit", path, "--target", "y", *options)
    assert (status, f"which proves nothing about X: it has {ODD} in column 'id'" in said) == (2, True)
    options = ("--learner", "logistic-neuron", "--set", "on_separation=raise")
    assert any("is not said" in warning for warning in fitted(path, "--target", "y", *options)["warnings"])


def test_what_is_proved_of_standardised_columns_says_so(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n1,a\n2,b\n")
    options = ("--learner", "logistic-neuron", "--set", "on_separation=raise")
    assert "as they were standardised" in run("fit", path, "--target", "y", *options)[2]
    assert "standardised" not in run("fit", path, "--target", "y", "--raw", *options)[2]


def test_check_says_that_numbers_were_filled_in(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,z,y\n1,1,a\n,2,b\n3,3,b\n")
    notes = json.loads(run("check", path, "--target", "y", "--json")[1])["notes"]
    assert any(note.startswith("1 missing number was filled in") for note in notes)
    notes = json.loads(run("check", path, "--target", "y", "--json", "--missing", "drop")[1])["notes"]
    assert not any("filled in" in note for note in notes)


# The weights of the fit itself


def table(kinds, count=60):
    """Rows of ``kinds`` classes that weights separate, with a category, on very different scales."""
    rng = np.random.default_rng(kinds)
    y = np.arange(count) % kinds
    coat = np.array(["long", "short"])[(y > 0).astype(int)]
    x = y[:, None] * [10.0, -1e-4] + rng.normal(size=(count, 2)) * [0.1, 1e-6] + [1e6, 0.0]
    if kinds > 2:
        x = np.column_stack([x, np.eye(kinds)[y] * 1e3])
    return pd.DataFrame(x, columns=[f"x{j}" for j in range(x.shape[1])]).assign(coat=coat, y=[f"c{k}" for k in y])


@pytest.mark.parametrize("kinds", [2, 3])
@pytest.mark.parametrize(
    "options",
    [
        ("--set", "keep=last"),
        ("--set", "keep=last", "--hold-out", "0.3"),
        ("--learner", "linear-svm"),
        ("--learner", "linear-svm", "--raw"),
        ("--learner", "logistic-neuron"),
    ],
)
def test_rows_that_the_weights_found_have_right_are_separable(kinds, options, tmp_path, monkeypatch):
    """However little time there is for a proof."""
    monkeypatch.setattr(check_table, "SECONDS", 1e-9)
    table(kinds).to_csv(tmp_path / "rows.csv", index=False)
    result = fitted(tmp_path / "rows.csv", "--target", "y", "--passes", "100", *options)
    assert result["fit"]["training"]["errors"] == 0
    assert result["separability"]["kind"] == "complete"
    assert result["separability"]["text"].startswith("The classes are linearly separable (proved)")


def test_rows_that_the_weights_found_have_wrong_are_undecided(tmp_path, monkeypatch):
    monkeypatch.setattr(check_table, "SECONDS", 1e-9)
    rows = table(2)
    rows.loc[0, "y"], rows.loc[0, "coat"] = "c1", "long"
    rows.to_csv(tmp_path / "rows.csv", index=False)
    assert fitted(tmp_path / "rows.csv", "--target", "y", "--passes", "1")["separability"]["kind"] is None


def test_weights_as_given_score_as_the_learner_does():
    rows = table(3)
    X, y = rows.drop(columns="y"), rows["y"].to_numpy()
    encoder = TableEncoder().fit(X)
    learner = Perceptron(order="cyclic").fit(encoder.transform(X), y)
    plain = TableEncoder(standardise=False).fit(X)
    names = [*plain.get_feature_names_out()]
    weights = weights_as_given(learner, encoder, names[::-1], learner.classes_)
    for row in plain.transform(X).toarray()[:5, ::-1]:
        values = dict(zip(names[::-1], map(Fraction, row.tolist()), strict=True))
        scores = []
        for slopes, intercept in zip(learner.coef_.tolist(), learner.intercept_.tolist(), strict=True):
            score, place = Fraction(intercept), 0
            for column in encoder.columns_:
                center, scale = (column.center, column.scale) if hasattr(column, "center") else (0.0, 1.0)
                for name in column.features:
                    score += Fraction(slopes[place]) * (values[name] - Fraction(center)) / Fraction(scale)
                    place += 1
            scores.append(score)
        for k, exact in enumerate(weights.fractions()):
            lead = sum((a * b for a, b in zip(exact, map(Fraction, row.tolist()), strict=False)), exact[-1])
            assert lead == scores[k + 1] - scores[0]
