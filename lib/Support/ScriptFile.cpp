// Reads and runs files of transform scripts.
//
// NDEBUG: the transform dialect's classes differ in size with assertions on; the packaged libraries have them off.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Tiny/Support/ScriptFile.h"

#include "Tiny/Support/SafeParse.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

OwningOpRef<ModuleOp> tiny::readScripts(ModuleOp module, StringRef what, StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer) {
    module.emitError("cannot open the file of ") << what << " '" << path << "': " << buffer.getError().message();
    return {};
  }
  std::string reason;
  OwningOpRef<ModuleOp> scripts = parseSafely((*buffer)->getBuffer(), path, module.getContext(), reason);
  if (!scripts) {
    if (!reason.empty())
      module.emitError("the file of ") << what << ": " << reason;
    return {};
  }
  WalkResult found = scripts->walk([](Operation *op) {
    return isa<transform::NamedSequenceOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!found.wasInterrupted()) {
    module.emitError("the file of ") << what << " '" << path << "' has no transform.named_sequence";
    return {};
  }
  return scripts;
}

std::string tiny::applyScript(Operation *payload, transform::NamedSequenceOp script, StringRef what) {
  if (script.getBody().empty() || script.getBody().getNumArguments() != 1 || script.getNumResults() != 0)
    return ("expected a body with one argument, the " + what + ", and no results").str();
  for (Operation &op : script.getBody().front().without_terminator())
    if (!isa<transform::TransformOpInterface>(op))
      return ("'" + op.getName().getStringRef() + "' is no transform operation").str();
  std::string reason;
  ScopedDiagnosticHandler handler(payload->getContext(), [&](Diagnostic &diagnostic) {
    if (reason.empty())
      reason = diagnostic.str();
    return success();
  });
  if (succeeded(transform::applyTransformNamedSequence(payload, script, script->getParentOfType<ModuleOp>(),
                                                       transform::TransformOptions())))
    return "";
  return reason.empty() ? "it fails" : reason;
}
