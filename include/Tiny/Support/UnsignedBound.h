// How large an integer can be that is taken as unsigned.
#ifndef TINY_SUPPORT_UNSIGNEDBOUND_H
#define TINY_SUPPORT_UNSIGNEDBOUND_H

#include "mlir/IR/Value.h"

namespace tiny {

/// The largest number that an integer of at most 64 bits, or a lane of a vector of them, can be as an unsigned one, as
/// far as InferIntRangeInterface says it; else the largest of its type.
uint64_t getUnsignedBound(mlir::Value value);

} // namespace tiny

#endif // TINY_SUPPORT_UNSIGNEDBOUND_H
