"""Thin scikit-learn classes around the loop, one module a learner; ``learners`` lists them."""
