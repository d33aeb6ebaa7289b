#include "PlaceParts.h"

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tiny::lazy {
namespace {

class Placer {
public:
  explicit Placer(const Concatenation &concatenation)
      : all(concatenation), builder(concatenation.root), loc(concatenation.root->getLoc()),
        type(cast<RankedTensorType>(concatenation.root->getResult(0).getType())) {}

  void run() {
    auto zero = SplatElementsAttr::get(type, builder.getZeroAttr(type.getElementType()));
    Value state = arith::ConstantOp::create(builder, loc, zero);
    ArrayRef<Concatenation::Part> rest = all.parts;
    while (!rest.empty()) {
      size_t count = 1;
      if (!rest.front().stored)
        while (count < rest.size() && !rest[count].stored)
          ++count;
      ArrayRef<Concatenation::Part> run = rest.take_front(count);
      auto [low, high] = getWindow(run);
      ShapeTracker slice = ShapeTracker::identity(type.getShape()).shrink(low, high);
      Value value = run.front().stored ? reshape(run.front().stored, slice.shape()) : join(run);
      auto tracker = TrackerAttr::get(builder.getContext(), slice);
      state = AssignOp::create(builder, loc, type, value, state, tracker);
      rest = rest.drop_front(count);
    }
    all.root->getResult(0).replaceAllUsesWith(state);
  }

private:
  std::pair<SmallVector<int64_t>, SmallVector<int64_t>> getWindow(ArrayRef<Concatenation::Part> run) const {
    SmallVector<int64_t> low(type.getRank(), 0), high(type.getShape());
    low[all.axis] = run.front().begin;
    high[all.axis] = run.back().end;
    return {low, high};
  }

  Value reshape(Value value, ArrayRef<int64_t> shape) {
    auto from = cast<RankedTensorType>(value.getType());
    return from.getShape() == shape ? value : ReshapeOp::create(builder, loc, from.clone(shape), value).getResult();
  }

  /// The concatenation of parts side by side.
  Value join(ArrayRef<Concatenation::Part> run) {
    auto [low, high] = getWindow(run);
    SmallVector<int64_t> shape(type.getShape());
    shape[all.axis] = run.back().end - run.front().begin;
    RankedTensorType narrow = type.clone(shape), indexType = narrow.clone(builder.getI64Type());
    auto shrink = [&, &low = low, &high = high](Value value) -> Value {
      return ShrinkOp::create(builder, loc, narrow, value, low, high);
    };
    Value joined = shrink(run.front().chosen), index;
    for (auto [before, part] : llvm::zip(run, run.drop_front())) {
      if (part.chosen == before.chosen)
        continue;
      if (!index)
        index = IotaOp::create(builder, loc, indexType, static_cast<uint64_t>(all.axis));
      auto bound = builder.getI64IntegerAttr(part.begin - run.front().begin);
      Value at = arith::ConstantOp::create(builder, loc, SplatElementsAttr::get(indexType, Attribute(bound)));
      Value isBefore = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, index, at);
      joined = arith::SelectOp::create(builder, loc, isBefore, joined, shrink(part.chosen));
    }
    return joined;
  }

  const Concatenation &all;
  OpBuilder builder;
  Location loc;
  RankedTensorType type;
};

} // namespace

void placeParts(const Concatenation &concatenation) { Placer(concatenation).run(); }

} // namespace tiny::lazy
