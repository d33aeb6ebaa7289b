// Functions to programs: buffers, launches, and results that need no kernel.
#include "Tiny/Conversion/LazyToKernel/Passes.h"

#include "LowerGroup.h"
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

// The position of a movement's first element in its input, where the result is a run of consecutive elements there.
static std::optional<int64_t> getContiguousOffset(Operation *movement) {
  auto input = cast<RankedTensorType>(movement->getOperand(0).getType());
  auto result = cast<RankedTensorType>(movement->getResult(0).getType());
  if (!input.hasStaticShape() || !result.hasStaticShape())
    return std::nullopt;
  if (llvm::is_contained(result.getShape(), 0))
    return 0;
  ShapeTracker tracker = lazy::applyMovement(movement, ShapeTracker::identity(input.getShape())).simplify();
  if (!tracker.isValid() || tracker.views().size() != 1)
    return std::nullopt;
  const View &view = tracker.views().front();
  int64_t offset = view.getOffset();
  std::optional<View> start = View::get(view.getShape(), view.getStrides(), /*offset=*/0);
  if (view.hasMask() || !start || !start->isContiguous())
    return std::nullopt;
  return offset;
}

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
  LogicalResult lowerReturn(func::ReturnOp op);
  /// The buffer that holds a value; null after an error.
  Value getBuffer(Value value);
  Value createConstant(arith::ConstantOp op);

  func::FuncOp func;
  SymbolTable &symbols;
  KernelNames &names;
  OpBuilder builder;
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
  auto program = kernel::ProgramOp::create(builder, func.getLoc(), func.getSymName(),
                                           builder.getFunctionType(inputs, results), func.getSymVisibilityAttr(),
                                           func.getArgAttrsAttr(), func.getResAttrsAttr());
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
      MemRefType type = getBufferType(op->getLoc(), op->getResult(0).getType());
      if (!source || !type)
        return failure();
      buffers[op->getResult(0)] =
          source.getType() == type ? source : kernel::AliasOp::create(builder, op->getLoc(), type, source, *offset).getResult();
      return success();
    }
  }
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

LogicalResult ProgramLowering::lowerGroupItem(lazy::GroupOp group) {
  SmallVector<Value> inputs, outputs;
  bool isEmpty = true;
  for (Value input : group.getInputs()) {
    inputs.push_back(getBuffer(input));
    if (!inputs.back())
      return failure();
  }
  for (Value result : group.getResults()) {
    MemRefType type = getBufferType(group.getLoc(), result.getType());
    if (!type)
      return failure();
    isEmpty &= type.getNumElements() == 0;
    outputs.push_back(kernel::AllocOp::create(builder, group.getLoc(), type));
    buffers[result] = outputs.back();
  }
  if (isEmpty)
    return success();
  OpBuilder kernelBuilder(group.getContext());
  kernelBuilder.setInsertionPointAfter(lastKernel);
  FailureOr<kernel::FuncOp> callee = lowerGroup(kernelBuilder, group, names.create(group.getLabel()));
  if (failed(callee))
    return failure();
  StringAttr name = symbols.insert(*callee);
  lastKernel = *callee;
  kernel::LaunchOp::create(builder, group.getLoc(), FlatSymbolRefAttr::get(name), inputs, outputs);
  return success();
}

LogicalResult ProgramLowering::lowerReturn(func::ReturnOp op) {
  SmallVector<Value> results;
  for (Value operand : op.getOperands()) {
    Value buffer = getBuffer(operand);
    if (!buffer)
      return failure();
    // A result is the caller's; a constant stays the program's.
    if (kernel::isReadOnly(buffer)) {
      Value copy = kernel::AllocOp::create(builder, op.getLoc(), cast<MemRefType>(buffer.getType()));
      kernel::CopyOp::create(builder, op.getLoc(), buffer, copy);
      buffer = copy;
    }
    results.push_back(buffer);
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
