//===-- Coverage.cpp - What the compiler went through ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remarks and traces say which rules were tried; the outlined module says which
// kernels there are.
//
//===----------------------------------------------------------------------===//

#include "Coverage.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "Paths.h"
#include "Soundness.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

//===----------------------------------------------------------------------===//
// Rules and refusals
//===----------------------------------------------------------------------===//

namespace {
class Counter : public remark::detail::MLIRRemarkStreamerBase {
public:
  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    // Rules that fire are traced: not all of them make remarks.
    if (!coverage || remark.getRemarkType() == llvm::remarks::Type::Passed)
      return;
    std::string message;
    for (const remark::detail::Remark::Arg &arg : remark.getArgs())
      for (char letter : arg.val)
        // Sizes are no texts of their own.
        if (!llvm::isDigit(letter))
          message += letter;
    ++(*coverage)["refusal " + remark.getRemarkName().str() + " " + message];
  }

  Coverage *coverage = nullptr;
};
} // namespace

void fuzz::countRemarks(MLIRContext &context, Coverage *coverage) {
  static llvm::DenseMap<MLIRContext *, Counter *> counters;
  Counter *&counter = counters[&context];
  if (!context.getRemarkEngine()) {
    remark::RemarkCategories categories;
    categories.passed = categories.missed = kRemarkCategory.str();
    auto owned = std::make_unique<Counter>();
    counter = owned.get();
    (void)remark::enableOptimizationRemarks(
        context, std::move(owned),
        std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
  }
  counter->coverage = coverage;
}

void fuzz::countRule(StringRef text, Coverage &coverage) {
  auto [label, rest] = text.split(" on ");
  if (rest.contains(": applied, "))
    ++coverage["rule " + label.str()];
}

//===----------------------------------------------------------------------===//
// Kernels and their paths
//===----------------------------------------------------------------------===//

static std::string nameKernel(KernelPlan::Kind kind, StringRef form,
                              StringRef type) {
  return ("kernel " + stringifyKernelKind(kind) + " " + form +
          (form.empty() ? "" : " ") + type)
      .str();
}

static std::string namePath(StringRef kind, StringRef path) {
  return ("path " + kind + ", " + path).str();
}

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static void countRoot(FusionRootOpInterface root, const TargetInfo &target,
                      Coverage &coverage) {
  FailureOr<KernelPlan> plan = KernelPlan::get(root, target);
  if (failed(plan))
    return;
  StringRef form;
  if (auto pool = dyn_cast<PoolOp>(root.getOperation()))
    form = stringifyPoolKind(pool.getKind());
  Type type = getElementTypeOrSelf(root->getOperand(0).getType());
  ++coverage[nameKernel(plan->kind, form, print(type))];
  for (const RootPath &path : getRootPaths())
    if (path.kind == plan->kind && path.isTaken(*plan, root, target))
      ++coverage[namePath(stringifyKernelKind(path.kind), path.name)];
}

void fuzz::countKernels(ModuleOp module, StringRef target, Coverage &coverage) {
  FailureOr<TargetInfo> info = TargetInfo::get(module, target);
  if (failed(info))
    return;
  module.walk([&](Operation *op) {
    if (auto root = dyn_cast<FusionRootOpInterface>(op))
      return countRoot(root, *info, coverage);
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp)
      return;
    ++coverage["op " + op->getName().getStringRef().str()];
    for (const LoopPath &path : getLoopPaths())
      if (path.isTaken(linalgOp, *info))
        ++coverage[namePath("loops", path.name)];
  });
}

void fuzz::countCode(ModuleOp module, Coverage &coverage) {
  module.walk([&](Operation *op) {
    if (isa<vector::VectorDialect>(op->getDialect()))
      ++coverage["op " + op->getName().getStringRef().str()];
  });
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

std::vector<std::string> fuzz::getCoverageNames() {
  std::vector<std::string> names;
  for (const std::string &label : getAllRuleLabels())
    names.push_back("rule " + label);
  using Kind = KernelPlan::Kind;
  // What kernels read, and for pools, what they make of it.
  for (Kind kind : {Kind::Contraction, Kind::Depthwise, Kind::Planes})
    for (StringRef type : {"f16", "bf16", "f32", "f64", "i8", "i32"})
      names.push_back(nameKernel(kind, "", type));
  names.push_back(nameKernel(Kind::Contraction, "", "i16"));
  for (PoolKind kind :
       {PoolKind::Max, PoolKind::Min, PoolKind::Sum, PoolKind::Average})
    for (StringRef type : {"f16", "bf16", "f32", "f64"})
      names.push_back(nameKernel(Kind::Pool, stringifyPoolKind(kind), type));
  for (const RootPath &path : getRootPaths())
    names.push_back(namePath(stringifyKernelKind(path.kind), path.name));
  for (const LoopPath &path : getLoopPaths())
    names.push_back(namePath("loops", path.name));
  return names;
}
