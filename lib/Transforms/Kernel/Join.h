// Joins instances of a program at some sizes: see kernel-join-instances.
#ifndef TINY_LIB_TRANSFORMS_KERNEL_JOIN_H
#define TINY_LIB_TRANSFORMS_KERNEL_JOIN_H

#include "InstanceNumbers.h"

#include "llvm/ADT/MapVector.h"

namespace tiny::kernel {

/// Loads of a tile, whose places in an instance are those of its own extents, go to the same points of the joined one:
/// it lies as its ranges' greatest extents say, however far they run.
void layOutTile(StageOp stage);

/// Joins the instances of a family into the first of them.
class Join {
public:
  /// `greatest` is at the greatest sizes; what it has of constants is all that there is of them.
  Join(llvm::ArrayRef<mlir::ModuleOp> instances, mlir::ModuleOp greatest, const FamilySizes &family)
      : instances(instances.begin(), instances.end()), greatest(greatest), family(family), fit(family.points),
        same(instances.size()) {}

  llvm::LogicalResult run();

private:
  using Peers = llvm::SmallVector<mlir::Operation *, 4>;

  llvm::LogicalResult pairOps(llvm::ArrayRef<mlir::Operation *> ops);
  llvm::LogicalResult pairBlocks(llvm::ArrayRef<mlir::Block *> blocks, mlir::Operation *parent);
  llvm::LogicalResult joinResults(mlir::Operation *op, llvm::ArrayRef<mlir::Operation *> peers);
  llvm::LogicalResult joinSignature(mlir::FunctionOpInterface function, llvm::ArrayRef<mlir::Operation *> peers);
  llvm::LogicalResult joinOperands(mlir::Operation *op, llvm::ArrayRef<mlir::Operation *> peers);
  llvm::LogicalResult joinAttributes(mlir::Operation *op, llvm::ArrayRef<mlir::Operation *> peers);
  llvm::LogicalResult joinRange(RangeOp range, llvm::ArrayRef<mlir::Operation *> peers);
  llvm::LogicalResult joinAlias(AliasOp alias, llvm::ArrayRef<mlir::Operation *> peers);
  void copyPart(AliasOp alias, const Dim &offset, const Dim &count);
  /// Copies `count` elements from one place to another.
  void launchPart(mlir::OpBuilder &builder, mlir::Value from, mlir::Value to, const Dim &read, const Dim &written,
                  const Dim &count);
  llvm::LogicalResult joinLoop(LoopOp loop, llvm::ArrayRef<mlir::Operation *> peers);
  llvm::LogicalResult joinFill(FillOp fill, llvm::ArrayRef<mlir::Operation *> peers);
  llvm::LogicalResult joinConstant(ConstantOp constant, llvm::ArrayRef<mlir::Operation *> peers);
  bool joinElements(ConstantOp constant, llvm::ArrayRef<mlir::Operation *> peers);
  bool joinSteps(ConstantOp constant, llvm::ArrayRef<mlir::Operation *> peers, llvm::ArrayRef<Dim> shape);
  FuncOp makeKernel(llvm::StringRef name, mlir::TypeRange buffers, unsigned reads, mlir::Location loc);
  mlir::ElementsAttr findWhole(ConstantOp constant, llvm::ArrayRef<Dim> shape);
  llvm::LogicalResult joinInterface(ProgramOp program, llvm::ArrayRef<mlir::Operation *> peers);
  mlir::FailureOr<mlir::DictionaryAttr> joinTensor(ProgramOp program, llvm::ArrayRef<mlir::DictionaryAttr> peers);
  /// The type of `buffer`, if there is one, at the greatest sizes; its elements are counted.
  mlir::FailureOr<mlir::Type> joinBuffer(mlir::Operation *op, llvm::ArrayRef<mlir::Type> types,
                                         mlir::Value buffer = mlir::Value());
  std::optional<SizedNumber> joinNumbers(llvm::ArrayRef<mlir::TypedAttr> values);
  std::optional<llvm::SmallVector<Dim>> joinShapes(llvm::ArrayRef<mlir::ShapedType> types);
  FuncOp makeCopyKernel(llvm::ArrayRef<Dim> extents, llvm::ArrayRef<Dim> source, llvm::ArrayRef<Dim> target,
                        mlir::MemRefType from, mlir::MemRefType to, mlir::Location loc);
  void launchCopy(mlir::OpBuilder &builder, llvm::ArrayRef<Dim> extents, llvm::ArrayRef<Dim> source,
                  llvm::ArrayRef<Dim> target, mlir::Value from, mlir::Value to);
  void noteMost(llvm::ArrayRef<mlir::DictionaryAttr> peers);
  void passSizes();
  llvm::LogicalResult writeSizes(ProgramOp program);
  llvm::LogicalResult orderBySizes(ProgramOp program);
  /// Whether all that kernels read and write lies within what there is, also at the least sizes.
  llvm::LogicalResult checkAccesses(ProgramOp program);
  llvm::SmallVector<unsigned, 2> listComputed(mlir::Operation *item, mlir::Value sizes);

  mlir::InFlightDiagnostic emitDifference(mlir::Operation *op, llvm::ArrayRef<mlir::Operation *> peers, unsigned peer);
  std::string describe(unsigned instance) const;
  int64_t getMost(const Dim &polynomial) const;
  mlir::Value makePositive(mlir::Value value, const Dim &polynomial);
  KernelSizes &getSizes(FuncOp kernel);

  llvm::SmallVector<mlir::ModuleOp> instances;
  mlir::ModuleOp greatest;
  const FamilySizes &family;
  DimFit fit;
  /// In the order of the walk: each operation of the first instance, and its peers in all of them.
  std::vector<std::pair<mlir::Operation *, Peers>> pairs;
  /// What the values of each instance are called in the first one.
  std::vector<llvm::DenseMap<mlir::Value, mlir::Value>> same;
  llvm::MapVector<mlir::Operation *, std::unique_ptr<KernelSizes>> sizesOf;
  /// The elements of buffers whose number follows the sizes.
  llvm::DenseMap<mlir::Value, Dim> counts;
  /// Sizes that are data, and what they are at most, where that follows other sizes.
  llvm::SmallVector<std::pair<unsigned, Dim>> mosts;
  /// How many buffers each kernel reads: the sizes come behind them.
  llvm::DenseMap<mlir::StringAttr, unsigned> readsOf;
  /// Copies whose length depends on the sizes.
  llvm::SmallVector<std::pair<CopyOp, Dim>> copies;
  /// Parts that are copied, since where they begin depends on the sizes, with their beginnings and lengths.
  llvm::SmallVector<std::tuple<AliasOp, Dim, Dim>> parts;
  /// Fills that kernels stand for.
  llvm::SmallVector<FillOp> replaced;
};

} // namespace tiny::kernel

#endif // TINY_LIB_TRANSFORMS_KERNEL_JOIN_H
