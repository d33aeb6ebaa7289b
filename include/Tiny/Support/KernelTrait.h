// The mark of operations that are kernels, for code below the dialects that define them.
#ifndef TINY_SUPPORT_KERNELTRAIT_H
#define TINY_SUPPORT_KERNELTRAIT_H

#include "mlir/IR/OpDefinition.h"

namespace tiny {

/// On a function operation: it is a kernel, which a program launches. A kernel has no results, only buffers that it
/// writes, and it is no entry point.
template <typename ConcreteType> class KernelTrait : public mlir::OpTrait::TraitBase<ConcreteType, KernelTrait> {};

} // namespace tiny

#endif // TINY_SUPPORT_KERNELTRAIT_H
