// Code of kernels as modules of the driver's, and kernels as its functions.
#ifndef TINY_LIB_RUNTIME_CUDA_MODULES_H
#define TINY_LIB_RUNTIME_CUDA_MODULES_H

#include "Context.h"
#include "Device.h"
#include "Ptx.h"

#include <vector>

namespace tiny {
namespace runtime {
namespace cuda {

/// A module that the driver has loaded, with what its text says.
struct Module {
  explicit Module(Context &context) : context(context) {}
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;
  ~Module();
  Context &context;
  CUmodule handle = nullptr;
  PtxModule content;
};

/// A container's binary.
struct CudaCode final : Code {
  std::shared_ptr<Module> module;
};

/// A kernel, ready to be launched.
struct CudaKernel final : Kernel {
  /// It stays loaded as long as its kernels live.
  std::shared_ptr<Module> module;
  CUfunction function = nullptr;
  uint32_t groups[3] = {1, 1, 1}, lanes[3] = {1, 1, 1};
  /// Of workgroup memory that the launch asks for.
  uint32_t launchBytes = 0;
  std::string name;
  /// Parameters behind the buffers.
  std::vector<tiny_tensor_map> maps;
};

/// Makes the driver compile PTX. What it says of text that it does not take is in the error. The context is current.
tiny_status loadModule(Context &context, const void *bytes, uint64_t size, std::shared_ptr<Module> &module);
tiny_status prepareKernel(Context &context, const tiny_kernel &description, const std::shared_ptr<Module> &module,
                          const char *symbol, CudaKernel &kernel);

/// What the kernel's maps are where its buffers begin at these addresses. The context is current.
tiny_status encodeMaps(const Context &context, const CudaKernel &kernel, const std::vector<CUdeviceptr> &buffers,
                       std::vector<CUtensorMap> &maps);

} // namespace cuda
} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_CUDA_MODULES_H
