"""Makes an ONNX model ready for the importer: static inputs, opset 17 or later, an entry point called main.

usage: prepare_onnx.py MODEL.onnx OUT.onnx [INPUT=D,D,… …]; run by import-onnx.sh with the Python of the importer's environment.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import sys

import onnx
from onnx import shape_inference, version_converter

OPSET = 17


def fix_inputs(graph, shapes):
    """Gives the inputs named in `shapes` their static shape; all inputs must be static afterwards."""
    initializers = {initializer.name for initializer in graph.initializer}
    for value in list(graph.input):
        if value.name in initializers:
            graph.input.remove(value)
            continue
        shape = value.type.tensor_type.shape
        if value.name in shapes:
            dims = shapes.pop(value.name)
            del shape.dim[:]
            for size in dims:
                shape.dim.add().dim_value = size
        if any(dim.dim_value <= 0 for dim in shape.dim):
            dims = ",".join(str(dim.dim_value) if dim.dim_value > 0 else dim.dim_param or "?" for dim in shape.dim)
            sys.exit(f"error: expected static inputs, got {value.name}: [{dims}]; give its shape as {value.name}=D,D,…")
    if shapes:
        sys.exit(f"error: the model has no input named {', '.join(shapes)}")


def forget_declared_shapes(graph):
    """Declared shapes can be wrong or symbolic: they are inferred anew from the inputs."""
    del graph.value_info[:]
    outputs = [(output.name, output.type.tensor_type.elem_type) for output in graph.output]
    del graph.output[:]
    graph.output.extend(onnx.helper.make_tensor_value_info(name, type, None) for name, type in outputs)


def main():
    source, target, *fixed = sys.argv[1:]
    shapes = {}
    for word in fixed:
        name, _, dims = word.rpartition("=")
        if not name or not dims.replace(",", "").isdigit():
            sys.exit(f"error: expected INPUT=D,D,…, got {word}")
        shapes[name] = [int(size) for size in dims.split(",")]
    try:
        model = onnx.load(source)
    except Exception as problem:  # whatever the protobuf library raises
        sys.exit(f"error: expected an ONNX model in {source}: {problem}")
    fix_inputs(model.graph, shapes)
    forget_declared_shapes(model.graph)
    if next(opset.version for opset in model.opset_import if opset.domain in ("", "ai.onnx")) < OPSET:
        model = version_converter.convert_version(model, OPSET)
    model.graph.name = "main"
    onnx.save(shape_inference.infer_shapes(model, data_prop=True), target)


if __name__ == "__main__":
    main()
