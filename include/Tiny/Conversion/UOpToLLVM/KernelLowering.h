// The worker behind convert-uop-to-llvm: one kernel from uop operations to cf, llvm and arith. What is left after it
// (arith, math, vector, cf) upstream's patterns convert. Devices that LLVM has code for derive from it: they say where
// buffers, tiles and hardware axes are.
#ifndef TINY_CONVERSION_UOPTOLLVM_KERNELLOWERING_H
#define TINY_CONVERSION_UOPTOLLVM_KERNELLOWERING_H

#include "Tiny/Dialect/UOp/Entry.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include <array>
#include <memory>

namespace mlir {
class LLVMTypeConverter;
} // namespace mlir

namespace tiny {

/// What a kind of device has, for `checkKernel`.
struct KernelDevice {
  /// As messages say it: "CPU".
  llvm::StringLiteral name;
  bool hasWorkgroups;
  /// A dialect beside LLVM's of which operations may be left; empty for none.
  llvm::StringLiteral dialect = "";
  /// Lanes hold fragments of matrices.
  bool hasFragments = false;
  /// It may have instructions of x86 for sums of products of bytes.
  bool hasDots = false;
  /// Its powers of two of f32 may be instructions.
  bool hasExp2 = false;
  /// It copies boxes by itself, with barriers that count bytes.
  bool hasPhases = false;
};

/// Reports everything in a kernel that the device cannot run, at its place; gives its grid.
mlir::FailureOr<uop::GridPlan> checkKernel(uop::FuncOp func, const KernelDevice &device);

/// Puts i16 in place of bf16 in a kernel that only moves bf16.
void holdAsIntegers(mlir::LLVM::LLVMFuncOp kernel);

/// Leaves LLVM no choice about the order of float arithmetic.
void fixOrder(mlir::LLVM::LLVMFuncOp kernel);

/// Rewrites one kernel that `checkKernel` accepted. As it stands, to the CPU's interface.
class KernelLowering {
public:
  KernelLowering(uop::FuncOp func, const uop::GridPlan &grid, kernel::EntryAttr entry);
  virtual ~KernelLowering() = default;

  /// Replaces the `uop.func` by an `llvm.func` of the same name. Iterative: inner regions first.
  mlir::LLVM::LLVMFuncOp run();

protected:
  /// What loads and stores need to know of a buffer.
  struct Buffer {
    mlir::Value pointer;
    mlir::MemRefType type;
    bool written = false;
    mlir::LLVM::AliasScopeAttr scope;
    /// Its own scope, and those of the buffers it cannot overlap; null where nothing is known.
    mlir::ArrayAttr scopes, noalias;
  };

  /// What a device does its own way. The builder stands at the kernel's beginning.
  /// Puts the device's arguments in place of the buffers, and finds the buffers' addresses.
  virtual void loadBuffers();
  /// Finds the addresses of `uop.local` and `uop.register`.
  virtual void placeTiles(mlir::ArrayRef<mlir::Operation *> tiles);
  /// Finds the indices along hardware axes.
  virtual void loadGrid();
  virtual void lowerSpecial(uop::SpecialOp op);
  virtual void lowerPrefetch(uop::PrefetchOp op);
  /// What lanes do together, which `checkKernel` leaves to devices with workgroups.
  virtual void lowerParallel(mlir::Operation *op);
  /// Of an access to what is only read.
  virtual unsigned getReadAlignment(mlir::Type type) const { return 1; }
  /// Of an access without a mask at this index, where more is known than `least`.
  virtual unsigned getAlignmentAt(mlir::Value index, mlir::Type type, unsigned least) const { return least; }

  /// LowerKernel.cpp
  void makeScopes(mlir::ArrayRef<mlir::Operation *> tiles);
  void lower(mlir::Operation *op);
  void lowerMod(mlir::Operation *op);

  /// LowerDot.cpp
  void lowerDot(uop::DotOp op);

  /// LowerControl.cpp
  void lowerFor(uop::ForOp op);
  void lowerIf(uop::IfOp op);
  /// Splits the block before `op` and makes what is between the two halves conditional. Returns the block that runs
  /// where the condition holds; it ends with a branch to the block that begins with `op`.
  mlir::Block *makeConditional(mlir::Operation *op, mlir::Value condition);

  /// LowerMemory.cpp
  void lowerLoad(uop::LoadOp op);
  void lowerGather(uop::GatherOp op);
  void lowerStore(uop::StoreOp op);
  unsigned getAlignment(const Buffer &buffer, mlir::Type type) const;
  mlir::Value loadElements(mlir::Location loc, const Buffer &buffer, mlir::Value index, mlir::Type type);
  mlir::Value loadMasked(mlir::Location loc, const Buffer &buffer, mlir::Value index, mlir::Value mask,
                         mlir::VectorType type);
  void storeElements(mlir::Location loc, const Buffer &buffer, mlir::Value index, mlir::Value value);
  mlir::Value address(mlir::Location loc, const Buffer &buffer, mlir::Value index, bool inbounds);
  /// Between what a value is in a register and in memory: i1 as a byte, index as 64 bits.
  mlir::Value fromMemory(mlir::Location loc, mlir::Value value, mlir::Type type);
  mlir::Value toMemory(mlir::Location loc, mlir::Value value);

  uop::FuncOp func;
  const uop::GridPlan &grid;
  kernel::EntryAttr entry;
  mlir::OpBuilder builder;
  mlir::LLVM::LLVMFuncOp target;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  std::array<mlir::Value, 3> gridIndices;
  /// Of the scratch memory that has been handed out.
  int64_t scratchBytes = 0;
};

/// What the passes to LLVM share: checks and rewrites each kernel, then upstream's patterns convert what is left of it.
class KernelConverter {
public:
  explicit KernelConverter(mlir::MLIRContext *context);

  /// Rewrites one checked kernel, or reports what does not fit.
  using Lower = llvm::function_ref<mlir::FailureOr<mlir::LLVM::LLVMFuncOp>(uop::FuncOp, const uop::GridPlan &,
                                                                           kernel::EntryAttr)>;
  mlir::LogicalResult convert(mlir::ModuleOp module, const KernelDevice &device, Lower lower) const;

private:
  std::shared_ptr<mlir::LLVMTypeConverter> converter;
  mlir::FrozenRewritePatternSet patterns;
};

} // namespace tiny

#endif // TINY_CONVERSION_UOPTOLLVM_KERNELLOWERING_H
