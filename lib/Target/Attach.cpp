// target-attach: puts a device's record on the module.
#include "Tiny/Target/Passes.h"
#include "Tiny/Target/Target.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace tiny {

#define GEN_PASS_DEF_TARGETATTACH
#include "Tiny/Target/Passes.h.inc"

llvm::Expected<target::RecordAttr> readRecord(StringRef path, MLIRContext *context) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return llvm::createStringError(path + ": " + file.getError().message());
  context->getOrLoadDialect<target::TargetDialect>();
  std::string reason;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (reason.empty())
      reason = diagnostic.str();
    return success();
  });
  Attribute attribute = parseAttribute((*file)->getBuffer().trim(), context);
  if (auto record = dyn_cast_or_null<target::RecordAttr>(attribute))
    return record;
  return llvm::createStringError(path + ": expected a #target.record" + (reason.empty() ? "" : ": " + reason));
}

namespace {

struct TargetAttach : impl::TargetAttachBase<TargetAttach> {
  using Base::Base;

  void runOnOperation() override {
    llvm::Expected<const Target *> found = findTarget(target);
    if (!found)
      return fail(found.takeError());
    StringRef device = (*found)->getName();
    if (processor.empty() && record.empty() && target::lookupRecord(getOperation(), device))
      return;
    llvm::Expected<target::RecordAttr> made =
        record.empty() ? (*found)->makeRecord(processor, &getContext()) : readRecord(record, &getContext());
    if (!made)
      return fail(made.takeError());
    target::attachRecord(getOperation(), device, *made);
  }

private:
  void fail(llvm::Error error) {
    getOperation().emitError(llvm::toString(std::move(error)));
    signalPassFailure();
  }
};

} // namespace
} // namespace tiny
