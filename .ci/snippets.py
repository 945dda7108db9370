"""Run the snippets of the README and of docs/ with nothing but Python, in an environment that has what the README installs.

A file that says "needs pandas" (or another package) is run where that is installed, and skipped elsewhere: the tests
have everything, and run it.  The chapters of docs/course/ are notebooks, which run when the site is built.
"""

import doctest
import re
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
NEEDS = re.compile(r"\bneeds ([^.:(]*)")
PACKAGES = {"pandas", "polars", "onnx", "statsmodels", "formulaic"}
PAGES = (
    ROOT / "README.md",
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if not {"course", "_build"} & set(page.parts)),
)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def _lacking(package: str) -> bool:
    try:
        return find_spec(package) is None
    except ModuleNotFoundError:
        return True


def main() -> None:
    """Exit with 1 if a snippet fails."""
    failed = 0
    for path in PAGES:
        words = set(re.findall(r"\w+", " ".join(NEEDS.findall(path.read_text()))))
        lacking = {name for name in words & PACKAGES if _lacking(name)}
        if lacking:
            print(f"{path.relative_to(ROOT)}: left out, without {', '.join(sorted(lacking))}")
            continue
        found = doctest.testfile(str(path), module_relative=False, optionflags=FLAGS)
        print(f"{path.relative_to(ROOT)}: {found.attempted - found.failed} of {found.attempted} examples are right")
        failed += found.failed
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
