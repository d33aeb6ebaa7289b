// The host side of a compiled module as the runtime takes it.
#ifndef TINY_LIB_DRIVER_HOSTPROGRAM_H
#define TINY_LIB_DRIVER_HOSTPROGRAM_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Runtime/Runtime.hpp"
#include "Tiny/Support/HostTensor.h"
#include "Tiny/Target/Cpu/Jit.h"
#include "llvm/Support/Error.h"
#include <deque>

namespace tiny {

/// A kernel by its symbol, or an error that says what is missing.
using FindKernel = llvm::function_ref<llvm::Expected<cpu::JitKernel>(llvm::StringRef)>;

/// The last failure of the runtime as an error.
llvm::Error runtimeError(const llvm::Twine &doing);

/// An error when this many bytes are more than the machine's memory: an allocation would end the process.
llvm::Error checkMemory(uint64_t bytes, const llvm::Twine &what);

/// A `kernel.program` as a runtime program. It owns the constants' bytes, which the runtime program only borrows.
class HostProgram {
public:
  /// Translates the items and loads them on the device.
  static llvm::Expected<std::unique_ptr<HostProgram>> load(kernel::ProgramOp op, tiny_device *device,
                                                           FindKernel findKernel);

  tiny_program *get() const { return program.get(); }

private:
  llvm::Error translate(mlir::Operation &op, FindKernel findKernel);
  llvm::Error translateConstant(kernel::ConstantOp op);
  llvm::Error translateLaunch(kernel::LaunchOp op, FindKernel findKernel);
  llvm::Error translateFill(kernel::FillOp op);
  llvm::Error addSlot(mlir::Value buffer, uint32_t flags = 0);
  uint32_t slotOf(mlir::Value buffer) const { return numbers.lookup(buffer); }

  llvm::DenseMap<mlir::Value, uint32_t> numbers;
  llvm::StringMap<uint32_t> kernelNumbers;
  std::vector<tiny_slot> slots;
  std::vector<tiny_kernel> kernels;
  std::vector<tiny_item> items;
  // Their elements do not move: the description points at them.
  std::deque<HostTensor> constants;
  std::deque<std::vector<uint32_t>> operands;
  std::deque<std::string> names;
  runtime::Program program;
};

} // namespace tiny

#endif // TINY_LIB_DRIVER_HOSTPROGRAM_H
