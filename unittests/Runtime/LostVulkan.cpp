// Calls of Vulkan's that fail: each error arrives with the driver's word for it, nothing hangs, and everything can be
// freed. A device is opened once for a process, so each case is a process of its own.
#include "Device.h"
#include "QueueTest.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace tiny::runtime;

namespace {

class FailingVulkan : public testing::Test {
protected:
  /// The function fails from its call number `at` on; opens the device.
  void failAt(const char *call, int at, int result) {
    setenv("FAIL_CALL", call, 1);
    setenv("FAIL_AT", std::to_string(at).c_str(), 1);
    setenv("FAIL_RESULT", std::to_string(result).c_str(), 1);
    setenv("TINY_VULKAN_LIBRARY", TINY_FAILING_VULKAN, 1);
    if (!openVulkan(device))
      std::_Exit(testing::Test::HasFailure() ? 1 : 0);
    ProgramBuilder builder;
    uint32_t x = builder.argument(4), y = builder.alloc(4);
    builder.launch(builder.kernel("add_one", addOne, 2), {x}, {y});
    builder.results = {y};
    status = builder.create(device.get(), program.receive());
  }
  Buffer allocate(uint64_t size) {
    Buffer buffer;
    EXPECT_OK(tiny_buffer_allocate(device.get(), size, buffer.receive()));
    return buffer;
  }
  tiny_status run(const Buffer &argument) {
    tiny_buffer *list = argument.get(), *result = nullptr;
    tiny_status status = tiny_program_run(program.get(), &list, 1, &result, 1, nullptr);
    Buffer owner(result);
    return status;
  }

  Device device;
  Program program;
  tiny_status status = TINY_OK;
};

/// The body in a process of its own, which must find it well.
template <typename Body> void inProcess(Body &&body) {
  // The new process runs this test alone: others may have opened the device.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        body();
        std::_Exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

constexpr int kLost = -4, kOutOfDeviceMemory = -2;

bool hasVulkan() { return dlopen("libvulkan.so.1", RTLD_NOW) != nullptr; }

} // namespace

TEST_F(FailingVulkan, ALostDeviceStaysLost) {
  if (!hasVulkan())
    GTEST_SKIP() << "no Vulkan loader";
  for (const char *call : {"vkQueueSubmit", "vkWaitSemaphores"})
    inProcess([&] {
      failAt(call, 2, kLost);
      ASSERT_OK(status);
      Buffer argument = allocate(16);
      ASSERT_OK(run(argument));
      std::string first =
          std::string("device 'vulkan' is lost: device 'vulkan': ") + call + " gave VK_ERROR_DEVICE_LOST (-4)";
      EXPECT_EQ(run(argument), TINY_DEVICE_ERROR);
      for (int k = 0; k < 3; ++k)
        EXPECT_FAILS(run(argument), TINY_DEVICE_ERROR, first);
      Buffer none;
      EXPECT_FAILS(tiny_buffer_allocate(device.get(), 16, none.receive()), TINY_DEVICE_ERROR, first);
      float value = 0;
      EXPECT_FAILS(tiny_buffer_read(argument.get(), 0, &value, 4), TINY_DEVICE_ERROR, first);
      EXPECT_FAILS(tiny_buffer_fill(argument.get(), 0, 4, &value, 4), TINY_DEVICE_ERROR, first);
      argument = Buffer();
      tiny_memory_info info;
      program = Program();
      ASSERT_OK(tiny_device_memory(device.get(), &info));
      EXPECT_EQ(info.allocations, 0u);
    });
}

TEST_F(FailingVulkan, QueuesFailTheirSignals) {
  if (!hasVulkan())
    GTEST_SKIP() << "no Vulkan loader";
  inProcess([&] {
    failAt("vkQueueSubmit", 1, kLost);
    Queue queue;
    ASSERT_OK(tiny_queue_create(device.get(), queue.receive()));
    Signal signal = signalAt(0);
    Buffer argument = allocate(16), result = allocate(16);
    tiny_buffer *from = argument.get(), *to = result.get();
    tiny_timepoint point = {signal.get(), 1};
    tiny_submission submission = {};
    submission.program = program.get();
    submission.arguments = &from;
    submission.results = &to;
    submission.signals = &point;
    submission.n_arguments = submission.n_results = submission.n_signals = 1;
    ASSERT_OK(tiny_queue_submit(queue.get(), &submission));
    EXPECT_FAILS(tiny_signal_wait(signal.get(), 1, TINY_FOREVER), TINY_DEVICE_ERROR, "device 'vulkan' is lost");
    EXPECT_FAILS(tiny_queue_wait(queue.get()), TINY_DEVICE_ERROR, "device 'vulkan' is lost");
  });
}

/// The runtime hands over what is recorded where other devices go on meanwhile.
TEST_F(FailingVulkan, WhatIsRecordedBeginsWhenAsked) {
  if (!hasVulkan())
    GTEST_SKIP() << "no Vulkan loader";
  inProcess([&] {
    failAt("vkQueueSubmit", 1, kLost);
    Memory memory;
    memory.size = 16;
    ASSERT_OK(device.get()->allocate(memory));
    uint32_t pattern = 7;
    ASSERT_OK(device.get()->fill({&memory, 0, 16}, &pattern, sizeof(pattern)));
    EXPECT_FAILS(device.get()->flush(), TINY_DEVICE_ERROR, "device 'vulkan' is lost");
    device.get()->free(memory);
  });
}

TEST_F(FailingVulkan, MemoryThatIsNotThereIsNoLoss) {
  if (!hasVulkan())
    GTEST_SKIP() << "no Vulkan loader";
  inProcess([&] {
    failAt("vkAllocateMemory", 2, kOutOfDeviceMemory);
    Buffer small = allocate(16), large;
    EXPECT_FAILS(tiny_buffer_allocate(device.get(), 64 << 20, large.receive()), TINY_OUT_OF_MEMORY,
                 "device 'vulkan': vkAllocateMemory gave VK_ERROR_OUT_OF_DEVICE_MEMORY (-2)");
    EXPECT_OK(run(small));
  });
}

TEST_F(FailingVulkan, PipelinesThatCannotBeMade) {
  if (!hasVulkan())
    GTEST_SKIP() << "no Vulkan loader";
  inProcess([&] {
    failAt("vkCreateComputePipelines", 1, kOutOfDeviceMemory);
    EXPECT_EQ(status, TINY_OUT_OF_MEMORY);
    EXPECT_NE(std::string(tiny_last_error()).find("vkCreateComputePipelines gave"), std::string::npos);
  });
}

TEST_F(FailingVulkan, LoadersThatAreTooOld) {
  if (!hasVulkan())
    GTEST_SKIP() << "no Vulkan loader";
  inProcess([&] {
    setenv("FAIL_HIDE", "vkEnumerateInstanceVersion", 1);
    setenv("TINY_VULKAN_LIBRARY", TINY_FAILING_VULKAN, 1);
    EXPECT_FAILS(tiny_device_open("vulkan", device.receive()), TINY_UNSUPPORTED,
                 "device 'vulkan': 'libvulkan' has no vkEnumerateInstanceVersion, expected Vulkan 1.2");
  });
}

TEST_F(FailingVulkan, MatricesThatTheDeviceStates) {
  if (!hasVulkan())
    GTEST_SKIP() << "no Vulkan loader";
  auto countMatrices = [&](const char *wanted) {
    setenv("CLAIM_MATRICES", "1", 1);
    setenv("TINY_VULKAN_MATRICES", wanted, 1);
    setenv("TINY_VULKAN_LIBRARY", TINY_FAILING_VULKAN, 1);
    if (!openVulkan(device))
      std::_Exit(0);
    tiny_device_facts facts;
    ASSERT_OK(tiny_device_describe(device.get(), &facts));
    if (*wanted == '0') {
      EXPECT_EQ(facts.n_matrices, 0u);
      return;
    }
    // Those of a subgroup that do not saturate.
    ASSERT_EQ(facts.n_matrices, 2u);
    EXPECT_EQ(facts.matrices[0].factor, TINY_DTYPE_F16);
    EXPECT_EQ(facts.matrices[0].sum, TINY_DTYPE_F32);
    EXPECT_EQ(facts.matrices[1].factor, TINY_DTYPE_I8);
    EXPECT_EQ(facts.matrices[1].sum, TINY_DTYPE_I32);
    EXPECT_EQ(facts.matrices[1].k, 16u);
  };
  inProcess([&] { countMatrices(""); });
  inProcess([&] { countMatrices("0"); });
}
