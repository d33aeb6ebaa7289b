// Records of GPUs.
#include "Tiny/Target/GpuTarget.h"

using namespace mlir;

namespace tiny {

static constexpr llvm::StringLiteral kHost = "host";

static DeviceFinder &getFinder() {
  static DeviceFinder finder;
  return finder;
}

void setDeviceFinder(DeviceFinder finder) { getFinder() = std::move(finder); }

llvm::Expected<std::pair<std::string, cost::Machine>> GpuTarget::describeFound(const FoundDevice &found) const {
  if (found.processor.empty())
    return llvm::createStringError("the compiler has no name for the processor of this machine's device '" +
                                   getDevice() + "'");
  llvm::Expected<cost::Machine> machine = describeMachine(found.processor);
  if (!machine)
    return machine.takeError();
  return std::pair(found.processor, *machine);
}

llvm::Expected<target::RecordAttr> GpuTarget::makeRecord(StringRef name, MLIRContext *context) const {
  if (name.empty())
    name = getDefaultProcessor();
  std::pair<std::string, cost::Machine> made = {name.str(), {}};
  if (auto [before, number] = name.split(':'); before == kHost) {
    if (!getFinder())
      return llvm::createStringError("expected " + getProcessorKind() + ", such as " + getDefaultProcessor() +
                                     ", got '" + name + "'");
    llvm::Expected<FoundDevice> found = getFinder()((getDevice() + name.drop_front(before.size())).str());
    if (!found)
      return found.takeError();
    llvm::Expected<std::pair<std::string, cost::Machine>> described = describeFound(*found);
    if (!described)
      return described.takeError();
    made = std::move(*described);
  } else {
    llvm::Expected<cost::Machine> machine = describeMachine(name);
    if (!machine)
      return machine.takeError();
    made.second = *machine;
  }
  context->getOrLoadDialect<target::TargetDialect>();
  return target::RecordAttr::get(context, made.first, made.second);
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
