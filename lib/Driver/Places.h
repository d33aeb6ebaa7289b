// The part of a program in which open sizes decide where elements stand, cut out of what only computes.
#ifndef TINY_LIB_DRIVER_PLACES_H
#define TINY_LIB_DRIVER_PLACES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <vector>

namespace tiny {

/// Operations that join, cut and index, and what lies between two of them. Products, loops and reads of large tables
/// are left out: what they give is an argument of the part, what they take is a result. So a part of a program that
/// takes long to evaluate is evaluated soon.
class PlacesPart {
public:
  /// None where no operation places elements by sizes, or where the instances have not the same operations.
  static std::optional<PlacesPart> find(llvm::ArrayRef<mlir::ModuleOp> instances);

  /// The part of an instance, as a module of one function that has the instance's arguments and more. Null where the
  /// instance has other operations.
  mlir::OwningOpRef<mlir::ModuleOp> extract(mlir::ModuleOp instance) const;

private:
  /// Of all operations of the function, in order.
  std::vector<mlir::OperationName> names;
  /// Those of the part.
  llvm::BitVector kept;
};

/// Gives each value that is joined of parts whose sizes differ among the instances a buffer of its own, where something
/// fixed is cut out of it: which parts that is made of hangs on the sizes, while the operations must not. Does nothing
/// where the instances have not the same operations.
void separatePlaces(llvm::ArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> instances);

} // namespace tiny

#endif // TINY_LIB_DRIVER_PLACES_H
