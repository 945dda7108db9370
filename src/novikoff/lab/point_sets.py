"""The points that demonstrations begin with: those of the lectures, the gates, and some drawn at random once."""

from __future__ import annotations

from .scenes import Data

SIGNS = ["\u22121", "+1"]  # the classes of the lectures
AXES = ["x\u2081", "x\u2082"]

Points = list[tuple[float, float]]


def two_classes(plus: Points, minus: Points) -> Data:
    """Rows of two classes, those of +1 first."""
    X = [[float(value) for value in point] for point in [*plus, *minus]]
    return Data(X, [1] * len(plus) + [0] * len(minus), AXES, SIGNS)


def read_points(text: str) -> Points:
    """Points written as ``1 2; 3 4``."""
    return [(float(x), float(y)) for x, y in (point.split() for point in text.split(";"))]


def lettered(*classes: Points) -> Data:
    """Rows of classes A, B, C, ..., one class after the other."""
    X = [[float(value) for value in point] for points in classes for point in points]
    y = [k for k, points in enumerate(classes) for _ in points]
    return Data(X, y, AXES, list("ABCDE"[: len(classes)]))


EIGHT = two_classes([(1, 1), (1, 3), (2, 1), (2, 2)], [(-1, -1), (-1, -3), (-2, -1), (-2, -2)])  # L0 11.65.1
FOUR_CASES = Data(
    [[2.0, 0.0], [-3.0, 0.0], [-5.0, 0.0], [4.0, 0.0]], [1, 1, 0, 0], AXES, SIGNS
)  # from w = -1, L0 11.65
AND = two_classes([(1, 1)], [(0, 0), (0, 1), (1, 0)])
OR = two_classes([(0, 1), (1, 0), (1, 1)], [(0, 0)])
XOR = two_classes([(0, 1), (1, 0)], [(0, 0), (1, 1)])
NARROW = two_classes([(1, 2), (2, 3.5), (3, 4), (4, 5.5)], [(1.5, 2), (2, 2.5), (3, 3), (4, 4.5)])
CLOUD_OF_PLUS: Points = [
    (1.25, 2.5),
    (2, 1.5),
    (2.75, 3),
    (3.5, 2.25),
    (1.75, 3.5),
    (4, 3.25),
    (2.5, 2.25),
    (3, 1.25),
    (4.25, 2.5),
    (3, 4),
]
CLOUD_OF_MINUS: Points = [
    (-0.5, 0.5),
    (0.5, -0.75),
    (-1.25, 1),
    (0.25, 1),
    (-0.75, -0.5),
    (1, 0),
    (-1.5, -0.25),
    (0.75, 1.25),
    (0, -1.5),
    (-1, 2),
]
CLOUDS = two_classes(CLOUD_OF_PLUS, CLOUD_OF_MINUS)
OVERLAP = two_classes(
    [(1, 1.5), (2, 0.75), (2.5, 2.5), (0.25, 0.5), (1.75, 3), (3, 1.5)],
    [(-0.5, -0.25), (0.5, 1), (-1.25, 1), (1.5, 1.25), (0, -1), (-0.75, 1.75)],
)
TOUCHING = two_classes([(1, 0), (0, 1), (1, 1), (2, 1)], [(-1, 0), (0, -1), (-1, -1), (0, 1)])
RING = two_classes(
    [(0, 0), (0.5, 0.25), (-0.25, 0.5), (-0.5, -0.25), (0.25, -0.5)],
    [(2, 0.25), (1.25, 1.5), (-0.25, 2), (-1.5, 1.25), (-2, -0.25), (-1.25, -1.5), (0.25, -2), (1.5, -1.25)],
)
TWO = two_classes([(1, 2)], [(3, 1)])
TRIANGLE = two_classes([(1, 1), (2, 3)], [(4, 1)])
THREE_ON_A_LINE = two_classes([(1, 1), (3, 2)], [(2, 1.5)])
INSIDE = two_classes([(0, 0), (4, 0), (2, 3)], [(2, 1)])  # four points, one in the triangle of the others
FOUR_ON_A_LINE = two_classes([(0, 0), (2, 1)], [(1, 0.5), (3, 1.5)])
NOISY = Data(CLOUDS.X, [1 - label if row in (2, 12) else label for row, label in enumerate(CLOUDS.y)], AXES, SIGNS)
FAR = two_classes([*CLOUD_OF_PLUS, (7.5, 1)], CLOUD_OF_MINUS)
FAR_OF_FEW = two_classes(
    [(1, 0.5), (1.25, -0.5), (1.5, 0.25), (11, 1)], [(-0.5, 0), (0, 0.75), (0.25, -0.75), (0.5, 0.25)]
)
FIVE_ON_A_LINE = lettered(
    [(-2, 0)], [(0, 0)], [(3, 0)], [(-3, 0)], [(2, 0)]
)  # "all" loops on them, though they are separable
THREE_CLOUDS = lettered(
    [(1, 3.5), (1.75, 4), (0.25, 3), (2, 2.75), (2.75, 3.25)],
    [(-0.5, 0.5), (0.25, 0), (-1, 1.25), (0.5, 1), (0.75, 1.75)],
    [(3, 0.75), (3.75, 1.5), (2.5, 1.25), (3.5, 2.25), (2, 0.25)],
)
FOUR_CORNERS = lettered(
    [(2, 2), (3, 2.5), (2.25, 3)],
    [(-2, 2), (-2.5, 3), (-3, 1.5)],
    [(-2, -2), (-3, -2.5), (-1.5, -3)],
    [(2, -2), (2.5, -3), (3, -1.5)],
)
INNER = lettered(
    [(0, 0), (0.5, 0.25), (-0.5, -0.25), (0.25, -0.5)],
    [(0, 2.5), (1, 2.75), (-1, 2.25)],
    [(-2.5, -1), (-2, -2), (-3, 0)],
    [(2.5, -1), (2, -2), (3, 0)],
)
THREE_MIXED = lettered(
    [(0, 2), (0.75, 2.5), (-0.75, 1.75), (0.5, -0.5), (0, 1)],
    [(-2, -1), (-1.25, -1.5), (-2.5, 0), (-0.5, 0.75), (-1, -0.25)],
    [(2, -1), (2.5, 0), (1.25, -1.5), (-1, -1), (0.75, 0.25)],
)
BENT = two_classes(  # the border is 0.8 sin(1.2 x); 15 % of the labels are noise
    read_points(
        "-1.75 0; -2.5 0.5; 2.5 2.5; -0.25 1.25; -1.75 1; 1 2; -1.25 0.75; 2.75 2.75; -2.75 -0.25; -2.5 0.25; "
        "-1 2; 1.5 1.5; -0.5 0; -1.25 2.25; -1.75 3; 1.75 1.25; -1.25 2.25; -2.5 1.5; -1.75 2.5; 2.25 2.25; 0 "
        "1.5; -2.5 0.75; -1 -0.5; -1.25 2; -2.5 -1.25; -0.25 1.5"
    ),
    read_points(
        "-2.5 -0.25; 1 -2.25; -2.25 -2; 1.5 -0.75; 2 2.75; -2.25 -2.75; -1.25 -2.75; 0.75 -2; -2.75 -2.25; 3 "
        "-1.75; 1.25 -1; -2 -2.25; 2.75 -3; -2.75 -0.5; 2 -1.25; 1.25 1.5; 1.25 -2.5; -2.25 0.25; -1.75 "
        "-0.75; -1.25 -1.25; 2.5 1; -0.5 -1.25; 0 -0.5; 0.5 -3; 1.25 -2; -2 -1.75; -2 -1.75; 0 -1; -2.5 "
        "-2.75; -0.25 0.5; 0.5 -2.25; 0 -2.25; -2 1; -2 -1.5"
    ),
)
NOISE = two_classes(
    read_points(
        "1.25 2.5; 2 1.5; -1 -1; -0.25 -0.75; 2.75 3; 3.5 2.25; 1.75 3.5; 4 3.25; 2.5 2.25; 3 1.25; 4.25 2.5; 3 4"
    ),
    read_points("-0.5 0.5; 0.5 -0.75; 3.5 3.5; -1.25 1; 0.25 1; -0.75 -0.5; 1 0; -1.5 -0.25; 0.75 1.25; 0 -1.5; -1 2"),
)
