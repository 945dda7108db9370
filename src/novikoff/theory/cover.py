"""Cover's theorem: how many labelings of points a hyperplane can make."""

from __future__ import annotations

from fractions import Fraction
from numbers import Integral


def cover_fraction(N: int, d: int) -> Fraction:
    """The share of all labelings of N points in general position in d dimensions that a hyperplane can separate.

    Points are in general position if no d + 1 of them lie on one hyperplane.  Of the 2^N ways to label them -1 or 1,

        C(N, d) = 2 sum_{i=0..d} binomial(N - 1, i)

    are separable; so the share F(N, d) is the probability of at most d heads in N - 1 tosses of a coin: 1 up to N = d + 1,
    exactly 1/2 at ``capacity(d)`` = 2 (d + 1); the curve is steeper there if d is larger.

    Parameters
    ----------
    N : int
        The number of points, at least 1.
    d : int
        The number of their dimensions, at least 0, not counting the intercept.  For hyperplanes through the origin, use
        d - 1.

    Returns
    -------
    Fraction
        The exact share.

    References
    ----------
    T. M. Cover, Geometrical and statistical properties of systems of linear inequalities with applications in pattern
    recognition, 1965, theorem 1.

    Examples
    --------
    >>> from novikoff.theory import capacity, cover_fraction
    >>> print(cover_fraction(4, 2), cover_fraction(3, 2), cover_fraction(capacity(100), 100))
    7/8 1 1/2
    >>> float(cover_fraction(1000, 400)) < 1e-9
    True
    """
    N, d = _whole(N, "N", 1), _whole(d, "d", 0)
    if d >= N - 1:
        return Fraction(1)
    term = total = 1
    for i in range(1, d + 1):
        term = term * (N - i) // i  # binomial(N - 1, i)
        total += term
    return Fraction(total, 1 << (N - 1))


def capacity(d: int) -> int:
    """The number of points in d dimensions for which half of all labelings are separable: 2 (d + 1).

    For up to this many points with random labels, a separating hyperplane exists with a probability of at least 1/2.

    Parameters
    ----------
    d : int
        The number of dimensions, at least 0.

    Returns
    -------
    int

    References
    ----------
    T. M. Cover, Geometrical and statistical properties of systems of linear inequalities with applications in pattern
    recognition, 1965, section 5.

    Examples
    --------
    >>> from novikoff.theory import capacity
    >>> capacity(2)
    6
    """
    return 2 * (_whole(d, "d", 0) + 1)


def _whole(number: object, name: str, least: int) -> int:
    if not isinstance(number, Integral) or isinstance(number, bool) or number < least:
        raise ValueError(f"{name} must be a whole number, at least {least}; got {number!r}.")
    return int(number)
