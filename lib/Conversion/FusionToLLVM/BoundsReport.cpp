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

/// Leaves the builder at the start of its body.
LLVM::LLVMFuncOp BoundsReport::addFunction(OpBuilder &builder, Location loc,
                                           StringRef name,
                                           ArrayRef<Type> inputs,
                                           ArrayRef<StringRef> attributes) {
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(module.getContext()), inputs);
  OpBuilder detached(module.getContext());
  auto function = LLVM::LLVMFuncOp::create(detached, loc, name, type,
                                           LLVM::Linkage::Internal);
  // The model may have that name.
  symbols.insert(function);
  function.setPassthroughAttr(detached.getStrArrayAttr(attributes));
  builder.setInsertionPointToStart(function.addEntryBlock(detached));
  return function;
}

/// void out_of_bounds(text, first, last, extent) { dprintf(…); abort(); }
LLVM::LLVMFuncOp BoundsReport::getReport(Location loc) {
  MLIRContext *context = module.getContext();
  OpBuilder builder(context);
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type none = LLVM::LLVMVoidType::get(context);
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  FailureOr<LLVM::LLVMFuncOp> print = LLVM::lookupOrCreateFn(
      builder, module, "dprintf", {i32, pointer}, i32, /*isVarArg=*/true);
  FailureOr<LLVM::LLVMFuncOp> abort =
      LLVM::lookupOrCreateFn(builder, module, "abort", {}, none);
  if (mlir::failed(print) || mlir::failed(abort))
    return {};

  LLVM::LLVMFuncOp function =
      addFunction(builder, loc, "out_of_bounds", {pointer, i64, i64, i64},
                  {"cold", "noinline", "noreturn"});
  Value text = function.getArgument(0), first = function.getArgument(1),
        last = function.getArgument(2), extent = function.getArgument(3);
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
  LLVM::CallOp::create(builder, loc, *print,
                       ValueRange{file, format, text, extent, first, last});
  LLVM::CallOp::create(builder, loc, *abort, ValueRange{});
  LLVM::UnreachableOp::create(builder, loc);
  return function;
}

/// void check_bounds(bad, text, …) { if (bad) out_of_bounds(text, …); }
LLVM::LLVMFuncOp BoundsReport::getCheck(Location loc) {
  if (check || failed)
    return check;
  LLVM::LLVMFuncOp report = getReport(loc);
  if (!report) {
    failed = true;
    return {};
  }
  OpBuilder builder(module.getContext());
  SmallVector<Type> inputs = {builder.getI1Type()};
  llvm::append_range(inputs, report.getArgumentTypes());
  check = addFunction(builder, loc, "check_bounds", inputs, {"alwaysinline"});
  Region &body = check.getBody();
  Block *start = &body.front();
  Block *fail = builder.createBlock(&body, body.end());
  Block *rest = builder.createBlock(&body, body.end());
  builder.setInsertionPointToStart(start);
  LLVM::CondBrOp::create(builder, loc, start->getArgument(0), fail, rest);
  builder.setInsertionPointToStart(fail);
  LLVM::CallOp::create(builder, loc, report,
                       ValueRange(start->getArguments()).drop_front());
  LLVM::UnreachableOp::create(builder, loc);
  builder.setInsertionPointToStart(rest);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  return check;
}

void BoundsReport::call(OpBuilder &builder, Operation *op, const Twine &what,
                        Value bad, Value first, Value last, Value extent) {
  Location loc = op->getLoc();
  LLVM::LLVMFuncOp function = getCheck(loc);
  if (!function)
    return;
  LLVM::GlobalOp text =
      getText((describePlace(op) + ": expected " + what).str());
  SmallVector<Value> arguments = {
      bad, LLVM::AddressOfOp::create(builder, loc, text)};
  for (Value number : {first, last, extent})
    arguments.push_back(
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), number));
  LLVM::CallOp::create(builder, loc, function, arguments);
}
