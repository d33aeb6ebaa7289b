// Verifiers of the host program's items.
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Support/Collective.h"
#include "Tiny/Support/Signature.h"

using namespace mlir;
using namespace tiny::kernel;

SmallVector<ItemAccess> tiny::kernel::listAccesses(Operation *item) {
  SmallVector<ItemAccess> accesses;
  item->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *definition = operand.getDefiningOp(); !definition || !item->isProperAncestor(definition))
        accesses.push_back({operand, hasEffect<MemoryEffects::Write>(op, operand)});
  });
  return accesses;
}

static StringAttr getFirstDevice(ProgramOp program) {
  return program && program.getDevices() ? cast<StringAttr>((*program.getDevices())[0]) : StringAttr();
}

StringAttr tiny::kernel::getDevice(Value buffer) {
  Value root = getRoot(buffer);
  Operation *definition = root.getDefiningOp();
  if (auto alloc = root.getDefiningOp<AllocOp>(); alloc && alloc.getDeviceAttr())
    return alloc.getDeviceAttr();
  if (auto constant = root.getDefiningOp<ConstantOp>(); constant && constant.getDeviceAttr())
    return constant.getDeviceAttr();
  Operation *scope = definition ? definition : root.getParentBlock()->getParentOp();
  return getFirstDevice(isa<ProgramOp>(scope) ? cast<ProgramOp>(scope) : scope->getParentOfType<ProgramOp>());
}

StringAttr tiny::kernel::getDevice(ProgramOp program, Operation *kernel) {
  auto device = kernel->getAttrOfType<StringAttr>(tiny::target::kDevice);
  return device && program.getDevices() ? device : getFirstDevice(program);
}

// (device_c1) a buffer lies on one of the program's devices.
static LogicalResult verifyDevice(Operation *op, StringAttr device) {
  auto program = op->getParentOfType<ProgramOp>();
  if (!device || (program.getDevices() && llvm::is_contained(program.getDevicesAttr(), Attribute(device))))
    return success();
  auto diag = op->emitOpError("lies on ") << device << ", which is no device of the program";
  diag.attachNote(program.getLoc()) << "the program is here";
  return diag;
}

// Where a read-only buffer comes from.
static LogicalResult verifyWritable(Operation *op, Value buffer) {
  if (!isReadOnly(buffer))
    return success();
  auto diag = op->emitOpError("writes to a constant");
  diag.attachNote(getRoot(buffer).getLoc()) << "the constant is here";
  return diag;
}

LogicalResult ConstantOp::verify() {
  // (constant_c1) as many elements as the buffer, of its type but for the sign.
  auto type = cast<ShapedType>(getValue().getType());
  MemRefType buffer = getBuffer().getType();
  Type element = type.getElementType();
  if (auto integer = dyn_cast<IntegerType>(element))
    element = IntegerType::get(getContext(), integer.getWidth());
  if (!type.hasStaticShape() || type.getNumElements() != buffer.getNumElements() || element != buffer.getElementType())
    return emitOpError("of ") << type << " does not fit " << buffer;
  return verifyDevice(*this, getDeviceAttr());
}

LogicalResult AllocOp::verify() { return verifyDevice(*this, getDeviceAttr()); }

LogicalResult LaunchOp::verify() {
  // (launch_c1) nothing writes to a constant.
  for (Value out : getOuts())
    if (failed(verifyWritable(*this, out)))
      return failure();
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // (launch_c2) the callee exists and is a function.
  Operation *symbol = symbols.lookupNearestSymbolFrom(*this, getCalleeAttr());
  if (!symbol)
    return emitOpError("calls ") << getCallee() << ", which does not exist";
  auto callee = dyn_cast<FunctionOpInterface>(symbol);
  if (!callee) {
    auto diag = emitOpError("calls ") << getCallee() << ", which is no function";
    diag.attachNote(symbol->getLoc()) << "it is a " << symbol->getName();
    return diag;
  }
  if (isa<ProgramOp>(symbol)) {
    auto diag = emitOpError("calls ") << getCallee() << ", which is a program, not a kernel";
    diag.attachNote(symbol->getLoc()) << "the program is here";
    return diag;
  }
  // (launch_c4) of a program on several devices: buffers lie where the kernel runs.
  if (auto program = (*this)->getParentOfType<ProgramOp>(); program && program.getDevices())
    for (auto [position, buffer] : llvm::enumerate(getOperands())) {
      StringAttr lies = getDevice(buffer), runs = getDevice(program, symbol);
      if (lies == runs)
        continue;
      auto diag = emitOpError("passes a buffer on ")
                  << lies << " as argument #" << position << " of " << getCallee() << ", which runs on " << runs;
      diag.attachNote(buffer.getLoc()) << "the buffer is here";
      return diag;
    }
  // (launch_c3) the operands are the callee's arguments. A kernel that is compiled further no longer takes buffers one
  // by one, and says nothing here.
  ArrayRef<Type> expected = callee.getArgumentTypes();
  if (!expected.empty() && !llvm::all_of(expected, llvm::IsaPred<MemRefType>))
    return success();
  if (!isa<FuncOp>(symbol) && expected.empty() && !callee.getResultTypes().empty())
    return success();
  if (expected.size() != getNumOperands()) {
    auto diag = emitOpError("passes ") << getNumOperands() << " buffers to " << getCallee() << ", which takes "
                                       << expected.size();
    diag.attachNote(symbol->getLoc()) << "the kernel is here";
    return diag;
  }
  for (auto [position, type] : llvm::enumerate(expected)) {
    Type actual = getOperand(position).getType();
    if (actual == type)
      continue;
    auto diag = emitOpError("passes a ") << actual << " as argument #" << position << " of " << getCallee()
                                         << ", which expects " << type;
    diag.attachNote(symbol->getLoc()) << "the kernel is here";
    return diag;
  }
  return success();
}

LogicalResult CopyOp::verify() {
  // (copy_c1) nothing writes to a constant.
  return verifyWritable(*this, getTarget());
}

LogicalResult CollectiveOp::verify() {
  // (collective_c5) kind, grid and sizes fit, as those of tensors whose axes are flat.
  MemRefType source = getSource().getType(), target = getTarget().getType();
  std::optional<tiny::CollectiveKind> kind = tiny::parseCollectiveKind(getKind());
  int64_t from = source.getNumElements(), to = target.getNumElements(), ranks = 1;
  for (int64_t axis : getAxes())
    if (axis >= 0 && axis < static_cast<int64_t>(getGrid().size()))
      ranks *= std::max<int64_t>(getGrid()[axis], 1);
  SmallVector<int64_t> fromShape = {from}, toShape = {to};
  if (kind == tiny::CollectiveKind::AllGather && to % ranks == 0)
    toShape = {ranks, to / ranks};
  if (kind == tiny::CollectiveKind::ReduceScatter && from % ranks == 0)
    fromShape = {ranks, from / ranks};
  if (kind == tiny::CollectiveKind::AllToAll && from % ranks == 0 && to % ranks == 0) {
    fromShape = {ranks, from / ranks};
    toShape = {ranks, to / ranks};
  }
  if (failed(tiny::verifyCollective([&] { return emitOpError(); }, getKind(), getReduction(), getGrid(), getAxes(),
                                    getPeers(), RankedTensorType::get(fromShape, source.getElementType()),
                                    RankedTensorType::get(toShape, target.getElementType()))))
    return failure();
  // (collective_c6) nothing writes to a constant, and what is read is not written.
  if (getRoot(getSource()) == getRoot(getTarget()))
    return emitOpError("reads and writes one buffer");
  // (collective_c7) both lie on one device.
  if (getDevice(getSource()) != getDevice(getTarget()))
    return emitOpError("reads a buffer on ")
           << getDevice(getSource()) << " and writes one on " << getDevice(getTarget());
  return verifyWritable(*this, getTarget());
}

LogicalResult WaitOp::verify() {
  // (wait_c1) what it waits for writes to no constant. That there is something is the gate's affair.
  return verifyWritable(*this, getTarget());
}

LogicalResult FillOp::verify() {
  // (fill_c1) the value is an element of the buffer.
  MemRefType buffer = getTarget().getType();
  if (getValue().getType() != buffer.getElementType())
    return emitOpError("fills ") << buffer << " with a " << getValue().getType();
  // (fill_c2) nothing writes to a constant.
  return verifyWritable(*this, getTarget());
}

LogicalResult LoopOp::verify() {
  // (loop_c1) nothing writes to a constant.
  return getCounter() ? verifyWritable(*this, getCounter()) : success();
}

LogicalResult AliasOp::verify() {
  MemRefType source = getSource().getType(), result = getResult().getType();
  // (alias_c1) element type and memory space stay.
  if (source.getElementType() != result.getElementType() || source.getMemorySpace() != result.getMemorySpace())
    return emitOpError("must keep element type and memory space, got ") << source << " and " << result;
  // (alias_c2) the part lies in the buffer.
  int64_t offset = getOffset();
  if (offset < 0 || result.getNumElements() > source.getNumElements() ||
      offset > source.getNumElements() - result.getNumElements())
    return emitOpError("of ") << result.getNumElements() << " elements at offset " << offset << " leaves the "
                              << source.getNumElements() << " elements of its source";
  return success();
}

// (return_c2) a result that aliases an argument is all of that argument's buffer.
static LogicalResult verifyAliases(ReturnOp op, ProgramOp program) {
  for (auto [position, buffer] : llvm::enumerate(op.getOperands())) {
    std::optional<unsigned> argument = tiny::getAliasedArgument(program, position);
    if (!argument || *argument >= program.getNumArguments())
      continue;
    Value source = buffer;
    for (auto alias = source.getDefiningOp<AliasOp>(); alias && alias.getOffset() == 0;
         alias = source.getDefiningOp<AliasOp>())
      source = alias.getSource();
    if (source == program.getArgument(*argument))
      continue;
    auto diag = op.emitOpError("returns another buffer than that of argument #")
                << *argument << ", which result #" << position << " aliases";
    diag.attachNote(buffer.getLoc()) << "the buffer is here";
    return diag;
  }
  return success();
}

LogicalResult ReturnOp::verify() {
  // (return_c1) the operands are the program's results.
  auto program = (*this)->getParentOfType<ProgramOp>();
  if (getOperandTypes() == TypeRange(program.getResultTypes()))
    return verifyAliases(*this, program);
  auto diag = emitOpError("returns (") << getOperandTypes() << ") from a program with results ("
                                       << TypeRange(program.getResultTypes()) << ")";
  diag.attachNote(program.getLoc()) << "the program is here";
  return diag;
}
