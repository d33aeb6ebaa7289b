// Which record an operation stands under.
#include "Tiny/Dialect/Target/Target.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tiny::target {

RecordAttr getGenericRecord(MLIRContext *context) {
  context->getOrLoadDialect<TargetDialect>();
  return RecordAttr::get(context, "generic", cost::getGenericMachine());
}

/// The devices that the operation itself states.
static TargetSystemSpecInterface getDevices(Operation *op) {
  return op->getAttrOfType<TargetSystemSpecInterface>(DLTIDialect::kTargetSystemDescAttrName);
}

/// The record of the device, or of the first one where it is null.
static RecordAttr lookup(Operation *op, StringAttr device) {
  for (Operation *scope = op; scope; scope = scope->getParentOp())
    if (TargetSystemSpecInterface devices = getDevices(scope))
      for (DataLayoutEntryInterface entry : devices.getEntries())
        if (!device || entry.getKey() == DataLayoutEntryKey(device))
          if (auto record = dyn_cast<RecordAttr>(entry.getValue()))
            return record;
  return {};
}

RecordAttr lookupRecord(Operation *op) {
  for (Operation *scope = op; scope; scope = scope->getParentOp())
    if (auto device = scope->getAttrOfType<StringAttr>(kDevice))
      return lookup(op, device);
  return lookup(op, {});
}

RecordAttr lookupRecord(Operation *op, StringRef device) {
  return lookup(op, StringAttr::get(op->getContext(), device));
}

RecordAttr findRecord(Operation *op) {
  RecordAttr record = lookupRecord(op);
  return record ? record : getGenericRecord(op->getContext());
}

std::string getRecordKey(Operation *op) {
  return llvm::utohexstr(findRecord(op).getStableHash(), /*LowerCase=*/true, /*Width=*/16);
}

const cost::Machine &findMachine(Operation *op) {
  RecordAttr record = lookupRecord(op);
  return record ? record.getMachine() : cost::getGenericMachine();
}

void attachRecord(ModuleOp module, StringRef device, RecordAttr record) {
  StringAttr name = StringAttr::get(module.getContext(), device);
  SmallVector<DataLayoutEntryInterface> entries = {DataLayoutEntryAttr::get(name, record)};
  if (TargetSystemSpecInterface devices = getDevices(module))
    for (DataLayoutEntryInterface other : devices.getEntries())
      if (other.getKey() != DataLayoutEntryKey(name))
        entries.push_back(other);
  module->setAttr(DLTIDialect::kTargetSystemDescAttrName, TargetSystemSpecAttr::get(module.getContext(), entries));
}

LogicalResult verifyDevice(Operation *op) {
  auto device = op->getAttrOfType<StringAttr>(kDevice);
  if (!device)
    return success();
  bool any = false;
  for (Operation *scope = op->getParentOp(); scope; scope = scope->getParentOp())
    if (TargetSystemSpecInterface devices = getDevices(scope)) {
      any = true;
      if (devices.getDeviceSpecForDeviceID(device))
        return success();
    }
  // A function that stands alone, as passes see it, names what its module will say.
  return any ? op->emitOpError("is for device ") << device << ", of which the module has no record" : success();
}

std::optional<cost::ElementType> getElementType(Type type) {
  using cost::ElementType;
  if (auto integer = dyn_cast<IntegerType>(type))
    return cost::parseName<ElementType>(("i" + Twine(integer.getWidth())).str());
  if (!isa<FloatType>(type))
    return std::nullopt;
  // Records call it by the type in which it lies.
  if (type.isTF32())
    return ElementType::F32;
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return cost::parseName<ElementType>(name);
}

} // namespace tiny::target
