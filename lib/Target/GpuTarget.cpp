// Records of GPUs.
#include "Tiny/Target/GpuTarget.h"

using namespace mlir;

namespace tiny {

llvm::Expected<target::RecordAttr> GpuTarget::makeRecord(StringRef name, MLIRContext *context) const {
  if (name == "host")
    return llvm::createStringError("expected " + getProcessorKind() + ", such as " + getDefaultProcessor() +
                                   ", got 'host'");
  if (name.empty())
    name = getDefaultProcessor();
  llvm::Expected<cost::Machine> machine = describeMachine(name);
  if (!machine)
    return machine.takeError();
  context->getOrLoadDialect<target::TargetDialect>();
  return target::RecordAttr::get(context, name, *machine);
}

llvm::Expected<target::RecordAttr> GpuTarget::adaptRecord(target::RecordAttr record) const {
  if (cost::DeviceKind kind = record.getMachine().kind; kind != cost::DeviceKind::Gpu)
    return llvm::createStringError("'" + record.getName() + "' is a " + cost::getName(kind) +
                                   ", expected a record of a gpu");
  if (llvm::Error error = checkRecordName(record.getName()))
    return error;
  return record;
}

} // namespace tiny
