"""What killed processes leave behind is removed by the next; what others are writing is not."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from commands import COMPARE, PENGUINS, refused, run
from common import ROOT
from novikoff.cli.printing import save_comparison
from novikoff.system.files import LETTERS, TemporaryFile, atomic_write

WRITING = """
import sys, time
from novikoff.system.files import atomic_write
def chunks():
    yield b"half"
    print("begun", flush=True)
    time.sleep(60)
atomic_write(sys.argv[1], chunks())
"""


def writing(path):
    """A process in the middle of writing a file."""
    process = subprocess.Popen([sys.executable, "-c", WRITING, str(path)], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"begun\n"
    return process


def names(folder):
    return sorted(each.name for each in folder.iterdir())


def test_a_file_that_was_being_written_by_a_killed_process_goes(tmp_path):
    path = tmp_path / "model"
    with writing(path) as killed, writing(tmp_path / "other") as alive:
        killed.kill()
        killed.wait()
        assert len(names(tmp_path)) == 2
        theirs = next(name for name in names(tmp_path) if name.startswith(".other."))
        innocent = [".model.txt", ".model.", f".model.{'g' * LETTERS}", f"model.{'0' * LETTERS}"]
        for name in innocent:
            (tmp_path / name).write_bytes(b"mine")
        atomic_write(path, [b"whole"])
        assert names(tmp_path) == sorted([theirs, "model", *innocent])
        assert path.read_bytes() == b"whole"
        alive.kill()


def test_a_file_that_another_process_is_writing_stays(tmp_path):
    path = tmp_path / "model"
    with writing(path) as alive:
        before = names(tmp_path)
        atomic_write(path, [b"whole"])
        assert names(tmp_path) == sorted([*before, "model"])
        alive.kill()


def test_a_scrap_taken_before_it_was_locked_is_made_again(tmp_path, monkeypatch):
    from novikoff.system import files

    locked, taken = files._locked, []

    def take_first(handle):
        if not taken:
            taken.append(next(tmp_path.iterdir()))
            taken[0].unlink()
        return locked(handle)

    monkeypatch.setattr(files, "_locked", take_first)
    scrap = TemporaryFile(tmp_path, ".x.")
    assert scrap.path.exists()
    assert scrap.path != taken[0]
    os.close(scrap.handle)
    scrap.remove()
    assert not names(tmp_path)


@pytest.mark.slow
def test_copies_of_standard_input_of_killed_runs_go(tmp_path):
    place = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "novikoff", "fit", "-", "-t", "species", "--no-test"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, env=place) as program:
        while not any(name.startswith("novikoff-") for name in names(tmp_path)):
            assert program.poll() is None
            time.sleep(0.01)
        program.send_signal(signal.SIGKILL)
    assert names(tmp_path)
    with PENGUINS.open("rb") as rows:
        subprocess.run(command, stdin=rows, stdout=subprocess.DEVNULL, env=place, check=True)
    assert not names(tmp_path)


def test_a_picture_is_written_as_a_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "compared.png"
    path.write_bytes(b"an older one")
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        save_comparison(COMPARE, path)
    assert path.read_bytes() == b"an older one"
    assert names(tmp_path) == ["compared.png"]


def test_a_picture_of_no_known_kind_is_refused_before_any_work(tmp_path):
    message = refused("compare", "nowhere.csv", "-t", "y", "--plot", tmp_path / "compared.xyz")
    assert "a picture cannot be a .xyz file" in message
    assert "png" in message
    run("compare", PENGUINS, "-t", "species", "--learner", "perceptron", "--plot", tmp_path / "compared")
    assert (tmp_path / "compared").read_bytes().startswith(b"\x89PNG")  # the file that was named


def test_every_file_is_written_by_the_atomic_writer():
    """Whatever else opens a file for writing stands here, with its reason."""
    root = ROOT / "src" / "novikoff"
    writes = re.compile(
        r"""open\([^)]*["'][wax]b?\+?["']|write_text|write_bytes|NamedTemporaryFile|mkstemp|savefig\((?!file)"""
    )
    found = {str(path.relative_to(root)) for path in root.rglob("*.py") if writes.search(path.read_text())}
    assert found <= {
        "compiled/jit.py",  # kernels, by a rename of their own
        "system/files.py",  # files here by a rename, files elsewhere by the ways of their file system
        "tables/warming.py",  # a table to read, in a folder that ends with the call
        "rows/readers/byte_sources.py",  # a copy of standard input
        "cli/process.py",  # nothing, in place of closed streams
        "lab/own_data/file_shelf.py",  # what a page sends, into a folder that ends with the process
    }
