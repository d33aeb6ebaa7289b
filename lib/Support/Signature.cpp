#include "Tiny/Support/Signature.h"

using namespace mlir;

namespace tiny {

/// The tensor type that `attr` states for a value of type `type`, or that the type itself is.
static RankedTensorType getTensorType(Type type, TypeAttr attr) {
  if (attr)
    return dyn_cast<RankedTensorType>(attr.getValue());
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor;
  if (auto buffer = dyn_cast<MemRefType>(type))
    return RankedTensorType::get(buffer.getShape(), buffer.getElementType());
  return nullptr;
}

FailureOr<Signature> getSignature(FunctionOpInterface function) {
  Signature signature;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto tensor = getTensorType(type, function.getArgAttrOfType<TypeAttr>(index, kTensorTypeAttr));
    if (!tensor)
      return failure();
    signature.inputs.push_back(tensor);
  }
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    auto tensor = getTensorType(type, function.getResultAttrOfType<TypeAttr>(index, kTensorTypeAttr));
    if (!tensor)
      return failure();
    signature.results.push_back(tensor);
  }
  return signature;
}

SmallVector<FunctionOpInterface> getPrograms(ModuleOp module) {
  SmallVector<FunctionOpInterface> programs;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    // This layer is below the dialects: kernels are known by the name of their operation. A kernel has no results,
    // only buffers that it writes.
    StringRef name = function->getName().getStringRef();
    if (name == "kernel.func" || name == "uop.func" || function.isExternal() || !function.isPublic())
      continue;
    if (succeeded(getSignature(function)))
      programs.push_back(function);
  }
  return programs;
}

} // namespace tiny
