"""HTML of sections: names are shown, never obeyed; what is folded says how much it hides."""

from markup import HOSTILE, read_view, table_of, words
from novikoff.report.html import Picture, notebook_view
from novikoff.report.sections import TERMINAL, Section, Table

PICTURE = Picture("data:image/svg+xml;base64,AAAA", HOSTILE)


def section(rows, title=HOSTILE):
    return Section(
        title, [HOSTILE], [Table([HOSTILE, "n"], [[HOSTILE, str(i)] for i in range(rows)], "lr")], [HOSTILE], [HOSTILE]
    )


def test_names_cannot_become_markup():
    tree = read_view(notebook_view([section(2)], PICTURE))
    assert words(tree).count(HOSTILE) == 7
    assert next(tree.iter("img")).get("alt") == HOSTILE
    assert table_of(tree)[1] == [HOSTILE, "0"]


def test_a_later_section_is_open_up_to_a_table_of_a_terminal():
    for rows, is_open in ((0, True), (TERMINAL.rows, True), (TERMINAL.rows + 1, False)):
        first, details = read_view(notebook_view([section(rows), section(rows, "Weights")])).iter("details")
        assert first.get("open") is not None
        assert (details.get("open") is not None) == is_open
        said = "".join(details.find("summary").itertext())
        assert said == ("Weights" if is_open else f"Weights ({rows} lines inside)")


def test_a_picture_is_never_folded_away():
    tree = read_view(notebook_view([section(40), section(1)], PICTURE))
    outer, inner = list(tree.iter("details"))[:2]
    assert outer.get("open") is not None
    assert inner.get("open") is None
    assert "40 lines" in inner.find("summary").text
    assert len(list(tree.iter("img"))) == 1


def test_sections_for_pages_only_are_left_out():
    shown = read_view(notebook_view([Section("here"), Section("not here", page_only=True)]))
    assert [each.text for each in shown.iter("summary")] == ["here"]
