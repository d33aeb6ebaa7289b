// What is Vulkan's own: limits, code that does not fit the device, imports of host memory, the cache of pipelines.
#include "ContainerTest.h"

#include <cstdio>
#include <fstream>

using namespace tiny::runtime;

namespace {

class VulkanTest : public testing::Test {
protected:
  void SetUp() override {
    if (!openVulkan(device))
      GTEST_SKIP() << tiny_last_error();
  }

  /// A program of one kernel with this code.
  tiny_status createWith(const std::vector<uint32_t> &code, const char *name = "add_one") {
    ProgramBuilder builder;
    uint32_t x = builder.argument(4), y = builder.alloc(4);
    builder.launch(builder.kernel(name, nullptr, 2), {x}, {y});
    builder.kernels[0].code = code.data();
    builder.kernels[0].code_size = code.size() * sizeof(uint32_t);
    Program program;
    return builder.create(device.get(), program.receive());
  }

  Device device;
  std::vector<uint32_t> code = getTestSpirv();
};

} // namespace

TEST_F(VulkanTest, KernelsNeedCode) {
  ProgramBuilder builder;
  uint32_t x = builder.argument(4), y = builder.alloc(4);
  builder.launch(builder.kernel("add_one", addOne, 2), {x}, {y});
  builder.kernels[0].code = nullptr;
  Program program;
  EXPECT_FAILS(builder.create(device.get(), program.receive()), TINY_INVALID_ARGUMENT, "kernel 'add_one' has no code");
  EXPECT_FAILS(createWith(code, "subtract"), TINY_INVALID_ARGUMENT, "the program's code has no function 'subtract'");
}

TEST_F(VulkanTest, CodeThatIsNoneIsRefused) {
  std::vector<uint32_t> changed = code;
  changed[1] = 7;
  EXPECT_FAILS(createWith(changed), TINY_INVALID_ARGUMENT, "the program's code is no SPIR-V module");
  changed = code;
  changed[0] += 4;
  EXPECT_FAILS(createWith(changed), TINY_INVALID_ARGUMENT, "which is not all there");
  changed = code;
  changed[6] = 0; // the first instruction, behind size and header
  EXPECT_FAILS(createWith(changed), TINY_INVALID_ARGUMENT,
               "the program's SPIR-V has an instruction of 0 words at word 5");
  for (size_t size = 1; size < code.size(); size += 7) {
    changed.assign(code.begin(), code.begin() + size);
    EXPECT_EQ(createWith(changed), TINY_INVALID_ARGUMENT);
  }
}

TEST_F(VulkanTest, CodeNeedsWhatTheDeviceHas) {
  std::vector<uint32_t> changed = code;
  ASSERT_EQ(changed[6], 2u << 16 | 17) << "the module begins with a capability";
  changed[7] = 5297;
  EXPECT_FAILS(createWith(changed), TINY_UNSUPPORTED,
               "the program's code needs a capability (5297) of SPIR-V, which '");
}

TEST_F(VulkanTest, FactsOfTheDevice) {
  tiny_device_facts facts;
  ASSERT_OK(tiny_device_describe(device.get(), &facts));
  EXPECT_NE(std::string(facts.name), "");
  // What the standard demands of each.
  EXPECT_GE(facts.workgroup_lanes, 128u);
  EXPECT_GE(facts.workgroup_bytes, 16384u);
  EXPECT_GE(facts.buffer_bytes, uint64_t(128) << 20);
  EXPECT_GE(facts.subgroup_lanes, 1u);
  for (uint32_t most : facts.grid)
    EXPECT_GE(most, 65535u);
  for (tiny_dtype type : {TINY_DTYPE_I32, TINY_DTYPE_F32})
    EXPECT_TRUE(facts.dtypes >> type & 1);
  EXPECT_FALSE(facts.dtypes >> TINY_DTYPE_BF16 & 1);
  EXPECT_FAILS(tiny_device_describe(device.get(), nullptr), TINY_INVALID_ARGUMENT, "out parameter is null");
  Device cpu;
  ASSERT_OK(tiny_device_open("cpu", cpu.receive()));
  EXPECT_FAILS(tiny_device_describe(cpu.get(), &facts), TINY_UNSUPPORTED, "device 'cpu' states no facts");
}

TEST_F(VulkanTest, LimitsOfLaunches) {
  ProgramBuilder builder;
  uint32_t x = builder.argument(4), y = builder.alloc(4);
  builder.launch(builder.kernel("add_one", nullptr, 2), {x}, {y});
  Program program;
  builder.kernels[0].grid[2] = int64_t(1) << 26;
  EXPECT_FAILS(builder.create(device.get(), program.receive()), TINY_UNSUPPORTED,
               "kernel 'add_one' has 67108864 workgroups along z, '");
  // A buffer of a terabyte is more than any device lets a kernel see.
  builder.kernels[0].grid[2] = 1;
  builder.slots[x].size = uint64_t(1) << 40;
  EXPECT_FAILS(builder.create(device.get(), program.receive()), TINY_UNSUPPORTED,
               "program 'p': item 1: buffer 0 of kernel 'add_one' has 1099511627776 bytes, the device takes ");
}

TEST_F(VulkanTest, KernelsGetTheirBuffers) {
  EXPECT_FAILS(createWith(code, "combine"), TINY_INVALID_ARGUMENT,
               "kernel 'combine' is launched with 2 buffers, and has 3");
}

TEST_F(VulkanTest, LanesAreThoseOfTheDevice) {
  // Of add_one: OpExecutionMode %add_one LocalSize 4 1 1.
  std::vector<uint32_t> changed = code;
  for (size_t k = 6; k < changed.size(); k += changed[k] >> 16)
    if (changed[k] == (6u << 16 | 16)) {
      changed[k + 3] = 1 << 20;
      break;
    }
  EXPECT_FAILS(createWith(changed), TINY_UNSUPPORTED, "kernel 'add_one' has 1048576 lanes along x, '");
}

TEST_F(VulkanTest, LanesAreStated) {
  std::vector<uint32_t> changed = code;
  for (size_t k = 6; k < changed.size(); k += changed[k] >> 16)
    if (changed[k] == (6u << 16 | 16))
      changed[k + 3] = 0;
  EXPECT_FAILS(createWith(changed), TINY_INVALID_ARGUMENT, "kernel 'add_one' does not state its lanes");
}

TEST_F(VulkanTest, MemoryOfItsOwnIsNotTheHosts) {
  alignas(64) char bytes[64];
  Buffer buffer;
  if (!isSet("TINY_VULKAN_STAGING")) {
    EXPECT_FAILS(tiny_buffer_import(device.get(), bytes, uint64_t(1) << 40, 0, nullptr, nullptr, buffer.receive()),
                 TINY_UNSUPPORTED, "device 'vulkan' cannot import 1099511627776 bytes of the host's memory");
    return;
  }
  EXPECT_FAILS(tiny_buffer_import(device.get(), bytes, 64, 0, nullptr, nullptr, buffer.receive()), TINY_UNSUPPORTED,
               "device 'vulkan' cannot compute on the host's memory: '");
  ASSERT_OK(tiny_buffer_allocate(device.get(), 64, buffer.receive()));
  void *data = nullptr;
  EXPECT_FAILS(tiny_buffer_map(buffer.get(), TINY_MAP_READ, 0, 64, &data), TINY_UNSUPPORTED,
               "device 'vulkan' has memory that the host does not see: read and write it");
}

TEST_F(VulkanTest, MemoryEndsWhereTheDeviceSays) {
  Buffer buffer;
  EXPECT_FAILS(tiny_buffer_allocate(device.get(), uint64_t(1) << 44, buffer.receive()), TINY_OUT_OF_MEMORY,
               "cannot allocate 17592186044416 bytes on 'vulkan', which has ");
}

TEST_F(VulkanTest, ImportsPartsOfPages) {
  std::vector<char> memory(20000);
  for (uint64_t offset : {0, 8, 4088, 5000}) {
    Buffer buffer;
    tiny_status status = tiny_buffer_import(device.get(), memory.data() + offset / 8 * 8, 9001, TINY_IMPORT_READ_ONLY,
                                            nullptr, nullptr, buffer.receive());
    if (status == TINY_UNSUPPORTED)
      GTEST_SKIP() << tiny_last_error();
    ASSERT_OK(status);
    memory[offset / 8 * 8 + 9000] = 'x';
    char byte = 0;
    EXPECT_OK(tiny_buffer_read(buffer.get(), 9000, &byte, 1));
    EXPECT_EQ(byte, 'x');
  }
}

TEST_F(VulkanTest, ImportsThatOverlapAreOrdered) {
  alignas(64) float memory[12] = {1, 2, 3, 4};
  Buffer whole, part;
  if (tiny_buffer_import(device.get(), memory, 48, 0, nullptr, nullptr, whole.receive()) == TINY_UNSUPPORTED)
    GTEST_SKIP() << tiny_last_error();
  ASSERT_OK(tiny_buffer_import(device.get(), memory + 2, 32, 0, nullptr, nullptr, part.receive()));
  ASSERT_OK(tiny_buffer_copy(whole.get(), 0, part.get(), 0, 16));
  EXPECT_EQ(memory[2], 1);
  EXPECT_EQ(memory[5], 4);
}

TEST_F(VulkanTest, ContainersKeepTheirCode) {
  SampleContainer sample;
  sample.makeFor("vulkan");
  std::string bytes = sample.write();
  AlignedBytes aligned(bytes);
  Program program;
  ASSERT_OK(load(device, aligned, program));
  EXPECT_EQ(tiny_program_kernel_count(program.get()), 2u);
  // The same container does not run on the processor, and says so.
  Device cpu;
  ASSERT_OK(tiny_device_open("cpu", cpu.receive()));
  EXPECT_FAILS(load(cpu, aligned, program), TINY_UNSUPPORTED,
               "the program has code for here, and none that runs on 'cpu' of this machine");
}
