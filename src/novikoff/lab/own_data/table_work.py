"""What the page is told of a file: the results of the table functions, as sections and as a document.

One function for each question, of the file, the settings and what else the page says.  Nothing is worked out here that the table
functions do not say.
"""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from ...estimators.advice import heard_remarks
from ...inputs.sections import PAGE
from ...models.export.exporting import export
from ...models.languages import LANGUAGES
from ...workflow.documents import plain
from ...workflow.tables.check_table import check_table
from ...workflow.tables.compare_tables import compare_tables
from ...workflow.tables.fit_table import FitResult, fit_table
from ...workflow.tables.model_slice import slice_of
from ...workflow.tables.table_sources import reading_of
from ...workflow.views.all_sections import sections_of
from ...workflow.views.html_page import page
from ...workflow.views.wording import PYTHON, Advice
from ...workflow.watching import Watcher
from .data_settings import LEARNERS, DataSettings, read_settings
from .file_columns import columns_of
from .held_out_curve import held_out_curve
from .learner_fields import fields_of

ON_THE_PAGE = PYTHON._replace(unsaved=Advice("The model can be saved and exported below.", []))
ENDINGS = {"onnx": "onnx", "json": "json", "c": "c", "javascript": "js"}
WEIGHTS = 20  # of each class


class Question(NamedTuple):
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
        question = Question(
            path, name, read_settings(message.get("settings", {})), message.get("more"), watcher, so_far
        )
        if message.get("ask") not in ASKS:
            raise ValueError(f"Nobody can answer {message.get('ask')!r}.")
        with heard_remarks():  # results hold them
            found = ASKS[message["ask"]](question)
        return {"answer": found}
    except (ValueError, TypeError, ArithmeticError, ImportError, MemoryError, OSError) as error:
        told = "\n".join([str(error) or type(error).__name__, *getattr(error, "__notes__", [])])
        return {"error": told.replace(path, name)}


def _named(value: Any, question: Question) -> Any:
    """The same with the file's own name in place of where it is kept."""
    if isinstance(value, dict):
        return {key: _named(part, question) for key, part in value.items()}
    if isinstance(value, list):
        return [_named(part, question) for part in value]
    return value.replace(question.path, question.name) if isinstance(value, str) else value


def _document(result: Any, question: Question) -> dict[str, Any]:
    found: dict[str, Any] = _named(plain({"command": result.command, **result.to_dict()}), question)
    return found


def _shown(result: Any, question: Question) -> dict[str, Any]:
    """A result as the page takes it."""
    document = _document(result, question)
    sections = [section._asdict() for section in sections_of(document, PAGE, ON_THE_PAGE)]
    for section in sections:
        section["tables"] = [table._asdict() for table in section["tables"]]
    return plain(
        {"document": document, "sections": sections, "calls": question.settings.calls(result.command, question.name)}
    )


def _shown_fit(question: Question) -> dict[str, Any]:
    """A fit, and its learning curve with the numbers of the passes."""
    found = _shown(_fit(question), question)
    mistakes = found["document"]["history"].get("mistakes")
    curve = {"passes": list(range(1, len(mistakes) + 1)), "mistakes": mistakes} if mistakes else None
    return {**found, "curve": curve}


def _columns(question: Question) -> dict[str, Any]:
    """The columns of the file, and what can be set of each learner."""
    reading = reading_of(question.settings.file_reading)
    found = _named(columns_of(question.path, question.watcher, reading), question)
    return {**found, "fields": {name: fields_of(name) for name in LEARNERS}}


def _curve(question: Question) -> dict[str, Any]:
    return {"curve": held_out_curve(question.path, question.settings, question.watcher)}


def _check(question: Question, **certificate: Any) -> Any:
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


def _fit(question: Question) -> FitResult:
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


def _compare(question: Question) -> Any:
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


def _slice(question: Question) -> dict[str, Any]:
    given = question.more
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        raise ValueError("A slice is of two columns by name.")
    found = slice_of(_fit(question), question.path, given, question.watcher, **question.settings.reading)
    if found is None:
        raise ValueError("A slice needs classes, and two columns of numbers by name.")
    return {"regions": plain(found.to_dict())}


def _report(question: Question) -> dict[str, Any]:
    """The page of a result; ``more`` says of which."""
    made = {"check": _check, "fit": _fit, "compare": _compare}.get(question.more)
    if made is None:
        raise ValueError("A report is of a check, a fit or a comparison.")
    text = page(_document(made(question), question), sections_of)
    return _file(f"{question.more}.html", text.encode("utf-8", "backslashreplace"))


def _save(question: Question) -> dict[str, Any]:
    result = replace(_fit(question), files=[question.name])
    return _written("model.novikoff", result.save)


def _export(question: Question) -> dict[str, Any]:
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


def _certificate(question: Question) -> dict[str, Any]:
    """The proof, the rows as numbers, and the checker that needs nothing of this package."""
    with tempfile.TemporaryDirectory(prefix="novikoff-lab-") as folder:
        proof, rows = Path(folder) / "certificate.json", Path(folder) / "rows.csv"
        _check(question, certificate=proof, certificate_rows=rows)
        found = [_file(path.name, path.read_bytes()) for path in (proof, rows) if path.exists()]
    checker = (files("novikoff") / "proof" / "check" / "plain.py").read_bytes()
    return {"files": [*found, _file("plain.py", checker)]}


ASKS: dict[str, Callable[[Question], dict[str, Any]]] = {
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
