"""What all pictures share: colours, axes, the plane and its regions, points, lines.

Matplotlib is imported when something is drawn, not before.  Colours are Okabe and Ito's (2008), which colour-blind
readers can tell apart; classes differ in their markers too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from ..report.words import LONG, cut, installing

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "X", "s", "^", "D", "v")
INK = "#222222"
GRID = 300  # points along each axis that decide the colour of a region
ROOM = 0.15  # around the data, as a share of their spread
FEW_ROWS = 60  # are drawn larger
LEGEND = 34  # points between a picture and the legend below it
ALIKE = 3.0  # spreads that differ by no more than this factor are drawn to one scale


def axes_or_new(ax: Any) -> Any:
    """The axes given, or those of a new figure."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(f"Drawing needs matplotlib: {installing('plot')}") from error
    return plt.subplots(layout="constrained")[1]


def as_plane(X: Any) -> np.ndarray:
    """Rows of two features; any other number is refused."""
    rows: np.ndarray = check_array(X, dtype=float)
    if rows.shape[1] != 2:
        raise ValueError(f"Only rows of two features can be drawn in the plane; these have {rows.shape[1]}.")
    return rows


def frame_rows(ax: Any, X: np.ndarray, names: Any) -> None:
    """Limits a little wider than the data, names, and one scale for both axes if their spreads are alike."""
    low, high = X.min(axis=0), X.max(axis=0)
    spread = np.where(high > low, high - low, 1.0)
    if spread.max() <= ALIKE * spread.min():
        spread[:] = spread.max()
        ax.set_aspect("equal")
    middle, half = (low + high) / 2, (0.5 + ROOM) * spread
    ax.set_xlim(middle[0] - half[0], middle[0] + half[0])
    ax.set_ylim(middle[1] - half[1], middle[1] + half[1])
    across, up = ("$x_1$", "$x_2$") if names is None else (literal(name) for name in names)
    ax.set_xlabel(across)
    ax.set_ylabel(up)
    hide_frame(ax)


def hide_frame(ax: Any) -> None:
    """Leave the axes and take away the lines opposite to them."""
    ax.spines[["top", "right"]].set_visible(False)


def axis_ends(ax: Any) -> tuple[np.ndarray, np.ndarray]:
    """The ends of both axes."""
    return np.array(ax.get_xlim()), np.array(ax.get_ylim())


def grid_points(ax: Any, names: Any) -> tuple[np.ndarray, np.ndarray, Any]:
    """Points all over the plane: both coordinates as squares, and the points as rows."""
    a, b = np.meshgrid(*(np.linspace(low, high, GRID) for low, high in axis_ends(ax)))
    return a, b, with_names(np.column_stack([a.ravel(), b.ravel()]), names)


def shade_regions(ax: Any, estimator: Any, names: Any) -> None:
    """Colour the plane by the answer."""
    a, b, points = grid_points(ax, names)
    answers = np.searchsorted(estimator.classes_, estimator.predict(points)).reshape(a.shape)
    shade_answers(ax, a[0], b[:, 0], answers, len(estimator.classes_), edges=not has_line(estimator))


def shade_answers(ax: Any, x: np.ndarray, y: np.ndarray, answers: np.ndarray, classes: int, edges: bool = True) -> None:
    """Colour the plane by the numbers of the classes at all ``x`` and ``y``; ``edges`` draws where they change."""
    from matplotlib.colors import ListedColormap

    ax.imshow(
        answers,
        cmap=ListedColormap([COLOURS[k % len(COLOURS)] for k in range(classes)]),
        vmin=-0.5,
        vmax=classes - 0.5,
        alpha=0.16,
        extent=(x[0], x[-1], y[0], y[-1]),
        origin="lower",
        aspect=ax.get_aspect(),
        interpolation="nearest",
        zorder=0,
    )
    if edges:
        for k in np.unique(answers)[1:]:  # every edge is that of one of these
            ax.contour(x, y, answers == k, levels=[0.5], colors=INK, linewidths=1.2, zorder=2)


def has_line(estimator: Any) -> bool:
    """Whether the answer is the sign of one linear function, that of ``coef_`` and ``intercept_``."""
    votes = hasattr(estimator, "votes_")
    return len(estimator.classes_) == 2 and hasattr(estimator, "coef_") and not votes


def with_names(points: np.ndarray, names: Any) -> Any:
    """With column names, if the estimator was fitted with some."""
    if names is None:
        return points
    import pandas as pd

    return pd.DataFrame(points, columns=names)


def dot_size(X: np.ndarray) -> int:
    """The size of a row in the picture."""
    return 70 if len(X) <= FEW_ROWS else 30


def literal(text: Any) -> str:
    """A name as matplotlib must be given it, not too long: a dollar begins no formula."""
    return cut(text, LONG).replace("$", r"\$")


def draw_points(ax: Any, X: np.ndarray, y: np.ndarray, classes: Any, names: Any = None, looks: Any = None) -> None:
    """The rows, each class in its colour and marker; ``names`` is what the legend calls the classes, ``looks`` are the numbers of their
    colours and markers."""
    for place, (label, name) in enumerate(zip(classes, classes if names is None else names, strict=True)):
        k = place if looks is None else looks[place]
        own = X[y == label]
        ax.scatter(
            own[:, 0],
            own[:, 1],
            s=dot_size(X),
            color=COLOURS[k % len(COLOURS)],
            marker=MARKERS[(k + k // len(COLOURS)) % len(MARKERS)],
            edgecolors="white",
            linewidths=0.8,
            label=_in_legend(name),
            zorder=5,
        )


def _in_legend(name: Any) -> str:
    """A class by its name; a bare number would not say what it is."""
    text = literal(name)
    return text if any(letter.isalpha() for letter in text) else f"class {text}"


def draw_line(ax: Any, weights: np.ndarray, shift: float = 0.0, **look: Any) -> None:
    """The line w.x + b = shift, if there is one."""
    found = foot_and_direction(ax, weights, shift)
    if found:
        foot, direction = found
        ax.axline(foot, foot + direction, **look)


def foot_and_direction(ax: Any, weights: np.ndarray, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray] | None:
    """The point of the line that is closest to the middle of the picture, and the line's direction, as long as the picture."""
    w, b = weights[:2].astype(float), float(weights[2]) - shift
    largest = float(np.abs(w).max())
    w, b = (w / largest, b / largest) if largest else (w, b)
    square = float(w @ w)
    if square == 0:
        return None
    corners = np.array(axis_ends(ax))
    middle, size = corners.mean(axis=1), np.ptp(corners, axis=1).max()
    return middle - (w @ middle + b) / square * w, size * np.array([-w[1], w[0]])


def draw_rings(ax: Any, points: np.ndarray, label: str, size: float = 210, width: Any = 1.2, zorder: int = 4) -> None:
    """Rings around points; ``width`` is one of them all, or one of each."""
    look = {"facecolors": "none", "edgecolors": INK, "linewidths": width}
    ax.scatter(*points.T, s=size, zorder=zorder, label=label, **look)


def finish_curves(ax: Any, legend: str = "best") -> None:
    """A faint grid and a legend where curves leave room."""
    ax.grid(alpha=0.25)
    hide_frame(ax)
    ax.legend(loc=legend, framealpha=0.9, fontsize="small")


def legend_below(ax: Any) -> None:
    """A legend that hides no line, nor the name of the axis above it."""
    from matplotlib.transforms import ScaledTranslation

    below = ax.transAxes + ScaledTranslation(0, -LEGEND / 72, ax.figure.dpi_scale_trans)
    look = {"ncols": 3, "frameon": False, "fontsize": "small", "labelspacing": 0.9}
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), bbox_transform=below, **look)


def draw_parallels(ax: Any, weights: np.ndarray, margin: float, called: str | None = None) -> None:
    """The line's parallels at a distance of ``margin``."""
    norm = float(np.hypot(*weights[:2]))
    for side, label in ((1, called or f"margin {margin:.3g}"), (-1, None)):
        draw_line(ax, weights, side * margin * norm, color=INK, linewidth=1.0, linestyle="--", label=label, zorder=3)
