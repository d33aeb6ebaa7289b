// Tells of candidates, the chosen one first, then the cheapest.
#include "Candidates.h"

namespace tiny::kernel {

/// More would hide the chosen one.
constexpr size_t kMostTold = 8;

void Candidates::tell(llvm::function_ref<std::string()> describeChosen) {
  if (all.empty())
    return;
  std::string chosen = describeChosen();
  llvm::stable_sort(all, [&](const auto &a, const auto &b) {
    return std::tuple(a.second != chosen, a.first) < std::tuple(b.second != chosen, b.first);
  });
  for (const auto &[cost, text] : llvm::ArrayRef(all).take_front(kMostTold))
    remarks.analysis(loc, "candidate", text + (text == chosen ? ": chosen" : ""),
                     {{unit, cost}, {"candidates", double(all.size())}});
}

} // namespace tiny::kernel
