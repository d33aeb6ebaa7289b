// Interpolation of polynomials in several sizes, exactly.
#include "Tiny/Algebra/View/DimFit.h"

#include "mlir/Analysis/Presburger/Matrix.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace llvm;
using mlir::presburger::FracMatrix;
using mlir::presburger::Fraction;

namespace tiny {

static int64_t evaluateMonomial(ArrayRef<unsigned> symbols, ArrayRef<int64_t> point) {
  int64_t product = 1;
  for (unsigned symbol : symbols)
    product *= point[symbol];
  return product;
}

/// The products of symbols of degree 3 or less, each at most squared. What a program computes with is made of extents,
/// areas and volumes.
static std::vector<SmallVector<unsigned, 2>> listMonomials(unsigned nSymbols) {
  constexpr unsigned kMostDegree = 3, kMostPower = 2;
  std::vector<SmallVector<unsigned, 2>> monomials(1);
  for (size_t next = 0; next < monomials.size(); ++next) {
    SmallVector<unsigned, 2> from = monomials[next];
    if (from.size() == kMostDegree)
      continue;
    for (unsigned symbol = from.empty() ? 0 : from.back(); symbol < nSymbols; ++symbol) {
      if (count(from, symbol) == kMostPower)
        continue;
      monomials.push_back(from);
      monomials.back().push_back(symbol);
    }
  }
  return monomials;
}

DimFit::DimFit(ArrayRef<SizePoint> given) : points(given.begin(), given.end()) {
  monomials = listMonomials(points.empty() ? 0 : points.front().size());
  // Take the first points whose rows are independent: each new one must leave the Gram determinant nonzero, which is
  // found by trying.
  unsigned count = monomials.size();
  if (points.size() <= count)
    return;
  std::vector<std::vector<Fraction>> reduced;
  for (auto [number, point] : enumerate(points)) {
    std::vector<Fraction> row;
    row.reserve(count);
    for (const auto &monomial : monomials)
      row.emplace_back(evaluateMonomial(monomial, point));
    for (const std::vector<Fraction> &other : reduced) {
      unsigned lead = find_if(other, [](const Fraction &value) { return value != 0; }) - other.begin();
      Fraction factor = row[lead] / other[lead];
      for (unsigned column = 0; column < count; ++column)
        row[column] = row[column] - factor * other[column];
    }
    if (all_of(row, [](const Fraction &value) { return value == 0; }))
      continue;
    reduced.push_back(std::move(row));
    solved.push_back(number);
    if (solved.size() == count)
      break;
  }
  if (solved.size() < count)
    return;
  FracMatrix system(count, count);
  for (unsigned row = 0; row < count; ++row)
    for (unsigned column = 0; column < count; ++column)
      system(row, column) = Fraction(evaluateMonomial(monomials[column], points[solved[row]]));
  FracMatrix solution(count, count);
  if (system.determinant(&solution) == 0)
    return;
  DynamicAPInt common(1);
  for (unsigned row = 0; row < count; ++row)
    for (unsigned column = 0; column < count; ++column)
      common = llvm::lcm(common, solution(row, column).den);
  denominator = common;
  for (unsigned row = 0; row < count; ++row) {
    std::vector<DynamicAPInt> &numbers = inverse.emplace_back();
    for (unsigned column = 0; column < count; ++column) {
      Fraction scaled = solution(row, column) * Fraction(common);
      numbers.push_back(scaled.num / scaled.den);
    }
  }
  determined = true;
}

std::optional<Dim> DimFit::fit(ArrayRef<int64_t> values) const {
  if (all_equal(values))
    return Dim(values.front());
  if (!determined)
    return std::nullopt;
  Dim found;
  for (unsigned row = 0; row < inverse.size(); ++row) {
    DynamicAPInt sum(0);
    for (unsigned column = 0; column < inverse.size(); ++column)
      sum += inverse[row][column] * DynamicAPInt(values[solved[column]]);
    DynamicAPInt coefficient = sum / denominator;
    if (coefficient * denominator != sum || llvm::abs(coefficient) >= kIndexLimit)
      return std::nullopt;
    Dim term = static_cast<int64_t>(coefficient);
    for (unsigned symbol : monomials[row])
      term = term * Dim::symbol(symbol);
    found = found + term;
  }
  for (auto [point, value] : zip_equal(points, values))
    if (found.evaluate(point) != value)
      return std::nullopt;
  return found;
}

static bool isPrime(int64_t number) {
  for (int64_t factor = 2; factor * factor <= number; ++factor)
    if (number % factor == 0)
      return false;
  return number > 1;
}

/// Points beyond those that the coefficients and the check need.
static constexpr unsigned kSparePoints = 2;

/// Values of one size beside the greatest, best first.
static SmallVector<int64_t> listValues(Bounds bounds, unsigned count, bool isWithin) {
  SmallVector<int64_t> values;
  int64_t least = std::max(bounds.low, bounds.high / 3 * 2);
  for (int64_t value = bounds.high - 1; value >= least && values.size() < count; --value)
    if (isPrime(value))
      values.push_back(value);
  if (values.size() == count)
    return values;
  if (isWithin) {
    for (int64_t value = bounds.high - 1; value >= bounds.low && values.size() < count; --value)
      if (!is_contained(values, value))
        values.push_back(value);
    return values;
  }
  // Small numbers are those of heads, channels and windows as well, and lie far from each other.
  constexpr int64_t kFarPrime = 61;
  values.clear();
  for (int64_t value = std::max(bounds.high + 1, kFarPrime); values.size() < count; ++value)
    if (isPrime(value))
      values.push_back(value);
  return values;
}

std::vector<SizePoint> chooseSizePoints(ArrayRef<Bounds> bounds, bool isWithin) {
  unsigned nSymbols = bounds.size(), count = listMonomials(nSymbols).size() + 1 + kSparePoints;
  std::vector<SmallVector<int64_t>> values;
  for (Bounds bound : bounds)
    if (values.push_back(listValues(bound, nSymbols == 1 ? count - 1 : 5, isWithin)); values.back().empty())
      return {};
  std::vector<SizePoint> points(1);
  for (Bounds bound : bounds)
    points.front().push_back(bound.high);
  // A fixed sequence, in which symbols are independent of each other.
  uint64_t state = 12345;
  // The greatest sizes may turn out to be met by chance after all: the others suffice.
  auto suffice = [&] { return points.size() >= count && DimFit(ArrayRef(points).drop_front()).isDetermined(); };
  for (unsigned trial = 0; trial < 1000 && !suffice(); ++trial) {
    SizePoint point;
    for (const SmallVector<int64_t> &from : values) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      point.push_back(from[nSymbols == 1 ? trial % from.size() : (state >> 33) % from.size()]);
    }
    SizePoint sorted = point;
    sort(sorted);
    bool isDistinct = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
    if ((isDistinct || trial > 200) && !is_contained(points, point))
      points.push_back(std::move(point));
  }
  return points;
}

} // namespace tiny
