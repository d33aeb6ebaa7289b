// All-reduces and what reads them, as a region that may be cut among the ranks that would compute it alike.
#ifndef TINY_LIB_TRANSFORMS_TENSOR_SCATTERREGION_H
#define TINY_LIB_TRANSFORMS_TENSOR_SCATTERREGION_H

#include "Tiny/Algebra/Cost/Network.h"
#include "Tiny/Dialect/Tensor/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

namespace tiny::tensor {

/// What may be cut around one all-reduce, and the best choice of it.
///
/// An operation of the region is either cut or whole. Cut, it takes an n-th of the time; an operand that is whole is
/// sliced, which takes nothing. What is cut and read whole is gathered. An all-reduce that is cut is a reduce-scatter.
class ScatterRegion {
public:
  /// `replicated`: the values that ranks along the seed's axes have alike.
  ScatterRegion(mlir::func::FuncOp function, mlir::shard::AllReduceOp seed, int64_t axis, const cost::Machine &machine,
                const llvm::DenseSet<mlir::Value> &replicated);

  /// Chooses what is cut; gives what that saves: nanoseconds, or bytes where the record has no network.
  double choose();
  /// Cuts what was chosen. Returns how many all-reduces became reduce-scatters.
  unsigned rewrite();

private:
  struct Node {
    /// The axis of each operand and result that is cut; -1 where it is whole.
    llvm::SmallVector<int64_t> operands, results;
    /// The operation reduces along the axis that is cut: its results are whole, once they are reduced.
    std::optional<mlir::shard::ReductionKind> reduction;
    /// Of an all-reduce: the reduce-scatter of the same summands that is there already.
    mlir::shard::ReduceScatterOp shared;
    double whole = 0, part = 0;
  };

  void grow(mlir::Operation *seed);
  bool add(mlir::Operation *op);
  bool addReduce(mlir::shard::AllReduceOp op, int64_t axis);
  bool isPart(mlir::OpOperand &use) const;
  bool isCutAt(mlir::Value value, int64_t axis) const;
  double predictGather(mlir::Value value) const;
  double predictAround(mlir::Operation *op) const;
  double predictAll() const;
  double measure(int64_t bytes, cost::Exchange kind) const;
  mlir::Value getPart(mlir::Value value, int64_t axis, mlir::OpBuilder &builder);
  void cut(mlir::Operation *op, const Node &node);
  mlir::RankedTensorType getPartType(mlir::Value value, int64_t axis) const;

  mlir::func::FuncOp function;
  const cost::Machine &machine;
  llvm::ArrayRef<int64_t> grid;
  llvm::SmallVector<int16_t> axes;
  mlir::FlatSymbolRefAttr gridName;
  int64_t parts = 1;
  bool knowsTime;
  const llvm::DenseSet<mlir::Value> &replicated;
  llvm::MapVector<mlir::Operation *, Node> nodes;
  /// Those that are cut.
  llvm::SmallPtrSet<mlir::Operation *, 16> chosen;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> partOf;
};

} // namespace tiny::tensor

#endif // TINY_LIB_TRANSFORMS_TENSOR_SCATTERREGION_H
