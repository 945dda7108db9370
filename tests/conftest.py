"""What every test is given: random data of its own, and the time that compiling takes."""

import os

import pytest
from hypothesis import settings

from common import seeded

environment = os.environ.copy()
import benchmarks  # noqa: E402, F401 it says how many threads its processes take, which is not for tests

os.environ.clear()
os.environ.update(environment)

settings.register_profile("novikoff", deadline=None)  # the first example may compile a kernel
settings.load_profile("novikoff")


@pytest.fixture
def rng(request):
    """A generator that no other test draws from: data depend neither on the tests that ran before nor on their order."""
    return seeded(request.node.nodeid)


def written(folder, content, name):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.fixture
def write(tmp_path):
    """A function that writes a file for the command line."""
    return lambda content, name="rows.csv": written(tmp_path, content, name)


@pytest.fixture
def file(tmp_path):
    """A function that writes a file for readers."""
    return lambda content, name="f.csv": written(tmp_path, content, name)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The file of a model of the penguins."""
    from commands import PENGUINS, run

    path = tmp_path_factory.mktemp("models") / "penguins.novikoff"
    run("fit", PENGUINS, "-t", "species", "-o", path, "--no-test")
    return path
