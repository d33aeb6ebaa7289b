// The trait that marks operations as kernels.
#ifndef TINY_KERNEL_TRAIT
#define TINY_KERNEL_TRAIT

include "mlir/IR/OpBase.td"

def KernelTrait : NativeOpTrait<"KernelTrait"> {
  let cppNamespace = "::tiny";
}

#endif // TINY_KERNEL_TRAIT
