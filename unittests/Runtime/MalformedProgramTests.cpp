// Every way in which a program can be malformed, with its message.
#include "RuntimeTest.h"

using namespace tiny::runtime;

namespace {

class MalformedProgram : public OnEveryDevice {
protected:
  void expectRefused(const ProgramBuilder &builder, const char *message, tiny_status status = TINY_INVALID_ARGUMENT) {
    tiny_program *program = nullptr;
    EXPECT_FAILS(builder.create(device.get(), &program), status, message);
    EXPECT_EQ(program, nullptr);
  }
  ProgramBuilder builder;
  float zero = 0;
};
TINY_ON_EVERY_DEVICE(MalformedProgram);

} // namespace

TEST_P(MalformedProgram, NullDescription) {
  tiny_program *program = nullptr;
  tiny_program_desc desc = builder.desc();
  EXPECT_FAILS(tiny_program_create(device.get(), nullptr, &program), TINY_INVALID_ARGUMENT,
               "program description or out parameter is null");
  EXPECT_FAILS(tiny_program_create(device.get(), &desc, nullptr), TINY_INVALID_ARGUMENT,
               "program description or out parameter is null");
  EXPECT_FAILS(tiny_program_create(nullptr, &desc, &program), TINY_INVALID_ARGUMENT, "device handle is null");
}

TEST_P(MalformedProgram, NullLists) {
  tiny_program *program = nullptr;
  tiny_program_desc desc = builder.desc();
  desc.n_slots = 1;
  desc.slots = nullptr;
  EXPECT_FAILS(tiny_program_create(device.get(), &desc, &program), TINY_INVALID_ARGUMENT, "list of 1 slots is null");
  desc = builder.desc();
  desc.n_items = 2;
  desc.items = nullptr;
  EXPECT_FAILS(tiny_program_create(device.get(), &desc, &program), TINY_INVALID_ARGUMENT, "list of 2 items is null");
  desc = builder.desc();
  tiny_slot slot = {};
  desc.slots = &slot;
  desc.n_slots = UINT32_MAX;
  EXPECT_FAILS(tiny_program_create(device.get(), &desc, &program), TINY_INVALID_ARGUMENT, "at most");
}

TEST_P(MalformedProgram, MoreArgumentsThanSlots) {
  builder.nArguments = 1;
  expectRefused(builder, "1 arguments but 0 slots");
}

TEST_P(MalformedProgram, SlotTooLarge) {
  builder.argument(1);
  builder.slots[0].size = UINT64_MAX;
  expectRefused(builder, "slot 0 of 18446744073709551615 bytes is too large", TINY_OUT_OF_RANGE);
}

TEST_P(MalformedProgram, SlotAlignment) {
  builder.argument(1);
  builder.slots[0].alignment = 3;
  expectRefused(builder, "slot 0: alignment 3 is no power of two up to 64");
  builder.slots[0].alignment = 128;
  expectRefused(builder, "slot 0: alignment 128");
}

TEST_P(MalformedProgram, SlotFlags) {
  builder.alloc(1);
  builder.slots[0].flags = TINY_SLOT_WRITABLE;
  expectRefused(builder, "slot 0: flags 0x1 do not fit");
}

TEST_P(MalformedProgram, KernelWithoutName) {
  builder.kernel(nullptr, addOne, 2);
  expectRefused(builder, "kernel 0 has no name");
}

TEST_P(MalformedProgram, KernelGrid) {
  builder.kernel("k", addOne, 2);
  builder.kernels[0].grid[1] = -1;
  expectRefused(builder, "kernel 'k' has a grid of 1 x -1 x 1");
  builder.kernels[0].grid[1] = int64_t(1) << 27;
  expectRefused(builder, "kernel 'k' has a grid of 1 x 134217728 x 1, more than 2^26 points", TINY_OUT_OF_RANGE);
  for (int64_t &extent : builder.kernels[0].grid)
    extent = INT64_MAX;
  expectRefused(builder, "more than 2^26 points", TINY_OUT_OF_RANGE);
}

TEST_P(MalformedProgram, KernelFlags) {
  builder.kernel("k", addOne, 2, 6);
  expectRefused(builder, "kernel 'k' has unknown flags 0x6");
}

TEST_P(MalformedProgram, UnknownItem) {
  builder.item(tiny_item_kind(99));
  expectRefused(builder, "item 0: unknown kind 99");
}

TEST_P(MalformedProgram, ListLeavesItsOwn) {
  size_t outer = builder.loop(2), inner = builder.loop(2);
  builder.endList(outer);
  builder.items[inner].n_nested = 1;
  builder.alloc(1);
  expectRefused(builder, "item 1: its list of 1 items leaves the one that it stands in");
  builder.items[inner].n_nested = UINT32_MAX;
  expectRefused(builder, "item 1: its list of 4294967295 items leaves the one that it stands in");
}

TEST_P(MalformedProgram, FirstListIsLonger) {
  static const char yes = 1;
  size_t branch = builder.branch(builder.slotOf(1, &yes));
  builder.items[branch].count = 1;
  expectRefused(builder, "item 2: its first list has 1 of 0 items");
}

TEST_P(MalformedProgram, ListsTooDeep) {
  for (unsigned depth = 0; depth < 257; ++depth)
    builder.loop(1);
  for (unsigned depth = 0; depth < 257; ++depth)
    builder.endList(depth);
  expectRefused(builder, "item 256: lists are nested deeper than 256");
}

TEST_P(MalformedProgram, SlotOfAListIsUsedBehindIt) {
  size_t loop = builder.loop(2);
  uint32_t inside = builder.alloc(1);
  builder.fill(inside, &zero);
  builder.endList(loop);
  builder.copy(inside, builder.alloc(1));
  expectRefused(builder, "item 4: slot 0 is used outside of the list that defines it");
  builder.items.pop_back();
  builder.results = {inside};
  expectRefused(builder, "result 0 is slot 0, which no item defines");
}

TEST_P(MalformedProgram, SlotOfAFirstListIsUsedInTheSecond) {
  static const char yes = 1;
  size_t branch = builder.branch(builder.slotOf(1, &yes));
  uint32_t inside = builder.alloc(1);
  builder.otherwise(branch);
  builder.fill(inside, &zero);
  builder.endList(branch);
  expectRefused(builder, "item 4: slot 1 is used outside of the list that defines it");
}

TEST_P(MalformedProgram, OnlyOneListWrites) {
  static const char yes = 1;
  uint32_t condition = builder.slotOf(1, &yes), t = builder.alloc(1);
  size_t branch = builder.branch(condition);
  builder.fill(t, &zero);
  builder.endList(branch);
  builder.copy(t, builder.alloc(1));
  expectRefused(builder, "item 6: slot 1 is read before anything wrote it");
}

TEST_P(MalformedProgram, LoopTakesOtherSizes) {
  uint32_t x = builder.argument(1), y = builder.argument(1, TINY_SLOT_WRITABLE);
  builder.endList(builder.loop(1, x));
  expectRefused(builder, "item 0: slot 0 of 4 bytes is no limit, which has 8");
  builder.items.clear();
  builder.endList(builder.loop(1, TINY_NO_SLOT, y));
  expectRefused(builder, "item 0: slot 1 of 4 bytes is no counter, which has 8");
  builder.items.clear();
  builder.endList(builder.loop(1, TINY_NO_SLOT, TINY_NO_SLOT, x));
  expectRefused(builder, "item 0: slot 0 of 4 bytes is no condition, which has 1");
  builder.items.clear();
  builder.endList(builder.branch(x));
  expectRefused(builder, "item 0: slot 0 of 4 bytes is no condition, which has 1");
  builder.items.clear();
  builder.endList(builder.loop(1, 7));
  expectRefused(builder, "item 0: slot 7 does not exist, there are 2");
}

TEST_P(MalformedProgram, SlotThatDoesNotExist) {
  builder.item(TINY_ITEM_ALLOC).slot = 3;
  expectRefused(builder, "item 0: slot 3 does not exist, there are 0");
}

TEST_P(MalformedProgram, SlotDefinedTwice) {
  builder.item(TINY_ITEM_ALLOC).slot = builder.alloc(1);
  expectRefused(builder, "item 1: slot 0 is defined twice");
}

TEST_P(MalformedProgram, ArgumentDefined) {
  builder.item(TINY_ITEM_ALLOC).slot = builder.argument(1);
  expectRefused(builder, "item 0: slot 0 is an argument");
}

TEST_P(MalformedProgram, SlotNeverDefined) {
  builder.slot(1);
  expectRefused(builder, "slot 0 is defined by no item");
}

TEST_P(MalformedProgram, UsedBeforeDefined) {
  builder.fill(builder.slot(1), &zero);
  builder.item(TINY_ITEM_ALLOC).slot = 0;
  expectRefused(builder, "item 0: slot 0 is used before an item defines it");
}

TEST_P(MalformedProgram, ReadBeforeWritten) {
  uint32_t t = builder.alloc(4), y = builder.alloc(4);
  builder.launch(builder.kernel("k", addOne, 2), {t}, {y});
  expectRefused(builder, "item 2: slot 0 is read before anything wrote it");
}

TEST_P(MalformedProgram, CopyReadsBeforeWritten) {
  uint32_t t = builder.alloc(4), part = builder.alias(t, 0, 2), y = builder.alloc(2);
  builder.copy(part, y);
  expectRefused(builder, "slot 1 is read before anything wrote it");
}

TEST_P(MalformedProgram, AliasLeavesItsSource) {
  uint32_t x = builder.argument(4);
  builder.alias(x, 3, 2);
  expectRefused(builder, "item 0: alias of 8 bytes at offset 12 leaves slot 0 of 16 bytes", TINY_OUT_OF_RANGE);
  builder.items[0].offset = UINT64_MAX;
  expectRefused(builder, "leaves slot 0", TINY_OUT_OF_RANGE);
}

TEST_P(MalformedProgram, AliasOffItsAlignment) {
  uint32_t x = builder.argument(4);
  builder.alias(x, 0, 1);
  builder.items[0].offset = 2;
  expectRefused(builder, "item 0: alias at offset 2 of slot 0 is not aligned to 4 bytes");
}

TEST_P(MalformedProgram, AliasOfItself) {
  uint32_t s = builder.slot(1);
  tiny_item &alias = builder.item(TINY_ITEM_ALIAS);
  alias.slot = alias.source = s;
  expectRefused(builder, "item 0: slot 0 is used before an item defines it");
}

TEST_P(MalformedProgram, ConstantOfWrongSize) {
  std::vector<float> values = {1, 2};
  builder.constant(values);
  builder.items[0].data_size = 4;
  expectRefused(builder, "item 0: constant of 4 bytes for slot 0 of 8 bytes");
}

TEST_P(MalformedProgram, ConstantWithoutData) {
  std::vector<float> values = {1, 2};
  builder.constant(values);
  builder.items[0].data = nullptr;
  expectRefused(builder, "item 0: constant for slot 0 has no data");
}

TEST_P(MalformedProgram, KernelThatDoesNotExist) {
  builder.launch(2, {}, {});
  expectRefused(builder, "item 0: kernel 2 does not exist, there are 0");
}

TEST_P(MalformedProgram, LaunchWithWrongCount) {
  uint32_t x = builder.argument(4);
  builder.launch(builder.kernel("k", addOne, 2), {x}, {});
  expectRefused(builder, "item 0: launch of 'k' with 1 buffers, expected 2");
}

TEST_P(MalformedProgram, LaunchWithNullList) {
  uint32_t x = builder.argument(4, TINY_SLOT_WRITABLE);
  builder.launch(builder.kernel("k", addOne, 1), {x}, {});
  builder.items[0].buffers = nullptr;
  expectRefused(builder, "item 0: launch of 'k' has a null list of buffers");
}

TEST_P(MalformedProgram, LaunchCountsThatWrap) {
  builder.launch(builder.kernel("k", addOne, 0), {}, {});
  builder.items[0].n_inputs = UINT32_MAX;
  builder.items[0].n_outputs = 1;
  expectRefused(builder, "launch of 'k' with 4294967296 buffers, expected 0");
}

TEST_P(MalformedProgram, OutputsThatOverlap) {
  uint32_t x = builder.argument(8), t = builder.alloc(8);
  builder.copy(x, t);
  uint32_t low = builder.alias(t, 0, 4), high = builder.alias(t, 2, 4);
  builder.launch(builder.kernel("add_one", addOne, 2), {low}, {high});
  expectRefused(builder, "launch of 'add_one' writes slot 3, which overlaps its slot 2");
  builder.kernels[0].flags = TINY_KERNEL_IN_PLACE;
  Program program;
  EXPECT_OK(builder.create(device.get(), program.receive()));
}

TEST_P(MalformedProgram, WriteToConstant) {
  std::vector<float> values = {1, 2};
  builder.fill(builder.alias(builder.constant(values), 0, 1), &zero);
  expectRefused(builder, "item 2: slot 1 is written, but is a constant", TINY_READ_ONLY);
}

TEST_P(MalformedProgram, WriteToReadOnlyArgument) {
  uint32_t x = builder.argument(4), y = builder.argument(4);
  builder.copy(x, y);
  expectRefused(builder, "item 0: slot 1 is written, but argument 1 is not writable", TINY_READ_ONLY);
}

TEST_P(MalformedProgram, CopyOfDifferentSizes) {
  uint32_t x = builder.argument(4), y = builder.alloc(2);
  builder.copy(x, y);
  expectRefused(builder, "item 1: copy of slot 0 of 16 bytes to slot 1 of 8 bytes");
}

TEST_P(MalformedProgram, FillPattern) {
  uint32_t y = builder.alloc(3);
  builder.fill(y, &zero);
  builder.items[1].data_size = 8;
  expectRefused(builder, "item 1: slot 0 of 12 bytes is no multiple of the fill pattern of 8");
  builder.items[1].data_size = 3;
  expectRefused(builder, "item 1: fill pattern of 3 bytes");
  builder.items[1].data = nullptr;
  expectRefused(builder, "item 1: fill pattern of 0 bytes");
}

TEST_P(MalformedProgram, Results) {
  builder.results = {0};
  expectRefused(builder, "result 0 is slot 0, which does not exist");
  uint32_t s = builder.slot(1);
  expectRefused(builder, "result 0 is slot 0, which no item defines");
  builder.item(TINY_ITEM_ALLOC).slot = s;
  expectRefused(builder, "result 0 is slot 0, which nothing writes");
}

TEST(MalformedProgramOnCpu, KernelWithoutFunction) {
  Device device;
  ASSERT_OK(tiny_device_open("cpu", device.receive()));
  ProgramBuilder builder;
  builder.kernel("k", nullptr, 0);
  tiny_program *program = nullptr;
  EXPECT_FAILS(builder.create(device.get(), &program), TINY_INVALID_ARGUMENT, "kernel 'k' has no function");
}

TEST(MalformedProgramOnCpu, TemporariesTooLargeToAllocate) {
  Device device;
  ASSERT_OK(tiny_device_open("cpu", device.receive()));
  ProgramBuilder builder;
  float zero = 0;
  uint32_t a = builder.alloc(uint64_t(1) << 60), b = builder.alloc(uint64_t(1) << 60);
  builder.fill(a, &zero);
  builder.copy(a, b);
  Program program;
  ASSERT_OK(builder.create(device.get(), program.receive()));
  EXPECT_FAILS(tiny_program_run(program.get(), nullptr, 0, nullptr, 0, nullptr), TINY_OUT_OF_MEMORY, "cannot allocate");
}
