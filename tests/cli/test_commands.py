"""The command line from end to end: what a person with a file does with it.

``NOVIKOFF_KILLS=100 python -m pytest tests/cli/test_commands.py`` kills a fit that often.
"""

import csv
import io
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import novikoff
from commands import FORMATS, PENGUINS, SMALL, refused, results, run, same_weights
from common import ROOT
from novikoff.cli.main import program
from novikoff.proof.check import plain
from novikoff.tables import table_rows

KILLS = os.environ.get("NOVIKOFF_KILLS", "8")


def test_fit_says_of_which_rows_every_number_speaks():
    said, _ = run("fit", PENGUINS, "-t", "species")
    for words in (
        "344 rows read",
        "3 classes",
        "11, kept as a level",
        "2, filled with 44.45",
        "linearly separable (proved)",
    ):
        assert words in said
    for of in ("training", "progressive", "cross-validated"):
        assert of in said
    assert "Novikoff's theorem allows at most" in said


def test_the_tour_shows_what_is_printed(monkeypatch):
    monkeypatch.chdir(PENGUINS.parents[1])
    shown = (PENGUINS.parents[1] / "docs" / "tour.md").read_text().split("```text\n")[1].split("```")[0]
    assert "Confusion" in shown
    assert shown in run("fit", "examples/penguins.csv", "--target", "species")[0]


def test_numbers_of_fit_agree_with_each_other_and_with_score(tmp_path):
    path = tmp_path / "model"
    found = results("fit", PENGUINS, "-t", "species", "-o", path, "--hold-out", "0.25")
    assert found["rows"]["training"] + found["rows"]["held_out"] == found["rows"]["read"] == 344
    assert sum(map(sum, found["confusion"]["counts"])) == found["test"]["rows"] == found["rows"]["held_out"]
    wrong = found["test"]["rows"] - sum(row[k] for k, row in enumerate(found["confusion"]["counts"]))
    assert found["test"]["score"] == pytest.approx(1 - wrong / found["test"]["rows"])
    assert found["test"]["low"] < found["test"]["score"] < found["test"]["high"]
    assert sum(found["margins"]["counts"]) == found["fit"]["training"]["rows"] == found["rows"]["training"]
    assert sum(found["history"]["mistakes"]) == found["fit"]["mistakes"] <= found["fit"]["mistake_bound"]
    scored = results("score", path, PENGUINS)
    assert scored["rows"] - round(scored["score"] * scored["rows"]) == wrong + found["fit"]["training"]["errors"]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_model(name, model, tmp_path):
    run("fit", PENGUINS.with_name(name), "-t", "species", "-o", tmp_path / "model", "--no-test")
    same_weights(tmp_path / "model", model)


def test_standard_input_and_several_files(model, tmp_path):
    lines = PENGUINS.read_bytes().splitlines(keepends=True)
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    first.write_bytes(b"".join(lines[:100]))
    second.write_bytes(lines[0] + b"".join(lines[100:]))
    whole, _ = run("predict", model, PENGUINS)
    assert run("predict", model, first, second)[0] == whole
    assert run("predict", model, "-", stdin=PENGUINS.read_bytes())[0] == whole
    assert whole.splitlines()[0] == "prediction"
    labels = novikoff.load(model).set_params(table__unseen="zeros").predict(pd.read_csv(PENGUINS))
    assert whole.splitlines()[1:] == labels.tolist()


def test_files_larger_than_memory_give_the_same_model(model, tmp_path, monkeypatch):
    monkeypatch.setattr(table_rows, "rows_budget", lambda asked: 1000)
    run("fit", PENGUINS, "-t", "species", "-o", tmp_path / "model", "--no-test")
    same_weights(tmp_path / "model", model)
    message = refused("fit", PENGUINS, "-t", "species", "--learner", "linear-svm")
    assert "--memory" in message
    assert results("check", PENGUINS, "-t", "species")["kind"] == "complete"
    assert results("check", PENGUINS, "-t", "sex", "--missing", "drop", status=1)["kind"] == "overlap"


def test_check_by_exit_status(write):
    found = results("check", PENGUINS, "-t", "species", "--max-margin")
    assert found["separable"] is True
    low, high = found["margin_bounds"]
    assert 0 < low <= high
    found = results("check", PENGUINS, "-t", "sex", "--missing", "drop", status=1)
    assert all(PENGUINS.name in row["place"] for row in found["witness"])
    assert sum(row["share"] for row in found["witness"]) == pytest.approx(2), "1 for each class"
    twice = write("x,y\n1,a\n2,b\n1,b\n")
    assert results("check", twice, "-t", "y", status=1)["kind"] == "quasi-complete"
    said = run("check", twice, "-t", "y", status=1)[0]
    assert "both classes have the same mean" in " ".join(said.split())
    assert "to +infinity" in said
    undecided = results("check", PENGUINS, "-t", "island", "--time-limit", "1e-9", status=3)
    assert undecided["kind"] is undecided["separable"] is None


def test_check_saves_a_certificate_of_the_rows_as_encoded(write, tmp_path):
    """Of a table with texts, too: the rows that the proof is about are saved as numbers, and plain.py checks both."""
    proof, rows = tmp_path / "proof.json", tmp_path / "rows.csv"
    for target, status in (("species", 0), ("sex", 1)):
        words = (
            "check",
            PENGUINS,
            "-t",
            target,
            "--missing",
            "drop",
            "--certificate",
            proof,
            "--certificate-rows",
            rows,
        )
        assert any("proof.json" in note for note in results(*words, status=status)["notes"])
        with rows.open(newline="", encoding="utf8") as file:
            _, *lines = csv.reader(file)
        plain.check(
            json.loads(proof.read_text()), [list(map(float, line[:-1])) for line in lines], [line[-1] for line in lines]
        )
    proof.unlink()
    undecided = ("check", PENGUINS, "-t", "island", "--time-limit", "1e-9", "--certificate", proof)
    assert any("no certificate was written" in note for note in results(*undecided, status=3)["notes"])
    assert not proof.exists()
    table = write("x,y\n1,a\n2,b\n1,b\n")
    assert "goes with --certificate" in refused("check", table, "-t", "y", "--certificate-rows", rows)
    assert "in use" in refused("check", table, "-t", "y", "--certificate", table)
    assert "in use" in refused("check", table, "-t", "y", "--certificate", proof, "--certificate-rows", proof)
    assert "there is no folder" in refused("check", table, "-t", "y", "--certificate", tmp_path / "none" / "proof.json")


def test_compare_and_weights(model, tmp_path):
    picture = tmp_path / "compared.png"
    names = ["perceptron", "linear-svm"]
    found = results("compare", PENGUINS, "-t", "species", "--plot", picture, *(f"--learner={name}" for name in names))
    assert {line["name"] for line in found["learners"]} == set(names)
    assert all(line["score"] > 0.95 for line in found["learners"])
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert found["chance"] == pytest.approx(152 / 344)
    shown = results("weights", model, "--top", 2)
    coef = novikoff.load(model)[-1].coef_
    for row, one in zip(coef, shown["weights"], strict=True):
        assert [abs(each["weight"]) for each in one["features"]] == sorted(np.abs(row))[::-1][:2]


def test_regression(write, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((60, 2))
    lines = [f"{a},{b},{3 * a - b + 1}" for a, b in x]
    path = write("\n".join(["a,b,out", *lines]))
    found = results("fit", path, "-t", "out", "--learner", "adaline-regressor", "--passes", 50, "-o", tmp_path / "m")
    assert found["test"]["metric"] == "r2"
    assert found["test"]["score"] > 0.99
    assert results("score", tmp_path / "m", path)["score"] > 0.99


def test_learners_and_their_parameters(write):
    path = write(SMALL * 1 + "1,red,a\n" * 5)
    found = results("fit", path, "-t", "y", "--no-test", "--learner", "HingeSGD", "--set", "lam=0.01", "--passes", 3)
    assert found["learner"] == {"name": "HingeSGD", "parameters": {"lam": 0.01, "max_iter": 3, "random_state": 0}}
    assert "Did you mean lam" in refused("fit", path, "-t", "y", "--learner", "hinge-sgd", "--set", "lamb=1")
    assert "Did you mean perceptron" in refused("fit", path, "-t", "y", "--learner", "percepton")
    assert "name=value" in refused("fit", path, "-t", "y", "--set", "eta")
    assert "eta" in refused("fit", path, "-t", "y", "--set", "eta=-1")
    found = results("fit", path, "-t", "y", "--no-test", "--set", "keep=pocket")
    assert found["fit"]["stop_reason"] in ("separated", "budget")


UGLY = {
    "ragged": ("x,y\n1,a\n2,b,3\n", "rows.csv:3:"),
    "text among numbers": ("x,y\n1,a\n2,b\n3,a\nabc,b\n", "rows.csv:5:1:"),
    "infinite": ("x,y\n1,a\ninf,b\n", "rows.csv:3:1:"),
    "unclosed quote": ('x,y\n1,a\n2,"b\n', "rows.csv:3:3:"),
    "not utf-8": (b"x,y\n1,a\n2,\xff\n", "rows.csv:3:3:"),
    "no label at all": ("x,y\n1,\n2,\n", "rows.csv: no row has a value of the target 'y'"),
    "empty": ("", "rows.csv:"),
    "header only": ("x,y\n", "rows.csv:"),
    "one class": ("x,y\n1,a\n2,a\n", "rows.csv:"),
    "no such target": ("x,z\n1,a\n2,b\n", "rows.csv:"),
    "twice the same name": ("x,x,y\n1,2,a\n2,3,b\n", "rows.csv:1:"),
    "only a target": ("y\na\nb\n", "rows.csv:"),
}


@pytest.mark.parametrize("case", UGLY)
def test_ugly_files_are_refused_by_place(case, write):
    text, place = UGLY[case]
    path = write(text)
    message = refused("fit", path, "-t", "y")
    assert message.startswith(str(path.parent / place)), message


@pytest.mark.parametrize("text", ["\ufeff" + SMALL, SMALL.replace("\n", "\r\n"), SMALL.replace("red", '"r,\n ""ed"')])
def test_odd_files_are_read(text, write):
    found = results("fit", write(text), "-t", "y", "--no-test")
    assert found["rows"]["read"] == 4
    assert found["features"] == 4


def test_what_prediction_files_lack_or_have_too_much(model, write):
    lines = PENGUINS.read_text().splitlines()
    table = pd.read_csv(PENGUINS)
    whole, _ = run("predict", model, PENGUINS)
    shuffled = table[table.columns[::-1]].assign(more=1)
    path = write(shuffled.to_csv(index=False, na_rep="NA"))
    assert run("predict", model, path)[0] == whole
    message = refused("predict", model, write(table.drop(columns="island").to_csv(index=False)))
    assert "island" in message
    path = write("\n".join([lines[0], lines[1].replace("Torgersen", "Atlantis")]))
    message = refused("predict", model, path, "--unseen", "error")
    assert message.startswith(f"{path}:2:8: training had no 'Atlantis'")
    assert run("predict", model, path, "--unseen", "zeros")[0] == "prediction\nAdelie\n"
    path = write("\n".join([lines[0], lines[1].replace("Adelie", "Emperor")]))
    assert refused("score", model, path).startswith(f"{path}:2:1: the label 'Emperor'")


@pytest.mark.parametrize("name", ["penguins.csv", *FORMATS])
@pytest.mark.parametrize("target", ["island", "body_mass_g"])
def test_a_column_that_the_model_predicts_from_is_no_target(model, name, target):
    """Read twice, as a feature and as the target, it would be written to a place that is not there."""
    path = PENGUINS.with_name(name)
    assert refused("score", model, path, "-t", target).startswith(
        f"{path}: '{target}' is a column that the model predicts"
    )


@pytest.mark.parametrize("target", ["island", "body_mass_g", ["species"], 3, {}])
def test_a_model_whose_notes_name_no_target_is_refused(model, tmp_path, target):
    path = tmp_path / "noted.novikoff"
    novikoff.save(novikoff.load(model), path, notes={"target": target})
    for command in ("score", "predict"):
        assert refused(command, path, PENGUINS).startswith(f"{path}: its notes name {target!r} as target")


def test_a_pipeline_that_the_command_line_cannot_feed_is_refused(tmp_path):
    path = tmp_path / "network.novikoff"
    network = make_pipeline(novikoff.RadialBasis(n_centers=2), novikoff.Perceptron())
    novikoff.save(network.fit([[0.0], [1.0], [2.0]], [0, 1, 0]), path)
    for command in (["score", path, PENGUINS], ["predict", path, PENGUINS], ["weights", path]):
        assert "this model is RadialBasis, Perceptron" in refused(*command)


def test_nothing_half_written(model, tmp_path, write):
    path = write(PENGUINS.read_text() + "Adelie,Torgersen,3 km,1,1,1,male,2007\n")
    out = tmp_path / "out.csv"
    refused("predict", model, path, "-o", out)
    assert not out.exists()
    assert refused("predict", model, path).startswith(f"{path}:346:18:")
    assert "no folder" in refused("fit", PENGUINS, "-t", "species", "-o", tmp_path / "nowhere" / "model")


def test_missing_values_on_request(write):
    path = write(SMALL)
    assert results("fit", path, "-t", "y", "--no-test")["columns"][1]["missing"] == 1
    dropped = results("fit", path, "-t", "y", "--no-test", "--missing", "drop")
    assert dropped["rows"] == {"read": 4, "dropped": 1, "unlabelled": 0, "training": 3, "held_out": 0}
    assert refused("fit", path, "-t", "y", "--missing", "error").startswith(
        f"{path}:5:5: the value of 'colour' is missing"
    )


def test_a_model_that_is_none(write):
    path = write("x,y\n1,a\n", "model")
    for command in (["predict", path, PENGUINS], ["score", path, PENGUINS], ["weights", path]):
        assert refused(*command).startswith(str(path))


def test_a_checkpoint_of_what_needs_all_rows_is_refused_as_it_was_typed(tmp_path):
    said = refused("fit", PENGUINS, "-t", "species", "--set", "keep=pocket", "--checkpoint", tmp_path / "c")
    assert "--set keep=pocket counts" in said
    assert "Leave out --checkpoint, or learn with --learner perceptron and its default parameters" in said
    results("fit", PENGUINS, "-t", "species", "--learner", "perceptron", "--checkpoint", tmp_path / "c")


def test_checkpoint_of_something_else_is_refused(tmp_path):
    point = tmp_path / "point"
    run("fit", PENGUINS, "-t", "species", "--no-test", "--checkpoint", point, "--passes", 2)
    assert "was learned from something else" in refused(
        "fit", PENGUINS, "-t", "island", "--no-test", "--checkpoint", point
    )
    message = refused("fit", PENGUINS, "-t", "species", "--learner", "linear-svm", "--checkpoint", tmp_path / "other")
    assert "pass by pass" in message


@pytest.mark.parametrize("change", ["labels", "levels", "names", "version"])
def test_a_checkpoint_does_not_go_on_with_other_texts(tmp_path, monkeypatch, change):
    """Rows are kept as codes: the same codes may stand for other texts."""
    path, point = tmp_path / "pets.csv", tmp_path / "point"
    path.write_text("pet,coat,weight\n" + "cat,long,4\ndog,short,30\ndog,long,20\n" * 5)
    arguments = ["fit", path, "-t", "pet", "--no-test", "--checkpoint", point, "--passes", 3]
    run(*arguments)
    assert "Going on after pass" in run(*arguments)[1]
    swaps = {"labels": ("cat", "dog"), "levels": ("long", "short"), "names": ("weight", "height")}
    if change == "version":
        monkeypatch.setattr("novikoff.tables.fit_table.__version__", "0.0")
    else:
        one, other = swaps[change]
        path.write_text(path.read_text().replace(one, "?!").replace(other, one).replace("?!", other))
    message = refused(*arguments)
    assert message.startswith(f"{point}: this was learned from something else")
    assert ("version was" if change == "version" else "checksum of the rows was") in message


@pytest.mark.parametrize("given", [True, False])
def test_interrupted_and_resumed(given, tmp_path, monkeypatch):
    from novikoff.rows.store.row_store import StoreSource

    arguments = ["fit", PENGUINS, "-t", "species", "--no-test", "--passes", 6]
    run(*arguments, "-o", tmp_path / "whole")
    point = tmp_path / "model.checkpoint"
    options = ["-o", tmp_path / "model", *(["--checkpoint", point] if given else [])]
    make_pass, begun = StoreSource.make_pass, []

    def interrupted(self, *more):
        begun.append(self)
        if len(begun) == 4:
            raise KeyboardInterrupt
        return make_pass(self, *more)

    with monkeypatch.context() as patch:
        patch.setattr(StoreSource, "make_pass", interrupted)
        said, _ = run(*arguments, *options, status=130)
        assert "3 whole passes" in said
    assert not (tmp_path / "model").exists()
    run(*arguments, "-o", tmp_path / "model", "--checkpoint", point)
    same_weights(tmp_path / "model", tmp_path / "whole")


@pytest.mark.slow
def test_the_installed_command(tmp_path):
    command = shutil.which("novikoff", path=os.path.dirname(sys.executable))
    assert command, "the package is not installed in this environment"
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"novikoff {novikoff.__version__}"
    loud = "import sys; sys.argv = ['novikoff', '--help']\nfrom novikoff.cli.main import main\ntry: main()\nfinally: print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", loud], capture_output=True, text=True, check=True)
    assert not {"numba", "sklearn", "scipy", "pyarrow", "numpy", "matplotlib"} & set(done.stdout.split())
    broken = f"{command} predict nowhere.novikoff {PENGUINS} | head -1"
    done = subprocess.run(broken, shell=True, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert "nowhere.novikoff" in done.stderr


@pytest.mark.parametrize(
    ("typed", "offered"), [("fi", {"fit"}), ("fit --targ", {"--target"}), ("export --to j", {"json", "javascript"})]
)
def test_shells_complete_what_is_typed(typed, offered):
    words = f"novikoff {typed}"
    asked = {"_NOVIKOFF_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    command = shutil.which("novikoff", path=os.path.dirname(sys.executable))
    done = subprocess.run([command], env={**os.environ, **asked}, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == offered


NOT_TO_FIT = (
    "sklearn.linear_model,sklearn.cluster,sklearn.pipeline,sklearn.metrics,scipy.stats,scipy.optimize,matplotlib"
)
IMPORTED = """
import sys
sys.argv[1:], unwanted = sys.argv[2:], set(sys.argv[1].split(","))
from novikoff.cli.main import main
try:
    main()
except SystemExit as end:
    assert not end.code
assert not unwanted & set(sys.modules), unwanted & set(sys.modules)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "needless"),
    [
        (["--version"], "numpy,sklearn,numba,pyarrow,flint,matplotlib"),
        (["--help"], "numpy,sklearn,numba,pyarrow,flint,matplotlib"),
        (["fit", PENGUINS, "--target", "species", "--json"], NOT_TO_FIT),
        (["check", PENGUINS, "--target", "species", "--json"], NOT_TO_FIT),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_commands_import_nothing_needless(tmp_path, words, needless):
    command = [sys.executable, "-c", IMPORTED, needless, *map(str, words)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_reference_is_up_to_date():
    from novikoff.cli.reference import reference

    page = ROOT / "docs" / "cli.md"
    assert page.read_text() == reference(program()), "python -m novikoff.cli.reference writes it again"


def test_columns_of_very_different_sizes_are_warned_of(write):
    path = write("1 1:0.001 2:5\n2 1:0.002 2:4\n" * 5, "rows.svm")
    assert "differ by a factor" in results("fit", path, "--no-test")["warnings"][0]


def test_every_command_has_help_that_ends_in_an_example():
    for command in ("fit", "check", "predict", "score", "compare", "weights", "export"):
        said, _ = run(command, "--help")
        assert f"Example: novikoff {command}" in " ".join(said.split())


@pytest.mark.slow
def test_killed_at_any_instant_and_resumed_to_the_same_bits(tmp_path):
    script = ROOT / "tests" / "support" / "killed.py"
    done = subprocess.run([sys.executable, script, tmp_path, KILLS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    killed, with_checkpoint = map(int, done.stdout.split())
    assert killed >= int(KILLS)
    assert with_checkpoint > 0
    models = [
        path for path in tmp_path.glob("model*") if path.suffix != ".checkpoint" and ".novikoff-" not in path.name
    ]
    assert models
    for path in models:
        same_weights(path, tmp_path / "whole")


def test_cross_validation_learns_nothing_from_the_rows_it_tests(write):
    rng = np.random.default_rng(0)
    lines = [f"name{i},{label}" for i, label in enumerate(rng.choice(["a", "b"], 300))]
    found = results("fit", write("\n".join(["name,y", *lines])), "-t", "y", "--folds", 3)
    assert found["fit"]["training"]["errors"] == 0  # every row by heart
    assert found["test"]["rows"] == 300
    assert found["test"]["score"] < 0.7


def test_bars_show_rate_and_time_left_on_a_terminal_only(monkeypatch):
    from novikoff.cli.printing import progress

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for stream, shown in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        for unit in ("bytes", "rows"):
            with progress("Reading", 100, unit) as advance:
                advance(40)
                advance(60)
        said = stream.getvalue()
        assert ("Reading" in said and "rows/s" in said) == shown
