#!/usr/bin/env python3
"""Writes a module that computes TOSA ops and compares them with what TOSA's specification says.

usage: tosa_cases.py [FOLDER]

The expected numbers are computed here by plain loops over small integers, so that every sum is exact. @main prints
"PASS name" or "FAIL name" for each case. With FOLDER, they become a model there instead.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import itertools
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is

from root_cases import SPATIAL, Array, Case, locate, output_size, print_module, product, write_model


def apply_scale(value, multiplier, shift, double_round):
    """The specification's apply_scale_32."""
    rounding = 1 << (shift - 1)
    if double_round and shift > 31:
        rounding += (1 << 30) if value >= 0 else -(1 << 30)
    return (value * multiplier + rounding) >> shift


def clip(value, low=-128, high=127):
    return max(low, min(high, value))


def scalar_constant(name, value, element):
    text = f"{value}.0" if element.startswith(("f", "b")) else value
    return f'  %{name} = "tosa.const"() {{values = dense<{text}> : tensor<1x{element}>}} : () -> tensor<1x{element}>\n'


def pads(low, high):
    return f"pad = array<i64: {', '.join(f'{a}, {b}' for a, b in zip(low, high))}>"


def array(name, values):
    return f"{name} = array<i64: {', '.join(map(str, values))}>"


def zero_points(element, first, second, names=("xz", "wz")):
    return scalar_constant(names[0], first, element) + scalar_constant(names[1], second, element)


def conv_case(name, op="conv2d", element="f32", out=None, zeros=(0, 0), channels=3, outputs=4, multiplier=None, bias=None,
              size=(9, 8), kernel=(3, 2), strides=(2, 1), dilations=(1, 2), low=(2, 1), high=(0, 3)):
    """tosa.conv2d, conv3d or depthwise_conv2d; a depthwise filter has `multiplier` results a channel."""
    out = out or element
    names, taps = SPATIAL[:len(size)], "xyz"[:len(size)]
    outputs = channels * multiplier if multiplier else outputs
    x = Array(f"n{names}i", dict(zip(names, size), n=2, i=channels), 3, 11, element)
    filters = f"{taps}im" if multiplier else f"o{taps}i"
    w = Array(filters, dict(zip(taps, kernel), o=outputs, i=channels, m=multiplier), 1, 7, element)
    b = Array("o", {"o": bias or outputs}, 5, 9, out)
    y = Array(f"n{names}o", dict(zip(names, map(output_size, size, kernel, strides, dilations, low, high)), n=2, o=outputs),
              element=out)
    for at in y.positions():
        total = b[{"o": at["o"] if b.sizes["o"] > 1 else 0}]
        for tap in itertools.product(*(range(extent) for extent in kernel)):
            image = locate(names, x.sizes, strides, dilations, low, at, tap)
            if image is None:
                continue  # the border is the zero point: nothing
            for i in [at["o"] // multiplier] if multiplier else range(channels):
                weight = dict(zip(taps, tap), i=i)
                weight.update({"m": at["o"] % multiplier} if multiplier else {"o": at["o"]})
                total += (x[dict(image, n=at["n"], i=i)] - zeros[0]) * (w[weight] - zeros[1])
        y[at] = total
    text = zero_points(element, *zeros) + (
        f"  %y = tosa.{op} %x, %w, %b, %xz, %wz {{acc_type = {out}, {pads(low, high)}, {array('stride', strides)}, "
        f"{array('dilation', dilations)}}} : ({x.type}, {w.type}, {b.type}, tensor<1x{element}>, tensor<1x{element}>) -> {y.type}")
    return Case(name, {"x": x, "w": w, "b": b}, text, y)


def transpose_conv_case(name, element="f32", out=None, zeros=(0, 0), channels=3, outputs=4, bias=None, size=(4, 5),
                        kernel=(3, 2), strides=(2, 3), out_pad=((-1, -2), (0, -1))):
    out = out or element
    x = Array("nhvi", dict(h=size[0], v=size[1], n=2, i=channels), 3, 11, element)
    w = Array("oxyi", dict(x=kernel[0], y=kernel[1], o=outputs, i=channels), 1, 7, element)
    b = Array("o", {"o": bias or outputs}, 5, 9, out)
    sizes = [(size[i] - 1) * strides[i] + sum(out_pad[i]) + kernel[i] for i in range(2)]
    y = Array("nhvo", dict(h=sizes[0], v=sizes[1], n=2, o=outputs), element=out)
    for at in y.positions():
        y[at] = b[{"o": at["o"] if b.sizes["o"] > 1 else 0}]
    for at in x.positions():
        for tap in itertools.product(range(kernel[0]), range(kernel[1])):
            to = {d: at[d] * strides[i] + tap[i] + out_pad[i][0] for i, d in enumerate("hv")}
            if all(0 <= to[d] < y.sizes[d] for d in "hv"):
                for o in range(outputs):
                    y.values[y.at(n=at["n"], o=o, **to)] += \
                        (x[at] - zeros[0]) * (w[dict(x=tap[0], y=tap[1], o=o, i=at["i"])] - zeros[1])
    text = zero_points(element, *zeros) + (
        f"  %y = tosa.transpose_conv2d %x, %w, %b, %xz, %wz {{acc_type = {out}, "
        f"out_pad = array<i64: {', '.join(f'{a}, {b}' for a, b in out_pad)}>, {array('stride', strides)}}} : "
        f"({x.type}, {w.type}, {b.type}, tensor<1x{element}>, tensor<1x{element}>) -> {y.type}")
    return Case(name, {"x": x, "w": w, "b": b}, text, y)


def matmul_case(name, element="f32", out=None, zeros=(0, 0)):
    out = out or element
    x, w = Array("bmk", dict(b=2, m=3, k=5), 3, 11, element), Array("bkn", dict(b=2, k=5, n=4), 1, 7, element)
    y = Array("bmn", dict(b=2, m=3, n=4), element=out)
    for at in y.positions():
        y[at] = sum((x[dict(b=at["b"], m=at["m"], k=k)] - zeros[0]) * (w[dict(b=at["b"], k=k, n=at["n"])] - zeros[1])
                    for k in range(5))
    text = zero_points(element, *zeros) + (
        f"  %y = tosa.matmul %x, %w, %xz, %wz : ({x.type}, {w.type}, tensor<1x{element}>, tensor<1x{element}>) -> {y.type}")
    return Case(name, {"x": x, "w": w}, text, y)


def pool_case(name, kind, element="f32", zeros=(0, 0), window=(3, 2), strides=(2, 1), low=(2, 1), high=(1, 0)):
    x = Array("nhvo", dict(n=2, h=6, v=5, o=3), 3, 97 if element == "i8" else 11, element)
    if kind == "max":  # an image of negative numbers shows a border of zeros
        x.values = [value - 60 if element == "i8" else value - 7 for value in x.values]
    sizes = dict(zip("hv", map(output_size, (6, 5), window, strides, (1, 1), low, high)), n=2, o=3)
    y = Array("nhvo", sizes, element=element)
    for at in y.positions():
        taps = [locate("hv", x.sizes, strides, (1, 1), low, at, tap)
                for tap in itertools.product(range(window[0]), range(window[1]))]
        seen = [x[dict(at, **image)] for image in taps if image is not None]
        if kind == "max":
            y[at] = max(seen)
        elif element == "f32":
            y[at] = sum(seen) / len(seen)
        else:
            bits = (len(seen) - 1).bit_length()
            scale = (((1 << 30) + 1) << bits) // len(seen)
            total = sum(value - zeros[0] for value in seen)
            y[at] = clip(apply_scale(total, scale, 30 + bits, False) + zeros[1])
    attributes = f"{array('kernel', window)}, {pads(low, high)}, {array('stride', strides)}"
    if kind == "max":
        text = f"  %y = tosa.max_pool2d %x {{{attributes}}} : ({x.type}) -> {y.type}"
    else:
        out = "f32" if element == "f32" else "i32"
        text = zero_points(element, *zeros) + (
            f"  %y = tosa.avg_pool2d %x, %xz, %wz {{acc_type = {out}, {attributes}}} : "
            f"({x.type}, tensor<1x{element}>, tensor<1x{element}>) -> {y.type}")
    return Case(name, {"x": x}, text, y)


def rescale_text(source, target, x_type, y_type, element, multipliers, shifts, zeros, double_round, unsigned):
    count = len(multipliers)

    def listed(values):
        return f"[{', '.join(map(str, values))}]" if count > 1 else values[0]
    return (f'  %{target}m = "tosa.const"() {{values = dense<{listed(multipliers)}> : tensor<{count}xi32>}} : () -> tensor<{count}xi32>\n'
            f'  %{target}s = "tosa.const"() {{values = dense<{listed(shifts)}> : tensor<{count}xi8>}} : () -> tensor<{count}xi8>\n'
            + scalar_constant(target + "z0", zeros[0], element) + scalar_constant(target + "z1", zeros[1], "i8") +
            f"  %{target} = tosa.rescale %{source}, %{target}m, %{target}s, %{target}z0, %{target}z1 {{scale32 = true, "
            f"rounding_mode = {'DOUBLE_ROUND' if double_round else 'SINGLE_ROUND'}, "
            f"per_channel = {str(count > 1).lower()}, input_unsigned = false, output_unsigned = {str(unsigned).lower()}}} : "
            f"({x_type}, tensor<{count}xi32>, tensor<{count}xi8>, tensor<1x{element}>, tensor<1xi8>) -> {y_type}")


def rescaled(y, multipliers, shifts, zeros, double_round, unsigned=False):
    """`y` as bytes, one scale for each channel (its last dim) or one for all."""
    result = Array(y.dims, y.sizes, element="i8")
    for at in y.positions():
        c = at[y.dims[-1]] if len(multipliers) > 1 else 0
        value = apply_scale(y[at] - zeros[0], multipliers[c], shifts[c], double_round) + zeros[1]
        value = clip(value, 0, 255) if unsigned else clip(value)
        result[at] = value - 256 if value > 127 else value
    return result


def rescale_case(name, multipliers, shifts, zeros=(0, 0), double_round=False, unsigned=False, spread=1):
    x = Array("mn", dict(m=60, n=4), 3, 241, "i32")
    x.values = [value * spread for value in x.values]
    y = rescaled(x, multipliers, shifts, zeros, double_round, unsigned)
    return Case(name, {"x": x}, rescale_text("x", "y", x.type, y.type, "i32", multipliers, shifts, zeros, double_round, unsigned), y)


def conv_rescale_case():
    """A quantised layer: convolution, bias, requantisation a channel, clamp."""
    case = conv_case("quantised_layer", element="i8", out="i32", zeros=(-7, 3))
    multipliers, shifts = [1 << 30, 1518500250, 1073741825, 2147483647], [33, 34, 31, 36]
    y = rescaled(case.want, multipliers, shifts, (0, 5), True)
    y.values = [clip(value, -100, 90) for value in y.values]
    text = case.text.replace("%y = ", "%conv = ") + "\n" + rescale_text(
        "conv", "q", case.want.type, y.type, "i32", multipliers, shifts, (0, 5), True, False)
    text += f"\n  %y = tosa.clamp %q {{min_val = -100 : i8, max_val = 90 : i8}} : ({y.type}) -> {y.type}"
    return Case("quantised_layer", case.arrays, text, y)


def channels_first_case():
    """Two convolutions with a clamp between, each between transposes, as from a framework that is channels-first."""
    one, two = (conv_case("", channels=c, outputs=o, size=(5, 6), kernel=(3, 3), strides=(1, 1), dilations=(1, 1),
                          low=(1, 1), high=(1, 1)) for c, o in ((3, 4), (4, 3)))
    x = Array("nihv", one.arrays["x"].sizes, 3, 11)
    first, second = one.arrays, two.arrays
    for at in x.positions():
        first["x"].values[first["x"].at(**at)] = x[at]

    def convolve(a, image):
        y = Array("nhvo", dict(image.sizes, o=a["b"].sizes["o"]))
        for at in y.positions():
            total = a["b"][{"o": at["o"]}]
            for tap in itertools.product(range(3), range(3)):
                where = locate("hv", image.sizes, (1, 1), (1, 1), (1, 1), at, tap)
                if where is not None:
                    total += sum(image[dict(where, n=at["n"], i=i)] * a["w"][dict(x=tap[0], y=tap[1], o=at["o"], i=i)]
                                 for i in range(image.sizes["i"]))
            y[at] = total
        return y
    middle = convolve(first, first["x"])
    hidden = Array("nhvi", dict(middle.sizes, i=4))
    hidden.values = [max(value, 0) for value in middle.values]
    last = convolve(second, hidden)
    y = Array("nohv", last.sizes)
    for at in y.positions():
        y[at] = last[at]
    attributes = "acc_type = f32, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>"
    nchw, zero = "tensor<2x4x5x6xf32>", "tensor<1xf32>, tensor<1xf32>"

    def layer(name, source, source_type, weights, arrays, result_type):
        image, result = arrays["x"].type, result_type
        return (f"  %{name}t = tosa.transpose %{source} {{perms = array<i32: 0, 2, 3, 1>}} : ({source_type}) -> {image}\n"
                f"  %{name}c = tosa.conv2d %{name}t, %w{weights}, %b{weights}, %xz, %wz {{{attributes}}} : "
                f"({image}, {arrays['w'].type}, {arrays['b'].type}, {zero}) -> {result}\n")
    text = zero_points("f32", 0, 0) + layer("p", "x", x.type, 1, first, middle.type) + \
        f"  %pu = tosa.transpose %pc {{perms = array<i32: 0, 3, 1, 2>}} : ({middle.type}) -> {nchw}\n" \
        f"  %pr = tosa.clamp %pu {{min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32}} : ({nchw}) -> {nchw}\n" + \
        layer("q", "pr", nchw, 2, second, last.type) + \
        f"  %y = tosa.transpose %qc {{perms = array<i32: 0, 3, 1, 2>}} : ({last.type}) -> {y.type}"
    return Case("channels_first", {"x": x, "w1": first["w"], "b1": first["b"], "w2": second["w"], "b2": second["b"]}, text, y)


def shapes_case():
    """pad, slice, concat, reshape, reverse, select and a condition."""
    x = Array("mn", dict(m=3, n=4), 3, 11)
    rows = [x.values[i * 4:i * 4 + 4] for i in range(3)]
    padded = [[9] * 5] + [[9] + row for row in rows]
    cut = [row[1:4] for row in padded[1:4]]
    joined = [a + [abs(v) for v in b] for a, b in zip(cut, cut)]
    flat = [value for row in joined for value in row][::-1]
    y = Array("p", dict(p=18))
    y.values = [value if value > 0 else -2 * value for value in flat]
    text = """  %ps = tosa.const_shape {values = dense<[1, 0, 1, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %pv = "tosa.const"() {values = dense<9.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %p = tosa.pad %x, %ps, %pv : (tensor<3x4xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<4x5xf32>
  %so = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %ss = tosa.const_shape {values = dense<[3, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %s = tosa.slice %p, %so, %ss : (tensor<4x5xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<3x3xf32>
  %a = tosa.abs %s : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %j = tosa.concat %s, %a {axis = 1 : i32} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x6xf32>
  %fs = tosa.const_shape {values = dense<18> : tensor<1xindex>} : () -> !tosa.shape<1>
  %f = tosa.reshape %j, %fs : (tensor<3x6xf32>, !tosa.shape<1>) -> tensor<18xf32>
  %r = tosa.reverse %f {axis = 0 : i32} : (tensor<18xf32>) -> tensor<18xf32>
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %two = "tosa.const"() {values = dense<-2.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %none8 = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %g = tosa.greater %r, %zero : (tensor<18xf32>, tensor<1xf32>) -> tensor<18xi1>
  %m = tosa.mul %r, %two, %none8 : (tensor<18xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<18xf32>
  %sel = tosa.select %g, %r, %m : (tensor<18xi1>, tensor<18xf32>, tensor<18xf32>) -> tensor<18xf32>
  %yes = "tosa.const"() {values = dense<true> : tensor<i1>} : () -> tensor<i1>
  %y = tosa.cond_if %yes : tensor<i1> -> tensor<18xf32> {
    tosa.yield %sel : tensor<18xf32>
  } else {
    tosa.yield %r : tensor<18xf32>
  }"""
    return Case("shapes", {"x": x}, text, y)


def cases():
    yield conv_case("conv2d")
    yield conv_case("conv2d_one_bias", bias=1)
    yield conv_case("conv2d_bytes", element="i8", out="i32")
    yield conv_case("conv2d_zero_points", element="i8", out="i32", zeros=(-7, 3))
    volume = dict(size=(4, 6, 3), kernel=(2, 3, 2), strides=(1, 2, 1), dilations=(1, 1, 1), low=(0, 1, 1), high=(1, 0, 0))
    yield conv_case("conv3d", op="conv3d", **volume)
    yield conv_case("conv3d_zero_points", op="conv3d", element="i8", out="i32", zeros=(4, -2), **volume)
    yield conv_case("depthwise", op="depthwise_conv2d", multiplier=2)
    yield conv_case("depthwise_one", op="depthwise_conv2d", multiplier=1)
    yield conv_case("depthwise_zero_points", op="depthwise_conv2d", element="i8", out="i32", zeros=(-7, 3), multiplier=2)
    yield transpose_conv_case("transpose_conv")
    yield transpose_conv_case("transpose_conv_one_bias", bias=1, strides=(1, 1))
    yield transpose_conv_case("transpose_conv_extended", out_pad=((3, 2), (1, 0)))
    yield transpose_conv_case("transpose_conv_zero_points", element="i8", out="i32", zeros=(-7, 3), out_pad=((2, -1), (-1, 1)))
    yield matmul_case("matmul")
    yield matmul_case("matmul_zero_points", element="i8", out="i32", zeros=(5, -3))
    yield pool_case("max_pool", "max")
    yield pool_case("max_pool_bytes", "max", element="i8")
    yield pool_case("average_pool", "average", window=(2, 2), low=(1, 1), high=(1, 0))
    yield pool_case("average_pool_bytes", "average", element="i8", zeros=(5, -3))
    yield pool_case("average_pool_bytes_whole", "average", element="i8", zeros=(5, -3), low=(0, 0), high=(1, 0), window=(4, 2),
                    strides=(1, 1))
    yield pool_case("average_pool_bytes_unpadded", "average", element="i8", zeros=(-5, 3), low=(0, 0), high=(0, 0), window=(2, 3),
                    strides=(2, 2))
    yield rescale_case("rescale", [1 << 30], [31])
    yield rescale_case("rescale_zero_points", [1518500250], [33], zeros=(0, -9))
    yield rescale_case("rescale_double_round", [1073741825], [40], double_round=True, spread=100003)
    yield rescale_case("rescale_channels", [1 << 30, 1518500250, 3, 2147483647], [33, 34, 2, 62], double_round=True)
    yield rescale_case("rescale_unsigned", [1 << 30], [30], zeros=(0, 100), unsigned=True)
    yield conv_rescale_case()
    yield channels_first_case()
    yield shapes_case()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write_model(list(cases()), sys.argv[1])
    else:
        print_module(list(cases()))
