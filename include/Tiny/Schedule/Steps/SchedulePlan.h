// A schedule in the making: steps are tried on a copy of the kernel, and those that are taken become a script.
#ifndef TINY_SCHEDULE_STEPS_SCHEDULEPLAN_H
#define TINY_SCHEDULE_STEPS_SCHEDULEPLAN_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Schedule/Steps/Tensorize.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"

namespace tiny::kernel {

/// One change of a kernel's axes, as a transform operation of the same name says it.
struct ScheduleStep {
  enum class What {
    Split,
    Pad,
    Swap,
    FuseSibling,
    Merge,
    Stage,
    Unstage,
    StagePartial,
    Hold,
    BlockReduce,
    WidenStage,
    Tensorize,
    Pipeline
  };
  What what;
  /// The axis, or a stage's argument.
  int64_t id;
  /// The factor, the multiple, a number of tiles, or the axis to exchange, to merge with or to fill a tile for.
  int64_t number = 0;
  AxisKind kind = AxisKind::Loop;
  llvm::SmallVector<int64_t> axes;
  StageSpace space = StageSpace::Local;
  std::optional<ProductTile> tile = std::nullopt;
  bool accumulates = false;
};

/// The steps of a script that names each axis by its id, as `SchedulePlan::writeScript` does. None for other scripts.
std::optional<llvm::SmallVector<ScheduleStep>> readSteps(mlir::transform::NamedSequenceOp script);

/// Applies steps to a copy of the kernel and records them by axis id, as a script does. The effect of a step can be
/// looked at in the copy before the next one is chosen. A step that a transform would refuse is refused here, so a
/// script never fails.
class SchedulePlan {
public:
  explicit SchedulePlan(FuncOp kernel);
  ~SchedulePlan();
  /// A second plan that begins with the same steps.
  SchedulePlan(const SchedulePlan &other);
  SchedulePlan &operator=(const SchedulePlan &) = delete;
  void swap(SchedulePlan &other);

  /// The copy, after the steps so far.
  FuncOp getKernel() { return copy; }
  /// The kernel itself, without the steps.
  FuncOp getOriginal() { return kernel; }
  RangeOp getAxis(int64_t id);
  bool isEmpty() const { return steps.empty(); }
  llvm::ArrayRef<ScheduleStep> getSteps() const { return steps; }

  /// Each step returns whether it was taken. `split` sets `inner` to the id of the inner part, which is `id` if the
  /// factor is the extent.
  bool split(int64_t id, int64_t factor, AxisKind kind, int64_t *inner = nullptr);
  bool pad(int64_t id, int64_t multiple);
  bool swap(int64_t first, int64_t second);
  /// The second axis becomes the first one.
  bool fuseSibling(int64_t first, int64_t second);
  /// The merged axis has the outer one's id.
  bool merge(int64_t outer, int64_t inner);
  /// Takes back the tile that the axis fills.
  bool unstage(int64_t filling);
  bool blockReduce(int64_t axis);
  /// Sets `filling` to the ids of the axes that fill the tile, first the one for `blocks` if it does not accumulate.
  bool stagePartial(int64_t blocks, mlir::ArrayRef<int64_t> axes, StageSpace space,
                    llvm::SmallVectorImpl<int64_t> &filling, bool accumulates = false);
  /// Reads what passes along the axes read of a parameter once. Sets `filling` to the id of the axis that fills the
  /// tile.
  bool hold(int64_t parameter, mlir::ArrayRef<int64_t> axes, int64_t &filling);
  /// Sets `rows` to the id of the axis that fills the tile for the points of `axis`.
  bool widenStage(int64_t filling, int64_t axis, int64_t &rows);
  /// Sets `filling` to the ids of the axes that fill the tile, in the order of `axes`; for several tiles, one list
  /// after the other.
  bool stage(int64_t argument, mlir::ArrayRef<int64_t> axes, StageSpace space,
             llvm::SmallVectorImpl<int64_t> *filling = nullptr);

  /// Has several tiles in place of the one that the axis fills.
  bool pipeline(int64_t filling, int64_t buffers);
  /// Names rows, columns and depth of the product.
  bool tensorize(mlir::ArrayRef<int64_t> axes, const ProductTile &tile);

  /// Takes any step; `made` gets the ids of the axes that it makes.
  bool take(const ScheduleStep &step, llvm::SmallVectorImpl<int64_t> &made);

  /// Why the last step that was not taken was refused; empty if none was since `clearRefusal`.
  llvm::StringRef getRefusal() const { return refusal; }
  void clearRefusal() { refusal.clear(); }

  /// Forgets all steps, and remembers the refusal.
  void reset();

  /// The steps as a detached script of the kernel's name.
  mlir::transform::NamedSequenceOp writeScript();
  /// The steps as one line for a remark: "axis 1 padded to a multiple of 32, ...".
  std::string describe() const;

private:
  /// Whether there is a reason against a step, which is kept, or an action's breakpoint skips it.
  bool isRefused(std::string reason, llvm::StringRef step);
  template <auto whyNot, auto change> bool onPair(ScheduleStep::What what, int64_t first, int64_t second);

  FuncOp kernel, copy;
  llvm::SmallVector<ScheduleStep> steps;
  std::string refusal;
};

} // namespace tiny::kernel

#endif // TINY_SCHEDULE_STEPS_SCHEDULEPLAN_H
