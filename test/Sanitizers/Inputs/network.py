"""Makes a network whose layers are big enough to be shared among threads, one of each kind of kernel: network.py OUT.mlir."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))
from fusion_models import Network  # noqa: E402

net = Network(3)
x = net.relu(net.conv(net.input(1, 3, 113, 111), 24, 3, stride=2, bias=True))
x = net.relu(net.add(net.batch_norm(net.conv(x, 24, 3)), x))
x = net.relu6(net.conv(x, 24, 3, groups=24, bias=True))
x = net.max_pool(x, 3, 1, padding=1)
x = net.relu(net.conv(x, 37, 1, bias=True))
x = net.relu(net.conv(net.conv(x, 96, 1), 96, 3, stride=2, groups=4))
net.write(net.linear(net.global_average_pool(x), 1400), sys.argv[1])
