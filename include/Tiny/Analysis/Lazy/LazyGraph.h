// A block of lazy operations as the scheduler sees it: what computes, what only moves, what must become a buffer.
#ifndef TINY_ANALYSIS_LAZY_LAZYGRAPH_H
#define TINY_ANALYSIS_LAZY_LAZYGRAPH_H

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <vector>

namespace tiny::lazy {

/// One operation of the block, numbered in its order.
struct LazyNode {
  enum Kind {
    opaque,   ///< a boundary: groups, large constants, terminators, unknown operations
    source,   ///< a splat or an iota: costs nothing, copied wherever it is read
    movement, ///< a view of its input
    compute,  ///< elementwise, a reduction, an assignment, or a `lazy.contiguous` that needs a kernel of its own
    forward,  ///< a `lazy.contiguous` that names what is a buffer anyway
  };
  mlir::Operation *op;
  Kind kind;
  bool live = false;     ///< reaches a boundary
  bool returned = false; ///< its result must be in a buffer in the end
  bool gathered = false; ///< data says where it is read, so it must be in memory
  bool stop = false;     ///< whoever reads it must read a buffer, whatever the policy

  bool isBoundary() const { return returned || gathered || stop; }
};

/// The nodes, and for each the first node that all its uses run into.
class LazyGraph {
public:
  explicit LazyGraph(mlir::Block &block);

  std::vector<LazyNode> nodes;
  /// Movements that stay outside of kernels: with those before them, contiguous parts of bases.
  llvm::DenseSet<mlir::Operation *> aliases;

  /// The node that gives a value, `lazy.contiguous` skipped where it can be; none for arguments of the block.
  std::optional<unsigned> producer(mlir::Value value) const;
  /// The producers of a node's operands, -1 for none: `producer` of each, looked up once.
  llvm::ArrayRef<int> producers(unsigned node) const {
    return llvm::ArrayRef(inputs).slice(firstInput[node], firstInput[node + 1] - firstInput[node]);
  }
  /// The nearest node that every use of `node` leads to; nodes.size() where only the end of the block is common.
  unsigned postDominator(unsigned node) const { return up[node]; }
  /// Whether every use of `node` leads to `other`.
  bool isPostDominatedBy(unsigned node, unsigned other) const;
  /// Whether two nodes need a value in common, found within some operations before each.
  bool sharesInput(unsigned a, unsigned b) const;

private:
  void demand(mlir::Value value, mlir::Operation *user);
  void findProducers();
  void markLive();
  void findPostDominators(mlir::Block &block);
  unsigned commonPostDominator(unsigned a, unsigned b) const;

  llvm::DenseMap<mlir::Operation *, unsigned> index;
  std::vector<int> inputs;          ///< the producers of all operands, node by node
  std::vector<unsigned> firstInput; ///< by node, and the end
  // The post-dominator tree with skip links, which find a common ancestor in logarithmic time.
  std::vector<unsigned> up, jump, depth;
};

/// What costs nothing and is copied wherever it is read: a splat or an iota.
bool isSource(mlir::Operation *op);

/// Whether `op` gives each element by itself, from operands at the same place: elementwise, or a gather, whose base is
/// read from a buffer.
bool isPointwise(mlir::Operation *op);

/// Whether one kernel can compute `op`: all but boundaries, groups, and operations that are not of this level.
bool canStandInGroup(mlir::Operation *op);

/// Row-major, nothing masked, at any offset.
bool isContiguousPart(const ShapeTracker &tracker);

/// What a kernel that stores the first result of `op` writes, element by element: the value that an assignment puts
/// into its base, else the result.
mlir::Value getStoredValue(mlir::Operation *op);

/// Elements of what is stored for the first result.
double countResultElements(mlir::Operation *op);

/// Follows `lazy.contiguous` operations that need no buffer of their own, since what they read is a buffer that
/// nothing else aliases, or a value that they cause to be one.
mlir::Value skipContiguous(mlir::Value value);

} // namespace tiny::lazy

#endif // TINY_ANALYSIS_LAZY_LAZYGRAPH_H
