// What each rank shows to the others of its machine, in memory that they share.
#ifndef TINY_LIB_RUNTIME_MPI_PLACE_H
#define TINY_LIB_RUNTIME_MPI_PLACE_H

#include "Tiny/Runtime/Communicator.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace tiny::mpi {

/// Why a rank comes to no collective any more.
enum Leave : int { kStays, kIsDone, kFails };

/// A collective of a rank: which one in its order, and what has to be alike on all ranks of its group.
struct Visit {
  std::atomic<uint64_t> number{0}; ///< 0 while the rest is written
  std::atomic<uint64_t> kind{0}, count{0}, group{0};
};

/// Of a rank that runs ahead the others see so many of its latest collectives.
constexpr uint64_t kVisits = 64;

struct Place {
  std::atomic<uint64_t> count{0}; ///< of its collectives
  std::atomic<int> isInside{0};   ///< one of them
  std::atomic<int> hasLeft{kStays};
  std::atomic<int> isTold{0}; ///< of the machine's first rank: somebody has said what went wrong
  int process = 0;
  Visit visits[kVisits];

  /// Counts the collective and shows what it is.
  void enter(const tiny_group_call &call);
  /// Whether this rank has shown another collective where `other` has its latest; `seen` is the one it has shown.
  bool differs(const Place &other, tiny_group_call &seen) const;
};

/// Whether nobody has said yet what went wrong; after this somebody has.
bool tellFirst(const std::vector<Place *> &places);

/// Whether a signal or a debugger has stopped the process.
bool isStopped(int process);

/// "rank 2", "ranks 2, 3".
std::string nameRanks(const std::vector<uint32_t> &ranks);

} // namespace tiny::mpi

#endif // TINY_LIB_RUNTIME_MPI_PLACE_H
