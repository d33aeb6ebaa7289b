// Functions to programs: buffers, launches, and results that need no kernel.
#include "Tiny/Conversion/LazyToKernel/Passes.h"

#include "LowerGroup.h"
#include "State.h"
#include "Tiny/Support/Signature.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
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
  LogicalResult lowerGroupItem(lazy::GroupOp group);
  /// A fresh buffer for the next state of a base that is assigned to, with what the kernel leaves of the old one.
  Value createState(ArrayRef<lazy::AssignOp> assigns, OpResult result, MemRefType type, ValueRange inputs);
  /// Puts a value that is in a buffer into a contiguous part of a state, without a kernel; false where it is not so.
  bool lowerToCopy(lazy::GroupOp group, ValueRange inputs, Value state);
  Value createPart(Location loc, Value source, Type tensor, int64_t offset);
  LogicalResult lowerReturn(func::ReturnOp op);
  /// The buffer that holds a value; null after an error.
  Value getBuffer(Value value);
  Value createConstant(arith::ConstantOp op);

  func::FuncOp func;
  SymbolTable &symbols;
  KernelNames &names;
  OpBuilder builder;
  StatePlan states;
  DenseMap<Value, Value> buffers;
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
                                func.getSymVisibilityAttr(), func.getArgAttrsAttr(), func.getResAttrsAttr());
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
  if (failed(verifyState(func)))
    return failure();
  FailureOr<kernel::ProgramOp> program = createProgram();
  if (failed(program))
    return failure();
  FailureOr<StatePlan> plan = StatePlan::compute(func);
  if (failed(plan)) {
    program->erase();
    return failure();
  }
  states = std::move(*plan);
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
  if (isa<CallOpInterface>(op))
    return op->emitOpError("calls a function, and a program calls none; inline it first");
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

Value ProgramLowering::createState(ArrayRef<lazy::AssignOp> assigns, OpResult result, MemRefType type,
                                   ValueRange inputs) {
  lazy::AssignOp assign = assigns.front();
  Location loc = assign.getLoc();
  Value buffer = kernel::AllocOp::create(builder, loc, type);
  int64_t written = 0;
  for (lazy::AssignOp each : assigns)
    if (const ShapeTracker &tracker = each.getTracker().getTracker(); tracker.isUnmasked())
      written += tracker.numElements();
  // All of it is written and no element twice, by this kernel or those that go on: nothing of the old state is left.
  if (written == type.getNumElements() || states.isOverwritten(result))
    return buffer;
  if (auto base = dyn_cast<BlockArgument>(assign.getBase())) {
    kernel::CopyOp::create(builder, loc, inputs[base.getArgNumber()], buffer);
    return buffer;
  }
  auto splat = cast<SplatElementsAttr>(assign.getBase().getDefiningOp<arith::ConstantOp>().getValue());
  kernel::FillOp::create(builder, loc, buffer, cast<TypedAttr>(splat.getSplatValue<Attribute>()));
  return buffer;
}

static Value getRoot(Value buffer) {
  while (auto alias = buffer.getDefiningOp<kernel::AliasOp>())
    buffer = alias.getSource();
  return buffer;
}

bool ProgramLowering::lowerToCopy(lazy::GroupOp group, ValueRange inputs, Value state) {
  Block &body = group.getBody().front();
  SmallVector<lazy::AssignOp, 1> assigns = getAssignments(body.getTerminator()->getOperand(0));
  if (assigns.size() != 1 || group.getNumResults() != 1)
    return false;
  lazy::AssignOp assign = assigns.front();
  Value value = assign.getValue();
  std::optional<int64_t> from = 0, to = getContiguousOffset(assign.getTracker().getTracker());
  if (Operation *movement = value.getDefiningOp(); movement && lazy::isMovement(movement)) {
    from = getContiguousOffset(movement);
    value = movement->getOperand(0);
  }
  auto input = dyn_cast<BlockArgument>(value);
  if (!from || !to || !input || getRoot(inputs[input.getArgNumber()]) == getRoot(state))
    return false;
  Location loc = assign.getLoc();
  Type type = assign.getValue().getType();
  kernel::CopyOp::create(builder, loc, createPart(loc, inputs[input.getArgNumber()], type, *from),
                         createPart(loc, state, type, *to));
  return true;
}

LogicalResult ProgramLowering::lowerGroupItem(lazy::GroupOp group) {
  SmallVector<Value> inputs, outputs;
  bool isEmpty = true;
  for (Value input : group.getInputs()) {
    inputs.push_back(getBuffer(input));
    if (!inputs.back())
      return failure();
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
    if (Value old = states.getOverwritten(result))
      outputs.push_back(getBuffer(old));
    else if (!assigns.empty())
      outputs.push_back(createState(assigns, result, type, inputs));
    else
      outputs.push_back(kernel::AllocOp::create(builder, group.getLoc(), type));
    buffers[result] = outputs.back();
  }
  if (isEmpty || lowerToCopy(group, inputs, outputs.front()))
    return success();
  OpBuilder kernelBuilder(group.getContext());
  kernelBuilder.setInsertionPointAfter(lastKernel);
  FailureOr<LoweredGroup> lowered = lowerGroup(kernelBuilder, group, names.create(group.getLabel()));
  if (failed(lowered))
    return failure();
  StringAttr name = symbols.insert(lowered->kernel);
  lastKernel = lowered->kernel;
  SmallVector<Value> reads;
  for (unsigned k : lowered->inputs.set_bits())
    reads.push_back(inputs[k]);
  kernel::LaunchOp::create(builder, group.getLoc(), FlatSymbolRefAttr::get(name), reads, outputs);
  return success();
}

LogicalResult ProgramLowering::lowerReturn(func::ReturnOp op) {
  Block &program = *builder.getInsertionBlock();
  auto isDonated = [&](Value root) {
    auto argument = dyn_cast<BlockArgument>(root);
    return argument && func.getArgAttr(argument.getArgNumber(), kDonatedAttr);
  };
  auto copy = [&](Value buffer) -> Value {
    Value target = kernel::AllocOp::create(builder, op.getLoc(), cast<MemRefType>(buffer.getType()));
    kernel::CopyOp::create(builder, op.getLoc(), buffer, target);
    return target;
  };
  SmallVector<Value> results;
  SmallVector<std::pair<unsigned, Value>> updates; // of a result: the argument that it must end up in
  llvm::SmallDenseSet<Value> updated;
  for (auto [position, operand] : llvm::enumerate(op.getOperands())) {
    results.push_back(getBuffer(operand));
    if (!results.back())
      return failure();
    std::optional<unsigned> argument = getAliasedArgument(func, position);
    if (argument && results.back() != program.getArgument(*argument)) {
      updates.push_back({position, program.getArgument(*argument)});
      updated.insert(updates.back().second);
    }
  }
  for (auto [position, buffer] : llvm::enumerate(results)) {
    Value root = getRoot(buffer);
    bool isUpdate = llvm::any_of(updates, [&](auto &update) { return update.first == position; });
    bool isState = isUpdate || getAliasedArgument(func, position);
    // A result is the caller's; a constant stays the program's, and a donated argument is only the one's that aliases
    // it. What an update reads is safe from the others.
    if (isState ? isUpdate && updated.contains(root) : kernel::isReadOnly(buffer) || isDonated(root))
      buffer = copy(buffer);
  }
  for (auto [position, argument] : updates) {
    kernel::CopyOp::create(builder, op.getLoc(), results[position], argument);
    results[position] = argument;
  }
  kernel::ReturnOp::create(builder, op.getLoc(), results);
  return success();
}

namespace {
struct ConvertLazyToKernel : tiny::impl::ConvertLazyToKernelBase<ConvertLazyToKernel> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    KernelNames names(symbols);
    for (func::FuncOp func : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (failed(ProgramLowering(func, symbols, names).run()))
        return signalPassFailure();
  }
};
} // namespace
