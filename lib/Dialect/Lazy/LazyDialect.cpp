#include "Tiny/Dialect/Lazy/Lazy.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "Tiny/Dialect/Lazy/LazyDialect.cpp.inc"

#define GET_OP_CLASSES
#include "Tiny/Dialect/Lazy/LazyOps.cpp.inc"

namespace tiny::lazy {
namespace {

/// Calls between functions of lazy operations may be inlined: every operation is pure and stands anywhere.
struct LazyInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};

} // namespace

void LazyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Tiny/Dialect/Lazy/LazyOps.cpp.inc"
      >();
  registerAttributes();
  addInterfaces<LazyInliner>();
}

Operation *LazyDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

} // namespace tiny::lazy
