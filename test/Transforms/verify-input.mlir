// What is asked of any model before a pass looks at it.
// RUN: mlir-fusion-opt %s --fusion-verify-stage=stage=fuse -split-input-file -verify-diagnostics

// expected-error @below {{expected at most 64 dims, got 65}}
func.func @rank(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) {
  return
}

// -----

// Nothing lies in it, but its strides would overflow.
// expected-error @below {{expected a tensor of at most 140737488355328 bytes, got 'tensor<0x9223372036854775807x2xf32>'}}
func.func @empty(%x: tensor<0x9223372036854775807x2xf32>) {
  return
}

// -----

func.func @buffer() {
  // expected-error @below {{expected a memref of at most 140737488355328 bytes, got 'memref<9223372036854775807xf32>'}}
  %a = memref.alloc() : memref<9223372036854775807xf32>
  memref.dealloc %a : memref<9223372036854775807xf32>
  return
}

// -----

func.func @vector(%x: f32) -> f32 {
  // expected-error @below {{expected a vector of at most 140737488355328 bytes, got 'vector<1000000000x1000000000xf32>'}}
  %v = vector.broadcast %x : f32 to vector<1000000000x1000000000xf32>
  %s = vector.extract %v[0, 0] : f32 from vector<1000000000x1000000000xf32>
  return %s : f32
}

// -----

// The number that stands for a size that an operand gives.
func.func @pad(%x: tensor<8xf32>, %z: f32) -> tensor<?xf32> {
  // expected-error @below {{expected an operand for each padding of no fixed size}}
  %p = "tensor.pad"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_low = array<i64: -9223372036854775808>, static_high = array<i64: 0>}> ({
  ^bb0(%i: index):
    tensor.yield %z : f32
  }) : (tensor<8xf32>) -> tensor<?xf32>
  return %p : tensor<?xf32>
}
