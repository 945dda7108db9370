"""The program among others: shells that close its streams, readers that leave, Ctrl-C, names that steer terminals."""

import os
import re
import shlex
import signal
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from commands import PENGUINS, SMALL, refused, run
from novikoff.cli.main import program
from novikoff.cli.printing import shell_sections
from novikoff.report.sections import TERMINAL
from novikoff.report.terminal import as_text
from novikoff.report.words import clean, command, quote

CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")
NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)


def shell(line, **more):
    """What a line of shell does; ``novikoff`` in it is the program."""
    script = f'novikoff() {{ {shlex.quote(sys.executable)} -m novikoff "$@"; }}\n{line}'
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, **more)


@pytest.mark.slow
@pytest.mark.parametrize("closed", [">&-", "<&-", ">&- <&-", ">&- <&- 2>&-"])
def test_closed_streams_are_no_error_and_no_file_takes_their_place(closed, tmp_path):
    fit = f"novikoff fit {PENGUINS} -t species --no-test -o {tmp_path}/m"
    for line in (fit, f"{fit} --json", f"novikoff predict {tmp_path}/m {PENGUINS} -o {tmp_path}/told.csv"):
        done = shell(f"{line} {closed}")
        assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "told.csv").read_text().count("\n") == 345
    assert run("predict", tmp_path / "m", PENGUINS)[0] == (tmp_path / "told.csv").read_text()


@pytest.mark.slow
def test_errors_do_not_go_elsewhere_where_standard_error_is_closed():
    done = shell("novikoff fit nowhere.csv -t y 2>&-")
    assert (done.returncode, done.stdout) == (2, "")
    done = shell("novikoff fit - -t y <&-")
    assert (done.returncode, done.stderr) == (2, "novikoff: standard input: is empty; give a file with rows.\n")


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_reader_that_leaves_changes_no_exit_status(options):
    words = [sys.executable, "-m", "novikoff", "check", str(PENGUINS), "-t", "sex", "--missing", "drop", *options]
    gone, end = os.pipe()
    os.close(gone)
    done = subprocess.run(words, stdout=end, stderr=subprocess.PIPE, check=False)
    os.close(end)
    assert (done.returncode, done.stderr) == (1, b"")  # not separable


def test_errors_that_nobody_reads_keep_their_exit_status():
    gone, end = os.pipe()
    os.close(gone)
    words = [sys.executable, "-m", "novikoff", "fit", "nowhere.csv", "-t", "y"]
    assert subprocess.run(words, stdout=end, stderr=end, check=False).returncode == 2
    os.close(end)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full disk")
def test_a_full_disk_behind_standard_output_is_an_error(model):
    done = shell(f"novikoff weights {model} > /dev/full")
    assert (done.returncode, done.stderr) == (2, "novikoff: No space left on device.\n")


LOST = """
import signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == wanted:
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                pass  # as it is where imports call back
wanted, sys.argv[1:] = sys.argv[1], sys.argv[2:]
sys.meta_path.insert(0, Finder())
from novikoff.__main__ import main
main()
"""


@pytest.mark.parametrize("name", ["typer", "numpy", "sklearn", "numba", "novikoff.rows.readers.reading"])
def test_ctrl_c_while_importing_ends_the_program(name):
    words = [sys.executable, "-c", LOST, name, "fit", str(PENGUINS), "-t", "species"]
    hearing = lambda: signal.signal(signal.SIGINT, signal.default_int_handler)  # noqa: E731
    done = subprocess.run(words, capture_output=True, text=True, check=False, preexec_fn=hearing)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "novikoff: interrupted. Nothing was written.\n"


def test_ctrl_c_that_is_ignored_stays_ignored():
    words = [sys.executable, "-c", LOST, "numpy", "fit", str(PENGUINS), "-t", "species", "--no-test"]
    ignoring = lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)  # noqa: E731
    assert subprocess.run(words, stdout=subprocess.DEVNULL, check=False, preexec_fn=ignoring).returncode == 0


@given(NAMES)
def test_cleaned_names_steer_nothing(name):
    assert clean(name).isprintable()
    assert clean(name) == name or not name.isprintable()


@given(st.lists(NAMES, min_size=1, max_size=4))
def test_commands_are_printable_and_mean_their_words(words):
    typed = command(*words)
    assert typed.isprintable()
    if all(word.isprintable() for word in words):
        assert shlex.split(typed) == words


@pytest.mark.parametrize("word", ["a b", "it's", "\x1b[31m\n", "\\n\n'", "é\x80ü", os.fsdecode(b"\xff x")])
def test_a_shell_reads_quoted_words_as_they_were(word):
    done = subprocess.run(["bash", "-c", f"printf %s {quote(word)}"], capture_output=True, check=True)
    assert done.stdout == os.fsencode(word)


HOSTILE = "a\x1b[31m b\n'c"


def test_messages_hold_nothing_that_steers_a_terminal(write, tmp_path):
    path = write(SMALL, f"{HOSTILE}.csv")
    for arguments in (
        ("fit", path, "-t", HOSTILE),
        ("fit", tmp_path / HOSTILE / "x.csv", "-t", "y"),
        ("fit", path, "-t", "y", "--learner", HOSTILE),
        ("fit", path, "-t", "y", "--set", HOSTILE),
        ("fit", path, "-t", "y", "-o", tmp_path / HOSTILE / "m"),
        ("predict", path, path),
    ):
        assert not CONTROL.search(refused(*arguments)), arguments
        assert "\n" not in refused(*arguments)
    for arguments in (["fit", f"--{HOSTILE}"], [HOSTILE], ["fit", str(path), "--folds", HOSTILE]):
        done = CliRunner().invoke(program(), arguments)
        assert done.exit_code == 2
        assert not CONTROL.search(done.output)


@pytest.mark.slow
def test_what_is_advised_can_be_typed(write, tmp_path, monkeypatch):
    path = write(SMALL.replace("colour", '"my ""colour"""'), f"-{HOSTILE}.csv")
    monkeypatch.chdir(tmp_path)
    said, _ = run("fit", "--no-test", "-t", "y", "-o", "-m", "--na", "no 'value", "--", path.name)
    assert not CONTROL.search(said)
    advised = [line.strip()[2:] for line in said.splitlines() if line.startswith("  $ ")]
    assert len(advised) == 4
    check = next(line for line in advised if " check " in line)
    assert shell(check).returncode == 0
    weights = next(line for line in advised if " weights " in line)
    assert "x" in shell(weights).stdout


def test_advice_on_columns_is_quoted(write, tmp_path):
    table = pa.table({"z z": [[1], [2]], "y": ["a", "b"]})
    pq.write_table(table, tmp_path / "rows.parquet")
    assert "--ignore 'z z'" in refused("fit", tmp_path / "rows.parquet", "-t", "y")
    long = write("x,y\n" + "1,a\n2,b\n" * 30 + f"{'w' * 50},a\n")
    said, _ = run("fit", long, "-t", "y", "--no-test")
    assert f"--na {'w' * 50}" in " ".join(said.split())  # whole: what is cut cannot be typed


def test_sections_clean_their_commands():
    shown = as_text(shell_sections({"command": "fit", "model": HOSTILE, "rows": {"read": 1}}, TERMINAL))
    assert not CONTROL.search(shown)
    assert quote(HOSTILE) in shown


def test_a_small_fit_imports_nothing_of_clusters():
    code = (
        "import contextlib, sys; from novikoff.__main__ import main\n"
        "with contextlib.suppress(SystemExit): main()\n"
        "print(sorted(name for name in sys.modules if name.startswith(('novikoff.distributed', 'dask', 'distributed'))))\n"
        "print('novikoff.tables.training' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "fit", str(PENGUINS), "-t", "species", "--no-test"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-2:] == ["[]", "True"]


def test_what_is_put_off_is_imported_when_something_of_it_is_asked_for(tmp_path):
    (tmp_path / "late.py").write_text("print('imported'); number = 7")
    lines = (
        "import sys; from novikoff.cli.process import put_off",
        "with put_off('late'): import late as first",
        "print('late' in sys.modules)",
        "print(first.number)",
        "import late; print(late is not first, late.number, first.number)",
        "try: first.nothing",
        "except AttributeError: print('nothing')",
    )
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout.split("\n") == ["False", "imported", "7", "True 7 7", "nothing", ""], done.stderr


def test_what_is_put_off_is_there_at_once_for_who_takes_a_name_of_it(tmp_path):
    (tmp_path / "late.py").write_text("number = 7")
    code = "import sys; from novikoff.cli.process import put_off\nwith put_off('late'):\n    from late import number\n"
    code += "    print(number, sys.modules['late'].__file__[-7:])"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["7", "late.py"], done.stderr
