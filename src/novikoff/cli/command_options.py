"""The options of commands.  Those that several commands share stand in groups: dataclasses whose fields are options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from ..report.words import command, quote, quote_file
from ..rows.readers.formats import FORMATS
from ..tables.learner_choices import CHOICES, typed_parameters

READING, LEARNING, TESTING, OUTPUT = "Reading files", "Learning", "Testing", "Output"

Files = Annotated[
    list[str],
    typer.Argument(
        help="Data files; - is standard input; book.xlsx::Sheet2, shop.db::table and shop.db::'SELECT ...' are parts of files.",
        show_default=False,
    ),
]
ModelFile = Annotated[Path, typer.Argument(help="A model that fit saved.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print the results as JSON.", rich_help_panel=OUTPUT)]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        help="The column to predict, by name or by number, from 1; LIBSVM files have their own.",
        rich_help_panel=READING,
    ),
]
Positive = Annotated[
    str | None,
    typer.Option("--positive", help="Of two classes, the positive one; default: the second.", rich_help_panel=TESTING),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        help="Of two classes: also show the confusion if rows of at least this probability (or score) count as positive.",
        rich_help_panel=TESTING,
    ),
]
Top = Annotated[
    int, typer.Option("--top", min=1, help="How many weights to show of each class.", rich_help_panel=OUTPUT)
]
Dask = Annotated[
    str | None,
    typer.Option(
        "--dask",
        help="Work on partitions of the files: local:4 (four workers on this machine), or a scheduler's address, tcp://...",
        rich_help_panel=READING,
    ),
]
LEARNER_NAMES = "; ".join(
    f"{what}: {', '.join(choice.name for choice in CHOICES if choice.task == task)}"
    for what, task in (("For labels", "classes"), ("for numbers", "numbers"))
)


def one_of(names: Iterable[str]) -> str:
    """Names as help lists them: csv, tsv or arrow."""
    *others, last = names
    return f"{', '.join(others)} or {last}"


if TYPE_CHECKING:

    class FileFormat(StrEnum):
        """What a file may be."""

else:
    FileFormat = StrEnum("Format", {name.upper(): name for name in FORMATS})


class Missing(StrEnum):
    """What becomes of rows with missing values."""

    IMPUTE = "impute"
    DROP = "drop"
    ERROR = "error"


class Unseen(StrEnum):
    """What becomes of categories that training did not have."""

    ZEROS = "zeros"
    ERROR = "error"


UnseenValues = Annotated[
    Unseen,
    typer.Option(
        "--unseen",
        help="Levels that training did not have, and missing values where it had none: zeros (no effect, and counted) or error.",
    ),
]


class Dates(StrEnum):
    """What becomes of dates."""

    LEAVE_OUT = "leave-out"
    CATEGORIES = "categories"
    PARTS = "parts"
    DAY_FIRST = "day-first"
    MONTH_FIRST = "month-first"


def _reading(*names: str, **more: Any) -> Any:
    return typer.Option(*names, rich_help_panel=READING, **more)


@dataclass
class ReadingOptions:
    """How files are read."""

    format: Annotated[
        FileFormat | None,
        _reading("--format", help=f"{one_of(FORMATS)}; default: found by the file's first bytes and its name."),
    ] = None
    delimiter: Annotated[
        str | None,
        _reading("--delimiter", help="The character between fields; default: found in the file (, ; tab or |)."),
    ] = None
    header: Annotated[
        bool | None, _reading("--header/--no-header", help="Whether the first line names the columns.")
    ] = None
    encoding: Annotated[str, _reading("--encoding", help="How text is stored, e.g. latin-1.")] = "utf-8"
    skip_rows: Annotated[int, _reading("--skip-rows", min=0, help="Lines above the table, such as a title.")] = 0
    na: Annotated[list[str] | None, _reading("--na", help="A text or number that means: missing. Can be repeated.")] = (
        None
    )
    decimal: Annotated[
        str | None, _reading("--decimal", help="The decimal point: . or , ; default: as in most cells of a column.")
    ] = None
    thousands: Annotated[
        str | None,
        _reading(
            "--thousands",
            help="The character between thousands: , . ' space or none; default: as in most cells of a column.",
        ),
    ] = None
    zero_based: Annotated[bool, _reading("--zero-based", help="LIBSVM indices count from 0, not from 1.")] = False
    n_features: Annotated[int | None, _reading("--n-features", min=1, help="LIBSVM: how many features there are.")] = (
        None
    )


@dataclass
class ColumnOptions:
    """Which columns are learned from, and as what."""

    categorical: Annotated[
        list[str] | None,
        _reading(
            "--categorical",
            help="A column of categories, though it looks like numbers; by name or number. Can be repeated.",
        ),
    ] = None
    numeric: Annotated[
        list[str] | None, _reading("--numeric", help="A column of numbers, though it has texts. Can be repeated.")
    ] = None
    text: Annotated[
        list[str] | None,
        _reading("--text", help="A column of texts, read by their words and pairs of words (tf-idf). Can be repeated."),
    ] = None
    ignore: Annotated[
        list[str] | None,
        _reading("--ignore", help="A column to leave out, by name or by number, from 1. Can be repeated."),
    ] = None
    use: Annotated[
        list[str] | None,
        _reading("--use", help="A column to learn from, though it looks like an id of rows. Can be repeated."),
    ] = None
    dates: Annotated[
        Dates,
        _reading(
            "--dates",
            help="Dates: leave-out, categories, or parts (year, month, day, weekday, hour); dates such as 3/4/2020: day-first or month-first.",
        ),
    ] = Dates.LEAVE_OUT
    missing: Annotated[
        Missing,
        _reading(
            "--missing",
            help="Missing values: impute (numbers: the median; categories: one more level), drop (the row), or error. Rows without a label are always left out.",
        ),
    ] = Missing.IMPUTE


@dataclass
class LearningOptions:
    """How a learner learns."""

    set: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="A parameter of the learner, as name=value. Can be repeated.", rich_help_panel=LEARNING
        ),
    ] = None
    passes: Annotated[
        int | None,
        typer.Option(
            "--passes",
            min=1,
            help="The limit of passes over the rows, or of a solver's iterations; default: 10 passes, or 1000 iterations.",
            rich_help_panel=LEARNING,
        ),
    ] = None
    standardise: Annotated[
        bool,
        typer.Option(
            "--standardise/--raw",
            help="Scale columns of numbers to mean 0 and standard deviation 1, or leave them as they are. (LIBSVM files are never scaled.)",
            rich_help_panel=LEARNING,
        ),
    ] = True
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Decides every random choice.", rich_help_panel=LEARNING)
    ] = 0
    memory: Annotated[
        str | None,
        typer.Option(
            "--memory",
            help="The most memory to use, e.g. 1GB; rows that do not fit wait on disk. Default: half of what is free.",
            rich_help_panel=LEARNING,
        ),
    ] = None


@dataclass
class TestOptions:
    """How a learner is tested."""

    folds: Annotated[
        int | None,
        typer.Option(
            "--folds",
            min=2,
            help="Cross-validate with this many parts, each with its share of every class.",
            rich_help_panel=TESTING,
        ),
    ] = None
    hold_out: Annotated[
        float | None,
        typer.Option(
            "--hold-out",
            min=0.0,
            max=1.0,
            help="Test on this share of the rows, such as 0.2, and learn from the others.",
            rich_help_panel=TESTING,
        ),
    ] = None
    test: Annotated[
        str | None,
        typer.Option(
            "--test", help="Test on the rows of this file; nothing is learned from them.", rich_help_panel=TESTING
        ),
    ] = None
    no_test: Annotated[bool, typer.Option("--no-test", help="Do not test.", rich_help_panel=TESTING)] = False


def keywords_of(*groups: ReadingOptions | ColumnOptions | TestOptions | LearningOptions) -> dict[str, Any]:
    """Options as the keyword arguments of the table functions."""
    found: dict[str, Any] = {}
    for group in groups:
        for option in fields(group):
            value = getattr(group, option.name)
            found[option.name] = value.value if isinstance(value, StrEnum) else value
    if "set" in found:
        found["parameters"] = read_parameters(found.pop("set"))
    if "no_test" in found:
        untested, file = found.pop("no_test"), found.pop("test")
        found["test"] = not untested if file is None else file
    if "delimiter" in found:
        found["delimiter"] = {"tab": "\t", "\\t": "\t"}.get(found["delimiter"] or "", found["delimiter"])
        found["thousands"] = {"space": " ", "none": ""}.get(found["thousands"] or "", found["thousands"])
    return found


def typed(*groups: ReadingOptions | ColumnOptions) -> list[str]:
    """How files are read, as it would be typed: the options that differ from their defaults."""
    words: list[str] = []
    for group in groups:
        for option in fields(group):
            value, name = getattr(group, option.name), option.name.replace("_", "-")
            if value == option.default:
                continue
            if isinstance(value, bool):
                words.append(f"--{name}" if value else f"--no-{name}")
            else:
                words += [
                    word
                    for each in (value if isinstance(value, list) else [value])
                    for word in (f"--{name}", str(each))
                ]
    return words


def on_same_rows(
    name: str, files: list[str], target: str | None, reading: ReadingOptions, columns: ColumnOptions, dask: str | None
) -> str:
    """Another command on the same rows, as it would be typed."""
    named = [*(["--target", target] if target else []), *(["--dask", dask] if dask else [])]
    words = [f"novikoff {name}", *map(quote_file, files), command(*named, *typed(reading, columns))]
    return " ".join(words).rstrip()


def with_groups(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with every parameter whose type is a group spread out into the group's options, after its own."""
    hints = get_type_hints(command, include_extras=True)
    plain: list[inspect.Parameter] = []
    spread: list[inspect.Parameter] = []
    groups: dict[str, Any] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        if is_dataclass(hints[name]):
            groups[name] = hints[name]
            of_group = get_type_hints(hints[name], include_extras=True)
            for option in fields(hints[name]):
                spread.append(_keyword(option.name, of_group[option.name], option.default))
        else:
            plain.append(_keyword(name, hints[name], parameter.default))

    @wraps(command)
    def gathered(**given: Any) -> Any:
        for name, group in groups.items():
            given[name] = group(**{option.name: given.pop(option.name) for option in fields(group)})
        return command(**given)

    del gathered.__wrapped__  # or its signature would be seen
    gathered.__signature__ = inspect.Signature([*plain, *spread])  # type: ignore[attr-defined]
    gathered.__annotations__ = {parameter.name: parameter.annotation for parameter in [*plain, *spread]}
    return gathered


def _keyword(name: str, hint: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def read_parameters(texts: list[str] | None) -> dict[str, Any]:
    """Parameters given as ``name=value``."""
    values: dict[str, str] = {}
    for text in texts or []:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"--set {quote(text)}: write it as name=value, e.g. --set eta=0.1")
        values[name.strip()] = value.strip()
    return typed_parameters(values)
