// Opens the driver, chooses a device, and keeps what went wrong.
#include "Context.h"
#include "Error.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <tuple>
#include <utility>
#include <vector>

using namespace tiny::runtime;
using namespace tiny::runtime::cuda;

static const char *getVariable(const char *name) {
  const char *value = std::getenv(name);
  return value && *value ? value : nullptr;
}

Context::~Context() {
  if (context)
    (void)cu.DevicePrimaryCtxRelease(device);
}

std::string Context::describe(CUresult result) const {
  const char *name = nullptr, *text = nullptr;
  // A driver has no words for what it does not know.
  if (cu.GetErrorName && cu.GetErrorName(result, &name) != CUDA_SUCCESS)
    name = nullptr;
  if (cu.GetErrorString && cu.GetErrorString(result, &text) != CUDA_SUCCESS)
    text = nullptr;
  std::string words = name ? name : "CUresult";
  words += " (" + std::to_string(int(result)) + ")";
  return text ? words + ": " + text : words;
}

/// What ends the context: the driver takes no work any more.
static bool isSticky(CUresult result) {
  return result == CUDA_ERROR_ILLEGAL_ADDRESS || result == CUDA_ERROR_LAUNCH_TIMEOUT || result == CUDA_ERROR_ASSERT ||
         (result >= CUDA_ERROR_HARDWARE_STACK_ERROR && result <= CUDA_ERROR_LAUNCH_FAILED);
}

tiny_status Context::check(CUresult result, const char *call) {
  if (result == CUDA_SUCCESS)
    return TINY_OK;
  tiny_status status = fail(result == CUDA_ERROR_OUT_OF_MEMORY ? TINY_OUT_OF_MEMORY : TINY_DEVICE_ERROR,
                            "device '%s': %s gave %.300s", name, call, describe(result).c_str());
  if (isSticky(result))
    lose();
  return status;
}

void Context::lose() {
  std::lock_guard<std::mutex> lock(failureMutex);
  if (lost)
    return;
  std::string reason = tiny_last_error();
  fail(TINY_DEVICE_ERROR, "device '%s' is lost: %.400s", name, reason.c_str());
  loss = Failure::ofThisThread(TINY_DEVICE_ERROR);
  lost = true;
}

tiny_status Context::checkWell() {
  if (!lost)
    return TINY_OK;
  std::lock_guard<std::mutex> lock(failureMutex);
  return loss.report();
}

tiny_status Context::openLibrary() {
  const char *chosen = getVariable(kLibraryVariable), *file = chosen ? chosen : "libcuda.so.1";
  // Never closed: it has threads.
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return fail(TINY_UNSUPPORTED, "device '%s' needs NVIDIA's driver: %.300s", name, dlerror());
  // The one of five parameters, which says why something is not there.
  cu.GetProcAddress = reinterpret_cast<decltype(cu.GetProcAddress)>(dlsym(library, "cuGetProcAddress_v2"));
  if (!cu.GetProcAddress)
    return fail(TINY_UNSUPPORTED, "device '%s': '%.200s' is no driver of NVIDIA's for CUDA 12 or later", name, file);
  auto find = [&](const char *function, auto &pointer, int version = kApiVersion) {
    void *found = nullptr;
    int status = 0;
    if (cu.GetProcAddress(function, &found, version, /*flags=*/0, &status) == CUDA_SUCCESS)
      pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(found);
    return pointer != nullptr;
  };
#define TINY_CUDA_FIND(Name, Parameters)                                                                               \
  if (!find("cu" #Name, cu.Name))                                                                                      \
    return fail(TINY_UNSUPPORTED, "device '%s': '%.200s' has no %s, expected CUDA 12.0", name, file, "cu" #Name);
  TINY_CUDA_FUNCTIONS(TINY_CUDA_FIND)
#undef TINY_CUDA_FIND
  limits.hasPools = limits.hasGraphs = limits.hasMaps = true;
#define TINY_CUDA_FIND(Name, Parameters) limits.hasPools &= find("cu" #Name, cu.Name);
  TINY_CUDA_POOL_FUNCTIONS(TINY_CUDA_FIND)
#undef TINY_CUDA_FIND
  limits.hasPeers = true;
#define TINY_CUDA_FIND(Name, Parameters) limits.hasPeers &= find("cu" #Name, cu.Name);
  TINY_CUDA_PEER_FUNCTIONS(TINY_CUDA_FIND)
#undef TINY_CUDA_FIND
#define TINY_CUDA_FIND(Name, Parameters) limits.hasGraphs &= find("cu" #Name, cu.Name);
  TINY_CUDA_GRAPH_FUNCTIONS(TINY_CUDA_FIND)
#undef TINY_CUDA_FIND
#define TINY_CUDA_FIND(Name, Parameters) limits.hasMaps &= find("cu" #Name, cu.Name);
  TINY_CUDA_MAP_FUNCTIONS(TINY_CUDA_FIND)
#undef TINY_CUDA_FIND
  limits.hasLoops = limits.hasGraphs;
#define TINY_CUDA_FIND(Name, Version, Parameters) limits.hasLoops &= find("cu" #Name, cu.Name, Version);
  TINY_CUDA_LOOP_FUNCTIONS(TINY_CUDA_FIND)
#undef TINY_CUDA_FIND
  return TINY_OK;
}

/// The number among the ranks of this machine that a launcher gave the process: MPICH's, Open MPI's or Slurm's; 0
/// without one.
static int findLocalRank() {
  for (const char *name : {"MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"})
    if (const char *value = getVariable(name))
      return static_cast<int>(std::clamp(std::strtol(value, nullptr, 10), 0L, 65535L));
  return 0;
}

tiny_status Context::chooseDevice(const uint32_t *number) {
  int count = 0;
  if (CUresult result = cu.Init(0); result != CUDA_SUCCESS)
    return fail(TINY_UNSUPPORTED, "device '%s': cuInit gave %.300s", name, describe(result).c_str());
  if (tiny_status status = check(cu.DeviceGetCount(&count), "cuDeviceGetCount"))
    return status;
  const char *wanted = getVariable(kDeviceVariable);
  // Ranks of one machine have a device each, as far as there are some.
  int skipped = findLocalRank();
  std::vector<std::pair<CUdevice, std::string>> fitting;
  std::string seen;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    char title[256] = "";
    if (tiny_status status = check(cu.DeviceGet(&device, ordinal), "cuDeviceGet"))
      return status;
    if (tiny_status status = check(cu.DeviceGetName(title, sizeof(title), device), "cuDeviceGetName"))
      return status;
    title[sizeof(title) - 1] = 0;
    if (!wanted || std::strstr(title, wanted)) {
      fitting.push_back({device, title});
      continue;
    }
    seen += (seen.empty() ? "'" : ", '") + std::string(title) + "'";
  }
  if (number && *number >= fitting.size() && !fitting.empty())
    return fail(TINY_UNSUPPORTED, "device '%s': this machine has %zu GPUs, and their numbers begin with 0", name,
                fitting.size());
  if (!fitting.empty()) {
    std::tie(device, limits.name) = fitting[number ? *number : size_t(skipped) % fitting.size()];
    return TINY_OK;
  }
  if (!count)
    return fail(TINY_UNSUPPORTED, "device '%s': the driver found no GPU", name);
  return fail(TINY_UNSUPPORTED, "device '%s': of this machine's GPUs (%.200s) none has a name with %.100s", name,
              seen.c_str(), wanted);
}

tiny_status Context::readLimits() {
  auto get = [&](int attribute, auto &value) {
    int number = 0;
    tiny_status status = check(cu.DeviceGetAttribute(&number, attribute, device), "cuDeviceGetAttribute");
    value = number;
    return status;
  };
  size_t bytes = 0;
  uint32_t hasPools = 0;
  tiny_status status = check(cu.DeviceTotalMem(&bytes, device), "cuDeviceTotalMem");
  limits.memoryBytes = bytes;
  const std::pair<int, uint32_t *> numbers[] = {
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &limits.lanesTogether},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &limits.sharedBytes},
      {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, &hasPools},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, &limits.lanes[0]},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + 1, &limits.lanes[1]},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + 2, &limits.lanes[2]},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &limits.groups[0]},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + 1, &limits.groups[1]},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + 2, &limits.groups[2]},
  };
  for (auto [attribute, number] : numbers)
    if (!status)
      status = get(attribute, *number);
  if (!status)
    status = get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, limits.major);
  if (!status)
    status = get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, limits.minor);
  limits.hasPools &= hasPools != 0;
  return status;
}

tiny_status Context::open(const uint32_t *number) {
  if (tiny_status status = openLibrary())
    return status;
  if (tiny_status status = chooseDevice(number))
    return status;
  if (tiny_status status = readLimits())
    return status;
  // The one that others in this process use, too.
  return check(cu.DevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
}
