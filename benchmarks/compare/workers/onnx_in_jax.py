"""An ONNX model as a function of JAX arrays: the way to XLA. Covers the operators of convolutional networks."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import jax
import jax.numpy as jnp
import numpy as np
import onnx
from onnx import numpy_helper

OPERATORS = {
    "Add": lambda np_, a, b: a + b,
    "Cast": lambda np_, x, to: x.astype(onnx.helper.tensor_dtype_to_np_dtype(to)),
    "Clip": lambda np_, x, low=None, high=None: np_.clip(x, low, high),
    "Concat": lambda np_, *xs, axis: np_.concatenate(xs, axis),
    "Div": lambda np_, a, b: a / b,
    "Flatten": lambda np_, x, axis=1: np_.reshape(x, (int(np.prod(x.shape[:axis])), -1)),
    "GlobalAveragePool": lambda np_, x: np_.mean(x, axis=(2, 3), keepdims=True),
    "HardSigmoid": lambda np_, x, alpha=0.2, beta=0.5: np_.clip(alpha * x + beta, 0, 1),
    "HardSwish": lambda np_, x: x * np_.clip(x / 6 + 0.5, 0, 1),
    "Identity": lambda np_, x: x,
    "MatMul": lambda np_, a, b: np_.matmul(a, b),
    "Mul": lambda np_, a, b: a * b,
    "Relu": lambda np_, x: np_.maximum(x, 0),
    "Shape": lambda np_, x: np.array(x.shape, np.int64),
    "Sigmoid": lambda np_, x: jax.nn.sigmoid(x),
    "Softmax": lambda np_, x, axis=-1: jax.nn.softmax(x, axis=axis),
    "Sub": lambda np_, a, b: a - b,
    "Transpose": lambda np_, x, perm: np_.transpose(x, perm),
}


def operator(function):
    OPERATORS[function.__name__] = function
    return function


@operator
def BatchNormalization(np_, x, gamma, beta, mean, variance, epsilon=1e-5, **_):
    scale = gamma / np.sqrt(variance + np.float32(epsilon))
    return x * scale[:, None, None] + (beta - mean * scale)[:, None, None]


@operator
def Constant(np_, value):
    return numpy_helper.to_array(value)


@operator
def Conv(np_, x, w, bias=None, strides=(1, 1), pads=(0, 0, 0, 0), dilations=(1, 1), group=1, **_):
    y = jax.lax.conv_general_dilated(x, w, strides, list(zip(pads[:2], pads[2:])), rhs_dilation=dilations, feature_group_count=group)
    return y if bias is None else y + bias[:, None, None]


@operator
def ConvTranspose(np_, x, w, bias=None, strides=(1, 1), pads=(0, 0, 0, 0), group=1, dilations=(1, 1), kernel_shape=None):
    if group != 1 or tuple(dilations) != (1, 1):
        raise NotImplementedError("ConvTranspose with groups or dilations")
    padding = [(size - 1 - low, size - 1 - high) for size, low, high in zip(w.shape[2:], pads[:2], pads[2:])]
    y = jax.lax.conv_general_dilated(x, np.flip(w, (2, 3)).swapaxes(0, 1), (1, 1), padding, lhs_dilation=strides)
    return y if bias is None else y + bias[:, None, None]


@operator
def Gemm(np_, a, b, c=0, transA=0, transB=0, alpha=1.0, beta=1.0):
    return alpha * (a.T if transA else a) @ (b.T if transB else b) + beta * c


@operator
def MaxPool(np_, x, kernel_shape, strides=(1, 1), pads=(0, 0, 0, 0), ceil_mode=0):
    if ceil_mode:
        raise NotImplementedError("MaxPool with ceil_mode")
    padding = [(0, 0), (0, 0), *zip(pads[:2], pads[2:])]
    return jax.lax.reduce_window(x, -np.inf, jax.lax.max, (1, 1, *kernel_shape), (1, 1, *strides), padding)


@operator
def Reshape(np_, x, shape, allowzero=0):
    sizes = [x.shape[index] if size == 0 and not allowzero else int(size) for index, size in enumerate(shape)]
    return np_.reshape(x, sizes)


@operator
def Resize(np_, x, roi=None, scales=None, sizes=None, mode=b"nearest", coordinate_transformation_mode=b"", nearest_mode=b""):
    """Nearest, by whole factors, which is a repetition whatever the coordinates' mode rounds to."""
    factors = np.array(sizes) / x.shape if sizes is not None else np.array(scales)
    if mode != b"nearest" or (factors != np.round(factors)).any():
        raise NotImplementedError("Resize other than nearest by whole factors")
    for axis, factor in enumerate(factors.astype(int)):
        x = np_.repeat(x, factor, axis) if factor > 1 else x
    return x


@operator
def Slice(np_, x, starts, ends, axes=None, steps=None):
    axes = range(len(starts)) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    window = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps):
        window[int(axis)] = slice(int(start), int(end), int(step))
    return x[tuple(window)]


def build(path):
    """A function of the model's inputs. What depends on constants and shapes only is computed by numpy while it is traced."""
    graph = onnx.load(path).graph
    weights = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    names = [value.name for value in graph.input if value.name not in weights]
    if missing := {node.op_type for node in graph.node} - set(OPERATORS):
        raise NotImplementedError(f"operators {', '.join(sorted(missing))}")

    def function(*inputs):
        values = weights | dict(zip(names, inputs, strict=True))
        for node in graph.node:
            attributes = {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}
            operands = [values[name] if name else None for name in node.input]
            traced = any(isinstance(operand, jax.Array) for operand in operands)
            values[node.output[0]] = OPERATORS[node.op_type](jnp if traced else np, *operands, **attributes)
        return tuple(values[result.name] for result in graph.output)

    return function
