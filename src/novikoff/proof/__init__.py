"""Are classes linearly separable?  Answers with proofs, checked in exact arithmetic.

The folders, each of which imports only those before it:

arithmetic  floats as whole numbers, exact linear algebra, square roots
problem     the rows as read, the vector of every row and rival, the faces of the cone of directions
check       what proves a verdict, a margin or a bound, and whether it does: nothing in it knows how a proof is found
search      a verdict and what proves it, in floats and exactly
margins     the largest margin and the smallest bound of mistakes
answer      ``separability`` and its answer, in words, with limits of coefficients; ``fewest_errors`` and its answer
partitions  the same of rows in partitions: blocks that are read one at a time, or rows on a cluster

So to check a proof you have to trust ``arithmetic``, ``problem`` and ``check``, not the solver; and of a proof that was saved,
nothing but ``check/plain.py`` (of the fewest errors, also ``check/plain_fewest.py``).
"""
