// Schedules that a kernel could have, each with its predicted time.
#ifndef TINY_LIB_VIEW_CANDIDATES_H
#define TINY_LIB_VIEW_CANDIDATES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <string>

namespace tiny::view {

/// By kernel of a module whose scripts have not run: the chosen schedule, the kernel without one, and the best
/// predicted of the schedules that differ in one decision, from which a search goes on. Times are on so many threads.
std::map<std::string, llvm::json::Object> describeCandidates(mlir::ModuleOp module, unsigned threads);

} // namespace tiny::view

#endif // TINY_LIB_VIEW_CANDIDATES_H
