// The pass, and what a kernel consists of: its function, its tiles, control flow and constants.
#include "KernelWriter.h"
#include "Tiny/Conversion/UOpToEmitC/Passes.h"

#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "Tiny/Dialect/UOp/Entry.h"
#include "Tiny/Dialect/UOp/Parallel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tiny::emitc {

#define GEN_PASS_DEF_CONVERTUOPTOEMITC
#include "Tiny/Conversion/UOpToEmitC/Passes.h.inc"

Value KernelWriter::literal(const Twine &text, Type type) {
  return ec::LiteralOp::create(builder, loc, type, builder.getStringAttr(text));
}

Value KernelWriter::add(Value x, Value y) { return ec::AddOp::create(builder, loc, x.getType(), x, y); }

Value KernelWriter::makeArray(VectorType type, const Twine &init) {
  auto array = ec::ArrayType::get({type.getNumElements()}, getCType(type.getElementType()));
  return ec::VariableOp::create(builder, loc, array, ec::OpaqueAttr::get(builder.getContext(), init.str()));
}

Value KernelWriter::lane(Value vector, Value index) {
  Held value = held.lookup(vector);
  if (value.scalar)
    return value.scalar;
  auto array = cast<TypedValue<ec::ArrayType>>(value.array);
  Value place = ec::SubscriptOp::create(builder, loc, array, ValueRange{index});
  return ec::LoadOp::create(builder, loc, array.getType().getElementType(), place);
}

void KernelWriter::setLane(Value array, Value index, Value value) {
  Value place = ec::SubscriptOp::create(builder, loc, cast<TypedValue<ec::ArrayType>>(array), ValueRange{index});
  ec::AssignOp::create(builder, loc, place, value);
}

void KernelWriter::forLanes(int64_t lanes, function_ref<void(Value)> body) {
  auto loop = ec::ForOp::create(builder, loc, number(0), number(lanes), number(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  body(loop.getInductionVar());
}

LogicalResult KernelWriter::checkTypes() {
  for (BlockArgument argument : func.getBody().getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || type.getRank() != 1 || !type.hasStaticShape() || !getCType(type.getElementType()))
      return func.emitOpError("argument ") << argument.getArgNumber() << " of type " << argument.getType()
                                           << " has no form in C: expected a static rank-1 buffer";
  }
  WalkResult walked = func.walk([&](Operation *op) {
    if (op == func.getOperation())
      return WalkResult::advance();
    if (auto special = dyn_cast<uop::SpecialOp>(op);
        special && special.getAxis() != uop::HardwareAxis::Global && special.getAxis() != uop::HardwareAxis::Thread) {
      op->emitOpError("is a ") << uop::stringifyHardwareAxis(special.getAxis()) << " axis, which C does not have";
      return WalkResult::interrupt();
    }
    if (uop::isWorkgroupOp(op) || uop::isSubgroupOp(op) || uop::isPhaseOp(op) ||
        isa<uop::AtomicOp, uop::CopyAsyncOp, uop::CopyCommitOp, uop::CopyWaitOp>(op)) {
      op->emitOpError("needs the lanes of a workgroup, which C does not have");
      return WalkResult::interrupt();
    }
    for (Type type :
         llvm::concat<Type>(llvm::to_vector(op->getOperandTypes()), llvm::to_vector(op->getResultTypes()))) {
      auto vector = dyn_cast<VectorType>(type);
      bool bad = vector && (vector.getRank() > 1 || vector.isScalable());
      if (bad || !getCType(getElementTypeOrSelf(type))) {
        op->emitOpError("has a value of type ") << type << ", which has no form in C";
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

/// Tiles of registers are arrays; those in local space lie in the scratch memory.
void KernelWriter::placeTiles() {
  int64_t offset = 0;
  func.walk([&](Operation *op) {
    if (!isa<uop::LocalOp, uop::RegisterOp>(op))
      return;
    auto type = cast<MemRefType>(op->getResult(0).getType());
    Type element = getMemoryType(type.getElementType());
    if (isa<uop::RegisterOp>(op)) {
      auto array = ec::ArrayType::get({std::max<int64_t>(type.getNumElements(), 1)}, element);
      buffers[op->getResult(0)] =
          ec::VariableOp::create(builder, loc, array, ec::OpaqueAttr::get(builder.getContext(), "{0}"));
      return;
    }
    Value begin = ec::AddOp::create(builder, loc, scratch.getType(), scratch, number(offset));
    buffers[op->getResult(0)] = ec::CastOp::create(builder, loc, ec::PointerType::get(element), begin);
    offset += uop::getTileBytes(type);
  });
}

void KernelWriter::writeConstant(Operation *op, TypedAttr value) {
  Value result = op->getResult(0);
  auto type = dyn_cast<VectorType>(result.getType());
  if (!type) {
    held[result].scalar = literal(writeLiteral(value, value.getType()), getCType(value.getType()));
    return;
  }
  auto elements = cast<DenseElementsAttr>(value);
  Type element = type.getElementType();
  if (elements.isSplat()) {
    held[result].scalar = literal(writeLiteral(elements.getSplatValue<Attribute>(), element), getCType(element));
    return;
  }
  std::string text;
  for (Attribute one : elements.getValues<Attribute>())
    text += (text.empty() ? "{" : ", ") + writeLiteral(one, element);
  held[result].array = makeArray(type, text + "}");
}

LogicalResult KernelWriter::writeElementwise(Operation *op) {
  bool isUniform = llvm::all_of(op->getOperands(), [&](Value x) { return bool(scalar(x)); }), known = true;
  for (OpResult result : op->getResults()) {
    // Of two results one may be all that is wanted.
    if (result.use_empty() && op->getNumResults() > 1)
      continue;
    auto apply = [&](Value index) {
      SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), [&](Value x) { return lane(x, index); });
      Value value = writeScalar(builder, result, operands);
      known &= bool(value);
      return value;
    };
    auto type = dyn_cast<VectorType>(result.getType());
    if (!type || isUniform) {
      held[result].scalar = apply(Value());
    } else {
      Value array = makeArray(type);
      forLanes(type.getNumElements(), [&](Value index) {
        if (Value value = apply(index))
          setLane(array, index, value);
      });
      held[result].array = array;
    }
    if (!known)
      break;
  }
  return known ? success() : op->emitOpError("has no form in C");
}

LogicalResult KernelWriter::writeFor(uop::ForOp op) {
  // A carried value is a variable, which the end of the body assigns.
  SmallVector<Value> variables;
  auto assign = [&](Value variable, Held value, Type type) {
    if (auto vector = dyn_cast<VectorType>(type)) {
      forLanes(vector.getNumElements(), [&](Value index) {
        Value from = value.scalar;
        if (!from) {
          auto array = cast<TypedValue<ec::ArrayType>>(value.array);
          Value place = ec::SubscriptOp::create(builder, loc, array, ValueRange{index});
          from = ec::LoadOp::create(builder, loc, array.getType().getElementType(), place);
        }
        setLane(variable, index, from);
      });
    } else {
      ec::AssignOp::create(builder, loc, variable, value.scalar);
    }
  };
  for (Value init : op.getInitArgs()) {
    Value variable;
    if (auto vector = dyn_cast<VectorType>(init.getType()))
      variable = makeArray(vector);
    else
      variable = ec::VariableOp::create(builder, loc, ec::LValueType::get(getCType(init.getType())),
                                        ec::OpaqueAttr::get(builder.getContext(), "0"));
    variables.push_back(variable);
    assign(variable, held.lookup(init), init.getType());
  }
  auto hold = [&](Value value, Value variable) {
    if (isa<VectorType>(value.getType()))
      held[value].array = variable;
    else
      held[value].scalar = ec::LoadOp::create(builder, loc, getCType(value.getType()), variable);
  };
  auto loop = ec::ForOp::create(builder, loc, number(0), scalar(op.getBound()), number(1));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    held[op.getInductionVar()].scalar = loop.getInductionVar();
    for (auto [argument, variable] : llvm::zip_equal(op.getRegionIterArgs(), variables))
      hold(argument, variable);
    if (failed(write(*op.getBody())))
      return failure();
    // A value that is itself carried may be overwritten before it is read: those are copied first.
    SmallVector<Held> yielded;
    for (auto [number, value] : llvm::enumerate(op.getBody()->getTerminator()->getOperands())) {
      Held from = held.lookup(value);
      if (from.array && from.array != variables[number] && llvm::is_contained(variables, from.array)) {
        Value copy = makeArray(cast<VectorType>(value.getType()));
        assign(copy, from, value.getType());
        from.array = copy;
      }
      yielded.push_back(from);
    }
    for (auto [variable, from, init] : llvm::zip_equal(variables, yielded, op.getInitArgs()))
      if (from.array != variable || !from.array)
        assign(variable, from, init.getType());
  }
  // C compilers warn about what is read into a variable that nothing uses.
  for (auto [result, variable] : llvm::zip_equal(op.getResults(), variables))
    if (!result.use_empty())
      hold(result, variable);
  return success();
}

LogicalResult KernelWriter::write(Operation *op) {
  loc = op->getLoc();
  if (isa<uop::LocalOp, uop::RegisterOp, uop::SpecialOp, uop::YieldOp, uop::ReturnOp>(op))
    return success();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return writeConstant(op, constant.getValue()), success();
  if (auto loop = dyn_cast<uop::ForOp>(op))
    return writeFor(loop);
  if (auto conditional = dyn_cast<uop::IfOp>(op)) {
    auto branch = ec::IfOp::create(builder, loc, scalar(conditional.getCondition()), /*addThenBlock=*/true,
                                   /*addElseBlock=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&branch.getThenRegion().front());
    builder.setInsertionPoint(ec::YieldOp::create(builder, loc));
    return write(conditional.getBody().front());
  }
  if (auto load = dyn_cast<uop::LoadOp>(op))
    return writeLoad(load, load.getBuffer(), load.getIndex(), load.getGate()), success();
  if (auto gather = dyn_cast<uop::GatherOp>(op))
    return writeLoad(gather, gather.getBuffer(), gather.getIndices(), gather.getGate()), success();
  if (auto store = dyn_cast<uop::StoreOp>(op))
    return writeStore(store), success();
  if (auto dot = dyn_cast<uop::DotOp>(op))
    return writeDot(dot), success();
  if (auto rangeOf = dyn_cast<sym::RangeOfOp>(op)) {
    held[rangeOf->getResult(0)] = held.lookup(rangeOf.getValue());
    return success();
  }
  if (op->getNumRegions() == 0 && writeVector(op))
    return success();
  return writeElementwise(op);
}

LogicalResult KernelWriter::write(Block &block) {
  for (Operation &op : block)
    if (failed(write(&op)))
      return failure();
  return success();
}

/// C has no prefetches: they go, and so does what their indices alone need, about which C compilers would warn.
static void erasePrefetches(uop::FuncOp func) {
  SmallVector<Operation *> dead;
  func.walk([&](uop::PrefetchOp op) { dead.push_back(op); });
  while (!dead.empty()) {
    Operation *op = dead.pop_back_val();
    llvm::SmallSetVector<Operation *, 2> defs;
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp())
        defs.insert(def);
    op->erase();
    llvm::copy_if(defs, std::back_inserter(dead), [](Operation *def) { return isOpTriviallyDead(def); });
  }
}

LogicalResult KernelWriter::run() {
  if (failed(checkTypes()))
    return failure();
  erasePrefetches(func);
  MLIRContext *context = func.getContext();
  SmallVector<Type> types;
  for (BlockArgument argument : func.getBody().getArguments())
    types.push_back(ec::PointerType::get(getMemoryType(cast<MemRefType>(argument.getType()).getElementType())));
  FailureOr<uop::GridPlan> grid = uop::planGrid(func);
  if (failed(grid))
    return failure();
  FailureOr<kernel::EntryAttr> described = uop::getCheckedEntry(func, *grid);
  if (failed(described))
    return failure();
  bool hasScratch = described->getScratch() != 0;
  unsigned scratchNumber = types.size();
  if (hasScratch)
    types.push_back(ec::PointerType::get(builder.getIntegerType(8, /*isSigned=*/false)));
  types.append(grid->nAxes, builder.getI64Type());

  builder.setInsertionPoint(func);
  auto target = ec::FuncOp::create(builder, func.getLoc(), func.getSymName(), FunctionType::get(context, types, {}));
  target.setSpecifiersAttr(builder.getStrArrayAttr({"static"}));
  target->setAttr(kernel::kEntryAttr, *described);
  Block *entry = target.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  for (BlockArgument argument : func.getBody().getArguments())
    buffers[argument] = entry->getArgument(argument.getArgNumber());
  unsigned next = scratchNumber;
  if (hasScratch)
    scratch = entry->getArgument(next++);
  func.walk([&](uop::SpecialOp special) {
    held[special.getResult()].scalar = entry->getArgument(next + grid->positions.lookup(special));
  });
  placeTiles();
  if (failed(write(func.getBody().front())))
    return failure();
  // C compilers warn about parameters that nothing reads.
  builder.setInsertionPointToStart(entry);
  for (BlockArgument argument : entry->getArguments())
    if (argument.use_empty())
      ec::VerbatimOp::create(builder, func.getLoc(), "(void){};", ValueRange{argument});
  builder.setInsertionPointToEnd(entry);
  ec::ReturnOp::create(builder, func.getLoc(), Value());
  return success();
}

namespace {

class ConvertUOpToEmitC : public impl::ConvertUOpToEmitCBase<ConvertUOpToEmitC> {
public:
  void runOnOperation() override {
    for (uop::FuncOp func : llvm::make_early_inc_range(getOperation().getOps<uop::FuncOp>())) {
      if (failed(KernelWriter(func).run()))
        return signalPassFailure();
      func.erase();
    }
  }
};

} // namespace
} // namespace tiny::emitc
