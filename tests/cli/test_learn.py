"""``novikoff learn``: rows that come one at a time, for as long as they come."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import novikoff
from commands import PENGUINS, results, run
from common import ROOT
from novikoff import online
from novikoff.models.files import read_header
from novikoff.tables.learn_stream import Asked, learn_stream

ROWS = 300


@pytest.fixture
def text(rng):
    """Rows of CSV: numbers, a category of which levels come late, gaps, and rows without a label."""
    lines = ["a,b,colour,y"]
    for i in range(ROWS):
        a, b = rng.normal(size=2).round(3)
        colour = rng.choice(["red", "green", "blue"][: 1 + i // 100])
        label = "no" if a + b + (colour == "red") < 0.5 else rng.choice(["yes", "maybe"]) if i > 50 else "yes"
        lines.append(f"{a},{'' if i % 7 == 3 else b},{'NA' if i % 11 == 5 else colour},{'' if i % 31 == 8 else label}")
    return "\n".join(lines) + "\n"


def as_objects(text):
    """The same rows as JSON lines."""
    header, *rows = (line.split(",") for line in text.splitlines())
    for row in rows:
        found = dict(zip(header, row, strict=True))
        numbers = {name: float(found[name]) for name in ("a", "b") if found[name]}
        texts = {name: found[name] or None for name in ("colour", "y")}
        yield json.dumps(numbers | texts | ({"colour": None} if texts["colour"] == "NA" else {}))


def same(one, other):
    one, other = (novikoff.load(each) for each in (one, other))
    assert one[0].columns_ == other[0].columns_
    assert one[0].n_missing_ == other[0].n_missing_
    for name in ("coef_", "intercept_", "classes_"):
        np.testing.assert_array_equal(getattr(one[-1], name), getattr(other[-1], name))
    assert one[-1].n_mistakes_ == other[-1].n_mistakes_


def notes(path):
    return read_header(path)["notes"]["stream"]


LEARNERS = [
    "adagrad-classifier",
    "perceptron",
    "arow-classifier",
    "second-order-perceptron",
    "hinge-sgd",
    "logistic-neuron",
]


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_stream_that_is_cut_goes_on_to_the_same_bits(text, tmp_path, rng, learner):
    run("learn", "-t", "y", "-o", tmp_path / "whole", "--learner", learner, stdin=text)
    header, *rows = text.splitlines(keepends=True)
    cuts = sorted(rng.integers(0, ROWS, 3))
    for first, last in zip([0, *cuts], [*cuts, ROWS], strict=True):
        if last > first:
            part = header + "".join(rows[first:last])
            run("learn", "-t", "y", "-o", tmp_path / "parts", "--learner", learner, "--save-every", 0, stdin=part)
    same(tmp_path / "whole", tmp_path / "parts")
    assert notes(tmp_path / "whole") == notes(tmp_path / "parts")
    run("learn", "-t", "y", "-o", tmp_path / "again", "--learner", learner, stdin=header + "".join(rows[:120]))
    run("learn", "-t", "y", "-o", tmp_path / "again", "--learner", learner, "--skip-learned", stdin=text)
    same(tmp_path / "whole", tmp_path / "again")


def test_it_is_what_online_learns_from_mappings(text, tmp_path):
    run("learn", "-t", "y", "-o", tmp_path / "model", stdin=text)
    stream = online(novikoff.AdaGradClassifier(random_state=0))
    for line in as_objects(text):
        row = json.loads(line)
        if row["y"] is not None:
            values = {name: row[name] for name in ("a", "b") if name in row}
            if row["colour"]:
                values[f"colour={row['colour']}"] = 1.0
            stream.learn_one(values, row["y"])
    model = novikoff.load(tmp_path / "model")
    names = stream.learner.feature_names_in_.tolist()
    places = [names.index(name) for name in model[0].get_feature_names_out()]
    np.testing.assert_array_equal(model[-1].coef_, stream.learner.coef_[:, places])
    told = notes(tmp_path / "model")
    assert told["progress"]["mistakes"] == stream.scores().mistakes
    assert told["read"] == ROWS == stream.scores().rows + told["unlabelled"]


def test_json_lines_are_learned_from_as_csv_is(text, tmp_path):
    run("learn", "-t", "y", "-o", tmp_path / "csv", stdin=text)
    run("learn", "-t", "y", "-o", tmp_path / "json", stdin="\n".join(as_objects(text)))
    same(tmp_path / "csv", tmp_path / "json")


def test_other_commands_take_the_model(tmp_path, rng):
    path = tmp_path / "model"
    header, *rows = PENGUINS.read_text().splitlines()
    text = "\n".join([header, *rng.permutation(rows)])  # sorted by species, the last one would be learned last
    said, _ = run("learn", "-t", "species", "-o", path, stdin=text)
    assert "344 rows: accuracy 0." in said
    assert f"Saved in {path}." in said
    found = results("score", path, PENGUINS)
    model = novikoff.load(path)
    lines = run("predict", path, PENGUINS)[0].splitlines()
    assert len(lines) == 345
    assert found["score"] > 0.55  # one pass over 344 rows; the commonest species has 0.44
    assert any(name.startswith("island=") for name in model[0].get_feature_names_out())
    assert "bill" in run("weights", path)[0]
    run("export", path, "--to", "json", "-o", tmp_path / "model.json")
    assert json.loads((tmp_path / "model.json").read_text())


def test_scores_are_told_and_models_saved_on_the_way(text, tmp_path):
    asked, path, lines, models = Asked("y"), tmp_path / "model", [], []

    def arriving():
        header, *rows = text.encode().splitlines(keepends=True)
        yield header
        for row in rows:
            yield row[:3]
            yield None  # nothing for a while, in the middle of a line
            yield row[3:]
            models.append(path.exists() and notes(path)["read"])

    learn_stream(arriving(), asked, path, tell=lines.append, tell_every=0, save_every=0)
    assert [told.rows + told.unlabelled for told in lines] == list(range(1, ROWS + 1))
    assert lines[-1].mistakes >= lines[9].mistakes
    assert models == list(range(1, ROWS + 1))  # each row is learned from, and saved, as soon as its line is there
    run("learn", "-t", "y", "-o", tmp_path / "whole", stdin=text)
    same(path, tmp_path / "whole")


def test_one_line_of_json_each(text, tmp_path):
    said, _ = run("learn", "-t", "y", "-o", tmp_path / "model", "--json", "--tell-every", 0, stdin=text)
    told = [json.loads(line) for line in said.splitlines()]
    assert len(told) > ROWS / 2
    assert told[-1]["rows"] + told[-1]["unlabelled"] == ROWS


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("1,2,red,yes,more\n", "5 fields"),
        ("x,2,red,yes\n", "was a number before"),
        ("inf,2,red,yes\n", "infinite"),
        ('"1,2,red,yes\n', "not a record"),
        ("\udcff,2,red,yes\n", "not UTF-8"),
    ],
)
def test_bad_rows_stop_or_are_left_out(text, tmp_path, bad, why):
    header, *rows = text.splitlines(keepends=True)
    mixed = [header, *rows[:100], bad, *([] if bad.startswith('"') else rows[100:])]
    given = "".join(mixed).encode(errors="surrogateescape")
    _, said = run("learn", "-t", "y", "-o", tmp_path / "stopped", stdin=given, status=2)
    assert "line 102: " in said or (bad.startswith('"') and "line 102" in said)
    assert why in said
    assert "saved" in said
    run("learn", "-t", "y", "-o", tmp_path / "before", stdin="".join([header, *rows[:100]]))
    same(tmp_path / "stopped", tmp_path / "before")
    run("learn", "-t", "y", "-o", tmp_path / "skipped", "--skip-bad", stdin=given)
    rest = "".join([header, *rows[: 100 if bad.startswith('"') else ROWS]])
    run("learn", "-t", "y", "-o", tmp_path / "clean", stdin=rest)
    same(tmp_path / "skipped", tmp_path / "clean")
    assert notes(tmp_path / "skipped")["bad"] == 1


def test_what_it_refuses(text, tmp_path):
    path = tmp_path / "model"
    assert "no column 'z'" in refused_stream(text, "-t", "z", "-o", path)
    assert "needs all rows at once" in refused_stream(text, "-t", "y", "-o", path, "--learner", "linear-svm")
    assert "needs all rows at once" in refused_stream(text, "-t", "y", "-o", path, "--learner", "kernel-perceptron")
    assert "new columns may come" in refused_stream(
        text, "-t", "y", "-o", path, "--set", "keep=pocket", "--learner", "perceptron"
    )
    assert "no row to learn from" in refused_stream("a,y\n", "-t", "y", "-o", path)
    assert not path.exists()
    run("learn", "-t", "y", "-o", path, stdin=text)
    assert "learned with other options" in refused_stream(text, "-t", "a", "-o", path)
    assert "learned with other options" in refused_stream(text, "-t", "y", "-o", path, "--set", "eta=0.5")
    run("fit", PENGUINS, "-t", "species", "-o", tmp_path / "fitted", "--no-test")
    assert "not from a stream" in refused_stream(text, "-t", "y", "-o", tmp_path / "fitted")
    many = "a,y\n" + "".join(f"1,l{i}\n" for i in range(1002))
    assert "more than 1,000 labels" in refused_stream(many, "-t", "y", "-o", tmp_path / "many")


def refused_stream(text, *arguments):
    return run("learn", *arguments, stdin=text, status=2)[1]


def test_numbers_and_columns_as_asked(rng, tmp_path):
    x = rng.normal(size=200)
    text = "code;x;id;d\n" + "".join(
        f"{i % 2};{v:.3f};{i};{3 * v + i % 2:.3f}\n".replace(".", ",") for i, v in enumerate(x)
    )
    options = ["--learner", "adagrad-regressor", "--decimal", ",", "--categorical", "code", "--ignore", "id"]
    said, _ = run("learn", "-t", "d", "-o", tmp_path / "model", *options, stdin=text)
    assert "accuracy" not in said
    model = novikoff.load(tmp_path / "model")
    assert model[0].get_feature_names_out().tolist() == ["code=0", "code=1", "x"]
    (tmp_path / "new.csv").write_text(text)
    told = [
        line.split(",")
        for line in run("predict", tmp_path / "model", tmp_path / "new.csv", "--decimal", ",")[0].splitlines()
    ]
    assert len(told) == 201
    run("learn", "-t", "d", "-o", tmp_path / "few", *options, "--features", 2, stdin=text)
    assert len(novikoff.load(tmp_path / "few")[0].get_feature_names_out()) == 2


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_file_is_followed_until_it_is_told_to_stop(text, tmp_path, number):
    """Rows are added while it learns; it is ended, and goes on; a killed one goes on from its last save."""
    file, path = tmp_path / "rows.csv", tmp_path / "model"
    header, *rows = text.splitlines(keepends=True)
    file.write_text(header + "".join(rows[:150]))
    command = [
        sys.executable,
        "-m",
        "novikoff",
        "learn",
        str(file),
        "-t",
        "y",
        "-o",
        str(path),
        "--follow",
        "--save-every",
        "0",
    ]
    process = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(ROOT / "src")}, stdout=subprocess.DEVNULL)
    try:
        await_rows(path, 150)
        with file.open("a") as more:
            more.write("".join(rows[150:200]) + rows[200][:4])  # half a line is not learned from
        await_rows(path, 200)
    finally:
        process.send_signal(number)
    assert process.wait(60) == (
        130 if number == signal.SIGINT else 143 if number == signal.SIGTERM else -signal.SIGKILL
    )
    with file.open("a") as more:
        more.write(rows[200][4:] + "".join(rows[201:]))
    run("learn", file, "-t", "y", "-o", path, "--skip-learned")
    run("learn", file, "-t", "y", "-o", tmp_path / "whole")
    same(path, tmp_path / "whole")


def await_rows(path, read):
    for _ in range(1200):
        if path.exists() and notes(path)["read"] == read:
            return
        time.sleep(0.1)
    raise AssertionError(f"{read} rows were not read in two minutes")


def with_runs(rng, kind, length, rows=600):
    """Rows of which a class lasts for so many, and then the next of three comes; of kind "apart" they can be told apart, of kind "bias" not."""
    lines = ["a,b,y"]
    for i in range(rows):
        label = i // length % 3
        a, b = (rng.normal(size=2) + ([(4, 0), (0, 4), (-4, -4)][label] if kind == "apart" else 0)).round(3)
        lines.append(f"{a},{b},{'xyz'[label]}")
    return "\n".join(lines)


def test_rows_that_are_sorted_by_class_are_told(tmp_path, rng):
    _, said = run("learn", "-t", "species", "-o", tmp_path / "model", stdin=PENGUINS.read_text())
    assert "sorted by 'species': its labels come in 3 runs" in said
    assert "Shuffle the rows" in said
    now = int(said.split("now answers ")[1].split("%")[0]) / 100
    assert now == pytest.approx(results("score", tmp_path / "model", PENGUINS)["score"], abs=0.1)
    _, said = run("learn", "-t", "y", "-o", tmp_path / "bias", "--json", stdin=with_runs(rng, "bias", 200))
    assert "its labels come in 3 runs, in random order in about 400." in said


@pytest.mark.parametrize("kind", ["apart", "bias"])
@pytest.mark.parametrize("length", [1, 2, 20])
def test_rows_that_are_not_sorted_or_harm_nothing_are_not(tmp_path, rng, kind, length):
    """Labels that last for a while are no reason to warn where the model still knows the others."""
    shuffled = ["a,b,y", *rng.permutation(with_runs(rng, kind, 200).splitlines()[1:])]
    texts = ["\n".join(shuffled)] + [with_runs(rng, kind, length)] * (kind == "apart" or length < 3)
    for number, text in enumerate(texts):
        _, said = run("learn", "-t", "y", "-o", tmp_path / str(number), stdin=text)
        assert "sorted" not in said
