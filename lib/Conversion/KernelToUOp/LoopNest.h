// Which loop each operation of a kernel stands in.
#ifndef TINY_LIB_CONVERSION_KERNELTOUOP_LOOPNEST_H
#define TINY_LIB_CONVERSION_KERNELTOUOP_LOOPNEST_H

#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

namespace tiny::kernel_to_uop {

/// What a range becomes.
enum class AxisRole { Special, Loop, Copies, Fragment, Dot };

/// One range; axes are numbered outermost first by kind, order and id.
struct Axis {
  kernel::RangeOp range;
  AxisRole role;
};

/// The tree of loops of one kernel. Every loop axis has exactly one loop, which encloses everything that depends on the
/// axis. Loops are named by their axis; `kRoot` is the body of the function.
///
/// What must enclose what grows to a fixed point:
///  - a loop that a reduce or a stage closes lies inside everything else that the reduce's operands depend on, and
///    inside everything that encloses another loop it closes; so does a loop that a scan follows;
///  - the loops of a reduce that a tile accumulates are closed by the stage, and stand around those that fill the tile;
///  - of two axes that one operation depends on, one lies inside the other, by the order of axes where no reduce says
///    otherwise;
///  - whatever depends on the result of a reduce stands where the reduce's outermost loop stands, or deeper.
class LoopNest {
public:
  static constexpr int kRoot = -1;

  /// `order` is the live operations of the kernel by dependence. Reports why a kernel has no such tree.
  /// `hasLanes`: ranges of kind group_reduce are lanes where what they reduce allows it, else loops.
  static mlir::FailureOr<LoopNest> build(mlir::ArrayRef<mlir::Operation *> order, bool hasLanes);

  mlir::ArrayRef<Axis> getAxes() const { return axes; }
  unsigned getAxis(kernel::RangeOp range) const { return axisOf.lookup(range); }
  int getParent(int loop) const { return parents[loop]; }
  /// The loop that an operation stands in; for a reduce or a stage over loops, the innermost of them.
  int getHome(mlir::Operation *op) const { return homes.lookup(op); }
  /// The loop in which an operation's results are visible; differs from its home where it closes loops.
  int getResultHome(mlir::Operation *op) const;
  /// The loops that a reduce or a stage closes, outermost first; and the axes of copies that a reduce closes, outermost
  /// first.
  mlir::SmallVector<unsigned> getClosedLoops(mlir::Operation *op) const;
  /// Of the loops that a stage closes those of the reduce that its tile accumulates.
  mlir::SmallVector<unsigned> getAccumulatingLoops(kernel::StageOp stage) const;
  mlir::SmallVector<unsigned> getClosedCopies(kernel::ReduceOp reduce) const;
  /// The loops that have something in them, enclosing loops first.
  mlir::ArrayRef<unsigned> getLoops() const { return loops; }
  /// The child of `block` on the way to `loop`; `loop == block` gives none, and so does a block that is no ancestor,
  /// with `isAncestor` false.
  int getChildTowards(int block, int loop, bool &isAncestor) const;

private:
  LoopNest(mlir::ArrayRef<mlir::Operation *> order, bool hasLanes);
  /// Places the loops in a line that respects `required`; reports a cycle.
  mlir::LogicalResult orderLoops();
  /// Recomputes what every operation depends on; true when a new requirement appeared. `ordered`: loops are in a line.
  bool propagate(mlir::ArrayRef<mlir::Operation *> order, bool ordered);
  mlir::SmallVector<unsigned> findLoops(mlir::ValueRange ranges) const;
  void nest(const llvm::BitVector &set);
  void close(llvm::BitVector &set) const;
  int innermost(const llvm::BitVector &set) const;

  mlir::SmallVector<Axis> axes;
  llvm::DenseMap<mlir::Operation *, unsigned> axisOf;
  /// By axis: loops that reduces demand around it, and all loops around it.
  mlir::SmallVector<llvm::BitVector> required, outer;
  mlir::SmallVector<unsigned> places, loops;
  mlir::SmallVector<int> parents;
  llvm::DenseMap<mlir::Operation *, int> homes;
};

} // namespace tiny::kernel_to_uop

#endif // TINY_LIB_CONVERSION_KERNELTOUOP_LOOPNEST_H
