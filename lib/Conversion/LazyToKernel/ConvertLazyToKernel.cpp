// Functions to programs: buffers, launches, and results that need no kernel.
#include "Tiny/Conversion/LazyToKernel/Passes.h"

#include "InPlace.h"
#include "ProgramLowering.h"
#include "Tiny/Analysis/Lazy/StateUses.h"
#include "Tiny/Dialect/Symbolic/AlgebraActions.h"
#include "Tiny/Support/Family.h"
#include "Tiny/Support/Signature.h"

#include "llvm/ADT/SetVector.h"

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
                                /*sizes=*/nullptr, /*devices=*/nullptr);
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
  if (auto collective = dyn_cast<lazy::CollectiveOp>(op))
    return lowerCollective(collective);
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
  // At other sizes a caller's buffer ends elsewhere.
  bool isInstance = isFamily(func->getParentOfType<ModuleOp>());
  for (Value input : group.getInputs()) {
    inputs.push_back(getBuffer(input));
    if (!inputs.back())
      return failure();
    Value root = kernel::getRoot(inputs.back());
    isPartial.push_back(partial.contains(root) || (isInstance && isa<BlockArgument>(root)));
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
    writers.erase(kernel::getRoot(outputs.back()));
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
  auto launch = kernel::LaunchOp::create(builder, group.getLoc(), FlatSymbolRefAttr::get(name), reads, outputs);
  for (auto [yielded, output] : llvm::zip_equal(yield->getOperands(), outputs))
    if (getAssignments(yielded).empty() && kernel::getRoot(output) == output)
      writers[output] = launch;
  return success();
}

LogicalResult ProgramLowering::lowerCollective(lazy::CollectiveOp op) {
  Value source = getBuffer(op.getInput());
  MemRefType type = getBufferType(op.getLoc(), op.getType());
  if (!source || !type)
    return failure();
  Value target = kernel::AllocOp::create(builder, op.getLoc(), type);
  kernel::CollectiveOp::create(builder, op.getLoc(), op.getKindAttr(), source, target, op.getGridAttr(),
                               op.getAxesAttr(), op.getReductionAttr(), op.getPeersAttr(), UnitAttr());
  buffers[op.getResult()] = target;
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
