// One pass, what it was given, and the seed of the inputs that showed it wrong: as a file.
#ifndef TINY_LIB_TESTING_PASSREPRODUCER_H
#define TINY_LIB_TESTING_PASSREPRODUCER_H

#include "Tiny/Testing/CheckPasses.h"

namespace tiny::reference {

/// The pipeline that runs one pass on operations like this one.
std::string getPipeline(mlir::Pass *pass, mlir::Operation *op);

/// Writes a reproducer that `tiny-opt FILE --run-reproducer` replays, checks included: the module, the pipeline, and
/// the options of the check. Returns the file's name: that of the options, or a new one in the folder for temporary
/// files. An error says what could not be written.
llvm::Expected<std::string> writePassReproducer(mlir::ModuleOp module, llvm::StringRef pipeline,
                                                const CheckPassesOptions &options);

} // namespace tiny::reference

#endif // TINY_LIB_TESTING_PASSREPRODUCER_H
