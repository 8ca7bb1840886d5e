//===-- TraceRules.cpp - What came of each rule on an op ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The option trace-rules. A rule is wrapped in one that listens to it, since
// the drivers do not all tell a listener which rule they try.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Transforms/Patterns.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// Keeps the reasons that a rule gives for doing nothing.
struct ReasonListener final : RewriterBase::ForwardingListener {
  using ForwardingListener::ForwardingListener;
  void
  notifyMatchFailure(Location loc,
                     function_ref<void(Diagnostic &)> reasonCallback) override {
    Diagnostic diagnostic(loc, DiagnosticSeverity::Remark);
    reasonCallback(diagnostic);
    reasons.push_back(diagnostic.str());
    ForwardingListener::notifyMatchFailure(loc, reasonCallback);
  }
  SmallVector<std::string> reasons;
};

/// Does what another rule does, and says what came of it.
class TracedRule final : public RewritePattern {
public:
  static std::unique_ptr<RewritePattern>
  create(std::unique_ptr<RewritePattern> rule, StringRef wanted);

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override;

private:
  template <typename... Root>
  TracedRule(std::unique_ptr<RewritePattern> traced, StringRef wanted,
             Root... root)
      : RewritePattern(root..., traced->getBenefit(), traced->getContext()),
        rule(std::move(traced)), wanted(wanted.str()) {
    setDebugName(rule->getDebugName());
    addDebugLabels(rule->getDebugLabels());
    setHasBoundedRewriteRecursion(rule->hasBoundedRewriteRecursion());
  }

  bool isWanted(Operation *op) const;
  std::unique_ptr<RewritePattern> rule;
  std::string wanted;
};
} // namespace

std::unique_ptr<RewritePattern>
TracedRule::create(std::unique_ptr<RewritePattern> rule, StringRef wanted) {
  auto make = [&](auto... root) {
    return std::unique_ptr<RewritePattern>(
        new TracedRule(std::move(rule), wanted, root...));
  };
  if (std::optional<OperationName> name = rule->getRootKind())
    return make(name->getStringRef());
  if (std::optional<TypeID> interface = rule->getRootInterfaceID())
    return make(MatchInterfaceOpTypeTag(), *interface);
  if (std::optional<TypeID> trait = rule->getRootTraitID())
    return make(MatchTraitOpTypeTag(), *trait);
  return make(MatchAnyOpTypeTag());
}

/// True if `text` (file:line:column, or a name) has `part` in it, from one `/`
/// or `:` to another.
static bool hasPart(const Twine &text, StringRef part) {
  return StringRef(("/" + text + ":").str()).contains(("/" + part + ":").str());
}

bool TracedRule::isWanted(Operation *op) const {
  if (op->getName().getStringRef() == wanted)
    return true;
  WalkResult result = op->getLoc()->walk([&](Location part) {
    bool found = false;
    if (auto name = dyn_cast<NameLoc>(part))
      found = hasPart(name.getName().getValue(), wanted);
    else if (auto file = dyn_cast<FileLineColLoc>(part))
      found = hasPart(file.getFilename().getValue() + ":" +
                          Twine(file.getLine()) + ":" + Twine(file.getColumn()),
                      wanted);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

LogicalResult TracedRule::matchAndRewrite(Operation *op,
                                          PatternRewriter &rewriter) const {
  if (!isWanted(op))
    return rule->matchAndRewrite(op, rewriter);
  // Afterwards there may be no op to ask.
  Location loc = op->getLoc();
  StringRef name = op->getName().getStringRef();

  OpBuilder::Listener *before = rewriter.getListener();
  ReasonListener listener(before);
  rewriter.setListener(&listener);
  LogicalResult result = rule->matchAndRewrite(op, rewriter);
  rewriter.setListener(before);

  InFlightDiagnostic remark = emitRemark(loc)
                              << getRuleLabel(*rule) << " on " << name << ": ";
  if (succeeded(result))
    remark << "applied, " << getRuleRounding(*rule);
  else if (listener.reasons.empty())
    remark << "refused, says no reason";
  else
    remark << "refused: " << llvm::join(listener.reasons, "; ");
  return result;
}

void fusion::traceRules(RewritePatternSet &rules, StringRef op) {
  if (op.empty())
    return;
  for (std::unique_ptr<RewritePattern> &rule : rules.getNativePatterns())
    rule = TracedRule::create(std::move(rule), op);
}
