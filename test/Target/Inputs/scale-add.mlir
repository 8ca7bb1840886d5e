module {
  module {
    func.func @kernel_add_0(%a: memref<2x3xf32>, %b: memref<2x3xf32>, %out: memref<2x3xf32>, %lo: index, %hi: index) attributes {llvm.bareptr} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      scf.for %i = %lo to %hi step %c1 {
        scf.for %j = %c0 to %c3 step %c1 {
          %x = memref.load %a[%i, %j] : memref<2x3xf32>
          %y = memref.load %b[%i, %j] : memref<2x3xf32>
          %z = arith.addf %x, %y : f32
          memref.store %z, %out[%i, %j] : memref<2x3xf32>
        }
      }
      return
    }
  }
  module {
    func.func @kernel_scale_1(%a: memref<2x3xf32>, %b: memref<2x3xf32>, %out: memref<2x3xf32>, %lo: index, %hi: index) attributes {llvm.bareptr} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      scf.for %i = %lo to %hi step %c1 {
        scf.for %j = %c0 to %c3 step %c1 {
          %x = memref.load %a[%i, %j] : memref<2x3xf32>
          %y = memref.load %b[%i, %j] : memref<2x3xf32>
          %z = arith.mulf %x, %y : f32
          memref.store %z, %out[%i, %j] : memref<2x3xf32>
        }
      }
      return
    }
  }
  func.func private @kernel_add_0(memref<2x3xf32>, memref<2x3xf32>, memref<2x3xf32>, index, index) attributes {llvm.bareptr}
  func.func private @kernel_scale_1(memref<2x3xf32>, memref<2x3xf32>, memref<2x3xf32>, index, index) attributes {llvm.bareptr}
  memref.global "private" constant @two : memref<2x3xf32> = dense<[[2.0, 4.0, 8.0], [16.0, 32.0, 64.0]]> {alignment = 64 : i64}
  // Bigger than a cache line: these go into the arena; the last is the first.
  memref.global "private" constant @weights : memref<2x10xf32> = dense<[[1., 2., 3., 4., 5., 6., 7., 8., 9., 10.], [10., 9., 8., 7., 6., 5., 4., 3., 2., 1.]]> {alignment = 64 : i64}
  memref.global "private" constant @other : memref<17xi32> = dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]> {alignment = 64 : i64}
  memref.global "private" constant @again : memref<10x2xf32> = dense<[[1., 2.], [3., 4.], [5., 6.], [7., 8.], [9., 10.], [10., 9.], [8., 7.], [6., 5.], [4., 3.], [2., 1.]]> {alignment = 64 : i64}
  func.func private @omp_get_max_threads() -> i32
  // out = (a + b) * two, sum = a + weights[1][3] (= 7) + other[16] (= 17) + again[9][0] (= 2)
  func.func @main(%a: memref<2x3xf32>, %b: memref<2x3xf32>, %out: memref<2x3xf32>, %sum: memref<f32>, %workspace: memref<?xi8>) attributes {
      fusion.entry = {inputs = [tensor<2x3xf32>, tensor<2x3xf32>], outputs = [tensor<2x3xf32>, tensor<f32>],
                      input_names = ["a", "the */ b"], output_names = ["y", ""], workspace_size = 64 : i64}} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c9 = arith.constant 9 : index
    %c16 = arith.constant 16 : index
    %tmp = memref.view %workspace[%c0][] : memref<?xi8> to memref<2x3xf32>
    scf.parallel (%i) = (%c0) to (%c2) step (%c1) {
      %hi = arith.addi %i, %c1 : index
      func.call @kernel_add_0(%a, %b, %tmp, %i, %hi) : (memref<2x3xf32>, memref<2x3xf32>, memref<2x3xf32>, index, index) -> ()
      scf.reduce
    }
    %two = memref.get_global @two : memref<2x3xf32>
    func.call @kernel_scale_1(%tmp, %two, %out, %c0, %c2) : (memref<2x3xf32>, memref<2x3xf32>, memref<2x3xf32>, index, index) -> ()
    %weights = memref.get_global @weights : memref<2x10xf32>
    %w = memref.load %weights[%c1, %c3] : memref<2x10xf32>
    %other = memref.get_global @other : memref<17xi32>
    %oi = memref.load %other[%c16] : memref<17xi32>
    %o = arith.sitofp %oi : i32 to f32
    %again = memref.get_global @again : memref<10x2xf32>
    %g = memref.load %again[%c9, %c0] : memref<10x2xf32>
    %0 = arith.addf %w, %o : f32
    %1 = arith.addf %0, %g : f32
    memref.store %1, %sum[] : memref<f32>
    return
  }
}
