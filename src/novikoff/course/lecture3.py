"""Tasks of lecture 3: signed distances, margins, slack, the dual, the dual perceptron, the hinge."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from random import Random
from typing import Any

from .answer_reading import RETURNED, Wrong, number, pair, vector
from .comparing_answers import expect
from .exercises import exercise
from .plain import (
    best_biases,
    dot,
    dual_score,
    dual_step,
    dual_value,
    dual_weights,
    margin,
    plus,
    signed_distance,
    slacks,
    smallest_ball_squared,
    square,
    svm_dual,
    times,
)
from .student_functions import Slips, agree
from .task_data import distinct_rows, halved, mistaken, row, separable

SOLVED = Fraction(1, 10**8)  # how far numerical solvers leave the box and the plane that they are held to
NEARLY = 1e-6  # of the objective: how close an answer must be to the best


def draw_plane(rng: Random) -> dict[str, Any]:
    while True:
        a, b, x = rng.choice(([3, 4], [-4, 3], [6, 8], [5, -12], [-8, 6])), rng.randint(-9, 9), row(rng, 2, 9)
        if b and dot(a, x) + b < -1 and dot(a, x) != 0:
            return {"a": a, "b": b, "x": x}


@exercise("L3.1", "Signed distance", draw_plane)
def distance(answer: Any, a: list[int], b: int, x: list[int]) -> None:
    """What is the signed distance of the point x = {x} to the plane a.x + b = 0 with a = {a} and b = {b}?  Answer with a number."""
    score = dot(a, x) + b
    slips = [
        (score, "The vector a has not the length 1: divide."),
        (score / square(a), "Divide by |a|, not by |a|^2."),
        (dot(a, x) / sqrt(square(a)), "Do not forget b."),
        (
            -signed_distance(a, b, x),
            "The sign tells on which side of the plane the point is: positive where a.x + b > 0.",
        ),
        (abs(signed_distance(a, b, x)), "The distance is signed."),
        (dot(a, x) / sqrt(square(a)) + b, "b must be divided by |a|, too."),
    ]
    expect(number(answer), signed_distance(a, b, x), slips, "This is not the signed distance.", "(a.x + b) / |a|")


def draw_margin(rng: Random) -> dict[str, Any]:
    """A plane with a sample on the wrong side, and a label -1 where it is closest."""
    while True:
        X, y = separable(rng, 6, 2, intercept=True)
        a, b = rng.choice(([3, 4], [-4, 3], [4, -3], [-3, -4])), rng.choice((-5, -2, 2, 5))
        scores = [dot(a, x) + b for x in X]
        least = min(t * score for t, score in zip(y, scores, strict=True))
        no_bias = min(t * (score - b) for t, score in zip(y, scores, strict=True))
        if least < 0 and least not in (min(scores), no_bias):
            return {"a": a, "b": b, "X": X, "y": y}


@exercise("L3.2", "The margin of a plane", draw_margin)
def plane_margin(answer: Any, a: list[int], b: int, X: list[list[int]], y: list[int]) -> None:
    """What is the margin of the plane a.x + b = 0, a = {a}, b = {b}, on the samples X = {X} with the labels y = {y}: the smallest y times
    signed distance?  (It is negative if a sample is on the wrong side.)  Answer with a number."""
    distances = [signed_distance(a, b, x) for x in X]
    right = margin(a, b, X, y)
    slips = [
        (right * sqrt(square(a)), "Divide by |a|: the margin is a distance."),
        (min(map(abs, distances)), "Samples on the wrong side count with a minus sign."),
        (min(distances), "Multiply with the labels."),
        (2 * right, "This lecture's margin is the distance to one side."),
        (min(t * (d - b / sqrt(square(a))) for t, d in zip(y, distances, strict=True)), "Do not forget b."),
    ]
    expect(number(answer), right, slips, "This is not the margin.", "The least y (a.x + b) / |a| over all samples.")


def draw_slacks(rng: Random) -> dict[str, Any]:
    while True:
        X, y = separable(rng, 6, 2, intercept=True)
        a, b = [Fraction(v, 4) for v in row(rng, 2)], rng.choice((-1, 1))
        z = slacks(a, b, X, y)
        beyond = any(t * (dot(a, x) + b) > 1 for x, t in zip(X, y, strict=True))
        if beyond and any(0 < v < 1 for v in z) and any(v > 1 for v in z) and z != slacks(a, 0, X, y):
            return {"a": list(map(float, a)), "b": b, "X": X, "y": y}


@exercise("L3.3", "Slack variables", draw_slacks)
def slack_variables(answer: Any, a: list[float], b: int, X: list[list[int]], y: list[int]) -> None:
    """For the plane a = {a}, b = {b}, how much slack z does each of the samples X = {X} with the labels y = {y} need, so that y (a.x + b) >= 1 - z
    and z >= 0?  Answer with a list of 6 numbers, the smallest that will do."""
    scores = [dot(a, x) + b for x in X]
    slips: list[tuple[Any, str]] = [
        ([1 - t * s for t, s in zip(y, scores, strict=True)], "Slack is never negative."),
        (
            [max(0, -t * s) for t, s in zip(y, scores, strict=True)],
            "Samples inside the margin, y (a.x + b) < 1, need slack, too.",
        ),
        ([max(0, 1 - s) for s in scores], "Multiply with the labels."),
        ([int(t * s < 1) for t, s in zip(y, scores, strict=True)], "How much slack does each need?"),
        (slacks(a, 0, X, y), "Do not forget b."),
    ]
    expect(
        vector(answer, len(X)),
        slacks(a, b, X, y),
        slips,
        "These are not the smallest slacks.",
        "max(0, 1 - y (a.x + b))",
    )


def draw_outlier(rng: Random) -> dict[str, Any]:
    far, near = rng.randint(3, 5), rng.randint(3, 5)
    X = [[near], [near + 1], [near + 3], [-far], [-far - 1], [-far - 2], [1 - far]]
    return {"X": X, "y": [1, 1, 1, -1, -1, -1, 1], "outlier": 6}


@exercise("L3.4", "Choose the price of slack", draw_outlier)
def choose_gamma(answer: Any, X: list[list[int]], y: list[int], outlier: int) -> None:
    """The samples X = {X} have the labels y = {y}; the last one (number {outlier}) is an outlier.  Choose the price gamma of slack (C in other books)
    so that the plane that minimises |a|^2 / 2 + gamma sum z gives every sample its label but the outlier.  Answer with a positive number."""
    gamma = number(answer, "gamma")
    if gamma <= 0:
        raise Wrong("gamma must be positive.", "Slack has a price.")
    if not Fraction(1, 10**6) <= gamma <= 10**6:
        raise Wrong("This gamma is too extreme to be computed with.", "Stay between 1e-6 and 1e6.")
    machine = svm_dual(X, y, float(gamma))
    (w,) = dual_weights(machine.alpha, X, y)
    least, largest = best_biases([w * x for (x,) in X], y)
    if machine.gap > 1e-6 * (1 + sum(machine.alpha)):
        raise Wrong("For this gamma the plane could not be computed.", "Try one that is less extreme.")
    for b in (least, largest):
        scores = [w * x + b for (x,) in X]
        if min(map(abs, scores)) < 1e-6:
            raise Wrong("For this gamma a sample is on the boundary.", "Go a little further.")
        if any(t * a < 0 for i, (t, a) in enumerate(zip(y, scores, strict=True)) if i != outlier):
            raise Wrong(
                "For this gamma a sample that is no outlier may be on the wrong side.",
                "Slack costs so little that the plane hardly looks at the samples.  Is gamma too small?",
            )
        if y[outlier] * scores[outlier] > 0:
            raise Wrong(
                "For this gamma the plane follows the outlier.",
                "Slack costs so much that a large margin is given up for one sample.  Is gamma too large?",
            )


def draw_dual(rng: Random) -> dict[str, Any]:
    while True:
        X, y, gamma = distinct_rows(rng, 4, 2, 3), [1, 1, -1, -1], rng.choice((1, 2, Fraction(1, 2)))
        alpha = svm_dual(X, y, float(gamma)).alpha
        if any(0.05 < v < float(gamma) - 0.05 for v in alpha):
            return {"X": X, "y": y, "gamma": float(gamma)}


@exercise("L3.5", "Solve the dual", draw_dual)
def solve_dual(answer: Any, X: list[list[int]], y: list[int], gamma: float) -> None:
    """Maximise L_d = sum alpha_i - 1/2 sum_ij alpha_i alpha_j y_i y_j x_i.x_j with 0 <= alpha_i <= gamma and sum alpha_i y_i = 0 for the
    samples X = {X} with the labels y = {y} and gamma = {gamma}.  Answer with the list of alphas; L_d must be within a
    millionth of the largest."""
    alpha, C = vector(answer, len(X)), Fraction(gamma)
    if min(alpha) < -SOLVED or max(alpha) > C + SOLVED:
        raise Wrong("An alpha is outside 0 ... gamma.", "The box is part of the problem.")
    off = dot(alpha, y)
    if abs(off) > SOLVED * max(Fraction(1), *alpha):
        raise Wrong(f"sum alpha_i y_i is {float(off):.6g}, not 0.", "Move two alphas at once, so that the sum stays.")
    w = dual_weights(alpha, X, y)
    scores = [dot(w, x) for x in X]
    best = svm_dual(X, y, gamma)
    bound = (
        dual_value(best.alpha, [dot(dual_weights(best.alpha, X, y), x) for x in X], y) + best.gap
    )  # no L_d is larger
    found = dual_value(alpha, scores, y)
    if bound - found > NEARLY * max(1.0, bound):
        raise Wrong(
            f"Your alphas are allowed, but L_d = {float(found):.6g} is not the largest.",
            "Which two alphas could move together, so that L_d grows?",
        )


def draw_support(rng: Random) -> dict[str, Any]:
    """Two samples on the margin, and one behind each; b is not zero."""
    while True:
        u, low = rng.choice(([2, 0], [0, 2], [2, 2], [4, 2], [-2, 4], [2, -2])), row(rng, 2, 3)
        across, high = [-u[1], u[0]], plus(low, u)
        if square(high) != square(low):
            break
    X = [high, plus(plus(high, u), across), low, plus(plus(low, u, -1), across)]
    alpha = 2 / square(u)
    return {"X": X, "y": [1, 1, -1, -1], "alpha": [alpha, 0.0, alpha, 0.0]}


@exercise("L3.6", "From alpha to the plane", draw_support)
def from_alpha(answer: Any, X: list[list[int]], y: list[int], alpha: list[float]) -> None:
    """The dual of a hard margin, for the samples X = {X} with the labels y = {y}, has the solution alpha = {alpha}.  What are a and b of
    the plane?  Answer with (a, b): a list of 2 numbers, and a number."""
    a, b = pair(answer, "The answer, (a, b),", lambda v: vector(v, 2, "a"), lambda v: number(v, "b"))
    w = dual_weights(alpha, X, y)
    hint = "a = sum of alpha_i y_i x_i; samples with alpha_i > 0 have y (a.x + b) = 1."
    slips: list[tuple[Any, str]] = [
        (dual_weights(alpha, X, [1] * len(X)), "Multiply with the labels."),
        (times(-1, w), "Check the signs."),
    ]
    expect(a, w, slips, "a is not right.", hint)
    on = next(i for i, v in enumerate(alpha) if v > 0)
    right = y[on] - dot(w, X[on])
    expect(
        b,
        right,
        [(-right, "Check the sign of b: y (a.x + b) = 1.")],
        "a is right, but b is not.",
        "Put a sample with alpha > 0 into y (a.x + b) = 1.",
    )


def dual_trials(rng: Random) -> dict[str, Any]:
    trials = []
    for n in (2, 3, 5):
        X, y = distinct_rows(rng, n, 2), [rng.choice((-1, 1)) for _ in range(n)]
        trials += [([0] * n, 0, X, y, i) for i in range(n)]
        trials += [([rng.randint(0, 2) for _ in range(n)], rng.randint(-9, 9), X, y, i) for i in range(n)]
        trials += [([0] * n, 0, halved(X), y, i) for i in range(n)]
    trials += [
        ([1, 1], 0, [[1, 1], [-1, 1]], [1, -1], 0),
        ([1, 0], -2, [[1, 1], [3, 0]], [1, -1], 0),
        ([1, 1], 0, [[2, 1], [1, 1]], [1, -1], 1),
    ]
    return {"trials": trials}


@exercise("L3.7", "Write a step of the dual perceptron", dual_trials)
def write_dual_step(answer: Any, trials: list[tuple[Any, ...]]) -> None:
    """Write a function dual_step(alpha, b, X, y, mu) that returns (alpha, b) after sample number mu: if it is misclassified, y_mu (a.x_mu + b) <=
    0 with a = sum alpha_i y_i x_i, then alpha_mu grows by 1 and b by y_mu R^2, where R^2 is the largest |x_i|^2; else both stay."""

    def made(bias: Any, step: Any = lambda label: 1, wrong: Any = lambda m: m <= 0) -> Any:
        def changed(alpha: Any, b: Any, X: Any, y: Any, mu: int) -> Any:
            if not wrong(y[mu] * dual_score(alpha, b, X, y, X[mu])):
                return list(alpha), b
            return [v + step(y[mu]) * (i == mu) for i, v in enumerate(alpha)], b + y[mu] * bias(X, mu)

        return changed

    def largest(X: Any, mu: int) -> Any:
        return max(square(x) for x in X)

    slips: Slips = {
        "b moves by y R^2, not by y.": made(lambda X, mu: 1),
        "b moves by y R^2.": made(lambda X, mu: 0),
        "R^2 is the largest |x|^2 of all samples, not that of this one.": made(lambda X, mu: square(X[mu])),
        "Your b moves by R: it must be R^2.": made(lambda X, mu: sqrt(largest(X, mu))),
        "For the proof, R is the length of the longest sample, not the radius of the smallest ball.": made(
            lambda X, mu: smallest_ball_squared(X)
        ),
        "alpha counts mistakes: it grows by 1, whatever the label.": made(largest, lambda label: label),
        "What does your function do at a tie?": made(largest, wrong=lambda m: m < 0),
        "Your function also learns from samples that are classified correctly.": made(largest, wrong=lambda m: True),
    }

    def read(given: Any, alpha: Any, *rest: Any) -> Any:
        return pair(
            given,
            f"{RETURNED}, (alpha, b),",
            lambda v: vector(v, len(alpha), "alpha"),
            lambda v: number(v, "b"),
        )

    agree(
        answer,
        dual_step,
        trials,
        read,
        slips,
        "First the score of x_mu from alpha and products, then the test, then both changes.",
    )


def hinge_trials(rng: Random) -> dict[str, Any]:
    trials: list[tuple[Any, ...]] = []
    while len(trials) < 10:
        a, x, y = mistaken(rng, 2) if len(trials) % 2 else (row(rng, 2), row(rng, 2), rng.choice((-1, 1)))
        b = rng.randint(-2, 2)
        if y * (dot(a, x) + b) != 1:
            trials.append((a, b, x, y, rng.choice((2, 4)), 0.25))
    return {
        "trials": [
            *trials,
            ([0, 0], 0, [1, 2], -1, 2, 0.5),
            ([0.25, 0], 0, [2, 1], 1, 4, 0.125),
            ([2, 0], 1, [2, 1], 1, 4, 0.5),
        ]
    }


@exercise("L3.8", "Write the online support vector machine", hinge_trials)
def write_online_svm(answer: Any, trials: list[tuple[Any, ...]]) -> None:
    """Write a function step(a, b, x, y, gamma, delta) that returns (a, b) after one step of steepest descent, of length delta, on |a|^2 / 2 +
    gamma max(0, 1 - y (a.x + b)): the lecture's update of a, and the same for b, which is not penalised.  (At y (a.x + b) = 1 either answer is
    right.)"""

    def made(
        decay: Any = lambda v, delta: times(1 - delta, v),
        inside: Any = lambda m: m < 1,
        bias: Any = lambda b, g, delta: b + g,
    ) -> Any:
        def changed(a: Any, b: Any, x: Any, y: int, gamma: Any, delta: Any) -> Any:
            g = delta * gamma * y if inside(y * (dot(a, x) + b)) else 0
            return plus(decay(a, delta), x, g), bias(b, g, delta)

        return changed

    slips: Slips = {
        "The term |a|^2 / 2 makes a shorter at every step.": made(decay=lambda v, delta: v),
        "Samples inside the margin, y (a.x + b) < 1, count, not only misclassified ones.": made(
            inside=lambda m: m <= 0
        ),
        "b is not penalised: it does not shrink.": made(bias=lambda b, g, delta: (1 - delta) * b + g),
        "b moves, too: what is the slope of the hinge in b?": made(bias=lambda b, g, delta: b),
        "Outside the margin only the decay of a is left.": made(inside=lambda m: True),
    }

    def read(given: Any, a: Any, *rest: Any) -> Any:
        return pair(given, f"{RETURNED}, (a, b),", lambda v: vector(v, len(a), "a"), lambda v: number(v, "b"))

    agree(answer, made(), trials, read, slips, "a - delta a + delta gamma y x inside the margin, a - delta a outside.")


def draw_radius(rng: Random) -> dict[str, Any]:
    while True:
        X = [plus(x, [5, 3]) for x in distinct_rows(rng, 4, 2, 3)]
        if smallest_ball_squared(X) != max(square(x) for x in X) != square(X[0]):
            return {"X": X, "mu": 0}


@exercise("L3.9", "Which R?", draw_radius)
def which_radius(answer: Any, X: list[list[int]], mu: int) -> None:
    """The dual perceptron has misclassified sample number {mu} of X = {X}, which has y = +1.  By how much does b grow, so that the
    convergence proof holds?  (The lecture says R^2, but check what its R has to be.)  Answer with a number."""
    ball, longest = smallest_ball_squared(X), max(square(x) for x in X)
    slips = [
        (
            ball,
            "The smallest ball moves with the samples; the proof compares with their lengths, measured from the origin.",
        ),
        (sqrt(longest), "b grows by R^2."),
        (square(X[mu]), "R belongs to all samples, not to this one."),
        (1, "That is the perceptron with the constant feature 1."),
        (longest + 1, "The constant feature is not part of R here."),
    ]
    expect(number(answer), longest, slips, "b does not grow by this.", "The longest sample decides.")


def draw_dual_value(rng: Random) -> dict[str, Any]:
    while True:
        X, y = distinct_rows(rng, 3, 2, 3), [1, 1, -1]
        alpha = [rng.randint(0, 2), rng.randint(1, 2)]
        w = dual_weights([*alpha, sum(alpha)], X, y)
        if square(w) not in (0, square(dual_weights([*alpha, sum(alpha)], X, [1, 1, 1]))):
            return {"X": X, "y": y, "alpha": [*alpha, sum(alpha)]}


@exercise("L3.10", "The value of the dual", draw_dual_value)
def value_of_dual(answer: Any, X: list[list[int]], y: list[int], alpha: list[int]) -> None:
    """For the samples X = {X} with the labels y = {y}, what is L_d at alpha = {alpha}?  Answer with a number."""
    norm2 = square(dual_weights(alpha, X, y))
    right = sum(alpha) - Fraction(norm2, 2)
    slips = [
        (sum(alpha) - norm2, "The second term is halved."),
        (sum(alpha) + Fraction(norm2, 2), "The second term is subtracted."),
        (sum(alpha) - Fraction(square(dual_weights(alpha, X, [1] * len(X))), 2), "Do not forget the labels."),
        (-Fraction(norm2, 2), "The sum of the alphas is missing."),
        (
            sum(alpha) - Fraction(sum(v * v * square(x) for v, x in zip(alpha, X, strict=True)), 2),
            "The sum is over all pairs of samples.",
        ),
    ]
    expect(number(answer), right, slips, "This is not L_d.", "sum alpha - |a|^2 / 2 with a = sum alpha y x.")
