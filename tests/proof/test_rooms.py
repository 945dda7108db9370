"""The rooms of the prover import one another one way, and the checker nothing of the solver."""

import ast
from pathlib import Path

import pytest

import novikoff.proof

HOUSE = Path(novikoff.proof.__file__).parent
ROOMS = [line.split()[0] for line in novikoff.proof.__doc__.splitlines() if line[:1].islower() and "  " in line]


def imported(path):
    """The rooms of ``proof`` that a module imports from, and the other rooms of the package, lazily or not."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 2:
            yield (node.module or "").split(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.level == 3:
            yield "novikoff." + (node.module or "").split(".")[0]


def test_the_docstring_names_every_room():
    assert set(ROOMS) == {path.parent.name for path in HOUSE.glob("*/__init__.py")}


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_import_only_rooms_before_them(room):
    before = {*ROOMS[: ROOMS.index(room)], "novikoff.system", "novikoff.checks", "novikoff.report", "novikoff.learn"}
    for path in (HOUSE / room).glob("*.py"):
        upwards = set(imported(path)) - before
        besides = {"proofs.py": {"novikoff.plots"}, "row_queries.py": {"novikoff.rows"}}
        assert upwards <= besides.get(path.name, set()), path


def test_the_checker_knows_neither_solver_nor_learners():
    rooms = {"arithmetic", "problem", "check"}
    assert set(ROOMS[:3]) == rooms
    for room in rooms:
        for path in (HOUSE / room).glob("*.py"):
            assert set(imported(path)) <= rooms | {"novikoff.system", "novikoff.checks", "novikoff.report"}, path
