// Evaluates a function of `tiny` operations, one whole array after the other.
#include "../Ranks.h"
#include "../Scalar/ScalarOps.h"
#include "Array.h"

#include "Tiny/Dialect/Tensor/Tensor.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"

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
    hold(value, std::move(*array));
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
  /// All of a body, or of a function, but its end.
  LogicalResult evaluate(Block &body);
  /// Frees what nobody uses after `op`.
  void release(Operation &op);

private:
  /// Keeps an array, which is counted, in place of what the value had in another iteration.
  void hold(Value value, Array array) {
    Array &held = arrays[value];
    session.bytes -= held.size() * sizeof(Scalar);
    held = std::move(array);
  }
  /// A copy, counted.
  Array copy(Value value) {
    session.bytes += arrays[value].size() * sizeof(Scalar);
    return arrays[value];
  }
  LogicalResult evaluateArith(Operation &op);
  LogicalResult evaluateLoop(tensor::LoopOp op);
  LogicalResult evaluateIf(tensor::IfOp op);

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
    hold(result, std::move(*array));
  }
  return success();
}

LogicalResult TensorEvaluator::evaluateLoop(tensor::LoopOp op) {
  Block &body = op.getBody().front();
  Operation *yield = body.getTerminator();
  unsigned nCarried = op.getNumCarried();
  int64_t most = op.getMost();
  if (op.getLimit())
    most = std::min(most, arrays[op.getLimit()].values[0].i);
  bool goesOn = !op.getCondition() || arrays[op.getCondition()].values[0].i != 0;
  std::vector<Array> carried, results;
  for (Value value : op.getCarried())
    carried.push_back(copy(value));
  for (OpResult result : op.getResults().drop_front(nCarried)) {
    FailureOr<Array> array = makeArray(session, result.getType(), op.getLoc());
    if (failed(array))
      return failure();
    results.push_back(std::move(*array));
  }
  int64_t iteration = 0;
  for (; iteration < most && goesOn; ++iteration) {
    FailureOr<Array> number = makeArray(session, body.getArgument(0).getType(), op.getLoc());
    if (failed(number) || failed(session.step(1, op.getLoc())))
      return failure();
    number->values[0].i = iteration;
    hold(body.getArgument(0), std::move(*number));
    for (unsigned k = 0; k < nCarried; ++k)
      hold(body.getArgument(k + 1), std::move(carried[k]));
    if (failed(evaluate(body)))
      return failure();
    if (op.getCondition())
      goesOn = arrays[yield->getOperand(0)].values[0].i != 0;
    for (auto [k, next] : llvm::enumerate(op.getNext()))
      carried[k] = copy(next);
    for (auto [k, row] : llvm::enumerate(op.getYieldedRows())) {
      const std::vector<Scalar> &values = arrays[row].values;
      llvm::copy(values, results[k].values.begin() + iteration * values.size());
    }
  }
  results.back().values[0].i = iteration;
  for (unsigned k = 0; k < op.getNumResults(); ++k)
    hold(op.getResult(k), std::move(k < nCarried ? carried[k] : results[k - nCarried]));
  return success();
}

LogicalResult TensorEvaluator::evaluateIf(tensor::IfOp op) {
  Block &body = (arrays[op.getCondition()].values[0].i ? op.getBody() : op.getOtherwise()).front();
  if (failed(evaluate(body)))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op.getResults(), body.getTerminator()->getOperands())) {
    Array array = copy(value); // the map may grow
    hold(result, std::move(array));
  }
  return success();
}

LogicalResult TensorEvaluator::evaluate(Block &body) {
  for (Operation &op : body.without_terminator()) {
    if (failed(evaluate(op)))
      return failure();
    release(op);
  }
  return success();
}

LogicalResult TensorEvaluator::evaluate(Operation &op) {
  if (auto loop = dyn_cast<tensor::LoopOp>(op))
    return evaluateLoop(loop);
  if (auto branch = dyn_cast<tensor::IfOp>(op))
    return evaluateIf(branch);
  // It has no value, only the annotations that name it.
  if (isa<shard::ShardingOp>(op))
    return success();
  if (!isa_and_nonnull<tensor::TinyDialect, shard::ShardDialect>(op.getDialect()))
    return evaluateArith(op);
  if (op.getNumResults() != 1)
    return session.unsupported(&op);
  FailureOr<Array> result = makeArray(session, op.getResult(0).getType(), op.getLoc());
  if (failed(result))
    return failure();
  SmallVector<const Array *> operands;
  for (Value operand : op.getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      operands.push_back(&arrays[operand]);
  using Family = Known (*)(Session &, Operation *, Operands, Array &);
  for (Family family : {static_cast<Family>(evaluateCollective), static_cast<Family>(evaluateElementwise),
                        static_cast<Family>(evaluateIndexing), static_cast<Family>(evaluateMovement),
                        static_cast<Family>(evaluateProduct), static_cast<Family>(evaluateReduction)}) {
    Known known = family(session, &op, operands, *result);
    if (known == Known::No)
      continue;
    if (known == Known::Failed)
      return failure();
    hold(op.getResult(0), std::move(*result));
    return success();
  }
  return session.unsupported(&op);
}

void TensorEvaluator::release(Operation &op) {
  for (Value operand : op.getOperands()) {
    auto array = arrays.find(operand);
    // What a body takes of outside is there in the next iteration, too.
    if (array == arrays.end() || operand.getParentBlock() != op.getBlock() ||
        llvm::any_of(operand.getUsers(),
                     [&](Operation *user) { return user->getBlock() != op.getBlock() || op.isBeforeInBlock(user); }))
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
  if (failed(evaluator.evaluate(body)))
    return failure();
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
