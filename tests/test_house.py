"""The house is as docs/design.md says: each module has one name, each room its tests, and imports stand where one looks."""

import ast
import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import novikoff
from common import ROOT

HOUSE = ROOT / "src" / "novikoff"
MODULES = sorted(HOUSE.rglob("*.py"))
ROOMS = {path.name for path in HOUSE.iterdir() if (path / "__init__.py").exists()}
COMPILERS = {
    "helper",
    "kernel",
    "in_place",
    "part",
    "exact",
    "by_type",
    "of",
    "otherwise",
    "plainly",
}  # decorators of kernels
MAY_LACK_TYPES = {"module", "disallow_untyped_defs", "disallow_untyped_calls"}


@cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf8"))


def offenders(find):
    """What ``find`` lists of each module, of those of which it lists something."""
    found = {str(path.relative_to(HOUSE)): list(find(path)) for path in MODULES}
    return {name: faults for name, faults in found.items() if faults}


def outer_functions(node):
    """Functions and methods, but not those inside functions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
        else:
            yield from outer_functions(child)


def own_imports(node):
    """Imports of the package's own modules."""
    for found in ast.walk(node):
        if isinstance(found, ast.Import):
            sources = [name.name for name in found.names]
        elif isinstance(found, ast.ImportFrom):
            sources = ["novikoff" if found.level else found.module]
        else:
            continue
        if any(source.split(".")[0] == "novikoff" for source in sources):
            yield found


def test_no_two_modules_have_one_name():
    names = Counter(path.stem for path in MODULES if path.stem != "__init__")
    assert {name: count for name, count in names.items() if count > 1} == {}


def test_imports_inside_functions_say_why():
    """They draw a picture, or a comment on the same line or above it says what they save."""

    def silent(path):
        lines = path.read_text(encoding="utf8").splitlines()
        for function in outer_functions(tree(path)):
            for found in own_imports(function):
                above, line = lines[found.lineno - 2 : found.lineno]
                if not function.name.startswith("plot") and "#" not in line and not above.strip().startswith("#"):
                    yield f"line {found.lineno}: {ast.unparse(found)}"

    assert offenders(silent) == {}


def test_nothing_comes_from_the_public_face_but_the_version():
    """``novikoff/__init__.py`` imports what it is asked for, from any room: to ask it would hide where an import points."""

    def from_the_face(path):
        depth = len(path.relative_to(HOUSE).parts)
        for found in own_imports(tree(path)):
            names = {name.name for name in found.names}
            if isinstance(found, ast.Import):
                face = "novikoff" in names
            else:
                face = (found.level, found.module) in ((depth, None), (0, "novikoff"))
            if face and not names <= {"__version__", *ROOMS}:
                yield ast.unparse(found)

    assert offenders(from_the_face) == {}


def compiled(function):
    """Whether one of its decorators makes machine code of it."""
    nodes = [node for decorator in function.decorator_list for node in ast.walk(decorator)]
    return any(getattr(node, "id", getattr(node, "attr", None)) in COMPILERS for node in nodes)


def test_only_functions_that_numba_reads_lack_types():
    def untyped(path):
        for function in outer_functions(tree(path)):
            arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
            typed = function.returns is not None or any(argument.annotation for argument in arguments)
            if not typed and not compiled(function):
                yield function.name

    assert offenders(untyped) == {}


def test_modules_with_kernels_are_those_that_may_lack_types():
    lists = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["tool"]["mypy"]["overrides"]
    [allowed] = [entry["module"] for entry in lists if set(entry) == MAY_LACK_TYPES]
    with_kernels = offenders(lambda path: [f.name for f in outer_functions(tree(path)) if compiled(f)])
    assert allowed == [f"novikoff.{name[:-3].replace('/', '.')}" for name in with_kernels]


def test_types_are_handed_on():
    assert (Path(novikoff.__file__).parent / "py.typed").exists()


def test_tests_mirror_the_rooms():
    folders = {path.name for path in (ROOT / "tests").iterdir() if any(path.glob("test_*.py"))}
    assert folders == {*ROOMS, "benchmarks", "docs"}
    names = Counter(path.stem for path in (ROOT / "tests").rglob("*.py") if path.stem != "conftest")
    assert {name: count for name, count in names.items() if count > 1} == {}


def test_extras_are_installed_from_a_copy_of_the_repository():
    """The package is on no index.  So advice is ``pip install ".[extra]"``; in errors it comes from ``installing``."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = []
    for pattern in ("src/**/*.py", "src/**/*.js", "docs/**/*.md", "docs/**/*.rst", "examples/*", "*.md"):
        for path in ROOT.glob(pattern):
            if path.suffix in (".py", ".js", ".md", ".rst", ".txt") and path.name != "CHANGELOG.md":
                text = path.read_text(encoding="utf8")
                assert "novikoff[" not in text, path
                named += re.findall(r"pip install .*\.\[([\w,]+)\]", text) + re.findall(
                    r"\binstalling\(.(\w+).\)", text
                )
    assert len(named) > 20
    assert {extra for each in named for extra in each.split(",")} <= set(extras)


def test_packages_hold_what_there_is_and_every_licence():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))
    archive = project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    licences = project["project"]["license-files"]
    assert [path for path in (*archive, *licences) if not (ROOT / path).exists()] == []
    found = {path.relative_to(ROOT).as_posix() for path in HOUSE.rglob("LICENSE*")} | {"LICENSE"}
    assert set(licences) == found


def private_parts(path):
    """Private names that the classes of a module define: methods, annotations, and what is set on ``self``."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ClassDef):
            yield from (each.name for each in node.body if isinstance(each, ast.FunctionDef))
            yield from (
                each.target.id
                for each in node.body
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
            )
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def test_what_learners_keep_to_themselves_is_used_by_estimators_alone():
    """A learner does not know who has its rows, and those who have them do not know what is inside a learner."""
    learners = [path for path in MODULES if path.parent.name == "estimators"]
    private = {name for path in learners for name in private_parts(path) if re.match("_[a-z]", name)}
    assert {"_learned", "_rule", "_kernel"} < private

    def taken(path):
        if path in learners:
            return
        own = set(private_parts(path))
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Attribute):
                read = node.attr in private - own and ast.unparse(node.value) != "self"
            else:  # as in getattr(learner, "_rule")
                read = isinstance(node, ast.Constant) and node.value in private - own
            if read:
                yield f"{node.lineno}: {ast.unparse(node)}"

    assert not offenders(taken)


def classes_of(room):
    """Names of a room's public classes."""
    nodes = [node for path in sorted((HOUSE / room).rglob("*.py")) for node in tree(path).body]
    return {node.name for node in nodes if isinstance(node, ast.ClassDef) and not node.name.startswith("_")}


def private_names(paths):
    """Attributes that classes define."""
    for path in paths:
        for node in ast.walk(tree(path)):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.ctx, ast.Store)
                and ast.unparse(node.value) == "self"
            ):
                yield node.attr
            elif isinstance(node, ast.ClassDef):
                yield from (
                    part.name if isinstance(part, ast.FunctionDef) else part.target.id
                    for part in node.body
                    if isinstance(part, ast.FunctionDef | ast.AnnAssign)
                )


def test_rooms_below_learners_and_partitions_do_not_ask_of_what_class_a_learner_is():
    free = ROOMS - {"estimators", "tables", "studies", "models", "cli", "course", "lab"}
    learners = classes_of("estimators") | {"DeltaRule"}

    def asked(path):
        if path.relative_to(HOUSE).parts[0] not in free:
            return
        own = {node.name for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef)}
        imported = {
            name.asname or name.name
            for node in ast.walk(tree(path))
            if isinstance(node, ast.ImportFrom) and "estimators" in (node.module or "")
            for name in node.names
        }
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "issubclass"):
                names = {each.id for each in ast.walk(node.args[1]) if isinstance(each, ast.Name)}
                yield from names & learners & imported - own

    assert "LinearSVM" in learners
    assert offenders(asked) == {}


def test_private_attributes_of_learners_are_used_among_learners_only():
    inside = [path for path in MODULES if path.relative_to(HOUSE).parts[0] == "estimators"]
    outside = [path for path in MODULES if path not in inside]
    theirs = {name for name in private_names(inside) if name.startswith("_") and not name.startswith("__")}
    theirs -= set(private_names(outside))  # which other classes have, too

    def used(path):
        if path in inside:
            return
        for node in ast.walk(tree(path)):
            if (
                isinstance(node, ast.Attribute)
                and node.attr in theirs
                and ast.unparse(node.value) not in ("self", "cls")
            ):
                yield f"{ast.unparse(node)}, line {node.lineno}"

    assert {"_column_names", "_learned", "_not_in_partitions"} <= theirs
    assert offenders(used) == {}
