func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  return %x : tensor<2xf32>
}
// -----
func.func @g() {
  "linalg.fill"() : () -> ()
}
