// The guard of a rank: who says that it has died.
#ifndef TINY_TOOLS_GUARD_H
#define TINY_TOOLS_GUARD_H

namespace tiny {

/// Where a launcher of MPI started it, this process waits here for the end of another, in which this returns, and says
/// which rank died if a signal ended it. Before any thread begins.
void guardRank(const char *tool);

} // namespace tiny

#endif // TINY_TOOLS_GUARD_H
