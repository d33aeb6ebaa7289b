// What the base of a gather is computed from, and the same computation for the picked elements only.
#ifndef TINY_LIB_TRANSFORMS_LAZY_GATHERCONE_H
#define TINY_LIB_TRANSFORMS_LAZY_GATHERCONE_H

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include <vector>

namespace tiny::lazy {

/// gather(f(x, y), i) is f(gather(x, i), gather(y, i)) wherever i lies inside the base. The cone of a gather is that f,
/// down to what is in memory, and for each operand how it is read for the picked elements. Along an axis whose index
/// the result's own indices give, a view reads it. A value that varies along such axes only, such as the statistics of
/// a row from which data picks an element, needs no gather.
class GatherCone {
public:
  /// Looks at what computes the base.
  explicit GatherCone(GatherOp gather);

  GatherOp getGather() const { return gather; }
  /// Whether the cone is known: neither the base nor the result is empty, and it has at most kMaxValues values.
  bool isValid() const { return root.has_value(); }
  /// Whether the gather is a view of its base, since no index comes from data.
  bool isView() const { return isValid() && dataAxes.empty(); }
  /// Whether the base is in memory, and nothing computes it.
  bool isLookup() const;
  /// Whether the base is a reduction, or the epilogue of one that nothing else reads and that is stored with it.
  bool endsReduction() const { return isValid() && nodes[*root].endsReduction; }

  /// The number of operations for each picked element, and their cost.
  unsigned getNumOperations() const { return operations; }
  double getWeight() const { return weight; }
  /// Bytes that the gathers in place of this one read for each picked element.
  double getBytesRead() const { return bytesRead; }
  /// Computed values that would be stored in place of the base, to be gathered from.
  llvm::ArrayRef<mlir::Value> getStoredInstead() const { return storedInstead; }

  /// Writes the computation for the picked elements before the gather. Returns the value that replaces the gather.
  mlir::Value write();

  /// Bytes of one element of a tensor.
  static double countBytes(mlir::Value value);

  static constexpr unsigned kMaxValues = 64;

private:
  struct Node {
    enum Kind {
      constant,  ///< a splat
      invariant, ///< `view` of the value, which the data has no say in
      load,      ///< gathered from the value
      compute,   ///< the operation, for the picked elements
      masked,    ///< its operand where the view's mask holds, else zero
    };
    Kind kind;
    mlir::Value value;
    ShapeTracker view;                            ///< of the value, by the base's indices; where invariant the result's
    llvm::SmallVector<unsigned, 3> operands = {}; ///< nodes of a computing operation's tensors, but a gather's base
    bool needsReduction = false;                  ///< one that the data has a say in, which is stored
    bool endsReduction = false;                   ///< that, or it follows one of which nobody else reads anything
    mlir::Attribute outside = {};                 ///< what it is, everywhere, if all that is gathered is zero
  };

  /// Sorts the axes of the base into those whose index the result gives and those whose index is data.
  void readIndices();
  /// The node of a value behind a view, after those of its operands; none if there are too many. With `isMasked` it may
  /// be anything where the view is masked. Recurses at most as deep as a cone has values.
  std::optional<unsigned> visit(mlir::Value value, ShapeTracker view, bool isMasked = false);
  std::optional<unsigned> visitOperation(mlir::Operation *op, mlir::Value value, const ShapeTracker &view);
  std::optional<unsigned> visitMasked(mlir::Value value, const ShapeTracker &view);
  /// The view for each element of the result if no data decides it, else invalid.
  ShapeTracker findInvariantView(const ShapeTracker &view) const;
  /// Whether a node is an index along an axis of the base, which the gather has.
  static bool isIndex(const Node &node);
  void count();
  mlir::Value writeNode(mlir::OpBuilder &builder, const Node &node, llvm::ArrayRef<mlir::Value> written);
  mlir::Value writeLoad(mlir::OpBuilder &builder, const Node &node);
  /// `value` where the indices lie inside and the view of the base's indices is not masked, else `other`.
  mlir::Value writeSelection(mlir::OpBuilder &builder, const ShapeTracker &view, mlir::Value value,
                             mlir::Attribute other);

  GatherOp gather;
  llvm::SmallVector<int64_t, 2> dataAxes; ///< of the base, ascending
  ShapeTracker kept;                      ///< of the other axes, for each element of the result
  std::vector<Node> nodes;
  std::vector<bool> isNeeded;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, unsigned> known[2]; ///< exact, and where masked anything
  std::optional<unsigned> root;
  unsigned visited = 0, operations = 0;
  double weight = 0, bytesRead = 0;
  llvm::SmallVector<mlir::Value, 1> storedInstead;
};

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_LAZY_GATHERCONE_H
