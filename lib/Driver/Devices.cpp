// Which target a device of the runtime belongs to, and for which machine that one compiles.
#include "Tiny/Driver/Devices.h"

#include "Tiny/Runtime/Runtime.hpp"
#include "Tiny/Target/GpuTarget.h"

using namespace mlir;
using llvm::Expected;

namespace tiny {

static Expected<FoundDevice> openDevice(StringRef name) {
  runtime::Device device;
  if (tiny_device_open(name.str().c_str(), device.receive()) != TINY_OK)
    return llvm::createStringError(tiny_last_error());
  FoundDevice found;
  found.processor = tiny_device_processor(device.get());
  tiny_device_facts facts;
  if (tiny_device_describe(device.get(), &facts) != TINY_OK)
    return found;
  found.name = facts.name;
  found.matrices.assign(facts.matrices, facts.matrices + facts.n_matrices);
  facts.name = nullptr;
  facts.matrices = nullptr;
  found.facts = facts;
  return found;
}

void registerDeviceFinder() { setDeviceFinder(openDevice); }

/// What kind of device it is: one of several of a kind has a number, "cuda:1".
static StringRef getKind(StringRef device) { return device.split(':').first; }

const Target *findTargetOf(StringRef device) {
  StringRef kind = getKind(device.split(',').first);
  for (const Target *target : getTargets())
    if (target->getDevice() == kind)
      return target;
  return llvm::cantFail(findTarget(""));
}

std::string nameTargetsOf(StringRef device) {
  SmallVector<StringRef> names;
  for (StringRef part : llvm::split(device, ','))
    if (StringRef name = findTargetOf(part)->getName(); !llvm::is_contained(names, name))
      names.push_back(name);
  return llvm::join(names, ",");
}

MachineChoice chooseMachine(const Target &target, const CompileOptions &options, bool isFirst, MLIRContext *context) {
  if (isFirst && options.machine.isGiven())
    return options.machine;
  for (StringRef device : llvm::split(options.device, ',')) {
    if (getKind(device) != target.getDevice())
      continue;
    MachineChoice here = {("host" + device.drop_front(getKind(device).size())).str(), ""};
    Expected<target::RecordAttr> record = makeRecord(target, here, context);
    if (record)
      return here;
    // Whoever opens the device will say why.
    llvm::consumeError(record.takeError());
  }
  return {};
}

MachineChoice chooseMachine(const Target &target, const CompileOptions &options, ModuleOp module, bool isFirst) {
  bool isOwn = (!isFirst || !options.machine.isGiven()) && target::lookupRecord(module, target.getName());
  return isOwn ? MachineChoice() : chooseMachine(target, options, isFirst, module.getContext());
}

} // namespace tiny
