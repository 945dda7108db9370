"""Proofs of gaps, compared with the truth in balls of 300 bits: objectives not below it, minima not above it, shares that add up to zero."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from scipy import sparse

from novikoff.solvers.audit import Fit, KindRows, evened_squares, prove, prove_smooth, smooth_sums
from novikoff.solvers.objectives import CrossEntropy, Hinge, SoftmaxEntropy, SquaredHinge, Squares

BITS = 300


@pytest.fixture(autouse=True)
def many_bits():
    """Balls small enough for every comparison here."""
    before, ctx.prec = ctx.prec, BITS
    yield
    ctx.prec = before


def ball(number):
    top, bottom = float(number).as_integer_ratio()
    return arb(top) / arb(bottom)


def balls(numbers):
    return [ball(number) for number in np.asarray(numbers, dtype=float).ravel()]


def entropy(chances):
    return -sum((q * q.log() for q in chances if q != 0), arb(0))


def logistic(slope, sign, score, share, weight):
    """The loss of a row, and its conjugate for a share, both times the row's weight."""
    q = sign * share / (weight * slope)
    return weight * (1 + (-slope * sign * score).exp()).log(), weight * entropy([q, 1 - q])


def squared_hinge(sign, score, share, weight):
    slack = 1 - sign * score
    loss = weight * slack**2 if slack > 0 else arb(0)
    assert sign * share >= 0
    return loss, sign * share - share**2 / (4 * weight)


def softmax(slope, own, scores, shares, weight):
    q = [(1 if k == own else 0) - share / (weight * slope) for k, share in enumerate(shares)]
    assert all(one >= 0 for one in q)
    ahead = [slope * (score - scores[own]) for score in scores]
    return weight * sum((one.exp() for one in ahead), arb(0)).log(), weight * entropy(q)


def problem(rng, kind, classes):
    """Any rows: weighted, scaled, shifted, sparse, of 32 bits; weights near the minimum of nothing."""
    rows, columns = int(rng.integers(classes + 1, 25)), int(rng.integers(1, 5))
    X = rng.normal(size=(rows, columns)) * 10.0 ** rng.integers(-6, 7, columns) * (rng.random((rows, columns)) < 0.8)
    if rng.random() < 0.5:
        X = X + 10.0 ** rng.integers(-6, 7, columns)
    X = X.astype(rng.choice([np.float32, np.float64]))
    target = rng.permutation(np.arange(rows) % classes)
    weight = rng.choice([np.ones(rows), 10.0 ** rng.uniform(-6, 6, rows)])
    slope, l2, intercept = 10.0 ** rng.uniform(-1, 1), 10.0 ** rng.uniform(-8, 8), bool(rng.integers(2))
    l2 = 1.0 if kind == "squared hinge" else l2
    outputs = {"softmax": classes, "logistic": 1}.get(kind, int(rng.integers(1, 3)))
    coef = rng.normal(size=(outputs, columns)) / np.maximum(1e-9, np.abs(X.astype(float)).max(axis=0))
    coef *= 10.0 ** rng.integers(-3, 2)
    bias = rng.normal(size=outputs) if intercept else np.zeros(outputs)
    fit = Fit(X if rng.random() < 0.6 else sparse.csr_array(X), intercept, l2, rng.choice([np.float32, np.float64]))
    signs = np.where(target[None] == np.arange(outputs)[:, None], 1.0, -1.0)
    if kind == "logistic":
        loss, s, y = CrossEntropy(target, weight, slope), ball(slope), balls(np.where(target == 1, 1.0, -1.0))
        each = lambda i, k, *rest: logistic(s, y[i], *rest)  # noqa: E731
    elif kind == "softmax":
        loss, s = SoftmaxEntropy(target, weight, slope, classes), ball(slope)
        each = lambda i, k, *rest: softmax(s, target[i], *rest)  # noqa: E731
    else:
        loss = SquaredHinge(signs, weight)
        each = lambda i, k, *rest: squared_hinge(ball(signs[k, i]), *rest)  # noqa: E731
    return X, weight, fit, coef, bias, loss, each


@pytest.mark.parametrize("kind", ["logistic", "softmax", "squared hinge"])
def test_a_proof_holds(kind, rng):
    """Of smooth losses the gap; of others both sides of it."""
    for _ in range(30):
        X, weight, fit, coef, bias, loss, each = problem(rng, kind, int(rng.integers(3, 5)) if kind == "softmax" else 2)
        tol = 10.0 ** rng.uniform(-14, -2)
        smooth = kind != "squared hinge"
        proof = prove_smooth(loss, fit, coef, bias, tol) if smooth else prove(loss, fit, coef, bias, tol)
        rows, weights, l2 = [balls(row) for row in X], balls(weight), ball(fit.l2)
        w, b, shares = [balls(one) for one in proof.coef], balls(proof.bias), [balls(row) for row in proof.shares]
        if fit.intercept:
            assert not any(sum(map(Fraction, column.tolist())) for column in proof.shares.T)
        else:
            assert not proof.bias.any()
        scores = [
            [sum((x * v for x, v in zip(row, own, strict=True)), c) for own, c in zip(w, b, strict=True)]
            for row in rows
        ]
        outputs = range(len(w))
        made = [
            [
                sum((share[k] * row[j] for share, row in zip(shares, rows, strict=True)), arb(0))
                for j in range(X.shape[1])
            ]
            for k in outputs
        ]
        primal = [l2 / 2 * sum((v**2 for v in own), arb(0)) for own in w]
        dual = [-sum((v**2 for v in own), arb(0)) / (2 * l2) for own in made]
        if kind == "softmax":
            primal, dual = [sum(primal, arb(0))], [sum(dual, arb(0))]
        for i, own in enumerate(weights):
            for k in range(len(primal)):
                some = (scores[i], shares[i]) if kind == "softmax" else (scores[i][k], shares[i][k])
                cost, gain = each(i, k, *some, own)
                primal[k], dual[k] = primal[k] + cost, dual[k] + gain
        zero = loss.at_zero(fit.intercept) if smooth else proof.gap.zero
        base = [max(p, ball(2.0**-53 * one)) for p, one in zip(primal, np.broadcast_to(zero, len(primal)), strict=True)]
        least = max(((p - d) / over).lower() for p, d, over in zip(primal, dual, base, strict=True))
        if smooth:
            assert proof.gap >= float(least)
            assert proof.least <= float(least) * (1 + 1e-9) or proof.gap == np.inf
            continue
        assert all(said >= true for said, true in zip(balls(proof.gap.primal), primal, strict=True))
        assert all(said <= true for said, true in zip(balls(proof.gap.dual), dual, strict=True))
        assert proof.gap.relative >= min(1.0, float(least))


@pytest.mark.parametrize("smooth", [False, True])
def test_entries_of_one_place_are_proved_as_one_number(smooth, rng):
    """Entries that nearly cancel: their products with a weight are rounded by more than all that they add up to."""
    X, target, huge = np.round(rng.normal(size=(20, 3)), 3), np.arange(20) % 2, 3.1e12
    entries = np.stack([X + huge, np.full_like(X, -huge)], axis=-1)
    twice = sparse.csr_array(
        (entries.ravel(), np.tile(np.repeat(np.arange(3), 2), 20), np.arange(21) * 6), shape=(20, 3)
    )
    once = twice.copy()
    once.sum_duplicates()
    coef, bias = rng.normal(size=(1, 3)), np.zeros(1)
    loss = (
        CrossEntropy(target, np.ones(20), 1.0)
        if smooth
        else SquaredHinge(np.where(target, 1.0, -1.0)[None], np.ones(20))
    )
    proofs = [
        (prove_smooth if smooth else prove)(loss, Fit(rows, False, 1.0), coef, bias, 1e-8) for rows in (twice, once)
    ]
    assert proofs[0].gap == proofs[1].gap
    assert np.array_equal(proofs[0].shares, proofs[1].shares)


@pytest.mark.parametrize("loss", [Hinge, SquaredHinge])
def test_what_a_hinge_adds_to_the_gap_is_the_sum_of_fenchel_and_young(loss, rng):
    """Row by row, in plain Python: the loss, less what alpha gains, plus alpha times the margin; and none of it is negative."""
    for _ in range(50):
        n, outputs = int(rng.integers(1, 9)), int(rng.integers(1, 4))
        signs, C = rng.choice([-1.0, 1.0], (outputs, n)), rng.uniform(0.1, 3.0, n)
        scores, near = rng.normal(size=(n, outputs)) * 2, rng.normal(size=outputs)
        shares, kept = signs.T * rng.uniform(0, 1, (n, outputs)) * C[:, None], rng.uniform(0.5, 1.0, 2)
        dual = loss(signs, C).dual(scores, near, shares, kept)
        for k in range(outputs):
            total, costs = 0.0, 0.0
            for i in range(n):
                margin = signs[k, i] * (scores[i, k] + near[k])
                alpha = abs(shares[i, k]) * kept[int(signs[k, i] > 0)]
                slack = max(0.0, 1 - margin)
                cost = C[i] * slack * (slack if loss is SquaredHinge else 1.0)
                gain = alpha - (alpha * alpha / (4 * C[i]) if loss is SquaredHinge else 0.0)
                total, costs = total + cost - gain + alpha * margin, costs + cost
                assert dual.shares[i, k] == pytest.approx(signs[k, i] * alpha)
            assert total * (1 - 1e-12) - 1e-12 <= dual.excess[k] <= total * (1 + 1e-9) + 1e-9
            assert costs * (1 - 1e-9) <= dual.value[k] <= costs


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("lean", [0.0, 1.0, 1e3])  # of the shares, beside a spread of 1
def test_evened_sums_of_squares_are_wrong_by_no_more_than_they_say(kind, lean, rng):
    X = (rng.normal(size=(3000, 40)) * 10.0 ** rng.integers(-2, 3, 40)).astype(kind)
    wanted = (rng.normal(size=(3000, 2)) + lean).astype(kind)
    loss, rows = Squares(wanted, np.empty(0)), KindRows(X, None, kind, True)
    scores, lengths = rows.scores(np.zeros((40, 2), kind))
    dual = loss.dual(scores, np.zeros(2), True)
    sums = smooth_sums(loss, rows, dual, lengths, np.inf)
    _, even = evened_squares(np.zeros(2), sums, len(X))
    shares = dual.shares.astype(np.longdouble)
    exact = X.T.astype(np.longdouble) @ (shares - shares.mean(axis=0))
    assert np.all(np.linalg.norm((even.made - exact).astype(float), axis=0) <= even.wrong)
