"""Profiles a small network of dynamic sizes at given ones and the same network with these sizes in it; compares the figures."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import subprocess
import sys
from pathlib import Path

folder = Path(sys.argv[1])
sizes = [int(size) for size in sys.argv[2].split(",")]  # batch, height, width


def network(dynamic):
    """A convolution, its maximum with zero, and a pool, on images of 13 channels."""

    def tensor(channels, less):
        known = ["?"] * 3 if dynamic else [sizes[0], sizes[1] - less, sizes[2] - less]
        return f"tensor<{known[0]}x{channels}x{known[1]}x{known[2]}xf32>"

    def empty(name, channels, less):
        wanted = f"%n, %h{less}, %w{less}" if dynamic else ""
        return f"  %{name} = tensor.empty({wanted}) : {tensor(channels, less)}\n"

    x, y, z = tensor(13, 0), tensor(17, 2), tensor(17, 3)
    text = f"func.func @main(%x: {x}) -> {z} {{\n"
    if dynamic:
        text += "".join(f"  %c{i} = arith.constant {i} : index\n" for i in range(4))
        text += f"  %n = tensor.dim %x, %c0 : {x}\n  %h = tensor.dim %x, %c2 : {x}\n  %w = tensor.dim %x, %c3 : {x}\n"
        text += "".join(f"  %{size}{less} = arith.subi %{size}, %c{less} : index\n" for size in "hw" for less in (2, 3))
    text += "  %f = arith.constant dense<0.5> : tensor<17x13x3x3xf32>\n  %zero = arith.constant 0.0 : f32\n"
    text += "  %least = arith.constant 0xFF800000 : f32\n  %k = tensor.empty() : tensor<2x2xf32>\n"
    text += empty("e", 17, 2) + empty("p", 17, 3)
    text += f"""  %i = linalg.fill ins(%zero : f32) outs(%e : {y}) -> {y}
  %c = linalg.conv_2d_nchw_fchw ins(%x, %f : {x}, tensor<17x13x3x3xf32>) outs(%i : {y}) -> {y}
  %r = linalg.fill ins(%zero : f32) outs(%e : {y}) -> {y}
  %m = linalg.max ins(%c, %r : {y}, {y}) outs(%e : {y}) -> {y}
  %j = linalg.fill ins(%least : f32) outs(%p : {z}) -> {z}
  %o = linalg.pooling_nchw_max ins(%m, %k : {y}, tensor<2x2xf32>) outs(%j : {z}) -> {z}
  return %o : {z}
}}
"""
    path = folder / ("dynamic.mlir" if dynamic else "static.mlir")
    path.write_text(text)
    return path


def figures(path, *flags):
    out = folder / "work.json"
    command = ["mlir-fusion", "profile", path, "--warmup", "1", "--repeat", "2", "--json", out, *flags]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    keys = ("flops", "epilogue_flops", "bytes", "constant_bytes")
    sites = json.loads(out.read_text())["sites"]
    return [(site["op"], {key: site[key] for key in keys}) for site in sites if site["op"].startswith("fusion.")]


batch, height, width = sizes
dynamic = figures(network(True), "--shape", f"in0={batch},13,{height},{width}")
for (op, got), (_, wanted) in zip(dynamic, figures(network(False)), strict=True):
    same = "as of static sizes" if got == wanted else f"{got}, but {wanted} of static sizes"
    print(f"{op}: flops {got['flops']:.0f} {same}")
