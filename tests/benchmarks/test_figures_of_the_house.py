"""Figures of the source: counted on a small package made for it."""

import pytest
from benchmarks.checkouts import Checkout, this
from benchmarks.house import details, figures, files_of_a_fit, lazy_imports, lines_of, namesakes, rooms

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


@pytest.mark.slow
def test_a_fit_enters_its_estimator():
    assert "estimators/perceptron.py" in files_of_a_fit(this())


@pytest.mark.slow
def test_figures_of_this_checkout():
    counts = figures(this())
    assert 0 < counts["own files that a warm fit enters"] < counts["modules"] < counts["lines of src"]
    assert counts["lazy imports with no reason said"] <= counts["lazy imports of own modules"]
    assert "cli" in details(this())["modules of each room"]
