// uop-swizzle-tiles: tiles of which several subgroups multiply matrices, in the layout that units for matrices read.
#include "TileLayout.h"

#include "Tiny/Support/Remarks.h"
#include "Tiny/Transforms/UOp/Passes.h"

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_UOPSWIZZLETILES
#include "Tiny/Transforms/UOp/Passes.h.inc"

namespace {

struct UOpSwizzleTiles : impl::UOpSwizzleTilesBase<UOpSwizzleTiles> {
  using Base::Base;

  void runOnOperation() override {
    for (LocalOp tile : llvm::to_vector(getOperation().getOps<LocalOp>())) {
      TileLayout layout(tile);
      if (!layout.isOfTeams())
        continue;
      Remarks remarks("uop-swizzle-tiles", tile);
      if (StringRef reason = layout.whyNot(); !reason.empty()) {
        remarks.missed(tile.getLoc(), "swizzle", "a tile stays as it lies: " + reason);
        continue;
      }
      layout.run();
      remarks.passed(tile.getLoc(), "swizzle", "lines are pieces of 128 bytes, swizzled");
    }
  }
};

} // namespace
} // namespace tiny::uop
