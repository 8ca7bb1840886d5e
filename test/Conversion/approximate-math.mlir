// RUN: mlir-fusion-opt %s --fusion-approximate-math | FileCheck %s

// CHECK-LABEL: func @exp
// CHECK-NOT: math.exp
// CHECK: math.fma {{.*}} : vector<8xf32>
func.func @exp(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.exp %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// Another type is left to libm.
// CHECK-LABEL: func @exp_f64
// CHECK: math.exp
func.func @exp_f64(%x: f64) -> f64 {
  %0 = math.exp %x : f64
  return %0 : f64
}

// CHECK-LABEL: func @square
// CHECK: arith.mulf %[[X:.*]], %[[X]] : vector<8xf32>
// CHECK-NOT: fpowi
func.func @square(%x: vector<8xf32>) -> vector<8xf32> {
  %two = arith.constant dense<2> : vector<8xi64>
  %0 = math.fpowi %x, %two : vector<8xf32>, vector<8xi64>
  return %0 : vector<8xf32>
}

// CHECK-LABEL: func @power_of_integer
// CHECK: %[[N:.*]] = arith.sitofp
// CHECK: math.powf %{{.*}}, %[[N]] : vector<8xf32>
func.func @power_of_integer(%x: vector<8xf32>, %n: vector<8xi64>) -> vector<8xf32> {
  %0 = math.fpowi %x, %n : vector<8xf32>, vector<8xi64>
  return %0 : vector<8xf32>
}
