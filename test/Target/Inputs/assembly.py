"""Writes one model for each kind of kernel into the folder named on the command line."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys


def tensor(shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def write(name, op, attributes, input_shape, weights, result, constant=True):
    """linalg's `op` on an argument and weights, by default constant ones, and a maximum with zero."""
    attributes = f" {{{attributes}}}" if attributes else ""
    out = tensor(result)
    argument = "" if constant else f", %w: {tensor(weights)}"
    value = f"  %w = arith.constant dense<0.5> : {tensor(weights)}\n" if constant else ""
    open(f"{sys.argv[1]}/{name}.mlir", "w").write(f"""func.func @main(%x: {tensor(input_shape)}{argument}) -> {out} {{
  %zero = arith.constant 0.0 : f32
{value}  %e = tensor.empty() : {out}
  %f = linalg.fill ins(%zero : f32) outs(%e : {out}) -> {out}
  %y = linalg.{op}{attributes} ins(%x, %w : {tensor(input_shape)}, {tensor(weights)}) outs(%f : {out}) -> {out}
  %r = linalg.max ins(%y, %f : {out}, {out}) outs(%e : {out}) -> {out}
  return %r : {out}
}}
""")


conv, depthwise = "conv_2d_nhwc_hwcf", "depthwise_conv_2d_nhwc_hwc"
twice = "strides = dense<2> : tensor<2xi64>"
write("conv", conv, "", (1, 30, 30, 64), (3, 3, 64, 64), (1, 28, 28, 64))
write("first", conv, twice, (1, 117, 117, 3), (7, 7, 3, 64), (1, 56, 56, 64))
write("pointwise", conv, "", (1, 28, 28, 256), (1, 1, 256, 64), (1, 28, 28, 64))
write("depthwise", depthwise, "", (1, 30, 30, 64), (3, 3, 64), (1, 28, 28, 64))
write("depthwise-2", depthwise, twice, (1, 57, 57, 64), (3, 3, 64), (1, 28, 28, 64))
write("product", "matmul", "", (84, 128), (128, 256), (84, 256))
write("vector", "matmul", "", (1, 512), (512, 1024), (1, 1024))
write("channels-first", "conv_2d_nchw_fchw", "", (1, 64, 30, 30), (64, 64, 3, 3), (1, 64, 28, 28))
write("planes", "depthwise_conv_2d_nchw_chw", "", (1, 64, 30, 34), (64, 3, 3), (1, 64, 28, 32))
write("plain", "matmul", "", (84, 128), (128, 256), (84, 256), constant=False)
