"""Parameters that the table functions share: where rows come from, how they are read, and what docstrings say of it."""

from __future__ import annotations

import difflib
import inspect
import os
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypedDict, TypeVar, get_type_hints

from ..rows.readers.formats import FORMATS
from ..rows.readers.reading_options import Reading
from ..system.files import files_named
from .table_rows import TableSource

Names = str | int | Iterable[str | int] | None
MISSING = ("impute", "drop", "error")
UNSEEN = ("zeros", "error")
DEFAULTS: dict[str, Any] = {
    "format": None,
    "delimiter": None,
    "header": None,
    "encoding": "utf-8",
    "skip_rows": 0,
    "na": None,
    "decimal": None,
    "thousands": None,
    "zero_based": False,
    "n_features": None,
    "categorical": None,
    "numeric": None,
    "text": None,
    "ignore": None,
    "use": None,
    "dates": "leave-out",
    "missing": "impute",
}
LISTS = ("na", "categorical", "numeric", "text", "ignore", "use")
PARAMETERS = {
    "source": (
        "path, data frame, Arrow table, Dask frame, or list of them",
        "The rows.  A file (``format`` lists the kinds), a pattern such as 'data/*.csv', a sheet, table or query inside a file "
        "('book.xlsx::Sheet2', 'shop.db::orders', 'shop.db::SELECT ...', 'all.zip::one.csv'), a pandas or polars "
        "DataFrame, an Arrow table, or several of them with the same columns.  A frame goes through the same rules as a file.  The "
        "partitions of a Dask frame are processed where they are; so are those of files if ``dask`` is given.",
    ),
    "model": (
        "path, result of fit_table, or fitted model",
        "The model: its file, the result of the fit, or the model itself.",
    ),
    "target": (
        "str",
        "The column to predict, by name or by number from 1; LIBSVM files have their own.  Labels are texts, also those that look like numbers.",
    ),
    "score_table.target": ("str", "The column of the true labels; None: the target of training."),
    "learner": (
        "str or estimator",
        "The learner: a name such as 'perceptron', 'logistic-neuron' or 'linear-svm', or one of our estimators, not fitted, "
        "such as ``Perceptron(eta=0.1)``, which is left as it is.",
    ),
    "learners": (
        "list of str or estimators",
        "Which learners to compare, by name or as estimators that are not fitted; None: all that suit the target.",
    ),
    "task": ("{'classes', 'numbers'}", "Whether the target is a label or a number."),
    "parameters": ("dict", "Parameters of the learner by name, such as ``{'eta': 0.1}``."),
    "passes": (
        "int",
        "The limit of passes over the rows, or of a solver's iterations: ``max_iter`` of the learner.  None: 10 passes "
        "(1000 iterations), or ``max_iter`` if the learner is an estimator.",
    ),
    "standardise": (
        "bool",
        "Whether columns of numbers are scaled to mean 0 and standard deviation 1 first.  LIBSVM files are never scaled.",
    ),
    "seed": ("int", "Decides every random choice; an estimator that has a ``random_state`` keeps it."),
    "folds": ("int", "The number of parts for cross-validation; each part has its share of every class."),
    "hold_out": ("float", "Test on this share of the rows, and learn from the others."),
    "test": (
        "bool, path or data frame",
        "Whether to test at all; or a file or data frame with rows to test on, from which nothing is learned.  With neither ``folds`` nor "
        "``hold_out``, up to 20,000 rows are cross-validated with 5 parts; of more rows, a tenth is held out.",
    ),
    "output": ("path", "Where to save the model; None: nowhere."),
    "checkpoint": (
        "path",
        "A file that is written after every pass; the same call goes on from there after an interruption.",
    ),
    "top": ("int", "How many of the strongest weights are listed for each class."),
    "regions": (
        "bool or two names",
        "Whether to work out the answers in the plane of the two strongest columns of numbers, for the picture of ``to_html()``; "
        "two columns by name: in the plane of those.",
    ),
    "interrupted": (
        "{'raise', 'return'}",
        "What becomes of Ctrl-C while learning: ``KeyboardInterrupt`` as usual, or a result without a model whose ``resume`` "
        "names a file from which learning can go on.",
    ),
    "max_margin": ("bool", "Whether to find the largest margin, too."),
    "directions": ("bool", "Whether to find out which coefficients of a logistic regression have no finite estimate."),
    "time_limit": (
        "float",
        "Seconds after which the search ends; what is not proved by then is undecided.  None: no limit.",
    ),
    "certificate": (
        "path",
        "Where to save the proof, a JSON file that anyone can check (docs/trust.md); None: nowhere.",
    ),
    "certificate_rows": (
        "path",
        "Where to save the rows that the proof is about, as a CSV file of numbers; None: nowhere.",
    ),
    "on_verdict": (
        "function",
        "Called with the verdict as soon as it is proved; the rest of the result may take longer.",
    ),
    "unseen": (
        "{'zeros', 'error'}",
        "What to do with values that training did not have (a level, or a missing value in a column that had none): 'zeros': they "
        "have no effect, and are counted; 'error': stop.",
    ),
    "positive": ("str", "Of two classes, the positive one; None: the second."),
    "threshold": (
        "float",
        "Of two classes: also give the confusion if rows count as positive whose probability of the positive class (or score, if the "
        "learner has no probabilities) is at least this.",
    ),
    "keep": (
        "str or list of str",
        "Columns of the source to put beside the answers, such as the id of a row; 'all': every column.",
    ),
    "scores": ("bool", "Whether to give the score of every class, too."),
    "probabilities": (
        "bool",
        "Whether to give the probability of every class, too; only LogisticNeuron and AdaGradClassifier have them.",
    ),
    "memory": (
        "str",
        "The most memory to use, such as '1GB'; rows that do not fit wait on disk.  None: half of what is free.",
    ),
    "dask": (
        "str or distributed.Client",
        "Where to work on rows in partitions, which are never brought together: 'local:4' (four worker processes on this "
        "machine), the address of a scheduler, such as 'tcp://10.0.0.1:8786', or its client.  None: here; for Dask frames, with the "
        "client in use.",
    ),
    "predict_table.output": (
        "path",
        "A new folder that all workers can reach: every partition writes its answers there, as a CSV file, and keeps none in "
        "memory.  Only for rows in partitions.",
    ),
    "watcher": ("Watcher", "Shows the progress of long work; None: no progress is shown."),
    "format": (
        "str",
        f"One of {', '.join(map(repr, FORMATS))}; None: found by the file's first bytes and its name.",
    ),
    "delimiter": ("str", "What stands between fields; None: a comma, semicolon, tab or |, whichever fits."),
    "header": ("bool", "Whether the first line names the columns; None: decided by the first lines."),
    "encoding": ("str", "How text is stored, such as 'latin-1'."),
    "skip_rows": ("int", "How many lines stand above the table: titles, remarks."),
    "na": (
        "str or list of str",
        "Texts or numbers that mean that a value is missing, in addition to the usual ones (empty, NA, ...).",
    ),
    "decimal": ("str", "The decimal point, '.' or ','; None: as in most cells of a column."),
    "thousands": (
        "str",
        "What stands between thousands: ',', '.', \"'\", ' ' or '' (nothing); None: as in most cells of a column.",
    ),
    "zero_based": ("bool", "Whether the indices of LIBSVM files count from 0, not from 1."),
    "n_features": ("int", "How many features LIBSVM files have; None: the largest index."),
    "categorical": (
        "str or list of str",
        "Columns of categories, though they look like numbers; by name, or by number from 1.",
    ),
    "numeric": ("str or list of str", "Columns of numbers, though they are texts."),
    "text": (
        "str or list of str",
        "Columns of texts, read by their words and pairs of words (tf-idf).  If most cells of a column are different and have several "
        "words, it is a text unless ``categorical`` names it.",
    ),
    "ignore": ("str or list of str", "Columns to leave out."),
    "use": ("str or list of str", "Columns to learn from, though they look like an id of rows."),
    "dates": (
        "str",
        "'leave-out': columns of dates are left out; 'categories': every date is a category; 'parts': year, month, day, weekday and "
        "hour are numbers; 'day-first' and 'month-first': parts of dates such as 3/4/2020.",
    ),
    "missing": (
        "{'impute', 'drop', 'error'}",
        "Missing values: 'impute': numbers become the median, and in categories missing is one more level; 'drop': the row is left "
        "out; 'error': stop.  Rows without a label are always left out.",
    ),
}
F = TypeVar("F", bound=Callable[..., Any])


class FileKeywords(TypedDict, total=False):
    """How files are read."""

    format: str | None
    delimiter: str | None
    header: bool | None
    encoding: str
    skip_rows: int
    na: Names
    decimal: str | None
    thousands: str | None
    zero_based: bool
    n_features: int | None


class TableKeywords(FileKeywords, total=False):
    """How files are read, and which columns are learned from, as what."""

    categorical: Names
    numeric: Names
    text: Names
    ignore: Names
    use: Names
    dates: str
    missing: str


def files_of(source: Any) -> list[Any]:
    """A path, a pattern of paths, a frame, or several of them, as a list of paths that are there and of frames."""
    given = source if isinstance(source, list | tuple) else [source]
    if not given:
        raise ValueError("There is nothing to read: name a file, or give a data frame.")
    found: list[Any] = []
    for each in given:
        found += files_named(each) if isinstance(each, str | os.PathLike) else [each]
    return found


def paths_among(files: Iterable[Any]) -> list[str]:
    """The files of a source, without its frames."""
    return [each for each in files if isinstance(each, str)]


def reading_of(keywords: Mapping[str, Any], known: type = TableKeywords) -> Reading:
    """The readers' own form of keyword arguments, which must be among those ``known``."""
    names = list(get_type_hints(known))
    if unknown := sorted(set(keywords) - set(names)):
        close = difflib.get_close_matches(unknown[0], names, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise TypeError(f"There is no keyword argument {unknown[0]!r}.{hint}")
    given = {**DEFAULTS, **keywords}
    told: dict[str, Any] = {name: as_names(value) if name in LISTS else value for name, value in given.items()}
    missing = told.pop("missing")
    check_choice("missing", missing, MISSING)
    return Reading(**told, drop_missing=missing == "drop")


def source_of(
    source: Any,
    target: Any,
    keywords: Mapping[str, Any],
    memory: str | None = None,
    dask: Any = None,
    known: type = TableKeywords,
) -> TableSource:
    """What is to be read, how, and where rows are to stay; keywords are among those ``known``."""
    reading = reading_of(keywords, known)
    complete = keywords.get("missing") == "error"
    return TableSource(files_of(source), None if target is None else str(target), reading, complete, memory, dask)


def as_names(given: Names) -> tuple[str, ...]:
    """One name or several, as texts."""
    if given is None:
        return ()
    return (str(given),) if isinstance(given, str | int | float) else tuple(map(str, given))


def check_choice(name: str, value: Any, choices: Iterable[str]) -> None:
    """Refuse a word that is none of the choices."""
    if value not in choices:
        raise ValueError(f"{name} is one of {', '.join(map(repr, choices))}; got {value!r}.")


def check_least(name: str, value: Any, least: int) -> None:
    """Refuse a number that is too small; None stands for a default."""
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < least):
        raise ValueError(f"{name} is a whole number, at least {least}; got {value!r}.")


def documented(keywords: type) -> Callable[[F], F]:
    """A decorator: the function shows the ``keywords``, which it takes as one, one by one, and its docstring explains all."""

    def fill(function: F) -> F:
        own = inspect.signature(function)
        *named, _ = own.parameters.values()
        hints = get_type_hints(keywords)
        spread = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=DEFAULTS[name], annotation=hint)
            for name, hint in hints.items()
        ]
        function.__signature__ = own.replace(parameters=[*named, *spread])  # type: ignore[attr-defined]
        entries = [line for each in (*named, *spread) for line in _entry(function.__name__, each)]
        lines = (inspect.getdoc(function) or "").splitlines()
        place = lines.index("{parameters}")
        function.__doc__ = "\n".join([*lines[:place], *entries, *lines[place + 1 :]]) + "\n"
        return function

    return fill


def _entry(function: str, parameter: inspect.Parameter) -> list[str]:
    """The lines on a parameter: what is said of it in this function alone, else everywhere."""
    kind, text = PARAMETERS.get(f"{function}.{parameter.name}") or PARAMETERS[parameter.name]
    default = "" if parameter.default is parameter.empty else f", default={parameter.default!r}"
    return [f"{parameter.name} : {kind}{default}", *(f"    {line}" for line in textwrap.wrap(text, 112))]
