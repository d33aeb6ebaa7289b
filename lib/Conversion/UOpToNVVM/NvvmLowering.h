// The worker behind convert-uop-to-nvvm. Buffers are arguments, hardware axes special registers, and tiles of a
// workgroup lie in a global of its address space. Pointers are generic: LLVM finds out which ones point to global
// memory, since a kernel's arguments do, and which ones to that of the workgroup.
#ifndef TINY_LIB_CONVERSION_UOPTONVVM_NVVMLOWERING_H
#define TINY_LIB_CONVERSION_UOPTONVVM_NVVMLOWERING_H

#include "Tiny/Conversion/UOpToLLVM/KernelLowering.h"

namespace tiny {

/// Lanes of a warp.
inline constexpr int64_t kWarp = 32;
/// Where a pointer into a workgroup's memory points.
inline constexpr unsigned kWorkgroupSpace = 3;
/// Where one to a buffer points.
inline constexpr unsigned kGlobalSpace = 1;

/// Bytes at a multiple of which buffers and tiles begin, and that a lane moves at once.
inline constexpr int64_t kVectorBytes = 16;

/// A number of which the index is a multiple, at most `kWarp`.
int64_t getDivisor(mlir::Value index, unsigned depth = 0);

/// Whether mma.sync has such a fragment.
bool hasFragment(uop::FragmentType type);

/// Whether wgmma has it; what a lane holds of it; and whether the lane's elements lie across the lines of memory.
bool hasTeamFragment(uop::FragmentType type);
mlir::Type getHeldByTeam(uop::FragmentType type);
bool isTransposing(uop::FragmentLoadOp op, uop::FragmentType type);
/// Reports what teams do that has no form in PTX.
mlir::LogicalResult checkTeams(uop::FuncOp func);

/// Reports what lanes do together that has no form in PTX.
mlir::LogicalResult checkParallel(uop::FuncOp func);

class NvvmLowering : public KernelLowering {
public:
  using KernelLowering::KernelLowering;

  mlir::LLVM::LLVMFuncOp run();

private:
  /// Workgroups that a multiprocessor has to have room for, which bounds the registers of a lane; 0 where the assembler
  /// may choose. It does not know what tiles a launch gives, and would hold registers back for workgroups that never
  /// come, and spill. Values of 64 bits, which take pairs of registers, it fits badly into those that it chooses.
  int64_t countWorkgroups();
  /// What is known of the buffers: what nothing writes is read through the cache for constants.
  void describeBuffers();
  void loadBuffers() override;
  void placeTiles(mlir::ArrayRef<mlir::Operation *> tiles) override;
  /// The memory of all tiles of the workgroup, in front of the kernel.
  mlir::LLVM::GlobalOp makeGlobal();
  /// Indices are read where they are used.
  void loadGrid() override {}
  void lowerSpecial(uop::SpecialOp op) override;
  /// There is nothing to be gained: other lanes run meanwhile.
  void lowerPrefetch(uop::PrefetchOp op) override { op.erase(); }
  unsigned getReadAlignment(mlir::Type type) const override;
  unsigned getAlignmentAt(mlir::Value index, mlir::Type type, unsigned least) const override;

  /// A lane's index along an axis of its workgroup, below the extent.
  mlir::Value readLane(mlir::Location loc, unsigned axis, int64_t extent);
  mlir::Value readGroup(mlir::Location loc, unsigned axis, int64_t extent);
  /// A lane's number in its workgroup.
  mlir::Value readLaneNumber(mlir::Location loc);

  /// LowerParallel.cpp
  void lowerParallel(mlir::Operation *op) override;
  mlir::Value shuffle(mlir::Location loc, uop::ShuffleMode mode, mlir::Value value, mlir::Value offset);
  void lowerAtomic(uop::AtomicOp op);
  void lowerCopy(uop::CopyAsyncOp op);

  /// LowerBulk.cpp
  void lowerPhases(mlir::Operation *op);
  void lowerBulk(uop::CopyBulkOp op);
  /// The address of an element of a tile, in 32 bits.
  mlir::Value findInWorkgroup(mlir::Location loc, mlir::Value tile, mlir::Value index);
  bool hasPhases();
  /// Shows to copies and to wgmma what lanes wrote.
  void writeProxyFence(mlir::Location loc);

  /// ShareGates.cpp: reads elements of the buffer where gates are off, so that no load has a choice of its own.
  void shareGates();

  /// LowerMath.cpp
  void lowerExponentials();
  void shareReciprocals();

  /// LowerFragments.cpp
  /// Puts what a lane holds in place of the types of fragments.
  void holdFragments();
  mlir::Value makeIndex(mlir::Location loc, int64_t value);
  mlir::Value readLaneOfWarp(mlir::Location loc);
  std::pair<mlir::Value, mlir::Value> readGroupAndPlace(mlir::Location loc);
  mlir::Value findFirst(mlir::Location loc, uop::FragmentType type, mlir::Value index, int64_t rowStride,
                        int64_t columnStride);
  void lowerFragmentFill(uop::FragmentFillOp op);
  void lowerFragmentLoad(uop::FragmentLoadOp op);
  /// Whether ldmatrix reads the fragment.
  bool isOfMatrices(uop::FragmentLoadOp op);
  /// By load of the second half of a product's right factor, that of the first.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> findHalves() const;
  /// Finds fragments that one ldmatrix reads.
  void groupLoads();
  mlir::Value loadMatrices(uop::FragmentLoadOp op, uop::FragmentType type);
  void lowerFragmentStore(uop::FragmentStoreOp op);
  void lowerFragmentPlace(uop::FragmentPlaceOp op);
  void lowerFragmentReduce(uop::FragmentReduceOp op);
  /// Keeps the first one of those that combine the same elements.
  void mergeRowReduces();
  void lowerFragmentPack(uop::FragmentPackOp op);
  /// RoundPairs.cpp
  void roundPairs();
  void widenPairs(mlir::LLVM::LLVMFuncOp kernel);
  /// Pairs of numbers of 16 bits that the two numbers are, or maxima of such pairs; null where they are not.
  mlir::Value findRoundedPair(mlir::Value low, mlir::Value high);
  /// Lowers a maximum of rows whose elements were rounded in pairs. Whether they were.
  bool reduceRoundedRows(uop::FragmentReduceOp op);
  /// StartSums.cpp: begins sums of products with what is added to them.
  void startSums();
  /// Finds pairs of products that one instruction of twice their depth computes.
  void mergeProducts();
  void lowerMma(uop::MmaOp op);

  /// LowerTeams.cpp
  bool hasTeams();
  /// Whether lanes of teams read left factors into registers.
  bool readsLeftFactors();
  /// Which warp of its warpgroup the lane is in.
  mlir::Value readWarpOfTeam(mlir::Location loc);
  mlir::Value divideExact(mlir::Location loc, mlir::Value index, int64_t divisor);
  mlir::Value makeDescriptor(uop::FragmentLoadOp op, uop::FragmentType type);
  /// Of the rows that the lane's group has in a matrix, the first one's piece, and half its place in that.
  std::pair<mlir::Value, mlir::Value> findPairOfRows(mlir::Location loc, mlir::Value group);
  void loadLeftFactor(uop::FragmentLoadOp op);
  void lowerTeamPlace(uop::FragmentPlaceOp op);
  /// Lowers products of one block that are under way together, and waits for them in front of `end`.
  void lowerSeries(mlir::MutableArrayRef<uop::MmaOp> products, mlir::Operation *end);
  void lowerMmaWait(uop::MmaWaitOp op);
  /// Products by one number, which each warp computes for its rows by mma.sync: it holds the left factor as that
  /// instruction does, and one block of columns is like all others.
  void lowerRowSums();
  /// Products of warpgroups, with their fences and waits.
  void lowerTeams();

  /// Of each of the entry's maps, the parameter.
  llvm::DenseMap<mlir::Attribute, mlir::Value> maps;
  /// Where a kernel has barriers of phases: where each tile begins in the workgroup's memory, in 32 bits.
  llvm::DenseMap<mlir::Value, mlir::Value> tileBegins;
  /// Tiles of the kernel are read by wgmma.
  bool readsByProxy = false;
  /// Lanes of teams have rows of sums that are next to each other.
  bool hasPairsOfRows = false;
  /// Of each operation on fragments: the fragment's type, of a product that of the left factor.
  llvm::DenseMap<mlir::Operation *, uop::FragmentType> fragments;
  /// Fragments of the same kind in a tile, by the first load: each `inner` of them lie `innerDistance` elements apart,
  /// and the next ones `distance` from these.
  struct LoadGroup {
    mlir::SmallVector<uop::FragmentLoadOp, 4> loads;
    int64_t distance = 0, inner = 1, innerDistance = 0;
  };
  class LoadGrouping;
  llvm::DenseMap<mlir::Operation *, LoadGroup> groups;
  /// What was loaded with the first one of a group.
  llvm::DenseMap<mlir::Operation *, mlir::Value> loadedBefore;
  /// The product of half a depth that is computed with this one, in front of it; and those that are.
  llvm::DenseMap<mlir::Operation *, uop::MmaOp> firstHalves;
  llvm::DenseSet<mlir::Operation *> isFirstHalf;
  std::vector<mlir::SmallVector<mlir::NamedAttribute>> bufferAttributes;
};

/// Adds what the value needs that stands behind the operation, in order. Whether it can stand in front of that.
bool collectBefore(mlir::Value value, mlir::Operation *place, llvm::SetVector<mlir::Operation *> &moved);

/// The index as a number and something else, if anything.
std::pair<mlir::Value, int64_t> splitIndex(mlir::Value index);

} // namespace tiny

#endif // TINY_LIB_CONVERSION_UOPTONVVM_NVVMLOWERING_H
