"""Compares the compiled exp, log, tanh, erf, … with libm in f64 over all of f32.

usage: math_accuracy.py TARGET FOLDER [STEP [FUNCTION…]]   every STEP-th f32 (default 4099), besides special values
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import math
import subprocess
import sys

import numpy as np

np.seterr(all="ignore")


def erf(x):
    # Beyond, erf rounds to 1 even in f64.
    return np.fromiter(map(math.erf, np.clip(x, -7, 7).tolist()), np.float64, len(x))


# What each may be off by, in ulp: docs/Math.md.
FUNCTIONS = {
    "exp": (np.exp, 1.1),
    "exp2": (np.exp2, 0.9),
    "expm1": (np.expm1, 1.5),
    "log": (np.log, 0.9),
    "log2": (np.log2, 1.3),
    "log10": (np.log10, 0.9),
    "log1p": (np.log1p, 1.5),
    "tanh": (np.tanh, 3.4),
    "erf": (erf, 2.7),
}
BLOCK = 65536 + 15  # the tail goes by vectors of 8, 4, 2 and 1
SPECIALS = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 2.0**-149, -(2.0**-149), 2.0**-126, -(2.0**-126)]


def compile_function(name, target, folder, inputs=1):
    path = f"{folder}/{name}"
    tensor = f"tensor<{BLOCK}xf32>"
    with open(path + ".mlir", "w") as module:
        module.write(f"""
#id = affine_map<(d0) -> (d0)>
func.func @main({", ".join(f"%x{i}: {tensor}" for i in range(inputs))}) -> {tensor} {{
  %init = tensor.empty() : {tensor}
  %0 = linalg.generic {{indexing_maps = [{", ".join(["#id"] * (inputs + 1))}], iterator_types = ["parallel"]}}
      ins({", ".join(f"%x{i}" for i in range(inputs))} : {", ".join([tensor] * inputs)}) outs(%init : {tensor}) {{
  ^bb0({", ".join(f"%a{i}: f32" for i in range(inputs))}, %out: f32):
    %1 = math.{name} {", ".join(f"%a{i}" for i in range(inputs))} : f32
    linalg.yield %1 : f32
  }} -> {tensor}
  return %0 : {tensor}
}}
""")
    subprocess.run(["mlir-fusion", "compile", path + ".mlir", "-o", path + ".so", "--name", "f", "--target", target,
                    "--threading", "none"], check=True)
    run = ctypes.CDLL(path + ".so").f_run

    def call(*arrays):
        result = np.empty_like(arrays[0])
        assert run(*(ctypes.c_void_p(array.ctypes.data) for array in (*arrays, result)), None) == 0
        return result

    return call


def distance(got, want):
    """In units of the last place of the f32 nearest to `want`; infinity is 2^128."""
    finite = np.where(np.isinf(got), np.copysign(2.0**128, got), got.astype(np.float64))
    exact = np.where(np.abs(want) > 2.0**128, np.copysign(2.0**128, want), want)
    exponent = np.maximum(np.frexp(exact)[1], -125)
    ulps = np.abs(finite - exact) / np.ldexp(1.0, exponent - 24)
    return np.where(np.isnan(got) | np.isnan(want), np.where(np.isnan(got) & np.isnan(want), 0.0, np.inf), ulps)


def check(name, target, folder, step):
    reference, bound = FUNCTIONS[name]
    call = compile_function(name, target, folder)
    worst, where, errors = 0.0, 0.0, []

    specials = np.resize(np.array(SPECIALS, np.float32), BLOCK)
    got, want = call(specials), reference(specials.astype(np.float64)).astype(np.float32)
    for x, y, z in zip(SPECIALS, got, want):
        if (math.isnan(y) != math.isnan(z)) or (not math.isnan(z) and z == x and not (y == z and np.signbit(y) == np.signbit(z))):
            errors.append(f"{name}({x}) = {y}, expected {z}")

    for start in range(0, 1 << 32, step * BLOCK):
        x = (start + step * np.arange(BLOCK, dtype=np.uint64)).astype(np.uint32).view(np.float32)
        got = call(x)
        if start == 0 and not np.array_equal(np.roll(call(np.roll(x, 7)), -7), got, equal_nan=True):
            errors.append(f"{name}: a lane's result depends on its place")
        ulps = distance(got, reference(x.astype(np.float64)))
        at = int(np.argmax(ulps))
        if ulps[at] > worst:
            worst, where = float(ulps[at]), float(x[at])
    if worst > bound:
        errors.append(f"{name}({where.hex()}) is off by {worst:.3f} ulp, expected at most {bound}")
    print(f"{name}: {worst:.3f} ulp at {where.hex()} ({where:g})")
    return errors


def check_powf(target, folder, blocks, bound=0.6):
    """Pairs of special values, and random ones of all magnitudes, of common ones, and of whole exponents."""
    call = compile_function("powf", target, folder, inputs=2)
    random = np.random.default_rng(5)
    specials = np.array(SPECIALS + [3.0, -3.0, 0.25, -2.5, 1e30, -1e30, 16777217.0, -16777215.0], np.float32)
    worst, where, errors = 0.0, None, []
    for block in range(blocks):
        x = random.integers(0, 1 << 32, BLOCK, dtype=np.uint32).view(np.float32)
        y = random.integers(0, 1 << 32, BLOCK, dtype=np.uint32).view(np.float32)
        if block % 4 != 0:
            y = random.uniform(-20, 20, BLOCK).astype(np.float32)
        if block % 4 >= 2:
            x = random.uniform(0, 30, BLOCK).astype(np.float32)
        if block % 4 == 3:
            x, y = x - 15, np.round(y)
        if block == 0:
            pairs = np.resize(np.stack([g.ravel() for g in np.meshgrid(specials, specials)]), (2, BLOCK))
            x, y = np.ascontiguousarray(pairs[0]), np.ascontiguousarray(pairs[1])
        got, want = call(x, y), np.power(x.astype(np.float64), y.astype(np.float64))
        ulps = distance(got, want)
        zeros = (got == 0) & (np.signbit(got) != np.signbit(want))
        ulps[zeros] = np.inf
        at = int(np.argmax(ulps))
        if ulps[at] > worst:
            worst, where = float(ulps[at]), (float(x[at]), float(y[at]), float(got[at]), float(want[at]))
    if worst > bound:
        errors.append(f"powf{where[:2]} = {where[2]} is off by {worst:.3f} ulp of {where[3]}, expected at most {bound}")
    print(f"powf: {worst:.3f} ulp at {where}")
    return errors


def main(target, folder, step="4099", *names):
    errors = [error for name in names or FUNCTIONS for error in check(name, target, folder, int(step))]
    if not names:
        errors += check_powf(target, folder, blocks=16)
    print("\n".join(errors) if errors else "PASS")


main(*sys.argv[1:])
