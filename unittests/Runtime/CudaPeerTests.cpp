// Copies between two of CUDA's devices: straight where the driver lets one use the other's memory, else through the
// host, with the same bytes. Each case is a process, on the driver of the tests.
#include "RuntimeTest.h"

#include <thread>

using namespace tiny::runtime;

namespace {

class CudaPeers : public testing::Test {
protected:
  void open(const char *failures = "") {
    useFakeCuda(/*overwrite=*/1);
    setenv("TINY_FAKE_CUDA_FAIL", failures, 1);
    ASSERT_OK(tiny_device_open("cuda:0", first.receive()));
    ASSERT_OK(tiny_device_open("cuda:1", second.receive()));
  }
  Buffer allocate(const Device &device, uint64_t size) {
    Buffer buffer;
    EXPECT_OK(tiny_buffer_allocate(device.get(), size, buffer.receive()));
    return buffer;
  }
  /// There and back.
  void expectCopies() {
    std::vector<int> values(1000), got(1000);
    for (int k = 0; k < 1000; ++k)
      values[size_t(k)] = 3 * k + 1;
    Buffer here = allocate(first, 4000), there = allocate(second, 4000), again = allocate(first, 4000);
    ASSERT_OK(tiny_buffer_write(here.get(), 0, values.data(), 4000));
    ASSERT_OK(tiny_buffer_copy(here.get(), 0, there.get(), 0, 4000));
    ASSERT_OK(tiny_buffer_copy(there.get(), 0, again.get(), 0, 4000));
    here = there = Buffer();
    ASSERT_OK(tiny_buffer_read(again.get(), 0, got.data(), 4000));
    EXPECT_EQ(got, values);
  }

  Device first, second;
};

template <typename Body> void inProcess(Body &&body) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        body();
        std::_Exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

/// Any copy to the host but one, and any copy between devices.
constexpr const char *kNoDetour = "cuMemcpyDtoHAsync:2+:719", *kNoPeers = "cuMemcpyPeerAsync:1+:719";

} // namespace

TEST_F(CudaPeers, AreCopiedStraight) {
  for (const char *order : {"late", "random:1", "random:2", "eager"})
    for (const char *pools : {"1", "0"})
      inProcess([&] {
        setenv("TINY_FAKE_CUDA_ORDER", order, 1);
        setenv("TINY_FAKE_CUDA_POOLS", pools, 1);
        open(kNoDetour);
        expectCopies();
      });
  // Somebody else in this process has enabled it.
  inProcess([&] {
    setenv("TINY_FAKE_CUDA_POOLS", "0", 1);
    open("cuCtxEnablePeerAccess:1+:704,cuMemcpyDtoHAsync:2+:719");
    expectCopies();
  });
}

TEST_F(CudaPeers, AreCopiedThroughTheHostWhereTheyMustBe) {
  for (auto [variable, value] : {std::pair("TINY_FAKE_CUDA_PEERS", "0"),
                                 {"TINY_CUDA_PEERS", "0"},
                                 {"TINY_FAKE_CUDA_WITHOUT", "cuMemcpyPeerAsync"},
                                 {"TINY_FAKE_CUDA_WITHOUT", "cuDeviceCanAccessPeer"}})
    inProcess([&, variable = variable, value = value] {
      setenv(variable, value, 1);
      open(kNoPeers);
      expectCopies();
    });
  for (const char *failure : {"cuMemPoolSetAccess:1+:801", "cuDeviceCanAccessPeer:1+:801"})
    inProcess([&] {
      open((std::string(failure) + "," + kNoPeers).c_str());
      expectCopies();
    });
  inProcess([&] {
    setenv("TINY_FAKE_CUDA_POOLS", "0", 1);
    open((std::string("cuCtxEnablePeerAccess:1+:217,") + kNoPeers).c_str());
    expectCopies();
  });
}

TEST_F(CudaPeers, FailWithTheirNames) {
  inProcess([&] {
    open("cuMemcpyPeerAsync:1:719");
    Buffer here = allocate(first, 16), there = allocate(second, 16);
    EXPECT_FAILS(tiny_buffer_copy(here.get(), 0, there.get(), 0, 16), TINY_DEVICE_ERROR,
                 "device 'cuda:1': cuMemcpyPeerAsync gave CUDA_ERROR_LAUNCH_FAILED (719)");
    EXPECT_FAILS(tiny_buffer_copy(there.get(), 0, here.get(), 0, 16), TINY_DEVICE_ERROR, "device 'cuda:1' is lost");
  });
  inProcess([&] {
    open();
    Device other;
    EXPECT_FAILS(tiny_device_open("cuda:2", other.receive()), TINY_UNSUPPORTED,
                 "device 'cuda:2': this machine has 2 GPUs, and their numbers begin with 0");
    for (const char *name : {"cuda:", "cuda:x", "cuda:1000", "cpu:0", "cuda:0:1"})
      EXPECT_FAILS(tiny_device_open(name, other.receive()), TINY_NOT_FOUND, std::string("no device '") + name + "'");
    EXPECT_FAILS(tiny_device_open("cuda:1,cuda:1", other.receive()), TINY_INVALID_ARGUMENT, "names 'cuda:1' twice");
  });
}

TEST_F(CudaPeers, ThreadsHaveAStreamOnEach) {
  for (const char *order : {"late", "random:1", "random:2", "random:3"})
    inProcess([&] {
      setenv("TINY_FAKE_CUDA_ORDER", order, 1);
      // Two devices, and as many threads as may run at a time.
      open("cuStreamCreate:7+:719");
      for (int round = 0; round < 3; ++round) {
        std::thread threads[] = {std::thread([&] { expectCopies(); }), std::thread([&] { expectCopies(); })};
        for (std::thread &thread : threads)
          thread.join();
        expectCopies();
      }
    });
}
