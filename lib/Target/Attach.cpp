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
  // The parser wants nothing but the attribute.
  StringRef text = (*file)->getBuffer().trim();
  while (text.starts_with("//"))
    text = text.drop_until([](char c) { return c == '\n'; }).ltrim();
  size_t before = StringRef((*file)->getBufferStart(), text.data() - (*file)->getBufferStart()).count('\n');
  std::string reason, place = path.str();
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (!reason.empty())
      return success();
    reason = ": " + diagnostic.str();
    if (auto loc = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
      place += ":" + std::to_string(before + loc.getLine()) + ":" + std::to_string(loc.getColumn());
    return success();
  });
  Attribute attribute = parseAttribute(text, context);
  if (auto record = dyn_cast_or_null<target::RecordAttr>(attribute))
    return record;
  return llvm::createStringError(place + ": expected a #target.record" + reason);
}

llvm::Expected<target::RecordAttr> makeRecord(const Target &target, const MachineChoice &choice, MLIRContext *context) {
  if (choice.record.empty())
    return target.makeRecord(choice.processor, context);
  if (!choice.processor.empty())
    return llvm::createStringError("a processor, '" + choice.processor + "', and a record, '" + choice.record +
                                   "', are both given; expected one of them");
  llvm::Expected<target::RecordAttr> record = readRecord(choice.record, context);
  if (!record)
    return record.takeError();
  llvm::Expected<target::RecordAttr> adapted = target.adaptRecord(*record);
  if (!adapted)
    return llvm::createStringError(choice.record + ": " + llvm::toString(adapted.takeError()));
  return adapted;
}

namespace {

struct TargetAttach : impl::TargetAttachBase<TargetAttach> {
  using Base::Base;

  void runOnOperation() override {
    llvm::Expected<const Target *> found = findTarget(target);
    if (!found)
      return fail(found.takeError());
    StringRef device = (*found)->getName();
    MachineChoice choice = {processor, record};
    target::RecordAttr there = target::lookupRecord(getOperation(), device);
    llvm::Expected<target::RecordAttr> made =
        there && !choice.isGiven() ? (*found)->adaptRecord(there) : makeRecord(**found, choice, &getContext());
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
