// Iteration domains: over what a kernel evaluates a value, and through which view of that.
#ifndef TINY_TRANSFORMS_LAZY_DOMAINS_H
#define TINY_TRANSFORMS_LAZY_DOMAINS_H

#include "Tiny/Dialect/Lazy/Lazy.h"
#include "llvm/ADT/DenseMap.h"
#include <vector>

namespace tiny::lazy {

/// A value is evaluated at the points of a *space*: the elements that a kernel stores, or, inside a reduction, those
/// times the elements that it combines. A *domain* is a view of a space: the point at which a value is evaluated, as a
/// function of the point of the space. Equal domains have equal ids, so a value that is read twice in the same place
/// is evaluated once.
class Domains {
public:
  using Id = unsigned;

  explicit Domains(mlir::MLIRContext *context) : context(context) {}

  /// The elements that the kernel with the number `kernel` stores.
  Id store(unsigned kernel, mlir::Operation *op);
  /// Where a movement evaluated over `domain` evaluates its input.
  Id through(Id domain, mlir::Operation *movement);
  /// Where a reduction evaluated over `domain` evaluates its inputs.
  Id inside(Id domain, ReduceOp reduce);

  /// How many points the space has.
  double evaluations(Id domain) const { return spaces[domains[domain].space].points; }
  /// The kernel.
  unsigned kernel(Id domain) const { return spaces[domains[domain].space].kernel; }
  /// Whether the space is that of a reduction.
  bool inReduction(Id domain) const { return spaces[domains[domain].space].reduction; }

  /// What a reduction combines, as a key: equal for reductions of equal shape over equal axes.
  mlir::Attribute reduceSpace(ReduceOp reduce) const;

private:
  struct Space {
    unsigned kernel;
    double points;
    bool reduction;
  };
  struct Domain {
    unsigned space;
    TrackerAttr view; ///< null for all of the space as it is
  };
  Id intern(unsigned space, mlir::Attribute view, bool isTracker);

  mlir::MLIRContext *context;
  std::vector<Space> spaces;
  std::vector<Domain> domains;
  llvm::DenseMap<std::pair<unsigned, mlir::Attribute>, Id> known, knownSpaces;
};

} // namespace tiny::lazy

#endif // TINY_TRANSFORMS_LAZY_DOMAINS_H
