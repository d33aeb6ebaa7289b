// Rewrites a concatenation as assignments to its slices, so that each part is computed where it belongs.
#include "PlaceParts.h"

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace tiny::lazy {
namespace {

class Placer {
public:
  explicit Placer(const Placement &placement)
      : all(placement), builder(placement.root), loc(placement.root->getLoc()),
        type(cast<RankedTensorType>(placement.root->getResult(0).getType())) {}

  void run() {
    builder.setInsertionPointToStart(all.root->getBlock());
    auto zero = SplatElementsAttr::get(type, builder.getZeroAttr(type.getElementType()));
    Value state = arith::ConstantOp::create(builder, loc, zero);
    SmallVector<unsigned> last(all.inner.size(), 0);
    for (auto [k, inner] : llvm::enumerate(all.inner))
      last[k] = *llvm::max_element(inner.steps);
    Operation *after = nullptr;
    for (auto [k, step] : llvm::enumerate(all.steps)) {
      if (step.after && step.after != after)
        builder.setInsertionPointAfter(step.after);
      after = step.after;
      llvm::SmallPtrSet<Operation *, 2> own;
      Value value = step.value ? reshape(step.value, step.places.shape()) : join(step);
      own.insert(value.getDefiningOp());
      state = AssignOp::create(builder, loc, type, value, state, getAttr(step.places));
      own.insert(state.getDefiningOp());
      if (step.value)
        Value(step.value).replaceAllUsesExcept(view(state, step.places, step.value), own);
      for (auto [inner, end] : llvm::zip_equal(all.inner, last))
        if (end == k) {
          Value whole = inner.op->getResult(0);
          whole.replaceAllUsesWith(view(state, inner.places, whole));
        }
    }
    all.root->getResult(0).replaceAllUsesWith(state);
  }

private:
  TrackerAttr getAttr(const ShapeTracker &tracker) { return TrackerAttr::get(builder.getContext(), tracker); }

  /// What stands at `places`, instead of `old`.
  Value view(Value state, const ShapeTracker &places, Value old) {
    auto slice = type.clone(places.shape());
    Value found = ViewOp::create(builder, old.getLoc(), slice, state, getAttr(places));
    return reshape(found, cast<RankedTensorType>(old.getType()).getShape());
  }

  Value reshape(Value value, ArrayRef<int64_t> shape) {
    auto from = cast<RankedTensorType>(value.getType());
    return from.getShape() == shape ? value : ReshapeOp::create(builder, loc, from.clone(shape), value).getResult();
  }

  /// The pieces of a step side by side.
  Value join(const Placement::Step &step) {
    ArrayRef<Placement::Piece> pieces = step.pieces;
    auto whole = cast<RankedTensorType>(pieces.front().chosen.getType());
    SmallVector<int64_t> low(whole.getRank(), 0), high(whole.getShape());
    low[step.axis] = pieces.front().begin;
    high[step.axis] = pieces.back().end;
    RankedTensorType narrow = type.clone(step.places.shape()), indexType = narrow.clone(builder.getI64Type());
    auto shrink = [&](Value value) -> Value { return ShrinkOp::create(builder, loc, narrow, value, low, high); };
    Value joined = shrink(pieces.front().chosen), index;
    for (auto [before, piece] : llvm::zip(pieces, pieces.drop_front())) {
      if (piece.chosen == before.chosen)
        continue;
      if (!index)
        index = IotaOp::create(builder, loc, indexType, static_cast<uint64_t>(step.axis));
      auto bound = builder.getI64IntegerAttr(piece.begin - pieces.front().begin);
      Value at = arith::ConstantOp::create(builder, loc, SplatElementsAttr::get(indexType, Attribute(bound)));
      Value isBefore = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, index, at);
      joined = arith::SelectOp::create(builder, loc, isBefore, joined, shrink(piece.chosen));
    }
    return joined;
  }

  const Placement &all;
  OpBuilder builder;
  Location loc;
  RankedTensorType type;
};

} // namespace

void placeParts(const Placement &placement) { Placer(placement).run(); }

} // namespace tiny::lazy
