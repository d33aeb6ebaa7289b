#include "Tiny/Support/ScriptFile.h"

#include "Tiny/Support/SafeParse.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

OwningOpRef<ModuleOp> tiny::readScripts(ModuleOp module, StringRef option, StringRef path) {
  std::string reason;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path, &reason);
  if (!buffer) {
    module.emitError("option '") << option << "': " << reason;
    return {};
  }
  OwningOpRef<ModuleOp> scripts = parseSafely(buffer->getBuffer(), path, module.getContext(), reason);
  if (!scripts) {
    if (!reason.empty())
      module.emitError("option '") << option << "': " << reason;
    return {};
  }
  WalkResult found = scripts->walk([](Operation *op) {
    return isa<transform::NamedSequenceOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!found.wasInterrupted()) {
    module.emitError("option '") << option << "': '" << path << "' has no transform.named_sequence";
    return {};
  }
  return scripts;
}
