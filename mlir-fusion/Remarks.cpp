//===-- Remarks.cpp - What the rules said ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A remark streamer that keeps what it gets. The text of a remark is
// `code: sentence`.
//
//===----------------------------------------------------------------------===//

#include "Remarks.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
class Streamer : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Streamer(RemarkLog &log) : log(log) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    // Each argument is a part of the text.
    std::string message;
    for (const remark::detail::Remark::Arg &arg : remark.getArgs())
      message += arg.val;
    auto [code, text] = StringRef(message).split(": ");
    log.add({remark.getRemarkName().str(),
             remark.getRemarkType() == llvm::remarks::Type::Passed, code.str(),
             text.str(), remark.getLocation()});
  }

private:
  RemarkLog &log;
};
} // namespace

void RemarkLog::attachTo(MLIRContext &context) {
  remark::RemarkCategories categories;
  categories.passed = categories.missed = kRemarkCategory.str();
  // Cannot fail: there is no file to open.
  (void)remark::enableOptimizationRemarks(
      context, std::make_unique<Streamer>(*this),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}

void RemarkLog::add(CollectedRemark remark) {
  std::lock_guard<std::mutex> lock(mutex);
  remarks.push_back(std::move(remark));
}

/// Calls `act` for each place that `loc` is made of; stops at true.
static bool anyPlace(Location loc, function_ref<bool(Location)> act) {
  return loc
      ->walk([&](Location part) {
        return act(part) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void RemarkLog::dropGone(func::FuncOp function) {
  llvm::DenseSet<Attribute> places;
  function.walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>())
      return;
    anyPlace(op->getLoc(), [&](Location part) {
      places.insert(LocationAttr(part));
      return false;
    });
  });
  llvm::erase_if(remarks, [&](const CollectedRemark &remark) {
    return !remark.fused && !anyPlace(remark.loc, [&](Location part) {
      return places.contains(LocationAttr(part));
    });
  });
}

std::map<std::string, int64_t> RemarkLog::countByCode() const {
  std::map<std::string, int64_t> counts;
  for (const CollectedRemark &remark : remarks)
    ++counts[remark.code];
  return counts;
}
