"""Hostile models: sizes, strides, pads and counts that overflow, are negative or beyond any memory."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from hostile_cases import case, function


SHAPES = [
    ("overflow-elements", "4294967296x4294967296x2"), ("overflow-bytes", "4611686018427387904x2"), ("billion", "1000000000"),
    ("billion2", "1000000000x1000000000"), ("max", "9223372036854775807"), ("over-max", "9223372036854775808"),
    ("zero-overflow", "0x9223372036854775807x9223372036854775807"), ("huge-number", "99999999999999999999999"),
    ("dynamic-overflow", "?x9223372036854775807x9223372036854775807"), ("negative", "-1"), ("ones", "x".join(["1"] * 200)),
    ("ranks", "x".join(["2"] * 40)), ("terabytes", "35184372088831"),
]


def model_of_root(op, attributes):
    """A convolution or pool of a small image."""
    arguments = {"%x": "tensor<1x4x3x3xf32>"} | ({} if op.startswith("pool") else {"%w": "tensor<4x4x1x1xf32>"})
    types = ", ".join(arguments.values())
    return function(", ".join(f"{name}: {t}" for name, t in arguments.items()),
                    "  %e = tensor.empty() : tensor<1x4x3x3xf32>\n"
                    f"  %r = fusion.{op} ins({', '.join(arguments)} : {types}) outs(%e : tensor<1x4x3x3xf32>) {{{attributes}}} -> tensor<1x4x3x3xf32>\n",
                    "tensor<1x4x3x3xf32>", "%r")


def add_shapes():
    z = "  %z = arith.constant 0.0 : f32\n"
    for name, shape in SHAPES:
        t = f"tensor<{shape}xf32>"
        case(f"shape-argument-{name}", function(f"%x: {t}", "", t, "%x"))
        case(f"shape-exp-{name}", function(f"%x: {t}", f"  %r = math.exp %x : {t}\n", t, "%r"))
        case(f"shape-splat-{name}", function("", f"  %r = arith.constant dense<1.5> : {t}\n", t, "%r"))
        case(f"shape-splat-add-{name}", function(f"%x: {t}",
            f"  %r = arith.constant dense<1.5> : {t}\n"
            f"  %s = arith.addf %r, %r : {t}\n"
            f"  %u = arith.mulf %s, %x : {t}\n", t, "%u"))
        if "?" not in shape:
            case(f"shape-empty-{name}", function("%x: tensor<1xf32>",
                f"  %r = tensor.empty() : {t}\n"
                "  %z = arith.constant 0.0 : f32\n"
                f"  %f = linalg.fill ins(%z : f32) outs(%r : {t}) -> {t}\n", t, "%f"))
        case(f"shape-memref-{name}", f"func.func @main(%x: memref<{shape}xf32>) {{\n  return\n}}\n")
        case(f"shape-alloc-{name}",
            f"func.func @main(%x: memref<4xf32>) {{\n"
            f"  %a = memref.alloc() : memref<{shape}xf32>\n"
            f"  memref.dealloc %a : memref<{shape}xf32>\n"
            "  return\n"
            f"}}\n")
        case(f"shape-vector-{name}",
            f"func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{\n"
            f"  %v = arith.constant dense<0.0> : vector<{shape}xf32>\n"
            f"  %w = arith.addf %v, %v : vector<{shape}xf32>\n"
            f" \"test.use\"(%w) : (vector<{shape}xf32>) -> ()\n"
            "  return %x : tensor<4xf32>\n"
            f"}}\n")
        case(f"shape-tosa-{name}", function("",
            f'  %r = "tosa.const"() <{{values = dense<1.5> : {t}}}> : () -> {t}\n'
            f'  %s = tosa.exp %r : ({t}) -> {t}\n', t, "%s"))
    # results of small arguments that are huge
    for size in ("1000000", "1000000000", "4000000000000000000"):
        for other in ("1000000", "1000000000"):
            t = f"tensor<{size}x{other}xf32>"
            case(f"shape-broadcast-{size}-{other}", function("%x: tensor<1xf32>",
                f"  %e = tensor.empty() : {t}\n"
                f"  %r = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]}} ins(%x : tensor<1xf32>) outs(%e : {t}) {{\n"
                "  ^bb0(%a: f32, %b: f32):\n"
                "    linalg.yield %a : f32\n"
                f"  }} -> {t}\n", t, "%r"))
            case(f"shape-outer-{size}-{other}", function(f"%x: tensor<{size}x1xf32>, %y: tensor<1x{other}xf32>",
                f"  %e = tensor.empty() : {t}\n"
                f"{z}  %f = linalg.fill ins(%z : f32) outs(%e : {t}) -> {t}\n"
                f"  %r = linalg.matmul ins(%x, %y : tensor<{size}x1xf32>, tensor<1x{other}xf32>) outs(%f : {t}) -> {t}\n"
                f"  %s = tensor.extract_slice %r[0, 0] [1, 1] [1, 1] : {t} to tensor<1xf32>\n", "tensor<1xf32>", "%s"))
    # primes, which nothing divides, of columns, rows and elements; a type that promises as many operands
    for size in ("1000000007", "2147483647"):
        for image in (f"1x{size}x3x4", f"1x3x{size}x4", f"1x{size}x1x1"):
            t, channels = f"tensor<{image}xf32>", image.split("x")[-1]
            case(f"shape-prime-conv-{image}", function(f"%x: {t}",
                f"  %w = arith.constant dense<0.5> : tensor<3x3x{channels}x{channels}xf32>\n"
                f"  %e = tensor.empty() : {t}\n"
                f"{z}  %i = linalg.fill ins(%z : f32) outs(%e : {t}) -> {t}\n"
                f"  %r = fusion.conv ins(%x, %w : {t}, tensor<3x3x{channels}x{channels}xf32>) outs(%i : {t}) "
                f"{{pad_low = [1, 1], pad_high = [1, 1], input_layout = channels_last, "
                f"output_layout = channels_last, filter_layout = spatial_in_out}} -> {t}\n", t, "%r"))
        t = f"tensor<{size}x2xf32>"
        case(f"shape-prime-copy-{size}", function(f"%x: {t}, %y: tensor<{size}xf32>",
            f"  %r = tensor.insert_slice %y into %x[0, 1] [{size}, 1] [1, 1] : tensor<{size}xf32> into {t}\n", t, "%r"))
        case(f"shape-prime-elements-{size}", function("%x: f32",
            f"  %r = tensor.from_elements %x, %x : tensor<{size}xf32>\n", f"tensor<{size}xf32>", "%r"))
    # padding, strides, dilations
    for value in ("-1", "0", "1000000000", "4611686018427387904", "9223372036854775807", "-9223372036854775808", "9223372036854775808"):
        for attribute in ("strides", "dilations", "pad_low", "pad_high"):
            odd = f"{attribute} = [{value}, {value}]"
            case(f"conv-{attribute}-{value}", model_of_root("conv", odd))
            case(f"transpose-{attribute}-{value}", model_of_root("conv_transpose", odd))
            case(f"dynamic-conv-{attribute}-{value}", function(
                "%x: tensor<1x4x?x?xf32>, %w: tensor<4x4x1x1xf32>, %y: tensor<1x4x?x?xf32>",
                "  %r = fusion.conv ins(%x, %w : tensor<1x4x?x?xf32>, tensor<4x4x1x1xf32>) outs(%y : tensor<1x4x?x?xf32>) "
                f"{{{odd}}} -> tensor<1x4x?x?xf32>\n", "tensor<1x4x?x?xf32>", "%r"))
            case(f"pool-{attribute}-{value}", model_of_root("pool max", f"window = [1, 1], {odd}"))
        # One of two: the product may be small again.
        for odd in (f"[{value}, 4]", f"[4, {value}]"):
            for attribute in ("strides", "dilations", "pad_low", "pad_high"):
                case(f"conv-{attribute}-{odd}", model_of_root("conv", f"{attribute} = {odd}"))
                case(f"transpose-{attribute}-{odd}", model_of_root("conv_transpose", f"{attribute} = {odd}"))
                case(f"transpose-of-one-{attribute}-{odd}", function("%x: tensor<1x1x1x1xf32>, %w: tensor<1x1x1x1xf32>",
                    "  %e = tensor.empty() : tensor<1x1x1x1xf32>\n"
                    "  %r = fusion.conv_transpose ins(%x, %w : tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>) outs(%e : tensor<1x1x1x1xf32>) "
                    f"{{{attribute} = {odd}}} -> tensor<1x1x1x1xf32>\n", "tensor<1x1x1x1xf32>", "%r"))
            case(f"pool-window-{odd}", model_of_root("pool max", f"window = {odd}"))
        case(f"pool-window-{value}", model_of_root("pool max", f"window = [{value}, {value}]"))
        case(f"conv-groups-{value}", model_of_root("conv", f"groups = {value}"))
        body = (
            "  %e = tensor.empty() : tensor<1x4x3x3xf32>\n"
            f"  %r = linalg.conv_2d_nchw_fchw {{strides = dense<{value}> : tensor<2xi64>, dilations = dense<{value}> : tensor<2xi64>}} ins(%x, %w : tensor<1x4x3x3xf32>, tensor<4x4x1x1xf32>) outs(%e : tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32>\n")
        case(f"linalg-strides-{value}", function("%x: tensor<1x4x3x3xf32>, %w: tensor<4x4x1x1xf32>", body, "tensor<1x4x3x3xf32>", "%r"))
        body = f"  %r = tensor.extract_slice %x[{value}] [1] [1] : tensor<8xf32> to tensor<1xf32>\n"
        case(f"slice-offset-{value}", function("%x: tensor<8xf32>", body, "tensor<1xf32>", "%r"))
        body = f"  %r = tensor.extract_slice %x[0] [2] [{value}] : tensor<8xf32> to tensor<2xf32>\n"
        case(f"slice-stride-{value}", function("%x: tensor<8xf32>", body, "tensor<2xf32>", "%r"))
        # The verifier wants the size that follows, where one does.
        padded = 8 + int(value)
        for source, t in (("tensor<?xf32>", "tensor<?xf32>"), ("tensor<8xf32>", f"tensor<{padded if 0 <= padded < 1 << 63 else '?'}xf32>")):
            body = f"{z}  %r = tensor.pad %x low[{value}] high[0] {{\n  ^bb0(%a: index):\n    tensor.yield %z : f32\n  }} : {source} to {t}\n"
            case(f"pad-low-{value}-of-{source}", function(f"%x: {source}", body, t, "%r"))
        body = (
            f"  %c = arith.constant {value} : index\n"
            "  %e = tensor.empty(%c) : tensor<?xf32>\n"
            f"{z}  %r = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>\n")
        case(f"empty-of-{value}", function("%x: tensor<8xf32>", body, "tensor<?xf32>", "%r"))
        body = (
            f"  %c = arith.constant {value} : index\n"
            "  %e = tensor.empty(%c, %c) : tensor<?x?xf32>\n"
            f"{z}  %r = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>\n")
        case(f"square-of-{value}", function("%x: tensor<8xf32>", body, "tensor<?x?xf32>", "%r"))
        body = (
            f"  %c = arith.constant {value} : index\n"
            "  %c0 = arith.constant 0 : index\n"
            "  %d = tensor.dim %x, %c : tensor<8xf32>\n"
            "  %e = tensor.empty(%d) : tensor<?xf32>\n"
            f"{z}  %r = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>\n")
        case(f"dim-of-{value}", function("%x: tensor<8xf32>", body, "tensor<?xf32>", "%r"))
        body = (
            f"  %c = arith.constant {value} : index\n"
            "  %v = tensor.extract %x[%c] : tensor<8xf32>\n"
            "  %r = tensor.from_elements %v : tensor<1xf32>\n")
        case(f"extract-of-{value}", function("%x: tensor<8xf32>", body, "tensor<1xf32>", "%r"))
        case(f"strided-memref-{value}", f"func.func @main(%x: memref<8xf32, strided<[{value}], offset: {value}>>) {{\n  return\n}}\n")
        body = (
            f"  %c = arith.constant {value} : index\n"
            "  %c0 = arith.constant 0 : index\n"
            "  %c1 = arith.constant 1 : index\n"
            f"  %r = scf.for %i = %c0 to %c step %c1 iter_args(%a = %x) -> tensor<8xf32> {{\n"
            "    %v = math.exp %a : tensor<8xf32>\n"
            "    scf.yield %v : tensor<8xf32>\n"
            f"  }}\n")
        case(f"for-to-{value}", function("%x: tensor<8xf32>", body, "tensor<8xf32>", "%r"))
        body = body.replace("%c1 = arith.constant 1", f"%c1 = arith.constant {value}")
        case(f"for-step-{value}", function("%x: tensor<8xf32>", body, "tensor<8xf32>", "%r"))
        for op, args in (("max_pool2d", f'kernel = array<i64: {value}, {value}>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>'),
                         ("max_pool2d", f'kernel = array<i64: 1, 1>, pad = array<i64: {value}, 0, 0, 0>, stride = array<i64: 1, 1>'),
                         ("max_pool2d", f'kernel = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: {value}, {value}>')):
            case(f"tosa-{op}-{args}", function("%x: tensor<1x4x4x4xf32>", f"  %r = tosa.{op} %x {{{args}}} : (tensor<1x4x4x4xf32>) -> tensor<1x?x?x4xf32>\n", "tensor<1x?x?x4xf32>", "%r"))
        for pad, stride, dilation in ((value, 1, 1), (0, value, 1), (0, 1, value)):
            case(f"tosa-conv-{pad}-{stride}-{dilation}", function("%x: tensor<1x4x4x4xf32>, %w: tensor<4x1x1x4xf32>, %b: tensor<4xf32>",

                     f'  %z = "tosa.const"() <{{values = dense<0.0> : tensor<1xf32>}}> : () -> tensor<1xf32>\n'
                     f'  %r = tosa.conv2d %x, %w, %b, %z, %z {{acc_type = f32, pad = array<i64: {pad}, {pad}, {pad}, {pad}>, stride = array<i64: {stride}, {stride}>, dilation = array<i64: {dilation}, {dilation}>}} : (tensor<1x4x4x4xf32>, tensor<4x1x1x4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x?x4xf32>\n', "tensor<1x?x?x4xf32>", "%r"))
