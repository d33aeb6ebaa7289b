// Scalar arithmetic in C. What C leaves undefined (signed overflow, long shifts, NaN in extrema) is a call of a
// function `tiny_<what>_<type>`, which the file's writer defines.
#include "KernelWriter.h"

#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tiny::emitc {

static bool isHeldAsInteger(Type type) {
  return isa<Float16Type, BFloat16Type, Float8E4M3FNType, Float8E5M2Type>(type);
}

Type getCType(Type type) {
  if (type.isIndex())
    return IntegerType::get(type.getContext(), 64);
  if (isHeldAsInteger(type))
    return IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth());
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth()) ? type : Type();
  if (isa<Float32Type, Float64Type>(type))
    return type;
  if (auto memory = dyn_cast<MemRefType>(type))
    return getCType(memory.getElementType());
  return Type();
}

Type getMemoryType(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8, IntegerType::Unsigned) : getCType(element);
}

std::string writeLiteral(Attribute value, Type type) {
  if (auto number = dyn_cast<FloatAttr>(value)) {
    APFloat real = number.getValue();
    if (isHeldAsInteger(type))
      return std::to_string(real.bitcastToAPInt().getSExtValue());
    StringRef suffix = type.isF32() ? "f" : "";
    if (real.isNaN())
      return real.isNegative() ? "(-(" + std::string(type.isF32() ? "float" : "double") + ")NAN)"
                               : "((" + std::string(type.isF32() ? "float" : "double") + ")NAN)";
    if (real.isInfinity())
      return real.isNegative() ? "(-INFINITY)" : "INFINITY";
    SmallString<32> text;
    real.toString(text, /*FormatPrecision=*/0, /*FormatMaxPadding=*/4, /*TruncateZero=*/true);
    if (!StringRef(text).contains_insensitive("e") && !StringRef(text).contains('.'))
      text += ".0";
    return (text + suffix).str();
  }
  APInt number = cast<IntegerAttr>(value).getValue();
  if (type.isInteger(1))
    return number.isZero() ? "0" : "1";
  if (number.getBitWidth() == 64 && number.isMinSignedValue())
    return "INT64_MIN";
  return std::to_string(number.getSExtValue());
}

namespace {

/// Writes one operation; the functions below return null for what they do not know.
class ScalarWriter {
public:
  ScalarWriter(OpBuilder &builder, OpResult result, ValueRange operands)
      : builder(builder), op(result.getOwner()), loc(op->getLoc()), number(result.getResultNumber()),
        operands(operands), type(getElementTypeOrSelf(result.getType())), ctype(getCType(type)) {
    from = op->getNumOperands() == 0 ? type : getElementTypeOrSelf(op->getOperand(0).getType());
  }

  Value write() {
    if (!ctype || operands.empty())
      return Value();
    if (isa<arith::SelectOp>(op))
      return ec::ConditionalOp::create(builder, loc, ctype, operands[0], operands[1], operands[2]);
    if (isa<arith::BitcastOp>(op))
      return getCType(from) == ctype
                 ? operands[0]
                 : call("tiny_bits_" + suffixOf(getCType(from)) + "_" + suffixOf(ctype), ctype, operands);
    // They are only moved.
    if (isHeldAsInteger(type) || isHeldAsInteger(from))
      return Value();
    if (Value value = writeCast())
      return value;
    return isa<FloatType>(from) ? writeFloat() : writeInteger();
  }

private:
  static std::string suffixOf(Type type) {
    return (isa<FloatType>(type) ? "f" : "i") + std::to_string(type.getIntOrFloatBitWidth());
  }
  Value call(const Twine &name, Type result, ValueRange args) {
    return ec::CallOpaqueOp::create(builder, loc, TypeRange{result}, builder.getStringAttr(name), args).getResult(0);
  }
  /// A function by the operands' type.
  Value help(const Twine &what) { return call("tiny_" + what + "_" + suffixOf(getCType(from)), ctype, operands); }
  Value cast(Value value, Type to) {
    return value.getType() == to ? value : ec::CastOp::create(builder, loc, to, value).getResult();
  }
  Value compare(ec::CmpPredicate predicate) {
    return ec::CmpOp::create(builder, loc, ctype, predicate, operands[0], operands[1]);
  }
  template <typename OpTy> Value binary() { return OpTy::create(builder, loc, ctype, operands[0], operands[1]); }
  Value literal(StringRef text, Type to) {
    return ec::LiteralOp::create(builder, loc, to, builder.getStringAttr(text));
  }
  Value asUnsigned(Value value) {
    auto integer = dyn_cast<IntegerType>(value.getType());
    return integer.getWidth() == 1
               ? value
               : cast(value, IntegerType::get(op->getContext(), integer.getWidth(), IntegerType::Unsigned));
  }

  Value writeCast() {
    Value x = operands[0];
    return TypeSwitch<Operation *, Value>(op)
        .Case<arith::ExtFOp, arith::TruncFOp>([&](Operation *) { return cast(x, ctype); })
        .Case<arith::SIToFPOp, arith::ExtSIOp>([&](Operation *) -> Value {
          if (!from.isInteger(1))
            return cast(x, ctype);
          Value minus = literal(isa<FloatType>(ctype) ? "-1.0f" : "-1", ctype);
          Value zero = literal(isa<FloatType>(ctype) ? "0.0f" : "0", ctype);
          return ec::ConditionalOp::create(builder, loc, ctype, x, minus, zero);
        })
        .Case<arith::UIToFPOp, arith::ExtUIOp, arith::IndexCastUIOp>(
            [&](Operation *) { return cast(asUnsigned(x), ctype); })
        .Case<arith::TruncIOp, arith::IndexCastOp>([&](Operation *) -> Value {
          if (ctype.isInteger(1))
            return getCType(from).isInteger(1) ? x : help("odd");
          if (!from.isInteger(1))
            return cast(x, ctype);
          return ec::ConditionalOp::create(builder, loc, ctype, x, literal("-1", ctype), literal("0", ctype));
        })
        .Case<arith::FPToSIOp, arith::FPToUIOp>([&](Operation *) -> Value {
          bool isSigned = isa<arith::FPToSIOp>(op);
          return call(Twine("tiny_to_") + (isSigned ? "i" : "u") + Twine(ctype.getIntOrFloatBitWidth()) + "_" +
                          suffixOf(from),
                      ctype, x);
        })
        .Default(Value());
  }

  Value writeFloat() {
    std::string f = type.isF32() || from.isF32() ? "f" : "";
    return TypeSwitch<Operation *, Value>(op)
        .Case<arith::AddFOp>([&](Operation *) { return binary<ec::AddOp>(); })
        .Case<arith::SubFOp>([&](Operation *) { return binary<ec::SubOp>(); })
        .Case<arith::MulFOp>([&](Operation *) { return binary<ec::MulOp>(); })
        .Case<arith::DivFOp>([&](Operation *) { return binary<ec::DivOp>(); })
        .Case<arith::NegFOp>([&](Operation *) { return ec::UnaryMinusOp::create(builder, loc, ctype, operands[0]); })
        .Case<arith::MaximumFOp>([&](Operation *) { return help("maximum"); })
        .Case<arith::MinimumFOp>([&](Operation *) { return help("minimum"); })
        .Case<arith::MaxNumFOp>([&](Operation *) { return help("maxnum"); })
        .Case<arith::MinNumFOp>([&](Operation *) { return help("minnum"); })
        .Case<math::FmaOp, vector::FMAOp>([&](Operation *) { return call("fma" + f, ctype, operands); })
        .Case<math::AbsFOp>([&](Operation *) { return call("fabs" + f, ctype, operands); })
        .Case<math::SqrtOp>([&](Operation *) { return call("sqrt" + f, ctype, operands); })
        .Case<math::RsqrtOp>([&](Operation *) { return help("rsqrt"); })
        .Case<math::FloorOp>([&](Operation *) { return call("floor" + f, ctype, operands); })
        .Case<math::CeilOp>([&](Operation *) { return call("ceil" + f, ctype, operands); })
        .Case<math::TruncOp>([&](Operation *) { return call("trunc" + f, ctype, operands); })
        .Case<math::RoundOp>([&](Operation *) { return call("round" + f, ctype, operands); })
        .Case<math::RoundEvenOp>([&](Operation *) { return call("nearbyint" + f, ctype, operands); })
        .Case<math::CopySignOp>([&](Operation *) { return call("copysign" + f, ctype, operands); })
        .Case<math::IsNaNOp>([&](Operation *) { return help("isnan"); })
        .Case<math::IsInfOp>([&](Operation *) { return help("isinf"); })
        .Case<math::IsFiniteOp>([&](Operation *) { return help("isfinite"); })
        .Case<math::IsNormalOp>([&](Operation *) { return help("isnormal"); })
        .Case<arith::CmpFOp>([&](arith::CmpFOp compared) -> Value {
          switch (compared.getPredicate()) {
          case arith::CmpFPredicate::OEQ:
            return compare(ec::CmpPredicate::eq);
          case arith::CmpFPredicate::UNE:
            return compare(ec::CmpPredicate::ne);
          case arith::CmpFPredicate::OLT:
            return compare(ec::CmpPredicate::lt);
          case arith::CmpFPredicate::OLE:
            return compare(ec::CmpPredicate::le);
          case arith::CmpFPredicate::OGT:
            return compare(ec::CmpPredicate::gt);
          case arith::CmpFPredicate::OGE:
            return compare(ec::CmpPredicate::ge);
          default:
            return help(arith::stringifyCmpFPredicate(compared.getPredicate()));
          }
        })
        .Default(Value());
  }

  Value writeInteger() {
    // Indices do not overflow. Bits are combined as they are.
    bool plain = from.isIndex();
    if (from.isInteger(1)) {
      if (isa<arith::AddIOp, arith::SubIOp, arith::XOrIOp>(op))
        return help("xor");
      if (isa<arith::MulIOp, arith::AndIOp, arith::MinUIOp, arith::MaxSIOp>(op))
        return help("and");
      if (isa<arith::OrIOp, arith::MaxUIOp, arith::MinSIOp>(op))
        return help("or");
      if (auto compared = dyn_cast<arith::CmpIOp>(op)) {
        // Calls, since C compilers warn about comparisons of comparisons.
        return help(arith::stringifyCmpIPredicate(compared.getPredicate()));
      }
      return Value();
    }
    return TypeSwitch<Operation *, Value>(op)
        .Case<arith::AddIOp>([&](Operation *) { return plain ? binary<ec::AddOp>() : help("add"); })
        .Case<arith::SubIOp>([&](Operation *) { return plain ? binary<ec::SubOp>() : help("sub"); })
        .Case<arith::MulIOp>([&](Operation *) { return plain ? binary<ec::MulOp>() : help("mul"); })
        .Case<arith::AndIOp>([&](Operation *) { return help("and"); })
        .Case<arith::OrIOp>([&](Operation *) { return help("or"); })
        .Case<arith::XOrIOp>([&](Operation *) { return help("xor"); })
        .Case<arith::ShLIOp>([&](Operation *) { return help("shl"); })
        .Case<arith::ShRUIOp>([&](Operation *) { return help("shru"); })
        .Case<arith::ShRSIOp>([&](Operation *) { return help("shrs"); })
        .Case<arith::DivSIOp>([&](Operation *) { return plain ? binary<ec::DivOp>() : help("divs"); })
        .Case<arith::RemSIOp>([&](Operation *) { return plain ? binary<ec::RemOp>() : help("rems"); })
        .Case<arith::DivUIOp>([&](Operation *) { return help("divu"); })
        .Case<arith::RemUIOp>([&](Operation *) { return help("remu"); })
        .Case<arith::FloorDivSIOp>([&](Operation *) { return help("floordiv"); })
        .Case<arith::CeilDivSIOp>([&](Operation *) { return help("ceildiv"); })
        .Case<arith::CeilDivUIOp>([&](Operation *) { return help("ceildivu"); })
        .Case<sym::ModOp>([&](Operation *) { return help("mod"); })
        .Case<arith::MaxSIOp>([&](Operation *) { return help("maxs"); })
        .Case<arith::MinSIOp>([&](Operation *) { return help("mins"); })
        .Case<arith::MaxUIOp>([&](Operation *) { return help("maxu"); })
        .Case<arith::MinUIOp>([&](Operation *) { return help("minu"); })
        .Case<arith::MulUIExtendedOp>([&](Operation *) { return help(number == 0 ? "mul" : "mulhu"); })
        .Case<math::AbsIOp>([&](Operation *) { return help("abs"); })
        .Case<math::CountLeadingZerosOp>([&](Operation *) { return help("ctlz"); })
        .Case<math::CountTrailingZerosOp>([&](Operation *) { return help("cttz"); })
        .Case<math::CtPopOp>([&](Operation *) { return help("ctpop"); })
        .Case<arith::CmpIOp>([&](arith::CmpIOp compared) -> Value {
          switch (compared.getPredicate()) {
          case arith::CmpIPredicate::eq:
            return compare(ec::CmpPredicate::eq);
          case arith::CmpIPredicate::ne:
            return compare(ec::CmpPredicate::ne);
          case arith::CmpIPredicate::slt:
            return compare(ec::CmpPredicate::lt);
          case arith::CmpIPredicate::sle:
            return compare(ec::CmpPredicate::le);
          case arith::CmpIPredicate::sgt:
            return compare(ec::CmpPredicate::gt);
          case arith::CmpIPredicate::sge:
            return compare(ec::CmpPredicate::ge);
          default:
            return help(arith::stringifyCmpIPredicate(compared.getPredicate()));
          }
        })
        .Default(Value());
  }

  OpBuilder &builder;
  Operation *op;
  Location loc;
  unsigned number;
  ValueRange operands;
  Type type, ctype, from;
};

} // namespace

Value writeScalar(OpBuilder &builder, OpResult result, ValueRange operands) {
  return ScalarWriter(builder, result, operands).write();
}

} // namespace tiny::emitc
