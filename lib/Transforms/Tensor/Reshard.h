// Values of one rank, and the collectives that change how they are cut.
#ifndef TINY_LIB_TRANSFORMS_TENSOR_RESHARD_H
#define TINY_LIB_TRANSFORMS_TENSOR_RESHARD_H

#include "Sharding.h"
#include "Tiny/Dialect/Tensor/TensorBuilder.h"

namespace tiny::tensor {

/// What a rank has of a value of the whole program.
struct LocalValue {
  mlir::Value value;
  Sharding sharding;
  /// Along these axes of the grid ranks have parts whose sum, maximum, ... the value is.
  GridAxes partial;
  mlir::shard::ReductionKind kind = mlir::shard::ReductionKind::Sum;
};

/// Writes collectives in front of the builder's insertion point.
class Resharder {
public:
  Resharder(mlir::OpBuilder &builder, mlir::shard::GridOp grid) : builder(builder), gridOp(grid) {
    shape.assign(grid.getShape().begin(), grid.getShape().end());
  }

  /// The value cut as `target`, without parts to add up. `whole` is the shape of the whole value.
  LocalValue reshard(LocalValue value, llvm::ArrayRef<int64_t> whole, const Sharding &target, mlir::Location loc);

  /// The value with `identity` in what pads the axis.
  mlir::Value maskPadding(const LocalValue &value, int64_t size, int64_t axis, mlir::TypedAttr identity,
                          mlir::Location loc);
  /// Whether an axis of this size is padded on some rank.
  bool isPadded(int64_t size, llvm::ArrayRef<int16_t> axes) const;
  /// The place in the whole axis of each place in a rank's part, -1 in the padding: i64, rank 1.
  mlir::Value getPlaces(int64_t size, llvm::ArrayRef<int16_t> axes, mlir::Location loc);

  /// What stands in a body is of no use behind it.
  void enterBody() { outer.push_back(places); }
  void leaveBody() { places = outer.pop_back_val(); }

  llvm::ArrayRef<int64_t> getGrid() const { return shape; }

private:
  mlir::Value padTo(mlir::Value value, int64_t axis, int64_t size, mlir::Location loc, mlir::TypedAttr number = {});
  mlir::Value cutTo(mlir::Value value, int64_t axis, int64_t size, mlir::Location loc);
  void allReduce(LocalValue &value, llvm::ArrayRef<int16_t> axes, mlir::Location loc);
  void gather(LocalValue &value, int64_t size, int64_t axis, mlir::Location loc);
  void slice(LocalValue &value, int64_t axis, int16_t gridAxis, mlir::Location loc);
  void reduceScatter(LocalValue &value, int64_t axis, int16_t gridAxis, mlir::Location loc);
  void allToAll(LocalValue &value, int64_t size, int64_t from, int64_t to, mlir::Location loc);

  mlir::OpBuilder &builder;
  mlir::shard::GridOp gridOp;
  llvm::SmallVector<int64_t> shape;
  using Places = std::map<std::pair<int64_t, std::vector<int16_t>>, mlir::Value>;
  Places places;
  llvm::SmallVector<Places, 0> outer;
};

} // namespace tiny::tensor

#endif // TINY_LIB_TRANSFORMS_TENSOR_RESHARD_H
