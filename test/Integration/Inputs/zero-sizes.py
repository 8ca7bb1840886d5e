"""Writes models some size of which is 0, with inputs and expected results, into the folder named on the command line."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys
import numpy as np

folder = sys.argv[1]


def tensor(shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def write(name, op, inputs, result, start, expected, shape_only=()):
    """One op `op` on `inputs` (shapes) that accumulates into `start`, and exp of it."""
    arguments = ", ".join(f"%a{i}: {tensor(shape)}" for i, shape in enumerate(inputs))
    windows = "".join(f"  %w{i} = tensor.empty() : {tensor(shape)}\n" for i, shape in enumerate(shape_only))
    names = [f"%a{i}" for i in range(len(inputs))] + [f"%w{i}" for i in range(len(shape_only))]
    types = ", ".join(tensor(shape) for shape in [*inputs, *shape_only])
    open(f"{folder}/{name}.mlir", "w").write(f"""func.func @main({arguments}) -> {tensor(result)} {{
  %start = arith.constant {start} : f32
{windows}  %e = tensor.empty() : {tensor(result)}
  %f = linalg.fill ins(%start : f32) outs(%e : {tensor(result)}) -> {tensor(result)}
  %y = linalg.{op} ins({', '.join(names)} : {types}) outs(%f : {tensor(result)}) -> {tensor(result)}
  %r = linalg.exp ins(%y : {tensor(result)}) outs(%e : {tensor(result)}) -> {tensor(result)}
  return %r : {tensor(result)}
}}
""")
    words = []
    for i, shape in enumerate(inputs):
        np.save(f"{folder}/{name}.in{i}.npy", np.ones(shape, np.float32))
        words += ["--input", f"{folder}/{name}.in{i}.npy"]
    np.save(f"{folder}/{name}.out.npy", np.full(result, expected, np.float32))
    open(f"{folder}/{name}.arguments", "w").write(" ".join([*words, "--expect", f"{folder}/{name}.out.npy"]))


conv = "conv_2d_nchw_fchw"
write("conv-batch", conv, [(0, 4, 6, 6), (8, 4, 3, 3)], (0, 8, 4, 4), "0.0", 1)
write("conv-outputs", conv, [(2, 4, 6, 6), (0, 4, 3, 3)], (2, 0, 4, 4), "0.0", 1)
write("conv-inputs", conv, [(2, 0, 6, 6), (8, 0, 3, 3)], (2, 8, 4, 4), "0.0", 1)
write("conv-rows", conv, [(2, 4, 2, 6), (8, 4, 3, 3)], (2, 8, 0, 4), "0.0", 1)
write("conv-window", conv, [(2, 4, 6, 6), (8, 4, 0, 3)], (2, 8, 6, 4), "0.0", 1)
write("matmul-rows", "matmul", [(0, 8), (8, 16)], (0, 16), "0.0", 1)
write("matmul-reduction", "matmul", [(4, 0), (0, 16)], (4, 16), "0.0", 1)
write("matmul-columns", "matmul", [(4, 8), (8, 0)], (4, 0), "0.0", 1)
write("batches", "batch_matmul", [(0, 4, 8), (0, 8, 4)], (0, 4, 4), "0.0", 1)
write("pool-channels", "pooling_nchw_max", [(1, 0, 6, 6)], (1, 0, 5, 5), "0xFF800000", 1, [(2, 2)])
write("pool-window", "pooling_nchw_max", [(1, 2, 6, 6)], (1, 2, 7, 5), "0xFF800000", 0, [(0, 2)])
