"""The command line in hostile hands: files nobody checked, outputs in the wrong place, terminals that lack letters.

``NOVIKOFF_PROBLEMS=1000 python -m pytest tests/cli/test_commands_hostile.py`` fits that many damaged files.
"""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from typer.testing import CliRunner

import novikoff
from commands import PENGUINS, SMALL, refused, results, run
from mutations import text_changed
from novikoff.cli.main import program
from novikoff.cli.printing import dumps
from novikoff.models.files.saving import read_header
from novikoff.tables import fit_table as fitting

PROBLEMS = int(os.environ.get("NOVIKOFF_PROBLEMS", "100"))
BATCH = 50
FILES = [
    ("y", b"x,colour,y\n1,red,a\n2,blue,b\n1.5,red,a\n2.5,,b\n0.5,green,a\n3,blue,b\n"),
    ("ja", 'größe;art;"2\n3";ja\n1;A;2;ja\n3;"B;C";4;nein\n?;A;NA;ja\n1e300;C;-5;nein\n;B;6;ja\n7;A;1;nein\n'.encode()),
    ("y", b"a\tb\ty\r\n1\ttrue\t1\r\n2\tfalse\t2\r\n1\ttrue\t3\r\n2\ttrue\t1\r\n3\tfalse\t2\r\n"),
    ("column3", b"0.1,0.2,R\n0.3,0.1,M\n0.4,0.9,R\n0.5,0.6,M\n0.7,0.1,R\n"),
    ("y", b"id,when,y\n1,2020-01-01,a\n2,2020-01-02,b\n3,2020-01-03,a\n4,2020-01-04,b\n5,2020-01-05,c\n"),
]
FIELDS = [b"1e308", b"-1e308", b"5e-324", b"NA", b"?", b"", b"\xc3\xa4", b'"x ""y"""', b"0", b"-0.0", b"1e400", b"true"]


def change_fields(rng, data):
    """Some fields are replaced, and rows left out or repeated: files that can still be read, but are odd."""
    delimiter = next(each for each in (b",", b";", b"\t") if each in data)
    rows = [line.split(delimiter) for line in data.split(b"\n")]
    for _ in range(rng.randint(1, 4)):
        row = rng.choice(rows)
        row[rng.randrange(len(row))] = rng.choice([*FIELDS, rng.choice(rng.choice(rows))])
    if rng.random() < 0.3:
        rows = rows[: rng.randint(1, len(rows))]
    if rng.random() < 0.2:
        rows += rng.choices(rows, k=5)
    return b"\n".join(delimiter.join(row) for row in rows)


@pytest.mark.parametrize("first", range(0, PROBLEMS, BATCH))
def test_damaged_files_are_learned_from_or_refused_in_words(first, tmp_path):
    path = tmp_path / "rows.csv"
    for seed in range(first, min(first + BATCH, PROBLEMS)):
        rng = random.Random(seed)
        target, data = rng.choice(FILES)
        path.write_bytes((change_fields if rng.random() < 0.6 else text_changed)(rng, data))
        done = CliRunner().invoke(program(), ["fit", str(path), "-t", target, "--json"])
        assert done.exit_code in (0, 2), (seed, done.exception)
        assert done.exit_code == 0 or done.stderr.startswith("novikoff: "), (seed, done.output)
        assert "should not have happened" not in done.output, (seed, done.output)
        if done.exit_code == 0:
            found = json.loads(done.stdout, parse_constant=pytest.fail)
            assert found["fit"]["mistakes"] <= (found["fit"]["mistake_bound"] or np.inf), seed


def test_categories_that_only_held_out_rows_have(write, tmp_path):
    lines = [f"{i % 7},{'only' + str(i) if i % 3 else 'often'},{'ab'[i % 2]}" for i in range(90)]
    path = write("\n".join(["x,colour,y", *lines]))
    found = results("fit", path, "-t", "y", "--hold-out", 0.3, "-o", tmp_path / "m", "--report", tmp_path / "page")
    told = run("predict", tmp_path / "m", path, "--unseen", "zeros")[0].splitlines()[1:]
    wrong = sum(label != line[-1] for label, line in zip(told, lines, strict=True))
    errors = round((1 - found["test"]["score"]) * found["test"]["rows"])
    assert wrong == errors + found["fit"]["training"]["errors"]
    assert novikoff.load(tmp_path / "m")[0].unseen == "zeros"


def test_values_that_only_one_part_has(write):
    lines = [f"{i},{5 if i == 3 else ''},{'z' if i == 4 else ''},{'ab'[i % 2]}" for i in range(30)]
    found = results("fit", write("\n".join(["x,rare,text,y", *lines])), "-t", "y", "--categorical", "text")
    assert found["test"]["rows"] == 30
    assert "--ignore 'a b'" in refused("fit", write("x,a b,y\n1,,p\n2,,q\n"), "-t", "y", "--use", "a b")


def test_few_rows(write):
    path = write("x,y\n1,a\n2,b\n")
    assert results("fit", path, "-t", "y")["test"]["kind"] is None
    for command in ("fit", "compare"):
        assert "--folds 5 is more than the 2 rows: choose from 2 to 2" in refused(
            command, path, "-t", "y", "--folds", 5
        )
    message = refused("fit", path, "-t", "y", "--folds", 2, "--learner", "linear-svm")
    assert message.startswith("Part 1 of the cross-validation cannot be tested: y has only one class")
    for share, held in ((0.1, "none"), (0.9, 2)):
        assert f"holds out {held} of 2 rows" in refused("fit", path, "-t", "y", "--hold-out", share)


def test_nothing_is_written_over_what_is_read(model, write, tmp_path):
    path = write(SMALL)
    (tmp_path / "link").symlink_to(path)
    mine = tmp_path / "mine"
    mine.write_bytes(model.read_bytes())
    for arguments in (
        ("fit", path, "-t", "y", "-o", path),
        ("fit", path, "-t", "y", "-o", tmp_path / "link"),
        ("fit", path, "-t", "y", "--checkpoint", path),
        ("fit", path, "-t", "y", "-o", tmp_path / "a", "--checkpoint", tmp_path / "a"),
        ("predict", mine, PENGUINS, "-o", mine),
        ("predict", mine, path, "-o", path),
        ("export", mine, "--to", "json", "-o", mine),
        ("compare", path, "-t", "y", "--plot", path),
    ):
        assert "name another file" in refused(*arguments)
    assert path.read_text() == SMALL
    assert mine.read_bytes() == model.read_bytes()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_devices_and_pipes_are_not_replaced(model, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert "is a device or a pipe" in refused("export", model, "--to", "json", "-o", tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()


def test_what_fit_advises_asks_about_the_same_rows():
    given = ("--ignore", "island", "--categorical", "year", "--na", "a b", "--header", "--missing", "drop")
    asked = results("fit", PENGUINS, "-t", "species", "--no-test", *given)["separability"]["ask"]
    for words in ("--ignore island", "--categorical year", "--na 'a b'", "--header", "--missing drop"):
        assert words in asked
    assert "--no-header" not in asked
    assert "--folds" not in asked


def test_progressive_errors_are_of_rows():
    found = results("fit", PENGUINS, "-t", "species", "--no-test", "--set", "multiclass=ovr")
    assert "progressive" not in found["fit"]  # every output's mistakes are counted
    assert results("fit", PENGUINS, "-t", "species", "--no-test")["fit"]["progressive"]["errors"] <= 344


def test_regression_in_words(write):
    path = write("x,y\n" + "".join(f"{i},{2 * i}\n" for i in range(20)))
    assert "Mean squared error on training rows: " in run("fit", path, "-t", "y", "--learner", "adaline-regressor")[0]


def test_advice_names_options_that_the_command_has(model, write):
    path = write(re.sub("39.1", "39,1", PENGUINS.read_text().replace(",", ";"), count=1))
    for command in ("predict", "score"):
        message = refused(command, model, path)
        assert ":2:18: '39,1' is not a number" in message
        assert "correct it, or pass --decimal , (if all are written so)." in message
        assert "--categorical" not in message


def test_weights_of_classes_that_are_numbers(write):
    path = write("x,y\n" + "".join(f"{i},{i % 2}\n" for i in range(8)))
    given = results("fit", path, "-t", "y", "--no-test", "--set", 'class_weight={"0": 1, "1": 50}')
    assert given["confusion"]["counts"][1] == [0, 4]


def test_sparse_rows_have_no_named_columns(write):
    path = write("1 1:2\n-1 2:1\n", "rows.svm")
    assert "no columns by name" in refused("fit", path, "--ignore", "x")


def test_an_error_after_the_model_was_saved_says_so(monkeypatch, tmp_path):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(fitting, "cheap_verdict", interrupt)
    _, said = run("fit", PENGUINS, "-t", "species", "-o", tmp_path / "m", status=130)
    assert "The model was saved before that" in said
    assert "othing was written" not in said
    _, said = run("fit", PENGUINS, "-t", "species", status=130)
    assert "Nothing was written" in said


@pytest.mark.slow
def test_terminals_that_lack_letters_and_readers_that_leave(write):
    path = write("größe,y\n1,ja😀\n2,nein\n3,ja😀\n4,nein\n")
    command = [sys.executable, "-m", "novikoff", "fit", str(path), "-t", "y"]
    plain = {**os.environ, "PYTHONIOENCODING": "ascii"}
    said = subprocess.run(command, env=plain, capture_output=True, check=True).stdout
    assert b"\\U0001f600" in said
    assert json.loads(dumps({"label": "ja😀"}, "ascii").encode("ascii")) == {"label": "ja😀"}
    gone, end = os.pipe()
    os.close(gone)
    left = subprocess.run(command, stdout=end, stderr=subprocess.PIPE)
    os.close(end)
    assert (left.returncode, left.stderr) == (0, b"")


def test_a_program_that_is_ended_leaves_no_copy_of_its_input(tmp_path):
    command = [sys.executable, "-m", "novikoff", "fit", "-", "-t", "y"]
    place = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=place) as program:
        while not list(tmp_path.glob("novikoff-*")):
            assert program.poll() is None
            time.sleep(0.01)
        program.terminate()
        assert program.wait() == 128 + signal.SIGTERM
    assert not list(tmp_path.iterdir())


def test_a_place_without_room_is_reported_before_any_work(tmp_path):
    resource = pytest.importorskip("resource")
    program = "import sys; from novikoff.cli.main import main; sys.argv[0] = 'novikoff'; main()"
    for option in ("-o", "--checkpoint"):
        done = subprocess.run(
            [sys.executable, "-c", program, "fit", "nowhere.csv", "-t", "y", option, tmp_path / "m"],
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 2
        assert done.stderr.startswith(f"novikoff: {tmp_path / 'm'} cannot be written: ")
        assert "choose a folder with room" in done.stderr
    assert not list(tmp_path.iterdir())


def test_missing_values_are_those_of_the_rows_for_training(write):
    path = write("x,y\n" + "1,a\n,b\n2,a\n3,b\n" * 5)
    assert (
        "In the rows for training, values are missing in 1 column." in run("fit", path, "-t", "y", "--hold-out", 0.3)[0]
    )
    assert "\nValues are missing in 1 column." in run("fit", path, "-t", "y")[0].replace("  ", "")


def test_a_value_out_of_range_is_named_by_its_place(write, tmp_path):
    tiny = write("x,y\n1e-300,a\n2e-300,b\n3e-300,a\n4e-300,b\n")
    run("fit", tiny, "-t", "y", "-o", tmp_path / "m")
    far = write("x,y\n1e-300,a\n\n1e300,b\n", "far.csv")
    for command in ("predict", "score"):
        message = refused(command, tmp_path / "m", far)
        assert message.startswith(f"{far}:4:1: the value is out of the range")
    both = write("x,y\n" + "1e-300,a\n2e-300,b\n" * 40 + "1e300,a\n", "both.csv")
    message = refused("fit", both, "-t", "y", "-o", tmp_path / "n")  # in the fold that learns without the last row
    assert message.startswith(f"{both}:82:1: the value is out of the range")
    assert message.endswith(f"The model was saved before that: {tmp_path / 'n'}.")


def test_names_of_files_that_are_no_utf_8(tmp_path):
    path, out = (tmp_path / os.fsdecode(name) for name in (b"rows\xff.csv", b"model\xfe"))
    try:
        path.write_text(SMALL)
    except OSError:
        pytest.skip("this system's names are UTF-8")
    run("fit", path, "-t", "y", "--no-test", "-o", out, "--report", tmp_path / "report")
    assert read_header(out)["notes"]["files"] == [f"{tmp_path}/rows\\xff.csv"]
    assert results("score", out, path)["files"] == [f"{tmp_path}/rows\\xff.csv"]
    assert refused("score", out, path, "-t", "nothing").startswith(f"{tmp_path}/rows\\xff.csv: has no column")
