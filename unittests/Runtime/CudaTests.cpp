// What only CUDA's device does: what it refuses, and calls of the driver that fail. Each error arrives with the
// driver's words, nothing is called on a dead context, and everything can be freed. A device is opened once for a
// process, so cases that end it are processes of their own, on the driver of the tests.
#include "ContainerTest.h"
#include "QueueTest.h"

#include <cstdlib>

using namespace tiny::runtime;

namespace {

class CudaTest : public testing::Test {
protected:
  /// Opens the device; `failures` is TINY_FAKE_CUDA_FAIL.
  void open(const char *failures = "") {
    useFakeCuda(/*overwrite=*/1);
    setenv("TINY_FAKE_CUDA_FAIL", failures, 1);
    ASSERT_OK(tiny_device_open("cuda", device.receive()));
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
  tiny_status loadCode(const std::string &code) {
    SampleContainer sample;
    sample.makeFor("cuda");
    sample.container.binaries[0].code = code;
    AlignedBytes bytes(sample.write());
    Program other;
    return load(device, bytes, other);
  }

  Device device;
  Program program;
  tiny_status status = TINY_OK;
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

} // namespace

TEST_F(CudaTest, ItsMemoryIsItsOwn) {
  open();
  float values[4] = {};
  tiny_buffer *buffer = nullptr;
  EXPECT_FAILS(tiny_buffer_import(device.get(), values, sizeof(values), 0, nullptr, nullptr, &buffer), TINY_UNSUPPORTED,
               "device 'cuda' cannot compute on the host's memory: it has its own");
  Buffer own = allocate(16);
  void *data = nullptr;
  EXPECT_FAILS(tiny_buffer_map(own.get(), TINY_MAP_READ, 0, 16, &data), TINY_UNSUPPORTED,
               "device 'cuda' has memory that the host does not see: read and write it");
  EXPECT_STREQ(tiny_device_processor(device.get()), "sm_80");
  EXPECT_EQ(tiny_device_processor(nullptr), nullptr);
}

TEST_F(CudaTest, CodeThatIsNoPtxIsRefused) {
  open();
  EXPECT_FAILS(loadCode("banana"), TINY_INVALID_ARGUMENT, "the program's code is no PTX: it has no .target");
  EXPECT_FAILS(loadCode(".version 7.0\n.target sm_80\n.visible .entry add(\n.param .u64 a"), TINY_INVALID_ARGUMENT,
               "the program's code ends within PTX's entry 'add'");
  EXPECT_FAILS(
      loadCode(".version 7.0\n.target sm_80 // comment\n/* .entry */ banana"), TINY_DEVICE_ERROR,
      "device 'cuda': 'fake GPU' does not take the program's PTX for sm_80: CUDA_ERROR_INVALID_PTX (218): a PTX "
      "JIT compilation failed: ptxas application ptx input, line 3: unknown directive 'banana'");
  EXPECT_FAILS(loadCode(getTestPtx().substr(0, getTestPtx().find(".visible .entry twice"))), TINY_INVALID_ARGUMENT,
               "the program's code has no function 'twice'");
}

TEST_F(CudaTest, KernelsAreComparedWithTheDevice) {
  open();
  auto create = [&](const std::string &lanes, const std::string &shared, uint32_t nBuffers, int64_t y,
                    uint64_t bytes = 0) {
    std::string code = ".version 7.0\n.target sm_80\n.extern .shared .align 128 .b8 given[];\n.visible .entry "
                       "k(\n.param .u64 .ptr .align 4 a\n)\n.reqntid " +
                       lanes + "\n{\n" + shared + "ret;\n}\n";
    ProgramBuilder builder;
    uint32_t out = builder.alloc(4);
    builder.kernels.push_back({"k", nullptr, {1, y, 1}, nBuffers, 0, bytes, code.c_str(), code.size(), nullptr, 0});
    builder.launch(0, {}, std::vector<uint32_t>(nBuffers, out));
    builder.results = {out};
    tiny_program_desc desc = builder.desc();
    Program made;
    return tiny_program_create(device.get(), &desc, made.receive());
  };
  EXPECT_OK(create("4, 1, 1", "", 1, 1));
  EXPECT_FAILS(create("4, 1, 65", "", 1, 1), TINY_UNSUPPORTED, "kernel 'k' has 65 lanes along z, 'fake GPU' takes 64");
  EXPECT_FAILS(create("1024, 2", "", 1, 1), TINY_UNSUPPORTED, "kernel 'k' has 2048 lanes in a workgroup");
  // What the launch gives, where a kernel uses it.
  const std::string given = ".reg .b32 %r;\nmov.u32 %r, given;\n";
  EXPECT_OK(create("4", given, 1, 1, 163 << 10));
  EXPECT_FAILS(create("4", given, 1, 1, (163 << 10) + 1), TINY_UNSUPPORTED,
               "kernel 'k' has 166913 bytes of workgroup memory, 'fake GPU' takes 166912");
  EXPECT_OK(create("4", ".shared .align 16 .b8 own[49152];\n", 1, 1, 1 << 20));
  EXPECT_FAILS(create("4", "", 1, 65536), TINY_UNSUPPORTED, "kernel 'k' has 65536 workgroups along y");
}

TEST_F(CudaTest, ALostDeviceStaysLost) {
  inProcess([&] {
    open("cuStreamSynchronize:2:719");
    ASSERT_OK(status);
    Buffer argument = allocate(16);
    ASSERT_OK(run(argument));
    EXPECT_FAILS(run(argument), TINY_DEVICE_ERROR,
                 "device 'cuda': cuStreamSynchronize gave CUDA_ERROR_LAUNCH_FAILED "
                 "(719)");
    float values[4];
    EXPECT_FAILS(run(argument), TINY_DEVICE_ERROR,
                 "device 'cuda' is lost: device 'cuda': cuStreamSynchronize gave CUDA_ERROR_LAUNCH_FAILED (719)");
    EXPECT_FAILS(tiny_buffer_read(argument.get(), 0, values, 16), TINY_DEVICE_ERROR, "is lost");
    tiny_buffer *other = nullptr;
    EXPECT_FAILS(tiny_buffer_allocate(device.get(), 16, &other), TINY_DEVICE_ERROR, "is lost");
    argument = Buffer();
    program = Program();
    tiny_memory_info info;
    ASSERT_OK(tiny_device_memory(device.get(), &info));
    EXPECT_EQ(info.allocations, 0u);
  });
}

TEST_F(CudaTest, MemoryMayRunShort) {
  inProcess([&] {
    open("cuMemAllocFromPoolAsync:1:2,cuMemAllocFromPoolAsync:3:2,cuMemAllocFromPoolAsync:4:2");
    // The second attempt comes behind a wait, for what others freed.
    Buffer argument = allocate(16);
    tiny_buffer *other = nullptr;
    EXPECT_FAILS(tiny_buffer_allocate(device.get(), 16, &other), TINY_OUT_OF_MEMORY,
                 "cannot allocate 16 bytes on 'cuda'");
    EXPECT_OK(run(argument));
  });
}

TEST_F(CudaTest, EveryCallMayFail) {
  // At its first and its second call, in a device of its own: the error arrives, and what comes behind is well.
  for (const char *call : {"cuLaunchKernel", "cuModuleGetFunction", "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync",
                           "cuMemHostAlloc", "cuStreamCreate", "cuEventCreate", "cuFuncGetAttribute"})
    for (int number : {1, 2})
      inProcess([&] {
        open((std::string(call) + ":" + std::to_string(number) + ":999").c_str());
        int failures = status != TINY_OK;
        auto count = [&](tiny_status result) {
          failures += result != TINY_OK;
          if (result != TINY_OK) {
            EXPECT_NE(std::string(tiny_last_error()).find(std::string(call) + " gave CUDA_ERROR_UNKNOWN (999)"),
                      std::string::npos)
                << tiny_last_error();
          }
        };
        float values[4] = {1, 2, 3, 4};
        tiny_buffer *raw = nullptr;
        for (int k = 0; k < 3 && !raw; ++k)
          count(tiny_buffer_allocate(device.get(), 16, &raw));
        Buffer buffer(raw);
        for (int k = 0; k < 3; ++k) {
          count(tiny_buffer_write(buffer.get(), 0, values, 16));
          count(tiny_buffer_read(buffer.get(), 0, values, 16));
          if (program.get())
            count(run(buffer));
        }
        EXPECT_LE(failures, 1);
      });
}

namespace {

/// A copy, two launches that depend on each other, one that does not, and a fill.
class CudaGraphs : public CudaTest {
protected:
  void create() {
    ProgramBuilder builder;
    uint32_t x = builder.argument(4), a = builder.alloc(4), b = builder.alloc(4), c = builder.alloc(4),
             d = builder.alloc(4), add = builder.kernel("add_one", addOne, 2);
    builder.copy(x, a);
    builder.launch(add, {a}, {b});
    builder.launch(add, {x}, {c});
    builder.launch(add, {b}, {d});
    builder.fill(a, &half);
    builder.results = {d, c, a};
    ASSERT_OK(builder.create(device.get(), program.receive()));
  }
  void expectRun(float from) {
    Buffer x = allocate(16);
    const float values[] = {from, from + 1, from + 2, from + 3};
    ASSERT_OK(tiny_buffer_write(x.get(), 0, values, 16));
    tiny_buffer *argument = x.get(), *results[3] = {};
    ASSERT_OK(tiny_program_run(program.get(), &argument, 1, results, 3, nullptr));
    Buffer owners[] = {Buffer(results[0]), Buffer(results[1]), Buffer(results[2])};
    float got[3][4];
    for (int k = 0; k < 3; ++k)
      ASSERT_OK(tiny_buffer_read(results[k], 0, got[k], 16));
    for (int k = 0; k < 4; ++k) {
      EXPECT_EQ(got[0][k], values[k] + 2);
      EXPECT_EQ(got[1][k], values[k] + 1);
      EXPECT_EQ(got[2][k], .5f);
    }
  }
  const float half = .5f;
};

} // namespace

TEST_F(CudaGraphs, ServeEveryRunButTheFirst) {
  for (const char *order : {"late", "random:1", "random:2", "random:3"})
    inProcess([&] {
      setenv("TINY_FAKE_CUDA_ORDER", order, 1);
      open();
      create();
      for (int k = 0; k < 10; ++k)
        expectRun(float(k));
    });
}

TEST_F(CudaGraphs, AreNotNeeded) {
  // Refused when they are made, changed or instantiated: the steps are called one by one.
  for (const char *failure : {"cuGraphCreate:1+:801", "cuGraphAddKernelNode:2+:801", "cuGraphAddMemcpyNode:1:801",
                              "cuGraphInstantiateWithFlags:1+:801", "cuGraphExecKernelNodeSetParams:3:801"})
    inProcess([&] {
      open(failure);
      create();
      for (int k = 0; k < 5; ++k)
        expectRun(float(k));
    });
  inProcess([&] {
    setenv("TINY_CUDA_GRAPHS", "0", 1);
    open("cuGraphCreate:1+:719");
    create();
    for (int k = 0; k < 3; ++k)
      expectRun(float(k));
  });
}

namespace {

/// Adds one as often as an argument says, up to five times, between two launches.
class CudaLoops : public CudaTest {
protected:
  void create() {
    ProgramBuilder builder;
    uint32_t x = builder.argument(4), limit = builder.slot(2);
    ++builder.nArguments;
    uint32_t sum = builder.alloc(4), next = builder.alloc(4), y = builder.alloc(4),
             add = builder.kernel("add_one", addOne, 2);
    uint32_t counter = builder.slotOf(8, reinterpret_cast<const char *>(&zero));
    builder.launch(add, {x}, {sum});
    size_t loop = builder.loop(5, limit, counter);
    builder.launch(add, {sum}, {next});
    builder.copy(next, sum);
    builder.endList(loop);
    builder.launch(add, {sum}, {y});
    builder.results = {y, counter};
    for (tiny_slot &slot : builder.slots)
      slot.alignment = 16;
    ASSERT_OK(builder.create(device.get(), program.receive()));
  }
  void expectRun(int64_t limit) {
    Buffer x = allocate(16), count = allocate(8);
    const float values[] = {1, 2, 3, 4};
    ASSERT_OK(tiny_buffer_write(x.get(), 0, values, 16));
    ASSERT_OK(tiny_buffer_write(count.get(), 0, &limit, 8));
    tiny_buffer *arguments[] = {x.get(), count.get()}, *results[2] = {};
    ASSERT_OK(tiny_program_run(program.get(), arguments, 2, results, 2, nullptr));
    Buffer owners[] = {Buffer(results[0]), Buffer(results[1])};
    float got[4];
    int64_t counted;
    ASSERT_OK(tiny_buffer_read(results[0], 0, got, 16));
    ASSERT_OK(tiny_buffer_read(results[1], 0, &counted, 8));
    EXPECT_EQ(counted, std::clamp<int64_t>(limit, 0, 5));
    for (int k = 0; k < 4; ++k)
      EXPECT_EQ(got[k], values[k] + 2 + float(counted));
  }
  void runAll() {
    create();
    for (int64_t limit : {3, 0, 5, -1, 9, 1})
      expectRun(limit);
  }
  const int64_t zero = 0;
};

} // namespace

TEST_F(CudaLoops, AreDecidedByTheDevice) {
  for (const char *order : {"late", "random:1", "random:2", "random:3", "eager"})
    inProcess([&] {
      setenv("TINY_FAKE_CUDA_ORDER", order, 1);
      // No launch but the graph's, from the first run on, and one node for the loop.
      open("cuLaunchKernel:1+:719,cuGraphAddNode:2+:801,cuGraphLaunch:7+:719");
      runAll();
    });
}

TEST_F(CudaLoops, AreDecidedByTheHostWhereTheDriverRefuses) {
  // The second module is the one with the kernel that decides.
  for (const char *failure :
       {"cuGraphConditionalHandleCreate:1+:801", "cuGraphAddNode:1+:801", "cuModuleLoadDataEx:3:222",
        "cuGraphInstantiateWithFlags:1:801", "cuGraphAddKernelNode:2:1", "cuGraphExecKernelNodeSetParams:2:801"})
    inProcess([&] {
      open(failure);
      runAll();
    });
  for (const char *function : {"cuGraphConditionalHandleCreate", "cuGraphAddNode", "cuGraphCreate"})
    inProcess([&] {
      setenv("TINY_FAKE_CUDA_WITHOUT", function, 1);
      open("cuGraphAddNode:1+:719");
      runAll();
    });
  // What is in loops is a graph as before, from the second iteration on: 4, 5 and 5 launches.
  inProcess([&] {
    setenv("TINY_FAKE_CUDA_VERSION", "12000", 1);
    open("cuGraphLaunch:12:719");
    create();
    for (int64_t limit : {5, 5})
      expectRun(limit);
    Buffer x = allocate(16), count = allocate(8);
    const int64_t limit = 5;
    ASSERT_OK(tiny_buffer_write(count.get(), 0, &limit, 8));
    tiny_buffer *arguments[] = {x.get(), count.get()}, *results[2] = {};
    EXPECT_FAILS(tiny_program_run(program.get(), arguments, 2, results, 2, nullptr), TINY_DEVICE_ERROR,
                 "cuGraphLaunch gave CUDA_ERROR_LAUNCH_FAILED (719)");
  });
}

TEST_F(CudaLoops, StayLost) {
  inProcess([&] {
    open("cuGraphAddNode:1:719");
    create();
    Buffer x = allocate(16), count = allocate(8);
    tiny_buffer *arguments[] = {x.get(), count.get()}, *results[2] = {};
    for (int k = 0; k < 2; ++k)
      EXPECT_FAILS(tiny_program_run(program.get(), arguments, 2, results, 2, nullptr), TINY_DEVICE_ERROR,
                   "gave CUDA_ERROR_LAUNCH_FAILED (719)");
  });
}

TEST_F(CudaGraphs, FailAsLaunchesDo) {
  inProcess([&] {
    open("cuGraphLaunch:1:719");
    create();
    expectRun(1);
    Buffer x = allocate(16);
    tiny_buffer *argument = x.get(), *results[3] = {};
    EXPECT_FAILS(tiny_program_run(program.get(), &argument, 1, results, 3, nullptr), TINY_DEVICE_ERROR,
                 "device 'cuda': cuGraphLaunch gave CUDA_ERROR_LAUNCH_FAILED (719)");
  });
}
