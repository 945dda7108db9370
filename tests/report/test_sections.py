"""What commands show: the same sections as text, as a page, and in pictures, whatever names and numbers they hold."""

import base64
import hashlib
import json
import os
import re
from html.parser import HTMLParser
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

from commands import COMPARE
from common import seeded
from novikoff.cli import printing
from novikoff.cli.printing import no_word_of_missing_letters, save_comparison, shell_sections
from novikoff.estimators import linear_svm, svm_base
from novikoff.learn import stops
from novikoff.plots.report_pictures import PICTURES, picture
from novikoff.report import html, terminal
from novikoff.report.fit_sentences import ENDINGS, how_it_ended
from novikoff.report.html import notebook_view
from novikoff.report.result_sections import PYTHON, all_weights_sections, compare_sections, fit_sections, score_sections
from novikoff.report.sections import PAGE, TERMINAL
from novikoff.report.verdict_sections import check_sections
from novikoff.report.words import clean, count, listed, number, share, signed

HOSTILE = [
    "<script>alert(1)</script>",
    "[red]x[/red] :smile:",
    "$a_{b}$ 5% $",
    "\x1b[31mred\nline\u202e",
    "名前",
    "\ud800",
    "q\"'&",
]
SECTIONS = {
    "fit": shell_sections,
    "check": check_sections,
    "score": score_sections,
    "compare": compare_sections,
    "weights": all_weights_sections,
}


def as_text(result, width=80):
    return terminal.as_text(SECTIONS[result["command"]](result, TERMINAL), width)


def page(result):
    return html.page(result, SECTIONS[result["command"]](result, PAGE), picture)


def write_report(result, folder):
    return printing.write_report(result, folder)


def a_fit(labels=("Adelie", "Gentoo", "Chinstrap"), names=("bill", "island=Dream", "mass"), **changes):
    """A result like that of a small fit, with these classes and features."""
    labels, names, rng = list(labels), list(names), seeded("a fit")
    counts = np.diag(np.arange(10, 10 + len(labels)))
    counts[0, -1] = 4
    points = rng.normal(size=(30, 2))
    result = {
        "command": "fit",
        "version": "0.1.0",
        "files": ["penguins.csv"],
        "target": "Species X",
        "task": "classes",
        "rows": {"read": 40, "dropped": 1, "training": 30, "held_out": 9},
        "columns": [{"name": name, "kind": "number", "missing": j, "fill": 44.45} for j, name in enumerate(names)],
        "features": len(names),
        "classes": [{"label": label, "rows": 10} for label in labels],
        "separability": {"kind": None, "text": "Not looked at.", "ask": "novikoff check penguins.csv --target species"},
        "learner": {"name": "Perceptron", "parameters": {"keep": "average"}},
        "fit": {
            "passes": 10,
            "stop_reason": "budget",
            "seconds": 0.31,
            "mistakes": 57,
            "mistake_bound": 12345,
            "training": {"rows": 30, "errors": 1, "score": 29 / 30},
            "progressive": {"rows": 30, "errors": 6, "score": 0.8},
        },
        "test": {"kind": "held-out", "metric": "accuracy", "score": 8 / 9, "low": 0.56, "high": 0.98, "rows": 9},
        "confusion": {"of": "held-out", "labels": labels, "counts": counts.tolist()},
        "weights": [
            {
                "class": k,
                "features": [{"name": n, "weight": w} for n, w in zip(names, rng.normal(size=len(names)), strict=True)],
            }
            for k in labels[:15]
        ],
        "history": {"mistakes": [20, 9, 4]},
        "margins": {"of": "training", "edges": [-1.0, 0.0, 1.0, 2.0], "counts": [1, 20, 9]},
        "regions": {
            "names": names[:2],
            "points": points.tolist(),
            "labels": [labels[k % len(labels)] for k in range(30)],
            "grid_x": [-2, 0, 2],
            "grid_y": [-2, 0, 2],
            "grid_labels": [[0, 0, 1], [0, 1, 1], [0, 1, 1]],
        },
        "warnings": [],
        "notes": ["A note."],
        "model": "penguins.novikoff",
        "resume": None,
    }
    return result | changes


CHECK = {
    "command": "check",
    "kind": "overlap",
    "separable": False,
    "text": "The classes overlap.",
    "rows": 40,
    "features": 3,
    "witness": [
        {
            "row": 1,
            "place": f"{'deep/' * 20}penguins.csv:18",
            "label": "Adelie",
            "weight": "3/7",
            "share": 3 / 7,
            "values": {"bill": float("nan")},
        }
    ],
    "suspects": [{"place": f"penguins.csv:{k}", "label": "Gentoo"} for k in range(30)],
    "n_suspects": 31,
    "directions": [{"feature": "bill", "class": None, "direction": "+inf"}, {"feature": "mass", "direction": "finite"}],
    "margin": None,
    "seconds": 0.1,
    "rounds": 2,
}
COMPLETE = {
    "command": "check",
    "kind": "complete",
    "separable": True,
    "margin": 0.5,
    "margin_bounds": [0.75, 0.7500000001],
    "mistake_bound": 10**40,
}
SCORE = {
    "command": "score",
    "model": "penguins.novikoff",
    "files": ["new.csv"],
    "rows": 10,
    "metric": "accuracy",
    "score": 0.9,
    "low": 0.6,
    "high": 0.98,
    "per_class": [{"label": "Adelie", "rows": 0, "precision": 1.0, "recall": float("nan"), "f1": None}],
}
WEIGHTS = {"command": "weights", "model": "m.novikoff", "weights": a_fit(labels=[f"c{k}" for k in range(7)])["weights"]}
RESIDUALS = {
    "of": "cross-validated",
    "rows": 30,
    "root_mean_squared_error": 3.5,
    "mean_absolute_error": 2.5,
    "largest": 9.0,
    "edges": [-16.0, -8.0, 0.0, 8.0],
    "counts": [1, 14, 15],
    "points": [[1.0, 2.0], [30.0, 21.0]],
}
REGRESSION = a_fit(
    task="numbers",
    classes=None,
    separability=None,
    confusion=None,
    margins=None,
    regions=None,
    weights=[{"class": None, "features": [{"name": "bill", "weight": -2.0}]}],
    fit={"passes": 1, "stop_reason": "stable", "training": {"rows": 30, "errors": None, "score": 0.71234}},
    test={"kind": "cross-validated", "metric": "r2", "score": 0.7, "spread": 0.1, "rows": 30},
    regression={"of": "training", "mean_squared_error": 12.5},
    residuals=RESIDUALS,
)
BARE = {"command": "fit", "files": [], "rows": {"read": 0}}
ALL = [a_fit(), CHECK, COMPLETE, SCORE, COMPARE, WEIGHTS, REGRESSION, BARE, a_fit(labels=HOSTILE, names=HOSTILE)]


class Elements(HTMLParser):
    """Every element of a page, its attributes, and all text outside the style."""

    def __init__(self, html):
        super().__init__()
        self.found, self.text = [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        if self.found and self.found[-1][0] != "style":
            self.text.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.found if name == tag]


def svg(drawn):
    return ElementTree.fromstring(base64.b64decode(drawn.uri.split(",", 1)[1]))


def test_a_fit_in_words():
    text = as_text(a_fit())
    for line in (
        "40 rows read from penguins.csv, 1 left out, 30 for training, 9 held out.",
        "3 columns make 3 features.",
        "The target is Species X.",
        "In the rows for training, values are missing in 2 columns.",
        "Perceptron (keep=average) stopped at the limit of 10 passes while still",
        "While learning it made 57 mistakes; Novikoff's theorem allows at most 12,345.",
        "Held-out accuracy: 88.9%, between 56.0% and 98.0%, of 9 rows.",
        "$ novikoff check penguins.csv --target species",
        "$ novikoff predict penguins.novikoff NEW.csv",
    ):
        assert f"  {line}\n" in text
    assert re.search(r"^  island=Dream +number +1, filled with 44.45$", text, re.M)
    assert re.search(r"^  training +30 +1 +96.7%$", text, re.M)
    assert re.search(r"^  progressive +30 +6 +80.0%$", text, re.M)
    assert re.search(r"^  Adelie +10 +0 +4$", text, re.M)
    assert "Learning curve" not in text  # for pages


def test_a_fit_in_python_words():
    text = terminal.as_text(fit_sections(a_fit(), TERMINAL), prompt=PYTHON.prompt)
    assert "  >>> novikoff.predict_table('penguins.novikoff', new_rows)\n" in text
    unsaved = terminal.as_text(fit_sections({**a_fit(), "model": None}, TERMINAL), prompt=PYTHON.prompt)
    assert "  >>> result.save('model.novikoff')\n" in unsaved
    left = {"passes": 3, "checkpoint": "m.checkpoint"}
    assert "What was learned in 3 whole passes is in m.checkpoint." in terminal.as_text(
        fit_sections({**a_fit(), "resume": left}, TERMINAL)
    )
    assert "nothing was saved" in terminal.as_text(
        fit_sections({**a_fit(), "resume": {"passes": 0, "checkpoint": None}}, TERMINAL)
    )


@pytest.mark.parametrize("result", ALL)
def test_a_notebook_is_given_well_formed_html_of_the_same_sections(result):
    sections = SECTIONS[result["command"]](result, TERMINAL)
    view = ElementTree.fromstring(notebook_view(sections))
    assert [each.text for each in view.iter("summary")] == [
        clean(each.title) for each in sections if not each.page_only
    ]
    assert {each.tag for each in view.iter()} <= {
        "div", "style", "details", "summary", "span", "p", "pre", "table", "thead", "tbody", "tr", "th", "td"
    }  # fmt: skip


@pytest.mark.parametrize("result", ALL)
@pytest.mark.parametrize("width", [80, 120])
def test_text_suits_terminals_and_pipes(result, width):
    text = as_text(result, width)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]| $|\bnan\b|None", text, re.M)
    assert text.encode("utf-8")
    assert all(len(line) <= width for line in text.splitlines() if "$ " not in line)


def test_names_are_shown_as_they_stand():
    text = as_text(a_fit(labels=HOSTILE, names=HOSTILE), 300)
    for shown in (
        "<script>alert(1)</script>",
        "[red]x[/red] :smile:",
        "$a_{b}$ 5% $",
        r"\x1b[31mred\nline\u202e",
        "名前",
    ):
        assert shown in text
    assert listed([f"n{k}" for k in range(10)], 2) == "n0, n1 and 8 more"


def test_many_classes_show_their_largest_confusions():
    labels = [f"c{k}" for k in range(13)]
    counts = np.diag(np.full(13, 50))
    counts[3, 5], counts[7, 1] = 9, 12
    text = as_text(a_fit(confusion={"of": "held-out", "labels": labels, "counts": counts.tolist()}))
    assert "The largest confusions among 13 classes:" in text
    assert re.search(r"  c7 +c1 +12\n  c3 +c5 +9\n\n", text)
    text = as_text(a_fit(confusion={"of": "held-out", "labels": labels, "counts": np.eye(13, dtype=int).tolist()}))
    assert "No row was given a wrong class." in text


def test_a_check_in_words():
    text = as_text(CHECK)
    assert text.startswith("Not separable (overlap)\n")
    assert re.search(r"^  ….*penguins.csv:18  Adelie +42\.9% +\(missing\)$", text, re.M)  # the line's number is not cut
    assert "19 more rows are not shown." in text  # of 31, of which the list has 30
    assert "Without these 31 rows" in text
    assert "bill" in text.split("logistic regression")[-1]
    assert "mass" not in text
    text = as_text(COMPLETE)
    assert "The largest possible margin is 0.75, proved to within 1e-10." in text
    assert "at most 1.0e40 mistakes" in text.replace("\n  ", " ")


def test_other_commands_in_words():
    text = as_text(SCORE)
    assert "Accuracy: 90.0%, 95% interval 60.0% to 98.0%, of 10 rows of new.csv." in text
    assert re.search(r"^  Adelie +0 +100% +undefined +undefined$", text, re.M)
    assert "Recall undefined: no row is of this class." in text
    text = as_text(COMPARE)
    assert re.search(r"^  Perceptron +99.0%  ± 1 points +0.2$", text, re.M)
    assert re.search(r"^  Adaline +none$", text, re.M)
    assert re.search(r"^  Adaline: out of time$", text, re.M)
    assert "Always answering the commonest class would score 44.0%." in text
    assert as_text(WEIGHTS).count("feature ") == 2  # five classes stand in one table
    text = as_text(REGRESSION)
    assert "Cross-validated R²: 0.7 ± 0.1, of 30 rows." in text
    assert "Mean squared error on training rows: 12.5." in text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0%"),
        (1.0, "100%"),
        (0.5, "50.0%"),
        (0.99996, "99.996%"),
        (0.0001, "0.01%"),
        (1 - 1e-12, "just under 100%"),
        (1e-12, "just over 0%"),
        (None, "unknown"),
    ],
)
def test_a_share_is_all_or_nothing_only_if_it_is(value, text):
    assert share(value) == text


def test_numbers_in_words():
    assert number(float("nan")) == "undefined"
    assert number(float("-inf")) == "-infinite"
    assert number(12345) == count(12345) == "12,345"
    assert [signed(weight) for weight in (2.6, -0.0, -123.0, 4e-9)] == ["+2.60", "0", "-123", "+4.00e-09"]


def test_every_reason_to_stop_has_its_words():
    reasons = set(re.findall(r"^``(\w+)``", stops.__doc__, re.M)) | {"interrupted", "solved"}
    for module in (linear_svm, svm_base):
        reasons |= set(re.findall(r'"(time|stalled)"', module.__loader__.get_source(module.__name__)))
    assert reasons <= set(ENDINGS)
    for reason in reasons:
        assert ENDINGS[reason] in how_it_ended({"name": "Perceptron"}, {"passes": 1, "stop_reason": reason})


@pytest.mark.parametrize("result", ALL)
def test_a_page_needs_nothing_else_and_runs_nothing(result):
    with no_word_of_missing_letters():
        html = page(result)
    seen = Elements(html)
    assert not seen.all("script")
    assert not seen.all("link")
    assert html.encode("utf-8")
    assert not [value for _, own in seen.found for key, value in own.items() if key in ("href", "action", "srcset")]
    assert "url(" not in html
    policy = next(meta["content"] for meta in seen.all("meta") if meta.get("http-equiv") == "Content-Security-Policy")
    style = html.split("<style>")[1].split("</style>")[0]
    hashed = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    allowed = f"style-src 'sha256-{hashed}'; img-src data:"
    assert policy == f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    assert html.index(policy) < html.index("<style>")
    for image in seen.all("img"):
        assert len(image["alt"]) > 20
        assert svg(SimpleNamespace(uri=image["src"])).tag.endswith("svg")
    assert not {name for name, attributes in seen.found for key in attributes if key.startswith("on")}
    assert not re.search(r"\bnan\b|None", "".join(seen.text))


def test_the_page_of_a_fit_has_a_table_and_an_alt_text_for_every_picture():
    html = page(a_fit())
    seen = Elements(html)
    sections = html.split("<section>")[1:]
    drawn = [section for section in sections if "<img" in section]
    assert len(drawn) == len(PICTURES) - 4  # all but curves of two classes, the comparison and those of numbers
    assert all("<table>" in section for section in drawn)
    alts = " ".join(image["alt"] for image in seen.all("img"))
    assert "20 in the first, 4 in the last" in alts
    assert "4 of 37 rows got a wrong class" in alts
    assert "30 rows from -1 to 2; 1 below 0" in alts


def test_the_page_of_a_regression_shows_its_residuals():
    alts = " ".join(image["alt"] for image in Elements(page(REGRESSION)).all("img"))
    assert "Histogram of the residuals of 30 rows from -16 to 8." in alts
    assert "Answers beside the true values of 2 rows, which go from 1 to 30." in alts
    dots = svg(picture("answers", REGRESSION)).findall(".//{http://www.w3.org/2000/svg}use")
    assert len(dots) >= 2
    text = " ".join(as_text(REGRESSION).split())
    assert "Of cross-validated rows, answers are off by 2.5 on average (mean absolute error) and by 9 at most" in text
    assert picture("residuals", a_fit()) is picture("answers", a_fit()) is None


def test_a_page_of_very_many_classes_and_features():
    labels, names = [f"class {k}" for k in range(1000)], [f"feature {j}" for j in range(10_000)]
    html = page(a_fit(labels=labels, names=names, history={"mistakes": []}, margins=None))
    assert len(html) < 500_000
    assert "9,960 more columns are not shown." in html
    assert "The largest confusions among 1,000 classes:" in html
    assert "40 of 10,000 features are shown." in html
    assert "Learning curve" not in html


def test_pictures_show_names_and_numbers():
    with no_word_of_missing_letters():
        root = svg(picture("weights", a_fit(labels=HOSTILE, names=HOSTILE)))
    shown = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"<script>alert(1)</script>", "$a_{b}$ 5% $", "名前"} <= shown
    cells = svg(picture("confusion", a_fit())).iter("{http://www.w3.org/2000/svg}text")
    assert sorted(int(cell.text) for cell in cells if cell.text.isdigit()) == [0, 0, 0, 0, 0, 4, 10, 11, 12]
    assert picture("history", a_fit(history={"mistakes": []})) is None
    assert picture("confusion", a_fit(labels=map(str, range(1000)))) is None
    assert picture("regions", a_fit(labels=map(str, range(20)))) is None
    assert picture("scores", a_fit(test={"kind": "held-out", "metric": "accuracy", "score": float("nan")})) is None
    assert picture("weights", a_fit()) is not None


def test_a_report_replaces_an_older_one_only_as_a_whole(tmp_path, monkeypatch):
    path = write_report(SCORE, tmp_path / "new" / "report")
    assert path == tmp_path / "new" / "report" / "index.html"
    before = path.read_text(encoding="utf-8")
    assert before == page(SCORE)
    assert write_report(REGRESSION, path.parent).read_text(encoding="utf-8") == page(REGRESSION)  # the same every time
    before = path.read_text(encoding="utf-8")
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        write_report(COMPARE, path.parent)
    assert path.read_text(encoding="utf-8") == before
    assert [each.name for each in path.parent.iterdir()] == ["index.html"]


def test_a_comparison_is_drawn_into_a_file(tmp_path):
    for ending, start in (("png", b"\x89PNG"), ("svg", b"<?xml")):
        assert save_comparison(COMPARE, tmp_path / f"compare.{ending}").read_bytes().startswith(start)
    with pytest.raises(ValueError, match="No learner has a score"):
        save_comparison(COMPARE | {"learners": []}, tmp_path / "none.png")


def test_results_are_plain():
    """What is shown can come from a file of JSON."""
    for result in ALL:
        assert as_text(json.loads(json.dumps(result))) == as_text(result)


def toy_app():
    import typer

    app = typer.Typer(help="Linear classification.", add_completion=False)

    @app.command()
    def fit(
        files: list[str] = typer.Argument(help="Files to read."),  # noqa: B008
        target: str = typer.Option(..., "--target", "-t", help="The column a|b to predict."),
        passes: int = typer.Option(10, help="Most passes."),
    ):
        """Learn from files.

        \b
        Example:
          novikoff fit a.csv -t y
        """

    @app.command(hidden=True)
    def secret():
        """Nothing."""

    @app.command(epilog="See also fit.")
    def check(file: str):
        """Prove it."""

    return app


def test_reference_has_every_command_and_option():
    from novikoff.cli.reference import reference

    text = reference(toy_app())
    assert re.findall(r"^## `(.*)`$", text, re.M) == ["novikoff fit", "novikoff check"]
    assert "\n```text\nExample:\n  novikoff fit a.csv -t y\n```\n" in text
    assert re.search(r"^\| `-t, --target` \| The column a\\\|b to predict\. Required\. \|$", text, re.M)
    assert re.search(r"^\| `--passes` \| Most passes\. Default: 10\. \|$", text, re.M)
    assert text.endswith("\n\nSee also fit.\n")
