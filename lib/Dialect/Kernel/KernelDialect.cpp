// Registers the dialect, and says what a buffer is, which axis kinds reduce, and which types a reduction kind fits.
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tiny::kernel;

#include "Tiny/Dialect/Kernel/KernelDialect.cpp.inc"
#include "Tiny/Dialect/Kernel/KernelEnums.cpp.inc"

/// `, computed` or nothing.
static ParseResult parseComputed(AsmParser &parser, bool &computed) {
  computed = succeeded(parser.parseOptionalComma());
  return computed ? parser.parseKeyword("computed") : success();
}

static void printComputed(AsmPrinter &printer, bool computed) {
  if (computed)
    printer << ", computed";
}

#define GET_ATTRDEF_CLASSES
#include "Tiny/Dialect/Kernel/KernelAttrs.cpp.inc"

void KernelDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Tiny/Dialect/Kernel/KernelAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Tiny/Dialect/Kernel/KernelOps.cpp.inc"
      >();
}

Operation *KernelDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

bool tiny::kernel::isBuffer(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || memref.getRank() != 1 || !memref.hasStaticShape() || !memref.getLayout().isIdentity())
    return false;
  Type element = memref.getElementType();
  if (!element.isSignlessInteger() && !isa<FloatType>(element))
    return false;
  uint64_t bytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  return static_cast<uint64_t>(memref.getDimSize(0)) < (uint64_t(1) << 62) / bytes;
}

bool tiny::kernel::isOneOf(Type type, unsigned width) {
  return type == MemRefType::get({1}, IntegerType::get(type.getContext(), width));
}

Value tiny::kernel::getRoot(Value buffer) {
  while (auto alias = buffer.getDefiningOp<AliasOp>())
    buffer = alias.getSource();
  return buffer;
}

bool tiny::kernel::isReadOnly(Value buffer) { return getRoot(buffer).getDefiningOp<ConstantOp>() != nullptr; }

bool tiny::kernel::isReduceKind(AxisKind kind) {
  switch (kind) {
  case AxisKind::GroupReduce:
  case AxisKind::Reduce:
  case AxisKind::Upcast:
  case AxisKind::Unroll:
  case AxisKind::Fragment:
  case AxisKind::Dot:
    return true;
  case AxisKind::Global:
  case AxisKind::Thread:
  case AxisKind::Local:
  case AxisKind::Warp:
  case AxisKind::Loop:
    return false;
  }
  return false;
}

bool tiny::kernel::fitsType(arith::AtomicRMWKind kind, Type type) {
  switch (kind) {
  case arith::AtomicRMWKind::addf:
  case arith::AtomicRMWKind::mulf:
  case arith::AtomicRMWKind::maximumf:
  case arith::AtomicRMWKind::maxnumf:
  case arith::AtomicRMWKind::minimumf:
  case arith::AtomicRMWKind::minnumf:
    return isa<FloatType>(type);
  case arith::AtomicRMWKind::addi:
  case arith::AtomicRMWKind::muli:
  case arith::AtomicRMWKind::maxs:
  case arith::AtomicRMWKind::maxu:
  case arith::AtomicRMWKind::mins:
  case arith::AtomicRMWKind::minu:
  case arith::AtomicRMWKind::andi:
  case arith::AtomicRMWKind::ori:
  case arith::AtomicRMWKind::xori:
    return type.isSignlessIntOrIndex();
  case arith::AtomicRMWKind::assign:
    return false;
  }
  return false;
}
