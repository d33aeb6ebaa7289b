#include "Tiny/Algebra/Steps.h"

#include "llvm/ADT/SmallString.h"

using namespace llvm;

namespace tiny {

static thread_local StepListener listener = nullptr;

ListenToSteps::ListenToSteps(StepListener next) : previous(listener) { listener = next; }
ListenToSteps::~ListenToSteps() { listener = previous; }

bool mayApply(const Twine &rule) {
  if (LLVM_LIKELY(!listener))
    return true;
  SmallString<32> storage;
  return listener(AlgebraStep::rule, rule.toStringRef(storage));
}

bool mayMergeViews(StringRef how) { return LLVM_LIKELY(!listener) || listener(AlgebraStep::viewMerge, how); }

} // namespace tiny
