"""The chapters of the course: cells that run, exercises and scenes that exist, links that lead somewhere."""

import re
import warnings
from collections import Counter

import pytest

from common import ROOT
from novikoff import course
from novikoff.lab.page_files import presets

FOLDER = ROOT / "docs" / "course"
PAGES = {path.name: path.read_text(encoding="utf8") for path in sorted(FOLDER.glob("*.md"))}
CHAPTERS = [name for name in PAGES if name.startswith("lecture")]
CELL = re.compile(r"^```\{code-cell\} ipython3\n(.*?)^```$", re.M | re.S)
FENCE = re.compile(r"^(`{3,}).*?^\1$", re.M | re.S)
LABEL = re.compile(r"^\(([\w-]+)\)=$", re.M)
SCENE = re.compile(r"^```\{lab-scene\} +(\S+)\n(?::preset: +(\S+)\n)?```$", re.M)
LINK = re.compile(r"(?<!!)\[[^\[\]]*\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ +(.+)$", re.M)

chapters = pytest.mark.parametrize("name", CHAPTERS)


def cells(name):
    """The code of a chapter, cell by cell, without their options."""
    return [re.sub(r"\A(?::[\w-]+:.*\n)+", "", cell) for cell in CELL.findall(PAGES[name])]


def places(text):
    """What a link into a page can name: labels, and headings as MyST makes anchors of them."""
    headings = HEADING.findall(FENCE.sub("", text))
    return {*LABEL.findall(text), *(re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings)}


def lost_links(text):
    """Links of a page that lead nowhere; those to other sites are not looked at."""
    for target in LINK.findall(CELL.sub("", text)):
        page, _, place = target.partition("#")
        if "://" in target or (not page and place in places(text)):
            continue
        path = FOLDER / page
        if not path.is_file() or (place and place not in places(path.read_text(encoding="utf8"))):
            yield target


def test_there_is_a_chapter_for_each_lecture():
    assert [f"lecture{number}.md" for number in range(5)] == CHAPTERS


@chapters
def test_cells_are_python(name):
    assert cells(name)
    for number, cell in enumerate(cells(name)):
        compile(cell, f"{name}, cell {number}", "exec")


@pytest.mark.slow
@chapters
def test_cells_run_without_a_warning(name, monkeypatch):
    """In their order, in one namespace, as a notebook runs them."""
    monkeypatch.setenv("MPLBACKEND", "Agg")
    plt = pytest.importorskip("matplotlib.pyplot")
    namespace = {"__name__": "__main__"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for number, cell in enumerate(cells(name)):
            exec(compile(cell, f"{name}, cell {number}", "exec"), namespace)
            plt.close("all")


@chapters
def test_each_exercise_of_the_lecture_is_named_in_its_chapter(name):
    named = set(re.findall(r"\bL\d\.\d+\b", PAGES[name]))
    assert named <= course.tasks().keys()
    assert course.tasks(int(name[len("lecture")])).keys() <= named


def test_exercises_that_are_asked_for_exist():
    assert f"{len(course.tasks())} in all" in PAGES["index.md"]
    asked = {task for text in PAGES.values() for task in re.findall(r"course\.task\(\"([^\"]+)\"", text)}
    assert asked <= course.tasks().keys()


@chapters
def test_scenes_are_those_of_the_lab(name):
    scenes = SCENE.findall(PAGES[name])
    assert len(scenes) == PAGES[name].count("{lab-scene}") > 0
    for demo, preset in scenes:
        assert preset in {"", *presets()[demo].presets}


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    assert list(lost_links(PAGES[name])) == []


def test_lost_links_are_found():
    text = "(here)=\n## A `title`: two\n[a](#here) [b](#a-title-two) [c](#there) [d](nowhere.md) [e](https://a.b/c)\n"
    assert list(lost_links(text + "[f](../design.md) [g](../design.md#the-idea) [h](../design.md#no-idea)")) == [
        "#there",
        "nowhere.md",
        "../design.md#no-idea",
    ]


def test_labels_are_unique():
    labels = Counter(label for text in PAGES.values() for label in LABEL.findall(text))
    assert {label: count for label, count in labels.items() if count > 1} == {}


def test_the_table_of_each_chapter_is_listed():
    for number in range(5):
        assert f"](lecture{number}.md#l{number}-where)" in PAGES["where.md"]
