// A computation that is known at some sizes, at any others.
#ifndef TINY_LIB_DRIVER_SIZEDPROGRAM_H
#define TINY_LIB_DRIVER_SIZEDPROGRAM_H

#include "SizeLaws.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <map>

namespace tiny {

/// What computes one value from constants, as a module with a function `known` for each of some sizes: the same
/// operations, whose types, attributes and constants follow laws.
class SizedProgram {
public:
  /// None where the modules have not the same operations, or something in them follows no law.
  static std::optional<SizedProgram> find(const DimFit &fit, llvm::ArrayRef<mlir::ModuleOp> modules);

  /// The value at a point; none where it cannot be computed there.
  std::optional<HostTensor> evaluate(llvm::ArrayRef<int64_t> point) const;
  /// The symbols that decide anything.
  llvm::BitVector getSymbols(unsigned count) const;
  /// Whether an element is made of elements at its own coordinates alone, and no size decides any of these.
  bool isLocal() const;
  /// The value, where it is of integers in equal steps and sums and products alone make it; else none.
  std::optional<EqualSteps> findSteps() const;
  /// Elements that an evaluation computes at most, as at the sizes that were tried.
  int64_t countWork() const { return work; }

  /// Whether each element of the value is made of one element of each constant, and shapes are always the same.
  bool isByElement() const;
  /// Of a program by elements, one of them at many points: element `number`, of which getElementSymbols says what
  /// decides it.
  llvm::BitVector getElementSymbols(int64_t number, unsigned count) const;
  std::optional<HostTensor> evaluateElement(int64_t number, llvm::ArrayRef<SizePoint> points) const;

private:
  using Attributes = llvm::SmallVector<std::pair<mlir::StringAttr, llvm::SmallVector<Dim>>>;
  /// An operation of the first module, and what of it follows sizes.
  struct Step {
    mlir::Operation *op;
    llvm::SmallVector<llvm::SmallVector<Dim>> shapes;
    /// Integers, lists of them, and floats that are whole.
    Attributes attributes;
    std::optional<ConstantLaw> constant;
  };
  bool isElementwise(const Step &step) const;
  bool isMoveOfUnits(const Step &step) const;
  bool hasOneShape(mlir::Value value, std::optional<int64_t> axis) const;

  std::vector<Step> steps;
  int64_t work = 0;
};

} // namespace tiny

#endif // TINY_LIB_DRIVER_SIZEDPROGRAM_H
