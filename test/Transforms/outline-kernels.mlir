// RUN: mlir-fusion-opt %s -split-input-file -fusion-outline-kernels="target=x86-64-v3 min-parallel-work=100000" | FileCheck %s
// RUN: mlir-fusion-opt %s -split-input-file -fusion-outline-kernels="target=x86-64-v3 threading=none" | FileCheck %s --check-prefix=NONE
// RUN: not mlir-fusion-opt %s -split-input-file -fusion-outline-kernels=threading=tbb 2>&1 | FileCheck %s --check-prefix=THREADING
// RUN: not mlir-fusion-opt %s -split-input-file -fusion-outline-kernels=target=z80 2>&1 | FileCheck %s --check-prefix=TARGET

// THREADING: error: expected threading openmp or none, got 'tbb'
// TARGET: error: expected host or an x86-64 CPU that LLVM knows

// NONE-NOT: omp_get_max_threads
// NONE-NOT: scf.parallel

// Equal kernels exist once, whatever the location; large ones are cut along their first loop.
// CHECK:       module @kernel_exp_0_module {
// CHECK-NEXT:    func.func @kernel_exp_0(%[[X:[^ :,)]*]]: memref<64x1024xf32>, %[[Y:[^ :,)]*]]: memref<64x1024xf32>,
// CHECK-SAME:        %[[LO:[^ :,)]*]]: index, %[[HI:[^ :,)]*]]: index) attributes {fusion.kernel, llvm.bareptr} {
// CHECK:           scf.for %[[I:[^ :,)]*]] = %[[LO]] to %[[HI]]
// CHECK:             %[[ROW:[^ :,)]*]] = memref.subview %[[X]][%[[I]], 0] [1, 1024]
// CHECK:             %[[OUT:[^ :,)]*]] = memref.subview %[[Y]][%[[I]], 0] [1, 1024]
// CHECK:             linalg.exp ins(%[[ROW]] : {{.*}}) outs(%[[OUT]] :
// CHECK:       func.func private @kernel_exp_0(memref<64x1024xf32>, memref<64x1024xf32>, index, index) attributes {llvm.bareptr}
// CHECK:       func.func private @omp_get_max_threads() -> i32
// CHECK-NOT:   module @kernel_exp

// CHECK-LABEL: func.func @equal(
// CHECK-SAME:    %[[X:[^ :,)]*]]: memref<64x1024xf32>, %[[Y:[^ :,)]*]]: memref<64x1024xf32>)
// CHECK:       %[[COUNT:.*]] = call @omp_get_max_threads()
// CHECK:       %[[T:.*]] = arith.index_cast %[[COUNT]]
// CHECK:       scf.parallel (%[[I:.*]]) = (%c0{{.*}}) to (%[[T]]) step (%c1{{.*}}) {
// CHECK-DAG:     %[[NEXT:.*]] = arith.addi %[[I]], %c1
// CHECK-DAG:     %[[LO64:.*]] = arith.muli %[[I]], %c64
// CHECK-DAG:     %[[LO:.*]] = arith.divui %[[LO64]], %[[T]]
// CHECK-DAG:     %[[HI64:.*]] = arith.muli %[[NEXT]], %c64
// CHECK-DAG:     %[[HI:.*]] = arith.divui %[[HI64]], %[[T]]
// CHECK:         func.call @kernel_exp_0(%[[X]], %[[Y]], %[[LO]], %[[HI]])
// CHECK:       call @observer()
// CHECK:       func.call @kernel_exp_0(%[[Y]], %[[X]], %{{.*}}, %{{.*}})
// NONE-LABEL:  func.func @equal(
// NONE:        %[[ALL:.*]] = arith.constant 64 : index
// NONE:        call @kernel_exp_0(%{{.*}}, %{{.*}}, %c0{{.*}}, %[[ALL]])
func.func private @observer()
func.func @equal(%x: memref<64x1024xf32>, %y: memref<64x1024xf32>) {
  linalg.exp ins(%x : memref<64x1024xf32>) outs(%y : memref<64x1024xf32>)
  call @observer() : () -> ()
  linalg.exp ins(%y : memref<64x1024xf32>) outs(%x : memref<64x1024xf32>)
  return
}

// -----

// Small work is one call, and so is work in a parallel loop.
// CHECK:       func.func @kernel_exp_0(%{{.*}}: memref<4x4xf32>, %{{.*}}: memref<4x4xf32>, %[[LO:[^ :,)]*]]: index, %[[HI:[^ :,)]*]]: index)
// CHECK-NEXT:    %[[ANY:.*]] = arith.cmpi ult, %[[LO]], %[[HI]]
// CHECK-NEXT:    scf.if %[[ANY]] {
// CHECK-NEXT:      linalg.exp ins(%{{.*}} : memref<4x4xf32>)
// CHECK-LABEL: func.func @small
// CHECK-NOT:   scf.parallel
// CHECK:       call @kernel_exp_0(%{{.*}}, %{{.*}}, %c0{{.*}}, %c1{{.*}})
// CHECK:       scf.parallel
// CHECK-NEXT:    arith.constant 0
// CHECK-NEXT:    arith.constant 64
// CHECK-NEXT:    func.call @kernel_exp_1(
func.func @small(%x: memref<4x4xf32>, %y: memref<4x4xf32>, %a: memref<64x1024xf32>, %n: index) {
  linalg.exp ins(%x : memref<4x4xf32>) outs(%y : memref<4x4xf32>)
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    linalg.exp ins(%a : memref<64x1024xf32>) outs(%a : memref<64x1024xf32>)
  }
  return
}

// -----

// Where a buffer starts is an argument: one kernel for both halves. Constants are part of the kernel, other scalars are
// arguments, and linalg.index counts from the start of the whole.
// CHECK:       func.func @kernel_generic_0(%[[S:[^ :,)]*]]: f32, %[[BUFFER:[^ :,)]*]]: memref<64x512xf32, strided<[1024, 1]>>, %[[OFFSET:[^ :,)]*]]: index,
// CHECK-SAME:      %[[CAPTURED:[^ :,)]*]]: f32, %[[LO:[^ :,)]*]]: index, %[[HI:[^ :,)]*]]: index)
// CHECK-SAME:      attributes {fusion.kernel, llvm.bareptr}
// CHECK:         %[[HALF:.*]] = memref.reinterpret_cast %[[BUFFER]] to offset: [%[[OFFSET]]], sizes: [64, 512], strides: [1024, 1]
// CHECK:         %[[CONSTANT:.*]] = arith.constant 2.5
// CHECK:         scf.for %[[I:[^ :,)]*]] = %[[LO]] to %[[HI]]
// CHECK:           memref.subview %[[HALF]][%[[I]], 0] [1, 512]
// CHECK:           linalg.generic
// CHECK:             %[[INDEX:.*]] = linalg.index 0
// CHECK:             affine.apply {{.*}}(%[[I]])[%[[INDEX]]]
// CHECK:             arith.addf %{{.*}}, %[[CONSTANT]]
// CHECK:             arith.addf %{{.*}}, %[[CAPTURED]]
// CHECK-LABEL: func.func @offsets
// CHECK-SAME:    (%[[X:[^ :,)]*]]: memref<64x1024xf32>, %[[A:[^ :,)]*]]: f32, %[[B:[^ :,)]*]]: f32)
// CHECK:       %[[START:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [64, 512], strides: [1024, 1]
// CHECK:       scf.parallel
// CHECK:         func.call @kernel_generic_0(%[[A]], %[[START]], %c512{{[^,]*}}, %[[B]],
// CHECK:         func.call @kernel_generic_0(%[[A]], %{{.*}}, %[[LOW:.*]], %[[B]],
func.func @offsets(%x: memref<64x1024xf32>, %a: f32, %b: f32) {
  %high = memref.subview %x[0, 512] [64, 512] [1, 1] : memref<64x1024xf32> to memref<64x512xf32, strided<[1024, 1], offset: 512>>
  %c = arith.constant 2.5 : f32
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : f32) outs(%high : memref<64x512xf32, strided<[1024, 1], offset: 512>>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %0 = arith.addf %f, %c : f32
    %1 = arith.addf %0, %b : f32
    %2 = arith.mulf %1, %in : f32
    linalg.yield %2 : f32
  }
  %low = memref.subview %x[0, 256] [64, 512] [1, 1] : memref<64x1024xf32> to memref<64x512xf32, strided<[1024, 1], offset: 256>>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : f32) outs(%low : memref<64x512xf32, strided<[1024, 1], offset: 256>>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %0 = arith.addf %f, %c : f32
    %1 = arith.addf %0, %b : f32
    %2 = arith.mulf %1, %in : f32
    linalg.yield %2 : f32
  }
  return
}

// -----

// What is dynamic is passed as a descriptor; a cast that only hides the type is looked through.
// CHECK:       func.func @kernel_exp_0(%{{.*}}: memref<?x4xf32>, %{{.*}}: memref<?x4xf32>, %{{.*}}: index, %{{.*}}: index) attributes {fusion.kernel}
// CHECK:       func.func private @kernel_exp_0(memref<?x4xf32>, memref<?x4xf32>, index, index)
// CHECK-NOT:   bareptr
// CHECK:       func.func @kernel_exp_1(%{{.*}}: memref<4x4xf32>, %{{.*}}: memref<4x4xf32>, %{{.*}}: index, %{{.*}}: index) attributes {fusion.kernel, llvm.bareptr}
// CHECK-LABEL: func.func @dynamic
func.func @dynamic(%x: memref<?x4xf32>, %y: memref<?x4xf32>, %z: memref<4x4xf32>) {
  linalg.exp ins(%x : memref<?x4xf32>) outs(%y : memref<?x4xf32>)
  %hidden = memref.cast %z : memref<4x4xf32> to memref<4x4xf32, strided<[?, ?], offset: ?>>
  linalg.exp ins(%hidden : memref<4x4xf32, strided<[?, ?], offset: ?>>) outs(%z : memref<4x4xf32>)
  return
}

// -----

// A copy of rows in one piece is a memcpy, any other a loop.
// CHECK:       func.func @kernel_copy_0
// CHECK:         scf.for
// CHECK:           memref.copy
// CHECK:       func.func @kernel_copy_1
// CHECK:         scf.for
// CHECK:           linalg.copy
// CHECK-LABEL: func.func @copies
func.func @copies(%x: memref<64x1024xf32>, %y: memref<64x1026xf32>, %z: memref<2x64x1024xf32, strided<[131072, 2048, 2]>>, %w: memref<2x64x1024xf32>) {
  %middle = memref.subview %y[0, 1] [64, 1024] [1, 1] : memref<64x1026xf32> to memref<64x1024xf32, strided<[1026, 1], offset: 1>>
  memref.copy %x, %middle : memref<64x1024xf32> to memref<64x1024xf32, strided<[1026, 1], offset: 1>>
  memref.copy %w, %z : memref<2x64x1024xf32> to memref<2x64x1024xf32, strided<[131072, 2048, 2]>>
  return
}

// -----

// Short rows go together; of a reduction a parallel loop is cut; a loop that an operand runs backwards through is not.
// CHECK:       func.func @kernel_exp_0
// CHECK:         memref.subview {{.*}} [200, 3]
// CHECK:       func.func @kernel_matmul_0
// CHECK:         memref.subview {{.*}} [1, 256]
// CHECK:         memref.subview {{.*}} [256, 256]
// CHECK:         memref.subview {{.*}} [1, 256]
// CHECK:       func.func @kernel_generic_0
// CHECK:         scf.if
// CHECK-LABEL: func.func @cuts
// CHECK:       arith.constant 500 : index
// CHECK:       call @kernel_exp_0
func.func @cuts(%x: memref<100000x3xf32>, %a: memref<256x256xf32>, %b: memref<256x256xf32>, %c: memref<256x256xf32>,
                %line: memref<100000xf32>) {
  linalg.exp ins(%x : memref<100000x3xf32>) outs(%x : memref<100000x3xf32>)
  linalg.matmul ins(%a, %b : memref<256x256xf32>, memref<256x256xf32>) outs(%c : memref<256x256xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0) -> (-d0 + 99999)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%line : memref<100000xf32>) outs(%line : memref<100000xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// -----

// A root takes the range itself, in the units of its plan.
// CHECK:       func.func @kernel_matmul_0(%[[X:[^ :,)]*]]: memref<60x64xf32>, %[[W:[^ :,)]*]]: memref<4x64x16xf32>,
// CHECK-SAME:      %[[BIAS:[^ :,)]*]]: memref<64xf32>, %[[Y:[^ :,)]*]]: memref<60x64xf32>, %[[LO:[^ :,)]*]]: index, %[[HI:[^ :,)]*]]: index)
// CHECK:         fusion.matmul ins(%[[X]], %[[W]] {{.*}} outs(%[[Y]]
// CHECK:         range(%[[LO]], %[[HI]])
// CHECK-LABEL: func.func @root
func.func @root(%x: memref<60x64xf32>, %w: memref<4x64x16xf32>, %bias: memref<64xf32>, %y: memref<60x64xf32>) {
  fusion.matmul ins(%x, %w : memref<60x64xf32>, memref<4x64x16xf32>) outs(%y : memref<60x64xf32>) {rhs_layout = packed}
    epilogue(%acc: f32, %b = %bias[1] : memref<64xf32>) {
      %0 = arith.addf %acc, %b : f32
      fusion.yield %0 : f32
  }
  return
}

// -----

// Names that are taken are left alone.
// CHECK:       module @kernel_exp_1_module
// CHECK:       func.func private @kernel_exp_0()
func.func private @kernel_exp_0()
func.func @names(%x: memref<4xf32>) {
  linalg.exp ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  return
}

// -----

// Sizes that are known at run time only: units and work are computed before the call, which threads share if it is
// large. A part of a buffer is a descriptor, whatever its offset.
// CHECK:       func.func @kernel_pool_0(%{{.*}}: memref<?x?x?x64xf32>, %{{.*}}: memref<?x?x?x64xf32, strided<[?, ?, 64, 1], offset: ?>>, %{{.*}}: index, %{{.*}}: index) attributes {fusion.kernel} {
// CHECK-LABEL: func.func @dynamic_root(
// CHECK-SAME:    %[[X:[^ :,)]*]]: memref<?x?x?x64xf32>, %[[Y:[^ :,)]*]]: memref<?x?x?x64xf32, strided<[?, ?, 64, 1]>>)
// CHECK:       %[[PART:.*]] = memref.cast %[[Y]] : memref<?x?x?x64xf32, strided<[?, ?, 64, 1]>> to memref<?x?x?x64xf32, strided<[?, ?, 64, 1], offset: ?>>
// CHECK:       %[[N:.*]] = memref.dim %[[Y]], %c0
// CHECK:       %[[H:.*]] = memref.dim %[[Y]], %c1
// CHECK:       %[[ROWS:.*]] = arith.muli %[[N]], %[[H]]
// CHECK:       %[[UNITS:.*]] = arith.muli %[[ROWS]], %c2
// CHECK:       %[[LARGE:.*]] = arith.cmpi uge, %{{.*}}, %c100000
// CHECK:       scf.if %[[LARGE]] {
// CHECK:         scf.parallel
// CHECK:           func.call @kernel_pool_0(%[[X]], %[[PART]],
// CHECK:       } else {
// CHECK:         func.call @kernel_pool_0(%[[X]], %[[PART]], %c0{{[^,]*}}, %[[UNITS]])
// NONE-LABEL:  func.func @dynamic_root(
// NONE-NOT:    scf.if
// NONE:        call @kernel_pool_0
// NONE:        return
func.func @dynamic_root(%x: memref<?x?x?x64xf32>, %y: memref<?x?x?x64xf32, strided<[?, ?, 64, 1]>>) {
  fusion.pool max ins(%x : memref<?x?x?x64xf32>) outs(%y : memref<?x?x?x64xf32, strided<[?, ?, 64, 1]>>)
    {window = [2, 2], strides = [2, 2], layout = channels_last}
  return
}

// -----

// Of three unknown dims the outermost is cut; a copy may be one.
// CHECK:       func.func @kernel_copy_0(
// CHECK-SAME:      %[[LO:[^ :,)]*]]: index, %[[HI:[^ :,)]*]]: index)
// CHECK:         scf.for %[[I:[^ :,)]*]] = %[[LO]] to %[[HI]]
// CHECK:           memref.subview %{{.*}}[%[[I]], 0, 0] [1,
// CHECK-LABEL: func.func @dynamic_copy(
// CHECK-SAME:    %[[X:[^ :,)]*]]: memref<?x?x?xf32>
// CHECK:       } else {
// CHECK:         func.call @kernel_copy_0(%[[X]], %{{.*}}, %c0{{[^,]*}}, %{{.*}})
func.func @dynamic_copy(%x: memref<?x?x?xf32>, %y: memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>) {
  memref.copy %x, %y : memref<?x?x?xf32> to memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>
  return
}

// -----

// One unknown dim is cut into runs, of which the last may be shorter.
// CHECK:       func.func @kernel_exp_0(
// CHECK:         scf.for %[[I:[^ :,)]*]] =
// CHECK:           %[[START:.*]] = arith.muli %[[I]], %c512
// CHECK:           %[[LEFT:.*]] = arith.subi %{{.*}}, %[[START]]
// CHECK:           %[[SIZE:.*]] = arith.minui %[[LEFT]], %c512
// CHECK:           memref.subview %{{.*}}[%[[START]]] [%[[SIZE]]]
// CHECK-LABEL: func.func @dynamic_run(
// CHECK:       arith.addi %{{.*}}, %c511
// CHECK:       arith.divui %{{.*}}, %c512
func.func @dynamic_run(%x: memref<?xf32>, %y: memref<?xf32>) {
  linalg.exp ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
  return
}
