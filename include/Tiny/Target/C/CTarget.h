// C source as a target: a file of C11 with a function for each kernel and one that runs the program.
#ifndef TINY_TARGET_C_CTARGET_H
#define TINY_TARGET_C_CTARGET_H

#include "Tiny/Target/Target.h"

namespace tiny::c {

/// "c", for `registerTarget`.
std::unique_ptr<Target> createCTarget();

/// Registers `tiny-translate --export-c`: a module at the uop level as one file of C.
void registerTranslations();

} // namespace tiny::c

#endif // TINY_TARGET_C_CTARGET_H
