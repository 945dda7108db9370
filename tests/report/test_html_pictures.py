"""Pictures inside HTML: as they are drawn, whatever style a user has, or none."""

import sys
from base64 import b64decode

import pytest

from novikoff.report.html import drawn


def svg(plot):
    return b64decode(drawn(plot).uri.split(",")[1]).decode()


def a_line(ax):
    ax.plot([0, 1], [0, 1], label="it")
    ax.set_title("first\nsecond \\$")


def test_a_picture_has_words_and_the_same_bits():
    pytest.importorskip("matplotlib")
    assert drawn(a_line).alt == "first; second $"
    assert svg(a_line) == svg(a_line)
    assert ">first<" in svg(a_line)  # letters stay letters


def test_the_style_of_a_user_changes_nothing():
    style = pytest.importorskip("matplotlib.style")
    before = svg(a_line)
    with style.context("dark_background"):
        assert svg(a_line) == before


def test_no_figure_is_left_open():
    plt = pytest.importorskip("matplotlib.pyplot")
    before = plt.get_fignums()
    drawn(a_line)
    assert plt.get_fignums() == before


def test_without_matplotlib_there_is_no_picture(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"] + ["matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    assert drawn(a_line) is None


def test_what_cannot_be_drawn_has_no_picture():
    def refuse(ax):
        raise ValueError("three features")

    assert drawn(refuse) is None
    with pytest.raises(ZeroDivisionError):  # an error of ours is not hidden
        drawn(lambda ax: 1 / 0)
