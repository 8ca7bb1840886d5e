#!/usr/bin/python3
"""Makes small networks, each about one thing, in the form that benchmarks/check_models.py reads."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
from pathlib import Path

import numpy as np

from fusion_models import MLIR_OPT, Network
from make_resnet50 import resnet

# Name -> the network; x is 1x16x14x14.
UNITS = {
    "none": lambda net, x: net.batch_norm(net.conv(x, 16, 3)),
    "relu": lambda net, x: net.relu(net.batch_norm(net.conv(x, 16, 3))),
    "relu6": lambda net, x: net.relu6(net.batch_norm(net.conv(x, 16, 3))),
    "add_relu": lambda net, x: net.relu(net.add(net.batch_norm(net.conv(x, 16, 3)), x)),
    "add_on_the_left": lambda net, x: net.relu(net.add(x, net.batch_norm(net.conv(x, 16, 3)))),
    "pointwise": lambda net, x: net.relu(net.batch_norm(net.conv(x, 24, 1))),
    "strided": lambda net, x: net.relu(net.batch_norm(net.conv(x, 16, 3, 2))),
    "bias": lambda net, x: net.relu(net.conv(x, 16, 3, bias=True)),
    "bias_batch_norm": lambda net, x: net.relu(net.batch_norm(net.conv(x, 16, 3, bias=True))),
    "depthwise": lambda net, x: net.relu6(net.batch_norm(net.conv(x, 16, 3, groups=16))),
    "depthwise_strided_5x5": lambda net, x: net.relu(net.batch_norm(net.conv(x, 16, 5, 2, groups=16, bias=True))),
    "grouped": lambda net, x: net.relu(net.batch_norm(net.conv(x, 32, 3, groups=4))),
    "odd_channels": lambda net, x: net.relu(net.batch_norm(net.conv(net.conv(x, 19, 3), 37, 3, 2))),
    "max_pool": lambda net, x: net.max_pool(net.relu(net.conv(x, 16, 3)), 3, 2, padding=1),
    "classifier": lambda net, x: net.linear(net.global_average_pool(net.relu(net.conv(x, 40, 3))), 10),
}


def make(directory, name, build, seed, opt):
    folder = directory / name
    folder.mkdir(parents=True, exist_ok=True)
    net = Network(seed, evaluate=True)
    result = build(net)
    net.write(result, str(folder / f"{name}.mlirbc"), opt)
    np.save(folder / "in0.npy", net.inputs[0][1])
    np.save(folder / "out0.npy", result.value.astype(np.float32))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--opt", default=MLIR_OPT, help="pass tool that writes bytecode (default %(default)s)")
    args = parser.parse_args()
    for seed, (name, unit) in enumerate(UNITS.items()):
        make(args.directory, name, lambda net: unit(net, net.input(1, 16, 14, 14)), seed, args.opt)
    make(args.directory, "tiny_resnet", lambda net: resnet(net, 1, 32, [2, 1], [16, 32], 10), len(UNITS), args.opt)
    make(args.directory, "two_images", lambda net: resnet(net, 2, 32, [1, 1], [8, 16], 10), len(UNITS) + 1, args.opt)


if __name__ == "__main__":
    main()
