"""``warm_up``: what fits would compile when they are first made, compiled before."""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from ..compiled.jit import JIT_OFF, compiling
from .check_table import check_table
from .fit_table import fit_table
from .learner_choices import CHOICES, Choice, LearningSettings, choose, make
from .progress import NO_PROGRESS, Watcher

ROWS, COLUMNS, PASSES = 60, 4, 3
MORE: dict[str, list[dict[str, Any]]] = {"LinearSVM": [{"loss": "hinge"}, {"multiclass": "crammer_singer"}]}


@dataclass(frozen=True, kw_only=True)
class WarmUp:
    """What was compiled."""

    kernels: int  # compiled now
    kept: int  # all that the folder holds
    folder: str
    seconds: float

    def __str__(self) -> str:
        return f"Compiled {self.kernels} kernels in {self.seconds:.0f} s. {self.folder} holds {self.kept}."


def warm_up(learners: str | Sequence[str] | None = None, *, watcher: Watcher | None = None) -> WarmUp:
    """Compile what fits need, so that no later process compiles it: for images, and for rooms of computers.

    It fits every learner to a few made rows, dense and sparse, of two classes, three classes and numbers, with default parameters, and
    reads and checks a small file.  Other choices (float32 rows, say) are compiled when they are first used.  Compiled code belongs to
    this user and this kind of processor: warm up as the user who will fit.

    ``novikoff warm-up`` does the same in a shell.

    Parameters
    ----------
    learners : str or list of str, default=None
        Only for these learners, such as "perceptron" or "LinearSVM"; None: for all.
    watcher : Watcher, default=None
        Who is told of progress.

    Returns
    -------
    WarmUp
        ``kernels``: how many were compiled now; ``kept``: how many the ``folder`` holds; ``seconds``: how long it took.

    Raises
    ------
    OSError
        If compiled code cannot be kept.

    Examples
    --------
    >>> from novikoff import warm_up
    >>> warm_up("perceptron")  # doctest: +SKIP
    WarmUp(kernels=9, kept=9, folder='/home/ada/.cache/novikoff', seconds=24.5)
    """
    if JIT_OFF:
        raise ValueError("NUMBA_DISABLE_JIT is set, so nothing is compiled: unset it.")
    from ..compiled.kernel_cache import cache_folder  # Numba, which takes long to import

    names = [learners] if isinstance(learners, str) else learners
    work = list(_work(CHOICES if names is None else [choose(name) for name in names]))
    folder, began = cache_folder(), time.perf_counter()
    before = _kept_in(folder)
    told = (watcher or NO_PROGRESS).progress("Compiling", float(len(work)), "fits")
    with compiling(), warnings.catch_warnings(), told as advance:
        warnings.simplefilter("ignore")  # passes are few
        for piece in work:
            piece()
            advance(1.0)
    kept = _kept_in(folder)
    if not kept:
        raise OSError(
            f"Compiled code cannot be kept in {folder}. Set the environment variable NUMBA_CACHE_DIR to a folder of "
            "your own."
        )
    seconds = time.perf_counter() - began
    return WarmUp(kernels=len(kept - before), kept=len(kept), folder=str(folder), seconds=seconds)


def _kept_in(folder: Path) -> set[str]:
    """The kernels there."""
    return {path.name for path in folder.glob("*.bin")} if folder.is_absolute() else set()


def _work(choices: Sequence[Choice]) -> Iterator[Callable[[], object]]:
    """All that is to be done."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, COLUMNS))
    numbers = X @ rng.standard_normal(COLUMNS) + rng.standard_normal(ROWS)
    classes = [np.digitize(numbers, cuts) for cuts in ([0.0], [-0.5, 0.5])]
    for choice in choices:
        for y in classes if choice.task == "classes" else [numbers]:
            for rows in (X, sparse.csr_array(X)):
                for more in [{}, *MORE.get(choice.class_name, [])]:
                    yield partial(_fit, choice, more, rows, y)
    yield partial(_read, X, classes[1])


def _fit(choice: Choice, more: dict[str, Any], X: Any, y: np.ndarray) -> None:
    """Fit this learner and predict, and take a step of it if it takes steps."""
    learner = make(choice, LearningSettings(more))
    learner.fit(X, y).predict(X)
    if hasattr(learner, "partial_fit"):
        stepping = {"solver": "steps"} if "solver" in learner.get_params() else {}
        stepped = make(choice, LearningSettings(more | stepping, PASSES))
        stepped.fit(X, y)
        stepped.partial_fit(X, y)


def _read(X: np.ndarray, y: np.ndarray) -> None:
    """Read a file, fit its rows, and check whether its classes are separable."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        lines = [",".join([*(f"{x:.3f}" for x in row), "abc"[k]]) for row, k in zip(X, y, strict=True)]
        path.write_text("\n".join(["p,q,r,s,class", *lines]), encoding="utf8")
        fit_table(str(path), "class")
        check_table(str(path), "class")
