// Schedule step pipeline: a tile that is there several times, so that lanes fill one while they read another.
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Schedule/Steps/Split.h"
#include "Tiny/Schedule/Steps/Stage.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::kernel {

/// More than this many tiles hide no more time.
static constexpr int64_t kMostBuffers = 8;

static int64_t getBytes(StageOp stage) {
  MemRefType type = stage.getTile().getType();
  return type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8u);
}

std::string whyNotPipeline(RangeOp filling, int64_t buffers, const cost::Machine &machine) {
  StageOp stage = findFilledStage(filling);
  if (!stage)
    return llvm::formatv("axis {0} fills no tile", filling.getId());
  if (buffers < 2 || buffers > kMostBuffers)
    return llvm::formatv("{0} tiles are not 2 to {1}", buffers, kMostBuffers);
  if (stage.getSpace() != StageSpace::Local || machine.kind != cost::DeviceKind::Gpu)
    return "the tile is not in the memory of a workgroup";
  SmallVector<Operation *> order = sortByDependence(*stage->getBlock());
  RangeSets sets(order);
  bool isFilledAgain = llvm::any_of(sets.getOpen(stage.getTile()), [&](unsigned position) {
    return RangeOp(sets.getRanges()[position]).getKind() == AxisKind::Reduce;
  });
  if (!isFilledAgain)
    return "the tile is not filled again by a reduced loop";
  int64_t bytes = getBytes(stage) * (buffers - 1);
  for (auto other : stage->getBlock()->getOps<StageOp>())
    bytes += getBytes(other) * (other == stage ? 1 : static_cast<int64_t>(other.getBuffers().value_or(1)));
  if (bytes > machine.shared)
    return llvm::formatv("tiles would take {0} bytes, more than a workgroup's {1}", bytes, machine.shared);
  return "";
}

void pipelineStage(RewriterBase &rewriter, RangeOp filling, int64_t buffers) {
  StageOp stage = findFilledStage(filling);
  rewriter.modifyOpInPlace(stage, [&] { stage.setBuffers(buffers); });
}

} // namespace tiny::kernel
