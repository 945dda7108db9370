"""``python -m benchmarks.house [PATH]``: figures of the source itself, of this checkout or beside those of another.

They tell how much a newcomer has to open, and what holds modules together that should stand alone.
"""

from __future__ import annotations

import argparse
import ast
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .checkouts import Checkout, checkout, this
from .processes import byte_code
from .table import markdown

STARTS = 5  # processes whose import times are taken; the shortest counts
FILES_OF_A_FIT = """
import json, sys, warnings
warnings.simplefilter("ignore")
import numpy as np
from novikoff import Perceptron
import novikoff
X = np.random.default_rng(0).normal(size=(200, 10))
y = X[:, 0] > 0
home = novikoff.__path__[0]
Perceptron(random_state=0).fit(X, y)
files = set()
sys.setprofile(lambda frame, event, _: files.add(frame.f_code.co_filename) if event == "call" else None)
Perceptron(random_state=0).fit(X, y)
sys.setprofile(None)
print(json.dumps(sorted(file[len(home) + 1:] for file in files if file.startswith(home))))
"""
IMPORT = "from time import process_time; began = process_time()\n{}\nprint(process_time() - began)"


class LazyImport(NamedTuple):
    """An import of an own module inside a function."""

    place: str  # file:line
    reason: str  # the comment beside or above it


def modules(package: Path) -> list[Path]:
    return sorted(package.rglob("*.py"))


def lines_of(path: Path) -> int:
    return len(path.read_text(encoding="utf8").splitlines())


def rooms(package: Path) -> Counter[str]:
    """Modules of each room; "." for those that lie in none."""
    return Counter((path.relative_to(package).parent.parts or (".",))[0] for path in modules(package))


def namesakes(package: Path) -> list[str]:
    """Names that more than one module has."""
    names = Counter(path.stem for path in modules(package) if not path.stem.startswith("__"))
    return sorted(name for name, count in names.items() if count > 1)


def lazy_imports(package: Path) -> list[LazyImport]:
    """All imports of own modules inside functions."""
    found = []
    for path in modules(package):
        text = path.read_text(encoding="utf8")
        lines = text.splitlines()
        for node in inner_imports(ast.parse(text)):
            place = f"{path.relative_to(package)}:{node.lineno}"
            found.append(LazyImport(place, reason(lines, node)))
    return found


def inner_imports(tree: ast.AST, inside: bool = False) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            if inside and own(node):
                yield node
        else:
            yield from inner_imports(
                node, inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            )


def own(node: ast.Import | ast.ImportFrom) -> bool:
    """Whether it imports from this package."""
    if isinstance(node, ast.ImportFrom):
        return node.level > 0 or (node.module or "").split(".")[0] == "novikoff"
    return any(name.name.split(".")[0] == "novikoff" for name in node.names)


def reason(lines: Sequence[str], node: ast.Import | ast.ImportFrom) -> str:
    """The comment on the lines of an import, or on the line above; "" if there is none."""
    for line in lines[node.lineno - 1 : node.end_lineno]:
        _, sign, comment = line.partition("#")
        if sign and not comment.strip().startswith("type:"):
            return comment.strip()
    above = lines[node.lineno - 2].strip()
    return above.lstrip("# ") if above.startswith("#") else ""


@cache
def files_of_a_fit(side: Checkout) -> list[str]:
    """The package's own files that one warm fit enters, as a profiler sees it."""
    files: list[str] = json.loads(side.python("-c", FILES_OF_A_FIT).stdout)
    return files


def import_times(sides: Sequence[Checkout], statement: str) -> list[float]:
    """The shortest time of the processor for an import in a fresh process, for each side; they take turns."""
    code = IMPORT.format(statement)
    turns = [[float(side.python("-c", code, **byte_code()).stdout) for side in sides] for _ in range(STARTS + 1)]
    return [min(times) for times in zip(*turns[1:], strict=True)]


def figures(side: Checkout) -> dict[str, int]:
    """Everything that is counted."""
    package, lazy = side.package, lazy_imports(side.package)
    sizes = [lines_of(path) for path in modules(package)]
    return {
        "lines of src": sum(sizes),
        "modules": len(sizes),
        "modules of more than 400 lines": sum(size > 400 for size in sizes),
        "names that several modules have": len(namesakes(package)),
        "lazy imports of own modules": len(lazy),
        "lazy imports with no reason said": sum(not each.reason for each in lazy),
        "own files that a warm fit enters": len(files_of_a_fit(side)),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.house", description=__doc__)
    parser.add_argument("other", nargs="?", metavar="PATH", help="another checkout, shown beside this one")
    other = parser.parse_args(arguments).other
    sides = [*([checkout(other)] if other else []), this()]
    columns = [{name: str(count) for name, count in figures(side).items()} for side in sides]
    for statement in ("import novikoff", "from novikoff import Perceptron"):
        for column, seconds in zip(columns, import_times(sides, statement), strict=True):
            column[f"`{statement}`"] = f"{1000 * seconds:.0f} ms"
    heads = ("Figure", *(["Other"] if other else []), "This")
    print(markdown(heads, [(name, *(column[name] for column in columns)) for name in columns[0]]))
    for side in sides:
        print(f"\n{side.root}")
        for name, text in details(side).items():
            print(f"  {name}: {text}")


def details(side: Checkout) -> dict[str, str]:
    """What is behind the figures."""
    package = side.package
    reasons = Counter(each.reason for each in lazy_imports(package) if each.reason)
    return {
        "modules of each room": counted(rooms(package)),
        "names that several modules have": ", ".join(namesakes(package)) or "none",
        "reasons of lazy imports": counted(reasons) or "none",
        "files that a warm fit enters": ", ".join(files_of_a_fit(side)),
    }


def counted(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))


if __name__ == "__main__":
    main()
