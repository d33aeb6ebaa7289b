// Lets somebody watch and stop the steps of the algebra: rules of the symbolic engine, merges of views.
#ifndef TINY_ALGEBRA_STEPS_H
#define TINY_ALGEBRA_STEPS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

namespace tiny {

enum class AlgebraStep { rule, viewMerge };

/// Called before a step; returns whether it may be taken. Every step is optional: without it the result is right, but
/// not as simple.
using StepListener = llvm::function_ref<bool(AlgebraStep step, llvm::StringRef name)>;

/// While it lives, the steps of this thread are told to `listener`.
class ListenToSteps {
public:
  explicit ListenToSteps(StepListener listener);
  ~ListenToSteps();
  ListenToSteps(const ListenToSteps &) = delete;
  ListenToSteps &operator=(const ListenToSteps &) = delete;

private:
  StepListener previous;
};

/// Whether the rule of this name may be applied; asked when everything else holds.
bool mayApply(const llvm::Twine &rule);
/// Whether views may become one: "pair", "stack" or "padding", by how that is found out.
bool mayMergeViews(llvm::StringRef how);

} // namespace tiny

#endif // TINY_ALGEBRA_STEPS_H
