// One `write` for each kind of item that a kernel.program may hold: what its operation becomes.
#include "ProgramItems.h"

#include "Tiny/Algebra/Cost/Capacity.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Runtime/ItemKinds.h"
#include "Tiny/Support/Collective.h"
#include "Tiny/Support/Signature.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include <unistd.h>

using namespace mlir;

namespace tiny {

llvm::Error checkMemory(uint64_t bytes, const Twine &what) {
  uint64_t memory = uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  if (bytes <= memory)
    return llvm::Error::success();
  return llvm::createStringError(what + " takes " + Twine(bytes) + " bytes, more than this machine's memory");
}

//===--- What entries build with ----------------------------------------------------------------------------------===//

llvm::Error ProgramItems::addSlot(Value buffer, uint32_t flags) {
  auto type = cast<MemRefType>(buffer.getType());
  std::optional<tiny_dtype> dtype = getDtype(type.getElementType());
  if (!dtype)
    return llvm::createStringError("buffers of " + llvm::formatv("{0}", type.getElementType()).str() +
                                   " are not supported");
  uint32_t width = uint32_t(tiny_dtype_size(*dtype));
  numbers[buffer] = uint32_t(slots.size());
  slots.push_back({uint64_t(type.getNumElements()) * width, width, flags});
  if (devices)
    slotDevices.push_back(uint32_t(llvm::find(devices, kernel::getDevice(buffer)) - devices.begin()));
  return llvm::Error::success();
}

tiny_item &ProgramItems::addItem(tiny_item_kind kind) {
  tiny_item &item = items.emplace_back();
  item = {};
  item.kind = kind;
  return item;
}

void ProgramItems::setData(tiny_item &item, HostTensor tensor) {
  const HostTensor &kept = constants.emplace_back(std::move(tensor));
  item.data = kept.bytes.data();
  item.data_size = kept.bytes.size();
}

void ProgramItems::setData(tiny_item &item, ArrayRef<char> bytes) {
  item.data = bytes.data();
  item.data_size = bytes.size();
}

void ProgramItems::setBuffers(tiny_item &item, ValueRange buffers) {
  std::vector<uint32_t> &list = operands.emplace_back();
  for (Value buffer : buffers)
    list.push_back(slotOf(buffer));
  item.buffers = list.data();
}

void ProgramItems::setCollective(tiny_item &item, tiny_collective what, ArrayRef<int64_t> axes) {
  std::vector<uint32_t> &list = operands.emplace_back(axes.begin(), axes.end());
  what.axes = list.data();
  what.n_axes = list.size();
  item.collective = &collectives.emplace_back(what);
}

uint32_t ProgramItems::numberOfKernel(StringRef symbol, uint32_t nBuffers) {
  auto [known, isNew] = kernelNumbers.try_emplace(symbol, kernels.size());
  if (isNew) {
    kernels.push_back(known->first());
    bufferCounts.push_back(nBuffers);
  }
  return known->second;
}

//===--- The kinds ------------------------------------------------------------------------------------------------===//

namespace {

llvm::Error write(kernel::AllocOp op, ProgramItems &program) {
  if (llvm::Error error = program.addSlot(op.getBuffer()))
    return error;
  program.addItem(TINY_ITEM_ALLOC).slot = program.slotOf(op.getBuffer());
  return llvm::Error::success();
}

/// What constants that kernels read from the caches are aligned to: the most that a slot may ask for.
constexpr uint32_t kLine = TINY_BUFFER_ALIGNMENT;

/// The bytes of a resource, which are used where they lie; none where they are not what a buffer has.
std::optional<ArrayRef<char>> findInPlace(ElementsAttr value, uint64_t size) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  if (!resource || resource.getElementType().isInteger(1))
    return std::nullopt;
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob || blob->getData().size() != size)
    return std::nullopt;
  return blob->getData();
}

/// Whether a kernel that reads the buffer, or a part of it, computes longer than memory takes to deliver what it reads:
/// it reads from the caches, again and again, and each vector that lies across two lines costs two reads.
bool isReadFromCaches(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    if (auto alias = dyn_cast<kernel::AliasOp>(user))
      return isReadFromCaches(alias.getResult());
    auto launch = dyn_cast<kernel::LaunchOp>(user);
    Operation *func = launch ? SymbolTable::lookupNearestSymbolFrom(launch, launch.getCalleeAttr()) : nullptr;
    kernel::EntryAttr entry = func ? kernel::getEntry(func) : nullptr;
    if (!entry)
      return false;
    const cost::Machine &machine = target::findMachine(func);
    return double(entry.getOperations()) * double(machine.coreBandwidth) >
           2 * cost::getPeakAdditions(machine) * double(entry.getBytes());
  });
}

llvm::Error write(kernel::ConstantOp op, ProgramItems &program) {
  // A splat may stand for any number of elements.
  auto type = cast<MemRefType>(op.getBuffer().getType());
  uint64_t width = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  if (llvm::Error error = checkMemory(uint64_t(type.getNumElements()) * width, "a constant"))
    return error;
  std::optional<ArrayRef<char>> inPlace = findInPlace(op.getValue(), uint64_t(type.getNumElements()) * width);
  std::optional<HostTensor> tensor = inPlace ? HostTensor() : readConstant(op.getValue());
  if (!tensor)
    return llvm::createStringError("the elements of a constant of type " + llvm::formatv("{0}", type).str() +
                                   " are missing, too few, or of a type that has no buffers");
  if (llvm::Error error = program.addSlot(op.getBuffer()))
    return error;
  tiny_item &item = program.addItem(TINY_ITEM_CONSTANT);
  item.slot = program.slotOf(op.getBuffer());
  if (width > 1 && isReadFromCaches(op.getBuffer()))
    program.setAlignment(kLine);
  else
    program.limitAlignment(1);
  if (inPlace)
    ProgramItems::setData(item, *inPlace);
  else
    program.setData(item, std::move(*tensor));
  return llvm::Error::success();
}

llvm::Error write(kernel::AliasOp op, ProgramItems &program) {
  if (llvm::Error error = program.addSlot(op.getResult()))
    return error;
  tiny_item &item = program.addItem(TINY_ITEM_ALIAS);
  item.slot = program.slotOf(op.getResult());
  item.source = program.slotOf(op.getSource());
  item.offset = op.getOffset() * program.getSlot(op.getResult()).alignment;
  program.limitAlignment(program.getSlot(op.getSource()).alignment);
  return llvm::Error::success();
}

llvm::Error write(kernel::LaunchOp op, ProgramItems &program) {
  uint32_t kernel = program.numberOfKernel(op.getCallee(), op->getNumOperands());
  tiny_item &item = program.addItem(TINY_ITEM_LAUNCH);
  item.kernel = kernel;
  item.n_inputs = op.getIns().size();
  item.n_outputs = op.getOuts().size();
  program.setBuffers(item, op->getOperands());
  return llvm::Error::success();
}

llvm::Error write(kernel::CopyOp op, ProgramItems &program) {
  tiny_item &item = program.addItem(TINY_ITEM_COPY);
  item.slot = program.slotOf(op.getTarget());
  item.source = program.slotOf(op.getSource());
  return llvm::Error::success();
}

tiny_collective_kind getKind(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllReduce:
    return TINY_ALL_REDUCE;
  case CollectiveKind::AllGather:
    return TINY_ALL_GATHER;
  case CollectiveKind::ReduceScatter:
    return TINY_REDUCE_SCATTER;
  case CollectiveKind::AllToAll:
    return TINY_ALL_TO_ALL;
  case CollectiveKind::Broadcast:
    return TINY_BROADCAST;
  case CollectiveKind::Send:
    return TINY_SEND;
  }
  llvm_unreachable("covered switch");
}

/// Whether an integer is unsigned is part of the runtime's type, and of the operation's reduction.
llvm::Error write(kernel::CollectiveOp op, ProgramItems &program) {
  auto parent = op->getParentOfType<kernel::ProgramOp>();
  auto grid = parent->getAttrOfType<DenseI64ArrayAttr>(kGridAttr);
  if (!grid || grid.asArrayRef() != op.getGrid())
    return llvm::createStringError("a collective is not on the program's grid of ranks");
  StringRef reduction = op.getReduction().value_or("");
  bool isUnsigned = reduction.consume_front("unsigned_");
  Type element = cast<MemRefType>(op.getSource().getType()).getElementType();
  if (isUnsigned && !element.isInteger(1))
    element = IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth(), IntegerType::Unsigned);
  // Its buffers have slots by now, so the elements are of a type that the runtime knows.
  std::optional<tiny_dtype> dtype = getDtype(element);
  tiny_collective what = {};
  what.kind = getKind(*parseCollectiveKind(op.getKind()));
  what.dtype = *dtype;
  what.reduction = llvm::StringSwitch<tiny_reduction>(reduction)
                       .Case("sum", TINY_REDUCE_SUM)
                       .Case("product", TINY_REDUCE_PRODUCT)
                       .Case("max", TINY_REDUCE_MAX)
                       .Case("min", TINY_REDUCE_MIN)
                       .Default(TINY_REDUCE_NONE);
  what.async = op.getAsync();
  if (std::optional<ArrayRef<int64_t>> peers = op.getPeers())
    llvm::copy(*peers, what.peers);
  tiny_item &item = program.addItem(TINY_ITEM_COLLECTIVE);
  item.slot = program.slotOf(op.getTarget());
  item.source = program.slotOf(op.getSource());
  program.setCollective(item, what, op.getAxes());
  return llvm::Error::success();
}

llvm::Error write(kernel::WaitOp op, ProgramItems &program) {
  tiny_item &item = program.addItem(TINY_ITEM_WAIT);
  item.slot = program.slotOf(op.getTarget());
  item.source = program.slotOf(op.getSource());
  return llvm::Error::success();
}

llvm::Error write(kernel::FillOp op, ProgramItems &program) {
  auto type = RankedTensorType::get({1}, op.getValue().getType());
  tiny_item &item = program.addItem(TINY_ITEM_FILL);
  item.slot = program.slotOf(op.getTarget());
  // The value is of the buffer's type, which has a dtype.
  program.setData(item, *readConstant(DenseElementsAttr::get(type, Attribute(op.getValue()))));
  return llvm::Error::success();
}

/// The items of a list behind the one that it belongs to; gives how many there are.
llvm::Expected<uint32_t> writeList(Region &list, ProgramItems &program) {
  size_t begin = program.getItems().size();
  if (!list.empty())
    if (llvm::Error error = program.addItems(list.front()))
      return error;
  return uint32_t(program.getItems().size() - begin);
}

llvm::Error write(kernel::LoopOp op, ProgramItems &program) {
  auto slotOf = [&](Value buffer) { return buffer ? program.slotOf(buffer) : TINY_NO_SLOT; };
  tiny_item &item = program.addItem(TINY_ITEM_LOOP);
  item.count = op.getMost();
  item.limit = slotOf(op.getLimit());
  item.slot = slotOf(op.getCounter());
  item.source = slotOf(op.getCondition());
  size_t index = program.getItems().size() - 1;
  llvm::Expected<uint32_t> nested = writeList(op.getBody(), program);
  if (!nested)
    return nested.takeError();
  program.getItem(index).n_nested = *nested;
  return llvm::Error::success();
}

llvm::Error write(kernel::IfOp op, ProgramItems &program) {
  program.addItem(TINY_ITEM_IF).source = program.slotOf(op.getCondition());
  size_t index = program.getItems().size() - 1;
  llvm::Expected<uint32_t> first = writeList(op.getBody(), program);
  if (!first)
    return first.takeError();
  llvm::Expected<uint32_t> second = writeList(op.getOtherwise(), program);
  if (!second)
    return second.takeError();
  program.getItem(index).count = *first;
  program.getItem(index).n_nested = *first + *second;
  return llvm::Error::success();
}

llvm::Error writeItem(Operation *op, ProgramItems &program) {
#define TINY_WRITE(KIND, Name)                                                                                         \
  if (auto item = dyn_cast<kernel::Name##Op>(op))                                                                      \
    return write(item, program);
  TINY_ITEMS(TINY_WRITE)
#undef TINY_WRITE
  return llvm::createStringError("'" + op->getName().getStringRef() + "' is no item of a program");
}

} // namespace

llvm::Error ProgramItems::addItems(Block &list) {
  for (Operation &item : list) {
    if (item.hasTrait<OpTrait::IsTerminator>())
      continue;
    size_t index = items.size();
    if (llvm::Error error = writeItem(&item, *this))
      return error;
    if (auto places = item.getAttrOfType<DenseI64ArrayAttr>(kPlacesAttr))
      for (int64_t place : places.asArrayRef())
        if (place >= 0 && place < 64)
          items[index].places |= uint64_t(1) << place;
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<ProgramItems>> ProgramItems::build(kernel::ProgramOp op) {
  auto program = std::make_unique<ProgramItems>();
  program->devices = op.getDevicesAttr();
  Block &block = op.getBody().front();
  for (auto [index, argument] : llvm::enumerate(block.getArguments())) {
    bool donated = op.getArgAttr(index, kDonatedAttr) != nullptr;
    if (llvm::Error error = program->addSlot(argument, donated ? TINY_SLOT_WRITABLE : 0))
      return error;
    if (!donated)
      program->limitAlignment(1);
  }
  if (llvm::Error error = program->addItems(block))
    return error;
  for (Value result : block.getTerminator()->getOperands())
    program->results.push_back(program->slotOf(result));
  return program;
}

} // namespace tiny
