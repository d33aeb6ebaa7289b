// Finds the digits of an index: the boundaries that divisions and remainders by constants set.
#include "Tiny/Algebra/View/Digits.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tiny;

/// More digits than these make loops that are too short to be worth it.
static constexpr size_t kMostEnds = 3;

bool tiny::joinDigits(DigitEnds &ends, ArrayRef<int64_t> more, int64_t extent) {
  bool changed = false;
  for (int64_t end : more) {
    auto fits = [&](int64_t other) { return other != end && (other % end == 0 || end % other == 0); };
    if (end <= 1 || end >= extent || extent % end != 0 || ends.size() == kMostEnds || !all_of(ends, fits))
      continue;
    ends.insert(lower_bound(ends, end), end);
    changed = true;
  }
  return changed;
}

SmallVector<int64_t, 3> tiny::getDigitExtents(ArrayRef<int64_t> ends, int64_t extent) {
  SmallVector<int64_t, 3> extents;
  for (int64_t end : reverse(ends)) {
    extents.push_back(extent / end);
    extent = end;
  }
  extents.push_back(extent);
  return extents;
}

/// The end that a division or remainder by a constant sets to a digit of a variable.
static std::optional<std::pair<const ExprNode *, int64_t>> getEnd(Expr part) {
  int64_t end = 1;
  for (bool isOuter = true;; isOuter = false) {
    if (part.is(ExprKind::Leaf))
      return isOuter ? std::nullopt : std::optional(std::pair(part.get(), end));
    if (!part.is(ExprKind::FloorDiv) && !part.is(ExprKind::Mod))
      return std::nullopt;
    std::optional<int64_t> divisor = part.operand(1).asConstant();
    if (!divisor || *divisor <= 0)
      return std::nullopt;
    // A remainder further inside only cuts off what is above.
    if ((isOuter || part.is(ExprKind::FloorDiv)) && MulOverflow(end, *divisor, end))
      return std::nullopt;
    part = part.operand(0);
  }
}

SmallVector<DigitEnds> tiny::findDigits(ArrayRef<Expr> roots, ArrayRef<Expr> variables) {
  SmallVector<DigitEnds> digits(variables.size());
  DenseMap<const ExprNode *, unsigned> numbers;
  for (auto [k, variable] : enumerate(variables))
    if (variable.is(ExprKind::Leaf))
      numbers[variable.get()] = k;
  SmallVector<Expr> stack(roots);
  DenseSet<const ExprNode *> seen;
  while (!stack.empty()) {
    Expr part = stack.pop_back_val();
    if (!part || !seen.insert(part.get()).second)
      continue;
    if (auto end = getEnd(part))
      if (auto it = numbers.find(end->first); it != numbers.end())
        joinDigits(digits[it->second], end->second, it->first->high + 1);
    for (unsigned k = 0; k < part.size(); ++k)
      stack.push_back(part.operand(k));
  }
  return digits;
}
