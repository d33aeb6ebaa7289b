// The transform dialect's classes differ in size with assertions on; the packaged libraries have them off.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Tiny/Transforms/Kernelize/LazyTransformOps.h"

#include "GroupOutline.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"

using namespace mlir;

namespace tiny::lazy {

void TransformFuseOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::consumesHandle(getMembersMutable(), effects);
  transform::producesHandle(getOperation()->getOpResults(), effects);
  transform::modifiesPayload(effects);
}

DiagnosedSilenceableFailure TransformFuseOp::apply(transform::TransformRewriter &, transform::TransformResults &results,
                                                   transform::TransformState &state) {
  SmallVector<Operation *> members;
  for (Value handle : getMembers())
    llvm::append_range(members, state.getPayloadOps(handle));
  if (members.empty())
    return emitDefiniteFailure() << "expected operations to fuse, got none";
  if (getMaxBuffers() < 2)
    return emitDefiniteFailure() << "expected at least 2 buffers, got " << int64_t(getMaxBuffers());
  // The operations are told apart by the place of the script that names them.
  FailureOr<GroupOp> group =
      outlineGroup(members, "of " + std::to_string(members.size()) + " operations", getMaxBuffers());
  if (failed(group)) {
    return emitDefiniteFailure() << "can't fuse";
  }
  results.set(cast<OpResult>(getGroup()), {group->getOperation()});
  return DiagnosedSilenceableFailure::success();
}

namespace {
class LazyTransformExtension : public transform::TransformDialectExtension<LazyTransformExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LazyTransformExtension)

  void init() {
    declareGeneratedDialect<LazyDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "Tiny/Transforms/Kernelize/LazyTransformOps.cpp.inc"
        >();
  }
};
} // namespace

void registerTransformExtension(DialectRegistry &registry) { registry.addExtensions<LazyTransformExtension>(); }

} // namespace tiny::lazy

#define GET_OP_CLASSES
#include "Tiny/Transforms/Kernelize/LazyTransformOps.cpp.inc"
