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
    compute, ///< elementwise, a reduction, a scan, an assignment, or a `lazy.contiguous` that needs a kernel of its own
    forward, ///< a `lazy.contiguous` that names what is a buffer anyway
  };
  mlir::Operation *op;
  Kind kind;
  bool live = false;     ///< reaches a boundary
  bool returned = false; ///< its result must be in a buffer in the end
  bool gathered = false; ///< data says where it is read, so it must be in memory
  bool stop = false;     ///< whoever reads it must read a buffer, whatever the policy

  bool isBoundary() const { return returned || gathered || stop; }
};

/// The operations of a block as nodes, and for each node the first node that all its uses lead to.
class LazyGraph {
public:
  explicit LazyGraph(mlir::Block &block);

  std::vector<LazyNode> nodes;
  /// Movements that stay outside kernels: together with the movements before them they are contiguous parts of bases.
  llvm::DenseSet<mlir::Operation *> aliases;

  /// The node that gives a value, past each `lazy.contiguous` that needs no buffer; none for arguments of the block.
  std::optional<unsigned> producer(mlir::Value value) const;
  /// The producers of a node's operands, -1 for none: `producer` of each, looked up once.
  llvm::ArrayRef<int> producers(unsigned node) const {
    return llvm::ArrayRef(inputs).slice(firstInput[node], firstInput[node + 1] - firstInput[node]);
  }
  /// The nearest node that every use of `node` leads to; nodes.size() if they meet only at the end of the block.
  unsigned postDominator(unsigned node) const { return up[node]; }
  /// Whether every use of `node` leads to `other`.
  bool isPostDominatedBy(unsigned node, unsigned other) const;
  /// Whether two nodes need a common value. The search looks at a bounded number of operations before each.
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

/// Whether the operation costs nothing and is copied wherever it is read: a splat or an iota.
bool isSource(mlir::Operation *op);

/// Whether `op` computes each element from the operands' elements at the same place: an elementwise operation, or a
/// gather, whose base is a buffer.
bool isPointwise(mlir::Operation *op);

/// Whether a kernel can compute `op`. It cannot compute boundaries, groups, and operations of other levels.
bool canStandInGroup(mlir::Operation *op);

/// Whether the tracker reads consecutive elements in row-major order, with no mask, at any offset.
bool isContiguousPart(const ShapeTracker &tracker);

/// The value that a kernel stores for the first result of `op`, element by element: the value that an assignment puts
/// into its base, else the result.
mlir::Value getStoredValue(mlir::Operation *op);

/// The number of elements that are stored for the first result.
double countResultElements(mlir::Operation *op);

/// Goes past each `lazy.contiguous` that needs no buffer of its own: it reads a buffer that nothing else aliases, or a
/// value that it turns into one.
mlir::Value skipContiguous(mlir::Value value);

} // namespace tiny::lazy

#endif // TINY_ANALYSIS_LAZY_LAZYGRAPH_H
