"""powf, fpowi and ipowi at special values, of constant and of given exponents, against libm and exact integers.

usage: power_cases.py TARGET FOLDER [TYPE…]
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np
from type_cases import Model, check, load, store

np.seterr(all="ignore")
random = np.random.default_rng(11)
# Few products; quotients whose product would be too large or too small; odd and even ones of all sizes.
EXPONENTS = [0, 1, 2, 3, 4, 5, 7, 16, 127, -1, -2, -3, -4, -5, -39, -126, 2**31 - 1, -(2**31) + 1, -(2**31)]
LIMITS = {"f64": (2.0**-1074, 2.0**-1022, 1.797693134862315e308, 2.0**-512, 2.0**-53), "f32": (2.0**-149, 2.0**-126, 3.4028234e38, 2.0**-64, 2.0**-24),
          "f16": (2.0**-24, 2.0**-14, 65504.0, 2.0**-8, 2.0**-11), "bf16": (2.0**-133, 2.0**-126, 3.3895313e38, 2.0**-64, 2.0**-8)}
UNITS = {"f64": 2.0**-52, "f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7}


def make_bases(kind):
    smallest, normal, largest, root, unit = LIMITS[kind]
    positive = [0.0, np.inf, np.nan, 1.0, 1 + unit, 1 - unit, 2.0, 0.5, 3.0, 10.0, smallest, normal, largest, root, 1.5 * root, 1 / root, 1.5 / root]
    values = np.array(positive + [-value for value in positive] + list(random.normal(0, 3, 40)))
    return store(values, kind)


def power(x, n):
    """|x|^n in long double with the sign of an odd power, in f64."""
    n = np.asarray(n, object)
    magnitude = np.power(np.abs(x).astype(np.longdouble), n.astype(np.longdouble)).astype(np.float64)
    isOdd = np.asarray(n % 2 == 1, bool)
    return np.where(isOdd, np.copysign(magnitude, x), magnitude)


def add(model, kind, operands, body, expected, ulps=2):
    """Specials and signs are as expected, other numbers so many units of the last place off."""
    def find_wrong(got, want):
        got, want = load(got, kind), load(want, kind)
        bound = np.maximum(np.abs(want) * UNITS[kind] * ulps, LIMITS[kind][0])
        near = np.isfinite(got) & np.isfinite(want) & (np.abs(got - want) <= bound)
        # The largest numbers and infinity are neighbours.
        largest = np.abs(np.where(np.isinf(want), got, want)) >= LIMITS[kind][2] * (1 - UNITS[kind])
        right = near | (got == want) | (largest & (np.isinf(got) != np.isinf(want)))
        return np.where(np.isnan(want), ~np.isnan(got), ~right | (np.signbit(got) != np.signbit(want)))

    result = model.generic(operands, expected.shape, kind, (body, "%r"))
    model.returns(result, expected.shape, kind, store(expected, kind), find_wrong)


def add_floats(model, kind):
    bases = make_bases(kind)
    x, worth = model.input(bases, kind), load(bases, kind)
    for n in EXPONENTS:
        body = [f"%c = arith.constant {n} : i32", f"%r = math.fpowi %a0, %c : {kind}, i32"]
        add(model, kind, [(x, bases.shape, kind)], body, power(worth, n))
    for n in (0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0, -4.0, 0.75, -7.0, 1e30, np.inf, -np.inf, np.nan):
        n = float(load(store(np.float64(n), kind), kind))
        text = {np.inf: {"f64": "0x7FF0000000000000", "f32": "0x7F800000", "f16": "0x7C00", "bf16": "0x7F80"}[kind],
                -np.inf: {"f64": "0xFFF0000000000000", "f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80"}[kind]}.get(n, f"{n:.17e}")
        text = {"f64": "0x7FF8000000000000", "f32": "0x7FC00000", "f16": "0x7E00", "bf16": "0x7FC0"}[kind] if np.isnan(n) else text
        body = [f"%c = arith.constant {text} : {kind}", f"%r = math.powf %a0, %c : {kind}"]
        add(model, kind, [(x, bases.shape, kind)], body, np.power(worth, n), ulps=3)
    for exponent in ("i8", "i16", "i32", "i64", "index"):
        width = 64 if exponent == "index" else int(exponent[1:])
        low, high = -(1 << (width - 1)), (1 << (width - 1)) - 1
        numbers = sorted({min(max(n, low), high) for n in EXPONENTS + [low, high, (1 << 53) + 1, -(1 << 53) - 1]})
        # Beyond 2^53, f64 rounds the exponent: all but units then give 0 or infinity, or hundreds of ulp.
        pairs = [(b, n) for b in range(bases.size) for n in numbers if abs(n) < 1 << 31 or abs(abs(worth[b]) - 1) > 0.1 or abs(worth[b]) == 1]
        b, n = np.array([pair[0] for pair in pairs]), [pair[1] for pair in pairs]
        operands = [(model.input(bases[b], kind), b.shape, kind),
                    (model.input(np.array(n, np.int64).astype(f"int{width}"), exponent), b.shape, exponent)]
        add(model, kind, operands, [f"%r = math.fpowi %a0, %a1 : {kind}, {exponent}"], power(worth[b], n))


def integer_power(x, n, width):
    if n < 0:
        result = x**-n if x in (1, -1) else 0
    else:
        result = pow(x, n, 1 << width)
    result &= (1 << width) - 1
    return result - (1 << width) if result >> (width - 1) else result


def add_integers(model):
    for name, width in [(f"i{width}", width) for width in (1, 2, 7, 8, 16, 24, 32, 48, 64, 100, 128)] + [("index", 64)]:
        low, high = -(1 << (width - 1)), (1 << (width - 1)) - 1
        bases = [-3, -2, -1, 0, 1, 2, 3, 5, 7, 11, low, low + 1, high]
        exponents = [low, -2, -1, 0, 1, 2, 3, 5, 6, 7, width - 1, width, 100, high]
        pairs = [(b, n) for b in bases for n in exponents if all(low <= v <= high and -(1 << 63) <= v < 1 << 63 for v in (b, n))]
        x, n = (np.array(column, np.int64) for column in zip(*pairs))
        operands = [(model.input(v, "i64"), v.shape, "i64") for v in (x, n)]
        convert = {True: "trunci", False: "extsi"}[width < 64]
        lines = [f"%{v} = arith.{convert} %a{i} : i64 to {name}" for i, v in enumerate("xn")]
        if name == "index":
            lines = [f"%{v} = arith.index_cast %a{i} : i64 to index" for i, v in enumerate("xn")]
        if name == "i64":
            lines = [f"%zero = arith.constant 0 : i64"] + [f"%{v} = arith.addi %a{i}, %zero : i64" for i, v in enumerate("xn")]
        lines.append(f"%p = math.ipowi %x, %n : {name}")
        expected = [integer_power(b, e, width) for b, e in pairs]
        for shift in (0, 64) if width > 64 else (0,):
            tail = {"index": ["%r = arith.index_cast %p : index to i64"], "i64": ["%r = arith.addi %p, %zero : i64"]}.get(name)
            if width > 64:
                tail = [f"%c = arith.constant {shift} : {name}", f"%s = arith.shrsi %p, %c : {name}", f"%r = arith.trunci %s : {name} to i64"]
            elif tail is None:
                tail = [f"%r = arith.extsi %p : {name} to i64"]
            result = model.generic(operands, x.shape, "i64", (lines + tail, "%r"))
            part = [(e >> shift) & ((1 << 64) - 1) for e in expected]
            model.returns(result, x.shape, "i64", np.array(part, np.uint64).view(np.int64))


def main(target, folder, *kinds):
    errors = []
    for kind in kinds or ("f32", "f64", "f16", "bf16", "integers"):
        model = Model()
        if kind == "integers":
            add_integers(model)
        else:
            add_floats(model, kind)
        errors += check(model, f"{folder}/{kind}", target)
        print(f"{kind}: {len(model.results)} results")
    print("\n".join(errors) if errors else "PASS")


main(*sys.argv[1:])
