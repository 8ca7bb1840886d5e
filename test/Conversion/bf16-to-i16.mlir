// RUN: mlir-fusion-opt %s --fusion-bf16-to-i16 | FileCheck %s

// CHECK: llvm.mlir.global internal constant @table(dense<[16256, -16384]> : tensor<2xi16>) {{.*}} : !llvm.array<2 x i16>
llvm.mlir.global internal constant @table(dense<[1.0, -2.0]> : tensor<2xbf16>) : !llvm.array<2 x bf16>

// What others note on a function keeps its types.
// CHECK-LABEL: llvm.func @choose(%{{.*}}: i1, %{{.*}}: i16) -> i16
// CHECK-SAME: acme.type = bf16
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(16256 : i16) : i16
// CHECK: llvm.select %{{.*}}, %{{.*}}, %[[ONE]] : i1, i16
llvm.func @choose(%c: i1, %x: bf16) -> bf16 attributes {acme.type = bf16} {
  %one = llvm.mlir.constant(1.0 : bf16) : bf16
  %0 = llvm.select %c, %x, %one : i1, bf16
  llvm.return %0 : bf16
}

// CHECK-LABEL: llvm.func @splat
// CHECK: llvm.mlir.constant(dense<16256> : vector<8xi16>) : vector<8xi16>
// CHECK: llvm.store %{{.*}} : vector<8xi16>, !llvm.ptr
llvm.func @splat(%p: !llvm.ptr) {
  %ones = llvm.mlir.constant(dense<1.0> : vector<8xbf16>) : vector<8xbf16>
  llvm.store %ones, %p : vector<8xbf16>, !llvm.ptr
  llvm.return
}
