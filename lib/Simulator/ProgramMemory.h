// Bytes that a rank has of a program's buffers.
#ifndef TINY_LIB_SIMULATOR_PROGRAMMEMORY_H
#define TINY_LIB_SIMULATOR_PROGRAMMEMORY_H

#include "Tiny/Dialect/Kernel/Kernel.h"

namespace tiny {

struct RankMemory {
  /// Arguments and constants, and the most that is alive at one time beside them.
  int64_t arguments = 0, alive = 0;
  int64_t getTotal() const { return arguments + alive; }
};

int64_t countBufferBytes(mlir::Value buffer);

/// Of ranks in a pipeline, those of the stage that has most: a stage has what its own items touch. A buffer lives from
/// the first item of its list that touches it to the last one.
RankMemory countMemory(kernel::ProgramOp program);

} // namespace tiny

#endif // TINY_LIB_SIMULATOR_PROGRAMMEMORY_H
