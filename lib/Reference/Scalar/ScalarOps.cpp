// Finds the function that computes an operation on scalars, in the tables of the families.
#include "ScalarOps.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tiny::reference {

static LaneFn lookup(StringRef name) {
  static const llvm::StringMap<LaneFn> table = [] {
    llvm::StringMap<LaneFn> rows;
    for (ArrayRef<ScalarEntry> family : {getIntegerOps(), getFloatOps(), getMathOps()})
      for (const ScalarEntry &entry : family)
        rows[entry.name] = entry.compute;
    return rows;
  }();
  return table.lookup(name);
}

std::optional<ScalarCode> getScalarCode(StringRef name, ScalarType type) {
  LaneFn compute = lookup(name);
  if (!compute)
    return std::nullopt;
  return ScalarCode{compute, type, type, 0};
}

std::optional<ScalarCode> getScalarCode(Operation *op, unsigned result) {
  if (op->getNumOperands() == 0 || result >= op->getNumResults() || op->getNumRegions() != 0)
    return std::nullopt;
  // Rounding modes other than the default change what these compute.
  for (NamedAttribute attr : op->getAttrs())
    if (auto mode = dyn_cast<arith::RoundingModeAttr>(attr.getValue());
        mode && mode.getValue() != arith::RoundingMode::to_nearest_even)
      return std::nullopt;

  StringRef name = op->getName().getStringRef();
  LaneFn compute = result == 0 ? lookup(name) : lookup((name + "#" + Twine(result)).str());
  // A select's type is that of its values; everything else is typed by its first operand.
  unsigned typed = isa<arith::SelectOp>(op) ? 1 : 0;
  std::optional<ScalarType> in = getScalarType(op->getOperand(typed).getType());
  std::optional<ScalarType> out = getScalarType(op->getResult(result).getType());
  if (!compute || !in || !out)
    return std::nullopt;
  ScalarCode code{compute, *in, *out, 0};
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    code.parameter = static_cast<int64_t>(compare.getPredicate());
  else if (auto compare = dyn_cast<arith::CmpFOp>(op))
    code.parameter = static_cast<int64_t>(compare.getPredicate());
  else if (isa<math::FPowIOp>(op))
    code.parameter = getScalarType(op->getOperand(1).getType())->width;
  return code;
}

std::optional<ScalarCode> getCombinerCode(arith::AtomicRMWKind kind, ScalarType type) {
  using Kind = arith::AtomicRMWKind;
  auto name = [&]() -> StringRef {
    switch (kind) {
    case Kind::addf:
      return "arith.addf";
    case Kind::addi:
      return "arith.addi";
    case Kind::andi:
      return "arith.andi";
    case Kind::maximumf:
      return "arith.maximumf";
    case Kind::maxnumf:
      return "arith.maxnumf";
    case Kind::maxs:
      return "arith.maxsi";
    case Kind::maxu:
      return "arith.maxui";
    case Kind::minimumf:
      return "arith.minimumf";
    case Kind::minnumf:
      return "arith.minnumf";
    case Kind::mins:
      return "arith.minsi";
    case Kind::minu:
      return "arith.minui";
    case Kind::mulf:
      return "arith.mulf";
    case Kind::muli:
      return "arith.muli";
    case Kind::ori:
      return "arith.ori";
    case Kind::xori:
      return "arith.xori";
    default:
      return "";
    }
  }();
  return name.empty() ? std::nullopt : getScalarCode(name, type);
}

} // namespace tiny::reference
