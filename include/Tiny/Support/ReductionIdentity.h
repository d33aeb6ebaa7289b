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

/// Whether a running value may start with an identity: a maximum that leaves out NaNs would not give the first one.
inline bool mayScan(mlir::arith::AtomicRMWKind kind) {
  using Kind = mlir::arith::AtomicRMWKind;
  return kind != Kind::maxnumf && kind != Kind::minnumf && kind != Kind::assign;
}

/// What a running value starts with, so that the first one is the first element: of a sum of floats -0.
inline mlir::TypedAttr getScanIdentity(mlir::arith::AtomicRMWKind kind, mlir::Type type, mlir::OpBuilder &builder,
                                       mlir::Location loc) {
  if (kind == mlir::arith::AtomicRMWKind::addf)
    return builder.getFloatAttr(
        type, llvm::APFloat::getZero(llvm::cast<mlir::FloatType>(type).getFloatSemantics(), /*Negative=*/true));
  return getReductionIdentity(kind, type, builder, loc);
}

} // namespace tiny

#endif // TINY_SUPPORT_REDUCTIONIDENTITY_H
