"""Hostile models: constants, symbols, entries and dialects that are missing, odd or not what they say."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from hostile_cases import case, function


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
        case(f"dense-use-{name}", function(f"%x: {t}",
            f"  %r = arith.constant dense<{value}> : {t}\n"
            f"  %c = tensor.concat dim(0) %r, %x : ({t}, {t}) -> tensor<?x{t[t.index('x') + 1:]}\n", f"tensor<?x{t[t.index('x') + 1:]}", "%c"))
    case("sparse", function("", "  %r = arith.constant sparse<[[0], [999999999]], [1.0, 2.0]> : tensor<1000000000xf32>\n", "tensor<1000000000xf32>", "%r"))
    case("sparse-small", function("", "  %r = arith.constant sparse<[[0], [9]], [1.0, 2.0]> : tensor<10xf32>\n", "tensor<10xf32>", "%r"))
    case("sparse-out", function("", "  %r = arith.constant sparse<[[0], [99]], [1.0, 2.0]> : tensor<10xf32>\n", "tensor<10xf32>", "%r"))


def add_symbols():
    t = "tensor<8xf32>"
    ok = function(f"%x: {t}", "", t, "%x")
    case("symbol-twice", ok + ok)
    case("symbol-recursive", function(f"%x: {t}", f"  %r = call @main(%x) : ({t}) -> {t}\n", t, "%r"))
    case("symbol-cycle",
        f"func.func private @a(%x: {t}) -> {t} {{\n"
        f"  %r = call @b(%x) : ({t}) -> {t}\n"
        f"  return %r : {t}\n"
        f"}}\n"
        f"func.func private @b(%x: {t}) -> {t} {{\n"
        f"  %r = call @a(%x) : ({t}) -> {t}\n"
        f"  return %r : {t}\n"
        f"}}\n" + function(f"%x: {t}", f"  %r = call @a(%x) : ({t}) -> {t}\n", t, "%r"))
    case("symbol-self",
        f"func.func private @a(%x: {t}) -> {t} {{\n"
        f"  %r = call @a(%x) : ({t}) -> {t}\n"
        f"  return %r : {t}\n"
        f"}}\n" + function(f"%x: {t}", f"  %r = call @a(%x) : ({t}) -> {t}\n", t, "%r"))
    case("symbol-missing", function(f"%x: {t}", f"  %r = call @gone(%x) : ({t}) -> {t}\n", t, "%r"))
    case("symbol-declared", f"func.func private @gone(%x: {t}) -> {t}\n" + function(f"%x: {t}", f"  %r = call @gone(%x) : ({t}) -> {t}\n", t, "%r"))
    case("symbol-indirect", function(f"%x: {t}", f"  %f = constant @main : ({t}) -> {t}\n  %r = call_indirect %f(%x) : ({t}) -> {t}\n", t, "%r"))
    case("symbol-global", f"memref.global \"private\" @g : memref<8xf32> = uninitialized\n" + function(f"%x: {t}",
        "  %g = memref.get_global @g : memref<8xf32>\n"
        f"  %r = bufferization.to_tensor %g : memref<8xf32> to {t}\n", t, "%r"))
    case("symbol-global-missing", function(f"%x: {t}",
        "  %g = memref.get_global @g : memref<8xf32>\n"
        f"  %r = bufferization.to_tensor %g : memref<8xf32> to {t}\n", t, "%r"))
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
    case("entry-unranked-inside", function(f"%x: {t}",
        f"  %c = tensor.cast %x : {t} to tensor<*xf32>\n"
        f"  %r = tensor.cast %c : tensor<*xf32> to {t}\n", t, "%r"))
    case("entry-unranked-kept", function(f"%x: {t}, %ct: tensor<i1>",
        "  %p = tensor.extract %ct[] : tensor<i1>\n"
        f"  %c = tensor.cast %x : {t} to tensor<*xf32>\n"
        "  %s = arith.select %p, %c, %c : tensor<*xf32>\n"
        f"  %r = tensor.cast %s : tensor<*xf32> to {t}\n", t, "%r"))
    case("entry-unranked-tosa", function("%x: tensor<*xf32>", "  %r = tosa.exp %x : (tensor<*xf32>) -> tensor<*xf32>\n", "tensor<*xf32>", "%r"))
    case("entry-unranked-memref", "func.func @main(%x: memref<*xf32>) {\n  return\n}\n")
    case("entry-encoding", "func.func @main(%x: tensor<4xf32, \"odd\">) -> tensor<4xf32, \"odd\"> {\n  return %x : tensor<4xf32, \"odd\">\n}\n")
    case("entry-sparse",
        "#s = #sparse_tensor.encoding<{map = (d0) -> (d0 : compressed)}>\n"
        "func.func @main(%x: tensor<4xf32, #s>) -> tensor<4xf32, #s> {\n"
        "  return %x : tensor<4xf32, #s>\n"
        "}\n")
    for name, memref in [("plain", "memref<4x4xf32>"), ("strided", "memref<4x4xf32, strided<[8, 1]>>"), ("offset", "memref<4x4xf32, strided<[4, 1], offset: 3>>"), ("dynamic-strides", "memref<4x4xf32, strided<[?, ?], offset: ?>>"),
                         ("transposed", "memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>"), ("tiled", "memref<4x4xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1 floordiv 2, d0 mod 2, d1 mod 2)>>"),
                         ("symbols", "memref<4x4xf32, affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>>"), ("negative", "memref<4x4xf32, strided<[-4, 1], offset: 12>>"), ("overlapping", "memref<4x4xf32, strided<[0, 1]>>"),
                         ("space", "memref<4x4xf32, 3>"), ("space-text", "memref<4x4xf32, \"gpu\">"), ("wide-space", "memref<4x4xf32, 9999999999 : i64>"), ("dynamic", "memref<?x?xf32>"), ("zero", "memref<0x4xf32>"), ("rank-0", "memref<f32>"),
                         ("of-memref", "memref<4xmemref<4xf32>>"), ("of-vector", "memref<4xvector<4xf32>>"), ("of-index", "memref<4xindex>"), ("of-complex", "memref<4xcomplex<f32>>"), ("of-i3", "memref<4xi3>"), ("of-f80", "memref<4xf80>"), ("of-tuple", "memref<4xtuple<>>")]:
        case(f"memref-{name}", f"func.func @main(%x: {memref}, %y: {memref}) {{\n  return\n}}\n")
        case(f"memref-copy-{name}", f"func.func @main(%x: {memref}, %y: {memref}) {{\n  memref.copy %x, %y : {memref} to {memref}\n  return\n}}\n")
        case(f"memref-linalg-{name}",
            f"func.func @main(%x: {memref}, %y: {memref}) {{\n"
            f"  linalg.exp ins(%x : {memref}) outs(%y : {memref})\n"
            "  return\n"
            f"}}\n")
        case(f"memref-return-{name}", f"func.func @main(%x: {memref}) -> {memref} {{\n  return %x : {memref}\n}}\n")
        case(f"memref-tensor-{name}",
            f"func.func @main(%x: {memref}) -> tensor<4x4xf32> {{\n"
            f"  %t = bufferization.to_tensor %x restrict : {memref} to tensor<4x4xf32>\n"
            "  %e = math.exp %t : tensor<4x4xf32>\n"
            "  return %e : tensor<4x4xf32>\n"
            f"}}\n")
    for element in ("i0", "i1", "i3", "i7", "i65", "i128", "i1000", "i16777215", "si8", "ui8", "si4", "ui64", "index", "f80", "f128", "tf32", "f4E2M1FN", "f6E2M3FN", "f8E5M2", "f8E8M0FNU", "complex<f32>", "complex<i3>", "none", "vector<2xf32>",
                    "tuple<>", "tensor<2xf32>", "memref<2xf32>", "!test.string", "!llvm.ptr", "!quant.any<i8>", "!quant.uniform<i8:f32, 0.5>", "!tosa.shape<2>", "!shape.shape", "!ml_program.token", "() -> ()"):
        case(f"element-{element}", function(f"%x: tensor<4x{element}>", "", f"tensor<4x{element}>", "%x"))
        case(f"element-exp-{element}", function(f"%x: tensor<4x{element}>", f"  %r = math.exp %x : tensor<4x{element}>\n", f"tensor<4x{element}>", "%r"))
        case(f"element-addi-{element}", function(f"%x: tensor<4x{element}>", f"  %r = arith.addi %x, %x : tensor<4x{element}>\n", f"tensor<4x{element}>", "%r"))
        case(f"element-transpose-{element}", function(f"%x: tensor<4x4x{element}>",
            f"  %e = tensor.empty() : tensor<4x4x{element}>\n"
            f"  %r = linalg.transpose ins(%x : tensor<4x4x{element}>) outs(%e : tensor<4x4x{element}>) permutation = [1, 0]\n", f"tensor<4x4x{element}>", "%r"))
        case(f"element-matmul-{element}", function(f"%x: tensor<4x4x{element}>, %y: tensor<4x4x{element}>", f"  %r = linalg.matmul ins(%x, %x : tensor<4x4x{element}>, tensor<4x4x{element}>) outs(%y : tensor<4x4x{element}>) -> tensor<4x4x{element}>\n", f"tensor<4x4x{element}>", "%r"))
        case(f"element-dynamic-{element}", function(f"%x: tensor<?x{element}>", f"  %r = tensor.concat dim(0) %x, %x : (tensor<?x{element}>, tensor<?x{element}>) -> tensor<?x{element}>\n", f"tensor<?x{element}>", "%r"))


def add_dialects():
    t = "tensor<8xf32>"
    for op in ('"nowhere.op"(%x) : (tensor<8xf32>) -> tensor<8xf32>', '"fusion.nothing"(%x) : (tensor<8xf32>) -> tensor<8xf32>', '"linalg.nothing"(%x) : (tensor<8xf32>) -> tensor<8xf32>', "nowhere.op %x : tensor<8xf32>",
               '"async.execute"(%x) : (tensor<8xf32>) -> tensor<8xf32>', '"gpu.thread_id"() {dimension = 0} : () -> index', '"builtin.unrealized_conversion_cast"(%x) : (tensor<8xf32>) -> tensor<8xf32>', '"op"(%x) : (tensor<8xf32>) -> tensor<8xf32>',

                   '"test.region"(%x) ({\n'
                   '^a(%b: tensor<8xf32>):\n'
                   ' "test.br"()[^a] : () -> ()\n'
                   '}) : (tensor<8xf32>) -> tensor<8xf32>', 'ub.poison : tensor<8xf32>', 'ub.poison : !nowhere.type', 'spirv.Undef : f32', 'complex.constant [0.1, 0.2] : complex<f32>'):
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
            case(f"function-attribute-{name}-{value}",
                f"func.func @main(%x: {t}) -> {t} attributes {{{attr}}} {{\n"
                f"  %r = math.exp %x : {t}\n"
                f"  return %r : {t}\n"
                f"}}\n")
            case(f"op-attribute-{name}-{value}", function(f"%x: {t}", f"  %r = math.exp %x {{{attr}}} : {t}\n", t, "%r"))
            case(f"argument-attribute-{name}-{value}",
                f"func.func @main(%x: {t} {{{attr}}}) -> {t} {{\n"
                f"  %r = math.exp %x : {t}\n"
                f"  return %r : {t}\n"
                f"}}\n")
            case(f"module-attribute-{name}-{value}",
                f"module attributes {{{attr}}} {{\n"
                f"func.func @main(%x: {t}) -> {t} {{\n"
                f"  %r = math.exp %x : {t}\n"
                f"  return %r : {t}\n"
                f"}}\n"
                f"}}\n")
