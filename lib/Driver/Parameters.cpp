// Finds a program in a module, lists its arguments and results, and checks inputs against them.
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Driver/Executable.h"
#include "Tiny/Files/Inputs.h"
#include "Tiny/Import/Onnx.h"
#include "Tiny/Support/Family.h"
#include "Tiny/Support/Signature.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/IR/AffineMap.h"
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

/// The arithmetic of an extent as steps on a stack.
static void addTerms(AffineExpr extent, std::vector<tiny_format_term> &terms) {
  auto add = [&](tiny_format_term_kind kind, int64_t value) { terms.push_back({uint32_t(kind), 0, value}); };
  if (auto constant = dyn_cast<AffineConstantExpr>(extent))
    return add(TINY_TERM_CONSTANT, constant.getValue());
  if (auto size = dyn_cast<AffineSymbolExpr>(extent))
    return add(TINY_TERM_SIZE, size.getPosition());
  auto binary = cast<AffineBinaryOpExpr>(extent);
  addTerms(binary.getLHS(), terms);
  addTerms(binary.getRHS(), terms);
  switch (extent.getKind()) {
  case AffineExprKind::Add:
    return add(TINY_TERM_ADD, 0);
  case AffineExprKind::Mul:
    return add(TINY_TERM_MULTIPLY, 0);
  case AffineExprKind::FloorDiv:
    return add(TINY_TERM_FLOOR_DIVIDE, 0);
  case AffineExprKind::CeilDiv:
    return add(TINY_TERM_CEIL_DIVIDE, 0);
  default:
    return add(TINY_TERM_MODULO, 0);
  }
}

/// What `tiny.shape` says; nothing where it is not there.
static files::LiveShape getLiveShape(AffineMapAttr shape) {
  files::LiveShape live;
  if (!shape)
    return live;
  for (AffineExpr extent : shape.getValue().getResults()) {
    std::vector<tiny_format_term> &terms = live.emplace_back();
    if (!isa<AffineConstantExpr>(extent))
      addTerms(extent, terms);
  }
  return live;
}

std::vector<Parameter> getInputs(FunctionOpInterface program) {
  std::vector<Parameter> parameters = makeParameters(getSignature(program)->inputs, "arg", [&](unsigned index) {
    return program.getArgAttrOfType<StringAttr>(index, kNameAttr);
  });
  for (auto [index, parameter] : llvm::enumerate(parameters))
    parameter.live = getLiveShape(program.getArgAttrOfType<AffineMapAttr>(index, kShapeAttr));
  return parameters;
}

std::vector<Parameter> getResults(FunctionOpInterface program) {
  std::vector<Parameter> parameters = makeParameters(getSignature(program)->results, "result", [&](unsigned index) {
    return program.getResultAttrOfType<StringAttr>(index, kNameAttr);
  });
  for (auto [index, parameter] : llvm::enumerate(parameters))
    parameter.live = getLiveShape(program.getResultAttrOfType<AffineMapAttr>(index, kShapeAttr));
  return parameters;
}

std::vector<files::Size> getSizes(FunctionOpInterface program) {
  std::vector<files::Size> sizes;
  auto host = dyn_cast<kernel::ProgramOp>(program.getOperation());
  if (!host || !host.getSizes())
    return sizes;
  for (auto size : host.getSizesAttr().getAsRange<kernel::SizeAttr>())
    sizes.push_back({size.getName().str(), size.getLeast(), size.getMost(), size.getComputed()});
  return sizes;
}

llvm::Expected<std::vector<HostTensor>> readInputs(ArrayRef<std::string> texts, ArrayRef<Parameter> inputs,
                                                   files::SizeRequest *sizes) {
  std::vector<files::Parameter> parameters;
  for (const Parameter &input : inputs) {
    std::optional<tiny_dtype> dtype = getDtype(input.type.getElementType());
    if (!dtype)
      return llvm::createStringError("input '" + input.name + "' is of a type that has no buffers");
    parameters.push_back({input.name, *dtype, input.type.getShape().vec(), input.live});
  }
  return toExpected(files::readInputs(texts, parameters, sizes));
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
  bool fits =
      getDtype(input.type.getElementType()) == tensor.dtype && input.type.getShape().size() == tensor.shape.size();
  for (size_t axis = 0; fits && axis < tensor.shape.size(); ++axis)
    fits = (!input.live.empty() && !input.live[axis].empty()) || input.type.getDimSize(axis) == tensor.shape[axis];
  if (fits)
    return llvm::Error::success();
  return llvm::createStringError("input '" + input.name + "': got " + formatType(tensor) + ", expected " +
                                 formatType(input.type));
}

} // namespace tiny
