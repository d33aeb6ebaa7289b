// kernel-predict: prints how long each kernel should take, and each term of it.
#include "Tiny/Analysis/Kernel/KernelNests.h"
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Transforms/Kernel/Passes.h"

#include "llvm/Support/Format.h"

using namespace mlir;

namespace tiny::kernel {
#define GEN_PASS_DEF_KERNELPREDICT
#include "Tiny/Transforms/Kernel/Passes.h.inc"

namespace {

/// Nanoseconds with one digit.
llvm::format_object<double> inNanoseconds(int64_t picoseconds) {
  return llvm::format("%.1f", double(picoseconds) / 1000);
}

struct Predict : impl::KernelPredictBase<Predict> {
  using Base::Base;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    for (auto kernel : getOperation().getOps<FuncOp>()) {
      const cost::Machine &machine = target::findMachine(kernel);
      std::optional<SmallVector<cost::Nest>> nests = findNests(kernel);
      llvm::errs() << kernel.getSymName() << ": ";
      if (!nests) {
        llvm::errs() << "a pass has more than 64 axes\n";
        continue;
      }
      llvm::errs() << inNanoseconds(cost::predictKernel(*nests, machine)) << " ns, of which " << machine.launch
                   << " to launch\n";
      for (const cost::NestTimes &times : cost::predictEach(*nests, machine))
        print(times);
    }
  }

  static void print(const cost::NestTimes &times) {
    llvm::errs() << "  pass " << inNanoseconds(times.getTotal()) << ": compute " << inNanoseconds(times.compute)
                 << ", latency " << inNanoseconds(times.latency) << ", control " << inNanoseconds(times.control);
    for (auto [level, time] : llvm::enumerate(times.transfers)) {
      if (level + 1 == times.transfers.size())
        llvm::errs() << ", memory ";
      else
        llvm::errs() << ", cache " << level + 1 << " ";
      llvm::errs() << inNanoseconds(time);
    }
    llvm::errs() << "\n";
  }
};

} // namespace
} // namespace tiny::kernel
