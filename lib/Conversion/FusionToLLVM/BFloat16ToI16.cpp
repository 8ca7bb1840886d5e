//===-- BFloat16ToI16.cpp - bf16 as mere bits -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-bf16-to-i16. Nothing computes on bf16 any more, but LLVM
// has no registers for it on most CPUs: even a select would extend and round,
// with calls of compiler-rt.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONBFLOAT16TOI16PASS
#include "FusionDialect/Conversion/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

namespace {
struct FusionBFloat16ToI16Pass final
    : fusion::impl::FusionBFloat16ToI16PassBase<FusionBFloat16ToI16Pass> {
  void runOnOperation() override {
    auto bits = IntegerType::get(&getContext(), 16);
    AttrTypeReplacer replacer;
    replacer.addReplacement([=](BFloat16Type) -> Type { return bits; });
    replacer.addReplacement([=](FloatAttr attr) -> std::optional<Attribute> {
      if (!attr.getType().isBF16())
        return std::nullopt;
      return IntegerAttr::get(bits, attr.getValue().bitcastToAPInt());
    });
    replacer.addReplacement(
        [=](DenseElementsAttr attr) -> std::optional<Attribute> {
          if (!attr.getElementType().isBF16())
            return std::nullopt;
          return attr.bitcast(bits);
        });
    replacer.addReplacement(
        [=](DenseResourceElementsAttr attr) -> std::optional<Attribute> {
          if (!attr.getElementType().isBF16())
            return std::nullopt;
          return DenseResourceElementsAttr::get(attr.getType().clone(bits),
                                                attr.getRawHandle());
        });
    getOperation()->walk([&](Operation *op) {
      if (!isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
        return;
      // What others note on an op says what it was made from.
      DictionaryAttr notes = op->getDiscardableAttrDictionary();
      replacer.replaceElementsIn(op, /*replaceAttrs=*/true,
                                 /*replaceLocs=*/false, /*replaceTypes=*/true);
      op->setDiscardableAttrs(notes);
    });
  }
};
} // namespace
