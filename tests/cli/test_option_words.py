"""Library messages name keyword arguments, and the command line its options."""

import ast
import inspect
import re
from pathlib import Path

import pytest
import typer

import novikoff
from novikoff.cli.errors import KEYWORDS, in_options, told_in_options
from novikoff.cli.main import program
from novikoff.report.words import keyword

HOUSE = Path(novikoff.__file__).parent


def options():
    """All options of all commands."""
    group = typer.main.get_command(program())
    commands = [group, *group.commands.values()]
    return {word for each in commands for option in each.params for word in (*option.opts, *option.secondary_opts)}


def literals(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def test_the_library_names_no_option():
    long = sorted((word for word in options() if word.startswith("--")), key=len, reverse=True)
    option = re.compile(rf"(?<![\w-])({'|'.join(long)})(?![\w-])")
    assert option.search("pass --memory")
    found = [
        f"{path.relative_to(HOUSE)}:{line}: {text}"
        for path in HOUSE.rglob("*.py")
        if not {"cli", "lab"} & set(path.relative_to(HOUSE).parts)  # the lab's page shows commands beside results
        for line, text in literals(path)
        if option.search(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("told", "typed"),
    [
        (keyword("ignore", "id"), "--ignore id"),
        (keyword("ignore", 'it\'s a "b" {c}'), "--ignore 'it'\"'\"'s a \"b\" {c}'"),
        (keyword("ignore", "a\x1b[2J"), "--ignore $'a\\033[2J'"),
        (keyword("ignore", 2), "--ignore 2"),
        ("allow for it with memory=...", "allow for it with --memory."),
        ("folds=..., hold_out=... and test=False.", "--folds, --hold-out and --no-test."),
        ("folds=5.", "--folds 5."),
        ("header=False, standardise=False, zero_based=True", "--no-header, --raw, --zero-based"),
        ("parameters={'class_weight': 'balanced'} may help", "--set class_weight=balanced may help"),
        ("task='numbers'", "--numbers"),
        (
            "keep='pocket' counts; use order='random' or batch_size=1",
            "--set keep=pocket counts; use --set order=random or --set batch_size=1",
        ),
        ("thousands=','", "--thousands ,"),
        ("'ignore=3' is a column; so is my_use='x'", "'ignore=3' is a column; so is my_use='x'"),
    ],
)
def test_keyword_arguments_become_options(told, typed):
    assert in_options(told) == typed


def test_only_messages_of_documents_are_translated():
    document = {"notes": ["use='a'"], "files": ["use='a'"], "learners": [{"name": "use='a'", "note": "use='a'"}]}
    assert told_in_options(document) == {
        "notes": ["--use a"],
        "files": ["use='a'"],
        "learners": [{"name": "use='a'", "note": "--use a"}],
    }


def test_every_keyword_of_the_table_functions_is_an_option():
    there = options()
    for name in KEYWORDS:
        assert in_options(f"{name}=... x").split()[0] in {*there, "--test", "--task"}, name
    functions = (novikoff.fit_table, novikoff.check_table, novikoff.compare_tables, novikoff.score_table)
    known = {*KEYWORDS, "source", "model", "report", "watcher", "on_verdict", "regions", "interrupted"}
    for function in (*functions, novikoff.predict_table):
        assert set(inspect.signature(function).parameters) <= known
