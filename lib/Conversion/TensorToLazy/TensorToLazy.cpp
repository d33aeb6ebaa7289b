// The pass: the type converter that drops signs, the conversion target, and the attributes that keep the signature.
#include "Patterns.h"
#include "Tiny/Conversion/TensorToLazy/Passes.h"
#include "Tiny/Dialect/Tensor/LowerAttributes.h"
#include "Tiny/Support/Signature.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"

using namespace mlir;

namespace tiny {

#define GEN_PASS_DEF_CONVERTTENSORTOLAZY
#include "Tiny/Conversion/TensorToLazy/Passes.h.inc"

namespace {

/// `ui8` becomes `i8`; every other type stays.
struct SignlessTypes : TypeConverter {
  SignlessTypes() {
    addConversion([](Type type) { return type; });
    addConversion([](RankedTensorType type) -> Type {
      auto element = dyn_cast<IntegerType>(type.getElementType());
      if (!element || element.isSignless())
        return type;
      return type.clone(IntegerType::get(type.getContext(), element.getWidth()));
    });
  }
};

struct ConvertTensorToLazy : impl::ConvertTensorToLazyBase<ConvertTensorToLazy> {
  void runOnOperation() override {
    if (failed(tensor::verifyNoLowerAttributes(getOperation())) || failed(checkPrimitive()))
      return signalPassFailure();
    outlineBodies(getOperation());
    SignlessTypes types;
    for (auto function : getOperation().getOps<func::FuncOp>())
      keepTensorTypes(function, types);

    RewritePatternSet patterns(&getContext());
    addControlPatterns({patterns, types});
    addElementwisePatterns({patterns, types});
    addIntegerDivisionPatterns({patterns, types});
    addStructurePatterns({patterns, types});
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns, types);
    populateCallOpTypeConversionPattern(patterns, types);
    populateReturnOpTypeConversionPattern(patterns, types);

    ConversionTarget target(getContext());
    target.addIllegalDialect<tensor::TinyDialect>();
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      if (auto function = dyn_cast<func::FuncOp>(op))
        return types.isSignatureLegal(function.getFunctionType());
      return types.isLegal(op);
    });
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }

  /// Every tensor operation must be one that has a counterpart below.
  LogicalResult checkPrimitive() {
    WalkResult result = getOperation().walk([](tensor::DecomposableOpInterface op) {
      if (op.isPrimitive())
        return WalkResult::advance();
      op->emitOpError("expects primitive tensor operations, got one that decomposes; run tensor-decompose first");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// Leaves the tensor type on arguments and results that lose their sign.
  static void keepTensorTypes(func::FuncOp function, const TypeConverter &types) {
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
      if (!types.isLegal(type))
        function.setArgAttr(index, kTensorTypeAttr, TypeAttr::get(type));
    for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
      if (!types.isLegal(type))
        function.setResultAttr(index, kTensorTypeAttr, TypeAttr::get(type));
  }
};

} // namespace
} // namespace tiny
