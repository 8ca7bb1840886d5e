//===-- BoundsReport.cpp - What is said of an access outside --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libc's dprintf and abort are all that a checked library needs beside what it
// needs without checks.
//
//===----------------------------------------------------------------------===//

#include "BoundsReport.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::fusion;

std::string fusion::describePlace(Operation *op) {
  std::string text = op->getName().getStringRef().str();
  if (auto function = op->getParentOfType<FunctionOpInterface>())
    text += " of " + function.getName().str();
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    text += (" at " + place.getFilename().getValue() + ":" +
             Twine(place.getLine()) + ":" + Twine(place.getColumn()))
                .str();
  return text;
}

LLVM::GlobalOp BoundsReport::getText(StringRef text) {
  LLVM::GlobalOp &global = texts[text];
  if (global)
    return global;
  OpBuilder detached(module.getContext());
  std::string ended = text.str() + '\0';
  auto type = LLVM::LLVMArrayType::get(detached.getI8Type(), ended.size());
  global = LLVM::GlobalOp::create(detached, module.getLoc(), type,
                                  /*isConstant=*/true, LLVM::Linkage::Internal,
                                  "out_of_bounds_text",
                                  detached.getStringAttr(ended));
  // The model may have that name.
  symbols.insert(global, module.getBody()->begin());
  return global;
}

/// void out_of_bounds(text, first, last, extent) { dprintf(…); abort(); }
LLVM::LLVMFuncOp BoundsReport::getFunction(Location loc) {
  if (function || failed)
    return function;
  MLIRContext *context = module.getContext();
  OpBuilder builder(context);
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type none = LLVM::LLVMVoidType::get(context);
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  FailureOr<LLVM::LLVMFuncOp> print = LLVM::lookupOrCreateFn(
      builder, module, "dprintf", {i32, pointer}, i32, /*isVarArg=*/true);
  FailureOr<LLVM::LLVMFuncOp> abort =
      LLVM::lookupOrCreateFn(builder, module, "abort", {}, none);
  if (mlir::failed(print) || mlir::failed(abort)) {
    failed = true;
    return {};
  }

  auto type = LLVM::LLVMFunctionType::get(none, {pointer, i64, i64, i64});
  function = LLVM::LLVMFuncOp::create(builder, loc, "out_of_bounds", type,
                                      LLVM::Linkage::Internal);
  symbols.insert(function);
  function.setPassthroughAttr(
      builder.getStrArrayAttr({"cold", "noinline", "noreturn"}));
  Block *body = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(body);
  Value first = body->getArgument(1), last = body->getArgument(2),
        extent = body->getArgument(3);
  auto getFormat = [&](StringRef format) -> Value {
    return LLVM::AddressOfOp::create(builder, loc, getText(format));
  };
  Value ofOne = getFormat("out of bounds: %s in [0, %lld), got %lld\n");
  Value ofRange =
      getFormat("out of bounds: %s in [0, %lld), got %lld to %lld\n");
  Value isOne =
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, first, last);
  Value format = LLVM::SelectOp::create(builder, loc, isOne, ofOne, ofRange);
  constexpr int kStandardError = 2;
  Value file = LLVM::ConstantOp::create(builder, loc, i32, kStandardError);
  LLVM::CallOp::create(
      builder, loc, *print,
      ValueRange{file, format, body->getArgument(0), extent, first, last});
  LLVM::CallOp::create(builder, loc, *abort, ValueRange{});
  LLVM::UnreachableOp::create(builder, loc);
  return function;
}

void BoundsReport::call(OpBuilder &builder, Operation *op, const Twine &what,
                        Value first, Value last, Value extent) {
  Location loc = op->getLoc();
  LLVM::LLVMFuncOp function = getFunction(loc);
  if (!function)
    return;
  LLVM::GlobalOp text =
      getText((describePlace(op) + ": expected " + what).str());
  SmallVector<Value> arguments = {
      LLVM::AddressOfOp::create(builder, loc, text)};
  for (Value number : {first, last, extent})
    arguments.push_back(
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), number));
  LLVM::CallOp::create(builder, loc, function, arguments);
}
