// Reverse mode of movement, of joining, and of look-ups: what moved moves back, what was read by several adds up.
#include "Tiny/Dialect/Tensor/TensorBuilder.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace tiny::tensor;

using Gradients = SmallVector<Value>;

//===--- Movement -------------------------------------------------------------------------------------------------===//

Gradients DetachOp::differentiate(TensorBuilder &, Value) { return {Value()}; }

Gradients ReshapeOp::differentiate(TensorBuilder &build, Value g) {
  return {build.reshape(g, getInput().getType().getShape())};
}
Gradients ExpandOp::differentiate(TensorBuilder &, Value g) { return {g}; }
Gradients PermuteOp::differentiate(TensorBuilder &build, Value g) {
  return {build.permute(g, invertPermutationVector(getPermutation()))};
}
Gradients ContiguousOp::differentiate(TensorBuilder &, Value g) { return {g}; }
Gradients FlipOp::differentiate(TensorBuilder &build, Value g) { return {build.create<FlipOp>(g, getAxes())}; }

Gradients PadOp::differentiate(TensorBuilder &build, Value g) {
  SmallVector<int64_t> end;
  for (auto [low, size] : llvm::zip_equal(getLow(), getInput().getType().getShape()))
    end.push_back(low + size);
  return {build.shrink(g, getLow(), end)};
}
Gradients ShrinkOp::differentiate(TensorBuilder &build, Value g) {
  SmallVector<int64_t> high;
  for (auto [end, size] : llvm::zip_equal(getEnd(), getInput().getType().getShape()))
    high.push_back(size - end);
  return {build.pad(g, getBegin(), high)};
}

Gradients SetItemOp::differentiate(TensorBuilder &build, Value g) {
  Value zeros = build.full(RankedTensorType::get({}, TensorBuilder::getElement(g)), 0);
  return {build.create<SetItemOp>(g, zeros, getBegin(), getEnd(), getStrides()),
          build.create<SliceOp>(g, getBegin(), getEnd(), getStrides())};
}

Gradients ConcatOp::differentiate(TensorBuilder &build, Value g) {
  ArrayRef<int64_t> shape = TensorBuilder::getShape(g);
  int64_t axis = *normalizeAxis(getAxis(), shape.size());
  SmallVector<int64_t> begin(shape.size(), 0), end(shape);
  Gradients gradients;
  for (Value input : getInputs()) {
    end[axis] = begin[axis] + TensorBuilder::getShape(input)[axis];
    gradients.push_back(build.shrink(g, begin, end));
    begin[axis] = end[axis];
  }
  return gradients;
}

//===--- Look-ups -------------------------------------------------------------------------------------------------===//

/// Indices of an axis of `size` elements counted from its front: those below zero count from the end.
static Value countFromFront(TensorBuilder &build, Value indices, int64_t size) {
  indices = build.cast(indices, build.getBuilder().getI64Type());
  return build.where(build.lt(indices, build.like(indices, 0)), build.add(indices, double(size)), indices);
}

/// The sum over the `places` (the last axis of `g` and `indices`, which broadcast) of those that chose each of `size`
/// elements, along a last axis.
static Value addUp(TensorBuilder &build, Value g, Value indices, int64_t size) {
  SmallVector<int64_t> shape(TensorBuilder::getShape(g));
  int64_t last = shape.size();
  auto addAxis = [&](Value value) {
    SmallVector<int64_t> wider(TensorBuilder::getShape(value));
    wider.insert(wider.end() - 1, 1);
    return build.reshape(value, wider);
  };
  SmallVector<int64_t> line(shape.size() + 1, 1);
  line[last - 1] = size;
  Value element = build.create<IotaOp>(line, build.getBuilder().getI64Type(), last - 1);
  Value spread = addAxis(g), zero = build.full(RankedTensorType::get({}, TensorBuilder::getElement(g)), 0);
  return build.sum(build.where(build.eq(element, addAxis(indices)), spread, zero), last);
}

/// The element that an index tuple names, in row-major order; -1 where it lies outside.
Gradients GatherOp::differentiate(TensorBuilder &build, Value g) {
  ArrayRef<int64_t> shape = getInput().getType().getShape();
  Value place, inside;
  for (auto [size, indices] : llvm::zip_equal(shape, getIndices())) {
    Value index = countFromFront(build, indices, size);
    Value fits = build.create<AndOp>(build.create<GeOp>(index, build.like(index, 0)),
                                     build.lt(index, build.like(index, double(size))));
    place = place ? build.add(build.mul(place, double(size)), index) : index;
    inside = inside ? build.create<AndOp>(inside, fits) : fits;
  }
  place = build.expand(build.where(inside, place, build.like(place, -1)), getType().getShape());
  int64_t places = getType().getNumElements();
  Value sums =
      addUp(build, build.reshape(g, places), build.reshape(place, places), getInput().getType().getNumElements());
  Gradients gradients(getNumOperands());
  gradients.front() = build.reshape(sums, shape);
  return gradients;
}

/// A scatter that adds: each slice gets the sum of the places that chose it.
///
/// With few slices that is a product with a one-hot matrix, size * places * elements. With more slices than places,
/// most of that product is zeros: then the places that chose one slice are added up among themselves, and each slice
/// looks up the last of its places, places * places * elements + size * (places + elements).
Gradients TakeOp::differentiate(TensorBuilder &build, Value g) {
  ArrayRef<int64_t> shape = getInput().getType().getShape();
  int64_t axis = *normalizeAxis(getAxis(), shape.size()), places = getIndices().getType().getNumElements();
  int64_t before = ShapedType::getNumElements(shape.take_front(axis)),
          after = ShapedType::getNumElements(shape.drop_front(axis + 1)), size = shape[axis];
  Value indices = countFromFront(build, build.reshape(getIndices(), {1, places}), size);
  Type index = build.getBuilder().getI64Type();
  Value element = build.create<IotaOp>(ArrayRef<int64_t>{size, 1}, index, 0);
  Value isChosen = build.eq(element, indices);
  g = build.reshape(g, {before, places, after});
  if (size <= places || places == 0)
    return {build.reshape(build.create<MatmulOp>(build.cast(isChosen, TensorBuilder::getElement(g)), g), shape),
            Value()};
  Value isSame = build.eq(build.reshape(indices, {places, 1}), indices);
  Value sums = build.create<MatmulOp>(build.cast(isSame, TensorBuilder::getElement(g)), g);
  Value number = build.create<IotaOp>(ArrayRef<int64_t>{1, places}, index, 1);
  Value none = build.full(RankedTensorType::get({}, index), -1);
  Value last = build.create<MaxOp>(build.where(isChosen, number, none), ArrayRef<int64_t>{1}, /*keepdims=*/false);
  // What no place chose reads the first one's sum, which is dropped.
  Value found = build.create<TakeOp>(sums, build.maximum(last, build.like(last, 0)), 1);
  Value wasChosen =
      build.create<GeOp>(build.reshape(last, {1, size, 1}), build.full(RankedTensorType::get({}, index), 0));
  return {
      build.reshape(
          build.where(wasChosen, found, build.full(RankedTensorType::get({}, TensorBuilder::getElement(g)), 0)), shape),
      Value()};
}

Gradients TakeAlongOp::differentiate(TensorBuilder &build, Value g) {
  ArrayRef<int64_t> shape = getInput().getType().getShape();
  int64_t rank = shape.size(), axis = *normalizeAxis(getAxis(), rank);
  SmallVector<int64_t> lastIsAxis = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(lastIsAxis[axis], lastIsAxis.back());
  Value indices = countFromFront(build, getIndices(), shape[axis]);
  Value sums = build.permute(
      addUp(build, build.permute(g, lastIsAxis), build.permute(indices, lastIsAxis), shape[axis]), lastIsAxis);
  // Elements behind the indices' shape were read by none.
  SmallVector<int64_t> low(rank, 0), high;
  for (auto [size, read] : llvm::zip_equal(shape, TensorBuilder::getShape(sums)))
    high.push_back(size - read);
  return {build.pad(sums, low, high), Value()};
}
