"""ONNX Runtime: CPU execution provider, all graph optimizations, bound inputs and results."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import onnxruntime as ort
from protocol import Peer, serve


class OnnxRuntime(Peer):
    def versions(self):
        return {"onnxruntime": ort.__version__}

    def compile(self, folder, scratch, reuse):
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
        options.intra_op_num_threads = self.threads
        options.inter_op_num_threads = 1
        self.session = ort.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])

    def bind(self, inputs, results):
        self.binding = self.session.io_binding()
        self.inputs, self.results = ([ort.OrtValue.ortvalue_from_numpy(array) for array in arrays] for arrays in (inputs, results))
        for spec, value in zip(self.session.get_inputs(), self.inputs, strict=True):
            self.binding.bind_ortvalue_input(spec.name, value)
        for spec, value in zip(self.session.get_outputs(), self.results, strict=True):
            self.binding.bind_ortvalue_output(spec.name, value)

    def call(self):
        self.session.run_with_iobinding(self.binding)

    def outputs(self):
        return [value.numpy() for value in self.results]


serve(OnnxRuntime)
