// Collectives: what their shapes must be. Stages of pipelines.
#include "Tiny/Dialect/Tensor/TensorBuilder.h"
#include "Tiny/Support/Collective.h"

using namespace mlir;
using namespace tiny::tensor;

LogicalResult CollectiveOp::verify() {
  // (collective_c4) The element type says whether a maximum is unsigned.
  if (getReduction() && getReduction()->starts_with("unsigned_"))
    return emitOpError("expects 'sum', 'product', 'max' or 'min', got '") << *getReduction() << "'";
  return tiny::verifyCollective([&] { return emitOpError(); }, getKind(), getReduction(), getGrid(), getAxes(),
                                getPeers(), getInput().getType(), getType());
}

LogicalResult StageOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getInput().getType());
  return success();
}

LogicalResult StageOp::verify() {
  // (stage_c1) A value goes from one stage to another. Whether the grid has them is `tensor-partition`'s affair.
  int64_t axis = getAxis(), from = getFrom(), to = getTo();
  if (from < 0 || to < 0 || from == to || axis < 0)
    return emitOpError("expects an axis of the grid and two different places on it, got axis ")
           << axis << " from " << from << " to " << to;
  return success();
}

FailureOr<SmallVector<Value>> StageOp::decompose(OpBuilder &) { return SmallVector<Value>{getInput()}; }
SmallVector<Value> StageOp::differentiate(TensorBuilder &build, Value g) {
  return {build.create<StageOp>(g, getGrid(), getAxis(), getTo(), getFrom())};
}
ShardingRule StageOp::getShardingRule() { return getElementwiseRule(*this); }
