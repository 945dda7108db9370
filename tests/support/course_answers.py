"""Right answers to the tasks of the course, computed by plain Python or found by trying, and answers with typical mistakes.

``RIGHT`` has for each task a function of its data that returns an answer; ``WRONG`` a list of such functions, each with a part of
the hint that its answer must get.
"""

import random
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from math import exp, floor, sqrt

from novikoff.course import plain
from novikoff.course.plain import dot, plus, square

F = Fraction


def any_of(candidates, fits):
    return next(candidate for candidate in candidates if fits(candidate))


def separating(data, intercept=False):
    return plain.separating_weights(plain.signed_rows(data["X"], data["y"], intercept))


def line_of_largest_margin(data):
    """By going round."""
    X, y = data["X"], data["y"]
    rows = plain.signed_rows(X, y, False)
    points = rows + [  # feet of the origin on lines through two rows
        plus(u, plus(v, u, -1), F(-dot(u, plus(v, u, -1)), square(plus(v, u, -1))))
        for u in rows
        for v in rows
        if u != v
    ]
    return max((w for w in points if any(w)), key=lambda w: min(dot(w, r) for r in rows) / sqrt(square(w)))


def update(w, x, y, eta):
    return plus(w, x, eta * y) if y * dot(w, x) <= 0 else list(w)


def pocket_at_ties(ratchet, X, d, draws, moves=lambda d, a: d * a <= 0, wrong=lambda d, a: (1 if a > 0 else -1) != d):
    """The pocket, with ratchet or without; what is a mistake and what an error can be chosen."""
    w = kept = [0] * len(X[0])
    run = best = 0
    for i in draws:
        moved = moves(d[i], dot(w, X[i]))
        w, run = (plus(w, X[i], d[i]), 0) if moved else (w, run + 1)
        errors = [sum(wrong(t, dot(v, x)) for x, t in zip(X, d, strict=True)) for v in (w, kept)]
        if (run > best if ratchet else moved) and errors[0] < errors[1]:
            kept, best = w, run
    return kept


def multiclass_weights(data):
    return plain.multiclass_perceptron(plain.with_one(data["X"]), data["classes"], 3, passes=10**6)[-1]


def truth_network(data):
    table = dict(zip(map(tuple, data["inputs"]), data["table"], strict=True))
    return plain.boolean_network(lambda *bits: table[bits], 3)


def sigmoid(z):
    return 1 / (1 + exp(-z))


def neuron(w, x, d, eta, a):
    out = sigmoid(a * dot(w, x))
    return plus(w, x, eta * (d - out) * a * out * (1 - out))


def generalised(W, x, c):
    scores = [dot(w, x) for w in W]
    ahead = [k for k in range(len(W)) if k != c and scores[k] >= scores[c]]
    return [plus(w, x, -1 if k in ahead else bool(ahead) if k == c else 0) for k, w in enumerate(W)]


def hinge(a, b, x, y, gamma, delta):
    inside = y * (dot(a, x) + b) < 1
    return [
        (1 - delta) * v + delta * gamma * y * z * inside for v, z in zip(a, x, strict=True)
    ], b + delta * gamma * y * inside


def passive_aggressive(w, b, x, y, C):
    tau = min(C, max(0, 1 - y * (dot(w, x) + b)) / (square(x) + 1))
    return plus(w, x, tau * y), b + tau * y


def plane_of(data):
    on = 0
    a = plain.dual_weights(data["alpha"], data["X"], data["y"])
    return a, data["y"][on] - dot(a, data["X"][on])


def order_that_separates(data):
    def fits(order):
        D = [(data["X"][i], data["y"][i]) for i in order]
        b, w = plain.perceptron_train(D, 1)
        return all(y * (dot(w, x) + b) > 0 for x, y in D)

    return any_of(permutations(range(5)), fits)


def best_passes(data):
    D = list(zip(data["X"], data["y"], strict=True))

    def errors(passes):
        b, w = plain.perceptron_train(D, passes)
        return sum(plain.perceptron_test(b, w, x) != y for x, y in zip(data["X_new"], data["y_new"], strict=True))

    return min(range(1, 31), key=errors), max(range(1, 31), key=errors)


def ending_points():
    rng = random.Random(0)
    tries = (rng.sample(range(-9, 10), 5) for _ in range(1000))
    return any_of(tries, lambda x: not plain.recurs([[v, 1] for v in x], [0, 1, 2, 3, 4], 5, "all"))


def gap_bound(data, rho=None, start=None):
    gamma2 = max(map(square, data["Phi"]))
    return F(plain.gap(start or data["w0"], data["w_star"], rho or data["rho"]), gamma2)


def constant(value):
    return lambda data: value


RIGHT = {
    "L0.1": lambda d: plus(d["w"], d["x"], d["eta"] * d["y"]),
    "L0.2": lambda d: {i for i, x in enumerate(d["X"]) if d["y"][i] * dot(d["w"], x) <= 0},
    "L0.3": constant(update),
    "L0.4": constant(plain.batch_update),
    "L0.5": lambda d: d["eta"] / 2,
    "L0.6": lambda d: [float(v) for v in plain.perceptron(d["X"], d["y"], passes=10**5)[-1]],
    "L0.7": line_of_largest_margin,
    "L0.8": constant([(0, 0), (1, 2), (2, 4)]),
    "L0.9": constant(([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1])),
    "L0.10": lambda d: plain.novikoff_bound(d["X"], d["y"], d["w_star"]),
    "L0.11": lambda d: plain.cycle(d["X"], d["y"], 10**5),
    "L0.12": truth_network,
    "L0.13": lambda d: (separating(d), [10**6 * v for v in separating(d)]),
    "L1.1": lambda d: any_of(
        product((-F(3, 2), -1, -F(1, 2), 0, F(1, 2), 1, F(3, 2)), (-1, 0, 1), (-1, 0, 1)),
        lambda w: all((w[0] + dot(w[1:], x) >= 0) == (t == 1) for x, t in zip(d["inputs"], d["d"], strict=True)),
    ),
    "L1.2": constant(lambda w, x, d, eta: [v + eta * (d - dot(w, x)) * z for v, z in zip(w, x, strict=True)]),
    "L1.3": constant(neuron),
    "L1.4": lambda d: plain.cover_share(d["N"], d["d"]),
    "L1.5": lambda d: max(N for N in range(1, 200) if plain.cover_share(N, d["d"]) >= F(1, 2)),
    "L1.6": constant(plain.pocket),
    "L1.7": constant(plain.ratchet_pocket),
    "L1.8": constant(generalised),
    "L1.9": multiclass_weights,
    "L1.10": constant([-2, 0, 3, -3, 2]),
    "L1.11": lambda d: plain.adaline_directly(d["X"], d["d"]),
    "L2.1": lambda d: d["y"] * dot(plus(d["w"], d["phi"], d["eta"] * d["y"]), d["phi"]),
    "L2.2": constant(lambda Phi, y, w: sum(t * dot(w, x) <= 0 for x, t in zip(Phi, y, strict=True))),
    "L2.3": lambda d: F(
        max(map(square, d["Phi"])), min(t * dot(d["w_star"], x) for x, t in zip(d["Phi"], d["y"], strict=True))
    ),
    "L2.4": lambda d: (
        plain.gap(plus(d["w"], d["phi"], d["y"]), d["w_star"], d["rho"]) - plain.gap(d["w"], d["w_star"], d["rho"])
    ),
    "L2.5": gap_bound,
    "L2.6": constant(plain.alternate),
    "L2.7": constant(([[1, 0], [1, 0], [0, 1]], [1, -1, 1])),
    "L2.8": constant(lambda x: [*x, x[0] ** 2 + x[1] ** 2]),
    "L2.9": constant(lambda w, phi, d, eta: plus(w, phi, eta * (d - sigmoid(dot(w, phi))))),
    "L3.1": lambda d: (dot(d["a"], d["x"]) + d["b"]) / sqrt(square(d["a"])),
    "L3.2": lambda d: min(t * (dot(d["a"], x) + d["b"]) for x, t in zip(d["X"], d["y"], strict=True)) / 5,
    "L3.3": lambda d: [max(0, 1 - t * (dot(d["a"], x) + d["b"])) for x, t in zip(d["X"], d["y"], strict=True)],
    "L3.4": constant(0.1),
    "L3.5": lambda d: balanced(plain.svm_dual(d["X"], d["y"], d["gamma"], tol=1e-12).alpha),
    "L3.6": plane_of,
    "L3.7": constant(plain.dual_step),
    "L3.8": constant(hinge),
    "L3.9": lambda d: max(map(square, d["X"])),
    "L3.10": lambda d: sum(d["alpha"]) - square(plain.dual_weights(d["alpha"], d["X"], d["y"])) / 2,
    "L4.1": lambda d: [1 if dot(d["w"], x) > d["theta"] else -1 for x in d["X"]],
    "L4.2": constant(plain.perceptron_train),
    "L4.3": lambda d: plain.perceptron_train(list(zip(d["X"], d["y"], strict=True)), 1),
    "L4.4": lambda d: dot(plus(d["w"], d["x"], d["y"]), d["x"]) + d["b"] + d["y"],
    "L4.5": constant(([5], 0, [-1], 1)),
    "L4.6": constant(passive_aggressive),
    "L4.7": order_that_separates,
    "L4.8": lambda d: ([d["b"], *d["w"]], [[1, *x] for x in d["X"]]),
    "L4.9": constant(([1, -1], 0, [2, 2], -1)),
    "L4.10": lambda d: best_passes(d)[0],
}


def balanced(alpha):
    """Alphas of two classes of two samples, whose sums are equal to the last bit."""
    a, b, c, d = map(F, alpha)
    return [a, b, c, a + b - c] if 0 <= a + b - c <= 1 and abs(a + b - c - d) < 1e-9 else [a, b, a + b - d, d]


def strict_update(w, x, y, eta):
    return plus(w, x, eta * y) if y * dot(w, x) < 0 else w


def endless(*arguments):
    while True:
        pass


def raising(*arguments):
    raise KeyError("no such thing")


def leaving(*arguments):
    raise SystemExit(1)


WRONG = {
    "L0.1": [
        (lambda d: d["w"], "must move"),
        (lambda d: plus(d["w"], d["x"], -d["eta"] * d["y"]), "wrong way"),
        (lambda d: plus(d["w"], d["x"], d["y"]), "not 1"),
        (lambda d: [1e6, 0, 0], r"w\^k \+ eta y x"),
    ],
    "L0.2": [
        (lambda d: [i for i, x in enumerate(d["X"]) if dot(d["w"], x) < 0], "lacks y"),
        (lambda d: [i for i, x in enumerate(d["X"]) if d["y"][i] * dot(d["w"], x) < 0], "on the boundary"),
        (lambda d: [i for i, x in enumerate(d["X"]) if d["y"][i] * dot(d["w"], x) > 0], "classified correctly"),
        (lambda d: [9], "numbered from 0 to 6"),
        (lambda d: [1, 1], "twice"),
    ],
    "L0.3": [
        (constant(strict_update), "at a tie"),
        (constant(lambda w, x, y, eta: plus(w, x, eta * y)), "also learns"),
        (constant(lambda w, x, y, eta: update(w, x, y, -eta)), "wrong way"),
        (constant(lambda w, x, y, eta: update(w, x, y, 1)), "does not use eta"),
        (constant(lambda w, x, y, eta: update(w, x, y, 2 * eta)), "twice"),
        (constant(lambda w, x, y, eta: None), "return"),
        (constant(lambda w, x, y, eta: [0]), "must be a list of"),
        (constant(endless), "without end"),
        (constant(raising), "these arguments"),
        (constant(leaving), "these arguments"),
        (constant(update([0], [1], 1, 1)), "without parentheses"),
    ],
    "L0.4": [
        (constant(lambda w, X, y, eta: plain.perceptron(X, y, w, eta, 1)[-1]), "old w first"),
        (constant(lambda w, X, y, eta: plain.batch_update(w, X, y, 1)), "does not use eta"),
        (
            constant(
                lambda w, X, y, eta: [
                    sum(a) for a in zip(w, *[plain.times(eta * t, x) for x, t in zip(X, y, strict=True)], strict=True)
                ]
            ),
            "misclassified samples only",
        ),
    ],
    "L0.5": [(lambda d: d["eta"], "t - o is not y"), (lambda d: 2 * d["eta"], "smaller"), (constant(0), "How long")],
    "L0.6": [
        (constant([0, 0]), "perceptron run"),
        (lambda d: [-float(v) for v in separating(d)], "perceptron run"),
        (constant([1, 2, 3]), ""),
    ],
    "L0.7": [(constant([0.0, 0.0]), "perceptron run")],
    "L0.8": [
        (constant([[0, 0], [1, 0], [0, 1]]), "cut"),
        (constant([[0, 0], [0, 0], [1, 1]]), "different"),
        (constant([[0, 0], [1, 1]]), ""),
    ],
    "L0.9": [
        (constant(([[0, 0], [1, 1], [0, 1], [1, 0]], [1, -1, 1, -1])), "XOR"),
        (constant(([[0, 0], [1, 1], [2, 2], [1, 0]], [1, -1, 1, -1])), "Move"),
        (constant(([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, 1, 1])), "both labels"),
        (constant(([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, 0, 1])), ""),
    ],
    "L0.10": [
        (
            lambda d: F(
                max(map(square, d["X"])), min(t * dot(d["w_star"], x) for x, t in zip(d["X"], d["y"], strict=True)) ** 2
            ),
            "length 1",
        ),
        (lambda d: 1 / F(plain.novikoff_bound(d["X"], d["y"], d["w_star"])), "above"),
    ],
    "L0.11": [
        (constant([0] * 5), "positive"),
        (constant([1, 1, -1, 0, 0]), "zero or positive"),
        (lambda d: [v + 1e-9 * (i == 0) for i, v in enumerate(plain.cycle(d["X"], d["y"], 10**5))], "nearly"),
        (constant([10**5, 1, 0, 0, 0]), "label"),
    ],
    "L0.12": [
        (constant(([([1, 1, 1], -1)], ([1], 0))), "for one input only"),
        (constant(([], ([], 0))), "Eight"),
        (constant(3), ""),
    ],
    "L0.13": [
        (lambda d: (separating(d), separating(d)), "multiplied by the same number"),
        (constant(([0, 0], [1, 1])), "perceptron run"),
    ],
    "L1.1": [(constant([0, 0, 0]), ""), (constant([-5, 1, 1]), "moves the line")],
    "L1.2": [
        (constant(lambda w, x, d, eta: plus(w, x, eta * (dot(w, x) - d))), "other sign"),
        (constant(lambda w, x, d, eta: plus(w, x, eta * d) if d * dot(w, x) <= 0 else w), "perceptron's rule"),
        (constant(lambda w, x, d, eta: plus(w, x, 2 * eta * (d - dot(w, x)))), "no factor 2"),
    ],
    "L1.3": [
        (constant(lambda w, x, d, eta, a: plus(w, plus(neuron(w, x, d, eta, a), w, -1), -1)), "grows"),
        (constant(lambda w, x, d, eta, a: plus(w, x, eta * (d - sigmoid(a * dot(w, x))))), "missing"),
        (constant(lambda w, x, d, eta, a: neuron(w, x, d, eta / a, a)), "factor a"),
        (constant(lambda w, x, d, eta, a: neuron(w, x, d, eta, 1)), "does not use the slope"),
    ],
    "L1.4": [
        (lambda d: plain.cover_share(d["N"], d["d"] - 1), "d included"),
        (lambda d: plain.cover_share(d["N"], d["d"]) / 2, r"2\^\(N-1\)"),
        (lambda d: plain.cover_count(d["N"], d["d"]), "share"),
    ],
    "L1.5": [(lambda d: 2 * d["d"], "rule of thumb"), (lambda d: d["d"] + 1, "probability is 1"), (constant(2.5), "")],
    "L1.6": [
        (constant(lambda X, d, draws: plain.stochastic_perceptron(X, d, draws)[-1]), "last weights"),
        (constant(plain.gallant_pocket), "Gallant"),
        (constant(plain.ratchet_pocket), "with ratchet"),
        (constant(partial(pocket_at_ties, False, wrong=lambda d, a: d * a <= 0)), "an error for d = 1, but not"),
        (constant(partial(pocket_at_ties, False, wrong=lambda d, a: (1 if a >= 0 else -1) != d)), "-1, not 1"),
        (constant(partial(pocket_at_ties, False, moves=lambda d, a: d * a < 0)), "misclassified, too"),
        (constant(partial(pocket_at_ties, False, moves=lambda d, a: (1 if a > 0 else -1) != d)), "whatever d_i is"),
    ],
    "L1.7": [
        (constant(plain.gallant_pocket), "no ratchet"),
        (constant(plain.pocket), "ignores the runs"),
        (constant(lambda X, d, draws: plain.stochastic_perceptron(X, d, draws)[-1]), "last weights"),
        (constant(partial(pocket_at_ties, True, wrong=lambda d, a: d * a <= 0)), "an error for d = 1, but not"),
        (constant(partial(pocket_at_ties, True, wrong=lambda d, a: (1 if a >= 0 else -1) != d)), "-1, not 1"),
        (constant(partial(pocket_at_ties, True, moves=lambda d, a: d * a < 0)), "misclassified, too"),
        (constant(partial(pocket_at_ties, True, moves=lambda d, a: (1 if a > 0 else -1) != d)), "whatever d_i is"),
    ],
    "L1.8": [
        (
            constant(
                lambda W, x, c: [
                    plus(w, x, g)
                    for w, g in zip(W, plain.multiclass_step("worst", [dot(w, x) for w in W], c), strict=True)
                ]
            ),
            "Only the highest",
        ),
        (
            constant(
                lambda W, x, c: [
                    plus(w, x, g)
                    for w, g in zip(W, plain.multiclass_step("uniform", [dot(w, x) for w in W], c), strict=True)
                ]
            ),
            "share",
        ),
    ],
    "L1.9": [
        (constant([[0, 0, 0]] * 3), "perceptron"),
        (lambda d: multiclass_weights(d)[::-1], "perceptron"),
        (constant([[1, 2], [3, 4], [5, 6]]), ""),
    ],
    "L1.10": [
        (constant(ending_points()), "Try others"),
        (constant([1, 1, 2, 3, 4]), "different"),
        (constant([0, 1, 2, 3, 99]), "inside"),
    ],
    "L1.11": [
        (constant([0, 0, 0]), "slope = 0"),
        (lambda d: [v + F(1, 10**5) for v in plain.adaline_directly(d["X"], d["d"])], "slope = 0"),
    ],
    "L2.1": [
        (lambda d: d["y"] * dot(d["w"], d["phi"]), ""),
        (lambda d: d["y"] * dot(d["w"], d["phi"]) + square(d["phi"]), "not 1"),
    ],
    "L2.2": [
        (constant(lambda Phi, y, w: sum(t * dot(w, x) < 0 for x, t in zip(Phi, y, strict=True))), "boundary"),
        (constant(lambda Phi, y, w: sum(t * dot(w, x) > 0 for x, t in zip(Phi, y, strict=True))), "correctly"),
        (
            constant(lambda Phi, y, w: sum((1 if dot(w, x) > 0 else -1) != t for x, t in zip(Phi, y, strict=True))),
            "luck",
        ),
    ],
    "L2.3": [
        (constant(0), "how large"),
        (lambda d: plain.smallest_rho(d["Phi"], d["y"], d["w_star"], 0), "not <= 0"),
        (lambda d: plain.smallest_rho(d["Phi"], d["y"], d["w_star"], max(map(square, d["Phi"]))) * F(999, 1000), ""),
    ],
    "L2.4": [
        (lambda d: square(d["phi"]), "missing"),
        (lambda d: square(d["phi"]) - 2 * d["rho"] * d["y"] * dot(d["w_star"], d["phi"]), "upper bound"),
    ],
    "L2.5": [(lambda d: gap_bound(d, start=[0, 0]), "start"), (lambda d: gap_bound(d, rho=1), "rho")],
    "L2.6": [
        (constant(lambda y: plain.alternate([-t for t in y])), "Start with"),
        (constant(lambda y: list(range(len(y)))), "lie"),
        (constant(lambda y: sorted(range(len(y)), key=lambda i: -y[i])), "avoid"),
    ],
    "L2.7": [
        (constant(([[1, 0], [0, 1]], [1, 1])), "stay on the line"),
        (constant(([[1, 0], [1, 0]], [1, -1])), "force"),
        (constant(([[1, 0], [0, 0]], [1, -1])), "every line"),
        (constant(([[1, 0]], [1, -1])), ""),
    ],
    "L2.8": [
        (constant(lambda x: list(x)), "Plot"),
        (constant(lambda x: [1] * (x[0] + 9)), "same features"),
        (constant(lambda x, calls=[]: [calls.append(0) or len(calls)]), "depend on x only"),
        (constant(lambda x: []), ""),
    ],
    "L2.9": [
        (constant(lambda w, phi, d, eta: plus(w, phi, eta * (sigmoid(dot(w, phi)) - d))), "climbs"),
        (constant(lambda w, phi, d, eta: plus(w, phi, d - sigmoid(dot(w, phi)))), "does not use eta"),
    ],
    "L3.1": [
        (lambda d: dot(d["a"], d["x"]) + d["b"], "length 1"),
        (lambda d: dot(d["a"], d["x"]) / sqrt(square(d["a"])), "forget b"),
    ],
    "L3.2": [(lambda d: 5 * RIGHT["L3.2"](d), "Divide"), (lambda d: 2 * RIGHT["L3.2"](d), "one side")],
    "L3.3": [
        (lambda d: [1 - t * (dot(d["a"], x) + d["b"]) for x, t in zip(d["X"], d["y"], strict=True)], "never negative"),
        (
            lambda d: [max(0, -t * (dot(d["a"], x) + d["b"])) for x, t in zip(d["X"], d["y"], strict=True)],
            "inside the margin",
        ),
    ],
    "L3.4": [
        (constant(1000), "too large"),
        (constant(1e-3), "too small"),
        (constant(-1), "price"),
        (constant(1e9), "between"),
    ],
    "L3.5": [
        (constant([0, 0, 0, 0]), "L_d grows"),
        (constant([-1, 1, 0, 0]), "box"),
        (lambda d: [d["gamma"], 0, 0, 0], "stays"),
        (lambda d: [9, 9, 9, 9], "box"),
    ],
    "L3.6": [
        (lambda d: (plane_of(d)[0], plane_of(d)[1] + 1), "Put a sample"),
        (lambda d: ([-v for v in plane_of(d)[0]], -plane_of(d)[1]), "signs"),
    ],
    "L3.7": [
        (
            constant(
                lambda alpha, b, X, y, mu: (
                    plain.dual_step(alpha, b, X, y, mu)[0],
                    b + y[mu] * (plain.dual_step(alpha, b, X, y, mu)[1] != b),
                )
            ),
            "not by y",
        ),
        (constant(lambda alpha, b, X, y, mu: (alpha, b)), ""),
    ],
    "L3.8": [
        (
            constant(
                lambda a, b, x, y, g, delta: (
                    plus(hinge(a, b, x, y, g, delta)[0], a, delta),
                    hinge(a, b, x, y, g, delta)[1],
                )
            ),
            "shorter",
        ),
        (constant(lambda a, b, x, y, g, delta: (hinge(a, b, x, y, g, delta)[0], b)), "b moves"),
    ],
    "L3.9": [
        (lambda d: plain.smallest_ball_squared(d["X"]), "smallest ball"),
        (lambda d: sqrt(max(map(square, d["X"]))), r"R\^2"),
    ],
    "L3.10": [
        (lambda d: sum(d["alpha"]) - square(plain.dual_weights(d["alpha"], d["X"], d["y"])), "halved"),
        (lambda d: sum(d["alpha"]) + square(plain.dual_weights(d["alpha"], d["X"], d["y"])) / 2, "subtracted"),
    ],
    "L4.1": [
        (lambda d: [1 if dot(d["w"], x) >= d["theta"] else -1 for x in d["X"]], "does not fire"),
        (lambda d: [-v for v in RIGHT["L4.1"](d)], ""),
        (constant([1, 0, 1, 0, 1, 0]), ""),
    ],
    "L4.2": [
        (constant(lambda D, n: plain.perceptron_train(D, n)[::-1]), "order"),
        (constant(lambda D, n: plain.perceptron_train(D, 1 if n else 0)), "passes"),
        (constant(lambda D, n: (0, [0] * len(D[0][0]))), "tie"),
    ],
    "L4.3": [
        (constant((0, [0, 0])), "zero weights"),
        (lambda d: plain.perceptron_train(list(zip(d["X"], d["y"], strict=True))[:1] * 5, 1)[::-1], ""),
    ],
    "L4.4": [(lambda d: dot(d["w"], d["x"]) + d["b"], "before"), (lambda d: RIGHT["L4.4"](d) - d["y"], "bias")],
    "L4.5": [
        (constant(([1], 0, [1], 1)), "Begin with"),
        (constant(([0], 0, [1], 1)), "further away"),
        (constant(([0], 0, [1], 2)), ""),
    ],
    "L4.6": [
        (constant(lambda w, b, x, y, C: passive_aggressive(w, b, x, y, 10**9)), "longer than C"),
        (
            constant(lambda w, b, x, y, C: (w, b) if y * (dot(w, x) + b) > 0 else passive_aggressive(w, b, x, y, C)),
            "inside the margin",
        ),
    ],
    "L4.7": [(constant([0, 1, 2, 3, 4]), "Alternate"), (constant([0, 1]), "once")],
    "L4.8": [
        (lambda d: ([*d["w"], d["b"]], [[*x, 1] for x in d["X"]]), "first"),
        (lambda d: ([d["b"], *d["w"]], [[d["b"], *x] for x in d["X"]]), "stands in w"),
    ],
    "L4.9": [(constant(([1], 0, [0], 1)), "Which activation"), (constant(([1], 0, [1], 1)), "Which activation")],
    "L4.10": [(lambda d: best_passes(d)[1], "Try"), (constant(0), ""), (constant(31), "")],
}
"""Tasks with one right answer, a number or lists of numbers."""
UNIQUE = [
    "L0.1",
    "L0.5",
    "L0.10",
    "L1.4",
    "L1.11",
    "L2.1",
    "L2.4",
    "L2.5",
    "L3.1",
    "L3.2",
    "L3.3",
    "L3.6",
    "L3.9",
    "L3.10",
    "L4.1",
    "L4.3",
    "L4.4",
    "L4.8",
]
FUNCTIONS = [
    "L0.3",
    "L0.4",
    "L1.2",
    "L1.3",
    "L1.6",
    "L1.7",
    "L1.8",
    "L2.2",
    "L2.6",
    "L2.8",
    "L2.9",
    "L3.7",
    "L3.8",
    "L4.2",
    "L4.6",
]
ROUNDED_DOWN = {"L0.10": lambda d: floor(RIGHT["L0.10"](d)), "L2.5": lambda d: floor(gap_bound(d))}
