// Evaluates a function of `tiny` operations, one whole array after the other.
#include "../Scalar/ScalarOps.h"
#include "Array.h"

#include "Tiny/Dialect/Tensor/Tensor.h"

using namespace mlir;

namespace tiny::reference {

namespace {
class TensorEvaluator {
public:
  explicit TensorEvaluator(Session &session) : session(session) {}

  LogicalResult read(Value value, const Buffer &buffer) {
    FailureOr<Array> array = makeArray(session, value.getType(), value.getLoc());
    if (failed(array))
      return failure();
    // A scalar type that differs only by its sign has the same elements.
    readElements(array->type.scalar, buffer.memory->bytes.data() + buffer.offset * buffer.type().bytes(),
                 array->values.data(), array->size());
    arrays[value] = std::move(*array);
    return success();
  }
  FailureOr<Buffer> write(Value value) {
    const Array &array = arrays[value];
    FailureOr<Buffer> buffer = allocate(session, array.type.scalar, array.size(), value.getLoc());
    if (succeeded(buffer))
      writeElements(array.type.scalar, array.values.data(), buffer->memory->bytes.data(), array.size());
    return buffer;
  }
  LogicalResult evaluate(Operation &op);
  /// Frees what nobody uses after `op`.
  void release(Operation &op);

private:
  LogicalResult evaluateArith(Operation &op);

  Session &session;
  DenseMap<Value, Array> arrays;
};
} // namespace

/// Constants and elementwise operations of arith and math, which may stand beside `tiny` halfway through a lowering.
LogicalResult TensorEvaluator::evaluateArith(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto elements = dyn_cast<ElementsAttr>(constant.getValue());
    if (!elements)
      return session.unsupported(&op);
    FailureOr<Buffer> buffer = readConstant(session, elements, op.getLoc());
    return failed(buffer) ? failure() : read(constant, *buffer);
  }
  SmallVector<const Scalar *> operands;
  for (Value operand : op.getOperands()) {
    if (operand.getType().isIntOrIndexOrFloat())
      return session.unsupported(&op);
    operands.push_back(arrays[operand].values.data());
  }
  for (OpResult result : op.getResults()) {
    std::optional<ScalarCode> code = getScalarCode(&op, result.getResultNumber());
    if (!code)
      return session.unsupported(&op);
    FailureOr<Array> array = makeArray(session, result.getType(), op.getLoc());
    if (failed(array))
      return failure();
    code->run(operands.data(), array->values.data(), array->size(), session.undefined);
    arrays[result] = std::move(*array);
  }
  return success();
}

LogicalResult TensorEvaluator::evaluate(Operation &op) {
  if (!isa_and_nonnull<tensor::TinyDialect>(op.getDialect()))
    return evaluateArith(op);
  if (op.getNumResults() != 1)
    return session.unsupported(&op);
  FailureOr<Array> result = makeArray(session, op.getResult(0).getType(), op.getLoc());
  if (failed(result))
    return failure();
  SmallVector<const Array *> operands;
  for (Value operand : op.getOperands())
    operands.push_back(&arrays[operand]);
  for (auto family : {evaluateElementwise, evaluateIndexing, evaluateMovement, evaluateProduct, evaluateReduction}) {
    Known known = family(session, &op, operands, *result);
    if (known == Known::No)
      continue;
    if (known == Known::Failed)
      return failure();
    arrays[op.getResult(0)] = std::move(*result);
    return success();
  }
  return session.unsupported(&op);
}

void TensorEvaluator::release(Operation &op) {
  for (Value operand : op.getOperands()) {
    auto array = arrays.find(operand);
    if (array == arrays.end() || llvm::any_of(operand.getUsers(), [&](Operation *user) {
          return user->getBlock() != op.getBlock() || op.isBeforeInBlock(user);
        }))
      continue;
    session.bytes -= array->second.size() * sizeof(Scalar);
    arrays.erase(array);
  }
}

FailureOr<Buffers> evaluateTensor(Session &session, Block &body, ArrayRef<Buffer> inputs) {
  TensorEvaluator evaluator(session);
  for (auto [argument, buffer] : llvm::zip_equal(body.getArguments(), inputs))
    if (failed(evaluator.read(argument, buffer)))
      return failure();
  for (Operation &op : body.without_terminator()) {
    if (failed(evaluator.evaluate(op)))
      return failure();
    evaluator.release(op);
  }
  Buffers results;
  for (Value operand : body.getTerminator()->getOperands()) {
    FailureOr<Buffer> buffer = evaluator.write(operand);
    if (failed(buffer))
      return failure();
    results.push_back(*buffer);
  }
  return results;
}

} // namespace tiny::reference
