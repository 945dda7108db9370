"""Tasks of lecture 4: the perceptron as an online algorithm with a bias, its order, its number of passes, passive-aggressive steps."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from random import Random
from typing import Any

from .answer_reading import RETURNED, Wrong, indices, items, labels, number, pair, vector, whole
from .comparing_answers import expect
from .exercises import exercise
from .plain import (
    dot,
    passive_aggressive_step,
    perceptron_step,
    perceptron_test,
    perceptron_train,
    plus,
    square,
    times,
    total,
)
from .student_functions import Slips, agree
from .task_data import distinct_rows, halved, inseparable, mistaken, nothing, row, separable

MOST_PASSES = 30
Data = list[tuple[list[int], int]]


def together(X: list[list[int]], y: list[int]) -> Data:
    return list(zip(X, y, strict=True))


def draw_threshold(rng: Random) -> dict[str, Any]:
    while True:
        w, theta, X = row(rng, 2), rng.choice((-3, -2, 2, 3)), distinct_rows(rng, 6, 2)
        scores = [dot(w, x) - theta for x in X]
        slips = ([a + 2 * theta > 0 for a in scores], [a + theta > 0 for a in scores])
        if scores.count(0) == 1 and 0 < sum(a > 0 for a in scores) < 5 and [a > 0 for a in scores] not in slips:
            return {"w": w, "theta": theta, "X": X}


@exercise("L4.1", "When does the neuron fire?", draw_threshold)
def fires(answer: Any, w: list[int], theta: int, X: list[list[int]]) -> None:
    """A neuron with the weights w = {w} and the threshold theta = {theta} outputs 1 if its activation is above the threshold, else -1.  What does
    it output for each of X = {X}?  Answer with a list of 6 numbers, 1 or -1."""
    scores = [dot(w, x) - theta for x in X]
    slips = [
        ([1 if a >= 0 else -1 for a in scores], "At a = theta this neuron does not fire."),
        ([1 if a + 2 * theta > 0 else -1 for a in scores], "The bias is b = -theta."),
        ([1 if a + theta > 0 else -1 for a in scores], "Do not forget the threshold."),
        ([-1 if a > 0 else 1 for a in scores], "You have the outputs the wrong way round."),
    ]
    message = "Not all of these outputs are right."
    expect(
        labels(answer, len(X), "The outputs"),
        [perceptron_test(-theta, w, x) for x in X],
        slips,
        message,
        "Compare w.x with theta.",
    )


def train_trials(rng: Random) -> dict[str, Any]:
    trials = []
    for n in (2, 4, 6):
        X, y = distinct_rows(rng, n, 2), [rng.choice((-1, 1)) for _ in range(n)]
        trials += [(together(X, y), 1), (together(X, y), 3), (together(halved(X), y), 2)]
    X, y = inseparable(rng, 6, 2, intercept=True)
    return {
        "trials": [
            *trials,
            (together(X, y), 7),
            ([([1, 0], -1), ([2, 0], 1), ([0, 1], -1)], 5),
            ([([3], 1), ([-1], 1)], 0),
        ]
    }


@exercise("L4.2", "Write PerceptronTrain", train_trials)
def write_train(answer: Any, trials: list[tuple[Any, ...]]) -> None:
    """Write the lecture's PerceptronTrain as a function train(D, MaxIter) that returns (b, w): D is a list of pairs (x, y), y = -1 or 1; w and b
    start at zero; in each of MaxIter passes over D, in order, if y (w.x + b) <= 0 then w <- w + y x and b <- b + y."""

    def made(
        wrong: Any = lambda y, a: y * a <= 0,
        bias: int = 1,
        sign: int = 1,
        passes: int | None = None,
        batch: bool = False,
    ) -> Any:
        def trained(D: Data, MaxIter: int) -> Any:
            w: list[Any] = [0] * len(D[0][0])
            b = 0
            for _ in range(MaxIter if passes is None else min(MaxIter, passes)):
                old_w, old_b = w, b
                for x, y in D:
                    if wrong(y, dot(old_w, x) + old_b if batch else dot(w, x) + b):
                        w, b = plus(w, x, sign * y), b + sign * bias * y
            return b, w

        return trained

    slips: Slips = {
        "What happens at a tie?  With zero weights every sample is one.": made(wrong=lambda y, a: y * a < 0),
        "The bias must move, too.": made(bias=0),
        "Your update goes the wrong way.": made(sign=-1),
        "Make MaxIter passes, not one.": made(passes=1),
        "The weights must move at once, not at the end of the pass.": made(batch=True),
        "Only mistakes change the weights.": made(wrong=lambda y, a: True),
        "A sample with y = -1 and a = 0 is a mistake in training, though sign(0) = -1 is its label.": made(
            wrong=lambda y, a: (1 if a > 0 else -1) != y
        ),
    }

    def read(given: Any, D: Data, MaxIter: int) -> Any:
        parts = items(given, 2, f"{RETURNED}, (b, w),", "things")
        if hasattr(parts[0], "__len__") and not hasattr(parts[1], "__len__"):
            raise Wrong("Your function returns (w, b); the lecture returns b first.", "Change the order.")
        return number(parts[0], "b"), vector(parts[1], len(D[0][0]), "w")

    agree(answer, perceptron_train, trials, read, slips, "Follow the lecture's nine lines.")


def lucky_pass(D: Data) -> tuple[Any, list[Any]]:
    """A pass that learns only from wrong predictions; y = -1 at a = 0 counts as right."""
    w, b = [0] * len(D[0][0]), 0
    for x, y in D:
        if perceptron_test(b, w, x) != y:
            w, b = plus(w, x, y), b + y
    return b, w


def draw_pass(rng: Random) -> dict[str, Any]:
    while True:
        X, y = separable(rng, 5, 2, intercept=True)
        b, w = perceptron_train(together(X, y), 1)
        D = together(X, y)
        ends = [perceptron_train(D, 1), perceptron_train(D, 2), perceptron_train(D[::-1], 1), lucky_pass(D)]
        if any(w) and b and ends[0] not in ends[1:]:
            return {"X": X, "y": y}


@exercise("L4.3", "One pass by hand", draw_pass)
def one_pass(answer: Any, X: list[list[int]], y: list[int]) -> None:
    """Run PerceptronTrain by hand with MaxIter = 1 on the samples X = {X} with the labels y = {y}, in this order, from zero.  What are b and w?  Answer with
    (b, w): a number, and a list of 2 numbers."""
    given = pair(answer, "The answer, (b, w),", lambda v: number(v, "b"), lambda v: vector(v, 2, "w"))
    D = together(X, y)
    slips = [
        ((0, [0, 0]), "With zero weights every activation is 0, and y a <= 0 is a mistake."),
        (lucky_pass(D), "y = -1 with a = 0 is a mistake in training, too."),
        ((sum(y), total([times(t, x) for x, t in D], 2)), "Only mistakes change the weights."),
        (perceptron_train(D, 2), "That is after two passes."),
        (perceptron_train(D[::-1], 1), "That is the result for the samples in reverse order."),
    ]
    expect(
        given,
        perceptron_train(D, 1),
        slips,
        "That is not (b, w) after the pass.",
        "Write down a, y a, w and b for every sample.",
    )


def draw_activation(rng: Random) -> dict[str, Any]:
    while True:
        w, x, y = mistaken(rng, 3, (-1,))
        b = rng.choice((-3, -2, 2, 3))
        if y * (dot(w, x) + b) < 0:
            return {"w": w, "b": b, "x": x, "y": y}


@exercise("L4.4", "The activation after the update", draw_activation)
def new_activation(answer: Any, w: list[int], b: int, x: list[int], y: int) -> None:
    """With w = {w} and b = {b}, the instance x = {x} with y = {y} is misclassified.  What is its activation a' after the update?  Answer with a
    number."""
    a = dot(w, x) + b
    slips = [
        (a, "That is the activation before the update."),
        (a + y * square(x), "The bias moves as well."),
        (a - y * (square(x) + 1), "The activation moves towards the label."),
        (a + square(x) + 1, "The lecture's formula is for y = +1; this instance has y = -1."),
        (y * (square(x) + 1), "That is by how much it moves."),
        (dot(plus(w, x, y), x), "Do not forget the bias."),
    ]
    expect(number(answer), a + y * (square(x) + 1), slips, "This is not a'.", "Work out w' and b', then w'.x + b'.")


def read_instance(answer: Any) -> tuple[list[Fraction], Fraction, list[Fraction], int]:
    parts = items(answer, 4, "The answer, (w, b, x, y),", "things")
    w = vector(parts[0], None, "w")
    if not 1 <= len(w) <= 10:
        raise Wrong(f"w has {len(w)} numbers; use 1 to 10.")
    return w, number(parts[1], "b"), vector(parts[2], len(w), "x"), labels([parts[3]], 1, "y")[0]


@exercise("L4.5", "No guarantee", nothing)
def no_guarantee(answer: Any) -> None:
    """The lecture remarks that an instance may still be misclassified after the update.  Give an example: weights w, a bias b and an instance x with its
    label y that has y a <= 0 before and also after w <- w + y x, b <- b + y.  Answer with (w, b, x, y)."""
    w, b, x, y = read_instance(answer)
    before = y * (dot(w, x) + b)
    after = before + square(x) + 1
    if before > 0:
        raise Wrong("Your instance is classified correctly before the update.", "Begin with y a <= 0.")
    if after > 0:
        raise Wrong(
            "After the update your instance is classified correctly.",
            "By how much does y a grow?  Begin further away than that.",
        )


def aggressive_trials(rng: Random) -> dict[str, Any]:
    trials = [
        (row(rng, 2), rng.randint(-3, 3), row(rng, 2), rng.choice((-1, 1)), rng.choice((0.125, 0.5, 8)))
        for _ in range(10)
    ]
    return {
        "trials": [
            *trials,
            ([0, 0], 0, [1, 2], 1, 0.125),
            ([5, 0], 0, [1, 2], 1, 1.0),
            ([0.25, 0], 0, [1, 1], 1, 0.5),
            ([0, 0], 0, [0, 0], -1, 0.25),
        ]
    }


@exercise("L4.6", "Write a passive-aggressive step", aggressive_trials)
def write_aggressive(answer: Any, trials: list[tuple[Any, ...]]) -> None:
    """Write a function pa(w, b, x, y, C) that returns (w, b) after one passive-aggressive step (PA-I): with the loss l = max(0, 1 - y (w.x + b)), tau is the
    smaller of C and l / (|x|^2 + 1), and w <- w + tau y x, b <- b + tau y.  (The 1 in |x|^2 + 1 is the constant feature of the bias.)"""

    def made(variant: str = "PA-I", constant: int = 1, tau: Any = None) -> Any:
        def stepped(w: Any, b: Any, x: Any, y: int, C: Any) -> Any:
            a = dot(w, x) + b
            length2 = square(x) + constant
            g = y * tau(y * a, length2, C) if tau else passive_aggressive_step(y, a, length2, variant, C)
            return plus(w, x, g), b + g

        return stepped

    slips: Slips = {
        "The step is not longer than C.": made("PA"),
        "That is PA-II; PA-I takes the smaller of C and l / (|x|^2 + 1).": made("PA-II"),
        "The constant feature of the bias belongs to the length: |x|^2 + 1.": made(constant=0),
        "A step is made whenever the loss is positive, also for correct answers inside the margin.": made(
            tau=lambda m, n, C: min(C, (1 - m) / n) if m <= 0 else 0
        ),
        "That is the perceptron: the step of a passive-aggressive learner is as long as the loss asks.": made(
            tau=lambda m, n, C: perceptron_step(1, m)
        ),
        "Your loss is that of the perceptron, max(0, -y a); here it is max(0, 1 - y a).": made(
            tau=lambda m, n, C: min(C, max(0, -m) / n)
        ),
    }

    def read(given: Any, w: Any, *rest: Any) -> Any:
        return pair(given, f"{RETURNED}, (w, b),", lambda v: vector(v, len(w), "w"), lambda v: number(v, "b"))

    agree(answer, made(), trials, read, slips, "Loss, then tau, then the step.")


def mistakes_in_pass(D: Data) -> tuple[int, bool]:
    """How many mistakes the first pass makes, and whether its last weights separate."""
    w, b, mistakes = [0] * len(D[0][0]), 0, 0
    for x, y in D:
        if perceptron_step(y, dot(w, x) + b):
            w, b, mistakes = plus(w, x, y), b + y, mistakes + 1
    return mistakes, all(y * (dot(w, x) + b) > 0 for x, y in D)


def draw_order(rng: Random) -> dict[str, Any]:
    while True:
        X, y = separable(rng, 5, 2, intercept=True)
        sorted_by_class = sorted(together(X, y), key=lambda sample: -sample[1])
        good = any(mistakes_in_pass([(X[i], y[i]) for i in order])[1] for order in permutations(range(5)))
        if good and not mistakes_in_pass(sorted_by_class)[1]:
            return {"X": [x for x, _ in sorted_by_class], "y": [t for _, t in sorted_by_class]}


@exercise("L4.7", "The order matters", draw_order)
def better_order(answer: Any, X: list[list[int]], y: list[int]) -> None:
    """With all positives first, as they lie here, one pass of PerceptronTrain over X = {X} with the labels y = {y} does not separate the samples.  Find an
    order in which one pass does.  Answer with the numbers 0 to 4 in that order."""
    order = indices(answer, len(X))
    if len(order) < len(X):
        raise Wrong(f"Your order has {len(order)} of {len(X)} samples.", "Every sample is shown once.")
    if not mistakes_in_pass([(X[i], y[i]) for i in order])[1]:
        raise Wrong(
            "After one pass in this order, some sample has y a <= 0.",
            "Alternate between the classes, or try all 120 orders.",
        )


def draw_trick(rng: Random) -> dict[str, Any]:
    while True:
        w, b, X = row(rng, 2), rng.choice((-3, -2, 2, 3)), distinct_rows(rng, 4, 2)
        if [b, *w] != [*w, b] and [1, 1] not in X:
            return {"w": w, "b": b, "X": X}


@exercise("L4.8", "The notational trick", draw_trick)
def notational_trick(answer: Any, w: list[int], b: int, X: list[list[int]]) -> None:
    """With the feature x0 = 1, which is always on and comes first, the bias becomes a weight.  Write w = {w}, b = {b} and the objects X = {X} in this
    way.  Answer with (w, X): one list of 3 numbers, and four lists of 3 numbers."""
    given, rows = pair(
        answer,
        "The answer, (w, X),",
        lambda v: vector(v, 3, "w"),
        lambda v: [vector(x, 3, "Each object") for x in items(v, len(X), "X", "objects")],
    )
    slips: list[tuple[Any, str]] = [([*w, b], "x0 comes first."), ([1, *w], "w0 is the bias; the feature x0 is 1.")]
    expect(given, [b, *w], slips, "w is not right.", "w0 = b.")
    wrong = [([b, *x], "x0 = 1 for every object; the bias stands in w.") for x in X]
    for x, found in zip(X, rows, strict=True):
        expect(
            found,
            [1, *x],
            [*wrong, ([*x, 1], "x0 comes first.")],
            "The objects are not right.",
            "x0 = 1 for every object.",
        )


@exercise("L4.9", "Right by luck", nothing)
def right_by_luck(answer: Any) -> None:
    """The lecture says that sign(a) differs from y if and only if y a <= 0, where sign(a) is 1 if a > 0, else -1.  That fails in one case.  Find it: give
    weights w, a bias b and an instance x with its label y, so that sign(a) = y and yet y a <= 0.  Answer with (w, b, x, y)."""
    w, b, x, y = read_instance(answer)
    if perceptron_test(b, w, x) != y:
        raise Wrong(
            "Here sign(a) differs from y, as the lecture says.", "Which activation gives y a <= 0 for either label?"
        )
    if y * (dot(w, x) + b) > 0:
        raise Wrong(
            "Here sign(a) = y and y a > 0, as the lecture says.", "Which activation gives y a <= 0 for either label?"
        )


def held_out_errors(X: Any, y: Any, X_new: Any, y_new: Any) -> list[int]:
    """Errors on new samples after 1, 2, ..., passes."""
    found = []
    for passes in range(1, MOST_PASSES + 1):
        b, w = perceptron_train(together(X, y), passes)
        found.append(sum(perceptron_test(b, w, x) != t for x, t in zip(X_new, y_new, strict=True)))
    return found


def draw_passes(rng: Random) -> dict[str, Any]:
    while True:
        X, y = separable(rng, 12, 2, intercept=True, size=9)
        noisy = [-t if i in (1, 6) else t for i, t in enumerate(y)]
        data = {"X": X[:8], "y": noisy[:8], "X_new": X[8:], "y_new": y[8:]}
        errors = held_out_errors(**data)
        if errors[0] > min(errors) and errors[-1] > min(errors) and abs(sum(noisy[:8])) < 8:
            return data


@exercise("L4.10", "Choose MaxIter", draw_passes)
def choose_passes(answer: Any, X: list[list[int]], y: list[int], X_new: list[list[int]], y_new: list[int]) -> None:
    """MaxIter is a hyperparameter, chosen on samples that training does not see.  Train PerceptronTrain on X = {X}, y = {y}, in this order, and test it on
    X_new = {X_new}, y_new = {y_new}: for which MaxIter from 1 to 30 are there the fewest errors on the new samples?  Answer with one such number."""
    passes = whole(answer, "MaxIter")
    if not 1 <= passes <= MOST_PASSES:
        raise Wrong(f"MaxIter must be from 1 to {MOST_PASSES}.")
    errors = held_out_errors(X, y, X_new, y_new)
    if errors[passes - 1] > min(errors):
        fewer = "fewer" if errors.index(min(errors)) < passes - 1 else "more"
        raise Wrong(
            f"With this MaxIter there are {errors[passes - 1]} errors on the new samples; fewer are possible.",
            f"Try {fewer} passes.",
        )
