// A schedule in the making: steps are tried on a copy of the kernel, and those that are taken become a script.
#ifndef TINY_SCHEDULE_STEPS_SCHEDULEPLAN_H
#define TINY_SCHEDULE_STEPS_SCHEDULEPLAN_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"

namespace tiny::kernel {

/// What a schedule is made for.
struct ScheduleTarget {
  /// Elements of 32 bits in a vector register, and how many such registers there are.
  int64_t lanes = 16, registers = 32;
  /// Into how many parts a kernel that is worth it is cut for threads.
  int64_t parts = 4;
  /// What is kept for the next pass over it, in bytes, stays in the second-level cache.
  int64_t keptBytes = 256 << 10;
};

/// Steps by axis ids, as in a script. Whatever a step changes can be looked at in the copy before the next one is
/// chosen, and what a transform would refuse is refused here, so that a script never fails.
class SchedulePlan {
public:
  explicit SchedulePlan(FuncOp kernel);
  ~SchedulePlan();
  SchedulePlan(const SchedulePlan &) = delete;
  SchedulePlan &operator=(const SchedulePlan &) = delete;

  /// The kernel as the steps so far leave it.
  FuncOp getKernel() { return copy; }
  RangeOp getAxis(int64_t id);
  bool isEmpty() const { return steps.empty(); }

  /// Each returns whether the step was taken. `split` gives the id of the inner part, which is `id` where the factor is
  /// the extent.
  bool split(int64_t id, int64_t factor, AxisKind kind, int64_t *inner = nullptr);
  bool pad(int64_t id, int64_t multiple);
  bool swap(int64_t first, int64_t second);
  /// The merged axis has the outer one's id.
  bool merge(int64_t outer, int64_t inner);
  /// `filling` gives the ids of the axes that fill the tile, first that for `axis`.
  bool stageInput(int64_t axis, mlir::ArrayRef<int64_t> others, StageSpace space,
                  llvm::SmallVectorImpl<int64_t> &filling);
  bool blockReduce(int64_t axis);
  /// `filling` gives the ids of the axes that fill the tile, `blocks` first.
  bool stagePartial(int64_t blocks, mlir::ArrayRef<int64_t> axes, StageSpace space,
                    llvm::SmallVectorImpl<int64_t> &filling);
  /// `rows` is the id of the axis that fills the tile for the points of `axis`.
  bool widenStage(int64_t filling, int64_t axis, int64_t &rows);
  /// `filling` gives the ids of the axes that fill the tile, as `axes` lists them; of several tiles one after the
  /// other.
  bool stage(int64_t argument, mlir::ArrayRef<int64_t> axes, StageSpace space,
             llvm::SmallVectorImpl<int64_t> *filling = nullptr);

  /// Forgets all steps.
  void reset();

  /// The steps as a detached script of the kernel's name.
  mlir::transform::NamedSequenceOp writeScript();
  /// The steps as one line for a remark: "axis 1 padded to a multiple of 32, ...".
  std::string describe() const;

private:
  enum class What { Split, Pad, Swap, Merge, Stage, StageInput, StagePartial, BlockReduce, WidenStage };
  template <auto whyNot, auto change> bool onPair(What what, int64_t first, int64_t second);
  struct Step {
    What what;
    /// The axis, or a stage's argument.
    int64_t id;
    /// The factor, the multiple, or the axis to exchange, to merge with or to fill a tile for.
    int64_t number = 0;
    AxisKind kind = AxisKind::Loop;
    llvm::SmallVector<int64_t> axes;
    StageSpace space = StageSpace::Local;
  };

  FuncOp kernel, copy;
  llvm::SmallVector<Step> steps;
};

} // namespace tiny::kernel

#endif // TINY_SCHEDULE_STEPS_SCHEDULEPLAN_H
