// The items of a program as the cluster runs them.
#ifndef TINY_LIB_SIMULATOR_PROGRAMITEMS_H
#define TINY_LIB_SIMULATOR_PROGRAMITEMS_H

#include "Tiny/Algebra/Cost/Cluster.h"
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "llvm/ADT/StringMap.h"

namespace tiny {

/// What the machine of a rank does to times: the record with a rank's share, its threads, and what times are multiplied
/// by, as where ranks take turns on a core.
struct RankMachine {
  cost::Machine machine;
  unsigned threads = 1;
  double factor = 1;
};

/// Turns a kernel.program into items with predicted times. Buffers are numbered by what they are a part of.
class ProgramReader {
public:
  ProgramReader(kernel::ProgramOp program, const RankMachine &machine) : program(program), machine(machine) {}

  /// Fails with an error where a kernel has no prediction.
  llvm::FailureOr<std::vector<cost::ClusterItem>> read() { return readList(program.getBody().front()); }

private:
  llvm::FailureOr<std::vector<cost::ClusterItem>> readList(mlir::Block &list);
  llvm::FailureOr<cost::ClusterItem> readItem(mlir::Operation *op);
  llvm::FailureOr<double> predict(kernel::LaunchOp launch);
  /// Nanoseconds in which so many bytes are read or written.
  double move(int64_t bytes) const;
  mlir::Value findRoot(mlir::Value buffer) const;

  kernel::ProgramOp program;
  const RankMachine &machine;
  llvm::StringMap<double> kernels;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
};

} // namespace tiny

#endif // TINY_LIB_SIMULATOR_PROGRAMITEMS_H
