"""Pages lead somewhere: links exist, commands exist with their options, and every page begins with something that runs."""

import json
import re
import shlex

import pytest

from common import ROOT
from novikoff.cli.command_options import read_parameters
from novikoff.tables.learner_choices import LearningSettings, choose, make

PAGES = sorted(
    page
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "examples" / "README.md")
    if not {"course", "_build", "api", "gallery"} & set(page.parts)
)
GUIDES = [page for page in PAGES if page.parent.name in ("how-to", "explain") or page.name.startswith("migration")]


def named(page):
    return page.relative_to(ROOT).as_posix()


def anchors(page):
    """What headings are called in links: small letters and hyphens."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf8"), flags=re.S)
    heads = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_to_files_and_headings(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf8"), flags=re.S)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:|gallery/", link):  # other sites, and what is made when the site is built
            continue
        path, _, heading = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if heading:
            assert heading in anchors(target), link


ABOUT_THE_FUTURE = (
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/adding-demonstrations.md",
)  # files to add, and files that were


@pytest.mark.parametrize("page", [page for page in PAGES if named(page) not in ABOUT_THE_FUTURE], ids=named)
def test_files_of_the_repository_that_a_page_names_exist(page):
    folders = "|".join(path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith("."))
    for path in re.findall(rf"(?<![\w/.-])(?:{folders})/[\w/-]+\.\w+", page.read_text(encoding="utf8")):
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize("page", GUIDES, ids=named)
def test_guides_begin_with_what_the_reader_gets_and_something_that_runs(page):
    title, first, *_ = page.read_text(encoding="utf8").split("\n\n")
    assert title.startswith("# ")
    assert len(first.split()) >= 12, "a paragraph that says what the reader gets"
    assert ">>>" in page.read_text(encoding="utf8")[:7000]


def commands(page):
    """The commands of a page, in blocks and in tables, up to a comment."""
    text = page.read_text(encoding="utf8")
    blocks = "\n".join(re.findall(r"^```\n(.*?)^```$", text, re.M | re.S))
    lines = re.findall(r"^novikoff .*$", blocks, re.M) + re.findall(r"`(novikoff \w+ [^`]*)`", text)
    return [line.split("  #")[0].replace("\\|", "|") for line in lines]


def options():
    """Options by command, as the generated reference lists them."""
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf8")
    parts = re.split(r"^## `novikoff (\w+)`$", text, flags=re.M)
    return {
        name: set(re.findall(r"(?<![\w-])--?[\w-]+", " ".join(re.findall(r"^\| `([^`]*)` \|", part, re.M))))
        for name, part in zip(parts[1::2], parts[2::2], strict=True)
    }


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=named)
def test_commands_exist_with_their_options(page):
    known = options()
    for line in commands(page):
        words = shlex.split(line)
        assert words[1] in known, line
        used = {word.split("=")[0] for word in words[2:] if re.match(r"--?[a-z]", word)}
        assert used <= known[words[1]], line


def test_parameters_set_on_command_lines_exist():
    """``--learner`` names a learner and ``--set`` parameters that it has, with values it takes."""
    tried = 0
    for page in PAGES:
        for line in commands(page):
            words = shlex.split(line)
            learner = words[words.index("--learner") + 1] if "--learner" in words else "perceptron"
            if learner == "..." or words[1] not in ("fit", "compare"):
                continue
            texts = [
                words[place + 1]
                for place, word in enumerate(words)
                if word == "--set" and "=..." not in words[place + 1]
            ]
            parameters = {} if "name=value" in texts else read_parameters(texts)
            make(choose(learner), LearningSettings(parameters))._validate_params()
            tried += bool(parameters)
    assert tried >= 5


def test_data_of_examples_are_what_the_pages_say():
    """The counts that the page on separation prints of the published data."""
    rows = (ROOT / "examples" / "endometrial.csv").read_text().split()
    assert rows[0] == "NV,PI,EH,HG"
    assert len(rows) == 80
    values = [json.loads(f"[{row}]") for row in rows[1:]]
    assert sum(high for nv, *_, high in values if nv) == sum(nv for nv, *_ in values) == 13
