"""Learners that are solved, beside their strongest peers: ``python -m benchmarks.solvers --data FOLDER``, or ``python -m benchmarks --only solvers``.

A cell is a set of rows, a learner and a peer, defaults on both sides.  Each runs in a separate process, which a peer may crash.  There,
ours and theirs take turns; the ratio is their time over ours, its median and its lower quartile over the runs.  Time is that of the
processor, with two threads that of the clock.  Two further fits, which are not timed, come first: they compile and load.

A peer *counts* in a cell where it has solved the same problem: the shared objective, evaluated here in float64 at its weights, is at most
0.1 % above ours; a peer with another objective (LinearSVC penalises the bias, snapml has none, and another loss) counts where its
accuracy on other rows is at most half a point below ours.
"""

from __future__ import annotations

import argparse
import gc
import json
import lzma
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import logsumexp
from sklearn import datasets
from threadpoolctl import threadpool_limits

from .measure import Benchmark, Result, Settings, at_least, say, show_time
from .table import markdown

LONG = 20.0  # seconds of a fit that is timed once only
MOST_OF_A_CELL = 180.0  # seconds of all its runs, about
SHORT = 1.0  # seconds that the runs of a quick fit are to take together: they are more than asked for
MOST_RUNS = 51
PATIENCE = 2400.0  # seconds after which a cell is given up
WITHIN = 1e-3  # of our objective: a peer above that has not solved the problem
HALF_A_POINT = 0.005
BLOCK = 1 << 22  # numbers of rows whose scores are worked out at a time
PACKAGES = {"sklearn": "sklearn", "intelex": "sklearnex", "snapml": "snapml"}


class Split(NamedTuple):
    """Rows to learn from and new rows to judge by."""

    X: Any
    y: np.ndarray
    new_rows: Any
    new_labels: np.ndarray


# Rows


def split(X: Any, y: np.ndarray, trained: float = 0.75) -> Split:
    order = np.random.default_rng(0).permutation(len(y))
    first, rest = np.split(order, [int(trained * len(y))])
    return Split(X[first], y[first], X[rest], y[rest])


def own(name: str) -> Callable[[Path | None], Split]:
    return lambda _: split(*getattr(datasets, f"load_{name}")(return_X_y=True))


def embeddings(columns: int, classes: int, spread: float, rows: int = 20_000) -> Callable[[Path | None], Split]:
    """Rows like those of sentence encoders: float32, of length 1, correlated columns; the classes overlap if ``spread`` is small."""

    def make(_: Path | None) -> Split:
        rng = np.random.default_rng(classes)
        basis, middles = rng.normal(size=(columns // 4, columns)), rng.normal(size=(classes, columns // 4)) * spread
        y = rng.integers(0, classes, rows)
        X = (middles[y] + rng.normal(size=(rows, columns // 4))) @ basis + 0.5 * rng.normal(size=(rows, columns))
        return split((X / np.linalg.norm(X, axis=1, keepdims=True)).astype(np.float32), y)

    return make


def tall(rows: int, columns: int) -> Callable[[Path | None], Split]:
    def make(_: Path | None) -> Split:
        return split(
            *datasets.make_classification(rows, columns, n_informative=15, flip_y=0.1, random_state=1),
            1 - 50_000 / rows,
        )

    return make


def curved(_: Path | None) -> Split:
    """50 columns, two classes that no plane separates well."""
    made = datasets.make_classification(
        40_000, 50, n_informative=10, n_clusters_per_class=6, flip_y=0.05, random_state=2
    )
    return split(*made)


def mnist(folder: Path, rows: int) -> Split:
    with np.load(folder / "mnist.npz") as kept:
        X, y = (kept["X"].reshape(70_000, -1) / 255.0).astype(np.float32), kept["y"].ravel().astype(int)
    return Split(X[:rows], y[:rows], X[60_000:], y[60_000:])


def sentences(folder: Path, classes: int) -> Split:
    with np.load(folder / "clinc_minilm.npz") as kept:
        X, y, first = kept["X"].astype(np.float32), kept["y"], int(kept["n_train"])
    return of_classes(Split(X[:first], y[:first], X[first:], y[first:]), classes)


def words(folder: Path, name: str, trained: int | None) -> Split:
    X, y = sparse.csr_matrix(sparse.load_npz(folder / f"{name}.csr.npz")), np.load(folder / f"{name}.y.npy")
    return split(X, y) if trained is None else Split(X[:trained], y[:trained], X[trained:], y[trained:])


def census(folder: Path, dense: bool = False) -> Split:
    parts: list[Any] = []
    for name in ("a9a.svm.xz", "a9a.t.svm.xz"):
        with lzma.open(folder / name) as file:
            X, y = datasets.load_svmlight_file(file, n_features=123)
        X = sparse.csr_matrix(
            (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape
        )  # as LinearSVC asks
        parts += [X.toarray() if dense else X, y.astype(int)]
    return Split(*parts)


def of_classes(rows: Split, classes: int) -> Split:
    """The rows of the first classes."""
    some = np.unique(rows.y)[:classes]
    here, there = np.isin(rows.y, some), np.isin(rows.new_labels, some)
    return Split(rows.X[here], rows.y[here], rows.new_rows[there], rows.new_labels[there])


class Rows(NamedTuple):
    """A set, and the file of the folder that it needs, if any."""

    read: Callable[[Any], Split]
    file: str = ""


LINEAR_SETS: dict[str, Rows] = {
    **{name: Rows(own(name)) for name in ("iris", "wine", "breast_cancer", "digits")},
    "mnist-12k": Rows(partial(mnist, rows=12_000), "mnist.npz"),
    "mnist-60k": Rows(partial(mnist, rows=60_000), "mnist.npz"),
    "sentences-150": Rows(partial(sentences, classes=150), "clinc_minilm.npz"),
    "sentences-2": Rows(partial(sentences, classes=2), "clinc_minilm.npz"),
    **{
        f"made-{columns}x{classes}-{kind}": Rows(embeddings(columns, classes, spread))
        for columns in (512, 768, 1536)
        for classes, overlap in ((2, 0.12), (20, 0.22), (100, 0.3))
        for kind, spread in (("overlap", overlap), ("apart", 0.6))
    },
    "clinc150": Rows(partial(words, name="clinc150", trained=15_000), "clinc150.csr.npz"),
    "pros-cons": Rows(partial(words, name="nltk_pros_cons", trained=None), "nltk_pros_cons.csr.npz"),
    "a9a": Rows(census, "a9a.svm.xz"),
    "tall-260k": Rows(tall(310_000, 40)),
    "tall-1M": Rows(tall(1_050_000, 30)),
}


def fewer(read: Callable[[Any], Split], rows: int) -> Callable[[Any], Split]:
    def make(folder: Any) -> Split:
        found = read(folder)
        return Split(found.X[:rows], found.y[:rows], found.new_rows[:5000], found.new_labels[:5000])

    return make


KERNEL_SETS: dict[str, Rows] = {
    f"{name}-{rows // 1000}k": Rows(fewer(read, rows), file)
    for name, read, file in (
        ("kernel-made", curved, ""),
        ("kernel-512", embeddings(512, 2, 0.12, 30_000), ""),
        ("kernel-a9a", partial(census, dense=True), "a9a.svm.xz"),
    )
    for rows in (2000, 6000, 20_000)
}
SETS = LINEAR_SETS | KERNEL_SETS


# Learners


class RidgeOfLabels:
    """scikit-learn-intelex has Ridge, and no classifier: labels are -1 and 1, as in RidgeClassifier."""

    def fit(self, X: Any, y: np.ndarray) -> RidgeOfLabels:
        from sklearn.preprocessing import LabelBinarizer
        from sklearnex.linear_model import Ridge

        self._labels = LabelBinarizer(pos_label=1, neg_label=-1)
        self._ridge = Ridge().fit(X, self._labels.fit_transform(y).astype(X.dtype))
        self.coef_, self.intercept_ = np.atleast_2d(self._ridge.coef_), np.atleast_1d(self._ridge.intercept_)
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.asarray(self._labels.inverse_transform(self._ridge.predict(X)))


def makers(learner: str, peer: str, threads: int) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Ours and theirs."""
    import novikoff

    theirs: Callable[[], Any]
    if peer == "snapml":
        import snapml

        names = {"LinearSVM": "SupportVectorMachine", "LogisticNeuron": "LogisticRegression"}
        theirs = partial(getattr(snapml, names[learner]), n_jobs=threads)
    elif peer == "intelex":
        import daal4py
        import sklearnex.linear_model
        import sklearnex.svm

        daal4py.daalinit(threads)
        both = {"LogisticNeuron": sklearnex.linear_model.LogisticRegression, "KernelSVM": sklearnex.svm.SVC}
        theirs = RidgeOfLabels if learner == "Adaline" else both[learner]
    else:
        from sklearn import linear_model, svm

        theirs = {
            "LinearSVM": svm.LinearSVC,
            "LogisticNeuron": linear_model.LogisticRegression,
            "Adaline": linear_model.RidgeClassifier,
            "KernelSVM": svm.SVC,
        }[learner]
    return getattr(novikoff, learner), theirs


PEERS = {
    "LinearSVM": ("sklearn", "snapml"),
    "LogisticNeuron": ("sklearn", "intelex", "snapml"),
    "Adaline": ("sklearn", "intelex"),
    "KernelSVM": ("sklearn", "intelex"),
}


def shares_objective(learner: str, peer: str) -> bool:
    return peer != "snapml" and learner != "LinearSVM"


def objective(learner: str, fitted: Any, X: Any, y: np.ndarray) -> float:
    """What our learner minimises, at the weights of any."""
    if learner == "KernelSVM":
        return kernel_objective(fitted, X, y)
    classes = np.unique(y)
    coef = np.atleast_2d(np.asarray(fitted.coef_, dtype=float))
    bias = np.broadcast_to(np.atleast_1d(np.asarray(fitted.intercept_, dtype=float)), len(coef))
    total = 0.5 * float(np.square(coef).sum())
    for begin in range(0, len(y), max(1, BLOCK // X.shape[1])):
        block = slice(begin, begin + max(1, BLOCK // X.shape[1]))
        scores = np.asarray(X[block].astype(float) @ coef.T) + bias
        own_class = y[block, None] == (classes if len(coef) > 1 else classes[1:])
        signs = np.where(own_class, 1.0, -1.0)
        if learner == "LinearSVM":
            total += float(np.square(np.maximum(0.0, 1 - signs * scores)).sum())
        elif learner == "Adaline":
            total += 0.5 * float(np.square(signs - scores).sum())
        elif len(coef) > 1:
            total += float((logsumexp(scores, axis=1) - scores[own_class]).sum())
        else:
            total += float(np.logaddexp(0.0, -signs * scores).sum())
    return total


def kernel_objective(fitted: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Of two classes, with the kernel and C that all have as defaults."""
    from sklearn.metrics.pairwise import rbf_kernel

    X = np.asarray(X, dtype=float)
    gamma, alpha = 1 / (X.shape[1] * X.var()), np.asarray(fitted.dual_coef_, dtype=float)[0]
    held = np.asarray(fitted.support_)
    scores = np.concatenate([rbf_kernel(X[i : i + 1000], X[held], gamma) @ alpha for i in range(0, len(y), 1000)])
    signs = np.where(y == np.unique(y)[1], 1.0, -1.0)
    slack = np.maximum(0.0, 1 - signs * (scores + float(np.ravel(fitted.intercept_)[0])))
    return 0.5 * float(alpha @ scores[held]) + float(slack.sum())


# One cell, in a separate process


def measure_cell(name: str, learner: str, peer: str, folder: Path | None, runs: int, threads: int) -> dict[str, Any]:
    clock = time.process_time if threads == 1 else time.perf_counter

    def timed(make: Callable[[], Any]) -> tuple[Any, float]:
        made = make()
        gc.collect()
        gc.disable()
        began = clock()
        made.fit(rows.X, rows.y)
        seconds = clock() - began
        gc.enable()
        return made, seconds

    rows = SETS[name].read(folder)
    with warnings.catch_warnings(), threadpool_limits(threads):
        warnings.simplefilter("ignore")
        ours, theirs = makers(learner, peer, threads)
        timed(ours)
        (mine, own_time), (other, other_time) = timed(ours), timed(theirs)
        times = [(own_time, other_time)]
        if max(own_time, other_time) < LONG:
            count = max(runs, min(MOST_RUNS, int(SHORT / (own_time + other_time))))
            count = min(count, max(3, int(MOST_OF_A_CELL / (own_time + other_time))))
            times = [(timed(ours)[1], timed(theirs)[1]) for _ in range(count)]
        values = [objective(learner, each, rows.X, rows.y) for each in (mine, other)]
        scores = [float(np.mean(each.predict(rows.new_rows) == rows.new_labels)) for each in (mine, other)]
    ratios = np.array([b / a for a, b in times])
    return {
        "set": name,
        "learner": learner,
        "peer": peer,
        "threads": threads,
        "runs": len(times),
        "ours": float(np.median([a for a, _ in times])),
        "theirs": float(np.median([b for _, b in times])),
        "ratio": float(np.median(ratios)),
        "quartile": float(np.quantile(ratios, 0.25)),
        "counts": counts(learner, peer, values, scores),
        "objectives": values,
        "accuracies": scores,
        "gap": float(getattr(mine, "duality_gap_", np.nan)),
        "solver": str(getattr(mine, "solver_", "")),
        "stop": str(getattr(mine, "stop_reason_", "")),
    }


def counts(learner: str, peer: str, values: list[float], scores: list[float]) -> bool:
    """Whether the peer solved the same problem, or one that serves as well."""
    solved = values[1] <= (1 + WITHIN) * values[0]
    return solved if shares_objective(learner, peer) else solved or scores[1] >= scores[0] - HALF_A_POINT


# All cells


class Cell(NamedTuple):
    name: str
    learner: str
    peer: str

    def __str__(self) -> str:
        return f"{self.name}-{self.learner}-{self.peer}"


def cells(folder: Path | None, peers: tuple[str, ...] = tuple(PACKAGES)) -> Iterator[Cell]:
    """Those whose files and peers are at hand."""
    here = [peer for peer in peers if find_spec(PACKAGES[peer])]
    for name, rows in SETS.items():
        if rows.file and not (folder and (folder / rows.file).exists()):
            continue
        for learner in ("KernelSVM",) if name in KERNEL_SETS else ("LinearSVM", "LogisticNeuron", "Adaline"):
            for peer in PEERS[learner]:
                if peer in here and not (peer == "intelex" and learner == "Adaline" and is_sparse(name)):
                    yield Cell(name, learner, peer)


def is_sparse(name: str) -> bool:
    return name in ("clinc150", "pros-cons", "a9a")  # scikit-learn-intelex has no Ridge of sparse rows


def run(cell: Cell, folder: Path | None, runs: int, threads: int) -> dict[str, Any]:
    """A cell in a separate process; of one that died, why."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.solvers",
        "--cell",
        *cell,
        "--runs",
        str(runs),
        "--threads",
        str(threads),
    ]
    command += ["--data", str(folder)] if folder else []
    environment = os.environ | {"NOVIKOFF_BENCHMARK_THREADS": str(threads), "NUMBA_NUM_THREADS": str(threads)}
    place = Path(__file__).parents[1]
    nothing = {"set": cell.name, "learner": cell.learner, "peer": cell.peer, "counts": False}
    try:
        done = subprocess.run(command, env=environment, cwd=place, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return nothing | {"failed": f"more than {PATIENCE:.0f} s"}
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return nothing | {"failed": f"ended with {done.returncode}: {last[:200]}"}
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


HEAD = (
    "set",
    "learner",
    "peer",
    "ours",
    "theirs",
    "ratio",
    "quartile",
    "counts",
    "accuracies",
    "above ours",
    "gap",
    "runs",
)


def line(found: dict[str, Any]) -> tuple[str, ...]:
    start = found["set"], found["learner"], found["peer"]
    if "failed" in found:
        return *start, *["-"] * 4, "no", found["failed"], *["-"] * 3
    ours, theirs = found["objectives"]
    return (
        *start,
        show_time(found["ours"]),
        show_time(found["theirs"]),
        f"{found['ratio']:.2f}",
        f"{found['quartile']:.2f}",
        "yes" if found["counts"] else "no",
        " ".join(f"{100 * score:.2f}" for score in found["accuracies"]),
        f"{theirs / ours - 1:.1e}",
        f"{found['gap']:.0e}" + ("" if found["stop"] == "solved" else f" {found['stop']}"),
        str(found["runs"]),
    )


def summary(all_found: list[dict[str, Any]]) -> str:
    """The mean over scikit-learn, and where we lose."""
    counted = [found for found in all_found if found["counts"]]
    text = []
    for learner in (*PEERS, "all learners"):
        ratios = [
            found["ratio"]
            for found in all_found
            if found["peer"] == "sklearn" and "ratio" in found and learner in (found["learner"], "all learners")
        ]
        if ratios:
            mean = float(np.exp(np.mean(np.log(ratios))))
            text.append(f"{learner}: {mean:.2f} in the geometric mean over scikit-learn, {len(ratios)} cells.")
    for what, least in (("ratio", 1.0), ("quartile", 0.95)):
        below = [found for found in counted if found[what] < least]
        text.append(f"{len(below)} of {len(counted)} cells with a peer that counts have a {what} below {least}:")
        text += [f"  {found['set']} {found['learner']} {found['peer']}: {found[what]:.2f}" for found in below]
    failed = [found for found in all_found if "failed" in found]
    text += [f"  {found['set']} {found['learner']} {found['peer']} failed: {found['failed']}" for found in failed]
    return "\n".join(text)


# The table of all benchmarks

MEASURED: list[dict[str, Any]] = []  # in this process, for the summary


def data_folder() -> Path | None:
    return Path(os.environ["NOVIKOFF_DATA"]) if os.environ.get("NOVIKOFF_DATA") else None


def solver_rows() -> Iterator[Benchmark]:
    """One row a cell, of those whose files and peers are at hand."""

    def measure(cell: Cell) -> Callable[[Settings], Result]:
        def one(settings: Settings) -> Result:
            found = run(cell, data_folder(), settings.size(7, 1), 1)
            MEASURED.append(found)
            if "failed" in found:
                return Result("-", "-", float("nan"), found["failed"])
            counted = "counts" if found["counts"] else "does not count"
            accuracies = ", ".join(f"{score:.2%}" for score in found["accuracies"])
            remark = f"{counted}; lower quartile {found['quartile']:.2f}; accuracy {accuracies}; gap {found['gap']:.0e}"
            return Result(show_time(found["ours"]), show_time(found["theirs"]), found["ratio"], remark)

        return one

    for cell in cells(data_folder()):
        work = f"{cell.name}: `{cell.learner}()` against its peer in {cell.peer}, processor time"
        yield Benchmark(f"solvers-{cell}", work, at_least(1, 2), measure(cell))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.solvers", description=__doc__)
    parser.add_argument("--data", type=Path, default=data_folder(), help="a folder of sets, or NOVIKOFF_DATA")
    parser.add_argument(
        "--only",
        metavar="WORD[,WORD]",
        default="",
        help="cells with one of these in SET-LEARNER-PEER; * stands for anything",
    )
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--threads", type=int, choices=(1, 2), default=1)
    parser.add_argument("--peers", default=",".join(PACKAGES))
    parser.add_argument("--json", type=Path, help="a file for all figures")
    parser.add_argument("--list", action="store_true", help="list the cells and stop")
    parser.add_argument("--cell", nargs=3, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.cell:
        print(json.dumps(measure_cell(*asked.cell, asked.data, asked.runs, asked.threads)))
        return
    peers = tuple(asked.peers.split(","))
    chosen = [
        cell
        for cell in cells(asked.data, peers)
        if any(fnmatch(str(cell).lower(), f"*{word.lower()}*") for word in asked.only.split(","))
    ]
    if asked.list:
        print("\n".join(map(str, chosen)))
        return
    for peer in peers:
        if not find_spec(PACKAGES[peer]):
            say(f"{peer} is not installed: left out")
    found: list[dict[str, Any]] = []
    for cell in chosen:
        found.append(run(cell, asked.data, asked.runs, asked.threads))
        say(" | ".join(line(found[-1])))
        if asked.json:
            asked.json.write_text(json.dumps(found, indent=1))
    print(markdown(HEAD, [line(each) for each in found]))
    print(f"\n{summary(found)}")


if __name__ == "__main__":
    main()
