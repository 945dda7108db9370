"""Names of other libraries that are not public: where they are taken from, and that they are there."""

import ast
import importlib
import tomllib
from pathlib import Path

import pytest

import novikoff

ROOT = Path(novikoff.__file__).parent
PARTS = {"numba": "compiled/numba_parts.py", "sklearn": "checks/sklearn_parts.py"}
PUBLIC = {"numba", "numba.extending", "llvmlite"}  # the modules that Numba documents for others to build on


def taken(path):
    """The modules and names that a file imports of other packages."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((node.module, each.name) for each in node.names)
        elif isinstance(node, ast.Import):
            yield from ((each.name, "") for each in node.names)


def is_private(module, name):
    if module.split(".")[0] == "sklearn":
        return any(part.startswith("_") for part in f"{module}.{name}".split(".") if part != "__version__")
    return module.split(".")[0] in ("numba", "llvmlite") and module not in PUBLIC


@pytest.mark.parametrize("library", PARTS)
def test_private_names_are_taken_in_one_module(library):
    found = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        for module, name in taken(path)
        if module.split(".")[0] == library and is_private(module, name)
    }
    assert found == {PARTS[library]}


@pytest.mark.parametrize(
    ("module", "name"),
    [each for part in PARTS.values() for each in taken(ROOT / part) if each[1] and is_private(*each)],
)
def test_a_private_name_is_there(module, name):
    assert hasattr(importlib.import_module(module), name), f"this version has no {module}.{name}"


@pytest.mark.parametrize("name", ["set_callbacks", "_init_callback_context"])
def test_callbacks_have_what_learners_call(name):
    from sklearn.callback import CallbackSupportMixin

    assert hasattr(CallbackSupportMixin, name)


def test_libraries_whose_private_names_are_taken_have_an_upper_bound():
    with open(ROOT.parents[1] / "pyproject.toml", "rb") as file:
        needed = tomllib.load(file)["project"]["dependencies"]
    for library in ("numba", "scikit-learn"):
        (bounds,) = (each for each in needed if each.startswith(library))
        assert ",<" in bounds
