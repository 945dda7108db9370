"""Model files, and the command line on the examples: what it prints, saves and exports."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from safetensors import safe_open
from sklearn.pipeline import make_pipeline

import novikoff

from ..checkouts import HERE
from .cases import Case
from .fit_cases import CLASSIFIERS, REGRESSORS, data, make

EXAMPLES = HERE / "examples"
SPECIES = ("penguins.csv", "--target", "species")
MASS = ("penguins.csv", "--target", "body_mass_g")
FORMATS = ("penguins.tsv.gz", "penguins.jsonl", "penguins.parquet", "penguins.arrow")
LEARNERS = (
    *("perceptron", "adaline", "logistic-neuron", "hinge-sgd", "passive-aggressive-classifier"),
    *("kernel-perceptron", "linear-svm", "kernel-svm"),
    *("adaline-regressor", "passive-aggressive-regressor"),
)
USED = ("perceptron", "logistic-neuron")  # learners whose models go through all later commands
COMMANDS = (
    *(("fit", file, *SPECIES[1:], "--json") for file in FORMATS),
    ("fit", "penguins.svm", "--json"),
    ("fit", *SPECIES),
    ("fit", *SPECIES, "--memory", "200MB", "--json"),
    ("fit", *SPECIES, "--hold-out", "0.25", "--set", "keep=vote", "--json"),
    ("fit", *SPECIES, "--folds", "3", "--set", "class_weight=balanced", "--raw", "--json"),
    ("fit", *SPECIES, "--missing", "drop", "--passes", "50", "--set", "keep=pocket", "--json"),
    ("check", *SPECIES, "--json"),
    ("check", *SPECIES, "--max-margin"),
    ("check", "penguins.csv", "--target", "sex", "--missing", "drop", "--json"),
    ("check", "penguins.csv", "--target", "island", "--json"),
    ("compare", *SPECIES, "--json"),
    ("compare", *MASS, "--numbers", "--json"),
    ("fit", "penguins.csv", "--target", "no such column"),
    *((command, "--help") for command in ("fit", "check", "compare", "predict", "score", "weights", "export")),
)
LATER = (  # with a model that was saved
    ("predict", "MODEL", "penguins.csv", "--keep", "year", "--scores"),
    ("score", "MODEL", "penguins.csv", "--json"),
    ("weights", "MODEL", "--json"),
    *(("export", "MODEL", "--to", to, "-o", "OUTPUT") for to in ("json", "c", "javascript", "onnx")),
)


def cases() -> Iterator[Case]:
    for command in COMMANDS:
        yield Case("command line", " ".join(command), partial(run, command))
    for learner in LEARNERS:
        yield Case("command line", f"models of {learner}", partial(save_and_use, learner))
    for name in (*CLASSIFIERS, *REGRESSORS, "KernelPerceptron"):
        n_classes = 0 if name in REGRESSORS else 3
        for keep in (
            {**CLASSIFIERS, **REGRESSORS}[name].keep if name != "KernelPerceptron" else ("last", "average", "vote")
        ):
            yield Case("model files", f"{name} {keep}", partial(saved, make(name, keep=keep), n_classes))
    for name in ("LinearSVM", "KernelSVM"):
        yield Case("model files", name, partial(saved, getattr(novikoff, name)(), 3))
    yield Case("model files", "RadialBasis", partial(saved, novikoff.RadialBasis(5, random_state=0), 3))


def run(command: tuple[str, ...]) -> dict[str, Any]:
    """Exit status and both outputs; JSON taken apart, times and versions apart."""
    done = subprocess.run([sys.executable, "-m", "novikoff", *command], cwd=EXAMPLES, capture_output=True, text=True)
    out: Any = without_times(done.stdout)
    if "--json" in command and done.stdout:
        out = json.loads(done.stdout)
        out.pop("version", None)
    return {"status": done.returncode, "out": out, "err": without_times(done.stderr)}


def without_times(text: str) -> str:
    """The text without its seconds, and without the line breaks that depend on their length."""
    text = re.sub(r"Compiled for this machine \(once\): [^.]*\.[^.]*\.", "", text)
    return " ".join(re.sub(r"[0-9.,e-]+\s+seconds", "... seconds", text).split())


def save_and_use(learner: str) -> dict[str, Any]:
    """A model of the command line: the file, and what later commands make of it."""
    with tempfile.TemporaryDirectory() as folder:
        model, output = Path(folder) / "model", Path(folder) / "output"
        rows = MASS if learner.endswith("regressor") else SPECIES
        found: dict[str, Any] = {"fit": run(("fit", *rows, "--learner", learner, "--json", "-o", str(model)))}
        found = without_folder(found, folder) | {"model": content(model)}
        for command in LATER if learner in USED else ():
            words = tuple({"MODEL": str(model), "OUTPUT": str(output)}.get(word, word) for word in command)
            found[" ".join(command)] = without_folder(run(words), folder)
            if output.exists():
                found[" ".join(command)]["written"] = output.read_bytes()
                output.unlink()
        return found


def without_folder(found: Any, folder: str) -> Any:
    if isinstance(found, dict):
        return {name: without_folder(part, folder) for name, part in found.items()}
    if isinstance(found, list):
        return [without_folder(part, folder) for part in found]
    return found.replace(folder, "FOLDER") if isinstance(found, str) else found


def saved(estimator: Any, n_classes: int) -> dict[str, Any]:
    """A fitted model's file, and whether it comes back."""
    X, y = data("floats", "dense64", n_classes)
    model = make_pipeline(estimator).fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        novikoff.save(model, path)
        again = novikoff.load(path)
        return {"file": content(path), "again": again[-1]}


def content(path: Path) -> dict[str, Any]:
    """What a model file says, and its arrays; not its version, its checksum and its times."""
    with safe_open(str(path), framework="numpy") as file:
        head = json.loads(file.metadata()["novikoff"])
        arrays = {name: file.get_tensor(name) for name in file.keys() if not name.endswith("seconds")}  # noqa: SIM118
    head.pop("library")
    return {"head": head, "arrays": arrays}
