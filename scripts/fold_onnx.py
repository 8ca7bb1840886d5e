"""Folds what an ONNX graph computes from constants and from shapes; called by prepare_onnx.py.

Exporters compute the arguments of Reshape, Slice and Resize from Shape, Gather and Concat, which importers read only as constants. An
element of such a vector is a number, a dim's name, or None; a Reshape to numbers and names is written as one to a constant.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np
from onnx import AttributeProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

LARGEST = 1 << 24  # elements of a folded result
LARGEST_GROWN = 1 << 16  # the same where it is made of fewer
GROWING = {"ConstantOfShape", "Expand", "Tile", "Range", "Resize", "Upsample"}
# Random, and what importers want to see: the types of quantized weights.
KEPT = {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli", "DequantizeLinear", "QuantizeLinear"}


def dims_of(graph):
    """Tensor -> its dims: numbers, names or None."""
    dims = {}
    for value in [*graph.input, *graph.value_info, *graph.output]:
        if value.type.HasField("tensor_type") and value.type.tensor_type.HasField("shape"):
            dims[value.name] = [
                dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None for dim in value.type.tensor_type.shape.dim
            ]
    return dims


def attributes_of(node):
    return {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}


class Folder:
    def __init__(self, model):
        self.model, self.graph = model, model.graph
        self.constants = {initializer.name: None for initializer in self.graph.initializer}
        self.initializers = {initializer.name: initializer for initializer in self.graph.initializer}
        self.dims = dims_of(self.graph)
        self.partial = {}  # tensor of at most one dim -> list of elements
        self.folded = 0

    def constant(self, name):
        """The value of a tensor that is one, else None."""
        if name not in self.constants:
            return None
        if self.constants[name] is None:
            self.constants[name] = numpy_helper.to_array(self.initializers[name])
        return self.constants[name]

    def define(self, name, value):
        self.constants[name] = value
        self.initializers[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)

    def elements(self, name):
        """The elements of an integer tensor of at most one dim, as far as they are known."""
        if name in self.partial:
            return self.partial[name]
        value = self.constant(name)
        if value is not None and value.ndim <= 1 and value.dtype.kind in "iu":
            return [int(element) for element in value.reshape(-1)]
        return None

    def is_scalar(self, name):
        return self.dims.get(name) == [] or (self.constant(name) is not None and self.constant(name).ndim == 0)

    def evaluate(self, node):
        """The results of a node of constant inputs, or None."""
        if node.op_type in KEPT or any(a.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS) for a in node.attribute):
            return None
        if node.domain not in ("", "ai.onnx") or not all(not name or name in self.constants for name in node.input):
            return None
        if node.op_type in GROWING:
            shape = self.dims.get(node.output[0])
            if shape is None or not all(isinstance(size, int) for size in shape) or np.prod(shape, dtype=float) > LARGEST_GROWN:
                return None
        feeds = {name: self.constant(name) for name in node.input if name}
        inputs = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape) for n, v in feeds.items()]
        outputs = [helper.make_empty_tensor_value_info(name) for name in node.output]
        try:
            one = helper.make_model(helper.make_graph([node], "one", inputs, outputs), opset_imports=self.model.opset_import)
            results = ReferenceEvaluator(one).run(None, feeds)
        except Exception:  # whatever the evaluator lacks: the node stays
            return None
        return results if all(isinstance(result, np.ndarray) and result.size <= LARGEST for result in results) else None

    def follow(self, node):
        """The elements of the node's result, or None."""
        attributes = attributes_of(node)
        first = self.elements(node.input[0]) if node.input else None
        if node.op_type == "Shape":
            dims = self.dims.get(node.input[0])
            return None if dims is None else dims[attributes.get("start", 0) : attributes.get("end", len(dims))]
        if node.op_type in ("Identity", "Squeeze", "Unsqueeze", "Cast"):
            integer = attributes.get("to", 7) in (6, 7)
            return first if integer and (first is None or len(self.dims.get(node.output[0]) or []) <= 1) else None
        if node.op_type == "Gather" and first is not None and attributes.get("axis", 0) == 0:
            indices = self.elements(node.input[1])
            return [first[i] for i in indices] if indices and all(isinstance(i, int) for i in indices) else None
        if node.op_type == "Slice" and first is not None and len(node.input) >= 3:
            parts = [self.elements(name) if name else None for name in node.input[1:]]
            starts, ends, axes, steps = parts + [None] * (4 - len(parts))
            bounds = [starts, ends, axes or [0], steps or [1]]
            if all(part is not None and len(part) == 1 and isinstance(part[0], int) for part in bounds) and bounds[2][0] in (0, -1):
                return first[bounds[0][0] : bounds[1][0] : bounds[3][0]]
            return None
        if node.op_type == "Concat":
            parts = [self.elements(name) for name in node.input]
            return None if any(part is None for part in parts) else [element for part in parts for element in part]
        if node.op_type == "Mul" and first is not None:
            second = self.elements(node.input[1])
            if second is not None and len(first) == len(second):
                return [b if a == 1 else a if b == 1 else None if None in (a, b) or str in (type(a), type(b)) else a * b
                        for a, b in zip(first, second)]
        return None

    def solve_reshape(self, node):
        """The constant shape of a Reshape, with as many numbers as are known: the importer reads [1, -1, 120] but not [0, 0, -1]."""
        shape, source = self.elements(node.input[1]), self.dims.get(node.input[0])
        if shape is None or source is None or attributes_of(node).get("allowzero", 0):
            return None
        if any(size == 0 and i >= len(source) for i, size in enumerate(shape)):
            return None
        shape = [source[i] if size == 0 else size for i, size in enumerate(shape)]
        names = sorted(size for size in shape if isinstance(size, str))
        if -1 in shape and None not in shape + source and names == sorted(size for size in source if isinstance(size, str)):
            whole = np.prod([size for size in source if isinstance(size, int)], dtype=np.int64)
            others = np.prod([size for size in shape if isinstance(size, int) and size != -1], dtype=np.int64)
            if others > 0 and whole % others == 0:
                shape[shape.index(-1)] = int(whole // others)
        unknown = [i for i, size in enumerate(shape) if not isinstance(size, int)]
        if len(unknown) > 1 or -1 in shape:
            for i in unknown:
                if isinstance(shape[i], str) and i < len(source) and source[i] == shape[i]:
                    shape[i] = 0  # the input's own
        unknown = [i for i, size in enumerate(shape) if not isinstance(size, int)]
        if len(unknown) > 1 or (unknown and -1 in shape):
            return None
        return np.array([size if isinstance(size, int) else -1 for size in shape], np.int64)

    def visit(self, node):
        """True if the node is needed no more."""
        results = self.evaluate(node)
        if results is not None:
            for name, result in zip(node.output, results):
                self.define(name, result)
            return True
        if node.op_type == "Reshape" and (shape := self.solve_reshape(node)) is not None:
            if not np.array_equal(shape, self.constant(node.input[1])):
                name = f"{node.output[0]}_shape"
                self.define(name, shape)
                node.input[1] = name
                self.folded += 1
        elements = self.follow(node) if node.domain in ("", "ai.onnx") else None
        if elements is None:
            return False
        name = node.output[0]
        if all(isinstance(element, int) for element in elements):
            dims = self.dims.get(name)
            if dims is not None and len(dims) <= 1:
                value = np.array(elements, np.int32 if attributes_of(node).get("to") == 6 else np.int64)
                self.define(name, value.reshape(()) if dims == [] else value)
                return True
        self.partial[name] = elements
        return False

    def run(self):
        nodes = []
        for node in self.graph.node:
            if self.visit(node):
                self.folded += 1
            else:
                nodes.append(node)
        outputs = {output.name for output in self.graph.output}
        needed, kept = set(outputs), []
        for node in reversed(nodes):
            if needed.intersection(node.output):
                kept.append(node)
                needed.update(node.input)
                for attribute in node.attribute:  # a subgraph reads names of the graph around it
                    for graph in [attribute.g, *attribute.graphs]:
                        needed.update(name for inner in graph.node for name in inner.input)
        # A result may be a constant now.
        known = [helper.make_node("Constant", [], [name], value=self.initializers.pop(name)) for name in outputs if name in self.initializers]
        del self.graph.node[:]
        self.graph.node.extend([*known, *reversed(kept)])
        del self.graph.initializer[:]
        self.graph.initializer.extend(value for name, value in self.initializers.items() if name in needed)
        return self.folded


def join_softmax(model):
    """Softmax along the last dim, in place; how many changed.

    Before opset 13 a Softmax flattened its input, and the converter writes that out: Flatten, Softmax, and a Reshape back.
    """
    graph, dims = model.graph, dims_of(model.graph)
    makers = {name: node for node in graph.node for name in node.output}
    joined = 0
    for reshape in graph.node:
        if reshape.op_type != "Reshape":
            continue
        softmax = makers.get(reshape.input[0])
        flatten = makers.get(softmax.input[0]) if softmax is not None and softmax.op_type == "Softmax" else None
        if flatten is None or flatten.op_type != "Flatten":
            continue
        source, axis = flatten.input[0], attributes_of(flatten).get("axis", 1)
        rank, shape = len(dims.get(source, [])), makers.get(reshape.input[1])
        back = shape is not None and shape.op_type == "Shape" and shape.input[0] == source and not shape.attribute
        if rank == 0 or axis not in (-1, rank - 1) or attributes_of(softmax).get("axis", -1) not in (-1, 1):
            continue
        if back or (None not in dims[source] and dims.get(reshape.output[0]) == dims[source]):
            reshape.CopyFrom(helper.make_node("Softmax", [source], list(reshape.output), name=reshape.name, axis=-1))
            joined += 1
    return joined


def fold(model):
    """Folds once, in place; how many nodes changed."""
    return join_softmax(model) + Folder(model).run()
