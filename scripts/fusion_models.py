"""Builds convolutional networks as the linalg-on-tensors MLIR that importers write, with seeded weights and an f64 reference.

Each layer method of Network appends MLIR to the module and returns a Tensor; with `evaluate=True` it also computes the layer in
f64 with numpy, so that the last tensor's `value` is the expected result. Nothing is folded or fused: a batch norm is six
linalg.generic ops, padding is a tensor.pad, weights are dense_resource blobs. Needs python3 and numpy only.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import subprocess
from dataclasses import dataclass
from typing import Optional

import numpy as np

MLIR_OPT = "/usr/lib/llvm-22/bin/mlir-opt"

# A cache line, but the element's own for small modules: MLIR 22 reads files below a few pages into buffers that are not aligned
# to 64 bytes, and then refuses their bytecode.
ALIGNMENT, SMALL_ALIGNMENT, SMALL_MODULE = 64, 4, 1 << 16


@dataclass
class Tensor:
    """An SSA value of the module: its name, its static shape and, when the network evaluates, its f64 value."""

    name: str
    shape: tuple
    value: Optional[np.ndarray] = None

    @property
    def type(self):
        return tensor_type(self.shape)


def tensor_type(shape):
    return f"tensor<{''.join(f'{d}x' for d in shape)}f32>"


class Network:
    """A function @main under construction."""

    def __init__(self, seed=0, evaluate=False):
        self.rng = np.random.default_rng(seed)
        self.evaluate = evaluate
        self.inputs = []  # (Tensor, the seeded f32 array to run it with)
        self._constants = {}  # text of the definition -> name, so that equal scalars exist once
        self._blobs = []  # (resource name, f32 array)
        self._body = []  # text of the ops, in order
        self._shared = {}  # ("empty" or "fill", shape, value) -> name: shared by all users, as after CSE
        self._counter = 0

    @property
    def parameters(self):
        return sum(array.size for _, array in self._blobs)

    # ----- the module ---------------------------------------------------------------------------------------------

    def input(self, *shape):
        array = self.rng.standard_normal(shape, dtype=np.float32)
        tensor = Tensor(f"%arg{len(self.inputs)}", shape, self._f64(array))
        self.inputs.append((tensor, array))
        return tensor

    def text(self, result):
        """The whole module as pieces of text, weights last."""
        arguments = ", ".join(f"{t.name}: {t.type}" for t, _ in self.inputs)
        yield "#id2 = affine_map<(d0, d1) -> (d0, d1)>\n"
        yield "#row = affine_map<(d0, d1) -> (d1)>\n"
        yield "#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>\n"
        yield "#channel = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>\n"
        yield "#channel_of_batch = affine_map<(d0, d1, d2, d3) -> (0, d1, 0, 0)>\n"
        yield "#scalar = affine_map<(d0, d1, d2, d3) -> ()>\n"
        yield f"module {{\n  func.func @main({arguments}) -> {result.type} {{\n"
        for definition, name in self._constants.items():
            yield f"    {name} = arith.constant {definition}\n"
        for op in self._body:
            yield f"    {op}\n"
        yield f"    return {result.name} : {result.type}\n  }}\n}}\n"
        if self._blobs:
            yield "\n{-#\n  dialect_resources: {\n    builtin: {\n"
            alignment = ALIGNMENT if self.parameters * 4 >= SMALL_MODULE else SMALL_ALIGNMENT
            prefix = alignment.to_bytes(4, "little").hex()  # what a blob's text starts with
            for index, (name, array) in enumerate(self._blobs):
                comma = "," if index + 1 < len(self._blobs) else ""
                yield f'      {name}: "0x{prefix}{array.astype("<f4").tobytes().hex()}"{comma}\n'
            yield "    }\n  }\n#-}\n"

    def write(self, result, path, opt=MLIR_OPT):
        """Writes the module as bytecode if `path` ends in .mlirbc (through the pass tool `opt`), else as text."""
        if not path.endswith(".mlirbc"):
            with open(path, "w") as file:
                file.writelines(self.text(result))
            return
        with subprocess.Popen([opt, "-", "--emit-bytecode", "-o", path], stdin=subprocess.PIPE, text=True) as tool:
            try:
                tool.stdin.writelines(self.text(result))
            except BrokenPipeError:
                pass  # the tool stopped early and has said why
        if tool.returncode:
            raise SystemExit(f"{opt} could not write {path}")

    # ----- layers -------------------------------------------------------------------------------------------------

    def conv(self, x, channels, kernel, stride=1, padding=None, groups=1, bias=False):
        """2-D convolution, NCHW, He-scaled weights; `padding` is kernel // 2 unless given."""
        padding = kernel // 2 if padding is None else padding
        batch, in_channels, _, _ = x.shape
        group_in, group_out = in_channels // groups, channels // groups
        weight = self._normal((channels, group_in, kernel, kernel), np.sqrt(2 / (group_in * kernel * kernel)))
        shift = self._normal((channels,), 0.1) if bias else None
        padded = self._pad(x, padding, 0.0)
        shape = (batch, channels, *(self._windows(d, kernel, stride) for d in padded.shape[2:]))
        value = None
        if self.evaluate:
            value = conv_reference(padded.value, weight.astype(np.float64), stride, groups)
            value += 0 if shift is None else shift.astype(np.float64)[:, None, None]

        if bias:
            vector = self._weight("conv_bias", shift)
            init = self._op(
                f"linalg.broadcast ins({vector.name} : {vector.type}) "
                f"outs({self._empty(shape)} : {tensor_type(shape)}) dimensions = [0, 2, 3]"
            )
        if groups == 1:
            init = init if bias else self._fill(shape, 0.0)
            filter = self._weight("conv_weight", weight)
            return self._windowed("conv_2d_nchw_fchw", stride, padded, filter, init, shape, value)
        if group_in == 1 and group_out == 1:
            init = init if bias else self._fill(shape, 0.0)
            filter = self._weight("depthwise_weight", weight.reshape(channels, kernel, kernel))
            return self._windowed("depthwise_conv_2d_nchw_chw", stride, padded, filter, init, shape, value)
        # Grouped: channels are split into groups, convolved, and joined again.
        split = "[[0], [1, 2], [3], [4]]"
        grouped_shape = (batch, groups, group_out, *shape[2:])
        filter = self._weight("grouped_weight", weight.reshape(groups, group_out, group_in, kernel, kernel))
        grouped_in = self._expand(padded, (batch, groups, group_in, *padded.shape[2:]), split)
        grouped_init = (
            self._expand(Tensor(init, shape), grouped_shape, split).name if bias else self._fill(grouped_shape, 0.0)
        )
        grouped = self._windowed("conv_2d_ngchw_gfchw", stride, grouped_in, filter, grouped_init, grouped_shape)
        name = self._op(
            f"tensor.collapse_shape {grouped.name} {split} : {grouped.type} into {tensor_type(shape)}"
        )
        return Tensor(name, shape, value)

    def batch_norm(self, x, gamma=1.0, eps=1e-5):
        """Inference batch norm, six generics: eps, rsqrt on the channels; subtract, scale, scale, shift on the image."""
        channels = x.shape[1]
        vector = (1, channels, 1, 1)
        scale = (gamma * self.rng.uniform(0.7, 1.3, vector)).astype(np.float32)
        shift = self._normal(vector, 0.1)
        mean = self._normal(vector, 0.2)
        variance = self.rng.uniform(0.5, 1.5, vector).astype(np.float32)
        value = None
        if self.evaluate:
            s, b, m, v = (a.astype(np.float64) for a in (scale, shift, mean, variance))
            value = (x.value - m) / np.sqrt(v + np.float64(np.float32(eps))) * s + b

        eps_name = self._scalar(eps)
        mean, variance, scale, shift = (
            self._weight(f"bn_{name}", array)
            for name, array in (("mean", mean), ("variance", variance), ("scale", scale), ("shift", shift))
        )
        biased = self._elementwise([variance], ["#id4"], [f"arith.addf %in0, {eps_name} : f32"])
        inverse = self._elementwise([biased], ["#id4"], ["math.rsqrt %in0 : f32"])
        by_channel = "#channel" if x.shape[0] == 1 else "#channel_of_batch"
        for body, operand in (("subf", mean), ("mulf", inverse), ("mulf", scale), ("addf", shift)):
            x = self._elementwise([x, operand], ["#id4", by_channel], [f"arith.{body} %in0, %in1 : f32"])
        return Tensor(x.name, x.shape, value)

    def relu(self, x):
        zero = self._scalar(0.0)
        body = [f"arith.cmpf ugt, %in0, {zero} : f32", f"arith.select %t0, %in0, {zero} : f32"]
        return self._elementwise([x], ["#id4"], body, lambda v: np.maximum(v, 0.0))

    def relu6(self, x):
        """ReLU6 as a clip whose bounds are rank-0 tensors, which is how importers write it."""
        low, high = (Tensor(self._constant(f"dense<{v:.6e}> : tensor<f32>"), ()) for v in (0.0, 6.0))
        body = [
            "arith.cmpf ult, %in0, %in1 : f32",
            "arith.select %t0, %in1, %in0 : f32",
            "arith.cmpf ugt, %t1, %in2 : f32",
            "arith.select %t2, %in2, %t1 : f32",
        ]
        return self._elementwise([x, low, high], ["#id4", "#scalar", "#scalar"], body, lambda v, *_: np.clip(v, 0.0, 6.0))

    def add(self, x, y):
        return self._elementwise([x, y], ["#id4", "#id4"], ["arith.addf %in0, %in1 : f32"], np.add)

    def max_pool(self, x, kernel, stride, padding=0):
        padded = self._pad(x, padding, -np.inf)
        shape = (*x.shape[:2], *(self._windows(d, kernel, stride) for d in padded.shape[2:]))
        value = None
        if self.evaluate:
            windows = (padded.value[s] for s in window_slices(shape, kernel, stride))
            value = next(windows).copy()
            for window in windows:
                np.maximum(value, window, out=value)
        window = Tensor(self._empty((kernel, kernel)), (kernel, kernel))
        init = self._fill(shape, -np.inf)
        return self._windowed("pooling_nchw_max", stride, padded, window, init, shape, value)

    def global_average_pool(self, x):
        """Sum pool over the whole image, then a division by its size."""
        shape = (*x.shape[:2], 1, 1)
        window = Tensor(self._empty(x.shape[2:]), x.shape[2:])
        total = self._windowed("pooling_nchw_sum", 1, x, window, self._fill(shape, 0.0), shape)
        if self.evaluate:
            total.value = x.value.sum(axis=(2, 3), keepdims=True)
        count = x.shape[2] * x.shape[3]
        return self._elementwise([total], ["#id4"], [f"arith.divf %in0, {self._scalar(count)} : f32"], lambda v: v / count)

    def linear(self, x, features):
        """Flatten, then x * transpose(weight) + bias."""
        batch, width = x.shape[0], int(np.prod(x.shape[1:]))
        weight = self._normal((features, width), np.sqrt(1 / width))
        bias = self._normal((features,), 0.02)
        flat = Tensor(
            self._op(f"tensor.collapse_shape {x.name} [[0], [1, 2, 3]] : {x.type} into {tensor_type((batch, width))}"),
            (batch, width),
        )
        weight_tensor = self._weight("linear_weight", weight)
        turned = Tensor(
            self._op(
                f"linalg.transpose ins({weight_tensor.name} : {weight_tensor.type}) "
                f"outs({self._empty((width, features))} : {tensor_type((width, features))}) permutation = [1, 0]"
            ),
            (width, features),
        )
        shape = (batch, features)
        product = Tensor(
            self._op(
                f"linalg.matmul ins({flat.name}, {turned.name} : {flat.type}, {turned.type}) "
                f"outs({self._fill(shape, 0.0)} : {tensor_type(shape)}) -> {tensor_type(shape)}"
            ),
            shape,
        )
        if self.evaluate:
            product.value = x.value.reshape(batch, width) @ weight.astype(np.float64).T
        vector = self._weight("linear_bias", bias)
        return self._elementwise([product, vector], ["#id2", "#row"], ["arith.addf %in0, %in1 : f32"], np.add)

    # ----- pieces of the layers -----------------------------------------------------------------------------------

    def _f64(self, array):
        return array.astype(np.float64) if self.evaluate else None

    def _normal(self, shape, deviation):
        return self.rng.standard_normal(shape, dtype=np.float32) * np.float32(deviation)

    def _constant(self, definition):
        return self._constants.setdefault(definition, f"%cst{len(self._constants)}")

    def _scalar(self, value):
        if np.isneginf(value):
            return self._constant("0xFF800000 : f32")
        return self._constant(f"{np.float32(value):.8e} : f32")

    def _weight(self, kind, array):
        name = f"{kind}_{len(self._blobs)}"
        self._blobs.append((name, array))
        value = self._f64(array) if array.ndim == 1 else None  # only the bias vectors are read through their tensor
        return Tensor(self._constant(f"dense_resource<{name}> : {tensor_type(array.shape)}"), array.shape, value)

    def _op(self, text):
        name = f"%{self._counter}"
        self._counter += 1
        self._body.append(f"{name} = {text}")
        return name

    def _empty(self, shape):
        key = ("empty", shape)
        if key not in self._shared:
            self._shared[key] = self._op(f"tensor.empty() : {tensor_type(shape)}")
        return self._shared[key]

    def _fill(self, shape, value):
        key = ("fill", shape, value)
        if key not in self._shared:
            type = tensor_type(shape)
            self._shared[key] = self._op(
                f"linalg.fill ins({self._scalar(value)} : f32) outs({self._empty(shape)} : {type}) -> {type}"
            )
        return self._shared[key]

    def _pad(self, x, padding, with_value):
        if padding == 0:
            return x
        shape = (*x.shape[:2], *(d + 2 * padding for d in x.shape[2:]))
        edges = f"[0, 0, {padding}, {padding}]"
        name = self._op(
            f"tensor.pad {x.name} low{edges} high{edges} {{\n"
            f"    ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):\n"
            f"      tensor.yield {self._scalar(with_value)} : f32\n"
            f"    }} : {x.type} to {tensor_type(shape)}"
        )
        value = None
        if self.evaluate:
            value = np.pad(x.value, ((0, 0), (0, 0), (padding, padding), (padding, padding)), constant_values=with_value)
        return Tensor(name, shape, value)

    def _expand(self, x, shape, reassociation):
        return Tensor(
            self._op(
                f"tensor.expand_shape {x.name} {reassociation} output_shape {list(shape)} : {x.type} into {tensor_type(shape)}"
            ),
            shape,
        )

    def _windowed(self, op, stride, x, window, init, shape, value=None):
        """A named convolution or pooling op."""
        type = tensor_type(shape)
        name = self._op(
            f"linalg.{op} {{dilations = dense<1> : vector<2xi64>, strides = dense<{stride}> : vector<2xi64>}} "
            f"ins({x.name}, {window.name} : {x.type}, {window.type}) outs({init} : {type}) -> {type}"
        )
        return Tensor(name, shape, value)

    def _elementwise(self, operands, maps, body, reference=None):
        """A linalg.generic over the first operand's shape; line i of `body` defines %t<i>, the last one is yielded."""
        shape = operands[0].shape
        type = tensor_type(shape)
        rank = len(shape)
        arguments = ", ".join([f"%in{i}: f32" for i in range(len(operands))] + ["%out: f32"])
        lines = "".join(f"      %t{i} = {line}\n" for i, line in enumerate(body))
        iterators = ", ".join(['"parallel"'] * rank)
        name = self._op(
            f"linalg.generic {{indexing_maps = [{', '.join(maps)}, #id{rank}], iterator_types = [{iterators}]}} "
            f"ins({', '.join(o.name for o in operands)} : {', '.join(o.type for o in operands)}) "
            f"outs({self._empty(shape)} : {type}) {{\n    ^bb0({arguments}):\n{lines}"
            f"      linalg.yield %t{len(body) - 1} : f32\n    }} -> {type}"
        )
        value = reference(*(o.value for o in operands)) if self.evaluate and reference else None
        return Tensor(name, shape, value)

    @staticmethod
    def _windows(size, kernel, stride):
        return (size - kernel) // stride + 1


def window_slices(out_shape, kernel, stride):
    """For each position in the window: the slice of the padded image that it reads."""
    height, width = out_shape[2:]
    for y in range(kernel):
        for x in range(kernel):
            yield np.s_[:, :, y : y + stride * (height - 1) + 1 : stride, x : x + stride * (width - 1) + 1 : stride]


def conv_reference(x, weight, stride, groups):
    """Convolution as one matrix product for each position in the window; `x` is padded already."""
    batch, in_channels, height, width = x.shape
    channels, group_in, kernel, _ = weight.shape
    shape = (batch, channels, (height - kernel) // stride + 1, (width - kernel) // stride + 1)
    positions = weight.reshape(groups, channels // groups, group_in, kernel * kernel)
    total = 0
    for position, window in enumerate(window_slices(shape, kernel, stride)):
        columns = x[window].reshape(batch, groups, group_in, shape[2] * shape[3])
        total = total + np.ascontiguousarray(positions[..., position]) @ columns
    return total.reshape(shape)
