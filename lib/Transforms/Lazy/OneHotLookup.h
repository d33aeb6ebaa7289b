// Sums that look something up by a one-hot mask of data.
#ifndef TINY_LIB_TRANSFORMS_LAZY_ONEHOTLOOKUP_H
#define TINY_LIB_TRANSFORMS_LAZY_ONEHOTLOOKUP_H

#include "mlir/IR/PatternMatch.h"

namespace tiny::lazy {

/// Adds the pattern that turns them into `lazy.gather`.
void addOneHotPatterns(mlir::RewritePatternSet &patterns);

} // namespace tiny::lazy

#endif // TINY_LIB_TRANSFORMS_LAZY_ONEHOTLOOKUP_H
