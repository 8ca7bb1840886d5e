"""XLA's CPU backend by way of JAX: the ONNX model as a jitted function, weights as constants."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import jax
import numpy as np
from onnx_in_jax import build
from protocol import Peer, load_arrays, serve


class Xla(Peer):
    # It takes as many threads as the process may use CPUs.

    def versions(self):
        return {"jax": jax.__version__}

    def compile(self, folder, scratch, reuse):
        shapes = [jax.ShapeDtypeStruct(array.shape, array.dtype) for array in load_arrays(folder, "in")]
        self.compiled = jax.jit(build(folder / "model.onnx")).lower(*shapes).compile()
        analysis = self.compiled.memory_analysis()
        return {"code_bytes": analysis and analysis.generated_code_size_in_bytes or None}

    def bind(self, inputs, results):
        self.inputs = [jax.device_put(array) for array in inputs]

    def call(self):
        self.results = self.compiled(*self.inputs)
        for result in self.results:
            result.block_until_ready()

    def outputs(self):
        return [np.asarray(result) for result in self.results]


serve(Xla)
