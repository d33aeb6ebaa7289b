// Programs whose sizes are known when they run.
#include "ContainerTest.h"
#include "QueueTest.h"

#include <cstring>
#include <functional>

using namespace tiny::runtime;

namespace {

using Live = std::vector<std::vector<tiny_format_term>>;
const tiny_format_term kTokens = {TINY_TERM_SIZE, 0, 0}, kTwo = {TINY_TERM_CONSTANT, 0, 2},
                       kFloorDivide = {TINY_TERM_FLOOR_DIVIDE, 0, 0};
const tiny_run_options kNoOptions = {};

tiny_run_options withSizes(const int64_t *sizes) {
  tiny_run_options options = kNoOptions;
  options.sizes = sizes;
  return options;
}

/// y = 2 * x for rows of x: tokens by 2, where tokens is 1 to 4; pairs has tokens / 2 rows, and is in no kernel.
struct SizedContainer {
  explicit SizedContainer(const std::string &device = "cpu") {
    uint32_t x = builder.argument(8), pairs = builder.argument(2), mask = builder.argument(4);
    uint32_t sizes = builder.sizesSlot({{"tokens", 1, 4, 0}}), y = builder.alloc(8);
    builder.kernel("twice_rows", nullptr, 3);
    builder.launch(0, {x, sizes}, {y});
    builder.results = {y, pairs};
    (void)mask;
    container.records = {{"cpu", "here", "#target.record<here>", TINY_MACHINE_ANY, 0, 7}};
    ContainerBinary binary;
    binary.code = readFile(TINY_TEST_KERNELS);
    binary.kernels.resize(1);
    binary.kernels[0].name = binary.kernels[0].symbol = "twice_rows";
    binary.kernels[0].nBuffers = 3;
    container.binaries = {binary};
    Live rows = {{kTokens}, {}}, half = {{kTokens, kTwo, kFloorDivide}};
    container.inputs = {{"x", TINY_DTYPE_F32, {4, 2}, false, TINY_FORMAT_NONE, rows},
                        {"pairs", TINY_DTYPE_F32, {2}, false, TINY_FORMAT_NONE, half},
                        {"", TINY_DTYPE_F32, {4}, false, TINY_FORMAT_NONE, {{kTokens}}}};
    container.results = {{"y", TINY_DTYPE_F32, {4, 2}, false, TINY_FORMAT_NONE, rows},
                         {"same", TINY_DTYPE_F32, {2}, false, TINY_FORMAT_NONE, half}};
    makeFor(device, container);
  }

  std::string write() {
    container.program = builder.desc();
    return writeContainer(container);
  }

  ProgramBuilder builder;
  Container container;
};

class Sizes : public OnEveryDevice {
protected:
  void SetUp() override {
    OnEveryDevice::SetUp();
    if (IsSkipped())
      return;
    ASSERT_OK(load(device, bytes, program));
  }

  tiny_status findSizes(const std::vector<std::vector<int64_t>> &shapes, int64_t &tokens) {
    std::vector<tiny_shape> list;
    list.reserve(shapes.size());
    for (const std::vector<int64_t> &shape : shapes)
      list.push_back({shape.data(), uint32_t(shape.size())});
    return tiny_program_find_sizes(program.get(), list.data(), list.size(), &tokens);
  }
  /// Runs on buffers of so many floats.
  tiny_status run(int64_t tokens, size_t x, size_t pairs, size_t mask, tiny_buffer **results) {
    std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8};
    values.resize(x);
    Buffer a = upload(values), b = upload(std::vector<float>(pairs, 3)), c = upload(std::vector<float>(mask));
    tiny_buffer *arguments[] = {a.get(), b.get(), c.get()};
    tiny_run_options options = withSizes(&tokens);
    return tiny_program_run(program.get(), arguments, 3, results, 2, &options);
  }
  tiny_status loadChanged(const std::function<void(SizedContainer &)> &change) {
    SizedContainer changed(GetParam());
    change(changed);
    AlignedBytes image(changed.write());
    Program other;
    return load(device, image, other);
  }

  AlignedBytes bytes{SizedContainer(GetParam()).write()};
  Program program;
};
TINY_ON_EVERY_DEVICE(Sizes);

TEST_P(Sizes, AreDescribed) {
  EXPECT_EQ(tiny_program_size_count(program.get()), 1u);
  tiny_size size;
  ASSERT_OK(tiny_program_size(program.get(), 0, &size));
  EXPECT_STREQ(size.name, "tokens");
  EXPECT_EQ(size.least, 1);
  EXPECT_EQ(size.most, 4);
  EXPECT_FAILS(tiny_program_size(program.get(), 1, &size), TINY_INVALID_ARGUMENT, "size 1 is asked for, there are 1");
  tiny_parameter parameter;
  ASSERT_OK(tiny_program_result(program.get(), 0, &parameter));
  EXPECT_EQ(std::vector<int64_t>(parameter.shape, parameter.shape + 2), (std::vector<int64_t>{4, 2}));
  EXPECT_EQ(parameter.dimensions[0].n_terms, 1u);
  EXPECT_EQ(parameter.dimensions[1].n_terms, 0u);
  EXPECT_EQ(tiny_program_size_count(nullptr), 0u);
}

TEST_P(Sizes, AreFoundInShapes) {
  int64_t tokens = 0;
  ASSERT_OK(findSizes({{3, 2}, {1}, {3}}, tokens));
  EXPECT_EQ(tokens, 3);
  int64_t shape[2];
  ASSERT_OK(tiny_program_result_shape(program.get(), 0, &tokens, shape));
  EXPECT_EQ(shape[0], 3);
  EXPECT_EQ(shape[1], 2);
  ASSERT_OK(tiny_program_argument_shape(program.get(), 1, &tokens, shape));
  EXPECT_EQ(shape[0], 1);
}

TEST_P(Sizes, AreCheckedInShapes) {
  int64_t tokens = 7;
  EXPECT_FAILS(findSizes({{5, 2}, {2}, {5}}, tokens), TINY_INVALID_ARGUMENT,
               "argument 'x': dimension 'tokens' is 5, expected 1 to 4");
  EXPECT_FAILS(findSizes({{0, 2}, {0}, {0}}, tokens), TINY_INVALID_ARGUMENT,
               "argument 'x': dimension 'tokens' is 0, expected 1 to 4");
  EXPECT_FAILS(findSizes({{2, 2}, {1}, {3}}, tokens), TINY_INVALID_ARGUMENT,
               "argument 'arg2': dimension 'tokens' is 3, but argument 'x' has 2");
  EXPECT_FAILS(findSizes({{2, 3}, {1}, {2}}, tokens), TINY_INVALID_ARGUMENT,
               "argument 'x': dimension 1 is 3, expected 2");
  EXPECT_FAILS(findSizes({{2, 2}, {2}, {2}}, tokens), TINY_INVALID_ARGUMENT,
               "argument 'pairs': dimension 0 is 2, expected 1");
  EXPECT_FAILS(findSizes({{2}, {1}, {2}}, tokens), TINY_INVALID_ARGUMENT, "argument 'x': got 1 dimensions, expected 2");
  EXPECT_FAILS(findSizes({{2, 2}}, tokens), TINY_INVALID_ARGUMENT, "takes 3 arguments, got 1");
  EXPECT_EQ(tokens, 7) << "a failed call leaves it";
  EXPECT_FAILS(tiny_program_find_sizes(program.get(), nullptr, 3, &tokens), TINY_INVALID_ARGUMENT,
               "the list of shapes or of sizes is null");
  int64_t shape[2], five = 5;
  EXPECT_FAILS(tiny_program_result_shape(program.get(), 0, &five, shape), TINY_INVALID_ARGUMENT,
               "dimension 'tokens' is 5, expected 1 to 4");
  EXPECT_FAILS(tiny_program_result_shape(program.get(), 2, &five, shape), TINY_INVALID_ARGUMENT,
               "the shape of result 2 is asked for, there are 2");
  tokens = 1;
  EXPECT_FAILS(tiny_program_result_shape(program.get(), 0, &tokens, nullptr), TINY_INVALID_ARGUMENT,
               "the list of extents is null");
}

TEST_P(Sizes, RunsGiveLiveResults) {
  for (int64_t tokens = 1; tokens <= 4; ++tokens) {
    tiny_buffer *results[2] = {};
    ASSERT_OK(run(tokens, 2 * tokens, tokens / 2, tokens, results));
    Buffer y(results[0]), same(results[1]);
    std::vector<float> expected = {2, 4, 6, 8, 10, 12, 14, 16};
    expected.resize(2 * tokens);
    EXPECT_EQ(tiny_buffer_size(y.get()), expected.size() * sizeof(float));
    expectValues(y.get(), expected);
    EXPECT_EQ(tiny_buffer_size(same.get()), tokens / 2 * sizeof(float));
    expectValues(same.get(), std::vector<float>(tokens / 2, 3));
  }
}

TEST_P(Sizes, BuffersMayBeLongerThanWhatIsLive) {
  Buffer y = upload(std::vector<float>(8, -1)), same = upload({-1, -1});
  tiny_buffer *results[2] = {y.get(), same.get()};
  ASSERT_OK(run(2, 8, 2, 3, results));
  expectValues(y.get(), {2, 4, 6, 8, -1, -1, -1, -1});
  if (computes()) {
    EXPECT_EQ(download(same.get())[0], 3);
  }
}

TEST_P(Sizes, RunsCheckThem) {
  tiny_buffer *results[2] = {};
  EXPECT_FAILS(run(5, 8, 2, 4, results), TINY_INVALID_ARGUMENT,
               "program 'p': dimension 'tokens' is 5, expected 1 to 4");
  EXPECT_FAILS(run(3, 4, 1, 3, results), TINY_INVALID_ARGUMENT, "argument 0 has 16 bytes, expected 24 to 32");
  EXPECT_FAILS(run(1, 2, 0, 5, results), TINY_INVALID_ARGUMENT, "argument 2 has 20 bytes, expected 4 to 16");
  Buffer none = allocate(0);
  tiny_buffer *arguments[] = {none.get(), none.get(), none.get()};
  EXPECT_FAILS(tiny_program_run(program.get(), arguments, 3, results, 2, nullptr), TINY_INVALID_ARGUMENT,
               "program 'p' has 1 sizes, and the list of them is null");
  Buffer small = allocate(4);
  tiny_buffer *supplied[2] = {small.get(), nullptr};
  EXPECT_FAILS(run(1, 2, 0, 1, supplied), TINY_INVALID_ARGUMENT, "result 0 has 4 bytes, expected 8 to 32");
}

TEST_P(Sizes, QueuesKeepThem) {
  Buffer x = upload({1, 2, 3, 4}), pairs = upload({5}), mask = upload({1, 1}), y = upload({0, 0, 0, 0}),
         same = upload({0});
  tiny_buffer *arguments[] = {x.get(), pairs.get(), mask.get()}, *results[] = {y.get(), same.get()};
  Signal start = signalAt(0), done = signalAt(0);
  tiny_timepoint wait = {start.get(), 1}, signal = {done.get(), 1};
  tiny_submission submission = {};
  submission.program = program.get();
  submission.arguments = arguments;
  submission.n_arguments = 3;
  submission.results = results;
  submission.n_results = 2;
  submission.waits = &wait;
  submission.signals = &signal;
  submission.n_waits = submission.n_signals = 1;
  Queue queue;
  ASSERT_OK(tiny_queue_create(device.get(), queue.receive()));
  int64_t tokens = 2;
  submission.options.sizes = &tokens;
  ASSERT_OK(tiny_queue_submit(queue.get(), &submission));
  tokens = 100;
  ASSERT_OK(tiny_signal_raise(start.get(), 1));
  ASSERT_OK(tiny_signal_wait(done.get(), 1, TINY_FOREVER));
  expectValues(y.get(), {2, 4, 6, 8});
}

TEST_P(Sizes, ContainersHaveTheFirstVersionThatServes) {
  auto versionOf = [](const std::string &image) {
    return reinterpret_cast<const tiny_format_header *>(&image[0])->version;
  };
  EXPECT_EQ(versionOf(SampleContainer().write()), 1u);
  EXPECT_EQ(versionOf(SizedContainer().write()), 2u);
  AlignedBytes older(SizedContainer().write());
  reinterpret_cast<tiny_format_header *>(older.get())->version = 1;
  repairChecksums(older.get(), older.size);
  Program other;
  EXPECT_FAILS(load(device, older, other), TINY_INVALID_ARGUMENT, "section 15 stands there twice, or is unknown");
}

TEST_P(Sizes, ExtentsMayNotFitEverySize) {
  auto expectFailure = [&](std::vector<tiny_format_term> terms, std::vector<int64_t> shape, const char *message) {
    SizedContainer sized(GetParam());
    sized.container.results[1].live = {std::move(terms)};
    sized.container.results[1].shape = std::move(shape);
    AlignedBytes image(sized.write());
    Program other;
    ASSERT_OK(load(device, image, other));
    int64_t one = 1, extent;
    EXPECT_FAILS(tiny_program_result_shape(other.get(), 1, &one, &extent), TINY_INVALID_ARGUMENT, message);
  };
  // 6 - tokens, and 6 / (tokens - 1): 2 at the greatest size.
  const tiny_format_term six = {TINY_TERM_CONSTANT, 0, 6}, minusOne = {TINY_TERM_CONSTANT, 0, -1},
                         add = {TINY_TERM_ADD, 0, 0}, multiply = {TINY_TERM_MULTIPLY, 0, 0};
  expectFailure({six, kTokens, minusOne, multiply, add}, {2},
                "result 'same': dimension 0 is 5 at these sizes, expected 0 to 2");
  expectFailure({six, kTokens, minusOne, add, kFloorDivide}, {2},
                "result 'same': dimension 0 has no extent at these sizes");
}

TEST_P(Sizes, MalformedContainersAreRefused) {
  const char *wrongTerms = "its terms do not give its extent";
  auto withRows = [&](Live rows) {
    return loadChanged([&](SizedContainer &sized) { sized.container.inputs[0].live = std::move(rows); });
  };
  EXPECT_FAILS(withRows({{kTwo}, {}}), TINY_INVALID_ARGUMENT, wrongTerms);
  EXPECT_FAILS(withRows({{{TINY_TERM_SIZE, 0, 1}}, {}}), TINY_INVALID_ARGUMENT, wrongTerms);
  EXPECT_FAILS(withRows({{{TINY_TERM_SIZE, 0, -1}}, {}}), TINY_INVALID_ARGUMENT, wrongTerms);
  EXPECT_FAILS(withRows({{kTokens, kTokens}, {}}), TINY_INVALID_ARGUMENT, wrongTerms);
  EXPECT_FAILS(withRows({{kTokens, kFloorDivide}, {}}), TINY_INVALID_ARGUMENT, wrongTerms);
  EXPECT_FAILS(withRows({{kTokens, {TINY_TERM_CONSTANT, 0, 0}, kFloorDivide}, {}}), TINY_INVALID_ARGUMENT, wrongTerms);
  EXPECT_FAILS(withRows({{kTokens, kTwo, {99, 0, 0}}, {}}), TINY_INVALID_ARGUMENT, wrongTerms);
  EXPECT_FAILS(withRows({{kTokens, {TINY_TERM_CONSTANT, 0, INT64_MAX}, {TINY_TERM_MULTIPLY, 0, 0}}, {}}),
               TINY_INVALID_ARGUMENT, wrongTerms);
  EXPECT_FAILS(withRows({std::vector<tiny_format_term>(TINY_FORMAT_STACK + 1, kTwo), {}}), TINY_INVALID_ARGUMENT,
               wrongTerms);
  EXPECT_FAILS(loadChanged([](SizedContainer &sized) {
                 for (ContainerParameter &input : sized.container.inputs)
                   input.live.clear();
               }),
               TINY_INVALID_ARGUMENT, "size 0: it has no name, or no argument has it");
  EXPECT_FAILS(loadChanged([](SizedContainer &sized) { sized.builder.sizes[0].least = 5; }), TINY_INVALID_ARGUMENT,
               "size 'tokens' is 5 to 4");
  EXPECT_FAILS(loadChanged([](SizedContainer &sized) { sized.builder.sizes[0].name = ""; }), TINY_INVALID_ARGUMENT,
               "size 0 has no name");
  EXPECT_FAILS(loadChanged([](SizedContainer &sized) { sized.builder.slots[3].size = 16; }), TINY_INVALID_ARGUMENT,
               "1 sizes, and slot 3 behind the arguments has not 8 bytes");
}

TEST_P(Sizes, TermsAreArithmetic) {
  auto evaluate = [](int64_t x, tiny_format_term_kind kind, int64_t y) {
    tiny_format_term terms[] = {{TINY_TERM_SIZE, 0, 0}, {TINY_TERM_CONSTANT, 0, y}, {uint32_t(kind), 0, 0}};
    int64_t result = 99;
    return tiny_format_evaluate(terms, 3, &x, 1, &result) ? result : -99;
  };
  EXPECT_EQ(evaluate(7, TINY_TERM_ADD, -9), -2);
  EXPECT_EQ(evaluate(7, TINY_TERM_MULTIPLY, -9), -63);
  EXPECT_EQ(evaluate(7, TINY_TERM_FLOOR_DIVIDE, 2), 3);
  EXPECT_EQ(evaluate(-7, TINY_TERM_FLOOR_DIVIDE, 2), -4);
  EXPECT_EQ(evaluate(7, TINY_TERM_CEIL_DIVIDE, 2), 4);
  EXPECT_EQ(evaluate(-7, TINY_TERM_CEIL_DIVIDE, 2), -3);
  EXPECT_EQ(evaluate(7, TINY_TERM_MODULO, 4), 3);
  EXPECT_EQ(evaluate(-7, TINY_TERM_MODULO, 4), 1);
  EXPECT_EQ(evaluate(-8, TINY_TERM_MODULO, 4), 0);
  EXPECT_EQ(evaluate(7, TINY_TERM_MODULO, 0), -99);
  EXPECT_EQ(evaluate(INT64_MAX, TINY_TERM_ADD, 1), -99);
}

/// out[k] = in[k] + 1 for as many floats as the size says.
void addOneToSome(void *const *buffers, const int64_t *) {
  auto *in = static_cast<const float *>(buffers[0]);
  auto *sizes = static_cast<const int64_t *>(buffers[1]);
  auto *out = static_cast<float *>(buffers[2]);
  for (int64_t i = 0; i < sizes[0]; ++i)
    out[i] = in[i] + 1;
}

class CreatedSizes : public OnEveryDevice {};
TINY_ON_EVERY_DEVICE(CreatedSizes);

TEST_P(CreatedSizes, ReachKernelsBesideStateCopiesAndFills) {
  ProgramBuilder builder;
  uint32_t state = builder.argument(8, TINY_SLOT_WRITABLE), sizes = builder.sizesSlot({{"n", 0, 8, 0}});
  uint32_t sum = builder.alloc(8), whole = builder.alloc(8);
  float seven = 7;
  builder.launch(builder.kernel("some", addOneToSome, 3), {state, sizes}, {sum});
  builder.copy(sum, state);
  builder.fill(whole, &seven);
  builder.results = {state, whole};
  Program program;
  ASSERT_OK(builder.create(device.get(), program.receive()));
  Buffer five = upload({1, 2, 3, 4, 5});
  tiny_buffer *arguments[] = {five.get()}, *results[] = {nullptr, nullptr};
  int64_t n = 5;
  tiny_run_options options = withSizes(&n);
  ASSERT_OK(tiny_program_run(program.get(), arguments, 1, results, 2, &options));
  Buffer view(results[0]), filled(results[1]);
  expectValues(five.get(), {2, 3, 4, 5, 6});
  EXPECT_EQ(tiny_buffer_size(view.get()), 20u);
  expectValues(filled.get(), std::vector<float>(8, 7));
}

TEST_P(CreatedSizes, AreNotWritten) {
  ProgramBuilder builder;
  uint32_t x = builder.argument(2), sizes = builder.sizesSlot({{"n", 0, 8, 0}});
  builder.copy(x, sizes);
  builder.results = {x};
  Program program;
  EXPECT_FAILS(builder.create(device.get(), program.receive()), TINY_READ_ONLY,
               "slot 1 is written, but holds size 'n', which the run tells");
}

TEST_P(CreatedSizes, AreComputed) {
  ProgramBuilder builder;
  uint32_t x = builder.argument(2), sizes = builder.sizesSlot({{"n", 0, 8, 1}});
  builder.copy(x, sizes);
  builder.results = {x};
  Program program;
  ASSERT_OK(builder.create(device.get(), program.receive()));
  tiny_size size;
  ASSERT_OK(tiny_program_size(program.get(), 0, &size));
  EXPECT_EQ(size.computed, 1u);
  int64_t most = 8, found = -1;
  tiny_run_options options = withSizes(&most);
  options.found_sizes = &found;
  auto run = [&](int64_t number) {
    std::vector<float> bits(2);
    std::memcpy(bits.data(), &number, sizeof(number));
    Buffer input = upload(bits);
    tiny_buffer *arguments[] = {input.get()}, *results[] = {nullptr};
    tiny_status status = tiny_program_run(program.get(), arguments, 1, results, 1, &options);
    Buffer result(results[0]);
    return status;
  };
  ASSERT_OK(run(5));
  EXPECT_EQ(found, computes() ? 5 : 0);
  if (!computes())
    return;
  EXPECT_FAILS(run(9), TINY_OUT_OF_RANGE, "computed dimension 'n' as 9, expected 0 to 8");
  EXPECT_EQ(found, 5);
}

TEST_P(CreatedSizes, PartsOfArgumentsMustBeThere) {
  ProgramBuilder builder;
  uint32_t x = builder.argument(4);
  builder.sizesSlot({{"n", 0, 4, 0}});
  builder.results = {builder.alias(x, 2, 1)};
  Program program;
  ASSERT_OK(builder.create(device.get(), program.receive()));
  int64_t n = 2;
  tiny_run_options options = withSizes(&n);
  auto runOn = [&](const Buffer &argument, tiny_buffer *&result) {
    tiny_buffer *arguments[] = {argument.get()};
    return tiny_program_run(program.get(), arguments, 1, &result, 1, &options);
  };
  tiny_buffer *result = nullptr;
  EXPECT_FAILS(runOn(upload({1, 2}), result), TINY_INVALID_ARGUMENT,
               "argument 0 has 8 bytes, but slot 2 is a part that ends at 12");
  ASSERT_OK(runOn(upload({1, 2, 3}), result));
  Buffer third(result);
  expectValues(third.get(), {3});
}

TEST_P(CreatedSizes, KnowNoShapes) {
  ProgramBuilder builder;
  uint32_t x = builder.argument(4);
  builder.sizesSlot({{"n", 0, 4, 0}});
  builder.results = {x};
  Program program;
  ASSERT_OK(builder.create(device.get(), program.receive()));
  int64_t n = 2;
  EXPECT_FAILS(tiny_program_find_sizes(program.get(), nullptr, 0, &n), TINY_INVALID_ARGUMENT,
               "program 'p' was not loaded, and knows no shapes");
}

} // namespace
