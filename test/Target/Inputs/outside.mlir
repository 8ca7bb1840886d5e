// y[i + TO] = x[i + FROM] + x[i + FROM + 1] for i in [0, 4).
module {
  module {
    func.func @kernel_read_0(%x: memref<6xf32>, %y: memref<4xf32>, %lo: index, %hi: index) attributes {llvm.bareptr} {
      %c1 = arith.constant 1 : index
      %from = arith.constant FROM : index
      %to = arith.constant TO : index
      scf.for %i = %lo to %hi step %c1 {
        %at = arith.addi %i, %from : index
        %v = vector.load %x[%at] : memref<6xf32>, vector<2xf32>
        %0 = vector.reduction <add>, %v : vector<2xf32> into f32
        %there = arith.addi %i, %to : index
        memref.store %0, %y[%there] : memref<4xf32>
      }
      return
    }
  }
  func.func private @kernel_read_0(memref<6xf32>, memref<4xf32>, index, index) attributes {llvm.bareptr}
  func.func @main(%x: memref<6xf32>, %y: memref<4xf32>, %workspace: memref<?xi8>) attributes {
      fusion.entry = {inputs = [tensor<6xf32>], outputs = [tensor<4xf32>], input_names = ["x"], output_names = ["y"], workspace_size = 0 : i64}} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    func.call @kernel_read_0(%x, %y, %c0, %c4) : (memref<6xf32>, memref<4xf32>, index, index) -> ()
    return
  }
}
