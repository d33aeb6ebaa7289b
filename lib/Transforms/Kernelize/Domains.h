// Iteration domains: over which loops a kernel evaluates a value, and where.
#ifndef TINY_LIB_TRANSFORMS_KERNELIZE_DOMAINS_H
#define TINY_LIB_TRANSFORMS_KERNELIZE_DOMAINS_H

#include "Tiny/Algebra/Cost/CostModel.h"
#include "Tiny/Algebra/View/Digits.h"
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <vector>

namespace tiny::lazy {

/// The costs for the machine. Where subgroups multiply matrices, a tile of accumulators is what their lanes hold of a
/// row in a quarter of their registers.
cost::CostModel makeCosts(const cost::Machine &machine);

/// A *space* is a nest of loops: those over the elements that a kernel stores, axis by axis, or the loops of a
/// reduction inside of those that the reduction itself is evaluated in. A *domain* is a space and a view of it: which
/// element of a value each point of the loops evaluates. Loops are hoisted: a value that does not depend on the
/// innermost loop has the space without it, so a row's maximum that is subtracted from each element of the row is
/// evaluated once per row. Equal domains have equal ids, and a value wanted twice over one domain is evaluated once.
///
/// What a reduction gives decides how the loops of a store nest: those that it depends on go outside of the others, so
/// it is evaluated once for all of these, whichever axes they are. The first to be reached decides; the next ones may
/// only sort further. convert-lazy-to-kernel sorts the loops of a kernel likewise.
///
/// What reads a reduction may see its axes in other groups: where channels are stored, a group norm's statistics are
/// wanted by groups of channels. A loop that a reduction depends on by some of its digits is *split* into these, the
/// common refinement of both groupings. Splits are found on the way and hold from the next walk on; here too
/// convert-lazy-to-kernel does likewise.
///
/// A reduction with a combiner region has *accumulator tiles*: kernel-default-schedule makes copies, not loops, of the
/// axes that some of its results vary along and others do not, and what is combined but does not depend on them is
/// evaluated once for the whole tile.
class Domains {
public:
  using Id = unsigned;

  /// Of the kernel that stores a value: where the digits of each axis end.
  using Splits = llvm::SmallVector<DigitEnds, 4>;
  using KernelSplits = std::map<unsigned, Splits>;

  /// A tile has at most `maxTile` accumulators. `splits`, by kernel, are used, and those that are found are added.
  Domains(mlir::MLIRContext *context, int64_t maxTile, KernelSplits &splits)
      : context(context), maxTile(maxTile), splits(splits) {}
  /// Whether splits were found that were not known.
  bool foundSplits() const { return hasSplit; }

  /// The elements that the kernel with the number `kernel` stores for `op`.
  Id store(unsigned kernel, mlir::Operation *op);
  /// Those of them with the indices [begin, end) of `axis`, which have loops of their own.
  Id storePart(unsigned kernel, mlir::Operation *op, int64_t axis, int64_t begin, int64_t end);
  /// The indices of `axis`, of a value of `shape`, at which it is evaluated: the least and the greatest.
  std::pair<int64_t, int64_t> getIndices(Id domain, llvm::ArrayRef<int64_t> shape, int64_t axis) const;
  /// Where a movement evaluated over `domain` evaluates its input; `isReduced` if that needs a reduction.
  Id through(Id domain, mlir::Operation *movement, bool isReduced);
  /// Where a reduction evaluated over `domain` evaluates its inputs. Reductions of one shape share their loops if they
  /// wait for as many others, that is if `stage` is the same: of two in sequence each runs what it reads.
  Id inside(Id domain, ReduceOp reduce, unsigned stage);

  /// Whether what a movement reads would be evaluated more often than it has elements for a value over each of
  /// `domains`, once the loops of what is stored are sorted for it.
  bool repeats(llvm::ArrayRef<Id> domains, mlir::Operation *movement) const;

  /// How many points the loops have.
  double evaluations(Id domain) const { return spaces[domains[domain].space].points; }
  unsigned kernel(Id domain) const { return spaces[domains[domain].space].kernel; }
  /// Whether the innermost loop is that of a reduction.
  bool inReduction(Id domain) const { return spaces[domains[domain].space].parent.has_value(); }
  /// Equal for domains in one nest of loops over what a kernel stores: there is one for each part.
  unsigned nest(Id domain) const;
  /// How many accumulators of a tile share one evaluation; 1 where there is no tile.
  int64_t tile(Id domain) const { return spaces[domains[domain].space].tile; }

  /// Whether a value of `shape` is wanted over `domain` just where the loops of `stored` store an element of a value of
  /// `storedShape`, which differs from it in axes of size one at most.
  bool isInPlace(Id domain, llvm::ArrayRef<int64_t> shape, Id stored, llvm::ArrayRef<int64_t> storedShape) const;

  /// Whether a value of `shape` is wanted element by element at the points of `nest`, all of them, in their order.
  bool isWhole(Id domain, llvm::ArrayRef<int64_t> shape, Id nest) const;

  /// Whether a value of `shape` is wanted once for each element, in loops over what is stored that are its axes.
  bool hasLoopPerAxis(Id domain, llvm::ArrayRef<int64_t> shape) const;

  /// A row of a value: all along axes of it that follow each other.
  struct Row {
    int64_t elements;
    int64_t inside; ///< elements along the axes that follow: where there are none, those of a row are neighbours
    llvm::SmallVector<int64_t, 2> axes; ///< of the value, but for those of size one
  };
  /// Whether all of `wanted` want each element of a value of `shape` once and row by row: reductions over some of its
  /// axes, and what is stored, in the same loops over the others. Then what a row is; else none.
  std::optional<Row> findSharedRow(llvm::ArrayRef<Id> wanted, llvm::ArrayRef<int64_t> shape) const;

  /// Whether a value of `shape` is wanted over the domains at each of its elements once at most.
  bool areWindows(llvm::ArrayRef<Id> ids, llvm::ArrayRef<int64_t> shape) const;

  /// Which element each point evaluates; invalid where its position overflows.
  ShapeTracker viewOf(Id id) const;

  /// What a reduction combines, as a key: equal for reductions of equal shape over equal axes.
  mlir::Attribute reduceSpace(ReduceOp reduce) const;

private:
  struct Space {
    unsigned kernel;
    double points;
    llvm::SmallVector<int64_t, 6> shape;            ///< of the coordinates that a domain's view indexes
    llvm::SmallVector<unsigned, 6> own;             ///< its own loops, as axes of `shape`
    std::optional<Id> parent;                       ///< of a reduction: the domain that the other axes come from
    unsigned whole = 0;                             ///< the space with all its loops
    llvm::SmallVector<unsigned, 6> axes = {};       ///< those of the whole space that `shape` has left
    llvm::SmallVector<unsigned, 6> rank = {};       ///< of a whole space: by axis, loops of a lower rank are outside
    llvm::SmallVector<int64_t, 6> storedShape = {}; ///< of a whole space: that of what is stored
    llvm::SmallVector<std::pair<unsigned, int64_t>, 6> digits =
        {};                                       ///< by axis: of which stored axis, and in what units
    llvm::SmallVector<unsigned, 1> tileAxes = {}; ///< of a reduction: axes of its accumulator tile
    int64_t tile = 1;                             ///< points of these axes, where they are no loops
  };
  struct Domain {
    unsigned space;
    TrackerAttr view; ///< null for the value whose elements are the space's coordinates, in order
  };

  Id make(unsigned space, ShapeTracker view, llvm::ArrayRef<int64_t> shape, bool isReduced = false);
  unsigned addSpace(Space space);
  /// The position in `own` of the innermost loop.
  unsigned findInnermost(unsigned space) const;
  unsigned withoutLoop(unsigned space, unsigned position);
  /// Nests the loops that `view` depends on outside of the others, as far as that is open.
  void sortLoops(unsigned space, const ShapeTracker &view);
  /// Notes the digits by which `view` depends on loops over what is stored.
  void findSplits(unsigned space, const ShapeTracker &view);
  /// The space of a reduction without loops over the tile that `view` does not depend on.
  unsigned besideTile(unsigned space, const ShapeTracker &view);
  double evaluationsThrough(Id domain, mlir::Operation *movement) const;
  /// A view of the movement's input at the points of the domain.
  ShapeTracker viewThrough(Id domain, mlir::Operation *movement) const;
  /// Whether a reduction over `domain` gives each element once, in a loop of its own for each of `axes` of its inputs.
  bool areLoops(Id domain, ReduceOp reduce, llvm::ArrayRef<unsigned> axes) const;

  mlir::MLIRContext *context;
  int64_t maxTile;
  KernelSplits &splits;
  bool hasSplit = false;
  std::vector<Space> spaces;
  std::vector<Domain> domains;
  llvm::DenseMap<std::pair<unsigned, mlir::Attribute>, Id> known;
  llvm::DenseMap<std::tuple<Id, unsigned, mlir::Attribute>, unsigned> reductions;
  llvm::DenseMap<unsigned, unsigned> tiles;
  std::map<std::pair<unsigned, llvm::SmallVector<unsigned, 6>>, unsigned> narrower; ///< by whole space and axes left
};

/// Where a value is wanted.
struct Wanted {
  llvm::SmallVector<Domains::Id, 2> domains;
  size_t limit = 0;      ///< places at which it may be recomputed
  bool overflow = false; ///< in more places than are counted
  unsigned reduces = 0;  ///< reductions between it and what is stored: those of one number may run side by side

  void add(Domains::Id id, size_t limit, size_t most) {
    this->limit = std::max(this->limit, limit);
    if (overflow || llvm::is_contained(domains, id))
      return;
    if (domains.size() == std::max(most, this->limit))
      overflow = true;
    else
      domains.push_back(id);
  }
  bool isSame(const Wanted &other) const {
    return domains.size() == other.domains.size() &&
           llvm::all_of(domains, [&](Domains::Id id) { return llvm::is_contained(other.domains, id); });
  }
  /// Those that are counted, and one for all others.
  size_t countPlaces() const { return domains.size() + overflow; }
  bool exceedsLimit() const { return overflow || domains.size() > limit; }
};

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_KERNELIZE_DOMAINS_H
