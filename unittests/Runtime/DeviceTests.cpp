#include "RuntimeTest.h"

#include <algorithm>
#include <thread>

using namespace tiny::runtime;

extern "C" int tinyUseFromC(void);

// Sizes that no machine has are part of these tests: under AddressSanitizer too they must give null, as malloc does.
extern "C" const char *__asan_default_options() { return "allocator_may_return_null=1"; }

TEST(Device, WorksFromC) { EXPECT_TRUE(tinyUseFromC()) << tiny_last_error(); }

TEST(Device, ListsCpuAndNull) {
  std::vector<std::string> names;
  for (size_t i = 0; i < tiny_device_count(); ++i)
    names.push_back(tiny_device_name_at(i));
  EXPECT_NE(std::find(names.begin(), names.end(), "cpu"), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "null"), names.end());
  EXPECT_EQ(tiny_device_name_at(names.size()), nullptr);
}

TEST(Device, UnknownNameListsThoseThatExist) {
  tiny_device *device = nullptr;
  EXPECT_FAILS(tiny_device_open("abacus", &device), TINY_NOT_FOUND,
               "no device 'abacus', available: 'cpu', 'null', 'vulkan', 'cuda'");
  EXPECT_EQ(device, nullptr);
  EXPECT_FAILS(tiny_device_open(nullptr, &device), TINY_INVALID_ARGUMENT, "device name or out parameter is null");
  EXPECT_FAILS(tiny_device_open("cpu", nullptr), TINY_INVALID_ARGUMENT, "device name or out parameter is null");
}

TEST(Device, VulkanSaysWhatIsMissing) {
  Device device;
  if (tiny_device_open("vulkan", device.receive()) == TINY_OK)
    return;
  bool isLeftOut = std::string(tiny_last_error()).find("left out") != std::string::npos;
  EXPECT_FAILS(tiny_device_open("vulkan", device.receive()), TINY_UNSUPPORTED,
               isLeftOut
                   ? "device 'vulkan' is left out of this build, which found no vulkan/vulkan.h (Debian: libvulkan-dev"
                   : "device 'vulkan'");
}

TEST(Device, SeveralAreOne) {
  Device both, again, device;
  ASSERT_OK(tiny_device_open("null,cpu", both.receive()));
  ASSERT_OK(tiny_device_open("null,cpu", again.receive()));
  EXPECT_EQ(both.get(), again.get());
  EXPECT_STREQ(tiny_device_name(both.get()), "null,cpu");
  EXPECT_FAILS(tiny_device_open("cpu,cpu", device.receive()), TINY_INVALID_ARGUMENT,
               "device 'cpu,cpu' names 'cpu' twice");
  EXPECT_FAILS(tiny_device_open("cpu,abacus", device.receive()), TINY_NOT_FOUND, "no device 'abacus'");
  EXPECT_FAILS(tiny_device_open("cpu,", device.receive()), TINY_NOT_FOUND, "no device ''");
  tiny_buffer *buffer = nullptr;
  alignas(8) float values[4] = {};
  EXPECT_FAILS(tiny_buffer_import(both.get(), values, sizeof(values), 0, nullptr, nullptr, &buffer), TINY_UNSUPPORTED,
               "device 'null,cpu' cannot compute on the host's memory: each of its devices has a copy");
  Buffer own;
  void *data = nullptr;
  ASSERT_OK(tiny_buffer_allocate(both.get(), 16, own.receive()));
  EXPECT_FAILS(tiny_buffer_map(own.get(), TINY_MAP_READ, 0, 16, &data), TINY_UNSUPPORTED,
               "device 'null,cpu' has memory on several devices: read and write it");
}

TEST(Device, OpeningTwiceGivesTheSame) {
  Device first, second;
  ASSERT_OK(tiny_device_open("cpu", first.receive()));
  ASSERT_OK(tiny_device_open("cpu", second.receive()));
  EXPECT_EQ(first.get(), second.get());
  EXPECT_STREQ(tiny_device_name(first.get()), "cpu");
}

TEST(Device, ReleasingTooOftenIsAnError) {
  tiny_device *device = nullptr;
  ASSERT_OK(tiny_device_open("null", &device));
  EXPECT_OK(tiny_device_release(device));
  EXPECT_FAILS(tiny_device_release(device), TINY_INVALID_ARGUMENT, "device handle is not alive");
  EXPECT_EQ(tiny_device_name(device), nullptr);
  EXPECT_FAILS(tiny_device_release(nullptr), TINY_INVALID_ARGUMENT, "device handle is null");
}

TEST(Device, StatusesHaveNames) {
  for (int status = TINY_OK; status <= TINY_DEVICE_ERROR; ++status)
    EXPECT_STRNE(tiny_status_name(tiny_status(status)), "unknown status");
}

TEST(Device, ErrorsBelongToTheirThread) {
  tiny_device *device = nullptr;
  EXPECT_EQ(tiny_device_open("here", &device), TINY_NOT_FOUND);
  std::thread([] {
    EXPECT_STREQ(tiny_last_error(), "");
    tiny_device *other = nullptr;
    EXPECT_EQ(tiny_device_open("there", &other), TINY_NOT_FOUND);
  }).join();
  EXPECT_NE(std::string(tiny_last_error()).find("'here'"), std::string::npos);
}

class DeviceMemory : public OnEveryDevice {};
TINY_ON_EVERY_DEVICE(DeviceMemory);

TEST_P(DeviceMemory, CountsWhatItHolds) {
  tiny_memory_info before, during, after;
  ASSERT_OK(tiny_device_memory(device.get(), &before));
  {
    Buffer buffer = allocate(1000);
    ASSERT_OK(tiny_device_memory(device.get(), &during));
  }
  ASSERT_OK(tiny_device_memory(device.get(), &after));
  EXPECT_EQ(during.bytes_in_use, before.bytes_in_use + 1000);
  EXPECT_EQ(during.allocations, before.allocations + 1);
  EXPECT_EQ(after.bytes_in_use, before.bytes_in_use);
  EXPECT_GE(after.peak_bytes, before.bytes_in_use + 1000);
}
