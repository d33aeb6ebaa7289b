#include "Tiny/Support/ScriptFile.h"

#include "Tiny/Support/SafeParse.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
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
