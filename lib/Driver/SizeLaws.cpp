// Fits the laws that kernel-join-instances knows to elements of constants.
#include "SizeLaws.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>

using llvm::ArrayRef;

namespace tiny {

void addSymbols(const Dim &polynomial, llvm::BitVector &symbols) {
  for (const Dim::Term &term : polynomial.getTerms())
    for (unsigned symbol : term.symbols)
      symbols.set(symbol);
}

void setNumber(HostTensor &tensor, int64_t index, double number) {
  size_t width = tiny_dtype_size(tensor.dtype);
  uint64_t bits;
  if (const llvm::fltSemantics *format = getFloatFormat(tensor.dtype)) {
    llvm::APFloat value(number);
    bool isInexact;
    value.convert(*format, llvm::APFloat::rmNearestTiesToEven, &isInexact);
    bits = value.bitcastToAPInt().getZExtValue();
  } else {
    bits = static_cast<uint64_t>(static_cast<int64_t>(number));
  }
  // The low bytes come first.
  std::memcpy(tensor.bytes.data() + index * width, &bits, width);
}

bool isEqual(const HostTensor &a, const HostTensor &b) {
  if (a.dtype != b.dtype || a.shape != b.shape)
    return false;
  if (a.bytes.size() == b.bytes.size() && std::memcmp(a.bytes.data(), b.bytes.data(), a.bytes.size()) == 0)
    return true;
  if (!isFloat(a.dtype))
    return false;
  return llvm::all_of(llvm::seq<int64_t>(0, a.size()), [&](int64_t index) {
    double left = a.getNumber(index), right = b.getNumber(index);
    return left == right || (left != left && right != right);
  });
}

std::optional<NumberLaw> NumberLaw::find(const DimFit &fit, ArrayRef<double> values, tiny_dtype dtype) {
  NumberLaw law;
  law.dtype = dtype;
  law.same = values.front();
  if (!llvm::all_equal(values) && !(law.sized = fitNumber(fit, values, getFloatFormat(dtype))))
    return std::nullopt;
  return law;
}

double NumberLaw::evaluate(ArrayRef<int64_t> point) const {
  return sized ? sized->evaluate(point, getFloatFormat(dtype)) : same;
}

void NumberLaw::addTo(llvm::BitVector &symbols) const {
  if (sized)
    addSymbols(sized->polynomial, symbols);
}

//===--- Shapes ---------------------------------------------------------------------------------------------------===//

std::optional<llvm::SmallVector<Dim>> findShape(const DimFit &fit, ArrayRef<ArrayRef<int64_t>> shapes) {
  llvm::SmallVector<Dim> found;
  for (size_t axis = 0; axis < shapes.front().size(); ++axis) {
    llvm::SmallVector<int64_t> extents;
    for (ArrayRef<int64_t> shape : shapes) {
      if (shape.size() != shapes.front().size())
        return std::nullopt;
      extents.push_back(shape[axis]);
    }
    std::optional<Dim> extent = fit.fit(extents);
    if (!extent)
      return std::nullopt;
    found.push_back(*extent);
  }
  return found;
}

std::optional<std::vector<int64_t>> evaluateShape(ArrayRef<Dim> shape, ArrayRef<int64_t> point) {
  std::vector<int64_t> extents;
  for (const Dim &extent : shape) {
    extents.push_back(extent.evaluate(point).value_or(-1));
    if (extents.back() < 0)
      return std::nullopt;
  }
  return extents;
}

//===--- Constants ------------------------------------------------------------------------------------------------===//

namespace {

/// Calls back with the index into `shape` and the coordinates of each element.
template <typename Callback> void forEach(ArrayRef<int64_t> shape, Callback call) {
  std::vector<int64_t> at(shape.size(), 0);
  int64_t count = countElements(shape).value_or(0);
  for (int64_t index = 0; index < count; ++index) {
    call(index, ArrayRef<int64_t>(at));
    for (size_t axis = shape.size(); axis > 0; --axis) {
      if (++at[axis - 1] < shape[axis - 1])
        break;
      at[axis - 1] = 0;
    }
  }
}

int64_t findPlace(ArrayRef<int64_t> shape, ArrayRef<int64_t> at) {
  int64_t place = 0;
  for (auto [extent, coordinate] : llvm::zip_equal(shape, at))
    place = place * extent + coordinate;
  return place;
}

/// Whether all extents are at least those of the other shape.
bool holds(const HostTensor &whole, const HostTensor &other) {
  return llvm::all_of(llvm::zip_equal(whole.shape, other.shape),
                      [](auto extents) { return std::get<0>(extents) >= std::get<1>(extents); });
}

/// Elements of the whole with the lowest coordinates.
std::optional<HostTensor> takeCorner(const HostTensor &whole, std::vector<int64_t> shape) {
  for (auto [extent, most] : llvm::zip_equal(shape, whole.shape))
    if (extent > most)
      return std::nullopt;
  HostTensor corner = HostTensor::zeros(whole.dtype, std::move(shape));
  size_t width = tiny_dtype_size(whole.dtype);
  forEach(corner.shape, [&](int64_t index, ArrayRef<int64_t> at) {
    std::memcpy(corner.bytes.data() + index * width, whole.bytes.data() + findPlace(whole.shape, at) * width, width);
  });
  return corner;
}

} // namespace

std::optional<ConstantLaw> ConstantLaw::find(const DimFit &fit, std::vector<HostTensor> values) {
  // More elements that differ are a table, whose elements follow no law.
  constexpr int64_t kMostNumbers = 4096;
  ConstantLaw law;
  law.dtype = values.front().dtype;
  std::optional<llvm::SmallVector<Dim>> shape = findShape(
      fit, llvm::map_to_vector(values, [](const HostTensor &value) { return ArrayRef<int64_t>(value.shape); }));
  if (!shape)
    return std::nullopt;
  law.shape = *shape;
  // Where the corners of the greatest one are those of the others, no size decides an element. Values at sizes out of
  // the bounds may be longer along one axis and shorter along another.
  auto countHeld = [&](const HostTensor &whole) {
    return llvm::count_if(values, [&](const HostTensor &value) { return holds(whole, value); });
  };
  law.whole = *llvm::max_element(values, [&](const HostTensor &a, const HostTensor &b) {
    return std::pair(countHeld(a), a.size()) < std::pair(countHeld(b), b.size());
  });
  if (llvm::all_of(values, [&](const HostTensor &value) {
        std::vector<int64_t> common;
        for (auto [extent, most] : llvm::zip_equal(value.shape, law.whole.shape))
          common.push_back(std::min(extent, most));
        std::optional<HostTensor> mine = takeCorner(law.whole, common), other = takeCorner(value, common);
        return mine && other && isEqual(*mine, *other);
      }))
    return law;
  auto read = [&](auto getIndex) {
    llvm::SmallVector<double> numbers;
    for (const HostTensor &value : values)
      numbers.push_back(value.getNumber(getIndex(value)));
    return numbers;
  };
  if (law.hasOneShape()) {
    law.kind = Kind::Numbers;
    for (int64_t index = 0; index < law.whole.size() && index < kMostNumbers; ++index) {
      std::optional<NumberLaw> number =
          NumberLaw::find(fit, read([&](const HostTensor &) { return index; }), law.dtype);
      if (!number)
        return std::nullopt;
      law.numbers.push_back(*number);
    }
    return law.whole.size() > kMostNumbers ? std::nullopt : std::optional(law);
  }
  // The first element and equal steps along each axis.
  law.kind = Kind::Steps;
  std::vector<SizePoint> places;
  std::vector<HostTensor> filled;
  for (auto [value, point] : llvm::zip_equal(values, fit.getPoints()))
    if (value.size() > 0) {
      places.push_back(point);
      filled.push_back(value);
    }
  values = std::move(filled);
  if (isFloat(law.dtype) || values.empty())
    return std::nullopt;
  std::optional<NumberLaw> first =
      NumberLaw::find(DimFit(places), read([](const HostTensor &) { return 0; }), law.dtype);
  if (!first)
    return std::nullopt;
  law.numbers.push_back(*first);
  for (size_t axis = 0; axis < law.shape.size(); ++axis) {
    // What has one element along an axis has no step there.
    std::vector<SizePoint> points;
    llvm::SmallVector<int64_t> differences;
    for (auto [value, point] : llvm::zip_equal(values, places)) {
      int64_t stride = 1;
      for (size_t inner = axis + 1; inner < value.shape.size(); ++inner)
        stride *= value.shape[inner];
      if (value.shape[axis] < 2)
        continue;
      points.push_back(point);
      differences.push_back(value.getInteger(stride) - value.getInteger(0));
    }
    std::optional<Dim> step = differences.empty() ? Dim(0) : DimFit(points).fit(differences);
    if (!step)
      return std::nullopt;
    law.steps.push_back(*step);
  }
  for (auto [value, point] : llvm::zip_equal(values, places))
    if (std::optional<HostTensor> made = law.evaluate(point); !made || !isEqual(*made, value))
      return std::nullopt;
  return law;
}

std::optional<HostTensor> ConstantLaw::evaluate(ArrayRef<int64_t> point) const {
  std::optional<std::vector<int64_t>> extents = evaluateShape(shape, point);
  if (!extents)
    return std::nullopt;
  if (kind == Kind::Corner)
    return takeCorner(whole, std::move(*extents));
  if (kind == Kind::Numbers) {
    HostTensor tensor = whole;
    for (auto [index, number] : llvm::enumerate(numbers))
      if (number.isSized())
        setNumber(tensor, index, number.evaluate(point));
    return tensor;
  }
  HostTensor tensor = HostTensor::zeros(dtype, std::move(*extents));
  auto each = llvm::map_to_vector(steps, [&](const Dim &step) { return step.evaluate(point).value_or(0); });
  double first = numbers.front().evaluate(point);
  forEach(tensor.shape, [&](int64_t index, ArrayRef<int64_t> at) {
    double number = first;
    for (auto [step, coordinate] : llvm::zip_equal(each, at))
      number += static_cast<double>(step * coordinate);
    setNumber(tensor, index, number);
  });
  return tensor;
}

std::optional<Dim> NumberLaw::asPolynomial() const {
  if (sized)
    return sized->kind == SizedNumber::Kind::Whole ? std::optional(sized->polynomial) : std::nullopt;
  bool isWhole = std::abs(same) < 0x1p53 && same == std::round(same);
  return isWhole ? std::optional(Dim(static_cast<int64_t>(same))) : std::nullopt;
}

std::optional<EqualSteps> findSteps(const HostTensor &tensor) {
  if (isFloat(tensor.dtype) || tensor.size() == 0)
    return std::nullopt;
  EqualSteps found{tensor.getInteger(0), llvm::SmallVector<Dim>(tensor.shape.size())};
  llvm::SmallVector<int64_t> steps(tensor.shape.size(), 0);
  int64_t stride = 1;
  for (size_t axis = tensor.shape.size(); axis-- > 0; stride *= tensor.shape[axis])
    if (tensor.shape[axis] > 1)
      found.steps[axis] = steps[axis] = tensor.getInteger(stride) - tensor.getInteger(0);
  bool isEqual = true;
  forEach(tensor.shape, [&](int64_t index, ArrayRef<int64_t> at) {
    int64_t expected = tensor.getInteger(0);
    for (auto [step, coordinate] : llvm::zip_equal(steps, at))
      expected += step * coordinate;
    isEqual &= tensor.getInteger(index) == expected;
  });
  return isEqual ? std::optional(found) : std::nullopt;
}

std::optional<EqualSteps> ConstantLaw::getSteps() const {
  if (kind == Kind::Corner)
    return findSteps(whole);
  std::optional<Dim> first = numbers.front().asPolynomial();
  if (!first || (kind == Kind::Numbers && numbers.size() != 1))
    return std::nullopt;
  return EqualSteps{*first, kind == Kind::Steps ? steps : llvm::SmallVector<Dim>(shape.size())};
}

bool ConstantLaw::isSized() const {
  return llvm::any_of(numbers, [](const NumberLaw &number) { return number.isSized(); }) ||
         llvm::any_of(steps, [](const Dim &step) { return !step.asConstant(); });
}

bool ConstantLaw::hasOneShape() const {
  return llvm::all_of(shape, [](const Dim &extent) { return extent.asConstant().has_value(); });
}

void ConstantLaw::addTo(llvm::BitVector &symbols) const {
  for (const Dim &extent : shape)
    addSymbols(extent, symbols);
  for (const NumberLaw &number : numbers)
    number.addTo(symbols);
  for (const Dim &step : steps)
    addSymbols(step, symbols);
}

} // namespace tiny
