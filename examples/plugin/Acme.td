//===-- Acme.td - A third party's dialect ----------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACME
#define ACME

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Acme_Dialect : Dialect {
  let name = "acme";
  let cppNamespace = "::acme";
}

// What an op states to ride in an epilogue: Pure and ElementwiseMappable.
def Acme_SoftsignOp : Op<Acme_Dialect, "softsign", [Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let summary = "x / (1 + |x|)";
  let arguments = (ins FloatLike:$operand);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

// Pure, but nothing says that it is elementwise.
def Acme_OpaqueOp : Op<Acme_Dialect, "opaque", [Pure, SameOperandsAndResultType]> {
  let summary = "Who knows";
  let arguments = (ins FloatLike:$operand);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

#endif // ACME
