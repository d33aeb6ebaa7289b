// Evaluates the host side, item by item. Its kernels may stand at the kernel or at the uop level.
#include "../Ranks.h"

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/UOp/UOp.h"
#include "Tiny/Support/Signature.h"

using namespace mlir;

namespace tiny::reference {

namespace {
class ProgramEvaluator {
public:
  ProgramEvaluator(Session &session, Block &body, ArrayRef<Buffer> inputs) : session(session) {
    for (auto [argument, buffer] : llvm::zip_equal(body.getArguments(), inputs))
      buffers[argument] = buffer;
  }
  /// All items of a list.
  LogicalResult evaluate(Block &list);

  DenseMap<Value, Buffer> buffers;

private:
  LogicalResult evaluate(Operation &item);
  LogicalResult evaluateHere(Operation &item);
  bool isElsewhere(Operation &item) const;
  LogicalResult launch(kernel::LaunchOp op);
  LogicalResult loop(kernel::LoopOp op);
  LogicalResult branch(kernel::IfOp op);
  FailureOr<int64_t> read(Operation *op, Value buffer);
  Session &session;
};
} // namespace

LogicalResult ProgramEvaluator::launch(kernel::LaunchOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(op, op.getCalleeAttr());
  SmallVector<Buffer> arguments;
  for (Value operand : op->getOperands())
    arguments.push_back(buffers.lookup(operand));
  if (isa_and_present<kernel::FuncOp>(callee))
    return evaluateKernel(session, callee, arguments);
  if (isa_and_present<uop::FuncOp>(callee))
    return evaluateUOp(session, callee, arguments);
  return session.fail(Session::Kind::Unsupported, op.getLoc(),
                      "the interpreter does not know the kernel '" + op.getCallee() + "'");
}

/// The integer that decides what runs.
FailureOr<int64_t> ProgramEvaluator::read(Operation *op, Value buffer) {
  const Buffer &source = buffers[buffer];
  if (!source.isWritten(0))
    return session.fail(Session::Kind::Undefined, op->getLoc(), "reads what it decides by before it is written");
  return source.load(0).i;
}

LogicalResult ProgramEvaluator::loop(kernel::LoopOp op) {
  int64_t most = op.getMost();
  if (op.getLimit()) {
    FailureOr<int64_t> limit = read(op, op.getLimit());
    if (failed(limit))
      return failure();
    most = std::min(most, std::max<int64_t>(*limit, 0));
  }
  for (int64_t iteration = 0;; ++iteration) {
    bool goesOn = iteration < most;
    if (goesOn && op.getCondition()) {
      FailureOr<int64_t> condition = read(op, op.getCondition());
      if (failed(condition))
        return failure();
      goesOn = *condition != 0;
    }
    if (op.getCounter()) {
      Buffer &counter = buffers[op.getCounter()];
      counter.store(0, *fromAttribute(counter.type(), Builder(op.getContext()).getI64IntegerAttr(iteration)));
    }
    if (!goesOn)
      return success();
    if (failed(session.step(1, op.getLoc())) || failed(evaluate(op.getBody().front())))
      return failure();
  }
}

LogicalResult ProgramEvaluator::branch(kernel::IfOp op) {
  FailureOr<int64_t> condition = read(op, op.getCondition());
  if (failed(condition))
    return failure();
  Region &list = *condition ? op.getBody() : op.getOtherwise();
  return list.empty() ? success() : evaluate(list.front());
}

LogicalResult ProgramEvaluator::evaluate(Block &list) {
  for (Operation &item : list)
    if (!item.hasTrait<OpTrait::IsTerminator>() && failed(evaluate(item)))
      return failure();
  return success();
}

/// Whether other stages than this rank's run the item.
bool ProgramEvaluator::isElsewhere(Operation &item) const {
  auto places = item.getAttrOfType<DenseI64ArrayAttr>(kPlacesAttr);
  auto program = item.getParentOfType<kernel::ProgramOp>();
  auto axis = program ? program->getAttrOfType<IntegerAttr>(kStageAxisAttr) : IntegerAttr();
  if (!places || !axis || !session.ranks)
    return false;
  int64_t place = getGridPlace(session.rank, session.ranks->getGrid())[axis.getInt()];
  return !llvm::is_contained(places.asArrayRef(), place);
}

LogicalResult ProgramEvaluator::evaluate(Operation &item) {
  if (!isElsewhere(item))
    return evaluateHere(item);
  // All ranks come to all collectives, some with nothing.
  if (isa<kernel::CollectiveOp>(item))
    return LogicalResult(session.ranks->meet(session, &item, Buffer(), {}));
  return success();
}

LogicalResult ProgramEvaluator::evaluateHere(Operation &item) {
  Location location = item.getLoc();
  auto program = item.getParentOfType<kernel::ProgramOp>();
  bool hasSizes = program && program.getSizes();
  auto define = [&](Value value, FailureOr<Buffer> buffer) {
    if (succeeded(buffer))
      buffers[value] = *buffer;
    return LogicalResult(buffer);
  };
  if (auto op = dyn_cast<kernel::LaunchOp>(item))
    return launch(op);
  if (auto op = dyn_cast<kernel::LoopOp>(item))
    return loop(op);
  if (auto op = dyn_cast<kernel::IfOp>(item))
    return branch(op);
  if (auto op = dyn_cast<kernel::ConstantOp>(item))
    return define(op.getBuffer(), readConstant(session, op.getValue(), location));
  if (auto op = dyn_cast<kernel::AllocOp>(item)) {
    auto type = cast<MemRefType>(op.getBuffer().getType());
    std::optional<ScalarType> element = getScalarType(type.getElementType());
    if (!element || !type.hasStaticShape())
      return session.unsupported(&item);
    return define(op.getBuffer(), allocate(session, *element, type.getNumElements(), location, /*tracked=*/true));
  }
  if (auto op = dyn_cast<kernel::CopyOp>(item)) {
    const Buffer &source = buffers[op.getSource()];
    Buffer &target = buffers[op.getTarget()];
    if (source.count != target.count && !hasSizes)
      return session.unsupported(&item);
    // With sizes: as much as both have, and of that what is live.
    for (int64_t k = 0; k < std::min(source.count, target.count); ++k) {
      if (!source.isWritten(k) && hasSizes)
        continue;
      if (!source.isWritten(k))
        return session.fail(Session::Kind::Undefined, location,
                            "copies element " + Twine(k) + " of a buffer before it is written");
      target.store(k, source.load(k));
    }
    return session.step(source.count, location);
  }
  if (auto op = dyn_cast<kernel::CollectiveOp>(item)) {
    FailureOr<Buffer> result = evaluateCollective(session, op, op.getKind(), op.getReduction(), op.getGrid(),
                                                  op.getAxes(), op.getPeers(), buffers[op.getSource()]);
    if (failed(result))
      return failure();
    Buffer &target = buffers[op.getTarget()];
    if (result->count != target.count)
      return session.unsupported(&item);
    for (int64_t k = 0; k < target.count; ++k)
      target.store(k, result->load(k));
    return session.step(target.count, location);
  }
  // Collectives are done where they begin.
  if (isa<kernel::WaitOp>(item))
    return success();
  if (auto op = dyn_cast<kernel::FillOp>(item)) {
    Buffer &target = buffers[op.getTarget()];
    std::optional<Scalar> value = fromAttribute(target.type(), op.getValue());
    if (!value)
      return session.unsupported(&item);
    for (int64_t k = 0; k < target.count; ++k)
      target.store(k, *value);
    return session.step(target.count, location);
  }
  if (auto op = dyn_cast<kernel::AliasOp>(item)) {
    Buffer part = buffers[op.getSource()];
    int64_t offset = op.getOffset(), count = cast<MemRefType>(op.getResult().getType()).getNumElements();
    // A buffer of the caller's ends with its live elements.
    if (hasSizes)
      count = std::min(count, std::max<int64_t>(part.count - offset, 0));
    if (offset < 0 || offset + count > part.count)
      return session.fail(Session::Kind::Undefined, location,
                          "an alias of elements " + Twine(offset) + " to " + Twine(offset + count) +
                              " of a buffer of " + Twine(part.count));
    part.offset += offset;
    part.count = count;
    buffers[op.getResult()] = part;
    return success();
  }
  return session.unsupported(&item);
}

FailureOr<Buffers> evaluateProgram(Session &session, FunctionOpInterface program, ArrayRef<Buffer> inputs) {
  Block &body = program.getFunctionBody().front();
  ProgramEvaluator evaluator(session, body, inputs);
  if (failed(evaluator.evaluate(body)))
    return failure();
  Buffers results;
  for (Value operand : body.getTerminator()->getOperands())
    results.push_back(evaluator.buffers.lookup(operand));
  return results;
}

} // namespace tiny::reference
