"""The commands, their options and help texts.  What they do is imported when they run."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ..shell import clean
from .choices import CHOICES
from .errors import guarded, tell
from .interrupts import INTERRUPTED, begin_work
from .options import (
    LEARNING,
    OUTPUT,
    READING,
    TESTING,
    AsJson,
    ColumnOptions,
    Files,
    LearningOptions,
    ModelFile,
    ReadingOptions,
    TestOptions,
    Unseen,
    with_groups,
)
from .startup import start_sooner
from .streams import open_streams, printing

LEARNER_NAMES = "; ".join(
    f"{what}: {', '.join(choice.name for choice in CHOICES if choice.task == task)}"
    for what, task in (("labels", "classes"), ("numbers", "numbers"))
)
UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # typer's own, or that of click, which older ones have
SEPARABLE = {True: 0, False: 1, None: 3}  # exit statuses of ``check``


class Commands(TyperGroup):
    """The commands; what is wrong with an option is said with nothing in it that could steer a terminal."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        with _cleaned():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        with _cleaned():
            return super().invoke(ctx)


@contextmanager
def _cleaned() -> Iterator[None]:
    try:
        yield
    except UsageError as error:
        error.message = clean(error.message)  # type: ignore[attr-defined]
        raise


app = typer.Typer(
    name="novikoff",
    cls=Commands,
    help="Linear classification with proof: train, test and export linear classifiers from data files, and prove whether "
    "classes are linearly separable.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Target = Annotated[
    str | None,
    typer.Option("--target", "-t", help="The column to predict; LIBSVM files have their own.", rich_help_panel=READING),
]
Top = Annotated[
    int, typer.Option("--top", min=1, help="How many weights to show of each class.", rich_help_panel=OUTPUT)
]


class Language(StrEnum):
    """What a model can be exported to."""

    ONNX = "onnx"
    JSON = "json"
    C = "c"
    JAVASCRIPT = "javascript"


def _show(result: dict[str, Any], as_json: bool, shown: int = 0) -> None:
    with printing():
        if as_json:
            from .plain import dumps

            print(dumps(result, sys.stdout.encoding))
        else:
            from .words import show

            show(result, shown=shown)


def _version(asked: bool) -> None:
    if asked:
        from .. import __version__

        print(f"novikoff {__version__}")
        raise typer.Exit


@app.callback()
def novikoff(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Linear classification with proof."""


@app.command()
@with_groups
@guarded
def fit(
    files: Files,
    reading: ReadingOptions,
    columns: ColumnOptions,
    learning: LearningOptions,
    testing: TestOptions,
    target: Target = None,
    learner: Annotated[
        str, typer.Option("--learner", help=f"Which learner: {LEARNER_NAMES}.", rich_help_panel=LEARNING)
    ] = "perceptron",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to save the model.", rich_help_panel=OUTPUT)
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", help="A folder for a page with pictures.", rich_help_panel=OUTPUT)
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option("--checkpoint", help="Save after every pass, and go on from there.", rich_help_panel=LEARNING),
    ] = None,
    top: Top = 5,
    as_json: AsJson = False,
) -> None:
    """Learn to predict a column from the others, and say how well that works.

    Numbers are standardised, categories one-hot encoded, missing values filled in. Ids of rows and empty columns are left out,
    and rows without a label. The default learner is the averaged perceptron. Files may be larger than memory.

    Example: novikoff fit examples/penguins.csv --target species -o penguins.novikoff
    """
    from . import fitting

    request = fitting.Request(
        files, target, learner, top, output, report, checkpoint, reading, columns, learning, testing, sys.argv[1:]
    )
    result = fitting.fit(request)
    _show(result, as_json)
    if result.get("resume"):
        raise typer.Exit(INTERRUPTED)


@app.command()
@with_groups
@guarded
def check(
    files: Files,
    reading: ReadingOptions,
    columns: ColumnOptions,
    target: Target = None,
    max_margin: Annotated[bool, typer.Option("--max-margin", help="Also find the largest margin.")] = False,
    directions: Annotated[
        bool,
        typer.Option(
            "--directions/--no-directions",
            help="Whether to find out which coefficients of a logistic regression have no finite estimate.",
        ),
    ] = True,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit", min=0.0, help="Seconds after which the rest is undecided: the verdict, rows, coefficients."
        ),
    ] = None,
    memory: Annotated[
        str | None, typer.Option("--memory", help="Bound of the memory used, e.g. 1GB; more rows wait on disk.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Prove whether the classes are linearly separable, and name the rows and features that prove it.

    The verdict is printed as soon as it is proved; which rows are in the way, and what becomes of the coefficients of a
    logistic regression, may take longer. With --json everything is printed at the end.

    Exit status: 0 separable, 1 not separable, 2 error, 3 undecided.

    Example: novikoff check examples/penguins.csv --target species
    """
    from . import checking

    shown = 0

    def tell(verdict: dict[str, Any]) -> None:
        nonlocal shown
        if not as_json:
            from .words import show

            with printing():
                shown = show(verdict)

    result = checking.check(files, target, reading, columns, max_margin, directions, time_limit, memory, tell)
    _show(result, as_json, shown)
    raise typer.Exit(SEPARABLE[result["separable"]])


@app.command()
@with_groups
@guarded
def predict(
    model: ModelFile,
    files: Files,
    reading: ReadingOptions,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A CSV file; default: standard output.", rich_help_panel=OUTPUT),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", help="A column of the file to print first, such as a row's id.", rich_help_panel=OUTPUT),
    ] = None,
    scores: Annotated[
        bool, typer.Option("--scores", help="Also print the score of every class.", rich_help_panel=OUTPUT)
    ] = False,
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities",
            help="Also print the probability of every class (logistic-neuron).",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    unseen: Annotated[
        Unseen,
        typer.Option(
            "--unseen",
            help="What training did not have (a level, or a missing value where none was): error, or zeros: it says nothing.",
        ),
    ] = Unseen.ERROR,
) -> None:
    """Predict the label of every row, as CSV.

    A missing number becomes the median of training, a missing category is a level of its own. Where training lacked no value,
    and of levels that it did not have, --unseen says what becomes of the row.

    Example: novikoff predict penguins.novikoff examples/penguins.csv --keep year
    """
    from . import predicting

    wanted = predicting.Wanted(keep or [], scores, probabilities)
    predicting.predict(model, files, reading, output, wanted, unseen.value)


@app.command()
@with_groups
@guarded
def score(
    model: ModelFile,
    files: Files,
    reading: ReadingOptions,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="The true labels; default: as in training.")
    ] = None,
    unseen: Annotated[
        Unseen,
        typer.Option(
            "--unseen",
            help="What training did not have (a level, or a missing value where none was): error, or zeros: it says nothing.",
        ),
    ] = Unseen.ERROR,
    as_json: AsJson = False,
) -> None:
    """Test a model on files whose labels are known. Files may be larger than memory.

    Example: novikoff score penguins.novikoff examples/penguins.csv
    """
    from . import scoring

    _show(scoring.score(model, files, reading, target, unseen.value), as_json)


@app.command()
@with_groups
@guarded
def compare(
    files: Files,
    reading: ReadingOptions,
    columns: ColumnOptions,
    learning: LearningOptions,
    target: Target = None,
    learner: Annotated[
        list[str] | None,
        typer.Option(
            "--learner", help=f"Only these; default: all that suit. {LEARNER_NAMES}.", rich_help_panel=LEARNING
        ),
    ] = None,
    numbers: Annotated[
        bool, typer.Option("--numbers", help="The target is a number, not a label.", rich_help_panel=LEARNING)
    ] = False,
    folds: Annotated[
        int,
        typer.Option(
            "--folds",
            min=2,
            help="Parts of the cross-validation, each with its share of every class.",
            rich_help_panel=TESTING,
        ),
    ] = 5,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw the comparison to this file.", rich_help_panel=OUTPUT)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Cross-validate all learners on the same rows, with times.

    Example: novikoff compare examples/penguins.csv --target species --plot penguins.png
    """
    from . import comparing

    task = "numbers" if numbers else "classes"
    _show(comparing.compare(files, target, task, learner, folds, plot, reading, columns, learning), as_json)


@app.command()
@guarded
def weights(model: ModelFile, top: Top = 20, as_json: AsJson = False) -> None:
    """Show the strongest weights of a model, by feature.

    Example: novikoff weights penguins.novikoff --top 10
    """
    from . import weights as showing

    _show(showing.weights(model, top), as_json)


@app.command()
@guarded
def export(
    model: ModelFile,
    to: Annotated[Language, typer.Option("--to", help="onnx, json, c or javascript.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write it.", show_default=False)],
) -> None:
    """Write a model as a program or document that takes raw rows and predicts the same labels.

    Example: novikoff export penguins.novikoff --to c -o penguins.c
    """
    from ..models import export as exporting
    from ..models.atomic import keep_apart
    from ..models.files import load

    begin_work()
    keep_apart(output, [model])
    exporting.export(load(model), output, to.value)
    tell(f"{output}: written.")


def _terminated(number: int, frame: Any) -> None:
    sys.exit(128 + number)  # as an exception, so that temporary files go


def main() -> None:
    """The program."""
    open_streams()
    start_sooner()
    signal.signal(signal.SIGTERM, _terminated)
    app()
