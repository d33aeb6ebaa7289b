// Everything Tiny has, for a tool to register.
#ifndef TINY_PIPELINES_REGISTRATION_H
#define TINY_PIPELINES_REGISTRATION_H

#include "mlir/IR/DialectRegistry.h"

namespace tiny {

/// Adds the dialects of every level, the upstream ones they stand on, and their extensions.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers every pass and pipeline, and the upstream passes that are useful between them.
void registerAllPasses();

/// Registers every target that this build has (Tiny/Target/Target.h). May be called again, which does nothing.
void registerAllTargets();

} // namespace tiny

#endif // TINY_PIPELINES_REGISTRATION_H
