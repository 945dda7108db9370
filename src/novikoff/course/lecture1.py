"""Tasks of lecture 1: single layer perceptrons, pockets, Cover's theorem, Adaline, the neuron, several classes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from math import comb
from random import Random
from typing import Any

from .answer_reading import RETURNED, Wrong, as_many_as_first, matrix, number, vector, whole
from .comparing_answers import expect
from .exercises import exercise
from .plain import (
    adaline_directly,
    count_errors,
    cover_share,
    delta_step,
    dot,
    gallant_pocket,
    kesler_rows,
    logistic,
    mcculloch_pitts,
    multiclass_step,
    neuron_step,
    perceptron_step,
    plus,
    pocket,
    ratchet_pocket,
    recurs,
    separating_weights,
    stochastic_perceptron,
    times,
    total,
    with_one,
)
from .student_functions import Slips, agree
from .task_data import distinct_rows, halved, inseparable, nothing, row

Tie = Callable[[int, Any], bool]  # of a label and an activation

GATES = {
    "AND": [-1, -1, -1, 1],
    "OR": [-1, 1, 1, 1],
    "NAND": [1, 1, 1, -1],
    "NOR": [1, -1, -1, -1],
    "x1 AND NOT x2": [-1, -1, 1, -1],
    "x2 implies x1": [1, -1, 1, 1],
}


def draw_gate(rng: Random) -> dict[str, Any]:
    name = rng.choice(sorted(GATES))
    return {"gate": name, "inputs": [list(bits) for bits in product((0, 1), repeat=2)], "d": GATES[name]}


@exercise("L1.1", "A McCulloch-Pitts unit", draw_gate)
def gate_unit(answer: Any, gate: str, inputs: list[list[int]], d: list[int]) -> None:
    """The McCulloch-Pitts unit answers +1 if a = w0 + w1 x1 + w2 x2 >= 0, else -1.  Find weights with which it computes {gate}: for
    the inputs {inputs} it must answer {d}.  Answer with the list [w0, w1, w2]."""
    w0, *w = vector(answer, 3)
    for x, desired in zip(inputs, d, strict=True):
        a = w0 + dot(w, x)
        if mcculloch_pitts(a) != desired:
            hint = (
                "At a = 0 this unit answers +1." if a == 0 else "w0 moves the line: first find w1 and w2, then move it."
            )
            raise Wrong(f"For the input {x} your unit does not answer {desired}.", hint)


def adaline_trials(rng: Random) -> dict[str, Any]:
    etas = (Fraction(1, 2), Fraction(1, 4))
    trials = [(row(rng, 3), row(rng, 3), rng.choice((-1, 1)), float(rng.choice(etas))) for _ in range(8)]
    return {
        "trials": [
            *trials,
            ([1, 0], [1, 5], 1, 0.5),
            ([0, 0], [2, 1], -1, 0.5),
            ([3, 0], [1, 0], 1, 0.5),
            ([0, 0], [1, 3], 1, 0.25),
        ]
    }


@exercise("L1.2", "Write Adaline's update", adaline_trials)
def write_adaline(answer: Any, trials: list[tuple[Any, ...]]) -> None:
    """Write a function adaline(w, x, d, eta) that returns the weights after one sample: the output is y = w.x, and the step goes down the
    error (y - d)^2 / 2.  (Check the sign of the lecture's rule before you use it.)"""

    def made(step: Any) -> Any:
        return lambda w, x, d, eta: plus(w, x, eta * step(d, dot(w, x)))

    slips: Slips = {
        "With (y - d), as the lecture writes it, the error grows: descent needs the other sign.": made(
            lambda d, a: a - d
        ),
        "That is the perceptron's rule: Adaline also learns from samples on the correct side.": made(perceptron_step),
        "The output of Adaline is w.x itself, not its sign.": made(lambda d, a: d - (1 if a > 0 else -1)),
        "Here the error is halved, so its slope has no factor 2.": made(lambda d, a: 2 * (d - a)),
        "Your function does not use eta.": lambda w, x, d, eta: plus(w, x, d - dot(w, x)),
        "The slope of the error is (y - d) times x: your step lacks x.": lambda w, x, d, eta: [
            v + eta * (d - dot(w, x)) for v in w
        ],
    }
    agree(answer, made(delta_step), trials, as_many_as_first, slips, "w + eta (d - w.x) x, number by number.")


def neuron_trials(rng: Random) -> dict[str, Any]:
    trials = [(row(rng, 2, 2), row(rng, 2, 2), rng.choice((0, 1)), 0.5, rng.choice((1, 2, 3))) for _ in range(8)]
    return {"trials": [*trials, ([0, 0], [1, 2], 1, 0.5, 2), ([0, 0], [1, 2], 0, 0.5, 1)]}


@exercise("L1.3", "Write the neuron's update", neuron_trials)
def write_neuron(answer: Any, trials: list[tuple[Any, ...]]) -> None:
    """Write a function neuron(w, x, d, eta, a) that returns the weights after one sample x with the desired output d = 0 or 1: the
    output is phi(net) = 1 / (1 + exp(-a net)), net = w.x, and the step goes down E = (phi(net) - d)^2 / 2.  Mind the slope a."""

    def made(step: Any) -> Any:
        return lambda w, x, d, eta, a: plus(w, x, eta * step(d, dot(w, x), a))

    slips: Slips = {
        "With (out - d), as the summary of the lecture writes it, the error grows.": made(
            lambda d, z, a: -neuron_step(d, z, a)
        ),
        "The factor phi'(net) is missing (without it you descend on the cross-entropy).": made(
            lambda d, z, a: d - logistic(z, a)
        ),
        "phi'(net) has a factor a: derive phi(net) = 1 / (1 + exp(-a net)).": made(
            lambda d, z, a: neuron_step(d, z, a) / a
        ),
        "Your function does not use the slope a.": made(lambda d, z, a: neuron_step(d, z, 1)),
        "Your function does not use eta.": lambda w, x, d, eta, a: plus(w, x, neuron_step(d, dot(w, x), a)),
    }
    agree(
        answer,
        made(neuron_step),
        trials,
        as_many_as_first,
        slips,
        "eta (d - phi(net)) phi'(net) x with phi' = a phi (1 - phi).",
    )


def draw_cover(rng: Random) -> dict[str, Any]:
    d = rng.randint(2, 4)
    return {"N": d + rng.randint(3, 5), "d": d}


@exercise("L1.4", "Cover's theorem", draw_cover)
def cover(answer: Any, N: int, d: int) -> None:
    """N = {N} points in general position in d = {d} dimensions get random labels.  How probable is it that some hyperplane (with a
    bias) separates them, F(N, d)?  Answer with a number or a Fraction."""
    given = number(answer)
    slips = [
        (
            cover_share(N, d - 1),
            "The sum goes from i = 0 to d, with d included (d - 1 is for planes through the origin).",
        ),
        (cover_share(N, d) / 2, "Divide by 2^(N-1), not by 2^N."),
        (Fraction(sum(comb(N, i) for i in range(d + 1)), 2 ** (N - 1)), "The binomials are those of N - 1."),
        (Fraction(sum(comb(N, i) for i in range(d + 1)), 2**N), "The binomials are those of N - 1."),
        (cover_share(N, d) * 2 ** (N - 1), "That is half the number of labelings; their share is asked for."),
        (cover_share(N, d) * 2**N, "That is the number of labelings; their share is asked for."),
        (cover_share(N, d) * 100, "A probability is at most 1: do not give percent."),
    ]
    expect(
        given,
        cover_share(N, d),
        slips,
        "This is not F(N, d).",
        "F = 2^(1-N) times the sum of binomials (N-1 over i), i = 0 ... d.",
    )


def draw_dimension(rng: Random) -> dict[str, Any]:
    return {"d": rng.randint(3, 30)}


@exercise("L1.5", "How many points can a line remember?", draw_dimension)
def capacity(answer: Any, d: int) -> None:
    """In d = {d} dimensions, what is the largest number N of points in general position for which random labels are separable (with a
    bias) with a probability of at least 1/2?  Answer with a whole number."""
    slips = [
        (2 * d, "The lecture's 2 d is a rule of thumb: put N = 2 d and N = 2 d + 1 into F(N, d)."),
        (d + 1, "Up to there the probability is 1."),
    ]
    right = 2 * (d + 1)
    message = f"F({d + 1}, {d}) is 1, and F falls with N; but this is not the last N with F >= 1/2."
    expect(whole(answer), right, slips, message, "Which half of the binomials of N - 1 is in the sum?")


def read_pocket(given: Any, X: list[list[int]], *rest: Any) -> list[Fraction]:
    return vector(given, len(X[0]), RETURNED)


def last_weights(X: Any, d: Any, draws: Any) -> Any:
    return stochastic_perceptron(X, d, draws)[-1]


def lenient_pocket(X: Any, d: Any, draws: Any) -> Any:
    """Puts weights into the pocket that are only as good."""
    path = stochastic_perceptron(X, d, draws)
    kept = path[0]
    for w in path[1:]:
        kept = w if count_errors(w, X, d) <= count_errors(kept, X, d) else kept
    return kept


def unsteady_ratchet(X: Any, d: Any, draws: Any) -> Any:
    """best_run also grows where the errors did not fall."""
    w = kept = [0] * len(X[0])
    current = best = 0
    for i in draws:
        if perceptron_step(d[i], dot(w, X[i])):
            w, current = plus(w, X[i], d[i]), 0
        else:
            current += 1
        if current > best:
            best = current
            kept = w if count_errors(w, X, d) < count_errors(kept, X, d) else kept
    return kept


def sign_differs(d: int, a: Any) -> bool:
    """An error, by the sign of the activation: sign(0) = -1."""
    return mcculloch_pitts(-a) == d


def with_ties(ratchet: bool, error: Tie = sign_differs, mistake: Tie = lambda d, a: d * a <= 0) -> Any:
    """The pocket algorithm, with ratchet or without, with another idea of what an error or a mistake is at a tie."""

    def ended(X: Any, d: Any, draws: Any) -> Any:
        w = kept = [0] * len(X[0])
        current = best = 0
        for i in draws:
            moved = mistake(d[i], dot(w, X[i]))
            w, current = (plus(w, X[i], d[i]), 0) if moved else (w, current + 1)
            now, before = (sum(error(t, dot(v, x)) for x, t in zip(X, d, strict=True)) for v in (w, kept))
            if now < before and (current > best if ratchet else moved):
                kept, best = w, current
        return kept

    return ended


def tie_slips(ratchet: bool) -> Slips:
    """What ties are taken for."""
    return {
        "At w.x = 0 the sign is -1: that is an error for d = 1, but not for d = -1.": with_ties(
            ratchet, error=lambda d, a: d * a <= 0
        ),
        "At w.x = 0 the sign is -1, not 1.": with_ties(ratchet, error=lambda d, a: mcculloch_pitts(a) != d),
        "A tie, d_i w.x_i = 0, is misclassified, too: with zero weights every sample is one.": with_ties(
            ratchet, mistake=lambda d, a: d * a < 0
        ),
        "A tie, d_i w.x_i = 0, is misclassified whatever d_i is: w moves, though sign(0) = -1 may be right.": with_ties(
            ratchet, mistake=sign_differs
        ),
    }


def pocket_trials(rng: Random) -> dict[str, Any]:
    """Runs in which pockets of all sorts end differently; some samples are no whole numbers."""
    sorts: tuple[Any, ...] = (pocket, ratchet_pocket, gallant_pocket, last_weights, lenient_pocket, unsteady_ratchet)
    while True:
        trials = []
        for n in (5, 6, 6, 7):
            X, y = inseparable(rng, n, 2, intercept=True)
            trials += [(with_one(X), y, [rng.randrange(n) for _ in range(24)]) for _ in range(3)]
            trials.append((with_one(halved(X)), y, [rng.randrange(n) for _ in range(24)]))
        ends = [[sort(*trial) for trial in trials] for sort in sorts]
        ties = (
            [[slip(*trial) for trial in trials] for slip in tie_slips(ratchet).values()] for ratchet in (False, True)
        )
        if all(one != other for own in ties for one, other in combinations([*ends, *own], 2)):
            return {"trials": trials}


@exercise("L1.6", "Write the pocket algorithm", pocket_trials)
def write_pocket(answer: Any, trials: list[tuple[Any, ...]]) -> None:
    """Write the naive pocket algorithm as a function pocket(X, d, draws): w and the pocket start as zeros; for every number i in draws, if
    sample i is misclassified (d_i w.x_i <= 0), w <- w + d_i x_i, and if the new w has fewer errors on all samples than the pocket, it is
    put into the pocket.  An error is a sample with sign(w.x) not equal to d, where sign(0) = -1.  Return the pocket."""
    slips: Slips = {
        "Your function returns the last weights, not the pocket.": last_weights,
        "Weights that are only as good as the pocket stay outside.": lenient_pocket,
        "That is Gallant's algorithm, which counts runs of correct answers; here errors are counted.": gallant_pocket,
        "That is the pocket with ratchet; the naive one looks after every update, whatever the run.": ratchet_pocket,
        **tie_slips(ratchet=False),
    }
    agree(
        answer,
        pocket,
        trials,
        read_pocket,
        slips,
        "Compare the errors of the new weights with those of the pocket, after updates only.",
    )


@exercise("L1.7", "Write the ratchet", pocket_trials)
def write_ratchet(answer: Any, trials: list[tuple[Any, ...]]) -> None:
    """Write Gallant's pocket algorithm with ratchet as a function ratchet(X, d, draws): w and the pocket start as zeros, best_run and
    current_run at 0.  For every number i in draws: if sample i is misclassified (d_i w.x_i <= 0), w <- w + d_i x_i and current_run is 0;
    else current_run grows by 1.  Then, if current_run > best_run and w has fewer errors on all samples than the pocket, w is put into the
    pocket and best_run is current_run.  An error is a sample with sign(w.x) not equal to d, where sign(0) = -1.  Return the pocket."""

    slips: Slips = {
        "Your pocket has no ratchet: a longer run is not enough, the errors must also be fewer.": gallant_pocket,
        "Your pocket ignores the runs: w is looked at only when its run is longer than the best.": pocket,
        "Your function returns the last weights, not the pocket.": last_weights,
        "best_run belongs to the pocket: it changes only when the pocket does.": unsteady_ratchet,
        **tie_slips(ratchet=True),
    }
    agree(
        answer,
        ratchet_pocket,
        trials,
        read_pocket,
        slips,
        "Two conditions: a longer run, and fewer errors than the pocket.",
    )


def several_trials(rng: Random) -> dict[str, Any]:
    trials = []
    for K in (3, 4, 5):
        for _ in range(4):
            trials.append(([row(rng, 2, 3) for _ in range(K)], row(rng, 2, 3), rng.randrange(K)))
        trials.append(([[0, 0]] * K, row(rng, 2, 3), rng.randrange(K)))
        trials.append((halved([row(rng, 2, 3) for _ in range(K)]), halved(row(rng, 2, 3)), rng.randrange(K)))
        trials.append(([[0, 0]] * K, halved([1, 3]), rng.randrange(K)))
    w = row(rng, 2)
    return {"trials": [*trials, ([w, w, times(2, w)], w, 0), ([w, times(2, w), w, times(3, w)], w, 1)]}


@exercise("L1.8", "Write the generalised perceptron's update", several_trials)
def write_generalised(answer: Any, trials: list[tuple[Any, ...]]) -> None:
    """Write a function update(W, x, c) for several classes: W has one weight vector for every class, c is the number of the true
    class (from 0).  As in the lecture, every other node that is activated at least as much as node c (a tie is a mistake) loses x, and if there
    is any, node c gains x once.  Return the new W, a list of lists."""

    def made(step: Any) -> Any:
        return lambda W, x, c: [plus(w, x, g) for w, g in zip(W, step([dot(w, x) for w in W], c), strict=True)]

    def strict(scores: Any, c: int) -> Any:
        losers = [k for k, a in enumerate(scores) if a > scores[c]]
        return [-1 if k in losers else int(k == c and bool(losers)) for k in range(len(scores))]

    def many(scores: Any, c: int) -> Any:
        g = multiclass_step("all", scores, c)
        return [-sum(v for v in g if v < 0) if k == c else v for k, v in enumerate(g)]

    slips: Slips = {
        "Only the highest node loses x in your function; the lecture takes x from all that are ahead.": made(
            lambda s, c: multiclass_step("worst", s, c)
        ),
        "A node that is activated exactly as much as node c loses x, too.": made(strict),
        "Node c gains x once, however many nodes lose it.": made(many),
        "The nodes ahead do not share the loss: each loses x.": made(lambda s, c: multiclass_step("uniform", s, c)),
        "That is one perceptron for each class against the rest; here nodes are compared with node c.": made(
            lambda s, c: multiclass_step("ovr", s, c)
        ),
    }

    def read(given: Any, W: Any, x: Any, c: int) -> Any:
        return matrix(given, len(W), len(x), RETURNED)

    agree(
        answer,
        made(lambda s, c: multiclass_step("all", s, c)),
        trials,
        read,
        slips,
        "Compare every node's activation with that of node c.",
    )


def draw_clusters(rng: Random) -> dict[str, Any]:
    while True:
        X = distinct_rows(rng, 7, 2, 5)
        W = [row(rng, 3) for _ in range(3)]
        scores = [[dot(w, x) for w in W] for x in with_one(X)]
        classes = [s.index(max(s)) for s in scores]
        if all(s.count(max(s)) == 1 for s in scores) and all(classes.count(k) > 1 for k in range(3)):
            return {"X": X, "classes": classes}


@exercise("L1.9", "Separate three classes", draw_clusters)
def three_classes(answer: Any, X: list[list[int]], classes: list[int]) -> None:
    """Find three linear discriminant functions y_k(x) = w_k1 x1 + w_k2 x2 + w_k0 with the largest y_k for the true class of every
    sample: X = {X} have the classes {classes}.  Answer with three lists [w_k1, w_k2, w_k0], one for each class."""
    W = matrix(answer, 3, 3)
    for i, (x, c) in enumerate(zip(with_one(X), classes, strict=True)):
        scores = [dot(w, x) for w in W]
        if any(scores[k] >= scores[c] for k in range(3) if k != c):
            how = "a tie" if max(scores) == scores[c] else "another class is ahead"
            hint = "Let a generalised perceptron run until it makes no mistake; the bias is the last number."
            raise Wrong(f"Sample {i} (counted from 0), {x[:2]} of class {c}: {how}.", hint)


@exercise("L1.10", "Refute the generalised convergence theorem", nothing)
def refute(answer: Any) -> None:
    """The lecture claims that its generalised perceptron, where every node ahead of the true one loses x, ends if the classes are
    linearly separable.  That is false.  Place five points on a line, one of each class 0, ..., 4, that are separable (rows are (x, 1), one
    weight vector for each class), but on which it runs without end: from zero weights, samples in the order of their classes.  Answer with five
    different whole numbers from -9 to 9.  (Search: many random sets will do.)"""
    points = [whole(v, "Each point") for v in vector(answer, 5)]
    if len(set(points)) < 5:
        raise Wrong("Two of your points are the same.", "Place five different points.")
    if max(map(abs, points)) > 9:
        raise Wrong("A point lies outside -9 ... 9.", "Stay inside.")
    X, classes = [[x, 1] for x in points], [0, 1, 2, 3, 4]
    if separating_weights(kesler_rows(X, classes, 5, intercept=False)) is None:
        raise Wrong("These classes are not separable.", "Different points of different classes should be.")
    if not recurs(X, classes, 5, "all"):
        raise Wrong(
            "On these points the algorithm ends.",
            "Try others: write a program that notices when weights, less their mean, come back.",
        )


def draw_regression(rng: Random) -> dict[str, Any]:
    while True:
        X, d = with_one(distinct_rows(rng, 5, 2)), [rng.choice((-1, 1)) for _ in range(5)]
        try:
            best = adaline_directly(X, d)
        except ValueError:
            continue
        if any(dot(best, x) != t for x, t in zip(X, d, strict=True)):
            return {"X": X, "d": d}


@exercise("L1.11", "Adaline at once", draw_regression)
def least_squares(answer: Any, X: list[list[int]], d: list[int]) -> None:
    """Where does Adaline end if eta is small?  Find the weights w of the least error sum_i (w.x_i - d_i)^2 for the samples X = {X} (the
    last feature is the constant) with the desired outputs d = {d}.  Answer with a list of 3 numbers, exact to 6 digits."""
    w = vector(answer, 3)
    errors = [dot(w, x) - t for x, t in zip(X, d, strict=True)]
    slope = total([times(e, x) for e, x in zip(errors, X, strict=True)], 3)
    best = adaline_directly(X, d)
    if max(abs(a - b) for a, b in zip(w, best, strict=True)) > 1e-6 * max(1, *map(abs, best)):
        raise Wrong(
            f"The error is not least there: its slope is {[round(2 * float(v), 6) for v in slope]}, which should be zero.",
            "Solve the equations 'slope = 0', or let batch Adaline run longer with a smaller eta.",
        )
