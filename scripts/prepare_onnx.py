"""Makes an ONNX model ready for the importer; run by import-onnx.sh with the Python of the importer's environment.

usage: prepare_onnx.py MODEL.onnx OUT.onnx [--dynamic] [--dim NAME=SIZE]… [INPUT=D,D,…]…

Sizes are fixed (or stay dynamic, if asked for), declared shapes are inferred anew, old opsets become 17, functions are inlined, and
what is computed from constants and shapes is folded.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import collections
import os
import sys

import onnx
from fold_onnx import fold
from onnx import inliner, shape_inference, version_converter

OPSET = 17
ROUNDS = 20  # of folding: each may make more shapes known


def say(message):
    print(message, flush=True)


class Sizes:
    """What the command line says about sizes."""

    def __init__(self, words):
        self.dynamic, self.dims, self.inputs = False, {}, {}
        words = collections.deque(words)
        while words:
            word = words.popleft()
            if word == "--dynamic":
                self.dynamic = True
            elif word == "--dim":
                name, size = self.split(words.popleft() if words else "", "--dim NAME=SIZE")
                self.dims[name] = self.size(size, f"--dim {name}={size}")
            else:
                name, dims = self.split(word, "INPUT=D,D,…")
                self.inputs[name] = [None if size == "?" else self.size(size, word) for size in dims.split(",")]

    @staticmethod
    def split(word, wanted):
        name, _, value = word.rpartition("=")
        if not name or not value:
            sys.exit(f"error: expected {wanted}, got {word}")
        return name, value

    @staticmethod
    def size(text, word):
        if not text.isdigit() or int(text) == 0:
            sys.exit(f"error: expected sizes of at least 1, or ? for a dynamic one, got {word}")
        return int(text)


def describe(shape):
    return "[" + ", ".join(str(dim.dim_value) if dim.HasField("dim_value") else dim.dim_param or "?" for dim in shape.dim) + "]"


def check_names(graph, sizes):
    names = ", ".join(f"{value.name}: {describe(value.type.tensor_type.shape)}" for value in graph.input)
    dims = {dim.dim_param for value in graph.input for dim in value.type.tensor_type.shape.dim}
    for what, unknown in (("input", set(sizes.inputs) - {value.name for value in graph.input}), ("dim", set(sizes.dims) - dims)):
        if unknown:
            sys.exit(f"error: the model has no {what} named {', '.join(sorted(unknown))}; its inputs are {names}")


def fix_inputs(graph, sizes):
    """Gives inputs the sizes of the command line; each other dim is static, or may stay dynamic."""
    initializers = {initializer.name for initializer in graph.initializer}
    inputs = [value for value in graph.input if value.name not in initializers]
    del graph.input[:]
    graph.input.extend(inputs)
    check_names(graph, sizes)
    for value in graph.input:
        if not value.type.HasField("tensor_type"):
            sys.exit(f"error: expected tensors as inputs, got another type for {value.name}")
        shape = value.type.tensor_type.shape
        explicit = sizes.inputs.get(value.name)
        if explicit is not None:
            if value.type.tensor_type.HasField("shape") and len(shape.dim) != len(explicit):
                sys.exit(f"error: expected {len(shape.dim)} sizes for {value.name}: {describe(shape)}, got {len(explicit)}")
            while len(shape.dim) < len(explicit):
                shape.dim.add()
            for dim, size in zip(shape.dim, explicit):
                if size is not None:
                    dim.dim_value = size
                elif dim.dim_value > 0:
                    dim.Clear()
        elif not value.type.tensor_type.HasField("shape"):
            sys.exit(f"error: expected a shape of input {value.name}, got none; give it as {value.name}=D,D,…")
        declared = describe(shape)
        for index, dim in enumerate(shape.dim):
            name = dim.dim_param
            if name in sizes.dims:
                dim.dim_value = sizes.dims[name]
            elif dim.dim_value <= 0 and not name.isidentifier():
                # -1, 0 and "?" are no names: two of them need not be equal.
                dim.dim_param = f"{value.name}_dim{index}"
            if dim.dim_value <= 0 and not (sizes.dynamic or explicit is not None):
                sys.exit(
                    f"error: expected static sizes, got {value.name}: {declared}; fix them ({value.name}=D,D,… or --dim NAME=SIZE),"
                    f" or keep them dynamic (--dynamic, or ? for a size)"
                )


def forget_declared_shapes(graph):
    """Declared shapes can be wrong or symbolic: they are inferred anew from the inputs. Returns the outputs' declared ranks."""
    ranks = {output.name: len(output.type.tensor_type.shape.dim) for output in graph.output if output.type.tensor_type.HasField("shape")}
    del graph.value_info[:]
    outputs = [(output.name, output.type.tensor_type.elem_type) for output in graph.output]
    del graph.output[:]
    graph.output.extend(onnx.helper.make_tensor_value_info(name, type, None) for name, type in outputs)
    return ranks


def restore_ranks(graph, ranks):
    """Of outputs about which nothing could be inferred: the importer wants a rank."""
    for output in graph.output:
        if not output.type.tensor_type.HasField("shape") and output.name in ranks:
            output.type.tensor_type.shape.dim.extend(onnx.TensorShapeProto.Dimension() for _ in range(ranks[output.name]))


def opset_of(model):
    versions = [opset.version for opset in model.opset_import if opset.domain in ("", "ai.onnx")]
    if not versions:
        sys.exit("error: expected a model of ONNX's own ops, got one that names no opset")
    return versions[0]


def raise_opset(model):
    version = opset_of(model)
    if version >= OPSET:
        return model
    try:
        converted = version_converter.convert_version(model, OPSET)
    except Exception as problem:  # whatever the converter raises
        reason = str(problem).strip().splitlines()[-1]
        say(f"warning: opset {version} stays, and the importer may refuse its ops: the converter to opset {OPSET} says: {reason}")
        return model
    say(f"opset {version} became {OPSET}")
    return converted


def infer_shapes(model):
    return shape_inference.infer_shapes(model, data_prop=True)


def warn_of_contradictions(model):
    """Inference leaves out what it cannot infer; strictly, it says why."""
    try:
        shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    except Exception as problem:  # whatever the inference raises
        say(f"warning: shapes cannot be inferred, or contradict each other: {' '.join(str(problem).split())}")


def fold_all(model):
    folded = 0
    for _ in range(ROUNDS):
        model = infer_shapes(model)
        changed = fold(model)
        if not changed:
            break
        folded += changed
        del model.graph.value_info[:]
    if folded:
        say(f"{folded} nodes that compute constants and shapes were folded")
    return model


def warn_of_foreign_ops(graph):
    foreign = collections.Counter(f"{n.domain}.{n.op_type}" for n in graph.node if n.domain not in ("", "ai.onnx"))
    if foreign:
        names = ", ".join(f"{name} ({count})" for name, count in sorted(foreign.items()))
        say(f"warning: ops that are not ONNX's own, which the importer may refuse: {names}; export without a runtime's own optimizations")


def name_nodes(graph):
    """A node without a name has its first result's: names say where an op comes from."""
    for node in graph.node:
        node.name = node.name or next(filter(None, node.output), "")


def main():
    source, target, *words = sys.argv[1:]
    sizes = Sizes(words)
    try:
        model = onnx.load(source)
    except Exception as problem:  # whatever the protobuf library raises
        sys.exit(f"error: expected an ONNX model in {os.path.basename(source)}: {problem}")
    if not model.graph.node:
        sys.exit(f"error: expected an ONNX model in {os.path.basename(source)}, got none or an empty one")
    fix_inputs(model.graph, sizes)
    ranks = forget_declared_shapes(model.graph)
    if model.functions:
        model = inliner.inline_local_functions(model)
    model = fold_all(raise_opset(model))
    warn_of_foreign_ops(model.graph)
    model.graph.name = "main"
    model = infer_shapes(model)
    warn_of_contradictions(model)
    restore_ranks(model.graph, ranks)
    name_nodes(model.graph)
    onnx.save(model, target)


if __name__ == "__main__":
    main()
