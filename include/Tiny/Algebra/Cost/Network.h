// How long ranks take to exchange what they have, by the facts of the record.
#ifndef TINY_ALGEBRA_COST_NETWORK_H
#define TINY_ALGEBRA_COST_NETWORK_H

#include "Tiny/Algebra/Cost/Machine.h"

namespace tiny::cost {

enum class Exchange { AllReduce, AllGather, ReduceScatter, AllToAll, Broadcast, Send };

/// The distance at which ranks whose first and last number lie `span` apart, both counted, reach each other: the
/// nearest one that has as many, else the farthest.
const Distance &findDistance(const Machine &machine, int64_t span);

/// From the first rank of a group to its last, both counted; ranks stand row-major in the grid, and a group are those
/// that differ along `axes` alone.
int64_t findSpan(llvm::ArrayRef<int64_t> grid, llvm::ArrayRef<int64_t> axes);

/// Nanoseconds of an exchange among a group of ranks, `bytes` of which are the whole tensor: what an all-gather gives,
/// what a reduce-scatter takes. The better of the usual two algorithms, one for short and one for long messages.
int64_t predictExchange(const Machine &machine, Exchange kind, int64_t bytes, int64_t ranks, int64_t span);

/// Bytes that each rank sends, by a ring; of a message the one that sends it.
int64_t countSentBytes(Exchange kind, int64_t bytes, int64_t ranks);

} // namespace tiny::cost

#endif // TINY_ALGEBRA_COST_NETWORK_H
