// The transform dialect's classes differ in size with assertions on; the packaged libraries have them off.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Tiny/Transforms/Kernel/KernelTransformOps.h"

#include "Tiny/Transforms/Kernel/Axes.h"
#include "Tiny/Transforms/Kernel/BlockReduce.h"
#include "Tiny/Transforms/Kernel/Split.h"
#include "Tiny/Transforms/Kernel/Stage.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"

using namespace mlir;

namespace tiny::kernel {

static ParseResult parseAxis(OpAsmParser &parser, AxisKindAttr &kind) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<AxisKind> value = symbolizeAxisKind(keyword);
  if (!value)
    return parser.emitError(loc) << "unknown axis kind '" << keyword << "'";
  kind = AxisKindAttr::get(parser.getContext(), *value);
  return success();
}

static void printAxis(OpAsmPrinter &printer, Operation *, AxisKindAttr kind) {
  printer << stringifyAxisKind(kind.getValue());
}

static ParseResult parseSpace(OpAsmParser &parser, StageSpaceAttr &space) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<StageSpace> value = symbolizeStageSpace(keyword);
  if (!value)
    return parser.emitError(loc) << "unknown space '" << keyword << "'";
  space = StageSpaceAttr::get(parser.getContext(), *value);
  return success();
}

static void printSpace(OpAsmPrinter &printer, Operation *, StageSpaceAttr space) {
  printer << stringifyStageSpace(space.getValue());
}

//===--- tiny.axis ------------------------------------------------------------------------------------------------===//

void TransformAxisOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getKernelMutable(), effects);
  transform::producesHandle(getOperation()->getOpResults(), effects);
  transform::onlyReadsPayload(effects);
}

DiagnosedSilenceableFailure TransformAxisOp::apply(transform::TransformRewriter &, transform::TransformResults &results,
                                                   transform::TransformState &state) {
  SmallVector<Operation *> found;
  for (Operation *op : state.getPayloadOps(getKernel())) {
    auto kernel = dyn_cast<FuncOp>(op);
    if (!kernel)
      return emitDefiniteFailure() << "expected a kernel.func, got '" << op->getName() << "'";
    auto axes = kernel.getBody().getOps<RangeOp>();
    auto axis = llvm::find_if(axes, [&](RangeOp range) { return range.getId() == getId(); });
    if (axis == axes.end())
      return emitSilenceableError() << "kernel '" << kernel.getSymName() << "' has no axis " << getId();
    found.push_back(*axis);
  }
  results.set(cast<OpResult>(getAxis()), found);
  return DiagnosedSilenceableFailure::success();
}

//===--- tiny.split -----------------------------------------------------------------------------------------------===//

void TransformSplitOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::consumesHandle(getAxisMutable(), effects);
  transform::producesHandle(getOperation()->getOpResults(), effects);
  transform::modifiesPayload(effects);
}

DiagnosedSilenceableFailure TransformSplitOp::apply(transform::TransformRewriter &rewriter,
                                                    transform::TransformResults &results,
                                                    transform::TransformState &state) {
  SmallVector<Operation *> outer, inner;
  for (Operation *op : llvm::to_vector(state.getPayloadOps(getAxis()))) {
    auto axis = dyn_cast<RangeOp>(op);
    if (!axis)
      return emitDefiniteFailure() << "expected a kernel.range, got '" << op->getName() << "'";
    std::string reason = whyNotSplit(axis, getFactor(), getKind());
    if (!reason.empty()) {
      DiagnosedSilenceableFailure failure = emitSilenceableError() << reason;
      failure.attachNote(axis.getLoc()) << "the axis";
      return failure;
    }
    SplitAxis parts = splitAxis(rewriter, axis, getFactor(), getKind());
    if (parts.outer)
      outer.push_back(parts.outer);
    inner.push_back(parts.inner);
  }
  results.set(cast<OpResult>(getOuter()), outer);
  results.set(cast<OpResult>(getInner()), inner);
  return DiagnosedSilenceableFailure::success();
}

//===--- tiny.swap ------------------------------------------------------------------------------------------------===//

void TransformSwapOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getFirstMutable(), effects);
  transform::onlyReadsHandle(getSecondMutable(), effects);
  transform::modifiesPayload(effects);
}

DiagnosedSilenceableFailure TransformSwapOp::apply(transform::TransformRewriter &rewriter,
                                                   transform::TransformResults &, transform::TransformState &state) {
  SmallVector<Operation *> first(state.getPayloadOps(getFirst())), second(state.getPayloadOps(getSecond()));
  if (first.size() != second.size())
    return emitSilenceableError() << "got " << first.size() << " axes to exchange with " << second.size();
  for (auto [a, b] : llvm::zip_equal(first, second)) {
    for (Operation *op : {a, b})
      if (!isa<RangeOp>(op))
        return emitDefiniteFailure() << "expected a kernel.range, got '" << op->getName() << "'";
    if (std::string reason = whyNotSwap(cast<RangeOp>(a), cast<RangeOp>(b)); !reason.empty())
      return emitSilenceableError() << reason;
    swapAxes(rewriter, cast<RangeOp>(a), cast<RangeOp>(b));
  }
  return DiagnosedSilenceableFailure::success();
}

//===--- tiny.merge -----------------------------------------------------------------------------------------------===//

void TransformMergeOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::consumesHandle(getOuterMutable(), effects);
  transform::consumesHandle(getInnerMutable(), effects);
  transform::producesHandle(getOperation()->getOpResults(), effects);
  transform::modifiesPayload(effects);
}

DiagnosedSilenceableFailure TransformMergeOp::apply(transform::TransformRewriter &rewriter,
                                                    transform::TransformResults &results,
                                                    transform::TransformState &state) {
  SmallVector<Operation *> outers(state.getPayloadOps(getOuter())), inners(state.getPayloadOps(getInner())), merged;
  if (outers.size() != inners.size())
    return emitSilenceableError() << "got " << outers.size() << " axes to merge with " << inners.size();
  for (auto [a, b] : llvm::zip_equal(outers, inners)) {
    for (Operation *op : {a, b})
      if (!isa<RangeOp>(op))
        return emitDefiniteFailure() << "expected a kernel.range, got '" << op->getName() << "'";
    if (std::string reason = whyNotMerge(cast<RangeOp>(a), cast<RangeOp>(b)); !reason.empty())
      return emitSilenceableError() << reason;
    merged.push_back(mergeAxes(rewriter, cast<RangeOp>(a), cast<RangeOp>(b)));
  }
  results.set(cast<OpResult>(getMerged()), merged);
  return DiagnosedSilenceableFailure::success();
}

//===--- tiny.pad_to ----------------------------------------------------------------------------------------------===//

void TransformPadToOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::consumesHandle(getAxisMutable(), effects);
  transform::producesHandle(getOperation()->getOpResults(), effects);
  transform::modifiesPayload(effects);
}

DiagnosedSilenceableFailure TransformPadToOp::apply(transform::TransformRewriter &rewriter,
                                                    transform::TransformResults &results,
                                                    transform::TransformState &state) {
  SmallVector<Operation *> padded;
  for (Operation *op : llvm::to_vector(state.getPayloadOps(getAxis()))) {
    auto axis = dyn_cast<RangeOp>(op);
    if (!axis)
      return emitDefiniteFailure() << "expected a kernel.range, got '" << op->getName() << "'";
    if (std::string reason = whyNotPad(axis, getMultiple()); !reason.empty())
      return emitSilenceableError() << reason;
    padded.push_back(padAxis(rewriter, axis, getMultiple()));
  }
  results.set(cast<OpResult>(getPadded()), padded);
  return DiagnosedSilenceableFailure::success();
}

//===--- tiny.stage -----------------------------------------------------------------------------------------------===//

void TransformStageOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getKernelMutable(), effects);
  transform::producesHandle(getOperation()->getOpResults(), effects);
  transform::modifiesPayload(effects);
}

DiagnosedSilenceableFailure TransformStageOp::apply(transform::TransformRewriter &rewriter,
                                                    transform::TransformResults &results,
                                                    transform::TransformState &state) {
  SmallVector<Operation *> stages;
  for (Operation *op : llvm::to_vector(state.getPayloadOps(getKernel()))) {
    auto kernel = dyn_cast<FuncOp>(op);
    if (!kernel)
      return emitDefiniteFailure() << "expected a kernel.func, got '" << op->getName() << "'";
    Block &body = kernel.getBody().front();
    int64_t number = getArgument();
    if (number < 0 || number >= body.getNumArguments())
      return emitSilenceableError() << "kernel '" << kernel.getSymName() << "' has no argument " << number;
    SmallVector<LoadOp> loads;
    for (Operation *user : body.getArgument(number).getUsers())
      if (auto load = dyn_cast<LoadOp>(user))
        loads.push_back(load);
    if (loads.size() != 1)
      return emitSilenceableError() << "argument " << number << " of kernel '" << kernel.getSymName() << "' is read in "
                                    << loads.size() << " places, expected 1";
    SmallVector<RangeOp> ranges;
    for (int64_t id : getAxes()) {
      auto axes = body.getOps<RangeOp>();
      auto axis = llvm::find_if(axes, [&](RangeOp range) { return static_cast<int64_t>(range.getId()) == id; });
      if (axis == axes.end())
        return emitSilenceableError() << "kernel '" << kernel.getSymName() << "' has no axis " << id;
      ranges.push_back(*axis);
    }
    Value value = findStagedValue(loads.front());
    if (std::string reason = whyNotStage(value, ranges); !reason.empty()) {
      DiagnosedSilenceableFailure failure = emitSilenceableError() << reason;
      failure.attachNote(value.getLoc()) << "what is read";
      return failure;
    }
    stages.push_back(stageValue(rewriter, value, ranges, getSpace()));
  }
  results.set(cast<OpResult>(getStage()), stages);
  return DiagnosedSilenceableFailure::success();
}

//===--- tiny.stage_input -----------------------------------------------------------------------------------------===//

void TransformStageInputOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getKernelMutable(), effects);
  transform::producesHandle(getOperation()->getOpResults(), effects);
  transform::modifiesPayload(effects);
}

DiagnosedSilenceableFailure TransformStageInputOp::apply(transform::TransformRewriter &rewriter,
                                                         transform::TransformResults &results,
                                                         transform::TransformState &state) {
  SmallVector<Operation *> stages;
  for (Operation *op : llvm::to_vector(state.getPayloadOps(getKernel()))) {
    auto kernel = dyn_cast<FuncOp>(op);
    if (!kernel)
      return emitDefiniteFailure() << "expected a kernel.func, got '" << op->getName() << "'";
    auto axes = kernel.getBody().getOps<RangeOp>();
    auto axis = llvm::find_if(axes, [&](RangeOp range) { return range.getId() == getAxis(); });
    if (axis == axes.end())
      return emitSilenceableError() << "kernel '" << kernel.getSymName() << "' has no axis " << getAxis();
    if (std::string reason = whyNotStageInput(*axis); !reason.empty()) {
      DiagnosedSilenceableFailure failure = emitSilenceableError() << reason;
      failure.attachNote((*axis).getLoc()) << "the axis";
      return failure;
    }
    stages.push_back(stageInput(rewriter, *axis, getSpace()));
  }
  results.set(cast<OpResult>(getStage()), stages);
  return DiagnosedSilenceableFailure::success();
}

//===--- tiny.block_reduce ----------------------------------------------------------------------------------------===//

void TransformBlockReduceOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::consumesHandle(getAxisMutable(), effects);
  transform::modifiesPayload(effects);
}

DiagnosedSilenceableFailure TransformBlockReduceOp::apply(transform::TransformRewriter &rewriter,
                                                          transform::TransformResults &,
                                                          transform::TransformState &state) {
  for (Operation *op : llvm::to_vector(state.getPayloadOps(getAxis()))) {
    auto axis = dyn_cast<RangeOp>(op);
    if (!axis)
      return emitDefiniteFailure() << "expected a kernel.range, got '" << op->getName() << "'";
    if (std::string reason = whyNotBlock(axis); !reason.empty()) {
      DiagnosedSilenceableFailure failure = emitSilenceableError() << reason;
      failure.attachNote(axis.getLoc()) << "the axis";
      return failure;
    }
    blockReduce(rewriter, axis);
  }
  return DiagnosedSilenceableFailure::success();
}

//===--- The extension --------------------------------------------------------------------------------------------===//

namespace {
class KernelTransformExtension : public transform::TransformDialectExtension<KernelTransformExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KernelTransformExtension)

  void init() {
    declareGeneratedDialect<KernelDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "Tiny/Transforms/Kernel/KernelTransformOps.cpp.inc"
        >();
  }
};
} // namespace

void registerTransformExtension(DialectRegistry &registry) { registry.addExtensions<KernelTransformExtension>(); }

} // namespace tiny::kernel

#define GET_OP_CLASSES
#include "Tiny/Transforms/Kernel/KernelTransformOps.cpp.inc"
