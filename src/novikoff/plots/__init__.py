"""All pictures.  They need matplotlib, which is imported when something is drawn.

>>> import novikoff
>>> from matplotlib.figure import Figure
>>> X, y = [[0, 0], [2, 1]], [0, 1]
>>> ax = novikoff.plots.plot_regions(novikoff.Perceptron().fit(X, y), X, y, ax=Figure().subplots())
"""

from .cover_picture import plot_cover
from .gap_picture import plot_gap
from .passes_curve_picture import plot_passes_curve
from .proof_picture import plot_proof
from .regions_picture import plot_regions
from .svm_picture import plot_svm
from .trace_picture import plot_trace

__all__ = [
    "plot_cover",
    "plot_gap",
    "plot_passes_curve",
    "plot_proof",
    "plot_regions",
    "plot_svm",
    "plot_trace",
]
