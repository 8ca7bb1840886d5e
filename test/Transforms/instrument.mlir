// RUN: mlir-fusion-opt %s --fusion-outline-kernels="target=x86-64-v3 threading=none describe=true" --fusion-instrument -split-input-file | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-outline-kernels="target=x86-64-v3 threading=none" -split-input-file | FileCheck %s --check-prefix=OFF

// Off, nothing is said and nothing is called.
// OFF-NOT: fusion.work
// OFF-NOT: fusion_profile

// Each kernel's call is between two timestamps; a single load is not.
// CHECK-DAG:   func.func private @fusion_profile_begin() -> i64
// CHECK-DAG:   func.func private @fusion_profile_end(i64, i64)
// CHECK:       func.func private @kernel_matmul_0({{.*}}fusion.work = {
// CHECK-LABEL: func.func @kernels
// CHECK-SAME:  profile = [
// CHECK-SAME:    {constant_bytes = 1024 : i64, epilogue = ["arith.maximumf"], epilogue_flops = 512 : i64, flops = 16384 : i64,
// CHECK-SAME:     kernel = "kernel_matmul_0", loc = "product", op = "fusion.matmul", read_bytes = 3072 : i64,
// CHECK-SAME:     shape = "32x16xf32, 16x16xf32 -> 32x16xf32", type = f32, written_bytes = 2048 : i64},
// CHECK-SAME:    {constant_bytes = 0 : i64, epilogue = [], epilogue_flops = 0 : i64, flops = 0 : i64, kernel = "kernel_copy_0",
// CHECK-SAME:     loc = "{{.*}}instrument.mlir:{{[0-9:]+}}", op = "memref.copy", {{.*}}shape = "32x16xf32 -> 32x16xf32"
// CHECK-SAME:    {{.*}}op = "memref.alloc"
// CHECK-SAME:    {{.*}}flops = 512 : i64, kernel = "kernel_generic_0",{{.*}} op = "linalg.generic", read_bytes = 4096 : i64
// CHECK-SAME:    {{.*}}op = "memref.dealloc"
// CHECK-SAME:  ]
// CHECK:         memref.load
// CHECK:         %[[FIRST:.*]] = arith.constant 0 : i64
// CHECK:         %[[BEGIN:.*]] = call @fusion_profile_begin() : () -> i64
// CHECK-NEXT:    call @kernel_matmul_0(
// CHECK-NEXT:    call @fusion_profile_end(%[[FIRST]], %[[BEGIN]]) : (i64, i64) -> ()
memref.global "private" constant @weights : memref<16x16xf32> = dense<0.5>
func.func @kernels(%x: memref<32x16xf32>, %y: memref<32x16xf32>, %z: memref<32x16xf32>) -> f32
    attributes {fusion.entry = {}} {
  %i = arith.constant 0 : index
  %first = memref.load %x[%i, %i] : memref<32x16xf32>
  %w = memref.get_global @weights : memref<16x16xf32>
  fusion.matmul ins(%x, %w : memref<32x16xf32>, memref<16x16xf32>) outs(%y : memref<32x16xf32>)
    epilogue(%acc: f32) {
      %zero = arith.constant 0.0 : f32
      %0 = arith.maximumf %acc, %zero : f32
      fusion.yield %0 : f32
    } loc("product")
  memref.copy %y, %z : memref<32x16xf32> to memref<32x16xf32>
  %t = memref.alloc() : memref<32x16xf32>
  // The destination is read, too.
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%y : memref<32x16xf32>) outs(%t : memref<32x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  }
  memref.dealloc %t : memref<32x16xf32>
  return %first : f32
}

// -----

// Sites are in a loop over kernels and in branches between kernels, not around them.
// CHECK-LABEL: func.func @control
// CHECK-SAME:  profile = [{epilogue = [], kernel = "kernel_exp_0", {{.*}} op = "linalg.exp", shape = "?xf32 -> ?xf32", type = f32},
// CHECK-SAME:             {{.*}}op = "linalg.log"
// CHECK-SAME:             {kernel = "", loc = "{{.*}}", op = "scf.for"},
// CHECK-SAME:             {kernel = "", loc = "{{.*}}", op = "func.call @other"}]
// CHECK:         scf.for
// CHECK-NEXT:      scf.if
// CHECK:             call @fusion_profile_begin
// CHECK-NEXT:        call @kernel_exp_0
// CHECK-NEXT:        call @fusion_profile_end
// CHECK:           else
// CHECK:             call @fusion_profile_begin
// CHECK-NEXT:        call @kernel_log_0
// CHECK:         call @fusion_profile_begin
// CHECK-NEXT:    scf.for
// CHECK:         }
// CHECK-NEXT:    call @fusion_profile_end
// CHECK:         call @fusion_profile_begin
// CHECK-NEXT:    call @other
func.func private @other(memref<?xf32>)
func.func @control(%x: memref<?xf32>, %n: index, %c: i1) attributes {fusion.entry = {}} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    scf.if %c {
      linalg.exp ins(%x : memref<?xf32>) outs(%x : memref<?xf32>)
    } else {
      linalg.log ins(%x : memref<?xf32>) outs(%x : memref<?xf32>)
    }
  }
  scf.for %i = %zero to %n step %one {
    %a = memref.load %x[%i] : memref<?xf32>
    %b = arith.addf %a, %a : f32
    memref.store %b, %x[%i] : memref<?xf32>
  }
  func.call @other(%x) : (memref<?xf32>) -> ()
  return
}

// -----

// Kernels that are called together are one site.
// CHECK-LABEL: func.func @together
// CHECK-SAME:  profile = [{{.*}}flops = 128 : i64, kernel = "kernel_add_0 + kernel_mul_0", {{.*}} op = "linalg.add + linalg.mul"
// CHECK:         call @fusion_profile_begin
// CHECK-NEXT:    scf.parallel
func.func @together(%x: memref<64xf32>, %y: memref<64xf32>) attributes {fusion.entry = {}} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.parallel (%i) = (%zero) to (%one) step (%one) {
    linalg.add ins(%x, %x : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
    linalg.mul ins(%x, %x : memref<64xf32>, memref<64xf32>) outs(%x : memref<64xf32>)
  }
  return
}

// -----

// What depends on sizes known at run time is computed from those of what is passed, before the site.
// CHECK:       #[[NUMBERS:.*]] = affine_map<()[s0, s1] -> (s0 * 512, s0 * 16, s1 * 64 + 1024, 1024, s0 * 64)>
// CHECK:       func.func private @fusion_profile_work(i64, i64, i64, i64, i64, i64)
// CHECK:       func.func private @kernel_matmul_0({{.*}}fusion.work = {
// CHECK-SAME:    numbers = #[[NUMBERS]],
// CHECK-SAME:    sizes = array<i64: 2, 0, 0, 0>
// CHECK-LABEL: func.func @sizes
// CHECK-SAME:    (%[[X:.*]]: memref<?x16xf32>, %[[Y:.*]]: memref<?x16xf32>)
// CHECK-SAME:    profile = [{epilogue = ["arith.maximumf"], kernel = "kernel_matmul_0", {{[^}]*}} type = f32}]
// CHECK:         %[[SITE:.*]] = arith.constant 0 : i64
// CHECK:         %[[N:.*]] = memref.dim %[[Y]]
// CHECK:         %[[FLOPS:.*]] = arith.muli %[[N]], %{{.*}} overflow<nsw> : index
// CHECK:         %[[WIDE:.*]] = arith.index_cast %[[FLOPS]] : index to i64
// CHECK:         call @fusion_profile_work(%[[SITE]], %[[WIDE]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK-NEXT:    call @fusion_profile_begin
// CHECK-NEXT:    call @kernel_matmul_0
memref.global "private" constant @panels : memref<16x16xf32> = dense<0.5>
func.func @sizes(%x: memref<?x16xf32>, %y: memref<?x16xf32>) attributes {fusion.entry = {}} {
  %w = memref.get_global @panels : memref<16x16xf32>
  fusion.matmul ins(%x, %w : memref<?x16xf32>, memref<16x16xf32>) outs(%y : memref<?x16xf32>)
    epilogue(%acc: f32) {
      %zero = arith.constant 0.0 : f32
      %0 = arith.maximumf %acc, %zero : f32
      fusion.yield %0 : f32
    }
  return
}

// -----

// Of kernels that are called together it is the sum, what is static of one included; a view that is made in the site has no size before it.
// CHECK-LABEL: func.func @sums
// CHECK:         call @fusion_profile_work
// CHECK-NEXT:    call @fusion_profile_begin
// CHECK-NEXT:    scf.parallel
// CHECK:         call @fusion_profile_end
// CHECK-NOT:     call @fusion_profile_work
// CHECK:         scf.parallel
func.func @sums(%x: memref<?xf32>, %y: memref<64xf32>, %n: index) attributes {fusion.entry = {}} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.parallel (%i) = (%zero) to (%one) step (%one) {
    linalg.exp ins(%x : memref<?xf32>) outs(%x : memref<?xf32>)
    linalg.mul ins(%y, %y : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  }
  scf.parallel (%i) = (%zero) to (%one) step (%one) {
    %part = memref.subview %x[0] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
    linalg.exp ins(%part : memref<?xf32, strided<[1]>>) outs(%part : memref<?xf32, strided<[1]>>)
  }
  return
}
