// Sources, movement and reductions: the lazy dialect has each of them.
#include "Patterns.h"

#include "Tiny/Dialect/Lazy/Lazy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace tiny {
namespace {

/// The elements under a signless type.
ElementsAttr toSignless(ElementsAttr value, RankedTensorType type) {
  if (value.getType() == type)
    return value;
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    return dense.bitcast(type.getElementType());
  return DenseResourceElementsAttr::get(type, cast<DenseResourceElementsAttr>(value).getRawHandle());
}

/// A constant names no kernel, so its location stays as it is.
struct ConvertConstant : OpConversionPattern<tensor::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tensor::ConstantOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, cast<TypedAttr>(toSignless(op.getValue(), type)));
    return success();
  }
};

/// A maximum of unsigned integers says so; truth values are 0 and 1 in a byte.
Value emitCollective(tensor::CollectiveOp op, ValueRange operands, Type type, ImplicitLocOpBuilder &build) {
  StringAttr reduction = op.getReductionAttr();
  if (reduction && reduction.getValue().starts_with("m") && isUnsignedElement(op.getInput().getType().getElementType()))
    reduction = build.getStringAttr("unsigned_" + reduction.getValue());
  return lazy::CollectiveOp::create(build, type, op.getKindAttr(), operands[0], op.getGridAttr(), op.getAxesAttr(),
                                    reduction, op.getPeersAttr());
}

Value emitIota(tensor::IotaOp op, ValueRange, Type type, ImplicitLocOpBuilder &build) {
  return lazy::IotaOp::create(build, type, op.getAxis());
}
Value emitReshape(tensor::ReshapeOp, ValueRange operands, Type type, ImplicitLocOpBuilder &build) {
  return lazy::ReshapeOp::create(build, type, operands[0]);
}
Value emitExpand(tensor::ExpandOp, ValueRange operands, Type type, ImplicitLocOpBuilder &build) {
  return lazy::ExpandOp::create(build, type, operands[0]);
}
Value emitPermute(tensor::PermuteOp op, ValueRange operands, Type type, ImplicitLocOpBuilder &build) {
  return lazy::PermuteOp::create(build, type, operands[0], op.getPermutation());
}
Value emitPad(tensor::PadOp op, ValueRange operands, Type type, ImplicitLocOpBuilder &build) {
  return lazy::PadOp::create(build, type, operands[0], op.getLow(), op.getHigh());
}
Value emitShrink(tensor::ShrinkOp op, ValueRange operands, Type type, ImplicitLocOpBuilder &build) {
  return lazy::ShrinkOp::create(build, type, operands[0], op.getBegin(), op.getEnd());
}
Value emitContiguous(tensor::ContiguousOp, ValueRange operands, Type, ImplicitLocOpBuilder &build) {
  return lazy::ContiguousOp::create(build, operands[0]);
}
Value emitFlip(tensor::FlipOp op, ValueRange operands, Type type, ImplicitLocOpBuilder &build) {
  return lazy::FlipOp::create(build, type, operands[0], *tensor::normalizeAxes(op.getAxes(), op.getType().getRank()));
}

Value emitSetItem(tensor::SetItemOp op, ValueRange operands, Type type, ImplicitLocOpBuilder &build) {
  // Where the slice stands in the row-major elements. A slice without elements has no place at all.
  ArrayRef<int64_t> shape = op.getType().getShape();
  SmallVector<int64_t> slice = op.getSliceShape(), strides(shape.size());
  if (llvm::is_contained(slice, 0))
    return operands[0];
  int64_t stride = 1, offset = 0;
  for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) {
    offset += op.getBegin()[axis] * stride;
    // An axis with one element takes no steps, and the step may be huge.
    strides[axis] = slice[axis] == 1 ? 0 : op.getStrides()[axis] * stride;
  }
  auto tracker = lazy::TrackerAttr::get(build.getContext(), ShapeTracker(*View::get(slice, strides, offset)));
  return lazy::AssignOp::create(build, type, operands[1], operands[0], tracker);
}

/// Coordinates as the lazy level has them: signed, and what counts from the end added up.
Value emitGather(tensor::GatherOp op, ValueRange operands, Type type, ImplicitLocOpBuilder &build) {
  SmallVector<Value> indices;
  for (auto [k, index] : llvm::enumerate(operands.drop_front())) {
    int64_t size = op.getInput().getType().getDimSize(k);
    auto from = cast<RankedTensorType>(index.getType());
    unsigned width = from.getElementTypeBitWidth(), enough = size > std::numeric_limits<int32_t>::max() ? 64 : 32;
    bool isUnsigned = isUnsignedElement(cast<RankedTensorType>(op.getIndices()[k].getType()).getElementType());
    // One bit more for what is never negative.
    if (width + isUnsigned > enough)
      enough = 64;
    RankedTensorType wide = width < enough ? from.clone(build.getIntegerType(enough)) : from;
    Value at = index;
    if (wide != from)
      at = isUnsigned ? Value(arith::ExtUIOp::create(build, wide, index))
                      : Value(arith::ExtSIOp::create(build, wide, index));
    bool isPlace = isUnsigned || index.getDefiningOp<lazy::IotaOp>();
    if (!isPlace) {
      auto splat = [&](int64_t value) {
        return arith::ConstantOp::create(
            build, DenseElementsAttr::get(wide, build.getIntegerAttr(wide.getElementType(), value)));
      };
      Value isNegative = arith::CmpIOp::create(build, arith::CmpIPredicate::slt, at, splat(0));
      at = arith::SelectOp::create(build, isNegative, arith::AddIOp::create(build, at, splat(size)), at);
    }
    indices.push_back(at);
  }
  return lazy::GatherOp::create(build, type, operands.front(), indices, /*outside=*/nullptr);
}

using Kind = arith::AtomicRMWKind;

template <typename OpTy, Kind Float, Kind Signed, Kind Unsigned, Kind Bool>
Value emitReduce(OpTy op, ValueRange operands, Type type, ImplicitLocOpBuilder &build) {
  Type element = getOperandElement(op);
  Kind kind = isa<FloatType>(element)       ? Float
              : element.isInteger(1)        ? Bool
              : element.isUnsignedInteger() ? Unsigned
                                            : Signed;
  auto kindAttr = arith::AtomicRMWKindAttr::get(build.getContext(), kind);
  return lazy::ReduceOp::create(build, TypeRange(type), operands, kindAttr, /*inits=*/nullptr,
                                build.getDenseI64ArrayAttr(op.getAxes()))
      .getResult(0);
}

Value emitCumSum(tensor::CumSumOp op, ValueRange operands, Type type, ImplicitLocOpBuilder &build) {
  Kind kind = isa<FloatType>(getElementTypeOrSelf(type)) ? Kind::addf : Kind::addi;
  int64_t axis = *tensor::normalizeAxis(op.getAxis(), op.getType().getRank());
  return lazy::ScanOp::create(build, type, operands[0], kind, axis);
}

} // namespace

void addStructurePatterns(PatternTable table) {
  using namespace tensor;
  table.patterns.add<ConvertConstant>(table.converter, table.patterns.getContext());
  table.add<CollectiveOp>(emitCollective);
  table.add<IotaOp>(emitIota);
  table.add<ReshapeOp>(emitReshape);
  table.add<ExpandOp>(emitExpand);
  table.add<PermuteOp>(emitPermute);
  table.add<PadOp>(emitPad);
  table.add<ShrinkOp>(emitShrink);
  table.add<FlipOp>(emitFlip);
  table.add<ContiguousOp>(emitContiguous);
  table.add<GatherOp>(emitGather);
  table.add<SetItemOp>(emitSetItem);
  table.add<CumSumOp>(emitCumSum);
  // Sums of truth values do not occur: they add up in 32 bits.
  table.add<SumOp>(emitReduce<SumOp, Kind::addf, Kind::addi, Kind::addi, Kind::addi>);
  table.add<ProdOp>(emitReduce<ProdOp, Kind::mulf, Kind::muli, Kind::muli, Kind::muli>);
  table.add<MaxOp>(emitReduce<MaxOp, Kind::maximumf, Kind::maxs, Kind::maxu, Kind::ori>);
  table.add<MinOp>(emitReduce<MinOp, Kind::minimumf, Kind::mins, Kind::minu, Kind::andi>);
}

} // namespace tiny
