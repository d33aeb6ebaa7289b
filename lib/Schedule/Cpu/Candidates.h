// What a rule compared before it chose, for whoever listens to remarks.
#ifndef TINY_LIB_SCHEDULE_CPU_CANDIDATES_H
#define TINY_LIB_SCHEDULE_CPU_CANDIDATES_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Support/Remarks.h"

namespace tiny::kernel {

/// Collects the candidates of one choice, and tells of the cheapest as remarks named "candidate". Nothing is kept
/// unless somebody listens.
class Candidates {
public:
  /// `unit` is what costs are counted in, such as "cycles". A literal.
  Candidates(FuncOp kernel, llvm::StringRef unit)
      : remarks("kernel-default-schedule", kernel), loc(kernel.getLoc()), unit(unit) {}

  void add(llvm::function_ref<std::string()> describe, double cost) {
    if (remarks.isOn())
      all.emplace_back(cost, describe());
  }

  /// The number of all of them stands beside each: only the cheapest are told, and the chosen one first.
  void tell(llvm::function_ref<std::string()> describeChosen);

private:
  Remarks remarks;
  mlir::Location loc;
  llvm::StringRef unit;
  llvm::SmallVector<std::pair<double, std::string>> all;
};

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_CANDIDATES_H
