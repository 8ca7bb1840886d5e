// RUN: mlir-fusion-opt %s --fusion-raise | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-raise --remarks-filter=fusion --remark-policy=final -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// REMARK-DAG: [Passed] raise-average {{.*}}fused: the sum and the division are an average

// CHECK-LABEL: func @constant(
// CHECK: %[[Y:.*]] = fusion.pool average ins({{.*}} : tensor<1x8x7x7xf32>) outs({{.*}}) {window = [7, 7]} -> tensor<1x8x1x1xf32>
// CHECK-NEXT: return %[[Y]]
func.func @constant(%x: tensor<1x8x7x7xf32>) -> tensor<1x8x1x1xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 49.0 : f32
  %k = tensor.empty() : tensor<7x7xf32>
  %e = tensor.empty() : tensor<1x8x1x1xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32>
  %s = linalg.pooling_nchw_sum ins(%x, %k : tensor<1x8x7x7xf32>, tensor<7x7xf32>) outs(%i : tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s : tensor<1x8x1x1xf32>) outs(%e : tensor<1x8x1x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %d = arith.divf %in, %count : f32
    linalg.yield %d : f32
  } -> tensor<1x8x1x1xf32>
  return %y : tensor<1x8x1x1xf32>
}

// The border counts.
// CHECK-LABEL: func @padded(
// CHECK: fusion.pool average ins({{.*}} : tensor<1x6x6x8xf32>) outs({{.*}}) {count_include_pad, layout = channels_last, pad_high = [1, 1], pad_low = [1, 1], window = [3, 3]} -> tensor<1x6x6x8xf32>
func.func @padded(%x: tensor<1x6x6x8xf32>, %e: tensor<1x6x6x8xf32>) -> tensor<1x6x6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant dense<9.0> : tensor<f32>
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x6x6x8xf32> to tensor<1x8x8x8xf32>
  %k = tensor.empty() : tensor<3x3xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x6x6x8xf32>) -> tensor<1x6x6x8xf32>
  %s = linalg.pooling_nhwc_sum ins(%p, %k : tensor<1x8x8x8xf32>, tensor<3x3xf32>) outs(%i : tensor<1x6x6x8xf32>) -> tensor<1x6x6x8xf32>
  %y = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1, d2, d3) -> ()>, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s, %count : tensor<1x6x6x8xf32>, tensor<f32>) outs(%e : tensor<1x6x6x8xf32>) {
  ^bb0(%in: f32, %by: f32, %out: f32):
    %d = arith.divf %in, %by : f32
    linalg.yield %d : f32
  } -> tensor<1x6x6x8xf32>
  return %y : tensor<1x6x6x8xf32>
}

// The border does not count: from the position to its window's ends inside the image, as torch-mlir writes it. The
// rounding to bf16 stays.
// CHECK-LABEL: func @index_arithmetic(
// CHECK: %[[Y:.*]] = fusion.pool average ins({{.*}} : tensor<1x2x5x4xf32>) outs({{.*}}) {pad_high = [0, 1], pad_low = [1, 1], strides = [2, 1], window = [3, 3]} -> tensor<1x2x2x4xf32>
// CHECK: linalg.generic {{.*}} ins(%[[Y]] : tensor<1x2x2x4xf32>)
// CHECK-NOT: linalg.index
// CHECK: arith.truncf
func.func @index_arithmetic(%x: tensor<1x2x5x4xf32>, %e: tensor<1x2x2x4xf32>, %f: tensor<1x2x2x4xbf16>) -> tensor<1x2x2x4xbf16> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c3 = arith.constant 3 : i64
  %c4 = arith.constant 4 : i64
  %c5 = arith.constant 5 : i64
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 0, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x2x5x4xf32> to tensor<1x2x6x6xf32>
  %k = tensor.empty() : tensor<3x3xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  %s = linalg.pooling_nchw_sum {strides = dense<[2, 1]> : vector<2xi64>} ins(%p, %k : tensor<1x2x6x6xf32>, tensor<3x3xf32>)
    outs(%i : tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s : tensor<1x2x2x4xf32>) outs(%f : tensor<1x2x2x4xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %h = linalg.index 2 : index
    %w = linalg.index 3 : index
    %h64 = arith.index_cast %h : index to i64
    %w64 = arith.index_cast %w : index to i64
    %hs = arith.muli %h64, %c2 : i64
    %h0 = arith.subi %hs, %c1 : i64
    %h1 = arith.addi %h0, %c3 : i64
    %h2 = arith.maxsi %h0, %c0 : i64
    %h3 = arith.minsi %h1, %c5 : i64
    %hn = arith.subi %h3, %h2 : i64
    %w0 = arith.subi %w64, %c1 : i64
    %w1 = arith.addi %w0, %c3 : i64
    %w2 = arith.maxsi %w0, %c0 : i64
    %w3 = arith.minsi %w1, %c4 : i64
    %wn = arith.subi %w3, %w2 : i64
    %n = arith.muli %hn, %wn : i64
    %nf = arith.sitofp %n : i64 to f32
    %d = arith.divf %in, %nf : f32
    %t = arith.truncf %d : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<1x2x2x4xbf16>
  return %y : tensor<1x2x2x4xbf16>
}

// Another divisor is another number: the reader's division is absorbed as it is.
// CHECK-LABEL: func @other_divisor(
// CHECK: fusion.pool sum
func.func @other_divisor(%x: tensor<1x8x7x7xf32>, %e: tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 48.0 : f32
  %k = tensor.empty() : tensor<7x7xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32>
  %s = linalg.pooling_nchw_sum ins(%x, %k : tensor<1x8x7x7xf32>, tensor<7x7xf32>) outs(%i : tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s : tensor<1x8x1x1xf32>) outs(%e : tensor<1x8x1x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %d = arith.divf %in, %count : f32
    linalg.yield %d : f32
  } -> tensor<1x8x1x1xf32>
  return %y : tensor<1x8x1x1xf32>
}

// The sum itself is read too.
// CHECK-LABEL: func @sum_is_read(
// CHECK: fusion.pool sum
func.func @sum_is_read(%x: tensor<1x8x7x7xf32>, %e: tensor<1x8x1x1xf32>) -> (tensor<1x8x1x1xf32>, tensor<1x8x1x1xf32>) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 49.0 : f32
  %k = tensor.empty() : tensor<7x7xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32>
  %s = linalg.pooling_nchw_sum ins(%x, %k : tensor<1x8x7x7xf32>, tensor<7x7xf32>) outs(%i : tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s : tensor<1x8x1x1xf32>) outs(%e : tensor<1x8x1x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %d = arith.divf %in, %count : f32
    linalg.yield %d : f32
  } -> tensor<1x8x1x1xf32>
  return %s, %y : tensor<1x8x1x1xf32>, tensor<1x8x1x1xf32>
}

// An image of any size: the count is a product of one number for each row and one for each column.
// CHECK-LABEL: func @large_image(
// CHECK: fusion.pool average ins({{.*}})
func.func @large_image(%x: tensor<1x1x300x400xf32>, %e: tensor<1x1x300x400xf32>) -> tensor<1x1x300x400xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ch = arith.constant 300 : index
  %cw = arith.constant 400 : index
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x1x300x400xf32> to tensor<1x1x302x402xf32>
  %k = tensor.empty() : tensor<3x3xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1x300x400xf32>) -> tensor<1x1x300x400xf32>
  %s = linalg.pooling_nchw_sum ins(%p, %k : tensor<1x1x302x402xf32>, tensor<3x3xf32>) outs(%i : tensor<1x1x300x400xf32>) -> tensor<1x1x300x400xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s : tensor<1x1x300x400xf32>) outs(%e : tensor<1x1x300x400xf32>) {
  ^bb0(%in: f32, %out: f32):
    %h = linalg.index 2 : index
    %w = linalg.index 3 : index
    %h0 = arith.subi %h, %c1 : index
    %h1 = arith.addi %h, %c2 : index
    %h2 = arith.maxsi %h0, %c0 : index
    %h3 = arith.minsi %h1, %ch : index
    %hn = arith.subi %h3, %h2 : index
    %w0 = arith.subi %w, %c1 : index
    %w1 = arith.addi %w, %c2 : index
    %w2 = arith.maxsi %w0, %c0 : index
    %w3 = arith.minsi %w1, %cw : index
    %wn = arith.subi %w3, %w2 : index
    %n = arith.muli %hn, %wn : index
    %n64 = arith.index_cast %n : index to i64
    %nf = arith.sitofp %n64 : i64 to f32
    %d = arith.divf %in, %nf : f32
    linalg.yield %d : f32
  } -> tensor<1x1x300x400xf32>
  return %y : tensor<1x1x300x400xf32>
}

// The factors are cast first.
// CHECK-LABEL: func @product_of_casts(
// CHECK: fusion.pool average ins({{.*}})
func.func @product_of_casts(%x: tensor<1x1x300x400xf32>, %e: tensor<1x1x300x400xf32>) -> tensor<1x1x300x400xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ch = arith.constant 300 : index
  %cw = arith.constant 400 : index
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x1x300x400xf32> to tensor<1x1x302x402xf32>
  %k = tensor.empty() : tensor<3x3xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1x300x400xf32>) -> tensor<1x1x300x400xf32>
  %s = linalg.pooling_nchw_sum ins(%p, %k : tensor<1x1x302x402xf32>, tensor<3x3xf32>) outs(%i : tensor<1x1x300x400xf32>) -> tensor<1x1x300x400xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s : tensor<1x1x300x400xf32>) outs(%e : tensor<1x1x300x400xf32>) {
  ^bb0(%in: f32, %out: f32):
    %h = linalg.index 2 : index
    %w = linalg.index 3 : index
    %h0 = arith.subi %h, %c1 : index
    %h1 = arith.addi %h, %c2 : index
    %h2 = arith.maxsi %h0, %c0 : index
    %h3 = arith.minsi %h1, %ch : index
    %hn = arith.subi %h3, %h2 : index
    %w0 = arith.subi %w, %c1 : index
    %w1 = arith.addi %w, %c2 : index
    %w2 = arith.maxsi %w0, %c0 : index
    %w3 = arith.minsi %w1, %cw : index
    %wn = arith.subi %w3, %w2 : index
    %h64 = arith.index_cast %hn : index to i64
    %hf = arith.sitofp %h64 : i64 to f32
    %w64 = arith.index_cast %wn : index to i64
    %wf = arith.sitofp %w64 : i64 to f32
    %nf = arith.mulf %hf, %wf : f32
    %d = arith.divf %in, %nf : f32
    linalg.yield %d : f32
  } -> tensor<1x1x300x400xf32>
  return %y : tensor<1x1x300x400xf32>
}

// No product: each position of a small image is asked.
// CHECK-LABEL: func @at_least_one(
// CHECK: fusion.pool average ins({{.*}})
func.func @at_least_one(%x: tensor<1x1x6x5xf32>, %e: tensor<1x1x6x5xf32>) -> tensor<1x1x6x5xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ch = arith.constant 6 : index
  %cw = arith.constant 5 : index
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x1x6x5xf32> to tensor<1x1x8x7xf32>
  %k = tensor.empty() : tensor<3x3xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1x6x5xf32>) -> tensor<1x1x6x5xf32>
  %s = linalg.pooling_nchw_sum ins(%p, %k : tensor<1x1x8x7xf32>, tensor<3x3xf32>) outs(%i : tensor<1x1x6x5xf32>) -> tensor<1x1x6x5xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s : tensor<1x1x6x5xf32>) outs(%e : tensor<1x1x6x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %h = linalg.index 2 : index
    %w = linalg.index 3 : index
    %h0 = arith.subi %h, %c1 : index
    %h1 = arith.addi %h, %c2 : index
    %h2 = arith.maxsi %h0, %c0 : index
    %h3 = arith.minsi %h1, %ch : index
    %hn = arith.subi %h3, %h2 : index
    %w0 = arith.subi %w, %c1 : index
    %w1 = arith.addi %w, %c2 : index
    %w2 = arith.maxsi %w0, %c0 : index
    %w3 = arith.minsi %w1, %cw : index
    %wn = arith.subi %w3, %w2 : index
    %n = arith.muli %hn, %wn : index
    %m = arith.maxsi %n, %c1 : index
    %n64 = arith.index_cast %m : index to i64
    %nf = arith.sitofp %n64 : i64 to f32
    %d = arith.divf %in, %nf : f32
    linalg.yield %d : f32
  } -> tensor<1x1x6x5xf32>
  return %y : tensor<1x1x6x5xf32>
}

// One of a large image is too many to ask.
// CHECK-LABEL: func @at_least_one_large(
// CHECK: fusion.pool sum ins({{.*}})
func.func @at_least_one_large(%x: tensor<1x1x300x400xf32>, %e: tensor<1x1x300x400xf32>) -> tensor<1x1x300x400xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ch = arith.constant 300 : index
  %cw = arith.constant 400 : index
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x1x300x400xf32> to tensor<1x1x302x402xf32>
  %k = tensor.empty() : tensor<3x3xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1x300x400xf32>) -> tensor<1x1x300x400xf32>
  %s = linalg.pooling_nchw_sum ins(%p, %k : tensor<1x1x302x402xf32>, tensor<3x3xf32>) outs(%i : tensor<1x1x300x400xf32>) -> tensor<1x1x300x400xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s : tensor<1x1x300x400xf32>) outs(%e : tensor<1x1x300x400xf32>) {
  ^bb0(%in: f32, %out: f32):
    %h = linalg.index 2 : index
    %w = linalg.index 3 : index
    %h0 = arith.subi %h, %c1 : index
    %h1 = arith.addi %h, %c2 : index
    %h2 = arith.maxsi %h0, %c0 : index
    %h3 = arith.minsi %h1, %ch : index
    %hn = arith.subi %h3, %h2 : index
    %w0 = arith.subi %w, %c1 : index
    %w1 = arith.addi %w, %c2 : index
    %w2 = arith.maxsi %w0, %c0 : index
    %w3 = arith.minsi %w1, %cw : index
    %wn = arith.subi %w3, %w2 : index
    %n = arith.muli %hn, %wn : index
    %m = arith.maxsi %n, %c1 : index
    %n64 = arith.index_cast %m : index to i64
    %nf = arith.sitofp %n64 : i64 to f32
    %d = arith.divf %in, %nf : f32
    linalg.yield %d : f32
  } -> tensor<1x1x300x400xf32>
  return %y : tensor<1x1x300x400xf32>
}

// One column counts less.
// CHECK-LABEL: func @one_column_less(
// CHECK: fusion.pool sum ins({{.*}})
func.func @one_column_less(%x: tensor<1x1x300x400xf32>, %e: tensor<1x1x300x400xf32>) -> tensor<1x1x300x400xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ch = arith.constant 300 : index
  %cw = arith.constant 400 : index
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x1x300x400xf32> to tensor<1x1x302x402xf32>
  %k = tensor.empty() : tensor<3x3xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1x300x400xf32>) -> tensor<1x1x300x400xf32>
  %s = linalg.pooling_nchw_sum ins(%p, %k : tensor<1x1x302x402xf32>, tensor<3x3xf32>) outs(%i : tensor<1x1x300x400xf32>) -> tensor<1x1x300x400xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s : tensor<1x1x300x400xf32>) outs(%e : tensor<1x1x300x400xf32>) {
  ^bb0(%in: f32, %out: f32):
    %h = linalg.index 2 : index
    %w = linalg.index 3 : index
    %h0 = arith.subi %h, %c1 : index
    %h1 = arith.addi %h, %c2 : index
    %h2 = arith.maxsi %h0, %c0 : index
    %h3 = arith.minsi %h1, %ch : index
    %hn = arith.subi %h3, %h2 : index
    %w0 = arith.subi %w, %c1 : index
    %w1 = arith.addi %w, %c2 : index
    %w2 = arith.maxsi %w0, %c0 : index
    %w3 = arith.minsi %w1, %c2 : index
    %wn = arith.subi %w3, %w2 : index
    %n = arith.muli %hn, %wn : index
    %n64 = arith.index_cast %n : index to i64
    %nf = arith.sitofp %n64 : i64 to f32
    %d = arith.divf %in, %nf : f32
    linalg.yield %d : f32
  } -> tensor<1x1x300x400xf32>
  return %y : tensor<1x1x300x400xf32>
}

// A count that wraps is another number.
// CHECK-LABEL: func @count_wraps(
// CHECK: fusion.pool sum ins({{.*}})
func.func @count_wraps(%x: tensor<1x1x6x5xf32>, %e: tensor<1x1x6x5xf32>) -> tensor<1x1x6x5xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ch = arith.constant 6 : index
  %cw = arith.constant 5 : index
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x1x6x5xf32> to tensor<1x1x8x7xf32>
  %k = tensor.empty() : tensor<3x3xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1x6x5xf32>) -> tensor<1x1x6x5xf32>
  %s = linalg.pooling_nchw_sum ins(%p, %k : tensor<1x1x8x7xf32>, tensor<3x3xf32>) outs(%i : tensor<1x1x6x5xf32>) -> tensor<1x1x6x5xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s : tensor<1x1x6x5xf32>) outs(%e : tensor<1x1x6x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %h = linalg.index 2 : index
    %w = linalg.index 3 : index
    %h0 = arith.subi %h, %c1 : index
    %h1 = arith.addi %h, %c2 : index
    %h2 = arith.maxsi %h0, %c0 : index
    %h3 = arith.minsi %h1, %ch : index
    %hn = arith.subi %h3, %h2 : index
    %w0 = arith.subi %w, %c1 : index
    %w1 = arith.addi %w, %c2 : index
    %w2 = arith.maxsi %w0, %c0 : index
    %w3 = arith.minsi %w1, %cw : index
    %wn = arith.subi %w3, %w2 : index
    %n = arith.muli %hn, %wn : index
    %n4 = arith.index_cast %n : index to i4
    %nf = arith.sitofp %n4 : i4 to f32
    %d = arith.divf %in, %nf : f32
    linalg.yield %d : f32
  } -> tensor<1x1x6x5xf32>
  return %y : tensor<1x1x6x5xf32>
}

// A sum of the counts.
// CHECK-LABEL: func @sum_of_counts(
// CHECK: fusion.pool sum ins({{.*}})
func.func @sum_of_counts(%x: tensor<1x1x6x5xf32>, %e: tensor<1x1x6x5xf32>) -> tensor<1x1x6x5xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ch = arith.constant 6 : index
  %cw = arith.constant 5 : index
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x1x6x5xf32> to tensor<1x1x8x7xf32>
  %k = tensor.empty() : tensor<3x3xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1x6x5xf32>) -> tensor<1x1x6x5xf32>
  %s = linalg.pooling_nchw_sum ins(%p, %k : tensor<1x1x8x7xf32>, tensor<3x3xf32>) outs(%i : tensor<1x1x6x5xf32>) -> tensor<1x1x6x5xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s : tensor<1x1x6x5xf32>) outs(%e : tensor<1x1x6x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %h = linalg.index 2 : index
    %w = linalg.index 3 : index
    %h0 = arith.subi %h, %c1 : index
    %h1 = arith.addi %h, %c2 : index
    %h2 = arith.maxsi %h0, %c0 : index
    %h3 = arith.minsi %h1, %ch : index
    %hn = arith.subi %h3, %h2 : index
    %w0 = arith.subi %w, %c1 : index
    %w1 = arith.addi %w, %c2 : index
    %w2 = arith.maxsi %w0, %c0 : index
    %w3 = arith.minsi %w1, %cw : index
    %wn = arith.subi %w3, %w2 : index
    %n = arith.addi %hn, %wn : index
    %n64 = arith.index_cast %n : index to i64
    %nf = arith.sitofp %n64 : i64 to f32
    %d = arith.divf %in, %nf : f32
    linalg.yield %d : f32
  } -> tensor<1x1x6x5xf32>
  return %y : tensor<1x1x6x5xf32>
}
