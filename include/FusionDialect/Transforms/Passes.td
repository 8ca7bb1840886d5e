//===-- Passes.td - Passes that fuse and plan ------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Alphabetical.
#ifndef FUSION_TRANSFORMS_PASSES
#define FUSION_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"
include "mlir/Rewrite/PassUtil.td"

/// Of passes that say what came of their rules.
def TraceRules : Option<"traceRules", "trace-rules", "std::string", /*default=*/"",
  "Say in a remark what came of each rule on ops of this name, or with this text in their location.">;

/// Of passes that run rules.
def RulePassUtils {
  list<Option> options = !listconcat(RewritePassUtils.options, [TraceRules]);
}

def FusionAbsorbPass : Pass<"fusion-absorb"> {
  let summary = "Absorb elementwise consumers of roots into their epilogues";
  let description = [{
    First each elementwise op that is the only reader of a root moves into the root's epilogue, in program order; it may
    read the result through transposes and reshapes, which then follow the root instead. Then
    small graphs of elementwise ops become one `linalg.generic` (upstream's fusion, but never into a named op or a
    reduction and never of an op that a root could take), so that SiLU, GELU or Mish follow as a whole. What stays is
    elementwise code that no root feeds.

    ```mlir
    %0 = fusion.conv ins(%x, %w : …) outs(%init : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %1 = linalg.generic {…} ins(%0, %bias : …) outs(%init : …) { ^bb0(%in: f32, %b: f32, %out: f32): arith.addf … }
    ```
    becomes
    ```mlir
    %1 = fusion.conv ins(%x, %w : …) outs(%init : …) epilogue(%acc: f32, %b = %bias[1] : tensor<8xf32>) {
      %s = arith.addf %acc, %b : f32
      fusion.yield %s : f32
    } -> tensor<1x8x4x4xf32>
    ```
  }];
  let options = RulePassUtils.options;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::fusion::FusionDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def FusionAssertSizesPass : Pass<"fusion-assert-sizes", "::mlir::func::FuncOp"> {
  let summary = "Assert what ops expect of sizes before rewrites rely on it";
  let description = [{
    Sizes that must agree are one for whoever rewrites: a static one takes the place of a dynamic one, and that the
    two differ at run time is seen by nobody. What each op expects (see fusion-derive-shapes) is asserted at the head of
    its block, if it follows from the sizes of the function's arguments and is not known to hold. Data is not read, so
    that no op gets another reader.

    ```mlir
    func.func @main(%x: tensor<?x4xf32>, %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %w = arith.constant dense<…> : tensor<4x8xf32>
      %y = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x8xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
    ```
    gets
    ```mlir
    %n = tensor.dim %init, %c1 : tensor<?x?xf32>
    %agree = arith.cmpi eq, %n, %c8 : index
    cf.assert %agree, "expected sizes that agree in 'linalg.matmul'"
    ```
    and the same of the rows of `%x` and `%init`.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def FusionAssignLayoutPass : Pass<"fusion-assign-layout"> {
  let summary = "Bring convolutions and pools to channels-last";
  let description = [{
    Each `fusion.conv` and `fusion.pool` reads and writes channels-last images, since kernels do. A `linalg.transpose`
    goes in where an image comes or is wanted otherwise; it moves with the data flow through elementwise ops, reductions,
    pads, concatenations, slices and reshapes until it meets its inverse, so that transposes are left at the borders of
    the network only. One that moves only dims of size 1 becomes a reshape, one of a constant a constant, as do
    reshapes and slices of constants. Epilogue operands get ascending dims, a product's `transpose_rhs` becomes a
    transpose unless the rhs is a constant matrix, and a filter that is no constant becomes `spatial_in_out`.
    One walk over the module; constant filters are left alone.

    A last walk looks at the transposes that are left at the borders. Where only they want the other order a pointwise
    convolution between two of them becomes a product of its filter and the image as it lies in memory
    (multiply-channels-first), a depthwise one of at least 7 columns a channels-first convolution
    (keep-channels-first); any other writes its result channels-first itself (write-channels-first), and a pointwise
    one without stride reads its input so (read-channels-first).

    ```mlir
    %0 = fusion.conv ins(%x, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) outs(%i : tensor<1x4x6x6xf32>) -> …
    %1 = fusion.conv ins(%0, %v : tensor<1x4x6x6xf32>, tensor<4x4x1x1xf32>) outs(%j : tensor<1x4x6x6xf32>) -> …
    ```
    becomes
    ```mlir
    %t = linalg.transpose ins(%x : tensor<1x3x8x8xf32>) outs(%e : tensor<1x8x8x3xf32>) permutation = [0, 2, 3, 1]
    %0 = fusion.conv ins(%t, %w : tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>) outs(%i : tensor<1x6x6x4xf32>)
      {input_layout = channels_last, output_layout = channels_last} -> …
    %1 = fusion.conv ins(%0, %v : tensor<1x6x6x4xf32>, tensor<4x4x1x1xf32>) outs(%j : tensor<1x6x6x4xf32>)
      {input_layout = channels_last, output_layout = channels_last} -> …
    %u = linalg.transpose ins(%1 : tensor<1x6x6x4xf32>) outs(%k : tensor<1x4x6x6xf32>) permutation = [0, 3, 1, 2]
    ```
  }];
  let options = RulePassUtils.options;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"];
}

def FusionCanonicalizePass : Pass<"fusion-canonicalize"> {
  let summary = "Canonicalize, and say so if that has no end";
  let description = [{
    Upstream's `canonicalize`, which the stages use in its place: the canonicalizations of all dialects, those of plug-ins
    included, but one that is wrong (an insertion of a padded tensor into a fill, whose strides it forgets). Slices that
    drop one of several dims of size one become whole ones and a reshape first, since upstream may drop another. Rules
    that undo each other are an error at the op that they changed last; it names the one that was applied most.

    ```mlir
    %a = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
    %b = tensor.cast %a : tensor<?xf32> to tensor<4xf32>
    return %b : tensor<4xf32>
    ```
    becomes
    ```mlir
    return %x : tensor<4xf32>
    ```
  }];
}

def FusionConvertTosaPass : Pass<"fusion-convert-tosa"> {
  let summary = "Convert TOSA input to linalg and roots";
  let description = [{
    Functions with TOSA ops go through upstream's conversions to linalg, tensor, arith and scf (those of
    tosa-to-linalg-named, tosa-to-linalg, tosa-to-tensor, tosa-to-scf and tosa-to-arith), so that the rules of the stage
    see what they know. Ops of which these conversions lose what a root needs become roots before: transposed
    convolutions, max pools and average pools of floats. An op that is left is an error. Other functions are left alone.

    ```mlir
    %y = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : …
    ```
    becomes
    ```mlir
    %y = fusion.pool max ins(%x : …) outs(%e : …) {layout = channels_last, strides = [2, 2], window = [2, 2]} -> …
    ```
  }];
  let options = RulePassUtils.options;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::fusion::FusionDialect",
    "::mlir::index::IndexDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def FusionDecomposeUnsupportedPass : Pass<"fusion-decompose-unsupported"> {
  let summary = "Decompose what has no kernel";
  let description = [{
    A root that the kernel emitter does not take (such as one that sums in bytes, or of channels whose number is not known)
    becomes its decomposition to linalg, with a missed remark that says why. `linalg.softmax`, `linalg.pack` and the
    like, which have no loops, are decomposed too, and `tensor.concat` becomes `tensor.insert_slice` into a
    `tensor.empty`, of more than 32 parts in groups, each in a `bufferization.alloc_tensor` that is then copied. `tensor.gather`, `tensor.scatter` and `tensor.bitcast`, which have no form on memrefs, become linalg
    ops and loops. Roots with a kernel are left alone. Meant after `fusion-assign-layout` and before
    `fusion-pack-constants`: constant weights count as packed.

    ```mlir
    %0 = fusion.conv ins(%x, %w : tensor<1x8x8x4xi8>, tensor<4x4x1x1xi8>) …
    ```
    becomes a zero `linalg.fill` and a `linalg.generic` of multiply and add.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"host\"",
      "CPU that code is made for: host, x86-64-v3, x86-64-v4 or a CPU's name; with :FACT=VALUE,… where it differs">,
    TraceRules
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect", "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def FusionDeriveShapesPass : Pass<"fusion-derive-shapes", "ModuleOp"> {
  let summary = "Compute the sizes of the entry's results from those of its inputs";
  let description = [{
    If a type of the recorded entry has a dynamic size, a function beside it computes what a caller must know before the
    call. It takes one index for each dynamic size of the inputs and returns 0 if the entry can be called with these, else
    the number of a sentence in the entry's `shape_errors`, then one index for each dynamic size of the results. Its code
    is cloned from the entry. The entry's dictionary names it as `shapes`; fusion-plan-memory appends a result to it. In
    the entry, sizes of intermediate tensors are then computed from sizes of arguments, too.

    The entry can be called if each `cf.assert` holds and each op has what it expects: no size is negative, sizes that
    must agree do, windows, slices and indices lie in their tensors. Where that follows from the sizes of the inputs, also
    in branches and for all trips of loops, it is asked in the function, and an assertion is dropped from the entry: who
    calls it asks first. Where it does not, it is asserted in the entry. A result whose size depends on data is an error.

    ```mlir
    func.func @main(%x: tensor<?x3xf32>) -> tensor<?xf32> attributes {fusion.entry = {…}}
    ```
    gets
    ```mlir
    func.func private @main_shapes(%n: index) -> (index, index) {
      %size = arith.muli %n, %c3 : index
      return %c0, %size : index, index
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect", "::mlir::tensor::TensorDialect"];
}

def FusionExpandPaddingPass : Pass<"fusion-expand-padding"> {
  let summary = "Fill borders and compute what is padded in its place";
  let description = [{
    A `tensor.pad` of constant amounts by a constant becomes a new tensor of which only the border is filled, and an
    insertion of the source. The border is filled before the source is computed, so that eliminate-empty-tensors and
    one-shot-bufferize let the source be written where it is padded: no copy.

    ```mlir
    %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %p = tensor.pad %y low[1] high[0] { … %zero … } : tensor<4xf32> to tensor<5xf32>
    ```
    becomes
    ```mlir
    %b = tensor.extract_slice %new[0] [1] [1] : tensor<5xf32> to tensor<1xf32>
    %f = linalg.fill ins(%zero : f32) outs(%b : tensor<1xf32>) -> tensor<1xf32>
    %n = tensor.insert_slice %f into %new[0] [1] [1] : tensor<1xf32> into tensor<5xf32>
    %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %p = tensor.insert_slice %y into %n[1] [4] [1] : tensor<4xf32> into tensor<5xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"];
}

def FusionFoldConstantsPass : Pass<"fusion-fold-constants"> {
  let summary = "Hoist arithmetic on channels out of epilogues and fold it into constants and weights";
  let description = [{
    A batch norm in an epilogue becomes one multiply-add with a scale and a shift per channel, which are computed before
    the root; where they are constants they are computed here, in f64; and a constant scale goes into constant weights,
    so that only the shift is left. A weight with other readers is copied only where the copy is small. Resources that
    are missing, short or misaligned are errors. Last, in f32 and f64, divisions by constants become multiplications,
    two constant factors one, and choices of the larger or smaller value such as are one instruction: a last bit may
    differ, or the sign of a zero, but under strict. No decision differs: what goes through elementwise ops, moves of
    elements and maxima into a rounding, a conversion to integers, a comparison other than such a choice, a remainder or
    an op of another dialect stays as it is written, unless it is divided by a power of two, which is exact. A sum ends
    that search: its last bits are those of its order. Two factors are merged if both are at least 1 or both at most 1
    in size, and their product is a normal number: then x * c overflows or underflows only where x * (c * d) does.

    ```mlir
    %0 = fusion.conv ins(%x, %w : …) outs(…) epilogue(%acc: f32, %m = %mean[1] : …, %r = %factor[1] : …) {
      %1 = arith.subf %acc, %m : f32
      %2 = arith.mulf %1, %r : f32
      fusion.yield %2 : f32
    } -> tensor<1x8x4x4xf32>
    ```
    becomes, with constants `%w2 = %w * %factor` and `%t = -%mean * %factor`,
    ```mlir
    %0 = fusion.conv ins(%x, %w2 : …) outs(…) epilogue(%acc: f32, %s = %t[1] : …) {
      %1 = arith.addf %acc, %s : f32
      fusion.yield %1 : f32
    } -> tensor<1x8x4x4xf32>
    ```
  }];
  let options = !listconcat(RulePassUtils.options, [
    Option<"fpAccuracy", "fp-accuracy", "::mlir::fusion::FPAccuracy", "::mlir::fusion::FPAccuracy::Default",
      "How freely rounding may change.", [{::llvm::cl::values(
        clEnumValN(::mlir::fusion::FPAccuracy::Strict, "strict", "Nothing is re-associated or folded through a sum."),
        clEnumValN(::mlir::fusion::FPAccuracy::Default, "default", "Batch norm is folded."),
        clEnumValN(::mlir::fusion::FPAccuracy::Fast, "fast", "As default."))}]>
  ]);
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::fusion::FusionDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def FusionInstrumentPass : Pass<"fusion-instrument", "ModuleOp"> {
  let summary = "Take the time of everything that the entry function does";
  let description = [{
    After fusion-outline-kernels with `describe`. Each op of the entry that costs time becomes a site: calls, parallel loops,
    copies, allocations, and loops that call no kernel; of other loops and of branches the ops in them. A site stands
    between calls of two functions that are only declared; who emits the code defines them:

    ```mlir
    %begin = func.call @fusion_profile_begin() : () -> i64
    func.call @kernel_conv_0(%x, %w, %y, %lo, %hi) : (...) -> ()
    func.call @fusion_profile_end(%site, %begin) : (i64, i64) -> ()
    ```

    The entry's dictionary gets `profile`: for each site, by its number, its `kernel`, its location (`loc`, as text) and
    what the kernel's `fusion.work` says. Where that depends on sizes known at run time, the numbers are computed from
    them and passed to a third function, `fusion_profile_work(site, flops, epilogue flops, bytes read, constant ones of
    these, bytes written)`, each time before the site. What is not worth a site (views, indices, single loads and stores, the number
    of threads) is left alone, and so are all other functions.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect"];
}

def FusionJoinSlicesPass : Pass<"fusion-join-slices"> {
  let summary = "Bring concatenations into the form in which each part is computed in its place";
  let description = [{
    A tensor that is put together by `tensor.insert_slice`s into a `tensor.empty` is inserted slice by slice in the order
    in which the slices are computed, and a slice that is itself put together is inserted part by part. A place can then
    be had before its slice is computed, which is what eliminate-empty-tensors asks. Slices that overlap keep their order.

    ```mlir
    %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %b = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %0 = tensor.insert_slice %b into %new[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
    %1 = tensor.insert_slice %a into %0[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
    ```
    becomes
    ```mlir
    %0 = tensor.insert_slice %a into %new[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
    %1 = tensor.insert_slice %b into %0[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::tensor::TensorDialect"];
}

def FusionMaterializePaddingPass : Pass<"fusion-materialize-padding"> {
  let summary = "Make the padding of convolutions explicit";
  let description = [{
    A `fusion.conv` with padding reads a `tensor.pad` of its input by zero instead, since its kernel asks no element
    whether it is padding. That is so of windows that are too large for code of their own at each edge, of images of
    unknown width, and of weights that are not known to be finite, as zero times those is not zero. Other convolutions
    keep their padding: their kernels skip the part of a window that is outside the image. Pools keep theirs, too.

    ```mlir
    %0 = fusion.conv ins(%x, %w : tensor<1x8x?x4xf32>, …) … {pad_low = [1, 1], pad_high = [1, 1], …} -> …
    ```
    becomes
    ```mlir
    %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] { … tensor.yield %zero : f32 } : … to tensor<1x10x?x4xf32>
    %0 = fusion.conv ins(%p, %w : tensor<1x10x?x4xf32>, …) … -> …
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"host\"",
      "CPU that code is made for: host, x86-64-v3, x86-64-v4 or a CPU's name; with :FACT=VALUE,… where it differs">,
    Option<"skipPadding", "skip-padding", "bool", /*default=*/"true",
      "Leave padding to kernels that skip it; off, they read padded images">,
    TraceRules
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def FusionNormalizeEntryPass : Pass<"fusion-normalize-entry", "ModuleOp"> {
  let summary = "Make the entry a function that callers can be given";
  let description = [{
    Scalars that the entry takes or returns become tensors of rank 0. An entry that is called inside the module (by
    itself, too) becomes a function that calls a private copy, which the other callers call instead. Other functions are
    left alone.

    ```mlir
    func.func @main(%x: tensor<4xf32>, %s: f32) -> tensor<4xf32> { … %s … }
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<4xf32>, %t: tensor<f32>) -> tensor<4xf32> {
      %s = tensor.extract %t[] : tensor<f32>
      … %s …
    }
    ```
  }];
  let options = [Option<"entry", "entry", "std::string", /*default=*/"",
    "Name of the entry function; by default the only public function with a body, else main.">];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def FusionOutlineKernelsPass : Pass<"fusion-outline-kernels", "ModuleOp"> {
  let summary = "Make kernels of what computes on buffers";
  let description = [{
    Every root, every other linalg op and every copy on memrefs becomes a function in a module of its own (so that
    kernels are compiled side by side), a private declaration of it and a call. Equal kernels exist once. A kernel takes
    the op's operands and a range `%lo, %hi` of units of work: a root counts in the units of its plan; of another op one
    parallel loop is cut (or several of unknown trips). Threads share the range, with the same result for every number of them; work that is too
    small for that is called as a whole.

    Buffers of static sizes and strides are passed as bare pointers (`llvm.bareptr`) with an index beside those that
    have an offset, others as descriptors. Constants become part of the kernel. Where sizes are known at run time only,
    units and work are computed before the call, and threads share what turns out large.

    ```mlir
    linalg.exp ins(%x : memref<64x1024xf32>) outs(%y : memref<64x1024xf32>)
    ```
    becomes
    ```mlir
    scf.parallel (%i) = (%c0) to (%threads) step (%c1) {
      func.call @kernel_exp_0(%x, %y, %lo, %hi) : (memref<64x1024xf32>, memref<64x1024xf32>, index, index) -> ()
    }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"host\"",
      "CPU: host, x86-64-v3, x86-64-v4 or a CPU's name; with :FACT=VALUE,… where it differs.">,
    Option<"threading", "threading", "std::string", /*default=*/"\"openmp\"",
      "openmp: kernels run on libomp's threads; none: on the calling one.">,
    Option<"minParallelWork", "min-parallel-work", "int64_t", /*default=*/"500000",
      "Floating-point operations from which on an op is shared among threads; a byte moved counts as one.">,
    Option<"describe", "describe", "bool", /*default=*/"false",
      "Give each declaration of a kernel the attribute fusion.work: what it computes and moves.">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
}

def FusionPackConstantsPass : Pass<"fusion-pack-constants"> {
  let summary = "Pack constant weights in the order kernels read them";
  let description = [{
    Constant filters become `filter_layout = packed`, of depthwise convolutions `spatial_in_out`; constant matrices on
    the right become `rhs_layout = packed`. A block has as many channels as the target's micro-kernel keeps in registers,
    or one vector of them where the result has no more. The bytes of dense and dense_resource constants are moved in
    parallel; a constant that several roots read alike is packed once. Weights that are computed, constants of elements
    that are no whole bytes, and filters of depthwise convolutions that go plane by plane, which read one element at a
    time, are left alone. A resource without data or of another size is an error. Packed weights do not say how many
    columns they had; a result of an unknown number is cast to it, and back.

    ```mlir
    %w = arith.constant dense_resource<w> : tensor<64x3x7x7xf32>
    %0 = fusion.conv ins(%x, %w : …, tensor<64x3x7x7xf32>) … -> …
    ```
    becomes, with `target=x86-64-v4`,
    ```mlir
    %w = arith.constant dense_resource<w_packed> : tensor<2x7x7x3x32xf32>
    %0 = fusion.conv ins(%x, %w : …, tensor<2x7x7x3x32xf32>) … {filter_layout = packed, …} -> …
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"host\"",
      "CPU that code is made for: host, x86-64-v3, x86-64-v4 or a CPU's name; with :FACT=VALUE,… where it differs">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def FusionPlanMemoryPass : Pass<"fusion-plan-memory", "ModuleOp"> {
  let summary = "Put the entry's buffers into one arena";
  let description = [{
    Every allocation of the entry function whose size is static or follows from the sizes of its arguments gets a place
    in the argument `%workspace: memref<?xi8>`, which is appended to the function (even if nothing is placed in it).
    Buffers that are not alive at the same time share places; each starts at a multiple of 64 bytes if the workspace
    does. The entry's dictionary states the bytes of the static ones (`workspace_size`) and the most of these that are
    alive at once (`workspace_live`), which no plan could undercut. A loop that yields a new buffer in each trip copies
    it into one of its own.

    Buffers of dynamic size lie behind, in slots (`workspace_slots` in the dictionary): buffers that are never alive
    together share a slot, whose size is that of its largest buffer, found when the entry is called. The function that
    the dictionary calls `shapes` (see fusion-derive-shapes) returns the bytes of the whole as one more result.

    Left alone: allocations whose size depends on data, in parallel loops, or that outlive a trip of a loop in another
    way; to free them is upstream's ownership-based-buffer-deallocation's part.

    ```mlir
    %a = memref.alloc() : memref<16xf32>
    ```
    becomes
    ```mlir
    %a = memref.view %workspace[%c128][] : memref<?xi8> to memref<16xf32>
    ```
  }];
  let options = [Option<"arena", "arena", "bool", /*default=*/"true",
    "Place buffers in the workspace; off, it is empty and each buffer is allocated.">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def FusionPrepareBuffersPass : Pass<"fusion-prepare-buffers", "func::FuncOp"> {
  let summary = "Bring what stands beside tensors to forms that bufferize";
  let description = [{
    A `bufferization.to_tensor` of memory that may change afterwards (a store, a call, a free) reads a copy: the tensor
    is the value that the memory had there, wherever it is used. Of memory that nobody changes it is only marked
    `restrict`. A poison tensor becomes a `tensor.empty`; an `affine.for` or `affine.if` that carries tensors becomes an
    `scf` op; a `dense_resource` of rank 0 becomes `dense`. Padding of less than nothing becomes a slice of the source,
    which upstream's bufferization of a `tensor.pad` would copy whole. Everything else is left alone.

    ```mlir
    %t = bufferization.to_tensor %m : memref<4xf32> to tensor<4xf32>
    memref.store %f, %m[%i] : memref<4xf32>
    ```
    becomes
    ```mlir
    %new = memref.alloc() : memref<4xf32>
    memref.copy %m, %new : memref<4xf32> to memref<4xf32>
    %t = bufferization.to_tensor %new restrict : memref<4xf32> to tensor<4xf32>
    memref.store %f, %m[%i] : memref<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def FusionRaisePass : Pass<"fusion-raise"> {
  let summary = "Raise linalg's convolutions, products and pools to roots";
  let description = [{
    Ops on tensors become roots by what their maps and their body say, named ops and generics alike: convolutions of one
    to three dims (also grouped and depthwise, without the reshapes around them), products of matrices and vectors (read
    through transposes and broadcasts of their operands), pools. A neutral fill that they accumulate into is dropped, any
    other init becomes an operand of the epilogue; a `tensor.pad` by the value that the root reads outside its image
    becomes the root's own padding; a sum pool that is divided by the number of its elements becomes an average. Zero
    points become a correction of each channel. An operand whose order no attribute states is transposed.
    Sums of f16 and bf16 are kept in f32 and rounded once. What a root
    cannot state (unsigned products, positions of maxima) is left as it is; a missed remark says why where an op is a
    candidate.

    ```mlir
    %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] { … tensor.yield %zero } : …
    %b = linalg.broadcast ins(%bias : tensor<8xf32>) outs(%e : tensor<1x8x4x4xf32>) dimensions = [0, 2, 3]
    %y = linalg.conv_2d_nchw_fchw ins(%p, %w : …) outs(%b : …) -> tensor<1x8x4x4xf32>
    ```
    becomes
    ```mlir
    %y = fusion.conv ins(%x, %w : …) outs(%e : …) {pad_low = [1, 1], pad_high = [1, 1]}
      epilogue(%acc: f32, %b = %bias[1] : tensor<8xf32>) {
        %s = arith.addf %acc, %b : f32
        fusion.yield %s : f32
    } -> tensor<1x8x4x4xf32>
    ```
  }];
  let options = RulePassUtils.options;
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::fusion::FusionDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def FusionRecordEntryPass : Pass<"fusion-record-entry", "ModuleOp"> {
  let summary = "Record the entry's types and names before they change";
  let description = [{
    Finds the entry function and writes its signature into the attribute `fusion.entry = {inputs, outputs, input_names,
    output_names}`, which later stages keep. Names are an importer's (a string attribute `<dialect>.name` of the
    argument or result), else in0, in1, …, out0, …. The entry's tensor arguments are marked as not writable, since they
    belong to the caller. Functions that are only declared and take or return tensors get MLIR's C interface. Other
    functions are left alone.
  }];
  let options = [Option<"entry", "entry", "std::string", /*default=*/"",
    "Name of the entry function; by default the only public function with a body, else main.">];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def FusionResolveShapesPass : Pass<"fusion-resolve-shapes"> {
  let summary = "Compute sizes without the tensors that have them";
  let description = [{
    A size of a tensor is computed from sizes of what it was made from, so that who asks for it is no reader of the
    tensor. A `tensor.reshape` by a shape of single elements becomes a collapse and an expansion, which are views that
    other rules see through; static sizes at the end keep their dims apart. Modules without either are left alone.

    ```mlir
    %shape = tensor.from_elements %n, %m : tensor<2xi64>
    %y = tensor.reshape %x(%shape) : (tensor<?x4x8xf32>, tensor<2xi64>) -> tensor<?x?x8xf32>
    ```
    becomes
    ```mlir
    %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x4x8xf32> into tensor<?x8xf32>
    %y = tensor.expand_shape %c [[0, 1], [2]] output_shape [%n, %m, 8] : tensor<?x8xf32> into tensor<?x?x8xf32>
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect"];
}

def FusionResultsToOutParamsPass : Pass<"fusion-results-to-out-params", "ModuleOp"> {
  let summary = "Make the entry's results arguments";
  let description = [{
    Each memref result of the entry becomes an argument behind the inputs, which the caller allocates. What the entry
    allocates for a result and returns, also through a reshape, is replaced by the argument; anything else (an input, a
    constant, a buffer returned twice) is copied. The sizes of a result that are dynamic are the caller's to give (see
    fusion-derive-shapes). Other functions keep their results.

    ```mlir
    func.func @main(%x: memref<4xf32>) -> memref<4xf32> attributes {fusion.entry = {…}} {
      %a = memref.alloc() : memref<4xf32>
      …
      return %a : memref<4xf32>
    }
    ```
    becomes `func.func @main(%x: memref<4xf32>, %a: memref<4xf32>)`.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::memref::MemRefDialect"];
}

def FusionReuseResidualPass : Pass<"fusion-reuse-residual"> {
  let summary = "Let a root overwrite a residual that it reads last";
  let description = [{
    A tensor that an epilogue reads element by element, and that nobody reads later, becomes the root's destination:
    the epilogue takes the element that it is about to overwrite. So no buffer is needed for the sum.

    ```mlir
    %0 = fusion.conv ins(%x, %w : …) outs(%empty : …) epilogue(%acc: f32, %r = %res[0, 1, 2, 3] : …) { … }
    ```
    becomes
    ```mlir
    %0 = fusion.conv ins(%x, %w : …) outs(%res : …) epilogue(%acc: f32, init %r: f32) { … }
    ```
  }];
  let options = RulePassUtils.options;
  let dependentDialects = ["::mlir::fusion::FusionDialect"];
}

def FusionSplitEmptyTensorsPass : Pass<"fusion-split-empty-tensors"> {
  let summary = "Let few ops share a destination";
  let description = [{
    Common subexpression elimination makes one `tensor.empty` of all of a type, and what eliminate-empty-tensors and
    one-shot-bufferize ask of each pair of ops that write into it takes time cubic in the length of a network. After
    every sixteen writers, in program order, the next ones get a copy of it. Other readers are left alone.

    ```mlir
    %e = tensor.empty() : tensor<4xf32>
    … // sixteen ops with outs(%e)
    %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %e = tensor.empty() : tensor<4xf32>
    %f = tensor.empty() : tensor<4xf32>
    … // sixteen ops with outs(%e)
    %y = linalg.exp ins(%x : tensor<4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def FusionSplitPhasesPass : Pass<"fusion-split-phases"> {
  let summary = "Compute transposed convolutions by phases";
  let description = [{
    Result positions of a `fusion.conv_transpose` that are equal modulo the strides meet the same taps of the filter.
    Each such phase becomes a `fusion.conv` of the input as it is, with these taps in reverse order (constants are cut
    here), which writes its strided slice of the result and has the epilogue. The input is padded at most once, for all
    phases. Positions that no tap meets get the epilogue of zero. Left alone, for its decomposition: one with a filter
    of dynamic size, or with more than 1024 phases.

    ```mlir
    %0 = fusion.conv_transpose ins(%x, %w : tensor<1x8x4xf32>, tensor<2x4x3xf32>) outs(%i : tensor<1x16x2xf32>)
      {strides = [2], pad_low = [1], output_padding = [1], input_layout = channels_last, …} -> …
    ```
    becomes, with constants of the taps,
    ```mlir
    %1 = tensor.extract_slice %i[0, 0, 0] [1, 8, 2] [1, 2, 1] : tensor<1x16x2xf32> to tensor<1x8x2xf32>
    %2 = fusion.conv ins(%x, %w1 : tensor<1x8x4xf32>, tensor<2x4x1xf32>) outs(%1 : …) … -> tensor<1x8x2xf32>
    %3 = tensor.insert_slice %2 into %i[0, 0, 0] [1, 8, 2] [1, 2, 1] : …
    … // the other phase, with two taps, into [0, 1, 0]
    ```
  }];
  let options = RulePassUtils.options;
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def FusionVerifyStagePass : Pass<"fusion-verify-stage", "ModuleOp"> {
  let summary = "Check what a stage asks of its input";
  let description = [{
    An op that the stage cannot take is an error that says what is missing and what to do: ops of unknown
    dialects with a region before `inline`, ops on tensors without BufferizableOpInterface before `bufferize`, tensors
    before `outline`, roots outside kernels before `vectorize`, roots and kernels of linalg ops before `lower`, ops
    without a lowering to LLVM before `emit`; before `fuse`, tensors whose size no machine can hold and resources whose
    data is missing or of another size. Changes nothing but `nofold` before `fuse`, which pads get that upstream would
    fold as if they took no elements away, and pads of nothing lose.
  }];
  let options = [Option<"stage", "stage", "std::string", /*default=*/"\"fuse\"",
    "The stage that comes next: fuse, inline, bufferize, outline, vectorize, lower or emit.">];
}

#endif // FUSION_TRANSFORMS_PASSES
