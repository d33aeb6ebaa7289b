// Functions to programs: buffers, launches, and results that need no kernel.
#include "Tiny/Conversion/LazyToKernel/Passes.h"

#include "InPlace.h"
#include "LowerGroup.h"
#include "Tiny/Analysis/Lazy/StateUses.h"
#include "Tiny/Dialect/Symbolic/AlgebraActions.h"
#include "Tiny/Support/Signature.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace tiny {
#define GEN_PASS_DEF_CONVERTLAZYTOKERNEL
#include "Tiny/Conversion/LazyToKernel/Passes.h.inc"
} // namespace tiny

using namespace mlir;
using namespace tiny;

MemRefType tiny::getBufferType(Location loc, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape()) {
    emitError(loc, "expected a tensor of static shape, got ") << type;
    return {};
  }
  int64_t count = 1;
  bool overflow = false;
  for (int64_t dim : tensor.getShape())
    overflow |= llvm::MulOverflow(count, dim, count);
  if (llvm::is_contained(tensor.getShape(), 0)) {
    count = 0;
    overflow = false;
  }
  if (!overflow && MemRefType::isValidElementType(tensor.getElementType())) {
    auto buffer = MemRefType::get({count}, tensor.getElementType());
    if (kernel::isBuffer(buffer))
      return buffer;
  }
  emitError(loc, "no buffer holds a ") << type << ": expected signless integers or floats, below 2^62 bytes";
  return {};
}

namespace {
/// Gives kernels their symbols: the label in letters that any linker takes, and a number per label where it is taken,
/// so that the names of other kernels stay (scripts find a kernel by its name).
class KernelNames {
public:
  explicit KernelNames(SymbolTable &symbols) : symbols(symbols) {}
  std::string create(std::optional<StringRef> label) {
    std::string stem;
    for (char c : label.value_or(""))
      stem += llvm::isAlnum(c) ? c : '_';
    if (stem.empty() || llvm::isDigit(stem.front()))
      stem = "kernel" + stem;
    std::string name = stem;
    for (unsigned &next = counters[stem]; symbols.lookup(name);)
      name = stem + "_" + std::to_string(next++);
    return name;
  }

private:
  SymbolTable &symbols;
  llvm::StringMap<unsigned> counters;
};
} // namespace

namespace {
/// Turns one function into a program and the kernels it launches.
class ProgramLowering {
public:
  ProgramLowering(func::FuncOp func, SymbolTable &symbols, KernelNames &names)
      : func(func), symbols(symbols), names(names), builder(func) {}
  LogicalResult run();

private:
  FailureOr<kernel::ProgramOp> createProgram();
  LogicalResult lowerItem(Operation *op);
  LogicalResult lowerLoop(lazy::LoopOp op);
  LogicalResult lowerIf(lazy::IfOp op);
  /// The items of a function at the builder's place, on these buffers; gives those of its results.
  FailureOr<SmallVector<Value>> lowerBody(Operation *op, FlatSymbolRefAttr callee, ArrayRef<Value> arguments);
  /// A buffer of its own that begins as the value's.
  Value createOwn(Location loc, Value value);
  /// Writes one row of a buffer of rows.
  void writeRow(Location loc, Value row, Value number, Value rows);
  LogicalResult lowerGroupItem(lazy::GroupOp group);
  /// The buffer of a result that assigns: of the state that it takes over, or a fresh one, with what the kernel leaves
  /// of a splat.
  Value createState(OpResult result, Value taken, MemRefType type);
  /// Puts a contiguous part of a buffer, or a splat, into a fresh one or a contiguous part of a state, without a
  /// kernel; false where that is not all that the group does.
  bool lowerToCopy(lazy::GroupOp group, ValueRange inputs, Value output);
  Value createPart(Location loc, Value source, Type tensor, int64_t offset);
  /// Fills those of some buffers that are partly written, before all that writes them.
  void fillPartial(ArrayRef<Value> read);
  LogicalResult lowerReturn(func::ReturnOp op);
  /// Copies a buffer to a fresh one.
  Value createCopy(Location loc, Value buffer);
  /// What a result of a group is written over; null where it has a buffer of its own.
  Value getOverwritten(OpResult result);
  /// The buffer that holds a value; null after an error.
  Value getBuffer(Value value);
  Value createConstant(arith::ConstantOp op);

  func::FuncOp func;
  SymbolTable &symbols;
  KernelNames &names;
  OpBuilder builder;
  DenseMap<Value, Value> buffers;
  /// A buffer that launches write slice by slice, while some is missing: what its state begins with is not there.
  struct Partial {
    TypedAttr splat;
    int64_t missing; ///< elements
  };
  DenseMap<Value, Partial> partial;
  SmallVector<Value> complete; ///< of these, from the next group on
  Operation *lastKernel = nullptr;
};
} // namespace

FailureOr<kernel::ProgramOp> ProgramLowering::createProgram() {
  SmallVector<Type> inputs, results;
  for (BlockArgument argument : func.getArguments()) {
    inputs.push_back(getBufferType(argument.getLoc(), argument.getType()));
    if (!inputs.back())
      return failure();
  }
  for (Type type : func.getResultTypes()) {
    results.push_back(getBufferType(func.getLoc(), type));
    if (!results.back())
      return failure();
  }
  auto program =
      kernel::ProgramOp::create(builder, func.getLoc(), func.getSymName(), builder.getFunctionType(inputs, results),
                                func.getSymVisibilityAttr(), func.getArgAttrsAttr(), func.getResAttrsAttr(),
                                /*sizes=*/nullptr);
  program->setDiscardableAttrs(func->getDiscardableAttrDictionary());
  for (auto [position, type] : llvm::enumerate(func.getArgumentTypes()))
    if (!program.getArgAttr(position, kTensorTypeAttr))
      program.setArgAttr(position, kTensorTypeAttr, TypeAttr::get(type));
  for (auto [position, type] : llvm::enumerate(func.getResultTypes()))
    if (!program.getResultAttr(position, kTensorTypeAttr))
      program.setResultAttr(position, kTensorTypeAttr, TypeAttr::get(type));
  Block &block = program.getBody().emplaceBlock();
  for (auto [argument, type] : llvm::zip_equal(func.getArguments(), inputs))
    buffers[argument] = block.addArgument(type, argument.getLoc());
  lastKernel = program;
  builder.setInsertionPointToStart(&block);
  return program;
}

LogicalResult ProgramLowering::run() {
  if (func.isExternal())
    return func.emitOpError("has no body to convert");
  if (!func.getBody().hasOneBlock())
    return func.emitOpError("has control flow; expected one block");
  if (failed(verifyState(func)) || failed(verifyInPlace(func)))
    return failure();
  FailureOr<kernel::ProgramOp> program = createProgram();
  if (failed(program))
    return failure();
  for (Operation &op : func.getBody().front())
    if (failed(lowerItem(&op)))
      return failure();
  symbols.erase(func);
  symbols.insert(*program);
  return success();
}

LogicalResult ProgramLowering::lowerItem(Operation *op) {
  if (auto group = dyn_cast<lazy::GroupOp>(op))
    return lowerGroupItem(group);
  if (auto ret = dyn_cast<func::ReturnOp>(op))
    return lowerReturn(ret);
  // A constant is built where a buffer of it is asked for.
  if (isa<arith::ConstantOp>(op) && isa<RankedTensorType>(op->getResult(0).getType()))
    return success();
  if (isMemoryEffectFree(op) && op->use_empty())
    return success();
  if (lazy::isMovement(op)) {
    if (std::optional<int64_t> offset = getContiguousOffset(op)) {
      Value source = getBuffer(op->getOperand(0));
      if (!source || !getBufferType(op->getLoc(), op->getResult(0).getType()))
        return failure();
      buffers[op->getResult(0)] = createPart(op->getLoc(), source, op->getResult(0).getType(), *offset);
      return success();
    }
  }
  if (auto loop = dyn_cast<lazy::LoopOp>(op))
    return lowerLoop(loop);
  if (auto branch = dyn_cast<lazy::IfOp>(op))
    return lowerIf(branch);
  if (isa<CallOpInterface>(op))
    return op->emitOpError("calls a function, and a program calls none; inline it first");
  if (!lazy::isElementwise(op) && !isa_and_nonnull<lazy::LazyDialect>(op->getDialect()))
    return op->emitOpError("can stand in no kernel: expected a lazy operation, or an elementwise one on tensors of one "
                           "static shape");
  return op->emitOpError("stands outside a group; run lazy-kernelize first");
}

Value ProgramLowering::getBuffer(Value value) {
  if (Value known = buffers.lookup(value))
    return known;
  // Everything but constants has its buffer by now.
  return buffers[value] = createConstant(value.getDefiningOp<arith::ConstantOp>());
}

Value ProgramLowering::createConstant(arith::ConstantOp op) {
  MemRefType type = getBufferType(op.getLoc(), op.getType());
  if (!type)
    return {};
  auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
  if (type.getNumElements() != 0 && !splat)
    return kernel::ConstantOp::create(builder, op.getLoc(), type, cast<ElementsAttr>(op.getValue()));
  Value buffer = kernel::AllocOp::create(builder, op.getLoc(), type);
  if (splat && type.getNumElements() != 0)
    kernel::FillOp::create(builder, op.getLoc(), buffer, cast<TypedAttr>(splat.getSplatValue<Attribute>()));
  return buffer;
}

Value ProgramLowering::createPart(Location loc, Value source, Type tensor, int64_t offset) {
  MemRefType type = getBufferType(loc, tensor);
  return source.getType() == type ? source : kernel::AliasOp::create(builder, loc, type, source, offset).getResult();
}

Value ProgramLowering::getOverwritten(OpResult result) {
  auto group = cast<lazy::GroupOp>(result.getOwner());
  std::optional<ArrayRef<int64_t>> inPlace = group.getInPlace();
  int64_t input = inPlace ? (*inPlace)[result.getResultNumber()] : -1;
  return input < 0 ? Value() : group.getInputs()[input];
}

/// Whether whatever assigns to `state` next writes in its buffer.
static bool goesOnInPlace(Value state) {
  return llvm::all_of(getUses(state), [](StateUse use) {
    std::optional<Update> update = getUpdate(use);
    std::optional<ArrayRef<int64_t>> inPlace = update ? update->group.getInPlace() : std::nullopt;
    return !update || (inPlace && (*inPlace)[update->number] == int64_t(use.number));
  });
}

Value ProgramLowering::createState(OpResult result, Value taken, MemRefType type) {
  lazy::AssignOp assign = getAssignmentsOf(result).front();
  Location loc = assign.getLoc();
  Value buffer = taken ? taken : kernel::AllocOp::create(builder, loc, type).getResult();
  // A base that is not written over stays: the assignments are to a copy of it.
  if (auto base = dyn_cast<BlockArgument>(assign.getBase()); base && !taken) {
    Value source = getBuffer(cast<lazy::GroupOp>(result.getOwner()).getInputs()[base.getArgNumber()]);
    kernel::CopyOp::create(builder, loc, source, buffer);
  }
  int64_t written = 0;
  for (lazy::AssignOp each : getAssignmentsOf(result))
    written += each.getTracker().getTracker().numElements();
  auto base = assign.getBase().getDefiningOp<arith::ConstantOp>();
  if (base) {
    auto splat = cast<TypedAttr>(cast<SplatElementsAttr>(base.getValue()).getSplatValue<Attribute>());
    if (!isReplaced(result) || !goesOnInPlace(result))
      kernel::FillOp::create(builder, loc, buffer, splat);
    else if (written < type.getNumElements())
      partial[kernel::getRoot(buffer)] = {splat, type.getNumElements() - written};
  } else if (auto known = partial.find(kernel::getRoot(buffer)); known != partial.end()) {
    known->second.missing -= written;
    if (known->second.missing <= 0)
      complete.push_back(known->first);
  }
  return buffer;
}

void ProgramLowering::fillPartial(ArrayRef<Value> read) {
  for (Value buffer : read) {
    Value root = kernel::getRoot(buffer);
    auto known = partial.find(root);
    Operation *alloc = root.getDefiningOp();
    if (known == partial.end() || !alloc)
      continue;
    OpBuilder atStart(builder);
    atStart.setInsertionPointAfter(alloc);
    kernel::FillOp::create(atStart, alloc->getLoc(), root, known->second.splat);
    partial.erase(known);
  }
}

bool ProgramLowering::lowerToCopy(lazy::GroupOp group, ValueRange inputs, Value output) {
  if (group.getNumResults() != 1)
    return false;
  Location loc = group.getLoc();
  Value value = group.getBody().front().getTerminator()->getOperand(0);
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue())) {
      kernel::FillOp::create(builder, loc, output, cast<TypedAttr>(splat.getSplatValue<Attribute>()));
      return true;
    }
  std::optional<int64_t> from = 0, to = 0;
  SmallVector<lazy::AssignOp, 1> assigns = getAssignments(value);
  if (assigns.size() > 1)
    return false;
  if (!assigns.empty()) {
    value = assigns.front().getValue();
    to = getContiguousOffset(assigns.front().getTracker().getTracker());
  }
  Type type = value.getType();
  if (Operation *movement = value.getDefiningOp(); movement && lazy::isMovement(movement)) {
    from = getContiguousOffset(movement);
    value = movement->getOperand(0);
  }
  auto input = dyn_cast<BlockArgument>(value);
  if (!from || !to || !input)
    return false;
  Value source = inputs[input.getArgNumber()];
  // What is there already.
  if (source == output && from == to)
    return true;
  if (kernel::getRoot(source) == kernel::getRoot(output))
    return false;
  kernel::CopyOp::create(builder, loc, createPart(loc, source, type, *from), createPart(loc, output, type, *to));
  return true;
}

LogicalResult ProgramLowering::lowerGroupItem(lazy::GroupOp group) {
  SmallVector<Value> inputs, outputs;
  bool isEmpty = true;
  for (Value buffer : complete)
    partial.erase(buffer);
  complete.clear();
  llvm::BitVector isPartial;
  for (Value input : group.getInputs()) {
    inputs.push_back(getBuffer(input));
    if (!inputs.back())
      return failure();
    isPartial.push_back(partial.contains(kernel::getRoot(inputs.back())));
  }
  Operation *yield = group.getBody().front().getTerminator();
  for (auto [result, yielded] : llvm::zip_equal(group.getResults(), yield->getOperands())) {
    MemRefType type = getBufferType(group.getLoc(), result.getType());
    if (!type)
      return failure();
    SmallVector<lazy::AssignOp, 1> assigns = getAssignments(yielded);
    if (assigns.empty())
      isEmpty &= cast<RankedTensorType>(yielded.getType()).getNumElements() == 0;
    for (lazy::AssignOp assign : assigns)
      isEmpty &= cast<RankedTensorType>(assign.getValue().getType()).getNumElements() == 0;
    Value old = getOverwritten(result), taken = old ? getBuffer(old) : Value();
    if (!assigns.empty())
      outputs.push_back(createState(result, taken, type));
    else
      outputs.push_back(taken ? taken : kernel::AllocOp::create(builder, group.getLoc(), type).getResult());
    buffers[result] = outputs.back();
  }
  if (isEmpty || lowerToCopy(group, inputs, outputs.front()))
    return success();
  OpBuilder kernelBuilder(group.getContext());
  kernelBuilder.setInsertionPointAfter(lastKernel);
  FailureOr<LoweredGroup> lowered = lowerGroup(kernelBuilder, group, names.create(group.getLabel()), isPartial);
  if (failed(lowered))
    return failure();
  if (lowered->readsUnwritten)
    fillPartial(inputs);
  StringAttr name = symbols.insert(lowered->kernel);
  lastKernel = lowered->kernel;
  SmallVector<Value> reads;
  for (unsigned k : lowered->inputs.set_bits())
    reads.push_back(inputs[k]);
  kernel::LaunchOp::create(builder, group.getLoc(), FlatSymbolRefAttr::get(name), reads, outputs);
  return success();
}

FailureOr<SmallVector<Value>> ProgramLowering::lowerBody(Operation *op, FlatSymbolRefAttr callee,
                                                         ArrayRef<Value> arguments) {
  auto body = symbols.lookup<func::FuncOp>(callee.getValue());
  if (!body || body.isExternal() || !body.getBody().hasOneBlock())
    return op->emitOpError("names ") << callee << ", which is no function of one block";
  // Its values are its own: nothing that is made in here is there for others.
  auto outside = std::exchange(buffers, DenseMap<Value, Value>());
  auto outsidePartial = std::exchange(partial, DenseMap<Value, Partial>());
  auto outsideComplete = std::exchange(complete, SmallVector<Value>());
  for (auto [argument, buffer] : llvm::zip_equal(body.getArguments(), arguments))
    buffers[argument] = buffer;
  SmallVector<Value> results;
  for (Operation &item : body.getBody().front().without_terminator())
    if (failed(lowerItem(&item)))
      return failure();
  for (Value value : body.getBody().front().getTerminator()->getOperands()) {
    results.push_back(getBuffer(value));
    if (!results.back())
      return failure();
  }
  buffers = std::move(outside);
  partial = std::move(outsidePartial);
  complete = std::move(outsideComplete);
  return results;
}

Value ProgramLowering::createOwn(Location loc, Value value) {
  Value buffer = getBuffer(value);
  return buffer ? createCopy(loc, buffer) : Value();
}

void ProgramLowering::writeRow(Location loc, Value row, Value number, Value rows) {
  int64_t width = cast<MemRefType>(row.getType()).getNumElements();
  if (width == 0)
    return;
  OpBuilder kernelBuilder(builder.getContext());
  kernelBuilder.setInsertionPointAfter(lastKernel);
  auto type = kernelBuilder.getFunctionType({row.getType(), number.getType(), rows.getType()}, {});
  auto kernel = kernel::FuncOp::create(kernelBuilder, loc, names.create("write_row"), type, /*schedule=*/nullptr,
                                       kernelBuilder.getStringAttr("private"), /*arg_attrs=*/nullptr,
                                       /*res_attrs=*/nullptr);
  Block &block = kernel.getBody().emplaceBlock();
  block.addArguments(type.getInputs(), {loc, loc, loc});
  ImplicitLocOpBuilder body(loc, OpBuilder::atBlockBegin(&block));
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(body, value).getResult(); };
  Value at =
      kernel::RangeOp::create(body, body.getIndexType(), kernel::AxisKind::Loop, /*id=*/0, width, nullptr, Value());
  Value element = kernel::LoadOp::create(body, block.getArgument(0), at, Value());
  Value index = arith::IndexCastOp::create(
      body, body.getIndexType(), kernel::LoadOp::create(body, block.getArgument(1), constant(0), Value()).getResult());
  Value begin = arith::MulIOp::create(body, index, constant(width));
  // A kernel stays in its buffers whatever the number is.
  Value isRow = arith::CmpIOp::create(body, arith::CmpIPredicate::ult, index,
                                      constant(cast<MemRefType>(rows.getType()).getNumElements() / width));
  kernel::StoreOp::create(body, element, block.getArgument(2), arith::AddIOp::create(body, begin, at), isRow);
  symbols.insert(kernel);
  lastKernel = kernel;
  kernel::LaunchOp::create(builder, loc, FlatSymbolRefAttr::get(kernel), ValueRange{row, number}, ValueRange{rows});
}

/// State is in buffers of the loop's own, which an iteration's results are copied to when all of it has run.
LogicalResult ProgramLowering::lowerLoop(lazy::LoopOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> state, rows, arguments;
  auto allocate = [&](Type type) -> Value {
    MemRefType buffer = getBufferType(loc, type);
    return buffer ? kernel::AllocOp::create(builder, loc, buffer).getResult() : Value();
  };
  Value counter = allocate(op.getResults().back().getType());
  Value limit = op.getLimit() ? getBuffer(op.getLimit()) : Value();
  Value condition = op.getCondition() ? createOwn(loc, op.getCondition()) : Value();
  for (Value value : op.getCarried())
    state.push_back(createOwn(loc, value));
  for (Type type : op.getResults().slice(op.getNumCarried(), op.getNumRows()).getTypes())
    rows.push_back(allocate(type));
  // Where fewer iterations may happen, the other rows are zero.
  for (Value buffer : rows)
    if (buffer && (limit || condition))
      kernel::FillOp::create(builder, loc, buffer,
                             builder.getZeroAttr(cast<MemRefType>(buffer.getType()).getElementType()));
  arguments.push_back(counter);
  llvm::append_range(arguments, state);
  for (Value value : op.getCaptured())
    arguments.push_back(getBuffer(value));
  if (llvm::is_contained(arguments, Value()) || llvm::is_contained(rows, Value()) || (op.getLimit() && !limit) ||
      (op.getCondition() && !condition))
    return failure();
  auto loop = kernel::LoopOp::create(builder, loc, op.getMostAttr(), limit, counter, condition);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&loop.getBody().emplaceBlock());
    FailureOr<SmallVector<Value>> results = lowerBody(op, op.getCalleeAttr(), arguments);
    if (failed(results))
      return failure();
    ArrayRef<Value> next = *results;
    Value goesOn = condition ? next.front() : Value();
    next = condition ? next.drop_front() : next;
    for (auto [row, all] : llvm::zip_equal(next.drop_front(state.size()), rows))
      writeRow(loc, row, counter, all);
    // What is in a buffer of the state, and in another one next, leaves it first.
    SmallVector<std::pair<Value, Value>> copies;
    for (auto [value, buffer] : llvm::zip(next, state)) {
      bool isState = value != buffer && llvm::is_contained(state, kernel::getRoot(value));
      copies.push_back({isState ? createCopy(loc, value) : value, buffer});
    }
    if (condition)
      copies.push_back(
          {llvm::is_contained(state, kernel::getRoot(goesOn)) ? createCopy(loc, goesOn) : goesOn, condition});
    for (auto [value, buffer] : copies)
      if (value != buffer)
        kernel::CopyOp::create(builder, loc, value, buffer);
  }
  state.append(rows);
  state.push_back(counter);
  for (auto [result, buffer] : llvm::zip_equal(op.getResults(), state))
    buffers[result] = buffer;
  return success();
}

LogicalResult ProgramLowering::lowerIf(lazy::IfOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> results, arguments;
  Value condition = getBuffer(op.getCondition());
  for (Value value : op.getCaptured())
    arguments.push_back(getBuffer(value));
  if (!condition || llvm::is_contained(arguments, Value()))
    return failure();
  for (Type type : op.getResultTypes()) {
    MemRefType buffer = getBufferType(loc, type);
    if (!buffer)
      return failure();
    results.push_back(kernel::AllocOp::create(builder, loc, buffer));
  }
  auto branch = kernel::IfOp::create(builder, loc, condition);
  OpBuilder::InsertionGuard guard(builder);
  for (auto [list, callee] :
       {std::pair(&branch.getBody(), op.getCalleeAttr()), std::pair(&branch.getOtherwise(), op.getOtherwiseAttr())}) {
    builder.setInsertionPointToStart(&list->emplaceBlock());
    FailureOr<SmallVector<Value>> values = lowerBody(op, callee, arguments);
    if (failed(values))
      return failure();
    for (auto [value, buffer] : llvm::zip_equal(*values, results))
      kernel::CopyOp::create(builder, loc, value, buffer);
  }
  for (auto [result, buffer] : llvm::zip_equal(op.getResults(), results))
    buffers[result] = buffer;
  return success();
}

Value ProgramLowering::createCopy(Location loc, Value buffer) {
  Value target = kernel::AllocOp::create(builder, loc, cast<MemRefType>(buffer.getType()));
  kernel::CopyOp::create(builder, loc, buffer, target);
  return target;
}

LogicalResult ProgramLowering::lowerReturn(func::ReturnOp op) {
  SmallVector<Value> results, targets;
  for (auto [k, operand] : llvm::enumerate(op.getOperands())) {
    std::optional<unsigned> argument = getAliasedArgument(func, k);
    targets.push_back(argument ? buffers.lookup(func.getArgument(*argument)) : Value());
    Value buffer = getBuffer(operand);
    if (!buffer)
      return failure();
    // A result is the caller's; a constant stays the program's.
    results.push_back(!argument && kernel::isReadOnly(buffer) ? createCopy(op.getLoc(), buffer) : buffer);
  }
  // What must be in an argument's buffer and is not there is put there last: other results leave that buffer first.
  SmallVector<Value> overwritten;
  for (auto [buffer, target] : llvm::zip_equal(results, targets))
    if (target && buffer != target)
      overwritten.push_back(target);
  for (auto [buffer, target] : llvm::zip_equal(results, targets))
    if (buffer != target && llvm::is_contained(overwritten, kernel::getRoot(buffer)))
      buffer = createCopy(op.getLoc(), buffer);
  for (auto [buffer, target] : llvm::zip_equal(results, targets))
    if (target && buffer != target) {
      kernel::CopyOp::create(builder, op.getLoc(), buffer, target);
      buffer = target;
    }
  kernel::ReturnOp::create(builder, op.getLoc(), results);
  return success();
}

namespace {
struct ConvertLazyToKernel : tiny::impl::ConvertLazyToKernelBase<ConvertLazyToKernel> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    KernelNames names(symbols);
    AlgebraActions actions(getOperation());
    // Functions that loops and branches name become lists of their programs, and go when all of these are there.
    llvm::SetVector<func::FuncOp> bodies;
    getOperation().walk([&](Operation *op) {
      for (NamedAttribute attribute : op->getAttrs())
        if (auto name = dyn_cast<FlatSymbolRefAttr>(attribute.getValue()); name && isa<lazy::LoopOp, lazy::IfOp>(op))
          if (auto body = symbols.lookup<func::FuncOp>(name.getValue()); body && body.isPrivate())
            bodies.insert(body);
    });
    for (func::FuncOp func : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (!bodies.contains(func) && failed(ProgramLowering(func, symbols, names).run()))
        return signalPassFailure();
    for (func::FuncOp body : bodies)
      symbols.erase(body);
  }
};
} // namespace
