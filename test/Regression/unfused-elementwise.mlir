// RUN: rm -rf %t && mkdir %t
// RUN: mlir-fusion run %s --disable fusion-fuse --random-inputs --output-dir %t
// RUN: mlir-fusion run %s --random-inputs --expect %t/out0.npy

// Elementwise ops on tensors are compiled without the fuse stage, too.
func.func @main(%x: tensor<3x5xf32>, %s: tensor<f32>) -> tensor<3x5xf32> {
  %a = math.exp %x : tensor<3x5xf32>
  %b = arith.mulf %a, %x : tensor<3x5xf32>
  %c = math.absf %s : tensor<f32>
  %e = tensor.empty() : tensor<3x5xf32>
  %d = linalg.broadcast ins(%c : tensor<f32>) outs(%e : tensor<3x5xf32>) dimensions = [0, 1]
  %r = arith.addf %b, %d : tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}
