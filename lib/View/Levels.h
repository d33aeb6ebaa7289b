// A module at one level as data: text, operations with where they came from, and graphs.
#ifndef TINY_LIB_VIEW_LEVELS_H
#define TINY_LIB_VIEW_LEVELS_H

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <vector>

namespace tiny::view {

/// Numbers all operations of a module in their locations, where every rewrite keeps them. `level` tells the numbers of
/// one level from those of another, and `next` is the first one. What has a number of the level keeps it.
void tagOperations(mlir::ModuleOp module, unsigned level, int64_t &next);
/// Takes the numbers out again.
void untagOperations(mlir::ModuleOp module);

/// Which operations of the levels above an operation came from: level and number, sorted. Each set is kept once.
class TagSets {
public:
  /// The number of the location's set.
  unsigned add(mlir::Location loc);
  llvm::json::Value describe() const;

private:
  using Set = std::vector<std::pair<unsigned, unsigned>>;
  std::map<Set, unsigned> numbers;
  /// Where they lie in `numbers`, by number.
  std::vector<const Set *> sets;
};

/// The lines of an operation's text, without large constants.
std::vector<std::string> printLines(mlir::Operation *op);

/// The same text into a stream, with the line of each operation in it, from 1.
void printWithLines(mlir::Operation *op, llvm::raw_ostream &stream, mlir::AsmState::LocationMap &lines);

/// Whether it is one of a family's instances (Tiny/Support/Family.h).
bool isInstance(mlir::Operation *op);

/// The module whose functions are shown: of a family the first instance, whose locations the joined program keeps.
mlir::ModuleOp findShown(mlir::ModuleOp module);

/// A level of the data (docs/View.md): all functions of the module, or of the instance that is shown.
llvm::json::Value describeLevel(mlir::ModuleOp module, llvm::StringRef name, TagSets &tags);

/// The first name of an imported node, else the first place in a file; empty where a location has neither.
std::string findPlace(mlir::Location loc);

} // namespace tiny::view

#endif // TINY_LIB_VIEW_LEVELS_H
