// See KernelTransformOps.cpp for why.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Tiny/Transforms/Kernel/Passes.h"

#include "Scripts.h"
#include "Tiny/Dialect/Kernel/AccessStride.h"
#include "Tiny/Transforms/Kernel/KernelTransformOps.h"
#include "Tiny/Transforms/Kernel/Split.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::kernel {
#define GEN_PASS_DEF_KERNELDEFAULTSCHEDULE
#include "Tiny/Transforms/Kernel/Passes.h.inc"

namespace {

/// One step of a script: split the axis of this id.
struct Step {
  int64_t id, factor;
  AxisKind kind;
};

/// True when every access walks the axis with stride one or stands still, and some store walks it: lanes of a vector
/// then are neighbours in memory.
bool isContiguousAxis(FuncOp kernel, RangeOp axis) {
  AccessStride strides(axis);
  bool stored = false;
  for (Operation &op : kernel.getBody().front()) {
    Value index;
    if (auto load = dyn_cast<LoadOp>(op))
      index = load.getIndex();
    else if (auto store = dyn_cast<StoreOp>(op))
      index = store.getIndex();
    else
      continue;
    std::optional<int64_t> stride = strides.get(index);
    if (!stride || (*stride != 0 && *stride != 1))
      return false;
    if (isa<StoreOp>(op)) {
      if (*stride != 1)
        return false;
      stored = true;
    }
  }
  return stored;
}

std::optional<Step> chooseUpcast(FuncOp kernel, int64_t lanes) {
  for (auto axis : kernel.getBody().getOps<RangeOp>()) {
    if (axis.getKind() != AxisKind::Loop || isReduced(axis) || !isContiguousAxis(kernel, axis))
      continue;
    for (int64_t factor = lanes; factor >= 2; factor /= 2)
      if (axis.getExtent() % factor == 0)
        return Step{static_cast<int64_t>(axis.getId()), factor, AxisKind::Upcast};
    remark::missed(axis.getLoc(), remark::RemarkOpts::name("upcast").category("kernel-default-schedule"))
        << llvm::formatv("axis {0} is contiguous, but no power of two divides its extent {1}", axis.getId(),
                         axis.getExtent())
               .str();
  }
  return std::nullopt;
}

struct DefaultSchedule : impl::KernelDefaultScheduleBase<DefaultSchedule> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *) override {
    return success(lanes > 0 && llvm::isPowerOf2_64(lanes));
  }

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<FuncOp>()) {
      if (kernel.getSchedule())
        continue;
      std::optional<Step> step = chooseUpcast(kernel, lanes);
      if (!step)
        continue;
      remark::passed(kernel.getLoc(), remark::RemarkOpts::name("upcast").category("kernel-default-schedule"))
          << llvm::formatv("axis {0} by {1}", step->id, step->factor).str();
      addScript(getOperation(), kernel, writeScript(kernel, {*step}));
    }
  }

  transform::NamedSequenceOp writeScript(FuncOp kernel, ArrayRef<Step> steps) {
    OpBuilder builder(&getContext());
    Type handle = transform::AnyOpType::get(&getContext());
    auto writeBody = [&](OpBuilder &builder, Location loc, BlockArgument argument) {
      for (const Step &step : steps) {
        Value axis = TransformAxisOp::create(builder, loc, handle, argument, step.id);
        TransformSplitOp::create(builder, loc, handle, handle, axis, step.factor, step.kind);
      }
      transform::YieldOp::create(builder, loc);
    };
    auto script = transform::NamedSequenceOp::create(builder, kernel.getLoc(), kernel.getSymName(), handle,
                                                     TypeRange{}, writeBody);
    // Splitting leaves the kernel in place: its handle is only read.
    script.setArgAttr(0, transform::TransformDialect::kArgReadOnlyAttrName, builder.getUnitAttr());
    return script;
  }
};

} // namespace
} // namespace tiny::kernel
