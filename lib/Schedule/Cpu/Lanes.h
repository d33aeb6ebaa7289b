// Which axes may be lanes of vectors.
#ifndef TINY_LIB_SCHEDULE_CPU_LANES_H
#define TINY_LIB_SCHEDULE_CPU_LANES_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "llvm/ADT/SetVector.h"

namespace tiny::kernel {

/// How well an axis becomes lanes, from worst to best.
enum class LaneFit {
  None,      ///< not at all
  Gathers,   ///< some accesses have a place of its own for each lane, which is worth it
  Strides,   ///< some loads take every second to fourth element, or go backwards; or some stores are interleaved
  Neighbours ///< what moves with the axis moves by one element
};

/// Whether LLVM turns the kernel's vectors into scalars if their length is no power of two: in functions that are
/// loops, and for elements of other sizes than 32 and 64 bits. It always does so for lanes that are picked from memory.
bool makesScalars(FuncOp kernel);

/// Lanes of a vector of the widest element that the kernel computes with. Floats are computed in 32 bits or more.
int64_t countLanes(FuncOp kernel, const cost::Machine &target);

/// Judges lanes along an axis: a tile that it fills has it last, accesses move as the fit says, some access moves, and
/// reductions over it may combine in any order.
LaneFit judgeLanes(FuncOp kernel, RangeOp axis);

/// The axes whose points lie between lanes along this one, in stores: all of them become copies, which are interleaved
/// with the lanes.
llvm::SmallSetVector<RangeOp, 2> findInterleaved(FuncOp kernel, RangeOp axis);

/// Judges lanes for all stores. None if some store does not move along the axis.
LaneFit judgeStoredLanes(FuncOp kernel, RangeOp axis);

/// The first of the axes that fit best as lanes of all stores, or null.
RangeOp findStoredLanes(FuncOp kernel);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_LANES_H
