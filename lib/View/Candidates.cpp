// Takes schedules on copies of kernels, and predicts each.
// NDEBUG: see Schedule/Steps/KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Candidates.h"
#include "Facts.h"

#include "Tiny/Analysis/Kernel/KernelNests.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Schedule/Variants.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
namespace json = llvm::json;

namespace tiny::view {

/// Variants that are shown of a kernel.
constexpr size_t kMostVariants = 10;
/// Kernels whose variants are found: those that are predicted to take longest. All others have the chosen schedule and
/// none.
constexpr size_t kMostKernels = 64;

/// The steps as a list, and what the time is made of; no time where the nests cannot be read.
static json::Object describePlan(kernel::SchedulePlan &plan, StringRef kind, unsigned threads) {
  json::Array steps;
  std::string text = plan.describe();
  if (!text.empty())
    for (StringRef step : llvm::split(text, ", "))
      steps.push_back(step.str());
  json::Object object{{"kind", kind}, {"steps", std::move(steps)}};
  if (std::optional<SmallVector<cost::Nest>> nests = kernel::findNests(plan.getKernel()))
    object["predicted"] = describePrediction(*nests, target::findMachine(plan.getOriginal()), threads);
  return object;
}

std::map<std::string, json::Object> describeCandidates(ModuleOp module, unsigned threads) {
  struct Kernel {
    kernel::FuncOp kernel;
    SmallVector<kernel::ScheduleStep> steps;
    int64_t predicted;
  };
  SmallVector<Kernel> kernels;
  for (auto kernel : module.getOps<kernel::FuncOp>()) {
    // The model is one of processors.
    if (target::findMachine(kernel).kind == cost::DeviceKind::Gpu)
      continue;
    if (std::optional<SmallVector<kernel::ScheduleStep>> steps = kernel::findSteps(kernel)) {
      kernel::SchedulePlan plan = kernel::makePlan(kernel, *steps);
      int64_t time = kernel::predict(plan);
      kernels.push_back({kernel, std::move(*steps), time == std::numeric_limits<int64_t>::max() ? -1 : time});
    }
  }
  llvm::stable_sort(kernels, [](const Kernel &a, const Kernel &b) { return a.predicted > b.predicted; });
  std::map<std::string, json::Object> all;
  for (auto [index, entry] : llvm::enumerate(kernels)) {
    kernel::SchedulePlan chosen = kernel::makePlan(entry.kernel, entry.steps), bare(entry.kernel);
    json::Array candidates;
    candidates.push_back(describePlan(chosen, "chosen", threads));
    if (!chosen.isEmpty())
      candidates.push_back(describePlan(bare, "none", threads));
    json::Object object;
    if (index < kMostKernels) {
      kernel::ScheduleVariants near = kernel::findVariants(entry.kernel, entry.steps);
      object["variants"] = static_cast<int64_t>(near.variants.size());
      object["refused"] = near.refused;
      for (const kernel::ScheduleVariant &variant : ArrayRef(near.variants).take_front(kMostVariants)) {
        kernel::SchedulePlan plan = kernel::makePlan(entry.kernel, variant.steps);
        candidates.push_back(describePlan(plan, "variant", threads));
      }
    }
    object["candidates"] = std::move(candidates);
    all.emplace(entry.kernel.getSymName().str(), std::move(object));
  }
  return all;
}

} // namespace tiny::view
