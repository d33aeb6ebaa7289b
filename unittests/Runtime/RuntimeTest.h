// What the runtime's tests share: every conformance test runs on every device.
#ifndef TINY_UNITTESTS_RUNTIME_RUNTIMETEST_H
#define TINY_UNITTESTS_RUNTIME_RUNTIMETEST_H

#include "Tiny/Runtime/Runtime.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tiny {
namespace runtime {

/// The status and a part of the message.
#define EXPECT_FAILS(call, status, part)                                                                               \
  do {                                                                                                                 \
    EXPECT_EQ(call, status) << tiny_last_error();                                                                      \
    EXPECT_NE(std::string(tiny_last_error()).find(part), std::string::npos) << tiny_last_error();                      \
  } while (false)
#define ASSERT_OK(call) ASSERT_EQ(call, TINY_OK) << tiny_last_error()
#define EXPECT_OK(call) EXPECT_EQ(call, TINY_OK) << tiny_last_error()

/// The variable of the environment is there and not 0.
inline bool isSet(const char *variable) {
  const char *value = std::getenv(variable);
  return value && *value && std::strcmp(value, "0") != 0;
}

/// Opens Vulkan's device. Where there is none the reason is in the message; with TINY_TEST_VULKAN a test may not be
/// skipped for it.
inline bool openVulkan(Device &device) {
  tiny_status status = tiny_device_open("vulkan", device.receive());
  if (status == TINY_UNSUPPORTED && !isSet("TINY_TEST_VULKAN"))
    return false;
  EXPECT_EQ(status, TINY_OK) << tiny_last_error();
  return status == TINY_OK;
}

/// The driver in unittests/FakeCuda, with two devices, of which the second one takes more.
inline void useFakeCuda(int overwrite) {
  setenv("TINY_CUDA_LIBRARY", TINY_FAKE_CUDA, overwrite);
  setenv("TINY_FAKE_CUDA_DEVICES", "2", overwrite);
  setenv("TINY_FAKE_CUDA_CAPABILITY", "8.0,9.0", overwrite);
}

/// Opens CUDA's device, of the driver in unittests/FakeCuda; with TINY_TEST_CUDA of the machine's own, which may have
/// but one. Where there is none the reason is in the message.
inline bool openCuda(Device &device, const char *name = "cuda") {
  if (!isSet("TINY_TEST_CUDA"))
    useFakeCuda(/*overwrite=*/0);
  tiny_status status = tiny_device_open(name, device.receive());
  if (status == TINY_UNSUPPORTED && isSet("TINY_TEST_CUDA") && std::strchr(name, ':'))
    return false;
  EXPECT_EQ(status, TINY_OK) << tiny_last_error();
  return status == TINY_OK;
}

/// A test that overrides SetUp calls this one's first, and returns where IsSkipped().
class OnEveryDevice : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    if (isCuda() || isMulti()) {
      if (!openCuda(device, GetParam()))
        GTEST_SKIP() << tiny_last_error();
    } else if (!isVulkan())
      ASSERT_OK(tiny_device_open(GetParam(), device.receive()));
    else if (!openVulkan(device))
      GTEST_SKIP() << tiny_last_error();
  }

  bool isVulkan() const { return std::string(GetParam()) == "vulkan"; }
  bool isCuda() const { return std::string(GetParam()) == "cuda"; }
  /// It has its own copies of code and small constants.
  bool isGpu() const { return isVulkan() || isCuda() || isMulti(); }
  /// Two devices, of which each runs every second kernel.
  bool isMulti() const { return std::strchr(GetParam(), ',') != nullptr; }
  /// Whether the device computes on the host's memory. For tests Vulkan's may pretend that it does not.
  bool sharesMemory() const { return !isCuda() && !isMulti() && (!isVulkan() || !isSet("TINY_VULKAN_STAGING")); }

  /// The null device computes nothing: contents are only looked at elsewhere.
  bool computes() const { return std::string(GetParam()) != "null"; }

  Buffer allocate(uint64_t size) {
    Buffer buffer;
    EXPECT_OK(tiny_buffer_allocate(device.get(), size, buffer.receive()));
    return buffer;
  }
  Buffer upload(const std::vector<float> &values) {
    Buffer buffer = allocate(values.size() * sizeof(float));
    EXPECT_OK(tiny_buffer_write(buffer.get(), 0, values.data(), values.size() * sizeof(float)));
    return buffer;
  }
  static std::vector<float> download(tiny_buffer *buffer) {
    std::vector<float> values(tiny_buffer_size(buffer) / sizeof(float));
    EXPECT_OK(tiny_buffer_read(buffer, 0, values.data(), values.size() * sizeof(float)));
    return values;
  }
  void expectValues(tiny_buffer *buffer, const std::vector<float> &values) {
    if (computes()) {
      EXPECT_EQ(download(buffer), values);
    }
  }

  Device device;
};

inline std::string nameDevice(const testing::TestParamInfo<const char *> &info) {
  std::string name = info.param;
  std::replace_if(name.begin(), name.end(), [](char letter) { return letter == ',' || letter == ':'; }, '_');
  return name;
}

#define TINY_ON_EVERY_DEVICE(suite)                                                                                    \
  INSTANTIATE_TEST_SUITE_P(Devices, suite,                                                                             \
                           testing::Values("cpu", "null", "vulkan", "cuda", "cuda,cpu", "cuda:0,cuda:1"), nameDevice)

/// What Kernels.mlir has, as a container's binary for Vulkan: each name is a kernel of ProgramBuilder.
inline const std::vector<uint32_t> &getTestSpirv() {
  static const std::vector<uint32_t> binary = [] {
    std::vector<uint32_t> words = {
        0,
#include "Kernels.spirv.inc"
    };
    words[0] = uint32_t((words.size() - 1) * sizeof(uint32_t));
    return words;
  }();
  return binary;
}

/// The same as PTX.
inline const std::string &getTestPtx() {
  static const std::string text =
#include "Kernels.ptx.inc"
      ;
  return text;
}

/// The same for the second device alone.
inline const std::string &getLaterPtx() {
  static const std::string text = [] {
    std::string later = getTestPtx();
    later.replace(0, later.find(".address_size"), ".version 7.8\n.target sm_90\n");
    return later;
  }();
  return text;
}

/// A program description that owns its lists. Slots are floats: `n` of them.
struct ProgramBuilder {
  std::vector<tiny_slot> slots;
  std::vector<uint32_t> results;
  std::vector<tiny_kernel> kernels;
  std::vector<tiny_item> items;
  std::vector<std::vector<uint32_t>> bufferLists;
  std::vector<tiny_size> sizes;
  std::vector<int64_t> grid; ///< of ranks
  bool readsPlace = false;
  int64_t stageAxis = -1;
  uint32_t nArguments = 0;

  uint32_t slot(uint64_t nFloats, uint32_t flags = 0) {
    slots.push_back({nFloats * sizeof(float), alignof(float), flags});
    return uint32_t(slots.size() - 1);
  }
  uint32_t argument(uint64_t nFloats, uint32_t flags = 0) {
    ++nArguments;
    return slot(nFloats, flags);
  }
  /// Behind the last argument.
  uint32_t sizesSlot(const std::vector<tiny_size> &list) {
    sizes = list;
    slots.push_back({list.size() * sizeof(int64_t), alignof(int64_t), 0});
    return uint32_t(slots.size() - 1);
  }
  uint32_t alloc(uint64_t nFloats) {
    uint32_t index = slot(nFloats);
    item(TINY_ITEM_ALLOC).slot = index;
    return index;
  }
  uint32_t constant(const std::vector<float> &values) {
    uint32_t index = slot(values.size());
    tiny_item &entry = item(TINY_ITEM_CONSTANT);
    entry.slot = index;
    entry.data = values.data();
    entry.data_size = values.size() * sizeof(float);
    return index;
  }
  uint32_t alias(uint32_t source, uint64_t firstFloat, uint64_t nFloats) {
    uint32_t index = slot(nFloats);
    tiny_item &entry = item(TINY_ITEM_ALIAS);
    entry.slot = index;
    entry.source = source;
    entry.offset = firstFloat * sizeof(float);
    return index;
  }
  /// A function, and the kernel of its name in Kernels.mlir for a device that calls none.
  uint32_t kernel(const char *name, tiny_cpu_kernel function, uint32_t nBuffers, uint32_t flags = 0) {
    const std::vector<uint32_t> &code = getTestSpirv();
    kernels.push_back(
        {name, function, {1, 1, 1}, nBuffers, flags, 0, code.data(), code.size() * sizeof(uint32_t), nullptr, 0});
    return uint32_t(kernels.size() - 1);
  }
  void launch(uint32_t kernel, std::vector<uint32_t> inputs, const std::vector<uint32_t> &outputs) {
    tiny_item &entry = item(TINY_ITEM_LAUNCH);
    entry.kernel = kernel;
    entry.n_inputs = uint32_t(inputs.size());
    entry.n_outputs = uint32_t(outputs.size());
    inputs.insert(inputs.end(), outputs.begin(), outputs.end());
    bufferLists.push_back(std::move(inputs));
    entry.buffers = bufferLists.back().data();
  }
  void copy(uint32_t source, uint32_t target) {
    tiny_item &entry = item(TINY_ITEM_COPY);
    entry.source = source;
    entry.slot = target;
  }
  void fill(uint32_t target, const float *value) {
    tiny_item &entry = item(TINY_ITEM_FILL);
    entry.slot = target;
    entry.data = value;
    entry.data_size = sizeof(float);
  }
  void collective(const tiny_collective *what, uint32_t source, uint32_t target) {
    tiny_item &entry = item(TINY_ITEM_COLLECTIVE);
    entry.collective = what;
    entry.source = source;
    entry.slot = target;
  }
  void wait(uint32_t source, uint32_t target) {
    tiny_item &entry = item(TINY_ITEM_WAIT);
    entry.source = source;
    entry.slot = target;
  }
  /// A slot of one integer that a loop takes.
  uint32_t slotOf(uint64_t bytes, const char *pattern) {
    slots.push_back({bytes, uint32_t(bytes), 0});
    uint32_t index = uint32_t(slots.size() - 1);
    item(TINY_ITEM_ALLOC).slot = index;
    tiny_item &entry = item(TINY_ITEM_FILL);
    entry.slot = index;
    entry.data = pattern;
    entry.data_size = bytes;
    return index;
  }
  /// Begins a loop; `endList` says which items are its list.
  size_t loop(uint64_t count, uint32_t limit = TINY_NO_SLOT, uint32_t counter = TINY_NO_SLOT,
              uint32_t condition = TINY_NO_SLOT) {
    tiny_item &entry = item(TINY_ITEM_LOOP);
    entry.count = count;
    entry.limit = limit;
    entry.slot = counter;
    entry.source = condition;
    return items.size() - 1;
  }
  size_t branch(uint32_t condition) {
    item(TINY_ITEM_IF).source = condition;
    return items.size() - 1;
  }
  /// What is behind it is the second list of a branch.
  void otherwise(size_t index) { items[index].count = items.size() - 1 - index; }
  void endList(size_t index) {
    items[index].n_nested = uint32_t(items.size() - 1 - index);
    if (items[index].kind == TINY_ITEM_IF && !items[index].count)
      items[index].count = items[index].n_nested;
  }
  tiny_item &item(tiny_item_kind kind) {
    items.push_back(tiny_item());
    items.back().kind = kind;
    return items.back();
  }

  tiny_program_desc desc() const {
    tiny_program_desc result = {};
    result.name = "p";
    result.slots = slots.data();
    result.n_slots = uint32_t(slots.size());
    result.n_arguments = nArguments;
    result.results = results.data();
    result.n_results = uint32_t(results.size());
    result.kernels = kernels.data();
    result.n_kernels = uint32_t(kernels.size());
    result.items = items.data();
    result.n_items = uint32_t(items.size());
    result.sizes = sizes.data();
    result.n_sizes = uint32_t(sizes.size());
    result.grid = grid.data();
    result.n_grid = uint32_t(grid.size());
    result.reads_place = readsPlace;
    result.has_stages = stageAxis >= 0;
    result.stage_axis = uint32_t(std::max<int64_t>(stageAxis, 0));
    return result;
  }
  tiny_status create(tiny_device *device, tiny_program **program) const {
    tiny_program_desc result = desc();
    // Kernels come with SPIR-V.
    std::vector<tiny_kernel> others = kernels;
    const char *name = tiny_device_name(device);
    bool isMulti = name && std::strchr(name, ',');
    for (tiny_kernel &other : others)
      if (name && std::strncmp(name, "cuda", 4) == 0) {
        // Every second one is the second device's: without code it runs the function.
        bool isSecond = isMulti && (&other - others.data()) % 2;
        const std::string &text = isSecond && std::strchr(name, ':') ? getLaterPtx() : getTestPtx();
        other.code = isSecond && !std::strchr(name, ':') ? nullptr : text.c_str();
        other.code_size = text.size() + 1;
      }
    result.kernels = others.data();
    return tiny_program_create(device, &result, program);
  }
};

/// out[i] = in[i] + 1 over 4 floats.
inline void addOne(void *const *buffers, const int64_t *) {
  auto *in = static_cast<const float *>(buffers[0]);
  auto *out = static_cast<float *>(buffers[1]);
  for (int i = 0; i < 4; ++i)
    out[i] = in[i] + 1;
}

} // namespace runtime
} // namespace tiny

#endif // TINY_UNITTESTS_RUNTIME_RUNTIMETEST_H
