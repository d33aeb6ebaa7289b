// ONNX models as modules of tensor operations.
#ifndef TINY_IMPORT_ONNX_H
#define TINY_IMPORT_ONNX_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace tiny {

/// On an argument or a result of a program: what the model calls it.
constexpr llvm::StringLiteral kNameAttr = "tiny.name";

/// A value that is known in each import, and made of open sizes by more than sums and products: whether it follows one
/// law at all sizes, no import tells.
struct OnnxDecision {
  /// What one import has made of the sizes.
  struct Known {
    /// A module with a function `known` that computes the value from constants; those that the sizes decide have
    /// `tiny.follows`.
    mlir::OwningOpRef<mlir::ModuleOp> program;
    /// The value; null where it is too large to be computed here.
    mlir::ElementsAttr value;
    /// The sizes that the import was given.
    llvm::StringMap<int64_t> sizes;
  };
  mlir::Location loc;
  /// By import: its number, from 0 on.
  std::map<unsigned, Known> known;
};

/// How a slice takes elements of an axis at several sizes: all that it names, or the fewer that there are.
struct OnnxSlice {
  /// The greatest size of the axis, and whether some import, of one that is no greater, had all or fewer.
  int64_t most = 0;
  bool isWhole = false, isCut = false;
  /// How many there are is a size that is data.
  bool isMeasured = false;
};

/// The sizes that choices of operations depend on, over several imports of one model at different sizes. The first two
/// tell which of them are open; later imports choose alike there, whatever the size.
struct OnnxChoices {
  std::vector<int64_t> sizes;
  std::vector<bool> isOpen;
  /// By location, what became a constant in the first import, and what was too large for that: others follow it.
  llvm::DenseMap<mlir::Location, bool> folded;
  unsigned imports = 0;
  /// The size of a dimension that is open and has none in `dims`; 0 makes that an error.
  int64_t otherwise = 0;
  /// The names of those, as `dims` would have them.
  std::set<std::string> unsized;
  /// By the location and how many have been met there before.
  llvm::MapVector<std::pair<mlir::Location, unsigned>, OnnxSlice> slices;
  /// Forgets what the imports said but for slices that some sizes cut short: of these the number of elements becomes
  /// data. False where there are none that are new.
  bool measureSlices();
  /// Those of all imports but the first two, by the location and how many have been met there before.
  llvm::MapVector<std::pair<mlir::Location, unsigned>, OnnxDecision> decisions;
};

struct OnnxImportOptions {
  /// Sizes for what the model leaves open: by the dimension's name (`batch`), or by the input's name and the axis
  /// (`images:0`). One that the model does not leave open is an error.
  llvm::StringMap<int64_t> dims;
  /// Where the model is imported at several sizes, to be one program: what all of these imports share.
  OnnxChoices *choices = nullptr;
  /// The model's file, for errors; may be empty.
  std::string path;
  /// The model's folder, below which files of external data lie. Without one they are refused.
  std::optional<std::string> folder;
  /// What the program is called.
  std::string function = "main";
};

/// The oldest and the newest version of the default operator set that the importer knows.
constexpr int64_t kOldestOnnxOpset = 1, kNewestOnnxOpset = 28;

/// Builds a module with one function of `tiny` operations from the bytes of a model. Every operation carries the name
/// of its node as location; arguments and results carry theirs as `tiny.name`. Returns nothing after errors at the
/// context: one for each input, initializer or node that cannot be translated, with its operator, the operator's set
/// and the reason; of nodes that depend on one of these only the operator and its attributes are looked at. Any bytes
/// may be given. Large tensors whose elements lie in a mapped file (`FileMapping`), the model's own or one of external
/// data, are resources over the mapping.
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(llvm::StringRef bytes, mlir::MLIRContext *context,
                                             const OnnxImportOptions &options = {});

/// What a model is, without reading its weights.
struct OnnxContent {
  /// The message without the elements of large tensors, and whether there were any.
  std::string graph;
  bool hasOwnElements = false;
  /// The files of external data that it names, in order.
  std::vector<std::string> files;
};
OnnxContent getOnnxContent(llvm::StringRef bytes);

/// An operator that the importer knows: its name, with its domain and a colon in front unless that is the default one,
/// and its attributes, separated by blanks.
struct OnnxOperator {
  llvm::StringRef name, attributes;
};
/// All of them, in the order of their names.
std::vector<OnnxOperator> listOnnxOperators();

} // namespace tiny

#endif // TINY_IMPORT_ONNX_H
