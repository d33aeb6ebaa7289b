// The driver's rules: each is broken, and the driver says so. A fault ends a context, so each test is a process.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

/// The driver, found as the runtime finds it; calls by name, with whatever they take.
class Cuda {
public:
  Cuda() {
    void *library = dlopen(TINY_FAKE_CUDA, RTLD_NOW);
    find = reinterpret_cast<Find>(dlsym(library, "cuGetProcAddress_v2"));
    call("cuInit", 0u);
    call("cuDevicePrimaryCtxRetain", &context, 0);
    call("cuCtxPushCurrent", context);
    for (void *&stream : streams)
      call("cuStreamCreate", &stream, 1u);
    call("cuEventCreate", &event, 2u);
  }
  template <typename... Arguments> int call(const char *name, Arguments... arguments) {
    return callAt(12000, name, arguments...);
  }
  template <typename... Arguments> int callAt(int version, const char *name, Arguments... arguments) {
    void *function = nullptr;
    find(name, &function, version, 0, nullptr);
    return reinterpret_cast<int (*)(Arguments...)>(function)(arguments...);
  }
  std::string words(int result) {
    const char *text = nullptr;
    call("cuGetErrorString", result, &text);
    return text ? text : "";
  }
  uint64_t allocate(size_t bytes) {
    uint64_t pointer = 0;
    call("cuMemAlloc", &pointer, bytes);
    return pointer;
  }
  /// A kernel that adds 1 to 4 floats of its first buffer, into its second one.
  void *load(const std::string &head = ".version 7.0\n.target sm_80\n", int *result = nullptr) {
    std::string text =
        head + ".address_size 64\n.visible .entry k(\n.param .u64 .ptr .align 4 a,\n.param .u64 .ptr .align 4 b\n)\n"
               ".reqntid 4, 1, 1\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nld.param.b64 %rd1, [a];\n"
               "ld.param.b64 %rd2, [b];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\n"
               "add.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, %rd2, %rd3;\nld.global.nc.b32 %r2, [%rd4];\n"
               "add.rn.f32 %r3, %r2, 0f3F800000;\nst.global.b32 [%rd5], %r3;\nret;\n}\n";
    char log[256] = "";
    int options[] = {5, 6};
    void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
    int loaded = call("cuModuleLoadDataEx", &module, text.c_str(), 2u, options, values);
    if (result)
      *result = loaded;
    function = nullptr;
    if (!loaded)
      call("cuModuleGetFunction", &function, module, "k");
    lastLog = log;
    return function;
  }
  int launch(uint64_t a, uint64_t b, void *stream, unsigned lanes = 4, unsigned bytes = 0) {
    void *parameters[] = {&a, &b};
    return call("cuLaunchKernel", function, 1u, 1u, 1u, lanes, 1u, 1u, bytes, stream, parameters,
                static_cast<void **>(nullptr));
  }
  int sync(void *stream) { return call("cuStreamSynchronize", stream); }

  void *context = nullptr, *streams[2] = {}, *event = nullptr, *module = nullptr, *function = nullptr;
  std::string lastLog;

private:
  using Find = int (*)(const char *, void **, int, uint64_t, int *);
  Find find = nullptr;
};

/// The body in a process of its own, with variables of the environment, which must find all well.
template <typename Body> void inProcess(Body &&body) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        body();
        std::_Exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

#define EXPECT_FAULT(call, code, part)                                                                                 \
  do {                                                                                                                 \
    int result = call;                                                                                                 \
    EXPECT_EQ(result, code);                                                                                           \
    EXPECT_NE(cuda.words(result).find(part), std::string::npos) << cuda.words(result);                                 \
  } while (false)

enum {
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNoBinary = 209,
  kInvalidContext = 201,
  kInvalidPtx = 218,
  kUnsupportedPtx = 222,
  kInvalidHandle = 400,
  kLaunchFailed = 719
};

} // namespace

TEST(FakeCuda, RunsWhatIsOrdered) {
  inProcess([] {
    Cuda cuda;
    cuda.load();
    uint64_t a = cuda.allocate(16), b = cuda.allocate(16), c = cuda.allocate(16);
    EXPECT_EQ(cuda.call("cuMemsetD32Async", a, 0x40000000u, size_t(4), cuda.streams[0]), 0);
    EXPECT_EQ(cuda.launch(a, b, cuda.streams[0]), 0);
    EXPECT_EQ(cuda.call("cuEventRecord", cuda.event, cuda.streams[0]), 0);
    EXPECT_EQ(cuda.call("cuStreamWaitEvent", cuda.streams[1], cuda.event, 0u), 0);
    EXPECT_EQ(cuda.launch(b, c, cuda.streams[1]), 0);
    float got[4] = {};
    EXPECT_EQ(cuda.call("cuMemcpyDtoHAsync", static_cast<void *>(got), c, size_t(16), cuda.streams[1]), 0);
    EXPECT_EQ(got[3], 4.0f);
  });
}

TEST(FakeCuda, FindsRacesBetweenStreams) {
  inProcess([] {
    Cuda cuda;
    cuda.load();
    uint64_t a = cuda.allocate(16), b = cuda.allocate(16), c = cuda.allocate(16);
    cuda.call("cuMemsetD32Async", a, 0u, size_t(4), cuda.streams[0]);
    cuda.launch(a, b, cuda.streams[0]);
    cuda.launch(b, c, cuda.streams[1]);
    EXPECT_EQ(cuda.sync(cuda.streams[0]), 0);
    EXPECT_FAULT(cuda.sync(cuda.streams[1]), kLaunchFailed, "a race: kernel 'k' on stream 1 reads bytes 0 to 16");
    // The context is dead.
    uint64_t d;
    EXPECT_EQ(cuda.call("cuMemAlloc", &d, size_t(16)), kLaunchFailed);
  });
}

TEST(FakeCuda, FindsMemoryThatIsFreedTooEarly) {
  inProcess([] {
    Cuda cuda;
    cuda.load();
    const int properties[22] = {1, 0, 1, 0};
    void *pool;
    uint64_t a = cuda.allocate(16), b;
    EXPECT_EQ(cuda.call("cuMemPoolCreate", &pool, static_cast<const void *>(properties)), 0);
    EXPECT_EQ(cuda.call("cuMemAllocFromPoolAsync", &b, size_t(16), pool, cuda.streams[0]), 0);
    EXPECT_EQ(cuda.launch(a, b, cuda.streams[0]), 0);
    EXPECT_EQ(cuda.call("cuMemFreeAsync", b, cuda.streams[1]), 0);
    EXPECT_FAULT(cuda.launch(a, b, cuda.streams[0]), kInvalidValue,
                 "a pointer for kernel 'k' is in no live allocation");
    EXPECT_EQ(cuda.sync(cuda.streams[0]), 0);
    EXPECT_FAULT(cuda.sync(cuda.streams[1]), kLaunchFailed, "a race: a free on stream 1");
  });
}

TEST(FakeCuda, FindsHostMemoryThatIsWrittenTooEarly) {
  inProcess([] {
    Cuda cuda;
    void *host;
    uint64_t a = cuda.allocate(16);
    EXPECT_EQ(cuda.call("cuMemHostAlloc", &host, size_t(16), 0u), 0);
    EXPECT_EQ(cuda.call("cuMemcpyHtoDAsync", a, static_cast<const void *>(host), size_t(16), cuda.streams[0]), 0);
    static_cast<char *>(host)[3] ^= 1;
    EXPECT_FAULT(cuda.sync(cuda.streams[0]), kLaunchFailed, "the host wrote to memory that a copy has not read yet");
  });
}

TEST(FakeCuda, ChecksTimes) {
  inProcess([] {
    Cuda cuda;
    float milliseconds = 0;
    void *timed[2] = {};
    for (void *&event : timed)
      EXPECT_EQ(cuda.call("cuEventCreate", &event, 0u), 0);
    EXPECT_FAULT(cuda.call("cuEventElapsedTime", &milliseconds, timed[0], timed[1]), kInvalidHandle, "has no time");
    for (void *event : timed)
      EXPECT_EQ(cuda.call("cuEventRecord", event, cuda.streams[0]), 0);
    EXPECT_FAULT(cuda.call("cuEventElapsedTime", &milliseconds, timed[0], timed[1]), 600, "not over");
    EXPECT_EQ(cuda.sync(cuda.streams[0]), 0);
    EXPECT_EQ(cuda.call("cuEventElapsedTime", &milliseconds, timed[0], timed[1]), 0);
    EXPECT_GT(milliseconds, 0);
    // The one of the tests was made without times.
    EXPECT_EQ(cuda.call("cuEventRecord", cuda.event, cuda.streams[0]), 0);
    EXPECT_FAULT(cuda.call("cuEventElapsedTime", &milliseconds, timed[0], cuda.event), kInvalidHandle, "has no time");
  });
}

TEST(FakeCuda, ChecksLifetimes) {
  inProcess([] {
    Cuda cuda;
    cuda.load();
    uint64_t a = cuda.allocate(16), b = cuda.allocate(16);
    EXPECT_FAULT(cuda.call("cuMemFree", a + 4), kInvalidValue, "no begin of an allocation");
    EXPECT_EQ(cuda.call("cuMemFree", a), 0);
    EXPECT_FAULT(cuda.call("cuMemFree", a), kInvalidValue, "in no live allocation");
    EXPECT_EQ(cuda.call("cuEventDestroy", cuda.event), 0);
    EXPECT_FAULT(cuda.call("cuEventRecord", cuda.event, cuda.streams[0]), kInvalidHandle, "no live event");
    EXPECT_EQ(cuda.call("cuStreamDestroy", cuda.streams[1]), 0);
    EXPECT_FAULT(cuda.sync(cuda.streams[1]), kInvalidHandle, "no live stream");
    EXPECT_FAULT(cuda.sync(nullptr), kInvalidHandle, "no stream, but null");
    uint64_t c = cuda.allocate(16);
    EXPECT_EQ(cuda.launch(c, b, cuda.streams[0]), 0);
    EXPECT_FAULT(cuda.call("cuModuleUnload", cuda.module), kLaunchFailed,
                 "while 1 launches of its kernels have not run");
  });
}

TEST(FakeCuda, ChecksLaunches) {
  inProcess([] {
    Cuda cuda;
    cuda.load();
    uint64_t a = cuda.allocate(32), b = cuda.allocate(32);
    EXPECT_FAULT(cuda.launch(a, b, cuda.streams[0], 8), kInvalidValue, "demands other lanes");
    EXPECT_FAULT(cuda.launch(a, b, cuda.streams[0], 4, 49153), kInvalidValue, "more shared memory than it asked for");
    EXPECT_EQ(cuda.call("cuFuncSetAttribute", cuda.function, 8, 163 << 10), 0);
    EXPECT_FAULT(cuda.call("cuFuncSetAttribute", cuda.function, 8, (163 << 10) + 1), kInvalidValue, "or to so much");
    EXPECT_FAULT(cuda.launch(a + 2, b, cuda.streams[0]), kInvalidValue, "pointer 0 is no multiple of 4");
    EXPECT_FAULT(cuda.launch(a, 0, cuda.streams[0]), kInvalidValue, "in no live allocation");
    // Beside what it writes it may read.
    EXPECT_EQ(cuda.launch(a, a + 16, cuda.streams[0]), 0);
    EXPECT_EQ(cuda.launch(a + 16, a, cuda.streams[0]), 0);
    EXPECT_EQ(cuda.sync(cuda.streams[0]), 0);
    EXPECT_FAULT(cuda.launch(a, a, cuda.streams[0]) + cuda.sync(cuda.streams[0]), kLaunchFailed,
                 "writes memory that it reads as never written");
  });
}

TEST(FakeCuda, ChecksTensorMaps) {
  inProcess([] {
    setenv("TINY_FAKE_CUDA_CAPABILITY", "9.0", 1);
    Cuda cuda;
    struct Map {
      alignas(64) char bytes[192];
      uint64_t extents[5] = {64, 16, 1, 1, 1}, strides[4] = {128, 0, 0, 0};
      unsigned box[5] = {64, 8, 1, 1, 1}, steps[5] = {1, 1, 1, 1, 1}, rank = 2;
      int type = 9, swizzle = 3;
      uint64_t address = uint64_t(1) << 32;
      size_t at = 0;
    };
    auto encode = [&](auto &&change) {
      Map map;
      change(map);
      return cuda.call("cuTensorMapEncodeTiled", static_cast<void *>(map.bytes + map.at), map.type, map.rank,
                       reinterpret_cast<void *>(map.address), static_cast<const uint64_t *>(map.extents),
                       static_cast<const uint64_t *>(map.strides), static_cast<const unsigned *>(map.box),
                       static_cast<const unsigned *>(map.steps), 0, map.swizzle, 2, 0);
    };
    EXPECT_EQ(encode([](Map &) {}), 0);
    auto expect = [&](const char *part, auto &&change) { EXPECT_FAULT(encode(change), kInvalidValue, part); };
    expect("begins at no multiple of 64", [](Map &m) { m.at = 32; });
    expect("an array that begins at no multiple of 16", [](Map &m) { m.address += 8; });
    expect("of 6 dimensions", [](Map &m) { m.rank = 6; });
    expect("of an unknown type", [](Map &m) { m.type = 99; });
    expect("that is 0 or too large", [](Map &m) { m.extents[1] = 0; });
    expect("that is 0 or too large", [](Map &m) { m.extents[0] = (uint64_t(1) << 32) + 1; });
    expect("of 136 bytes, no multiple of 16", [](Map &m) { m.strides[0] = 136; });
    expect("no multiple of 16", [](Map &m) { m.strides[0] = uint64_t(1) << 40; });
    expect("a box of dimension 1 of 257 elements", [](Map &m) { m.box[1] = 257; });
    expect("rows have 8 bytes, no multiple of 16", [](Map &m) { m.box[0] = 4; });
    expect("rows have 144 bytes, more than the swizzle", [](Map &m) { m.box[0] = 72; });
    expect("more than the swizzle", [](Map &m) { m.swizzle = 2; });
    expect("steps that are not known here", [](Map &m) { m.steps[0] = 2; });
  });
  inProcess([] {
    setenv("TINY_FAKE_CUDA_CAPABILITY", "8.9", 1);
    Cuda cuda;
    EXPECT_EQ(
        cuda.call("cuTensorMapEncodeTiled", nullptr, 9, 2u, nullptr, nullptr, nullptr, nullptr, nullptr, 0, 3, 2, 0),
        801);
  });
}

TEST(FakeCuda, ChecksCopiesAndFills) {
  inProcess([] {
    Cuda cuda;
    uint64_t a = cuda.allocate(32);
    EXPECT_FAULT(cuda.call("cuMemcpyDtoDAsync", a, a + 8, size_t(16), cuda.streams[0]), kInvalidValue, "overlap");
    EXPECT_FAULT(cuda.call("cuMemcpyDtoDAsync", a, a + 24, size_t(16), cuda.streams[0]), kInvalidValue,
                 "leaves its allocation of 32 bytes");
    EXPECT_FAULT(cuda.call("cuMemsetD32Async", a + 2, 0u, size_t(1), cuda.streams[0]), kInvalidValue,
                 "no multiple of its element");
  });
}

TEST(FakeCuda, ChecksModules) {
  inProcess([] {
    Cuda cuda;
    int result;
    cuda.load(".version 8.7\n.target sm_80\n", &result);
    EXPECT_EQ(result, kUnsupportedPtx);
    EXPECT_EQ(cuda.lastLog, "Unsupported .version 8.7\n");
    cuda.load(".version 7.8\n.target sm_90\n", &result);
    EXPECT_EQ(result, kNoBinary);
    cuda.load(".version 7.0\n.target sm_80\n.banana\n", &result);
    EXPECT_EQ(result, kInvalidPtx);
    EXPECT_NE(cuda.lastLog.find("line 3: unknown directive '.banana'"), std::string::npos) << cuda.lastLog;
  });
}

TEST(FakeCuda, ChecksContexts) {
  inProcess([] {
    Cuda cuda;
    void *popped;
    EXPECT_EQ(cuda.call("cuCtxPopCurrent", &popped), 0);
    EXPECT_EQ(popped, cuda.context);
    uint64_t a;
    EXPECT_FAULT(cuda.call("cuMemAlloc", &a, size_t(4)), kInvalidContext, "no current context");
    EXPECT_EQ(cuda.call("cuDevicePrimaryCtxRelease", 0), 0);
    EXPECT_FAULT(cuda.call("cuDevicePrimaryCtxRelease", 0), kInvalidContext, "more often than retained");
    EXPECT_FAULT(cuda.call("cuCtxPushCurrent", cuda.context), kInvalidContext, "not retained");
  });
}

TEST(FakeCuda, FailsWhenItIsTold) {
  inProcess([] {
    setenv("TINY_FAKE_CUDA_FAIL", "cuMemAlloc:2:2,cuStreamSynchronize:1:719", 1);
    Cuda cuda;
    uint64_t a = 0;
    EXPECT_EQ(cuda.call("cuMemAlloc", &a, size_t(4)), 0);
    EXPECT_EQ(cuda.call("cuMemAlloc", &a, size_t(4)), kOutOfMemory);
    EXPECT_EQ(cuda.call("cuMemAlloc", &a, size_t(4)), 0);
    EXPECT_EQ(cuda.sync(cuda.streams[0]), kLaunchFailed);
    EXPECT_EQ(cuda.sync(cuda.streams[0]), kLaunchFailed);
  });
}

TEST(FakeCuda, ChecksGraphs) {
  inProcess([] {
    Cuda cuda;
    cuda.load();
    uint64_t a = cuda.allocate(16), b = cuda.allocate(16);
    void *graph, *node, *other, *exec;
    struct {
      uint64_t target;
      size_t pitch;
      unsigned value, width;
      size_t columns, rows;
    } fill = {a, 0, 0x3F800000, 4, 4, 1};
    EXPECT_EQ(cuda.call("cuGraphCreate", &graph, 0u), 0);
    EXPECT_EQ(
        cuda.call("cuGraphAddMemsetNode", &node, graph, static_cast<void **>(nullptr), size_t(0), &fill, cuda.context),
        0);
    void *twice[] = {node, node};
    fill.target = b;
    EXPECT_FAULT(
        cuda.call("cuGraphAddMemsetNode", &other, graph, static_cast<void **>(twice), size_t(2), &fill, cuda.context),
        kInvalidValue, "a dependency that is there twice");
    EXPECT_EQ(cuda.call("cuGraphInstantiateWithFlags", &exec, graph, 0ull), 0);
    EXPECT_EQ(cuda.call("cuGraphDestroy", graph), 0);
    EXPECT_EQ(cuda.call("cuGraphLaunch", exec, cuda.streams[0]), 0);
    EXPECT_EQ(cuda.sync(cuda.streams[0]), 0);
    EXPECT_FAULT(cuda.call("cuGraphLaunch", graph, cuda.streams[0]), kInvalidHandle, "no live executable");
  });
}

namespace {

/// What a loop needs: a kernel that subtracts one from its number and goes on while that is not 0.
class LoopCuda : public Cuda {
public:
  struct Node {
    int type = 13, reserved[3] = {};
    uint64_t handle = 0;
    int kind = 1;
    unsigned size = 1;
    void **bodies = nullptr, *context = nullptr;
    uint64_t unused[26] = {};
  };
  LoopCuda() {
    const char *text =
        ".version 7.0\n.target sm_80\n.address_size 64\n"
        ".extern .func cudaGraphSetConditional (.param .b64 a, .param .b32 b);\n"
        ".visible .entry next(\n.param .u64 handle,\n.param .u64 .ptr .align 4 n,\n.param .u64 step\n)\n{\n"
        ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nld.param.b64 %rd1, [handle];\nld.param.b64 %rd2, [n];\n"
        "ld.param.b32 %r3, [step];\nld.global.b32 %r1, [%rd2];\nsub.s32 %r2, %r1, %r3;\nst.global.b32 [%rd2], "
        "%r2;\n{\n.param .b64 x;\n.param .b32 y;\nst.param.b64 [x], %rd1;\nst.param.b32 [y], %r2;\n"
        "call.uni cudaGraphSetConditional, (x, y);\n}\nret;\n}\n";
    call("cuModuleLoadDataEx", &loopModule, text, 0u, static_cast<int *>(nullptr), static_cast<void **>(nullptr));
    call("cuModuleGetFunction", &next, loopModule, "next");
    call("cuGraphCreate", &graph, 0u);
    n = allocate(4);
  }
  int addLoop(void *to, Node &node, void **made) {
    node.context = context;
    return callAt(12020, "cuGraphAddNode", made, to, static_cast<void **>(nullptr), size_t(0), &node);
  }
  uint64_t makeHandle(void *of, unsigned initial = 1, unsigned flags = 1) {
    uint64_t handle = 0;
    EXPECT_EQ(callAt(12030, "cuGraphConditionalHandleCreate", &handle, of, context, initial, flags), 0);
    return handle;
  }
  int addNext(void *to, uint64_t handle, uint64_t step = 1, unsigned lanes = 1) {
    void *values[] = {&handle, &n, &step}, *node;
    struct {
      void *function;
      uint32_t grid[3], lanes[3], bytes;
      void **parameters, **extra;
      void *kernel, *context;
    } kernel = {next, {1, 1, 1}, {lanes, 1, 1}, 0, values, nullptr, nullptr, context};
    return call("cuGraphAddKernelNode", &node, to, static_cast<void **>(nullptr), size_t(0), &kernel);
  }
  int set(int value) { return call("cuMemsetD32Async", n, unsigned(value), size_t(1), streams[0]); }
  int run() {
    void *exec = nullptr;
    int result = call("cuGraphInstantiateWithFlags", &exec, graph, 0ull);
    if (!result)
      result = call("cuGraphLaunch", exec, streams[0]);
    return result ? result : sync(streams[0]);
  }
  int get() {
    int value = -1;
    EXPECT_EQ(call("cuMemcpyDtoHAsync", static_cast<void *>(&value), n, size_t(4), streams[0]), 0);
    return value;
  }
  void *loopModule = nullptr, *next = nullptr, *graph = nullptr;
  uint64_t n = 0;
};

} // namespace

TEST(FakeCuda, RunsLoops) {
  for (const char *order : {"late", "random:1", "eager"})
    inProcess([&] {
      setenv("TINY_FAKE_CUDA_ORDER", order, 1);
      LoopCuda cuda;
      LoopCuda::Node node;
      void *made;
      node.handle = cuda.makeHandle(cuda.graph);
      EXPECT_EQ(cuda.addLoop(cuda.graph, node, &made), 0);
      EXPECT_EQ(cuda.addNext(node.bodies[0], node.handle), 0);
      EXPECT_EQ(cuda.set(7), 0);
      EXPECT_EQ(cuda.run(), 0);
      EXPECT_EQ(cuda.get(), 0);
    });
}

TEST(FakeCuda, ChecksNodesOfLoops) {
  inProcess([] {
    LoopCuda cuda;
    LoopCuda::Node node;
    void *made, *other, *exec;
    EXPECT_EQ(cuda.call("cuGraphCreate", &other, 0u), 0);
    node.handle = cuda.makeHandle(cuda.graph);
    EXPECT_FAULT(cuda.call("cuGraphInstantiateWithFlags", &exec, cuda.graph, 0ull), kInvalidValue,
                 "a condition without a node");
    EXPECT_FAULT(cuda.addLoop(other, node, &made), kInvalidValue, "a condition that was not made for this graph");
    LoopCuda::Node wrong = node;
    wrong.unused[3] = 1;
    EXPECT_FAULT(cuda.addLoop(cuda.graph, wrong, &made), kInvalidValue, "must be zero");
    wrong = node;
    wrong.size = 2;
    EXPECT_FAULT(cuda.addLoop(cuda.graph, wrong, &made), kInvalidValue, "a loop has one body");
    EXPECT_EQ(cuda.addLoop(cuda.graph, node, &made), 0);
    EXPECT_FAULT(cuda.addLoop(cuda.graph, node, &made), kInvalidValue, "a condition that has a node");
    EXPECT_FAULT(cuda.call("cuGraphInstantiateWithFlags", &exec, node.bodies[0], 0ull), kInvalidValue,
                 "a graph that is a node's");
    EXPECT_FAULT(cuda.call("cuGraphDestroy", node.bodies[0]), kInvalidValue, "a graph that is a node's");
    // That of a later version takes something else.
    EXPECT_FAULT(
        cuda.callAt(12040, "cuGraphAddNode", &made, cuda.graph, static_cast<void **>(nullptr), size_t(0), &node),
        kInvalidValue, "unknown here");
    EXPECT_EQ(cuda.call("cuGraphDestroy", cuda.graph), 0);
    EXPECT_FAULT(cuda.addNext(node.bodies[0], node.handle), kInvalidHandle, "no live graph");
  });
}

TEST(FakeCuda, ChecksConditionsOfLoops) {
  // A body that forgets, a loop whose condition nobody set, one that does not end, several lanes, and no graph.
  auto inLoop = [](auto body) {
    inProcess([&] {
      LoopCuda cuda;
      LoopCuda::Node node;
      body(cuda, node);
    });
  };
  void *made;
  inLoop([&](LoopCuda &cuda, LoopCuda::Node &node) {
    node.handle = cuda.makeHandle(cuda.graph);
    cuda.addLoop(cuda.graph, node, &made);
    EXPECT_FAULT(cuda.run(), kLaunchFailed, "a loop's body did not set its condition");
  });
  inLoop([&](LoopCuda &cuda, LoopCuda::Node &node) {
    node.handle = cuda.makeHandle(cuda.graph, 0, 0);
    cuda.addLoop(cuda.graph, node, &made);
    EXPECT_FAULT(cuda.run(), kLaunchFailed, "a loop's condition is not set");
  });
  inLoop([&](LoopCuda &cuda, LoopCuda::Node &node) {
    node.handle = cuda.makeHandle(cuda.graph);
    cuda.addLoop(cuda.graph, node, &made);
    cuda.addNext(node.bodies[0], node.handle, 0);
    cuda.set(1);
    EXPECT_FAULT(cuda.run(), kLaunchFailed, "a loop that does not end");
  });
  inLoop([&](LoopCuda &cuda, LoopCuda::Node &node) {
    node.handle = cuda.makeHandle(cuda.graph);
    cuda.addLoop(cuda.graph, node, &made);
    cuda.addNext(node.bodies[0], node.handle, 1, 2);
    cuda.set(1);
    EXPECT_FAULT(cuda.run(), kLaunchFailed, "several lanes set a loop's condition");
  });
  inLoop([&](LoopCuda &cuda, LoopCuda::Node &) {
    uint64_t handle = cuda.makeHandle(cuda.graph), step = 1;
    cuda.set(1);
    void *parameters[] = {&handle, &cuda.n, &step};
    EXPECT_EQ(cuda.call("cuLaunchKernel", cuda.next, 1u, 1u, 1u, 1u, 1u, 1u, 0u, cuda.streams[0], parameters,
                        static_cast<void **>(nullptr)),
              0);
    EXPECT_FAULT(cuda.sync(cuda.streams[0]), 700, "a condition is set, and its graph does not run");
  });
  inLoop([&](LoopCuda &cuda, LoopCuda::Node &) {
    int result;
    cuda.load(".version 7.0\n.target sm_80\n.extern .func vprint (.param .b64 a);\n", &result);
    EXPECT_EQ(result, kInvalidPtx);
    EXPECT_NE(cuda.lastLog.find("unresolved extern function 'vprint'"), std::string::npos) << cuda.lastLog;
  });
}

namespace {

/// Two devices; what the base has is of the first one.
class TwoCuda : public Cuda {
public:
  TwoCuda() {
    call("cuDevicePrimaryCtxRetain", &second, 1);
    onSecond([&] {
      call("cuStreamCreate", &stream, 1u);
      there = allocate(16);
    });
    here = allocate(16);
  }
  template <typename Body> void onSecond(Body &&body) {
    void *popped;
    EXPECT_EQ(call("cuCtxPushCurrent", second), 0);
    body();
    (void)call("cuCtxPopCurrent", &popped);
  }
  int copy(void *on) { return call("cuMemcpyPeerAsync", there, second, here, context, size_t(16), on); }
  void *second = nullptr, *stream = nullptr;
  uint64_t here = 0, there = 0;
};

template <typename Body> void onTwo(const char *peers, Body &&body) {
  inProcess([&] {
    setenv("TINY_FAKE_CUDA_DEVICES", "2", 1);
    setenv("TINY_FAKE_CUDA_PEERS", peers, 1);
    TwoCuda cuda;
    body(cuda);
  });
}

} // namespace

TEST(FakeCuda, CopiesBetweenDevices) {
  for (const char *peers : {"1", "0"})
    onTwo(peers, [](TwoCuda &cuda) {
      EXPECT_EQ(cuda.call("cuMemsetD32Async", cuda.here, 7u, size_t(4), cuda.streams[0]), 0);
      EXPECT_EQ(cuda.copy(cuda.streams[0]), 0);
      EXPECT_EQ(cuda.call("cuEventRecord", cuda.event, cuda.streams[0]), 0);
      cuda.onSecond([&] {
        int got[4] = {};
        EXPECT_EQ(cuda.call("cuStreamWaitEvent", cuda.stream, cuda.event, 0u), 0);
        EXPECT_EQ(cuda.call("cuMemcpyDtoHAsync", static_cast<void *>(got), cuda.there, size_t(16), cuda.stream), 0);
        EXPECT_EQ(got[3], 7);
      });
    });
  // Nothing orders the two streams.
  onTwo("1", [](TwoCuda &cuda) {
    EXPECT_EQ(cuda.copy(cuda.streams[0]), 0);
    EXPECT_EQ(cuda.sync(cuda.streams[1]), 0);
    cuda.onSecond([&] {
      cuda.call("cuMemsetD8Async", cuda.there, static_cast<unsigned char>(1), size_t(16), cuda.stream);
      EXPECT_EQ(cuda.sync(cuda.stream), 0);
    });
    EXPECT_FAULT(cuda.sync(cuda.streams[0]), kLaunchFailed, "a race: a copy between devices");
  });
}

TEST(FakeCuda, ChecksWhoUsesWhatOfTwoDevices) {
  onTwo("1", [](TwoCuda &cuda) {
    EXPECT_FAULT(
        cuda.call("cuMemcpyPeerAsync", cuda.there, cuda.context, cuda.here, cuda.context, size_t(16), cuda.streams[0]),
        kInvalidValue, "memory of another one");
    EXPECT_FAULT(cuda.copy(cuda.stream), kInvalidContext, "a stream of another context");
    cuda.load();
    cuda.onSecond([&] {
      EXPECT_FAULT(cuda.launch(cuda.there, cuda.there, cuda.stream), kInvalidHandle, "is of another context");
      EXPECT_FAULT(cuda.call("cuEventRecord", cuda.event, cuda.stream), kInvalidHandle, "an event of another context");
    });
    int can = 0;
    EXPECT_EQ(cuda.call("cuDeviceCanAccessPeer", &can, 0, 1), 0);
    EXPECT_EQ(can, 1);
    EXPECT_EQ(cuda.call("cuCtxEnablePeerAccess", cuda.second, 0u), 0);
    EXPECT_FAULT(cuda.call("cuCtxEnablePeerAccess", cuda.second, 0u), 704, "already enabled");
    EXPECT_FAULT(cuda.call("cuCtxEnablePeerAccess", cuda.context, 0u), kInvalidValue, "of a device to itself");
    // Now the first one may write there.
    EXPECT_EQ(cuda.launch(cuda.here, cuda.there, cuda.streams[0]) + cuda.sync(cuda.streams[0]), 0);
    // But not the second one here.
    cuda.onSecond([&] {
      cuda.call("cuMemsetD32Async", cuda.here, 7u, size_t(4), cuda.stream);
      EXPECT_FAULT(cuda.sync(cuda.stream), 700, "on device 1 uses memory of device 0, which it may not");
    });
  });
  onTwo("0", [](TwoCuda &cuda) {
    EXPECT_FAULT(cuda.call("cuCtxEnablePeerAccess", cuda.second, 0u), 217, "not supported between these two");
  });
}
