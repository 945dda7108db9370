"""Figures of the source: counted on a small package made for it."""

import pytest
from benchmarks.checkouts import Checkout, this
from benchmarks.house import (
    any_annotations,
    details,
    figures,
    files_of,
    lazy_imports,
    lines_of,
    names_of_several_classes,
    namesakes,
    one_use_functions,
    parsed,
    reasons_of,
    rooms,
    single_importer_modules,
    statements,
    why_alone,
)

FILES = {
    "__init__.py": "",
    "plain.py": "import os\nfrom . import rows\n",
    "rows.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .data import rows\n",
    "data/rows.py": "def f():\n    from ..plain import g  # saves start-up\n    import numpy\n    return g, numpy\n",
    "data/other.py": "class A:\n    def f(self):\n        # drawn later\n        import novikoff.plain as b\n        return b\n",
    "data/bare.py": "async def f():\n    if f:\n        from . import other\n    return other\n",
}


@pytest.fixture
def package(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / "src" / "novikoff" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Checkout(tmp_path).package


def test_lazy_imports_are_those_of_own_modules_in_functions(package):
    found = {each.place: each.reason for each in lazy_imports(package)}
    assert found == {"data/bare.py:3": "", "data/other.py:4": "drawn later", "data/rows.py:2": "saves start-up"}


def test_rooms_and_namesakes(package):
    assert rooms(package) == {".": 3, "data": 3}
    assert namesakes(package) == ["rows"]
    assert lines_of(package / "plain.py") == 2


def test_what_a_reader_has_to_open(package):
    (package / "twin.py").write_text(
        '"""Said."""\nfrom typing import Any\n\n\nclass A:\n    x: Any\n\n\ndef g():\n    return A\n'
    )
    (package / "plain.py").write_text("from .twin import g\n\nh = g()\n")
    house = parsed(package)
    assert statements(house) == 23
    assert single_importer_modules(house) == ["novikoff.data.other", "novikoff.data.rows", "novikoff.twin"]
    assert one_use_functions(house) == 1  # g
    assert names_of_several_classes(house) == ["A"]
    assert any_annotations(house) == 1


def test_files_with_one_importer_have_a_reason():
    alone = single_importer_modules(parsed(this().package))
    assert [name for name in alone if not why_alone(name)] == []
    assert why_alone("novikoff.models.files.packed") != why_alone("novikoff.models.files.catalogue")
    assert reasons_of(["novikoff.rows"]) == ["novikoff.rows (no reason given)"]


@pytest.mark.slow
def test_a_fit_enters_its_estimator():
    assert "estimators/perceptron.py" in files_of(this(), "fit")


@pytest.mark.slow
def test_figures_of_this_checkout():
    counts = figures(this())
    assert 0 < counts["files that `fit` enters"] < counts["files"] < counts["statements"] < counts["lines"]
    assert counts["lazy imports with no reason given"] <= counts["lazy imports of own files"]
    assert "cli" in details(this())["files of each room"]
