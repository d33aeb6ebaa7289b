// Whether a kernel may write its result over what it reads.
#ifndef TINY_LIB_TRANSFORMS_LAZY_WRITEOVER_H
#define TINY_LIB_TRANSFORMS_LAZY_WRITEOVER_H

#include "Tiny/Dialect/Lazy/Lazy.h"

namespace tiny {

/// Whether the kernel of `group` may store its result number `result` to the buffer that each of `inputs`, which are
/// numbers of inputs, is read from. A kernel's loads and stores have no order but that of its values, so each read of
/// such a buffer must
/// - be of the element that the same iteration writes, and go into what is written; or
/// - be of an element that no iteration writes.
/// Decided on trackers: from the input to what is stored, and of the place where it is stored.
bool canWriteOver(lazy::GroupOp group, unsigned result, mlir::ArrayRef<unsigned> inputs);

} // namespace tiny

#endif // TINY_LIB_TRANSFORMS_LAZY_WRITEOVER_H
