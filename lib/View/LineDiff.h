// The difference of two texts of IR, line by line.
#ifndef TINY_LIB_VIEW_LINEDIFF_H
#define TINY_LIB_VIEW_LINEDIFF_H

#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace tiny::view {

/// Lines that changed, with some around them.
struct Hunk {
  /// The first line in either text, from 0.
  unsigned before = 0, after = 0;
  /// Each begins with ' ', '-' or '+'.
  std::vector<std::string> lines;
};

/// The hunks that turn one text into the other, with three lines of context. Lines that differ in the names of values
/// alone (`%12`) are the same, unless one names another value than before, whose definition is still there: a number
/// says only how many values stand above. Myers' algorithm ("An O(ND)
/// Difference Algorithm", 1986) on what lies between the common first and last lines; texts that differ in more than
/// some thousand lines are one hunk.
std::vector<Hunk> diffLines(llvm::ArrayRef<std::string> before, llvm::ArrayRef<std::string> after);

} // namespace tiny::view

#endif // TINY_LIB_VIEW_LINEDIFF_H
