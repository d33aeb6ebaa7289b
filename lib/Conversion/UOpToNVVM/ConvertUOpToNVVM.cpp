// The pass: the worker of convert-uop-to-llvm, with a CUDA kernel's frame.
#include "Tiny/Conversion/UOpToNVVM/Passes.h"
#include "NvvmLowering.h"
#include "Tiny/Conversion/UOpToNVVM/Limits.h"
#include "Tiny/Dialect/UOp/Limits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tiny {

#define GEN_PASS_DEF_CONVERTUOPTONVVM
#include "Tiny/Conversion/UOpToNVVM/Passes.h.inc"

namespace {

constexpr uop::LaunchLimits kLeastLimits = {cuda::kMostWorkgroups, cuda::kMostLanes, cuda::kMostLanesTogether,
                                            cuda::kMostTileBytes, INT64_MAX};

class ConvertUOpToNVVM : public impl::ConvertUOpToNVVMBase<ConvertUOpToNVVM> {
public:
  LogicalResult initialize(MLIRContext *context) override {
    converter = std::make_shared<KernelConverter>(context);
    return success();
  }

  void runOnOperation() override {
    auto lower = [](uop::FuncOp func, const uop::GridPlan &grid,
                    kernel::EntryAttr entry) -> FailureOr<LLVM::LLVMFuncOp> {
      if (failed(uop::checkLimits(func, entry, kLeastLimits)) || failed(checkParallel(func)))
        return failure();
      return NvvmLowering(func, grid, entry).run();
    };
    KernelDevice device = {.name = "CUDA",
                           .hasWorkgroups = true,
                           .dialect = NVVM::NVVMDialect::getDialectNamespace(),
                           .hasFragments = true,
                           .hasExp2 = true,
                           .hasPhases = true};
    if (failed(converter->convert(getOperation(), device, lower)))
      signalPassFailure();
  }

private:
  std::shared_ptr<KernelConverter> converter;
};

} // namespace
} // namespace tiny
