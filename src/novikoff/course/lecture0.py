"""Tasks of lecture 0: gradient descent for classification, the perceptron, its convergence, networks of two levels."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import floor
from random import Random
from typing import Any

from .answer_reading import Wrong, as_many_as_first, indices, items, labels, matrix, number, pair, shown, vector
from .comparing_answers import bound_slips, close, expect
from .exercises import exercise
from .plain import (
    batch_update,
    dot,
    largest_margin_squared,
    misclassified,
    novikoff_bound,
    objective_over_all_samples,
    perceptron,
    perceptron_step,
    plus,
    run_network,
    separable_labelings,
    separating_weights,
    signed_rows,
    square,
    times,
    total,
)
from .student_functions import agree
from .task_data import distinct_rows, halved, inseparable, mistaken, nothing, row, samples, separable

MOST_UNITS = 64


def draw_mistake(rng: Random) -> dict[str, Any]:
    w, x, y = mistaken(rng, 3, (-1,))
    return {"w": w, "x": x, "y": y, "eta": rng.choice((2, 3))}


@exercise("L0.1", "The next weights", draw_mistake)
def next_weights(answer: Any, w: list[int], x: list[int], y: int, eta: int) -> None:
    """The weights are w^k = {w}, and the sample x = {x} with y = {y} is picked.  With the learning rate eta = {eta}, what is
    w^(k+1)?  Answer with a list of 3 numbers."""
    given = vector(answer, 3)
    slips = [
        (w, "The sample is misclassified: look at the sign of y w.x.  So the weights must move."),
        (plus(w, x, -eta * y), "Your step goes the wrong way: after it y w.x should be larger, not smaller."),
        (plus(w, x, y), "The learning rate is not 1."),
        (plus(w, x, eta), "What does the label y do to the direction of the step?"),
        (plus(w, x, 2 * eta * y), "t - o is 2 y for a misclassified sample; here the rule with y itself is asked for."),
    ]
    expect(
        given,
        plus(w, x, eta * y),
        slips,
        "These are not the next weights.",
        "w^(k+1) = w^k + eta y x, number by number.",
    )


def draw_errors(rng: Random) -> dict[str, Any]:
    while True:
        X, w, y = distinct_rows(rng, 7, 2), row(rng, 2), [rng.choice((-1, 1)) for _ in range(7)]
        scores = [dot(w, x) for x in X]
        negative = [i for i, a in enumerate(scores) if a < 0]
        if scores.count(0) == 1 and 2 < len(misclassified(w, X, y)) < 6 and negative != misclassified(w, X, y):
            return {"w": w, "X": X, "y": y}


@exercise("L0.2", "The set E of misclassified samples", draw_errors)
def the_set_of_errors(answer: Any, w: list[int], X: list[list[int]], y: list[int]) -> None:
    """The weights are w = {w}, the samples X = {X} have the labels y = {y}.  Which samples are in E, that is, which must the
    perceptron still learn from?  A sample on the boundary counts as misclassified.  Answer with their numbers, counted from 0."""
    given = sorted(indices(answer, len(X)))
    scores = [dot(w, x) for x in X]
    slips = [
        (
            [i for i, a in enumerate(scores) if a < 0],
            "w.x < 0 is no error for a sample with y = -1: the lecture's E lacks y.",
        ),
        (
            [i for i, a in enumerate(scores) if a <= 0],
            "w.x <= 0 is no error for a sample with y = -1: the lecture's E lacks y.",
        ),
        ([i for i, a in enumerate(scores) if y[i] * a < 0], "One sample lies on the boundary."),
        ([i for i, a in enumerate(scores) if y[i] * a > 0], "Those are the samples that are classified correctly."),
        ([i + 1 for i in misclassified(w, X, y)], "Count the samples from 0."),
    ]
    expect(given, misclassified(w, X, y), slips, "That is not the set E.", "Compute y w.x for every sample.")


def update_trials(rng: Random) -> dict[str, Any]:
    """Arguments of an update: mistakes, right answers, ties, zero weights, numbers that are not whole."""
    trials: list[tuple[Any, ...]] = []
    for _ in range(6):
        w, x, y = mistaken(rng, 3)
        trials += [(w, x, y, rng.choice((2, 3))), (w, x, -y, rng.choice((2, 3)))]
    trials += [([0, 0], row(rng, 2), y, 2) for y in (-1, 1)] + [([1, -2], [2, 1], y, 3) for y in (-1, 1)]
    trials += [([1, 0], [2, 1], 1, 2), ([1, 0], [-2, 1], -1, 2)]
    trials += [(halved(w), halved(x), y, 0.5) for w, x, y, _ in trials[:6]] + [([1.5, -0.5], [-0.5, 0.5], 1, 0.5)]
    return {"trials": trials}


@exercise("L0.3", "Write the update", update_trials)
def write_update(answer: Any, trials: list[tuple[Any, ...]]) -> None:
    """Write a function update(w, x, y, eta) that returns the weights after the perceptron has seen one sample: w is a list of numbers, x
    the sample, y = -1 or 1 its label.  If the sample is misclassified (y w.x <= 0, so a tie is a mistake), the step is eta y x;
    else the weights stay."""

    def made(step: Any) -> Any:
        return lambda w, x, y, eta: plus(w, x, step(y, dot(w, x), eta))

    slips = {
        "What does your function do at a tie, y w.x = 0?": made(lambda y, a, eta: eta * y if y * a < 0 else 0),
        "Your function also learns from samples that are classified correctly.": made(lambda y, a, eta: eta * y),
        "Your step goes the wrong way.": made(lambda y, a, eta: -eta * perceptron_step(y, a)),
        "Your function does not use eta.": made(lambda y, a, eta: perceptron_step(y, a)),
        "Your step is twice as long: t - o is 2 y, but the step is eta y x.": made(
            lambda y, a, eta: 2 * eta * perceptron_step(y, a)
        ),
        "Your function never changes the weights.": made(lambda y, a, eta: 0),
        "A sample with y = -1 is misclassified if w.x >= 0: test y w.x, not w.x.": made(
            lambda y, a, eta: eta * y if a <= 0 else 0
        ),
    }
    agree(
        answer,
        made(lambda y, a, eta: eta * perceptron_step(y, a)),
        trials,
        as_many_as_first,
        slips,
        "Test y w.x, then add eta y x.",
    )


def batch_trials(rng: Random) -> dict[str, Any]:
    trials: list[tuple[Any, ...]] = []
    for n in (2, 3, 5, 6):
        X, y = distinct_rows(rng, n, 2), [rng.choice((-1, 1)) for _ in range(n)]
        trials += [(row(rng, 2), X, y, rng.choice((2, 3))), ([0, 0], X, y, 2)]
        trials += [([0, 0], halved(X), y, 0.5), (halved(row(rng, 2)), halved(X), y, 0.5)]
    return {"trials": trials}


@exercise("L0.4", "Write the batch update", batch_trials)
def write_batch_update(answer: Any, trials: list[tuple[Any, ...]]) -> None:
    """Write a function batch_update(w, X, y, eta) that returns w + eta times the sum of y_i x_i over all misclassified samples
    (y_i w.x_i <= 0): all samples are judged by the same w, then the weights move once."""

    def online(w: Any, X: Any, y: Any, eta: int) -> Any:
        return perceptron(X, y, w, eta, passes=1)[-1]

    def over_all(w: Any, X: Any, y: Any, eta: int) -> Any:
        return plus(w, total([times(label, x) for x, label in zip(X, y, strict=True)], len(w)), eta)

    def strict(w: Any, X: Any, y: Any, eta: int) -> Any:
        steps = [times(label, x) for x, label in zip(X, y, strict=True) if label * dot(w, x) < 0]
        return plus(w, total(steps, len(w)), eta)

    def mean(w: Any, X: Any, y: Any, eta: int) -> Any:
        return plus(w, plus(batch_update(w, X, y, eta), w, -1), Fraction(1, len(X)))

    slips = {
        "Your weights move after every sample: judge all samples by the old w first.": online,
        "The sum is over the misclassified samples only.": over_all,
        "What about samples on the boundary, y w.x = 0?": strict,
        "The sum is not divided by the number of samples.": mean,
        "Your function does not use eta.": lambda w, X, y, eta: batch_update(w, X, y, 1),
        "Your step goes the wrong way.": lambda w, X, y, eta: batch_update(w, X, y, -eta),
    }
    agree(
        answer, batch_update, trials, as_many_as_first, slips, "First find E, then add up y x over E, then move once."
    )


def draw_eta(rng: Random) -> dict[str, Any]:
    return {"eta": rng.choice((1, 3, 5, 7))}


@exercise("L0.5", "Two forms of one rule", draw_eta)
def two_forms(answer: Any, eta: int) -> None:
    """One student runs w <- w + eta y x on misclassified samples with eta = {eta}, another w <- w + eta' (t - o) x on all samples, where t
    = y and o = sign(w.x).  For which eta' do both have the same weights after every step?  Answer with a number."""
    slips = [
        (eta, "For a misclassified sample t - o is not y: put in t = 1, o = -1."),
        (2 * eta, "t - o is larger than y, so eta' must be smaller than eta."),
    ]
    message = "With this eta' the two rules go different ways."
    expect(
        number(answer),
        Fraction(eta, 2),
        slips,
        message,
        "How long is t - o, compared with y, for a misclassified sample?",
    )


def need_separation(w: list[Fraction], X: list[list[int]], y: list[int]) -> None:
    """``Wrong`` unless every sample is strictly on its side."""
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        a = dot(w, x)
        if label * a <= 0:
            side = "on the boundary" if a == 0 else "on the wrong side"
            raise Wrong(
                f"Sample {i} (counted from 0), {x} with label {label}, is {side}.",
                "Let a perceptron run until it makes no mistake, or draw the samples.",
            )


@exercise("L0.6", "Find separating weights", samples(separable, 8))
def find_weights(answer: Any, X: list[list[int]], y: list[int]) -> None:
    """Find weights w for a line through the origin that separates the samples X = {X} with the labels y = {y}: y w.x > 0 for every
    sample.  Answer with a list of 2 numbers."""
    need_separation(vector(answer, 2), X, y)


@exercise("L0.7", "Which separating line is the best?", samples(separable, 6))
def best_line(answer: Any, X: list[list[int]], y: list[int]) -> None:
    """Many lines through the origin separate the samples X = {X} with the labels y = {y}.  The best one is as far as possible from the
    closest sample.  Find its weights w, to within one percent of the largest distance.  Answer with a list of 2 numbers."""
    w = vector(answer, 2)
    need_separation(w, X, y)
    least = min(label * dot(w, x) for x, label in zip(X, y, strict=True))
    best = largest_margin_squared(X, y, intercept=False)
    assert best is not None
    share = least * least / (square(w) * best)
    if share < Fraction(99, 100) ** 2:
        raise Wrong(
            f"Your line separates the samples, but its margin is only {float(share) ** 0.5:.0%} of the largest.",
            "Turn the line away from the closest sample until another sample is as close.",
        )


@exercise("L0.8", "Three points that no line shatters", nothing)
def three_points(answer: Any) -> None:
    """Most sets of three points in the plane are shattered by lines: for every labeling some line (with a bias) separates the labels.
    Place three different points that are not shattered.  Answer with a list of three points."""
    points = matrix(answer, 3, 2, "The list of points")
    if len({tuple(point) for point in points}) < 3:
        raise Wrong("Two of your points are the same.", "Place three different points.")
    if len(separable_labelings(points)) == 8:
        raise Wrong(
            "Lines make all 8 labelings of these points.",
            "Where must a point lie so that no line cuts it off from the other two?",
        )


@exercise("L0.9", "Four points that no line separates", nothing)
def four_points(answer: Any) -> None:
    """No four points in the plane are shattered by lines.  Place four points, no three of them on a line, and label them -1 or 1 so
    that no line (with a bias) separates the labels.  Answer with (points, labels)."""
    points, y = pair(
        answer, "The answer, (points, labels),", lambda p: matrix(p, 4, 2, "The list of points"), lambda t: labels(t, 4)
    )
    for a, b, c in combinations(points, 3):
        u, v = plus(b, a, -1), plus(c, a, -1)
        if u[0] * v[1] == u[1] * v[0]:
            raise Wrong("Three of your points are on one line, or two are the same.", "Move one of them a little.")
    if abs(sum(y)) == 4:
        raise Wrong("All your labels are the same.", "Use both labels.")
    if separating_weights(signed_rows(points, y)) is not None:
        raise Wrong("Some line separates these labels.", "Think of XOR, or of a point inside a triangle.")


def draw_bound(rng: Random) -> dict[str, Any]:
    while True:
        X, y = separable(rng, 5, 2)
        w_star = perceptron(X, y)[-1]
        if square(w_star) > 1 and novikoff_bound(X, y, w_star) < 500:
            return {"X": X, "y": y, "w_star": w_star}


@exercise("L0.10", "How many mistakes at most?", draw_bound)
def mistake_bound(answer: Any, X: list[list[int]], y: list[int], w_star: list[int]) -> None:
    """The direction w = {w_star} separates the samples X = {X} with the labels y = {y}.  How many mistakes does the theorem
    allow a perceptron that starts with zero weights, R^2 / gamma^2, with w* in this direction?  Answer with a number (the fraction, or rounded down)."""
    given = number(answer)
    bound = Fraction(novikoff_bound(X, y, w_star))
    if close(given, floor(bound)):
        return
    radius2 = max(square(x) for x in X)
    least = min(label * dot(w_star, x) for x, label in zip(X, y, strict=True))
    slips = [
        (Fraction(radius2, least**2), "The theorem needs a w* of length 1: what does that make of gamma?"),
        (1 / bound, "R^2 is above, gamma^2 below."),
        (Fraction(min(square(x) for x in X) * square(w_star), least**2), "R is the length of the longest sample."),
    ]
    hint = "R^2 is the largest |x|^2, gamma the smallest y w*.x for w* of length 1."
    expect(given, bound, bound_slips(bound, slips), "This is not R^2 / gamma^2.", hint)


@exercise("L0.11", "Find a witness", samples(inseparable, 5))
def find_witness(answer: Any, X: list[list[int]], y: list[int]) -> None:
    """No line through the origin separates the samples X = {X} with the labels y = {y}.  Prove it: find numbers l_i >= 0, not all zero,
    with sum_i l_i y_i x_i = 0.  (A perceptron that loops finds some: the mistakes on each sample in one loop.)  Answer with a list of 5
    numbers; they must cancel exactly, so give whole numbers or Fractions."""
    weights = vector(answer, 5)
    if min(weights) < 0:
        raise Wrong("One of your numbers is negative.", "Only numbers that are zero or positive prove anything.")
    if not any(weights):
        raise Wrong("All your numbers are zero.", "At least one must be positive.")
    sums = [dot(weights, column) for column in zip(*signed_rows(X, y, False), strict=True)]
    if any(sums):
        near = all(abs(value) < Fraction(1, 10**6) * max(weights) for value in sums)
        hint = (
            "It nearly cancels: rounding?  Give whole numbers or Fractions."
            if near
            else "Did you multiply each sample with its label?"
        )
        raise Wrong(f"The sum is {[float(value) for value in sums]}, not zero.", hint)


def draw_truth_table(rng: Random) -> dict[str, Any]:
    inputs = [list(bits) for bits in product((0, 1), repeat=3)]
    while True:
        table = [rng.randint(0, 1) for _ in inputs]
        if 0 < sum(table) < 8 and separating_weights(signed_rows(inputs, [2 * v - 1 for v in table])) is None:
            return {"inputs": inputs, "table": table}


def read_unit(given: Any, inputs: int, what: str) -> tuple[list[Fraction], Fraction]:
    return pair(
        given,
        f"{what}, (weights, bias),",
        lambda w: vector(w, inputs, f"{what}'s weights"),
        lambda b: number(b, f"{what}'s bias"),
    )


@exercise("L0.12", "A network of two levels", draw_truth_table)
def two_levels(answer: Any, inputs: list[list[int]], table: list[int]) -> None:
    """No single perceptron computes the function that has the values {table} for the inputs {inputs}.  Build a network of two levels
    that does: every unit answers 1 if w.x + b > 0, else 0.  Answer with (hidden, output): hidden is a list of units (weights,
    bias) that read the 3 inputs, output is one unit (weights, bias) that reads the hidden units."""
    parts = items(answer, 2, "The answer, (hidden, output),", "things")
    given = items(parts[0], None, "The list of hidden units", "units (weights, bias)")
    if not 1 <= len(given) <= MOST_UNITS:
        raise Wrong(f"The hidden level has {len(given)} units; use 1 to {MOST_UNITS}.", "Eight are always enough.")
    hidden: Any = [read_unit(unit, 3, f"Hidden unit {k}") for k, unit in enumerate(given)]
    output: Any = read_unit(parts[1], len(hidden), "The output unit")
    wrong = [bits for bits, wanted in zip(inputs, table, strict=True) if run_network(hidden, output, bits) != wanted]
    if wrong:
        raise Wrong(
            f"The network is wrong for {len(wrong)} of 8 inputs, first for {wrong[0]}.",
            "A hidden unit can fire for one input only; the output unit can be an OR.",
        )


def draw_all_samples(rng: Random) -> dict[str, Any]:
    while True:
        X, y = separable(rng, 5, 2)
        if any(total([times(label, x) for x, label in zip(X, y, strict=True)], 2)):
            return {"X": X, "y": y}


@exercise("L0.13", "Why not sum over all samples?", draw_all_samples)
def over_all_samples(answer: Any, X: list[list[int]], y: list[int]) -> None:
    """Suppose we minimised J(w) = (1/N) sum of -y_i w.x_i over all samples, not over E only, for X = {X} with the labels y = {y}.
    Show that J is no good objective: find weights w that separate all samples, and weights v that are better by 100 according to J: J(v)
    <= J(w) - 100.  Answer with (w, v), two lists of 2 numbers."""
    w, v = pair(answer, "The answer, (w, v),", lambda p: vector(p, 2, "w"), lambda p: vector(p, 2, "v"))
    need_separation(w, X, y)
    fall = objective_over_all_samples(w, X, y) - objective_over_all_samples(v, X, y)
    if fall < 100:
        raise Wrong(
            f"J(w) - J(v) is {float(fall):.6g}, less than 100 (v is {shown([float(value) for value in v])}).",
            "What happens to J if all weights are multiplied by the same number?",
        )
