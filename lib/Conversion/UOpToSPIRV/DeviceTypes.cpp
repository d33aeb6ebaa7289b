// What a device lacks and a kernel only moves, as what it has: f16 as integers of its width, an integer of 64 bits as
// two words. Computing in them is emulated above, by uop-legalize.
#include "KernelLowering.h"

#include "Tiny/Dialect/Target/Target.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tiny::spirv_lowering {

using cost::ElementType;

bool isWords(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 && vector.getDimSize(0) == 2 && vector.getElementType().isInteger(32);
}

/// Whether the device has numbers of the type, which is one of memory.
static bool hasType(const cost::Machine &machine, Type stored) {
  if (stored.isF16())
    return machine.types.contains(ElementType::F16) || machine.converts.contains(ElementType::F16);
  if (stored.isInteger(8))
    return machine.types.contains(ElementType::I8);
  if (stored.isInteger(16))
    return machine.types.contains(ElementType::I16);
  if (stored.isInteger(64))
    return machine.types.contains(ElementType::I64);
  return !stored.isF64() || machine.types.contains(ElementType::F64);
}

static void holdAsWords(uop::FuncOp func, const cost::Machine &machine) {
  OpBuilder builder(func.getContext());
  Type half = builder.getF16Type(), wide = builder.getI64Type(), bits = builder.getI16Type();
  bool hasHalf = hasType(machine, half), hasWide = hasType(machine, wide);
  if (hasHalf && hasWide)
    return;
  auto words = VectorType::get(2, builder.getI32Type());
  auto hold = [&](Type type) -> Type {
    if (auto buffer = dyn_cast<MemRefType>(type)) {
      Type element = buffer.getElementType();
      if (element == half && !hasHalf)
        return buffer.clone(bits);
      return element == wide && !hasWide ? buffer.clone(words) : type;
    }
    if (type == half && !hasHalf)
      return bits;
    // A scalar of 64 bits is computed with, and refused.
    return type == VectorType::get(1, wide) && !hasWide ? words : type;
  };
  func.getBody().walk([&](Block *block) {
    for (BlockArgument argument : block->getArguments())
      argument.setType(hold(argument.getType()));
  });
  SmallVector<Operation *> casts;
  func.getBody().walk([&](Operation *op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && hold(constant.getType()) == bits)
      if (auto value = dyn_cast<FloatAttr>(constant.getValue()))
        constant.setValueAttr(IntegerAttr::get(bits, value.getValue().bitcastToAPInt()));
    for (OpResult result : op->getResults())
      result.setType(hold(result.getType()));
    if (isa<arith::BitcastOp, vector::BitCastOp>(op) && op->getOperand(0).getType() == op->getResult(0).getType())
      casts.push_back(op);
  });
  for (Operation *cast : casts) {
    cast->getResult(0).replaceAllUsesWith(cast->getOperand(0));
    cast->erase();
  }
}

LogicalResult holdDeviceTypes(uop::FuncOp func) {
  const cost::Machine &machine = target::findMachine(func);
  // Nothing is known of devices without a record.
  if (machine.kind != cost::DeviceKind::Gpu)
    return success();
  holdAsWords(func, machine);
  StringRef device = target::findRecord(func).getName();
  auto isThere = [&](Type type) {
    auto buffer = dyn_cast<MemRefType>(type);
    Type element = getElementTypeOrSelf(type);
    // A condition is a number in memory alone.
    Type stored = element.isInteger(1) && !buffer ? Type() : getStorageType(element);
    return !stored || hasType(machine, stored);
  };
  for (BlockArgument argument : func.getBody().getArguments())
    if (!isThere(argument.getType()))
      return func.emitOpError("argument ") << argument.getArgNumber() << " of type " << argument.getType()
                                           << " has elements that the device '" << device << "' lacks";
  if (getIndexBits(func) == 64 && !machine.types.contains(ElementType::I64))
    return func.emitOpError("needs indices of 64 bits, which the device '") << device << "' lacks";
  WalkResult walked = func.getBody().walk([&](Operation *op) {
    for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
      if (isThere(type))
        continue;
      op->emitOpError("has a value of type ") << type << ", which the device '" << device << "' lacks";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

} // namespace tiny::spirv_lowering
