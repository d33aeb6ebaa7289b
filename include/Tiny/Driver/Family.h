// Programs with open sizes, as instances at some of them.
#ifndef TINY_DRIVER_FAMILY_H
#define TINY_DRIVER_FAMILY_H

#include "Tiny/Algebra/View/DimFit.h"
#include "Tiny/Driver/Source.h"

namespace tiny {

/// Builds the program with these sizes.
using BuildInstance =
    llvm::function_ref<llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>(const llvm::StringMap<int64_t> &sizes)>;

/// Checks what `build` has decided, which was called at `points` after its first call.
using CheckSizes = llvm::function_ref<llvm::Error(llvm::ArrayRef<llvm::StringRef> names, llvm::ArrayRef<Bounds> bounds,
                                                  llvm::ArrayRef<SizePoint> points)>;

/// The program, where all of its sizes are fixed, or its family: a module with `tiny.sizes` and an instance for each
/// point that `chooseSizePoints` gives. Sizes that are data (`tiny.size`) are open as those are that `dims` leaves so.
/// `addUnsized` adds bounds of what the first build has found to be open, too.
/// With `isWithin` no instance has a size out of its bounds, as where a size is a place in what has an end.
/// The shapes of all values must be polynomials of the sizes, which is checked at further sizes down to the least: an
/// error names the operation where they are not.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> buildProgram(const DimSizes &dims, mlir::MLIRContext *context,
                                                               BuildInstance build,
                                                               llvm::function_ref<void(DimSizes &)> addUnsized,
                                                               CheckSizes check, bool isWithin = false);

} // namespace tiny

#endif // TINY_DRIVER_FAMILY_H
