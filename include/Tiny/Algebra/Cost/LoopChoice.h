// Choices of lanes, vectors, rows side by side and points written out for a kernel that streams, as numbers.
#ifndef TINY_ALGEBRA_COST_LOOPCHOICE_H
#define TINY_ALGEBRA_COST_LOOPCHOICE_H

#include "Tiny/Algebra/Cost/Nest.h"

namespace tiny::cost {

/// What is cut off an axis: lanes, copies side by side, or all its points written out.
enum class CutKind { Lanes, Copies, Written };

struct Cut {
  int64_t id = -1, factor = 1;
  CutKind kind = CutKind::Copies;
};

/// The passes of a kernel, whose axes are all loops, and what may become of them.
struct LoopSpace {
  llvm::SmallVector<Nest> nests;
  /// Sets of axes that may be lanes at once: no operation varies over two of a set.
  llvm::SmallVector<llvm::SmallVector<int64_t>> lanes;
  /// Axes that are lanes only with copies of all points of another one, which stores interleave with them.
  llvm::SmallVector<std::pair<int64_t, int64_t>> interleaved;
  /// Free axes, reduced ones from the innermost, and those that fill a tile.
  llvm::SmallVector<int64_t> free, reduced, filling;
  /// Lanes of a vector of the widest element.
  int64_t width = 1;
  /// Vectors of other lengths than powers of two would become scalars.
  bool needsPowersOf2 = false;

  int64_t getExtent(int64_t id) const;
};

struct LoopChoice {
  /// Which space it is of.
  size_t space = 0;
  llvm::SmallVector<Cut, 4> cuts;
  /// Every axis that fills a tile is one vector, or some: rows are in registers.
  bool isWhole = false;
  /// Picoseconds, and the length of the code.
  int64_t time = 0, instructions = 0;

  /// Picoseconds of a run, and of compiling as far as one run of many pays for it.
  int64_t getCost() const { return costRun(time, instructions); }
  static int64_t costRun(int64_t time, int64_t instructions);
  std::string describe() const;
};

/// The choices of all spaces in the order of their costs: some vectors along one set of lanes, or none; the best of
/// these with copies of a free axis, and with inner reduced axes written out. None has more than `longest`
/// instructions.
llvm::SmallVector<LoopChoice> findLoopChoices(llvm::ArrayRef<LoopSpace> spaces, const Machine &machine,
                                              int64_t longest);

/// Whether a time is less than another by more than what prediction tells apart.
bool isFaster(int64_t time, int64_t other);

} // namespace tiny::cost

#endif // TINY_ALGEBRA_COST_LOOPCHOICE_H
