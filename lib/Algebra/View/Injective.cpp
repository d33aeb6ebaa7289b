// Whether a stack of views reads every position at most once.
#include "Tiny/Algebra/View/View.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tiny;

/// Sorted by stride, each stride is beyond what those before it reach together: positions are digits.
static bool hasNestedStrides(const View &view) {
  SmallVector<std::pair<int64_t, int64_t>> axes; // stride, steps
  for (auto [axis, size] : enumerate(view.getShape())) {
    int64_t valid = view.hasMask() ? view.getMask()[axis].end - view.getMask()[axis].begin : size;
    if (valid == 0)
      return true;
    if (valid > 1)
      axes.push_back({std::abs(view.getStrides()[axis]), valid - 1});
  }
  sort(axes);
  int64_t reach = 0;
  for (auto [stride, steps] : axes) {
    if (stride <= reach)
      return false;
    reach += stride * steps; // A position of the view, so below 2^62.
  }
  return true;
}

std::optional<bool> ShapeTracker::isInjective() const {
  // A chain of injective views is one, masks or not.
  if (all_of(views(), hasNestedStrides))
    return true;
  if (numElements() > kMergeEnumerationLimit)
    return std::nullopt;
  DenseSet<int64_t> seen;
  for (int64_t element = 0; element < numElements(); ++element)
    if (std::optional<int64_t> position = evaluateLinear(element); position && !seen.insert(*position).second)
      return false;
  return true;
}
