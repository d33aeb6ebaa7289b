// What ranks have in common: arguments that are not cut among them, what collectives give all of them, and what is
// computed from these.
#include "ReplicatedValues.h"

#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Support/Signature.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tiny::tensor {

/// Whether some of the axes are among these.
static bool meet(ArrayRef<int16_t> axes, ArrayRef<int16_t> others) {
  return llvm::any_of(axes, [&](int16_t axis) { return llvm::is_contained(others, axis); });
}

/// Whether an argument is cut among the ranks, or says which one this is.
static bool isCut(func::FuncOp function, unsigned argument, ArrayRef<int16_t> axes) {
  if (function.getArgAttr(argument, kRankAttr))
    return true;
  auto sharding = function.getArgAttrOfType<ArrayAttr>(argument, kShardingAttr);
  return sharding && llvm::any_of(sharding, [&](Attribute list) {
           auto own = dyn_cast<DenseI16ArrayAttr>(list);
           return !own || meet(axes, own.asArrayRef());
         });
}

/// The axes of a collective of the shard dialect, and whether all ranks of a group get the same.
static std::pair<ArrayRef<int16_t>, bool> readCollective(Operation *op) {
  if (auto reduce = dyn_cast<shard::AllReduceOp>(op))
    return {reduce.getGridAxes(), true};
  if (auto gather = dyn_cast<shard::AllGatherOp>(op))
    return {gather.getGridAxes(), true};
  if (auto broadcast = dyn_cast<shard::BroadcastOp>(op))
    return {broadcast.getGridAxes(), true};
  auto axes = op->getAttrOfType<DenseI16ArrayAttr>("grid_axes");
  return {axes ? axes.asArrayRef() : ArrayRef<int16_t>(), false};
}

llvm::DenseSet<Value> findReplicated(func::FuncOp function, ArrayRef<int16_t> axes) {
  llvm::DenseSet<Value> replicated;
  Block &body = function.getBody().front();
  for (BlockArgument argument : body.getArguments())
    if (!isCut(function, argument.getArgNumber(), axes))
      replicated.insert(argument);
  for (Operation &op : body) {
    llvm::SetVector<Value> read(op.operand_begin(), op.operand_end());
    getUsedValuesDefinedAbove(op.getRegions(), read);
    bool isSame = llvm::all_of(read, [&](Value value) { return replicated.contains(value); });
    // Ranks may have different parts in a body in which they meet.
    if (op.getNumRegions())
      op.walk([&](Operation *nested) {
        isSame &= !isa<shard::ShardDialect>(nested->getDialect()) && !isa<CollectiveOp>(nested);
      });
    if (isa<shard::ShardDialect>(op.getDialect())) {
      auto [own, givesAll] = readCollective(&op);
      if (givesAll && llvm::all_of(axes, [&own = own](int16_t axis) { return llvm::is_contained(own, axis); }))
        isSame = true;
      else
        isSame &= !own.empty() && !meet(own, axes);
    } else if (auto message = dyn_cast<CollectiveOp>(op)) {
      // Whoever has none gets what is unspecified.
      isSame &= llvm::none_of(message.getAxes(), [&](int64_t axis) { return llvm::is_contained(axes, axis); });
    }
    if (isSame)
      replicated.insert(op.result_begin(), op.result_end());
  }
  return replicated;
}

} // namespace tiny::tensor
