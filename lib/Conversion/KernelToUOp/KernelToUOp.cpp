// convert-kernel-to-uop: every kernel becomes an ordered program; what is on the host side stays.
#include "Emitter.h"
#include "Tiny/Conversion/KernelToUOp/Passes.h"

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/UOp/UOp.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tiny {

#define GEN_PASS_DEF_CONVERTKERNELTOUOP
#include "Tiny/Conversion/KernelToUOp/Passes.h.inc"

namespace {

struct ConvertKernelToUOp : impl::ConvertKernelToUOpBase<ConvertKernelToUOp> {
  using Base::Base;

  LogicalResult convert(kernel::FuncOp kernel) {
    OpBuilder builder(kernel);
    auto target = uop::FuncOp::create(builder, kernel.getLoc(), kernel.getSymName(), kernel.getFunctionType(),
                                      kernel.getArgAttrsAttr());
    target.setSymVisibilityAttr(kernel.getSymVisibilityAttr());
    // The schedule has been applied; whatever else a user attached stays.
    target->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
    for (auto [from, to] : llvm::zip_equal(kernel.getBody().getArguments(), target.getBody().getArguments()))
      to.setLoc(from.getLoc());
    kernel_to_uop::EmitOptions options;
    options.vectorize = vectorize;
    options.contract = contract && target::findMachine(kernel).has(cost::Instruction::Fma);
    options.maxCopies = maxCopies;
    options.picksFromTwo = target::findMachine(kernel).vectorBits >= 512;
    options.hasLanes = target::findMachine(kernel).kind == cost::DeviceKind::Gpu;
    options.subgroup = options.hasLanes ? target::findMachine(kernel).subgroup : 0;
    options.matrices = target::findMachine(kernel).matrices;
    LogicalResult result = kernel_to_uop::Emitter(kernel, target, options).run();
    if (failed(result))
      target.erase();
    else
      kernel.erase();
    return result;
  }

  void runOnOperation() override {
    SmallVector<kernel::FuncOp> kernels;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto kernel = dyn_cast<kernel::FuncOp>(op)) {
        kernels.push_back(kernel);
        return WalkResult::skip();
      }
      return WalkResult::advance();
    });
    for (kernel::FuncOp kernel : kernels)
      if (failed(convert(kernel)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace tiny
