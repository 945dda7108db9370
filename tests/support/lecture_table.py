"""The items and questions of the lectures, each with its demonstration and preset, as a table of docs/lab-lectures.md.  To write it again:
``PYTHONPATH=src:tests/support python tests/support/lecture_table.py``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "lab-lectures.md"
HEAD = """# The lectures, item by item

Every item and question of the five lectures, and where it can be touched in [the lab](lab.md). The page has the same lists, with links, under
*Questions of the lectures*. This table is made from the page; a test compares them.

"""


def lecture_table(known: dict[str, Any]) -> str:
    """The table, by lecture; questions are marked."""
    titles = {each["name"]: each for each in known["demonstrations"]}
    lines = ["| lecture | item or question | demonstration | preset |", "|---|---|---|---|"]
    both = [(each, "") for each in known["items"]] + [(each, "Q: ") for each in known["questions"]]
    for each, mark in sorted(both, key=lambda one: one[0]["place"].split()[0]):
        demo = titles[each["demo"]]
        preset = next(one["title"] for one in demo["presets"] if one["name"] == each["preset"])
        lines.append(f"| {each['place']} | {mark}{each['text'].replace('|', '&#124;')} | {demo['title']} | {preset} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    from page_engine import answer

    PAGE.write_text(HEAD + lecture_table(answer({"ask": "catalogue"})["answer"]), encoding="utf8")
