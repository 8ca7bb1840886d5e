"""Hostile models: what would take much memory or time, and texts that are no models."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from hostile_cases import case, function


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
    case("operands-generic", function(args,
        f"  %e = tensor.empty() : {t}\n"
        f"  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [\"parallel\"]}} ins({', '.join(f'%a{i}' for i in range(n))} : {', '.join([t] * n)}) outs(%e : {t}) {{\n"
        f"  ^bb0({blocks}):\n"
        f"{sums}    linalg.yield {last} : f32\n"
        f"  }} -> {t}\n", t, "%r"))
    m = "tensor<8x8xf32>"
    body, last = (
        f"  %e = tensor.empty() : {m}\n"
        "  %z = arith.constant 0.0 : f32\n"
        f"  %f = linalg.fill ins(%z : f32) outs(%e : {m}) -> {m}\n"
        f"  %r = linalg.matmul ins(%x, %x : {m}, {m}) outs(%f : {m}) -> {m}\n"), "%r"
    for i in range(n):
        body += f"  %s{i} = arith.addf {last}, %a{i} : {m}\n"
        last = f"%s{i}"
    case("operands-epilogue", function(f"%x: {m}, " + ", ".join(f"%a{i}: {m}" for i in range(n)), body, m, last))
    body, last = (
        f"  %e = tensor.empty() : {m}\n"
        "  %z = arith.constant 0.0 : f32\n"
        f"  %f = linalg.fill ins(%z : f32) outs(%e : {m}) -> {m}\n"
        f"  %r = linalg.matmul ins(%x, %x : {m}, {m}) outs(%f : {m}) -> {m}\n"), "%r"
    for i in range(4000):
        body += f"  %s{i} = arith.addf {last}, %x : {m}\n"
        last = f"%s{i}"
    case("ops-epilogue", function(f"%x: {m}", body, m, last))
    # constants that would be folded into more
    for size in (1000, 10000, 30000):
        s = f"tensor<{size}x{size}xf32>"
        body = (
            f"  %c = arith.constant dense<2.0> : tensor<{size}xf32>\n"
            f"  %v = arith.constant dense<[{', '.join(str(float(i % 7)) for i in range(size))}]> : tensor<{size}xf32>\n"
            f"  %e = tensor.empty() : {s}\n")
        outer = f"  %b = linalg.broadcast ins(%v : tensor<{size}xf32>) outs(%e : {s}) dimensions = [0]\n"
        case(f"fold-broadcast-{size}", function(f"%x: {s}", body + outer + f"  %r = arith.mulf %b, %x : {s}\n", s, "%r"))
        case(f"fold-broadcast-weights-{size}", function(f"%x: tensor<1x{size}xf32>", body + outer +
            f"  %o = tensor.empty() : tensor<1x{size}xf32>\n"
            "  %z = arith.constant 0.0 : f32\n"
            f"  %i = linalg.fill ins(%z : f32) outs(%o : tensor<1x{size}xf32>) -> tensor<1x{size}xf32>\n"
            f"  %r = linalg.matmul ins(%x, %b : tensor<1x{size}xf32>, {s}) outs(%i : tensor<1x{size}xf32>) -> tensor<1x{size}xf32>\n", f"tensor<1x{size}xf32>", "%r"))
        body = f"  %c = arith.constant dense<2.0> : {s}\n"
        case(f"splat-weights-{size}", function(f"%x: tensor<1x{size}xf32>", body +
            f"  %o = tensor.empty() : tensor<1x{size}xf32>\n"
            "  %z = arith.constant 0.0 : f32\n"
            f"  %i = linalg.fill ins(%z : f32) outs(%o : tensor<1x{size}xf32>) -> tensor<1x{size}xf32>\n"
            f"  %r = linalg.matmul ins(%x, %c : tensor<1x{size}xf32>, {s}) outs(%i : tensor<1x{size}xf32>) -> tensor<1x{size}xf32>\n", f"tensor<1x{size}xf32>", "%r"))
        case(f"splat-transposed-{size}", function(f"%x: {s}", body +
            f"  %e = tensor.empty() : {s}\n"
            f"  %t = linalg.transpose ins(%c : {s}) outs(%e : {s}) permutation = [1, 0]\n"
            f"  %r = arith.mulf %t, %x : {s}\n", s, "%r"))
        case(f"splat-pad-{size}", function(f"%x: {s}",
            "  %c = arith.constant dense<2.0> : tensor<2xf32>\n"
            "  %z = arith.constant 0.0 : f32\n"
            f"  %p = tensor.pad %c low[0] high[{size * size - 2}] {{\n"
            "  ^bb0(%a: index):\n"
            "    tensor.yield %z : f32\n"
            f"  }} : tensor<2xf32> to tensor<{size * size}xf32>\n"
            f"  %q = tensor.expand_shape %p [[0, 1]] output_shape [{size}, {size}] : tensor<{size * size}xf32> into {s}\n"
            f"  %r = arith.mulf %q, %x : {s}\n", s, "%r"))
        case(f"splat-tosa-tile-{size}", function(f"%x: {s}",
            f'  %c = "tosa.const"() <{{values = dense<[[1.0, 2.0]]> : tensor<1x2xf32>}}> : () -> tensor<1x2xf32>\n'
            f'  %m = tosa.const_shape {{values = dense<[{size}, {size // 2}]> : tensor<2xindex>}} : () -> !tosa.shape<2>\n'
            f'  %p = tosa.tile %c, %m : (tensor<1x2xf32>, !tosa.shape<2>) -> {s}\n'
            f'  %r = tosa.add %p, %x : ({s}, {s}) -> {s}\n', s, "%r"))
        case(f"splat-concat-{size}", function(f"%x: tensor<{2 * size}x{size}xf32>",
            f"  %c = arith.constant dense<2.0> : {s}\n"
            f"  %d = arith.constant dense<3.0> : {s}\n"
            f"  %p = tensor.concat dim(0) %c, %d : ({s}, {s}) -> tensor<{2 * size}x{size}xf32>\n"
            f"  %r = arith.mulf %p, %x : tensor<{2 * size}x{size}xf32>\n", f"tensor<{2 * size}x{size}xf32>", "%r"))
        case(f"splat-conv-{size}", function(f"%x: tensor<1x{size}x1x1xf32>",
            f"  %c = arith.constant dense<2.0> : tensor<{size}x{size}x1x1xf32>\n"
            f"  %e = tensor.empty() : tensor<1x{size}x1x1xf32>\n"
            "  %z = arith.constant 0.0 : f32\n"
            f"  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x{size}x1x1xf32>) -> tensor<1x{size}x1x1xf32>\n"
            f"  %r = linalg.conv_2d_nchw_fchw ins(%x, %c : tensor<1x{size}x1x1xf32>, tensor<{size}x{size}x1x1xf32>) outs(%f : tensor<1x{size}x1x1xf32>) -> tensor<1x{size}x1x1xf32>\n", f"tensor<1x{size}x1x1xf32>", "%r"))
    case("inputs-many", function(", ".join(f"%a{i}: {t}" for i in range(5000)), "", t, "%a0"))
    case("results-many",
        f"func.func @main(%x: {t}) -> ({', '.join([t] * 2000)}) {{\n"
        f"  return {', '.join(['%x'] * 2000)} : {', '.join([t] * 2000)}\n"
        f"}}\n")
    case("unroll", function(f"%x: tensor<1xf32>",
        "  %e = tensor.empty() : tensor<1xf32>\n"
        "  %g = tensor.generate {\n"
        "  ^bb0(%i: index):\n"
        "    %c = arith.index_cast %i : index to i32\n"
        "    %f = arith.sitofp %c : i32 to f32\n"
        "    tensor.yield %f : f32\n"
        "  } : tensor<100000000xf32>\n"
        "  %s = tensor.extract_slice %g[0] [1] [1] : tensor<100000000xf32> to tensor<1xf32>\n", "tensor<1xf32>", "%s"))
    case("from-elements", function("%x: tensor<8xf32>",
        "  %c0 = arith.constant 0 : index\n"
        "  %v = tensor.extract %x[%c0] : tensor<8xf32>\n"
        "  %r = tensor.from_elements " + ", ".join(["%v"] * 20000) + " : tensor<20000xf32>\n", "tensor<20000xf32>", "%r"))
    case("collapse-many", function(f"%x: tensor<{'x'.join(['2'] * 24)}xf32>", f"  %r = math.exp %x : tensor<{'x'.join(['2'] * 24)}xf32>\n", f"tensor<{'x'.join(['2'] * 24)}xf32>", "%r"))
    case("reduce-many", function(f"%x: tensor<{'x'.join(['2'] * 12)}xf32>",
        "  %e = tensor.empty() : tensor<f32>\n"
        f"  %r = linalg.reduce {{arith.addf}} ins(%x : tensor<{'x'.join(['2'] * 12)}xf32>) outs(%e : tensor<f32>) dimensions = [{', '.join(str(i) for i in range(12))}]\n", "tensor<f32>", "%r"))
    case("functions-many", "".join(
        f"func.func private @f{i}(%x: {t}) -> {t} {{\n"
        f"  return %x : {t}\n"
        f"}}\n" for i in range(5000)) + function(f"%x: {t}", "", t, "%x"))
    text = "".join(f"  %v{i} = linalg.fill ins(%c{i} : f32) outs(%e{i} : tensor<{i + 1}xf32>) -> tensor<{i + 1}xf32>\n" for i in range(300))
    case("kernels-many", "func.func @main() -> (" + ", ".join(f"tensor<{i + 1}xf32>" for i in range(300)) + ") {\n" + "".join(
        f"  %c{i} = arith.constant {i}.0 : f32\n"
        f"  %e{i} = tensor.empty() : tensor<{i + 1}xf32>\n" for i in range(300)) + text + "  return " + ", ".join(f"%v{i}" for i in range(300)) + " : " + ", ".join(f"tensor<{i + 1}xf32>" for i in range(300)) +
        "\n"
        "}\n")
    case("extents-vector", function("%x: tensor<1000000000xf32>",
        "  %e = tensor.empty() : tensor<f32>\n"
        "  %z = arith.constant 0.0 : f32\n"
        "  %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>\n"
        "  %r = linalg.dot ins(%x, %x : tensor<1000000000xf32>, tensor<1000000000xf32>) outs(%f : tensor<f32>) -> tensor<f32>\n", "tensor<f32>", "%r"))


def add_text():
    ok = function("%x: tensor<8xf32>", "  %r = math.exp %x : tensor<8xf32>\n", "tensor<8xf32>", "%r")
    for name, text in [("empty", ""), ("newline", "\n"), ("comment", "//"), ("brace", "{"), ("braces", "{" * 100000), ("module-braces", "module {" * 5000), ("quote", '"'), ("percent", "%"), ("hash", "#"), ("parens", "(" * 100000),
                       ("cut", ok[:-30]), ("cut-2", ok[:20]), ("alias-cycle",
                           "#a = #b\n"
                           "#b = #a\n" + ok), ("type-cycle",
                           "!a = !b\n"
                           "!b = !a\n" + ok), ("alias-undefined", "#a = #b\n" + ok), ("two-modules",
                           "module {}\n"
                           "module {}\n"),
                       ("not-module", '"test.op"() : () -> ()\n'), ("latin", "func.func @\xe4() { return }"), ("use-before-def", function("%x: tensor<8xf32>",
                           "  %a = math.exp %b : tensor<8xf32>\n"
                           "  %b = math.exp %a : tensor<8xf32>\n", "tensor<8xf32>", "%a")),
                       ("no-terminator",
                           "func.func @main(%x: tensor<8xf32>) {\n"
                           "}\n"), ("no-terminator-generic",
                           '"func.func"() <{sym_name = "main", function_type = () -> ()}> ({\n'
                           '^bb0:\n'
                           '}) : () -> ()\n'),
                       ("no-region-generic", '"func.func"() <{sym_name = "main", function_type = () -> ()}> ({}) : () -> ()\n'), ("no-properties", '"func.func"() ({}) : () -> ()\n'), ("no-properties-2", '"func.func"() : () -> ()\n'),
                       ("region-no-block", '"fusion.conv"() ({}) : () -> ()\n'), ("huge-literal", ok.replace("math.exp %x", "math.exp %x {a = 1" + "0" * 5000 + " : i64}")), ("long-line", "// " + "x" * 10000000 + "\n" + ok),
                       ("location", ok + "#loc = loc(\"a\":99999999999:1)\n"), ("location-2", ok.replace("return %r : tensor<8xf32>", "return %r : tensor<8xf32> loc(\"a\":4294967296:1)")), ("resource-cycle", ok +
                           "{-#\n"
                           " dialect_resources: { builtin: { w: \"0x0400000000\", w: \"0x0400000000\" } }\n"
                           "#-}\n"),
                       ("external-resource", ok +
                           "{-#\n"
                           " external_resources: { mlir_reproducer: { pipeline: \"builtin.module(cse)\", disable_threading: true, verify_each: true } }\n"
                           "#-}\n"), ("resource-unknown-dialect", ok +
                           "{-#\n"
                           " dialect_resources: { nowhere: { w: \"0x0400000000\" } }\n"
                           "#-}\n"),
                       ("affine-zero-mod", "#m = affine_map<(d0) -> (d0 mod 0)>\n" + ok), ("affine-div-zero", "#m = affine_map<(d0) -> (d0 floordiv 0)>\n" + ok), ("affine-overflow", "#m = affine_map<(d0) -> (d0 * 9223372036854775807 * 9223372036854775807)>\n" + ok), ("affine-neg-mod", "#m = affine_map<(d0) -> (d0 mod -3)>\n" + ok)]:
        case(f"text-{name}", text)
