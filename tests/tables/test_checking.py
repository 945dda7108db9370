"""``novikoff check``: the verdict first, the rest after it, all within the time limit."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from novikoff import check_certificate, separability
from novikoff.cli.main import program
from novikoff.proof.answer import coefficient_limits, proofs
from novikoff.proof.partitions import working_set
from novikoff.rows.store import row_store
from novikoff.system import clock
from novikoff.tables import check_table, table_rows


def run(path, *arguments):
    done = CliRunner().invoke(program(), ["check", str(path), "--target", "y", *arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.stdout


def write(path, X, y):
    names = ",".join(f"f{j}" for j in range(X.shape[1]))
    lines = [",".join([*map(repr, row), str(label)]) for row, label in zip(X.tolist(), y, strict=True)]
    path.write_text("\n".join([f"{names},y", *lines]) + "\n")
    return path


@pytest.fixture
def complete(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 30))
    return write(tmp_path / "complete.csv", X, ["ab"[k % 2] for k in range(20)])


@pytest.fixture
def quasi(tmp_path):
    """Feature f0 separates all rows but two; f1 is constant on those two, f2 and f3 are free."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 4)), np.arange(30) % 2
    X[:, 0] = np.where(y == 1, 1, -1) * (1 + rng.random(30))
    X[0] = X[1] = 0
    return write(tmp_path / "quasi.csv", X, y)


def test_the_verdict_is_printed_before_anything_else_is_worked_out(quasi, monkeypatch, capsys):
    printed = []

    def note(*given, **more):
        printed.append(capsys.readouterr().out)
        raise KeyboardInterrupt

    monkeypatch.setattr(check_table, "_fewest", note)
    with pytest.raises(SystemExit):
        program()(["check", str(quasi), "-t", "y"], standalone_mode=True)
    assert printed[0].startswith("Not separable (quasi-complete)")
    assert "The proof" in printed[0]


def test_nothing_is_printed_twice_and_json_is_one_document(quasi):
    text = run(quasi)
    assert text.count("Not separable") == text.count("The proof") == text.count("logistic regression") == 1
    assert "f0" in text.split("logistic regression")[1]
    found = json.loads(run(quasi, "--json"))
    assert found["undecided_coefficients"] == 0
    assert [each["direction"] for each in found["directions"] if each["feature"] == "f0"] == ["+inf"]


def test_with_complete_separation_no_coefficient_is_finite_and_none_is_solved_for(complete, monkeypatch):
    def refuse(*given, **more):
        raise AssertionError("solved for")

    monkeypatch.setattr(proofs, "coefficient_limits", refuse)
    assert "No coefficient has a finite estimate" in run(complete)
    assert json.loads(run(complete, "--json"))["finite_coefficients"] == 0


def test_directions_may_be_left_out(quasi, complete, monkeypatch):
    monkeypatch.setattr(proofs, "coefficient_limits", None)
    for path in (quasi, complete):
        assert "logistic" not in run(path, "--no-directions")
        assert "directions" not in json.loads(run(path, "--no-directions", "--json"))


def test_coefficients_that_the_time_does_not_suffice_for_are_counted(quasi, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(clock, "perf_counter", lambda: now[0])
    found = coefficient_limits._Cone.limit

    def slow(self, place):
        now[0] += 60.0
        return found(self, place)

    monkeypatch.setattr(coefficient_limits._Cone, "limit", slow)
    result = json.loads(run(quasi, "--time-limit", "100", "--json"))
    left = result["undecided_coefficients"]
    assert [each["direction"] for each in result["directions"]].count(None) == left
    assert 2 <= left < 5
    assert f"{left} coefficients are undecided: the time limit ended." in run(quasi, "--time-limit", "100")


def test_rows_in_the_way_that_the_time_does_not_suffice_for_are_said_to_be_unknown(quasi, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(clock, "perf_counter", lambda: now[0])
    prove = check_table.prove_rows

    def slow(*given, **options):
        proof = prove(*given, **options)
        now[0] += 1000.0
        return proof

    monkeypatch.setattr(check_table, "prove_rows", slow)
    text = " ".join(run(quasi, "--time-limit", "100").split())
    assert "Not separable (quasi-complete)" in text
    assert "The time limit ended before any were found." in text
    assert "5 coefficients are undecided" in text
    assert json.loads(run(quasi, "--time-limit", "100", "--json"))["n_suspects"] is None


def test_an_exact_system_that_there_is_no_room_for_is_left_undecided_with_the_number(tmp_path, monkeypatch, rng):
    path = tmp_path / "overlap.csv"
    X = rng.integers(-8, 9, size=(200, 8))
    X[:, 7] = X[:, 0] + X[:, 1]  # of columns that depend on each other floats prove nothing
    lines = [",".join(map(repr, row)) + f",c{i % 2}" for i, row in enumerate(X.tolist())]
    path.write_text("\n".join(["a,b,c,d,e,f,g,h,y", *lines]) + "\n")
    found = json.loads(CliRunner().invoke(program(), ["check", str(path), "-t", "y", "--json"]).stdout)
    assert found["kind"] == "overlap"
    monkeypatch.setattr(check_table, "Room", lambda size: clock.Room(10_000))
    done = CliRunner().invoke(program(), ["check", str(path), "-t", "y", "--json"])
    found = json.loads(done.stdout)
    assert (done.exit_code, found["kind"]) == (3, None)
    assert "GB, and there is room for 1e-05 GB: allow for it with --memory 0.7GB" in found["notes"][-1]


@pytest.mark.parametrize(
    "more", [[], ["--max-margin"], ["--certificate-rows", "rows.csv", "--certificate", "proof.json"]]
)
@pytest.mark.parametrize("kind", ["complete", "quasi", "overlap"])
def test_rows_that_memory_does_not_hold(kind, more, request, tmp_path, monkeypatch, rng):
    """What is said of them is what is said of the same rows in memory; only what needs them all at once is refused."""
    if kind == "overlap":
        path = write(tmp_path / "overlap.csv", rng.integers(-3, 4, (60, 3)), np.arange(60) % 2)
    else:
        path = request.getfixturevalue(kind)
    whole = json.loads(run(path, "--json"))
    monkeypatch.setattr(table_rows, "COPIES", 10**9)
    monkeypatch.setattr(row_store, "NUMBERS_AT_ONCE", 100)
    if more:
        done = CliRunner().invoke(program(), ["check", str(path), "-t", "y", *more])
        assert done.exit_code == 2
        assert f"{more[0]} needs all rows in memory at once: allow for about" in " ".join(done.stderr.split())
        return
    certificate = tmp_path / "proof.json"
    found = json.loads(run(path, "--json", "--certificate", str(certificate)))
    assert found["rounds"]
    same = "kind", "separable", "text", "rows", "classes", "features", "finite_coefficients", "undecided_coefficients"
    for each in same:
        assert found.get(each) == whole.get(each)
    assert found.get("directions") == whole.get("directions")
    assert (found["margin"] is None) == (whole["margin"] is None)
    for row in found["witness"] or []:
        *values, label = path.read_text().splitlines()[row["row"] + 1].split(",")
        assert (list(map(float, values)), label) == (list(row["values"].values()), row["label"])
    lines = [line.split(",") for line in path.read_text().splitlines()[1:]]
    X, y = np.array([list(map(float, line[:-1])) for line in lines]), np.array([line[-1] for line in lines])
    assert check_certificate(certificate, X, y).kind == found["kind"]


def test_time_ends_for_rows_that_memory_does_not_hold(quasi, monkeypatch):
    monkeypatch.setattr(table_rows, "COPIES", 10**9)
    now = [0.0]
    monkeypatch.setattr(clock, "perf_counter", lambda: now[0])
    decide = working_set.decide

    def slow(*given):
        now[0] += 1000.0
        return decide(*given)

    monkeypatch.setattr(working_set, "decide", slow)
    found = json.loads(run(quasi, "--time-limit", "100", "--json"))
    assert (found["kind"], found["separable"]) == (None, False)
    assert found["n_witness"] == 2


@pytest.mark.slow
def test_weights_of_very_many_digits_are_written(tmp_path, rng):
    X, y = rng.random((1600, 320)), np.arange(1600) % 2
    found = json.loads(run(write(tmp_path / "long.csv", X, y), "--json"))
    assert found["kind"] == "overlap"
    assert max(int(row["weight"], 16).bit_length() for row in found["witness"]) > 15_000
    assert "overlap" in separability(X, y)._repr_html_()
