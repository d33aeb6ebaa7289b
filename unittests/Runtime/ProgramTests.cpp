#include "RuntimeTest.h"

using namespace tiny::runtime;

namespace {

class ProgramTest : public OnEveryDevice {
protected:
  Program create(const ProgramBuilder &builder) {
    Program program;
    EXPECT_OK(builder.create(device.get(), program.receive()));
    return program;
  }
  /// Runs with results from the runtime.
  std::vector<Buffer> run(const Program &program, const std::vector<Buffer> &arguments, size_t nResults) {
    std::vector<tiny_buffer *> raw, results(nResults);
    for (const Buffer &argument : arguments)
      raw.push_back(argument.get());
    EXPECT_OK(tiny_program_run(program.get(), raw.data(), raw.size(), results.data(), nResults, nullptr));
    std::vector<Buffer> owned;
    for (tiny_buffer *result : results)
      owned.emplace_back(result);
    return owned;
  }
};
TINY_ON_EVERY_DEVICE(ProgramTest);

/// Writes the grid index that it was called with, as a number, to its place.
void writeGrid(void *const *buffers, const int64_t *index) {
  static_cast<float *>(buffers[0])[index[0] + 2 * (index[1] + 3 * index[2])] =
      float(100 * index[2] + 10 * index[1] + index[0]);
}

} // namespace

TEST_P(ProgramTest, RunsAChainOfKernels) {
  ProgramBuilder builder;
  uint32_t x = builder.argument(4), add = builder.kernel("add_one", addOne, 2);
  uint32_t y = builder.alloc(4), z = builder.alloc(4);
  builder.launch(add, {x}, {y});
  builder.launch(add, {y}, {z});
  builder.results = {z};
  std::vector<Buffer> results = run(create(builder), {upload({1, 2, 3, 4})}, 1);
  expectValues(results[0].get(), {3, 4, 5, 6});
}

TEST_P(ProgramTest, CallsTheKernelForEveryGridIndex) {
  ProgramBuilder builder;
  uint32_t kernel = builder.kernel("grid", writeGrid, 1);
  int64_t grid[3] = {2, 3, 4};
  std::memcpy(builder.kernels[kernel].grid, grid, sizeof(grid));
  uint32_t out = builder.alloc(24);
  builder.launch(kernel, {}, {out});
  builder.results = {out};
  std::vector<Buffer> results = run(create(builder), {}, 1);
  std::vector<float> expected;
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 2; ++x)
        expected.push_back(100 * z + 10 * y + x);
  expectValues(results[0].get(), expected);
}

TEST_P(ProgramTest, EmptyGridRunsNothing) {
  ProgramBuilder builder;
  uint32_t x = builder.argument(4, TINY_SLOT_WRITABLE);
  uint32_t kernel = builder.kernel("grid", writeGrid, 1);
  builder.kernels[kernel].grid[1] = 0;
  builder.launch(kernel, {}, {x});
  Buffer buffer = upload({5, 5, 5, 5});
  run(create(builder), {buffer}, 0);
  expectValues(buffer.get(), {5, 5, 5, 5});
}

TEST_P(ProgramTest, CopiesFillsAliasesAndConstants) {
  std::vector<float> weights = {1, 2, 3, 4, 5, 6};
  float half = 0.5f;
  ProgramBuilder builder;
  uint32_t w = builder.constant(weights), middle = builder.alias(w, 1, 4);
  uint32_t y = builder.alloc(4), z = builder.alloc(8), low = builder.alias(z, 0, 4), high = builder.alias(z, 4, 4);
  builder.copy(middle, y);
  builder.launch(builder.kernel("add_one", addOne, 2), {y}, {low});
  builder.fill(high, &half);
  builder.results = {y, z};
  std::vector<Buffer> results = run(create(builder), {}, 2);
  expectValues(results[0].get(), {2, 3, 4, 5});
  expectValues(results[1].get(), {3, 4, 5, 6, .5f, .5f, .5f, .5f});
}

TEST_P(ProgramTest, ConstantsAreNotCopied) {
  if (isGpu())
    return; // small ones are
  std::vector<float> weights = {1, 2, 3, 4};
  ProgramBuilder builder;
  uint32_t w = builder.constant(weights), y = builder.alloc(4);
  builder.launch(builder.kernel("add_one", addOne, 2), {w}, {y});
  builder.results = {y};
  Program program = create(builder);
  weights[0] = 10;
  expectValues(run(program, {}, 1)[0].get(), {11, 3, 4, 5});
}

TEST_P(ProgramTest, ConstantsOffTheirAlignmentAre) {
  alignas(64) char bytes[64] = {};
  std::vector<float> weights = {1, 2, 3, 4};
  ProgramBuilder builder;
  uint32_t w = builder.constant(weights), y = builder.alloc(4);
  std::memcpy(bytes + 2, weights.data(), 16);
  builder.slots[w].alignment = 64;
  builder.items.back().data = bytes + 2;
  builder.launch(builder.kernel("add_one", addOne, 2), {w}, {y});
  builder.results = {y};
  Program program = create(builder);
  bytes[2] = 1;
  expectValues(run(program, {}, 1)[0].get(), {2, 3, 4, 5});
}

TEST_P(ProgramTest, ResultsThatAliasReadOnlyThingsAreCopies) {
  std::vector<float> weights = {7, 8};
  ProgramBuilder builder;
  uint32_t x = builder.argument(4), part = builder.alias(x, 2, 2), w = builder.constant(weights);
  builder.results = {x, part, w, w};
  Buffer argument = upload({1, 2, 3, 4});
  std::vector<Buffer> results = run(create(builder), {argument}, 4);
  float nine = 9;
  EXPECT_OK(tiny_buffer_fill(argument.get(), 0, 16, &nine, 4));
  expectValues(results[0].get(), {1, 2, 3, 4});
  expectValues(results[1].get(), {3, 4});
  expectValues(results[2].get(), {7, 8});
  expectValues(results[3].get(), {7, 8});
}

TEST_P(ProgramTest, ResultsThatAliasWritableArgumentsAreViews) {
  ProgramBuilder builder;
  uint32_t state = builder.argument(4, TINY_SLOT_WRITABLE), part = builder.alias(state, 2, 2);
  builder.launch(builder.kernel("add_one", addOne, 2, TINY_KERNEL_IN_PLACE), {state}, {state});
  builder.results = {state, part};
  Buffer argument = upload({1, 2, 3, 4});
  std::vector<Buffer> results = run(create(builder), {argument}, 2);
  expectValues(argument.get(), {2, 3, 4, 5});
  float nine = 9;
  EXPECT_OK(tiny_buffer_write(argument.get(), 12, &nine, 4));
  expectValues(results[0].get(), {2, 3, 4, 9});
  expectValues(results[1].get(), {4, 9});
}

TEST_P(ProgramTest, OneTemporaryMayBeSeveralResults) {
  ProgramBuilder builder;
  uint32_t x = builder.argument(4), y = builder.alloc(4), part = builder.alias(y, 1, 2);
  builder.launch(builder.kernel("add_one", addOne, 2), {x}, {y});
  builder.results = {part, y, y};
  std::vector<Buffer> results = run(create(builder), {upload({1, 2, 3, 4})}, 3);
  expectValues(results[0].get(), {3, 4});
  expectValues(results[1].get(), {2, 3, 4, 5});
  expectValues(results[2].get(), {2, 3, 4, 5});
}

TEST_P(ProgramTest, TemporariesShareStorageWhenTheirLivesDoNotMeet) {
  ProgramBuilder builder;
  uint32_t add = builder.kernel("add_one", addOne, 2), last = builder.argument(4);
  for (int i = 0; i < 20; ++i) {
    uint32_t next = builder.alloc(4);
    builder.launch(add, {last}, {next});
    last = next;
  }
  builder.results = {last};
  Program program = create(builder);
  EXPECT_EQ(tiny_program_arena_size(program.get()), 128u);
  expectValues(run(program, {upload({0, 1, 2, 3})}, 1)[0].get(), {20, 21, 22, 23});
}

TEST_P(ProgramTest, TemporaryReadLateKeepsItsStorage) {
  ProgramBuilder builder;
  uint32_t add = builder.kernel("add_one", addOne, 2), x = builder.argument(4);
  uint32_t early = builder.alloc(4), middle = builder.alloc(4), other = builder.alloc(4), out = builder.alloc(4);
  builder.launch(add, {x}, {early});
  builder.launch(add, {early}, {middle});
  builder.launch(add, {middle}, {other});
  builder.launch(add, {early}, {out});
  builder.results = {out};
  Program program = create(builder);
  EXPECT_EQ(tiny_program_arena_size(program.get()), 192u);
  expectValues(run(program, {upload({0, 1, 2, 3})}, 1)[0].get(), {2, 3, 4, 5});
}

TEST_P(ProgramTest, BuffersOfNoBytesAreFine) {
  ProgramBuilder builder;
  uint32_t x = builder.argument(0), y = builder.alloc(0), t = builder.alloc(0);
  builder.copy(x, t);
  builder.copy(t, y);
  builder.results = {y, x};
  std::vector<Buffer> results = run(create(builder), {allocate(0)}, 2);
  EXPECT_EQ(tiny_buffer_size(results[0].get()), 0u);
}

TEST_P(ProgramTest, OutlivesItsDescription) {
  Program program;
  {
    ProgramBuilder builder;
    float pattern = 3;
    uint32_t y = builder.alloc(2);
    builder.fill(y, &pattern);
    builder.results = {y};
    program = create(builder);
    pattern = 4;
  }
  device = Device();
  expectValues(run(program, {}, 1)[0].get(), {3, 3});
}

TEST_P(ProgramTest, ReleasingTwiceIsAnError) {
  tiny_program *program = create(ProgramBuilder()).take();
  EXPECT_OK(tiny_program_release(program));
  EXPECT_FAILS(tiny_program_release(program), TINY_INVALID_ARGUMENT, "program handle is not alive");
  EXPECT_FAILS(tiny_program_run(program, nullptr, 0, nullptr, 0, nullptr), TINY_INVALID_ARGUMENT, "not alive");
  EXPECT_EQ(tiny_program_arena_size(program), 0u);
}

TEST_P(ProgramTest, ProfileNamesEachItem) {
  float zero = 0;
  ProgramBuilder builder;
  uint32_t x = builder.argument(4), y = builder.alloc(4), z = builder.alloc(4);
  builder.launch(builder.kernel("add_one", addOne, 2), {x}, {y});
  builder.fill(z, &zero);
  builder.copy(y, z);
  builder.results = {z};
  Program program = create(builder);
  std::vector<std::string> names;
  tiny_run_options options = {[](void *context, const char *name, uint64_t) {
                                static_cast<std::vector<std::string> *>(context)->push_back(name);
                              },
                              &names,
                              nullptr,
                              nullptr,
                              nullptr,
                              nullptr};
  Buffer argument = upload({1, 2, 3, 4}), result;
  tiny_buffer *raw = argument.get();
  ASSERT_OK(tiny_program_run(program.get(), &raw, 1, result.receive(), 1, &options));
  EXPECT_EQ(names, (std::vector<std::string>{"add_one", "fill", "copy"}));
}
