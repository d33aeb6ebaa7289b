// The steps of the algebra, which knows no IR, as actions at an operation.
#ifndef TINY_DIALECT_SYMBOLIC_ALGEBRAACTIONS_H
#define TINY_DIALECT_SYMBOLIC_ALGEBRAACTIONS_H

#include "Tiny/Algebra/Steps.h"

#include "mlir/IR/Operation.h"
#include <functional>
#include <optional>

namespace tiny {

/// While it lives, rules and merges of views in this thread are actions `symbolic-rule` and `view-merge` at `op`. It
/// does nothing where the context has no action handler. A pass that changes IR by the algebra holds one.
class AlgebraActions {
public:
  explicit AlgebraActions(mlir::Operation *op);
  AlgebraActions(const AlgebraActions &) = delete;
  AlgebraActions &operator=(const AlgebraActions &) = delete;

  /// What follows is about another operation.
  void moveTo(mlir::Operation *next) { op = next; }

private:
  bool tell(AlgebraStep step, llvm::StringRef name) const;

  mlir::Operation *op;
  std::function<bool(AlgebraStep, llvm::StringRef)> handler;
  std::optional<ListenToSteps> listening;
};

} // namespace tiny

#endif // TINY_DIALECT_SYMBOLIC_ALGEBRAACTIONS_H
