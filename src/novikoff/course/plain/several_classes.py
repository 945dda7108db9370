"""One weight vector for every class: the class with the largest score is the answer."""

from __future__ import annotations

from .neurons import softmax
from .perceptrons import Path
from .vectors import Number, Rows, Vector, dot, plus


def rivals_ahead(scores: Vector, c: int) -> list[int]:
    """The classes that score at least as much as the true class c: if there are any, a mistake."""
    return [k for k in range(len(scores)) if k != c and not scores[c] > scores[k]]


def worst_rival(scores: Vector, c: int) -> int:
    """The first of the highest-scoring classes other than c."""
    rivals = [k for k in range(len(scores)) if k != c]
    return max(rivals, key=lambda k: (scores[k], -k))


def multiclass_step(form: str, scores: Vector, c: int) -> list[Number]:
    """g for every class: class k moves by g_k x.

    - "worst": of the rivals ahead only the highest loses x (Kesler's construction);
    - "all": every rival ahead loses x, the true class gains x once, as the lecture has it;
    - "uniform": the rivals ahead share the loss (Crammer and Singer 2003);
    - "ovr": every class is a perceptron of its class against the rest.
    """
    if form == "ovr":
        signs = [1 if k == c else -1 for k in range(len(scores))]
        return [0 if y * a > 0 else y for y, a in zip(signs, scores, strict=True)]
    ahead = rivals_ahead(scores, c)
    losers = [worst_rival(scores, c)] if form == "worst" and ahead else ahead
    g: list[Number] = [0] * len(scores)
    for k in losers:
        g[k] = -1 / len(losers) if form == "uniform" else -1
    g[c] = 1 if losers else 0
    return g


def softmax_step(scores: Vector, c: int, s: Number = 1) -> list[Number]:
    """g_k = s ([k = c] - p_k): logistic regression of several classes."""
    return [s * ((k == c) - p) for k, p in enumerate(softmax(scores, s))]


def multiclass_perceptron(
    X: Rows, classes: list[int], K: int, form: str = "worst", W: Rows | None = None, passes: int = 1000
) -> list[Path]:
    """The generalised perceptron, sample by sample until a pass makes no mistake; all W, one more after every update."""
    path = [[list(w) for w in W] if W else [[0] * len(X[0]) for _ in range(K)]]
    for _ in range(passes):
        before = len(path)
        for x, c in zip(X, classes, strict=True):
            g = multiclass_step(form, [dot(w, x) for w in path[-1]], c)
            if any(g):
                path.append([plus(w, x, g_k) for w, g_k in zip(path[-1], g, strict=True)])
        if len(path) == before:
            break
    return path


def recurs(X: Rows, classes: list[int], K: int, form: str, passes: int = 1000) -> bool:
    """Whether after some pass from zero the weights, less their mean over classes, are those after an earlier pass: then the run
    has no end.  Exact for whole numbers."""
    W = [[0] * len(X[0]) for _ in range(K)]
    seen = set()
    for _ in range(passes):
        path = multiclass_perceptron(X, classes, K, form, W, passes=1)
        if len(path) == 1:
            return False
        W = path[-1]
        sums = [sum(column) for column in zip(*W, strict=True)]
        place = tuple(K * v - t for w in W for v, t in zip(w, sums, strict=True))
        if place in seen:
            return True
        seen.add(place)
    return False
