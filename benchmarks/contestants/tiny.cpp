// tiny as a contestant: compiles an MLIR program or a model, and runs it on random numbers.
// usage: bench-tiny PROGRAM [pipeline options]; TINY_NUM_THREADS says on how many threads.
#include "Contestant.h"
#include "Tiny/Driver/Executable.h"
#include "Tiny/Driver/Source.h"
#include "Tiny/Pipelines/Registration.h"

using namespace tiny;

static int fail(llvm::Error error) {
  llvm::errs() << "bench-tiny: " << llvm::toString(std::move(error)) << "\n";
  return 1;
}

static std::vector<HostTensor> makeTensors(llvm::ArrayRef<Parameter> parameters) {
  std::vector<HostTensor> tensors;
  for (const Parameter &parameter : parameters) {
    std::optional<tiny_dtype> dtype = getDtype(parameter.type.getElementType());
    tensors.push_back(HostTensor::zeros(*dtype, parameter.type.getShape()));
    HostTensor &tensor = tensors.back();
    if (*dtype == TINY_DTYPE_F32)
      contestant::fillRandom(reinterpret_cast<float *>(tensor.bytes.data()), tensor.bytes.size() / sizeof(float));
  }
  return tensors;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    llvm::errs() << "usage: bench-tiny PROGRAM [pipeline options]\n";
    return 1;
  }
  contestant::Watch watch;
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registerAllTargets();
  mlir::MLIRContext context(registry);
  auto module = readSource(argv[1], &context, {});
  if (!module)
    return fail(module.takeError());
  CompileOptions options;
  options.pipeline = argc > 2 ? argv[2] : "";
  auto executable = Executable::compile(**module, options);
  if (!executable)
    return fail(executable.takeError());
  contestant::Stretch compiling = watch.read(); // filling the tensors is no part of preparing

  std::vector<HostTensor> inputs = makeTensors((*executable)->getInputs());
  std::vector<HostTensor> results = makeTensors((*executable)->getResults());
  std::vector<const HostTensor *> arguments;
  for (const HostTensor &input : inputs)
    arguments.push_back(&input);
  auto run = [&] {
    if (llvm::Error error = (*executable)->run(arguments, results))
      std::exit(fail(std::move(error)));
  };
  return contestant::serve(compiling, run);
}
