#include "Tiny/Dialect/Symbolic/AlgebraActions.h"

#include "Tiny/Support/Actions.h"

using namespace mlir;

namespace tiny {

AlgebraActions::AlgebraActions(Operation *op) : op(op) {
  if (!op->getContext()->hasActionHandler())
    return;
  handler = [this](AlgebraStep step, StringRef name) { return tell(step, name); };
  listening.emplace(handler);
}

bool AlgebraActions::tell(AlgebraStep step, StringRef name) const {
  return step == AlgebraStep::rule ? mayHappen<SymbolicRuleAction>(op, name) : mayHappen<ViewMergeAction>(op, name);
}

} // namespace tiny
