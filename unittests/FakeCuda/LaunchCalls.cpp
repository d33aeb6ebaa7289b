// Modules, functions and launches.
#include "Calls.h"

#include <algorithm>
#include <cstdio>

using namespace fake;

namespace {

/// The last PTX that a driver of the version takes, as 10 * major + minor.
int getNewestPtx(int version) {
  // CUDA 12.0 came with 8.0, 13.0 with 9.0.
  return version / 1000 >= 13 ? 90 + version % 1000 / 10 : 80 + version % 1000 / 10;
}

int moduleLoad(void **module, const void *image, unsigned count, int *options, void **values) {
  return call("cuModuleLoadDataEx", true, [&](Driver &driver) {
    char *log = nullptr;
    size_t logBytes = 0, *logUsed = nullptr;
    for (unsigned k = 0; k < count; ++k) {
      if (options[k] == 5)
        log = static_cast<char *>(values[k]);
      else if (options[k] == 6)
        logBytes = reinterpret_cast<uintptr_t>(values[k]), logUsed = reinterpret_cast<size_t *>(&values[k]);
      else
        fail(kInvalidValue, "unknown option " + std::to_string(options[k]));
    }
    auto write = [&](const std::string &words) {
      if (log && logBytes)
        *logUsed = size_t(std::snprintf(log, logBytes, "%s\n", words.c_str()));
    };
    auto made = std::make_unique<Module>();
    try {
      made->content = parsePtx(static_cast<const char *>(image));
    } catch (const PtxError &error) {
      write(std::string("ptxas application ptx input, ") + error.what());
      fail(kInvalidPtx, "a PTX JIT compilation failed");
    }
    const PtxModule &content = made->content;
    if (content.version > getNewestPtx(driver.version)) {
      write("Unsupported .version " + std::to_string(content.version / 10) + "." +
            std::to_string(content.version % 10));
      fail(kUnsupportedPtxVersion, "the provided PTX was compiled with an unsupported toolchain");
    }
    made->device = driver.getCurrent();
    const Gpu &gpu = driver.devices[made->device];
    int own = gpu.major * 10 + gpu.minor;
    if (content.target > own || (content.isExact && content.target != own)) {
      write("SM version specified by .target is higher than default SM version assumed");
      fail(kNoBinaryForGpu, "no kernel image is available for execution on the device");
    }
    *module = driver.modules.add(std::move(made));
  });
}

int moduleUnload(void *handle) {
  return call("cuModuleUnload", true, [&](Driver &driver) {
    Module *module = driver.modules.check(handle, "module");
    if (module->nQueued)
      fail(kLaunchFailed,
           "a module is unloaded while " + std::to_string(module->nQueued) + " launches of its kernels have not run");
    for (auto &function : driver.keptFunctions)
      if (function->module == module)
        driver.functions.erase(function.get());
    driver.modules.remove(module);
  });
}

int getFunction(void **function, void *handle, const char *name) {
  return call("cuModuleGetFunction", true, [&](Driver &driver) {
    Module *module = driver.modules.check(handle, "module");
    auto found = module->content.kernels.find(name);
    if (found == module->content.kernels.end())
      fail(kNotFound, "named symbol not found");
    auto made = std::make_unique<Function>();
    made->module = module;
    made->kernel = &found->second;
    driver.functions.insert(made.get());
    *function = made.get();
    driver.keptFunctions.push_back(std::move(made));
  });
}

Function *checkFunction(Driver &driver, void *handle) {
  auto *function = static_cast<Function *>(handle);
  if (!driver.functions.count(function))
    fail(kInvalidHandle, "a function of no module, or of one that was unloaded");
  return function;
}

int getAttribute(int *value, int attribute, void *handle) {
  return call("cuFuncGetAttribute", true, [&](Driver &driver) {
    Function *function = checkFunction(driver, handle);
    switch (attribute) {
    case 0:
      *value = int(function->kernel->mostLanes);
      break;
    case 1:
      *value = int(function->kernel->sharedBytes);
      break;
    case 8:
      *value = function->mostLaunchBytes;
      break;
    default:
      fail(kInvalidValue, "unknown attribute " + std::to_string(attribute));
    }
  });
}

constexpr uint32_t kGranted = 48 << 10;

int setAttribute(void *handle, int attribute, int value) {
  return call("cuFuncSetAttribute", true, [&](Driver &driver) {
    Function *function = checkFunction(driver, handle);
    if (attribute != 8 || value < 0 ||
        uint32_t(value) + function->kernel->sharedBytes > driver.getMostShared(function->module->device))
      fail(kInvalidValue, "an attribute that is not to be set, or to so much");
    function->mostLaunchBytes = value;
  });
}

void checkLaunch(const Function &function, const uint32_t grid[3], const uint32_t lanes[3], uint32_t bytes) {
  const PtxKernel &kernel = *function.kernel;
  const uint32_t mostGroups[] = {0x7FFFFFFF, 65535, 65535}, mostLanes[] = {1024, 1024, 64};
  uint64_t together = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (!grid[axis] || grid[axis] > mostGroups[axis] || !lanes[axis] || lanes[axis] > mostLanes[axis])
      fail(kInvalidValue, "kernel '" + kernel.name + "': a grid of " + std::to_string(grid[axis]) + " workgroups of " +
                              std::to_string(lanes[axis]) + " lanes along axis " + std::to_string(axis));
    if (kernel.lanes[axis] && kernel.lanes[axis] != lanes[axis])
      fail(kInvalidValue, "kernel '" + kernel.name + "' demands other lanes");
    together *= lanes[axis];
  }
  if (together > kernel.mostLanes)
    fail(kOutOfResources, "kernel '" + kernel.name + "' has too many lanes in a workgroup");
  if (kernel.sharedBytes > kGranted)
    fail(kInvalidPtx, "kernel '" + kernel.name + "' has too much static shared memory");
  if (bytes > std::max<uint32_t>(kGranted - kernel.sharedBytes, uint32_t(function.mostLaunchBytes)))
    fail(kInvalidValue, "kernel '" + kernel.name + "' is launched with more shared memory than it asked for");
}

int launchKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,
                 unsigned blockZ, unsigned bytes, void *handle, void **parameters, void **extra) {
  return call("cuLaunchKernel", true, [&](Driver &driver) {
    const uint32_t grid[] = {gridX, gridY, gridZ}, lanes[] = {blockX, blockY, blockZ};
    Stream *stream = driver.checkStream(handle);
    makeLaunch(driver, function, grid, lanes, bytes, parameters, extra)(stream);
  });
}

/// Whether a byte was written and read as never written. Clears what was marked.
bool takeMarks(Block &block, const Block::Range &readOnly, const Block::Range &written) {
  bool meet = false;
  auto clear = [&](std::vector<uint8_t> &bits, const Block::Range &range) {
    for (uint64_t k = range.begin / 8; !bits.empty() && !range.isEmpty() && k <= range.end / 8; ++k)
      bits[k] = 0;
  };
  if (!readOnly.isEmpty() && readOnly.meets(written))
    for (uint64_t k = std::max(readOnly.begin, written.begin) / 8; k <= std::min(readOnly.end, written.end) / 8; ++k)
      meet |= (block.readOnlyBytes[k] & block.writtenBytes[k]) != 0;
  clear(block.readOnlyBytes, readOnly);
  clear(block.writtenBytes, written);
  return meet;
}

/// What the kernel did to each allocation, as this command's.
void rememberTouches(Driver &driver, const std::string &name, const Work &work) {
  for (auto &[begin, allocation] : driver.allocations) {
    Block::Range read = allocation->read, written = allocation->written, readOnly = allocation->readOnly;
    allocation->read = allocation->written = allocation->readOnly = Block::Range();
    if (takeMarks(*allocation, readOnly, written))
      fail(kLaunchFailed, "kernel '" + name + "' writes memory that it reads as never written (ld.global.nc)");
    driver.touch(*allocation, read, false, work);
    driver.touch(*allocation, readOnly, false, work);
    driver.touch(*allocation, written, true, work);
  }
}

} // namespace

Command fake::makeLaunch(Driver &driver, void *handle, const uint32_t groups[3], const uint32_t lanes[3],
                         uint32_t bytes, void **parameters, void **extra) {
  Function *function = checkFunction(driver, handle);
  const PtxKernel &kernel = *function->kernel;
  checkLaunch(*function, groups, lanes, bytes);
  if (extra || (!parameters && !kernel.parameters.empty()))
    fail(kInvalidValue, "kernel '" + kernel.name + "' is launched without its parameters");
  // Values are taken now.
  std::vector<char> values(kernel.parameterBytes);
  std::vector<uint64_t> pointers;
  std::vector<TensorMap> maps;
  for (size_t k = 0; k < kernel.parameters.size(); ++k) {
    const Parameter &parameter = kernel.parameters[k];
    if (!parameters[k])
      fail(kInvalidValue, "kernel '" + kernel.name + "': parameter " + std::to_string(k) + " is null");
    std::memcpy(values.data() + parameter.offset, parameters[k], parameter.bytes);
    TensorMap map = {};
    if (parameter.bytes == kMapBytes)
      std::memcpy(&map, parameters[k], sizeof(map));
    if (map.magic == TensorMap::kMagic)
      maps.push_back(map);
    if (!parameter.isPointer)
      continue;
    uint64_t pointer;
    std::memcpy(&pointer, parameters[k], sizeof(pointer));
    if (pointer % parameter.alignment)
      fail(kInvalidValue, "kernel '" + kernel.name + "': pointer " + std::to_string(k) + " is no multiple of " +
                              std::to_string(parameter.alignment));
    pointers.push_back(pointer);
  }
  Grid grid = {{groups[0], groups[1], groups[2]}, {lanes[0], lanes[1], lanes[2]}, bytes};
  std::string name = kernel.name;
  return [&driver, function, grid, values, pointers, maps, name](Stream *stream) {
    if (stream->device != function->module->device)
      fail(kInvalidHandle, "kernel '" + name + "' is of another context than the stream");
    for (const TensorMap &map : maps)
      driver.check(map.address, map.getBytes(), ("a tensor map for kernel '" + name + "'").c_str());
    for (uint64_t pointer : pointers)
      driver.check(pointer, 0, ("a pointer for kernel '" + name + "'").c_str());
    ++function->module->nQueued;
    driver.enqueue(stream, "kernel '" + name + "'", [=, &driver](const Work &work) {
      --function->module->nQueued;
      Machine machine(driver);
      machine.run(*function->kernel, grid, values);
      rememberTouches(driver, name, work);
    });
  };
}

std::vector<Entry> fake::getLaunchCalls() {
  return {makeEntry("cuModuleLoadDataEx", 2010, moduleLoad),   makeEntry("cuModuleUnload", 2000, moduleUnload),
          makeEntry("cuModuleGetFunction", 2000, getFunction), makeEntry("cuFuncGetAttribute", 2020, getAttribute),
          makeEntry("cuFuncSetAttribute", 9000, setAttribute), makeEntry("cuLaunchKernel", 7000, launchKernel)};
}
