// Evaluates a kernel: every reduction and scan becomes a table over the ranges that it is open to, in order of
// dependence; then
// every store runs over the ranges that reach it.
#include "../Tape.h"

#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Dialect/Kernel/Kernel.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tiny::reference {

namespace {
/// The results of a reduction or a scan, or a stage's tile: one element for each point of `ranges`, row-major. A tile
/// has all of its elements for each point of them.
struct Table {
  Buffer buffer;
  SmallVector<kernel::RangeOp> ranges;
};

/// One nest of loops and the tape that runs in it.
struct Nest {
  Tape tape;
  DenseMap<Value, Register> values;

  /// Adds loops, outermost first, of these extents.
  Axes addAxes(ArrayRef<kernel::RangeOp> ranges, llvm::function_ref<int64_t(kernel::RangeOp)> getExtent) {
    Axes axes;
    for (kernel::RangeOp range : ranges) {
      axes.add(tape.addInput(), getExtent(range));
      values[range.getResult()] = axes.registers.back();
    }
    return axes;
  }
};

class KernelEvaluator {
public:
  KernelEvaluator(Session &session, kernel::FuncOp func, ArrayRef<Operation *> order, ArrayRef<Buffer> inputs)
      : session(session), order(order), sets(order) {
    for (auto [argument, buffer] : llvm::zip_equal(func.getBody().getArguments(), inputs))
      buffers[argument] = buffer;
  }
  /// Loads read what was there at the launch, whatever is stored.
  LogicalResult keepLoaded(kernel::FuncOp func);
  LogicalResult run();

private:
  LogicalResult reduce(kernel::ReduceOp op);
  LogicalResult scan(kernel::ScanOp op);
  LogicalResult stage(kernel::StageOp op);
  LogicalResult store(kernel::StoreOp op);
  FailureOr<Register> readTable(Nest &nest, Operation *op, Value key, Value index, Register gate);
  FailureOr<Register> compile(Nest &nest, Value root);
  FailureOr<Register> emit(Nest &nest, Operation *op, OpResult result);
  SmallVector<kernel::RangeOp> getRanges(ArrayRef<unsigned> positions);
  LogicalResult readSize(kernel::RangeOp range);
  LogicalResult runAtPoint();
  /// How far the range runs here.
  int64_t getExtent(kernel::RangeOp range) const {
    auto size = sizes.find(range);
    return size == sizes.end() ? static_cast<int64_t>(range.getExtent()) : size->second;
  }
  Axes addAxes(Nest &nest, ArrayRef<kernel::RangeOp> ranges) const {
    for (auto [range, point] : fixed)
      if (Value index = range->getResult(0); !nest.values.count(index))
        nest.values[index] = nest.tape.addConstant(makeInt(point));
    return nest.addAxes(ranges, [&](kernel::RangeOp range) { return getExtent(range); });
  }

  Session &session;
  ArrayRef<Operation *> order;
  kernel::RangeSets sets;
  DenseMap<Value, Buffer> buffers;
  /// The content of the buffers before the first store, which loads read.
  DenseMap<Value, Buffer> loaded;
  DenseMap<Value, Table> tables;
  /// Of the ranges that have one.
  DenseMap<Operation *, int64_t> sizes;
  /// The ranges of threads that sizes depend on, each at one of its points: the kernel is evaluated for each by itself.
  llvm::MapVector<Operation *, int64_t> fixed;
};
} // namespace

/// Loops nest outermost first by kind, then by order, then by id.
static void sortAsLoops(SmallVectorImpl<kernel::RangeOp> &ranges) {
  llvm::sort(ranges, [](kernel::RangeOp a, kernel::RangeOp b) {
    return std::pair(a.getKind(), a.getPlace()) < std::pair(b.getKind(), b.getPlace());
  });
}

SmallVector<kernel::RangeOp> KernelEvaluator::getRanges(ArrayRef<unsigned> positions) {
  SmallVector<kernel::RangeOp> ranges;
  for (unsigned position : positions)
    if (kernel::RangeOp range = sets.getRanges()[position]; !fixed.contains(range))
      ranges.push_back(range);
  sortAsLoops(ranges);
  return ranges;
}

/// An element of a reduction's results, or of a stage's tile, where `index` says which.
FailureOr<Register> KernelEvaluator::readTable(Nest &nest, Operation *op, Value key, Value index, Register gate) {
  auto table = tables.find(key);
  if (table == tables.end())
    return session.unsupported(op);
  SmallVector<Register> indices;
  SmallVector<int64_t> strides;
  for (kernel::RangeOp range : table->second.ranges) {
    for (int64_t &stride : strides)
      stride *= getExtent(range);
    // One of several results may be the same along a range that another varies along.
    auto found = nest.values.find(range.getResult());
    if (found == nest.values.end())
      continue;
    indices.push_back(found->second);
    strides.push_back(1);
  }
  if (index) {
    for (int64_t &stride : strides)
      stride *= cast<MemRefType>(key.getType()).getNumElements();
    indices.push_back(nest.values.lookup(index));
    strides.push_back(1);
  }
  return nest.tape.addLoad(table->second.buffer, nest.tape.addLinear(indices, strides), gate, op);
}

/// One operation whose operands are in registers.
FailureOr<Register> KernelEvaluator::emit(Nest &nest, Operation *op, OpResult result) {
  Tape &tape = nest.tape;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    std::optional<ScalarType> type = getScalarType(constant.getType());
    std::optional<Scalar> value = type ? fromAttribute(*type, constant.getValue()) : std::nullopt;
    if (!value)
      return session.unsupported(op);
    return tape.addConstant(*value);
  }
  if (auto load = dyn_cast<kernel::LoadOp>(op)) {
    if (load.getBuffer().getDefiningOp<kernel::StageOp>())
      return readTable(nest, op, load.getBuffer(), load.getIndex(),
                       load.getGate() ? nest.values.lookup(load.getGate()) : kNoRegister);
    auto buffer = loaded.find(load.getBuffer());
    if (buffer == loaded.end())
      return session.unsupported(op);
    Register gate = load.getGate() ? nest.values.lookup(load.getGate()) : kNoRegister;
    return tape.addLoad(buffer->second, nest.values.lookup(load.getIndex()), gate, op);
  }
  if (isa<kernel::ReduceOp, kernel::ScanOp>(op))
    return readTable(nest, op, result, Value(), kNoRegister);
  assert(!isa<kernel::RangeOp>(op) && "a nest has the ranges that its root is open to");
  std::optional<ScalarCode> code = getScalarCode(op, result.getResultNumber());
  if (!code)
    return session.unsupported(op);
  SmallVector<Register> operands;
  for (Value operand : op->getOperands())
    operands.push_back(nest.values.lookup(operand));
  return tape.addScalar(*code, operands, op);
}

FailureOr<Register> KernelEvaluator::compile(Nest &nest, Value root) {
  SmallVector<Value> worklist = {root};
  while (!worklist.empty()) {
    Value value = worklist.back();
    if (nest.values.count(value)) {
      worklist.pop_back();
      continue;
    }
    Operation *op = value.getDefiningOp();
    assert(op && "a kernel's arguments are buffers");
    bool ready = true;
    // The inputs of a reduction or a scan are in its own nest.
    if (!isa<kernel::ReduceOp, kernel::ScanOp>(op))
      for (Value operand : op->getOperands())
        if (!isa<MemRefType>(operand.getType()) && !nest.values.count(operand)) {
          worklist.push_back(operand);
          ready = false;
        }
    if (!ready)
      continue;
    FailureOr<Register> reg = emit(nest, op, cast<OpResult>(value));
    if (failed(reg))
      return failure();
    nest.values[value] = *reg;
    worklist.pop_back();
  }
  return nest.values.lookup(root);
}

LogicalResult KernelEvaluator::reduce(kernel::ReduceOp op) {
  Nest nest;
  SmallVector<unsigned> open;
  for (Value result : op.getResults())
    for (unsigned position : sets.getOpen(result))
      if (!llvm::is_contained(open, position))
        open.push_back(position);
  SmallVector<kernel::RangeOp> outerRanges = getRanges(open), reducedRanges;
  for (Value range : op.getRanges())
    reducedRanges.push_back(range.getDefiningOp<kernel::RangeOp>());
  sortAsLoops(reducedRanges);
  Axes outer = addAxes(nest, outerRanges), reduced = addAxes(nest, reducedRanges);

  SmallVector<ScalarType> types;
  SmallVector<Register> elements, initials;
  Buffers results;
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    std::optional<ScalarType> type = getScalarType(input.getType());
    if (!type)
      return session.unsupported(op);
    types.push_back(*type);
    FailureOr<Register> element = compile(nest, input);
    FailureOr<Buffer> result = allocate(session, *type, outer.size(), op.getLoc());
    if (failed(element) || failed(result))
      return failure();
    elements.push_back(*element);
    results.push_back(*result);
    if (index < op.getInits().size()) {
      FailureOr<Register> initial = compile(nest, op.getInits()[index]);
      if (failed(initial))
        return failure();
      initials.push_back(*initial);
    } else {
      if (!op.getKind())
        return session.unsupported(op);
      FailureOr<Scalar> identity = Combiner::getIdentity(session, op, *op.getKind(), input.getType());
      if (failed(identity))
        return failure();
      initials.push_back(nest.tape.addConstant(*identity));
    }
  }
  FailureOr<Combiner> combiner = Combiner::get(session, op, op.getKind(), op.getCombiner(), types);
  if (failed(combiner) ||
      failed(reduceOver(session, nest.tape, outer, reduced, *combiner, elements, initials, results, op.getLoc())))
    return failure();
  for (auto [result, buffer] : llvm::zip_equal(op.getResults(), results))
    tables[result] = Table{buffer, outerRanges};
  return success();
}

LogicalResult KernelEvaluator::scan(kernel::ScanOp op) {
  Nest nest;
  auto along = op.getRange().getDefiningOp<kernel::RangeOp>();
  // The range that it follows is the innermost one.
  SmallVector<kernel::RangeOp> ranges = getRanges(sets.getOpen(op.getResult()));
  llvm::erase(ranges, along);
  ranges.push_back(along);
  Axes axes = addAxes(nest, ranges);
  std::optional<ScalarType> type = getScalarType(op.getType());
  if (!type)
    return session.unsupported(op);
  Region none;
  FailureOr<Register> element = compile(nest, op.getInput());
  FailureOr<Buffer> result = allocate(session, *type, axes.size(), op.getLoc());
  FailureOr<Combiner> combiner = Combiner::get(session, op, op.getKind(), none, *type);
  if (failed(element) || failed(result) || failed(combiner))
    return failure();
  tables[op.getResult()] = Table{*result, ranges};
  ScanInto scan(*combiner, *result, getExtent(along));
  return forEachPoint(session, nest.tape, axes, op.getLoc(), [&](int64_t begin, size_t points) {
    return scan.absorb(session, begin, nest.tape.lanes(*element), points, op.getLoc());
  });
}

LogicalResult KernelEvaluator::stage(kernel::StageOp op) {
  Nest nest;
  SmallVector<kernel::RangeOp> outerRanges = getRanges(sets.getOpen(op.getTile())), ranges = outerRanges;
  for (Value range : op.getRanges())
    ranges.push_back(range.getDefiningOp<kernel::RangeOp>());
  Axes axes = addAxes(nest, ranges);
  std::optional<ScalarType> type = getScalarType(op.getValue().getType());
  if (!type)
    return session.unsupported(op);
  // A tile lies as its type says, however far its ranges run.
  int64_t count = op.getTile().getType().getNumElements(), stride = 1;
  SmallVector<Register> indices;
  SmallVector<int64_t> strides;
  for (kernel::RangeOp range : llvm::reverse(ranges)) {
    indices.push_back(nest.values.lookup(range));
    strides.push_back(stride);
    stride *= indices.size() <= op.getRanges().size() ? static_cast<int64_t>(range.getExtent()) : getExtent(range);
  }
  FailureOr<Register> value = compile(nest, op.getValue());
  FailureOr<Buffer> tile = allocate(session, *type, std::max(stride, count), op.getLoc());
  if (failed(value) || failed(tile))
    return failure();
  Register place = nest.tape.addLinear(indices, strides);
  tables[op.getTile()] = Table{*tile, outerRanges};
  return forEachPoint(session, nest.tape, axes, op.getLoc(), [&](int64_t, size_t points) -> LogicalResult {
    const Scalar *values = nest.tape.lanes(*value), *at = nest.tape.lanes(place);
    for (size_t k = 0; k < points; ++k)
      tile->store(at[k].i, values[k]);
    return success();
  });
}

LogicalResult KernelEvaluator::keepLoaded(kernel::FuncOp func) {
  SmallPtrSet<Memory *, 4> written;
  for (Operation *op : order)
    if (auto store = dyn_cast<kernel::StoreOp>(op))
      if (auto buffer = buffers.find(store.getBuffer()); buffer != buffers.end())
        written.insert(buffer->second.memory.get());
  loaded = buffers;
  for (BlockArgument argument : func.getBody().getArguments()) {
    Buffer &buffer = loaded[argument];
    if (!written.contains(buffer.memory.get()) || llvm::none_of(argument.getUsers(), llvm::IsaPred<kernel::LoadOp>))
      continue;
    FailureOr<Buffer> copy =
        allocate(session, buffer.type(), buffer.memory->bytes.size() / buffer.type().bytes(), func.getLoc());
    if (failed(copy))
      return failure();
    *copy->memory = *buffer.memory;
    buffer.memory = copy->memory;
  }
  return success();
}

LogicalResult KernelEvaluator::store(kernel::StoreOp op) {
  Nest nest;
  Axes axes = addAxes(nest, getRanges(sets.getOpenOfOperands(op)));
  FailureOr<Register> value = compile(nest, op.getValue());
  FailureOr<Register> index = succeeded(value) ? compile(nest, op.getIndex()) : FailureOr<Register>();
  if (failed(index))
    return failure();
  FailureOr<Register> gate = kNoRegister;
  if (op.getGate() && failed(gate = compile(nest, op.getGate())))
    return failure();
  auto target = buffers.find(op.getBuffer());
  if (target == buffers.end())
    return session.unsupported(op);
  Buffer &buffer = target->second;
  return forEachPoint(session, nest.tape, axes, op.getLoc(), [&](int64_t, size_t count) -> LogicalResult {
    const Scalar *values = nest.tape.lanes(*value), *at = nest.tape.lanes(*index);
    const Scalar *on = *gate == kNoRegister ? nullptr : nest.tape.lanes(*gate);
    for (size_t k = 0; k < count; ++k) {
      if (on && !on[k].i)
        continue;
      if (at[k].i < 0 || at[k].i >= buffer.count)
        return session.fail(Session::Kind::Undefined, op.getLoc(),
                            "writes element " + Twine(at[k].i) + " of a buffer of " + Twine(buffer.count) +
                                " elements");
      buffer.store(at[k].i, values[k]);
    }
    return success();
  });
}

LogicalResult KernelEvaluator::readSize(kernel::RangeOp range) {
  Nest nest;
  Axes axes = addAxes(nest, {});
  FailureOr<Register> size = compile(nest, range.getSize());
  if (failed(size))
    return failure();
  return forEachPoint(session, nest.tape, axes, range.getLoc(), [&](int64_t, size_t) -> LogicalResult {
    int64_t number = nest.tape.lanes(*size)->i;
    if (number < 0 || number > static_cast<int64_t>(range.getExtent()))
      return session.fail(Session::Kind::Undefined, range.getLoc(),
                          "range " + Twine(range.getId()) + " has size " + Twine(number) + " of an extent of " +
                              Twine(range.getExtent()));
    sizes[range] = number;
    return success();
  });
}

LogicalResult KernelEvaluator::run() {
  for (Operation *op : order)
    if (auto range = dyn_cast<kernel::RangeOp>(op); range && range.getSize())
      for (unsigned position : sets.getOpen(range.getSize()))
        fixed.insert({sets.getRanges()[position], 0});
  while (true) {
    if (failed(runAtPoint()))
      return failure();
    // The next point, the first range fastest.
    auto next = llvm::find_if(fixed, [](auto &entry) {
      if (++entry.second < static_cast<int64_t>(cast<kernel::RangeOp>(entry.first).getExtent()))
        return true;
      entry.second = 0;
      return false;
    });
    if (next == fixed.end())
      return success();
  }
}

LogicalResult KernelEvaluator::runAtPoint() {
  for (Operation *op : order)
    if (auto range = dyn_cast<kernel::RangeOp>(op); range && range.getSize() && failed(readSize(range)))
      return failure();
  for (Operation *op : order) {
    if (auto reduction = dyn_cast<kernel::ReduceOp>(op); reduction && failed(reduce(reduction)))
      return failure();
    if (auto running = dyn_cast<kernel::ScanOp>(op); running && failed(scan(running)))
      return failure();
    if (auto tile = dyn_cast<kernel::StageOp>(op); tile && failed(stage(tile)))
      return failure();
  }
  for (Operation *op : order) {
    if (auto write = dyn_cast<kernel::StoreOp>(op)) {
      if (failed(store(write)))
        return failure();
      continue;
    }
    bool known =
        isa<kernel::RangeOp, kernel::LoadOp, kernel::ReduceOp, kernel::ScanOp, kernel::StageOp, arith::ConstantOp>(op);
    if (!known && (op->getNumResults() == 0 || !getScalarCode(op)))
      return session.unsupported(op);
  }
  return success();
}

LogicalResult evaluateKernel(Session &session, Operation *op, ArrayRef<Buffer> buffers) {
  auto func = cast<kernel::FuncOp>(op);
  if (func.isExternal() || func.getBody().getNumArguments() != buffers.size())
    return session.unsupported(op);
  Block &body = func.getBody().front();
  SmallVector<Operation *> order = kernel::sortByDependence(body);
  if (order.empty() && !body.empty())
    return session.fail(Session::Kind::Undefined, op->getLoc(), "a kernel's values depend on each other in a cycle");
  KernelEvaluator evaluator(session, func, order, buffers);
  if (failed(evaluator.keepLoaded(func)))
    return failure();
  return evaluator.run();
}

} // namespace tiny::reference
