// Which executables are the same: the keys of the compile cache.
#ifndef TINY_DRIVER_COMPILECACHE_H
#define TINY_DRIVER_COMPILECACHE_H

#include "Tiny/Driver/CompileProgram.h"

namespace tiny {

/// A hash of all that `Executable::compile` depends on: the model's bytes and how its name says to read them (of large
/// weights in mapped files, the files' paths, sizes and times in place of the bytes), the sizes of its open dimensions,
/// the options and the content of the files that they name, the device's record, and the build of this program and of
/// every library in it. Empty where an image would be of no use: on devices without machine code, and where a file that
/// an option names cannot be read. Fails on options that do not parse.
llvm::Expected<std::string> getCacheKey(llvm::StringRef path, llvm::StringRef source, llvm::ArrayRef<std::string> dims,
                                        const CompileOptions &options);

} // namespace tiny

#endif // TINY_DRIVER_COMPILECACHE_H
