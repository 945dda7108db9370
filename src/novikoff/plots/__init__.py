"""All pictures.  They need matplotlib, which is imported when something is drawn.

>>> import novikoff
>>> from matplotlib.figure import Figure
>>> X, y = [[0, 0], [2, 1]], [0, 1]
>>> ax = novikoff.plots.plot_regions(novikoff.Perceptron().fit(X, y), X, y, ax=Figure().subplots())
"""

from .plane_pictures import plot_regions, plot_svm
from .proof_picture import plot_proof
from .study_pictures import plot_passes_curve, plot_trace
from .theory_pictures import plot_capacity, plot_cover, plot_gap

__all__ = [
    "plot_capacity",
    "plot_cover",
    "plot_gap",
    "plot_passes_curve",
    "plot_proof",
    "plot_regions",
    "plot_svm",
    "plot_trace",
]
