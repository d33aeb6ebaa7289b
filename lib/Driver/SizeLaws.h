// Laws that what is known at some sizes follows at all of them: numbers, shapes, and the elements of constants.
#ifndef TINY_LIB_DRIVER_SIZELAWS_H
#define TINY_LIB_DRIVER_SIZELAWS_H

#include "Tiny/Algebra/View/NumberFit.h"
#include "Tiny/Support/HostTensor.h"
#include "llvm/ADT/BitVector.h"

namespace tiny {

/// The symbols that a polynomial has.
void addSymbols(const Dim &polynomial, llvm::BitVector &symbols);

/// A number that is the same everywhere, or one that kernel-join-instances makes of the sizes.
class NumberLaw {
public:
  static std::optional<NumberLaw> find(const DimFit &fit, llvm::ArrayRef<double> values, tiny_dtype dtype);
  double evaluate(llvm::ArrayRef<int64_t> point) const;
  /// Whether the symbols decide the number.
  bool isSized() const { return sized.has_value(); }
  void addTo(llvm::BitVector &symbols) const;
  /// None of what is no integer, or is no polynomial.
  std::optional<Dim> asPolynomial() const;

private:
  double same = 0;
  std::optional<SizedNumber> sized;
  tiny_dtype dtype = TINY_DTYPE_F64;
};

/// Elements that begin with a polynomial and go on in equal steps along each axis.
struct EqualSteps {
  Dim first;
  llvm::SmallVector<Dim> steps;
  bool operator==(const EqualSteps &other) const { return first == other.first && steps == other.steps; }
};
/// The steps of integers; none where they are no equal ones.
std::optional<EqualSteps> findSteps(const HostTensor &tensor);

/// A constant at all sizes.
class ConstantLaw {
public:
  /// None where it follows no law that is known here. Values of one element type, one for each of the points.
  static std::optional<ConstantLaw> find(const DimFit &fit, std::vector<HostTensor> values);
  /// None where the sizes are greater than those that the law was found at.
  std::optional<HostTensor> evaluate(llvm::ArrayRef<int64_t> point) const;
  /// None where it does not go on in equal steps.
  std::optional<EqualSteps> getSteps() const;
  /// Whether the symbols decide an element, beside how many there are.
  bool isSized() const;
  bool hasOneShape() const;
  void addTo(llvm::BitVector &symbols) const;
  llvm::ArrayRef<Dim> getShape() const { return shape; }
  llvm::ArrayRef<NumberLaw> getNumbers() const { return numbers; }
  /// Of a law of one shape: how many elements there are, and one of them.
  int64_t countElements() const { return whole.size(); }
  double evaluateElement(int64_t index, llvm::ArrayRef<int64_t> point) const {
    return numbers.empty() ? whole.getNumber(index) : numbers[index].evaluate(point);
  }

private:
  llvm::SmallVector<Dim> shape;
  tiny_dtype dtype = TINY_DTYPE_F32;
  /// One of these: each element of a shape that is always the same; the corner of a whole; a number for the first
  /// element, and equal steps along each axis.
  std::vector<NumberLaw> numbers;
  HostTensor whole;
  llvm::SmallVector<Dim> steps;
  enum class Kind { Numbers, Corner, Steps } kind = Kind::Corner;
};

/// The polynomials of a shape; none where there are none or the rank is not always the same.
std::optional<llvm::SmallVector<Dim>> findShape(const DimFit &fit, llvm::ArrayRef<llvm::ArrayRef<int64_t>> shapes);
/// None where one of the extents is negative.
std::optional<std::vector<int64_t>> evaluateShape(llvm::ArrayRef<Dim> shape, llvm::ArrayRef<int64_t> point);

/// Whether two tensors have equal elements; all that is no number is equal.
bool isEqual(const HostTensor &a, const HostTensor &b);
/// Puts a number where an element is.
void setNumber(HostTensor &tensor, int64_t index, double number);

} // namespace tiny

#endif // TINY_LIB_DRIVER_SIZELAWS_H
