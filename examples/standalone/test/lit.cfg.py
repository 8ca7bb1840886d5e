# Settings of the example's tests.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os

import lit.formats

config.name = "standalone"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir"]
config.test_source_root = os.path.join(config.source_dir, "test")
config.test_exec_root = os.path.join(config.build_dir, "test")
config.environment["PATH"] = os.pathsep.join([config.build_dir, config.llvm_tools_dir, os.environ["PATH"]])
