"""Conversions to and from 16-bit floats around every kind of tie, against exact arithmetic: each result is rounded once.

usage: rounding_cases.py TARGET FOLDER
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import sys
from fractions import Fraction

import numpy as np
from type_cases import Model, check, from_bf16, store

np.seterr(all="ignore")
FORMATS = {"f16": (11, -14, 15), "bf16": (8, -126, 127), "f32": (24, -126, 127), "f64": (53, -1022, 1023)}  # bits, exponents of normals
MODES = ("to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away")
random = np.random.default_rng(3)


def round_exactly(x, kind, mode="to_nearest_even"):
    """The float of the type that an exact or special number is rounded to."""
    if isinstance(x, float):
        if x == 0 or not math.isfinite(x):
            return x
        x = Fraction(x)
    if x == 0:
        return 0.0
    bits, lowest, highest = FORMATS[kind]
    sign, magnitude = (-1 if x < 0 else 1), abs(x)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    exponent -= magnitude < Fraction(2) ** exponent
    unit = Fraction(2) ** (max(exponent, lowest) - bits + 1)
    count, rest = divmod(magnitude, unit)
    away = {"to_nearest_even": rest * 2 > unit or (rest * 2 == unit and count % 2), "to_nearest_away": rest * 2 >= unit,
            "downward": sign < 0 and rest, "upward": sign > 0 and rest, "toward_zero": False}[mode]
    value = (count + bool(away)) * unit
    if value >= Fraction(2) ** (highest + 1):
        stays = mode == "toward_zero" or (mode == "downward" and sign > 0) or (mode == "upward" and sign < 0)
        return sign * (math.ldexp(2 - 2.0 ** (1 - bits), highest) if stays else math.inf)
    return math.copysign(float(value), sign)


def expect(numbers, kind, mode="to_nearest_even"):
    return store(np.array([round_exactly(x, kind, mode) for x in numbers]), kind)


def make_ties(kind, count):
    """Numbers of the type, halves between neighbours, and what is a little beside either, in f64."""
    bits, lowest, highest = FORMATS[kind]
    significand = random.integers(1 << (bits - 1), 1 << bits, count).astype(np.float64) + random.choice([0.0, 0.5, 0.25, 0.75], count)
    ties = np.ldexp(significand, random.integers(lowest - bits - 2, highest + 2, count) - bits + 1)
    denormals = np.ldexp(random.integers(0, 1 << bits, count) + 0.5, lowest - bits + 1)
    numbers = np.concatenate([ties, denormals, np.ldexp([2.0 - 2.0**-bits, 1.0, 2.0], highest)])
    numbers = np.concatenate([numbers, *(numbers * (1 + sign * 2.0**-shift) for shift in (20, 23, 30, 52) for sign in (1, -1))])
    specials = [0.0, -0.0, math.inf, -math.inf, math.nan, 2.0**-1074, 1.7e308, 2.0**-149, 3.4e38]
    return np.concatenate([numbers * random.choice([-1.0, 1.0], len(numbers)), specials])


def add(model, name, shape, to, operands, body, expected):
    result = model.generic([(a, shape, kind) for a, kind in operands], shape, to, (body, "%r"))
    model.returns(result, shape, to, expected)
    print(f"{len(model.results) - 1}: {name}")


def add_floats(model):
    for source in ("f64", "f32"):
        for to in ("f16", "bf16") + (("f32",) if source == "f64" else ()):
            numbers = make_ties(to, 300).astype(np.float64 if source == "f64" else np.float32)
            x = model.input(numbers, source)
            worth = numbers.astype(np.float64).tolist()
            add(model, f"truncf {source} to {to}", numbers.shape, to, [(x, source)], [f"%r = arith.truncf %a0 : {source} to {to}"],
                expect(worth, to))
            for mode in MODES:
                add(model, f"truncf {source} to {to} {mode}", numbers.shape, to, [(x, source)],
                    [f"%r = arith.truncf %a0 {mode} : {source} to {to}"], expect(worth, to, mode))
    every = np.arange(1 << 16, dtype=np.uint32).astype(np.uint16)
    for source, array, worth in (("f16", every.view(np.float16), every.view(np.float16).astype(np.float64)), ("bf16", every, from_bf16(every))):
        x = model.input(array, source)
        for to in ("f32", "f64"):
            add(model, f"extf {source} to {to}", every.shape, to, [(x, source)], [f"%r = arith.extf %a0 : {source} to {to}"], store(worth, to))
        add(model, f"negf {source}", every.shape, source, [(x, source)], [f"%r = arith.negf %a0 : {source}"], store(-worth, source))


def add_integers(model):
    for width in (16, 32, 64):
        high = random.integers(0, 1 << 12, 600).astype(object)
        shift = random.integers(0, width, 600).astype(object)
        numbers = [(int(h) << int(s)) + d & (1 << width) - 1 for h, s in zip(high, shift) for d in (-1, 0, 1)]
        numbers += [0, 1, (1 << width) - 1, 1 << (width - 1), (1 << (width - 1)) - 1]
        if width == 64:  # ties of f16, bf16, f32 and f64 with one bit below all that f64 has
            numbers += [(1 << 62) + (1 << (62 - bits)) + d for bits in (8, 11, 24, 53) for d in (-1, 0, 1)]
        array = np.array(numbers, np.uint64).astype(f"uint{width}")
        x = model.input(array.view(f"int{width}"), f"i{width}")
        for op, values in (("uitofp", array), ("sitofp", array.view(f"int{width}"))):
            for to in FORMATS:
                add(model, f"{op} i{width} to {to}", array.shape, to, [(x, f"i{width}")], [f"%r = arith.{op} %a0 : i{width} to {to}"],
                    expect([Fraction(int(v)) for v in values], to))


def add_wide(model):
    """Integers of 128 and 100 bits, as two of 64, from and to floats, and divided."""
    shift = np.array([int(s) for s in random.integers(0, 117, 600)], object)
    significand = np.array([int(h) for h in random.integers(0, 1 << 12, 600)], object)
    numbers = [(int(h) << int(s)) + d for h, s in zip(significand, shift) for d in (-1, 0, 1)]
    numbers += [0, 1, (1 << 128) - 1, 1 << 127, (1 << 127) - 1, (1 << 127) + 1, (1 << 128) - (1 << 103), (1 << 128) - (1 << 103) - 1, 65519, 65520, 1 << 64]
    numbers += [(1 << top) + (1 << (top - bits)) + d for top in (70, 99, 126) for bits in (8, 11, 24, 53) for d in (-1, 0, 1)]
    numbers = [n & (1 << 128) - 1 for n in numbers]
    halves = [np.array([n >> s & (1 << 64) - 1 for n in numbers], np.uint64).view(np.int64) for s in (64, 0)]
    names = [(model.input(half, "i64"), "i64") for half in halves]
    join = ["%h = arith.extui %a0 : i64 to i128", "%l = arith.extui %a1 : i64 to i128", "%c = arith.constant 64 : i128", "%s = arith.shli %h, %c : i128",
            "%w = arith.ori %s, %l : i128", "%n = arith.trunci %w : i128 to i100"]
    for width in (128, 100):
        unsigned = [n & (1 << width) - 1 for n in numbers]
        for op, values in (("uitofp", unsigned), ("sitofp", [n - (n >> (width - 1) << width) for n in unsigned])):
            for to in FORMATS:
                add(model, f"{op} i{width} to {to}", halves[0].shape, to, names,
                    join + [f"%r = arith.{op} %{'w' if width == 128 else 'n'} : i{width} to {to}"], expect([Fraction(v) for v in values], to))
    signed = [n - (n >> 127 << 128) for n in numbers]
    divisors = [3 if d in (0, -1) else d for d in signed[::-1]]
    quotients = [abs(n) // abs(d) * (-1 if (n < 0) != (d < 0) else 1) for n, d in zip(signed, divisors)]
    unsigned = [d & (1 << 128) - 1 for d in divisors]
    by = [(model.input(np.array([d >> s & (1 << 64) - 1 for d in unsigned], np.uint64).view(np.int64), "i64"), "i64") for s in (64, 0)]
    more = ["%dh = arith.extui %a2 : i64 to i128", "%dl = arith.extui %a3 : i64 to i128", "%ds = arith.shli %dh, %c : i128", "%d = arith.ori %ds, %dl : i128"]
    for op, values in (("divsi", quotients), ("remsi", [n - q * d for n, q, d in zip(signed, quotients, divisors)]),
                       ("divui", [n // d for n, d in zip(numbers, unsigned)]), ("remui", [n % d for n, d in zip(numbers, unsigned)])):
        for start in (0, 64):
            expected = np.array([v >> start & (1 << 64) - 1 for v in values], np.uint64).view(np.int64)
            add(model, f"{op} i128, bits from {start}", halves[0].shape, "i64", names + by,
                join + more + [f"%q = arith.{op} %w, %d : i128", f"%k = arith.constant {start} : i128", "%p = arith.shrui %q, %k : i128",
                               "%r = arith.trunci %p : i128 to i64"], expected)
    for kind in ("f64", "f32", "f16", "bf16"):
        floats = np.concatenate([np.ldexp(random.normal(0, 1, 600), random.integers(-3, 15 if kind == "f16" else 124, 600)), [0.0, -0.0, 0.99, -0.99, 1.0, -1.0, 2.0**-30]])
        array = store(floats, kind)
        worth = [int(v) for v in (from_bf16(array) if kind == "bf16" else array.astype(np.float64)).tolist()]
        x = model.input(array, kind)
        for op, values in (("fptosi", worth), ("fptoui", [abs(v) for v in worth])):
            for start, cut in ((0, []), (64, ["%p = arith.constant 64 : i128", "%q = arith.shrui %w, %p : i128"])):
                body = [f"%x = math.absf %a0 : {kind}" if op == "fptoui" else f"%x = arith.select %t, %a0, %a0 : {kind}", f"%w = arith.{op} %x : {kind} to i128", *cut,
                        f"%r = arith.trunci %{'q' if cut else 'w'} : i128 to i64"]
                body = (["%t = arith.constant true"] if op == "fptosi" else []) + body
                expected = np.array([v >> start & (1 << 64) - 1 for v in values], np.uint64).view(np.int64)
                add(model, f"{op} {kind} to i128, bits from {start}", array.shape, "i64", [(x, kind)], body, expected)


def add_fma(model):
    for kind in ("f16", "bf16"):
        # 259 = 7 * 37 is a tie of bf16, 2051 = 7 * 293 one of f16; the summand is beyond what f32 has.
        tie = {"f16": (7.0, 293.0), "bf16": (9.0, 29.0)}[kind]
        a, b = (np.concatenate([np.full(4, t), random.normal(0, 2, 400)]) for t in tie)
        tiny = {"f16": 2.0**-24, "bf16": 2.0**-120}[kind]
        c = np.concatenate([[tiny, -tiny, 0.0, math.inf], random.normal(0, 2, 400) * 2.0 ** random.integers(-12, 3, 400)])
        arrays = [store(v, kind) for v in (a, b, c)]
        worth = [(from_bf16(v) if kind == "bf16" else v.astype(np.float64)).tolist() for v in arrays]
        exact = [z if math.isinf(z) else Fraction(x) * Fraction(y) + Fraction(z) for x, y, z in zip(*worth)]
        add(model, f"fma {kind}", a.shape, kind, [(model.input(v, kind), kind) for v in arrays],
            [f"%r = math.fma %a0, %a1, %a2 : {kind}"], expect(exact, kind))


def main(target, folder):
    model = Model()
    add_floats(model)
    add_integers(model)
    add_wide(model)
    add_fma(model)
    errors = check(model, f"{folder}/rounding", target)
    print("\n".join(errors) if errors else "PASS")


main(*sys.argv[1:])
