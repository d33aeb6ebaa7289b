// Writes the ordered program of one kernel.
#ifndef TINY_LIB_CONVERSION_KERNELTOUOP_EMITTER_H
#define TINY_LIB_CONVERSION_KERNELTOUOP_EMITTER_H

#include "LoopNest.h"
#include "Tiny/Algebra/Cost/Machine.h"
#include "Tiny/Analysis/Kernel/DotProduct.h"
#include "Tiny/Analysis/Kernel/MatrixProduct.h"
#include "Tiny/Analysis/Kernel/VectorAxes.h"
#include "Tiny/Dialect/UOp/UOp.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace tiny::kernel_to_uop {

struct EmitOptions {
  bool vectorize = true, contract = true;
  /// Lanes of a workgroup reduce together.
  bool hasLanes = false;
  /// Lanes of a subgroup; 0 where there are none.
  int64_t subgroup = 0;
  /// Instructions pick any elements of two registers.
  bool picksFromTwo = false;
  /// Products that the device has an instruction for.
  llvm::ArrayRef<cost::MatrixShape> matrices;
  int64_t maxCopies = kernel::kMostPointsWritten;
};

/// Fills the body of a uop.func from a kernel. A kernel value becomes a packet: one value per point of the copy axes it
/// depends on, row-major, the outermost axis slowest; each is a vector where the value depends on one of the axes that
/// are lanes. What depends on a range of kind dot has its points next to each other in each lane. An index is also
/// wanted as the scalar of the first lane, since that is where a vector access begins, and at the corner of the
/// matrices along ranges of kind fragment.
class Emitter {
public:
  Emitter(kernel::FuncOp kernel, uop::FuncOp target, const EmitOptions &options);
  /// Emits the body. Reports operations that cannot be put in order.
  mlir::LogicalResult run();

private:
  enum Form : unsigned { Full = 0, FirstLane = 1, Corner = 2 };
  using AxisList = mlir::SmallVector<unsigned>;
  using Packet = mlir::SmallVector<mlir::Value>;

  /// What is ordered inside one block: an operation, or a child loop as a whole.
  struct Item {
    mlir::Operation *op = nullptr;
    int loop = LoopNest::kRoot;
    unsigned priority = 0, position = 0, pending = 0;
    mlir::SmallVector<unsigned> users;
  };

  /// A factor of a product of fragments: a matrix in a tile, what the lanes hold, or neither where all of it is 1.
  struct FragmentFactor {
    kernel::LoadOp load;
    mlir::Value held;
    int64_t stride = 0;
    bool isTransposed = false;
    uop::FragmentType type;
  };
  struct FragmentProduct {
    FragmentFactor left, right;
    uop::FragmentType sum;
    /// Products behind each other, along the range of the depth.
    int64_t parts = 1;
  };

  mlir::LogicalResult collectLive();
  /// Of what may come next in a block the least.
  unsigned getPriority(mlir::Operation *op) const;
  mlir::LogicalResult emitHardwareAxes();
  /// The index along a range whose points stand next to each other in vectors.
  void placePoints(kernel::RangeOp range);
  /// LaneAxes.cpp: which local axis each range of lanes is.
  mlir::LogicalResult placeLanes();
  /// Pairs of ranges that something depends on.
  using RangePairs = llvm::DenseSet<std::pair<unsigned, unsigned>>;
  /// Ranges that something depends on together, and that are all lanes of a longer one: rows and columns of lanes that
  /// move neighbours elsewhere, the inner ones first. None where there are not several.
  AxisList findParts(mlir::ArrayRef<unsigned> ranges, const RangePairs &together) const;
  /// Makes them local axes that share one axis of the hardware, whose index is returned.
  mlir::Value placeParts(mlir::ArrayRef<unsigned> parts);
  int64_t getExtent(unsigned axis) const;
  /// The value for the first lane only along the local axes that the operation does not depend on: else all of their
  /// lanes would store it.
  mlir::Value gateLanes(mlir::Operation *op, mlir::Value gate);
  /// The number of local axes that a reduce is over, the first ones.
  mlir::FailureOr<unsigned> countGroupAxes(kernel::ReduceOp reduce);
  /// Whether lanes share the stage's tile, so that they wait for each other before and after it is filled.
  bool isShared(kernel::StageOp stage) const {
    return !localAxes.empty() && stage.getSpace() == kernel::StageSpace::Local;
  }
  mlir::LogicalResult checkShared(kernel::StageOp stage);
  mlir::Value reduceGroup(kernel::ReduceOp reduce, mlir::Value value);
  /// Fragments.cpp: sums of products of matrices, which a subgroup computes together.
  bool isFragment(kernel::RangeOp range) const;
  mlir::SmallVector<kernel::RangeOp> getFragmentRanges(mlir::Value value) const;
  mlir::LogicalResult findFragments();
  mlir::LogicalResult findProduct(kernel::ReduceOp reduce, kernel::RangeOp depth, const kernel::MatrixProduct &match);
  /// Makes the factor one of what the lanes hold. Elements are rounded as they become it.
  void setHeld(FragmentFactor &factor, mlir::Value value);
  /// Whether the reduction sums up rows of rounded elements that the lanes hold: a product with a matrix of ones.
  bool findRowProduct(kernel::ReduceOp reduce, kernel::RangeOp depth);
  /// Finds tiles in registers along lanes and fragments, and which range of each load walks along which one of its
  /// tile.
  mlir::LogicalResult findHeldTiles();
  mlir::LogicalResult findHeldTile(kernel::LoadOp load, kernel::StageOp stage);
  /// Whether the lanes that read a tile are those that hold it.
  mlir::LogicalResult checkHeldLanes();
  /// Reductions along the columns of what the lanes hold; nothing else may vary along two columns.
  mlir::LogicalResult findRowReduces();
  bool isHeldTile(mlir::Value buffer) const;
  bool isColumns(kernel::RangeOp range) const;
  mlir::LogicalResult checkSubgroupStores(mlir::ArrayRef<kernel::RangeOp> subgroups);
  mlir::LogicalResult placeSubgroups();
  mlir::LogicalResult placeFragments();
  Packet buildFragments(kernel::ReduceOp reduce, const FragmentProduct &product);
  void combineFragments(kernel::ReduceOp reduce, const FragmentProduct &product, Packet &accumulators);
  /// Gives a lane its elements of the sums.
  void setElements(kernel::ReduceOp reduce, mlir::ArrayRef<mlir::Value> accumulators);
  /// For copies along these axes and a lane's elements of each: where each element of the first copy is, then of the
  /// second, in a packet over `copyAxes`.
  mlir::SmallVector<unsigned> findElements(mlir::ArrayRef<unsigned> outer, mlir::ArrayRef<unsigned> copyAxes) const;
  /// Combines what other lanes hold of the rows.
  void reduceRows(kernel::ReduceOp reduce, mlir::MutableArrayRef<mlir::Value> accumulators);
  void emitHeldStage(kernel::StageOp stage);
  void emitHeldLoad(kernel::LoadOp load);

  /// Dots.cpp: sums of products of bytes, four in each lane.
  mlir::LogicalResult findDots();
  /// The range of kind dot that the value depends on, if any.
  std::optional<unsigned> getDotAxis(mlir::Value value) const;
  /// The lanes of an operand as one of many bytes has them: each as often as that has bytes, or all of its bytes in
  /// each lane.
  mlir::Value spread(mlir::Value value, mlir::Value operand, int64_t lanes);
  /// The load's gate for so many bytes: what all lanes read together is read where any of them asks for it.
  mlir::Value narrowGate(kernel::LoadOp load, mlir::Value gate, int64_t bytes);
  void emitDotLoad(kernel::LoadOp load);
  void combineDots(const kernel::DotProduct &product, Packet &accumulators);

  void findProducts();
  void markForms();
  mlir::LogicalResult buildItems();
  mlir::LogicalResult addEdge(mlir::Operation *user, int home, mlir::Value operand);

  mlir::LogicalResult emitBlock(int loop);
  mlir::LogicalResult emitLoop(unsigned loop);
  mlir::LogicalResult emitOp(mlir::Operation *op);
  mlir::LogicalResult emitReduce(kernel::ReduceOp reduce);
  void emitLanewise(mlir::Operation *op, Form form);
  void emitLoad(kernel::LoadOp load, Form form);
  /// Loads every `distance`-th element, forwards from `index` or backwards: reads all elements up to that of the last
  /// lane, and drops those between.
  mlir::Value emitStridedLoad(kernel::LoadOp load, int64_t lanes, int64_t distance, mlir::Value buffer,
                              mlir::Value index, mlir::Value gate);
  /// A vector of these lanes of the value. Computes index arithmetic and comparisons that they come from again, up to
  /// `depth` in a chain.
  mlir::Value pickLanes(mlir::Value value, mlir::ArrayRef<int64_t> picked, unsigned depth = 4);
  mlir::Value reverseLanes(mlir::Value value);
  void emitStore(kernel::StoreOp store);
  /// Interleave.cpp: stores whose copies along a range lie between the lanes, as whole vectors.
  void emitInterleavedStore(kernel::StoreOp store, int64_t distance);
  /// The first lane of each value, then the second of each.
  mlir::Value interleave(mlir::Location loc, mlir::ArrayRef<mlir::Value> values);
  /// The same from all of them behind each other, in one shuffle.
  mlir::Value interleaveBehind(mlir::Location loc, mlir::ArrayRef<mlir::Value> values);
  mlir::Value interleaveGates(mlir::Location loc, mlir::ArrayRef<mlir::Value> gates, int64_t lanes);

  /// Tiles.cpp: tiles in memory.
  mlir::LogicalResult emitStage(kernel::StageOp stage);
  mlir::Value getTile(kernel::StageOp stage);
  /// For each copy of the stage, where its first lane stands in the tile.
  Packet findPlaces(kernel::StageOp stage);
  /// Reductions in tiles: the stage begins with the identity, and what each round adds is loaded before and stored.
  mlir::LogicalResult checkAccumulated(kernel::ReduceOp reduce);
  Packet loadAccumulators(kernel::StageOp stage);
  void emitNeutral(kernel::StageOp stage);

  /// Reductions: the packets of accumulators, one after another, each over the copy axes of its own result.
  Packet buildInits(kernel::ReduceOp reduce);
  void combineKind(kernel::ReduceOp reduce, Packet &accumulators);
  void combineRegion(kernel::ReduceOp reduce, Packet &accumulators);
  void setResults(kernel::ReduceOp reduce, mlir::ArrayRef<mlir::Value> accumulators);
  int64_t getAccumulatorLanes(kernel::ReduceOp reduce, mlir::Value result) const;
  /// Combines an accumulator's lanes, if the reduce is over the axis of the lanes.
  mlir::Value combineLanes(kernel::ReduceOp reduce, mlir::Value result, mlir::Value accumulator);

  /// Scans: what the loop that they follow carries.
  Packet buildInits(kernel::ScanOp scan);
  mlir::LogicalResult emitScan(kernel::ScanOp scan);

  /// The axis along which a value has lanes, and their number, with the points of a range of kind dot in each. An
  /// operation has its operands' lanes, which lie along one axis.
  std::optional<unsigned> getLaneAxis(mlir::Value value) const;
  int64_t getLanes(mlir::Value value) const;
  int64_t getLanesOfOperands(mlir::Operation *op) const;
  bool hasLanes(mlir::Value value) const { return getLaneAxis(value).has_value(); }
  /// The form that the value has where this one is asked for: only indices along lanes or fragments have others.
  Form getForm(mlir::Value value, Form form) const;
  /// In its corner a matrix has no copies.
  AxisList getCopyAxes(mlir::Value value, Form form = Full) const;
  /// How many copies there are along the axis.
  int64_t countPoints(unsigned axis) const;
  AxisList getCopyAxesOfOperands(mlir::Operation *op) const;
  int64_t countCopies(mlir::ArrayRef<unsigned> copyAxes) const;
  /// For each point of `from` the position of the same point in a packet over `to`, a subset.
  mlir::SmallVector<unsigned> project(mlir::ArrayRef<unsigned> from, mlir::ArrayRef<unsigned> to) const;
  /// An operand's values for each point of `copyAxes`.
  Packet read(mlir::Value operand, mlir::ArrayRef<unsigned> copyAxes, Form form = Full) const;

  mlir::Value constant(mlir::TypedAttr attr);
  /// The value in each of `lanes` lanes. A vector, or a single lane, stays as it is.
  mlir::Value broadcast(mlir::Value value, int64_t lanes);
  /// One copy of a lanewise operation, on vectors if an operand is one; integer results fold.
  mlir::SmallVector<mlir::Value> clone(mlir::Operation *op, mlir::ValueRange operands);

  kernel::FuncOp kernel;
  uop::FuncOp target;
  EmitOptions options;
  mlir::OpBuilder builder;

  mlir::SmallVector<mlir::Operation *> order;
  std::optional<kernel::RangeSets> sets;
  std::optional<LoopNest> nest;
  mlir::SmallVector<unsigned> laneAxes;
  /// By local axis: the ranges that are its lanes, and its index.
  mlir::SmallVector<AxisList> localAxes;
  mlir::SmallVector<mlir::Value> localIndices;
  kernel::LaneDistances distances;

  /// Products that are folded into the sum of a reduce, with the loads and casts of their factors where these are
  /// matrices.
  llvm::DenseSet<mlir::Operation *> products;
  /// By reduce, sums of matrices; their rows and columns, and the axis that stands for all of these, along which a lane
  /// has so many copies.
  llvm::MapVector<mlir::Operation *, FragmentProduct> fragmentProducts;
  /// By reduce, sums of products of bytes.
  llvm::DenseMap<mlir::Operation *, kernel::DotProduct> dots;
  /// Tiles in registers: what the lanes hold of each; by load, the axis of the tile's value for each of its own.
  llvm::DenseMap<mlir::Operation *, Packet> heldTiles;
  llvm::DenseMap<mlir::Operation *, llvm::DenseMap<unsigned, unsigned>> heldLoads;
  llvm::DenseSet<mlir::Operation *> rowReduces;
  kernel::RangeOp fragmentRows;
  /// Ranges along whose columns the lanes hold elements, in the same places of each.
  llvm::SmallSetVector<kernel::RangeOp, 4> fragmentColumns;
  std::optional<unsigned> fragmentAxis;
  int64_t heldElements = 0;
  /// Subgroups that hold a fragment together.
  int64_t teamSubgroups = 1;
  llvm::DenseSet<std::pair<mlir::Value, unsigned>> wanted;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, Packet> packets;
  llvm::DenseMap<mlir::Operation *, Packet> accumulators, running;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  mlir::Operation *lastConstant = nullptr;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> broadcasts;

  mlir::SmallVector<Item> items;
  /// By loop + 1: the items of its block. By loop: the reduces that close it, and its item.
  mlir::SmallVector<mlir::SmallVector<unsigned>> blocks;
  mlir::SmallVector<mlir::SmallVector<kernel::ReduceOp>> closing;
  /// By loop: the scans that follow it.
  mlir::SmallVector<mlir::SmallVector<kernel::ScanOp>> scanning;
  /// By loop: shared tiles that it begins to fill.
  mlir::SmallVector<mlir::SmallVector<kernel::StageOp>> filling;
  /// By loop: tiles that begin to accumulate in it.
  mlir::SmallVector<mlir::SmallVector<kernel::StageOp>> accumulating;
  mlir::SmallVector<unsigned> itemOfLoop;
  llvm::DenseMap<mlir::Operation *, unsigned> itemOfOp;
};

} // namespace tiny::kernel_to_uop

#endif // TINY_LIB_CONVERSION_KERNELTOUOP_EMITTER_H
