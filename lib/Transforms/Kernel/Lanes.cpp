#include "Lanes.h"

#include "Tiny/Dialect/Kernel/AccessStride.h"
#include "Tiny/Transforms/Kernel/Split.h"

using namespace mlir;

namespace tiny::kernel {

/// Up to here `convert-kernel-to-uop` reads all between the lanes of a load and drops it.
static constexpr int64_t kLongestStride = 4;

static bool isWord(Type type) {
  return type.isIntOrFloat() && (type.getIntOrFloatBitWidth() == 32 || type.getIntOrFloatBitWidth() == 64);
}

bool isContiguousAxis(FuncOp kernel, RangeOp axis) {
  AccessStride strides(axis);
  bool stored = false;
  for (Operation &op : kernel.getBody().front()) {
    Value index;
    if (auto load = dyn_cast<LoadOp>(op))
      index = load.getIndex();
    else if (auto store = dyn_cast<StoreOp>(op))
      index = store.getIndex();
    else
      continue;
    std::optional<int64_t> stride = strides.get(index);
    if (!stride || *stride < 0 || *stride > kLongestStride)
      return false;
    auto load = dyn_cast<LoadOp>(op);
    if (load && *stride > 1 && !isWord(load.getType()))
      return false;
    if (isa<StoreOp>(op)) {
      if (*stride != 1)
        return false;
      stored = true;
    }
  }
  return stored;
}

/// True when loops stand inside of this one: rows then run side by side, and each pass over them strides.
static bool hasLoopsInside(FuncOp kernel, RangeOp axis) {
  return llvm::any_of(kernel.getBody().getOps<RangeOp>(), [&](RangeOp other) {
    return other.getKind() == AxisKind::Loop && !isReduced(other) &&
           std::pair(other.getLoopOrder(), other.getId()) > std::pair(axis.getLoopOrder(), axis.getId());
  });
}

int64_t countVectors(FuncOp kernel, RangeOp axis) { return hasLoopsInside(kernel, axis) ? 8 : 1; }

} // namespace tiny::kernel
