// The host side of a compiled module as items over slots: what a container lists and the runtime walks over.
#ifndef TINY_LIB_DRIVER_PROGRAMITEMS_H
#define TINY_LIB_DRIVER_PROGRAMITEMS_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Runtime/Runtime.h"
#include "Tiny/Support/HostTensor.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <deque>

namespace tiny {

/// A program's slots and items, and the bytes that its items refer to. It must outlive what points at them.
class ProgramItems {
public:
  /// Translates the whole program. Launches name kernels by the order in which they come first.
  static llvm::Expected<std::unique_ptr<ProgramItems>> build(kernel::ProgramOp program);

  llvm::ArrayRef<tiny_slot> getSlots() const { return slots; }
  llvm::ArrayRef<tiny_item> getItems() const { return items; }
  llvm::ArrayRef<uint32_t> getResults() const { return results; }
  /// Of a program on several devices, by slot the number of its device; empty for any other.
  llvm::ArrayRef<uint32_t> getSlotDevices() const { return slotDevices; }
  /// The symbols of the kernels that are launched, by their number.
  llvm::ArrayRef<llvm::StringRef> getKernels() const { return kernels; }
  /// Of a kernel, how many buffers it is launched on.
  uint32_t getBufferCount(uint32_t kernel) const { return bufferCounts[kernel]; }
  /// Of an item, the slots that a launch reads, then those it writes.
  llvm::ArrayRef<uint32_t> getBuffers(const tiny_item &item) const {
    return llvm::ArrayRef(item.buffers, size_t(item.n_inputs) + item.n_outputs);
  }

  // For what writes one kind of item, in ProgramItems.cpp.

  /// Gives the buffer a slot. Fails on element types that have no buffers.
  llvm::Error addSlot(mlir::Value buffer, uint32_t flags = 0);
  /// Says of the last slot to what it is aligned at most: arguments and most constants may lie anywhere, and kernels
  /// read them there.
  void limitAlignment(uint32_t alignment) { slots.back().alignment = std::min(slots.back().alignment, alignment); }
  void setAlignment(uint32_t alignment) { slots.back().alignment = alignment; }
  uint32_t slotOf(mlir::Value buffer) const { return numbers.lookup(buffer); }
  const tiny_slot &getSlot(mlir::Value buffer) const { return slots[slotOf(buffer)]; }
  /// A new last item, all of whose other fields are zero.
  tiny_item &addItem(tiny_item_kind kind);
  tiny_item &getItem(size_t index) { return items[index]; }
  /// All items of a list.
  llvm::Error addItems(mlir::Block &list);
  /// Makes the tensor's bytes the item's data.
  void setData(tiny_item &item, HostTensor tensor);
  /// The same for bytes that outlive the items.
  static void setData(tiny_item &item, llvm::ArrayRef<char> bytes);
  void setBuffers(tiny_item &item, mlir::ValueRange buffers);
  /// The item does this along axes of the grid.
  void setCollective(tiny_item &item, tiny_collective what, llvm::ArrayRef<int64_t> axes);
  uint32_t numberOfKernel(llvm::StringRef symbol, uint32_t nBuffers);

private:
  llvm::DenseMap<mlir::Value, uint32_t> numbers;
  llvm::StringMap<uint32_t> kernelNumbers;
  std::vector<llvm::StringRef> kernels;
  std::vector<uint32_t> bufferCounts, results, slotDevices;
  mlir::ArrayAttr devices;
  std::vector<tiny_slot> slots;
  std::vector<tiny_item> items;
  // Their elements do not move: items point at them.
  std::deque<HostTensor> constants;
  std::deque<std::vector<uint32_t>> operands;
  std::deque<tiny_collective> collectives;
};

/// An error when this many bytes are more than the machine's memory: an allocation would end the process.
llvm::Error checkMemory(uint64_t bytes, const llvm::Twine &what);

} // namespace tiny

#endif // TINY_LIB_DRIVER_PROGRAMITEMS_H
