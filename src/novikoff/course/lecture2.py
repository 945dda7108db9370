"""Tasks of lecture 2: the perceptron's convergence by a gap that falls, orders, features, logistic regression."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

from .answer_reading import RETURNED, Wrong, as_many_as_first, indices, labels, matrix, number, pair, vector, whole
from .comparing_answers import bound_slips, close, expect, rounded_from
from .exercises import exercise
from .plain import (
    alternate,
    best_direction,
    cross_entropy_step,
    dot,
    gap,
    kind_of,
    logistic,
    logistic_slope,
    perceptron,
    plus,
    separating_weights,
    signed_rows,
    smallest_rho,
    square,
)
from .student_functions import agree, called
from .task_data import distinct_rows, halved, mistaken, nothing, row, separable

MOST_FEATURES = 20


def draw_mistake(rng: Random) -> dict[str, Any]:
    w, phi, y = mistaken(rng, 3, (-1,))
    return {"w": w, "phi": phi, "y": y, "eta": rng.choice((2, 3))}


@exercise("L2.1", "More hope for this point", draw_mistake)
def more_hope(answer: Any, w: list[int], phi: list[int], y: int, eta: int) -> None:
    """The weights w = {w} misclassify the point phi(x) = {phi} with y = {y}.  After the update with eta = {eta}, what is y w.phi(x)?
    Answer with a number."""
    before = y * dot(w, phi)
    slips = [
        (before, "That is y w.phi(x) before the update."),
        (before + square(phi), "The learning rate is not 1."),
        (before - eta * square(phi), "The update makes y w.phi(x) larger."),
        (y * (before + eta * square(phi)), "y is part of what is asked for."),
        (eta * square(phi), "That is by how much it grows."),
    ]
    expect(
        number(answer),
        before + eta * square(phi),
        slips,
        "This is not y w.phi(x) after the update.",
        "It grows by eta y^2 |phi(x)|^2.",
    )


def count_trials(rng: Random) -> dict[str, Any]:
    trials = []
    for n in (1, 4, 6, 9):
        Phi, y = distinct_rows(rng, n, 2), [rng.choice((-1, 1)) for _ in range(n)]
        trials += [(Phi, y, row(rng, 2)), (Phi, y, [0, 0]), (halved(Phi), y, halved(row(rng, 2)))]
    return {"trials": [*trials, ([[1, 2], [2, -1], [1, 1]], [1, -1, 1], [-2, 1])]}


@exercise("L2.2", "Count the mistakes by a product", count_trials)
def count_mistakes(answer: Any, trials: list[tuple[Any, ...]]) -> None:
    """Write a function mistakes(Phi, y, w) that returns how many points are misclassified: the rows of Phi are phi(x_i), and a point
    is misclassified if y_i w.phi(x_i) <= 0.  (With a library, it is one product of the matrix with rows y_i phi(x_i) and w.)"""

    def made(wrong: Callable[[int, int], bool]) -> Any:
        return lambda Phi, y, w: sum(wrong(t, dot(w, x)) for x, t in zip(Phi, y, strict=True))

    slips = {
        "What about points on the boundary?": made(lambda y, a: y * a < 0),
        "That is the number of points that are classified correctly.": made(lambda y, a: y * a > 0),
        "A point with y = -1 is misclassified if w.phi(x) >= 0.": made(lambda y, a: a <= 0),
        "Count with y w.phi(x) <= 0: at a tie sign(w.phi(x)) may be right by luck.": made(
            lambda y, a: (1 if a > 0 else -1) != y
        ),
    }
    agree(
        answer,
        made(lambda y, a: y * a <= 0),
        trials,
        lambda given, *rest: whole(given, RETURNED),
        slips,
        "Count the rows with y_i w.phi(x_i) <= 0.",
    )


def draw_gap(rng: Random) -> dict[str, Any]:
    while True:
        X, y = separable(rng, 5, 2)
        w_star = perceptron(X, y)[-1]
        lengths = {square(x) for x in X}
        if len(lengths) > 2 and smallest_rho(X, y, w_star, max(lengths)) * 2 > 3:
            return {"Phi": X, "y": y, "w_star": w_star}


@exercise("L2.3", "Choose rho", draw_gap)
def choose_rho(answer: Any, Phi: list[list[int]], y: list[int], w_star: list[int]) -> None:
    """The weights w* = {w_star} separate the points Phi = {Phi} with the labels y = {y}.  Choose rho so that every update with eta = 1, whatever
    the weights w^k that made the mistake, lowers the gap |w^k - rho w*|^2 by at least Gamma^2 = max |phi(x)|^2.  Answer with a
    number."""
    rho, gamma2 = number(answer), max(square(x) for x in Phi)
    needed = smallest_rho(Phi, y, w_star, gamma2)
    if rho >= needed or close(rho, needed):
        return
    if rounded_from(rho, needed):
        raise Wrong("This rho is a little too small, since it was rounded down.", "Round it up, or give a larger one.")
    if rho >= smallest_rho(Phi, y, w_star, 0):
        raise Wrong(
            "With this rho the gap falls or stays, but not always by Gamma^2.",
            "Demand rho delta + Gamma^2 <= -Gamma^2, not <= 0.",
        )
    raise Wrong(
        "With this rho some mistake can raise the gap.",
        "The gap changes by |phi|^2 + 2 y (w^k - rho w*).phi, and y w^k.phi <= 0: how large must rho y w*.phi be?",
    )


def draw_change(rng: Random) -> dict[str, Any]:
    w, phi, y = mistaken(rng, 2)
    while True:
        w_star = row(rng, 2)
        rho = rng.randint(2, 6)
        change = gap(plus(w, phi, y), w_star, rho) - gap(w, w_star, rho)
        if y * dot(w_star, phi) > 0 and change:
            return {"w": w, "phi": phi, "y": y, "w_star": w_star, "rho": rho}


@exercise("L2.4", "How far does the gap fall?", draw_change)
def gap_change(answer: Any, w: list[int], phi: list[int], y: int, w_star: list[int], rho: int) -> None:
    """The weights w^k = {w} misclassify phi(x) = {phi} with y = {y}; w* = {w_star} and rho = {rho}.  What is gap(k+1) - gap(k), where gap(k) =
    |w^k - rho w*|^2 and the update has eta = 1?  Answer with a number."""
    after = plus(w, phi, y)
    right = gap(after, w_star, rho) - gap(w, w_star, rho)
    slips = [
        (-right, "That is gap(k) - gap(k+1)."),
        (gap(after, w_star, rho), "That is gap(k+1) itself."),
        (gap(after, w_star, 1) - gap(w, w_star, 1), "w* is multiplied by rho."),
        (square(phi), "The product of w^k - rho w* with phi(x) is missing."),
        (
            square(phi) - 2 * rho * y * dot(w_star, phi),
            "That is the lecture's upper bound, which leaves out 2 y w^k.phi(x).",
        ),
    ]
    expect(number(answer), right, slips, "This is not the change of the gap.", "Work out both gaps, then subtract.")


def draw_start(rng: Random) -> dict[str, Any]:
    while True:
        data, w0, rho = draw_gap(rng), row(rng, 2), rng.randint(3, 9)
        gamma2, w_star = max(square(x) for x in data["Phi"]), data["w_star"]
        gaps = [gap(w0, w_star, rho), gap([0, 0], w_star, rho), gap(w0, w_star, 1)]
        if len({value // gamma2 for value in gaps}) == 3:
            return {**data, "w0": w0, "rho": rho}


@exercise("L2.5", "How many updates until the gap is used up?", draw_start)
def updates_bound(answer: Any, Phi: list[list[int]], y: list[int], w_star: list[int], w0: list[int], rho: int) -> None:
    """For the points Phi = {Phi} with the labels y = {y}, suppose that every update lowers the gap |w^k - rho w*|^2, with w* = {w_star} and rho =
    {rho}, by at least Gamma^2 = max |phi(x)|^2.  How many updates can there be at most, from w^0 = {w0}?  Answer with a number (the
    fraction, or rounded down)."""
    given, gamma2 = number(answer), max(square(x) for x in Phi)
    right = Fraction(gap(w0, w_star, rho), gamma2)
    if close(given, right.numerator // right.denominator):
        return
    slips = [
        (Fraction(gap([0, 0], w_star, rho), gamma2), "The run does not start at zero weights."),
        (Fraction(gap(w0, w_star, 1), gamma2), "w* is multiplied by rho."),
        (gap(w0, w_star, rho), "Each update lowers the gap by Gamma^2, not by 1."),
    ]
    expect(
        given,
        right,
        bound_slips(right, slips),
        "This is not the bound.",
        "The gap cannot become negative: gap(0) / Gamma^2.",
    )


def order_trials(rng: Random) -> dict[str, Any]:
    trials: list[tuple[Any, ...]] = [([rng.choice((-1, 1)) for _ in range(n)],) for n in (1, 4, 5, 7, 9, 9)]
    return {"trials": [*trials, ([1, 1, 1, -1],), ([-1, -1, -1, 1, 1],), ([1, 1],)]}


@exercise("L2.6", "Alternate between + and -", order_trials)
def write_alternate(answer: Any, trials: list[tuple[Any, ...]]) -> None:
    """Write a function alternate(y) that returns the order in which a pass visits the points, as a list of their numbers from 0: the first +
    point, the first - point, the second + point, the second - point, and so on; where one sort has run out, the rest of the other
    follows in order."""

    def negative_first(y: list[int]) -> Any:
        return alternate([-label for label in y])

    def cut(y: list[int]) -> Any:
        return alternate(y)[: 2 * min(y.count(1), y.count(-1))]

    slips = {
        "Start with a + point.": negative_first,
        "No point may be left out: the rest of the longer sort comes last.": cut,
        "That is the order in which the points lie.": lambda y: list(range(len(y))),
        "All + first and all - next is the order to avoid.": lambda y: sorted(range(len(y)), key=lambda i: -y[i]),
    }
    agree(
        answer,
        alternate,
        trials,
        lambda given, y: indices(given, len(y), RETURNED),
        slips,
        "Make two lists of numbers, then take from each in turn.",
    )


@exercise("L2.7", "'At least 0' is not enough", nothing)
def quasi_complete(answer: Any) -> None:
    """The lecture says that the perceptron converges if some w* (not zero) has y w*.phi(x) >= 0 for all points.  Refute it: place at least two and at
    most 8 points phi(x) in the plane, none at the origin, with labels for which such a w* exists, even with y w*.phi(x) > 0 for some
    point, but no w has y w.phi(x) > 0 for all of them (lines pass through the origin).  Answer with (points, labels)."""
    points, y = pair(
        answer, "The answer, (points, labels),", lambda p: matrix(p, None, 2, "The list of points"), lambda t: t
    )
    if not 2 <= len(points) <= 8:
        raise Wrong(f"You gave {len(points)} points; give 2 to 8.")
    signs = labels(y, len(points))
    if not all(map(any, points)):
        raise Wrong("One of your points is the origin.", "Nothing can be said about a point that is on every line.")
    kind = kind_of(best_direction(signed_rows(points, signs, intercept=False))[1])
    if kind == "complete":
        raise Wrong(
            "Some w separates your points strictly, so the perceptron converges.",
            "Some points must stay on the line, whatever w.",
        )
    if kind == "overlap":
        raise Wrong(
            "No w* has y w*.phi(x) >= 0 for all points and > 0 for one.",
            "Two points can force the line; put others on its right sides.",
        )


def draw_xor(rng: Random) -> dict[str, Any]:
    while True:
        X = distinct_rows(rng, 8, 2, 3)
        radius2 = rng.choice((4, 6, 8))
        y = [1 if square(x) > radius2 else -1 for x in X]
        if 2 < y.count(1) < 6 and separating_weights(signed_rows(X, y)) is None:
            return {"X": X, "y": y}


@exercise("L2.8", "Find features", draw_xor)
def find_features(answer: Any, X: list[list[int]], y: list[int]) -> None:
    """No line separates the points X = {X} with the labels y = {y}.  Write a function phi(x) that turns a point x = [x1, x2] into a list of
    features (at most 20), so that the points are linearly separable in them, with a bias."""
    features = [vector(called(answer, x), None, RETURNED) for x in X]
    again = [vector(called(answer, x), None, RETURNED) for x in reversed(X)]
    if features != again[::-1]:
        raise Wrong("Your function returns different features when it is called again.", "phi must depend on x only.")
    if len({len(row) for row in features}) > 1:
        raise Wrong("Your function returns lists of different lengths.", "Every point needs the same features.")
    if not 1 <= len(features[0]) <= MOST_FEATURES:
        raise Wrong(f"Your function returns {len(features[0])} features; use 1 to {MOST_FEATURES}.")
    if separating_weights(signed_rows(features, y)) is None:
        raise Wrong(
            "The points are not separable in these features.",
            "Plot the points: what is different about those of one class?",
        )


def logistic_trials(rng: Random) -> dict[str, Any]:
    trials = [(row(rng, 2, 2), row(rng, 2, 2), rng.choice((0, 1)), 0.5) for _ in range(8)]
    return {"trials": [*trials, ([0, 0], [1, 2], 1, 0.25), ([0, 0], [1, 2], 0, 1.0)]}


@exercise("L2.9", "Write a step of logistic regression", logistic_trials)
def write_logistic(answer: Any, trials: list[tuple[Any, ...]]) -> None:
    """Write a function step(w, phi, d, eta) that returns the weights after one point phi(x) with the label d = 0 or 1: one step down
    -log of the probability of d, where d = 1 has the probability p = 1 / (1 + exp(-w.phi(x)))."""

    def made(g: Any) -> Any:
        return lambda w, phi, d, eta: plus(w, phi, eta * g(d, dot(w, phi)))

    slips = {
        "Your step climbs: the probability of d must grow.": made(lambda d, a: -cross_entropy_step(d, a)),
        "There is no factor p (1 - p): it cancels against the slope of the logarithm.": made(
            lambda d, a: (d - logistic(a)) * logistic_slope(a)
        ),
        "The label is 0 or 1 here, not -1 or 1.": made(lambda d, a: 2 * d - 1 - logistic(a)),
        "The output is p, not w.phi(x).": made(lambda d, a: d - a),
        "Your function does not use eta.": lambda w, phi, d, eta: plus(w, phi, cross_entropy_step(d, dot(w, phi))),
    }
    agree(
        answer,
        made(cross_entropy_step),
        trials,
        as_many_as_first,
        slips,
        "The slope of -log p is (p - d) phi(x).",
    )
