#!/usr/bin/python3
"""Makes ResNet-50 v1.5 (or a smaller or deeper relative) with seeded weights as the MLIR that importers write.

The stride of a bottleneck is in its 3x3 convolution (v1.5), batch norm is not folded, weights are dense_resource blobs.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import os
import time

import numpy as np

from fusion_models import MLIR_OPT, Network

BLOCKS_OF_DEPTH = {26: [2, 2, 2, 2], 50: [3, 4, 6, 3], 101: [3, 4, 23, 3], 152: [3, 8, 36, 3]}
EXPANSION = 4

# The last batch norm of a block is scaled down so that activations stay of order one over all blocks.
RESIDUAL_GAMMA = 0.3


def bottleneck(net, x, width, stride, project):
    y = net.relu(net.batch_norm(net.conv(x, width, 1)))
    y = net.relu(net.batch_norm(net.conv(y, width, 3, stride)))
    y = net.batch_norm(net.conv(y, width * EXPANSION, 1), gamma=RESIDUAL_GAMMA)
    shortcut = net.batch_norm(net.conv(x, width * EXPANSION, 1, stride)) if project else x
    return net.relu(net.add(y, shortcut))


def resnet(net, batch, size, blocks, widths, classes):
    x = net.input(batch, 3, size, size)
    x = net.relu(net.batch_norm(net.conv(x, widths[0], 7, 2)))
    x = net.max_pool(x, 3, 2, padding=1)
    for stage, (count, width) in enumerate(zip(blocks, widths)):
        for block in range(count):
            x = bottleneck(net, x, width, stride=2 if stage and block == 0 else 1, project=block == 0)
    return net.linear(net.global_average_pool(x), classes)


def integers(text):
    return [int(word) for word in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", help="module to write: bytecode if it ends in .mlirbc, else text")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--size", type=int, help="height and width of the image (default 224)")
    parser.add_argument("--depth", type=int, default=50, choices=BLOCKS_OF_DEPTH)
    parser.add_argument("--blocks", type=integers, help="blocks of each stage, as in 3,4,6,3 (default: by --depth)")
    parser.add_argument("--widths", type=integers, help="channels of each stage (default 64,128,256,512)")
    parser.add_argument("--classes", type=int)
    parser.add_argument("--tiny", action="store_true", help="small for tests: 32x32, blocks 2,1, widths 16,32, 10 classes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--input", help="also write the seeded input, as .npy")
    parser.add_argument("--expect", help="also write the result, computed by numpy in f64, as .npy")
    parser.add_argument("--opt", default=MLIR_OPT, help="pass tool that writes bytecode (default %(default)s)")
    args = parser.parse_args()
    blocks = args.blocks or ([2, 1] if args.tiny else BLOCKS_OF_DEPTH[args.depth])
    widths = args.widths or ([16, 32] if args.tiny else [64, 128, 256, 512])
    size = args.size or (32 if args.tiny else 224)
    classes = args.classes or (10 if args.tiny else 1000)
    if len(blocks) != len(widths):
        parser.error(f"expected as many stages in --widths as in --blocks, got {len(widths)} and {len(blocks)}")

    start = time.monotonic()
    net = Network(args.seed, evaluate=args.expect is not None)
    result = resnet(net, args.batch, size, blocks, widths, classes)
    if args.input:
        np.save(args.input, net.inputs[0][1])
    if args.expect:
        np.save(args.expect, result.value.astype(np.float32))
    net.write(result, args.out, args.opt)
    print(
        f"{args.out}: {net.parameters / 1e6:.1f} million parameters, {os.path.getsize(args.out) / 1e6:.1f} MB, "
        f"{time.monotonic() - start:.1f} s"
    )


if __name__ == "__main__":
    main()
