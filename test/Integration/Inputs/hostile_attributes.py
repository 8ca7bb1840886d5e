"""Models of one root of which one attribute is another than it should be, all others being right.

Each form is the one that --mlir-print-op-generic prints of a valid op, so that nothing but the attribute in question is wrong.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

IMAGE, FILTER, MATRIX = "tensor<1x4x3x3xf32>", "tensor<4x4x1x1xf32>", "tensor<4x4xf32>"
UNIT = "unit"

CONV = {
    "algorithm": "#fusion<algorithm direct>",
    "dilations": "array<i64: 1, 1>",
    "epilogue_dims": "[]",
    "filter_layout": "#fusion<filter_layout out_in_spatial>",
    "groups": "1 : i64",
    "input_layout": "#fusion<image_layout channels_first>",
    "operandSegmentSizes": "array<i32: 1, 1, 0, 1, 0>",
    "output_layout": "#fusion<image_layout channels_first>",
    "pad_high": "array<i64: 0, 0>",
    "pad_low": "array<i64: 0, 0>",
    "strides": "array<i64: 1, 1>",
}
CONV_TRANSPOSE = {name: value for name, value in CONV.items() if name != "algorithm"} | {"output_padding": "array<i64: 0, 0>"}
POOL = {
    "count_include_pad": UNIT,
    "dilations": "array<i64: 1, 1>",
    "epilogue_dims": "[]",
    "kind": "#fusion<pool_kind average>",
    "layout": "#fusion<image_layout channels_first>",
    "operandSegmentSizes": "array<i32: 1, 0, 1, 0>",
    "pad_high": "array<i64: 0, 0>",
    "pad_low": "array<i64: 0, 0>",
    "strides": "array<i64: 1, 1>",
    "window": "array<i64: 1, 1>",
}
MATMUL = {
    "epilogue_dims": "[]",
    "operandSegmentSizes": "array<i32: 1, 1, 0, 1, 0>",
    "rhs_layout": "#fusion<matrix_layout plain>",
    "transpose_lhs": UNIT,
    "transpose_rhs": UNIT,
}
# Root -> its attributes, operands, types of these, type of its result.
ROOTS = {
    "conv": (CONV, "%x, %w, %e", [IMAGE, FILTER, IMAGE], IMAGE),
    "conv_transpose": (CONV_TRANSPOSE, "%x, %w, %e", [IMAGE, FILTER, IMAGE], IMAGE),
    "pool": (POOL, "%x, %e", [IMAGE, IMAGE], IMAGE),
    "matmul": (MATMUL, "%a, %a, %a", [MATRIX, MATRIX, MATRIX], MATRIX),
}
# Of other types, mostly: what makes properties of them refuses these.
UNTYPED = ["0", "-1", "1 : i32", "0.5", '"text"', "[]", "[1]", "[1, 2, 3]", "[0.5, 1]", UNIT, "{}", "dense<1> : tensor<2xi64>", "array<i64>",
           "array<i64: 1>", "array<i64: 1, 1>", "array<i64: 1, 1, 1>", "array<i32: 1, 1>", "affine_map<(d0) -> (d0)>", "@main", "f32",
           "9223372036854775807"]
# What a right value begins or ends with -> values of the same type: verifiers see these.
TYPED = {
    r".* : i64": ["-9223372036854775808 : i64", "-1 : i64", "0 : i64", "3 : i64", "4611686018427387904 : i64", "9223372036854775807 : i64"],
    r"array<i64": ["array<i64: -1, -1>", "array<i64: 0, 0>", "array<i64: 1, 2>", "array<i64: 9223372036854775807, 1>", "array<i64: 1, 1, 1, 1>",
                   "array<i64: -9223372036854775808, 0>", "array<i64: 4611686018427387904, 4611686018427387904>"],
    r"#fusion": [f"#fusion<{kind}>" for kind in (
        "image_layout channels_last", "filter_layout packed", "filter_layout spatial_in_out", "matrix_layout packed", "pool_kind max",
        "pool_kind max_unsigned", "algorithm direct")],
    r"\[": ["[array<i64: 0>]", "[array<i64: 9>]", "[array<i64: -1>]", "[array<i64>]", "[array<i64: 0>, array<i64: 0>]", "[array<i32: 0>]"],
    r"array<i32": [f"array<i32: {sizes}>" for sizes in (
        "1, 1, 0, 1, -1", "2, 1, -1, 1, 0", "1, 1, 0, 0, 1", "0, 0, 0, 3, 0", "1, 0, 1, 1, 0", "1, 1, 1, 0, 0", "1, 0, 0, 1, 1", "2, 0, 0, 1, 0",
        "1, 1, 0, 0", "1, 0, 0, 1", "0, 0, 1, 1", "2, 0, 0, 0", "2147483647, 1, 0, 1, 2147483647")],
}


def write_attributes(attributes):
    return ", ".join(name if value == UNIT else f"{name} = {value}" for name, value in attributes.items())


def write_model(root, attributes):
    _, operands, types, result = ROOTS[root]
    return (f"func.func @main(%x: {IMAGE}, %w: {FILTER}, %a: {MATRIX}) -> {result} {{\n  %e = tensor.empty() : {IMAGE}\n"
            f'  %r = "fusion.{root}"({operands}) <{{{write_attributes(attributes)}}}> ({{\n  ^bb0(%acc: f32):\n'
            f'    "fusion.yield"(%acc) : (f32) -> ()\n  }}) : ({", ".join(types)}) -> {result}\n  return %r : {result}\n}}\n')


def attribute_models():
    """Pairs of name and text."""
    for root, (attributes, *_) in ROOTS.items():
        yield f"attribute-{root}-all-right", write_model(root, attributes)
        for name, right in attributes.items():
            typed = [value for form, values in TYPED.items() if re.match(form, right) for value in values]
            for i, value in enumerate(UNTYPED + typed):
                yield f"attribute-{root}-{name}-{i}", write_model(root, {**attributes, name: value})
            yield f"attribute-{root}-{name}-missing", write_model(root, {other: attributes[other] for other in attributes if other != name})
        # What it does not have, or is nothing at all.
        for name in ("nonsense", "window", "output_padding"):
            if name not in attributes:
                yield f"attribute-{root}-{name}", write_model(root, {**attributes, name: "array<i64: -1, -1>"})
        for value in ("#fusion.nothing", "channels_last"):
            yield f"attribute-{root}-{value}", write_model(root, {**attributes, "epilogue_dims": value})
