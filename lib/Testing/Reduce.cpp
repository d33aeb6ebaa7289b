// Tries one step after the other on copies of a program, and keeps what is smaller and still interesting.
#include "Tiny/Testing/Reduce.h"

#include "Reductions.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace tiny {
namespace {

class Reducer {
public:
  Reducer(ModuleOp module, Interestingness isInteresting)
      : smallest(module.clone()), isInteresting(isInteresting), operations(measureOperations(module)),
        elements(measureElements(module)) {}

  OwningOpRef<ModuleOp> run() {
    for (bool changed = true; changed;) {
      changed = false;
      for (Reduction reduction : getReductions())
        changed |= tryEverywhere(reduction);
      changed |= tryShapes();
    }
    return std::move(smallest);
  }

private:
  /// Keeps the program if it is smaller, verifies and is interesting.
  bool keep(OwningOpRef<ModuleOp> candidate) {
    uint64_t newOperations = measureOperations(*candidate);
    double newElements = measureElements(*candidate);
    if (newOperations > operations || (newOperations == operations && newElements >= elements))
      return false;
    {
      ScopedDiagnosticHandler silence(candidate->getContext(), [](Diagnostic &) { return success(); });
      if (failed(verify(*candidate)))
        return false;
    }
    if (!isInteresting(*candidate))
      return false;
    smallest = std::move(candidate);
    operations = newOperations;
    elements = newElements;
    return true;
  }

  bool tryEverywhere(Reduction reduction) {
    bool changed = false;
    for (size_t place = 0;;) {
      OwningOpRef<ModuleOp> candidate = smallest->clone();
      Tried tried = reduction(*candidate, place);
      if (tried == Tried::NoMorePlaces)
        return changed;
      // What was at a place is gone, and something else may be there.
      if (tried == Tried::Changed && keep(std::move(candidate)))
        changed = true;
      else
        ++place;
    }
  }

  bool tryShapes() {
    bool changed = false;
    for (int64_t from : getDimensions(*smallest))
      changed |= tryShape(from);
    return changed;
  }

  bool tryShape(int64_t from) {
    for (int64_t to : {int64_t(1), int64_t(2), int64_t(3), from / 2})
      for (unsigned variant = 0; variant < kShapeVariants && to < from; ++variant)
        if (OwningOpRef<ModuleOp> candidate = shrinkShapes(*smallest, from, to, variant))
          if (keep(std::move(candidate)))
            return true;
    return false;
  }

  OwningOpRef<ModuleOp> smallest;
  Interestingness isInteresting;
  uint64_t operations;
  double elements;
};

} // namespace

OwningOpRef<ModuleOp> reduceModule(ModuleOp module, Interestingness isInteresting) {
  return Reducer(module, isInteresting).run();
}

} // namespace tiny
