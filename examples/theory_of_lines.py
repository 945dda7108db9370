"""What can a line learn, and how soon?
====================================

Four theorems about perceptrons, each next to a count on real points; and the capacity of images, measured.

::

    python examples/theory_of_lines.py [folder for the picture]

Novikoff (1962): mistakes are bounded, from any start and with any step.  Why: a distance falls with every mistake.
Cover (1965): how many labelings of N points a line can make.  Shattering: three points in the plane, never four.
McCulloch and Pitts (1943): what one perceptron cannot do, two layers can.  Cohen and others (2020): many images of one thing that share
a label have a capacity, too.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

from novikoff import Perceptron, separability, trace
from novikoff.plots.drawing import COLOURS
from novikoff.theory import (
    Capacity,
    boolean_network,
    can_shatter,
    capacity,
    cover_fraction,
    dichotomies,
    gap,
    margin,
    measured_capacity,
    novikoff_bound,
    plot_capacity,
    plot_cover,
    plot_gap,
    radius,
)
from pictures import save

POSITIVE = np.array([[1, 1], [1, 3], [2, 1], [2, 2]])
X = np.vstack([POSITIVE, -POSITIVE])
Y = np.array([1, 1, 1, 1, -1, -1, -1, -1])
STARTS = [(0, 0, 0), (-1, 2, 0), (3, -2, 1), (-2, -1, 3)]  # w1, w2, b
STEPS = [0.125, 1.0, 8.0]
CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


def mistakes_and_their_bound() -> None:
    print("1. Novikoff: no order of the rows costs more mistakes than the bound.")
    print("   Eight points of a lecture, [1,1] [1,3] [2,1] [2,2] against their mirror images.\n")
    print("   start w1, w2, b   step   bound   most mistakes in 20 shuffled runs")
    for start in STARTS:
        for eta in STEPS:
            bound = novikoff_bound(X, Y, init=[start], eta=eta)
            runs = [Perceptron(eta, init=[start], order="shuffle", random_state=seed).fit(X, Y) for seed in range(20)]
            most = max(run.n_mistakes_ for run in runs)
            if most > bound:
                raise AssertionError("Novikoff was wrong")
            print(f"   {', '.join(map(str, start)):>15} {eta:>6g} {bound:>7} {most:>8}")
    far = [[100], [102]]
    run = Perceptron(order="cyclic", max_iter=100_000).fit(far, [0, 1])
    print(
        f"""
   A step that is small beside a wrong start needs many mistakes to turn it round; from zero the step does not matter.
   The bound is for rows with their constant feature, (x, 1).  Two numbers, 100 and 102, are a case in point: the
   ball around them has radius {radius(far).radius:g} and their margin is {margin(far, [0, 1], [1], -101):g}, and yet a perceptron makes {run.n_mistakes_:,} mistakes
   (the bound: {novikoff_bound(far, [0, 1]):,}), because from the origin both look nearly alike."""
    )


def why_it_ends() -> object:
    steps = trace(Perceptron(STEPS[0], init=[STARTS[3]], order="cyclic"), X, Y)
    fall = gap(steps, X, Y)
    print("\n2. Why mistakes end: the squared distance of the weights from rho w* falls with every one of them.")
    print("   The worst case above, its rows in order:\n")
    print("   mistake   gap       fell by")
    print(f"   {0:>7}   {fall.gap[0]:.3f}")
    for number, (value, less) in enumerate(zip(fall.gap[1:], fall.decrease, strict=True), start=1):
        print(f"   {number:>7}   {value:<8.3f}  {less:.3f}")
    print(
        f"""
   Each step lowered it by at least {fall.guaranteed:.3f}, as the proof promises: {bool(fall.decrease.min() >= fall.guaranteed)}.  A square cannot fall below zero, so
   at most {int(fall.gap[0] / fall.guaranteed)} mistakes are possible.  (It need not reach zero: mistakes end before.  From this start Novikoff's
   own count, {novikoff_bound(X, Y, init=[STARTS[3]], eta=STEPS[0])}, says more; from zero both say the same.)"""
    )
    return fall


def how_many_labelings() -> list[tuple[float, float]]:
    print("\n3. Cover: how many of all labelings can a line make?\n")
    rng = np.random.default_rng(0)
    print("   points in the plane   all   separable   Cover's number")
    shares = []
    for count in (3, 4, 6, 8, 10, 12):
        found = dichotomies(rng.normal(size=(count, 2)))
        shares.append((count / 3, float(found.fraction)))
        print(f"   {count:>19} {2**count:>5} {found.count:>11} {found.cover:>16}")
    on_a_line = dichotomies([[0, 0], [1, 1], [2, 2], [3, 3]])
    print(
        f"""
   At {capacity(2)} = 2 (d + 1) points exactly {cover_fraction(capacity(2), 2)} of them: the capacity of a line.  In 100 dimensions twice the
   capacity, {2 * capacity(100)} points, leaves a share of {float(cover_fraction(2 * capacity(100), 100)):.0e}: a hyperplane cannot separate that many points with random labels.
   Points that are not in general position have fewer: four on one line {on_a_line.count} of 16, not {on_a_line.cover}."""
    )
    return shares


def shattering_and_networks() -> None:
    three = CORNERS[:3]
    print(
        f"""
4. Shattering: three corners of a square, can every labeling be separated? {can_shatter(three)} ({dichotomies(three).count} of 8).
   All four? {can_shatter(CORNERS)} ({dichotomies(CORNERS).count} of 16).  The two that cannot are XOR and its opposite: the diagonals cross.
   separability agrees: XOR is {separability(CORNERS, [0, 1, 1, 0]).kind}.

5. Two layers make it:
"""
    )
    network = boolean_network(lambda a, b: a ^ b, 2)
    print("\n".join(f"   {line}" for line in str(network).splitlines()))
    print(f"   checked on all four inputs: {network.predict(CORNERS).tolist()}")
    parity = boolean_network(lambda *bits: sum(bits) % 2, 8)
    majority = boolean_network(lambda *bits: sum(bits) > 4, 8)
    print(
        f"   Eight bits: the majority is one perceptron ({majority.n_units}), their parity takes at most {parity.n_units}."
    )


def capacity_of_images() -> Capacity:
    X, digit = load_digits(return_X_y=True)
    few = np.concatenate([np.flatnonzero(digit == each)[:20] for each in range(10)])
    found = measured_capacity(X[few], digit[few], labelings=60, projections=3, random_state=0)
    print("\n6. Capacity, measured: 20 images of each digit share a label; every labeling is decided, with proof.\n")
    print("   dimensions   digits for each weight   separable")
    for size, share in zip(found.dims.tolist(), found.fractions, strict=True):
        print(f"   {size:>10} {10 / (size + 1):>24.2f} {share:>11.0%}")
    print(
        f"""
   Half of the labelings are separable at {found.capacity:.2f} digits for each weight, 95 % between {found.interval[0]:.2f} and {found.interval[1]:.2f}.  Single
   points in general position: 2."""
    )
    return found


def draw(fall: object, shares: list[tuple[float, float]], measured: Capacity, folder: Path) -> Path:
    figure = Figure(figsize=(16, 4.6), dpi=110, layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    plot_gap(fall, left)
    plot_cover((2, 10, 50, 250), middle)
    plot_capacity(measured, right)
    middle.plot(
        *zip(*shares, strict=True),
        "s",
        color=COLOURS[0],
        markersize=7,
        label="counted on points in the plane",
        zorder=5,
    )
    middle.legend(loc="lower left", fontsize="small")
    return save(figure, folder / "theory_of_lines.png")


def main(folder: Path) -> None:
    mistakes_and_their_bound()
    fall = why_it_ends()
    shares = how_many_labelings()
    shattering_and_networks()
    measured = capacity_of_images()
    print(f"\nPicture: {draw(fall, shares, measured, folder).name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
