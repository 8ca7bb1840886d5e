"""Networks of any depth, and how what a compiler makes of them grows.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

  growth.py make KIND DEPTH     prints a network
  growth.py check FILE...       FILEs *.DEPTH.*: their lines may grow no faster than the depth
"""
import sys

IMAGE = "tensor<1x6x6x4xf32>"
PADDED = "tensor<1x8x8x4xf32>"
FILTER = "tensor<3x3x4x4xf32>"
VECTOR = "tensor<4xf32>"
ID = "affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>"
CHANNEL = "affine_map<(d0, d1, d2, d3) -> (d3)>"
SWAPPED = "affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>"


class Network:
    def __init__(self):
        self.lines = []
        self.count = 0

    def add(self, text):
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"  {name} = {text}")
        return name

    def elementwise(self, operands, maps, types, body):
        arguments = ", ".join(f"%a{i}: f32" for i in range(len(operands)))
        return self.add(
            f"linalg.generic {{indexing_maps = [{', '.join(maps)}, {ID}], iterator_types = "
            f'["parallel", "parallel", "parallel", "parallel"]}} ins({", ".join(operands)} : {", ".join(types)}) '
            f"outs(%empty : {IMAGE}) {{\n  ^bb0({arguments}, %out: f32):\n    {body}\n    linalg.yield %r : f32\n"
            f"  }} -> {IMAGE}")

    def conv(self, x, weight):
        padded = self.add(
            f"tensor.pad {x} low[0, 1, 1, 0] high[0, 1, 1, 0] {{\n  ^bb0(%i: index, %j: index, %k: index, %l: index):\n"
            f"    tensor.yield %zero : f32\n  }} : {IMAGE} to {PADDED}")
        return self.add(f"linalg.conv_2d_nhwc_hwcf ins({padded}, {weight} : {PADDED}, {FILTER}) "
                        f"outs(%fill : {IMAGE}) -> {IMAGE}")

    def filter(self, number):
        return self.add(f"arith.constant dense<{0.01 + number * 1e-4}> : {FILTER}")

    def batch_norm(self, x, number):
        scale = self.add(f"arith.constant dense<{1 + number * 1e-3}> : {VECTOR}")
        x = self.elementwise([x, scale], [ID, CHANNEL], [IMAGE, VECTOR], "%r = arith.mulf %a0, %a1 : f32")
        return self.elementwise([x, scale], [ID, CHANNEL], [IMAGE, VECTOR], "%r = arith.addf %a0, %a1 : f32")

    def relu(self, x):
        return self.elementwise([x], [ID], [IMAGE], "%r = arith.maximumf %a0, %zero : f32")

    def sum(self, x, y, y_map=ID):
        return self.elementwise([x, y], [ID, y_map], [IMAGE, IMAGE], "%r = arith.addf %a0, %a1 : f32")


def residual(net, x, depth):
    """conv, batch norm, sum and relu; each block adds the one before."""
    for number in range(depth):
        y = net.batch_norm(net.conv(x, net.filter(number)), number)
        x = net.relu(net.sum(y, x))
    return x


def epilogue(net, x, depth):
    """One conv before a chain of elementwise ops."""
    return elementwise(net, net.conv(x, net.filter(0)), depth)


def elementwise(net, x, depth):
    """Two elementwise ops a layer, no root."""
    for _ in range(depth):
        x = net.relu(net.elementwise([x], [ID], [IMAGE], "%r = math.exp %a0 : f32"))
    return x


def fan_out(net, x, depth):
    """One conv that everybody reads."""
    x = net.conv(x, net.filter(0))
    result = net.relu(x)
    for _ in range(depth):
        result = net.sum(result, net.elementwise([x], [ID], [IMAGE], "%r = math.exp %a0 : f32"))
    return result


def diamond(net, x, depth):
    """Each step reads the one before twice, once transposed: recomputing it would double the work of each step."""
    x = net.conv(x, net.filter(0))
    for _ in range(depth):
        x = net.sum(net.relu(x), x, SWAPPED)
    return x


def shared_weight(net, x, depth):
    """Convs of one filter, each with its own batch norm."""
    weight = net.filter(0)
    for number in range(depth):
        x = net.relu(net.batch_norm(net.conv(x, weight), number))
    return x


def make(kind, depth):
    net = Network()
    result = globals()[kind.replace("-", "_")](net, "%x", depth)
    print(f"func.func @main(%x: {IMAGE}) -> {IMAGE} {{\n  %zero = arith.constant 0.0 : f32\n"
          f"  %empty = tensor.empty() : {IMAGE}\n"
          f"  %fill = linalg.fill ins(%zero : f32) outs(%empty : {IMAGE}) -> {IMAGE}")
    print("\n".join(net.lines))
    print(f"  return {result} : {IMAGE}\n}}")


def check(paths):
    points = []
    for path in paths:
        with open(path, encoding="utf-8", errors="replace") as file:
            points.append((int(path.split(".")[-2]), sum(1 for _ in file)))
    # What does not grow at all cancels out.
    slopes = [(lines - lines0) / (depth - depth0) for (depth0, lines0), (depth, lines) in zip(points, points[1:])]
    verdict = "linear" if slopes[-1] <= 1.05 * slopes[0] else "NOT LINEAR"
    print(f"{verdict}: {' '.join(f'{lines} of {depth}' for depth, lines in points)}")


if sys.argv[1] == "make":
    make(sys.argv[2], int(sys.argv[3]))
else:
    check(sys.argv[2:])
