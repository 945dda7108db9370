"""Files by their addresses, read as those of the machine are."""

import builtins

import pytest

from commands import PENGUINS
from novikoff import fit_table
from novikoff.rows.readers.reading import open_data
from novikoff.rows.store.blocks import DataError
from novikoff.system.files import files_named

fsspec = pytest.importorskip("fsspec")
FILES = ("penguins.csv", "penguins.parquet", "penguins.arrow", "penguins.jsonl", "penguins.tsv.gz")


@pytest.fixture
def memory():
    system = fsspec.filesystem("memory")
    for name in FILES:
        system.pipe(f"/birds/{name}", (PENGUINS.parent / name).read_bytes())
    yield system
    system.rm("/birds", recursive=True)


@pytest.mark.parametrize("name", FILES)
def test_formats(memory, name):
    data = open_data([f"memory://birds/{name}"], "species")
    assert sum(len(block.rows) for block in data.blocks()) == 344


def test_patterns_and_a_fit(memory):
    assert files_named("memory://birds/*.csv") == ["memory:///birds/penguins.csv"]
    with pytest.raises(ValueError, match="no file has such a name"):
        files_named("memory://birds/*.xyz")
    found = fit_table("memory://birds/*.csv", "species", test=False)
    assert found.scores == fit_table(PENGUINS, "species", test=False).scores


def test_what_is_wrong_is_said(memory, monkeypatch):
    with pytest.raises(DataError, match=r"memory://birds/no.csv: cannot be read: No such file"):
        open_data(["memory://birds/no.csv"], "species")
    with pytest.raises(ValueError, match="nowhere:// is no file system that fsspec knows"):
        open_data(["nowhere://birds.csv"], "species")
    with pytest.raises(ImportError, match="the package that reads s3:// is missing"):
        open_data(["s3://birds/penguins.csv"], "species")
    data = open_data(["memory://birds/penguins.csv"], "species")
    memory.pipe("/birds/penguins.csv", b"species,a\nx,1\n")
    with pytest.raises(DataError, match="has changed"):
        list(data.blocks())

    def without(name, *args, **more):
        if name == "fsspec":
            raise ImportError(name)
        return real(name, *args, **more)

    real = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match="addresses need fsspec: pip install"):
        open_data(["memory://birds/penguins.csv"], "species")
