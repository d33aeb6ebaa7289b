// Which axes may be lanes of vectors.
#ifndef TINY_LIB_SCHEDULE_CPU_LANES_H
#define TINY_LIB_SCHEDULE_CPU_LANES_H

#include "Tiny/Dialect/Kernel/Dependence.h"

namespace tiny::kernel {

/// Vectors of lanes where a pass strides: they use up cache lines that stand next to each other.
inline constexpr int64_t kVectorsAcross = 8;

/// How well an axis becomes lanes, from worst to best.
enum class LaneFit {
  None,      ///< not at all
  Gathers,   ///< some accesses have a place of its own for each lane, which is worth it
  Strides,   ///< some loads take every second to fourth element, or go backwards
  Neighbours ///< what moves with the axis moves by one element
};

/// Whether LLVM makes scalars of the kernel's vectors where their length is no power of two: where loops carry them,
/// and where their elements are short. Of those that are picked it does anyway.
bool makesScalars(FuncOp kernel);

/// Judges lanes along an axis. A tile that it fills has it last, accesses are as the fit says, some are not the same
/// for all lanes, and reductions over it may combine in any order.
LaneFit judgeLanes(FuncOp kernel, RangeOp axis);

/// What a kernel takes with up to so many lanes along these axes alone: functions and reductions, and what is loaded
/// and stored lane by lane.
double estimateLanes(FuncOp kernel, llvm::ArrayRef<RangeOp> axes, int64_t lanes, RangeSets &sets);

/// Of the axes that may be lanes of all stores, the one that takes least; null where there is none.
RangeOp findStoredLanes(FuncOp kernel, int64_t lanes);

/// That axis, or several free axes that no operation reaches together, as parts that are stored side by side have,
/// where these take less.
llvm::SmallVector<RangeOp> findLanes(FuncOp kernel, int64_t lanes);

/// Judges lanes of all stores: none where some store stays where it is.
LaneFit judgeStoredLanes(FuncOp kernel, RangeOp axis);

/// Lanes of `most` or less, by half, as long as they make the axis at most a third longer.
int64_t findMultiple(int64_t extent, int64_t most, int64_t least);

} // namespace tiny::kernel

#endif // TINY_LIB_SCHEDULE_CPU_LANES_H
