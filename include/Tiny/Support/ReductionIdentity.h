// What a reduction starts with.
#ifndef TINY_SUPPORT_REDUCTIONIDENTITY_H
#define TINY_SUPPORT_REDUCTIONIDENTITY_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/APFloat.h"

namespace tiny {

/// The number that changes no other under a reduction of this kind. In a format without infinities, the largest numbers
/// stand for them.
inline mlir::TypedAttr getReductionIdentity(mlir::arith::AtomicRMWKind kind, mlir::Type type, mlir::OpBuilder &builder,
                                            mlir::Location loc) {
  auto number = llvm::dyn_cast<mlir::FloatType>(type);
  bool isFinite = number && !llvm::APFloat::semanticsHasInf(number.getFloatSemantics());
  return mlir::arith::getIdentityValueAttr(kind, type, builder, loc, /*useOnlyFiniteValue=*/isFinite);
}

} // namespace tiny

#endif // TINY_SUPPORT_REDUCTIONIDENTITY_H
