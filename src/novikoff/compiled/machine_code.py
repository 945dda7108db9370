"""Numba's side of ``jit``: what is imported when the first kernel is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, overload, type_callable, typeof_impl

from . import numba_parts
from .instructions import prefetch, trailing_zeros
from .kernel_cache import KernelCache

if TYPE_CHECKING:
    from .jit import ByType, Compiled

# Sums may be reordered (that is what lets a dot product use vector units) and multiply-add may be fused.  Nothing is
# assumed about NaN or infinity: they must stay visible.  Divisions do not ask whether they are by zero, which would keep them
# from vector units, too: kernels see to that where it can happen.
FASTMATH = frozenset({"reassoc", "contract", "nsz"})
OPTIONS: Any = {"nogil": True, "fastmath": set(FASTMATH), "error_model": "numpy"}


def compiled(function: Compiled) -> Any:
    """What Numba makes of a kernel or of a helper."""
    options = OPTIONS | function.targetoptions | ({} if function.makes_arrays else numba_parts.WITHOUT_COUNTS)
    made = numba.njit(**options)(function.py_func)
    if function.kept:
        made._cache = KernelCache(function.py_func)
    return made


def have_called(kind: type[Compiled]) -> None:
    """Have kernels call functions of this kind, kernels and helpers, as Numba has them."""

    @typeof_impl.register(kind)
    def type_of(function: Compiled, context: Any) -> types.Type:
        return types.Dispatcher(function.compiled)


def compile_choice(chosen: ByType) -> None:
    """Have kernels call the body that belongs to the type of the first argument."""

    @overload(chosen, strict=False, jit_options=OPTIONS, inline="always")
    def choose(first: Any, *rest: Any) -> Any:
        return chosen.body_for(first.instance_class)


@overload(trailing_zeros, strict=False, jit_options=OPTIONS, inline="always")
def _trailing_zeros(bits: Any) -> Any:
    return lambda bits: numba_parts.trailing_zeros(bits)  # type: ignore[call-arg]


@type_callable(prefetch)
def _type_of_prefetch(context: Any) -> Any:
    return lambda address: types.void


@lower_builtin(prefetch, types.Integer)  # type: ignore[untyped-decorator]
def _prefetch(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """LLVM's ``llvm.prefetch``: read, into all levels, data cache."""
    pointer = ir.IntType(8).as_pointer()
    number = ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
    function = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
    hints = [ir.Constant(number, hint) for hint in (0, 3, 1)]
    builder.call(function, [builder.inttoptr(arguments[0], pointer), *hints])
    return context.get_dummy_value()
