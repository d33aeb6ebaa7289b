// The pass: the worker lowers what is uop's own, upstream's patterns the rest (arith, math, vector, cf).
//
// By hand is what upstream's lowerings would lose:
// - uop.for: scf.for becomes a loop whose counter may wrap.
// - uop.load: memref.load has no alias scopes, does not say that a buffer's address is invariant, needs
//   descriptors, and keeps i1 as a bit. Behind a gate, the first elements stand for those that may not be read.
// - uop.gather: vector.gather has indices of 64 bits where their type is index, so half as many lanes an instruction.
// - Sums: vector.reduction goes in an order that LLVM chooses, or lane by lane (FixOrder.cpp).
#include "Tiny/Conversion/UOpToLLVM/KernelLowering.h"
#include "Tiny/Conversion/UOpToLLVM/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"

using namespace mlir;

namespace tiny {

#define GEN_PASS_DEF_CONVERTUOPTOLLVM
#include "Tiny/Conversion/UOpToLLVM/Passes.h.inc"

/// Upstream's patterns for what `KernelLowering` leaves.
static void populatePatterns(const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns, /*approximateLog1p=*/false);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorStepLoweringPatterns(patterns);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorTransposeLoweringPatterns(patterns, vector::VectorTransposeLowering::EltWise);
  vector::populateVectorMaskMaterializationPatterns(patterns, /*force32BitVectorIndices=*/false);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorBitCastLoweringPatterns(patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
}

KernelConverter::KernelConverter(MLIRContext *context) {
  LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(64);
  converter = std::make_shared<LLVMTypeConverter>(context, options);
  RewritePatternSet owned(context);
  populatePatterns(*converter, owned);
  patterns = std::move(owned);
}

LogicalResult KernelConverter::convert(ModuleOp module, const KernelDevice &device, Lower lower) const {
  LLVMConversionTarget target(*module.getContext());
  if (!device.dialect.empty())
    target.addLegalDialect(device.dialect);
  for (uop::FuncOp func : llvm::make_early_inc_range(module.getOps<uop::FuncOp>())) {
    FailureOr<uop::GridPlan> grid = checkKernel(func, device);
    if (failed(grid))
      return failure();
    FailureOr<kernel::EntryAttr> entry = uop::getCheckedEntry(func, *grid);
    if (failed(entry))
      return failure();
    FailureOr<LLVM::LLVMFuncOp> kernel = lower(func, *grid, *entry);
    if (failed(kernel))
      return failure();
    fixOrder(*kernel);
    holdAsIntegers(*kernel);
    if (failed(applyFullConversion(*kernel, target, patterns)))
      return failure();
  }
  return success();
}

namespace {

class ConvertUOpToLLVM : public impl::ConvertUOpToLLVMBase<ConvertUOpToLLVM> {
public:
  LogicalResult initialize(MLIRContext *context) override {
    converter = std::make_shared<KernelConverter>(context);
    return success();
  }

  void runOnOperation() override {
    auto lower = [](uop::FuncOp func, const uop::GridPlan &grid, kernel::EntryAttr entry) {
      return FailureOr(KernelLowering(func, grid, entry).run());
    };
    if (failed(converter->convert(getOperation(), KernelDevice{.name = "CPU", .hasWorkgroups = false, .hasDots = true},
                                  lower)))
      signalPassFailure();
  }

private:
  std::shared_ptr<KernelConverter> converter;
};

} // namespace
} // namespace tiny
