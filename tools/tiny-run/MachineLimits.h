// What the machine can do at best, to measure kernels by.
#ifndef TINY_TOOLS_TINY_RUN_MACHINELIMITS_H
#define TINY_TOOLS_TINY_RUN_MACHINELIMITS_H

#include "Tiny/Driver/Executable.h"

namespace tiny {

/// What this machine can do.
struct MachineLimits {
  /// Number of threads that ran at once while this was measured.
  unsigned threads = 1;
  struct Transfer {
    double bytes, bytesPerSecond;
  };
  /// Bandwidth of reading an amount of data again and again, shared by the threads, by increasing amount: from the
  /// smallest cache that holds it, the last one from main memory. Empty if unknown.
  llvm::SmallVector<Transfer> transfers;
  /// Operations on f32 per second, a fused multiply-add counted as two; zero if unknown.
  double operationsPerSecond = 0;

  /// The least seconds of a kernel that moves so many bytes and does so many operations; zero if unknown.
  double getBestSeconds(double bytes, double operations) const;
};

/// Measures the limits of the device on that many threads at once, in some 100 ms: sums over memory of several sizes,
/// and multiply-adds in registers.
llvm::Expected<MachineLimits> measureMachine(mlir::MLIRContext *context, llvm::StringRef device, unsigned threads);

} // namespace tiny

#endif // TINY_TOOLS_TINY_RUN_MACHINELIMITS_H
