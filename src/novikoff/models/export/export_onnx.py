"""A recipe as an ONNX graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...report.words import installing
from .recipe import ExportError, Recipe

OPSETS = {"": 17, "ai.onnx.ml": 3}
IR_VERSION = 8
INSIDE = "novikoff/"  # begins the names of what is neither input nor output


class OnnxGraph:
    """Nodes, constants and inputs as they come."""

    def __init__(self) -> None:
        from onnx import TensorProto, helper

        self.types, self._helper = TensorProto, helper
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []

    def input(self, name: str, kind: int, width: int) -> str:
        """A column, or several."""
        self.inputs.append(self._helper.make_tensor_value_info(name, kind, ["N", width]))
        return name

    def constant(self, values: Any, kind: int, shape: Any) -> str:
        """A constant."""
        name = f"{INSIDE}constant {len(self.constants)}"
        self.constants.append(self._helper.make_tensor(name, kind, list(shape), values))
        return name

    def floats(self, values: np.ndarray) -> str:
        """A constant of numbers."""
        return self.constant(values.ravel().tolist(), self.types.DOUBLE, values.shape)

    def node(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """A node; returns the name of its output."""
        name = output or f"{INSIDE}{operator} {len(self.nodes)}"
        self.nodes.append(self._helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def model(self, outputs: list[Any]) -> bytes:
        """The whole, checked."""
        import onnx

        graph = self._helper.make_graph(self.nodes, "novikoff", self.inputs, outputs, self.constants)
        opsets = [self._helper.make_opsetid(*each) for each in OPSETS.items()]
        model = self._helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="novikoff")
        onnx.checker.check_model(model)
        return bytes(model.SerializeToString())


def write_onnx(recipe: Recipe, name: str) -> Iterator[bytes]:
    """The graph: an input for each column of a table, or ``X``; outputs ``label`` and ``scores``."""
    try:
        import onnx
    except ImportError:
        raise ImportError(f"Exporting to ONNX needs onnx: {installing('onnx')}") from None
    graph = OnnxGraph()
    features, order = _features(recipe, graph)
    products = graph.node("MatMul", features, graph.floats(recipe.weights.T[order]))
    sums = graph.node("Add", products, graph.floats(recipe.intercept))
    refused = _refused(graph, features)
    scores = graph.node("Where", refused, graph.floats(np.array([np.nan])), sums, output="scores")
    label = _label(recipe, graph, scores, refused)
    double = onnx.TensorProto.DOUBLE
    kind = double if recipe.classes is None else onnx.TensorProto.STRING
    outputs = [
        onnx.helper.make_tensor_value_info(label, kind, ["N"]),
        onnx.helper.make_tensor_value_info(scores, double, ["N", len(recipe.weights)]),
    ]
    yield graph.model(outputs)


def _features(recipe: Recipe, graph: OnnxGraph) -> tuple[str, np.ndarray]:
    """Features as one tensor, and which they are: numbers come first."""
    if not recipe.encoded:
        return graph.input("X", graph.types.DOUBLE, len(recipe.columns)), np.arange(len(recipe.columns))
    for column in recipe.columns:
        if column.name in ("", "label", "scores") or column.name.startswith(INSIDE):
            raise ExportError(f"A column named {column.name!r} cannot be an input of an ONNX graph: rename it.")
    sizes = [len(column.features) for column in recipe.columns]
    first = dict(zip([column.name for column in recipe.columns], np.cumsum([0, *sizes[:-1]]), strict=True))
    parts = [_numbers(recipe, graph)] if recipe.numbers else []
    order = [np.array([first[column.name] for column in recipe.numbers], dtype=int)]
    for category in recipe.categories:
        text = graph.input(category.name, graph.types.STRING, 1)
        absent = list(recipe.cells.missing) if category.missing else []
        texts = [*category.levels, *absent]
        hot = graph.node("OneHotEncoder", text, domain="ai.onnx.ml", cats_strings=texts, zeros=1)
        shape = graph.constant([-1, len(texts)], graph.types.INT64, [2])
        parts.append(graph.node("Cast", graph.node("Reshape", hot, shape), to=graph.types.DOUBLE))
        levels = len(category.levels)
        order.append(first[category.name] + np.minimum(np.arange(len(texts)), levels))  # missing, however it is said
    features = graph.node("Concat", *parts, axis=1) if len(parts) > 1 else parts[0]
    return features, np.concatenate(order)


def _numbers(recipe: Recipe, graph: OnnxGraph) -> str:
    """All numbers, filled and standardised."""
    columns = [graph.input(column.name, graph.types.DOUBLE, 1) for column in recipe.numbers]
    raw = graph.node("Concat", *columns, axis=1) if len(columns) > 1 else columns[0]
    fill, center, scale = (graph.floats(np.array(part)) for part in zip(*(c[1:] for c in recipe.numbers), strict=True))
    missing = graph.node("IsNaN", raw)
    for value in recipe.cells.missing_numbers:
        missing = graph.node("Or", missing, graph.node("Equal", raw, graph.floats(np.array([value]))))
    filled = graph.node("Where", missing, fill, raw)
    return graph.node("Div", graph.node("Sub", filled, center), scale)


def _refused(graph: OnnxGraph, features: str) -> str:
    """Whether a row has a number that is not finite, (N, 1): then its scores are NaN, and its label is empty."""
    strange = graph.node("Or", graph.node("IsNaN", features), graph.node("IsInf", features))
    some = graph.node("ReduceMax", graph.node("Cast", strange, to=graph.types.DOUBLE), axes=[1], keepdims=1)
    return graph.node("Cast", some, to=graph.types.BOOL)


def _label(recipe: Recipe, graph: OnnxGraph, scores: str, refused: str) -> str:
    """The answer of every row."""
    one = graph.constant([1], graph.types.INT64, [1])
    if recipe.classes is None:
        return graph.node("Squeeze", scores, one, output="label")
    if len(recipe.weights) > 1:
        place = graph.node("ArgMax", scores, axis=1, keepdims=0)
    else:
        positive = graph.node("Greater", scores, graph.floats(np.zeros(1)))
        place = graph.node("Squeeze", graph.node("Cast", positive, to=graph.types.INT64), one)
    labels = [*(recipe.labels if len(recipe.labels) > 1 else recipe.labels * 2), ""]
    last = graph.constant([len(labels) - 1], graph.types.INT64, [1])
    place = graph.node("Where", graph.node("Squeeze", refused, one), last, place)
    texts = graph.constant([label.encode() for label in labels], graph.types.STRING, [len(labels)])
    return graph.node("Gather", texts, place, output="label")
