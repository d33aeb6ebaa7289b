// The one list of targets.
#include "Tiny/Pipelines/Registration.h"

#include "Tiny/Target/C/CTarget.h"
#include "Tiny/Target/Cpu/CpuTarget.h"
#include "Tiny/Target/Cuda/CudaTarget.h"
#include "Tiny/Target/Vulkan/VulkanTarget.h"
#include <mutex>

namespace tiny {

void registerAllTargets() {
  static std::once_flag once;
  // The first one is what tools compile for without `--target`.
  std::call_once(once, [] {
    registerTarget(cpu::createCpuTarget());
    registerTarget(c::createCTarget());
    registerTarget(cuda::createCudaTarget());
    registerTarget(vulkan::createVulkanTarget());
  });
}

} // namespace tiny
