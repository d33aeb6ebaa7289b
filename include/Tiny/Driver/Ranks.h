// The ranks that run programs together: threads of this process, or processes of which this is one.
#ifndef TINY_DRIVER_RANKS_H
#define TINY_DRIVER_RANKS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tiny {

/// This process among those that run together.
struct RankPlace {
  unsigned rank = 0, size = 1;
};

/// Where it was started alone there is one. Otherwise this joins the others, and waits for them.
llvm::Expected<RankPlace> findRank();

/// Whether a launcher of MPI started this process. Joins nobody.
bool isStartedAsRank();

/// Waits here for the end of another process, in which this returns: see `tiny_guard_rank`.
const char *guardRank(const std::string &name);

/// Of the processes that a launcher started the first one prints and writes.
bool isFirstProcess();

/// Whether the ranks of programs are processes, of which this is one, and not its threads.
bool areRanksProcesses();

/// An error where the processes have other texts than the first one: they would run other things. Joins them.
llvm::Error agreeOnRanks(llvm::StringRef options);

} // namespace tiny

#endif // TINY_DRIVER_RANKS_H
