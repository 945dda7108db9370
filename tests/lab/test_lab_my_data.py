"""My data without a browser: which files are kept, what may be asked, and that the answers are those of the table functions."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import inspect
import json
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the lab's server needs starlette: pip install '.[lab]'")
from starlette.testclient import TestClient

import novikoff
from commands import run as run_command
from common import ROOT
from novikoff import check_table, compare_tables, fit_table, load
from novikoff.lab.doors import Doors
from novikoff.lab.own_data import file_shelf
from novikoff.lab.own_data.data_routes import PROCESS, OwnData
from novikoff.lab.own_data.data_settings import LEARNERS, read_settings
from novikoff.lab.own_data.file_columns import likely_target
from novikoff.lab.own_data.file_shelf import COMPRESSED, MOST_FILES, Shelf, TooLarge
from novikoff.lab.own_data.table_work import fields_of, work
from novikoff.lab.server import make_app
from novikoff.lab.worker import Worker
from novikoff.report.result_sections import sections_of
from novikoff.report.sections import PAGE
from novikoff.tables.learner_choices import typed_value
from novikoff.tables.progress import NO_PROGRESS
from novikoff.tables.results import plain

PENGUINS = ROOT / "examples" / "penguins.csv"
HERE = "127.0.0.1:8765"
HOSTILE = ["../../../etc/passwd", "/etc/passwd", "..", "a/b.csv", "a\0b.csv", "-rf", "x" * 5000, "<img src=x>.csv", "c:\\x.parquet", "ü\n.csv"]  # fmt: skip


async def chunks(*parts):
    for part in parts:
        yield part


def taken(shelf, name, *parts):
    return asyncio.run(shelf.take(name, chunks(*parts)))


@pytest.fixture
def shelf():
    made = Shelf()
    yield made
    made.close()


def asked(ask, settings=None, more=None, path=PENGUINS, name="mine.csv", so_far=lambda part: None):
    message = {"ask": ask, "path": str(path), "name": name, "settings": settings or {}, "more": more}
    return work(json.loads(json.dumps(message)), NO_PROGRESS, so_far)


def told(*args, **more):
    found = asked(*args, **more)
    json.dumps(found, allow_nan=False)
    return found["answer"]


# Files


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_shown_and_never_becomes_a_path(shelf, name):
    found = taken(shelf, name, b"a,b\n1,2\n")
    kept = shelf.find(found["id"])
    folder = kept.path.parent
    assert kept.path.name.isascii()
    assert len(kept.path.name) < 40
    assert kept.path.resolve().parent == folder.resolve()
    assert folder.name.startswith("novikoff-lab-")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(kept.path.stat().st_mode) == 0o600
    assert found["name"].isprintable()
    assert len(found["name"]) <= 200


def test_files_are_removed_at_the_end(shelf):
    kept = shelf.find(taken(shelf, "a.csv", b"a\n", b"1\n")["id"])
    assert kept.path.read_bytes() == b"a\n1\n"
    folder = kept.path.parent
    shelf.close()
    assert not folder.exists()
    with pytest.raises(ValueError, match="not here any more"):
        shelf.find("0" * 64)


def test_a_file_that_comes_in_again_stays_where_it_is(shelf):
    first = shelf.find(taken(shelf, "a.csv", b"a\n1\n")["id"])
    again = shelf.find(taken(shelf, "b.csv", b"a\n1\n")["id"])
    assert (again.path, again.name) == (first.path, "b.csv")
    assert first.path.read_bytes() == b"a\n1\n"
    assert len(list(first.path.parent.iterdir())) == 1
    other = shelf.find(taken(shelf, "b.txt", b"a\n1\n")["id"])  # which may be read in another way
    assert other.path != first.path
    assert len(list(first.path.parent.iterdir())) == 1


def test_files_are_bounded(shelf, monkeypatch):
    monkeypatch.setattr(file_shelf, "LARGEST_FILE", 10)
    with pytest.raises(TooLarge, match="--data"):
        taken(shelf, "a.csv", b"12345", b"678901")
    with pytest.raises(ValueError, match="empty"):
        taken(shelf, "a.csv")
    with pytest.raises(ValueError, match="Unpack"):
        taken(shelf, "a.csv", b"\x1f\x8b..")
    kept = [taken(shelf, "a.csv", str(number).encode()) for number in range(MOST_FILES + 2)]
    folder = shelf.find(kept[-1]["id"]).path.parent
    assert len(list(folder.iterdir())) == MOST_FILES
    assert list(shelf.all_files()) == [each["id"] for each in kept[2:]]


def test_a_file_of_the_command_line_is_known_by_its_hash(tmp_path):
    own = Shelf([PENGUINS])
    key = hashlib.sha256(PENGUINS.read_bytes()).hexdigest()
    assert own.find(key).path == PENGUINS
    own.close()
    assert PENGUINS.exists()
    with pytest.raises(FileNotFoundError, match="no such file"):
        Shelf([tmp_path / "none.csv"])


def test_a_compressed_file_is_known_however_it_comes_in(shelf):
    for start in COMPRESSED:
        for parts in (
            [start + b"rest"],
            [start[:1], start[1:], b"rest"],
            [b"", *(bytes([byte]) for byte in start), b"rest"],
        ):
            with pytest.raises(ValueError, match="Unpack this file first"):
                taken(shelf, "a.csv", *parts)
    assert taken(shelf, "a.csv", b"\x1f", b"a")["bytes"] == 2


def test_files_of_the_command_line_may_go_and_come_back(tmp_path):
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path in paths:
        path.write_text(f"x,class\n1,{path.name}\n2,y\n")
    own = Shelf(paths)
    paths[0].rename(tmp_path / "away")  # before it was ever read
    assert [file.path for file in own.all_files().values()] == paths[1:]
    (problem,) = own.problems
    assert problem.startswith(f"{paths[0]} cannot be read (")
    (tmp_path / "away").rename(paths[0])
    found = own.all_files()
    assert [file.path for file in found.values()] == paths
    assert own.problems == []
    paths[0].unlink()  # after it was read
    with pytest.raises(ValueError, match="not here any more"):
        own.find(next(iter(found)))


# Settings


@pytest.mark.parametrize(
    "given",
    [[], {"path": "x"}, {"target": 1}, {"target": "x" * 2000}, {"kinds": []}, {"kinds": {"a": "text"}}, {"learner": "os"}, {"learner": []},
     {"passes": 0}, {"passes": 10**9}, {"passes": True}, {"passes": 1.5}, {"folds": 1}, {"seed": -1}, {"missing": "x"}, {"standardise": 1},
     {"kinds": {str(k): "ignore" for k in range(3000)}}, {"parameters": []}, {"parameters": {"eta": 1}}, {"delimiter": "::"}, {"header": 1},
     {"encoding": "rot13"}, {"na": "x"}, {"na": [1]}, {"decimal": 1}, {"thousands": "--"}, {"dates": "x"}],
)  # fmt: skip
def test_settings_are_not_taken_on_trust(given):
    with pytest.raises(ValueError, match=r"."):
        read_settings(given)


SETTINGS = {
    "target": "species",
    "kinds": {"year": "category", "island": "ignore"},
    "missing": "drop",
    "learner": "linear-svm",
    "standardise": False,
    "seed": 3,
    "folds": 3,
}


READ_OTHERWISE = {
    "target": "c",
    "learner": "perceptron",
    "parameters": {"eta": "0.5", "keep": "average", "class_weight": '{"u": 2, "v": 1}'},
    "delimiter": "\t",
    "header": True,
    "na": ["gone", "- 9"],
    "decimal": ",",
    "thousands": "",
    "encoding": "latin-1",
    "dates": "parts",
}
OTHERWISE = "a\tb\tc\n" + "".join(f"{k},5\t{'gone' if k % 7 == 0 else k % 5}\t{'uv'[k % 3 == 0]}\n" for k in range(40))


ONLY_HERE = (
    "regions",
    "weights",
    "notes",
    "warnings",
    "plot",
    "next",
)  # which commands are not asked for, or say in other words


def same(document, other, apart=()):
    """Whether two documents say the same, but for times, the name of the file, and what is set apart."""
    found, other = (json.loads(json.dumps(plain(each))) for each in (document, other))
    for each in (found, other):
        for name in ("seconds", "compiling", "files", "command", *apart):
            each.pop(name, None)
        for name in ("seconds", "compiling"):
            each.get("fit", {}).pop(name, None)
            each.get("test", {}).pop(name, None)
        each.get("history", {}).pop("seconds", None)
        (each.get("separability") or {}).pop("ask", None)
        (each.get("separability") or {}).pop("seconds", None)
        for line in each.get("learners", []):
            line.pop("seconds")
    return found == other


@pytest.mark.parametrize("ask", ["check", "fit", pytest.param("compare", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("settings", "text"), [(SETTINGS, PENGUINS.read_text()), (READ_OTHERWISE, OTHERWISE)], ids=["penguins", "tabs"]
)
def test_the_command_and_the_python_beside_a_result_make_it(ask, settings, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "my data's.csv"
    Path(name).write_text(text)
    shown = told(ask, settings, path=Path(name).resolve(), name=name)
    words = shlex.split(shown["calls"]["shell"])
    assert words[0] == "novikoff"
    status = 1 if ask == "check" and not shown["document"]["separable"] else 0
    printed = run_command(*words[1:], "--json", status=status)[0]
    assert same(shown["document"], json.loads(printed), ONLY_HERE)
    there = {}
    exec(shown["calls"]["python"].replace("print(result)", ""), there)
    assert same(shown["document"], there["result"].to_dict(), ONLY_HERE)


# Answers


@pytest.mark.parametrize(
    "ending", ["csv", *(pytest.param(ending, marks=pytest.mark.slow) for ending in ("parquet", "jsonl", "svm"))]
)
def test_answers_are_those_of_the_table_functions(ending):
    path = ROOT / "examples" / f"penguins.{ending}"
    target = None if ending == "svm" else "species"
    settings = {"target": target}
    for ask, expected in (
        ("check", check_table(path, target)),
        ("fit", fit_table(path, target, top=20, regions=True)),
        ("compare", compare_tables(path, target)),
    ):
        shown = told(ask, settings, path=path, name="mine")
        assert same(shown["document"], expected.to_dict()), ask
        assert str(path) not in json.dumps(shown)
        sections = sections_of(shown["document"], PAGE)
        assert [each["title"] for each in shown["sections"]] == [each.title for each in sections]
        assert [each["tables"] for each in shown["sections"]] == [
            plain([table._asdict() for table in each.tables]) for each in sections
        ]


def test_a_verdict_comes_before_what_explains_it():
    parts = []
    settings = {"target": "sex", "missing": "drop"}
    shown = told("check", settings, so_far=parts.append)
    expected = check_table(PENGUINS, "sex", missing="drop")
    assert shown["document"]["separable"] is expected.separable is False
    assert parts[0]["document"]["separable"] is False
    assert [row["place"] for row in shown["document"]["witness"]] == [
        row.place.replace(str(PENGUINS), "mine.csv") for row in expected.witness
    ]
    titles = [each["title"] for each in shown["sections"]]
    assert {"The proof", "Rows most in the way"} <= set(titles)


def test_columns_are_described_before_a_target_is_chosen():
    found = told("columns")
    by_name = {each["name"]: each for each in found["columns"]}
    assert found["rows"] == 344
    assert found["target"] == "species"
    assert by_name["sex"] == {"name": "sex", "kind": "category", "missing": 11, "values": 2, "left_out": None}
    assert by_name["year"]["values"] == 3
    assert by_name["body_mass_g"]["values"] is None
    assert found["first"]["rows"][0][0] == "Adelie"
    sparse = told("columns", path=ROOT / "examples" / "penguins.svm")
    assert (sparse["sparse"], sparse["rows"], sparse["features"]) == (True, 333, 4)


def test_a_file_is_read_as_it_is_told(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(OTHERWISE)
    found = told("columns", READ_OTHERWISE, path=path)
    assert [each["name"] for each in found["columns"]] == ["a", "b", "c"]
    assert found["columns"][1]["missing"] == 6
    assert found["columns"][1]["kind"] == "number"
    assert told("columns", READ_OTHERWISE | {"na": []}, path=path)["columns"][1]["kind"] == "category"
    path.write_text("1 2\n3 4\n5 6\n")
    for header, rows in ((None, 3), (False, 3), (True, 2)):
        assert told("columns", {"header": header, "delimiter": " "}, path=path)["rows"] == rows
    assert "error" in asked("columns", {"delimiter": "5"}, path=path)


@pytest.mark.parametrize("name", list(LEARNERS))
def test_every_parameter_of_a_learner_has_a_field(name):
    learner = getattr(novikoff, LEARNERS[name].class_name)
    known = inspect.signature(learner).parameters
    fields = {each["name"]: each for each in fields_of(name)}
    assert set(fields) == set(known) - {"max_iter", "random_state", "history", "warm_start", "time_limit"}
    for each in fields.values():
        assert repr(typed_value(each["default"])) in (
            repr(known[each["name"]].default),
            str(known[each["name"]].default),
        )
        assert each["help"]
        for choice in each["choices"]:
            learner(**{each["name"]: typed_value(choice)})._validate_params()
        if each["choices"]:
            assert each["default"] in each["choices"]


def test_the_learning_curve_is_that_of_fits_with_fewer_passes():
    settings = {"target": "island", "passes": 4, "seed": 3, "parameters": {"min_progress": "None"}}
    found = told("curve", settings)["curve"]
    assert found["passes"] == [1, 2, 3, 4]
    assert found["parts"] == 5
    for passes, score in zip(found["passes"], found["held_out"], strict=True):
        fit = fit_table(PENGUINS, "island", parameters={"min_progress": None}, passes=passes, seed=3)
        assert score == pytest.approx(sum(fit.report.test.folds) / 5, abs=1e-12)
    assert min(found["training"]) > 0.5
    assert told("curve", {"target": "island", "learner": "linear-svm"})["curve"] is None
    numbers = told("curve", {"target": "body_mass_g", "learner": "passive-aggressive-regressor", "passes": 2})["curve"]
    assert numbers["metric"] == "R\u00b2"
    assert len(numbers["held_out"]) == 2


@pytest.mark.parametrize("passes", [None, 500])
def test_a_learner_that_python_solves_is_solved(passes):
    """However many passes are allowed: the number limits a fit, and chooses nothing."""
    settings = {"target": "island", "learner": "logistic-neuron", "passes": passes}
    found = told("fit", settings)
    alone = fit_table(PENGUINS, "island", "logistic-neuron")
    assert found["document"]["fit"]["solver"] == alone.model[-1].solver_ == "newton"
    assert found["document"]["test"]["score"] == alone.scores["cross-validated"]
    assert found["curve"] is None  # there are no passes
    assert told("curve", settings)["curve"] is None
    assert ("passes=500" in found["calls"]["python"]) == (passes == 500)
    steps = {**settings, "passes": 2, "parameters": {"solver": "steps"}}
    assert len(told("fit", steps)["curve"]["mistakes"]) == len(told("curve", steps)["curve"]["passes"]) == 2


def test_columns_that_are_left_out_are_named_and_can_be_used(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,x,class\n" + "".join(f"{k},{k % 7},{'ab'[k % 2]}\n" for k in range(40)))
    found = told("columns", path=path)
    assert found["target"] == "class"
    assert next(each for each in found["columns"] if each["name"] == "id")["left_out"]
    with_id = told("fit", {"target": "class", "kinds": {"id": "number"}}, path=path)
    assert "id" in [each["name"] for each in with_id["document"]["columns"]]


def test_the_likely_target():
    def column(name, kind, values):
        return {"name": name, "kind": kind, "values": values}

    first, last, number = column("a", "category", 2), column("z", "category", 3), column("n", "number", None)
    assert likely_target([first, number, last]) == "z"
    assert likely_target([first, number]) == "a"
    assert likely_target([number, first, number]) == "a"
    assert likely_target([number, column("b", "number", 2)]) == "b"
    assert likely_target([column("t", "category", 500), number]) == "n"


def test_any_two_columns_as_a_slice():
    pair = ["year", "bill_depth_mm"]
    found = told("slice", {"target": "species"}, pair)["regions"]
    expected = fit_table(PENGUINS, "species", regions=pair, top=20).report.regions
    assert found == plain(expected.to_dict())
    assert found["names"] == pair
    for wrong in (["year", "year"], ["year", "island"], ["year"], "year", [1, 2], None):
        assert "error" in asked("slice", {"target": "species"}, wrong)


def test_models_reports_exports_and_certificates_can_be_taken_away(tmp_path):
    settings = {"target": "species"}
    model, expected = tmp_path / "model.novikoff", fit_table(PENGUINS, "species")
    model.write_bytes(base64.b64decode(told("save", settings)["base64"]))
    assert load(model).steps[-1][1].coef_.tolist() == expected.model.steps[-1][1].coef_.tolist()
    assert run_command("score", str(model), str(PENGUINS), "--json", status=0)
    exported = told("export", settings, "c")
    assert exported["name"] == "model.c"
    assert b"model_predict" in base64.b64decode(exported["base64"])
    for part in ("check", "fit", "compare"):
        html = base64.b64decode(told("report", settings, part)["base64"]).decode()
        assert "mine.csv" in html
        assert str(PENGUINS) not in html
    files = {each["name"]: base64.b64decode(each["base64"]) for each in told("certificate", settings)["files"]}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    words = [sys.executable, "plain.py", "certificate.json", "rows.csv"]
    assert subprocess.run(words, cwd=tmp_path, check=False, capture_output=True).returncode == 0
    for ask, more in (("report", "x"), ("export", "pickle"), ("import os", None), (None, None)):
        assert "error" in asked(ask, settings, more)


def test_errors_name_the_file_as_the_user_does(tmp_path):
    path = tmp_path / "0123.csv"
    path.write_text("a,b\n1,2\n")
    found = asked("check", {"target": "c"}, path=path, name="<b>mine</b>.csv")
    assert str(tmp_path) not in found["error"]
    assert "<b>mine</b>.csv" in found["error"]


# The server


@pytest.fixture
def client(shelf):
    doors = Doors("127.0.0.1", 8765)
    app = make_app(doors, OwnData(shelf))
    with TestClient(app, base_url=f"http://{HERE}", follow_redirects=False) as found:
        found.token = doors.token
        yield found


def friend(client):
    client.get("/", params={"token": client.token})
    return client


def sent(client, content=b"a,class\n1,x\n2,y\n", name="a.csv", **headers):
    usual = {"Origin": f"http://{HERE}", "Content-Type": "application/octet-stream"}
    return client.post("/data", params={"name": name}, content=content, headers={**usual, **headers})


def worked(client, message, **headers):
    usual = {"Origin": f"http://{HERE}", "Content-Type": "application/json"}
    return client.post("/work", content=json.dumps(message), headers={**usual, **headers})


def test_strangers_can_neither_send_files_nor_ask(client):
    assert sent(client).status_code == 403
    assert worked(client, {"ask": "files"}).status_code == 403
    friend(client)
    for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "null"}):
        assert sent(client, **headers).status_code == 403
        assert worked(client, {"ask": "files"}, **headers).status_code == 403
    assert sent(client, **{"Content-Type": "text/plain"}).status_code == 415
    assert worked(client, {}, **{"Content-Type": "text/plain"}).status_code == 415
    assert worked(client, []).status_code == 400


def test_files_too_large_are_refused_and_not_kept(client, monkeypatch, shelf):
    monkeypatch.setattr(file_shelf, "LARGEST_FILE", 1000)
    reply = sent(friend(client), b"x" * 1001)
    assert reply.status_code == 413
    assert "--data" in reply.json()["error"]
    assert shelf.all_files() == {}


def test_a_file_of_the_command_line_that_is_gone_is_named(shelf, tmp_path, client):
    path = tmp_path / "gone.csv"
    path.write_text("a,class\n1,x\n2,y\n")
    shelf._paths.append(path)
    (known,) = worked(friend(client), {"ask": "files"}).json()["answer"]["files"]
    path.unlink()
    found = worked(client, {"ask": "files"}).json()["answer"]
    assert found["files"] == []
    assert "gone.csv cannot be read" in found["problems"][0]
    assert "not here any more" in worked(client, {"ask": "columns", "file": known["id"]}).json()["error"]
    assert "gone.csv" in asked("columns", path=path, name="gone.csv")["error"]  # it went in the meantime


@pytest.mark.parametrize("file", [None, 3, "/etc/passwd", "../../etc/passwd", "0" * 64, {}])
def test_no_path_of_the_page_reaches_the_file_system(client, file):
    found = worked(friend(client), {"ask": "columns", "file": file, "path": "/etc/passwd", "name": "x"}).json()
    assert "not here any more" in found["error"]


def test_a_file_is_worked_on_in_a_process_of_its_own(client, shelf):
    key = sent(friend(client)).json()["answer"]["id"]
    lines = worked(client, {"ask": "check", "file": key, "settings": {"target": "class"}, "path": "/etc/passwd"}).text
    *news, last = map(json.loads, lines.splitlines())
    assert last["answer"]["document"]["files"] == ["a.csv"]
    assert last["answer"]["document"]["separable"] is True
    assert any(each["news"].get("title") == "Reading" for each in news)
    listed = worked(client, {"ask": "files"}).json()["answer"]
    assert [each["name"] for each in listed["files"]] == ["a.csv"]
    assert "perceptron" in [each["name"] for each in listed["learners"]]


def test_work_that_is_cancelled_ends_and_the_next_is_done(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("x,y,class\n" + "".join(f"{k % 101},{k % 97},{k * k % 7 % 2}\n" for k in range(40_000)))
    long = {"ask": "fit", "path": str(path), "name": "long.csv", "settings": {"target": "class", "passes": 1000}}

    async def scenario():
        worker, begun, heard = Worker(600.0, PROCESS), asyncio.Event(), []
        task = asyncio.create_task(worker.ask(long, lambda news: begun.set()))
        waiting = asyncio.create_task(worker.ask(long, heard.append))
        await begun.wait()
        process = worker._process
        waiting.cancel()  # which must not end the work of another
        await asyncio.sleep(0)
        ended_early = process.returncode
        task.cancel()
        await asyncio.gather(task, waiting, return_exceptions=True)
        small = {"ask": "columns", "path": str(PENGUINS), "name": "p", "settings": {}}
        again = await worker.ask(small)
        await worker.stop()
        return ended_early, process.returncode, task.cancelled(), again, heard

    ended_early, returncode, cancelled, again, heard = asyncio.run(scenario())
    assert [news["title"] for news in heard] == ["Python works for another page or result, and this waits"]
    assert ended_early is None
    assert returncode not in (None, 0)
    assert cancelled
    assert again["answer"]["rows"] == 344
