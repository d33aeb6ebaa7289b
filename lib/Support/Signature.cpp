// Reads the signature of a program from types and attributes, and verifies what it says about its state.
#include "Tiny/Support/Signature.h"

#include "Tiny/Support/KernelTrait.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

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
  // The buffer of a program's sizes is no input, nor is the place of its rank.
  unsigned nArguments = function.getNumArguments();
  bool hasHidden =
      nArguments && (function->hasAttr(kProgramSizesAttr) || function.getArgAttr(nArguments - 1, kRankAttr));
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes().drop_back(hasHidden))) {
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

int64_t getLocalSize(int64_t size, ArrayRef<int16_t> axes, ArrayRef<int64_t> grid) {
  for (int16_t axis : axes)
    size = (size + grid[axis] - 1) / grid[axis];
  return size;
}

SmallVector<int64_t> getGridPlace(int64_t rank, ArrayRef<int64_t> grid) {
  SmallVector<int64_t> place(grid.size());
  for (size_t axis = grid.size(); axis-- > 0; rank /= grid[axis])
    place[axis] = rank % grid[axis];
  return place;
}

std::optional<ShardedTensor> getShardedTensor(RankedTensorType local, Attribute axes, Attribute whole,
                                              ArrayRef<int64_t> grid) {
  ShardedTensor tensor{local, {}};
  tensor.axes.resize(local.getRank());
  if (!axes && !whole)
    return tensor;
  auto list = dyn_cast_or_null<ArrayAttr>(axes);
  auto type = dyn_cast_or_null<TypeAttr>(whole);
  tensor.whole = type ? dyn_cast<RankedTensorType>(type.getValue()) : nullptr;
  if (!list || !tensor.whole || !tensor.whole.hasStaticShape() || tensor.whole.getRank() != local.getRank() ||
      list.size() != tensor.axes.size())
    return std::nullopt;
  llvm::SmallDenseSet<int16_t> seen;
  for (auto [at, entry] : llvm::enumerate(list)) {
    auto cut = dyn_cast<DenseI16ArrayAttr>(entry);
    if (!cut)
      return std::nullopt;
    for (int16_t axis : cut.asArrayRef()) {
      if (axis < 0 || axis >= static_cast<int64_t>(grid.size()) || !seen.insert(axis).second)
        return std::nullopt;
      tensor.axes[at].push_back(axis);
    }
    if (getLocalSize(tensor.whole.getDimSize(at), tensor.axes[at], grid) != local.getDimSize(at))
      return std::nullopt;
  }
  return tensor;
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
