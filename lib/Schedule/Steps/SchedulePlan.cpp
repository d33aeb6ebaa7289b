// A schedule in the making: takes steps on a copy of the kernel, then writes them as a script.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Tiny/Schedule/Steps/SchedulePlan.h"

#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Schedule/Steps/Axes.h"
#include "Tiny/Schedule/Steps/BlockReduce.h"
#include "Tiny/Schedule/Steps/KernelTransformOps.h"
#include "Tiny/Schedule/Steps/Split.h"
#include "Tiny/Schedule/Steps/Stage.h"
#include "Tiny/Support/Actions.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::kernel {

using What = ScheduleStep::What;

SchedulePlan::SchedulePlan(FuncOp kernel) : kernel(kernel), copy(kernel.clone()) {}
SchedulePlan::SchedulePlan(const SchedulePlan &other)
    : kernel(other.kernel), copy(FuncOp(other.copy).clone()), steps(other.steps) {}
SchedulePlan::~SchedulePlan() { copy->erase(); }

void SchedulePlan::swap(SchedulePlan &other) {
  std::swap(copy, other.copy);
  std::swap(steps, other.steps);
}

void SchedulePlan::reset() {
  if (steps.empty())
    return;
  steps.clear();
  copy->erase();
  copy = kernel.clone();
}

RangeOp SchedulePlan::getAxis(int64_t id) {
  for (auto range : copy.getBody().getOps<RangeOp>())
    if (static_cast<int64_t>(range.getId()) == id)
      return range;
  return nullptr;
}

bool SchedulePlan::isRefused(std::string reason, StringRef step) {
  if (reason.empty())
    return !mayHappen<ScheduleStepAction>(kernel, step);
  refusal = std::move(reason);
  return true;
}

bool SchedulePlan::split(int64_t id, int64_t factor, AxisKind kind, int64_t *inner) {
  RangeOp axis = getAxis(id);
  if (!axis || isRefused(whyNotSplit(axis, factor, kind), "split"))
    return false;
  IRRewriter rewriter(copy.getContext());
  SplitAxis parts = splitAxis(rewriter, axis, factor, kind);
  if (inner)
    *inner = parts.inner.getId();
  steps.push_back({What::Split, id, factor, kind, {}, {}});
  return true;
}

bool SchedulePlan::pad(int64_t id, int64_t multiple) {
  RangeOp axis = getAxis(id);
  if (axis && axis.getExtent() % multiple == 0)
    return true;
  if (!axis || isRefused(whyNotPad(axis, multiple), "pad_to"))
    return false;
  IRRewriter rewriter(copy.getContext());
  padAxis(rewriter, axis, multiple);
  steps.push_back({What::Pad, id, multiple, {}, {}, {}});
  return true;
}

template <auto whyNot, auto change> bool SchedulePlan::onPair(ScheduleStep::What what, int64_t first, int64_t second) {
  RangeOp a = getAxis(first), b = getAxis(second);
  if (!a || !b || isRefused(whyNot(a, b), what == What::Swap ? "swap" : what == What::Merge ? "merge" : "fuse_sibling"))
    return false;
  IRRewriter rewriter(copy.getContext());
  change(rewriter, a, b);
  steps.push_back({what, first, second, {}, {}, {}});
  return true;
}

bool SchedulePlan::swap(int64_t first, int64_t second) {
  return onPair<whyNotSwap, swapAxes>(What::Swap, first, second);
}

bool SchedulePlan::merge(int64_t outer, int64_t inner) {
  return onPair<whyNotMerge, mergeAxes>(What::Merge, outer, inner);
}

bool SchedulePlan::fuseSibling(int64_t first, int64_t second) {
  return onPair<whyNotFuseSibling, kernel::fuseSibling>(What::FuseSibling, first, second);
}

/// The ids of the axes that fill the tile.
static void appendFilling(StageOp stage, SmallVectorImpl<int64_t> &filling) {
  for (Value range : stage.getRanges())
    filling.push_back(range.getDefiningOp<RangeOp>().getId());
}

bool SchedulePlan::stage(int64_t argument, ArrayRef<int64_t> axes, StageSpace space,
                         SmallVectorImpl<int64_t> *filling) {
  SmallVector<RangeOp> ranges = llvm::map_to_vector(axes, [&](int64_t id) { return getAxis(id); });
  if (llvm::is_contained(ranges, RangeOp()))
    return false;
  SmallVector<Value> values = findStagedValues(copy.getBody().getArgument(argument), ranges);
  if (values.empty())
    return false;
  std::string reason;
  for (Value value : values)
    reason = reason.empty() ? whyNotStage(value, ranges) : reason;
  if (isRefused(std::move(reason), "stage"))
    return false;
  IRRewriter rewriter(copy.getContext());
  for (Value value : values) {
    StageOp stage = stageValue(rewriter, value, ranges, space);
    if (filling)
      appendFilling(stage, *filling);
  }
  steps.push_back({What::Stage, argument, 0, {}, SmallVector<int64_t>(axes), space});
  return true;
}

bool SchedulePlan::unstage(int64_t filling) {
  RangeOp axis = getAxis(filling);
  if (!axis || isRefused(whyNotUnstage(axis), "unstage"))
    return false;
  IRRewriter rewriter(copy.getContext());
  kernel::unstage(rewriter, axis);
  steps.push_back({What::Unstage, filling, 0, {}, {}, {}});
  return true;
}

bool SchedulePlan::stagePartial(int64_t blocks, ArrayRef<int64_t> axes, StageSpace space,
                                SmallVectorImpl<int64_t> &filling, bool accumulates) {
  RangeOp axis = getAxis(blocks);
  SmallVector<RangeOp> ranges = llvm::map_to_vector(axes, [&](int64_t id) { return getAxis(id); });
  if (!axis || llvm::is_contained(ranges, RangeOp()) ||
      isRefused(whyNotStagePartial(axis, ranges, accumulates), "stage_partial"))
    return false;
  IRRewriter rewriter(copy.getContext());
  appendFilling(kernel::stagePartial(rewriter, axis, ranges, space, accumulates), filling);
  steps.push_back({What::StagePartial, blocks, 0, {}, SmallVector<int64_t>(axes), space, std::nullopt, accumulates});
  return true;
}

bool SchedulePlan::hold(int64_t parameter, ArrayRef<int64_t> axes, int64_t &filling) {
  SmallVector<RangeOp> ranges = llvm::map_to_vector(axes, [&](int64_t id) { return getAxis(id); });
  if (static_cast<uint64_t>(parameter) >= copy.getBody().getNumArguments() || llvm::is_contained(ranges, RangeOp()) ||
      ranges.empty())
    return false;
  Value buffer = copy.getBody().getArgument(parameter);
  if (isRefused(whyNotHold(buffer, ranges), "hold"))
    return false;
  IRRewriter rewriter(copy.getContext());
  StageOp stage = holdRow(rewriter, buffer, ranges);
  filling = stage.getRanges().front().getDefiningOp<RangeOp>().getId();
  steps.push_back({What::Hold, parameter, 0, {}, SmallVector<int64_t>(axes), StageSpace::Register});
  return true;
}

bool SchedulePlan::blockReduce(int64_t id) {
  RangeOp axis = getAxis(id);
  if (!axis || isRefused(whyNotBlock(axis), "block_reduce"))
    return false;
  IRRewriter rewriter(copy.getContext());
  kernel::blockReduce(rewriter, axis);
  steps.push_back({What::BlockReduce, id, 0, {}, {}, {}});
  return true;
}

bool SchedulePlan::widenStage(int64_t filling, int64_t id, int64_t &rows) {
  RangeOp fill = getAxis(filling), axis = getAxis(id);
  if (!fill || !axis || isRefused(whyNotWiden(fill, axis), "widen_stage"))
    return false;
  IRRewriter rewriter(copy.getContext());
  rows = kernel::widenStage(rewriter, fill, axis).getId();
  steps.push_back({What::WidenStage, filling, id, {}, {}, {}});
  return true;
}

bool SchedulePlan::pipeline(int64_t filling, int64_t buffers) {
  RangeOp axis = getAxis(filling);
  if (!axis || isRefused(whyNotPipeline(axis, buffers, target::findMachine(kernel)), "pipeline"))
    return false;
  IRRewriter rewriter(copy.getContext());
  pipelineStage(rewriter, axis, buffers);
  steps.push_back({What::Pipeline, filling, buffers, {}, {}, {}});
  return true;
}

bool SchedulePlan::tensorize(ArrayRef<int64_t> axes, const ProductTile &tile) {
  SmallVector<RangeOp> ranges = llvm::map_to_vector(axes, [&](int64_t id) { return getAxis(id); });
  if (llvm::is_contained(ranges, RangeOp()))
    return false;
  // The copy stands in no module.
  const cost::Machine &machine = target::findMachine(kernel);
  if (ranges.size() == 4) {
    OnlineAxes online{ranges[0], ranges[1], ranges[2], ranges[3]};
    if (isRefused(whyNotTensorizeOnline(online, tile, machine), "tensorize"))
      return false;
    IRRewriter rewriter(copy.getContext());
    tensorizeOnline(rewriter, online, tile, machine);
    steps.push_back({What::Tensorize, axes[0], 0, {}, SmallVector<int64_t>(axes), {}, tile});
    return true;
  }
  ProductAxes product{ranges[0], ranges[1], ranges[2]};
  if (isRefused(whyNotTensorize(product, tile, machine), "tensorize"))
    return false;
  IRRewriter rewriter(copy.getContext());
  kernel::tensorize(rewriter, product, tile, machine);
  steps.push_back({What::Tensorize, axes[0], 0, {}, SmallVector<int64_t>(axes), {}, tile});
  return true;
}

bool SchedulePlan::take(const ScheduleStep &step, SmallVectorImpl<int64_t> &made) {
  switch (step.what) {
  case What::Split:
    return split(step.id, step.number, step.kind, &made.emplace_back());
  case What::Pad:
    return pad(step.id, step.number);
  case What::Swap:
    return swap(step.id, step.number);
  case What::FuseSibling:
    return fuseSibling(step.id, step.number);
  case What::Merge:
    return merge(step.id, step.number);
  case What::Stage:
    return stage(step.id, step.axes, step.space, &made);
  case What::Unstage:
    return unstage(step.id);
  case What::StagePartial:
    return stagePartial(step.id, step.axes, step.space, made, step.accumulates);
  case What::Hold:
    return hold(step.id, step.axes, made.emplace_back());
  case What::BlockReduce:
    return blockReduce(step.id);
  case What::WidenStage:
    return widenStage(step.id, step.number, made.emplace_back());
  case What::Tensorize:
    return tensorize(step.axes, *step.tile);
  case What::Pipeline:
    return pipeline(step.id, step.number);
  }
  llvm_unreachable("all steps are above");
}

std::optional<SmallVector<ScheduleStep>> readSteps(transform::NamedSequenceOp script) {
  if (script.getBody().empty())
    return std::nullopt;
  SmallVector<ScheduleStep> steps;
  bool isReadable = true;
  auto id = [&](Value handle) -> int64_t {
    if (auto axis = handle.getDefiningOp<TransformAxisOp>())
      return axis.getId();
    isReadable = false;
    return 0;
  };
  for (Operation &op : script.getBody().front().without_terminator())
    llvm::TypeSwitch<Operation *>(&op)
        .Case([&](TransformAxisOp) {})
        .Case([&](TransformSplitOp split) {
          steps.push_back(
              {What::Split, id(split.getAxis()), static_cast<int64_t>(split.getFactor()), split.getKind(), {}, {}});
        })
        .Case([&](TransformPadToOp pad) {
          steps.push_back({What::Pad, id(pad.getAxis()), static_cast<int64_t>(pad.getMultiple()), {}, {}, {}});
        })
        .Case([&](TransformSwapOp swap) {
          steps.push_back({What::Swap, id(swap.getFirst()), id(swap.getSecond()), {}, {}, {}});
        })
        .Case([&](TransformFuseSiblingOp fuse) {
          steps.push_back({What::FuseSibling, id(fuse.getFirst()), id(fuse.getSecond()), {}, {}, {}});
        })
        .Case([&](TransformMergeOp merge) {
          steps.push_back({What::Merge, id(merge.getOuter()), id(merge.getInner()), {}, {}, {}});
        })
        .Case([&](TransformStageOp stage) {
          steps.push_back({What::Stage,
                           static_cast<int64_t>(stage.getArgument()),
                           0,
                           {},
                           SmallVector<int64_t>(stage.getAxes()),
                           stage.getSpace()});
        })
        .Case([&](TransformUnstageOp unstage) {
          steps.push_back({What::Unstage, id(unstage.getFilling()), 0, {}, {}, {}});
        })
        .Case([&](TransformStagePartialOp stage) {
          steps.push_back({What::StagePartial,
                           static_cast<int64_t>(stage.getAxis()),
                           0,
                           {},
                           SmallVector<int64_t>(stage.getAxes()),
                           stage.getSpace(),
                           std::nullopt,
                           stage.getAccumulates()});
        })
        .Case([&](TransformHoldOp hold) {
          steps.push_back({What::Hold,
                           static_cast<int64_t>(hold.getParameter()),
                           0,
                           {},
                           SmallVector<int64_t>(hold.getAxes()),
                           StageSpace::Register});
        })
        .Case([&](TransformBlockReduceOp block) {
          steps.push_back({What::BlockReduce, id(block.getAxis()), 0, {}, {}, {}});
        })
        .Case([&](TransformWidenStageOp widen) {
          steps.push_back({What::WidenStage, id(widen.getFilling()), id(widen.getAxis()), {}, {}, {}});
        })
        .Case([&](TransformPipelineOp pipeline) {
          steps.push_back(
              {What::Pipeline, id(pipeline.getFilling()), static_cast<int64_t>(pipeline.getBuffers()), {}, {}, {}});
        })
        .Case([&](TransformTensorizeOp tensorize) {
          ProductTile tile = tensorize.getProductTile();
          ArrayRef<int64_t> axes = tensorize.getAxes();
          steps.push_back({What::Tensorize, axes.front(), 0, {}, SmallVector<int64_t>(axes), {}, tile});
        })
        .Default([&](Operation *) { isReadable = false; });
  return isReadable ? std::optional(std::move(steps)) : std::nullopt;
}

transform::NamedSequenceOp SchedulePlan::writeScript() {
  OpBuilder builder(kernel.getContext());
  Type handle = transform::AnyOpType::get(builder.getContext());
  auto writeBody = [&](OpBuilder &builder, Location loc, BlockArgument argument) {
    auto axis = [&](int64_t id) -> Value { return TransformAxisOp::create(builder, loc, handle, argument, id); };
    for (const ScheduleStep &step : steps) {
      switch (step.what) {
      case What::Split:
        TransformSplitOp::create(builder, loc, handle, handle, axis(step.id), step.number, step.kind);
        break;
      case What::Pad:
        TransformPadToOp::create(builder, loc, handle, axis(step.id), step.number);
        break;
      case What::Swap: {
        Value first = axis(step.id), second = axis(step.number);
        TransformSwapOp::create(builder, loc, first, second);
        break;
      }
      case What::FuseSibling: {
        Value first = axis(step.id), second = axis(step.number);
        TransformFuseSiblingOp::create(builder, loc, handle, first, second);
        break;
      }
      case What::Merge: {
        Value outer = axis(step.id), inner = axis(step.number);
        TransformMergeOp::create(builder, loc, handle, outer, inner);
        break;
      }
      case What::Stage:
        TransformStageOp::create(builder, loc, handle, argument, step.id, step.axes, step.space);
        break;
      case What::Unstage:
        TransformUnstageOp::create(builder, loc, axis(step.id));
        break;
      case What::StagePartial:
        TransformStagePartialOp::create(builder, loc, handle, argument, step.id, step.axes, step.space,
                                        step.accumulates);
        break;
      case What::Hold:
        TransformHoldOp::create(builder, loc, handle, argument, step.id, step.axes);
        break;
      case What::BlockReduce:
        TransformBlockReduceOp::create(builder, loc, axis(step.id));
        break;
      case What::WidenStage: {
        Value filling = axis(step.id), around = axis(step.number);
        TransformWidenStageOp::create(builder, loc, handle, filling, around);
        break;
      }
      case What::Pipeline:
        TransformPipelineOp::create(builder, loc, axis(step.id), step.number);
        break;
      case What::Tensorize: {
        auto array = [&](ArrayRef<int64_t> numbers, bool isThere) {
          return isThere ? builder.getDenseI64ArrayAttr(numbers) : DenseI64ArrayAttr();
        };
        const ProductTile &tile = *step.tile;
        TransformTensorizeOp::create(builder, loc, argument, array(step.axes, true), array(tile.extents, true),
                                     array(tile.subgroups, !tile.isOfLanes()), array(tile.shape, !tile.isOfLanes()),
                                     array(tile.subgroups, tile.isOfLanes()));
        break;
      }
      }
    }
    transform::YieldOp::create(builder, loc);
  };
  auto script =
      transform::NamedSequenceOp::create(builder, kernel.getLoc(), kernel.getSymName(), handle, TypeRange{}, writeBody);
  // Every step leaves the kernel in place: its handle is only read.
  script.setArgAttr(0, transform::TransformDialect::kArgReadOnlyAttrName, builder.getUnitAttr());
  return script;
}

std::string SchedulePlan::describe() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::ListSeparator comma;
  for (const ScheduleStep &step : steps) {
    stream << comma;
    switch (step.what) {
    case What::Split:
      stream << llvm::formatv("axis {0} by {1} as {2}", step.id, step.number, stringifyAxisKind(step.kind));
      break;
    case What::Pad:
      stream << llvm::formatv("axis {0} padded to a multiple of {1}", step.id, step.number);
      break;
    case What::Swap:
      stream << llvm::formatv("axes {0} and {1} exchanged", step.id, step.number);
      break;
    case What::FuseSibling:
      stream << llvm::formatv("axes {0} and {1} fused", step.id, step.number);
      break;
    case What::Merge:
      stream << llvm::formatv("axes {0} and {1} merged", step.id, step.number);
      break;
    case What::Stage:
      stream << llvm::formatv("argument {0} staged", step.id);
      break;
    case What::Unstage:
      stream << llvm::formatv("the tile of axis {0} taken back", step.id);
      break;
    case What::StagePartial:
      stream << llvm::formatv("what is reduced for each point of axis {0} {1}", step.id,
                              step.accumulates ? "added up in a tile" : "staged");
      break;
    case What::Hold:
      stream << llvm::formatv("what is read of argument {0} held", step.id);
      break;
    case What::BlockReduce:
      stream << llvm::formatv("axis {0} reduced block by block", step.id);
      break;
    case What::WidenStage:
      stream << llvm::formatv("the tile of axis {0} filled for axis {1}", step.id, step.number);
      break;
    case What::Pipeline:
      stream << llvm::formatv("{1} tiles in place of the one of axis {0}", step.id, step.number);
      break;
    case What::Tensorize:
      stream << llvm::formatv("a product along axes {0}, {1} and {2} in tiles of {3}x{4}x{5}", step.axes[0],
                              step.axes[1], step.axes[2], step.tile->extents[0], step.tile->extents[1],
                              step.tile->extents[2]);
      break;
    }
  }
  return text;
}

} // namespace tiny::kernel
