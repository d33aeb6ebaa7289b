#include "Tiny/Analysis/Lazy/LazyGraph.h"
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Support/Origin.h"
#include "Tiny/Transforms/Kernelize/KernelizePlan.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tiny::lazy {

/// How many names make a label.
static constexpr size_t kMaxNames = 4;

/// A tensor operation's name without its dialect, in letters that an identifier may have.
static std::string sanitize(StringRef name) {
  std::string result = name.substr(name.rfind('.') == StringRef::npos ? 0 : name.rfind('.') + 1).str();
  for (char &c : result)
    if (!llvm::isAlnum(c))
      c = '_';
  return result;
}

std::string getKernelLabel(const PlannedKernel &kernel) {
  SmallVector<std::string> origins, structure;
  auto add = [](SmallVector<std::string> &names, std::string name) {
    if (!name.empty() && names.size() < kMaxNames && !llvm::is_contained(names, name))
      names.push_back(std::move(name));
  };
  for (Operation *op : kernel.ops) {
    // Movements and splats are how something is computed, seldom what.
    if (!isa<ReduceOp, AssignOp>(op) && !isPointwise(op))
      continue;
    add(origins, sanitize(getOrigin(op->getLoc())));
    add(structure, sanitize(op->getName().getStringRef()));
  }
  if (structure.empty())
    for (Operation *op : kernel.ops) {
      add(origins, sanitize(getOrigin(op->getLoc())));
      if (isa<IotaOp>(op))
        add(structure, "iota");
    }
  // A kernel that moves data only, or one whose operations nobody named.
  if (origins.empty() && structure.empty())
    return "copy";
  return llvm::join(origins.empty() ? structure : origins, "_");
}

} // namespace tiny::lazy
