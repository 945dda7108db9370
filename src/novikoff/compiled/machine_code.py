"""Numba's side of ``jit``: what is imported when the first kernel is called."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, overload, type_callable, typeof_impl

from . import numba_parts
from .arithmetic import ONE_BYTES, SEVERAL_BYTES, dot, dots, power_of_two, prefetch, run, square_of_row, trailing_zeros
from .kernel_cache import KernelCache
from .numba_parts import cgutils, global_compiler_lock

if TYPE_CHECKING:
    from .jit import ByType, Compiled

# Of kernels whose bits may depend on the processor: sums may be reordered (that is what lets a dot product use vector units) and multiply-add may be fused.  Nothing is
# assumed about NaN or infinity: they must stay visible.  Divisions do not ask whether they are by zero, which would keep them
# from vector units, too: kernels see to that where it can happen.
FASTMATH = frozenset({"reassoc", "contract", "nsz"})
OPTIONS: Any = {"nogil": True, "error_model": "numpy"}


def compiled(function: Compiled) -> Any:
    """What Numba makes of a kernel or of a helper."""
    options = OPTIONS | function.targetoptions | ({} if function.makes_arrays else numba_parts.WITHOUT_COUNTS)
    if not function.exact:
        options["fastmath"] = set(FASTMATH)
    made = numba.njit(**options)(function.py_func)
    if function.kept:
        made._cache = KernelCache(function.py_func, waits=function.exact)
    return made


def have_called(kind: type[Compiled]) -> None:
    """Have kernels call functions of this kind, kernels and helpers, as Numba has them."""

    @typeof_impl.register(kind)
    def type_of(function: Compiled, context: Any) -> types.Type:
        return types.Dispatcher(function.compiled)


def compile_choice(chosen: ByType) -> None:
    """Have kernels call the body that belongs to the type of the first argument.

    This is ``numba.extending.overload`` with the body put in place of its calls, in less time: Numba also compiles every body by
    itself, though nobody calls it, and finds the type of its result again whenever it looks at a call, with all calls within.
    """

    def choose(first: Any, *rest: Any) -> Any:
        return chosen.body_for(first.instance_class)

    template = numba_parts.make_overload_template(chosen, choose, OPTIONS, False, "always")
    find = template.generic
    found: dict[Any, Any] = {}

    def generic(self: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        key = arguments, tuple(named.items())
        if key not in found:
            found[key] = find(self, arguments, named)
        return found[key]

    def build(self: Any, key: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        body = numba.njit(**OPTIONS)(choose(*arguments))
        body._can_compile = False
        self._impl_cache[key] = body, arguments
        return body, arguments

    template.generic, template._build_impl = generic, build
    numba_parts.infer(template)
    numba_parts.infer_global(chosen, types.Function(template))


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


# Sums of fixed lanes (``arithmetic``)

AT_ONCE = 5  # lines of weights that meet a row at a time, so that the row is loaded once for them


@type_callable(dots)
def _type_of_dots(context: Any) -> Any:
    return lambda x, i, weights, scores: types.void if are_lines(x, weights) and scores.ndim == 1 else None


@lower_builtin(dots, types.Array, types.Integer, types.Array, types.Array)  # type: ignore[untyped-decorator]
def _dots(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    x, weights = (ArrayLines(context, builder, signature.args[place], arguments[place]) for place in (0, 2))
    scores = context.make_array(signature.args[3])(context, builder, arguments[3])
    row, whole = x.line(x.number(signature.args[1], arguments[1])), x.size_type
    stop, number = weights.count, summed_in(x.kind, weights.kind)

    def loop(first: Any, stop: Any, step: int) -> None:
        """Lines first, first + step, ... and the ``step - 1`` lines after each."""
        with cgutils.for_range_slice(builder, first, stop, ir.Constant(whole, step), whole) as (k, _):
            lines = [builder.add(k, ir.Constant(whole, more)) for more in range(step)]
            sums = lane_sums(builder, number, row, [weights.line(line) for line in lines], x.width, SEVERAL_BYTES)
            for line, total in zip(lines, sums, strict=True):
                place = cgutils.get_item_pointer(context, builder, signature.args[3], scores, [line])
                value = context.cast(builder, total, NUMBERS[number], signature.args[3].dtype)
                context.pack_value(builder, signature.args[3].dtype, value, place)

    many = builder.sub(stop, builder.srem(stop, ir.Constant(whole, AT_ONCE)))
    loop(ir.Constant(whole, 0), many, AT_ONCE)
    loop(many, stop, 1)
    return context.get_dummy_value()


@type_callable(dot)
def _type_of_dot(context: Any) -> Any:
    return lambda x, i, weights, k: NUMBERS[summed_in(x.dtype, weights.dtype)] if are_lines(x, weights) else None


@lower_builtin(dot, types.Array, types.Integer, types.Array, types.Integer)  # type: ignore[untyped-decorator]
def _dot(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    x, weights = (ArrayLines(context, builder, signature.args[place], arguments[place]) for place in (0, 2))
    row, line = (lines.line(lines.number(signature.args[at], arguments[at])) for lines, at in ((x, 1), (weights, 3)))
    return lane_sums(builder, summed_in(x.kind, weights.kind), row, [line], x.width, ONE_BYTES)[0]


@type_callable(square_of_row)
def _type_of_square(context: Any) -> Any:
    return lambda x, i: types.float64 if are_lines(x) else None


@lower_builtin(square_of_row, types.Array, types.Integer)  # type: ignore[untyped-decorator]
def _square_of_row(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    x = ArrayLines(context, builder, signature.args[0], arguments[0])
    row = x.line(x.number(signature.args[1], arguments[1]))
    return lane_sums(builder, "double", row, [row], x.width, ONE_BYTES)[0]


NUMBERS = {"double": types.float64, "float": types.float32}
FLOATS = {"double": ir.DoubleType(), "float": ir.FloatType()}
BYTES = {"double": 8, "float": 4}


def are_lines(*arrays: Any) -> bool:
    """Whether these are C-ordered arrays of lines of floats."""
    return all(
        isinstance(array, types.Array) and array.ndim == 2 and array.layout == "C" and array.dtype in NUMBERS.values()
        for array in arrays
    )


def summed_in(*kinds: Any) -> str:
    """The wider of these types of numbers."""
    return "double" if types.float64 in kinds else "float"


class ArrayLines:
    """A C-ordered array of lines."""

    def __init__(self, context: Any, builder: Any, array: Any, value: Any) -> None:
        made = context.make_array(array)(context, builder, value)
        self._context, self._builder, self._data, self.kind = context, builder, made.data, array.dtype
        self.count, self.width = cgutils.unpack_tuple(builder, made.shape, 2)
        self.size_type = self.width.type

    def number(self, kind: Any, value: Any) -> Any:
        """A line's number, as the array counts."""
        return self._context.cast(self._builder, value, kind, types.intp)

    def line(self, number: Any) -> Any:
        """Where this line begins."""
        return self._builder.gep(self._data, [self._builder.mul(number, self.width)])


def lane_sums(builder: Any, number: str, row: Any, lines: list[Any], size: Any, lane_bytes: int) -> list[Any]:
    """The sums of the products of a row with each of several lines, all ``size`` long, in lanes."""
    whole, lanes = size.type, lane_bytes // BYTES[number]
    float_type = FLOATS[number]

    def load(start: Any, place: Any, count: int) -> Any:
        """Numbers from a place on."""
        pointer = builder.gep(start, [place])
        stored = ir.VectorType(pointer.type.pointee, count)
        value = builder.load(builder.bitcast(pointer, stored.as_pointer()), align=BYTES[str(pointer.type.pointee)])
        return value if pointer.type.pointee == float_type else builder.fpext(value, ir.VectorType(float_type, count))

    def add_products(sums: list[Any], place: Any, count: int) -> list[Any]:
        x = load(row, place, count)
        return [
            builder.fadd(total, builder.fmul(x, load(line, place, count)))
            for total, line in zip(sums, lines, strict=True)
        ]

    def number_of(count: int) -> Any:
        return ir.Constant(whole, count)

    def zeros(count: int) -> Any:
        return ir.Constant(ir.VectorType(float_type, count), [0.0] * count)

    def joined(ways: list[tuple[Any, list[Any]]]) -> list[Any]:
        """What was computed in one of several blocks."""
        found = []
        for place, value in enumerate(ways[0][1]):
            found.append(builder.phi(value.type))
            for block, values in ways:
                found[-1].add_incoming(values[place], block)
        return found

    few = min(lanes, SEVERAL_BYTES // BYTES[number])
    before = builder.block
    loop, after, join = (builder.append_basic_block(name) for name in ("lanes", "lanes.end", "lanes.join"))
    done = builder.sub(size, builder.and_(size, number_of(lanes - 1)))
    if few < lanes:  # a short row has zeros in most lanes
        many = builder.append_basic_block("lanes.many")
        builder.cbranch(builder.icmp_signed("<", size, number_of(few)), join, many)
        builder.position_at_end(many)
    else:
        many = before
    builder.cbranch(builder.icmp_signed(">", done, number_of(0)), loop, after)
    builder.position_at_end(loop)
    running = joined([(many, [number_of(0), *(zeros(lanes) for _ in lines)])])
    place, *sums = running
    next_place, *added = builder.add(place, number_of(lanes)), *add_products(sums, place, lanes)
    for value, later in zip(running, [next_place, *added], strict=True):
        value.add_incoming(later, loop)
    builder.cbranch(builder.icmp_signed("<", next_place, done), loop, after)
    builder.position_at_end(after)
    sums = joined([(many, [zeros(lanes) for _ in lines]), (loop, added)])

    def halved(sums: list[Any], lanes: int, done: Any) -> tuple[list[Any], Any]:
        """The sums of both halves, and what is left of the row that fills these lanes."""
        sums = [builder.fadd(*(part_of(builder, total, first, lanes) for first in (0, lanes))) for total in sums]
        left = builder.and_(size, number_of(lanes))
        before, more, after = builder.block, builder.append_basic_block("more"), builder.append_basic_block("more.end")
        builder.cbranch(builder.icmp_signed("!=", left, number_of(0)), more, after)
        builder.position_at_end(more)
        added = add_products(sums, done, lanes)
        builder.branch(after)
        builder.position_at_end(after)
        return joined([(before, sums), (more, added)]), builder.add(done, left)

    while lanes > few:
        lanes //= 2
        sums, done = halved(sums, lanes, done)
    after = builder.block
    builder.branch(join)
    builder.position_at_end(join)
    if few < lane_bytes // BYTES[number]:
        done, *sums = joined([(before, [number_of(0), *(zeros(few) for _ in lines)]), (after, [done, *sums])])
    while lanes > 1:
        lanes //= 2
        sums, done = halved(sums, lanes, done)
    return [builder.extract_element(total, ir.Constant(ir.IntType(32), 0)) for total in sums]


def part_of(builder: Any, vector: Any, first: int, count: int) -> Any:
    """Some lanes of a vector."""
    places = ir.Constant(ir.VectorType(ir.IntType(32), count), list(range(first, first + count)))
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), places)


@type_callable(power_of_two)
def _type_of_power(context: Any) -> Any:
    return lambda n: types.float64


@lower_builtin(power_of_two, types.float64)  # type: ignore[untyped-decorator]
def _power_of_two(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """The bits of an exponent: n + 1023, above 52 bits of zeros."""
    bits = ir.IntType(64)
    exponent = builder.add(builder.fptosi(arguments[0], bits), ir.Constant(bits, 1023))
    return builder.bitcast(builder.shl(exponent, ir.Constant(bits, 52)), ir.DoubleType())


# Calls with arguments that are written down

CODE = ir.IntType(32)  # what machine code returns: how it ended
BYTE_POINTER = ir.IntType(8).as_pointer()
ENTRY, KERNEL, RESULT, FIRST = range(
    4
)  # places of a block: machine code that reads it, the kernel's own, its result, its arguments
ENDED_WELL = 0, -2  # Numba's codes of a result and of none


class ArgumentBlock:
    """What machine code wants to know of a kernel and of its arguments, in memory: as Numba hands them on, in numbers of 8 bytes.

    An array is the numbers of its header.  Nothing counts who still uses it: the block keeps it.
    """

    def __init__(self, made: Any, arguments: tuple[Any, ...], keeps: Any, enter: Any) -> None:
        """``enter``: the kernel by which Python calls the machine code of a block."""
        self.keeps = arguments, keeps
        compiled = result_for(made, arguments)
        self.numbers = np.array([0, native(compiled), 0, *eight_bytes(arguments)], dtype=np.int64)
        self.numbers[ENTRY] = reader_of(compiled, self.numbers.size - FIRST)
        self.address = self.numbers.ctypes.data
        self.enter = result_for(enter, (self.address,)).entry_point


def result_for(made: Any, arguments: tuple[Any, ...]) -> Any:
    """The machine code for arguments of these types."""
    kinds = tuple(map(numba.typeof, arguments))
    if kinds not in made.overloads:
        made.compile(kinds)
    return made.overloads[kinds]


def native(compiled: Any) -> int:
    """The address of a kernel's machine code."""
    address: int = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    assert address, compiled.fndesc.llvm_func_name
    return address


def eight_bytes(value: Any) -> Iterator[int]:
    """The numbers that Numba hands on for an argument: fields of tuples one after the other; floats as their bits."""
    if isinstance(value, tuple):
        for one in value:
            yield from eight_bytes(one)
    elif isinstance(value, np.ndarray):
        yield from (0, 0, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides)
    elif isinstance(value, int):
        yield int(value)
    elif isinstance(value, float):
        yield int(np.float64(value).view(np.int64))
    else:
        raise TypeError(f"A call cannot be put together with a {type(value).__name__}: use arrays and numbers.")


def reader_of(compiled: Any, count: int) -> int:
    """The address of machine code that calls a kernel with the arguments in a block: one for all kernels of the same arguments."""
    context, signature = compiled.target_context, compiled.signature
    kernel = context.call_conv.get_function_type(signature.return_type, signature.args)
    result, error, *arguments = kernel.args
    assert len(arguments) == count
    if str(kernel) not in _readers:
        library = context.codegen().create_library("block")
        module = library.create_ir_module("block")
        function = ir.Function(module, ir.FunctionType(CODE, [BYTE_POINTER]), f"read_block_{len(_readers)}")
        builder = ir.IRBuilder(function.append_basic_block())
        numbers = builder.bitcast(function.args[0], NUMBER.as_pointer())

        def place(number: int) -> Any:
            return builder.gep(numbers, [ir.Constant(NUMBER, number)])

        def read(number: int, kind: Any) -> Any:
            if isinstance(kind, ir.IntType):
                stored = builder.load(place(number))
                return stored if kind.width == NUMBER.width else builder.trunc(stored, kind)
            return builder.load(builder.bitcast(place(number), kind.as_pointer()))

        room, fault = builder.alloca(result.pointee), builder.alloca(error.pointee)
        builder.store(ir.Constant(result.pointee, None), room)
        given = [read(FIRST + number, kind) for number, kind in enumerate(arguments)]
        code = builder.call(builder.inttoptr(builder.load(place(KERNEL)), kernel.as_pointer()), [room, fault, *given])
        if isinstance(result.pointee, ir.IntType):
            told = builder.load(room)
            builder.store(told if told.type == NUMBER else builder.zext(told, NUMBER), place(RESULT))
        builder.ret(code)
        library.add_ir_module(module)
        with global_compiler_lock:
            library.finalize()
        _readers[str(kernel)] = library, library.get_pointer_to_function(function.name)
    address: int = _readers[str(kernel)][1]
    return address


NUMBER = ir.IntType(64)
_readers: dict[str, tuple[Any, int]] = {}


@type_callable(run)
def _type_of_run(context: Any) -> Any:
    return lambda call: types.int64


@lower_builtin(run, types.Integer)  # type: ignore[untyped-decorator]
def _run(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    numbers = builder.inttoptr(arguments[0], NUMBER.as_pointer())

    def read(number: int) -> Any:
        return builder.load(builder.gep(numbers, [ir.Constant(NUMBER, number)]))

    entry = builder.inttoptr(read(ENTRY), ir.FunctionType(CODE, [BYTE_POINTER]).as_pointer())
    code = builder.call(entry, [builder.bitcast(numbers, BYTE_POINTER)])
    with builder.if_then(
        builder.and_(*(builder.icmp_signed("!=", code, ir.Constant(CODE, good)) for good in ENDED_WELL))
    ):
        context.call_conv.return_user_exc(builder, RuntimeError, ("A kernel failed.",))
    return read(RESULT)
