// What happens inside passes, as actions of MLIR's tracing: each can be logged, counted and stopped.
#ifndef TINY_SUPPORT_ACTIONS_H
#define TINY_SUPPORT_ACTIONS_H

#include "mlir/IR/Action.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Unit.h"

namespace tiny {

/// An action with a name: which rule, which step. Its unit is the operation that it is about.
template <typename Derived> class NamedAction : public mlir::tracing::ActionImpl<Derived> {
public:
  NamedAction(llvm::ArrayRef<mlir::IRUnit> units, llvm::StringRef name)
      : mlir::tracing::ActionImpl<Derived>(units), name(name) {}

  llvm::StringRef getName() const { return name; }
  void print(llvm::raw_ostream &os) const override { os << "`" << this->getTag() << "` " << name; }

private:
  llvm::StringRef name;
};

/// A rule of the symbolic engine, by its name in docs/SymbolicRules.md.
struct SymbolicRuleAction : NamedAction<SymbolicRuleAction> {
  using NamedAction::NamedAction;
  static constexpr llvm::StringLiteral tag = "symbolic-rule";
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SymbolicRuleAction)
};

/// Views of a stack that become one: "pair", "stack" or "padding".
struct ViewMergeAction : NamedAction<ViewMergeAction> {
  using NamedAction::NamedAction;
  static constexpr llvm::StringLiteral tag = "view-merge";
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ViewMergeAction)
};

/// A change of the lazy graph by a pass, by the pass's name.
struct LazyRewriteAction : NamedAction<LazyRewriteAction> {
  using NamedAction::NamedAction;
  static constexpr llvm::StringLiteral tag = "lazy-rewrite";
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LazyRewriteAction)
};

/// A value that is computed where it is used ("fuse"), or with what another kernel stores ("merge").
struct FusionAction : NamedAction<FusionAction> {
  using NamedAction::NamedAction;
  static constexpr llvm::StringLiteral tag = "fusion";
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FusionAction)
};

/// A step that a schedule takes, by the name of its transform operation.
struct ScheduleStepAction : NamedAction<ScheduleStepAction> {
  using NamedAction::NamedAction;
  static constexpr llvm::StringLiteral tag = "schedule-step";
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ScheduleStepAction)
};

/// The machine code of a kernel is made, of so many in all. Several threads do at once.
class KernelCodeAction : public NamedAction<KernelCodeAction> {
public:
  KernelCodeAction(llvm::ArrayRef<mlir::IRUnit> units, llvm::StringRef name, size_t count)
      : NamedAction(units, name), count(count) {}
  static constexpr llvm::StringLiteral tag = "kernel-code";
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KernelCodeAction)

  size_t getCount() const { return count; }

private:
  size_t count;
};

/// Tells the context's action handler of the action `name` at `op`; returns whether it may happen. Costs one branch
/// where there is no handler.
template <typename ActionTy> bool mayHappen(mlir::Operation *op, llvm::StringRef name) {
  mlir::MLIRContext *context = op->getContext();
  if (LLVM_LIKELY(!context->hasActionHandler()))
    return true;
  bool happens = false;
  mlir::IRUnit unit(op);
  context->executeAction<ActionTy>([&] { happens = true; }, unit, name);
  return happens;
}

} // namespace tiny

#endif // TINY_SUPPORT_ACTIONS_H
