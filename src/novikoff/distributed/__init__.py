"""Learning from rows that lie in partitions, on one machine or on many.

>>> import numpy as np
>>> from novikoff import Perceptron, distributed
>>> X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array(["no", "no", "no", "yes"])
>>> blocks = [(X[::2], y[::2]), (X[1::2], y[1::2])]
>>> distributed.fit(Perceptron(random_state=0), blocks).stop_reason_
'separated'
"""

from ..rows.partitions import applied, merged_by_tree
from .cluster_fit import fit
from .cluster_proof import separability

__all__ = ["applied", "fit", "merged_by_tree", "separability"]
