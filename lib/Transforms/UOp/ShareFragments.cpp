// uop-share-fragments: elements of fragments for lanes that cannot tell which ones they hold, by way of a tile.
//
// Of a sum with m x n elements that S lanes hold, lane l has the elements l, S + l, 2 S + l and so on, row by row.
#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/UOp/Parallel.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_UOPSHAREFRAGMENTS
#include "Tiny/Transforms/UOp/Passes.h.inc"

namespace {

bool isOfElements(Operation *op) {
  return isa<FragmentPlaceOp, FragmentElementsOp, FragmentReduceOp, FragmentPackOp>(op);
}

class Sharer {
public:
  Sharer(FuncOp func, int64_t subgroup) : func(func), builder(func.getContext()), subgroup(subgroup) {
    int64_t lanes = 1;
    for (int64_t extent : getWorkgroupExtents(func))
      lanes *= extent;
    subgroups = lanes / subgroup;
  }

  LogicalResult run(ArrayRef<Operation *> ops) {
    for (Operation *op : ops)
      if (failed(check(op)))
        return failure();
    builder.setInsertionPointToStart(&func.getBody().front());
    lane = special(HardwareAxis::Lane, subgroup);
    makeTiles(ops);
    for (Operation *op : ops) {
      builder.setInsertionPoint(op);
      loc = op->getLoc();
      llvm::TypeSwitch<Operation *>(op)
          .Case([&](FragmentPlaceOp place) { sharePlace(place); })
          .Case([&](FragmentElementsOp elements) { shareElements(elements); })
          .Case([&](FragmentReduceOp reduce) { reduceRows(reduce); })
          .Case([&](FragmentPackOp pack) { sharePack(pack); });
      op->erase();
    }
    return success();
  }

private:
  /// Each subgroup has a part of it, which holds the largest matrix.
  struct Tile {
    Value buffer;
    /// Where this subgroup's part begins.
    Value begin;
  };

  LogicalResult check(Operation *op) {
    if (countTeam(op) > 1)
      return op->emitOpError("is of several subgroups, whose lanes cannot tell which elements they hold");
    Operation *cause = nullptr;
    if (uniformity.getControl(op, cause) > Agreement::Subgroup) {
      InFlightDiagnostic error = op->emitOpError("stands where lanes of a subgroup part, and needs all of them");
      if (cause)
        error.attachNote(cause->getLoc()) << "they part here";
      return error;
    }
    auto reduce = dyn_cast<FragmentReduceOp>(op);
    if (!reduce)
      return success();
    int64_t columns = cast<FragmentType>(reduce.getFragment()).getColumns();
    unsigned bits = reduce.getElements().getType().getElementType().getIntOrFloatBitWidth();
    if (llvm::isPowerOf2_64(columns) && llvm::isPowerOf2_64(subgroup) && bits == 32)
      return success();
    return op->emitOpError("reduces rows of ") << columns << " elements of " << bits << " bits by " << subgroup
                                               << " lanes, expected powers of two and 32 bits";
  }

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  Value add(Value x, Value y) { return builder.createOrFold<arith::AddIOp>(loc, x, y); }
  Value special(HardwareAxis axis, int64_t extent) {
    return SpecialOp::create(builder, loc, builder.getIndexType(), axis, 0, extent);
  }
  /// The place of element `k` of those that a lane has.
  Value placeOf(int64_t k) { return add(lane, constant(k * subgroup)); }
  void wait() { SubgroupBarrierOp::create(builder, loc); }

  void makeTiles(ArrayRef<Operation *> ops) {
    llvm::MapVector<Type, int64_t> most;
    for (Operation *op : ops) {
      Value fragment = isa<FragmentElementsOp>(op) ? op->getOperand(0)
                       : isa<FragmentPackOp>(op)   ? op->getResult(0)
                                                   : Value();
      if (!fragment)
        continue;
      auto type = cast<FragmentType>(fragment.getType());
      int64_t elements = type.getRows() * type.getColumns();
      if (auto pack = dyn_cast<FragmentPackOp>(op))
        elements = pack.getElements().getType().getNumElements() * subgroup;
      int64_t &largest = most[type.getScalar()];
      largest = std::max(largest, elements);
    }
    Value number = !most.empty() && subgroups > 1 ? special(HardwareAxis::Subgroup, subgroups) : Value();
    for (auto [element, elements] : most) {
      Value buffer = LocalOp::create(builder, loc, MemRefType::get({subgroups * elements}, element), IntegerAttr());
      Value begin = number ? arith::MulIOp::create(builder, loc, number, constant(elements)) : constant(0);
      tiles[element] = {buffer, begin};
    }
  }

  SmallVector<Value> getScalars(Value vector) {
    if (auto made = vector.getDefiningOp<vector::FromElementsOp>())
      return llvm::to_vector(made.getElements());
    return llvm::map_to_vector(llvm::seq(cast<VectorType>(vector.getType()).getNumElements()),
                               [&](int64_t k) -> Value { return vector::ExtractOp::create(builder, loc, vector, k); });
  }

  /// Whoever takes one element of the vector takes the number.
  void replace(Value vector, ArrayRef<Value> scalars) {
    for (Operation *user : llvm::make_early_inc_range(vector.getUsers()))
      if (auto extract = dyn_cast<vector::ExtractOp>(user); extract && extract.getDynamicPosition().empty()) {
        extract.replaceAllUsesWith(scalars[extract.getStaticPosition().front()]);
        extract.erase();
      }
    if (!vector.use_empty())
      vector.replaceAllUsesWith(
          vector::FromElementsOp::create(builder, loc, cast<VectorType>(vector.getType()), scalars));
  }

  void sharePlace(FragmentPlaceOp op) {
    int64_t columns = cast<FragmentType>(op.getFragment()).getColumns();
    SmallVector<Value> rows, places;
    for (int64_t k : llvm::seq(cast<VectorType>(op.getRows().getType()).getNumElements())) {
      rows.push_back(builder.createOrFold<arith::FloorDivSIOp>(loc, placeOf(k), constant(columns)));
      places.push_back(builder.createOrFold<sym::ModOp>(loc, placeOf(k), constant(columns)));
    }
    replace(op.getRows(), rows);
    replace(op.getColumns(), places);
  }

  void shareElements(FragmentElementsOp op) {
    FragmentType type = op.getValue().getType();
    auto [tile, begin] = tiles.lookup(type.getScalar());
    FragmentStoreOp::create(builder, loc, op.getValue(), tile, begin, type.getColumns());
    wait();
    SmallVector<Value> scalars;
    for (int64_t k : llvm::seq(op.getElements().getType().getNumElements()))
      scalars.push_back(LoadOp::create(builder, loc, type.getScalar(), tile, add(begin, placeOf(k)), Value()));
    wait();
    replace(op.getElements(), scalars);
  }

  /// Elements of a row are in lanes next to each other, or `k` next to each other has them.
  void reduceRows(FragmentReduceOp op) {
    int64_t columns = cast<FragmentType>(op.getFragment()).getColumns();
    int64_t ofRow = std::max<int64_t>(1, columns / subgroup), lanes = std::min(columns, subgroup);
    auto combine = [&](Value x, Value y) { return arith::getReductionOp(op.getKind(), builder, loc, x, y); };
    SmallVector<Value> scalars = getScalars(op.getElements());
    for (size_t first = 0; first < scalars.size(); first += ofRow) {
      auto row = MutableArrayRef(scalars).slice(first, ofRow);
      Value all = row.front();
      for (Value next : row.drop_front())
        all = combine(all, next);
      for (int64_t distance = lanes / 2; distance > 0; distance /= 2)
        all = combine(all, ShuffleOp::create(builder, loc, all.getType(), ShuffleMode::Xor, all, constant(distance)));
      llvm::fill(row, all);
    }
    replace(op.getResult(), scalars);
  }

  void sharePack(FragmentPackOp op) {
    FragmentType type = op.getType();
    Type element = type.getScalar();
    int64_t columns = op.getElements().getType().getNumElements() * subgroup / type.getRows();
    auto [tile, begin] = tiles.lookup(element);
    for (auto [k, scalar] : llvm::enumerate(getScalars(op.getElements()))) {
      Value value = scalar.getType() == element ? scalar : arith::TruncFOp::create(builder, loc, element, scalar);
      StoreOp::create(builder, loc, value, tile, add(begin, placeOf(k)), Value());
    }
    wait();
    Value from = add(begin, constant(op.getFrom().value_or(0)));
    op.replaceAllUsesWith(FragmentLoadOp::create(builder, loc, type, tile, from, columns, /*transposed=*/false,
                                                 /*panel=*/IntegerAttr())
                              .getResult());
    wait();
  }

  FuncOp func;
  Uniformity uniformity{func};
  OpBuilder builder;
  Location loc = func.getLoc();
  int64_t subgroup, subgroups;
  Value lane;
  llvm::DenseMap<Type, Tile> tiles;
};

struct UOpShareFragments : impl::UOpShareFragmentsBase<UOpShareFragments> {
  using Base::Base;

  void runOnOperation() override {
    const cost::Machine &machine = target::findMachine(getOperation());
    if (!machine.has(cost::Instruction::HiddenFragments))
      return markAllAnalysesPreserved();
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isOfElements(op))
        ops.push_back(op);
    });
    if (ops.empty())
      return markAllAnalysesPreserved();
    if (failed(Sharer(getOperation(), machine.subgroup).run(ops)))
      signalPassFailure();
  }
};

} // namespace
} // namespace tiny::uop
