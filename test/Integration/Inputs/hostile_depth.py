"""Hostile models: long chains and deep nests."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from hostile_cases import case, function


def add_depth(n):
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
        body += (
            f"  %s{i} = tensor.extract_slice {last}[1] [6] [1] : {f} to tensor<6xf32>\n"
            f"  %v{i} = tensor.insert_slice %s{i} into {last}[0] [6] [1] : tensor<6xf32> into {f}\n")
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
        body += (
            f"  %v{i} = tensor.pad {last} low[1] high[0] {{\n"
            "  ^bb0(%a: index):\n"
            "    tensor.yield %z : f32\n"
            f"  }} : tensor<{8 + i}xf32> to tensor<{9 + i}xf32>\n")
        last = f"%v{i}"
    case("chain-pads", function(f"%x: {f}", body, f"tensor<{8 + n // 50}xf32>", last))
    # calls
    text = "func.func private @f0(%x: tensor<8xf32>) -> tensor<8xf32> {\n  return %x : tensor<8xf32>\n}\n"
    for i in range(1, n // 20):
        text += f"func.func private @f{i}(%x: {f}) -> {f} {{\n  %r = call @f{i - 1}(%x) : ({f}) -> {f}\n  return %r : {f}\n}}\n"
    case("chain-calls", text + function(f"%x: {f}", f"  %r = call @f{n // 20 - 1}(%x) : ({f}) -> {f}\n", f, "%r"))
    text = f"func.func private @f0(%x: {f}) -> {f} {{\n  %r = math.exp %x : {f}\n  return %r : {f}\n}}\n"
    for i in range(1, 22):
        text += (
            f"func.func private @f{i}(%x: {f}) -> {f} {{\n"
            f"  %a = call @f{i - 1}(%x) : ({f}) -> {f}\n"
            f"  %r = call @f{i - 1}(%a) : ({f}) -> {f}\n"
            f"  return %r : {f}\n"
            f"}}\n")
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
        body += "".join(
            f"  scf.yield {'%x' if i == depth - 1 else f'%v{i + 1}'} : {f}\n"
            f"}} else {{\n"
            f"  scf.yield %x : {f}\n"
            f"}}\n" for i in reversed(range(depth)))
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
