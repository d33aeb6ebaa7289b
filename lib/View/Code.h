// What a target makes of a program, as text whose lines know the operations that they came from.
#ifndef TINY_LIB_VIEW_CODE_H
#define TINY_LIB_VIEW_CODE_H

#include "Levels.h"
#include "Tiny/Target/Target.h"

namespace tiny::view {

/// The target whose passes lowered the module, by what they leave; null where there is none of that kind.
const Target *guessTarget(mlir::ModuleOp module);

/// The module, lowered by the passes of the target, in each form that people read (docs/View.md). A form that cannot be
/// written is left out.
llvm::json::Array describeCode(mlir::ModuleOp module, const Target &target, TagSets &tags);

} // namespace tiny::view

#endif // TINY_LIB_VIEW_CODE_H
