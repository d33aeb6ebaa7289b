// Constants, movement, reductions, gather and scatter.
#include "Translators.h"

using namespace mlir;

namespace tiny::tosaimport {

using tensor::TensorBuilder;

namespace {

template <typename TosaOp, typename OpTy> void addReduction(TranslatorTable &table) {
  table.add<TosaOp>([](TosaOp op, TensorBuilder &build) -> Value {
    int64_t axis = op.getAxis();
    ArrayRef<int64_t> axes = axis;
    Value input = op.getInput();
    constexpr bool isMax = std::is_same_v<TosaOp, tosa::ReduceMaxOp>;
    if constexpr (isMax || std::is_same_v<TosaOp, tosa::ReduceMinOp>)
      if (ignoresNan(input, op.getNanMode())) {
        Value isNan = build.create<tensor::IsNaNOp>(input);
        Value result = build.create<OpTy>(replaceNan(build, input, isMax ? -INFINITY : INFINITY), axes, true);
        return build.where(build.create<tensor::AllOp>(isNan, axes, true), build.like(result, NAN), result);
      }
    return build.create<OpTy>(input, axes, /*keepdims=*/true);
  });
}

Value translateArgMax(tosa::ArgMaxOp op, TensorBuilder &build) {
  Value input = op.getInput();
  if (ignoresNan(input, op.getNanMode()))
    input = replaceNan(build, input, -INFINITY);
  return build.create<tensor::ArgMaxOp>(input, ArrayRef<int64_t>{op.getAxis()}, /*keepdims=*/false);
}

Value translatePad(tosa::PadOp op, TensorBuilder &build) {
  std::optional<Ints> padding = readShape(op, op.getPadding());
  DenseElementsAttr number;
  if (!padding)
    return nullptr;
  if (!matchPattern(op.getPadConst(), m_Constant(&number)))
    return fail(op, "expected a constant to pad with");
  Ints low, high;
  for (size_t i = 0; i + 1 < padding->size(); i += 2) {
    low.push_back((*padding)[i]);
    high.push_back((*padding)[i + 1]);
  }
  if (llvm::any_of(*padding, [](int64_t size) { return size < 0; }))
    return fail(op, "expected padding of 0 or more");
  return build.pad(op.getInput1(), low, high, cast<TypedAttr>(*number.value_begin<Attribute>()));
}

Value translateSlice(tosa::SliceOp op, TensorBuilder &build) {
  std::optional<Ints> begin = readShape(op, op.getStart()), size = readShape(op, op.getSize());
  if (!begin || !size)
    return nullptr;
  Ints end;
  for (auto [from, count, whole] : llvm::zip(*begin, *size, TensorBuilder::getShape(op.getInput1()))) {
    if (from < 0 || count < 1 || from > whole || count > whole - from)
      return fail(op, "takes " + Twine(count) + " elements from " + Twine(from) + " of " + Twine(whole));
    end.push_back(from + count);
  }
  return build.shrink(op.getInput1(), *begin, end);
}

Value translateTile(tosa::TileOp op, TensorBuilder &build) {
  std::optional<Ints> multiples = readShape(op, op.getMultiples());
  if (!multiples)
    return nullptr;
  Ints apart, repeated;
  for (auto [size, count] : llvm::zip(TensorBuilder::getShape(op.getInput1()), *multiples)) {
    if (count < 1)
      return fail(op, "expected multiples of 1 or more");
    apart.append({1, size});
    repeated.append({count, size});
  }
  return build.reshape(build.expand(build.reshape(op.getInput1(), apart), repeated), getResultShape(op));
}

/// Indices [N, W] as [N, W, C].
Value spreadIndices(TensorBuilder &build, Value indices, int64_t channels) {
  ArrayRef<int64_t> shape = TensorBuilder::getShape(indices);
  return build.expand(build.reshape(indices, {shape[0], shape[1], 1}), {shape[0], shape[1], channels});
}

Value translateGather(tosa::GatherOp op, TensorBuilder &build) {
  int64_t channels = TensorBuilder::getShape(op.getValues())[2];
  return build.create<tensor::TakeAlongOp>(op.getValues(), spreadIndices(build, op.getIndices(), channels), 1);
}

/// Each place looks for the update that goes to it; the standard has no index twice.
Value translateScatter(tosa::ScatterOp op, TensorBuilder &build) {
  ArrayRef<int64_t> shape = TensorBuilder::getShape(op.getValuesIn());
  Value indices = op.getIndices();
  int64_t batch = shape[0], places = shape[1], channels = shape[2], updates = TensorBuilder::getShape(indices)[1];
  Type element = TensorBuilder::getElement(indices), i32 = build.getBuilder().getI32Type();
  Value place =
      build.create<tensor::IotaOp>(RankedTensorType::get(ArrayRef<int64_t>{batch, places, updates}, element), 1);
  Value goesHere = build.create<tensor::EqOp>(place, build.reshape(indices, {batch, 1, updates}));
  Value which = build.create<tensor::ArgMaxOp>(build.cast(goesHere, i32), ArrayRef<int64_t>{2}, false);
  Value moved = build.create<tensor::TakeAlongOp>(op.getInput(), spreadIndices(build, which, channels), 1);
  Value isWritten = build.create<tensor::AnyOp>(goesHere, ArrayRef<int64_t>{2}, /*keepdims=*/true);
  return build.where(isWritten, moved, op.getValuesIn());
}

} // namespace

void addStructure(TranslatorTable &table) {
  addReduction<tosa::ReduceAllOp, tensor::AllOp>(table);
  addReduction<tosa::ReduceAnyOp, tensor::AnyOp>(table);
  addReduction<tosa::ReduceMaxOp, tensor::MaxOp>(table);
  addReduction<tosa::ReduceMinOp, tensor::MinOp>(table);
  addReduction<tosa::ReduceProductOp, tensor::ProdOp>(table);
  addReduction<tosa::ReduceSumOp, tensor::SumOp>(table);
  table.add<tosa::ArgMaxOp>(translateArgMax);
  table.add<tosa::ConcatOp>([](tosa::ConcatOp op, TensorBuilder &build) {
    return build.create<tensor::ConcatOp>(op.getInput1(), uint64_t(op.getAxis()));
  });
  table.add<tosa::ConstOp>(
      [](tosa::ConstOp op, TensorBuilder &build) { return build.create<tensor::ConstantOp>(op.getValues()); });
  table.add<tosa::GatherOp>(translateGather);
  table.add<tosa::IdentityOp>([](tosa::IdentityOp op, TensorBuilder &) { return op.getInput1(); });
  table.add<tosa::PadOp>(translatePad);
  table.add<tosa::ReshapeOp>(
      [](tosa::ReshapeOp op, TensorBuilder &build) { return build.reshape(op.getInput1(), getResultShape(op)); });
  table.add<tosa::ReverseOp>([](tosa::ReverseOp op, TensorBuilder &build) {
    return build.create<tensor::FlipOp>(op.getInput1(), ArrayRef<int64_t>{op.getAxis()});
  });
  table.add<tosa::ScatterOp>(translateScatter);
  table.add<tosa::SliceOp>(translateSlice);
  table.add<tosa::TileOp>(translateTile);
  table.add<tosa::TransposeOp>([](tosa::TransposeOp op, TensorBuilder &build) {
    return build.permute(op.getInput1(), Ints(op.getPerms().begin(), op.getPerms().end()));
  });
}

} // namespace tiny::tosaimport
