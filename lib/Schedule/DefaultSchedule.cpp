// kernel-default-schedule: asks the policy of the kernel's device for a schedule, and writes it as a script.
// NDEBUG: see Steps/KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Cpu/CpuSchedule.h"
#include "Gpu/GpuSchedule.h"

#include "Tiny/Algebra/Cost/Capacity.h"
#include "Tiny/Analysis/Kernel/ConstantArguments.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Schedule/Passes.h"
#include "Tiny/Schedule/Steps/Scripts.h"
#include "Tiny/Support/Remarks.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::kernel {
#define GEN_PASS_DEF_KERNELDEFAULTSCHEDULE
#include "Tiny/Schedule/Passes.h.inc"

namespace {

/// Most axes of a kernel that are weighed, each against the whole kernel.
constexpr int64_t kMaxAxes = 512;

struct DefaultSchedule : impl::KernelDefaultScheduleBase<DefaultSchedule> {
  using Base::Base;

  void runOnOperation() override {
    Scripts scripts(getOperation());
    ConstantArguments constants(getOperation());
    for (auto kernel : getOperation().getOps<FuncOp>()) {
      if (kernel.getSchedule())
        continue;
      auto axes = kernel.getBody().getOps<RangeOp>();
      int64_t count = std::distance(axes.begin(), axes.end());
      if (count > kMaxAxes) {
        Remarks("kernel-default-schedule", kernel)
            .missed(kernel.getLoc(), "schedule",
                    "kernel has " + Twine(count) + " axes, more than " + Twine(kMaxAxes) + ": it stays as it is",
                    {{"axes", double(count)}, {"limit", double(kMaxAxes)}});
        continue;
      }
      SchedulePlan plan(kernel);
      const cost::Machine &target = target::findMachine(kernel);
      StringRef rule;
      std::optional<WorkgroupTimes> times;
      if (target.kind == cost::DeviceKind::Gpu) {
        GpuSchedule chosen = scheduleGpu(plan, target);
        rule = chosen.rule;
        times = chosen.times;
      } else {
        rule = scheduleCpu(plan, target, tile, constants.get(kernel));
      }
      if (plan.isEmpty())
        continue;
      if (Remarks remarks("kernel-default-schedule", kernel); remarks.isOn()) {
        remarks.analysis(kernel.getLoc(), "rule", "the rule that fits is about " + rule);
        if (times)
          remarks.analysis(kernel.getLoc(), "time",
                           llvm::formatv("predicted to take {0:f1} us", double(times->getTotal()) * 1e-6).str(),
                           {{"issue", times->issue},
                            {"accesses", times->accesses},
                            {"cache", times->cache},
                            {"memory", times->memory},
                            {"latency", times->latency}});
        remarks.passed(kernel.getLoc(), "schedule", plan.describe(), {{"axes", double(count)}});
      }
      scripts.add(kernel, plan.writeScript());
    }
  }
};

} // namespace
} // namespace tiny::kernel
