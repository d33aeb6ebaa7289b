// The transform ops of schedule steps: verifiers, effects, and what each does to a kernel.
//
// NDEBUG: the transform dialect's classes differ in size with assertions on; the packaged libraries have them off.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Tiny/Schedule/Steps/KernelTransformOps.h"

#include "Tiny/Dialect/Kernel/Keywords.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Schedule/Steps/Axes.h"
#include "Tiny/Schedule/Steps/BlockReduce.h"
#include "Tiny/Schedule/Steps/Split.h"
#include "Tiny/Schedule/Steps/Stage.h"
#include "Tiny/Schedule/Steps/Tensorize.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"

using namespace mlir;

namespace tiny::kernel {

//===--- What they share ------------------------------------------------------------------------------------------===//

/// What a handle stands for, which must all be of one kind of operation.
template <typename OpTy>
static DiagnosedSilenceableFailure getPayload(Operation *transform, transform::TransformState &state, Value handle,
                                              SmallVectorImpl<OpTy> &payload) {
  for (Operation *op : state.getPayloadOps(handle)) {
    auto found = dyn_cast<OpTy>(op);
    if (!found)
      return emitDefiniteFailure(transform)
             << "expected a " << OpTy::getOperationName() << ", got '" << op->getName() << "'";
    payload.push_back(found);
  }
  return DiagnosedSilenceableFailure::success();
}

/// The axes of two handles, one of the first with one of the second; `verb` is what happens to a pair.
static DiagnosedSilenceableFailure getPairs(Operation *transform, transform::TransformState &state, Value first,
                                            Value second, StringRef verb, SmallVectorImpl<RangeOp> &firsts,
                                            SmallVectorImpl<RangeOp> &seconds) {
  DiagnosedSilenceableFailure status = getPayload(transform, state, first, firsts);
  if (status.succeeded())
    status = getPayload(transform, state, second, seconds);
  if (status.succeeded() && firsts.size() != seconds.size())
    return emitSilenceableFailure(transform)
           << "got " << firsts.size() << " axes to " << verb << " with " << seconds.size();
  return status;
}

static DiagnosedSilenceableFailure findAxis(Operation *transform, FuncOp kernel, int64_t id, RangeOp &axis) {
  for (auto range : kernel.getBody().getOps<RangeOp>())
    if (static_cast<int64_t>(range.getId()) == id)
      axis = range;
  if (!axis)
    return emitSilenceableFailure(transform) << "kernel '" << kernel.getSymName() << "' has no axis " << id;
  return DiagnosedSilenceableFailure::success();
}

/// Nothing where the reason is empty; else a failure with it, and a note at what it is about.
static DiagnosedSilenceableFailure refuse(Operation *transform, const std::string &reason,
                                          std::optional<Location> loc = std::nullopt, StringRef what = "the axis") {
  if (reason.empty())
    return DiagnosedSilenceableFailure::success();
  DiagnosedSilenceableFailure failure = emitSilenceableFailure(transform) << reason;
  if (loc)
    failure.attachNote(loc) << what;
  return failure;
}

#define TINY_TRY(expression)                                                                                           \
  if (DiagnosedSilenceableFailure status = (expression); !status.succeeded())                                          \
  return status

static DiagnosedSilenceableFailure findAxes(Operation *transform, FuncOp kernel, ArrayRef<int64_t> ids,
                                            SmallVectorImpl<RangeOp> &axes) {
  for (int64_t id : ids)
    TINY_TRY(findAxis(transform, kernel, id, axes.emplace_back()));
  return DiagnosedSilenceableFailure::success();
}

//===--- tiny.axis ----------------------------------------------------------------------------------------------===//

DiagnosedSilenceableFailure TransformAxisOp::apply(transform::TransformRewriter &, transform::TransformResults &results,
                                                   transform::TransformState &state) {
  SmallVector<FuncOp> kernels;
  TINY_TRY(getPayload(*this, state, getKernel(), kernels));
  SmallVector<Operation *> found;
  for (FuncOp kernel : kernels) {
    RangeOp axis;
    TINY_TRY(findAxis(*this, kernel, getId(), axis));
    found.push_back(axis);
  }
  results.set(cast<OpResult>(getAxis()), found);
  return DiagnosedSilenceableFailure::success();
}

//===--- tiny.split ---------------------------------------------------------------------------------------------===//

DiagnosedSilenceableFailure TransformSplitOp::apply(transform::TransformRewriter &rewriter,
                                                    transform::TransformResults &results,
                                                    transform::TransformState &state) {
  SmallVector<RangeOp> axes;
  TINY_TRY(getPayload(*this, state, getAxis(), axes));
  SmallVector<Operation *> outer, inner;
  for (RangeOp axis : axes) {
    TINY_TRY(refuse(*this, whyNotSplit(axis, getFactor(), getKind()), axis.getLoc()));
    SplitAxis parts = splitAxis(rewriter, axis, getFactor(), getKind());
    if (parts.outer)
      outer.push_back(parts.outer);
    inner.push_back(parts.inner);
  }
  results.set(cast<OpResult>(getOuter()), outer);
  results.set(cast<OpResult>(getInner()), inner);
  return DiagnosedSilenceableFailure::success();
}

//===--- tiny.swap ----------------------------------------------------------------------------------------------===//

DiagnosedSilenceableFailure TransformSwapOp::apply(transform::TransformRewriter &rewriter,
                                                   transform::TransformResults &, transform::TransformState &state) {
  SmallVector<RangeOp> first, second;
  TINY_TRY(getPairs(*this, state, getFirst(), getSecond(), "exchange", first, second));
  for (auto [a, b] : llvm::zip_equal(first, second)) {
    TINY_TRY(refuse(*this, whyNotSwap(a, b)));
    swapAxes(rewriter, a, b);
  }
  return DiagnosedSilenceableFailure::success();
}

//===--- tiny.fuse_sibling ----------------------------------------------------------------------------------------===//

DiagnosedSilenceableFailure TransformFuseSiblingOp::apply(transform::TransformRewriter &rewriter,
                                                          transform::TransformResults &results,
                                                          transform::TransformState &state) {
  SmallVector<RangeOp> firsts, seconds;
  TINY_TRY(getPairs(*this, state, getFirst(), getSecond(), "fuse", firsts, seconds));
  SmallVector<Operation *> fused;
  for (auto [a, b] : llvm::zip_equal(firsts, seconds)) {
    TINY_TRY(refuse(*this, whyNotFuseSibling(a, b)));
    fuseSibling(rewriter, a, b);
    fused.push_back(a);
  }
  results.set(cast<OpResult>(getFused()), fused);
  return DiagnosedSilenceableFailure::success();
}

//===--- tiny.merge ---------------------------------------------------------------------------------------------===//

DiagnosedSilenceableFailure TransformMergeOp::apply(transform::TransformRewriter &rewriter,
                                                    transform::TransformResults &results,
                                                    transform::TransformState &state) {
  SmallVector<RangeOp> outers, inners;
  TINY_TRY(getPairs(*this, state, getOuter(), getInner(), "merge", outers, inners));
  SmallVector<Operation *> merged;
  for (auto [a, b] : llvm::zip_equal(outers, inners)) {
    TINY_TRY(refuse(*this, whyNotMerge(a, b)));
    merged.push_back(mergeAxes(rewriter, a, b));
  }
  results.set(cast<OpResult>(getMerged()), merged);
  return DiagnosedSilenceableFailure::success();
}

//===--- tiny.pad_to --------------------------------------------------------------------------------------------===//

DiagnosedSilenceableFailure TransformPadToOp::apply(transform::TransformRewriter &rewriter,
                                                    transform::TransformResults &results,
                                                    transform::TransformState &state) {
  SmallVector<RangeOp> axes;
  TINY_TRY(getPayload(*this, state, getAxis(), axes));
  SmallVector<Operation *> padded;
  for (RangeOp axis : axes) {
    TINY_TRY(refuse(*this, whyNotPad(axis, getMultiple())));
    padded.push_back(padAxis(rewriter, axis, getMultiple()));
  }
  results.set(cast<OpResult>(getPadded()), padded);
  return DiagnosedSilenceableFailure::success();
}

//===--- tiny.stage ---------------------------------------------------------------------------------------------===//

DiagnosedSilenceableFailure TransformStageOp::apply(transform::TransformRewriter &rewriter,
                                                    transform::TransformResults &results,
                                                    transform::TransformState &state) {
  SmallVector<FuncOp> kernels;
  TINY_TRY(getPayload(*this, state, getKernel(), kernels));
  SmallVector<Operation *> stages;
  for (FuncOp kernel : kernels) {
    Block &body = kernel.getBody().front();
    int64_t number = getArgument();
    if (number < 0 || number >= body.getNumArguments())
      return emitSilenceableError() << "kernel '" << kernel.getSymName() << "' has no argument " << number;
    SmallVector<RangeOp> ranges;
    TINY_TRY(findAxes(*this, kernel, getAxes(), ranges));
    SmallVector<Value> values = findStagedValues(body.getArgument(number), ranges);
    if (values.empty())
      return emitSilenceableError() << "argument " << number << " of kernel '" << kernel.getSymName()
                                    << "' is not read";
    for (Value value : values)
      TINY_TRY(refuse(*this, whyNotStage(value, ranges), value.getLoc(), "what is read"));
    for (Value value : values)
      stages.push_back(stageValue(rewriter, value, ranges, getSpace()));
  }
  results.set(cast<OpResult>(getStage()), stages);
  return DiagnosedSilenceableFailure::success();
}

//===--- tiny.unstage -------------------------------------------------------------------------------------------===//

DiagnosedSilenceableFailure TransformUnstageOp::apply(transform::TransformRewriter &rewriter,
                                                      transform::TransformResults &, transform::TransformState &state) {
  SmallVector<RangeOp> axes;
  TINY_TRY(getPayload(*this, state, getFilling(), axes));
  for (RangeOp axis : axes) {
    TINY_TRY(refuse(*this, whyNotUnstage(axis), axis.getLoc()));
    unstage(rewriter, axis);
  }
  return DiagnosedSilenceableFailure::success();
}

//===--- tiny.stage_partial -------------------------------------------------------------------------------------===//

DiagnosedSilenceableFailure TransformStagePartialOp::apply(transform::TransformRewriter &rewriter,
                                                           transform::TransformResults &results,
                                                           transform::TransformState &state) {
  SmallVector<FuncOp> kernels;
  TINY_TRY(getPayload(*this, state, getKernel(), kernels));
  SmallVector<Operation *> stages;
  for (FuncOp kernel : kernels) {
    RangeOp blocks;
    TINY_TRY(findAxis(*this, kernel, getAxis(), blocks));
    SmallVector<RangeOp> ranges;
    TINY_TRY(findAxes(*this, kernel, getAxes(), ranges));
    TINY_TRY(refuse(*this, whyNotStagePartial(blocks, ranges, getAccumulates()), blocks.getLoc()));
    stages.push_back(stagePartial(rewriter, blocks, ranges, getSpace(), getAccumulates()));
  }
  results.set(cast<OpResult>(getStage()), stages);
  return DiagnosedSilenceableFailure::success();
}

//===--- tiny.hold ----------------------------------------------------------------------------------------------===//

DiagnosedSilenceableFailure TransformHoldOp::apply(transform::TransformRewriter &rewriter,
                                                   transform::TransformResults &results,
                                                   transform::TransformState &state) {
  SmallVector<FuncOp> kernels;
  TINY_TRY(getPayload(*this, state, getKernel(), kernels));
  SmallVector<Operation *> stages;
  for (FuncOp kernel : kernels) {
    if (getParameter() >= kernel.getBody().getNumArguments() || getAxes().empty())
      return emitSilenceableError() << "names parameter " << getParameter() << " and " << getAxes().size()
                                    << " axes, but the kernel has " << kernel.getBody().getNumArguments()
                                    << " parameters";
    SmallVector<RangeOp> ranges;
    TINY_TRY(findAxes(*this, kernel, getAxes(), ranges));
    Value buffer = kernel.getBody().getArgument(getParameter());
    TINY_TRY(refuse(*this, whyNotHold(buffer, ranges)));
    stages.push_back(holdRow(rewriter, buffer, ranges));
  }
  results.set(cast<OpResult>(getStage()), stages);
  return DiagnosedSilenceableFailure::success();
}

//===--- tiny.widen_stage ---------------------------------------------------------------------------------------===//

DiagnosedSilenceableFailure TransformWidenStageOp::apply(transform::TransformRewriter &rewriter,
                                                         transform::TransformResults &results,
                                                         transform::TransformState &state) {
  SmallVector<RangeOp> filling, axes;
  TINY_TRY(getPairs(*this, state, getFilling(), getAxis(), "fill a tile", filling, axes));
  SmallVector<Operation *> rows;
  for (auto [fill, axis] : llvm::zip_equal(filling, axes)) {
    TINY_TRY(refuse(*this, whyNotWiden(fill, axis)));
    rows.push_back(widenStage(rewriter, fill, axis));
  }
  results.set(cast<OpResult>(getRows()), rows);
  return DiagnosedSilenceableFailure::success();
}

//===--- tiny.pipeline ------------------------------------------------------------------------------------------===//

DiagnosedSilenceableFailure TransformPipelineOp::apply(transform::TransformRewriter &rewriter,
                                                       transform::TransformResults &,
                                                       transform::TransformState &state) {
  SmallVector<RangeOp> axes;
  TINY_TRY(getPayload(*this, state, getFilling(), axes));
  for (RangeOp axis : axes) {
    TINY_TRY(refuse(*this, whyNotPipeline(axis, getBuffers(), target::findMachine(axis))));
    pipelineStage(rewriter, axis, getBuffers());
  }
  return DiagnosedSilenceableFailure::success();
}

//===--- tiny.tensorize -----------------------------------------------------------------------------------------===//

ProductTile TransformTensorizeOp::getProductTile() {
  ProductTile tile = {};
  llvm::copy(getTile(), tile.extents.begin());
  llvm::copy(getLanes() ? *getLanes() : *getSubgroups(), tile.subgroups.begin());
  if (getShape())
    llvm::copy(*getShape(), tile.shape.begin());
  return tile;
}

LogicalResult TransformTensorizeOp::verify() {
  if (getSubgroups().has_value() != getShape().has_value() || getLanes().has_value() == getShape().has_value())
    return emitOpError("needs either subgroups and a shape or lanes");
  ArrayRef<int64_t> none;
  for (auto [name, numbers, count] :
       {std::tuple("axes", getAxes(), getAxes().size() == 4 && getShape() ? 4 : 3), std::tuple("tile", getTile(), 3),
        std::tuple("subgroups", getSubgroups().value_or(none), getSubgroups() ? 2 : 0),
        std::tuple("shape", getShape().value_or(none), getShape() ? 3 : 0),
        std::tuple("lanes", getLanes().value_or(none), getLanes() ? 2 : 0)}) {
    if (static_cast<int>(numbers.size()) != count)
      return emitOpError() << name << " must be " << count << " numbers, got " << numbers.size();
    constexpr int64_t kMost = 1 << 16;
    for (int64_t number : numbers)
      if (StringRef(name) != "axes" && (number < 1 || number > kMost))
        return emitOpError() << name << " must be 1 to " << kMost << ", got " << number;
  }
  return success();
}

DiagnosedSilenceableFailure TransformTensorizeOp::apply(transform::TransformRewriter &rewriter,
                                                        transform::TransformResults &,
                                                        transform::TransformState &state) {
  SmallVector<FuncOp> kernels;
  TINY_TRY(getPayload(*this, state, getKernel(), kernels));
  for (FuncOp kernel : kernels) {
    SmallVector<RangeOp> ranges;
    TINY_TRY(findAxes(*this, kernel, getAxes(), ranges));
    ProductTile tile = getProductTile();
    const cost::Machine &machine = target::findMachine(kernel);
    if (ranges.size() == 4) {
      OnlineAxes online{ranges[0], ranges[1], ranges[2], ranges[3]};
      TINY_TRY(refuse(*this, whyNotTensorizeOnline(online, tile, machine)));
      tensorizeOnline(rewriter, online, tile, machine);
      continue;
    }
    ProductAxes axes{ranges[0], ranges[1], ranges[2]};
    TINY_TRY(refuse(*this, whyNotTensorize(axes, tile, machine)));
    tensorize(rewriter, axes, tile, machine);
  }
  return DiagnosedSilenceableFailure::success();
}

//===--- tiny.block_reduce --------------------------------------------------------------------------------------===//

DiagnosedSilenceableFailure TransformBlockReduceOp::apply(transform::TransformRewriter &rewriter,
                                                          transform::TransformResults &,
                                                          transform::TransformState &state) {
  SmallVector<RangeOp> axes;
  TINY_TRY(getPayload(*this, state, getAxis(), axes));
  for (RangeOp axis : axes) {
    TINY_TRY(refuse(*this, whyNotBlock(axis), axis.getLoc()));
    blockReduce(rewriter, axis);
  }
  return DiagnosedSilenceableFailure::success();
}

#undef TINY_TRY

//===--- The extension --------------------------------------------------------------------------------------------===//

namespace {
class KernelTransformExtension : public transform::TransformDialectExtension<KernelTransformExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KernelTransformExtension)

  void init() {
    declareGeneratedDialect<KernelDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "Tiny/Schedule/Steps/KernelTransformOps.cpp.inc"
        >();
  }
};
} // namespace

void registerTransformExtension(DialectRegistry &registry) { registry.addExtensions<KernelTransformExtension>(); }

} // namespace tiny::kernel

#define GET_OP_CLASSES
#include "Tiny/Schedule/Steps/KernelTransformOps.cpp.inc"
