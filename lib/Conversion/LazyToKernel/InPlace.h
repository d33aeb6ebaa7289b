// Whether what a group says about writing in place is so.
#ifndef TINY_LIB_CONVERSION_LAZYTOKERNEL_INPLACE_H
#define TINY_LIB_CONVERSION_LAZYTOKERNEL_INPLACE_H

#include "Tiny/Dialect/Lazy/Lazy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tiny {

/// Checks what the groups of a function say in `in_place`; reports what does not hold.
/// - (in_place_c1) the buffer is a donated argument's, or what a group made, all of it;
/// - (in_place_c2) nothing behind the group reads what it has written over;
/// - (in_place_c3) each read of the buffer in the kernel is of the element that the same iteration writes, and goes
/// into
///   what is written, or of an element that no iteration writes, which Presburger arithmetic proves.
mlir::LogicalResult verifyInPlace(mlir::func::FuncOp func);

} // namespace tiny

#endif // TINY_LIB_CONVERSION_LAZYTOKERNEL_INPLACE_H
