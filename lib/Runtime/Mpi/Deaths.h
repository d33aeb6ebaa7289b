// Watches the processes of the other ranks of a machine: not every launcher ends those that are left when one dies. And
// the launcher's own: ranks would wait for each other when it is killed.
#ifndef TINY_LIB_RUNTIME_MPI_DEATHS_H
#define TINY_LIB_RUNTIME_MPI_DEATHS_H

#include "Place.h"

#include <poll.h>
#include <thread>
#include <vector>

namespace tiny::mpi {

/// A thread that ends this process when the process of another rank ends that has not left, or the one that started
/// this one under a launcher. It says which one, unless somebody stands over the ranks who does: TINY_RANK_GUARDED of
/// the environment.
class Deaths {
public:
  ~Deaths() { stop(); }
  /// Of ranks on other machines there are no places, and none at all before ranks have found each other: then the
  /// launcher alone is watched. Starting again replaces what was watched.
  void start(int own, const std::vector<Place *> &places);
  void stop();

private:
  void watch(int own, const std::vector<Place *> &places);
  void add(int process, int rank);

  std::vector<pollfd> files; ///< the first one ends the watch
  std::vector<int> ranks;    ///< whose process it is; -1 for the launcher
  int launcher = 0;
  std::thread thread;
};

} // namespace tiny::mpi

#endif // TINY_LIB_RUNTIME_MPI_DEATHS_H
