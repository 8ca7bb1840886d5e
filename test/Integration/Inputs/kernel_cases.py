#!/usr/bin/env python3
"""Writes a module that runs kernels against their decomposition.

usage: kernel_cases.py conv|padded|depthwise|planes|matmul|pool TARGET [dynamic]

Each case fills its operands with small numbers, calls the kernel over its units
of work cut at two odd places, computes the same root on tensors (which the test
decomposes), and prints "PASS name" or "FAIL name difference". With `dynamic`
the kernel knows no batch, height, width, row or batch of a matrix (and, of
matrices that are not packed, no size at all; of planes and where padding is
skipped it knows the width) and runs as a whole.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import subprocess
import sys

TOLERANCE = "2.0e-5"  # of the largest magnitude; the order of a sum is free

HELPERS = """
func.func @fill(%to: memref<?xf32>, %seed: index) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%to : memref<?xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %c31 = arith.constant 31 : index
    %c97 = arith.constant 97 : index
    %c48 = arith.constant 48 : index
    %0 = arith.muli %i, %c31 : index
    %1 = arith.addi %0, %seed : index
    %2 = arith.muli %1, %1 : index
    %3 = arith.addi %2, %i : index
    %4 = arith.remui %3, %c97 : index
    %5 = arith.subi %4, %c48 : index
    %6 = arith.index_cast %5 : index to i32
    %7 = arith.sitofp %6 : i32 to f32
    %scale = arith.constant 0.03125 : f32
    %8 = arith.mulf %7, %scale : f32
    linalg.yield %8 : f32
  }
  return
}
// The largest difference over the largest magnitude, at least 1; NaN if there
// is one.
func.func @difference(%got: memref<?xf32>, %want: memref<?xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = memref.dim %got, %c0 : memref<?xf32>
  %max:2 = scf.for %i = %c0 to %size step %c1 iter_args(%most = %zero, %large = %one) -> (f32, f32) {
    %g = memref.load %got[%i] : memref<?xf32>
    %w = memref.load %want[%i] : memref<?xf32>
    %d = arith.subf %g, %w : f32
    %a = math.absf %d : f32
    %b = math.absf %w : f32
    %m = arith.maximumf %most, %a : f32
    %l = arith.maximumf %large, %b : f32
    scf.yield %m, %l : f32, f32
  }
  %r = arith.divf %max#0, %max#1 : f32
  return %r : f32
}
"""


DYNAMIC = False


def dims(shape):
    return "".join(f"{size}x" for size in shape) + "f32"


def loose(shape, kept):
    """The memref type of `shape` that states only the dims `kept`."""
    kept = [dim % len(shape) for dim in kept]
    return memref([size if dim in kept else "?" for dim, size in enumerate(shape)])


def memref(shape):
    return f"memref<{dims(shape)}>"


def tensor(shape):
    return f"tensor<{dims(shape)}>"


def strides(shape):
    result = [1]
    for size in reversed(shape[1:]):
        result.insert(0, result[0] * size)
    return result


def strided(shape, wide):
    """`shape` as a slice of a buffer whose last dim has `wide` more."""
    steps = ", ".join(map(str, strides(shape[:-1] + [shape[-1] + wide])))
    return f"memref<{dims(shape)}, strided<[{steps}], offset: ?>>"


class Case:
    """One root. `epilogue` may name its operands %e0, %e1, … and their types
    @0, @1, …; operand `in_place` is the result's own buffer; the result is a
    slice of a buffer that is `wide` channels wider."""

    def __init__(self, name, op, shapes, result, attributes, epilogue="", extra=(), in_place=None, wide=0):
        self.name, self.op, self.shapes, self.result = name, op, shapes, result
        self.attributes, self.epilogue, self.extra = attributes, epilogue, list(extra)
        self.in_place, self.wide = in_place, wide
        self.kept_first = [1]  # dims that a kernel must know of images that are channels-first
        self.kept_last = [-1]  # and of those that are channels-last

    def loosen(self):
        """What the kernel knows of its operands if sizes are dynamic."""
        plain = "matmul" in self.op and "packed" not in self.attributes
        kept = [] if plain else self.kept_last
        # Batch dims of size 1 are broadcast, so they are stated.
        ones = [[dim for dim, size in enumerate(shape[:-2]) if size == 1] for shape in self.shapes]
        first = {name: f"{name}_layout = channels_first" in self.attributes for name in ("input", "output")}
        types = {"%out": loose(self.result, self.kept_first if first["output"] else kept),
                 "%in0": loose(self.shapes[0], self.kept_first if first["input"] else kept)}
        if "matmul" in self.op:
            known = [] if plain else [-2 if "transpose_lhs" in self.attributes else -1]
            types["%in0"] = loose(self.shapes[0], known + ones[0])
        if plain:
            types["%in1"] = loose(self.shapes[1], ones[1])
        if self.wide:
            steps = ", ".join(["?"] * (len(self.result) - 2) + [str(self.result[-1] + self.wide), "1"])
            types["%out"] = types["%out"][:-1] + f", strided<[{steps}], offset: ?>>"
        for i, shape in enumerate(self.extra):
            # All of them end with channels, but for the mask of a pixel.
            channels = self.result[1 if first["output"] else -1]
            if first["output"] and len(shape) == len(self.result):
                types[f"%e{i}"] = loose(shape, self.kept_first)
                continue
            types[f"%e{i}"] = loose(shape, [] if shape[-1] != channels else kept)
        if self.in_place is not None:
            types[f"%e{self.in_place}"] = types["%out"]
        return types

    def operands(self):
        """Names and shapes beside the result's."""
        names = [f"%in{i}" for i in range(len(self.shapes))] + [f"%e{i}" for i in range(len(self.extra))]
        return list(zip(names, self.shapes + self.extra))

    def root(self, make, init, tail):
        own = self.operands()[:len(self.shapes)]
        epilogue, known = self.epilogue, self.loosen() if DYNAMIC and make is memref else {}
        for i, shape in enumerate(self.extra):
            own_type = init if i == self.in_place and make is memref else make(shape)
            epilogue = epilogue.replace(f"@{i}", known.get(f"%e{i}", own_type))
        values = ", ".join(name for name, _ in own)
        types = ", ".join(known.get(name, make(shape)) for name, shape in own)
        kind, _, name = self.op.partition(" ")
        return (f"fusion.{kind} {name} ins({values} : {types}) outs(%out : {init}) "
                f"{{{self.attributes}}} {epilogue} {tail}")

    def kernel(self, name, with_range):
        init = strided(self.result, self.wide) if self.wide else memref(self.result)
        self.init = init
        known = self.loosen() if DYNAMIC else {}
        init = known.get("%out", init)
        arguments = [f"{value}: {init if value == f'%e{self.in_place}' else known.get(value, memref(shape))}"
                     for value, shape in self.operands()]
        arguments.append(f"%out: {init}")
        if with_range:
            arguments.append("%lo: index, %hi: index")
        return (f"func.func @{name}({', '.join(arguments)}) {{\n  "
                f"{self.root(memref, init, 'range(%lo, %hi)' if with_range else '')}\n  return\n}}\n")

    def reference(self):
        arguments = [f"{value}: {tensor(shape)}" for value, shape in self.operands()]
        arguments.append(f"%out: {tensor(self.result)}")
        return (f"func.func @{self.name}_reference({', '.join(arguments)}) -> {tensor(self.result)} {{\n"
                f"  %result = {self.root(tensor, tensor(self.result), '-> ' + tensor(self.result))}\n"
                f"  return %result : {tensor(self.result)}\n}}\n")

    def run(self, number, units):
        lines, flat_count = [], 0

        def flat(value, shape):
            nonlocal flat_count
            size, name = 1, f"%flat{flat_count}"
            flat_count += 1
            for extent in shape:
                size *= extent
            if len(shape) == 1:
                lines.append(f"{name} = memref.cast {value} : {memref(shape)} to memref<?xf32>")
                return name
            lines.append(f"{name}s = memref.collapse_shape {value} [[{', '.join(map(str, range(len(shape))))}]] : "
                         f"{memref(shape)} into memref<{size}xf32>")
            lines.append(f"{name} = memref.cast {name}s : memref<{size}xf32> to memref<?xf32>")
            return name

        def fill(value, shape, seed):
            lines.append(f"{value} = memref.alloc() {{alignment = 64 : i64}} : {memref(shape)}")
            lines.append(f"{value}_seed = arith.constant {seed} : index")
            lines.append(f"func.call @fill({flat(value, shape)}, {value}_seed) : (memref<?xf32>, index) -> ()")

        values = []
        fill("%plain", self.result, number)
        for i, (value, shape) in enumerate(self.operands()):
            fill(value, shape, 5 * i + number + 1)
            values.append(("%plain" if value == f"%e{self.in_place}" else value, shape))
        # The reference first, on copies.
        tensors = []
        for i, (value, shape) in enumerate(values + [("%plain", self.result)]):
            lines.append(f"%copy{i} = memref.alloc() : {memref(shape)}")
            lines.append(f"memref.copy {value}, %copy{i} : {memref(shape)} to {memref(shape)}")
            lines.append(f"%t{i} = bufferization.to_tensor %copy{i} restrict writable : {memref(shape)} to {tensor(shape)}")
            tensors.append((f"%t{i}", tensor(shape)))
        lines.append(f"%want = func.call @{self.name}_reference({', '.join(t for t, _ in tensors)}) : "
                     f"({', '.join(t for _, t in tensors)}) -> {tensor(self.result)}")
        lines.append(f"%reference = bufferization.to_buffer %want : {tensor(self.result)} to {memref(self.result)}")
        out = "%plain"
        if self.wide:
            wide = self.result[:-1] + [self.result[-1] + self.wide]
            fill("%wide", wide, 3)
            lines.append("%offset = arith.constant 1 : index")
            zeros = ", ".join(["0"] * (len(wide) - 1) + ["%offset"])
            lines.append(f"%out = memref.subview %wide[{zeros}] [{', '.join(map(str, self.result))}] "
                         f"[{', '.join(['1'] * len(wide))}] : {memref(wide)} to {self.init}")
            lines.append(f"memref.copy %plain, %out : {memref(self.result)} to {self.init}")
            out = "%out"
        names = [out if value == "%plain" else value for value, _ in values] + [out]
        types = [self.init if value == "%plain" else memref(shape) for value, shape in values] + [self.init]
        if DYNAMIC:
            known = self.loosen()
            loosened = [known.get(value, memref(shape)) for value, shape in self.operands()] + [known["%out"]]
            for i, (value, before, after) in enumerate(zip(names, types, loosened)):
                if before != after:
                    lines.append(f"%loose{i} = memref.cast {value} : {before} to {after}")
                    names[i] = f"%loose{i}"
            lines.append(f"func.call @{self.name}({', '.join(names)}) : ({', '.join(loosened)}) -> ()")
        else:
            cuts = [0, units // 3, units - units // 4, units]
            for i, cut in enumerate(cuts):
                lines.append(f"%cut{i} = arith.constant {cut} : index")
            for i in range(3):
                lines.append(f"func.call @{self.name}({', '.join(names)}, %cut{i}, %cut{i + 1}) : "
                             f"({', '.join(types)}, index, index) -> ()")
        if self.wide:
            lines.append(f"memref.copy %out, %plain : {self.init} to {memref(self.result)}")
        lines.append(f"%diff = func.call @difference({flat('%plain', self.result)}, {flat('%reference', self.result)}) : "
                     "(memref<?xf32>, memref<?xf32>) -> f32")
        lines += [f"%limit = arith.constant {TOLERANCE} : f32", "%ok = arith.cmpf olt, %diff, %limit : f32",
                  f'scf.if %ok {{ vector.print str "PASS {self.name}\\0A" }} else {{ '
                  f'vector.print str "FAIL {self.name} " vector.print %diff : f32 }}']
        body = "\n  ".join(lines)
        return f"func.func @run_{self.name}() {{\n  {body}\n  return\n}}\n"


CHANNEL = "epilogue(%acc: f32, %b = %e0[{c}] : @0) {{ %s = arith.addf %acc, %b : f32 " \
          "%z = arith.constant 0.0 : f32 %r = arith.maximumf %s, %z : f32 fusion.yield %r : f32 }}"
RESIDUAL = "epilogue(%acc: f32, %b = %e0[{c}] : @0, %r = %e1[{all}] : @1) {{ %s = arith.addf %acc, %b : f32 " \
           "%t = arith.addf %s, %r : f32 %z = arith.constant 0.0 : f32 %c = arith.cmpf ugt, %t, %z : f32 " \
           "%u = arith.select %c, %t, %z : f32 fusion.yield %u : f32 }}"
# Long enough to become a loop of its own.
LONG = "epilogue(%acc: f32, %b = %e0[{c}] : @0, %r = %e1[{all}] : @1) {{ %s = arith.addf %acc, %b : f32 " \
       "%n = arith.negf %s : f32 %x = math.exp %n : f32 %o = arith.constant 1.0 : f32 %d = arith.addf %x, %o : f32 " \
       "%q = arith.divf %s, %d : f32 %t = arith.addf %q, %r : f32 fusion.yield %t : f32 }}"
INIT = "epilogue(%acc: f32, init %d: f32) {{ %s = arith.subf %acc, %d : f32 fusion.yield %s : f32 }}"
# A mask a pixel of each row, a gate a channel of each row.
ROWS = "epilogue(%acc: f32, %m = %e0[3] : @0, %g = %e1[1, 2] : @1) {{ %s = arith.mulf %acc, %g : f32 " \
       "%t = arith.addf %s, %m : f32 fusion.yield %t : f32 }}"
# A gate a channel of each batch, a mask a pixel.
PARTIAL = "epilogue(%acc: f32, %g = %e0[0, {c}] : @0, %m = %e1[1] : @1) {{ %s = arith.mulf %acc, %g : f32 " \
          "%t = arith.addf %s, %m : f32 fusion.yield %t : f32 }}"


def window(size, kernel, stride, dilation, pad=0):
    return (size + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1


def get_epilogue(epilogue, channels, out):
    """Text, shapes of its operands, and the one that is the result's buffer; what each root has."""
    return {
        "none": ("", [], None),
        "channel": (CHANNEL, [[channels]], None),
        "residual": (RESIDUAL, [[channels], out], None),
        "in_place": (RESIDUAL, [[channels], out], 1),
        "long": (LONG, [[channels], out], 1),
        "init": (INIT, [], None)}[epilogue]


def conv(name, image, depth, channels, block, kernel=(3, 3), stride=1, dilation=1, groups=1, batch=1, epilogue="channel",
         wide=0, depthwise=False, plain=False, first=""):
    """`first` says what is channels-first: "in", "out" or both."""
    height, width = image
    out = [batch, window(height, kernel[0], stride, dilation), window(width, kernel[1], stride, dilation), channels]
    input_shape = [batch, height, width, depth]
    if "in" in first:
        input_shape = [batch, depth, height, width]
    channel_dim = 3
    if "out" in first:
        channel_dim, out = 1, [out[0], out[3], out[1], out[2]]
    if depthwise:
        filter_shape, layout = [*kernel, 1, channels], "spatial_in_out"
    elif plain:  # weights that are computed
        filter_shape, layout = [*kernel, depth // groups, channels], "spatial_in_out"
    else:
        panels = groups * -(-(channels // groups) // block)
        filter_shape, layout = [panels, *kernel, depth // groups, block], "packed"
    partial = (PARTIAL, [[batch, channels], [out[1]]], None)
    text, extra, in_place = partial if epilogue == "partial" else get_epilogue(epilogue, channels, out)
    layouts = [f"{tensor}_layout = channels_{'first' if name in first else 'last'}"
               for tensor, name in (("input", "in"), ("output", "out"))]
    return Case(name, "conv", [input_shape, filter_shape], out,
                f"strides = [{stride}, {stride}], dilations = [{dilation}, {dilation}], groups = {groups}, "
                f"{', '.join(layouts)}, filter_layout = {layout}",
                text.format(c=channel_dim, all="0, 1, 2, 3"), extra, in_place, wide)


def conv_cases(lanes, rows):
    block = 2 * lanes
    cases = [conv(f"channels_{c}", (7, 5), c, c, block) for c in (1, 3, 5, 17, 33, 40)]
    cases += [
        conv("first_layer", (19, 23), 3, 64, block, kernel=(7, 7), stride=2),
        conv("one_pixel", (1, 1), 5, 33, block, kernel=(1, 1)),
        conv("one_tall_tile", (3, rows + 2), 4, 32, block),
        conv("two_heights", (3, 2 * rows + 1), 4, 40, block, epilogue="residual"),
        conv("whole_rows", (9, 5), 8, 40, block, epilogue="residual"),
        conv("strided", (13, 9), 5, 17, block, stride=2),
        conv("dilated", (13, 9), 5, 17, block, dilation=2, epilogue="none"),
        conv("pointwise", (13, 9), 33, 40, block, kernel=(1, 1), batch=2),
        conv("pointwise_strided", (13, 9), 17, 40, block, kernel=(1, 1), stride=2, batch=2, epilogue="residual"),
        conv("pointwise_partial", (5, 9), 17, 40, block, kernel=(1, 1), batch=2, epilogue="partial"),
        conv("in_place_residual", (7, 5), 8, 40, block, epilogue="in_place"),
        conv("reads_init", (7, 5), 8, 24, block, batch=2, epilogue="init"),
        conv("concat", (7, 5), 8, 40, block, epilogue="in_place", wide=9),
        conv("plain", (13, 9), 5, 40, block, plain=True),
        conv("plain_ragged", (13, 9), 3, 17, block, stride=2, dilation=2, batch=2, epilogue="residual", plain=True),
        conv("plain_few_channels", (7, 5), 4, 3, block, kernel=(1, 3), plain=True),
        conv("plain_groups", (7, 5), 6, 15, block, groups=3, plain=True),
        conv("plain_pointwise", (7, 5), 33, 70, block, kernel=(1, 1), epilogue="in_place", plain=True),
        conv("pointwise_concat", (7, 5), 8, 17, block, kernel=(1, 1), wide=3),
        conv("silu", (7, 19), 8, 40, block, epilogue="long"),
        conv("silu_whole_rows", (9, 5), 8, 17, block, epilogue="long", wide=2),
        conv("one_vector_blocks", (7, 19), 5, 40, lanes),
        conv("wide_blocks", (7, 19), 5, 70, 2 * block),
        conv("groups_2", (7, 5), 6, 40, block, groups=2, batch=2),
        conv("groups_3", (9, 19), 9, 111, block, groups=3, epilogue="residual"),
        conv("groups_of_one", (7, 5), 4, 8, block, groups=4),
        conv("first_pointwise", (13, 9), 33, 40, block, kernel=(1, 1), batch=2, epilogue="residual", first="in out"),
        conv("first_result", (7, 19), 5, 40, block, epilogue="in_place", first="out"),
        conv("first_result_strided", (13, 9), 5, 17, block, stride=2, batch=2, first="out"),
        conv("first_whole_rows", (9, 5), 8, 40, block, epilogue="residual", first="out"),
        conv("first_silu", (7, 19), 8, 40, block, epilogue="long", first="out"),
        conv("first_silu_whole_rows", (9, 5), 8, 17, block, epilogue="long", first="out"),
        conv("first_reads_init", (7, 19), 8, 24, block, batch=2, epilogue="init", first="out"),
        conv("first_window", (7, 19), 5, 40, block, first="in"),
        conv("first_groups", (9, 19), 9, 111, block, groups=3, epilogue="residual", first="in out"),
        # More than a MiB of weights: row blocks come before panels, and weights are prefetched.
        conv("big_weights", (7, 7), 256, 136, block, epilogue="residual"),
        conv("big_weights_grouped", (5, 5), 512, 264, block, groups=2, batch=2),
    ]
    channels_last = "input_layout = channels_last, output_layout = channels_last, filter_layout = packed"
    cases += [
        Case("one_dim", "conv", [[2, 39, 6], [-(-40 // block), 3, 6, block]], [2, 19, 40],
             "strides = [2], " + channels_last, CHANNEL.format(c=2), [[40]]),
        Case("three_dims", "conv", [[1, 5, 6, 7, 4], [-(-17 // block), 2, 3, 2, 4, block]], [1, 4, 4, 6, 17],
             channels_last, RESIDUAL.format(c=4, all="0, 1, 2, 3, 4"), [[17], [1, 4, 4, 6, 17]], in_place=1),
    ]
    return cases


def padded(name, image, depth, channels, block, kernel=(3, 3), stride=(1, 1), dilation=(1, 1), low=(1, 1), high=(1, 1),
           groups=1, batch=1, epilogue="channel", plain=False, wide=0):
    """A convolution with padding, of any number of spatial dims; depthwise if there is no block."""
    rank = len(image)
    kernel, stride, dilation, low, high = (list(sizes)[-rank:] for sizes in (kernel, stride, dilation, low, high))
    out = [batch] + [window(size + low[i] + high[i], kernel[i], stride[i], dilation[i])
                     for i, size in enumerate(image)] + [channels]
    groups, plain = (channels, True) if block == 0 else (groups, plain)
    if plain:
        filter_shape = [*kernel, depth // groups, channels]
    else:
        filter_shape = [groups * -(-(channels // groups) // block), *kernel, depth // groups, block]
    text, extra, in_place = get_epilogue(epilogue, channels, out)
    case = Case(name, "conv", [[batch, *image, depth], filter_shape], out,
                f"strides = {stride}, dilations = {dilation}, pad_low = {low}, pad_high = {high}, groups = {groups}, "
                "input_layout = channels_last, output_layout = channels_last, "
                f"filter_layout = {'spatial_in_out' if plain else 'packed'}",
                text.format(c=rank + 1, all=", ".join(map(str, range(rank + 2)))), extra, in_place, wide)
    case.kept_last = [-2, -1]
    return case


def padded_cases(lanes, rows):
    block = 2 * lanes
    # Of one tile, of two, of three and more, whose widths differ.
    cases = [padded(f"width_{width}", (5, width), 5, 17, block)
             for width in (rows - 1, rows, rows + 1, 2 * rows, 2 * rows + 1, 4 * rows, 5 * rows - 3)]
    cases += [
        padded("uneven", (9, 2 * rows + 3), 3, 40, block, low=(0, 2), high=(3, 1), batch=2),
        padded("only_above", (9, 2 * rows + 3), 3, 8, block, low=(1, 0), high=(0, 0)),
        padded("only_behind", (9, 2 * rows + 3), 3, 8, block, low=(0, 0), high=(0, 2)),
        padded("only_columns", (6, 2 * rows + 3), 3, 8, block, kernel=(1, 3), low=(0, 1), high=(0, 1), batch=2),
        padded("strided", (13, 3 * rows + 1), 5, 17, block, stride=(2, 2), epilogue="residual"),
        padded("strided_evenly", (14, 4 * rows), 5, 17, block, stride=(2, 2), batch=2),
        padded("strided_by_3", (14, 5 * rows), 5, 17, block, stride=(2, 3), kernel=(5, 5), low=(2, 2), high=(1, 1)),
        padded("first_layer", (38, 46), 3, 64, block, kernel=(7, 7), stride=(2, 2), low=(3, 3), high=(3, 3)),
        padded("dilated", (13, 3 * rows), 5, 17, block, dilation=(3, 2), low=(3, 2), high=(3, 2), epilogue="none"),
        padded("dilated_strided", (13, 3 * rows), 5, 17, block, dilation=(2, 3), stride=(2, 2), low=(2, 3), high=(2, 3)),
        padded("mostly_padding", (2, rows), 3, 8, block, low=(5, 4), high=(4, 3)),
        padded("in_place_residual", (7, 2 * rows), 8, 40, block, epilogue="in_place", batch=2),
        padded("reads_init", (7, 2 * rows), 8, 24, block, batch=2, epilogue="init"),
        padded("silu", (7, 2 * rows), 8, 40, block, epilogue="long"),
        padded("concat", (7, 2 * rows), 8, 40, block, epilogue="in_place", wide=9),
        padded("groups", (7, 2 * rows), 9, 111, block, groups=3),
        padded("plain", (7, 2 * rows), 5, 40, block, plain=True),
        padded("pointwise", (7, 2 * rows), 5, 40, block, kernel=(1, 1)),
        padded("line", (3 * rows,), 5, 40, block, batch=2),
        padded("volume", (3, 4, 2 * rows), 4, 17, block, kernel=(3, 3, 3), stride=(1, 2, 1), dilation=(1, 1, 1),
               low=(1, 1, 1), high=(1, 0, 1), epilogue="residual"),
        padded("big_weights", (5, 2 * rows), 256, 136, block, epilogue="residual"),
    ]
    # Depthwise: tiles of 4 pixels in stretches of 64, one or two rows high.
    cases += [padded(f"depthwise_{height}_{width}", (height, width), 19, 19, 0, batch=2)
              for height, width in ((7, 7), (5, 8), (4, 17), (3, 1), (1, 4), (1, 1), (2, 5), (3, 64), (5, 130), (2, 67))]
    cases += [
        padded("depthwise_uneven", (9, 23), 40, 40, 0, low=(0, 2), high=(3, 1)),
        padded("depthwise_only_above", (9, 23), 8, 8, 0, low=(1, 0), high=(0, 0)),
        padded("depthwise_only_behind", (9, 23), 8, 8, 0, low=(0, 0), high=(0, 2)),
        padded("depthwise_strided", (13, 21), 24, 24, 0, stride=(2, 2), batch=2, epilogue="residual"),
        padded("depthwise_strided_evenly", (14, 132), 24, 24, 0, stride=(2, 2), low=(0, 0)),
        padded("depthwise_strided_by_3", (14, 29), 9, 9, 0, stride=(3, 3), kernel=(5, 5), low=(2, 2), high=(1, 1)),
        padded("depthwise_dilated", (13, 19), 17, 17, 0, dilation=(2, 3), low=(2, 3), high=(2, 3), epilogue="none"),
        padded("depthwise_mostly_padding", (2, 3), 8, 8, 0, low=(5, 4), high=(4, 3)),
        padded("depthwise_five", (11, 30), 40, 40, 0, kernel=(5, 5), low=(2, 2), high=(2, 2), epilogue="in_place"),
        padded("depthwise_eight", (11, 30), 8, 8, 0, kernel=(8, 8), low=(3, 4), high=(4, 3)),
        padded("depthwise_silu", (8, 30), 19, 19, 0, epilogue="long"),
        padded("depthwise_concat", (7, 6), 40, 40, 0, wide=5),
        padded("depthwise_line", (139,), 24, 24, 0, kernel=(5,), low=(2,), high=(2,), batch=2, epilogue="residual"),
        padded("depthwise_volume", (3, 4, 9), 17, 17, 0, kernel=(3, 3, 3), stride=(1, 2, 1), dilation=(1, 1, 1),
               low=(1, 1, 1), high=(1, 0, 1), epilogue="residual"),
        padded("depthwise_large_volume", (6, 4, 9), 17, 17, 0, kernel=(5, 5, 3), dilation=(1, 1, 1), stride=(1, 1, 1),
               low=(2, 2, 1), high=(2, 2, 1)),
    ]
    # What follows takes a known height.
    if DYNAMIC:
        return cases
    # Tiles of several whole rows, at the upper and lower edge and where they are the whole image.
    cases += [padded(f"rows_{height}_{width}", (height, width), 5, 17, block, batch=2)
              for height, width in ((7, 7), (9, 5), (7, 3), (5, 2), (4, 1), (1, 1), (2, 2), (1, 5), (3, 6))]
    cases += [
        padded("rows_strided", (9, 10), 5, 17, block, stride=(2, 2), epilogue="residual"),
        padded("rows_dilated", (9, 5), 5, 17, block, dilation=(2, 2), low=(2, 2), high=(2, 2)),
        padded("rows_uneven", (9, 5), 5, 40, block, low=(0, 1), high=(2, 0)),
        padded("rows_big_weights", (7, 7), 256, 136, block, epilogue="in_place"),
        padded("line_whole", (3,), 5, 40, block, batch=9),
    ]
    return cases


def depthwise_cases(lanes, rows):
    cases = [conv(f"channels_{c}", (7, 5), c, c, 0, groups=c, depthwise=True) for c in (2, 3, 5, 17, 33, 40, 96, 130)]
    cases += [
        conv("strided", (13, 9), 24, 24, 0, groups=24, stride=2, batch=2, depthwise=True, epilogue="residual"),
        conv("dilated", (13, 9), 17, 17, 0, groups=17, dilation=2, depthwise=True, epilogue="none"),
        conv("five_by_one", (9, 11), 40, 40, 0, kernel=(5, 1), groups=40, depthwise=True, epilogue="in_place"),
        conv("first_result", (7, 25), 40, 40, 0, groups=40, depthwise=True, epilogue="residual", first="out"),
        conv("first_silu", (8, 70), 19, 19, 0, groups=19, stride=2, depthwise=True, epilogue="long", first="out"),
        conv("line", (1, 139), 24, 24, 0, kernel=(1, 5), groups=24, depthwise=True, epilogue="residual"),
        conv("wide_row", (4, 133), 17, 17, 0, groups=17, depthwise=True),
        conv("two_stretches", (3, 130), 8, 8, 0, groups=8, depthwise=True, epilogue="long"),
        conv("large_window", (12, 14), 20, 20, 0, kernel=(9, 9), groups=20, depthwise=True, stride=2, epilogue="residual"),
        conv("long_window", (3, 80), 9, 9, 0, kernel=(1, 70), groups=9, depthwise=True),
        conv("wide_rows", (8, 25), 300, 300, 0, groups=300, depthwise=True, epilogue="residual"),
        conv("one_pixel", (3, 3), 70, 70, 0, groups=70, depthwise=True, epilogue="init"),
        conv("silu", (7, 6), 40, 40, 0, groups=40, depthwise=True, epilogue="long"),
        conv("concat", (7, 6), 40, 40, 0, groups=40, depthwise=True, wide=5),
    ]
    return cases


def planes(name, image, channels, kernel=(3, 3), stride=(1, 1), dilation=(1, 1), low=(1, 1), high=(1, 1), batch=1,
           epilogue="channel", wide=0, filters="out_in_spatial"):
    """A depthwise convolution of images that are channels-first; a line has one spatial dim."""
    rank = len(image)
    kernel, stride, dilation, low, high = (list(sizes)[-rank:] for sizes in (kernel, stride, dilation, low, high))
    out = [batch, channels] + [window(size + low[i] + high[i], kernel[i], stride[i], dilation[i])
                               for i, size in enumerate(image)]
    by_rows = (ROWS, [out[-1:], out[1:3]], None)
    text, extra, in_place = by_rows if epilogue == "rows" else get_epilogue(epilogue, channels, out)
    filter_shape = {"out_in_spatial": [channels, 1, *kernel], "spatial_in_out": [*kernel, 1, channels]}[filters]
    case = Case(name, "conv", [[batch, channels, *image], filter_shape], out,
                f"strides = {stride}, dilations = {dilation}, pad_low = {low}, pad_high = {high}, groups = {channels}, "
                f"input_layout = channels_first, output_layout = channels_first, filter_layout = {filters}",
                text.format(c=1, all=", ".join(map(str, range(rank + 2)))), extra, in_place, wide)
    case.kept_first = [1, -1]
    return case


def planes_cases(lanes, rows):
    cases = [planes(f"width_{width}", (7, width), 3) for width in (1, 2, 3, 7, 8, 15, 16, 17, 57)]
    cases += [planes(f"height_{height}", (height, 11), 2, epilogue="residual") for height in (1, 2, 3, 4, 5, 9)]
    cases += [
        planes("no_padding", (9, 21), 3, low=(0, 0), high=(0, 0)),
        planes("padding_above", (9, 21), 3, low=(1, 0), high=(0, 0)),
        planes("padding_behind", (9, 21), 3, low=(0, 0), high=(0, 2)),
        planes("uneven_padding", (9, 21), 3, low=(0, 2), high=(3, 1), batch=2),
        planes("mostly_padding", (2, 3), 2, low=(5, 19), high=(4, 18)),
        planes("strided", (13, 25), 5, stride=(2, 2), batch=2, epilogue="residual"),
        planes("strided_evenly", (14, 32), 3, stride=(2, 2), low=(0, 0)),
        planes("strided_rows", (14, 19), 3, stride=(3, 1)),
        planes("strided_columns", (7, 53), 3, stride=(1, 3), low=(1, 2)),
        planes("strided_by_4", (9, 71), 2, stride=(4, 4), kernel=(5, 5), low=(2, 3), high=(2, 2)),
        planes("beyond_window", (9, 20), 3, kernel=(1, 1), stride=(2, 2), low=(0, 0), high=(0, 0)),
        planes("dilated", (13, 19), 3, dilation=(2, 3), low=(2, 3), high=(2, 3), epilogue="none"),
        planes("dilated_strided", (13, 39), 3, dilation=(3, 2), stride=(2, 2), low=(3, 2), high=(3, 2)),
        planes("five", (11, 30), 4, kernel=(5, 5), low=(2, 2), high=(2, 2), epilogue="in_place"),
        planes("eight", (11, 30), 2, kernel=(8, 8), low=(3, 4), high=(4, 3)),
        planes("column", (19, 9), 3, kernel=(5, 1), low=(2, 0), high=(2, 0)),
        planes("row", (6, 29), 3, kernel=(1, 5), low=(0, 2), high=(0, 2)),
        planes("stretches", (111, 90), 2, epilogue="in_place"),
        planes("strided_stretches", (122, 98), 2, stride=(2, 2)),
        planes("wide_row", (5, 301), 2, epilogue="residual"),
        planes("wide_row_strided", (7, 602), 2, stride=(2, 2)),
        planes("silu", (9, 21), 3, epilogue="long"),
        planes("reads_init", (9, 21), 3, epilogue="init"),
        planes("gates", (9, 21), 3, epilogue="rows"),
        planes("concat", (9, 21), 3, epilogue="in_place", wide=5),
        planes("spatial_in_out", (9, 21), 3, filters="spatial_in_out"),
        planes("line", (139,), 6, batch=2, epilogue="residual"),
        planes("line_strided", (70,), 3, kernel=(5,), stride=(2,), low=(0,), high=(3,)),
    ]
    return cases


def matmul(name, m, n, k, block=0, batch=(), lhs_batch=None, rhs_batch=None, transpose=False, epilogue="channel"):
    batch = list(batch)
    lhs = (batch if lhs_batch is None else list(lhs_batch)) + ([k, m] if transpose else [m, k])
    rhs = [-(-n // block), k, block] if block else (batch if rhs_batch is None else list(rhs_batch)) + [k, n]
    out = batch + [m, n]
    last = len(out) - 1
    text, extra, in_place = {
        "none": ("", [], None),
        "channel": (CHANNEL, [[n]], None),
        "row": (CHANNEL.replace("{c}", str(last - 1)), [[m]], None),
        "in_place": (RESIDUAL, [[n], out], 1),
        "long": (LONG, [[n], out], 1),
        "init": (INIT, [], None)}[epilogue]
    attributes = ["transpose_lhs"] * transpose + ["rhs_layout = packed"] * bool(block)
    return Case(name, "matmul", [lhs, rhs], out, ", ".join(attributes),
                text.format(c=last, all=", ".join(map(str, range(last + 1)))), extra, in_place)


def matmul_cases(lanes, rows):
    block = 2 * lanes
    return [
        matmul("packed", 2 * rows + 1, 70, 33, block),
        matmul("packed_one_row", 1, 1000, 64, block),
        matmul("packed_batches_are_rows", 5, 40, 17, block, batch=[3], epilogue="in_place"),
        matmul("packed_big", 3, 1000, 300, block, epilogue="none"),
        matmul("plain", 2 * rows + 1, 70, 33, epilogue="in_place"),
        matmul("plain_one_column", 9, 1, 5),
        # Columns enough for wide panels, without and with a rest.
        matmul("plain_wide", rows + 5, 8 * lanes, 19, epilogue="row"),
        matmul("plain_wide_rest", 2 * rows + 1, 13 * lanes - 3, 33, epilogue="in_place"),
        matmul("plain_wide_batches", 13, 4 * lanes, 9, batch=[3], lhs_batch=[], epilogue="long"),
        matmul("plain_one_row", 1, 33, 17, epilogue="init"),
        matmul("plain_transposed_lhs", 19, 33, 7, transpose=True),
        matmul("batches", 3, 17, 5, batch=[2, 3], epilogue="none"),
        matmul("batches_small_m", 1, 17, 5, batch=[6]),
        matmul("shared_rhs", 5, 17, 9, batch=[2, 3], rhs_batch=[], epilogue="in_place"),
        matmul("shared_lhs", 5, 17, 9, batch=[2, 3], lhs_batch=[1, 3], rhs_batch=[2, 1]),
    ]


def pool(name, kind, image, channels, kernel, stride=1, pad=(0, 0), dilation=1, batch=1, include=False, epilogue="none",
         wide=0):
    low, high = pad
    out = [batch] + [(size + low + high - dilation * (kernel - 1) - 1) // stride + 1 for size in image] + [channels]
    text, extra, in_place = {
        "none": ("", [], None),
        "channel": (CHANNEL, [[channels]], None),
        "in_place": (RESIDUAL, [[channels], out], 1)}[epilogue]
    return Case(name, f"pool {kind}", [[batch, *image, channels]], out,
                f"window = [{kernel}, {kernel}], strides = [{stride}, {stride}], dilations = [{dilation}, {dilation}], "
                f"pad_low = [{low}, {low}], pad_high = [{high}, {high}], layout = channels_last"
                + ", count_include_pad" * include, text.format(c=3, all="0, 1, 2, 3"), extra, in_place, wide)


def pool_cases(lanes, rows):
    return [
        pool("max", "max", (13, 9), 64, 3, stride=2, pad=(1, 1)),
        pool("max_low_pad", "max", (13, 9), 40, 3, stride=2, pad=(1, 0), batch=2),
        pool("max_dilated", "max", (13, 9), 5, 3, dilation=2, pad=(3, 2), epilogue="channel"),
        pool("max_mostly_padding", "max", (2, 3), 17, 3, pad=(2, 2)),
        pool("min", "min", (13, 9), 37, 3, stride=2, pad=(1, 1)),
        pool("sum", "sum", (7, 5), 33, 2, epilogue="in_place"),
        pool("average", "average", (7, 5), 33, 3, pad=(1, 1), epilogue="in_place"),
        pool("average_with_padding", "average", (7, 5), 130, 3, pad=(1, 1), include=True),
        pool("average_dilated", "average", (9, 8), 3, 3, dilation=3, pad=(4, 3), stride=2),
        pool("global", "average", (7, 7), 200, 7, batch=2, epilogue="channel"),
        Case("one_dim", "pool max", [[2, 19, 20]], [2, 10, 20],
             "window = [3], strides = [2], pad_low = [1], pad_high = [1], layout = channels_last"),
        Case("three_dims", "pool average", [[1, 3, 4, 5, 20]], [1, 3, 4, 5, 20],
             "window = [3, 3, 3], pad_low = [1, 1, 1], pad_high = [1, 1, 1], layout = channels_last"),
        pool("concat", "max", (7, 6), 40, 2, wide=3),
    ]


# Sizes that reach every height of a tile and both numbers of parts of a rest.


def dynamic_conv_cases(lanes, rows):
    block = 2 * lanes
    cases = [conv(f"width_{width}", (4, width + 2), 3, block + 5, block, epilogue="residual")
             for width in range(1, 2 * rows + 1)]
    cases += [conv(f"pixels_{width}", (1, width), 7, block, block, kernel=(1, 1), batch=2, epilogue="in_place")
              for width in (1, 3, rows, rows + 1, 4 * rows)]
    cases += [
        conv("no_images", (5, 5), 3, 8, block, batch=0),
        conv("silu_rest", (3, rows + 7), 3, 40, block, epilogue="long", wide=3),
        conv("step_of_a_page", (4, rows + 3), 1024, 16, block, kernel=(2, 2), epilogue="residual"),
    ]
    return cases


def dynamic_depthwise_cases(lanes, rows):
    cases = [conv(f"width_{width}", (4, width + 2), 24, 24, 0, groups=24, depthwise=True, epilogue="residual")
             for width in range(1, 10)]
    cases += [conv(f"wide_{width}", (3, width + 2), 9, 9, 0, groups=9, depthwise=True) for width in (64, 66, 131)]
    cases += [conv(f"height_{height}", (2 * height + 1, 11), 24, 24, 0, groups=24, depthwise=True, stride=2, epilogue="long")
              for height in range(1, 6)]
    return cases


def dynamic_planes_cases(lanes, rows):
    cases = [planes(f"tall_{height}", (height, 21), 3, batch=2) for height in (6, 7, 8)]
    return cases + [planes("no_images", (5, 21), 3, low=(0, 0), high=(0, 0), batch=0)]


def dynamic_matmul_cases(lanes, rows):
    block = 2 * lanes
    cases = [matmul(f"packed_{m}", m, 40, 9, block, epilogue="in_place") for m in range(0, rows + 2)]
    cases += [matmul(f"columns_{n}", 3, n, 5, epilogue="in_place")
              for n in (0, 1, lanes - 1, lanes, lanes + 1, block - 1, block, block + 1, 2 * block, 2 * block + lanes + 3)]
    cases += [
        matmul("plain_no_depth", 5, 40, 0),
        matmul("plain_long", rows + 5, block + 3, 7, epilogue="long"),
        matmul("no_batches", 3, 17, 5, batch=[0, 3], epilogue="none"),
    ]
    return cases


def dynamic_pool_cases(lanes, rows):
    return [
        pool("one_pixel", "average", (1, 1), 24, 3, pad=(1, 1)),
        pool("no_images", "max", (7, 7), 24, 3, batch=0),
        pool("wide", "average", (2, 61), 24, 3, pad=(1, 1), stride=2, epilogue="channel"),
    ]


def count_units(cases, target):
    """The bound of each kernel's outermost loop if it has no range."""
    text = "".join(case.kernel(case.name, with_range=False) for case in cases)
    out = subprocess.run(["mlir-fusion-opt", "-", f"--fusion-to-vector=target={target}"], input=text, text=True,
                         check=True, stdout=subprocess.PIPE).stdout
    found = [re.search(r"scf\.for %\w+ = %\w+ to %c(\d+)\w* step %c1(_|\b)", function)
             for function in out.split("func.func")[1:]]
    return [int(match.group(1)) for match in found]


def main():
    global DYNAMIC
    family, target, *options = sys.argv[1:]
    DYNAMIC = options == ["dynamic"]
    lanes, rows = {"x86-64-v3": (8, 6), "x86-64-v4": (16, 14), "znver4": (16, 14)}[target]
    cases = globals()[f"{family}_cases"](lanes, rows)
    if DYNAMIC and family != "padded":
        cases += globals()[f"dynamic_{family}_cases"](lanes, rows)
    units = [0] * len(cases) if DYNAMIC else count_units(cases, target)
    print(HELPERS)
    for number, (case, count) in enumerate(zip(cases, units)):
        print(case.kernel(case.name, with_range=not DYNAMIC) + case.reference() + case.run(number, count))
    calls = "\n".join(f"  call @run_{case.name}() : () -> ()" for case in cases)
    print(f"func.func @main() {{\n{calls}\n  return\n}}")


main()
