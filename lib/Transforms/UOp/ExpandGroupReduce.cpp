// uop-expand-group-reduce: reductions of a workgroup by subgroups and shared memory.
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/UOp/Parallel.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_UOPEXPANDGROUPREDUCE
#include "Tiny/Transforms/UOp/Passes.h.inc"

namespace {

using Kind = arith::AtomicRMWKind;

/// Extrema of f32 by those of integers, which no device may treat NaN and zeros otherwise: a number's bits as a key
/// that is ordered as numbers are, with NaN above or below all of them.
class ExtremaKeys {
public:
  ExtremaKeys(OpBuilder &builder, Location loc, Kind kind) : builder(builder), loc(loc), kind(kind) {}

  static bool apply(Kind kind, Type type) {
    return type.isF32() &&
           (kind == Kind::maximumf || kind == Kind::maxnumf || kind == Kind::minimumf || kind == Kind::minnumf);
  }

  Kind getKind() const { return kind == Kind::maximumf || kind == Kind::maxnumf ? Kind::maxs : Kind::mins; }

  Value encode(Value number) {
    // Behind the greatest number, or before the least: where NaN wins if it shall, and loses if not.
    bool isAbove = kind == Kind::maximumf || kind == Kind::minnumf;
    Value nan = constant(isAbove ? 0x7fffffff : -1);
    Value bits = arith::BitcastOp::create(builder, loc, builder.getI32Type(), number);
    Value isNan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, number, number);
    return flip(arith::SelectOp::create(builder, loc, isNan, nan, bits));
  }

  Value decode(Value key) { return arith::BitcastOp::create(builder, loc, builder.getF32Type(), flip(key)); }

private:
  Value constant(int32_t value) { return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value)); }
  /// The bits below the sign of a negative number grow with its magnitude. Its own inverse.
  Value flip(Value bits) {
    Value sign = arith::ShRSIOp::create(builder, loc, bits, constant(31));
    return arith::XOrIOp::create(builder, loc, bits, arith::AndIOp::create(builder, loc, sign, constant(0x7fffffff)));
  }

  OpBuilder &builder;
  Location loc;
  Kind kind;
};

/// One reduction. Lanes that differ only along the axes that it is over are a segment: consecutive ones.
class Expander {
public:
  Expander(WorkgroupReduceOp op, std::array<int64_t, 3> extents)
      : op(op), func(op->getParentOfType<FuncOp>()), builder(op), loc(op.getLoc()), extents(extents) {
    for (auto [dim, extent] : llvm::enumerate(extents)) {
      lanes *= extent;
      if (dim < op.getDims())
        segment *= extent;
    }
    const cost::Machine &machine = target::findMachine(func);
    if (machine.kind == cost::DeviceKind::Gpu)
      subgroup = machine.subgroup;
  }

  void expand() {
    Value result = op.getValue();
    if (segment > 1)
      result = fitsSubgroups() ? expandBySubgroups() : expandByTree(result);
    op.replaceAllUsesWith(result);
    op.erase();
  }

private:
  /// Subgroups exchange numbers of 32 bits on every device that has them.
  bool fitsSubgroups() {
    Type type = op.getValue().getType();
    bool isExchanged = type.isInteger(32) || type.isF32();
    return isExchanged && subgroup > 1 && segment % subgroup == 0 && lanes % subgroup == 0;
  }

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  Value add(Value x, Value y) { return arith::AddIOp::create(builder, loc, x, y); }
  Value combine(Value x, Value y) { return arith::getReductionOp(op.getKind(), builder, loc, x, y); }
  Value load(Value tile, Value index) { return LoadOp::create(builder, loc, op.getType(), tile, index, Value()); }
  void store(Value value, Value tile, Value index, Value gate = {}) {
    StoreOp::create(builder, loc, value, tile, index, gate);
  }

  Value special(HardwareAxis axis, int64_t dim, int64_t extent) {
    return SpecialOp::create(builder, loc, builder.getIndexType(), axis, dim, extent);
  }

  Value makeTile(int64_t elements) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&func.getBody().front());
    return LocalOp::create(builder, loc, MemRefType::get({elements}, op.getType()), IntegerAttr()).getBuffer();
  }

  /// In a loop the tile may still be read by lanes that are behind.
  void waitForReaders() {
    if (op->getParentOp() != func)
      BarrierOp::create(builder, loc);
  }

  /// Lane numbers along the axes of the segment, or along all others times its length.
  Value numberLanes(bool inSegment) {
    Value number;
    int64_t stride = 1;
    for (int64_t dim = 0; dim < 3; ++dim) {
      if ((dim < static_cast<int64_t>(op.getDims())) == inSegment && extents[dim] > 1) {
        Value scaled =
            arith::MulIOp::create(builder, loc, special(HardwareAxis::Local, dim, extents[dim]), constant(stride));
        number = number ? add(number, scaled) : scaled;
      }
      stride *= extents[dim];
    }
    return number ? number : constant(0);
  }

  Value reduceSubgroup(Value value) {
    if (!ExtremaKeys::apply(op.getKind(), op.getType()))
      return SubgroupReduceOp::create(builder, loc, op.getType(), op.getKind(), value);
    ExtremaKeys keys(builder, loc, op.getKind());
    Value key = keys.encode(value);
    return keys.decode(SubgroupReduceOp::create(builder, loc, key.getType(), keys.getKind(), key));
  }

  /// Each subgroup reduces its own values; then every lane combines those of its segment's subgroups.
  Value expandBySubgroups() {
    Value part = reduceSubgroup(op.getValue());
    int64_t parts = segment / subgroup, all = lanes / subgroup;
    if (parts == 1)
      return part;
    Value tile = makeTile(all), number = special(HardwareAxis::Subgroup, 0, all);
    Value first = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        special(HardwareAxis::Lane, 0, subgroup), constant(0));
    waitForReaders();
    store(part, tile, number, first);
    BarrierOp::create(builder, loc);
    Value begin = constant(0);
    if (all != parts) {
      Value ownSegment = arith::DivUIOp::create(builder, loc, number, constant(parts));
      begin = arith::MulIOp::create(builder, loc, ownSegment, constant(parts));
    }
    Value result = load(tile, begin);
    for (int64_t k = 1; k < parts; ++k)
      result = combine(result, load(tile, add(begin, constant(k))));
    return result;
  }

  /// All values lie in a tile; the first half of what is left of a segment takes in the other one.
  Value expandByTree(Value value) {
    Value tile = makeTile(lanes), begin = numberLanes(/*inSegment=*/false), own = numberLanes(/*inSegment=*/true);
    Value place = add(begin, own);
    waitForReaders();
    store(value, tile, place);
    BarrierOp::create(builder, loc);
    for (int64_t left = segment; left > 1; left = llvm::divideCeil(left, 2)) {
      int64_t half = llvm::divideCeil(left, 2);
      Value takes = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, own, constant(left - half));
      auto condition = IfOp::create(builder, loc, takes);
      {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(condition.getBody().front().getTerminator());
        store(combine(load(tile, place), load(tile, add(place, constant(half)))), tile, place);
      }
      BarrierOp::create(builder, loc);
    }
    return load(tile, begin);
  }

  WorkgroupReduceOp op;
  FuncOp func;
  OpBuilder builder;
  Location loc;
  std::array<int64_t, 3> extents;
  int64_t lanes = 1, segment = 1, subgroup = 0;
};

struct UOpExpandGroupReduce : impl::UOpExpandGroupReduceBase<UOpExpandGroupReduce> {
  void runOnOperation() override {
    SmallVector<WorkgroupReduceOp> ops;
    getOperation().walk([&](WorkgroupReduceOp op) { ops.push_back(op); });
    if (ops.empty())
      return;
    // Barriers need uniform control flow.
    if (failed(verifyParallel(getOperation())))
      return signalPassFailure();
    std::array<int64_t, 3> extents = getWorkgroupExtents(getOperation());
    uint64_t lanes = 1, most = target::findMachine(getOperation()).workgroup;
    for (int64_t extent : extents)
      lanes = llvm::SaturatingMultiply(lanes, uint64_t(extent));
    if (most != 0 && lanes > most) {
      ops.front().emitOpError("is of ") << lanes << " lanes, and a workgroup has at most " << most;
      return signalPassFailure();
    }
    for (WorkgroupReduceOp op : ops)
      Expander(op, extents).expand();
  }
};

} // namespace
} // namespace tiny::uop
