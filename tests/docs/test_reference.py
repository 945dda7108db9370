"""Every public name has its place in the reference, and a docstring that numpydoc finds no fault with."""

import inspect
import re
import tomllib
from functools import cache
from importlib import import_module

import pytest

pytest.importorskip("numpydoc")  # and Sphinx

from common import ROOT

PAGES = ROOT / "docs" / "api"
PLAIN = "novikoff.course.plain"
MODULES = (
    "novikoff",
    "novikoff.course",
    "novikoff.distributed",
    "novikoff.lab",
    "novikoff.plots",
    "novikoff.theory",
)
RULES = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["tool"]["numpydoc_validation"]


def public(module):
    """The public names of a module with their things, but for modules."""
    home = import_module(module)
    return {
        f"{module}.{name}": getattr(home, name) for name in home.__all__ if not inspect.ismodule(getattr(home, name))
    }


@cache
def listed():
    """What the pages of the reference list."""
    names = set()
    for page in PAGES.glob("*.rst"):
        module = ""
        for line in page.read_text(encoding="utf8").splitlines():
            if found := re.match(r"\.\. currentmodule:: (\S+)", line):
                module = found[1]
            elif re.fullmatch(r"   [\w.]+", line):
                names.add(f"{module}.{line.strip()}")
    return names


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_in_the_reference(module):
    assert public(module).keys() <= listed()


def test_what_the_reference_lists_exists():
    for name in {name for name in listed() if name.startswith("novikoff.")}:
        parts = name.split(".")
        module = next(part for n in range(len(parts), 0, -1) if (part := _imported(".".join(parts[:n]))))
        for part in parts[module.__name__.count(".") + 1 :]:
            module = getattr(module, part)


def _imported(name):
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return None


def test_every_plain_algorithm_is_in_the_reference():
    shown = set(
        re.findall(rf"automodule:: ({re.escape(PLAIN)}\.\w+)", (PAGES / "plain.rst").read_text(encoding="utf8"))
    )
    assert shown == {thing.__module__ for thing in public(PLAIN).values()}


def documented():
    """Public names, and methods and properties of public classes that this package defines."""
    from public_members import ours

    for module in MODULES:
        for name, thing in public(module).items():
            yield name
            for own in dir(thing) if inspect.isclass(thing) else ():
                member = inspect.getattr_static(thing, own)
                if not own.startswith("_") and ours(member) and (callable(member) or hasattr(type(member), "__get__")):
                    yield f"{name}.{own}"


def faults(name):
    """What numpydoc says of a name, but for what pyproject.toml leaves out."""
    from numpydoc.validate import validate

    if any(re.search(pattern, name) for pattern in RULES["exclude"]):
        return []
    said = validate(name)
    found = [(code, words) for code, words in said["errors"] if code not in RULES["checks"]]
    return [
        f"{code}: {words}"
        for code, words in found
        if not any(re.search(pattern, said["docstring"]) for pattern in RULES.get(f"override_{code}", []))
    ]


def test_numpydoc_finds_no_fault():
    assert RULES["checks"][0] == "all"
    found = {name: faults(name) for name in documented()}
    assert len(found) > 100
    assert {name: words for name, words in found.items() if words} == {}
