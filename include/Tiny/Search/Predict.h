// Predicted times of a model's kernels.
#ifndef TINY_SEARCH_PREDICT_H
#define TINY_SEARCH_PREDICT_H

#include "Tiny/Algebra/Cost/Nest.h"
#include "Tiny/Driver/ModelRequest.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace tiny {

/// The times that cost prediction gives one launch of each kernel on so many threads, by the name of the kernel. The
/// model is read and lowered anew, in silence. A kernel has no time if its schedule names axes by handles.
llvm::Expected<llvm::StringMap<cost::KernelTimes>> predictModel(const ModelRequest &request, llvm::StringRef target,
                                                                unsigned threads, mlir::MLIRContext *context);

} // namespace tiny

#endif // TINY_SEARCH_PREDICT_H
