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
    auto load = dyn_cast<LoadOp>(op);
    auto store = dyn_cast<StoreOp>(op);
    if (!load && !store)
      continue;
    std::optional<int64_t> stride = strides.get(load ? load.getIndex() : store.getIndex());
    if (!stride || *stride < 0 || *stride > kLongestStride)
      return false;
    if (load && *stride > 1 && !isWord(load.getType()))
      return false;
    if (store) {
      if (*stride != 1)
        return false;
      stored = true;
    }
  }
  return stored;
}

int64_t findMultiple(int64_t extent, int64_t most, int64_t least) {
  while (most > least && static_cast<int64_t>(llvm::alignTo(extent, most)) * 3 > extent * 4)
    most /= 2;
  return most;
}

} // namespace tiny::kernel
