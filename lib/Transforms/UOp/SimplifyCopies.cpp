// uop-simplify-copies: what ranges decide about copies.
#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/UOp/UOp.h"
#include "Tiny/Transforms/Symbolic/Passes.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_UOPSIMPLIFYCOPIES
#include "Tiny/Transforms/UOp/Passes.h.inc"

namespace {

struct UOpSimplifyCopies : impl::UOpSimplifyCopiesBase<UOpSimplifyCopies> {
  using Base::Base;

  void runOnOperation() override {
    FuncOp func = getOperation();
    // What fills and reads tiles keeps the form that other passes know.
    if (target::findMachine(func).kind != cost::DeviceKind::Gpu || !func.getBody().getOps<LocalOp>().empty())
      return;
    OpPassManager passes(FuncOp::getOperationName());
    passes.addPass(sym::createSymSimplify());
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    if (failed(runPipeline(passes, func)))
      signalPassFailure();
  }
};

} // namespace

} // namespace tiny::uop
