// Watches over the start of ranks. MPI's own waits without end where a rank does not come, and nobody can ask it.
#ifndef TINY_LIB_RUNTIME_MPI_START_H
#define TINY_LIB_RUNTIME_MPI_START_H

#include "Deadline.h"

#include <optional>

namespace tiny::mpi {

/// Ends the process where the start does not end in time, and names ranks of this machine that do not come or are
/// stopped. Ranks show each other that they have come by a socket whose name has their launcher and their number.
class Start {
public:
  explicit Start(double seconds);

private:
  void fail(double seconds) const;

  int rank = 0, size = 0, launcher = 0;
  std::optional<Deadline> deadline;
};

} // namespace tiny::mpi

#endif // TINY_LIB_RUNTIME_MPI_START_H
