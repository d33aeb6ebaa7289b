// What is known of each value before anything is decided: what it costs, and which reductions it ends.
#ifndef TINY_LIB_TRANSFORMS_KERNELIZE_FUSIONHINTS_H
#define TINY_LIB_TRANSFORMS_KERNELIZE_FUSIONHINTS_H

#include "Tiny/Analysis/Lazy/LazyGraph.h"
#include "Tiny/Algebra/Cost/CostModel.h"
#include "Tiny/Support/Remarks.h"

namespace tiny::lazy {

class FusionHints {
public:
  FusionHints(const LazyGraph &graph, const cost::CostModel &costs) : graph(graph), costs(costs) {
    accumulateWeights();
    findIndexArithmetic();
    findEpilogues();
    findPacked();
  }

  /// The cost of one element of an elementwise value, with everything that only it needs, down to values that are
  /// likely stored.
  double getWeight(unsigned node) const { return weight[node]; }
  /// Bytes of the first result.
  static double countBytes(mlir::Operation *op);
  /// Whether the cost model recomputes the value, for `copies` evaluations of each element.
  bool prefersRecomputation(unsigned node, double copies) const;
  /// The same choice if recomputation saves no launch, since a reduction on the way would be stored in place of the
  /// node.
  bool prefersRereading(unsigned node, double copies) const;
  /// Whether a reduction may be evaluated at `rows` places instead of `results`, combining `combined` elements there.
  bool prefersRepeat(ReduceOp reduce, double results, double rows, double combined) const;
  /// Whether a value is a little arithmetic on indices and constants: an arange, a one-hot, a mask. To load one costs
  /// as much.
  bool isIndexArithmetic(unsigned node) const { return costs.isIndexArithmetic(indexCost[node]); }
  /// The costs that decide whether `copies` evaluations or a buffer of the node are cheaper.
  llvm::SmallVector<ReasonNumber, 2> weighSides(unsigned node, double copies) const;
  /// Whether storing the node also stores everything that others need of a reduction.
  bool endsReduction(unsigned node) const;
  /// The last node that continues all results of a reduction, element by element.
  unsigned findEnd(unsigned reduce) const;
  /// Whether all reductions that the node ends combine so few elements that they may run inside another.
  bool endsSmallReduction(unsigned node) const;
  /// Whether a reduction combines what others end in.
  bool readsReduction(ReduceOp reduce) const;
  /// Whether a reduction combines so few elements that all of them stand in the body that runs it.
  bool isWritten(ReduceOp reduce) const;
  /// Whether all readers of the value are factors of sums of products, and the value repeats along a loop of each sum
  /// that only the other factor depends on. kernel-default-schedule packs such operands.
  bool isPacked(unsigned node) const { return packed[node]; }
  /// Whether a reduction is a sum of products, and each factor repeats along a loop of the sum.
  bool isProduct(ReduceOp reduce) const;

private:
  void accumulateWeights();
  void findIndexArithmetic();
  void findEpilogues();
  void findPacked();
  bool isPackedBy(mlir::OpOperand &use) const;

  const LazyGraph &graph;
  const cost::CostModel &costs;
  std::vector<double> weight;
  std::vector<double> wholeWeight; ///< with what is likely stored too, down to buffers and reductions
  std::vector<double> indexCost;   ///< of one element and all that it needs; infinite where that reads a buffer
  /// By node: some reductions that it could end, reached through elementwise operations and views that expand nothing.
  std::vector<llvm::SmallVector<unsigned, 1>> epilogues;
  /// By reduction: the first node that takes its epilogue elsewhere, into another reduction or a larger shape.
  std::vector<unsigned> leaves;
  std::vector<bool> packed;
};

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_KERNELIZE_FUSIONHINTS_H
