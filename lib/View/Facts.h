// What a page draws of kernels and views: loops, accesses, predicted times, stacks of views.
#ifndef TINY_LIB_VIEW_FACTS_H
#define TINY_LIB_VIEW_FACTS_H

#include "Tiny/Algebra/Cost/Nest.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <string>

namespace tiny::view {

/// By kernel, the index expression of each load and store of a module at the kernel level, in order.
using AccessTexts = std::map<std::string, std::vector<std::string>>;
AccessTexts describeAccesses(mlir::ModuleOp module);

/// The predicted time of a kernel's passes on so many threads, term by term, in nanoseconds.
llvm::json::Object describePrediction(llvm::ArrayRef<cost::Nest> nests, const cost::Machine &machine, unsigned threads);

/// By kernel of a module at the kernel level: its axes and its predicted time, term by term, in nanoseconds.
std::map<std::string, llvm::json::Object> describeNests(mlir::ModuleOp module, unsigned threads);

/// By kernel of a module at the uop level: its loops as a tree, with what stands in each.
std::map<std::string, llvm::json::Value> describeLoops(mlir::ModuleOp module);

/// The buffers that a module's programs allocate: bytes, and the first and last item that uses them.
llvm::json::Array describeBuffers(mlir::ModuleOp module);

/// Adds the scripts of schedules in a module, by their names.
void collectSchedules(mlir::ModuleOp module, std::map<std::string, std::string> &scripts);

/// The stacks of views in a module at the lazy level, each with the line of its operation.
llvm::json::Array describeViews(mlir::ModuleOp module);

} // namespace tiny::view

#endif // TINY_LIB_VIEW_FACTS_H
