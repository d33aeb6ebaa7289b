// Names kernels for the tensor operations that they compute.
#include "Tiny/Analysis/Lazy/LazyGraph.h"
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Support/Origin.h"
#include "Tiny/Transforms/Kernelize/KernelizePlan.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

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

namespace {
/// Names in the order in which they were first seen, those that say most first to stay.
struct Names {
  SmallVector<std::string> names;
  llvm::StringSet<> reduced;

  void add(std::string name, bool isReduced) {
    if (name.empty())
      return;
    if (isReduced)
      reduced.insert(name);
    if (!llvm::is_contained(names, name))
      names.push_back(std::move(name));
  }

  /// What reduces says most of a kernel: of too many names, the last of the others go.
  std::string join() {
    for (bool keepsReduced : {true, false})
      for (size_t k = names.size(); k-- > 0 && names.size() > kMaxNames;)
        if (!keepsReduced || !reduced.contains(names[k]))
          names.erase(names.begin() + k);
    return llvm::join(names, "_");
  }
};
} // namespace

std::string getKernelLabel(const PlannedKernel &kernel) {
  Names origins, structure;
  auto add = [&](Operation *op) {
    for (StringRef origin : getOrigins(op->getLoc()))
      origins.add(sanitize(origin), isa<ReduceOp>(op));
  };
  for (Operation *op : kernel.ops) {
    // Movements and splats are how something is computed, seldom what.
    if (!isa<ReduceOp, AssignOp>(op) && !isPointwise(op))
      continue;
    add(op);
    structure.add(sanitize(op->getName().getStringRef()), isa<ReduceOp>(op));
  }
  if (structure.names.empty())
    for (Operation *op : kernel.ops) {
      add(op);
      if (isa<IotaOp>(op))
        structure.add("iota", false);
    }
  // A kernel that moves data only, or one whose operations nobody named.
  if (origins.names.empty() && structure.names.empty())
    return "copy";
  return (origins.names.empty() ? structure : origins).join();
}

} // namespace tiny::lazy
