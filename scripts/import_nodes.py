"""The importer's first step with the names of the model; run by import-onnx.sh with the Python of the importer's environment.

usage: import_nodes.py MODEL.onnx OUT.mlir

As torch-mlir-import-onnx, which knows the names but leaves them out of what it prints: ops get their node's name as location, and
inputs and results an attribute onnx.name, which passes keep.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import sys

from torch_mlir import ir
from torch_mlir.dialects import torch
from torch_mlir.extras import onnx_importer
from torch_mlir.tools.import_onnx.__main__ import load_onnx_model, parse_arguments


def name_values(function, key, names):
    named = [ir.DictAttr.get({"onnx.name": ir.StringAttr.get(name)}) for name in names]
    function.attributes[key] = ir.ArrayAttr.get(named)


def main():
    source, target = sys.argv[1:]
    model = load_onnx_model(parse_arguments([source, "-o", target]))
    context = ir.Context()
    torch.register_dialect(context)
    info = onnx_importer.ModelInfo(model, config=onnx_importer.Config())
    module = info.create_module(context=context).operation
    onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
    with context, ir.Location.unknown():
        function = module.regions[0].blocks[0].operations[0]
        name_values(function, "arg_attrs", info.main_graph.input_map)
        name_values(function, "res_attrs", info.main_graph.output_map)
    module.verify()
    with open(target, "w") as file:
        print(module.get_asm(enable_debug_info=True), file=file)


if __name__ == "__main__":
    main()
