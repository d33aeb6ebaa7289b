// A chain and a diamond over the CPU and a GPU, with all copies as items: what comes of it is what one device gives.
#include "RuntimeTest.h"

using namespace tiny::runtime;

namespace {

void twice(void *const *buffers, const int64_t *) {
  for (int i = 0; i < 4; ++i)
    static_cast<float *>(buffers[1])[i] = 2 * static_cast<const float *>(buffers[0])[i];
}

class DevicePairs : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    std::string name = GetParam();
    hostFirst = name.compare(0, 3, "cpu") == 0;
    isCuda = name.find("cuda") != std::string::npos;
    Device gpu;
    if (isCuda && isSet("TINY_TEST_CUDA"))
      GTEST_SKIP() << "needs the driver of the tests";
    if (isCuda)
      useFakeCuda(/*overwrite=*/0);
    else if (!openVulkan(gpu))
      GTEST_SKIP() << tiny_last_error();
    ASSERT_OK(tiny_device_open(GetParam(), device.receive()));
  }
  uint32_t alloc(bool isOnHost) {
    uint32_t slot = builder.alloc(4);
    slotDevices.resize(slot);
    slotDevices.push_back(isOnHost == hostFirst ? 0 : 1);
    return slot;
  }
  uint32_t argument() {
    slotDevices.push_back(hostFirst ? 1 : 0);
    return builder.argument(4);
  }
  uint32_t kernel(const char *name, tiny_cpu_kernel function, bool isOnHost) {
    uint32_t index = builder.kernel(name, function, 2);
    tiny_kernel &made = builder.kernels[index];
    kernelDevices.push_back(isOnHost == hostFirst ? 0 : 1);
    if (isCuda) {
      made.code = getTestPtx().c_str();
      made.code_size = getTestPtx().size() + 1;
    }
    return index;
  }

  bool hostFirst = false, isCuda = false;
  Device device;
  ProgramBuilder builder;
  std::vector<uint32_t> slotDevices, kernelDevices;
};
INSTANTIATE_TEST_SUITE_P(Pairs, DevicePairs, testing::Values("vulkan,cpu", "cpu,vulkan", "cuda,cpu", "cpu,cuda"),
                         nameDevice);

} // namespace

/// Eight arms of two kernels on either device, one after the other; all of them begin with the argument on the GPU.
TEST_P(DevicePairs, GiveWhatOneDeviceGives) {
  uint32_t x = argument();
  uint32_t onGpu = kernel("add_one", addOne, false), onHost = kernel("twice", twice, true);
  for (int arm = 0; arm < 8; ++arm) {
    uint32_t current = x;
    for (int step = 0; step < 1 + arm % 4; ++step) {
      uint32_t there = alloc(true), doubled = alloc(true), back = alloc(false), more = alloc(false);
      builder.copy(current, there);
      builder.launch(onHost, {there}, {doubled});
      builder.copy(doubled, back);
      builder.launch(onGpu, {back}, {more});
      current = more;
    }
    builder.results.push_back(current);
  }
  tiny_program_desc desc = builder.desc();
  desc.slot_devices = slotDevices.data();
  desc.kernel_devices = kernelDevices.data();
  Program program;
  ASSERT_OK(tiny_program_create(device.get(), &desc, program.receive()));
  Buffer argument;
  float values[] = {1, 2, 3, 4}, got[4];
  ASSERT_OK(tiny_buffer_allocate(device.get(), 16, argument.receive()));
  ASSERT_OK(tiny_buffer_write(argument.get(), 0, values, 16));
  for (int round = 0; round < 5; ++round) {
    tiny_buffer *arguments[] = {argument.get()}, *results[8] = {};
    ASSERT_OK(tiny_program_run(program.get(), arguments, 1, results, 8, nullptr));
    for (int arm = 0; arm < 8; ++arm) {
      Buffer result(results[arm]);
      ASSERT_OK(tiny_buffer_read(result.get(), 0, got, 16));
      for (int k = 0; k < 4; ++k) {
        float expected = values[k];
        for (int step = 0; step < 1 + arm % 4; ++step)
          expected = 2 * expected + 1;
        EXPECT_EQ(got[k], expected) << "arm " << arm;
      }
    }
  }
}
