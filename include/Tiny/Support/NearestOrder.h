// A topological order that keeps to an order that is there.
#ifndef TINY_SUPPORT_NEARESTORDER_H
#define TINY_SUPPORT_NEARESTORDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace tiny {

/// Sorts `waiting.size()` items so that each stands behind the items that `waiting` lists for it. Among the items that
/// are ready, the one with the lowest `position` goes first, at equal positions the one with the lowest number. Leaves
/// out items on a cycle, and those that wait for them.
std::vector<unsigned> sortNearest(llvm::ArrayRef<llvm::SmallVector<unsigned, 4>> waiting,
                                  llvm::ArrayRef<unsigned> position);

} // namespace tiny

#endif // TINY_SUPPORT_NEARESTORDER_H
