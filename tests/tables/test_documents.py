"""Results have types and documents, and nothing is printed."""

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from novikoff import fit_table
from novikoff.tables.progress import Watcher, unwatched
from novikoff.tables.results import INLINE, Result


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


def test_nothing_is_printed_and_a_watcher_is_told(capsys, tmp_path):
    titles, lines = [], []

    def progress(title, total, unit):
        titles.append(title)
        return unwatched(title, total, unit)

    path = tmp_path / "numbers.csv"
    path.write_text("x,y\n" + "".join(f"{i},{i / 7}\n" for i in range(40)))
    result = fit_table(path, "y", test=False, watcher=Watcher(progress, lines.append))
    assert titles == ["Reading", "Learning"]
    assert "40 different numbers" in lines[0]
    assert result.report.test is None
    assert result.to_dict()["test"] == {"kind": None}
    fit_table(path, "y", test=False)
    assert capsys.readouterr() == ("", "")
