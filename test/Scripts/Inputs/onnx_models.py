"""Writes small ONNX models, each with one of the importer's traps, into a folder: onnx_models.py DIR."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def value(name, shape, type=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, type, shape)


def save(name, nodes, inputs, outputs, constants=None, opset=17, domains=()):
    initializers = [numpy_helper.from_array(np.array(array), key) for key, array in (constants or {}).items()]
    graph = helper.make_graph(nodes, "graph", inputs, outputs, initializers)
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), f"{sys.argv[1]}/{name}.onnx")


node = helper.make_node
# Opset 9: Upsample is gone since 10, and Softmax flattens from axis 1.
save("old", [node("Upsample", ["x", "scales"], ["u"], mode="nearest"), node("Softmax", ["u"], ["y"], axis=3)],
     [value("x", [1, 2, 3, 4])], [value("y", None)], {"scales": np.float32([1, 1, 2, 2])}, opset=9)
save("wrong_shape", [node("Relu", ["x"], ["y"])], [value("x", [2, 3])], [value("y", [7, 99])])
# The batch and the channels are read from the input's shape; the rest is flattened.
save("reshape", [
    node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["n"]), node("Gather", ["s", "one"], ["c"]),
    node("Unsqueeze", ["n", "axes"], ["n1"]), node("Unsqueeze", ["c", "axes"], ["c1"]),
    node("Concat", ["n1", "c1", "rest"], ["to"], axis=0), node("Reshape", ["x", "to"], ["y"])],
    [value("x", ["N", 3, "H", 4])], [value("y", None)],
    {"zero": np.int64(0), "one": np.int64(1), "axes": np.int64([0]), "rest": np.int64([-1])})
save("two_inputs", [node("Add", ["x", "b"], ["y"])], [value("x", ["batch", -1]), value("b", ["batch", 5])], [value("y", None)])
save("foreign", [node("FusedConv", ["x", "w"], ["y"], domain="com.microsoft")], [value("x", [1, 3, 8, 8])], [value("y", [1, 4, 6, 6])],
     {"w": np.zeros((4, 3, 3, 3), np.float32)}, domains=["com.microsoft"])
save("strings", [node("StringNormalizer", ["x"], ["y"])], [value("x", [6], TensorProto.STRING)], [value("y", None, TensorProto.STRING)])
save("contradiction", [node("Add", ["x", "z"], ["y"])], [value("x", [2, 3]), value("z", [2, 4])], [value("y", None)])
open(f"{sys.argv[1]}/none.onnx", "w").write("no model")
