"""Kernel functions: their values against plain formulas, of every format."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel

from novikoff.dual.kernels import make_kernel, make_radial


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_kernel_values(convert, dtype):
    iris, _ = load_iris(return_X_y=True)
    X, Z = convert(iris.astype(dtype)), convert(iris[::7].astype(dtype) + 1)
    for name, reference in (
        ("linear", linear_kernel(X, Z)),
        ("poly", polynomial_kernel(X, Z, degree=3, gamma=0.5, coef0=2)),
        ("rbf", rbf_kernel(X, Z, gamma=0.5)),
        (lambda A, B: linear_kernel(A, B) + 1, linear_kernel(X, Z) + 1),
    ):
        kernel = make_kernel(name, 3, 0.5, 2, X)
        a, b = kernel.points(X, np.arange(X.shape[0])), kernel.points(Z, np.arange(Z.shape[0]))
        values = kernel.values(a, b)
        assert values.dtype == dtype
        assert np.allclose(values, reference, rtol=1e-12 if dtype == np.float64 else 1e-4)
        assert np.allclose(kernel.diagonal(a), np.diagonal(kernel.values(a, a)), rtol=1e-5)


@pytest.mark.parametrize(("dtype", "furthest", "error"), [(np.float64, 700.0, 1e-13), (np.float32, 80.0, 1e-5)])
def test_exponential(dtype, furthest, error):
    x = np.append(0.0, np.geomspace(1e-9, furthest, 500)).astype(dtype)
    values = np.zeros((1, x.size), dtype)
    make_radial(values, np.zeros(1), x, 1.0)
    assert np.allclose(values[0], np.exp(-x.astype(float)), rtol=error, atol=0)
    assert values[0, 0] == 1
    beyond = np.zeros((1, 2), dtype)
    make_radial(beyond, np.zeros(1), np.array([1e3, 1e30], dtype), 1.0)
    assert np.all((beyond >= 0) & (beyond < 1e-37))
