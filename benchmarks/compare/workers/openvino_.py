"""OpenVINO: CPU plugin, latency hint, one stream.

Option "precision": what it is held to (f32). Without the option it chooses, and takes bf16 where the CPU has that.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import openvino as ov
from protocol import Peer, serve


class OpenVino(Peer):
    def versions(self):
        return {"openvino": ov.__version__.split("-")[0]}

    def compile(self, folder, scratch, reuse):
        core = ov.Core()
        settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": self.threads, "NUM_STREAMS": 1}
        if precision := self.options.get("precision"):
            settings["INFERENCE_PRECISION_HINT"] = precision
        self.compiled = core.compile_model(core.read_model(folder / "model.onnx"), "CPU", settings)
        self.request = self.compiled.create_infer_request()
        return {"precision": self.compiled.get_property("INFERENCE_PRECISION_HINT").to_string()}

    def bind(self, inputs, results):
        self.inputs = inputs
        for index, array in enumerate(inputs):
            self.request.set_input_tensor(index, ov.Tensor(array, shared_memory=True))

    def call(self):
        self.request.infer()

    def outputs(self):
        return [self.request.get_output_tensor(index).data for index in range(len(self.compiled.outputs))]


serve(OpenVino)
