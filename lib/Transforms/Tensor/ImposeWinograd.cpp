// tensor-impose-winograd: says of convolutions how to compute them.
//
// NDEBUG: the transform dialect's classes differ in size with assertions on; the packaged libraries have them off.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Tiny/Transforms/Tensor/Passes.h"

#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/Tensor/Winograd.h"
#include "Tiny/Support/Remarks.h"
#include "Tiny/Support/ScriptFile.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"

using namespace mlir;

namespace tiny::tensor {

#define GEN_PASS_DEF_TENSORIMPOSEWINOGRAD
#include "Tiny/Transforms/Tensor/Passes.h.inc"

namespace {

struct ImposeWinograd : impl::TensorImposeWinogradBase<ImposeWinograd> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    OwningOpRef<ModuleOp> source;
    if (!file.empty() && !(source = readScripts(module, "schedules", file)))
      return signalPassFailure();
    llvm::StringMap<SmallVector<transform::NamedSequenceOp>> scripts;
    if (source)
      source->walk([&](transform::NamedSequenceOp script) {
        if (auto key = script->getAttrOfType<StringAttr>(kConvKeyAttr))
          scripts[key.getValue()].push_back(script);
      });
    module.walk([&](ConvOp conv) {
      if (conv.getWinograd())
        return;
      if (!scripts.empty() && llvm::any_of(scripts.lookup(getConvKey(conv)), [&](transform::NamedSequenceOp script) {
            return imposeFound(conv, script);
          }))
        return;
      if (SmallVector<int64_t> tiles = findWinogradTiles(conv, tile); !tiles.empty())
        conv.setWinograd(tiles);
    });
  }

  /// Runs a script that search found for such convolutions; tells in a remark why it does not.
  static bool imposeFound(ConvOp conv, transform::NamedSequenceOp script) {
    Remarks remarks("tensor-impose-winograd", conv);
    if (auto record = script->getAttrOfType<StringAttr>(kRecordKeyAttr);
        record && record.getValue() != target::getRecordKey(conv)) {
      remarks.missed(conv.getLoc(), "record", "what was found for it was found for another record");
      return false;
    }
    // What else a script does is nobody's wish, so it runs on a copy that stands nowhere.
    Operation *copy = conv->clone();
    std::string reason = applyScript(copy, script, "convolution");
    std::optional<ArrayRef<int64_t>> tiles = cast<ConvOp>(copy).getWinograd();
    if (reason.empty() && !tiles)
      reason = "it says nothing of how to compute it";
    if (reason.empty())
      conv.setWinograd(tiles);
    copy->destroy();
    if (!reason.empty()) {
      remarks.missed(conv.getLoc(), "refused", "what was found for it is refused: " + reason);
      return false;
    }
    remarks.passed(conv.getLoc(), "imposed", "is computed as was found for it");
    return true;
  }
};

} // namespace
} // namespace tiny::tensor
