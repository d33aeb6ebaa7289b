// What is known of each value before anything is decided: what it costs, and which reductions it ends.
#ifndef TINY_LIB_TRANSFORMS_KERNELIZE_FUSIONHINTS_H
#define TINY_LIB_TRANSFORMS_KERNELIZE_FUSIONHINTS_H

#include "Tiny/Analysis/Lazy/LazyGraph.h"
#include "Tiny/Transforms/Kernelize/CostModel.h"

namespace tiny::lazy {

class FusionHints {
public:
  FusionHints(const LazyGraph &graph, const CostModel &costs) : graph(graph), costs(costs) {
    accumulateWeights();
    findIndexArithmetic();
    findEpilogues();
    findPacked();
  }

  /// What one element of an elementwise value costs together with everything that only it needs, down to what is
  /// likely stored.
  double getWeight(unsigned node) const { return weight[node]; }
  /// Bytes of the first result.
  static double countBytes(mlir::Operation *op);
  /// The cost model's choice for `copies` evaluations of each element.
  bool prefersRecomputation(unsigned node, double copies) const;
  /// The choice where recomputation saves no launch, since a reduction on the way is stored in place of the node.
  bool prefersRereading(unsigned node, double copies) const;
  /// Whether a value is a little arithmetic on indices and constants: an arange, a one-hot, a mask. To load one costs
  /// as much.
  bool isIndexArithmetic(unsigned node) const { return indexCost[node] <= costs.indexArithmetic; }
  /// Whether storing a node also stores all that is needed of a reduction.
  bool endsReduction(unsigned node) const;
  /// The last of what goes on with all that a reduction gives, element by element.
  unsigned findEnd(unsigned reduce) const;
  /// Whether all reductions that a node ends combine so little that they may run inside another.
  bool endsSmallReduction(unsigned node) const;
  /// Whether all that reads a value are operands of sums of products, each of which repeats along a loop of its sum
  /// that only the other factor depends on. kernel-default-schedule packs such operands.
  bool isPacked(unsigned node) const { return packed[node]; }
  /// Whether a reduction is a sum of products of which each factor repeats along a loop of the sum.
  bool isProduct(ReduceOp reduce) const;

private:
  void accumulateWeights();
  void findIndexArithmetic();
  void findEpilogues();
  void findPacked();
  bool isPackedBy(mlir::OpOperand &use) const;

  const LazyGraph &graph;
  const CostModel &costs;
  std::vector<double> weight;
  std::vector<double> wholeWeight; ///< with what is likely stored too, down to buffers and reductions
  std::vector<double> indexCost;   ///< of one element and all that it needs; infinite where that reads a buffer
  /// Per node, some reductions that it could end: reached through elementwise operations and views that expand nothing.
  std::vector<llvm::SmallVector<unsigned, 1>> epilogues;
  /// Per reduction, the first node that takes what follows it elsewhere: into another reduction or a larger shape.
  std::vector<unsigned> leaves;
  std::vector<bool> packed;
};

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_KERNELIZE_FUSIONHINTS_H
