//===--- SymbolicView.h - views and trackers whose numbers depend on bounded symbols --------------------*- C++ -*-===//
//
// A symbolic view is a *family* of views (View.h), one for each value of the symbols within their bounds: its shape,
// strides, offset and mask are polynomials (Dim) over them. A SymbolicTracker is a stack of such views and the
// bounds of the symbols. It obeys one law, from which all others follow, and which the unit tests check at every value:
//
//   bind(op(tracker, args), values) = op(bind(tracker, values), bind(args, values))     for every movement op
//
// So an operation on the family may only do what is right for every member. Each has three outcomes:
//
//   * one view says the result for all values: the last view changes;
//   * which view says it depends on the values (a mask cut by a shrink whose bounds are not ordered), or no rule finds
//     one (a reshape across strides that do not join): a view is stacked, which is right whatever the values are;
//   * the operation does not apply for some value (shrink past the end, element counts that differ), or that can not be
//     excluded: the tracker is invalid, and says why.
//
// Worked example, s0 in 1..32:
//
//   identity (s0, 64)       (s0, 64):(64, 1)
//   reshape  (64*s0)        (64*s0):(1)
//   pad 0, 64               (64*s0 + 64):(1) mask [0:64*s0]
//   reshape  (s0 + 1, 64)   (s0 + 1, 64):(64, 1) mask [0:s0, 0:64]     64*s0 is a multiple of 64, whatever s0 is
//   reshape  (2, 32*s0+32)  (s0 + 1, 64):(64, 1) mask [0:s0, 0:64], (2, 32*s0 + 32):(32*s0 + 32, 1)     here it stacks
//
// These are classes of their own and no generalisation of View: docs/Decisions/0006-symbolic-views-are-families.md.
//
// Canonical form: an axis with a single valid index, whatever the symbols are, has stride 0; a mask that excludes
// nothing is absent; one that excludes everything is [0:0] on every axis; a view without elements has neither strides
// nor mask. Equal representations are equal functions for every value of the symbols; the reverse is not promised,
// since polynomials that differ may agree within small bounds. Where a size may be 0, the view then reads nothing,
// whatever its numbers are; ranges may count such a value in, never leave a reached position out.
//
// No arithmetic wraps: what may reach 2^62 for some value of the symbols is no view.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef TINY_ALGEBRA_VIEW_SYMBOLICVIEW_H
#define TINY_ALGEBRA_VIEW_SYMBOLICVIEW_H

#include "Tiny/Algebra/View/Dim.h"

#include <string>

namespace tiny {
struct SymbolicMove;

/// The half-open interval [begin, end) of valid indices on one axis.
struct DimInterval {
  Dim begin, end;
  bool operator==(const DimInterval &other) const { return begin == other.begin && end == other.end; }
  bool operator!=(const DimInterval &other) const { return !(*this == other); }
};

/// One strided, offset, box-masked window for each value of the symbols. `symbols` is always the bounds of symbol n.
class SymbolicView {
public:
  using Dims = llvm::SmallVector<Dim, 0>;
  using Mask = llvm::SmallVector<DimInterval, 0>;

  /// The canonical view of these numbers, or none if it is no view for some value of the symbols, or might not be.
  static std::optional<SymbolicView> get(llvm::ArrayRef<Bounds> symbols, llvm::ArrayRef<Dim> shape,
                                         llvm::ArrayRef<Dim> strides, const Dim &offset = 0,
                                         llvm::ArrayRef<DimInterval> mask = {});
  static std::optional<SymbolicView> contiguous(llvm::ArrayRef<Bounds> symbols, llvm::ArrayRef<Dim> shape);
  /// The family whose members are all this view.
  static SymbolicView fromStatic(const View &view);

  llvm::ArrayRef<Dim> getShape() const { return shape; }
  llvm::ArrayRef<Dim> getStrides() const { return strides; }
  const Dim &getOffset() const { return offset; }
  /// One interval per axis, or empty if every element is valid.
  llvm::ArrayRef<DimInterval> getMask() const { return mask; }
  size_t getRank() const { return shape.size(); }
  Dim getNumElements() const;

  bool hasMask() const { return !mask.empty(); }
  /// No element is valid, whatever the symbols are.
  bool isAllMasked() const { return !mask.empty() && mask.front().end == Dim(0); }
  bool isAxisMasked(unsigned axis) const;
  /// Element k of the row-major order is at position k, for all of them and for every value. False if not known.
  bool isContiguous() const;
  /// The least and greatest position of a valid element by the symbols, where every size is at least 1. None if there
  /// is no valid element or the sign of a stride depends on the symbols.
  std::optional<std::pair<Dim, Dim>> getExtremes(llvm::ArrayRef<Bounds> symbols) const;
  /// Bounds of the positions of valid elements over all values, or none if there is none or they reach 2^62. Tight
  /// where getExtremes knows them and Dim::range is exact.
  std::optional<Bounds> getRange(llvm::ArrayRef<Bounds> symbols) const;

  /// The member of the family at these values, or none if it is no view.
  std::optional<View> bind(llvm::ArrayRef<int64_t> values) const;
  /// The one member, if no number depends on a symbol.
  std::optional<View> toStatic() const;

  SymbolicMove reshape(llvm::ArrayRef<Bounds> symbols, llvm::ArrayRef<Dim> newShape) const;
  SymbolicMove expand(llvm::ArrayRef<Bounds> symbols, llvm::ArrayRef<Dim> newShape) const;
  SymbolicMove permute(llvm::ArrayRef<Bounds> symbols, llvm::ArrayRef<int64_t> permutation) const;
  SymbolicMove pad(llvm::ArrayRef<Bounds> symbols, llvm::ArrayRef<Dim> low, llvm::ArrayRef<Dim> high) const;
  SymbolicMove shrink(llvm::ArrayRef<Bounds> symbols, llvm::ArrayRef<Dim> begin, llvm::ArrayRef<Dim> end) const;
  SymbolicMove flip(llvm::ArrayRef<Bounds> symbols, llvm::ArrayRef<int64_t> axes) const;

  /// The view that reads the elements in the order of the buffer, in the shape of the axes sorted by stride, for every
  /// value; none where this one loses or repeats elements for some value, or might.
  std::optional<SymbolicView> invert(llvm::ArrayRef<Bounds> symbols) const;

  /// The same view with adjacent axes joined wherever they walk the buffer as one, and without axes of size 1.
  SymbolicView joinAxes(llvm::ArrayRef<Bounds> symbols) const;

  bool operator==(const SymbolicView &other) const {
    return shape == other.shape && strides == other.strides && offset == other.offset && mask == other.mask;
  }
  bool operator!=(const SymbolicView &other) const { return !(*this == other); }
  void print(llvm::raw_ostream &os) const;

private:
  DimInterval intervalOf(unsigned axis) const { return hasMask() ? mask[axis] : DimInterval{0, shape[axis]}; }

  Dims shape, strides;
  Dim offset;
  Mask mask;
};
inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const SymbolicView &view) { return view.print(os), os; }

/// The outcome of a movement: a view, or why the operation does not apply, or neither: no single view is known to say
/// it for all values, and it takes one more.
struct SymbolicMove {
  std::optional<SymbolicView> view;
  std::string failure;
};

/// The single view with merged(i) = inner(unravel(outer(i))) for all values, or none if none is found.
std::optional<SymbolicView> mergeViews(llvm::ArrayRef<Bounds> symbols, const SymbolicView &inner,
                                       const SymbolicView &outer);

/// A stack of symbolic views, views()[0] next to the buffer, and the bounds of the symbols.
class SymbolicTracker {
public:
  /// An invalid tracker.
  SymbolicTracker() = default;
  static SymbolicTracker identity(llvm::ArrayRef<Bounds> symbols, llvm::ArrayRef<Dim> shape);
  /// A stack as it is given: invalid if a view may reach outside the elements of the one below it.
  static SymbolicTracker fromViews(llvm::ArrayRef<Bounds> symbols, llvm::ArrayRef<SymbolicView> views);
  static SymbolicTracker fromStatic(llvm::ArrayRef<Bounds> symbols, const ShapeTracker &tracker);

  bool isValid() const { return !stack.empty(); }
  explicit operator bool() const { return isValid(); }
  /// Why the tracker is invalid.
  llvm::StringRef getFailure() const { return failure; }
  llvm::ArrayRef<Bounds> symbols() const { return bounds; }
  llvm::ArrayRef<SymbolicView> views() const { return stack; }
  llvm::ArrayRef<Dim> shape() const { return stack.back().getShape(); }
  Dim numElements() const { return stack.back().getNumElements(); }

  SymbolicTracker reshape(llvm::ArrayRef<Dim> newShape) const;
  SymbolicTracker expand(llvm::ArrayRef<Dim> newShape) const;
  SymbolicTracker permute(llvm::ArrayRef<int64_t> permutation) const;
  SymbolicTracker pad(llvm::ArrayRef<Dim> low, llvm::ArrayRef<Dim> high) const;
  SymbolicTracker shrink(llvm::ArrayRef<Dim> begin, llvm::ArrayRef<Dim> end) const;
  SymbolicTracker flip(llvm::ArrayRef<int64_t> axes) const;

  /// This tracker seen through `outer`, over the same symbols.
  SymbolicTracker compose(const SymbolicTracker &outer) const;
  /// The same function with fewer views where merging finds them.
  SymbolicTracker simplify() const;

  /// The tracker that reads back what this one wrote, for every value: inverse(this(i)) = i for a buffer of `outShape`.
  SymbolicTracker invert(llvm::ArrayRef<Dim> outShape) const;

  /// The position at an index tuple inside the shape when symbol n is values[n], or none where it is masked.
  std::optional<int64_t> evaluate(llvm::ArrayRef<int64_t> values, llvm::ArrayRef<int64_t> indices) const;
  /// Per axis the stride of the position as a polynomial of the symbols, 0 if it does not depend on the axis, none if
  /// it is not affine in it, or not known to be, or the axis decides validity.
  llvm::SmallVector<std::optional<Dim>> getRealStrides() const;

  /// Row-major from position 0, without mask, for every value.
  bool isContiguous() const { return isValid() && stack.size() == 1 && stack.front().isContiguous(); }
  /// Bounds of the positions that valid elements read over all values, or none if there is none or they are not known.
  std::optional<Bounds> getRange() const;

  /// The tracker at these values, which lie within the symbols' bounds.
  ShapeTracker bind(llvm::ArrayRef<int64_t> values) const;
  /// The one tracker, if no number depends on a symbol.
  std::optional<ShapeTracker> toStatic() const;
  /// Index and validity, with symbolLeaves[n] for symbol n; give them the symbols' bounds.
  IndexAndValidity toIndex(ExprContext &context, llvm::ArrayRef<Expr> symbolLeaves, llvm::ArrayRef<Expr> indices) const;

  bool operator==(const SymbolicTracker &other) const { return bounds == other.bounds && stack == other.stack; }
  bool operator!=(const SymbolicTracker &other) const { return !(*this == other); }
  void print(llvm::raw_ostream &os) const;

private:
  static SymbolicTracker failed(std::string why);
  SymbolicTracker moved(llvm::function_ref<SymbolicMove(const SymbolicView &)> move) const;

  llvm::SmallVector<Bounds, 2> bounds;
  llvm::SmallVector<SymbolicView, 1> stack;
  std::string failure = "no tracker";
};
inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const SymbolicTracker &t) { return t.print(os), os; }

} // namespace tiny

#endif // TINY_ALGEBRA_VIEW_SYMBOLICVIEW_H
