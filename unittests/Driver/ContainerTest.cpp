// A program as bytes: what one process compiles another loads, and what is no container is refused.
#include "Tiny/Driver/Executable.h"
#include "Tiny/Driver/Source.h"
#include "Tiny/Pipelines/Registration.h"
#include "Tiny/Runtime/Format.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace tiny;
using llvm::Expected;

namespace {

constexpr llvm::StringLiteral kProgram = R"(
func.func @main(%x: tensor<4xf32> {tiny.name = "x"}, %s: tensor<4xf32> {tiny.name = "s", tiny.donated})
    -> (tensor<4xf32> {tiny.name = "y"}, tensor<4xf32> {tiny.aliases = 1 : i64}) {
  %c = tiny.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = tiny.mul %x, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = tiny.add %s, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
})";

struct ContainerTest : testing::Test {
  ContainerTest() : registry(makeRegistry()), context(registry) { registerAllTargets(); }

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  /// The container of a program; empty after a failure.
  std::string compile(llvm::StringRef text = kProgram) {
    Expected<OwningOpRef<ModuleOp>> module = parseSource("program.mlir", text, &context);
    if (!module) {
      ADD_FAILURE() << llvm::toString(module.takeError());
      return "";
    }
    CompileOptions options;
    Expected<CompiledProgram> program = compileProgram(**module, options);
    if (!program) {
      ADD_FAILURE() << llvm::toString(program.takeError());
      return "";
    }
    EXPECT_TRUE(program->files.empty());
    return program->container;
  }

  DialectRegistry registry;
  MLIRContext context;
};

std::vector<float> run(const Executable &executable) {
  HostTensor x = HostTensor::zeros(TINY_DTYPE_F32, {4}), s = x;
  for (int i = 0; i < 4; ++i) {
    x.data<float>()[i] = float(i + 1);
    s.data<float>()[i] = 10;
  }
  Expected<RunResult> result = executable.run({&x, &s});
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }
  std::vector<float> values;
  for (const HostTensor &tensor : result->tensors)
    values.insert(values.end(), tensor.data<float>(), tensor.data<float>() + tensor.size());
  return values;
}

TEST_F(ContainerTest, RunsOnMemoryOfTheCallers) {
  std::string container = compile();
  ASSERT_FALSE(container.empty());
  auto check = [&](Expected<std::unique_ptr<Executable>> executable) {
    ASSERT_TRUE(bool(executable)) << llvm::toString(executable.takeError());
    // One arena, as an embedder has: x, s, y and the new s.
    alignas(64) float arena[17] = {1, 2, 3, 4, 10, 10, 10, 10};
    auto at = [&](int index) { return llvm::MutableArrayRef<char>(reinterpret_cast<char *>(arena + index), 16); };
    llvm::Error error = (*executable)->runOn({at(0), at(4)}, {at(8), at(12)});
    ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
    EXPECT_EQ(std::vector<float>(arena, arena + 16),
              (std::vector<float>{1, 2, 3, 4, 10, 10, 10, 10, 1, 4, 9, 16, 11, 12, 13, 14}));
    // The state where it is.
    error = (*executable)->runOn({at(0), at(4)}, {at(8), at(4)});
    ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
    EXPECT_EQ(std::vector<float>(arena + 4, arena + 8), (std::vector<float>{11, 12, 13, 14}));

    EXPECT_EQ(llvm::toString((*executable)->runOn({at(0).drop_back(4), at(4)}, {at(8), at(12)})),
              "input 'x': got 12 bytes of memory, expected 16 for tensor<4xf32>");
    EXPECT_EQ(llvm::toString((*executable)->runOn({at(0), at(4)}, {at(8), at(13)})),
              "result 'result1': its memory is not at a multiple of 8 bytes");
  };
  check(Executable::load(llvm::StringRef(container), &context));
  Expected<OwningOpRef<ModuleOp>> module = parseSource("program.mlir", kProgram, &context);
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  check(Executable::interpret(**module));
}

constexpr llvm::StringLiteral kSized = R"(
kernel.program @main(%x: memref<8xf32> {tiny.name = "x", tiny.type = tensor<8xf32>, tiny.shape = affine_map<()[n] -> (n)>},
                     %sizes: memref<1xi64>)
    -> (memref<8xf32> {tiny.name = "y", tiny.type = tensor<8xf32>, tiny.shape = affine_map<()[n] -> (n)>})
    attributes {sizes = [#kernel.size<"n", 1, 8>]} {
  kernel.return %x : memref<8xf32>
})";

TEST_F(ContainerTest, RunsAtEverySize) {
  Expected<OwningOpRef<ModuleOp>> module = parseSource("program.mlir", kSized, &context);
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  Expected<std::unique_ptr<Executable>> executable = Executable::compile(**module, {});
  ASSERT_TRUE(bool(executable)) << llvm::toString(executable.takeError());
  ASSERT_EQ((*executable)->getSizes().size(), 1u);
  EXPECT_EQ((*executable)->getSizes().front().name, "n");
  HostTensor x = HostTensor::zeros(TINY_DTYPE_F32, {3});
  x.data<float>()[2] = 7;
  Expected<RunResult> result = (*executable)->run({&x});
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(result->tensors.front().shape, (std::vector<int64_t>{3}));
  EXPECT_EQ(result->tensors.front().data<float>()[2], 7);
  std::vector<HostTensor> four = {HostTensor::zeros(TINY_DTYPE_F32, {4})};
  EXPECT_EQ(llvm::toString((*executable)->run({&x}, four)), "result 'y': got tensor<4xf32>, expected tensor<3xf32>");
  HostTensor nine = HostTensor::zeros(TINY_DTYPE_F32, {9});
  EXPECT_EQ(llvm::toString((*executable)->run({&nine}).takeError()),
            "argument 'x': dimension 'n' is 9, expected 1 to 8");
  // On memory of the caller's, the options say the sizes.
  alignas(8) float arena[] = {1, 2, 0, 0};
  auto at = [&](int index) { return llvm::MutableArrayRef<char>(reinterpret_cast<char *>(arena + index), 8); };
  EXPECT_EQ(llvm::toString((*executable)->runOn({at(0)}, {at(2)})),
            "the program has sizes, and the options of the run do not say them");
  int64_t two = 2;
  tiny_run_options options = {nullptr, nullptr, &two, nullptr, nullptr, nullptr};
  llvm::Error error = (*executable)->runOn({at(0)}, {at(2)}, &options);
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  EXPECT_EQ(arena[3], 2);
}

TEST_F(ContainerTest, RunsAndSaysWhatItIs) {
  std::string container = compile();
  ASSERT_FALSE(container.empty());
  MLIRContext other(registry);
  Expected<std::unique_ptr<Executable>> loaded = Executable::load(llvm::StringRef(container), &other);
  ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
  EXPECT_EQ(run(**loaded), (std::vector<float>{1, 4, 9, 16, 11, 12, 13, 14}));
  EXPECT_EQ((*loaded)->getInputs()[1].name, "s");
  EXPECT_EQ((*loaded)->getResults()[0].name, "y");
  EXPECT_EQ((*loaded)->getResults()[0].type, RankedTensorType::get({4}, Float32Type::get(&other)));
  ASSERT_FALSE((*loaded)->getKernelWork().empty());
  for (const auto &entry : (*loaded)->getKernelWork())
    EXPECT_GT(entry.second.bytes, 0u) << entry.first().str();
}

TEST_F(ContainerTest, IsTheSameEachTime) { EXPECT_EQ(compile(), compile()); }

/// The alignments of a container's slots of so many bytes.
std::vector<uint32_t> findAlignments(llvm::StringRef container, uint64_t bytes) {
  std::vector<uint32_t> found;
  const auto *header = reinterpret_cast<const tiny_format_header *>(container.data());
  const auto *sections = reinterpret_cast<const tiny_format_section *>(header + 1);
  for (const tiny_format_section &section : llvm::ArrayRef(sections, header->n_sections))
    if (section.kind == TINY_SECTION_SLOTS)
      for (const tiny_format_slot &slot :
           llvm::ArrayRef(reinterpret_cast<const tiny_format_slot *>(container.data() + section.offset),
                          section.size / sizeof(tiny_format_slot)))
        if (slot.size == bytes)
          found.push_back(slot.alignment);
  return found;
}

// A constant in a file may begin at any byte. Where a kernel reads it again and again, it is wanted in whole lines.
TEST_F(ContainerTest, AsksForLinesOfWhatIsReadFromCaches) {
  auto product = [](int64_t rows) {
    std::string x = "tensor<" + std::to_string(rows) + "x96xf32>", y = "tensor<" + std::to_string(rows) + "x112xf32>";
    return "func.func @main(%x: " + x + ") -> " + y +
           " {\n%w = tiny.constant dense_resource<w> : tensor<96x112xf32>\n" + "%0 = tiny.matmul %x, %w : (" + x +
           ", tensor<96x112xf32>) -> " + y + "\nreturn %0 : " + y + "\n}\n" +
           "{-# dialect_resources: { builtin: { w: \"0x40000000" + std::string(96 * 112 * 8, '1') + "\" } } #-}";
  };
  // Where vectors are short it is packed, into a slot of as many bytes.
  EXPECT_EQ(findAlignments(compile(product(128)), 96 * 112 * 4).front(), 64u);
  EXPECT_EQ(findAlignments(compile(product(1)), 96 * 112 * 4), std::vector<uint32_t>{1});
}

TEST_F(ContainerTest, NullDeviceTakesItToo) {
  std::string container = compile();
  Expected<std::unique_ptr<Executable>> loaded = Executable::load(llvm::StringRef(container), &context, "null");
  ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
  EXPECT_EQ((*loaded)->getThreads(), 1u);
}

TEST_F(ContainerTest, EveryTruncationIsRefused) {
  std::string container = compile();
  for (size_t size = 0; size < container.size(); size += 61) {
    Expected<std::unique_ptr<Executable>> loaded =
        Executable::load(llvm::StringRef(container).take_front(size), &context);
    ASSERT_FALSE(bool(loaded)) << size;
    EXPECT_EQ(llvm::toString(loaded.takeError()).rfind("cannot load the program: ", 0), 0u);
  }
}

} // namespace
