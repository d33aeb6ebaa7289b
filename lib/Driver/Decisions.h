// Decisions of an importer, checked at sizes that nothing was imported at.
#ifndef TINY_LIB_DRIVER_DECISIONS_H
#define TINY_LIB_DRIVER_DECISIONS_H

#include "Tiny/Algebra/View/DimFit.h"
#include "Tiny/Import/Onnx.h"
#include "llvm/Support/Error.h"

namespace tiny {

/// Whether what was decided follows one law at all sizes within the bounds: what computes it is evaluated at each point
/// of those that decide it. `points` are the sizes of the imports from the second one on. An error names a decision,
/// and sizes at which it is another one or that there are too many to look at.
llvm::Error checkDecisions(const OnnxChoices &choices, llvm::ArrayRef<llvm::StringRef> names,
                           llvm::ArrayRef<Bounds> bounds, llvm::ArrayRef<SizePoint> points);

} // namespace tiny

#endif // TINY_LIB_DRIVER_DECISIONS_H
