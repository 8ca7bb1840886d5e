"""Models in unusual surroundings, each run and checked against numpy.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

  context_cases.py FOLDER      writes NAME.mlir, NAME.inI.npy and NAME.outI.npy and runs mlir-fusion on them
"""
import os
import subprocess
import sys

import numpy as np

rng = np.random.default_rng(4)
A = rng.standard_normal((4, 4), dtype=np.float32) / 2
B = rng.standard_normal((4, 4), dtype=np.float32)
X = rng.standard_normal(4, dtype=np.float32)
Y = rng.standard_normal(4, dtype=np.float32)
M, V = "tensor<4x4xf32>", "tensor<4xf32>"

ID = "affine_map<(d0, d1) -> (d0, d1)>"

# What most cases begin with.
HEAD = f"""
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {M}
  %ve = tensor.empty() : {V}
  %f = linalg.fill ins(%zero : f32) outs(%e : {M}) -> {M}
"""


def matmul(result, lhs, rhs):
    return f"%{result} = linalg.matmul ins(%{lhs}, %{rhs} : {M}, {M}) outs(%f : {M}) -> {M}\n"


def exp(result, operand, type=M, init="e"):
    return f"%{result} = linalg.exp ins(%{operand} : {type}) outs(%{init} : {type}) -> {type}\n"


def add(result, lhs, rhs, type=V, init="ve"):
    return f"%{result} = linalg.add ins(%{lhs}, %{rhs} : {type}, {type}) outs(%{init} : {type}) -> {type}\n"


def true(value):
    return np.array(value, dtype=bool)


def powers(first, second, count):
    for _ in range(count):
        first, second = second, first + second
    return [first, second]


CASES = {
    "if": (f"""
func.func @main(%a: {M}, %p: tensor<i1>) -> {M} {{ {HEAD}
  %c = tensor.extract %p[] : tensor<i1>
  %r = scf.if %c -> {M} {{
    {matmul("y", "a", "a")} {exp("z", "y")} scf.yield %z : {M}
  }} else {{
    scf.yield %a : {M}
  }}
  {exp("q", "r")} return %q : {M}
}}""", [([A, true(True)], [np.exp(np.exp(A @ A))]), ([A, true(False)], [np.exp(A)])]),
    "for-swaps": (f"""
func.func @main(%a: {V}, %b: {V}) -> ({V}, {V}) {{ {HEAD}
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %a, %q = %b) -> ({V}, {V}) {{
    {add("s", "p", "q")} scf.yield %q, %s : {V}, {V}
  }}
  return %r#0, %r#1 : {V}, {V}
}}""", [([X, Y], powers(X, Y, 3))]),
    "while": (f"""
func.func @main(%a: {M}, %n: index) -> ({M}, index) {{ {HEAD}
  %r:2 = scf.while (%i = %c0, %x = %a) : (index, {M}) -> (index, {M}) {{
    %c = arith.cmpi ult, %i, %n : index
    scf.condition(%c) %i, %x : index, {M}
  }} do {{
  ^bb0(%i: index, %x: {M}):
    {matmul("y", "x", "a")} %j = arith.addi %i, %c1 : index
    scf.yield %j, %y : index, {M}
  }}
  return %r#1, %r#0 : {M}, index
}}""", [([A, np.array(n, dtype=np.int64)], [np.linalg.matrix_power(A, n + 1), np.array(n, dtype=np.int64)])
        for n in (0, 1, 3)]),
    "while-grows": (f"""
func.func @main(%a: {V}) -> tensor<7xf32> {{ {HEAD}
  %c7 = arith.constant 7 : index
  %ad = tensor.cast %a : {V} to tensor<?xf32>
  %r = scf.while (%x = %ad) : (tensor<?xf32>) -> (tensor<?xf32>) {{
    %d = tensor.dim %x, %c0 : tensor<?xf32>
    %c = arith.cmpi ult, %d, %c7 : index
    scf.condition(%c) %x : tensor<?xf32>
  }} do {{
  ^bb0(%x: tensor<?xf32>):
    %p = tensor.pad %x low[0] high[1] {{
    ^bb0(%i: index):
      tensor.yield %zero : f32
    }} : tensor<?xf32> to tensor<?xf32>
    scf.yield %p : tensor<?xf32>
  }}
  %s = tensor.cast %r : tensor<?xf32> to tensor<7xf32>
  return %s : tensor<7xf32>
}}""", [([X], [np.pad(X, (0, 3))])]),
    "index-switch": (f"""
func.func @main(%a: {M}, %k: index) -> {M} {{ {HEAD}
  %r = scf.index_switch %k -> {M}
  case 0 {{
    {matmul("y", "a", "a")} scf.yield %y : {M}
  }}
  case 2 {{
    {exp("y", "a")} scf.yield %y : {M}
  }}
  default {{
    scf.yield %a : {M}
  }}
  return %r : {M}
}}""", [([A, np.array(k, dtype=np.int64)], [r]) for k, r in ((0, A @ A), (1, A), (2, np.exp(A)))]),
    "forall": (f"""
func.func @main(%a: {M}) -> {M} {{ {HEAD}
  %r = scf.forall (%i) in (4) shared_outs(%o = %e) -> ({M}) {{
    %s = tensor.extract_slice %a[%i, 0] [1, 4] [1, 1] : {M} to tensor<1x4xf32>
    %d = tensor.extract_slice %o[%i, 0] [1, 4] [1, 1] : {M} to tensor<1x4xf32>
    {exp("y", "s", "tensor<1x4xf32>", "d")}
    scf.forall.in_parallel {{
      tensor.parallel_insert_slice %y into %o[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into {M}
    }}
  }}
  return %r : {M}
}}""", [([A], [np.exp(A)])]),
    "affine-for": (f"""
func.func @main(%x: {V}) -> {V} {{
  %r = affine.for %i = 0 to 4 iter_args(%a = %x) -> {V} {{
    %v = tensor.extract %a[%i] : {V}
    %w = arith.addf %v, %v : f32
    %n = tensor.insert %w into %a[%i] : {V}
    affine.yield %n : {V}
  }}
  return %r : {V}
}}""", [([X], [X + X])]),
    "blocks": (f"""
func.func @main(%a: {M}, %b: {M}, %p: tensor<i1>) -> {M} {{ {HEAD}
  %c = tensor.extract %p[] : tensor<i1>
  cf.cond_br %c, ^one, ^two(%b : {M})
^one:
  {matmul("y", "a", "b")} cf.br ^two(%y : {M})
^two(%z: {M}):
  {exp("r", "z")} return %r : {M}
}}""", [([A, B, true(True)], [np.exp(A @ B)]), ([A, B, true(False)], [np.exp(B)])]),
    "loop-of-blocks": (f"""
func.func @main(%a: {V}) -> {V} {{ {HEAD}
  cf.br ^loop(%c0, %a : index, {V})
^loop(%i: index, %x: {V}):
  %c = arith.cmpi ult, %i, %c3 : index
  cf.cond_br %c, ^body, ^end
^body:
  {add("y", "x", "a")} %j = arith.addi %i, %c1 : index
  cf.br ^loop(%j, %y : index, {V})
^end:
  return %x : {V}
}}""", [([X], [4 * X])]),
    "two-returns": (f"""
func.func @main(%a: {M}, %p: tensor<i1>) -> {M} {{ {HEAD}
  %c = tensor.extract %p[] : tensor<i1>
  cf.cond_br %c, ^one, ^two
^one:
  return %a : {M}
^two:
  {exp("r", "a")} return %r : {M}
}}""", [([A, true(True)], [A]), ([A, true(False)], [np.exp(A)])]),
    "calls": (f"""
func.func private @layer(%x: {M}, %w: {M}) -> {M} {{ {HEAD}
  {matmul("y", "x", "w")} return %y : {M}
}}
func.func @main(%a: {M}, %b: {M}) -> ({M}, {M}, {M}) {{ {HEAD}
  %1 = call @layer(%a, %b) : ({M}, {M}) -> {M}
  {exp("q", "1")} %2 = call @layer(%q, %a) {{no_inline}} : ({M}, {M}) -> {M}
  return %2, %a, %2 : {M}, {M}, {M}
}}""", [([A, B], [np.exp(A @ B) @ A, A, np.exp(A @ B) @ A])]),
    "recursion": (f"""
func.func @main(%x: {V}, %n: index) -> {V} {{ {HEAD}
  %done = arith.cmpi eq, %n, %c0 : index
  %r = scf.if %done -> {V} {{
    scf.yield %x : {V}
  }} else {{
    {add("y", "x", "x")} %m = arith.subi %n, %c1 : index
    %z = func.call @main(%y, %m) : ({V}, index) -> {V}
    scf.yield %z : {V}
  }}
  return %r : {V}
}}
func.func @other(%x: {V}) -> {V} {{
  %c5 = arith.constant 5 : index
  %r = call @main(%x, %c5) : ({V}, index) -> {V}
  return %r : {V}
}}""", [([X, np.array(n, dtype=np.int64)], [X * 2**n]) for n in (0, 3)]),
    "scalars": (f"""
func.func @main(%a: {V}, %s: f32, %n: index, %b: i1) -> ({V}, f32, i64) {{ {HEAD}
  %g = linalg.fill ins(%s : f32) outs(%ve : {V}) -> {V}
  {add("y", "a", "g")} %v = tensor.extract %y[%n] : {V}
  %i = arith.index_cast %n : index to i64
  %r = arith.select %b, %v, %s : f32
  return %y, %r, %i : {V}, f32, i64
}}""", [([X, np.float32(2.5), np.array(1, dtype=np.int64), true(b)],
         [X + np.float32(2.5), r, np.array(1, dtype=np.int64)])
        for b, r in ((True, X[1] + np.float32(2.5)), (False, np.float32(2.5)))]),
    # The product moves to its reader, behind the store, but reads what was there before.
    "memref-changes": (f"""
func.func @main(%m: memref<4x4xf32>, %x: {M}) -> ({M}, {M}) {{ {HEAD}
  %t = bufferization.to_tensor %m restrict : memref<4x4xf32> to {M}
  {matmul("y", "t", "x")} memref.store %zero, %m[%c0, %c1] : memref<4x4xf32>
  {exp("z", "y")} %t2 = bufferization.to_tensor %m restrict : memref<4x4xf32> to {M}
  return %z, %t2 : {M}, {M}
}}""", [([A, B], [np.exp(A @ B), np.where(np.arange(16).reshape(4, 4) == 1, 0, A).astype(np.float32)])]),
    "memref-code": ("""
func.func @main(%x: memref<4x4xf32>) -> memref<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %o = memref.alloc() : memref<4x4xf32>
  linalg.fill ins(%zero : f32) outs(%o : memref<4x4xf32>)
  linalg.matmul ins(%x, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%o : memref<4x4xf32>)
  memref.store %zero, %o[%c0, %c0] : memref<4x4xf32>
  linalg.exp ins(%o : memref<4x4xf32>) outs(%o : memref<4x4xf32>)
  return %o : memref<4x4xf32>
}""", [([A], [np.exp(np.where(np.arange(16).reshape(4, 4) == 0, 0, A @ A)).astype(np.float32)])]),
    # Bodies of linalg ops that call, loop and load; a call with effects is made once for each element.
    "bodies": (f"""
memref.global "private" @calls : memref<i32> = dense<0>
func.func private @f(%x: f32) -> f32 attributes {{no_inline}} {{
  %one = arith.constant 1 : i32
  %m = memref.get_global @calls : memref<i32>
  %n = memref.load %m[] : memref<i32>
  %next = arith.addi %n, %one : i32
  memref.store %next, %m[] : memref<i32>
  %y = math.exp %x : f32
  return %y : f32
}}
func.func @main(%x: {M}, %m: memref<4xf32>) -> ({M}, {M}, i32) {{ {HEAD}
  %c2 = arith.constant 2 : index
  {matmul("a", "x", "x")} %b = linalg.map ins(%a : {M}) outs(%e : {M})
    (%in: f32, %out: f32) {{
      %0 = func.call @f(%in) {{no_inline}} : (f32) -> f32
      linalg.yield %0 : f32
    }}
  {add("s", "b", "b", M, "e")} %l = linalg.generic {{indexing_maps = [{ID}, {ID}],
    iterator_types = ["parallel", "parallel"]}} ins(%b : {M}) outs(%e : {M}) {{
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 1 : index
    %v = memref.load %m[%i] : memref<4xf32>
    %r = scf.for %j = %c0 to %c2 step %c1 iter_args(%p = %v) -> f32 {{
      %q = arith.addf %p, %in : f32
      scf.yield %q : f32
    }}
    linalg.yield %r : f32
  }} -> {M}
  %g = memref.get_global @calls : memref<i32>
  %k = memref.load %g[] : memref<i32>
  return %s, %l, %k : {M}, {M}, i32
}}""", [([A, X], [2 * np.exp(A @ A), X + 2 * np.exp(A @ A), np.array(16, dtype=np.int32)])]),
    "memref-alloca": (f"""
func.func @main(%x: {V}) -> {V} {{ {HEAD}
  %c4 = arith.constant 4 : index
  %a = memref.alloca() : memref<4xf32>
  scf.for %i = %c0 to %c4 step %c1 {{
    %v = tensor.extract %x[%i] : {V}
    %w = arith.mulf %v, %v : f32
    memref.store %w, %a[%i] : memref<4xf32>
  }}
  %t = bufferization.to_tensor %a : memref<4xf32> to {V}
  {add("r", "t", "x")} return %r : {V}
}}""", [([X], [X * X + X])]),
    "state": (f"""
memref.global "private" constant @weight : memref<4x4xf32> = dense<0.5>
memref.global "private" @state : memref<4x4xf32> = dense<1.0>
ml_program.global private mutable @program(dense<2.0> : {M}) : {M}
func.func @main(%x: {M}) -> {M} {{ {HEAD}
  %w = memref.get_global @weight : memref<4x4xf32>
  %s = memref.get_global @state : memref<4x4xf32>
  %t = bufferization.to_tensor %w restrict : memref<4x4xf32> to {M}
  {matmul("y", "x", "t")} %st = bufferization.to_tensor %s restrict : memref<4x4xf32> to {M}
  {add("z", "y", "st", M, "e")}
  bufferization.materialize_in_destination %y in writable %s : ({M}, memref<4x4xf32>) -> ()
  %p = ml_program.global_load @program : {M}
  {add("q", "z", "p", M, "e")} ml_program.global_store @program = %q : {M}
  return %q : {M}
}}""", [([A], [A @ np.full((4, 4), 0.5, dtype=np.float32) + 3])]),
    "unranked": (f"""
func.func private @f(%a: tensor<*xf32>) -> tensor<*xf32> {{
  return %a : tensor<*xf32>
}}
func.func @main(%x: {M}) -> {M} {{ {HEAD}
  %u = tensor.cast %x : {M} to tensor<*xf32>
  %v = call @f(%u) : (tensor<*xf32>) -> tensor<*xf32>
  %r = tensor.cast %v : tensor<*xf32> to {M}
  {exp("y", "r")} return %y : {M}
}}""", [([A], [np.exp(A)])]),
    "shape": (f"""
func.func @main(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {{
  %s = shape.shape_of %x : tensor<?x4xf32> -> tensor<2xindex>
  %t = shape.shape_of %y : tensor<?x4xf32> -> tensor<2xindex>
  %w = shape.cstr_eq %s, %t : tensor<2xindex>, tensor<2xindex>
  %r = shape.assuming %w -> (tensor<?x4xf32>) {{
    %c0 = arith.constant 0 : index
    %d = shape.get_extent %s, %c0 : tensor<2xindex>, index -> index
    %e = tensor.empty(%d) : tensor<?x4xf32>
    {add("z", "x", "y", "tensor<?x4xf32>", "e")} shape.assuming_yield %z : tensor<?x4xf32>
  }}
  return %r : tensor<?x4xf32>
}}""", [([A, B], [A + B])]),
    "tensor-ops": (f"""
func.func @main(%x: {M}, %u: tensor<2x1x4xf32>, %i: tensor<2x1xi32>) -> (tensor<2x1x4xf32>, {M}, tensor<4x4xi32>) {{
  %g = tensor.gather %x[%i] gather_dims([0]) : ({M}, tensor<2x1xi32>) -> tensor<2x1x4xf32>
  %s = tensor.scatter %u into %x[%i] scatter_dims([0]) unique : (tensor<2x1x4xf32>, {M}, tensor<2x1xi32>) -> {M}
  %b = tensor.bitcast %x : {M} to tensor<4x4xi32>
  return %g, %s, %b : tensor<2x1x4xf32>, {M}, tensor<4x4xi32>
}}""", [([A, B[:2].reshape(2, 1, 4), np.array([[3], [1]], dtype=np.int32)],
         [A[[3, 1]].reshape(2, 1, 4), np.stack([A[0], B[1], A[2], B[0]]), A.view(np.int32)])]),
    "complex": (f"""
func.func @main(%x: {V}) -> {V} {{ {HEAD}
  %ce = tensor.empty() : tensor<4xcomplex<f32>>
  %r = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
    iterator_types = ["parallel"]}} ins(%x : {V}) outs(%ce : tensor<4xcomplex<f32>>) {{
  ^bb0(%in: f32, %out: complex<f32>):
    %a = complex.create %in, %in : complex<f32>
    %b = complex.exp %a : complex<f32>
    linalg.yield %b : complex<f32>
  }} -> tensor<4xcomplex<f32>>
  %q = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
    iterator_types = ["parallel"]}} ins(%r : tensor<4xcomplex<f32>>) outs(%ve : {V}) {{
  ^bb0(%in: complex<f32>, %out: f32):
    %a = complex.re %in : complex<f32>
    linalg.yield %a : f32
  }} -> {V}
  return %q : {V}
}}""", [([X], [np.exp(X + 1j * X).real.astype(np.float32)])]),
    "no-results": (f"func.func @main(%x: {V}) {{ return }}", [([X], [])]),
    "no-inputs": (f"""
func.func @main() -> {V} {{
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : {V}
  return %c : {V}
}}""", [([], [np.arange(1, 5, dtype=np.float32)])]),
}


def check(name, module, runs, folder):
    def path(suffix):
        return os.path.join(folder, f"{name}.{suffix}")

    with open(path("mlir"), "w", encoding="utf-8") as file:
        file.write(module + "\n")
    subprocess.run(["mlir-fusion", "compile", path("mlir"), "-o", path("so")], check=True)
    for inputs, outputs in runs:
        command = ["mlir-fusion", "run", path("so"), "--rtol-max", "1e-5"]
        for i, value in enumerate(inputs):
            np.save(path(f"in{i}.npy"), value)
            command += ["--input", path(f"in{i}.npy")]
        for i, value in enumerate(outputs):
            np.save(path(f"out{i}.npy"), value)
            command += ["--expect", path(f"out{i}.npy")]
        done = subprocess.run(command, stdout=subprocess.PIPE, universal_newlines=True)
        if done.returncode:
            raise RuntimeError(done.stdout)


failures = 0
for case, (text, case_runs) in CASES.items():
    try:
        check(case, text, case_runs, sys.argv[1])
        print(f"{case}: right")
    except (subprocess.CalledProcessError, RuntimeError) as problem:
        failures += 1
        print(f"{case}: FAIL {problem}")
print("PASS" if not failures else f"{failures} FAIL")
