"""Proved gaps against minima of 400 bits: ``python -m benchmarks.optima --fits 2000 --kind linear|logistic|kernel|least-squares --seed S``.

Small problems of every scale: columns from 1e-8 to 1e8, far from zero, constant or twice, rows far from all others, C (or 1 / l2) from 1e-12 to
1e12, weights from 1e-6 to 1e6, float32, sparse.  A fit claims that its objective P is above the minimum by at most ``duality_gap_`` P.
Another point is looked for in numbers of 400 bits: by Newton's method where the loss is smooth, by an interior point method for hinges.  If the
objective there, evaluated with bounds of all rounding, is below what the fit claims to be possible, the claim is false.

Printed are counts: fits, those that ended "solved", those whose minimum was found to 12 digits ("sharp"), gaps below the truth, a false
"solved", and exceptions.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from flint import arb, arb_mat, ctx
from scipy import sparse

from .measure import say

BITS = 400
STEPS = 150  # of Newton's method, and of the interior point method
SECONDS = 20.0  # that a fit may take
UNIT = 2.0**-53  # a gap is a share of P, or of this part of P of zero weights where P is smaller


class Problem(NamedTuple):
    """What a fit is given, and what it minimises: ``l2/2 |w|^2 + sum_i s_i loss_i(scores)``."""

    make: Callable[[], Any]
    X: Any
    y: np.ndarray
    weight: np.ndarray | None
    loss: str
    l2: float
    C: float  # the factor of the loss
    words: str


# Problems


def scale(rng: np.random.Generator, wide: float, usual: float, size: Any = None) -> Any:
    """Powers of ten, at times of a wide range."""
    return 10.0 ** rng.uniform(*((-wide, wide) if rng.random() < 0.3 else (-usual, usual)), size)


def rows(rng: np.random.Generator) -> np.ndarray:
    n, columns = int(rng.integers(6, 19)), int(rng.integers(1, 5))
    X = rng.normal(size=(n, columns)) * scale(rng, 8, 0.5, columns)
    if rng.random() < 0.2:
        X += 10.0 ** rng.uniform(0, 6, columns) * np.abs(X).max(axis=0)
    if rng.random() < 0.15:
        X[:, 0] = X[0, 0]
    if rng.random() < 0.15 and columns > 1:
        X[:, 1] = X[:, 0]
    if rng.random() < 0.15:
        X[n // 2 :] = X[: n - n // 2]
    if rng.random() < 0.15:
        X[0] *= 10.0 ** rng.uniform(1, 7)
    return np.round(X, 3) if rng.random() < 0.2 else X


def problem(kind: str, rng: np.random.Generator) -> Problem:
    from novikoff import Adaline, AdalineRegressor, KernelSVM, LinearSVM, LogisticNeuron

    X, tol = rows(rng), float(rng.choice([1e-4, 1e-6, 1e-8]))
    n, classes = len(X), int(rng.integers(2, 4))
    target = (X / np.maximum(np.abs(X).max(axis=0), 1e-300)) @ rng.normal(size=X.shape[1]) + rng.choice(
        [0.0, 0.3, 3.0]
    ) * rng.normal(size=n)
    y: np.ndarray = np.digitize(target, np.quantile(target, np.arange(1, classes) / classes))
    y[:classes] = np.arange(classes)
    weight = scale(rng, 6, 0.5, n) if rng.random() < 0.3 else None
    given: Any = X
    if rng.random() < 0.3:
        given = X.astype(np.float32)
    elif rng.random() < 0.3 and kind != "kernel":
        given = sparse.csr_array(np.where(rng.random(X.shape) < 0.6, X, 0.0))
    C = float(scale(rng, 12, 2))
    limits = {"tol": tol, "time_limit": SECONDS}
    if kind == "linear":
        loss = str(rng.choice(["squared_hinge", "hinge", "crammer_singer"]))
        choice = {"multiclass": loss} if loss == "crammer_singer" else {"loss": loss}
        if loss == "crammer_singer":
            y[:3] = np.arange(3)
        make: Callable[[], Any] = partial(LinearSVM, C=C, **choice, **limits)
        return Problem(make, given, y, weight, loss, 1.0, C, f"{make.keywords}")  # type: ignore[attr-defined]
    if kind == "kernel":
        gamma = float(10.0 ** rng.uniform(-2, 1) / max(1e-300, float(np.square(X).sum(axis=1).mean())))
        make = partial(KernelSVM, C=C, gamma=gamma, **limits)
        return Problem(make, given, np.minimum(y, 1), weight, f"rbf {gamma!r}", 1.0, C, f"{make.keywords}")  # type: ignore[attr-defined]
    if kind == "logistic":
        several = {} if rng.random() < 0.5 else {"multiclass": "ovr"}
        make = partial(LogisticNeuron, l2=1 / C, **several, **limits)
        loss = "logistic" if several or y.max() == 1 else "softmax"
        return Problem(make, given, y, weight, loss, 1 / C, 1.0, f"{make.keywords}")  # type: ignore[attr-defined]
    if rng.random() < 0.5:
        make = partial(AdalineRegressor, l2=1 / C, **limits)
        return Problem(make, given, target * scale(rng, 6, 1), weight, "numbers", 1 / C, 1.0, f"{make.keywords}")  # type: ignore[attr-defined]
    make = partial(Adaline, l2=1 / C, **limits)
    return Problem(make, given, y, weight, "squares", 1 / C, 1.0, f"{make.keywords}")  # type: ignore[attr-defined]


# Objectives in balls of 400 bits


def column(values: Any) -> arb_mat:
    return arb_mat([[arb(float(v)) if not isinstance(v, arb) else v] for v in values])


def numbers(matrix: arb_mat) -> list[arb]:
    return [matrix[i, j] for i in range(matrix.nrows()) for j in range(matrix.ncols())]


class Smooth:
    """One smooth problem: outputs that belong together, as softmax has; else one."""

    def __init__(
        self, X: np.ndarray, y: np.ndarray, weight: np.ndarray, loss: str, factors: tuple[float, float]
    ) -> None:
        self.rows = [[arb(float(v)) for v in row] + [arb(1)] for row in X]
        self.y, self.weight, self.loss = y, [arb(float(s)) * arb(factors[1]) for s in weight], loss
        self.outputs = int(y.max()) + 1 if loss == "softmax" else 1
        self.width, self.l2 = X.shape[1] + 1, arb(factors[0])

    def scores(self, w: list[arb]) -> list[list[arb]]:
        parts = [w[k * self.width : (k + 1) * self.width] for k in range(self.outputs)]
        return [[sum((a * b for a, b in zip(part, row, strict=True)), arb(0)) for part in parts] for row in self.rows]

    def value(self, w: list[arb]) -> arb:
        square = sum((v * v for k, v in enumerate(w) if (k + 1) % self.width), arb(0))
        losses = (s * self.losses(a, t)[0] for s, a, t in zip(self.weight, self.scores(w), self.y, strict=True))
        return self.l2 * square / 2 + sum(losses, arb(0))

    def losses(self, scores: list[arb], target: Any) -> tuple[arb, list[arb], list[list[arb]]]:
        """Value, slope and curvature of one row."""
        if self.loss == "softmax":
            top = max(scores, key=float)
            powers = [(a - top).exp() for a in scores]
            total = sum(powers, arb(0))
            chances = [p / total for p in powers]
            slope = [p - (k == target) for k, p in enumerate(chances)]
            bend = [[p * ((i == j) - q) for j, q in enumerate(chances)] for i, p in enumerate(chances)]
            return total.log() + top - scores[int(target)], slope, bend
        a = scores[0]
        if self.loss == "squares":
            return (arb(float(target)) - a) ** 2 / 2, [a - arb(float(target))], [[arb(1)]]
        sign = arb(float(target))
        if self.loss == "squared_hinge":
            slack = 1 - sign * a
            slack = slack if slack > 0 else arb(0)
            return slack**2, [-2 * sign * slack], [[arb(2) if slack > 0 else arb(0)]]
        margin = sign * a
        small = (-margin).exp() if margin > 0 else margin.exp()
        wrong = (small if margin > 0 else arb(1)) / (1 + small)
        loss = small.log1p() + (arb(0) if margin > 0 else -margin)
        return loss, [-sign * wrong], [[wrong * (1 - wrong)]]

    def best(self, w: list[arb]) -> tuple[arb, bool]:
        """A small objective, from Newton's method with halved steps, and whether it is sharp."""
        size, value = len(w), self.value(w)
        for _ in range(STEPS):
            slope = [self.l2 * v * bool((k + 1) % self.width) for k, v in enumerate(w)]
            bend = [[self.l2 * ((i == j) and bool((i + 1) % self.width)) for j in range(size)] for i in range(size)]
            for row, s, a, t in zip(self.rows, self.weight, self.scores(w), self.y, strict=True):
                _, pull, curve = self.losses(a, t)
                for i in range(size):
                    k, p = divmod(i, self.width)
                    slope[i] += s * pull[k] * row[p]
                    for j in range(size):
                        m, q = divmod(j, self.width)
                        bend[i][j] += s * curve[k][m] * row[p] * row[q]
            for i in range(size):
                bend[i][i] += arb(2) ** -300 * (1 + bend[i][i])
            step = numbers(arb_mat(bend).mid().solve(column(v.mid() for v in slope)).mid())
            fall = sum((a * b for a, b in zip(step, slope, strict=True)), arb(0))
            far = arb(1)
            for _ in range(60):
                there = [(a - far * b).mid() for a, b in zip(w, step, strict=True)]
                lower = self.value(there)
                if lower < value:
                    break
                far /= 2
            else:
                return value, bool(abs(fall) < abs(value) * arb(10) ** -12)
            w, value = there, lower
            if abs(fall) < value * arb(10) ** -40:
                return value, True
        return value, False


class Hinges:
    """One problem with hinges, of features: two classes, or Crammer and Singer's of several."""

    def __init__(self, features: list[list[arb]], y: np.ndarray, bounds: list[arb], several: bool) -> None:
        self.features, self.y, self.bounds = features, y, bounds
        self.outputs = int(y.max()) + 1 if several else 1
        self.width = len(features[0]) + 1

    def value(self, w: list[arb]) -> arb:
        square = sum((v * v for k, v in enumerate(w) if (k + 1) % self.width), arb(0))
        total = square / 2
        for i, leads in enumerate(self.leads(w)):
            slack = max([1 - lead for lead in leads] + [arb(0)], key=float)
            total += self.bounds[i] * slack
        return total

    def lines(self, i: int) -> list[list[arb]]:
        """Of one row, what makes its leads of the weights."""
        row = [*self.features[i], arb(1)]
        if self.outputs == 1:
            return [[(arb(1) if self.y[i] == 1 else arb(-1)) * v for v in row]]
        lines = []
        for k in range(self.outputs):
            if k != self.y[i]:
                line = [arb(0)] * (self.outputs * self.width)
                for p, v in enumerate(row):
                    line[int(self.y[i]) * self.width + p], line[k * self.width + p] = v, -v
                lines.append(line)
        return lines

    def leads(self, w: list[arb]) -> list[list[arb]]:
        return [
            [sum((a * b for a, b in zip(line, w, strict=True)), arb(0)) for line in self.lines(i)]
            for i in range(len(self.y))
        ]

    def best(self, w: list[arb]) -> tuple[arb, bool]:
        """A small objective by a primal-dual interior point method, and whether it is sharp."""
        n, own = len(self.y), len(w)
        slacks = [max([1 - lead for lead in leads] + [arb(0)], key=float) for leads in self.leads(w)]
        lines, h = [], []
        for i in range(n):
            unit = [arb(int(i == j)) for j in range(n)]
            lines += [[*line, *unit] for line in self.lines(i)] + [[arb(0)] * own + unit]
            h += [arb(1)] * len(self.lines(i)) + [arb(0)]
        A, across, h = arb_mat(lines), arb_mat(lines).transpose(), column(h)
        square = [arb(int(bool((k + 1) % self.width))) for k in range(own)] + [arb(0)] * n
        cost = column([arb(0)] * own + self.bounds)
        z = column([*w, *[slack + 1 for slack in slacks]])
        s = numbers((A * z - h).mid())
        value = self.value(w)
        least = value
        lam = [max(self.bounds, key=float) / 2 for _ in s]
        for _ in range(STEPS):
            mu = sum((a * b for a, b in zip(s, lam, strict=True)), arb(0)).mid() / len(s)
            Hz = column(a * b for a, b in zip(square, numbers(z), strict=True))
            dual_rest = (Hz + cost - across * column(lam)).mid()
            rest = numbers((A * z - column(s) - h).mid())
            ratios = [(a / b).mid() for a, b in zip(lam, s, strict=True)]
            weighted = arb_mat([[r * v for v in line] for r, line in zip(ratios, lines, strict=True)])
            matrix = (across * weighted).mid()
            for k, v in enumerate(square):
                matrix[k, k] += v
            target = mu / 10
            inner = column(target / a - b - r * c for a, b, r, c in zip(s, lam, ratios, rest, strict=True))
            dz = matrix.solve((across * inner - dual_rest).mid()).mid()
            ds = [(a + b).mid() for a, b in zip(numbers(A * dz), rest, strict=True)]
            dlam = [(target / a - b - r * c).mid() for a, b, r, c in zip(s, lam, ratios, ds, strict=True)]
            shrink = [-a / b for a, b in (*zip(s, ds, strict=True), *zip(lam, dlam, strict=True)) if b < 0]
            far = min([arb(1), *[arb("0.99") * v for v in shrink]], key=float)
            z = (z + far * dz).mid()
            s = [(a + far * b).mid() for a, b in zip(s, ds, strict=True)]
            lam = [(a + far * b).mid() for a, b in zip(lam, dlam, strict=True)]
            found = self.value(numbers(z)[:own])
            least = found if found < least else least
            if mu * len(s) < least * arb(10) ** -30:
                return least, True
        return least, False


# Claims


def pieces(task: Problem, X: np.ndarray, fitted: Any) -> list[tuple[Smooth | Hinges, list[arb]]]:
    """The problems of a fit, which each output has by itself or all have together, with its weights."""
    weight = np.ones(len(X)) if task.weight is None else task.weight
    if task.loss.startswith("rbf"):
        return [kernel_piece(task, X, weight, fitted)]
    coef, bias = np.atleast_2d(fitted.coef_).astype(float), np.atleast_1d(fitted.intercept_).astype(float)
    weights = [column([*w, b]) for w, b in zip(coef, bias, strict=True)]
    features = [[arb(float(v)) for v in row] for row in X]
    bounds = [arb(float(s)) * arb(task.C) for s in weight]
    signed = [np.where(task.y == (k if len(coef) > 1 else 1), 1, -1) for k in range(len(coef))]
    joint = [v for w in weights for v in numbers(w)]
    factors = task.l2, task.C
    if task.loss == "softmax":
        return [(Smooth(X, task.y, weight, "softmax", factors), joint)]
    if task.loss == "crammer_singer" and len(coef) > 1:
        return [(Hinges(features, task.y, bounds, True), joint)]
    if task.loss in ("hinge", "crammer_singer"):
        return [
            (Hinges(features, (s > 0).astype(int), bounds, False), numbers(w))
            for s, w in zip(signed, weights, strict=True)
        ]
    targets = [task.y] if task.loss == "numbers" else signed
    name = "squares" if task.loss == "numbers" else task.loss
    return [(Smooth(X, t, weight, name, factors), numbers(w)) for t, w in zip(targets, weights, strict=True)]


def kernel_piece(task: Problem, X: np.ndarray, weight: np.ndarray, fitted: Any) -> tuple[Hinges, list[arb]]:
    """A kernel machine as a linear one: features are the rows of Cholesky's factor of the kernel's values, about (those of twins are pushed apart
    by 2^-350)."""
    gamma, exact = arb(float(task.loss.split()[1])), [[arb(float(v)) for v in row] for row in X]
    values = arb_mat(
        [
            [(-gamma * sum(((a - b) ** 2 for a, b in zip(x, z, strict=True)), arb(0))).exp() for z in exact]
            for x in exact
        ]
    )
    for i in range(len(X)):
        values[i, i] += arb(2) ** -350
    features = cholesky(values)
    shares = np.zeros(len(X))
    shares[fitted.support_] = fitted.dual_coef_[0]
    w = numbers(arb_mat(features).transpose() * column(shares))
    bounds = [arb(float(s)) * arb(task.C) for s in weight]
    return Hinges(features, task.y, bounds, False), [*[v.mid() for v in w], arb(float(fitted.intercept_[0]))]


def cholesky(values: arb_mat) -> list[list[arb]]:
    """The rows of the lower triangular factor."""
    size = values.nrows()
    lower = [[arb(0)] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            rest = values[i, j] - sum((lower[i][k] * lower[j][k] for k in range(j)), arb(0))
            lower[i][j] = (rest.mid().sqrt() if i == j else rest / lower[j][j]).mid()
    return lower


def judge(task: Problem, fitted: Any, counts: Counter[str]) -> str:
    """Count what is true of a fit; a claim that is false is described."""
    X = task.X.toarray() if sparse.issparse(task.X) else np.asarray(task.X)
    gap, tol = float(fitted.duality_gap_), float(fitted.tol)
    counts["solved"] += fitted.stop_reason_ == "solved"
    counts["other stops"] += fitted.stop_reason_ != "solved"
    false, sharp = "", True
    for piece, w in pieces(task, X.astype(float), fitted):
        value = piece.value(w)
        base = max(value, arb(UNIT) * piece.value([arb(0)] * len(w)), key=float)
        try:
            lowest, well = piece.best(w)
        except ZeroDivisionError:  # equations that 400 bits do not solve
            lowest, well = value, False
        sharp &= well
        if np.isfinite(gap) and value - lowest > base * arb(gap):
            false = f"gap {gap:.3g}, in truth at least {float((value - lowest) / base):.3g}"
        if fitted.stop_reason_ == "solved" and (gap > tol or value - lowest > base * arb(tol)):
            counts["false solved"] += 1
            false = false or f"solved with gap {gap:.3g} above tol {tol:.3g}"
    counts["sharp"] += sharp
    counts["gaps below the truth"] += bool(false)
    return false


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.optima", description=__doc__)
    parser.add_argument("--fits", type=int, default=2000)
    parser.add_argument("--kind", choices=("linear", "logistic", "kernel", "least-squares"), default="linear")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    ctx.prec = BITS
    names = "fits", "solved", "other stops", "sharp", "gaps below the truth", "false solved", "exceptions"
    counts: Counter[str] = Counter(dict.fromkeys(names, 0))
    warnings.simplefilter("ignore")
    for number in range(asked.fits):
        task = problem(asked.kind, np.random.default_rng([asked.seed, number]))
        counts["fits"] += 1
        try:
            fitted = task.make().fit(task.X, task.y, task.weight)
        except Exception as failure:  # whatever it is, it is counted
            counts["exceptions"] += 1
            say(f"{number}: {type(failure).__name__}: {str(failure)[:200]}; {task.words}")
            continue
        false = judge(task, fitted, counts)
        if false:
            say(f"{number}: {false}; {task.loss}, {type(task.X).__name__} {task.X.dtype}, {task.words}")
    print(f"{asked.kind}, seed {asked.seed}: " + ", ".join(f"{counts[name]} {name}" for name in names))


if __name__ == "__main__":
    main()
