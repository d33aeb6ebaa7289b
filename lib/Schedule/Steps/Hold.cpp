// Schedule step hold: what several passes over a row read is read once, into registers.
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Schedule/Steps/Split.h"
#include "Tiny/Schedule/Steps/Stage.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::kernel {

/// Whether two values are the same where two ranges are.
static bool isSameAlong(Value a, RangeOp ofA, Value b, RangeOp ofB) {
  constexpr unsigned kMostVisited = 256;
  SmallVector<std::pair<Value, Value>> pending{{a, b}};
  for (unsigned visited = 0; !pending.empty(); ++visited) {
    auto [x, y] = pending.pop_back_val();
    if (x == ofA.getResult() && y == ofB.getResult())
      continue;
    // Both are somewhere else where the ranges are not the same.
    if (visited > kMostVisited || x == ofA.getResult() || y == ofB.getResult())
      return false;
    if (x == y && !findVarying(ofA).contains(x) && !findVarying(ofB).contains(x))
      continue;
    Operation *one = x.getDefiningOp(), *other = y.getDefiningOp();
    if (!one || !other || isa<RangeOp>(one) || one->getNumRegions() != 0 || one->getName() != other->getName() ||
        one->getAttrDictionary() != other->getAttrDictionary() || one->getNumOperands() != other->getNumOperands() ||
        x.getType() != y.getType())
      return false;
    for (auto [left, right] : llvm::zip_equal(one->getOperands(), other->getOperands()))
      pending.push_back({left, right});
  }
  return true;
}

namespace {

struct HeldLoad {
  LoadOp load;
  RangeOp axis;
};

} // namespace

static std::string findLoads(Value buffer, ArrayRef<RangeOp> axes, SmallVectorImpl<HeldLoad> &loads) {
  for (Operation *user : buffer.getUsers()) {
    auto load = dyn_cast<LoadOp>(user);
    if (!load)
      return "the buffer is written, too";
    RangeOp along;
    for (RangeOp axis : axes)
      if (findVarying(axis).contains(load.getResult())) {
        if (along)
          return llvm::formatv("a load varies along axes {0} and {1}", along.getId(), axis.getId());
        along = axis;
      }
    if (!along)
      return "a load varies along none of the axes";
    loads.push_back({load, along});
  }
  return "";
}

std::string whyNotHold(Value buffer, ArrayRef<RangeOp> axes) {
  RangeOp first = axes.front();
  for (RangeOp axis : axes)
    if (axis.getExtent() != first.getExtent() || axis.getSize())
      return llvm::formatv("axis {0} has another length than axis {1}", axis.getId(), first.getId());
  SmallVector<HeldLoad> loads;
  if (std::string reason = findLoads(buffer, axes, loads); !reason.empty())
    return reason;
  if (loads.size() < 2)
    return "one load alone reads the buffer";
  for (HeldLoad &held : loads)
    if (!isSameAlong(held.load.getIndex(), held.axis, loads.front().load.getIndex(), loads.front().axis) ||
        held.load.getGate())
      return "loads differ in more than the axis";
  return whyNotStage(loads.front().load.getResult(), {loads.front().axis});
}

StageOp holdRow(RewriterBase &rewriter, Value buffer, ArrayRef<RangeOp> axes) {
  SmallVector<HeldLoad> loads;
  (void)findLoads(buffer, axes, loads);
  // Uses come in an order of their own: the tile is that of the load that stands first.
  llvm::sort(loads, [](const HeldLoad &a, const HeldLoad &b) {
    return a.load != b.load && LoadOp(a.load)->isBeforeInBlock(LoadOp(b.load));
  });
  StageOp stage = stageValue(rewriter, loads.front().load.getResult(), {loads.front().axis}, StageSpace::Register);
  for (HeldLoad &held : MutableArrayRef(loads).drop_front()) {
    rewriter.setInsertionPoint(held.load);
    Value read = LoadOp::create(rewriter, held.load.getLoc(), stage.getTile(), held.axis.getResult(), /*gate=*/Value());
    rewriter.replaceOp(held.load, read);
  }
  eraseDead(rewriter, loads.front().load);
  return stage;
}

} // namespace tiny::kernel
