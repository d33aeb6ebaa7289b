// Numbers of a kernel that are computed from the sizes of the program.
#include "InstanceNumbers.h"

#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tiny::kernel {

Value KernelSizes::makeConstant(int64_t value, Location loc) {
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value KernelSizes::makeSize(unsigned symbol, Location loc) {
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  if (!buffer) {
    auto type = MemRefType::get({static_cast<int64_t>(family.names.size())}, builder.getI64Type());
    if (failed(kernel.insertArgument(position, type, DictionaryAttr(), loc)))
      llvm_unreachable("a kernel takes any buffer");
    buffer = kernel.getArgument(position);
    sizes.resize(family.names.size());
  }
  Value &size = sizes[symbol];
  if (!size) {
    Value place = arith::ConstantIndexOp::create(builder, loc, symbol);
    Value number = LoadOp::create(builder, loc, builder.getI64Type(), buffer, place, /*gate=*/Value());
    Value index = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), number);
    if (family.isComputed[symbol]) {
      // The run says when it is out of its bounds, and no kernel leaves its buffers until then.
      auto clamp = [&](auto make, int64_t bound) {
        Value limit = arith::ConstantIndexOp::create(builder, loc, bound);
        index = make(index, limit);
      };
      clamp([&](Value a, Value b) { return arith::MaxSIOp::create(builder, loc, a, b).getResult(); },
            family.bounds[symbol].low);
      clamp([&](Value a, Value b) { return arith::MinSIOp::create(builder, loc, a, b).getResult(); },
            family.bounds[symbol].high);
    }
    size = sym::RangeOfOp::create(builder, loc, builder.getIndexType(), index,
                                  builder.getI64IntegerAttr(family.bounds[symbol].low),
                                  builder.getI64IntegerAttr(family.bounds[symbol].high));
  }
  return size;
}

Value KernelSizes::makeIndex(const Dim &polynomial, Location loc) {
  // A graph region: where the operations stand has no meaning.
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.getBody().front());
  Value sum;
  for (const Dim::Term &term : polynomial.getTerms()) {
    Value product;
    for (unsigned symbol : term.symbols) {
      Value size = makeSize(symbol, loc);
      product = product ? arith::MulIOp::create(builder, loc, product, size).getResult() : size;
    }
    if (!product)
      product = makeConstant(term.coefficient, loc);
    else if (term.coefficient != 1)
      product = arith::MulIOp::create(builder, loc, product, makeConstant(term.coefficient, loc));
    sum = sum ? arith::AddIOp::create(builder, loc, sum, product).getResult() : product;
  }
  return sum ? sum : makeConstant(0, loc);
}

Value KernelSizes::make(const SizedNumber &number, Type type, Location loc) {
  Value index = makeIndex(number.polynomial, loc);
  if (type.isIndex())
    return index;
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.getBody().front());
  if (isa<IntegerType>(type))
    return arith::IndexCastOp::create(builder, loc, type, index);
  Value whole = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
  Value value = arith::SIToFPOp::create(builder, loc, type, whole);
  auto divide = [&](double dividend, Value by) {
    Value from = arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, dividend));
    return arith::DivFOp::create(builder, loc, from, by).getResult();
  };
  switch (number.kind) {
  case SizedNumber::Kind::Whole:
    return value;
  case SizedNumber::Kind::Quotient: {
    Attribute divisor = builder.getFloatAttr(type, static_cast<double>(number.divisor));
    Value by = arith::ConstantOp::create(builder, loc, cast<TypedAttr>(divisor));
    return arith::DivFOp::create(builder, loc, value, by);
  }
  case SizedNumber::Kind::Reciprocal:
    return divide(1.0, value);
  case SizedNumber::Kind::Root:
    return math::SqrtOp::create(builder, loc, value);
  case SizedNumber::Kind::ReciprocalRoot:
    return divide(1.0, math::SqrtOp::create(builder, loc, value));
  }
  return value;
}

} // namespace tiny::kernel
