// Predicts the time of each kernel of a model with its schedule.
// NDEBUG: see Schedule/Steps/KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Tiny/Search/Predict.h"

#include "Tiny/Analysis/Kernel/KernelNests.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Driver/CompileModel.h"
#include "Tiny/Driver/Source.h"
#include "Tiny/Schedule/Variants.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using llvm::Expected;

namespace tiny {

Expected<llvm::StringMap<cost::KernelTimes>> predictModel(const ModelRequest &request, StringRef target,
                                                          unsigned threads, MLIRContext *context) {
  // What there is to say of the model has been said when it was compiled.
  ScopedDiagnosticHandler silence(context, [](Diagnostic &) { return success(); });
  Expected<DimSizes> dims = parseDims(request.dims);
  if (!dims)
    return dims.takeError();
  Expected<OwningOpRef<ModuleOp>> module = readSource(request.model, context, *dims);
  if (!module)
    return module.takeError();
  CompileOptions options;
  options.target = target;
  options.function = request.function;
  options.pipeline = request.getPipeline();
  options.machine = request.machine;
  if (llvm::Error error = lowerToKernels(**module, options))
    return error;
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
