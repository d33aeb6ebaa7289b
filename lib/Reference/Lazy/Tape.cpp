// Compiles lazy values at index tuples to a tape: movement operations compute indices, all else computes elements.
#include "Tape.h"

#include "Tiny/Dialect/Lazy/Lazy.h"

using namespace mlir;

namespace tiny::reference {

/// Beyond so many instructions an expression that re-reads itself through ever more views is refused.
static constexpr size_t kMaxInstructions = size_t(1) << 18;

SmallVector<int64_t> getRowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * std::max<int64_t>(shape[axis], 1);
  return strides;
}

static ArrayRef<int64_t> getShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getShape() : ArrayRef<int64_t>();
}

Register LazyTape::getLinear(unsigned place, Type type) {
  if (places[place].linear == kNoRegister)
    places[place].linear = tape.addLinear(places[place].indices, getRowMajorStrides(getShape(type)));
  return places[place].linear;
}

void LazyTape::unravel(Register linear, ArrayRef<int64_t> shape, Place &place) {
  place.linear = linear;
  bool leading = true;
  for (auto [extent, stride] : llvm::zip_equal(shape, getRowMajorStrides(shape))) {
    if (extent == 1) {
      place.indices.push_back(tape.addConstant(int64_t(0)));
      continue;
    }
    // No digit stands before the leading one.
    place.indices.push_back(tape.addDigit(linear, stride, leading ? 0 : extent));
    leading = false;
  }
}

FailureOr<unsigned> LazyTape::move(Operation *op, unsigned from) {
  auto [known, inserted] = moved.try_emplace(Key(op->getResult(0), from), 0);
  if (!inserted)
    return known->second;
  Type inputType = op->getOperand(0).getType(), resultType = op->getResult(0).getType();
  ArrayRef<int64_t> shape = getShape(inputType);
  Place to;
  to.gate = places[from].gate;
  SmallVector<Register> indices = places[from].indices;

  if (isa<lazy::ReshapeOp>(op)) {
    unravel(getLinear(from, resultType), shape, to);
  } else if (isa<lazy::ExpandOp>(op)) {
    for (auto [axis, index] : llvm::enumerate(indices))
      to.indices.push_back(shape[axis] == 1 ? tape.addConstant(int64_t(0)) : index);
  } else if (auto permute = dyn_cast<lazy::PermuteOp>(op)) {
    to.indices.resize(indices.size());
    for (auto [axis, source] : llvm::enumerate(permute.getPermutation()))
      to.indices[source] = indices[axis];
  } else if (auto pad = dyn_cast<lazy::PadOp>(op)) {
    for (auto [axis, index] : llvm::enumerate(indices)) {
      int64_t low = pad.getLow()[axis], high = pad.getHigh()[axis];
      if (low != 0 || high != 0)
        to.gate = tape.addWithin(index, low, low + shape[axis], to.gate);
      to.indices.push_back(tape.addLinear({index}, {1}, -low));
    }
  } else if (auto shrink = dyn_cast<lazy::ShrinkOp>(op)) {
    for (auto [index, begin] : llvm::zip_equal(indices, shrink.getBegin()))
      to.indices.push_back(tape.addLinear({index}, {1}, begin));
  } else if (auto flip = dyn_cast<lazy::FlipOp>(op)) {
    to.indices = indices;
    for (int64_t axis : flip.getAxes())
      to.indices[axis] = tape.addLinear({indices[axis]}, {-1}, shape[axis] - 1);
  } else if (auto view = dyn_cast<lazy::ViewOp>(op)) {
    // The consumer's view first; every view's position is an element of the shape of the view below it.
    ShapeTracker tracker = view.getTrackerAttr().getTracker();
    Place seen = places[from];
    for (auto [depth, layer] : llvm::enumerate(llvm::reverse(tracker.views()))) {
      for (auto [index, interval] : llvm::zip(seen.indices, layer.getMask()))
        seen.gate = tape.addWithin(index, interval.begin, interval.end, seen.gate);
      Register position = tape.addLinear(seen.indices, layer.getStrides(), layer.getOffset());
      seen.indices.clear();
      bool isLast = depth + 1 == tracker.views().size();
      unravel(position, isLast ? shape : tracker.views()[tracker.views().size() - depth - 2].getShape(), seen);
    }
    to = std::move(seen);
  } else {
    return session.unsupported(op);
  }
  places.push_back(std::move(to));
  return moved[Key(op->getResult(0), from)] = places.size() - 1;
}

/// The register of a value that needs no other value, or none.
FailureOr<std::optional<Register>> LazyTape::compileLeaf(Value value, unsigned place) {
  if (auto base = bases.find(value); base != bases.end())
    return std::optional(
        tape.addLoad(base->second, getLinear(place, value.getType()), places[place].gate,
                     value.getDefiningOp() ? value.getDefiningOp() : value.getParentBlock()->getParentOp()));
  Operation *op = value.getDefiningOp();
  assert(op && "arguments are bases");
  if (auto iota = dyn_cast<lazy::IotaOp>(op)) {
    // The index wraps where its type is too narrow for it.
    ScalarCode wrap = *getScalarCode("arith.trunci", ScalarType{Format::Int, 64});
    wrap.out = *getScalarType(iota.getType());
    return std::optional(tape.addScalar(wrap, {places[place].indices[iota.getAxis()]}, op));
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    std::optional<ScalarType> type = getScalarType(constant.getType());
    if (!type)
      return session.unsupported(op);
    Attribute attr = constant.getValue();
    if (auto splat = dyn_cast<SplatElementsAttr>(attr))
      attr = splat.getSplatValue<Attribute>();
    if (std::optional<Scalar> scalar = fromAttribute(*type, attr))
      return std::optional(tape.addConstant(*scalar));
    auto elements = dyn_cast<ElementsAttr>(attr);
    if (!elements)
      return session.unsupported(op);
    FailureOr<Buffer> buffer = readConstant(session, elements, op->getLoc());
    if (failed(buffer))
      return failure();
    return std::optional(tape.addLoad(*buffer, getLinear(place, value.getType()), places[place].gate, op));
  }
  return std::optional<Register>();
}

/// The indices where the result is wanted, then the base there; false while one of them is still to be compiled.
FailureOr<bool> LazyTape::compileGather(lazy::GatherOp op, unsigned place, SmallVectorImpl<Key> &worklist) {
  if (!moved.count(Key(op.getResult(), place))) {
    Place to;
    for (Value index : op.getIndices()) {
      auto at = values.find(Key(index, place));
      if (at == values.end())
        worklist.push_back(Key(index, place));
      else
        to.indices.push_back(at->second);
    }
    if (to.indices.size() < op.getIndices().size())
      return false;
    to.gate = places[place].gate;
    for (auto [index, size] : llvm::zip_equal(to.indices, getShape(op.getBase().getType())))
      to.gate = tape.addWithin(index, 0, size, to.gate);
    places.push_back(std::move(to));
    moved[Key(op.getResult(), place)] = places.size() - 1;
  }
  unsigned to = moved[Key(op.getResult(), place)];
  auto base = values.find(Key(op.getBase(), to));
  if (base == values.end()) {
    worklist.push_back(Key(op.getBase(), to));
    return false;
  }
  Register value = tape.addMasked(base->second, places[to].gate);
  if (TypedAttr outside = op.getOutsideAttr()) {
    // With the gate off the masked value is zero, but the element outside may be another.
    ScalarType type = *getScalarType(op.getResult().getType());
    std::optional<Scalar> number = fromAttribute(type, outside);
    std::optional<ScalarCode> select = getScalarCode("arith.select", type);
    if (!number || !select)
      return session.unsupported(op);
    value = tape.addScalar(*select, {places[to].gate, value, tape.addConstant(*number)}, op);
  }
  values[Key(op.getResult(), place)] = value;
  return true;
}

FailureOr<Register> LazyTape::compile(Value root, ArrayRef<Register> indices) {
  Place start;
  start.indices.assign(indices.begin(), indices.end());
  places.push_back(start);
  Key rootKey(root, places.size() - 1);
  SmallVector<Key> worklist = {rootKey};
  while (!worklist.empty()) {
    Key key = worklist.back();
    auto [value, place] = key;
    if (values.count(key)) {
      worklist.pop_back();
      continue;
    }
    FailureOr<std::optional<Register>> leaf = compileLeaf(value, place);
    if (failed(leaf))
      return failure();
    if (*leaf) {
      values[key] = **leaf;
      worklist.pop_back();
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (tape.getSize() > kMaxInstructions)
      return session.fail(Session::Kind::Limit, op->getLoc(), "the expression is too large for the interpreter");

    if (lazy::isMovement(op)) {
      FailureOr<unsigned> to = move(op, place);
      if (failed(to))
        return failure();
      Key input(op->getOperand(0), *to);
      auto known = values.find(input);
      if (known == values.end()) {
        worklist.push_back(input);
        continue;
      }
      // Only a gate that this movement added masks its value.
      bool masks = places[*to].gate != places[place].gate;
      values[key] = masks ? tape.addMasked(known->second, places[*to].gate) : known->second;
      worklist.pop_back();
      continue;
    }

    if (auto gather = dyn_cast<lazy::GatherOp>(op)) {
      FailureOr<bool> isReady = compileGather(gather, place, worklist);
      if (failed(isReady))
        return failure();
      if (*isReady)
        worklist.pop_back();
      continue;
    }

    // Elementwise: every operand at the same place.
    std::optional<ScalarCode> code = getScalarCode(op, cast<OpResult>(value).getResultNumber());
    if (!code)
      return session.unsupported(op);
    SmallVector<Register> operands;
    bool ready = true;
    for (Value operand : op->getOperands()) {
      auto known = values.find(Key(operand, place));
      if (known == values.end()) {
        worklist.push_back(Key(operand, place));
        ready = false;
      } else {
        operands.push_back(known->second);
      }
    }
    if (!ready)
      continue;
    values[key] = tape.addScalar(*code, operands, op);
    worklist.pop_back();
  }
  return values[rootKey];
}

} // namespace tiny::reference
