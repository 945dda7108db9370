"""What the page is told of a file: the results of the table functions, as sections and as a document.

One function for each question, of the file, the settings and what else the page says.  Nothing is worked out here that the table
functions do not say.
"""

from __future__ import annotations

import base64
import inspect
import json
import re
import tempfile
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from ...estimators.advice import heard_warnings
from ...estimators.base import needs_all_rows
from ...models.export.exporting import export
from ...models.languages import LANGUAGES
from ...report.result_sections import PYTHON, Advice, sections_of
from ...report.sections import PAGE
from ...rows.store.splits import Split
from ...tables.check_table import check_table
from ...tables.compare_tables import compare_tables
from ...tables.evaluation import Evaluation
from ...tables.fit_table import FitResult, fit_table
from ...tables.fitted_models import slice_of
from ...tables.learner_choices import LearningSettings, choose, make
from ...tables.progress import Watcher
from ...tables.results import as_page, plain
from ...tables.table_parameters import reading_of, source_of
from ...tables.table_rows import TableRows, rows_of
from ...tables.training import AskedTest, evaluate_rows, fit_encoder, is_solved, lenient, plan, train
from .data_settings import LEARNERS, DataSettings, read_settings
from .file_columns import columns_of

# How good a learner is after every pass, on the rows it learns from and on others.

Score = float | None  # R\u00b2 of numbers that are all the same is None
Pair = tuple[Score, Score]  # on training rows, and on others


def held_out_curve(path: str, settings: DataSettings, watcher: Watcher) -> dict[str, Any] | None:
    """Mean scores after 1, 2, ... passes over the parts that a fit is tested on; None if this learner makes no passes.

    A part whose learning ended keeps its last score.
    """
    learning = LearningSettings(settings.typed, settings.passes, settings.seed, settings.standardise)
    learner = make(choose(settings.learner), learning)
    if needs_all_rows(learner) or is_solved(learner):
        return None
    with rows_of(source_of(path, settings.target, settings.reading), settings.task, watcher) as rows:
        splits = _splits(rows, settings.seed)
        found = [
            _scores(rows, make(choose(settings.learner), learning), split, settings, f"{number}/{len(splits)}")
            for number, split in enumerate(splits, 1)
        ]
    if not all(found):
        return None
    passes = max(map(len, found))
    full = [part + part[-1:] * (passes - len(part)) for part in found]
    means = [[_mean([part[k][j] for part in full]) for k in range(passes)] for j in (0, 1)]
    return {
        "passes": list(range(1, passes + 1)),
        "training": means[0],
        "held_out": means[1],
        "metric": "R\u00b2" if settings.task == "numbers" else "accuracy",
        "parts": len(splits),
    }


def _splits(rows: TableRows, seed: int) -> list[Split]:
    """The parts that a fit is tested on by itself."""
    testing = plan(AskedTest(None, None, False), rows.n_rows)
    if testing.parts:
        return rows.cut(testing.parts, seed)
    return [rows.hold_out(testing.share, seed)] if testing.share else []


def _scores(rows: TableRows, learner: Any, split: Split, settings: DataSettings, part: str) -> list[Pair]:
    """Both scores after every pass."""
    encoder = lenient(fit_encoder(rows, split.train, settings.standardise, gaps=True))
    scores: list[Pair] = []

    def after_pass(number: int, learner: Any) -> None:
        both = (evaluate_rows(rows, learner, encoder, members, margins=False) for members in (split.train, split.test))
        training, held_out = (_score(found, settings.task) for found in both)
        scores.append((training, held_out))

    title = f"Learning curve {part}"
    train(rows, learner, encoder, split.train, settings.seed, title=title, after_pass=after_pass)
    return scores


def _score(found: Evaluation, task: str) -> Score:
    return found.misses.r2 if task == "numbers" else found.accuracy


def _mean(scores: list[Score]) -> Score:
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if len(known) == len(scores) else None


# The parameters of a learner as fields of the page: names, defaults, choices and meanings stand in its docstring.

ELSEWHERE = ("max_iter", "random_state")  # passes and seed are settings of every learner
NOT_HERE = ("history", "warm_start", "time_limit")  # of no use for one fit that can be cancelled
ENTRY = re.compile(r"^(\w+) : (.+?)(?:, default=(.+))?$")


def fields_of(learner: str) -> list[dict[str, Any]]:
    """Of each parameter its name, default, choices (none: any number or word) and what it is, in a sentence."""
    choice = choose(learner)
    maker = getattr(import_module(f"novikoff.estimators.{choice.module}"), choice.class_name)
    found: list[dict[str, Any]] = []
    for name, kind, text in _entries(inspect.getdoc(maker) or ""):
        if name in (*ELSEWHERE, *NOT_HERE):
            continue
        default = inspect.signature(maker).parameters[name].default
        found.append({"name": name, "default": str(default), "choices": _choices(kind), "help": _sentence(text)})
    return found


def _entries(documentation: str) -> list[tuple[str, str, str]]:
    """Name, kind and text of each parameter of a docstring (numpydoc)."""
    part = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n-+\n|\Z)", documentation, re.M | re.S)
    found: list[tuple[str, str, str]] = []
    for line in part[1].splitlines() if part else []:
        entry = ENTRY.match(line)
        if entry:
            found.append((entry[1], entry[2], ""))
        elif found:
            name, kind, text = found[-1]
            found[-1] = (name, kind, f"{text} {line.strip()}".strip())
    return found


def _choices(kind: str) -> list[str]:
    """What can be chosen, if nothing else can be given."""
    if kind == "bool":
        return ["True", "False"]
    return re.findall(r'"([^"]+)"', kind) if re.fullmatch(r"\{[^}]*\}", kind) else []


def _sentence(text: str) -> str:
    return re.split(r"(?<=\.)\s", text.replace("``", ""), maxsplit=1)[0]


ON_THE_PAGE = PYTHON._replace(unsaved=Advice("The model can be saved and exported below.", []))
ENDINGS = {"onnx": "onnx", "json": "json", "c": "c", "javascript": "js"}
WEIGHTS = 20  # of each class


class FileQuestion(NamedTuple):
    """What is asked of a file."""

    path: str
    name: str  # of the file, as it is shown
    settings: DataSettings
    more: Any
    watcher: Watcher
    so_far: Callable[[dict[str, Any]], None]  # told a part of the answer, while the rest is worked out


def work(message: dict[str, Any], watcher: Watcher, so_far: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """``{"answer": ...}`` or ``{"error": text}``; the message has ``path`` and ``name`` from the server, not from the page."""
    path, name = message["path"], message["name"]
    try:
        question = FileQuestion(
            path, name, read_settings(message.get("settings", {})), message.get("more"), watcher, so_far
        )
        if message.get("ask") not in ASKS:
            raise ValueError(f"Unknown question: {message.get('ask')!r}.")
        with heard_warnings():  # results hold them
            found = ASKS[message["ask"]](question)
        return {"answer": found}
    except (ValueError, TypeError, ArithmeticError, ImportError, MemoryError, OSError) as error:
        told = "\n".join([str(error) or type(error).__name__, *getattr(error, "__notes__", [])])
        return {"error": told.replace(path, name)}


def _named(value: Any, question: FileQuestion) -> Any:
    """The same with the file's own name in place of where it is kept."""
    if isinstance(value, dict):
        return {key: _named(part, question) for key, part in value.items()}
    if isinstance(value, list):
        return [_named(part, question) for part in value]
    return value.replace(question.path, question.name) if isinstance(value, str) else value


def _document(result: Any, question: FileQuestion) -> dict[str, Any]:
    found: dict[str, Any] = _named(plain({"command": result.command, **result.to_dict()}), question)
    return found


def _shown(result: Any, question: FileQuestion) -> dict[str, Any]:
    """A result as the page takes it."""
    document = _document(result, question)
    sections = [section._asdict() for section in sections_of(document, PAGE, ON_THE_PAGE)]
    for section in sections:
        section["tables"] = [table._asdict() for table in section["tables"]]
    return plain(
        {"document": document, "sections": sections, "calls": question.settings.calls(result.command, question.name)}
    )


def _shown_fit(question: FileQuestion) -> dict[str, Any]:
    """A fit, and its learning curve with the numbers of the passes."""
    found = _shown(_fit(question), question)
    mistakes = found["document"]["history"].get("mistakes")
    curve = {"passes": list(range(1, len(mistakes) + 1)), "mistakes": mistakes} if mistakes else None
    return {**found, "curve": curve}


def _columns(question: FileQuestion) -> dict[str, Any]:
    """The columns of the file, and what can be set of each learner."""
    reading = reading_of(question.settings.file_reading)
    found = _named(columns_of(question.path, question.watcher, reading), question)
    return {**found, "fields": {name: fields_of(name) for name in LEARNERS}}


def _curve(question: FileQuestion) -> dict[str, Any]:
    return {"curve": held_out_curve(question.path, question.settings, question.watcher)}


def _check(question: FileQuestion, **certificate: Any) -> Any:
    settings = question.settings
    return check_table(
        question.path,
        settings.target,
        watcher=question.watcher,
        on_verdict=lambda verdict: question.so_far(_shown(verdict, question)),
        **certificate,
        **settings.reading,
    )


_last: dict[str, FitResult] = {}  # the latest fit, by what it is of: what follows it need not fit again


def _fit(question: FileQuestion) -> FitResult:
    """The fit of these settings."""
    settings, stat = question.settings, Path(question.path).stat()
    key = json.dumps([question.path, stat.st_mtime_ns, stat.st_size, repr(settings)])
    if key not in _last:
        found = fit_table(
            question.path,
            settings.target,
            settings.learner,
            parameters=settings.typed,
            top=WEIGHTS,
            regions=True,
            watcher=question.watcher,
            **settings.reading,
            **settings.learning,
        )
        _last.clear()
        _last[key] = found
    return _last[key]


def _compare(question: FileQuestion) -> Any:
    settings = question.settings
    return compare_tables(
        question.path,
        settings.target,
        task=settings.task,
        folds=settings.folds,
        watcher=question.watcher,
        **settings.reading,
        **settings.learning,
    )


def _slice(question: FileQuestion) -> dict[str, Any]:
    given = question.more
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        raise ValueError("A slice is of two columns by name.")
    found = slice_of(_fit(question), question.path, given, question.watcher, **question.settings.reading)
    if found is None:
        raise ValueError("A slice needs classes, and two columns of numbers by name.")
    return {"regions": plain(found.to_dict())}


def _report(question: FileQuestion) -> dict[str, Any]:
    """The page of a result; ``more`` says of which."""
    made = {"check": _check, "fit": _fit, "compare": _compare}.get(question.more)
    if made is None:
        raise ValueError("A report is of a check, a fit or a comparison.")
    text = as_page(_document(made(question), question))
    return _file(f"{question.more}.html", text.encode("utf-8", "backslashreplace"))


def _save(question: FileQuestion) -> dict[str, Any]:
    result = replace(_fit(question), files=[question.name])
    return _written("model.novikoff", result.save)


def _export(question: FileQuestion) -> dict[str, Any]:
    language = question.more
    if language not in LANGUAGES:
        raise ValueError(f"A model is exported to {', '.join(LANGUAGES)}; got {language!r}.")
    model = _fit(question).model
    return _written(f"model.{ENDINGS[language]}", lambda path: export(model, path, language))


def _written(name: str, write: Callable[[Path], object]) -> dict[str, Any]:
    """A file that is written by a function of its path."""
    with tempfile.TemporaryDirectory(prefix="novikoff-lab-") as folder:
        write(Path(folder) / name)
        return _file(name, (Path(folder) / name).read_bytes())


def _file(name: str, content: bytes) -> dict[str, Any]:
    """A file for the browser to save."""
    return {"name": name, "base64": base64.b64encode(content).decode()}


def _certificate(question: FileQuestion) -> dict[str, Any]:
    """The proof, the rows as numbers, and the checker that needs nothing of this package."""
    with tempfile.TemporaryDirectory(prefix="novikoff-lab-") as folder:
        proof, rows = Path(folder) / "certificate.json", Path(folder) / "rows.csv"
        _check(question, certificate=proof, certificate_rows=rows)
        found = [_file(path.name, path.read_bytes()) for path in (proof, rows) if path.exists()]
    checker = (files("novikoff") / "proof" / "check" / "plain.py").read_bytes()
    return {"files": [*found, _file("plain.py", checker)]}


ASKS: dict[str, Callable[[FileQuestion], dict[str, Any]]] = {
    "columns": _columns,
    "check": lambda question: _shown(_check(question), question),
    "fit": _shown_fit,
    "curve": _curve,
    "compare": lambda question: _shown(_compare(question), question),
    "slice": _slice,
    "report": _report,
    "save": _save,
    "export": _export,
    "certificate": _certificate,
}
