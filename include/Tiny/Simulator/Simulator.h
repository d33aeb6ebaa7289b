// Predicts how a program runs on a described cluster.
#ifndef TINY_SIMULATOR_SIMULATOR_H
#define TINY_SIMULATOR_SIMULATOR_H

#include "Tiny/Algebra/Cost/Cluster.h"
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Driver/ModelRequest.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Error.h"

namespace tiny {

/// The model, for as many ranks as its grid has, and the cluster: each rank is what the record describes, and the
/// record's network joins them.
struct SimulateRequest : ModelRequest {
  std::string target;
  /// Threads of a rank: all cores of its share of a machine, unless given.
  unsigned threads = 0;
  /// Ranks that share the cores and the memory of one machine of the record.
  unsigned perMachine = 1;
  /// What predicted times of kernels are multiplied by: how much longer they take where one rank was measured.
  double kernelFactor = 1;
  cost::ClusterOptions cluster;
};

/// A program that ran in predicted time. It owns the items that its times name.
struct Simulation {
  llvm::SmallVector<int64_t> grid;
  std::vector<cost::ClusterItem> items;
  cost::ClusterTimes times;
  /// Bytes of a rank: arguments, constants, and the most that is alive at one time beside them.
  int64_t memory = 0, arguments = 0;
};

/// Takes the model down to kernels with their schedules, predicts each, and runs the items on the cluster. Errors are
/// one line.
llvm::Expected<Simulation> simulateModel(const SimulateRequest &request, mlir::MLIRContext *context);

/// A table for people: the step, what it is made of, and the items that take longest, at most `rows` of them.
void printSimulation(llvm::raw_ostream &stream, const Simulation &simulation, unsigned rows);

/// All of it as JSON, in nanoseconds and bytes.
void printSimulationAsJson(llvm::raw_ostream &stream, const Simulation &simulation);

} // namespace tiny

#endif // TINY_SIMULATOR_SIMULATOR_H
