//===--- View.h - views and ShapeTrackers: movement of data without moving it ----------------------------*- C++
//-*-===//
//
// A *view* reads a buffer through a window. It is a shape, a stride for each axis, an offset, and an optional mask: one
// interval [begin, end) per axis. It is a partial function from index tuples to buffer positions:
//
//   view(i) = offset + sum of i[k] * strides[k]      if mask[k].begin <= i[k] < mask[k].end for every k
//           = masked, which reads as zero            otherwise
//
// Every movement operation is a change of these numbers; no element moves:
//
//   permute  reorders axes                           expand   repeats an axis of size 1 (its stride is 0)
//   shrink   moves the offset, narrows the shape     pad      moves the offset back, widens the shape, and masks
//   flip     negates a stride, offset to the end     reshape  regroups axes, where strides and mask allow it
//
// Where reshape can not be said with one view, a second one is stacked on the first. A *ShapeTracker* is such a stack;
// views()[0] stands next to the buffer, the last view is what the consumer indexes:
//
//   tracker(i) = views[0](unravel_0(views[1](unravel_1(... views[n-1](i)))))
//
// where unravel_k turns a position into the row-major index tuple of views[k]'s shape. Masked anywhere is masked.
//
// Worked example. Pad a buffer of 4 by one on each side, then read windows of 2:
//
//   identity(4)      (4):(1)                            i -> i
//   pad 1, 1         (6):(1) + -1 mask [1:5]            i -> i - 1, masked at 0 and 5
//   reshape 3, 2     (3, 2):(2, 1) + -1 mask ...        the valid positions (0,1) (1,0) (1,1) (2,0) are no box: two
//   views
//                    (6):(1) + -1 mask [1:5], (3, 2):(2, 1)
//
// Laws, which the unit tests check by brute force:
//   * canonical: two views of one shape are equal as C++ values exactly when they are equal as functions;
//   * compose(a, b)(i) = a(unravel(b(i))); compose is associative; the identity is neutral;
//   * merge(inner, outer) is exact, and it finds the single view whenever there is one, as long as what can not be
//     decided by linear arithmetic has at most kMergeEnumerationLimit points (everything up to 6 small axes);
//   * flip and permute invert; shrink undoes pad; simplify changes no value and never adds a view.
//
// No arithmetic wraps: a result that would reach 2^62 is no view, and a tracker built from it is invalid (isValid).
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef TINY_ALGEBRA_VIEW_VIEW_H
#define TINY_ALGEBRA_VIEW_VIEW_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <optional>

namespace tiny {
class Expr;
class ExprContext;

/// Every shape product, stride, offset and reachable position is below this in absolute value.
inline constexpr int64_t kIndexLimit = int64_t(1) << 62;

/// How many points a merge may look at when linear arithmetic does not decide it.
inline constexpr int64_t kMergeEnumerationLimit = int64_t(1) << 16;

/// The half-open interval [begin, end) of valid indices on one axis.
struct MaskInterval {
  int64_t begin = 0;
  int64_t end = 0;
  bool operator==(const MaskInterval &other) const { return begin == other.begin && end == other.end; }
  bool operator!=(const MaskInterval &other) const { return !(*this == other); }
};
llvm::hash_code hash_value(const MaskInterval &interval);

/// One strided, offset, box-masked window, always in canonical form: an axis with a single valid index has stride 0, a
/// mask that excludes nothing is absent, one that excludes everything is [0:0] on every axis, and a view without
/// elements has neither strides nor mask.
class View {
public:
  using Shape = llvm::SmallVector<int64_t, 6>;
  using Mask = llvm::SmallVector<MaskInterval, 6>;

  /// The rank-0 view of the first element.
  View() = default;

  /// The canonical view of these numbers, or none if it would overflow, or if they are no view (lengths that differ, a
  /// negative size, an interval outside its axis). An empty `mask` is no mask.
  static std::optional<View> get(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides, int64_t offset = 0,
                                 llvm::ArrayRef<MaskInterval> mask = {});

  /// The row-major view of a buffer, or none if it has 2^62 elements or more.
  static std::optional<View> contiguous(llvm::ArrayRef<int64_t> shape);

  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  llvm::ArrayRef<int64_t> getStrides() const { return strides; }
  int64_t getOffset() const { return offset; }
  /// One interval per axis, or empty if every element is valid.
  llvm::ArrayRef<MaskInterval> getMask() const { return mask; }
  int64_t getRank() const { return shape.size(); }
  int64_t getNumElements() const;

  bool hasMask() const { return !mask.empty(); }
  /// No element is valid (and there is at least one element).
  bool isAllMasked() const { return !mask.empty() && mask.front().end == 0; }
  /// The mask excludes some index of this axis.
  bool isAxisMasked(unsigned axis) const;
  /// Element k of the row-major order is at position k, for all of them.
  bool isContiguous() const;
  /// The least and greatest position of a valid element, or none if there is none.
  std::optional<std::pair<int64_t, int64_t>> getRange() const;

  /// The position at an index tuple inside the shape, or none where it is masked.
  std::optional<int64_t> evaluate(llvm::ArrayRef<int64_t> indices) const;
  /// The position of element `linear` of the row-major order, or none where it is masked.
  std::optional<int64_t> evaluateLinear(int64_t linear) const;

  /// Movement; each returns none on overflow or where the operation does not apply. reshape also where no single view
  /// expresses the result.
  std::optional<View> reshape(llvm::ArrayRef<int64_t> newShape) const;
  std::optional<View> expand(llvm::ArrayRef<int64_t> newShape) const;
  std::optional<View> permute(llvm::ArrayRef<int64_t> permutation) const;
  std::optional<View> pad(llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high) const;
  std::optional<View> shrink(llvm::ArrayRef<int64_t> begin, llvm::ArrayRef<int64_t> end) const;
  std::optional<View> flip(llvm::ArrayRef<int64_t> axes) const;

  /// The view `v` of this view's buffer as a consumer, with this(unravel(v(unravel(this(i))))) = this(i): it reads the
  /// elements in the order of the buffer, in the shape of the axes sorted by stride. None if this view loses or repeats
  /// elements, so that no inverse exists.
  std::optional<View> invert() const;

  bool operator==(const View &other) const;
  bool operator!=(const View &other) const { return !(*this == other); }
  void print(llvm::raw_ostream &os) const;

private:
  llvm::SmallVector<int64_t> axesByStride(llvm::SmallVectorImpl<int64_t> &flipped) const;

  Shape shape, strides;
  int64_t offset = 0;
  Mask mask;
};
llvm::hash_code hash_value(const View &view);
inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const View &view) { return view.print(os), os; }

/// The single view with merged(i) = inner(unravel(outer(i))), or none if none is found (see the laws above).
std::optional<View> mergeViews(const View &inner, const View &outer);

/// The single view that a whole stack is, by looking at each of at most kMergeEnumerationLimit elements.
std::optional<View> mergeStack(llvm::ArrayRef<View> views);

/// Removes one view from a stack of three or more where the padding of one can move into the view below it, so that it
/// merges with the one above. False, and nothing changed, where it can not.
bool mergeAroundPadding(llvm::SmallVectorImpl<View> &views);

/// The same view with adjacent axes joined wherever they walk the buffer as one, and without axes of size 1: the shape
/// through which a position is unravelled with the fewest divisions.
View joinAxes(const View &view);

/// An index into the buffer and the condition (an i1 expression) under which it means anything.
struct IndexAndValidity;

/// A stack of views. Movement returns a new tracker, always simplified; a chain of movements in which any step would
/// overflow or does not apply is an invalid tracker, and stays one.
class ShapeTracker {
public:
  /// The invalid tracker.
  ShapeTracker() = default;
  ShapeTracker(View view) : stack({std::move(view)}) {}

  /// The row-major elements of a buffer.
  static ShapeTracker identity(llvm::ArrayRef<int64_t> shape);
  /// A stack as it is given, views[0] next to the buffer: invalid if a view reaches outside the elements of the one
  /// below it. Not simplified.
  static ShapeTracker fromViews(llvm::ArrayRef<View> views);

  bool isValid() const { return !stack.empty(); }
  explicit operator bool() const { return isValid(); }
  llvm::ArrayRef<View> views() const { return stack; }
  /// The shape that the consumer sees.
  llvm::ArrayRef<int64_t> shape() const { return stack.back().getShape(); }
  int64_t rank() const { return stack.back().getRank(); }
  int64_t numElements() const { return stack.back().getNumElements(); }

  ShapeTracker reshape(llvm::ArrayRef<int64_t> newShape) const;
  ShapeTracker expand(llvm::ArrayRef<int64_t> newShape) const;
  ShapeTracker permute(llvm::ArrayRef<int64_t> permutation) const;
  ShapeTracker pad(llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high) const;
  ShapeTracker shrink(llvm::ArrayRef<int64_t> begin, llvm::ArrayRef<int64_t> end) const;
  ShapeTracker flip(llvm::ArrayRef<int64_t> axes) const;

  /// This tracker seen through `outer`, whose buffer is this tracker's row-major elements: the result maps i to
  /// this(unravel(outer(i))).
  ShapeTracker compose(const ShapeTracker &outer) const;
  /// The tracker that reads back what this one wrote: inverse(this(i)) = i for a buffer of `outShape`; invalid if
  /// there is none.
  ShapeTracker invert(llvm::ArrayRef<int64_t> outShape) const;
  /// The same function with the fewest views that merging finds.
  ShapeTracker simplify() const;
  /// This tracker without an axis that no position depends on; invalid where one does. A mask along the axis goes too:
  /// what it hid is there now.
  ShapeTracker dropAxis(unsigned axis) const;

  /// Row-major, from position 0, no mask. It is the identity of a buffer with exactly numElements() elements; of a
  /// larger one it is the beginning.
  bool isContiguous() const { return isValid() && stack.size() == 1 && stack.front().isContiguous(); }
  /// The identity of a buffer of this shape: same shape, contiguous.
  bool isIdentity(llvm::ArrayRef<int64_t> bufferShape) const { return isContiguous() && shape() == bufferShape; }
  /// No two unmasked elements read one position. Exact where the strides nest (each is beyond what the smaller ones
  /// reach), and for at most kMergeEnumerationLimit elements; none where neither decides it.
  std::optional<bool> isInjective() const;
  /// Reads no masked element. (True also where a mask is there but excludes nothing reachable only if it merged away.)
  bool isUnmasked() const;
  /// Bounds of the positions that valid elements read, or none if there is none. Exact for one view.
  std::optional<std::pair<int64_t, int64_t>> getRange() const;

  /// The buffer position at an index tuple, or none where it is masked.
  std::optional<int64_t> evaluate(llvm::ArrayRef<int64_t> indices) const;
  /// The buffer position of element `linear` of the row-major order.
  std::optional<int64_t> evaluateLinear(int64_t linear) const;

  /// Index and validity as expressions over one index expression per axis, simplified, the index also under its
  /// validity. (Tiny/Algebra/Symbolic/Symbolic.h)
  IndexAndValidity toIndex(ExprContext &context, llvm::ArrayRef<Expr> indices) const;
  /// Per axis the constant stride of the buffer position, 0 if it does not depend on the axis, none if it is not affine
  /// in it or the axis decides validity.
  llvm::SmallVector<std::optional<int64_t>> getRealStrides() const;

  bool operator==(const ShapeTracker &other) const { return stack == other.stack; }
  bool operator!=(const ShapeTracker &other) const { return !(*this == other); }
  void print(llvm::raw_ostream &os) const;

private:
  ShapeTracker withLast(std::optional<View> last) const;

  llvm::SmallVector<View, 1> stack;
};
llvm::hash_code hash_value(const ShapeTracker &tracker);
inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const ShapeTracker &t) { return t.print(os), os; }

} // namespace tiny

#endif // TINY_ALGEBRA_VIEW_VIEW_H
