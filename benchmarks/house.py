"""``python -m benchmarks.house [PATH or COMMIT]``: figures of the source itself, of this checkout or beside those of another.

They tell how much a newcomer has to open, and what holds modules together that should stand alone.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import subprocess
import tarfile
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from .checkouts import HERE, Checkout, checkout, this
from .processes import byte_code
from .table import markdown

STARTS = 5  # processes whose import times are taken; the shortest counts
JOURNEYS = {  # each runs once to warm up, and once while a profiler notes the files that it enters
    "fit": "Perceptron(random_state=0).fit(X, y)",
    "separability": "separability(X, y)",
    "LinearSVM": "LinearSVM().fit(X, y)",
    "novikoff fit": "novikoff_fit()",
    "Dask fit": "Perceptron(random_state=0).fit(da.from_array(X, (100, 10)), da.from_array(y, 100))",
}
FILES_OF_A_JOURNEY = """
import contextlib, io, json, sys, threading, warnings
warnings.simplefilter("ignore")
import numpy as np
import novikoff
from novikoff import LinearSVM, Perceptron, separability
try:
    import dask, dask.array as da
    dask.config.set(scheduler="synchronous")
except ImportError:
    pass
X = np.random.default_rng(0).normal(size=(200, 10))
y = X[:, 0] > 0
home = novikoff.__path__[0]
def novikoff_fit():
    from novikoff.cli.main import main
    sys.argv = ["novikoff", "fit", {table!r}, "--target", "species"]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main()
{work}
files = set()
def look(frame, event, _):
    if event == "call":
        files.add(frame.f_code.co_filename)
threading.setprofile(look)
sys.setprofile(look)
{work}
sys.setprofile(None)
print(json.dumps(sorted(file[len(home) + 1:] for file in files if file.startswith(home))))
"""
ALONE = {  # why files that one other imports stand by themselves, by how their names begin
    "cli.commands.": "a command is one file, and the table of commands names it",
    "course.lecture": "the tasks of one lecture",
    "course.plain.": "a page of plain Python that students read",
    "distributed.": "a question that is answered over partitions",
    "dual.": "one part of the dual form, with its own arithmetic",
    "estimators.": "one learner, and the table of learners names it",
    "lab.": "one part of the lab's server",
    "models.files.catalogue": "which models can be stored; it imports all of them, what reads a header does not",
    "models.files.packed": "a format inside the file",
    "proof.arithmetic.lifting": "large systems of equations in small steps: a method with its own paper",
    "proof.check.plain_fewest": "it is copied beside plain.py, and needs nothing but Python",
    "proof.check.sure_margins": "a bound of all margins in floats, with its proof; what asks it is outside the proofs",
    "proof.margins.metrics": "what a margin is measured by; the search for the largest is the same for all",
    "proof.search.": "one way to search, with its theorem",
    "plots.plane_pictures": "the pictures of fitted models",
    "rows.readers.": "one format of files",
    "solvers.": "one method, with its objective and its source",
    "studies.": "one study, and the package names it",
    "tables.": "one thing to ask of a table",
    "theory.": "one question of the theory, and its list names it",
}
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
def files_of(side: Checkout, journey: str) -> list[str]:
    """The package's own files that a journey enters when it is made again, as a profiler sees it."""
    table = str(HERE / "examples" / "penguins.csv")
    code = FILES_OF_A_JOURNEY.replace("{work}", JOURNEYS[journey]).replace("{table!r}", repr(table))
    files: list[str] = json.loads(side.python("-c", code).stdout.splitlines()[-1])
    return files


class Parsed(NamedTuple):
    """Every module of a package by its dotted name, with its syntax tree."""

    trees: dict[str, ast.Module]


def parsed(package: Path) -> Parsed:
    found = {}
    for path in modules(package):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = ast.parse(path.read_text(encoding="utf8"))
    return Parsed(found)


def statements(house: Parsed) -> int:
    """All statements, docstrings among them."""
    return sum(isinstance(node, ast.stmt) for tree in house.trees.values() for node in ast.walk(tree))


def importers(house: Parsed) -> dict[str, set[str]]:
    """Of every module, the modules that import it or a name of it."""
    found: dict[str, set[str]] = {name: set() for name in house.trees}
    homes = {name for name in house.trees if any(other.startswith(f"{name}.") for other in house.trees)}
    for name, tree in house.trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                wanted = [each.name for each in node.names]
            elif isinstance(node, ast.ImportFrom):
                above = node.level - (name in homes)
                base = name.split(".")[: -above or None] if node.level else []
                start = ".".join([*base, *([node.module] if node.module else [])])
                wanted = [f"{start}.{each.name}" for each in node.names] + [start]
            else:
                continue
            for each in wanted:
                if each in found and each != name:
                    found[each].add(name)
    return found


def single_importer_modules(house: Parsed) -> list[str]:
    """Modules, packages' own aside, that exactly one other imports."""
    homes = {name for name in house.trees if any(other.startswith(f"{name}.") for other in house.trees)}
    return sorted(name for name, users in importers(house).items() if len(users) == 1 and name not in homes)


def why_alone(module: str) -> str:
    """Why a module with one importer does not join it: the reason of the longest beginning of its name; "" if there is none."""
    own = module.partition(".")[2]
    return ALONE.get(max((begin for begin in ALONE if own.startswith(begin)), key=len, default=""), "")


def one_use_functions(house: Parsed) -> int:
    """Undecorated functions of modules whose name the package uses once, their definition and imports aside."""
    used: Counter[str] = Counter()
    defined: Counter[str] = Counter()
    for tree in house.trees.values():
        defined.update(node.name for node in tree.body if isinstance(node, ast.FunctionDef) and not node.decorator_list)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                used[node.id] += 1
            elif isinstance(node, ast.Attribute):
                used[node.attr] += 1
    return sum(used[name] == 1 for name in defined)


def names_of_several_classes(house: Parsed) -> list[str]:
    names = Counter(
        node.name for tree in house.trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    )
    return sorted(name for name, count in names.items() if count > 1)


def any_annotations(house: Parsed) -> int:
    """Annotations of parameters, results and variables that mention ``Any``."""
    nodes = [node for tree in house.trees.values() for node in ast.walk(tree)]
    written = [node.annotation for node in nodes if isinstance(node, ast.arg | ast.AnnAssign)]
    written += [node.returns for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return sum("Any" in {each.id for each in ast.walk(kind) if isinstance(each, ast.Name)} for kind in written if kind)


def import_times(sides: Sequence[Checkout], statement: str) -> list[float]:
    """The shortest time of the processor for an import in a fresh process, for each side; they take turns."""
    code = IMPORT.format(statement)
    turns = [[float(side.python("-c", code, **byte_code()).stdout) for side in sides] for _ in range(STARTS + 1)]
    return [min(times) for times in zip(*turns[1:], strict=True)]


def figures(side: Checkout) -> dict[str, int]:
    """Everything that is counted."""
    package, lazy, house = side.package, lazy_imports(side.package), parsed(side.package)
    sizes = [lines_of(path) for path in modules(package)]
    return {
        "files": len(sizes),
        "statements": statements(house),
        "lines": sum(sizes),
        "files of 60 lines or fewer": sum(size <= 60 for size in sizes),
        "files of more than 400 lines": sum(size > 400 for size in sizes),
        "files with one importer": len(single_importer_modules(house)),
        "functions used once": one_use_functions(house),
        "names of several classes": len(names_of_several_classes(house)),
        "names of several files": len(namesakes(package)),
        "`Any` annotations": any_annotations(house),
        "lazy imports of own files": len(lazy),
        "lazy imports with no reason given": sum(not each.reason for each in lazy),
        **{f"files that `{journey}` enters": len(files_of(side, journey)) for journey in JOURNEYS},
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.house", description=__doc__)
    parser.add_argument("other", nargs="?", metavar="PATH", help="another checkout, or a commit, shown beside this one")
    other = parser.parse_args(arguments).other
    with TemporaryDirectory() as folder:
        show([*([checkout_or_commit(other, Path(folder))] if other else []), this()])


def checkout_or_commit(given: str, folder: Path) -> Checkout:
    """The checkout at a path; else the source of that commit, written into the folder."""
    if Path(given).exists():
        return checkout(given)
    archive = subprocess.run(["git", "archive", given, "src"], cwd=HERE, capture_output=True)
    if archive.returncode:
        raise SystemExit(f"{given} is neither a folder nor a commit: {archive.stderr.decode().strip()}")
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as source:
        source.extractall(folder, filter="data")
    return checkout(folder)


def show(sides: list[Checkout]) -> None:
    """Print the figures of one checkout, or of two side by side."""
    columns = [{name: str(count) for name, count in figures(side).items()} for side in sides]
    for statement in ("import novikoff", "from novikoff import Perceptron"):
        for column, seconds in zip(columns, import_times(sides, statement), strict=True):
            column[f"`{statement}`"] = f"{1000 * seconds:.0f} ms"
    heads = ("Figure", *["Other"][: len(sides) - 1], "This")
    print(markdown(heads, [(name, *(column[name] for column in columns)) for name in columns[0]]))
    for side in sides:
        print(f"\n{side.root}")
        for name, text in details(side).items():
            print(f"  {name}: {text}")


def details(side: Checkout) -> dict[str, str]:
    """What is behind the figures."""
    package = side.package
    reasons = Counter(each.reason for each in lazy_imports(package) if each.reason)
    house = parsed(package)
    return {
        "files of each room": counted(rooms(package)),
        "files with one importer": "; ".join(reasons_of(single_importer_modules(house))) or "none",
        "names of several classes": ", ".join(names_of_several_classes(house)) or "none",
        "names of several files": ", ".join(namesakes(package)) or "none",
        "reasons of lazy imports": counted(reasons) or "none",
        **{f"files that `{journey}` enters": ", ".join(files_of(side, journey)) for journey in JOURNEYS},
    }


def reasons_of(alone: list[str]) -> list[str]:
    """Modules with one importer, those of one reason together."""
    reasons = dict.fromkeys(map(why_alone, alone))
    named = ((why, [name for name in alone if why_alone(name) == why]) for why in reasons)
    return [f"{', '.join(names)} ({why or 'no reason given'})" for why, names in named]


def counted(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))


if __name__ == "__main__":
    main()
