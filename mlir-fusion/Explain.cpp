//===-- Explain.cpp - mlir-fusion explain ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the stages up to the planned memory and tells from the ops, their
// locations and the remarks what was fused into what, and what was not.
//
//===----------------------------------------------------------------------===//

#include "Explain.h"
#include "Compilation.h"
#include "ExplainReport.h"
#include "FusionDialect/Analysis/Entry.h"
#include "FusionDialect/Pipelines/Pipelines.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "LiveBytes.h"
#include "Shapes.h"
#include "SizedCopy.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fusion;

/// What a caller passes to the entry.
static std::vector<TensorSignature> getInputs(func::FuncOp entry) {
  std::vector<TensorSignature> inputs;
  for (auto [type, name] :
       llvm::zip_equal(entry.getArgumentTypes(), getInputNames(entry))) {
    TensorSignature &input = inputs.emplace_back();
    input.name = name;
    llvm::raw_string_ostream(input.type) << getElementTypeOrSelf(type);
    if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.hasRank())
      for (int64_t size : shaped.getShape())
        input.shape.push_back(
            ShapedType::isDynamic(size) ? TensorSignature::kDynamicSize : size);
  }
  return inputs;
}

namespace {
/// A function, at the sizes of --shape if there are any.
class Sizes {
public:
  LogicalResult choose(func::FuncOp entry, ArrayRef<std::string> given) {
    inputs = getInputs(entry);
    if (given.empty())
      return success();
    FailureOr<std::vector<Shape>> chosen = chooseShapes(inputs, given);
    if (succeeded(chosen))
      shapes = std::move(*chosen);
    return chosen;
  }
  OwningOpRef<func::FuncOp> copy(func::FuncOp entry) const {
    return shapes ? copyWithSizes(entry, *shapes) : entry.clone();
  }
  /// The sizes that the model leaves open, in their order; none without
  /// --shape.
  std::optional<SmallVector<int64_t>> getOpenSizes() const {
    if (!shapes)
      return std::nullopt;
    SmallVector<int64_t> sizes;
    for (auto [input, shape] : llvm::zip_equal(inputs, *shapes))
      for (auto [pattern, size] : llvm::zip_equal(input.shape, shape))
        if (pattern == TensorSignature::kDynamicSize)
          sizes.push_back(size);
    return sizes;
  }

private:
  std::vector<TensorSignature> inputs;
  std::optional<std::vector<Shape>> shapes;
};
} // namespace

/// The arena's size; that of its dynamic part for the given sizes.
static LogicalResult measureWorkspace(const Compilation &compilation,
                                      const Sizes &sizes,
                                      Explanation &explanation) {
  explanation.workspaceBytes = compilation.getWorkspaceSize();
  explanation.workspaceSlots = compilation.getWorkspaceSlots();
  func::FuncOp entry = compilation.getEntry();
  func::FuncOp function = getShapesFunction(entry);
  std::optional<SmallVector<int64_t>> open = sizes.getOpenSizes();
  if (!open || !function)
    return success();
  FailureOr<SmallVector<int64_t>> answers = evaluateShapes(function, *open);
  if (failed(answers))
    return success();
  if (answers->front() != 0)
    return error("expected --shape that the model allows: " +
                 getShapeErrors(entry)[answers->front() - 1]);
  explanation.workspaceBytes = answers->back();
  explanation.workspaceSlots = 0;
  return success();
}

ExitCode fusion::runExplain(const Options &options) {
  if (options.explain.listRules) {
    for (StringRef label : getRuleLabels())
      llvm::outs() << llvm::left_justify(label, 28) << getRuleRounding(label)
                   << "\n";
    return kSuccess;
  }
  Compilation compilation(options.flags, /*collectRemarks=*/true);
  if (failed(compilation.parse()))
    return kBadInput;
  Sizes sizes;
  if (failed(sizes.choose(compilation.getEntry(), options.explain.shapes)))
    return kBadInput;
  numberOps(compilation.getEntry());
  Explanation explanation;
  explanation.before = takeCensus(*sizes.copy(compilation.getEntry()));
  RootFinder finder(compilation.getEntry());
  for (StringRef stage : getStageNames()) {
    if (failed(compilation.runStage(stage)))
      return kBadInput;
    if (stage == "fusion-bufferize") {
      if (failed(measureWorkspace(compilation, sizes, explanation)))
        return kBadInput;
      break;
    }
    OwningOpRef<func::FuncOp> entry = sizes.copy(compilation.getEntry());
    if (stage == "fusion-fuse") {
      explanation.afterFusion = takeCensus(*entry);
      explanation.liveBytes = countLiveBytes(*entry);
      finder.findRoots(*entry);
      compilation.dropGoneRemarks();
      explanation.roots =
          describeRoots(*entry, compilation.getRemarks(), finder);
      explanation.outside = findOutside(*entry, compilation.getRemarks());
    } else if (stage == "fusion-plan") {
      explanation.afterPlan = takeCensus(*entry);
    }
  }
  print(llvm::outs(), explanation, compilation.getRemarks());
  if (!options.explain.json.empty() &&
      failed(writeJson(options.explain.json,
                       toJson(explanation, compilation.getRemarks(), finder))))
    return kBadInput;
  return kSuccess;
}
