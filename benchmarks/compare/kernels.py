"""Single convolutions, channels-last in and out, for the share of the FMA peak that a kernel alone reaches.

The input is padded already, so that the case is the kernel and nothing besides it; weights and bias are constants, a ReLU ends it.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "scripts"))
from fusion_models import conv_reference  # noqa: E402

MODULE = """\
#image = affine_map<(n, h, w, c) -> (n, h, w, c)>
#channel = affine_map<(n, h, w, c) -> (c)>
func.func @main(%x: {input}) -> {output} {{
  %w = arith.constant dense_resource<weights> : {weights}
  %b = arith.constant dense_resource<bias> : {bias}
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : {output}
  %init = linalg.fill ins(%zero : f32) outs(%empty : {output}) -> {output}
  %sum = linalg.conv_2d_nhwc_hwcf {{strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}}
    ins(%x, %w : {input}, {weights}) outs(%init : {output}) -> {output}
  %y = linalg.generic {{indexing_maps = [#image, #channel, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
    ins(%sum, %b : {output}, {bias}) outs(%empty : {output}) {{
  ^bb0(%s: f32, %c: f32, %out: f32):
    %shifted = arith.addf %s, %c : f32
    %positive = arith.maximumf %shifted, %zero : f32
    linalg.yield %positive : f32
  }} -> {output}
  return %y : {output}
}}
{{-#
  dialect_resources: {{
    builtin: {{
      weights: "0x04000000{weights_hex}",
      bias: "0x04000000{bias_hex}"
    }}
  }}
#-}}
"""


@dataclass(frozen=True)
class Kernel:
    size: int  # height and width of the result
    channels_in: int
    channels: int
    kernel: int

    @property
    def floats_in(self):
        return (self.size + self.kernel - 1) ** 2 * self.channels_in

    @property
    def floats_out(self):
        return self.size**2 * self.channels

    @property
    def flop(self):
        return 2 * self.size**2 * self.channels * self.channels_in * self.kernel**2

    def write(self, folder):
        """model.mlir, in0.npy and out0.npy (computed in f64)."""
        rng = np.random.default_rng(0)
        padded = self.size + self.kernel - 1
        x = rng.standard_normal((1, padded, padded, self.channels_in), dtype=np.float32)
        weights = rng.standard_normal((self.kernel, self.kernel, self.channels_in, self.channels), dtype=np.float32)
        bias = rng.standard_normal(self.channels, dtype=np.float32)
        weights *= np.float32((self.channels_in * self.kernel**2) ** -0.5)
        nchw = conv_reference(x.astype(np.float64).transpose(0, 3, 1, 2), weights.astype(np.float64).transpose(3, 2, 0, 1), 1, 1)
        y = np.maximum(nchw.transpose(0, 2, 3, 1) + bias, 0)
        types = {
            name: f"tensor<{'x'.join(map(str, array.shape))}xf32>"
            for name, array in (("input", x), ("weights", weights), ("bias", bias), ("output", y))
        }
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model.mlir").write_text(
            MODULE.format(**types, weights_hex=weights.tobytes().hex(), bias_hex=bias.tobytes().hex())
        )
        np.save(folder / "in0.npy", x)
        np.save(folder / "out0.npy", y)


KERNELS = {
    "kernel3x3_64_56": Kernel(56, 64, 64, 3),
    "kernel3x3_128_28": Kernel(28, 128, 128, 3),
    "kernel3x3_256_14": Kernel(14, 256, 256, 3),
    "kernel1x1_256_64_56": Kernel(56, 256, 64, 1),
}
