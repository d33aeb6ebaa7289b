// What a kernel computes: every value of a group at every index at which an output needs it.
#ifndef TINY_LIB_CONVERSION_LAZYTOKERNEL_GROUPGRAPH_H
#define TINY_LIB_CONVERSION_LAZYTOKERNEL_GROUPGRAPH_H

#include "Tiny/Algebra/View/Digits.h"
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Dialect/Symbolic/ArithBridge.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallBitVector.h"
#include <map>

namespace tiny {

/// The digits that loops are split into, by the loop's key in a graph.
using LoopDigits = std::map<llvm::SmallVector<int64_t>, DigitEnds>;

/// The variables of some expressions.
llvm::SmallDenseSet<const ExprNode *> findLeaves(llvm::ArrayRef<Expr> roots);

/// A DAG over (operation, index tuple) pairs. Each pair is one node, so a value that is needed twice at one index is
/// computed once, and nothing grows with the number of paths.
class GroupGraph {
public:
  enum class NodeKind {
    Input,       // a load of the group's input `argument` at the linear index indices[0]
    Elementwise, // `op` on its operands at the same indices; a scalar constant; an iota
    Movement,    // `op`: its operand elsewhere where `valid` holds, else zero
    Index,       // its operand, an integer, as the index `leaf`
    Gather,      // `op`: its base at data, the last operand, where `valid` holds; the other operands are that data
    Part,        // `op`, a selection between parts of which this is in one: `data`
    Reduce,      // `op` over `ranges`; `isEmpty` where there is nothing to combine
    Scan,        // `op` along the range of its axis; without one, its operand
    Stage,       // its operand at `indices`, each element once, over `ranges`: the kernel's own memory
    Tile,        // the element `place` of its operand, a Stage: that at `indices`
  };
  struct Node {
    NodeKind kind;
    mlir::Operation *op = nullptr;
    mlir::BlockArgument argument;
    llvm::SmallVector<Expr, 4> indices;
    llvm::SmallVector<unsigned, 3> operands = {}; // nodes; an operand's result number is its value's
    Expr valid = {};
    Expr leaf = {};
    mlir::Value data = {};   // Index, Part: the tensor whose element it is
    Expr place = {};         // Tile: in the Stage's memory
    unsigned numIndices = 0; // Gather: operands before the base
    llvm::SmallVector<mlir::Value, 2> ranges = {};
    bool isEmpty = false;

    /// Where the value is used at all: true, a condition, or null where users disagree. Elsewhere it may be anything,
    /// and its indices may lie outside.
    Expr gate = {};
  };
  struct Output {
    unsigned position; // in the group's results
    unsigned node;
    mlir::Value value; // of an assignment: what is assigned
    Expr index;
    Expr valid; // what is masked stores nothing
  };

  /// Accumulators that reductions over the same space keep in one loop, at most: they must stay in registers.
  static constexpr unsigned kMaxSideBySide = 8;

  /// Builds the graph of a group; ranges become operations at the builder's insertion point, one for each digit of a
  /// loop in `loopDigits`. `byParts` says that each part of a concatenation has loops and a store of its own.
  GroupGraph(ExprContext &context, sym::ArithBridge &bridge, mlir::OpBuilder &builder, lazy::GroupOp group,
             bool byParts = true, LoopDigits loopDigits = {})
      : context(context), bridge(bridge), builder(builder), group(group), byParts(byParts),
        loopDigits(std::move(loopDigits)) {}
  /// Fails with an error at the operation that has no place in a kernel.
  mlir::LogicalResult build();

  /// The digits by which reductions read loops over what is stored. A group norm's are of groups of channels where
  /// channels are stored: with a loop for each digit the reduction depends on some loops only, and runs outside of the
  /// others. Of a graph without digits.
  LoopDigits findLoopDigits() const;
  /// Whether something that is stored falls into parts.
  bool hasParts() const { return isParted; }
  /// Whether a reduction is at several places: one that parts share would run for each of them.
  bool repeatsReductions() const;

  unsigned getNumInputs() { return group.getInputs().size(); }
  llvm::ArrayRef<Node> getNodes() const { return nodes; }
  llvm::ArrayRef<Output> getOutputs() const { return outputs; }
  /// Nodes, operands first.
  llvm::ArrayRef<unsigned> getOrder() const { return order; }

  /// The value that the node of a value computes: a single element is computed once anyway, and need not be kept.
  static mlir::Value skipKept(mlir::Value value);
  /// The condition that an index tuple lies in a shape.
  Expr inBounds(llvm::ArrayRef<Expr> indices, llvm::ArrayRef<int64_t> shape);

private:
  /// The node of a value at an index tuple, which joins the work where it is new.
  unsigned getNode(mlir::Value value, llvm::ArrayRef<Expr> indices);
  unsigned intern(Node node);
  /// What a selection between parts selects at an index tuple, where that is the same for all points; else null.
  mlir::Value choosePart(mlir::Operation *op, llvm::ArrayRef<Expr> indices);
  struct Loop {
    Expr index;                        ///< the sum of its digits
    llvm::SmallVector<Expr, 1> digits; ///< the ranges, the highest first
  };
  /// The loop over an axis. Loops of one key are one; keys of other loops than over what is stored begin with
  /// kStageLoop.
  const Loop &getLoop(const llvm::SmallVector<int64_t> &key, int64_t extent, mlir::Location loc);
  static constexpr int64_t kStageLoop = -2;
  /// The loops over a shape, or over [begin, end) of its axis `split`. Outputs of one shape share their loops, parts of
  /// one those outside of the split axis, and all of them if they are of one size. Axes of size one have none.
  llvm::SmallVector<Expr, 4> getLoops(llvm::ArrayRef<int64_t> shape, int64_t split, int64_t begin, int64_t end,
                                      mlir::Location loc);
  /// Stores `stored`, with its parts in loops of their own; of an assignment that is its value.
  mlir::LogicalResult addOutput(unsigned position, mlir::Value stored, lazy::AssignOp assign);
  /// Where loops over what is stored evaluate each element of the first result of `op` once, if some do.
  std::optional<llvm::SmallVector<Expr, 4>> findWholeIndices(mlir::Operation *op) const;
  /// Where loops over the inputs of a reduction over rows, which something that is stored has, evaluate each row once.
  std::optional<llvm::SmallVector<Expr, 4>> findRowIndices(lazy::ReduceOp reduce);
  /// Stores a value where loops over what else is stored compute each element once, or all the reductions that it is
  /// computed from, if there are such. Expands nodes from `next` on.
  mlir::FailureOr<bool> addOutputInLoops(unsigned position, mlir::Value stored, unsigned &next);
  /// Expands all nodes from `next` on.
  mlir::LogicalResult expandAll(unsigned &next);
  mlir::LogicalResult expand(unsigned id);
  mlir::LogicalResult expandMovement(unsigned id);
  /// Where reductions run side by side: the loops that they close.
  struct Space {
    llvm::SmallVector<mlir::Value, 2> ranges;
    llvm::SmallVector<Expr, 2> indices; // the ranges
    unsigned accumulators = 0;
  };
  /// The loops of a reduction; `indices` of its inputs, null where they are. Reductions share them that close loops of
  /// the same extents inside of the same loops and have as many reductions below them, so that none waits for another.
  const Space &getReduceSpace(const Node &node, llvm::ArrayRef<Expr> indices);
  mlir::LogicalResult expandReduce(unsigned id);
  mlir::LogicalResult expandScan(unsigned id);
  mlir::LogicalResult expandGather(unsigned id);
  /// Gives the tiles of what is kept their stages, and expands nodes from `next` on. A stage is of all of the value, or
  /// of what all reads of it need at one point of the loops that they share.
  mlir::LogicalResult addStages(unsigned &next);
  /// The axes of what is kept over others that all of these reads see at the same point of loops over what is stored:
  /// for each of their points there is a tile.
  llvm::SmallBitVector findOuterAxes(llvm::ArrayRef<unsigned> reads) const;
  /// The element of an index tensor, as an expression of the ranges where it is one, else as a leaf; then the node that
  /// gives its value joins `operands`.
  Expr readIndex(mlir::Value value, llvm::ArrayRef<Expr> indices, llvm::SmallVectorImpl<unsigned> &operands);
  /// The operand's index tuple for an element of a movement other than a view; narrows `valid`.
  llvm::SmallVector<Expr, 4> moveIndices(mlir::Operation *op, llvm::ArrayRef<Expr> indices, Expr &valid);
  llvm::SmallVector<Expr, 4> reshapeIndices(llvm::ArrayRef<Expr> indices, llvm::ArrayRef<int64_t> from,
                                            llvm::ArrayRef<int64_t> to);
  Expr createRange(kernel::AxisKind kind, int64_t extent, mlir::Location loc, mlir::Value &range);
  /// The row-major index, and back where `valid` holds.
  Expr linearize(llvm::ArrayRef<Expr> indices, llvm::ArrayRef<int64_t> shape);
  llvm::SmallVector<Expr, 4> unravel(Expr index, llvm::ArrayRef<int64_t> shape, Expr valid);
  void sortNodes();
  /// Nests the loops that a reduction depends on outside of the others: it is evaluated once for all of these. Of
  /// reductions that want different orders the one has it that would be repeated most.
  void sortLoops();
  void computeGates();

  ExprContext &context;
  sym::ArithBridge &bridge;
  mlir::OpBuilder &builder;
  lazy::GroupOp group;
  llvm::SmallVector<Node> nodes;
  llvm::DenseMap<llvm::hash_code, llvm::SmallVector<unsigned, 1>> ids;
  llvm::SmallVector<Output> outputs;
  llvm::SmallVector<unsigned> order;
  std::map<llvm::SmallVector<int64_t>, Loop> loops;
  bool byParts, isParted = false;
  LoopDigits loopDigits;
  llvm::DenseMap<mlir::Operation *, int64_t> reduceDepths; // reductions on the way to the inputs, at most
  llvm::DenseMap<mlir::Operation *, int64_t> positions;    // in the group
  std::map<std::pair<int64_t, unsigned>, llvm::SmallVector<unsigned>>
      tiles; // by the place in the group of what is kept
  std::map<std::pair<llvm::SmallVector<int64_t>, llvm::SmallVector<const ExprNode *>>, Space> reduceSpaces; // looked up
  int64_t nextRange = 0;
};

} // namespace tiny

#endif // TINY_LIB_CONVERSION_LAZYTOKERNEL_GROUPGRAPH_H
