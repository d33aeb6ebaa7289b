// The transform dialect's classes differ in size with assertions on; the packaged libraries have them off.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Tiny/Transforms/Tensor/TensorTransformOps.h"

#include "Tiny/Dialect/Tensor/Winograd.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"

using namespace mlir;

namespace tiny::tensor {

void TransformWinogradOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getConvMutable(), effects);
  transform::modifiesPayload(effects);
}

DiagnosedSilenceableFailure TransformWinogradOp::apply(transform::TransformRewriter &, transform::TransformResults &,
                                                       transform::TransformState &state) {
  for (Operation *op : state.getPayloadOps(getConv())) {
    auto conv = dyn_cast<ConvOp>(op);
    if (!conv)
      return emitDefiniteFailure() << "expected a tiny.conv, got '" << op->getName() << "'";
    if (std::string reason = whyNotWinograd(conv, getTiles()); !reason.empty())
      return emitDefiniteFailure() << reason;
    conv.setWinograd(getTiles());
  }
  return DiagnosedSilenceableFailure::success();
}

namespace {
class TensorTransformExtension : public transform::TransformDialectExtension<TensorTransformExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TensorTransformExtension)

  void init() {
    declareGeneratedDialect<TinyDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "Tiny/Transforms/Tensor/TensorTransformOps.cpp.inc"
        >();
  }
};
} // namespace

void registerTransformExtension(DialectRegistry &registry) { registry.addExtensions<TensorTransformExtension>(); }

} // namespace tiny::tensor

#define GET_OP_CLASSES
#include "Tiny/Transforms/Tensor/TensorTransformOps.cpp.inc"
