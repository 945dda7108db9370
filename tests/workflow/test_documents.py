"""Results have types and documents; the same comes from Python and from the command line."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from novikoff.cli.main import app
from novikoff.cli.show.as_json import dumps
from novikoff.data.readers.reading import Reading
from novikoff.workflow.checking import check
from novikoff.workflow.choices import LearningSettings, choose
from novikoff.workflow.comparing import compare
from novikoff.workflow.documents import INLINE, Result
from novikoff.workflow.fitting import fit
from novikoff.workflow.requests import AskedTest, CheckRequest, CompareRequest, FitRequest, Source
from novikoff.workflow.watching import Watcher, unwatched

PENGUINS = str(Path(__file__).parents[2] / "examples" / "penguins.csv")


@dataclass(frozen=True, kw_only=True)
class Part(Result):
    class_: str | None
    size: int | None = None


@dataclass(frozen=True, kw_only=True)
class Whole(Result):
    name: str | None
    parts: list[Part]
    more: Part | None = None
    own: Part | None = field(default=None, metadata=INLINE)


PARTS = st.builds(Part, class_=st.none() | st.text(), size=st.none() | st.integers())


@given(st.none() | st.text(), st.lists(PARTS), st.none() | PARTS, st.none() | PARTS)
def test_a_document_has_every_field_but_those_that_do_not_concern_it(name, parts, more, own):
    told = Whole(name=name, parts=parts, more=more, own=own).to_dict()
    assert told.pop("name") == name  # None, too: it has no default
    assert told.pop("parts") == [part.to_dict() for part in parts]
    assert told.pop("more", None) == (more and more.to_dict())
    assert told == ({} if own is None else own.to_dict())
    for part in parts:
        assert part.to_dict() == {"class": part.class_} | ({} if part.size is None else {"size": part.size})


SOURCE = Source([PENGUINS], "species", Reading(zero_based=False))
FIT = FitRequest(
    source=SOURCE,
    choice=choose("perceptron"),
    learning=LearningSettings({}),
    testing=AskedTest(folds=3),
    made_with={},
    ask=f"novikoff check {PENGUINS} --target species",
)


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(part) for key, part in value.items() if key not in ("seconds", "compiling")}
    return [without_times(part) for part in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("made", "typed"),
    [
        (lambda: fit(FIT), ["fit", PENGUINS, "-t", "species", "--folds", "3"]),
        (lambda: check(CheckRequest(source=SOURCE)), ["check", PENGUINS, "-t", "species"]),
        (
            lambda: compare(
                CompareRequest(
                    source=SOURCE, task="classes", asked=["perceptron"], folds=3, learning=LearningSettings({})
                )
            ),
            ["compare", PENGUINS, "-t", "species", "--learner", "perceptron", "--folds", "3"],
        ),
    ],
)
def test_python_is_told_what_json_prints(made, typed):
    printed = json.loads(CliRunner().invoke(app, [*typed, "--json"]).stdout)
    told = {"command": typed[0], **json.loads(dumps(made().to_dict()))}
    assert without_times(told) == without_times({name: value for name, value in printed.items() if name != "plot"})


def test_nothing_is_printed_and_a_watcher_is_told(capsys, tmp_path):
    titles, lines = [], []

    def progress(title, total, unit):
        titles.append(title)
        return unwatched(title, total, unit)

    path = tmp_path / "numbers.csv"
    path.write_text("x,y\n" + "".join(f"{i},{i / 7}\n" for i in range(40)))
    request = replace(FIT, source=Source([str(path)], "y", Reading()), testing=AskedTest(no_test=True))
    result = fit(request, Watcher(progress, lines.append))
    assert titles == ["Reading", "Learning"]
    assert "40 different numbers" in lines[0]
    assert result.report.test is None
    assert result.to_dict()["test"] == {"kind": None}
    fit(request)
    assert capsys.readouterr() == ("", "")
