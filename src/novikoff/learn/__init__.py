"""The idea: every learner is one loop, ``w <- w + eta g x``, and independent choices, each in a separate module."""
