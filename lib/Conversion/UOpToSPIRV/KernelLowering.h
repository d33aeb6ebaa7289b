// The worker behind convert-uop-to-spirv: one kernel from uop operations to spirv, scf and arith. What is left after it
// (arith, math, scf) upstream's patterns convert.
#ifndef TINY_LIB_CONVERSION_UOPTOSPIRV_KERNELLOWERING_H
#define TINY_LIB_CONVERSION_UOPTOSPIRV_KERNELLOWERING_H

#include "Tiny/Dialect/UOp/Entry.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

namespace tiny::spirv_lowering {

/// What a number is in memory: i1 as a byte, bf16 and f8 as integers. Null where there is no form for it.
mlir::Type getStorageType(mlir::Type element);

/// Gives what the device lacks and the kernel only moves a type that it has: f16 that of its bits, an integer of 64
/// bits that of two words, `vector<2xi32>`. Reports the first value of a type that the device lacks.
mlir::LogicalResult holdDeviceTypes(uop::FuncOp func);

/// Whether the type is that of two words.
bool isWords(mlir::Type type);

/// Bits of the kernel's indices: 64 where 32 might not hold one.
unsigned getIndexBits(uop::FuncOp func);

/// Reports what lanes do together that has no form in SPIR-V; adds the capabilities that it needs.
mlir::LogicalResult checkParallel(uop::FuncOp func, llvm::SetVector<mlir::spirv::Capability> &capabilities);

/// Whether the kernel has fragments of matrices.
bool hasMatrices(uop::FuncOp func);

/// Reports an operation on fragments that has no form in SPIR-V; adds the capabilities that it needs.
mlir::LogicalResult checkFragments(mlir::Operation *op, llvm::SetVector<mlir::spirv::Capability> &capabilities);

/// Replaces operations that upstream's patterns have no form for.
void expandOps(uop::FuncOp func);

/// Rewrites one kernel.
class KernelLowering {
public:
  /// `hasVulkanModel`: the module has Vulkan's memory model.
  KernelLowering(uop::FuncOp func, const uop::GridPlan &grid, kernel::EntryAttr entry, mlir::spirv::FuncOp target,
                 bool hasVulkanModel);

  /// Fills the function, adds its entry point, and puts a declaration in the kernel's place.
  void run();

private:
  /// An address, and the constants that lead from it to the array.
  struct Buffer {
    mlir::Value pointer;
    bool isStruct;
    int64_t size;
  };

  void makeVariables();
  mlir::Value addressOf(mlir::spirv::GlobalVariableOp variable);
  /// A number, or three of them, that the device gives each lane.
  mlir::spirv::GlobalVariableOp getBuiltIn(mlir::spirv::BuiltIn builtIn, bool isVector = true);
  /// The size of subgroups, for the runtime to see.
  mlir::Value getSubgroupSize(mlir::Location loc);
  mlir::Value readBuiltIn(mlir::Location loc, mlir::spirv::BuiltIn builtIn);
  void placeTile(mlir::Operation *tile);

  void lower(mlir::Operation *op);
  void lowerSpecial(uop::SpecialOp op);
  void lowerFor(uop::ForOp op);
  void lowerIf(uop::IfOp op);
  void lowerLoad(uop::LoadOp op);
  void lowerStore(uop::StoreOp op);
  /// A lane's index along an axis of its workgroup.
  mlir::Value readLane(mlir::Location loc, unsigned axis);

  /// LowerParallel.cpp
  void lowerShuffle(uop::ShuffleOp op);
  void lowerSubgroupReduce(uop::SubgroupReduceOp op);
  void lowerAtomic(uop::AtomicOp op);
  void lowerCopy(uop::CopyAsyncOp op);

  /// LowerFragments.cpp
  void holdMatrices();
  void lowerFragmentFill(mlir::Operation *op);
  void lowerFragmentLoad(uop::FragmentLoadOp op);
  void lowerFragmentStore(uop::FragmentStoreOp op);
  void lowerMma(mlir::Operation *op);
  mlir::Value makeStride(mlir::Location loc, int64_t stride);
  /// What is said at each access to memory that other lanes see; null where nothing is.
  mlir::spirv::MemoryAccessAttr getAccess();

  /// Waits for the lanes of the scope, which see what the others wrote.
  void synchronize(mlir::Location loc, mlir::spirv::Scope scope);
  mlir::Value accessElement(mlir::Location loc, const Buffer &buffer, mlir::Value index);
  mlir::Value loadElement(mlir::Location loc, const Buffer &buffer, mlir::Value index);
  void storeElement(mlir::Location loc, mlir::Value value, const Buffer &buffer, mlir::Value index);

  uop::FuncOp func;
  const uop::GridPlan &grid;
  kernel::EntryAttr entry;
  mlir::spirv::ModuleOp module;
  mlir::spirv::FuncOp target;
  mlir::OpBuilder builder;
  mlir::Type indexType;
  bool hasVulkanModel;
  /// Lanes of a subgroup where the kernel has to do with subgroups, else 0.
  int64_t subgroupSize = 0;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  llvm::SmallVector<mlir::Attribute> interface;
};

} // namespace tiny::spirv_lowering

#endif // TINY_LIB_CONVERSION_UOPTOSPIRV_KERNELLOWERING_H
