// Reductions, softmax and normalisation of `tiny`, over whole arrays in double or wide integers.
#include "Array.h"

#include "Tiny/Dialect/Tensor/Tensor.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace tiny::reference {

/// The positions of the elements that each group has, in row-major order; groups are row-major over the other axes.
static std::vector<std::vector<int64_t>> groupAlong(const Array &input, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> kept;
  for (int64_t axis = 0, rank = input.shape.size(); axis < rank; ++axis)
    if (!llvm::is_contained(axes, axis))
      kept.push_back(axis);
  int64_t count = 1;
  for (int64_t axis : kept)
    count *= input.shape[axis];
  std::vector<std::vector<int64_t>> groups(count);
  forEachIndex(input.shape, [&](int64_t at, ArrayRef<int64_t> indices) {
    int64_t group = 0;
    for (int64_t axis : kept)
      group = group * input.shape[axis] + indices[axis];
    groups[group].push_back(at);
  });
  return groups;
}

static SmallVector<int64_t> fromFront(ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<int64_t> normal;
  for (int64_t axis : axes)
    normal.push_back(axis < 0 ? axis + rank : axis);
  return normal;
}

static double sumOf(const Array &input, ArrayRef<int64_t> group) {
  double sum = 0;
  for (int64_t at : group)
    sum += input.number(at);
  return sum;
}
static double meanOf(const Array &input, ArrayRef<int64_t> group) {
  return sumOf(input, group) / static_cast<double>(group.size());
}
static double squaresAround(const Array &input, ArrayRef<int64_t> group, double center) {
  double sum = 0;
  for (int64_t at : group)
    sum += (input.number(at) - center) * (input.number(at) - center);
  return sum;
}

/// Whether x beats y in a search for the largest or the smallest; NaN beats everything.
static bool beats(const Array &input, int64_t x, int64_t y, bool wantsLargest) {
  if (!input.type.isFloat())
    return wantsLargest ? input.wide(x) > input.wide(y) : input.wide(x) < input.wide(y);
  double a = input.number(x), b = input.number(y);
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && !std::isnan(b);
  if (a == b)
    return wantsLargest ? std::signbit(b) && !std::signbit(a) : std::signbit(a) && !std::signbit(b);
  return wantsLargest ? a > b : a < b;
}

/// The index within the group of its extreme element; equal numbers (also -0 and 0, where `byNumber`) give the first.
static int64_t findExtreme(const Array &input, ArrayRef<int64_t> group, bool wantsLargest, bool byNumber) {
  int64_t best = 0;
  for (int64_t k = 1, size = group.size(); k < size; ++k) {
    bool equal = byNumber && input.number(group[k]) == input.number(group[best]) &&
                 (input.type.isFloat() || input.wide(group[k]) == input.wide(group[best]));
    if (!equal && beats(input, group[k], group[best], wantsLargest))
      best = k;
  }
  return best;
}

/// The sum of exp(x) as exp(top) * sum, where `top` is the largest x, or 0 where that is infinite.
struct Exponentials {
  double top = -std::numeric_limits<double>::infinity(), sum = 0;

  Exponentials(const Array &input, ArrayRef<int64_t> group) {
    for (int64_t at : group)
      top = std::isnan(top) || input.number(at) <= top ? top : input.number(at);
    if (std::isinf(top))
      top = 0;
    for (int64_t at : group)
      sum += std::exp(input.number(at) - top);
  }
};

/// The least element of a type where the largest is wanted, the greatest otherwise: what nothing reduces to.
static Scalar getNeutral(Element type, bool wantsLargest) {
  if (type.isFloat()) {
    double infinity = std::numeric_limits<double>::infinity();
    return fromDouble(wantsLargest ? -infinity : infinity, type);
  }
  unsigned width = type.scalar.width;
  if (type.isUnsigned || type.isBool())
    return makeInt(wantsLargest ? 0 : -1);
  Wide edge = Wide(1) << (width - 1);
  return fromWide(wantsLargest ? -edge : edge - 1, type);
}

static std::optional<Scalar> reduceGroup(Operation *op, const Array &input, ArrayRef<int64_t> group, Element type) {
  if (isa<tensor::SumOp, tensor::ProdOp>(op)) {
    bool isSum = isa<tensor::SumOp>(op);
    if (input.type.isFloat()) {
      double result = isSum ? 0 : 1;
      for (int64_t at : group)
        result = isSum ? result + input.number(at) : result * input.number(at);
      return fromDouble(result, type);
    }
    auto result = static_cast<unsigned __int128>(isSum ? 0 : 1);
    for (int64_t at : group) {
      auto element = static_cast<unsigned __int128>(input.wide(at));
      result = isSum ? result + element : result * element;
    }
    return fromWide(static_cast<Wide>(result), type);
  }
  if (isa<tensor::MaxOp, tensor::MinOp>(op)) {
    bool wantsLargest = isa<tensor::MaxOp>(op);
    if (group.empty())
      return getNeutral(type, wantsLargest);
    return input.values[group[findExtreme(input, group, wantsLargest, /*byNumber=*/false)]];
  }
  if (isa<tensor::ArgMaxOp, tensor::ArgMinOp>(op)) {
    if (group.empty())
      return std::nullopt;
    return fromWide(findExtreme(input, group, isa<tensor::ArgMaxOp>(op), /*byNumber=*/true), type);
  }
  if (isa<tensor::MeanOp>(op))
    return fromDouble(meanOf(input, group), type);
  if (auto var = dyn_cast<tensor::VarOp>(op)) {
    double count = static_cast<double>(group.size()) - static_cast<double>(static_cast<int64_t>(var.getCorrection()));
    return fromDouble(squaresAround(input, group, meanOf(input, group)) / count, type);
  }
  if (isa<tensor::LogSumExpOp>(op)) {
    Exponentials exponentials(input, group);
    return fromDouble(std::log(exponentials.sum) + exponentials.top, type);
  }
  if (isa<tensor::AnyOp, tensor::AllOp>(op)) {
    bool isAny = isa<tensor::AnyOp>(op), result = !isAny;
    for (int64_t at : group)
      if ((input.number(at) != 0) == isAny)
        result = isAny;
    return makeInt(result ? -1 : 0);
  }
  return std::nullopt;
}

/// What stands in for an absent scale or bias at the k-th element of a group.
static double at(const Array *array, ArrayRef<int64_t> groupShape, int64_t k, double absent) {
  if (!array)
    return absent;
  // Scale and bias broadcast to the normalised axes.
  SmallVector<int64_t> indices(groupShape.size());
  for (size_t axis = groupShape.size(); axis-- > 0; k /= groupShape[axis])
    indices[axis] = k % groupShape[axis];
  return array->number(broadcastIndex(array->shape, indices));
}

static Known normalizeGroups(const Array &input, int64_t axis, double epsilon, bool centered, const Array *scale,
                             const Array *bias, Array &result) {
  int64_t rank = input.shape.size();
  axis = axis < 0 ? axis + rank : axis;
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq(axis, rank));
  ArrayRef<int64_t> groupShape = ArrayRef(input.shape).drop_front(axis);
  for (const std::vector<int64_t> &group : groupAlong(input, axes)) {
    double center = centered ? meanOf(input, group) : 0;
    double spread = std::sqrt(squaresAround(input, group, center) / static_cast<double>(group.size()) + epsilon);
    for (auto [k, position] : llvm::enumerate(group))
      result.values[position] = fromDouble((input.number(position) - center) / spread * at(scale, groupShape, k, 1) +
                                               at(bias, groupShape, k, -0.0),
                                           result.type);
  }
  return Known::Yes;
}

static const Array *optional(Operation *op, Operands operands, Value value) {
  for (auto [operand, array] : llvm::zip_equal(op->getOperands(), operands))
    if (value && operand == value)
      return array;
  return nullptr;
}

Known evaluateReduction(Session &session, Operation *op, Operands operands, Array &result) {
  if (operands.empty())
    return Known::No;
  const Array &input = *operands[0];
  int64_t rank = input.shape.size();
  if (auto running = dyn_cast<tensor::CumSumOp>(op)) {
    for (const std::vector<int64_t> &group : groupAlong(input, fromFront(running.getAxis(), rank))) {
      double sum = -0.0;
      unsigned __int128 wide = 0;
      for (int64_t position : group) {
        if (input.type.isFloat())
          result.values[position] = fromDouble(sum += input.number(position), result.type);
        else
          result.values[position] =
              fromWide(static_cast<Wide>(wide += static_cast<unsigned __int128>(input.wide(position))), result.type);
      }
    }
    return Known::Yes;
  }
  if (auto softmax = dyn_cast<tensor::SoftmaxOp>(op); softmax || isa<tensor::LogSoftmaxOp>(op)) {
    int64_t axis = softmax ? softmax.getAxis() : cast<tensor::LogSoftmaxOp>(op).getAxis();
    for (const std::vector<int64_t> &group : groupAlong(input, fromFront(axis, rank))) {
      Exponentials all(input, group);
      // The distance to an infinite maximum is no number, so neither is the sum, nor anything divided by it.
      if (all.sum == std::numeric_limits<double>::infinity())
        all.sum = std::numeric_limits<double>::quiet_NaN();
      for (int64_t position : group) {
        // Beside a large maximum the logarithm of the sum would be lost.
        double distance = input.number(position) - all.top;
        result.values[position] =
            fromDouble(softmax ? std::exp(distance) / all.sum : distance - std::log(all.sum), result.type);
      }
    }
    return Known::Yes;
  }
  if (auto norm = dyn_cast<tensor::LayerNormOp>(op))
    return normalizeGroups(input, norm.getAxis(), norm.getEpsilon().convertToDouble(), /*centered=*/true,
                           optional(op, operands, norm.getScale()), optional(op, operands, norm.getBias()), result);
  if (auto norm = dyn_cast<tensor::RmsNormOp>(op))
    return normalizeGroups(input, norm.getAxis(), norm.getEpsilon().convertToDouble(), /*centered=*/false,
                           optional(op, operands, norm.getScale()), nullptr, result);
  if (auto norm = dyn_cast<tensor::BatchNormOp>(op)) {
    double epsilon = norm.getEpsilon().convertToDouble();
    forEachIndex(input.shape, [&](int64_t at, ArrayRef<int64_t> indices) {
      auto channel = [&](unsigned operand) { return operands[operand]->number(indices[1]); };
      double normal = (input.number(at) - channel(3)) / std::sqrt(channel(4) + epsilon);
      result.values[at] = fromDouble(normal * channel(1) + channel(2), result.type);
    });
    return Known::Yes;
  }

  // The reductions share the shape of their attributes.
  auto axes = op->getAttrOfType<DenseI64ArrayAttr>("axes");
  if (!axes || operands.size() != 1)
    return Known::No;
  std::vector<std::vector<int64_t>> groups = groupAlong(input, fromFront(axes.asArrayRef(), rank));
  for (auto [position, group] : llvm::enumerate(groups)) {
    std::optional<Scalar> value = reduceGroup(op, input, group, result.type);
    if (!value)
      return Known::No;
    result.values[position] = *value;
  }
  return Known::Yes;
}

} // namespace tiny::reference
