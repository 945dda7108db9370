"""HTML that a notebook is given, read by an XML parser: what is not well-formed, or is no plain markup, is an error."""

from xml.etree import ElementTree

TAGS = {
    "div", "style", "details", "summary", "span", "p", "pre", "table", "thead", "tbody", "tr", "th", "td", "figure", "img"
}  # fmt: skip
HOSTILE = "<script>alert(1)</script>\"'&$x_"


def read_view(html):
    """The tree of a view; only these tags, and no address but those of pictures inside it."""
    tree = ElementTree.fromstring(html)
    assert {each.tag for each in tree.iter()} <= TAGS
    for image in tree.iter("img"):
        assert image.get("src").startswith("data:image/svg+xml;base64,")
        assert image.get("alt")
    assert {name for each in tree.iter() for name in each.attrib} <= {"class", "open", "scope", "src", "alt"}
    return tree


def words(tree):
    """All that is read there, without the style."""
    return "\n".join(
        "".join(each.itertext()) for each in tree.iter() if each.tag in ("summary", "p", "pre", "th", "td")
    )


def table_of(tree, number=0):
    """The cells of a table, its heads first."""
    table = list(tree.iter("table"))[number]
    return [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]
