// Translates the items of a kernel.program to the runtime's program.
#include "HostProgram.h"

#include "Tiny/Support/Signature.h"

#include "llvm/Support/FormatVariadic.h"
#include <unistd.h>

using namespace mlir;

namespace tiny {

llvm::Error runtimeError(const Twine &doing) { return llvm::createStringError(doing + ": " + tiny_last_error()); }

llvm::Error checkMemory(uint64_t bytes, const Twine &what) {
  uint64_t memory = uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  if (bytes <= memory)
    return llvm::Error::success();
  return llvm::createStringError(what + " takes " + Twine(bytes) + " bytes, more than this machine's memory");
}

llvm::Error HostProgram::addSlot(Value buffer, uint32_t flags) {
  auto type = cast<MemRefType>(buffer.getType());
  std::optional<tiny_dtype> dtype = getDtype(type.getElementType());
  if (!dtype)
    return llvm::createStringError("buffers of " + llvm::formatv("{0}", type.getElementType()).str() +
                                   " are not supported");
  uint32_t width = uint32_t(tiny_dtype_size(*dtype));
  numbers[buffer] = uint32_t(slots.size());
  slots.push_back({uint64_t(type.getNumElements()) * width, width, flags});
  return llvm::Error::success();
}

llvm::Error HostProgram::translateConstant(kernel::ConstantOp op) {
  // A splat may stand for any number of elements.
  auto type = cast<MemRefType>(op.getBuffer().getType());
  uint64_t width = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  if (llvm::Error error = checkMemory(uint64_t(type.getNumElements()) * width, "a constant"))
    return error;
  std::optional<HostTensor> tensor = HostTensor::fromAttr(op.getValue());
  if (!tensor)
    return llvm::createStringError("the elements of a constant of type " + llvm::formatv("{0}", type).str() +
                                   " are missing, too few, or of a type that has no buffers");
  constants.push_back(std::move(*tensor));
  if (llvm::Error error = addSlot(op.getBuffer()))
    return error;
  tiny_item item = {};
  item.kind = TINY_ITEM_CONSTANT;
  item.slot = slotOf(op.getBuffer());
  item.data = constants.back().bytes.data();
  item.data_size = constants.back().bytes.size();
  items.push_back(item);
  return llvm::Error::success();
}

llvm::Error HostProgram::translateLaunch(kernel::LaunchOp op, FindKernel findKernel) {
  auto [known, isNew] = kernelNumbers.try_emplace(op.getCallee(), kernels.size());
  if (isNew) {
    llvm::Expected<cpu::JitKernel> found = findKernel(op.getCallee());
    if (!found)
      return found.takeError();
    names.push_back(op.getCallee().str());
    tiny_kernel kernel = {};
    kernel.name = names.back().c_str();
    kernel.function = found->function;
    llvm::copy(found->grid, kernel.grid);
    kernel.n_buffers = op.getNumOperands();
    kernel.flags = found->inPlace ? TINY_KERNEL_IN_PLACE : 0;
    kernel.scratch_bytes = found->scratchBytes;
    kernels.push_back(kernel);
  }
  operands.push_back({});
  for (Value buffer : op->getOperands())
    operands.back().push_back(slotOf(buffer));
  tiny_item item = {};
  item.kind = TINY_ITEM_LAUNCH;
  item.kernel = known->second;
  item.buffers = operands.back().data();
  item.n_inputs = op.getIns().size();
  item.n_outputs = op.getOuts().size();
  items.push_back(item);
  return llvm::Error::success();
}

llvm::Error HostProgram::translateFill(kernel::FillOp op) {
  auto type = RankedTensorType::get({1}, op.getValue().getType());
  // The value is of the buffer's type, which has a dtype.
  constants.push_back(*HostTensor::fromAttr(DenseElementsAttr::get(type, Attribute(op.getValue()))));
  tiny_item item = {};
  item.kind = TINY_ITEM_FILL;
  item.slot = slotOf(op.getTarget());
  item.data = constants.back().bytes.data();
  item.data_size = constants.back().bytes.size();
  items.push_back(item);
  return llvm::Error::success();
}

llvm::Error HostProgram::translate(Operation &op, FindKernel findKernel) {
  if (auto constant = dyn_cast<kernel::ConstantOp>(op))
    return translateConstant(constant);
  if (auto launch = dyn_cast<kernel::LaunchOp>(op))
    return translateLaunch(launch, findKernel);
  if (auto fill = dyn_cast<kernel::FillOp>(op))
    return translateFill(fill);

  tiny_item item = {};
  if (auto alloc = dyn_cast<kernel::AllocOp>(op)) {
    if (llvm::Error error = addSlot(alloc.getBuffer()))
      return error;
    item.kind = TINY_ITEM_ALLOC;
    item.slot = slotOf(alloc.getBuffer());
  } else if (auto alias = dyn_cast<kernel::AliasOp>(op)) {
    if (llvm::Error error = addSlot(alias.getResult()))
      return error;
    item.kind = TINY_ITEM_ALIAS;
    item.slot = slotOf(alias.getResult());
    item.source = slotOf(alias.getSource());
    item.offset = alias.getOffset() * slots[item.slot].alignment;
  } else if (auto copy = dyn_cast<kernel::CopyOp>(op)) {
    item.kind = TINY_ITEM_COPY;
    item.slot = slotOf(copy.getTarget());
    item.source = slotOf(copy.getSource());
  } else {
    return llvm::createStringError("'" + op.getName().getStringRef() + "' is no item of a program");
  }
  items.push_back(item);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<HostProgram>> HostProgram::load(kernel::ProgramOp op, tiny_device *device,
                                                               FindKernel findKernel) {
  auto host = std::unique_ptr<HostProgram>(new HostProgram());
  Block &block = op.getBody().front();
  for (auto [index, argument] : llvm::enumerate(block.getArguments())) {
    bool donated = op.getArgAttr(index, kDonatedAttr) != nullptr;
    if (llvm::Error error = host->addSlot(argument, donated ? TINY_SLOT_WRITABLE : 0))
      return error;
  }
  for (Operation &item : block.without_terminator())
    if (llvm::Error error = host->translate(item, findKernel))
      return error;
  std::vector<uint32_t> results;
  for (Value result : block.getTerminator()->getOperands())
    results.push_back(host->slotOf(result));

  std::string name = op.getSymName().str();
  tiny_program_desc desc = {};
  desc.name = name.c_str();
  desc.slots = host->slots.data();
  desc.n_slots = host->slots.size();
  desc.n_arguments = block.getNumArguments();
  desc.results = results.data();
  desc.n_results = results.size();
  desc.kernels = host->kernels.data();
  desc.n_kernels = host->kernels.size();
  desc.items = host->items.data();
  desc.n_items = host->items.size();
  if (tiny_program_create(device, &desc, host->program.receive()) != TINY_OK)
    return runtimeError("cannot load the program");
  return host;
}

} // namespace tiny
