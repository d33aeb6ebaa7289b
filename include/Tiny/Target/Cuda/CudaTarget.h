// NVIDIA's GPUs as a target: kernels as PTX.
#ifndef TINY_TARGET_CUDA_CUDATARGET_H
#define TINY_TARGET_CUDA_CUDATARGET_H

#include "Tiny/Target/Target.h"

namespace tiny::cuda {

/// "cuda", for `registerTarget`.
std::unique_ptr<Target> createCudaTarget();

} // namespace tiny::cuda

#endif // TINY_TARGET_CUDA_CUDATARGET_H
