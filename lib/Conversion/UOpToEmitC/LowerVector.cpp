// Operations that move lanes, and reductions over lanes in the order of the CPU's code.
#include "KernelWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tiny::emitc {

/// Writes the operation that `make` makes of operands of these types, so that `writeScalar` sees it; it is removed
/// again.
static Value compute(OpBuilder &builder, Location loc, ArrayRef<Type> types, ValueRange operands,
                     llvm::function_ref<Value(OpBuilder &, ValueRange)> make) {
  Block scratch;
  for (Type type : types)
    scratch.addArgument(type, loc);
  OpBuilder other(builder.getContext());
  other.setInsertionPointToEnd(&scratch);
  return writeScalar(builder, cast<OpResult>(make(other, scratch.getArguments())), operands);
}

/// Two lanes of a reduction.
static Value combine(OpBuilder &builder, Location loc, vector::ReductionOp op, Value x, Value y, Type element) {
  return compute(builder, loc, {element, element}, {x, y}, [&](OpBuilder &other, ValueRange operands) {
    return vector::makeArithReduction(other, loc, op.getKind(), operands[0], operands[1]);
  });
}

/// Floats that may be reassociated are added in halves, as convert-uop-to-llvm does; else in order. Other kinds give
/// the same bits in any order.
void KernelWriter::writeReduction(Operation *operation) {
  auto op = cast<vector::ReductionOp>(operation);
  auto type = op.getSourceVectorType();
  Type element = type.getElementType(), ctype = getCType(element);
  int64_t lanes = type.getNumElements();
  bool isSum = isa<FloatType>(element) &&
               llvm::is_contained({vector::CombiningKind::ADD, vector::CombiningKind::MUL}, op.getKind());
  Value start = op.getAcc() ? scalar(op.getAcc()) : Value();
  Value copy = makeArray(type);
  forLanes(lanes, [&](Value index) { setLane(copy, index, lane(op.getVector(), index)); });
  auto read = [&](Value index) -> Value {
    Value place = ec::SubscriptOp::create(builder, loc, cast<TypedValue<ec::ArrayType>>(copy), ValueRange{index});
    return ec::LoadOp::create(builder, loc, ctype, place);
  };
  bool inHalves = !isSum || arith::bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::reassoc);
  if (inHalves && llvm::isPowerOf2_64(lanes)) {
    for (int64_t half = lanes / 2; half > 0; half /= 2)
      forLanes(half, [&](Value index) {
        setLane(copy, index, combine(builder, loc, op, read(index), read(add(index, number(half))), element));
      });
    Value all = read(number(0));
    held[op.getDest()].scalar = start ? combine(builder, loc, op, start, all, element) : all;
    return;
  }
  Value sum =
      ec::VariableOp::create(builder, loc, ec::LValueType::get(ctype), ec::OpaqueAttr::get(builder.getContext(), "0"));
  ec::AssignOp::create(builder, loc, sum, start ? start : read(number(0)));
  auto loop = ec::ForOp::create(builder, loc, number(start ? 0 : 1), number(lanes), number(1));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    Value before = ec::LoadOp::create(builder, loc, ctype, sum);
    ec::AssignOp::create(builder, loc, sum, combine(builder, loc, op, before, read(loop.getInductionVar()), element));
  }
  held[op.getDest()].scalar = ec::LoadOp::create(builder, loc, ctype, sum);
}

void KernelWriter::writeDot(uop::DotOp op) {
  Type element = builder.getI32Type();
  auto widen = [&](Value byte, bool isUnsigned) {
    return compute(builder, loc, {builder.getI8Type()}, {byte}, [&](OpBuilder &other, ValueRange operands) {
      return isUnsigned ? Value(arith::ExtUIOp::create(other, loc, element, operands[0]))
                        : Value(arith::ExtSIOp::create(other, loc, element, operands[0]));
    });
  };
  auto multiply = [&](Value x, Value y) {
    return compute(builder, loc, {element, element}, {x, y}, [&](OpBuilder &other, ValueRange operands) -> Value {
      return arith::MulIOp::create(other, loc, operands[0], operands[1]);
    });
  };
  auto sumUp = [&](Value x, Value y) {
    return compute(builder, loc, {element, element}, {x, y}, [&](OpBuilder &other, ValueRange operands) -> Value {
      return arith::AddIOp::create(other, loc, operands[0], operands[1]);
    });
  };
  Value array = makeArray(op.getType());
  forLanes(op.getType().getNumElements(), [&](Value index) {
    Value twice = add(index, index), first = add(twice, twice), sum = lane(op.getSum(), index);
    for (int64_t byte : llvm::seq(uop::DotOp::kBytes)) {
      Value at = add(first, number(byte));
      Value x = widen(lane(op.getLeft(), at), op.getUnsignedLeft()),
            y = widen(lane(op.getRight(), at), op.getUnsignedRight());
      sum = sumUp(sum, multiply(x, y));
    }
    setLane(array, index, sum);
  });
  held[op.getResult()].array = array;
}

bool KernelWriter::writeVector(Operation *op) {
  auto result = op->getNumResults() == 1 ? op->getResult(0) : Value();
  auto type = result ? dyn_cast<VectorType>(result.getType()) : VectorType();
  auto copyLanes = [&](Value from, int64_t begin, int64_t count, Value to, int64_t at) {
    forLanes(count, [&](Value index) {
      setLane(to, at == 0 ? index : add(index, number(at)), lane(from, begin == 0 ? index : add(index, number(begin))));
    });
  };
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](vector::BroadcastOp broadcast) {
        Value from = broadcast.getSource();
        held[result].scalar = isa<VectorType>(from.getType()) ? lane(from, number(0)) : scalar(from);
        return true;
      })
      .Case<vector::ShapeCastOp>([&](Operation *) {
        held[result] = held.lookup(op->getOperand(0));
        return true;
      })
      .Case([&](vector::ReductionOp) {
        writeReduction(op);
        return true;
      })
      .Case([&](vector::ShuffleOp shuffle) {
        int64_t first = shuffle.getV1VectorType().getNumElements();
        Value array = makeArray(type);
        for (auto [index, from] : llvm::enumerate(shuffle.getMask()))
          if (from >= 0)
            setLane(array, number(index),
                    from < first ? lane(shuffle.getV1(), number(from)) : lane(shuffle.getV2(), number(from - first)));
        held[result].array = array;
        return true;
      })
      .Case([&](vector::ExtractOp extract) {
        if (type)
          return false;
        Value index = number(0);
        if (extract.getNumIndices() == 1) {
          OpFoldResult position = extract.getMixedPosition().front();
          auto known = getConstantIntValue(position);
          index = known ? number(*known) : scalar(cast<Value>(position));
        }
        held[result].scalar = lane(extract.getSource(), index);
        return true;
      })
      .Case([&](vector::InsertOp insert) {
        if (isa<VectorType>(insert.getValueToStore().getType()))
          return false;
        Value array = makeArray(type), index = number(0);
        copyLanes(insert.getDest(), 0, type.getNumElements(), array, 0);
        if (insert.getNumIndices() == 1) {
          OpFoldResult position = insert.getMixedPosition().front();
          auto known = getConstantIntValue(position);
          index = known ? number(*known) : scalar(cast<Value>(position));
        }
        setLane(array, index, scalar(insert.getValueToStore()));
        held[result].array = array;
        return true;
      })
      .Case([&](vector::FromElementsOp from) {
        Value array = makeArray(type);
        for (auto [index, value] : llvm::enumerate(from.getElements()))
          setLane(array, number(index), scalar(value));
        held[result].array = array;
        return true;
      })
      .Case([&](vector::ToElementsOp to) {
        for (auto [index, value] : llvm::enumerate(to.getResults()))
          held[value].scalar = lane(to.getSource(), number(index));
        return true;
      })
      .Case([&](vector::ExtractStridedSliceOp slice) {
        int64_t begin = cast<IntegerAttr>(slice.getOffsets()[0]).getInt();
        Value array = makeArray(type);
        copyLanes(slice.getSource(), begin, type.getNumElements(), array, 0);
        held[result].array = array;
        return true;
      })
      .Case([&](vector::InsertStridedSliceOp slice) {
        Value array = makeArray(type);
        copyLanes(slice.getDest(), 0, type.getNumElements(), array, 0);
        copyLanes(slice.getValueToStore(), 0, slice.getSourceVectorType().getNumElements(), array,
                  cast<IntegerAttr>(slice.getOffsets()[0]).getInt());
        held[result].array = array;
        return true;
      })
      .Case<vector::StepOp>([&](Operation *) {
        Value array = makeArray(type);
        forLanes(type.getNumElements(), [&](Value index) { setLane(array, index, index); });
        held[result].array = array;
        return true;
      })
      .Default(false);
}

} // namespace tiny::emitc
