# Prints results as compare.sh writes them: two runs of two networks and a kernel, beside peers that are faster, slower, wrong, absent
# or less than f32.
import json
import sys


def result(case, peer, threads, run, us, **more):
    timed = {"median_us": us, "p10_us": us, "p90_us": us, "calls": 50, "turns": 8, "loud_turns": 0} if us else {}
    base = {"compile_s": 1.0, "peak_memory": 2e8, "memory": 150e6, "largest_error": 1e-6, "correct": True, "code_bytes": 100_000}
    return {"case": case, "peer": peer, "threads": threads, "run": run, **base, **timed, **more}


results = []
for run in range(2):
    results += [
        result("resnet50", "fusion", 1, run, 50_000 + 2000 * run, to_library_s=1.25, arena_bytes=5_000_000),
        result("resnet50", "ort", 1, run, 52_000),
        result("resnet50", "openvino", 1, run, 40_000, correct=False, largest_error=1.0),
        result("resnet50", "openvino-default", 1, run, 20_000, precision="bf16", largest_error=4e-3),
        result("resnet50", "iree", 1, run, None if run else 300_000, compile_s=10.0),
        result("mobilenetv2", "fusion", 1, run, 7_000, to_library_s=0.5),
        result("mobilenetv2", "ort", 1, run, 8_000 if run else 10_000),
    ]
results.append({"case": "mobilenetv2", "peer": "iree", "threads": 1, "run": 0, "failure": "RuntimeError: no such op\nmore"})
facts = {"group": "net", "flop": 8_000_000_000, "weight_bytes": 100_000_000, "least_bytes": 103_000_000, "arena_bytes": 5_000_000}
kernel = {"kernel": "kernel1x1_256_64_56", "peak_gflops": 100, "samples": 40, "kept": 38}
titles = {"fusion": "mlir-fusion", "ort": "ONNX Runtime", "openvino": "OpenVINO", "openvino-default": "OpenVINO, its default", "iree": "IREE"}
json.dump(
    {
        "date": "1 January 2030, 00:00 UTC",
        "machine": {
            "cpu": "a CPU", "family": "6", "model": "1", "cores": 2, "isa": "AVX-512", "features": [], "caches": {"L1": "32K"},
            "memory_bytes": 1, "virtual": False, "system": "a system", "kernel": "1",
        },
        "load": 0.0,
        "options": {"quick": False, "runs": 2, "threads": [1], "flags": []},
        "peers": {name: {"title": title, "reduced": name == "openvino-default"} for name, title in titles.items()},
        "refused": {"xla": "not installed: no network"},
        "versions": {"onnxruntime": "1.0"},
        "roof": {"isa": "avx512", "1": {"fma": 200.0, "read": {"1048576": 100.0}}},
        "cases": {"resnet50": dict(facts, live_bytes=4_500_000), "mobilenetv2": dict(facts, live_bytes=None)},
        "results": results,
        "kernels": [
            dict(kernel, isa="avx512", run=0, share=0.9, gflops=90), dict(kernel, isa="avx2", run=0, share=0.8, gflops=40),
        ],
        "complete": True,
    },
    open(sys.argv[1], "w"),
)  # fmt: skip
