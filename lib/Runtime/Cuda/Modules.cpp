// Loads PTX, and compares a kernel with what the device takes before it is launched for the first time.
#include "Modules.h"
#include "Error.h"

#include <cstring>

using namespace tiny::runtime;
using namespace tiny::runtime::cuda;

Module::~Module() {
  Current current(context);
  if (handle && !current.status)
    (void)context.cu.ModuleUnload(handle);
}

/// Words of the driver's log on one line.
static std::string join(const char *log) {
  std::string line;
  for (const char *at = log; *at; ++at)
    if (!std::strchr("\n\r\t", *at))
      line += *at;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  while (!line.empty() && line.back() == ' ')
    line.pop_back();
  return line;
}

tiny_status cuda::loadModule(Context &context, const void *bytes, uint64_t size, std::shared_ptr<Module> &module) {
  // The driver wants a zero behind the text.
  std::string text(static_cast<const char *>(bytes), size);
  text.resize(std::strlen(text.c_str()));
  auto made = std::make_shared<Module>(context);
  if (tiny_status status = readPtx(text, made->content))
    return status;
  char log[2048] = "";
  // Sizes are passed in the place of pointers.
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  void *values[] = {log, reinterpret_cast<void *>(uintptr_t(sizeof(log)))};
  CUresult result = context.cu.ModuleLoadDataEx(&made->handle, text.c_str(), 2, options, values);
  log[sizeof(log) - 1] = 0;
  if (result != CUDA_SUCCESS) {
    made->handle = nullptr;
    std::string words = join(log);
    tiny_status status = context.check(result, "cuModuleLoadDataEx");
    if (words.empty() || status != TINY_DEVICE_ERROR)
      return status;
    return fail(status, "device '%s': '%.100s' does not take the program's PTX for %.40s: %.80s: %.200s", context.name,
                context.limits.name.c_str(), made->content.target.c_str(), context.describe(result).c_str(),
                words.c_str());
  }
  module = std::move(made);
  return TINY_OK;
}

tiny_status cuda::prepareKernel(Context &context, const tiny_kernel &description, const std::shared_ptr<Module> &module,
                                const char *symbol, CudaKernel &kernel) {
  const Limits &limits = context.limits;
  auto check = [&](uint64_t count, const char *what, uint64_t most) {
    return count <= most ? TINY_OK
                         : fail(TINY_UNSUPPORTED, "kernel '%.100s' has %llu %s, '%.100s' takes %llu", description.name,
                                (unsigned long long)count, what, limits.name.c_str(), (unsigned long long)most);
  };
  auto found = module->content.entries.find(symbol);
  if (found == module->content.entries.end())
    return fail(TINY_INVALID_ARGUMENT, "the program's code has no function '%.100s'", symbol);
  const PtxEntry &entry = found->second;
  if (entry.nParameters != uint64_t(description.n_buffers) + description.n_maps)
    return fail(TINY_INVALID_ARGUMENT, "kernel '%.100s' is launched with %u buffers and %u tensor maps, and has %u",
                description.name, description.n_buffers, description.n_maps, entry.nParameters);
  if (description.n_maps && !limits.hasMaps)
    return fail(TINY_UNSUPPORTED, "kernel '%.100s' has tensor maps, and the driver has no cuTensorMapEncodeTiled",
                description.name);
  CUfunction function;
  if (tiny_status status =
          context.check(context.cu.ModuleGetFunction(&function, module->handle, symbol), "cuModuleGetFunction"))
    return status;
  int most = 0, shared = 0;
  if (tiny_status status = context.check(
          context.cu.FuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function), "cuFuncGetAttribute"))
    return status;
  if (tiny_status status = context.check(
          context.cu.FuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function), "cuFuncGetAttribute"))
    return status;
  uint64_t together = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const char *groups[] = {"workgroups along x", "workgroups along y", "workgroups along z"};
    const char *lanes[] = {"lanes along x", "lanes along y", "lanes along z"};
    if (tiny_status status = check(uint64_t(description.grid[axis]), groups[axis], limits.groups[axis]))
      return status;
    if (tiny_status status = check(entry.lanes[axis], lanes[axis], limits.lanes[axis]))
      return status;
    together *= entry.lanes[axis];
    kernel.groups[axis] = uint32_t(description.grid[axis]);
    kernel.lanes[axis] = entry.lanes[axis];
  }
  if (tiny_status status = check(together, "lanes in a workgroup", limits.lanesTogether))
    return status;
  // Its registers may be too many for so many lanes.
  if (together > uint64_t(most))
    return fail(TINY_UNSUPPORTED, "kernel '%.100s' has %llu lanes in a workgroup, and registers for %d on '%.100s'",
                description.name, (unsigned long long)together, most, limits.name.c_str());
  uint64_t launchBytes = entry.usesLaunchMemory ? description.scratch_bytes : 0;
  if (tiny_status status = check(uint64_t(shared) + launchBytes, "bytes of workgroup memory", limits.sharedBytes))
    return status;
  // More than what every device gives must be asked for.
  constexpr uint64_t kGranted = 48 << 10;
  if (uint64_t(shared) + launchBytes > kGranted)
    if (tiny_status status = context.check(
            context.cu.FuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, int(launchBytes)),
            "cuFuncSetAttribute"))
      return status;
  kernel.module = module;
  kernel.function = function;
  kernel.launchBytes = uint32_t(launchBytes);
  kernel.name = description.name;
  kernel.maps.assign(description.maps, description.maps + description.n_maps);
  return TINY_OK;
}

static int getMapType(tiny_dtype dtype) {
  switch (dtype) {
  case TINY_DTYPE_F16:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  case TINY_DTYPE_BF16:
    return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  case TINY_DTYPE_F32:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  case TINY_DTYPE_F64:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
  default:
    break;
  }
  switch (tiny_dtype_size(dtype)) {
  case 1:
    return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  case 2:
    return CU_TENSOR_MAP_DATA_TYPE_UINT16;
  case 4:
    return CU_TENSOR_MAP_DATA_TYPE_UINT32;
  default:
    return CU_TENSOR_MAP_DATA_TYPE_UINT64;
  }
}

tiny_status cuda::encodeMaps(const Context &context, const CudaKernel &kernel, const std::vector<CUdeviceptr> &buffers,
                             std::vector<CUtensorMap> &maps) {
  maps.resize(kernel.maps.size());
  for (size_t k = 0; k < maps.size(); ++k) {
    const tiny_tensor_map &map = kernel.maps[k];
    const unsigned steps[5] = {1, 1, 1, 1, 1};
    int swizzle = map.swizzle == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                  : map.swizzle == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                  : map.swizzle == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                      : CU_TENSOR_MAP_SWIZZLE_NONE;
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    void *address = reinterpret_cast<void *>(uintptr_t(buffers[map.buffer]));
    CUresult result = context.cu.TensorMapEncodeTiled(
        &maps[k], getMapType(map.dtype), map.rank, address, map.extents, map.strides, map.box, steps,
        /*interleave=*/0, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, /*fill=*/0);
    if (result != CUDA_SUCCESS)
      return fail(TINY_DEVICE_ERROR, "device 'cuda': cuTensorMapEncodeTiled for kernel '%.100s' gave %.200s",
                  kernel.name.c_str(), context.describe(result).c_str());
  }
  return TINY_OK;
}
