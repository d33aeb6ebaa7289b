// The ranks that run programs together: threads of this process, or processes of which this is one.
#ifndef TINY_DRIVER_RANKS_H
#define TINY_DRIVER_RANKS_H

#include "llvm/Support/Error.h"

namespace tiny {

/// This process among those that run together.
struct RankPlace {
  unsigned rank = 0, size = 1;
};

/// Where it was started alone there is one. Otherwise this joins the others, and waits for them.
llvm::Expected<RankPlace> findRank();

} // namespace tiny

#endif // TINY_DRIVER_RANKS_H
