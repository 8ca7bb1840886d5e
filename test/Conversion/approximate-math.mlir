// RUN: mlir-fusion-opt %s --fusion-approximate-math | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-approximate-math=polynomials=false | FileCheck %s --check-prefix=OFF

// Without polynomials only what LLVM does not take goes.
// OFF-LABEL: func @exp
// OFF: math.exp
// OFF-LABEL: func @each
// OFF: math.erf
// OFF-NOT: math.{{clampf|isinf|isnormal|ipowi}}

// CHECK-LABEL: func @exp
// CHECK-NOT: math.exp
// CHECK: math.fma {{.*}} : vector<8xf32>
func.func @exp(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.exp %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// A scalar goes as a vector's lane does.
// CHECK-LABEL: func @each
// CHECK-NOT: math.{{exp|log|tanh|erf}}
// CHECK: return
func.func @each(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  %1 = math.exp2 %0 : f32
  %2 = math.expm1 %1 : f32
  %3 = math.log %2 : f32
  %4 = math.log2 %3 : f32
  %5 = math.log10 %4 : f32
  %6 = math.log1p %5 : f32
  %7 = math.tanh %6 : f32
  %8 = math.erf %7 : f32
  return %8 : f32
}

// No branches, and no division where none is needed.
// CHECK-LABEL: func @log
// CHECK-NOT: {{scf.|cf.|divf}}
// CHECK: return
func.func @log(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.log %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// Tensors have no lanes yet.
// CHECK-LABEL: func @tensor
// CHECK: math.exp
func.func @tensor(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
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

// The quotient comes first: its square is right where 1 / x^2 would be 0.
// CHECK-LABEL: func @inverse_square
// CHECK: %[[QUOTIENT:.*]] = arith.divf
// CHECK: arith.mulf %[[QUOTIENT]], %[[QUOTIENT]] : f64
func.func @inverse_square(%x: f64) -> f64 {
  %n = arith.constant -2 : i32
  %0 = math.fpowi %x, %n : f64, i32
  return %0 : f64
}

// libm has f64's.
// CHECK-LABEL: func @seventh
// CHECK: math.powf %{{.*}}, %{{.*}} : f64
// CHECK: math.copysign
func.func @seventh(%x: f64) -> f64 {
  %n = arith.constant 7 : i32
  %0 = math.fpowi %x, %n : f64, i32
  return %0 : f64
}

// CHECK-LABEL: func @power_of_integer
// CHECK-SAME: %[[X:.*]]: vector<8xf32>, %[[N:.*]]: vector<8xi64>
// CHECK-DAG: %[[WIDE:.*]] = arith.sitofp %[[N]] : vector<8xi64> to vector<8xf64>
// CHECK-DAG: %[[ODD:.*]] = arith.trunci %[[N]] : vector<8xi64> to vector<8xi1>
// CHECK-NOT: math.powf
// CHECK: %[[SIGNED:.*]] = math.copysign %[[POWER:.*]], %[[X]]
// CHECK: arith.select %[[ODD]], %[[SIGNED]], %[[POWER]]
func.func @power_of_integer(%x: vector<8xf32>, %n: vector<8xi64>) -> vector<8xf32> {
  %0 = math.fpowi %x, %n : vector<8xf32>, vector<8xi64>
  return %0 : vector<8xf32>
}

// CHECK-LABEL: func @integer_power
// CHECK-NOT: math.ipowi
// CHECK-COUNT-14: arith.muli
// CHECK: return
func.func @integer_power(%x: vector<4xi8>, %n: vector<4xi8>) -> vector<4xi8> {
  %0 = math.ipowi %x, %n : vector<4xi8>
  return %0 : vector<4xi8>
}

// CHECK-LABEL: func @index_power
// CHECK: arith.index_cast %{{.*}} : index to i64
// CHECK: arith.muli %{{.*}} : i64
// CHECK: arith.index_cast %{{.*}} : i64 to index
func.func @index_power(%x: index, %n: index) -> index {
  %0 = math.ipowi %x, %n : index
  return %0 : index
}

// CHECK-LABEL: func @long_power
// CHECK: arith.constant 85070591730234615865843651857942052864 : i128
// CHECK: arith.muli %{{.*}} : i128
func.func @long_power(%x: i128, %n: i128) -> i128 {
  %0 = math.ipowi %x, %n : i128
  return %0 : i128
}

// CHECK-LABEL: func @classes
// CHECK: math.absf %{{.*}} : vector<4xf16>
// CHECK: arith.cmpf oeq
// CHECK: arith.cmpf oge
// CHECK: arith.cmpf olt
// CHECK-NOT: math.is
func.func @classes(%x: vector<4xf16>) -> (vector<4xi1>, vector<4xi1>) {
  %0 = math.isinf %x : vector<4xf16>
  %1 = math.isnormal %x : vector<4xf16>
  return %0, %1 : vector<4xi1>, vector<4xi1>
}

// CHECK-LABEL: func @clamp
// CHECK-SAME: %[[X:.*]]: f32, %[[LOW:.*]]: f32, %[[HIGH:.*]]: f32
// CHECK: %[[MAX:.*]] = arith.maximumf %[[X]], %[[LOW]]
// CHECK: arith.minimumf %[[MAX]], %[[HIGH]]
func.func @clamp(%x: f32, %low: f32, %high: f32) -> f32 {
  %0 = math.clampf %x to [%low, %high] : f32
  return %0 : f32
}

// CHECK-LABEL: func @cube
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[X:.*]], %[[X]] : vector<8xf32>
// CHECK: arith.mulf %[[SQUARE]], %[[X]]
// CHECK-NOT: {{math|extf}}
func.func @cube(%x: vector<8xf32>) -> vector<8xf32> {
  %three = arith.constant dense<3.0> : vector<8xf32>
  %0 = math.powf %x, %three : vector<8xf32>
  return %0 : vector<8xf32>
}

// The power of -0 is 0, that of -infinity infinity.
// CHECK-LABEL: func @reciprocal_root
// CHECK: %[[POSITIVE:.*]] = arith.select
// CHECK: arith.addf %[[POSITIVE]], %{{.*}} : f64
// CHECK: %[[ROOT:.*]] = math.sqrt
// CHECK: arith.divf %{{.*}}, %[[ROOT]] : f64
func.func @reciprocal_root(%x: f64) -> f64 {
  %n = arith.constant -0.5 : f64
  %0 = math.powf %x, %n : f64
  return %0 : f64
}

// Another constant exponent is any exponent.
// CHECK-LABEL: func @power
// CHECK: arith.divf %{{.*}} : vector<8xf64>
// CHECK-NOT: math.powf
func.func @power(%x: vector<8xf32>) -> vector<8xf32> {
  %n = arith.constant dense<0.75> : vector<8xf32>
  %0 = math.powf %x, %n : vector<8xf32>
  return %0 : vector<8xf32>
}
