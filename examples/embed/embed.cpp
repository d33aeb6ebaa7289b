// A program that embeds the compiler: it reads a model, compiles it for this machine, and runs it on memory of its own.
#include "Tiny/Driver/Executable.h"
#include "Tiny/Driver/Source.h"
#include "Tiny/Pipelines/Registration.h"
#include "llvm/Support/raw_ostream.h"

static int fail(llvm::Error error) {
  llvm::errs() << llvm::toString(std::move(error)) << "\n";
  return 1;
}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tiny::registerAllDialects(registry);
  tiny::registerAllTargets();
  mlir::MLIRContext context(registry);

  // An ONNX model, or a program at any level. A module that is built in memory will do as well.
  auto module = tiny::readSource(argc > 1 ? argv[1] : "examples/affine-relu.mlir", &context);
  if (!module)
    return fail(module.takeError());
  tiny::CompileOptions options;
  options.pipeline = "fusion=default";
  auto executable = tiny::Executable::compile(**module, options);
  if (!executable)
    return fail(executable.takeError());

  // Memory for each argument and each result, zeros here. It must lie at a multiple of 8 bytes.
  std::vector<std::vector<double>> memory;
  auto allocate = [&](llvm::ArrayRef<tiny::Parameter> parameters) {
    std::vector<llvm::MutableArrayRef<char>> spans;
    for (const tiny::Parameter &parameter : parameters) {
      size_t bytes = parameter.type.getNumElements() * ((parameter.type.getElementTypeBitWidth() + 7) / 8);
      memory.emplace_back((bytes + 7) / 8);
      spans.emplace_back(reinterpret_cast<char *>(memory.back().data()), bytes);
    }
    return spans;
  };
  std::vector<llvm::MutableArrayRef<char>> inputs = allocate((*executable)->getInputs());
  std::vector<llvm::MutableArrayRef<char>> results = allocate((*executable)->getResults());
  std::vector<llvm::ArrayRef<char>> arguments(inputs.begin(), inputs.end());
  for (int run = 0; run < 3; ++run)
    if (llvm::Error error = (*executable)->runOn(arguments, results))
      return fail(std::move(error));

  for (const tiny::Parameter &result : (*executable)->getResults())
    llvm::outs() << result.name << ": " << result.type << "\n";
  return 0;
}
