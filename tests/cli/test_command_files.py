"""A command is a file and its name in a list; what does the work is imported when it runs."""

import subprocess
import sys
from pathlib import Path

import pytest

from novikoff.cli import commands
from novikoff.cli.main import COMMANDS


def test_every_file_of_the_folder_is_a_command():
    files = {path.stem for path in Path(commands.__file__).parent.glob("*.py")} - {"__init__"}
    assert files == {command.__name__ for command in COMMANDS}
    for command in COMMANDS:
        assert command.__module__ == f"{commands.__name__}.{command.__name__}"


@pytest.mark.parametrize(
    "arguments", [["--help"], *([command.__name__.replace("_", "-"), "--help"] for command in COMMANDS)]
)
def test_help_imports_nothing_heavy(arguments):
    program = f"""
import sys
from novikoff.cli.main import app
app({arguments!r}, standalone_mode=False)
found = {{"numba", "sklearn", "scipy", "pyarrow", "numpy", "matplotlib"}} & set(sys.modules)
assert not found, found
"""
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)


def test_tables_know_no_command_line():
    program = """
import pkgutil, sys
import novikoff.plots, novikoff.studies, novikoff.tables
for room in (novikoff.tables, novikoff.plots, novikoff.studies):
    for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
        __import__(module.name)
found = [name for name in sys.modules if name.startswith(("novikoff.cli", "typer", "matplotlib"))]
assert not found, found
"""
    subprocess.run([sys.executable, "-c", program], check=True)
