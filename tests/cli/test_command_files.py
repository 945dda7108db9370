"""A command is a file and its name in a list; what does the work is imported when it runs."""

import subprocess
import sys
from pathlib import Path

import pytest

from novikoff.cli import commands
from novikoff.cli.main import COMMANDS, program


def test_every_file_of_the_folder_is_a_command():
    files = {path.stem for path in Path(commands.__file__).parent.glob("*.py")} - {"__init__"}
    assert files == set(COMMANDS)
    assert {command.callback.__name__ for command in program().registered_commands} == files


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_runs_imports_no_other(name):
    loud = f"""
import sys
from novikoff.cli.main import main
sys.argv[1:] = [{name.replace("_", "-")!r}, "--help"]
try:
    main()
except SystemExit:
    pass
found = [module for module in sys.modules if module.startswith("novikoff.cli.commands.")]
assert found == ["novikoff.cli.commands.{name}"], found
"""
    subprocess.run([sys.executable, "-c", loud], check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("arguments", [["--help"], *([name.replace("_", "-"), "--help"] for name in COMMANDS)])
def test_help_imports_nothing_heavy(arguments):
    program = f"""
import sys
from novikoff.cli.main import program
program()({arguments!r}, standalone_mode=False)
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
