// Steps on operations: each changes one place of a program, and drops what nothing needs any more.
#include "Reductions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tiny {
namespace {

SmallVector<Operation *> getOperations(ModuleOp module) {
  SmallVector<Operation *> operations;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != module)
      operations.push_back(op);
  });
  return operations;
}

/// Erases the operations that give these values, and what only they need.
void eraseDead(ValueRange values) {
  llvm::SetVector<Operation *> candidates;
  for (Value value : values)
    if (Operation *op = value.getDefiningOp())
      candidates.insert(op);
  while (!candidates.empty()) {
    Operation *op = candidates.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    // Arguments of its regions go with it, so what gives its operands is found before.
    llvm::SetVector<Operation *> inside, givers;
    op->walk([&](Operation *inner) {
      inside.insert(inner);
      for (Value operand : inner->getOperands())
        if (Operation *giver = operand.getDefiningOp())
          givers.insert(giver);
    });
    op->erase();
    givers.set_subtract(inside);
    candidates.insert_range(givers);
  }
}

/// Replaces the results of an operation and erases it, with what only it needs.
void replaceBy(Operation *op, ValueRange values) {
  op->replaceAllUsesWith(values);
  eraseDead(op->getResults());
}

bool isValue(Operation *op) {
  return op->getNumResults() > 0 && !op->hasTrait<OpTrait::IsTerminator>() && !op->hasTrait<OpTrait::ConstantLike>();
}

func::ReturnOp getReturn(func::FuncOp func) {
  return func.isExternal() ? func::ReturnOp() : dyn_cast<func::ReturnOp>(func.front().getTerminator());
}

/// A function, a schedule, a nested module goes.
Tried dropSymbol(ModuleOp module, size_t place) {
  auto symbols = llvm::to_vector(llvm::make_pointer_range(module.getOps()));
  if (place >= symbols.size())
    return Tried::NoMorePlaces;
  symbols[place]->dropAllUses();
  symbols[place]->erase();
  return Tried::Changed;
}

/// What nothing uses goes.
Tried dropDead(ModuleOp module, size_t place) {
  if (place > 0)
    return Tried::NoMorePlaces;
  SmallVector<Operation *> operations = getOperations(module);
  for (Operation *op : llvm::reverse(operations))
    if (isOpTriviallyDead(op))
      op->erase();
  return Tried::Changed;
}

/// An operation without results goes: a store, a launch.
Tried dropEffect(ModuleOp module, size_t place) {
  SmallVector<Operation *> operations = getOperations(module);
  if (place >= operations.size())
    return Tried::NoMorePlaces;
  Operation *op = operations[operations.size() - 1 - place];
  if (op->getNumResults() > 0 || op->hasTrait<OpTrait::IsTerminator>() || isa<SymbolOpInterface>(op))
    return Tried::NotHere;
  SmallVector<Value> operands(op->getOperands());
  op->erase();
  eraseDead(operands);
  return Tried::Changed;
}

/// A function returns one value alone, the earliest first: what comes behind it goes.
Tried returnInterior(ModuleOp module, size_t place) {
  SmallVector<Operation *> operations = getOperations(module);
  if (place >= operations.size())
    return Tried::NoMorePlaces;
  Operation *op = operations[place];
  auto func = dyn_cast_or_null<func::FuncOp>(op->getParentOp());
  func::ReturnOp end = func && isValue(op) ? getReturn(func) : func::ReturnOp();
  if (!end || op->getBlock() != end->getBlock())
    return Tried::NotHere;
  SmallVector<Value> results(end.getOperands());
  Value value = op->getResult(0);
  end.getOperandsMutable().assign(value);
  func.setType(FunctionType::get(func.getContext(), func.getArgumentTypes(), value.getType()));
  func.removeResAttrsAttr();
  eraseDead(results);
  return Tried::Changed;
}

/// A result of a function goes, the last one first.
Tried dropResult(ModuleOp module, size_t place) {
  for (auto func : module.getOps<func::FuncOp>()) {
    func::ReturnOp end = getReturn(func);
    if (!end || place >= end.getNumOperands()) {
      place -= end ? end.getNumOperands() : 0;
      continue;
    }
    unsigned index = end.getNumOperands() - 1 - place;
    if (end.getNumOperands() == 1)
      return Tried::NotHere;
    Value value = end.getOperand(index);
    end->eraseOperand(index);
    (void)func.eraseResult(index);
    eraseDead(value);
    return Tried::Changed;
  }
  return Tried::NoMorePlaces;
}

/// An argument that nothing uses goes.
Tried dropArgument(ModuleOp module, size_t place) {
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isExternal() || place >= func.getNumArguments()) {
      place -= func.isExternal() ? 0 : func.getNumArguments();
      continue;
    }
    unsigned index = func.getNumArguments() - 1 - place;
    if (!func.getArgument(index).use_empty())
      return Tried::NotHere;
    return succeeded(func.eraseArgument(index)) ? Tried::Changed : Tried::NotHere;
  }
  return Tried::NoMorePlaces;
}

/// A value becomes an argument, the last one first: what comes before it goes.
Tried cutToArgument(ModuleOp module, size_t place) {
  SmallVector<Operation *> operations = getOperations(module);
  if (place >= operations.size())
    return Tried::NoMorePlaces;
  Operation *op = operations[operations.size() - 1 - place];
  auto func = dyn_cast_or_null<func::FuncOp>(op->getParentOp());
  if (!func || !isValue(op) || op->getNumResults() != 1)
    return Tried::NotHere;
  unsigned index = func.getNumArguments();
  if (failed(func.insertArgument(index, op->getResult(0).getType(), {}, op->getLoc())))
    return Tried::NotHere;
  replaceBy(op, func.getArgument(index));
  return Tried::Changed;
}

/// An operation becomes its operand of that number.
template <unsigned Number> Tried takeOperand(ModuleOp module, size_t place) {
  SmallVector<Operation *> operations = getOperations(module);
  if (place >= operations.size())
    return Tried::NoMorePlaces;
  Operation *op = operations[operations.size() - 1 - place];
  if (!isValue(op) || op->getNumResults() != 1 || op->getNumOperands() <= Number ||
      op->getOperand(Number).getType() != op->getResult(0).getType() || op->getOperand(Number).getDefiningOp() == op)
    return Tried::NotHere;
  replaceBy(op, op->getOperand(Number));
  return Tried::Changed;
}

/// An operation becomes zero.
Tried takeZero(ModuleOp module, size_t place) {
  SmallVector<Operation *> operations = getOperations(module);
  if (place >= operations.size())
    return Tried::NoMorePlaces;
  Operation *op = operations[operations.size() - 1 - place];
  if (!isValue(op) || op->getNumResults() != 1 || !op->getDialect())
    return Tried::NotHere;
  Type type = op->getResult(0).getType();
  auto shaped = dyn_cast<ShapedType>(type);
  OpBuilder builder(op);
  TypedAttr zero = !shaped || shaped.hasStaticShape() ? builder.getZeroAttr(type) : TypedAttr();
  Operation *constant = zero ? op->getDialect()->materializeConstant(builder, zero, type, op->getLoc()) : nullptr;
  if (!constant)
    return Tried::NotHere;
  replaceBy(op, constant->getResults());
  return Tried::Changed;
}

/// The elements of a constant become its first one, or zeros where they are in no dense attribute.
Tried splatConstant(ModuleOp module, size_t place) {
  SmallVector<Operation *> operations = getOperations(module);
  if (place >= operations.size())
    return Tried::NoMorePlaces;
  Operation *op = operations[place];
  ElementsAttr elements;
  if (!matchPattern(op, m_Constant(&elements)) || elements.empty() || elements.isSplat())
    return Tried::NotHere;
  OpBuilder builder(op);
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  Attribute first = dense ? *dense.getValues<Attribute>().begin() : builder.getZeroAttr(elements.getElementType());
  if (!first)
    return Tried::NotHere;
  Attribute splat = DenseElementsAttr::get(elements.getShapedType(), first);
  Operation *constant = op->getDialect()->materializeConstant(builder, splat, op->getResult(0).getType(), op->getLoc());
  if (!constant)
    return Tried::NotHere;
  replaceBy(op, constant->getResults());
  return Tried::Changed;
}

} // namespace

ArrayRef<Reduction> getReductions() {
  static constexpr Reduction reductions[] = {dropSymbol,     returnInterior, cutToArgument,  dropDead,
                                             dropEffect,     dropResult,     takeOperand<0>, takeOperand<1>,
                                             takeOperand<2>, takeZero,       dropArgument,   splatConstant};
  return reductions;
}

uint64_t measureOperations(ModuleOp module) {
  constexpr uint64_t kOperation = 16, kConstant = 8, kArgument = 1;
  uint64_t size = 0;
  module.walk([&](Operation *op) {
    bool isConstant = op->hasTrait<OpTrait::ConstantLike>();
    size += isConstant ? kConstant : kOperation + op->getNumOperands();
    DenseElementsAttr elements;
    if (isConstant && !(matchPattern(op, m_Constant(&elements)) && elements.isSplat()))
      size += kArgument;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        size += kArgument * block.getNumArguments();
  });
  return size;
}

double measureElements(ModuleOp module) {
  double elements = 0;
  auto add = [&](Value value) {
    auto type = dyn_cast<ShapedType>(value.getType());
    elements += type && type.hasStaticShape() ? llvm::product_of(type.getShape(), 1.0) : 1;
  };
  module.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), add);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), add);
  });
  return elements;
}

} // namespace tiny
