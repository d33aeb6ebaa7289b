// A topological order that keeps to an order that is there.
#ifndef TINY_SUPPORT_NEARESTORDER_H
#define TINY_SUPPORT_NEARESTORDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace tiny {

/// Of the orders in which each of `waiting.size()` items stands behind those that `waiting` lists for it, the one that
/// goes on with the item of the lowest `position`, or of those at one position the lowest number, wherever it can.
/// Items that wait for themselves, and what waits for these, are left out.
std::vector<unsigned> sortNearest(llvm::ArrayRef<llvm::SmallVector<unsigned, 4>> waiting,
                                  llvm::ArrayRef<unsigned> position);

} // namespace tiny

#endif // TINY_SUPPORT_NEARESTORDER_H
