// Merging two views into one.
//
// outer maps an index tuple i to the position x(i) = o + sum s[k] i[k]; inner unravels x over its sizes n[d] and maps
// the digits. With A[d] the product of the sizes after d, q[d](x) = floor(x / A[d]) and digit[0] = q[0],
// digit[d] = q[d] - n[d] q[d-1]. Hence
//
//   address    = offset + st[R-1] x + sum over d < R-1 of (st[d] - st[d+1] n[d+1]) q[d]
//   digit d in [b, e)  <=>  b A[d] <= x - A[d-1] q[d-1] < e A[d]           (q[-1] = 0)
//
// Whether a single q[d](x(i)) is affine on a box is decided exactly: its slope on axis k can only be
// a[k] = q(x0 + s[k]) - q(x0) at the low corner x0, and it is affine iff the remainder x - A (q0 + sum a[k] i[k]),
// linear in i, stays in [0, A) at its extremes. Where every q that counts is affine, the mask's conditions are linear;
// bounds propagation narrows the box, soundly, and if they then hold on all of it the box is exact. What this leaves
// open (quotients that are not affine but cancel, conditions on a sum of axes) is decided by looking at every point.
#include "Tiny/Algebra/View/View.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace llvm;
using namespace tiny;

namespace {
using Wide = __int128;

Wide floorDiv(Wide a, Wide b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }
Wide ceilDiv(Wide a, Wide b) { return -floorDiv(-a, b); }

/// constant + sum of coefficients[k] * i[k].
struct Affine {
  SmallVector<Wide, 6> coefficients;
  Wide constant = 0;
};

/// One axis of inner that is not of size 1, and A of the essay above.
struct Digit {
  int64_t size, stride, begin, end, below;
  bool isMasked() const { return begin != 0 || end != size; }
};

class Merger {
public:
  Merger(const View &inner, const View &outer) : inner(inner), outer(outer) {}
  std::optional<View> run();

private:
  enum class Outcome { Unknown, Empty, Box };

  Wide weight(size_t digit) const {
    return Wide(digits[digit].stride) - Wide(digits[digit + 1].stride) * digits[digit + 1].size;
  }
  Wide position(ArrayRef<Wide> point) const;
  std::optional<Affine> quotient(int64_t divisor) const;
  std::optional<Affine> conditionOf(size_t digit) const;
  bool tighten(const Affine &condition, Wide least, Wide greatest, bool &changed);
  bool holds(const Affine &condition, Wide least, Wide greatest) const;
  Outcome narrow();
  Outcome enumerateMask(ArrayRef<size_t> open);
  bool enumerateAffine(ArrayRef<size_t> open, SmallVectorImpl<Wide> &slopes);
  std::optional<View> addressOnBox();
  std::optional<View> allMasked() const;

  const View &inner, &outer;
  SmallVector<Digit, 6> digits;
  Affine x;
  SmallVector<Wide, 6> low, high; // the box, inclusive
};
} // namespace

Wide Merger::position(ArrayRef<Wide> point) const {
  Wide value = x.constant;
  for (auto [coefficient, index] : zip_equal(x.coefficients, point))
    value += coefficient * index;
  return value;
}

/// floor(x / divisor) as an affine function on the box, if it is one.
std::optional<Affine> Merger::quotient(int64_t divisor) const {
  Affine result;
  Wide origin = position(low), first = floorDiv(origin, divisor);
  Wide least = origin - first * divisor, greatest = least;
  result.constant = first;
  for (size_t axis = 0; axis < low.size(); ++axis) {
    Wide slope = 0;
    if (low[axis] != high[axis]) {
      slope = floorDiv(origin + x.coefficients[axis], divisor) - first;
      Wide reach = (x.coefficients[axis] - slope * divisor) * (high[axis] - low[axis]);
      least += std::min<Wide>(reach, 0);
      greatest += std::max<Wide>(reach, 0);
    }
    result.coefficients.push_back(slope);
    result.constant -= slope * low[axis];
  }
  if (least < 0 || greatest >= divisor)
    return std::nullopt;
  return result;
}

/// x - A[d-1] q[d-1], the part of x that digit d and those below it see.
std::optional<Affine> Merger::conditionOf(size_t digit) const {
  if (digit == 0)
    return x;
  int64_t period = digits[digit - 1].below;
  std::optional<Affine> above = quotient(period);
  if (!above)
    return std::nullopt;
  Affine result = x;
  result.constant -= above->constant * period;
  for (auto [coefficient, slope] : zip_equal(result.coefficients, above->coefficients))
    coefficient -= slope * period;
  return result;
}

/// Narrows the box to where least <= condition <= greatest can hold. False if that is nowhere.
bool Merger::tighten(const Affine &condition, Wide least, Wide greatest, bool &changed) {
  Wide smallest = condition.constant, largest = condition.constant;
  for (auto [axis, c] : enumerate(condition.coefficients)) {
    smallest += std::min(c * low[axis], c * high[axis]);
    largest += std::max(c * low[axis], c * high[axis]);
  }
  if (smallest > greatest || largest < least)
    return false;
  for (auto [axis, c] : enumerate(condition.coefficients)) {
    if (c == 0)
      continue;
    // What the other axes contribute at most and at least.
    Wide others = smallest - std::min(c * low[axis], c * high[axis]);
    Wide othersMost = largest - std::max(c * low[axis], c * high[axis]);
    Wide from = least - othersMost, to = greatest - others; // from <= c i <= to
    Wide newLow = std::max(low[axis], c > 0 ? ceilDiv(from, c) : ceilDiv(to, c));
    Wide newHigh = std::min(high[axis], c > 0 ? floorDiv(to, c) : floorDiv(from, c));
    if (newLow > newHigh)
      return false;
    if (newLow == low[axis] && newHigh == high[axis])
      continue;
    smallest += std::min(c * newLow, c * newHigh) - std::min(c * low[axis], c * high[axis]);
    largest += std::max(c * newLow, c * newHigh) - std::max(c * low[axis], c * high[axis]);
    low[axis] = newLow;
    high[axis] = newHigh;
    changed = true;
  }
  return true;
}

bool Merger::holds(const Affine &condition, Wide least, Wide greatest) const {
  Wide smallest = condition.constant, largest = condition.constant;
  for (auto [axis, c] : enumerate(condition.coefficients)) {
    smallest += std::min(c * low[axis], c * high[axis]);
    largest += std::max(c * low[axis], c * high[axis]);
  }
  return smallest >= least && largest <= greatest;
}

/// Narrows the box to exactly the valid points.
Merger::Outcome Merger::narrow() {
  SmallVector<size_t> open;
  // Each round narrows some axis; a chain of tiny steps is cut off, which is sound: the rest is left to enumeration.
  for (int round = 0; round < 64; ++round) {
    bool changed = false;
    open.clear();
    for (auto [d, digit] : enumerate(digits)) {
      if (!digit.isMasked())
        continue;
      Wide least = Wide(digit.begin) * digit.below, greatest = Wide(digit.end) * digit.below - 1;
      std::optional<Affine> condition = conditionOf(d);
      if (condition && !tighten(*condition, least, greatest, changed))
        return Outcome::Empty;
      condition = conditionOf(d);
      if (!condition || !holds(*condition, least, greatest))
        open.push_back(d);
    }
    if (!changed)
      break;
  }
  return open.empty() ? Outcome::Box : enumerateMask(open);
}

/// Steps `point` through the box over `axes`, last fastest. False after the last point.
static bool advance(MutableArrayRef<Wide> point, ArrayRef<size_t> axes, ArrayRef<Wide> low, ArrayRef<Wide> high) {
  for (size_t axis : reverse(axes)) {
    if (++point[axis] <= high[axis])
      return true;
    point[axis] = low[axis];
  }
  return false;
}

/// Decides the conditions on the digits `open` by looking at every point of the axes that they depend on.
Merger::Outcome Merger::enumerateMask(ArrayRef<size_t> open) {
  SmallVector<size_t> axes;
  Wide points = 1;
  for (size_t axis = 0; axis < low.size(); ++axis) {
    bool matters = low[axis] != high[axis] && any_of(open, [&](size_t d) {
                     return d == 0 ? x.coefficients[axis] != 0 : x.coefficients[axis] % digits[d - 1].below != 0;
                   });
    if (!matters)
      continue;
    axes.push_back(axis);
    points *= high[axis] - low[axis] + 1;
    if (points > kMergeEnumerationLimit)
      return Outcome::Unknown;
  }
  auto isValid = [&](ArrayRef<Wide> point) {
    Wide at = position(point);
    return all_of(open, [&](size_t d) {
      Wide part = d == 0 ? at : at - floorDiv(at, digits[d - 1].below) * digits[d - 1].below;
      return part >= Wide(digits[d].begin) * digits[d].below && part < Wide(digits[d].end) * digits[d].below;
    });
  };
  SmallVector<Wide, 6> point(low);
  bool found = false;
  do
    found = isValid(point);
  while (!found && advance(point, axes, low, high));
  if (!found)
    return Outcome::Empty;
  // If the valid points are a box, the lines through any of them span it.
  SmallVector<Wide, 6> boxLow(low), boxHigh(high);
  for (size_t axis : axes) {
    SmallVector<Wide, 6> probe(point);
    for (boxLow[axis] = point[axis]; boxLow[axis] > low[axis]; --boxLow[axis]) {
      probe[axis] = boxLow[axis] - 1;
      if (!isValid(probe))
        break;
    }
    for (boxHigh[axis] = point[axis]; boxHigh[axis] < high[axis]; ++boxHigh[axis]) {
      probe[axis] = boxHigh[axis] + 1;
      if (!isValid(probe))
        break;
    }
  }
  point = low;
  do {
    bool inside =
        all_of(axes, [&](size_t axis) { return point[axis] >= boxLow[axis] && point[axis] <= boxHigh[axis]; });
    if (inside != isValid(point))
      return Outcome::Unknown;
  } while (advance(point, axes, low, high));
  low = boxLow;
  high = boxHigh;
  return Outcome::Box;
}

/// Whether sum of weight(d) q[d] over the digits `open`, none of which is affine alone, is affine after all.
bool Merger::enumerateAffine(ArrayRef<size_t> open, SmallVectorImpl<Wide> &slopes) {
  Wide period = digits[open.front()].below; // the largest: each divides the one before it
  auto value = [&](ArrayRef<Wide> point) {
    Wide at = position(point), sum = 0;
    for (size_t d : open)
      sum += weight(d) * floorDiv(at, digits[d].below);
    return sum;
  };
  SmallVector<size_t> axes;
  SmallVector<Wide, 6> end(low);
  Wide points = 1, origin = value(low);
  slopes.assign(low.size(), 0);
  for (size_t axis = 0; axis < low.size(); ++axis) {
    if (low[axis] == high[axis])
      continue;
    SmallVector<Wide, 6> next(low);
    ++next[axis];
    slopes[axis] = value(next) - origin;
    // After `repeat` steps x has moved by whole periods and the value by a constant: one repeat tells all.
    Wide stride = x.coefficients[axis] < 0 ? -x.coefficients[axis] : x.coefficients[axis];
    Wide a = stride, b = period;
    while (b != 0)
      a = std::exchange(b, a % b);
    Wide repeat = period / a;
    if (repeat == 1)
      continue;
    end[axis] = std::min(high[axis], low[axis] + repeat);
    axes.push_back(axis);
    points *= end[axis] - low[axis] + 1;
    if (points > kMergeEnumerationLimit)
      return false;
  }
  SmallVector<Wide, 6> point(low);
  do {
    Wide expected = origin;
    for (size_t axis : axes)
      expected += slopes[axis] * (point[axis] - low[axis]);
    if (value(point) != expected)
      return false;
  } while (advance(point, axes, low, end));
  return true;
}

/// The view whose mask is the box, if the address is affine on it.
std::optional<View> Merger::addressOnBox() {
  SmallVector<Wide, 6> strides(low.size(), 0);
  SmallVector<size_t> open;
  if (!digits.empty())
    for (size_t axis = 0; axis < low.size(); ++axis)
      strides[axis] = x.coefficients[axis] * digits.back().stride;
  for (size_t d = 0; d + 1 < digits.size(); ++d) {
    if (weight(d) == 0)
      continue;
    if (std::optional<Affine> affine = quotient(digits[d].below)) {
      for (size_t axis = 0; axis < low.size(); ++axis)
        strides[axis] += weight(d) * affine->coefficients[axis];
    } else {
      open.push_back(d);
    }
  }
  if (!open.empty()) {
    SmallVector<Wide, 6> slopes;
    if (!enumerateAffine(open, slopes))
      return std::nullopt;
    for (size_t axis = 0; axis < low.size(); ++axis)
      strides[axis] += slopes[axis];
  }
  // The value at the low corner fixes the offset.
  Wide at = position(low), offset = inner.getOffset();
  for (const Digit &digit : reverse(digits)) {
    offset += (at % digit.size) * digit.stride;
    at /= digit.size;
  }
  View::Shape narrowStrides;
  View::Mask mask;
  for (size_t axis = 0; axis < low.size(); ++axis) {
    if (low[axis] == high[axis])
      strides[axis] = 0;
    offset -= strides[axis] * low[axis];
    if (strides[axis] >= kIndexLimit || strides[axis] <= -kIndexLimit)
      return std::nullopt;
    narrowStrides.push_back(int64_t(strides[axis]));
    mask.push_back({int64_t(low[axis]), int64_t(high[axis]) + 1});
  }
  if (offset >= kIndexLimit || offset <= -kIndexLimit)
    return std::nullopt;
  return View::get(outer.getShape(), narrowStrides, int64_t(offset), mask);
}

/// The view that is masked everywhere; rank 0 has none.
std::optional<View> Merger::allMasked() const {
  if (outer.getRank() == 0)
    return std::nullopt;
  View::Shape strides(outer.getRank(), 0);
  View::Mask mask(outer.getRank(), MaskInterval{0, 0});
  return View::get(outer.getShape(), strides, 0, mask);
}

std::optional<View> Merger::run() {
  if (outer.getNumElements() == 0 || outer.isAllMasked() || inner.isContiguous())
    return outer;
  if (inner.getNumElements() == 0)
    return std::nullopt;
  if (inner.isAllMasked())
    return allMasked();
  int64_t below = 1;
  for (int64_t axis = inner.getRank(); axis-- > 0; below *= inner.getShape()[axis]) {
    int64_t size = inner.getShape()[axis];
    if (size == 1)
      continue;
    MaskInterval interval = inner.hasMask() ? inner.getMask()[axis] : MaskInterval{0, size};
    digits.push_back({size, inner.getStrides()[axis], interval.begin, interval.end, below});
  }
  std::reverse(digits.begin(), digits.end());
  x.constant = outer.getOffset();
  for (int64_t axis = 0; axis < outer.getRank(); ++axis) {
    MaskInterval interval = outer.hasMask() ? outer.getMask()[axis] : MaskInterval{0, outer.getShape()[axis]};
    x.coefficients.push_back(outer.getStrides()[axis]);
    low.push_back(interval.begin);
    high.push_back(interval.end - 1);
  }
  switch (narrow()) {
  case Outcome::Unknown:
    return std::nullopt;
  case Outcome::Empty:
    return allMasked();
  case Outcome::Box:
    return addressOnBox();
  }
  llvm_unreachable("covered switch");
}

std::optional<View> tiny::mergeViews(const View &inner, const View &outer) { return Merger(inner, outer).run(); }
