// Finds a program in a module, lists its arguments and results, and checks inputs against them.
#include "Tiny/Driver/Executable.h"
#include "Tiny/Files/Inputs.h"
#include "Tiny/Import/Onnx.h"
#include "Tiny/Support/Signature.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tiny {

std::string formatType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static std::vector<Parameter> makeParameters(ArrayRef<RankedTensorType> types, StringRef otherwise,
                                             llvm::function_ref<StringAttr(unsigned)> getName) {
  std::vector<Parameter> parameters;
  for (auto [index, type] : llvm::enumerate(types)) {
    StringAttr name = getName(index);
    parameters.push_back({name ? name.str() : (otherwise + Twine(index)).str(), type});
  }
  return parameters;
}

std::vector<Parameter> getInputs(FunctionOpInterface program) {
  return makeParameters(getSignature(program)->inputs, "arg",
                        [&](unsigned index) { return program.getArgAttrOfType<StringAttr>(index, kNameAttr); });
}

std::vector<Parameter> getResults(FunctionOpInterface program) {
  return makeParameters(getSignature(program)->results, "result",
                        [&](unsigned index) { return program.getResultAttrOfType<StringAttr>(index, kNameAttr); });
}

llvm::Expected<std::vector<HostTensor>> readInputs(ArrayRef<std::string> texts, ArrayRef<Parameter> inputs) {
  std::vector<files::Parameter> parameters;
  for (const Parameter &input : inputs) {
    std::optional<tiny_dtype> dtype = getDtype(input.type.getElementType());
    if (!dtype)
      return llvm::createStringError("input '" + input.name + "' is of a type that has no buffers");
    parameters.push_back({input.name, *dtype, input.type.getShape().vec()});
  }
  return toExpected(files::readInputs(texts, parameters));
}

llvm::Expected<FunctionOpInterface> findProgram(ModuleOp module, StringRef name) {
  SmallVector<FunctionOpInterface> programs = getPrograms(module);
  if (programs.empty())
    return llvm::createStringError("the module has no public function on tensors");
  std::string names;
  for (FunctionOpInterface program : programs) {
    if (program.getName() == (name.empty() ? "main" : name))
      return program;
    names += (names.empty() ? "'" : ", '") + program.getName().str() + "'";
  }
  if (name.empty() && programs.size() == 1)
    return programs.front();
  return llvm::createStringError(
      (name.empty() ? "which function is to run? There are " : "no function is called '" + name + "'; there are ") +
      names);
}

void dropOtherPrograms(ModuleOp module, FunctionOpInterface program) {
  llvm::SetVector<Operation *> needed;
  needed.insert(program);
  for (size_t i = 0; i < needed.size(); ++i)
    if (std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(needed[i]))
      for (SymbolTable::SymbolUse use : *uses)
        if (Operation *target = module.lookupSymbol(use.getSymbolRef().getRootReference()))
          needed.insert(target);
  for (FunctionOpInterface function : llvm::make_early_inc_range(module.getOps<FunctionOpInterface>()))
    // Scripts are found by name while the program is lowered.
    if (!needed.contains(function) && !isa_and_nonnull<transform::TransformDialect>(function->getDialect()))
      function.erase();
}

llvm::Error checkInput(const Parameter &input, const HostTensor &tensor) {
  if (getDtype(input.type.getElementType()) == tensor.dtype && input.type.getShape() == ArrayRef(tensor.shape))
    return llvm::Error::success();
  return llvm::createStringError("input '" + input.name + "': got " + formatType(tensor) + ", expected " +
                                 formatType(input.type));
}

} // namespace tiny
