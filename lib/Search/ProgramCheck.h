// A whole program with and without the schedules that were found, in turns.
#ifndef TINY_LIB_SEARCH_PROGRAMCHECK_H
#define TINY_LIB_SEARCH_PROGRAMCHECK_H

#include "Tiny/Driver/Executable.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace tiny {

/// Times of two programs that differ in the schedules of some kernels.
struct ProgramTimes {
  /// Seconds of the whole program, medians: without and with what was found.
  double seconds[2] = {0, 0};
  unsigned runs = 0;
  /// By kernel, nanoseconds of all its launches in a run, medians.
  llvm::StringMap<uint64_t> kernels[2];

  /// The kernels, of those named, that take longer with what was found.
  llvm::SmallVector<std::string> findSlower(const llvm::StringSet<> &among) const;
};

/// Runs both in turns, five times at least and two hundred times at most, for so many seconds.
llvm::Expected<ProgramTimes> compareInTurns(Executable &without, Executable &with, double seconds);

} // namespace tiny

#endif // TINY_LIB_SEARCH_PROGRAMCHECK_H
