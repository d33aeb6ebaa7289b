// Predicts the time of each kernel of a model with its schedule.
// NDEBUG: see Schedule/Steps/KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Tiny/Search/Predict.h"

#include "Tiny/Analysis/Kernel/KernelNests.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Driver/CompileModel.h"
#include "Tiny/Schedule/Variants.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using llvm::Expected;

namespace tiny {

Expected<llvm::StringMap<cost::KernelTimes>> predictModel(const ModelRequest &request, StringRef target,
                                                          unsigned threads, MLIRContext *context) {
  // What there is to say of the model has been said when it was compiled.
  ScopedDiagnosticHandler silence(context, [](Diagnostic &) { return success(); });
  Expected<OwningOpRef<ModuleOp>> module = lowerModelToKernels(request, target, context);
  if (!module)
    return module.takeError();
  llvm::StringMap<cost::KernelTimes> times;
  for (auto kernel : (*module)->getOps<kernel::FuncOp>())
    if (auto steps = kernel::findSteps(kernel)) {
      kernel::SchedulePlan plan = kernel::makePlan(kernel, *steps);
      if (auto nests = kernel::findNests(plan.getKernel()))
        times[kernel.getSymName()] = cost::predictKernelOn(*nests, target::findMachine(kernel), threads);
    }
  return times;
}

} // namespace tiny
