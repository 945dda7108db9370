"""The small extensions of the site: what they make of docstrings, links, scenes and notebooks."""

import re

import pytest

pytest.importorskip("sphinx")
from plain_docstrings import mended as mended_docstring
from repository_links import PAGES
from repository_links import mended as mended_links

from common import ROOT


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("R = max |x|", r"R = max \|x\|"),
        ("w*.x of coef_ and x_i", r"w\*.x of coef\_ and x_i"),
        ("``|x|`` and ``coef_`` stay", "``|x|`` and ``coef_`` stay"),
        ("coef_ : ndarray of |x|\n    The |x|.", "coef_ : ndarray of |x|\n    The \\|x\\|."),
        (">>> a_ * b_\n|x|", ">>> a_ * b_\n|x|"),
        ("``a\nb_`` and c_.", "``a\nb_`` and c\\_."),
        (
            "References\n----------\nF. Rosenblatt, 1958.\nA. Novikoff, 1962.",
            "References\n----------\n| F. Rosenblatt, 1958.\n| A. Novikoff, 1962.",
        ),
    ],
)
def test_docstrings_have_no_markup(written, read):
    assert mended_docstring(written.split("\n")) == read.split("\n")


def test_links_out_of_the_folder_lead_to_pages():
    assert mended_links("[a](../benchmarks/README.md)") == "[a](/benchmarks.md)"
    assert mended_links("[a](../../CHANGELOG.md#old)") == "[a](/changelog.md#old)"
    assert (
        mended_links("[a](README.md) [b](../examples/four_rules.py)") == "[a](README.md) [b](../examples/four_rules.py)"
    )
    assert all((ROOT / name).exists() for name in PAGES)


CHAPTER = """(place)=
# A title

See [the lab](../lab.md), [chapter 1](lecture1.md#here), [below](#there) and [a paper](https://example.org/a).

```{lab-scene} perceptron
:preset: xor
```

:::{note}
Two lines
of text.
:::

```{math}
a = b
```

```python
x = {"a": 1}
```
"""


def test_notebooks_have_no_markup_of_the_site():
    pytest.importorskip("nbformat")
    from chapter_notebooks import cells_of

    before, scene, after = cells_of(CHAPTER)
    assert before.source == (
        '<a id="place"></a>\n\n'
        "# A title\n\nSee the lab, [chapter 1](lecture1.ipynb#here), [below](#there) and [a paper](https://example.org/a)."
    )
    assert scene.cell_type == "code"
    assert 'show("perceptron")' in scene.source
    assert "xor" in scene.source
    assert after.source == ('> **Note.**\n>\n> Two lines\n> of text.\n\n$$\na = b\n$$\n\n```python\nx = {"a": 1}\n```')


def test_a_cell_may_be_a_scene_alone():
    pytest.importorskip("nbformat")
    from chapter_notebooks import cells_of

    assert [cell.cell_type for cell in cells_of("```{lab-scene} bound\n```")] == ["code"]


@pytest.mark.parametrize(
    ("usual", "parts"),
    [
        (r"x_1, \dots, x_n", ["<mi>x</mi>", "…"]),
        (r"\tfrac12 \big( a \big)", ["<mn>1</mn>", "<mn>2</mn>"]),
        (r"\begin{cases} 1 & a \\[2pt] \displaystyle 0 & b \end{cases}", ["<mtable", "<mn>0</mn>"]),
        (r"\hat z_\mu + \bar X_i", ["<msub><mover><mi>z</mi>", "<msub><mover><mi>X</mi>"]),
        (r"\sum_{i=1}^n x_i", ["<munderover><mo", "<mi>n</mi></munderover>"]),
        (r"a < b \text{ for all } c", ["&lt;", "all"]),
    ],
)
def test_formulas_are_drawn(usual, parts):
    from mathml import drawn

    found = re.sub(r">\s+<", "><", drawn(usual, block=True))
    assert all(part in found for part in parts)
    assert "pt]" not in found
