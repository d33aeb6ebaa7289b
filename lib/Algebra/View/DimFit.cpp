// Interpolation of polynomials in several sizes, exactly.
#include "Tiny/Algebra/View/DimFit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace llvm;

namespace tiny {

static DynamicAPInt evaluateMonomial(ArrayRef<unsigned> symbols, ArrayRef<int64_t> point) {
  DynamicAPInt product(1);
  for (unsigned symbol : symbols)
    product *= DynamicAPInt(point[symbol]);
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

/// The first rows that are independent of those before them, modulo a prime: they are independent then, and others
/// hardly ever.
static std::vector<unsigned> findIndependent(ArrayRef<std::vector<DynamicAPInt>> rows) {
  constexpr int64_t kPrime = (int64_t(1) << 61) - 1;
  auto multiply = [](int64_t a, int64_t b) { return static_cast<int64_t>(__int128(a) * b % kPrime); };
  auto invert = [&](int64_t value) {
    // value^(p - 2), by Fermat.
    int64_t result = 1;
    for (int64_t exponent = kPrime - 2; exponent > 0; exponent /= 2, value = multiply(value, value))
      if (exponent % 2)
        result = multiply(result, value);
    return result;
  };
  std::vector<unsigned> independent;
  std::vector<std::pair<size_t, std::vector<int64_t>>> reduced; // with the column of the first number, which is 1
  for (auto [number, given] : enumerate(rows)) {
    std::vector<int64_t> row(given.size());
    transform(given, row.begin(),
              [&](const DynamicAPInt &value) { return static_cast<int64_t>(value % DynamicAPInt(kPrime)); });
    for (const auto &[lead, other] : reduced) {
      int64_t factor = row[lead];
      for (size_t column = lead; factor != 0 && column < row.size(); ++column)
        row[column] = (row[column] + kPrime - multiply(factor, other[column])) % kPrime;
    }
    size_t lead = find_if(row, [](int64_t value) { return value != 0; }) - row.begin();
    if (lead == row.size())
      continue;
    int64_t factor = invert(row[lead]);
    for (int64_t &value : row)
      value = multiply(value, factor);
    reduced.emplace_back(lead, std::move(row));
    independent.push_back(number);
    if (independent.size() == given.size())
      break;
  }
  return independent;
}

/// [A | I] becomes [det(A) I | adj(A)], or false where the determinant is 0: elimination in integers, in which every
/// division is exact (E. H. Bareiss, Sylvester's identity and multistep integer-preserving Gaussian elimination, 1968).
static bool eliminate(std::vector<std::vector<DynamicAPInt>> &matrix) {
  DynamicAPInt last(1);
  for (size_t pivot = 0; pivot < matrix.size(); ++pivot) {
    size_t found = pivot;
    while (found < matrix.size() && matrix[found][pivot] == 0)
      ++found;
    if (found == matrix.size())
      return false;
    std::swap(matrix[pivot], matrix[found]);
    const DynamicAPInt own = matrix[pivot][pivot];
    for (size_t row = 0; row < matrix.size(); ++row) {
      if (row == pivot)
        continue;
      const DynamicAPInt factor = matrix[row][pivot];
      for (size_t column = 0; column < matrix[row].size(); ++column)
        matrix[row][column] = (own * matrix[row][column] - factor * matrix[pivot][column]) / last;
    }
    last = own;
  }
  return true;
}

DimFit::DimFit(ArrayRef<SizePoint> given) : points(given.begin(), given.end()) {
  monomials = listMonomials(points.empty() ? 0 : points.front().size());
  size_t count = monomials.size();
  if (points.size() <= count)
    return;
  std::vector<std::vector<DynamicAPInt>> rows;
  for (const SizePoint &point : points) {
    rows.emplace_back();
    for (const auto &monomial : monomials)
      rows.back().push_back(evaluateMonomial(monomial, point));
  }
  solved = findIndependent(rows);
  if (solved.size() < count)
    return;
  std::vector<std::vector<DynamicAPInt>> system;
  for (unsigned number : solved) {
    std::vector<DynamicAPInt> &row = system.emplace_back(rows[number]);
    row.resize(2 * count, DynamicAPInt(0));
    row[count + system.size() - 1] = 1;
  }
  if (!eliminate(system))
    return;
  denominator = system.front().front();
  DynamicAPInt common = llvm::abs(denominator);
  for (const auto &row : system)
    for (size_t column = count; column < row.size(); ++column)
      common = llvm::gcd(common, llvm::abs(row[column]));
  for (const auto &row : system) {
    std::vector<DynamicAPInt> &numbers = inverse.emplace_back();
    for (size_t column = count; column < row.size(); ++column)
      numbers.push_back(row[column] / common);
  }
  denominator /= common;
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
    // Axes of one element or none are broadcast and dropped: they stand where there are too few others for a square.
    constexpr size_t kFewest = 3;
    int64_t most = bounds.high - bounds.low < static_cast<int64_t>(count) ? bounds.high : bounds.high - 1;
    for (int64_t value = most; value >= bounds.low && values.size() < count; --value)
      if (!is_contained(values, value) && (value > 1 || values.size() < kFewest))
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
