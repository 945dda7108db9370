"""The machine of the lectures, to a small gap: what most tests of solvers are about."""

from functools import partial

from novikoff import LinearSVM

hinge_svm = partial(LinearSVM, loss="hinge", tol=1e-6)
