// The last access of each function is outside of its buffer; those before it are inside.
func.func private @index(%i: index) -> index {
  return %i : index
}
func.func @element() {
  %x = memref.alloc() : memref<4x16xf32>
  %i = arith.constant 4 : index
  %c0 = arith.constant 0 : index
  %at = call @index(%i) : (index) -> index
  %0 = memref.load %x[%at, %c0] : memref<4x16xf32>
  vector.print %0 : f32
  return
}
func.func @before() {
  %x = memref.alloc() : memref<16xf32>
  %v = arith.constant 1.0 : f32
  %i = arith.constant -1 : index
  %at = call @index(%i) : (index) -> index
  memref.store %v, %x[%at] : memref<16xf32>
  %0 = memref.load %x[%at] : memref<16xf32>
  vector.print %0 : f32
  return
}
func.func @whole() {
  %x = memref.alloc() : memref<16xf32>
  %i = arith.constant 9 : index
  %at = call @index(%i) : (index) -> index
  %0 = vector.load %x[%at] : memref<16xf32>, vector<8xf32>
  vector.print %0 : vector<8xf32>
  return
}
func.func @constant_mask() {
  %x = memref.alloc() : memref<16xf32>
  %v = arith.constant dense<1.0> : vector<8xf32>
  %i = arith.constant 12 : index
  %at = call @index(%i) : (index) -> index
  %mask = vector.constant_mask [5] : vector<8xi1>
  vector.maskedstore %x[%at], %mask, %v : memref<16xf32>, vector<8xi1>, vector<8xf32>
  return
}
// Lanes 0, 2 and 3; only the last is outside.
func.func @mask() {
  %x = memref.alloc() : memref<16xf32>
  %v = arith.constant dense<1.0> : vector<8xf32>
  %mask = arith.constant dense<[true, false, true, true, false, false, false, false]> : vector<8xi1>
  %i = arith.constant 12 : index
  %at = call @index(%i) : (index) -> index
  %0 = vector.maskedload %x[%at], %mask, %v : memref<16xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  vector.print %0 : vector<8xf32>
  %j = arith.constant 13 : index
  %behind = call @index(%j) : (index) -> index
  %1 = vector.maskedload %x[%behind], %mask, %v : memref<16xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  vector.print %1 : vector<8xf32>
  return
}
// A mask may hide what lies before the buffer.
func.func @mask_before() {
  %x = memref.alloc() : memref<16xf32>
  %v = arith.constant dense<1.0> : vector<4xf32>
  %mask = arith.constant dense<[false, true, true, true]> : vector<4xi1>
  %i = arith.constant -1 : index
  %at = call @index(%i) : (index) -> index
  vector.maskedstore %x[%at], %mask, %v : memref<16xf32>, vector<4xi1>, vector<4xf32>
  %c0 = arith.constant 0 : index
  %0 = memref.load %x[%c0] : memref<16xf32>
  vector.print %0 : f32
  %j = arith.constant -2 : index
  %before = call @index(%j) : (index) -> index
  vector.maskedstore %x[%before], %mask, %v : memref<16xf32>, vector<4xi1>, vector<4xf32>
  return
}
func.func @packed() {
  %x = memref.alloc() : memref<16xf32>
  %v = arith.constant dense<1.0> : vector<4xf32>
  %mask = arith.constant dense<[false, true, false, true]> : vector<4xi1>
  %i = arith.constant 15 : index
  %at = call @index(%i) : (index) -> index
  vector.compressstore %x[%at], %mask, %v : memref<16xf32>, vector<4xi1>, vector<4xf32>
  return
}
func.func @gather() {
  %x = memref.alloc() : memref<4x4xf32>
  %v = arith.constant dense<1.0> : vector<4xf32>
  %mask = arith.constant dense<[true, true, true, false]> : vector<4xi1>
  %offsets = arith.constant dense<[0, 11, 12, 99]> : vector<4xi32>
  %c0 = arith.constant 0 : index
  %i = arith.constant 1 : index
  %at = call @index(%i) : (index) -> index
  %0 = vector.gather %x[%at, %c0] [%offsets], %mask, %v : memref<4x4xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.print %0 : vector<4xf32>
  return
}
func.func @transfer() {
  %x = memref.alloc() : memref<4x16xf32>
  %pad = arith.constant 0.0 : f32
  %i = arith.constant 3 : index
  %j = arith.constant 9 : index
  %row = call @index(%i) : (index) -> index
  %at = call @index(%j) : (index) -> index
  %0 = vector.transfer_read %x[%row, %at], %pad {in_bounds = [false]} : memref<4x16xf32>, vector<8xf32>
  vector.print %0 : vector<8xf32>
  %1 = vector.transfer_read %x[%row, %at], %pad {in_bounds = [true]} : memref<4x16xf32>, vector<8xf32>
  vector.print %1 : vector<8xf32>
  return
}
// Two vectors of a row each.
func.func @transfer_rows() {
  %x = memref.alloc() : memref<4x16xf32>
  %pad = arith.constant 0.0 : f32
  %i = arith.constant 3 : index
  %c0 = arith.constant 0 : index
  %row = call @index(%i) : (index) -> index
  %0 = vector.transfer_read %x[%row, %c0], %pad {in_bounds = [true, true]} : memref<4x16xf32>, vector<2x8xf32>
  vector.print %0 : vector<2x8xf32>
  return
}
func.func @slice() {
  %x = memref.alloc() : memref<8x16xf32>
  %i = arith.constant 2 : index
  %rows = call @index(%i) : (index) -> index
  %0 = memref.subview %x[%rows, 0] [3, 16] [3, 1] : memref<8x16xf32> to memref<3x16xf32, strided<[48, 1], offset: ?>>
  %c0 = arith.constant 0 : index
  %1 = memref.load %0[%c0, %c0] : memref<3x16xf32, strided<[48, 1], offset: ?>>
  vector.print %1 : f32
  return
}
// A view of wrong strides: its own sizes allow what its buffer does not have.
func.func @view() {
  %x = memref.alloc() : memref<8x16xf32>
  %i = arith.constant 17 : index
  %stride = call @index(%i) : (index) -> index
  %0 = memref.reinterpret_cast %x to offset: [0], sizes: [8, 16], strides: [%stride, 1] : memref<8x16xf32> to memref<8x16xf32, strided<[?, 1]>>
  %c0 = arith.constant 0 : index
  %1 = memref.load %0[%c0, %c0] : memref<8x16xf32, strided<[?, 1]>>
  vector.print %1 : f32
  return
}
func.func @arena() {
  %arena = memref.alloc() : memref<256xi8>
  %i = arith.constant 64 : index
  %n = arith.constant 49 : index
  %start = call @index(%i) : (index) -> index
  %0 = memref.view %arena[%start][%n] : memref<256xi8> to memref<?xf32>
  %c0 = arith.constant 0 : index
  %1 = memref.load %0[%c0] : memref<?xf32>
  vector.print %1 : f32
  return
}
func.func private @take(%x: memref<8xf32>) {
  return
}
func.func @cast() {
  %i = arith.constant 7 : index
  %n = call @index(%i) : (index) -> index
  %x = memref.alloc(%n) : memref<?xf32>
  %0 = memref.cast %x : memref<?xf32> to memref<8xf32>
  call @take(%0) : (memref<8xf32>) -> ()
  return
}
func.func @affine() {
  %x = memref.alloc() : memref<4xf32>
  affine.for %i = 0 to 4 {
    %0 = affine.load %x[%i + 1] : memref<4xf32>
    affine.store %0, %x[%i] : memref<4xf32>
  }
  return
}
func.func @affine_vector() {
  %x = memref.alloc() : memref<4x16xf32>
  affine.for %i = 0 to 4 {
    %0 = affine.vector_load %x[%i, 2 * %i] : memref<4x16xf32>, vector<8xf32>
    affine.vector_store %0, %x[%i, 5 * %i] : memref<4x16xf32>, vector<8xf32>
  }
  return
}
// Nothing is accessed: a loop of no trips, an empty slice at the end, a prefetch.
func.func @nothing() {
  %x = memref.alloc() : memref<8x16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = arith.constant 8 : index
  %end = call @index(%i) : (index) -> index
  %none = call @index(%c0) : (index) -> index
  %0 = memref.subview %x[%end, 0] [%none, 16] [1, 1] : memref<8x16xf32> to memref<?x16xf32, strided<[16, 1], offset: ?>>
  scf.for %row = %c0 to %none step %c1 {
    %1 = memref.load %0[%row, %c0] : memref<?x16xf32, strided<[16, 1], offset: ?>>
    vector.print %1 : f32
  }
  memref.prefetch %x[%end, %c0], read, locality<3>, data : memref<8x16xf32>
  vector.print %end : index
  return
}
