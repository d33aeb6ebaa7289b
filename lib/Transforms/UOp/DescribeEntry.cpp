// uop-describe-entry: writes how each kernel is entered, once, for everything below.
#include "CountOperations.h"

#include "Tiny/Dialect/UOp/Entry.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_UOPDESCRIBEENTRY
#include "Tiny/Transforms/UOp/Passes.h.inc"

namespace {

/// A buffer as a part of the one it was made from: elements [begin, end) of `root`.
struct Part {
  Value root;
  int64_t begin = 0, end;

  explicit Part(Value buffer) : root(buffer), end(cast<MemRefType>(buffer.getType()).getNumElements()) {
    while (auto alias = root.getDefiningOp<kernel::AliasOp>()) {
      root = alias.getSource();
      begin += alias.getOffset();
      end += alias.getOffset();
    }
  }
  bool overlaps(const Part &other) const { return root == other.root && begin < other.end && other.begin < end; }
};

/// A launch that writes a buffer which it passes a second time, as a whole or in part.
bool isInPlace(kernel::LaunchOp launch) {
  // A program's buffers have no dynamic size today; were there one, nothing would be known.
  if (llvm::any_of(launch.getOperandTypes(), [](Type type) { return !cast<MemRefType>(type).hasStaticShape(); }))
    return true;
  SmallVector<Part> parts = llvm::map_to_vector(launch.getOperands(), [](Value buffer) { return Part(buffer); });
  for (size_t written = launch.getIns().size(); written < parts.size(); ++written)
    for (size_t other = 0; other < written; ++other)
      if (parts[written].overlaps(parts[other]))
        return true;
  return false;
}

/// What moves when each element of each buffer is read or written once; at most 2^63 - 1.
int64_t countBytes(FuncOp func) {
  uint64_t bytes = 0;
  for (Type type : func.getArgumentTypes())
    if (auto buffer = dyn_cast<MemRefType>(type);
        buffer && buffer.hasStaticShape() && buffer.getElementType().isIntOrIndexOrFloat())
      bytes = llvm::SaturatingMultiplyAdd<uint64_t>(buffer.getNumElements(), getElementBytes(buffer.getElementType()),
                                                    bytes);
  return std::min<uint64_t>(bytes, std::numeric_limits<int64_t>::max());
}

/// The matrices that boxes are copied of, each with its boxes once; null where there is none.
ArrayAttr findMaps(FuncOp func) {
  llvm::SetVector<Attribute> maps;
  func.walk([&](CopyBulkOp copy) { maps.insert(getTensorMap(copy)); });
  return maps.empty() ? ArrayAttr() : ArrayAttr::get(func.getContext(), maps.getArrayRef());
}

struct UOpDescribeEntry : impl::UOpDescribeEntryBase<UOpDescribeEntry> {
  void runOnOperation() override {
    llvm::SmallDenseSet<StringAttr> inPlace;
    getOperation().walk([&](kernel::LaunchOp launch) {
      if (isInPlace(launch))
        inPlace.insert(launch.getCalleeAttr().getAttr());
    });
    for (auto func : getOperation().getOps<FuncOp>()) {
      if (kernel::getEntry(func))
        continue;
      FailureOr<GridPlan> plan = planGrid(func);
      FailureOr<int64_t> scratch = getScratchBytes(func);
      if (failed(plan) || failed(scratch))
        return signalPassFailure();
      func->setAttr(kernel::kEntryAttr,
                    kernel::EntryAttr::get(&getContext(), plan->grid, plan->workgroup, /*shared=*/0, *scratch,
                                           inPlace.contains(func.getSymNameAttr()), countOperations(func),
                                           countBytes(func), findMaps(func)));
    }
  }
};

} // namespace
} // namespace tiny::uop
