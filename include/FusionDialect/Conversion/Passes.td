//===-- Passes.td - Passes from fusion to other dialects -------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Alphabetical.
#ifndef FUSION_CONVERSION_PASSES
#define FUSION_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def FusionApproximateMathPass : Pass<"fusion-approximate-math"> {
  let summary = "Replace exp, tanh, erf, log and their like by polynomials on f32 vectors";
  let description = [{
    `math.exp`, `exp2`, `expm1`, `log`, `log2`, `log10`, `log1p`, `tanh`, `erf` and `powf` become arithmetic without branches, which
    vectorizes where calls of libm would not. docs/Math.md says what each is off by.
    Applies to f32 scalars and vectors; other types are left to libm. Integer powers (`math.fpowi`) become few products, or
    the power of the magnitude with its sign, since LLVM takes few of their forms; `math.ipowi`, `clampf`, `isinf` and
    `isnormal`, which it does not take at all, become products and comparisons.
  }];
  let options = [
    Option<"polynomials", "polynomials", "bool", /*default=*/"true",
      "Replace functions by polynomials; off, only what LLVM does not take.">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"];
}

def FusionAssertToLLVMPass : Pass<"fusion-assert-to-llvm", "ModuleOp"> {
  let summary = "Turn assertions into branches to code that prints and aborts";
  let description = [{
    Each `cf.assert` in the module's functions becomes a branch; where it fails, its message is written to standard error,
    unbuffered, and the program aborts. Comes when control flow is of blocks only; modules inside are left alone.

    ```mlir
    cf.assert %c, "expected a positive size"
    ```
    becomes
    ```mlir
    cf.cond_br %c, ^rest, ^fail
    ^fail:
      %n = llvm.call @write(%standard_error, %text, %length) : (i32, !llvm.ptr, i64) -> i64
      llvm.call @abort() : () -> ()
      llvm.unreachable
    ```
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::mlir::LLVM::LLVMDialect"];
}

def FusionBFloat16ToI16Pass : Pass<"fusion-bf16-to-i16"> {
  let summary = "Turn bf16 into i16 in the LLVM dialect";
  let description = [{
    Comes after `fusion-widen-floats` and the conversions to the LLVM dialect, when bf16 is only moved: each type and constant
    of it becomes i16 of the same bits. LLVM has no registers for bf16 on most CPUs, and would extend and round where
    values are chosen. Discardable attributes keep their types.

    ```mlir
    %0 = llvm.select %c, %x, %y : i1, bf16
    ```
    becomes `llvm.select %c, %x, %y : i1, i16`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def FusionCheckBoundsPass : Pass<"fusion-check-bounds", "ModuleOp"> {
  let summary = "Make accesses outside of their buffers end the program";
  let description = [{
    In front of each load and store of memref, affine and vector in the module's functions (those of masked lanes, transfers, gathers and
    scatters, too; no prefetch) its indices are held against the memref's sizes. What lies outside is said on standard error, with
    op, function and place in the source, and the program aborts. Behind each view its elements are held against the buffer that
    it is made of, in front of a `memref.view` its bytes against the arena; upstream's RuntimeVerifiableOpInterface checks
    casts, expansions and copies. What is known to be inside costs nothing. Modules inside are left alone.

    ```mlir
    %0 = vector.load %x[%i] : memref<64xf32>, vector<8xf32>
    ```
    becomes
    ```mlir
    %last = arith.addi %i, %c7 : index
    %below = arith.cmpi slt, %i, %c0 : index
    %above = arith.cmpi sge, %last, %c64 : index
    %bad = arith.ori %below, %above : i1
    // out of bounds: vector.load of kernel_add_0 at net.mlir:7:10: expected dim 0 in [0, 64), got 60 to 67
    llvm.call @check_bounds(%bad, %text, %i_i64, %last_i64, %c64_i64) : (i1, !llvm.ptr, i64, i64, i64) -> ()
    %0 = vector.load %x[%i] : memref<64xf32>, vector<8xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"];
}

def FusionExpandViewsPass : Pass<"fusion-expand-views"> {
  let summary = "Compute the strides of expansions to several dynamic sizes";
  let description = [{
    A `memref.expand_shape` with more than one dynamic size in a group becomes a `memref.reinterpret_cast`, whose strides are
    products of sizes. Others are left to upstream's expand-strided-metadata, which takes these.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect"];
}

def FusionToLinalgPass : Pass<"fusion-to-linalg"> {
  let summary = "Replace every root by its decomposition to linalg";
  let description = [{
    Each fusion op on tensors becomes the linalg ops that define its meaning: the reference of the numerical tests, the
    fall-back where no kernel takes an op, and the base line of an ablation. Ops on memrefs are left alone.

    ```mlir
    %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%init : tensor<4x2xf32>) -> tensor<4x2xf32>
    ```
    becomes a zero `linalg.fill` and a `linalg.generic` of multiply and add.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def FusionToVectorPass : Pass<"fusion-to-vector"> {
  let summary = "Replace every root on memrefs by its kernel";
  let description = [{
    Each root becomes a loop over its units of work (`range(%lo, %hi)`, or all of them): a unit is a tile of rows times
    a panel of channels, whose accumulators stay in registers over the reduction loops and go through the epilogue
    before they are stored. Operands are read as flat memrefs at one index plus constants. Loads of
    channels that fill no vector are masked; such a rest is stored in pieces of 8, 4, 2 and 1. Leaves roots on tensors
    alone; fails for one on memrefs that has no kernel.

    ```mlir
    fusion.matmul ins(%x, %w : memref<14x64xf32>, memref<1x64x32xf32>) outs(%y : memref<14x32xf32>) {rhs_layout = packed}
      range(%lo, %hi)
    ```
    becomes, for AVX-512, a loop from %lo to %hi around a loop over the 64 columns of %x, which carries 14 x 2 vectors
    and has 28 `vector.fma`.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"host\"",
      "CPU whose vectors are used: host, x86-64-v3, x86-64-v4 or a CPU's name; with :FACT=VALUE,… where it differs">,
    Option<"prefetch", "prefetch", "bool", /*default=*/"true",
      "Prefetch weights that no second-level cache holds, and residuals while sums run.">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"];
}

def FusionVectorizeLinalgPass : Pass<"fusion-vectorize-linalg"> {
  let summary = "Vectorize linalg ops on memrefs, or turn them into loops";
  let description = [{
    Cuts each linalg op on memrefs (and memref.copy) into one-dimensional pieces of one vector along the output's last
    dim, which upstream vectorizes; the rest of a row goes by ever smaller powers of two. Ops whose body has no vector form, and windows along the vector dim, become loops. Leaves tensors alone.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"host\"",
      "CPU whose vectors are used: host, x86-64-v3, x86-64-v4 or a CPU's name; with :FACT=VALUE,… where it differs">,
    Option<"vectorize", "vectorize", "bool", /*default=*/"true",
      "Vectorize; off, everything becomes scalar loops.">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"];
}

def FusionWidenFloatsPass : Pass<"fusion-widen-floats"> {
  let summary = "Compute on f16 and bf16 in f32";
  let description = [{
    What arith, math and vector ops compute on f16 or bf16 is computed in f32, and each result rounded. Conversions of bf16,
    and of f16 for CPUs without F16C, become integer arithmetic. Those of f64 and wide integers to 16 bits, and an fma of 16
    bits, go through a number that is rounded to odd, so that the result is rounded once; a rounding mode of `arith.truncf`
    becomes a step from the nearest number. Integers of more than 64 bits become floats, and floats become them, by shifts of
    their bits; their divisions are loops. All of it has vectors. Left to itself, LLVM would call compiler-rt
    (`__truncsfbf2`, `__truncdfhf2`), and give other results for denormals on CPUs that convert bf16.

    ```mlir
    %0 = arith.addf %x, %y : vector<8xf16>
    ```
    becomes two `arith.extf` to vector<8xf32>, an `arith.addf` and an `arith.truncf`.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"host\"",
      "CPU whose conversions are used: host, x86-64-v3, x86-64-v4 or a CPU's name; with :FACT=VALUE,… where it differs">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif // FUSION_CONVERSION_PASSES
