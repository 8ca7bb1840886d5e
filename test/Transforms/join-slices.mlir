// RUN: mlir-fusion-opt %s --fusion-join-slices | FileCheck %s

// What is computed first is inserted first, so that its place is there before it is computed.
// CHECK-LABEL: func @order
// CHECK: %[[A:.*]] = linalg.exp
// CHECK: %[[B:.*]] = linalg.exp ins(%[[A]]
// CHECK: %[[E:.*]] = tensor.empty() : tensor<8xf32>
// CHECK-NEXT: %[[I:.*]] = tensor.insert_slice %[[A]] into %[[E]][4] [4] [1]
// CHECK-NEXT: %[[J:.*]] = tensor.insert_slice %[[B]] into %[[I]][0] [4] [1]
// CHECK-NEXT: return %[[J]]
func.func @order(%x: tensor<4xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %new = tensor.empty() : tensor<8xf32>
  %0 = tensor.insert_slice %b into %new[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %1 = tensor.insert_slice %a into %0[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %1 : tensor<8xf32>
}

// A part that is itself put together, and read nowhere else, goes in part by part.
// CHECK-LABEL: func @nested
// CHECK-SAME: %[[A:[a-z0-9]*]]: tensor<2xf32>, %[[B:[a-z0-9]*]]: tensor<2xf32>, %[[C:[a-z0-9]*]]: tensor<4xf32>)
// CHECK: %[[E:.*]] = tensor.empty() : tensor<8xf32>
// CHECK-NEXT: %[[I:.*]] = tensor.insert_slice %[[C]] into %[[E]][0] [4] [1]
// CHECK-NEXT: %[[J:.*]] = tensor.insert_slice %[[A]] into %[[I]][4] [2] [1]
// CHECK-NEXT: %[[K:.*]] = tensor.insert_slice %[[B]] into %[[J]][6] [2] [1]
// CHECK-NEXT: return %[[K]]
func.func @nested(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<4xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = tensor.insert_slice %a into %e[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %1 = tensor.insert_slice %b into %0[2] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %new = tensor.empty() : tensor<8xf32>
  %2 = tensor.insert_slice %c into %new[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %3 = tensor.insert_slice %1 into %2[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %3 : tensor<8xf32>
}

// Quarters are apart, though not along one dim.
// CHECK-LABEL: func @quarters
// CHECK: %[[A:.*]] = linalg.exp
// CHECK: %[[B:.*]] = linalg.exp ins(%[[A]]
// CHECK: tensor.insert_slice %[[A]] into %{{.*}}[2, 0]
// CHECK: tensor.insert_slice %[[A]] into %{{.*}}[0, 2]
// CHECK: tensor.insert_slice %[[B]] into %{{.*}}[0, 0]
// CHECK: tensor.insert_slice %[[B]] into %{{.*}}[2, 2]
func.func @quarters(%x: tensor<2x2xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<2x2xf32>
  %a = linalg.exp ins(%x : tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  %b = linalg.exp ins(%a : tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  %new = tensor.empty() : tensor<4x4xf32>
  %0 = tensor.insert_slice %b into %new[0, 0] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x4xf32>
  %1 = tensor.insert_slice %a into %0[2, 0] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x4xf32>
  %2 = tensor.insert_slice %a into %1[0, 2] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x4xf32>
  %3 = tensor.insert_slice %b into %2[2, 2] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// Of slices that overlap the later one counts.
// CHECK-LABEL: func @overlap
// CHECK: %[[A:.*]] = linalg.exp
// CHECK: %[[B:.*]] = linalg.exp ins(%[[A]]
// CHECK: %[[I:.*]] = tensor.insert_slice %[[B]] into
// CHECK: tensor.insert_slice %[[A]] into %[[I]]
func.func @overlap(%x: tensor<4xf32>) -> tensor<7xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %new = tensor.empty() : tensor<7xf32>
  %0 = tensor.insert_slice %b into %new[0] [4] [1] : tensor<4xf32> into tensor<7xf32>
  %1 = tensor.insert_slice %a into %0[3] [4] [1] : tensor<4xf32> into tensor<7xf32>
  return %1 : tensor<7xf32>
}

// What was there before is needed.
// CHECK-LABEL: func @into_a_value
// CHECK-SAME: %[[OLD:[a-z0-9]*]]: tensor<8xf32>)
// CHECK: %[[B:.*]] = linalg.exp ins(%{{.*}}
// CHECK: tensor.insert_slice %{{.*}} into %[[OLD]][0]
func.func @into_a_value(%x: tensor<4xf32>, %old: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = tensor.insert_slice %b into %old[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %1 = tensor.insert_slice %a into %0[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %1 : tensor<8xf32>
}

// What lies between is read elsewhere.
// CHECK-LABEL: func @other_reader
// CHECK: %[[I:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0]
// CHECK: %[[J:.*]] = tensor.insert_slice %{{.*}} into %[[I]][4]
// CHECK: return %[[I]], %[[J]]
func.func @other_reader(%x: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %new = tensor.empty() : tensor<8xf32>
  %0 = tensor.insert_slice %b into %new[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %1 = tensor.insert_slice %a into %0[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
