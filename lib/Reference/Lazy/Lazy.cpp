// Evaluates a lazy graph: bases and reductions get buffers, in the order of the block; the rest stays virtual.
#include "../Ranks.h"
#include "Tape.h"

#include "Tiny/Dialect/Lazy/Lazy.h"

using namespace mlir;

namespace tiny::reference {

/// A computed value that is used more than once gets a buffer when it has at most this many elements; larger ones are
/// recomputed where they are used.
static constexpr int64_t kMaxSharedElements = int64_t(1) << 22;

namespace {
class LazyEvaluator {
public:
  LazyEvaluator(Session &session, Block &body, ArrayRef<Buffer> inputs) : session(session), body(body) {
    for (auto [argument, buffer] : llvm::zip_equal(body.getArguments(), inputs))
      bases[argument] = buffer;
  }
  FailureOr<Buffers> run();

private:
  LogicalResult evaluate(Operation &op);
  LogicalResult materialize(Value value);
  LogicalResult reduce(lazy::ReduceOp op);
  LogicalResult scan(lazy::ScanOp op);
  LogicalResult group(lazy::GroupOp op);
  LogicalResult assign(lazy::AssignOp op);
  LogicalResult loop(lazy::LoopOp op);
  LogicalResult branch(lazy::IfOp op);
  LogicalResult collective(lazy::CollectiveOp op);
  FailureOr<Buffers> call(Operation *op, FlatSymbolRefAttr callee, Buffers inputs);
  FailureOr<Buffers> read(ValueRange values);

  Session &session;
  Block &body;
  DenseMap<Value, Buffer> bases;
};
} // namespace

/// The element count of a static tensor or scalar.
static FailureOr<int64_t> countOf(Session &session, Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  if (!tensor)
    return 1;
  std::optional<int64_t> count = tensor.hasStaticShape() ? countElements(tensor.getShape()) : std::nullopt;
  if (!count)
    return session.fail(Session::Kind::Unsupported, value.getLoc(), "the interpreter does not know dynamic shapes");
  return *count;
}

LogicalResult LazyEvaluator::materialize(Value value) {
  if (bases.count(value))
    return success();
  std::optional<ScalarType> type = getScalarType(value.getType());
  FailureOr<int64_t> count = countOf(session, value);
  if (failed(count))
    return failure();
  if (!type)
    return session.fail(Session::Kind::Unsupported, value.getLoc(), "the interpreter does not know this type");
  FailureOr<Buffer> buffer = allocate(session, *type, *count, value.getLoc());
  if (failed(buffer))
    return failure();

  Tape tape;
  LazyTape compiler(session, tape, bases);
  Axes axes;
  if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
    for (int64_t extent : tensor.getShape())
      axes.add(tape.addInput(), extent);
  FailureOr<Register> reg = compiler.compile(value, axes.registers);
  if (failed(reg))
    return failure();
  LogicalResult ran = forEachPoint(session, tape, axes, value.getLoc(), [&](int64_t begin, size_t lanes) {
    writeElements(*type, tape.lanes(*reg), buffer->memory->bytes.data() + begin * type->bytes(), lanes);
    return success();
  });
  bases[value] = *buffer;
  return ran;
}

LogicalResult LazyEvaluator::reduce(lazy::ReduceOp op) {
  auto shape = cast<RankedTensorType>(op.getInputs().front().getType()).getShape();
  Tape tape;
  LazyTape compiler(session, tape, bases);
  Axes outer, reduced;
  SmallVector<Register> indices;
  for (auto [axis, extent] : llvm::enumerate(shape)) {
    indices.push_back(tape.addInput());
    (llvm::is_contained(op.getAxes(), static_cast<int64_t>(axis)) ? reduced : outer).add(indices.back(), extent);
  }
  SmallVector<ScalarType> types;
  SmallVector<Register> elements, initials;
  Buffers results;
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    std::optional<ScalarType> type = getScalarType(input.getType());
    if (!type || failed(countOf(session, input)))
      return session.unsupported(op);
    types.push_back(*type);
    FailureOr<Register> element = compiler.compile(input, indices);
    FailureOr<Buffer> result = allocate(session, *type, outer.size(), op.getLoc());
    if (failed(element) || failed(result))
      return failure();
    elements.push_back(*element);
    results.push_back(*result);

    std::optional<Scalar> initial;
    if (op.getInits() && index < op.getInits()->size())
      initial = fromAttribute(*type, (*op.getInits())[index]);
    if (!op.getInits() && op.getKind())
      if (FailureOr<Scalar> identity = Combiner::getIdentity(session, op, *op.getKind(), input.getType());
          succeeded(identity))
        initial = *identity;
    if (!initial)
      return session.unsupported(op);
    initials.push_back(tape.addConstant(*initial));
  }
  FailureOr<Combiner> combiner = Combiner::get(session, op, op.getKind(), op.getCombiner(), types);
  if (failed(combiner) ||
      failed(reduceOver(session, tape, outer, reduced, *combiner, elements, initials, results, op.getLoc())))
    return failure();
  for (auto [result, buffer] : llvm::zip_equal(op.getResults(), results))
    bases[result] = buffer;
  return success();
}

LogicalResult LazyEvaluator::scan(lazy::ScanOp op) {
  auto shape = cast<RankedTensorType>(op.getType()).getShape();
  std::optional<ScalarType> type = getScalarType(op.getType());
  FailureOr<int64_t> count = countOf(session, op.getResult());
  if (!type || failed(count))
    return session.unsupported(op);
  Tape tape;
  LazyTape compiler(session, tape, bases);
  // The axis is the innermost one.
  SmallVector<Register> indices;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    indices.push_back(tape.addInput());
  Axes axes;
  SmallVector<int64_t> order;
  for (int64_t axis = 0, rank = shape.size(); axis < rank; ++axis)
    if (axis != static_cast<int64_t>(op.getAxis()))
      order.push_back(axis);
  order.push_back(op.getAxis());
  for (int64_t axis : order)
    axes.add(indices[axis], shape[axis]);
  FailureOr<Register> element = compiler.compile(op.getInput(), indices);
  FailureOr<Buffer> rows = allocate(session, *type, *count, op.getLoc()),
                    result = allocate(session, *type, *count, op.getLoc());
  Region none;
  FailureOr<Combiner> combiner = Combiner::get(session, op, op.getKind(), none, *type);
  if (failed(element) || failed(rows) || failed(result) || failed(combiner))
    return failure();
  ScanInto scan(*combiner, *rows, shape[op.getAxis()]);
  if (failed(forEachPoint(session, tape, axes, op.getLoc(), [&](int64_t begin, size_t points) {
        return scan.absorb(session, begin, tape.lanes(*element), points, op.getLoc());
      })))
    return failure();
  // Back into the order of the axes.
  int64_t extent = shape[op.getAxis()], inner = 1;
  for (int64_t size : shape.drop_front(op.getAxis() + 1))
    inner *= size;
  for (int64_t k = 0; k < *count; ++k)
    result->store((k / extent / inner * extent + k % extent) * inner + k / extent % inner, rows->load(k));
  bases[op.getResult()] = *result;
  return success();
}

LogicalResult LazyEvaluator::group(lazy::GroupOp op) {
  Buffers inputs;
  for (Value input : op.getInputs()) {
    if (failed(materialize(input)))
      return failure();
    inputs.push_back(bases[input]);
  }
  FailureOr<Buffers> results = evaluateLazy(session, op.getBody().front(), inputs);
  if (failed(results))
    return failure();
  for (auto [result, buffer] : llvm::zip_equal(op.getResults(), *results))
    bases[result] = buffer;
  return success();
}

LogicalResult LazyEvaluator::assign(lazy::AssignOp op) {
  if (failed(materialize(op.getValue())) || failed(materialize(op.getBase())))
    return failure();
  Buffer value = bases[op.getValue()], base = bases[op.getBase()];
  FailureOr<Buffer> next = allocate(session, base.type(), base.count, op.getLoc());
  if (failed(next))
    return failure();
  for (int64_t k = 0; k < base.count; ++k)
    next->store(k, base.load(k));
  const ShapeTracker &tracker = op.getTracker().getTracker();
  for (int64_t k = 0; k < value.count; ++k)
    if (std::optional<int64_t> position = tracker.evaluateLinear(k))
      next->store(*position, value.load(k));
  bases[op.getResult()] = *next;
  return session.step(base.count + value.count, op.getLoc());
}

FailureOr<Buffers> LazyEvaluator::read(ValueRange values) {
  Buffers buffers;
  for (Value value : values) {
    if (failed(materialize(value)))
      return failure();
    buffers.push_back(bases[value]);
  }
  return buffers;
}

FailureOr<Buffers> LazyEvaluator::call(Operation *op, FlatSymbolRefAttr callee, Buffers inputs) {
  auto function = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(op, callee);
  if (!function || function.isExternal())
    return session.fail(Session::Kind::Unsupported, op->getLoc(),
                        "there is no function '" + callee.getValue() + "' to evaluate");
  return evaluateFunction(session, function, std::move(inputs));
}

LogicalResult LazyEvaluator::loop(lazy::LoopOp op) {
  FailureOr<Buffers> operands = read(op->getOperands()), captured = read(op.getCaptured()),
                     carried = read(op.getCarried());
  if (failed(operands) || failed(captured) || failed(carried))
    return failure();
  unsigned nCarried = op.getNumCarried();
  int64_t most = op.getMost(), iteration = 0;
  if (op.getLimit())
    most = std::min(most, operands->front().load(0).i);
  bool goesOn = !op.getCondition() || (*operands)[op.getLimit() ? 1 : 0].load(0).i != 0;
  Buffers results;
  for (OpResult result : op.getResults().drop_front(nCarried)) {
    FailureOr<int64_t> count = countOf(session, result);
    std::optional<ScalarType> type = getScalarType(result.getType());
    FailureOr<Buffer> buffer = failed(count) || !type ? FailureOr<Buffer>(session.unsupported(op))
                                                      : allocate(session, *type, *count, op.getLoc());
    if (failed(buffer))
      return failure();
    results.push_back(*buffer);
  }
  for (; iteration < most && goesOn; ++iteration) {
    FailureOr<Buffer> number = allocate(session, results.back().type(), 1, op.getLoc());
    if (failed(number) || failed(session.step(1, op.getLoc())))
      return failure();
    number->store(0, *fromAttribute(number->type(), Builder(op.getContext()).getI64IntegerAttr(iteration)));
    Buffers inputs = {*number};
    llvm::append_range(inputs, *carried);
    llvm::append_range(inputs, *captured);
    FailureOr<Buffers> given = call(op, op.getCalleeAttr(), inputs);
    if (failed(given))
      return failure();
    ArrayRef<Buffer> rest = *given;
    if (op.getCondition()) {
      goesOn = rest.front().load(0).i != 0;
      rest = rest.drop_front();
    }
    *carried = Buffers(rest.take_front(nCarried));
    for (auto [row, all] : llvm::zip(rest.drop_front(nCarried), results))
      for (int64_t k = 0; k < row.count; ++k)
        all.store(iteration * row.count + k, row.load(k));
  }
  results.back().store(0, *fromAttribute(results.back().type(), Builder(op.getContext()).getI64IntegerAttr(iteration)));
  for (unsigned k = 0; k < op.getNumResults(); ++k)
    bases[op.getResult(k)] = k < nCarried ? (*carried)[k] : results[k - nCarried];
  return success();
}

LogicalResult LazyEvaluator::branch(lazy::IfOp op) {
  FailureOr<Buffers> operands = read(op->getOperands());
  if (failed(operands))
    return failure();
  FlatSymbolRefAttr callee = operands->front().load(0).i ? op.getCalleeAttr() : op.getOtherwiseAttr();
  FailureOr<Buffers> results = call(op, callee, Buffers(ArrayRef(*operands).drop_front()));
  if (failed(results))
    return failure();
  for (auto [result, buffer] : llvm::zip_equal(op.getResults(), *results))
    bases[result] = buffer;
  return success();
}

LogicalResult LazyEvaluator::collective(lazy::CollectiveOp op) {
  if (failed(materialize(op.getInput())))
    return failure();
  FailureOr<Buffer> result = evaluateCollective(session, op, op.getKind(), op.getReduction(), op.getGrid(),
                                                op.getAxes(), op.getPeers(), bases[op.getInput()]);
  if (succeeded(result))
    bases[op.getResult()] = *result;
  return result;
}

LogicalResult LazyEvaluator::evaluate(Operation &op) {
  if (auto repeated = dyn_cast<lazy::LoopOp>(op))
    return loop(repeated);
  if (auto either = dyn_cast<lazy::IfOp>(op))
    return branch(either);
  if (auto together = dyn_cast<lazy::CollectiveOp>(op))
    return collective(together);
  if (auto reduction = dyn_cast<lazy::ReduceOp>(op))
    return reduce(reduction);
  if (auto running = dyn_cast<lazy::ScanOp>(op))
    return scan(running);
  if (auto marked = dyn_cast<lazy::GroupOp>(op))
    return group(marked);
  if (auto state = dyn_cast<lazy::AssignOp>(op))
    return assign(state);
  if (isa<lazy::ContiguousOp, lazy::KeepOp>(op)) {
    // The same elements, in row-major order either way.
    if (failed(materialize(op.getOperand(0))))
      return failure();
    bases[op.getResult(0)] = Buffer(bases[op.getOperand(0)]); // a copy: the map may grow
    return success();
  }
  if (lazy::isMovement(&op) || isa<lazy::IotaOp, arith::ConstantOp>(op))
    return success();
  // Read from more than one place, it has a buffer as elementwise values have.
  if (isa<lazy::GatherOp>(op))
    return op.getResult(0).use_empty() || op.getResult(0).hasOneUse() ? success() : materialize(op.getResult(0));
  for (Value result : op.getResults()) {
    FailureOr<int64_t> count = countOf(session, result);
    if (failed(count))
      return failure();
    // An unknown operation is an error, even if nothing uses its result.
    if (!getScalarCode(&op, cast<OpResult>(result).getResultNumber()))
      return session.unsupported(&op);
    if (!result.use_empty() && !result.hasOneUse() && *count <= kMaxSharedElements && failed(materialize(result)))
      return failure();
  }
  return success();
}

FailureOr<Buffers> LazyEvaluator::run() {
  for (Operation &op : body.without_terminator())
    if (failed(evaluate(op)))
      return failure();
  Buffers results;
  for (Value operand : body.getTerminator()->getOperands()) {
    if (failed(materialize(operand)))
      return failure();
    results.push_back(bases[operand]);
  }
  return results;
}

FailureOr<Buffers> evaluateLazy(Session &session, Block &body, ArrayRef<Buffer> inputs) {
  return LazyEvaluator(session, body, inputs).run();
}

} // namespace tiny::reference
