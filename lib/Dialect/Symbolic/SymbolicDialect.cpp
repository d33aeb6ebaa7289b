// Registers the dialect, and holds the folders, ranges and verifiers of sym.mod and sym.range_of.
#include "Tiny/Dialect/Symbolic/Symbolic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/CommonFolders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

#include "Tiny/Dialect/Symbolic/SymbolicDialect.cpp.inc"

/// A bound without its type, which is i64 or f64.
static ParseResult parseBound(OpAsmParser &parser, Attribute &bound) { return parser.parseAttribute(bound); }
static void printBound(OpAsmPrinter &printer, Operation *, Attribute bound) {
  printer.printAttributeWithoutType(bound);
}

#define GET_OP_CLASSES
#include "Tiny/Dialect/Symbolic/SymbolicOps.cpp.inc"

namespace tiny::sym {

void SymDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Tiny/Dialect/Symbolic/SymbolicOps.cpp.inc"
      >();
}

Operation *SymDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

//===--- sym.mod --------------------------------------------------------------------------------------------------===//

/// x - y * floor(x / y), for y != 0.
static APInt floorMod(const APInt &x, const APInt &y) {
  APInt remainder = x.srem(y);
  if (!remainder.isZero() && remainder.isNegative() != y.isNegative())
    remainder += y;
  return remainder;
}

OpFoldResult ModOp::fold(FoldAdaptor adaptor) {
  // x mod 1 -> 0
  if (matchPattern(getRhs(), m_One()))
    return Builder(getContext()).getZeroAttr(getType());
  bool byZero = false;
  Attribute folded =
      constFoldBinaryOp<IntegerAttr, APInt, void>(adaptor.getOperands(), [&](const APInt &x, const APInt &y) {
        byZero |= y.isZero();
        return byZero ? x : floorMod(x, y);
      });
  return byZero ? Attribute() : folded;
}

void ModOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn setRange) {
  const APInt &low = ranges[1].smin(), &high = ranges[1].smax();
  unsigned width = low.getBitWidth();
  // x mod y lies in [0, y - 1] for y > 0, in [y + 1, 0] for y < 0.
  APInt least = low.isNegative() ? low + 1 : APInt::getZero(width);
  APInt most = high.isStrictlyPositive() ? high - 1 : APInt::getZero(width);
  // 0 <= x < y -> x mod y = x, so x bounds it too.
  if (!low.isNegative() && ranges[0].smin().isNonNegative())
    most = llvm::APIntOps::smin(most, ranges[0].smax());
  setRange(getResult(), ConstantIntRanges::fromSigned(least, most));
}

//===--- sym.range_of ---------------------------------------------------------------------------------------------===//

LogicalResult RangeOfOp::verify() {
  // (range_of_c3) the bounds are of the value's kind
  bool isFloat = isa<FloatType>(getType());
  for (Attribute bound : {getLowerAttr(), getUpperAttr()})
    if (isa<FloatAttr>(bound) != isFloat)
      return emitOpError("bound ") << bound << " is no " << (isFloat ? "float" : "integer") << ", as " << getType()
                                   << " is";
  if (isFloat) {
    // (range_of_c1) lower <= upper, so neither is NaN
    double lower = cast<FloatAttr>(getLowerAttr()).getValueAsDouble();
    double upper = cast<FloatAttr>(getUpperAttr()).getValueAsDouble();
    if (!(lower <= upper))
      return emitOpError("lower bound ") << getLowerAttr() << " is not below upper bound " << getUpperAttr();
    return success();
  }
  int64_t lower = cast<IntegerAttr>(getLowerAttr()).getInt(), upper = cast<IntegerAttr>(getUpperAttr()).getInt();
  if (lower > upper)
    return emitOpError("lower bound ") << lower << " is above upper bound " << upper;
  // (range_of_c2) integer bounds fit the type, and those of an index what index arithmetic may reach
  unsigned width = getType().isIndex() ? 63 : getType().getIntOrFloatBitWidth();
  for (int64_t bound : {lower, upper})
    if (!llvm::isIntN(width, bound))
      return emitOpError("bound ") << bound << " does not fit " << getType()
                                   << (getType().isIndex() ? ", which stays below 2^62" : "");
  return success();
}

OpFoldResult RangeOfOp::fold(FoldAdaptor adaptor) {
  // A constant needs no bounds.
  if (adaptor.getValue())
    return adaptor.getValue();
  // lower = upper = c -> c; a float may be either zero
  auto lower = dyn_cast<IntegerAttr>(getLowerAttr());
  if (lower && lower == getUpperAttr())
    return IntegerAttr::get(getType(), lower.getInt());
  return {};
}

void RangeOfOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn setRange) {
  if (isa<FloatType>(getType()))
    return;
  unsigned width = ranges[0].smin().getBitWidth();
  APInt lower(width, cast<IntegerAttr>(getLowerAttr()).getInt(), /*isSigned=*/true, /*implicitTrunc=*/true);
  APInt upper(width, cast<IntegerAttr>(getUpperAttr()).getInt(), /*isSigned=*/true, /*implicitTrunc=*/true);
  setRange(getResult(), ConstantIntRanges::fromSigned(lower, upper).intersection(ranges[0]));
}

} // namespace tiny::sym
