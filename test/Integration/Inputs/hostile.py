#!/usr/bin/python3
"""Compiles hostile models: each must end with exit code 0, or 2 and an error with a place, within SECONDS of CPU time and MEGABYTES.

Of each root's models with one odd attribute, one in LEAST must get as far as our own verifiers.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter

from hostile_attributes import attribute_models

SECONDS = 120
MEGABYTES = 1500
LEAST = 15
SIGXCPU = 24
# What `timeout` ends with.
TIMED_OUT = 124
# Of an op without a place in the file the name that it was given.
# What is missing in the file has no place in it.
PLACE = re.compile(r"model\.mlir:\d+:\d+: |error: loc\(|model\.mlir: expected main or a single public function")
# Of our own verifiers; the others are MLIR's words, of parsing and of what is declared of operands and attributes.
OURS = re.compile(r"error: 'fusion\.\w+' op (?!operand count|requires attribute|attribute '\w+' failed to satisfy)")

cases = {}


def case(name, text):
    cases[name] = text


def function(arguments, body, results, value):
    return f"func.func @main({arguments}) -> {results} {{\n{body}  return {value} : {results}\n}}\n"


def add_depth(n):
    """Long chains and deep nests."""
    f = "tensor<8xf32>"
    body, last = "", "%x"
    body = "  %e = tensor.empty() : tensor<8xf32>\n"
    for i in range(n // 10):
        body += f"  %v{i} = linalg.exp ins({last} : {f}) outs(%e : {f}) -> {f}\n"
        last = f"%v{i}"
    case("chain-elementwise", function(f"%x: {f}", body, f, last))
    body, last = "", "%x"
    for i in range(n // 10):
        body += f"  %v{i} = math.exp {last} : {f}\n"
        last = f"%v{i}"
    case("chain-math", function(f"%x: {f}", body, f, last))
    body, last = "", "%x"
    for i in range(n // 10):
        body += f"  %v{i} = tosa.abs {last} : ({f}) -> {f}\n"
        last = f"%v{i}"
    case("chain-tosa", function(f"%x: {f}", body, f, last))
    body, last = "  %c0 = arith.constant 0 : index\n  %d = tensor.dim %x, %c0 : tensor<?xf32>\n", "%d"
    for i in range(n):
        body += f"  %v{i} = arith.addi {last}, %d : index\n"
        last = f"%v{i}"
    body += f"  %r = tensor.empty({last}) : tensor<?xf32>\n  %s = linalg.fill ins(%f : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>\n"
    case("chain-index", function("%x: tensor<?xf32>", "  %f = arith.constant 1.0 : f32\n" + body, "tensor<?xf32>", "%s"))
    # of sizes that come from values
    body, last = "  %c0 = arith.constant 0 : index\n  %d = tensor.extract %x[] : tensor<index>\n", "%d"
    for i in range(n):
        body += f"  %v{i} = arith.addi {last}, %d : index\n"
        last = f"%v{i}"
    body += f"  %r = tensor.empty({last}) : tensor<?xf32>\n  %s = linalg.fill ins(%f : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>\n"
    case("chain-index-value", function("%x: tensor<index>", "  %f = arith.constant 1.0 : f32\n" + body, "tensor<?xf32>", "%s"))
    # many sizes, one after the other
    body, last = "  %c0 = arith.constant 0 : index\n  %f = arith.constant 1.0 : f32\n", "%x"
    t = "tensor<?xf32>"
    for i in range(n // 20):
        body += (f"  %d{i} = tensor.dim {last}, %c0 : {t}\n  %e{i} = tensor.empty(%d{i}) : {t}\n"
                 f"  %v{i} = linalg.exp ins({last} : {t}) outs(%e{i} : {t}) -> {t}\n")
        last = f"%v{i}"
    case("chain-dynamic", function(f"%x: {t}", body, t, last))
    # scalars in one body
    body, last = "", "%a"
    for i in range(n):
        body += f"    %v{i} = arith.addf {last}, %a : f32\n"
        last = f"%v{i}"
    generic = (f"  %e = tensor.empty() : {f}\n  %r = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], "
               f'iterator_types = ["parallel"]}} ins(%x : {f}) outs(%e : {f}) {{\n  ^bb0(%a: f32, %b: f32):\n{body}'
               f"    linalg.yield {last} : f32\n  }} -> {f}\n")
    case("chain-scalars", function(f"%x: {f}", generic, f, "%r"))
    # diamonds of scalars
    body, last = "", "%a"
    for i in range(200):
        body += f"    %v{i} = arith.mulf {last}, {last} : f32\n"
        last = f"%v{i}"
    case("chain-diamonds", function(f"%x: {f}", generic.replace(generic[generic.index("    %v0"):generic.index("    linalg.yield")], body)
                                    .replace(f"%v{n - 1} : f32", f"{last} : f32"), f, "%r"))
    # convolutions
    x, w = "tensor<1x4x4x4xf32>", "tensor<4x4x1x1xf32>"
    body, last = f"  %e = tensor.empty() : {x}\n  %z = arith.constant 0.0 : f32\n  %i = linalg.fill ins(%z : f32) outs(%e : {x}) -> {x}\n", "%x"
    for i in range(n // 100):
        body += (f"  %v{i} = linalg.conv_2d_nchw_fchw ins({last}, %w : {x}, {w}) outs(%i : {x}) -> {x}\n")
        last = f"%v{i}"
    case("chain-conv", function(f"%x: {x}, %w: {w}", body, x, last))
    # views
    body, last = "", "%x"
    for i in range(n // 10):
        body += (f"  %a{i} = tensor.expand_shape {last} [[0, 1]] output_shape [2, 4] : {f} into tensor<2x4xf32>\n"
                 f"  %c{i} = tensor.cast %a{i} : tensor<2x4xf32> to tensor<?x4xf32>\n"
                 f"  %t{i} = tensor.cast %c{i} : tensor<?x4xf32> to tensor<2x4xf32>\n"
                 f"  %v{i} = tensor.collapse_shape %t{i} [[0, 1]] : tensor<2x4xf32> into {f}\n")
        last = f"%v{i}"
    case("chain-views", function(f"%x: {f}", body, f, last))
    # slices into slices
    body, last, t = "", "%x", f
    for i in range(n // 20):
        body += f"  %s{i} = tensor.extract_slice {last}[1] [6] [1] : {f} to tensor<6xf32>\n  %v{i} = tensor.insert_slice %s{i} into {last}[0] [6] [1] : tensor<6xf32> into {f}\n"
        last = f"%v{i}"
    case("chain-inserts", function(f"%x: {f}", body, f, last))
    # transposes
    t = "tensor<4x4xf32>"
    body, last = f"  %e = tensor.empty() : {t}\n", "%x"
    for i in range(n // 20):
        body += f"  %v{i} = linalg.transpose ins({last} : {t}) outs(%e : {t}) permutation = [1, 0]\n"
        last = f"%v{i}"
    case("chain-transposes", function(f"%x: {t}", body, t, last))
    # pads
    body, last = "  %z = arith.constant 0.0 : f32\n", "%x"
    for i in range(n // 50):
        body += f"  %v{i} = tensor.pad {last} low[1] high[0] {{\n  ^bb0(%a: index):\n    tensor.yield %z : f32\n  }} : tensor<{8 + i}xf32> to tensor<{9 + i}xf32>\n"
        last = f"%v{i}"
    case("chain-pads", function(f"%x: {f}", body, f"tensor<{8 + n // 50}xf32>", last))
    # calls
    text = "func.func private @f0(%x: tensor<8xf32>) -> tensor<8xf32> {\n  return %x : tensor<8xf32>\n}\n"
    for i in range(1, n // 20):
        text += f"func.func private @f{i}(%x: {f}) -> {f} {{\n  %r = call @f{i - 1}(%x) : ({f}) -> {f}\n  return %r : {f}\n}}\n"
    case("chain-calls", text + function(f"%x: {f}", f"  %r = call @f{n // 20 - 1}(%x) : ({f}) -> {f}\n", f, "%r"))
    text = f"func.func private @f0(%x: {f}) -> {f} {{\n  %r = math.exp %x : {f}\n  return %r : {f}\n}}\n"
    for i in range(1, 22):
        text += f"func.func private @f{i}(%x: {f}) -> {f} {{\n  %a = call @f{i - 1}(%x) : ({f}) -> {f}\n  %r = call @f{i - 1}(%a) : ({f}) -> {f}\n  return %r : {f}\n}}\n"
    case("calls-doubling", text + function(f"%x: {f}", f"  %r = call @f21(%x) : ({f}) -> {f}\n", f, "%r"))
    # blocks
    body = "  cf.br ^b0(%x : tensor<8xf32>)\n"
    for i in range(n // 20):
        body += f"^b{i}(%v{i}: {f}):\n  cf.br ^b{i + 1}(%v{i} : {f})\n"
    body += f"^b{n // 20}(%r: {f}):\n"
    case("chain-blocks", function(f"%x: {f}", body, f, "%r"))
    body = ""
    for i in range(n // 100):
        body += f"  cf.cond_br %c, ^t{i}, ^e{i}\n^t{i}:\n  cf.br ^e{i}\n^e{i}:\n"
    case("chain-branches", function(f"%x: {f}, %ct: tensor<i1>", "  %c = tensor.extract %ct[] : tensor<i1>\n" + body, f, "%x"))
    # nests
    for depth in (100, 1000, n):
        body = "".join(f"  %v{i} = scf.if %c -> {f} {{\n" for i in range(depth))
        body += "".join(f"  scf.yield {'%x' if i == depth - 1 else f'%v{i + 1}'} : {f}\n}} else {{\n  scf.yield %x : {f}\n}}\n" for i in reversed(range(depth)))
        case(f"nested-if-{depth}", function(f"%x: {f}, %ct: tensor<i1>", "  %c = tensor.extract %ct[] : tensor<i1>\n" + body, f, "%v0"))
        body = "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c2 = arith.constant 2 : index\n"
        body += "".join(f"  %v{i} = scf.for %i{i} = %c0 to %c2 step %c1 iter_args(%a{i} = {'%x' if i == 0 else f'%a{i - 1}'}) -> {f} {{\n" for i in range(depth))
        body += f"  %in = math.exp %a{depth - 1} : {f}\n"
        body += "".join(f"  scf.yield {'%in' if i == depth - 1 else f'%v{i + 1}'} : {f}\n}}\n" for i in reversed(range(depth)))
        case(f"nested-for-{depth}", function(f"%x: {f}", body, f, "%v0"))
        body = "".join("  scf.execute_region {\n" for i in range(depth)) + "  scf.yield\n}\n" * depth
        case(f"nested-regions-{depth}", function(f"%x: {f}", body, f, "%x"))
        case(f"nested-modules-{depth}", "module {\n" * depth + function(f"%x: {f}", "", f, "%x") + "}\n" * depth)
        case(f"nested-attribute-{depth}", function(f"%x: {f}", f'  "test.op"() {{a = {"[" * depth}{"]" * depth}}} : () -> ()\n', f, "%x"))
        case(f"nested-type-{depth}", function("%x: " + "tuple<" * depth + "f32" + ">" * depth, "", f, "%x"))
        case(f"nested-function-type-{depth}", function(f"%x: {f}", '  "test.op"() {a = ' + "(" * depth + "f32" + ") -> f32" * depth + "} : () -> ()\n", f, "%x"))
        case(f"nested-complex-{depth}", function("%x: " + "complex<" * depth + "f32" + ">" * depth, "", f, "%x"))
        case(f"nested-map-{depth}", "#m = affine_map<(d0) -> (" + "(" * depth + "d0" + ")" * depth + ")>\n" + function(f"%x: {f}", "", f, "%x"))
        case(f"sum-map-{depth}", "#m = affine_map<(d0, d1) -> (" + " + ".join(f"d{i % 2} mod {i + 2}" for i in range(depth)) + ")>\n" + function(f"%x: {f}", "  \"test.op\"() {m = #m} : () -> ()\n", f, "%x"))
        case(f"nested-location-{depth}", function(f"%x: {f}", '  "test.op"() : () -> () loc(' + "callsite(\"a\" at " * depth + "\"b\"" + ")" * depth + ")\n", f, "%x"))
        case(f"nested-dense-{depth}", function(f"%x: {f}", '  "test.op"() {a = dense<' + "[" * depth + "1.0" + "]" * depth + "> : tensor<1xf32>} : () -> ()\n", f, "%x"))


SHAPES = [
    ("overflow-elements", "4294967296x4294967296x2"), ("overflow-bytes", "4611686018427387904x2"), ("billion", "1000000000"),
    ("billion2", "1000000000x1000000000"), ("max", "9223372036854775807"), ("over-max", "9223372036854775808"),
    ("zero-overflow", "0x9223372036854775807x9223372036854775807"), ("huge-number", "99999999999999999999999"),
    ("dynamic-overflow", "?x9223372036854775807x9223372036854775807"), ("negative", "-1"), ("ones", "x".join(["1"] * 200)),
    ("ranks", "x".join(["2"] * 40)), ("terabytes", "35184372088831"),
]


def add_shapes():
    z = "  %z = arith.constant 0.0 : f32\n"
    for name, shape in SHAPES:
        t = f"tensor<{shape}xf32>"
        case(f"shape-argument-{name}", function(f"%x: {t}", "", t, "%x"))
        case(f"shape-exp-{name}", function(f"%x: {t}", f"  %r = math.exp %x : {t}\n", t, "%r"))
        case(f"shape-splat-{name}", function("", f"  %r = arith.constant dense<1.5> : {t}\n", t, "%r"))
        case(f"shape-splat-add-{name}", function(f"%x: {t}", f"  %r = arith.constant dense<1.5> : {t}\n  %s = arith.addf %r, %r : {t}\n  %u = arith.mulf %s, %x : {t}\n", t, "%u"))
        if "?" not in shape:
            case(f"shape-empty-{name}", function("%x: tensor<1xf32>", f"  %r = tensor.empty() : {t}\n  %z = arith.constant 0.0 : f32\n  %f = linalg.fill ins(%z : f32) outs(%r : {t}) -> {t}\n", t, "%f"))
        case(f"shape-memref-{name}", f"func.func @main(%x: memref<{shape}xf32>) {{\n  return\n}}\n")
        case(f"shape-alloc-{name}", f"func.func @main(%x: memref<4xf32>) {{\n  %a = memref.alloc() : memref<{shape}xf32>\n  memref.dealloc %a : memref<{shape}xf32>\n  return\n}}\n")
        case(f"shape-vector-{name}", f"func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{\n  %v = arith.constant dense<0.0> : vector<{shape}xf32>\n  %w = arith.addf %v, %v : vector<{shape}xf32>\n \"test.use\"(%w) : (vector<{shape}xf32>) -> ()\n  return %x : tensor<4xf32>\n}}\n")
        case(f"shape-tosa-{name}", function("", f'  %r = "tosa.const"() <{{values = dense<1.5> : {t}}}> : () -> {t}\n  %s = tosa.exp %r : ({t}) -> {t}\n', t, "%s"))
    # results of small arguments that are huge
    for size in ("1000000", "1000000000", "4000000000000000000"):
        for other in ("1000000", "1000000000"):
            t = f"tensor<{size}x{other}xf32>"
            case(f"shape-broadcast-{size}-{other}", function("%x: tensor<1xf32>", f"  %e = tensor.empty() : {t}\n  %r = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]}} ins(%x : tensor<1xf32>) outs(%e : {t}) {{\n  ^bb0(%a: f32, %b: f32):\n    linalg.yield %a : f32\n  }} -> {t}\n", t, "%r"))
            case(f"shape-outer-{size}-{other}", function(f"%x: tensor<{size}x1xf32>, %y: tensor<1x{other}xf32>", f"  %e = tensor.empty() : {t}\n{z}  %f = linalg.fill ins(%z : f32) outs(%e : {t}) -> {t}\n  %r = linalg.matmul ins(%x, %y : tensor<{size}x1xf32>, tensor<1x{other}xf32>) outs(%f : {t}) -> {t}\n  %s = tensor.extract_slice %r[0, 0] [1, 1] [1, 1] : {t} to tensor<1xf32>\n", "tensor<1xf32>", "%s"))
    # padding, strides, dilations
    for value in ("-1", "0", "1000000000", "4611686018427387904", "9223372036854775807", "-9223372036854775808", "9223372036854775808"):
        for attribute in ("strides", "dilations", "pad_low", "pad_high"):
            body = f"  %e = tensor.empty() : tensor<1x4x3x3xf32>\n  %r = fusion.conv ins(%x, %w : tensor<1x4x3x3xf32>, tensor<4x4x1x1xf32>) outs(%e : tensor<1x4x3x3xf32>) {{{attribute} = [{value}, {value}]}} -> tensor<1x4x3x3xf32>\n"
            case(f"conv-{attribute}-{value}", function("%x: tensor<1x4x3x3xf32>, %w: tensor<4x4x1x1xf32>", body, "tensor<1x4x3x3xf32>", "%r"))
            body = body.replace("fusion.conv ", "fusion.conv_transpose ")
            case(f"transpose-{attribute}-{value}", function("%x: tensor<1x4x3x3xf32>, %w: tensor<4x4x1x1xf32>", body, "tensor<1x4x3x3xf32>", "%r"))
            body = f"  %e = tensor.empty() : tensor<1x4x?x?xf32>\n  %r = fusion.conv ins(%x, %w : tensor<1x4x?x?xf32>, tensor<4x4x1x1xf32>) outs(%y : tensor<1x4x?x?xf32>) {{{attribute} = [{value}, {value}]}} -> tensor<1x4x?x?xf32>\n"
            case(f"dynamic-conv-{attribute}-{value}", function("%x: tensor<1x4x?x?xf32>, %w: tensor<4x4x1x1xf32>, %y: tensor<1x4x?x?xf32>", body.split("\n", 1)[1], "tensor<1x4x?x?xf32>", "%r"))
            body = f"  %e = tensor.empty() : tensor<1x4x3x3xf32>\n  %r = fusion.pool max ins(%x : tensor<1x4x3x3xf32>) outs(%e : tensor<1x4x3x3xf32>) {{window = [1, 1], {attribute} = [{value}, {value}]}} -> tensor<1x4x3x3xf32>\n"
            case(f"pool-{attribute}-{value}", function("%x: tensor<1x4x3x3xf32>", body, "tensor<1x4x3x3xf32>", "%r"))
        body = f"  %e = tensor.empty() : tensor<1x4x3x3xf32>\n  %r = fusion.pool max ins(%x : tensor<1x4x3x3xf32>) outs(%e : tensor<1x4x3x3xf32>) {{window = [{value}, {value}]}} -> tensor<1x4x3x3xf32>\n"
        case(f"pool-window-{value}", function("%x: tensor<1x4x3x3xf32>", body, "tensor<1x4x3x3xf32>", "%r"))
        body = f"  %e = tensor.empty() : tensor<1x4x3x3xf32>\n  %r = fusion.conv ins(%x, %w : tensor<1x4x3x3xf32>, tensor<4x4x1x1xf32>) outs(%e : tensor<1x4x3x3xf32>) {{groups = {value}}} -> tensor<1x4x3x3xf32>\n"
        case(f"conv-groups-{value}", function("%x: tensor<1x4x3x3xf32>, %w: tensor<4x4x1x1xf32>", body, "tensor<1x4x3x3xf32>", "%r"))
        body = f"  %e = tensor.empty() : tensor<1x4x3x3xf32>\n  %r = linalg.conv_2d_nchw_fchw {{strides = dense<{value}> : tensor<2xi64>, dilations = dense<{value}> : tensor<2xi64>}} ins(%x, %w : tensor<1x4x3x3xf32>, tensor<4x4x1x1xf32>) outs(%e : tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32>\n"
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
        body = f"  %c = arith.constant {value} : index\n  %e = tensor.empty(%c) : tensor<?xf32>\n{z}  %r = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>\n"
        case(f"empty-of-{value}", function("%x: tensor<8xf32>", body, "tensor<?xf32>", "%r"))
        body = f"  %c = arith.constant {value} : index\n  %e = tensor.empty(%c, %c) : tensor<?x?xf32>\n{z}  %r = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>\n"
        case(f"square-of-{value}", function("%x: tensor<8xf32>", body, "tensor<?x?xf32>", "%r"))
        body = f"  %c = arith.constant {value} : index\n  %c0 = arith.constant 0 : index\n  %d = tensor.dim %x, %c : tensor<8xf32>\n  %e = tensor.empty(%d) : tensor<?xf32>\n{z}  %r = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>\n"
        case(f"dim-of-{value}", function("%x: tensor<8xf32>", body, "tensor<?xf32>", "%r"))
        body = f"  %c = arith.constant {value} : index\n  %v = tensor.extract %x[%c] : tensor<8xf32>\n  %r = tensor.from_elements %v : tensor<1xf32>\n"
        case(f"extract-of-{value}", function("%x: tensor<8xf32>", body, "tensor<1xf32>", "%r"))
        case(f"strided-memref-{value}", f"func.func @main(%x: memref<8xf32, strided<[{value}], offset: {value}>>) {{\n  return\n}}\n")
        body = f"  %c = arith.constant {value} : index\n  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %r = scf.for %i = %c0 to %c step %c1 iter_args(%a = %x) -> tensor<8xf32> {{\n    %v = math.exp %a : tensor<8xf32>\n    scf.yield %v : tensor<8xf32>\n  }}\n"
        case(f"for-to-{value}", function("%x: tensor<8xf32>", body, "tensor<8xf32>", "%r"))
        body = body.replace("%c1 = arith.constant 1", f"%c1 = arith.constant {value}")
        case(f"for-step-{value}", function("%x: tensor<8xf32>", body, "tensor<8xf32>", "%r"))
        for op, args in (("max_pool2d", f'kernel = array<i64: {value}, {value}>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>'),
                         ("max_pool2d", f'kernel = array<i64: 1, 1>, pad = array<i64: {value}, 0, 0, 0>, stride = array<i64: 1, 1>'),
                         ("max_pool2d", f'kernel = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: {value}, {value}>')):
            case(f"tosa-{op}-{args}", function("%x: tensor<1x4x4x4xf32>", f"  %r = tosa.{op} %x {{{args}}} : (tensor<1x4x4x4xf32>) -> tensor<1x?x?x4xf32>\n", "tensor<1x?x?x4xf32>", "%r"))
        for pad, stride, dilation in ((value, 1, 1), (0, value, 1), (0, 1, value)):
            case(f"tosa-conv-{pad}-{stride}-{dilation}", function("%x: tensor<1x4x4x4xf32>, %w: tensor<4x1x1x4xf32>, %b: tensor<4xf32>",
                 f'  %z = "tosa.const"() <{{values = dense<0.0> : tensor<1xf32>}}> : () -> tensor<1xf32>\n  %r = tosa.conv2d %x, %w, %b, %z, %z {{acc_type = f32, pad = array<i64: {pad}, {pad}, {pad}, {pad}>, stride = array<i64: {stride}, {stride}>, dilation = array<i64: {dilation}, {dilation}>}} : (tensor<1x4x4x4xf32>, tensor<4x1x1x4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x?x4xf32>\n', "tensor<1x?x?x4xf32>", "%r"))


def add_attributes():
    for name, text in attribute_models():
        case(name, text)


def add_resources():
    r = function("", "  %r = arith.constant dense_resource<w> : TYPE\n", "TYPE", "%r")
    add = function("%x: TYPE", "  %r = arith.constant dense_resource<w> : TYPE\n  %s = arith.addf %r, %x : TYPE\n", "TYPE", "%s")
    tail = "{-#\n  dialect_resources: {\n    builtin: {\n      w: \"BLOB\"\n    }\n  }\n#-}\n"
    for name, blob, t in [("missing", None, "tensor<4xf32>"), ("short", "0x04000000" + "00" * 8, "tensor<4xf32>"), ("long", "0x04000000" + "00" * 80, "tensor<4xf32>"),
                          ("none", "0x", "tensor<4xf32>"), ("empty", "0x04000000", "tensor<4xf32>"), ("header", "0x0400", "tensor<4xf32>"), ("odd-digits", "0x040000000", "tensor<4xf32>"),
                          ("alignment-0", "0x00000000" + "00" * 16, "tensor<4xf32>"), ("alignment-3", "0x03000000" + "00" * 16, "tensor<4xf32>"),
                          ("alignment-huge", "0xFFFFFFFF" + "00" * 16, "tensor<4xf32>"), ("alignment-2^31", "0x00000080" + "00" * 16, "tensor<4xf32>"), ("alignment-2^16", "0x00000100" + "00" * 16, "tensor<4xf32>"),
                          ("alignment-1", "0x01000000" + "00" * 16, "tensor<4xf32>"), ("alignment-2", "0x02000000" + "00" * 16, "tensor<4xf32>"),
                          ("text", "hello", "tensor<4xf32>"), ("bits", "0x01000000" + "00", "tensor<9xi1>"), ("index", "0x01000000" + "00" * 8, "tensor<1xindex>"),
                          ("complex", "0x01000000" + "00" * 8, "tensor<1xcomplex<f32>>"), ("i4", "0x01000000" + "00" * 2, "tensor<4xi4>"), ("i3", "0x01000000" + "00" * 2, "tensor<4xi3>"),
                          ("i1000", "0x01000000" + "00" * 125, "tensor<1xi1000>"), ("zero-size", "0x04000000", "tensor<0xf32>"), ("huge", "0x04000000" + "00" * 4, "tensor<100000000xf32>"),
                          ("one-for-all", "0x04000000" + "00" * 4, "tensor<16xf32>"), ("dynamic", "0x04000000" + "00" * 4, "tensor<?xf32>"), ("unranked", "0x04000000" + "00" * 4, "tensor<*xf32>")]:
        end = tail.replace("BLOB", blob) if blob else ""
        case(f"resource-{name}", r.replace("TYPE", t) + end)
        case(f"resource-add-{name}", add.replace("TYPE", t) + end)
    for name, value, t in [("short", "[1.0, 2.0]", "tensor<4xf32>"), ("hex", '"0x00"', "tensor<4xf32>"), ("hex-long", '"0x' + "00" * 17 + '"', "tensor<4xf32>"), ("hex-odd", '"0x0"', "tensor<4xf32>"),
                           ("i3", "[1, 2, 3]", "tensor<3xi3>"), ("i3-hex", '"0x010203"', "tensor<3xi3>"), ("i1000", "[1, 2]", "tensor<2xi1000>"), ("i128", "[1, 2]", "tensor<2xi128>"),
                           ("f80", "[1.0, 2.0]", "tensor<2xf80>"), ("f128", "[1.0, 2.0]", "tensor<2xf128>"), ("f4", "[1.0, 2.0]", "tensor<2xf4E2M1FN>"), ("f8", "[1.0, 2.0]", "tensor<2xf8E8M0FNU>"),
                           ("tf32", "[1.0, 2.0]", "tensor<2xtf32>"), ("zero", "", "tensor<0xf32>"), ("zero-splat", "1.0", "tensor<0xf32>"), ("text", '["a", "b"]', "tensor<2x!test.string>"),
                           ("complex", "[(1.0, 2.0)]", "tensor<1xcomplex<f32>>"), ("nested", "[[1.0], 2.0]", "tensor<2xf32>"), ("none", "1", "tensor<2xnone>"), ("i0", "0", "tensor<2xi0>"), ("i16777215", "0", "tensor<2xi16777215>"),
                           ("i16777216", "0", "tensor<2xi16777216>")]:
        case(f"dense-{name}", function("", f"  %r = arith.constant dense<{value}> : {t}\n", t, "%r"))
        case(f"dense-use-{name}", function(f"%x: {t}", f"  %r = arith.constant dense<{value}> : {t}\n  %c = tensor.concat dim(0) %r, %x : ({t}, {t}) -> tensor<?x{t[t.index('x') + 1:]}\n", f"tensor<?x{t[t.index('x') + 1:]}", "%c"))
    case("sparse", function("", "  %r = arith.constant sparse<[[0], [999999999]], [1.0, 2.0]> : tensor<1000000000xf32>\n", "tensor<1000000000xf32>", "%r"))
    case("sparse-small", function("", "  %r = arith.constant sparse<[[0], [9]], [1.0, 2.0]> : tensor<10xf32>\n", "tensor<10xf32>", "%r"))
    case("sparse-out", function("", "  %r = arith.constant sparse<[[0], [99]], [1.0, 2.0]> : tensor<10xf32>\n", "tensor<10xf32>", "%r"))


def add_symbols():
    t = "tensor<8xf32>"
    ok = function(f"%x: {t}", "", t, "%x")
    case("symbol-twice", ok + ok)
    case("symbol-recursive", function(f"%x: {t}", f"  %r = call @main(%x) : ({t}) -> {t}\n", t, "%r"))
    case("symbol-cycle", f"func.func private @a(%x: {t}) -> {t} {{\n  %r = call @b(%x) : ({t}) -> {t}\n  return %r : {t}\n}}\nfunc.func private @b(%x: {t}) -> {t} {{\n  %r = call @a(%x) : ({t}) -> {t}\n  return %r : {t}\n}}\n" + function(f"%x: {t}", f"  %r = call @a(%x) : ({t}) -> {t}\n", t, "%r"))
    case("symbol-self", f"func.func private @a(%x: {t}) -> {t} {{\n  %r = call @a(%x) : ({t}) -> {t}\n  return %r : {t}\n}}\n" + function(f"%x: {t}", f"  %r = call @a(%x) : ({t}) -> {t}\n", t, "%r"))
    case("symbol-missing", function(f"%x: {t}", f"  %r = call @gone(%x) : ({t}) -> {t}\n", t, "%r"))
    case("symbol-declared", f"func.func private @gone(%x: {t}) -> {t}\n" + function(f"%x: {t}", f"  %r = call @gone(%x) : ({t}) -> {t}\n", t, "%r"))
    case("symbol-indirect", function(f"%x: {t}", f"  %f = constant @main : ({t}) -> {t}\n  %r = call_indirect %f(%x) : ({t}) -> {t}\n", t, "%r"))
    case("symbol-global", f"memref.global \"private\" @g : memref<8xf32> = uninitialized\n" + function(f"%x: {t}", f"  %g = memref.get_global @g : memref<8xf32>\n  %r = bufferization.to_tensor %g : memref<8xf32> to {t}\n", t, "%r"))
    case("symbol-global-missing", function(f"%x: {t}", f"  %g = memref.get_global @g : memref<8xf32>\n  %r = bufferization.to_tensor %g : memref<8xf32> to {t}\n", t, "%r"))
    case("symbol-function-is-global", f"memref.global \"private\" @main : memref<8xf32>\n")
    case("symbol-odd-name", ok.replace("@main", '@"a\\00b c\\"d/../e"'))
    case("symbol-long-name", ok.replace("@main", "@" + "a" * 100000))
    case("symbol-unicode-name", ok.replace("@main", '@"\u00e4\u4e2d"'))
    case("symbol-c-name", ok.replace("@main", "@malloc"))
    case("symbol-private-main", ok.replace("@main", "private @main"))
    case("symbol-declared-main", f"func.func private @main(%x: {t}) -> {t}\n")
    case("symbol-two", ok.replace("@main", "@a") + ok.replace("@main", "@b"))
    case("symbol-kernel-name", ok + f"func.func private @main_module(%x: {t}) -> {t}\n")
    case("symbol-ml-program", "ml_program.global private mutable @g(dense<1.0> : tensor<8xf32>) : tensor<8xf32>\n" + function(f"%x: {t}", f"  %r = ml_program.global_load @g : {t}\n", t, "%r"))
    case("symbol-llvm", "llvm.func @f()\n" + ok)
    case("symbol-llvm-main", "llvm.func @main() {\n  llvm.return\n}\n")
    case("entry-none", "module {}\n")
    case("entry-no-results", f"func.func @main(%x: {t}) {{\n  return\n}}\n")
    case("entry-no-arguments", "func.func @main() {\n  return\n}\n")
    case("entry-scalar", "func.func @main(%x: f32) -> f32 {\n  return %x : f32\n}\n")
    case("entry-index", "func.func @main(%x: index) -> index {\n  return %x : index\n}\n")
    case("entry-vector", "func.func @main(%x: vector<4xf32>) -> vector<4xf32> {\n  return %x : vector<4xf32>\n}\n")
    case("entry-tuple", "func.func @main(%x: tuple<f32>) -> tuple<f32> {\n  return %x : tuple<f32>\n}\n")
    case("entry-function", "func.func @main(%x: () -> ()) {\n  return\n}\n")
    case("entry-none-type", "func.func @main(%x: none) {\n  return\n}\n")
    case("entry-unranked", "func.func @main(%x: tensor<*xf32>) -> tensor<*xf32> {\n  return %x : tensor<*xf32>\n}\n")
    case("entry-unranked-use", function("%x: tensor<*xf32>", "  %r = tensor.cast %x : tensor<*xf32> to tensor<8xf32>\n", t, "%r"))
    case("entry-unranked-inside", function(f"%x: {t}", f"  %c = tensor.cast %x : {t} to tensor<*xf32>\n  %r = tensor.cast %c : tensor<*xf32> to {t}\n", t, "%r"))
    case("entry-unranked-kept", function(f"%x: {t}, %ct: tensor<i1>", f"  %p = tensor.extract %ct[] : tensor<i1>\n  %c = tensor.cast %x : {t} to tensor<*xf32>\n  %s = arith.select %p, %c, %c : tensor<*xf32>\n  %r = tensor.cast %s : tensor<*xf32> to {t}\n", t, "%r"))
    case("entry-unranked-tosa", function("%x: tensor<*xf32>", "  %r = tosa.exp %x : (tensor<*xf32>) -> tensor<*xf32>\n", "tensor<*xf32>", "%r"))
    case("entry-unranked-memref", "func.func @main(%x: memref<*xf32>) {\n  return\n}\n")
    case("entry-encoding", "func.func @main(%x: tensor<4xf32, \"odd\">) -> tensor<4xf32, \"odd\"> {\n  return %x : tensor<4xf32, \"odd\">\n}\n")
    case("entry-sparse", "#s = #sparse_tensor.encoding<{map = (d0) -> (d0 : compressed)}>\nfunc.func @main(%x: tensor<4xf32, #s>) -> tensor<4xf32, #s> {\n  return %x : tensor<4xf32, #s>\n}\n")
    for name, memref in [("plain", "memref<4x4xf32>"), ("strided", "memref<4x4xf32, strided<[8, 1]>>"), ("offset", "memref<4x4xf32, strided<[4, 1], offset: 3>>"), ("dynamic-strides", "memref<4x4xf32, strided<[?, ?], offset: ?>>"),
                         ("transposed", "memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>"), ("tiled", "memref<4x4xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1 floordiv 2, d0 mod 2, d1 mod 2)>>"),
                         ("symbols", "memref<4x4xf32, affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>>"), ("negative", "memref<4x4xf32, strided<[-4, 1], offset: 12>>"), ("overlapping", "memref<4x4xf32, strided<[0, 1]>>"),
                         ("space", "memref<4x4xf32, 3>"), ("space-text", "memref<4x4xf32, \"gpu\">"), ("wide-space", "memref<4x4xf32, 9999999999 : i64>"), ("dynamic", "memref<?x?xf32>"), ("zero", "memref<0x4xf32>"), ("rank-0", "memref<f32>"),
                         ("of-memref", "memref<4xmemref<4xf32>>"), ("of-vector", "memref<4xvector<4xf32>>"), ("of-index", "memref<4xindex>"), ("of-complex", "memref<4xcomplex<f32>>"), ("of-i3", "memref<4xi3>"), ("of-f80", "memref<4xf80>"), ("of-tuple", "memref<4xtuple<>>")]:
        case(f"memref-{name}", f"func.func @main(%x: {memref}, %y: {memref}) {{\n  return\n}}\n")
        case(f"memref-copy-{name}", f"func.func @main(%x: {memref}, %y: {memref}) {{\n  memref.copy %x, %y : {memref} to {memref}\n  return\n}}\n")
        case(f"memref-linalg-{name}", f"func.func @main(%x: {memref}, %y: {memref}) {{\n  linalg.exp ins(%x : {memref}) outs(%y : {memref})\n  return\n}}\n")
        case(f"memref-return-{name}", f"func.func @main(%x: {memref}) -> {memref} {{\n  return %x : {memref}\n}}\n")
        case(f"memref-tensor-{name}", f"func.func @main(%x: {memref}) -> tensor<4x4xf32> {{\n  %t = bufferization.to_tensor %x restrict : {memref} to tensor<4x4xf32>\n  %e = math.exp %t : tensor<4x4xf32>\n  return %e : tensor<4x4xf32>\n}}\n")
    for element in ("i0", "i1", "i3", "i7", "i65", "i128", "i1000", "i16777215", "si8", "ui8", "si4", "ui64", "index", "f80", "f128", "tf32", "f4E2M1FN", "f6E2M3FN", "f8E5M2", "f8E8M0FNU", "complex<f32>", "complex<i3>", "none", "vector<2xf32>",
                    "tuple<>", "tensor<2xf32>", "memref<2xf32>", "!test.string", "!llvm.ptr", "!quant.any<i8>", "!quant.uniform<i8:f32, 0.5>", "!tosa.shape<2>", "!shape.shape", "!ml_program.token", "() -> ()"):
        case(f"element-{element}", function(f"%x: tensor<4x{element}>", "", f"tensor<4x{element}>", "%x"))
        case(f"element-exp-{element}", function(f"%x: tensor<4x{element}>", f"  %r = math.exp %x : tensor<4x{element}>\n", f"tensor<4x{element}>", "%r"))
        case(f"element-addi-{element}", function(f"%x: tensor<4x{element}>", f"  %r = arith.addi %x, %x : tensor<4x{element}>\n", f"tensor<4x{element}>", "%r"))
        case(f"element-transpose-{element}", function(f"%x: tensor<4x4x{element}>", f"  %e = tensor.empty() : tensor<4x4x{element}>\n  %r = linalg.transpose ins(%x : tensor<4x4x{element}>) outs(%e : tensor<4x4x{element}>) permutation = [1, 0]\n", f"tensor<4x4x{element}>", "%r"))
        case(f"element-matmul-{element}", function(f"%x: tensor<4x4x{element}>, %y: tensor<4x4x{element}>", f"  %r = linalg.matmul ins(%x, %x : tensor<4x4x{element}>, tensor<4x4x{element}>) outs(%y : tensor<4x4x{element}>) -> tensor<4x4x{element}>\n", f"tensor<4x4x{element}>", "%r"))
        case(f"element-dynamic-{element}", function(f"%x: tensor<?x{element}>", f"  %r = tensor.concat dim(0) %x, %x : (tensor<?x{element}>, tensor<?x{element}>) -> tensor<?x{element}>\n", f"tensor<?x{element}>", "%r"))


def add_dialects():
    t = "tensor<8xf32>"
    for op in ('"nowhere.op"(%x) : (tensor<8xf32>) -> tensor<8xf32>', '"fusion.nothing"(%x) : (tensor<8xf32>) -> tensor<8xf32>', '"linalg.nothing"(%x) : (tensor<8xf32>) -> tensor<8xf32>', "nowhere.op %x : tensor<8xf32>",
               '"async.execute"(%x) : (tensor<8xf32>) -> tensor<8xf32>', '"gpu.thread_id"() {dimension = 0} : () -> index', '"builtin.unrealized_conversion_cast"(%x) : (tensor<8xf32>) -> tensor<8xf32>', '"op"(%x) : (tensor<8xf32>) -> tensor<8xf32>',
               '"test.region"(%x) ({\n^a(%b: tensor<8xf32>):\n "test.br"()[^a] : () -> ()\n}) : (tensor<8xf32>) -> tensor<8xf32>', 'ub.poison : tensor<8xf32>', 'ub.poison : !nowhere.type', 'spirv.Undef : f32', 'complex.constant [0.1, 0.2] : complex<f32>'):
        case(f"dialect-{op[:30]}", function(f"%x: {t}", f"  %r = {op}\n", t, "%r" if "tensor<8xf32>" == op[-13:] else "%x"))
        case(f"dialect-dead-{op[:30]}", function(f"%x: {t}", f"  %r = {op}\n", t, "%x"))
    case("dialect-type", function("%x: !nowhere.type", "", "!nowhere.type", "%x"))
    case("dialect-attribute", function(f"%x: {t}", "  %r = math.exp %x {nowhere.attr = #nowhere.thing<1>} : tensor<8xf32>\n", t, "%r"))
    case("dialect-module-attribute", "module attributes {nowhere.x = #nowhere<\"x\">, llvm.data_layout = \"nonsense\", llvm.target_triple = \"z80\", dlti.dl_spec = #dlti.dl_spec<index = 16>} {\n" + function(f"%x: {t}", "", t, "%x") + "}\n")
    case("dialect-data-layout", "module attributes {dlti.dl_spec = #dlti.dl_spec<index = 16 : i64>} {\n" + function("%x: tensor<8xindex>", "  %r = arith.addi %x, %x : tensor<8xindex>\n", "tensor<8xindex>", "%r") + "}\n")
    case("dialect-llvm-layout", "module attributes {llvm.data_layout = \"nonsense\"} {\n" + function("%x: tensor<8xindex>", "  %r = arith.addi %x, %x : tensor<8xindex>\n", "tensor<8xindex>", "%r") + "}\n")
    for name in ("fusion.entry", "fusion.kernel", "fusion.layout", "fusion.arena", "fusion.unit", "llvm.emit_c_interface", "llvm.bareptr", "llvm.linkage", "target_cpu", "passthrough", "sym_visibility", "arg_attrs", "bufferization.buffer_layout"):
        for value in ("unit", "1", '"x"', "{}", "[]", "{inputs = 1}", "{inputs = [], outputs = [], input_names = [], output_names = [], shapes = @gone, workspace_size = -1}", "@main"):
            attr = name if value == "unit" else f"{name} = {value}"
            case(f"function-attribute-{name}-{value}", f"func.func @main(%x: {t}) -> {t} attributes {{{attr}}} {{\n  %r = math.exp %x : {t}\n  return %r : {t}\n}}\n")
            case(f"op-attribute-{name}-{value}", function(f"%x: {t}", f"  %r = math.exp %x {{{attr}}} : {t}\n", t, "%r"))
            case(f"argument-attribute-{name}-{value}", f"func.func @main(%x: {t} {{{attr}}}) -> {t} {{\n  %r = math.exp %x : {t}\n  return %r : {t}\n}}\n")
            case(f"module-attribute-{name}-{value}", f"module attributes {{{attr}}} {{\nfunc.func @main(%x: {t}) -> {t} {{\n  %r = math.exp %x : {t}\n  return %r : {t}\n}}\n}}\n")


def add_memory():
    t = "tensor<8xf32>"
    parts = 3000
    case("concat-parts", function(f"%x: {t}", f"  %r = tensor.concat dim(0) {', '.join(['%x'] * parts)} : ({', '.join([t] * parts)}) -> tensor<{8 * parts}xf32>\n", f"tensor<{8 * parts}xf32>", "%r"))
    body = "".join(f"  %p{i} = math.exp %x : {t}\n  %q{i} = math.absf %p{i} : {t}\n" for i in range(1000))
    case("concat-computed", function(f"%x: {t}", body + f"  %r = tensor.concat dim(0) {', '.join(f'%q{i}' for i in range(1000))} : ({', '.join([t] * 1000)}) -> tensor<8000xf32>\n", "tensor<8000xf32>", "%r"))
    n = 500
    args = ", ".join(f"%a{i}: {t}" for i in range(n))
    maps = ", ".join(["affine_map<(d0) -> (d0)>"] * (n + 1))
    blocks = ", ".join(f"%b{i}: f32" for i in range(n + 1))
    sums, last = "", "%b0"
    for i in range(1, n):
        sums += f"    %s{i} = arith.addf {last}, %b{i} : f32\n"
        last = f"%s{i}"
    case("operands-generic", function(args, f"  %e = tensor.empty() : {t}\n  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [\"parallel\"]}} ins({', '.join(f'%a{i}' for i in range(n))} : {', '.join([t] * n)}) outs(%e : {t}) {{\n  ^bb0({blocks}):\n{sums}    linalg.yield {last} : f32\n  }} -> {t}\n", t, "%r"))
    m = "tensor<8x8xf32>"
    body, last = f"  %e = tensor.empty() : {m}\n  %z = arith.constant 0.0 : f32\n  %f = linalg.fill ins(%z : f32) outs(%e : {m}) -> {m}\n  %r = linalg.matmul ins(%x, %x : {m}, {m}) outs(%f : {m}) -> {m}\n", "%r"
    for i in range(n):
        body += f"  %s{i} = arith.addf {last}, %a{i} : {m}\n"
        last = f"%s{i}"
    case("operands-epilogue", function(f"%x: {m}, " + ", ".join(f"%a{i}: {m}" for i in range(n)), body, m, last))
    body, last = f"  %e = tensor.empty() : {m}\n  %z = arith.constant 0.0 : f32\n  %f = linalg.fill ins(%z : f32) outs(%e : {m}) -> {m}\n  %r = linalg.matmul ins(%x, %x : {m}, {m}) outs(%f : {m}) -> {m}\n", "%r"
    for i in range(4000):
        body += f"  %s{i} = arith.addf {last}, %x : {m}\n"
        last = f"%s{i}"
    case("ops-epilogue", function(f"%x: {m}", body, m, last))
    # constants that would be folded into more
    for size in (1000, 10000, 30000):
        s = f"tensor<{size}x{size}xf32>"
        body = f"  %c = arith.constant dense<2.0> : tensor<{size}xf32>\n  %v = arith.constant dense<[{', '.join(str(float(i % 7)) for i in range(size))}]> : tensor<{size}xf32>\n  %e = tensor.empty() : {s}\n"
        outer = f"  %b = linalg.broadcast ins(%v : tensor<{size}xf32>) outs(%e : {s}) dimensions = [0]\n"
        case(f"fold-broadcast-{size}", function(f"%x: {s}", body + outer + f"  %r = arith.mulf %b, %x : {s}\n", s, "%r"))
        case(f"fold-broadcast-weights-{size}", function(f"%x: tensor<1x{size}xf32>", body + outer + f"  %o = tensor.empty() : tensor<1x{size}xf32>\n  %z = arith.constant 0.0 : f32\n  %i = linalg.fill ins(%z : f32) outs(%o : tensor<1x{size}xf32>) -> tensor<1x{size}xf32>\n  %r = linalg.matmul ins(%x, %b : tensor<1x{size}xf32>, {s}) outs(%i : tensor<1x{size}xf32>) -> tensor<1x{size}xf32>\n", f"tensor<1x{size}xf32>", "%r"))
        body = f"  %c = arith.constant dense<2.0> : {s}\n"
        case(f"splat-weights-{size}", function(f"%x: tensor<1x{size}xf32>", body + f"  %o = tensor.empty() : tensor<1x{size}xf32>\n  %z = arith.constant 0.0 : f32\n  %i = linalg.fill ins(%z : f32) outs(%o : tensor<1x{size}xf32>) -> tensor<1x{size}xf32>\n  %r = linalg.matmul ins(%x, %c : tensor<1x{size}xf32>, {s}) outs(%i : tensor<1x{size}xf32>) -> tensor<1x{size}xf32>\n", f"tensor<1x{size}xf32>", "%r"))
        case(f"splat-transposed-{size}", function(f"%x: {s}", body + f"  %e = tensor.empty() : {s}\n  %t = linalg.transpose ins(%c : {s}) outs(%e : {s}) permutation = [1, 0]\n  %r = arith.mulf %t, %x : {s}\n", s, "%r"))
        case(f"splat-pad-{size}", function(f"%x: {s}", f"  %c = arith.constant dense<2.0> : tensor<2xf32>\n  %z = arith.constant 0.0 : f32\n  %p = tensor.pad %c low[0] high[{size * size - 2}] {{\n  ^bb0(%a: index):\n    tensor.yield %z : f32\n  }} : tensor<2xf32> to tensor<{size * size}xf32>\n  %q = tensor.expand_shape %p [[0, 1]] output_shape [{size}, {size}] : tensor<{size * size}xf32> into {s}\n  %r = arith.mulf %q, %x : {s}\n", s, "%r"))
        case(f"splat-tosa-tile-{size}", function(f"%x: {s}", f'  %c = "tosa.const"() <{{values = dense<[[1.0, 2.0]]> : tensor<1x2xf32>}}> : () -> tensor<1x2xf32>\n  %m = tosa.const_shape {{values = dense<[{size}, {size // 2}]> : tensor<2xindex>}} : () -> !tosa.shape<2>\n  %p = tosa.tile %c, %m : (tensor<1x2xf32>, !tosa.shape<2>) -> {s}\n  %r = tosa.add %p, %x : ({s}, {s}) -> {s}\n', s, "%r"))
        case(f"splat-concat-{size}", function(f"%x: tensor<{2 * size}x{size}xf32>", f"  %c = arith.constant dense<2.0> : {s}\n  %d = arith.constant dense<3.0> : {s}\n  %p = tensor.concat dim(0) %c, %d : ({s}, {s}) -> tensor<{2 * size}x{size}xf32>\n  %r = arith.mulf %p, %x : tensor<{2 * size}x{size}xf32>\n", f"tensor<{2 * size}x{size}xf32>", "%r"))
        case(f"splat-conv-{size}", function(f"%x: tensor<1x{size}x1x1xf32>", f"  %c = arith.constant dense<2.0> : tensor<{size}x{size}x1x1xf32>\n  %e = tensor.empty() : tensor<1x{size}x1x1xf32>\n  %z = arith.constant 0.0 : f32\n  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x{size}x1x1xf32>) -> tensor<1x{size}x1x1xf32>\n  %r = linalg.conv_2d_nchw_fchw ins(%x, %c : tensor<1x{size}x1x1xf32>, tensor<{size}x{size}x1x1xf32>) outs(%f : tensor<1x{size}x1x1xf32>) -> tensor<1x{size}x1x1xf32>\n", f"tensor<1x{size}x1x1xf32>", "%r"))
    case("inputs-many", function(", ".join(f"%a{i}: {t}" for i in range(5000)), "", t, "%a0"))
    case("results-many", f"func.func @main(%x: {t}) -> ({', '.join([t] * 2000)}) {{\n  return {', '.join(['%x'] * 2000)} : {', '.join([t] * 2000)}\n}}\n")
    case("unroll", function(f"%x: tensor<1xf32>", "  %e = tensor.empty() : tensor<1xf32>\n  %g = tensor.generate {\n  ^bb0(%i: index):\n    %c = arith.index_cast %i : index to i32\n    %f = arith.sitofp %c : i32 to f32\n    tensor.yield %f : f32\n  } : tensor<100000000xf32>\n  %s = tensor.extract_slice %g[0] [1] [1] : tensor<100000000xf32> to tensor<1xf32>\n", "tensor<1xf32>", "%s"))
    case("from-elements", function("%x: tensor<8xf32>", "  %c0 = arith.constant 0 : index\n  %v = tensor.extract %x[%c0] : tensor<8xf32>\n  %r = tensor.from_elements " + ", ".join(["%v"] * 20000) + " : tensor<20000xf32>\n", "tensor<20000xf32>", "%r"))
    case("collapse-many", function(f"%x: tensor<{'x'.join(['2'] * 24)}xf32>", f"  %r = math.exp %x : tensor<{'x'.join(['2'] * 24)}xf32>\n", f"tensor<{'x'.join(['2'] * 24)}xf32>", "%r"))
    case("reduce-many", function(f"%x: tensor<{'x'.join(['2'] * 12)}xf32>", f"  %e = tensor.empty() : tensor<f32>\n  %r = linalg.reduce {{arith.addf}} ins(%x : tensor<{'x'.join(['2'] * 12)}xf32>) outs(%e : tensor<f32>) dimensions = [{', '.join(str(i) for i in range(12))}]\n", "tensor<f32>", "%r"))
    case("functions-many", "".join(f"func.func private @f{i}(%x: {t}) -> {t} {{\n  return %x : {t}\n}}\n" for i in range(5000)) + function(f"%x: {t}", "", t, "%x"))
    text = "".join(f"  %v{i} = linalg.fill ins(%c{i} : f32) outs(%e{i} : tensor<{i + 1}xf32>) -> tensor<{i + 1}xf32>\n" for i in range(300))
    case("kernels-many", "func.func @main() -> (" + ", ".join(f"tensor<{i + 1}xf32>" for i in range(300)) + ") {\n" + "".join(f"  %c{i} = arith.constant {i}.0 : f32\n  %e{i} = tensor.empty() : tensor<{i + 1}xf32>\n" for i in range(300)) + text + "  return " + ", ".join(f"%v{i}" for i in range(300)) + " : " + ", ".join(f"tensor<{i + 1}xf32>" for i in range(300)) + "\n}\n")
    case("extents-vector", function("%x: tensor<1000000000xf32>", "  %e = tensor.empty() : tensor<f32>\n  %z = arith.constant 0.0 : f32\n  %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>\n  %r = linalg.dot ins(%x, %x : tensor<1000000000xf32>, tensor<1000000000xf32>) outs(%f : tensor<f32>) -> tensor<f32>\n", "tensor<f32>", "%r"))


def add_text():
    ok = function("%x: tensor<8xf32>", "  %r = math.exp %x : tensor<8xf32>\n", "tensor<8xf32>", "%r")
    for name, text in [("empty", ""), ("newline", "\n"), ("comment", "//"), ("brace", "{"), ("braces", "{" * 100000), ("module-braces", "module {" * 5000), ("quote", '"'), ("percent", "%"), ("hash", "#"), ("parens", "(" * 100000),
                       ("cut", ok[:-30]), ("cut-2", ok[:20]), ("alias-cycle", "#a = #b\n#b = #a\n" + ok), ("type-cycle", "!a = !b\n!b = !a\n" + ok), ("alias-undefined", "#a = #b\n" + ok), ("two-modules", "module {}\nmodule {}\n"),
                       ("not-module", '"test.op"() : () -> ()\n'), ("latin", "func.func @\xe4() { return }"), ("use-before-def", function("%x: tensor<8xf32>", "  %a = math.exp %b : tensor<8xf32>\n  %b = math.exp %a : tensor<8xf32>\n", "tensor<8xf32>", "%a")),
                       ("no-terminator", "func.func @main(%x: tensor<8xf32>) {\n}\n"), ("no-terminator-generic", '"func.func"() <{sym_name = "main", function_type = () -> ()}> ({\n^bb0:\n}) : () -> ()\n'),
                       ("no-region-generic", '"func.func"() <{sym_name = "main", function_type = () -> ()}> ({}) : () -> ()\n'), ("no-properties", '"func.func"() ({}) : () -> ()\n'), ("no-properties-2", '"func.func"() : () -> ()\n'),
                       ("region-no-block", '"fusion.conv"() ({}) : () -> ()\n'), ("huge-literal", ok.replace("math.exp %x", "math.exp %x {a = 1" + "0" * 5000 + " : i64}")), ("long-line", "// " + "x" * 10000000 + "\n" + ok),
                       ("location", ok + "#loc = loc(\"a\":99999999999:1)\n"), ("location-2", ok.replace("return %r : tensor<8xf32>", "return %r : tensor<8xf32> loc(\"a\":4294967296:1)")), ("resource-cycle", ok + "{-#\n dialect_resources: { builtin: { w: \"0x0400000000\", w: \"0x0400000000\" } }\n#-}\n"),
                       ("external-resource", ok + "{-#\n external_resources: { mlir_reproducer: { pipeline: \"builtin.module(cse)\", disable_threading: true, verify_each: true } }\n#-}\n"), ("resource-unknown-dialect", ok + "{-#\n dialect_resources: { nowhere: { w: \"0x0400000000\" } }\n#-}\n"),
                       ("affine-zero-mod", "#m = affine_map<(d0) -> (d0 mod 0)>\n" + ok), ("affine-div-zero", "#m = affine_map<(d0) -> (d0 floordiv 0)>\n" + ok), ("affine-overflow", "#m = affine_map<(d0) -> (d0 * 9223372036854775807 * 9223372036854775807)>\n" + ok), ("affine-neg-mod", "#m = affine_map<(d0) -> (d0 mod -3)>\n" + ok)]:
        case(f"text-{name}", text)


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def find_problem(status, error, megabytes, wait):
    """What is wrong with how a compilation ended; empty if nothing is."""
    if os.WIFSIGNALED(status):
        signal = os.WTERMSIG(status)
        return f"no end within {SECONDS} s" if signal == SIGXCPU else f"signal {signal}"
    code = os.WEXITSTATUS(status)
    if code == TIMED_OUT:
        return f"no end within {wait} s by the clock"
    if code not in (0, 2):
        return f"exit code {code}"
    if code == 2 and not PLACE.search(error):
        return "no error with a place"
    if megabytes > MEGABYTES:
        return f"{megabytes:.0f} MB"
    return ""


def run(driver, text, folder, wait):
    model = os.path.join(folder, "model.mlir")
    with open(model, "w", encoding="utf-8", errors="surrogatepass") as file:
        file.write(text)
    with open(os.path.join(folder, "err"), "w+b") as errors:
        process = subprocess.Popen(["timeout", str(wait), "prlimit", f"--cpu={SECONDS}", driver, "compile", model, "-o",
                                    os.path.join(folder, "out.o"), "--jobs", "1"], stdout=subprocess.DEVNULL, stderr=errors, preexec_fn=limits, cwd=folder)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        errors.seek(0)
        error = errors.read().decode("utf-8", "replace")
    megabytes = usage.ru_maxrss / 1024
    return find_problem(status, error, megabytes, wait), usage.ru_utime, megabytes, error


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--driver", default="build/bin/mlir-fusion")
    parser.add_argument("--only", default="", help="a regular expression that names of models contain")
    parser.add_argument("--size", type=int, default=30000, help="how long chains are, and how deep the deepest nests")
    parser.add_argument("--wait", type=int, default=1200, help="seconds by the clock: what waits for ever takes no time of a CPU")
    parser.add_argument("--verbose", action="store_true", help="tell of each model")
    options = parser.parse_args()
    add_depth(options.size)
    for add in (add_shapes, add_attributes, add_resources, add_symbols, add_dialects, add_memory, add_text):
        add()
    chosen = {name: text for name, text in cases.items() if re.search(options.only, name)}
    if not chosen:
        sys.exit(f"error: expected the name of a model to contain {options.only!r}, got none")
    failed, reached, made = 0, Counter(), Counter()
    for name, text in chosen.items():
        with tempfile.TemporaryDirectory() as folder:
            problem, seconds, megabytes, error = run(os.path.abspath(options.driver), text, folder, options.wait)
        if options.verbose or problem:
            said = next((line for line in error.splitlines() if "error" in line), error[:200])
            print(f"{'FAILED' if problem else 'ok    '} {name}: {problem} ({seconds:.1f} s, {megabytes:.0f} MB) {said[:220]!r}", flush=True)
        failed += bool(problem)
        if name.startswith("attribute-"):
            made[name.split("-")[1]] += 1
            reached[name.split("-")[1]] += bool(OURS.search(error))
    for root, count in reached.items():
        if count < made[root] // LEAST:
            print(f"FAILED attribute-{root}: {count} models reach our own verifiers, expected {made[root] // LEAST}")
            failed += 1
    print(f"{len(chosen)} models, {failed} failed; odd attributes that our own verifiers saw: "
          + ", ".join(f"{count} of {root}" for root, count in reached.items()))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
