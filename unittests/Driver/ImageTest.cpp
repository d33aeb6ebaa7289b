#include "Tiny/Driver/Executable.h"
#include "Tiny/Driver/Source.h"
#include "Tiny/Pipelines/Registration.h"

#include "mlir/Bytecode/BytecodeWriter.h"
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

struct ImageTest : testing::Test {
  ImageTest() : registry(makeRegistry()), context(registry) {}

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  static std::unique_ptr<llvm::MemoryBuffer> buffer(llvm::StringRef bytes) {
    return llvm::MemoryBuffer::getMemBufferCopy(bytes, "image");
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

TEST_F(ImageTest, LoadsAsWhatItWas) {
  Expected<OwningOpRef<ModuleOp>> module = parseSource("program.mlir", kProgram, &context);
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  std::string image;
  CompileOptions options;
  options.countWork = true;
  options.image = &image;
  Expected<std::unique_ptr<Executable>> compiled = Executable::compile(**module, options);
  ASSERT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError());
  ASSERT_FALSE(image.empty());

  MLIRContext other(registry);
  Expected<std::unique_ptr<Executable>> loaded = Executable::load(buffer(image), &other);
  ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
  EXPECT_EQ(run(**loaded), (std::vector<float>{1, 4, 9, 16, 11, 12, 13, 14}));
  EXPECT_EQ(run(**compiled), run(**loaded));
  EXPECT_EQ((*loaded)->getInputs()[1].name, "s");
  EXPECT_EQ((*loaded)->getResults()[0].name, "y");
  ASSERT_EQ((*loaded)->getKernelWork().size(), (*compiled)->getKernelWork().size());
  for (const auto &entry : (*compiled)->getKernelWork()) {
    KernelWork work = (*loaded)->getKernelWork().lookup(entry.first());
    EXPECT_EQ(work.bytes, entry.second.bytes);
    EXPECT_EQ(work.operations, entry.second.operations);
  }
}

TEST_F(ImageTest, DevicesWithoutMachineCodeHaveNone) {
  Expected<OwningOpRef<ModuleOp>> module = parseSource("program.mlir", kProgram, &context);
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  std::string image;
  CompileOptions options;
  options.device = "null";
  options.image = &image;
  ASSERT_TRUE(bool(Executable::compile(**module, options)));
  EXPECT_TRUE(image.empty());
}

TEST_F(ImageTest, RefusesWhatIsNoImage) {
  auto message = [&](llvm::StringRef bytes) {
    Expected<std::unique_ptr<Executable>> loaded = Executable::load(buffer(bytes), &context);
    return loaded ? std::string() : llvm::toString(loaded.takeError());
  };
  EXPECT_EQ(message(""), "no bytecode");
  EXPECT_EQ(message("module {}"), "no bytecode");
  OwningOpRef<ModuleOp> empty(ModuleOp::create(UnknownLoc::get(&context)));
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  ASSERT_TRUE(succeeded(writeBytecodeToFile(*empty, stream)));
  EXPECT_EQ(message(bytes), "the module has no public function on tensors");
}

} // namespace
