// RUN: mlir-fusion-opt %s --fusion-widen-floats=target=x86-64-v3 | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-widen-floats=target=x86-64-v2 | FileCheck %s --check-prefix=V2
// RUN: not mlir-fusion-opt %s --fusion-widen-floats=target=pentium 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: expected host or an x86-64 CPU that LLVM knows {{.*}}, got 'pentium'

// CPUs without F16C.
// V2-LABEL: func @half
// V2-NOT: {{extf|truncf}}
// V2: arith.bitcast %{{.*}} : vector<8xf16> to vector<8xi16>
// V2: arith.addf %{{.*}} : vector<8xf32>
// V2: arith.bitcast %{{.*}} : vector<8xi16> to vector<8xf16>
// V2-NOT: {{extf|truncf}}
// V2-LABEL: func @brain

// Each op rounds: nothing stays wider than the source has it.
// CHECK-LABEL: func @half
// CHECK-SAME: %[[X:.*]]: vector<8xf16>, %[[Y:.*]]: vector<8xf16>
// CHECK-DAG: %[[X32:.*]] = arith.extf %[[X]] : vector<8xf16> to vector<8xf32>
// CHECK-DAG: %[[Y32:.*]] = arith.extf %[[Y]] : vector<8xf16> to vector<8xf32>
// CHECK: %[[SUM:.*]] = arith.addf %[[X32]], %[[Y32]] : vector<8xf32>
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[SUM]]
// CHECK: %[[WIDE:.*]] = arith.extf %[[ROUNDED]]
// CHECK: %[[EXP:.*]] = math.exp %[[WIDE]] : vector<8xf32>
// CHECK: arith.truncf %[[EXP]]
func.func @half(%x: vector<8xf16>, %y: vector<8xf16>) -> vector<8xf16> {
  %0 = arith.addf %x, %y : vector<8xf16>
  %1 = math.exp %0 : vector<8xf16>
  return %1 : vector<8xf16>
}

// bf16's conversions are integer arithmetic.
// CHECK-LABEL: func @brain
// CHECK-NOT: {{extf|truncf}}
// CHECK: arith.mulf %{{.*}} : f32
// CHECK-NOT: {{extf|truncf}}
// CHECK: return
func.func @brain(%x: bf16) -> bf16 {
  %0 = arith.mulf %x, %x : bf16
  return %0 : bf16
}

// Through f32, rounded to odd.
// CHECK-LABEL: func @double_to_half
// CHECK: %[[NEAREST:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK: %[[BITS:.*]] = arith.bitcast %[[NEAREST]] : f32 to i32
// CHECK: arith.ori
// CHECK: %[[ODD:.*]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK: arith.truncf %[[ODD]] : f32 to f16
func.func @double_to_half(%x: f64) -> f16 {
  %0 = arith.truncf %x : f64 to f16
  return %0 : f16
}

// CHECK-LABEL: func @half_to_double
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.extf %{{.*}} : f32 to f64
func.func @half_to_double(%x: f16) -> f64 {
  %0 = arith.extf %x : f16 to f64
  return %0 : f64
}

// f32 would round, and bf16 round again.
// CHECK-LABEL: func @wide_integer
// CHECK: arith.sitofp %{{.*}} : i32 to f64
func.func @wide_integer(%x: i32) -> bf16 {
  %0 = arith.sitofp %x : i32 to bf16
  return %0 : bf16
}

// CHECK-LABEL: func @narrow_integer
// CHECK: arith.uitofp %{{.*}} : i8 to f32
func.func @narrow_integer(%x: i8) -> bf16 {
  %0 = arith.uitofp %x : i8 to bf16
  return %0 : bf16
}

// A whole sum is one op.
// CHECK-LABEL: func @sum
// CHECK: %[[WIDE:.*]] = arith.extf
// CHECK: vector.reduction <add>, %[[WIDE]] : vector<8xf32> into f32
func.func @sum(%x: vector<8xf16>) -> f16 {
  %0 = vector.reduction <add>, %x : vector<8xf16> into f16
  return %0 : f16
}

// Moving and choosing compute nothing.
// CHECK-LABEL: func @choose
// CHECK-NOT: extf
// CHECK: arith.select %{{.*}} : bf16
func.func @choose(%c: i1, %x: bf16, %y: bf16) -> bf16 {
  %0 = arith.select %c, %x, %y : bf16
  return %0 : bf16
}

// Rounded to odd where f64 has too few bits.
// CHECK-LABEL: func @widest_integer
// CHECK: %[[LOW:.*]] = arith.andi %[[X:.*]], %c2047
// CHECK: arith.cmpi ult, %[[X]]
// CHECK: %[[ODD:.*]] = arith.select
// CHECK: arith.uitofp %[[ODD]] : i64 to f64
func.func @widest_integer(%x: i64) -> bf16 {
  %0 = arith.uitofp %x : i64 to bf16
  return %0 : bf16
}

// The nearest number, or its neighbour.
// CHECK-LABEL: func @toward_zero
// CHECK: %[[NEAREST:.*]] = arith.truncf %[[X:.*]] : vector<4xf64> to vector<4xf32>
// CHECK: %[[BACK:.*]] = arith.extf %[[NEAREST]]
// CHECK: arith.cmpf ogt
// CHECK: arith.select
func.func @toward_zero(%x: vector<4xf64>) -> vector<4xf32> {
  %0 = arith.truncf %x toward_zero : vector<4xf64> to vector<4xf32>
  return %0 : vector<4xf32>
}

// The product is exact in f64.
// CHECK-LABEL: func @fma
// CHECK: %[[PRODUCT:.*]] = arith.mulf %{{.*}} : f64
// CHECK: arith.addf %[[PRODUCT]]
// CHECK-NOT: math.fma
// CHECK: return
func.func @fma(%x: f16, %y: f16, %z: f16) -> f16 {
  %0 = math.fma %x, %y, %z : f16
  return %0 : f16
}
