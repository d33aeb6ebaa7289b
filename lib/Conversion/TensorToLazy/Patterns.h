// The patterns of the conversion, by family.
#ifndef TINY_LIB_CONVERSION_TENSORTOLAZY_PATTERNS_H
#define TINY_LIB_CONVERSION_TENSORTOLAZY_PATTERNS_H

#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Support/Origin.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tiny {

/// Converts one operation with one result by a function: of the operation with its original types, its operands and
/// result type in signless types, and a builder at the location that names the operation. Null means no match.
template <typename OpTy> struct EmitPattern : mlir::OpConversionPattern<OpTy> {
  using Emit = mlir::Value (*)(OpTy op, mlir::ValueRange operands, mlir::Type type, mlir::ImplicitLocOpBuilder &build);

  EmitPattern(const mlir::TypeConverter &converter, mlir::MLIRContext *context, Emit emit)
      : mlir::OpConversionPattern<OpTy>(converter, context), emit(emit) {}

  llvm::LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                      mlir::ConversionPatternRewriter &rewriter) const override {
    mlir::Type type = this->getTypeConverter()->convertType(op.getType());
    mlir::ImplicitLocOpBuilder build(withOrigin(op.getLoc(), op->getName().stripDialect()), rewriter);
    mlir::Value value = type ? emit(op, adaptor.getOperands(), type, build) : mlir::Value();
    if (!value)
      return rewriter.notifyMatchFailure(op, "no signless operation for these types");
    rewriter.replaceOp(op, value);
    return llvm::success();
  }

  Emit emit;
};

/// Where patterns are added.
struct PatternTable {
  mlir::RewritePatternSet &patterns;
  const mlir::TypeConverter &converter;

  template <typename OpTy> void add(typename EmitPattern<OpTy>::Emit emit) {
    patterns.add<EmitPattern<OpTy>>(converter, patterns.getContext(), emit);
  }
};

/// The element type of the last operand, with its sign.
inline mlir::Type getOperandElement(mlir::Operation *op) {
  return llvm::cast<mlir::RankedTensorType>(op->getOperands().back().getType()).getElementType();
}
inline bool isUnsignedElement(mlir::Type element) { return element.isUnsignedInteger() || element.isInteger(1); }

/// Moves the bodies of loops and branches into functions, which lazy operations name.
void outlineBodies(mlir::ModuleOp module);

void addControlPatterns(PatternTable table);
void addElementwisePatterns(PatternTable table);
void addIntegerDivisionPatterns(PatternTable table);
void addStructurePatterns(PatternTable table);

} // namespace tiny

#endif // TINY_LIB_CONVERSION_TENSORTOLAZY_PATTERNS_H
