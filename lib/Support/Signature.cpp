// Reads the signature of a program from types and attributes, and verifies what it says about its state.
#include "Tiny/Support/Signature.h"

#include "Tiny/Support/KernelTrait.h"
#include "llvm/ADT/DenseMap.h"

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
  // The buffer of a program's sizes is no input.
  for (auto [index, type] :
       llvm::enumerate(function.getArgumentTypes().drop_back(function->hasAttr(kProgramSizesAttr)))) {
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

std::optional<unsigned> getAliasedArgument(FunctionOpInterface function, unsigned result) {
  if (auto attr = function.getResultAttrOfType<IntegerAttr>(result, kAliasesAttr))
    return attr.getValue().getZExtValue();
  return std::nullopt;
}

LogicalResult verifyState(FunctionOpInterface function) {
  // (state_c1)
  for (unsigned k = 0; k < function.getNumArguments(); ++k)
    if (Attribute donated = function.getArgAttr(k, kDonatedAttr); donated && !isa<UnitAttr>(donated))
      return function.emitError() << "argument #" << k << " has a '" << kDonatedAttr << "' of " << donated
                                  << ", expected a unit attribute";
  llvm::SmallDenseMap<unsigned, unsigned> aliased;
  for (unsigned k = 0; k < function.getNumResults(); ++k) {
    // (state_c4)
    if (Attribute borrowed = function.getResultAttr(k, kBorrowedAttr);
        borrowed && (!isa<UnitAttr>(borrowed) || function.isPublic()))
      return function.emitError() << "result #" << k << " has a '" << kBorrowedAttr << "' of " << borrowed
                                  << ", expected a unit attribute on what a loop names";
    Attribute attr = function.getResultAttr(k, kAliasesAttr);
    if (!attr)
      continue;
    auto number = dyn_cast<IntegerAttr>(attr);
    if (!number || !number.getType().isInteger(64))
      return function.emitError() << "result #" << k << " has a '" << kAliasesAttr << "' of " << attr
                                  << ", expected an i64 attribute";
    if (number.getInt() < 0 || number.getInt() >= int64_t(function.getNumArguments()))
      return function.emitError() << "result #" << k << " has a '" << kAliasesAttr << "' of " << attr
                                  << ", which names no argument";
    unsigned argument = number.getInt();
    // (state_c2)
    if (!function.getArgAttr(argument, kDonatedAttr))
      return function.emitError() << "result #" << k << " aliases argument #" << argument << ", which is not '"
                                  << kDonatedAttr << "'";
    if (function.getArgumentTypes()[argument] != function.getResultTypes()[k] ||
        function.getArgAttr(argument, kTensorTypeAttr) != function.getResultAttr(k, kTensorTypeAttr))
      return function.emitError() << "result #" << k << " aliases argument #" << argument
                                  << ", which is of another type";
    // (state_c3)
    auto [other, isNew] = aliased.try_emplace(argument, k);
    if (!isNew)
      return function.emitError() << "results #" << other->second << " and #" << k << " alias argument #" << argument
                                  << " both";
  }
  return success();
}

SmallVector<FunctionOpInterface> getPrograms(ModuleOp module) {
  SmallVector<FunctionOpInterface> programs;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    if (function->hasTrait<KernelTrait>() || function.isExternal() || !function.isPublic())
      continue;
    if (succeeded(getSignature(function)))
      programs.push_back(function);
  }
  return programs;
}

} // namespace tiny
