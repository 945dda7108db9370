"""The data: made from a fixed seed, but for iris and, where it is at hand, MNIST."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.datasets import load_iris, make_blobs

from .measure import Settings

NOISE = 0.05  # share of the planted labels that is turned over: no data here is separable
CSR_COLUMNS = 47_000
DIGIT_SPREAD = 1.45  # scikit-learn's Perceptron() then scores about 89 % on fresh rows
CENSUS = (5, 8, 5, 16, 5, 7, 14, 6, 5, 2, 5, 5, 5, 35)  # answers to each question: 123 in all
CSR_DRAWS = 47  # columns drawn a row, with replacement: about 40 different ones


class Data(NamedTuple):
    """Rows and labels."""

    X: Any
    y: np.ndarray


class Split(NamedTuple):
    """Rows to learn from and rows to judge by."""

    name: str
    train: Data
    test: Data


@cache
def dense(settings: Settings) -> Data:
    """200 000 x 100, float64, two classes."""
    return make_dense(settings.size(200_000, 20_000), 100)


@cache
def csr(settings: Settings) -> Data:
    """200 000 rows of about 40 non-zeros in 47 000 columns, two classes."""
    return make_csr(settings.size(200_000, 20_000))


@cache
def numbers(settings: Settings) -> Data:
    """The rows of ``dense``; what they ought to give is a planted linear function with noise."""
    X = dense(settings).X
    rng = np.random.default_rng(1)
    return Data(X, X @ rng.standard_normal(X.shape[1]) + rng.standard_normal(len(X)))


@cache
def small(_: Settings) -> Data:
    """10 000 x 20, float64, two classes."""
    return make_dense(10_000, 20)


@cache
def iris(_: Settings) -> Data:
    return Data(*load_iris(return_X_y=True))


def digits(settings: Settings) -> Data:
    """The training rows of ``digits_split``."""
    return digits_split(settings).train


@cache
def digits_split(settings: Settings) -> Split:
    """60 000 x 784, float32, ten classes: MNIST from an .npz with X, y and n_train, else made data."""
    if settings.mnist:
        with np.load(settings.mnist) as stored:
            X, y, n_train = stored["X"].astype(np.float32), stored["y"], int(stored["n_train"])
        return Split("MNIST", Data(X[:n_train], y[:n_train]), Data(X[n_train:], y[n_train:]))
    n_train = settings.size(60_000, 6_000)
    X, y = make_digits(n_train + 10_000)
    return Split("made digits", Data(X[:n_train], y[:n_train]), Data(X[n_train:], y[n_train:]))


@cache
def unit_digits(settings: Settings) -> Split:
    """``digits_split`` with pixels from 0 to 1."""
    name, train, test = digits_split(settings)
    largest = train.X.max()
    return Split(name, Data(train.X / largest, train.y), Data(test.X / largest, test.y))


@cache
def curved(settings: Settings) -> Split:
    """20 000 x 50, two classes told apart by a quadratic form of three hidden directions, some labels turned over: no line
    does much better than chance."""
    rng = np.random.default_rng(0)
    n_train = settings.size(20_000, 2_000)
    X = rng.standard_normal((n_train + 5_000, 50))
    hidden = X @ (rng.standard_normal((50, 3)) / 50**0.5)
    y = planted(hidden[:, 0] * hidden[:, 1] + (hidden[:, 2] ** 2 - 1) / 2, rng)
    return Split("curved classes", Data(X[:n_train], y[:n_train]), Data(X[n_train:], y[n_train:]))


@cache
def clusters(settings: Settings) -> Split:
    """20 000 x 50, five clusters well apart, a class each."""
    n_train = settings.size(20_000, 2_000)
    X, y = make_blobs(n_train + 5_000, 50, centers=5, cluster_std=5.0, random_state=0)
    return Split("clusters", Data(X[:n_train], y[:n_train]), Data(X[n_train:], y[n_train:]))


@cache
def noisy(settings: Settings) -> Data:
    """100 000 x 50, float64, two classes; a fifth of the labels turned over."""
    return make_noisy(settings.size(100_000, 10_000), 50)


@cache
def noisy_wide(settings: Settings) -> Data:
    """60 000 x 784 of that kind."""
    return make_noisy(settings.size(60_000, 10_000), settings.size(784, 200))


@cache
def text(settings: Settings) -> Data:
    """100 000 rows of about 40 non-zeros in 47 000 columns, two classes."""
    return make_csr(settings.size(100_000, 10_000))


@cache
def census(settings: Settings) -> Data:
    """32 561 x 123 zeros and ones, 14 ones a row: one category of each of 14 questions, answered as hidden traits lead to;
    a quarter of class 1, by a noisy score."""
    rng = np.random.default_rng(0)
    rows = settings.size(32_561, 3_256)
    traits = rng.standard_normal((rows, 4))
    answers = []
    for choices in CENSUS:
        liking = 0.7 * traits @ rng.standard_normal((4, choices)) - 1.5 * np.log(np.arange(1, choices + 1))
        answers.append((liking + rng.gumbel(size=liking.shape)).argmax(axis=1))
    columns = (np.stack(answers, axis=1) + np.cumsum((0, *CENSUS[:-1]))).astype(np.int32)
    starts = np.arange(0, columns.size + 1, len(CENSUS), dtype=np.int32)
    X = sparse.csr_matrix((np.ones(columns.size), columns.ravel(), starts), shape=(rows, sum(CENSUS)))
    scores = 0.9 * (X @ rng.standard_normal(sum(CENSUS))) + rng.logistic(size=rows)
    return Data(X, (scores > np.quantile(scores, 0.76)).astype(int))


def make_noisy(rows: int, columns: int) -> Data:
    """Normal rows; labels by a hyperplane, a fifth of them turned over: no hyperplane is right about more than 80 %."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns))
    right = X @ rng.standard_normal(columns) > 0
    return Data(X, np.where(rng.random(rows) < 0.2, ~right, right).astype(int))


def make_dense(rows: int, columns: int, dtype: str = "float64") -> Data:
    """Normal rows; labels by a hyperplane that halves them, some turned over."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns), dtype=dtype)
    return Data(X, planted(X @ rng.standard_normal(columns).astype(dtype), rng))


def make_csr(rows: int) -> Data:
    """Columns drawn by Zipf's law, then permuted; positive values, rows of length 1, like a bag of words."""
    rng = np.random.default_rng(0)
    chance = 1 / np.arange(1, CSR_COLUMNS + 1)
    steps = np.cumsum(chance / chance.sum())
    drawn = np.searchsorted(steps, rng.random(rows * CSR_DRAWS)).clip(max=CSR_COLUMNS - 1)
    columns = rng.permutation(CSR_COLUMNS)[drawn].astype(np.int32)
    starts = np.arange(0, rows * CSR_DRAWS + 1, CSR_DRAWS, dtype=np.int32)
    X = sparse.csr_array((rng.random(columns.size) + 0.5, columns, starts), shape=(rows, CSR_COLUMNS))
    X.sum_duplicates()
    lengths = np.sqrt(np.add.reduceat(X.data**2, X.indptr[:-1]))
    X.data /= np.repeat(lengths, np.diff(X.indptr))
    return Data(sparse.csr_matrix(X), planted(X @ rng.standard_normal(CSR_COLUMNS), rng))


def make_digits(rows: int) -> Data:
    """Ten classes of three clusters each in a space of 40 dimensions, seen through 784 noisy, non-negative pixels."""
    rng = np.random.default_rng(0)
    y, style = rng.integers(0, 10, rows), rng.integers(0, 3, rows)
    hidden = rng.standard_normal((10, 3, 40))[y, style] + DIGIT_SPREAD * rng.standard_normal((rows, 40))
    X = hidden.astype(np.float32) @ rng.standard_normal((40, 784), dtype=np.float32)
    X += rng.standard_normal(X.shape, dtype=np.float32)
    np.maximum(X, 0, out=X)
    X *= 255 / X.max()
    return Data(X, y)


def planted(scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Two classes of equal size by the scores, some labels turned over."""
    scores = scores - np.median(scores)
    return np.where(rng.random(scores.size) < NOISE, scores <= 0, scores > 0).astype(int)


def sorted_by_class(data: Data) -> Data:
    """The same rows, all of class 0 first."""
    order = np.argsort(data.y, kind="stable")
    return Data(data.X[order], data.y[order])
