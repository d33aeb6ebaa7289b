// Where a joined program reads and writes at small sizes: an index that the instances decided alike may lie outside of
// what there is then, as `concat(a, b)[1]` does in `a` where that has one element.
#include "Join.h"

#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "Tiny/Support/Family.h"

using namespace mlir;

namespace tiny::kernel {
namespace {

/// Bounds of each value that an access depends on, as a list of operations on them. At one point all are exact.
class AccessTape {
public:
  /// `sizes` is the kernel's buffer of sizes; null where it takes none.
  AccessTape(Value index, Value gate, Value sizes) : sizes(sizes) {
    indexSlot = add(index);
    gateSlot = gate ? add(gate) : -1;
  }

  /// Whether all is known: nothing depends on data.
  bool isComplete() const { return complete; }
  /// Whether sizes are multiplied with each other, so that extremes may lie anywhere.
  bool isLinear() const { return linear; }

  /// An index outside of [0, count) that the gate lets through, where all ranges run at the sizes; none where there is
  /// none, or where it would take more than `budget` evaluations.
  std::optional<int64_t> findOutside(ArrayRef<int64_t> point, int64_t count, uint64_t &budget) {
    box.assign(ranges.size(), {0, 0});
    evaluate(point);
    SmallVector<Bounds> all;
    for (RangeOp range : ranges) {
      auto extent = static_cast<int64_t>(range.getExtent());
      if (Value size = range.getSize())
        extent = std::min(extent, values[slots.lookup(size)].high);
      if (extent < 1)
        return std::nullopt;
      all.push_back({0, extent - 1});
    }
    SmallVector<SmallVector<Bounds>> open = {all};
    while (!open.empty() && budget > 0) {
      --budget;
      box = open.pop_back_val();
      evaluate(point);
      Bounds index = values[indexSlot], gate = gateSlot < 0 ? Bounds{1, 1} : values[gateSlot];
      if ((gate.low == 0 && gate.high == 0) || (index.low >= 0 && index.high < count))
        continue;
      auto widest =
          llvm::max_element(box, [](const Bounds &a, const Bounds &b) { return a.high - a.low < b.high - b.low; });
      if (widest == box.end() || widest->low == widest->high) {
        // What is not exact here is computed in a way that is not known.
        if (index.low == index.high && gate.low == 1)
          return index.low;
        continue;
      }
      int64_t middle = widest->low + (widest->high - widest->low) / 2, high = widest->high;
      widest->high = middle;
      open.push_back(box);
      *widest = {middle + 1, high};
      open.push_back(box);
    }
    return std::nullopt;
  }

  /// The least that the index may be; of one without ranges what it is.
  int64_t getLeast(ArrayRef<int64_t> point) {
    box.assign(ranges.size(), {0, 0});
    evaluate(point);
    return values[indexSlot].low;
  }

private:
  enum class Kind { Constant, Range, Size, Same, Arith, Compare, Select, Unknown };
  struct Step {
    Kind kind;
    Operation *op = nullptr;
    int64_t number = 0;
    SmallVector<int, 3> operands;
  };

  int add(Value value) {
    auto found = slots.find(value);
    if (found != slots.end())
      return found->second;
    Step step{Kind::Unknown, value.getDefiningOp(), 0, {}};
    APInt constant;
    if (auto range = dyn_cast_or_null<RangeOp>(step.op)) {
      if (range.getSize())
        add(range.getSize());
      step.kind = Kind::Range;
      step.number = ranges.size();
      ranges.push_back(range);
    } else if (auto literal = dyn_cast_or_null<arith::ConstantOp>(step.op);
               literal && isa<IntegerAttr>(literal.getValue())) {
      step.kind = Kind::Constant;
      APInt bits = cast<IntegerAttr>(literal.getValue()).getValue();
      step.number = bits.getBitWidth() == 1 ? bits.getZExtValue() : bits.getSExtValue();
    } else if (auto load = dyn_cast_or_null<LoadOp>(step.op)) {
      auto place = load.getIndex().getDefiningOp<arith::ConstantOp>();
      if (sizes && load.getBuffer() == sizes && place) {
        step.kind = Kind::Size;
        step.number = cast<IntegerAttr>(place.getValue()).getInt();
      }
    } else if (isa_and_nonnull<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, sym::RangeOfOp>(
                   step.op)) {
      step.kind = Kind::Same;
    } else if (isa_and_nonnull<arith::CmpIOp>(step.op)) {
      step.kind = Kind::Compare;
    } else if (isa_and_nonnull<arith::SelectOp>(step.op)) {
      step.kind = Kind::Select;
    } else if (isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivUIOp, arith::DivSIOp,
                               arith::FloorDivSIOp, arith::RemUIOp, arith::RemSIOp, sym::ModOp, arith::MinSIOp,
                               arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp, arith::AndIOp, arith::OrIOp,
                               arith::XOrIOp>(step.op)) {
      step.kind = Kind::Arith;
    }
    if (step.kind == Kind::Unknown)
      complete = false;
    else if (step.kind >= Kind::Same)
      for (Value operand : step.op->getOperands())
        step.operands.push_back(add(operand));
    bool isSized = step.kind == Kind::Size;
    for (int operand : step.operands)
      isSized |= sized[operand];
    if (isSized && isa_and_nonnull<arith::MulIOp>(step.op) && sized[step.operands[0]] && sized[step.operands[1]])
      linear = false;
    sized.push_back(isSized);
    steps.push_back(std::move(step));
    return slots[value] = static_cast<int>(steps.size()) - 1;
  }

  void evaluate(ArrayRef<int64_t> point) {
    values.resize(steps.size());
    for (auto [number, step] : llvm::enumerate(steps))
      values[number] = compute(step, point);
  }

  Bounds compute(const Step &step, ArrayRef<int64_t> point) const {
    constexpr Bounds kAny = {-kIndexLimit, kIndexLimit};
    auto operand = [&](unsigned number) { return values[step.operands[number]]; };
    switch (step.kind) {
    case Kind::Constant:
      return {step.number, step.number};
    case Kind::Range:
      return box[step.number];
    case Kind::Size:
      return {point[step.number], point[step.number]};
    case Kind::Same:
      return operand(0);
    case Kind::Select: {
      Bounds condition = operand(0), yes = operand(1), no = operand(2);
      if (condition.low == condition.high)
        return condition.low ? yes : no;
      return {std::min(yes.low, no.low), std::max(yes.high, no.high)};
    }
    case Kind::Compare:
      return compare(cast<arith::CmpIOp>(step.op).getPredicate(), operand(0), operand(1));
    case Kind::Arith:
      return computeArith(step.op, operand(0), operand(1));
    case Kind::Unknown:
      return kAny;
    }
    return kAny;
  }

  static Bounds compare(arith::CmpIPredicate predicate, Bounds a, Bounds b) {
    auto decide = [](bool always, bool never) { return always ? Bounds{1, 1} : never ? Bounds{0, 0} : Bounds{0, 1}; };
    // Of what may be negative the other predicates know nothing: there it is a great number.
    bool isNatural = a.low >= 0 && b.low >= 0;
    switch (predicate) {
    case arith::CmpIPredicate::eq:
      return decide(a.low == a.high && b.low == b.high && a.low == b.low, a.high < b.low || b.high < a.low);
    case arith::CmpIPredicate::ne:
      return decide(a.high < b.low || b.high < a.low, a.low == a.high && b.low == b.high && a.low == b.low);
    case arith::CmpIPredicate::ult:
      if (!isNatural)
        return b.low >= 0 && a.high < 0 ? Bounds{0, 0} : Bounds{0, 1};
      [[fallthrough]];
    case arith::CmpIPredicate::slt:
      return decide(a.high < b.low, a.low >= b.high);
    case arith::CmpIPredicate::ule:
      if (!isNatural)
        return b.low >= 0 && a.high < 0 ? Bounds{0, 0} : Bounds{0, 1};
      [[fallthrough]];
    case arith::CmpIPredicate::sle:
      return decide(a.high <= b.low, a.low > b.high);
    case arith::CmpIPredicate::ugt:
      if (!isNatural)
        return b.low >= 0 && a.high < 0 ? Bounds{1, 1} : Bounds{0, 1};
      [[fallthrough]];
    case arith::CmpIPredicate::sgt:
      return decide(a.low > b.high, a.high <= b.low);
    case arith::CmpIPredicate::uge:
      if (!isNatural)
        return b.low >= 0 && a.high < 0 ? Bounds{1, 1} : Bounds{0, 1};
      [[fallthrough]];
    case arith::CmpIPredicate::sge:
      return decide(a.low >= b.high, a.high < b.low);
    }
    return {0, 1};
  }

  static Bounds computeArith(Operation *op, Bounds a, Bounds b) {
    constexpr Bounds kAny = {-kIndexLimit, kIndexLimit};
    auto clamp = [](llvm::function_ref<__int128(int64_t, int64_t)> combine, Bounds a, Bounds b) {
      __int128 low = 0, high = 0;
      bool isFirst = true;
      for (int64_t x : {a.low, a.high})
        for (int64_t y : {b.low, b.high}) {
          __int128 value = combine(x, y);
          low = isFirst ? value : std::min(low, value);
          high = isFirst ? value : std::max(high, value);
          isFirst = false;
        }
      auto limit = [](__int128 value) {
        return static_cast<int64_t>(std::clamp<__int128>(value, -kIndexLimit, kIndexLimit));
      };
      return Bounds{limit(low), limit(high)};
    };
    if (isa<arith::AddIOp>(op))
      return clamp([](int64_t x, int64_t y) { return __int128(x) + y; }, a, b);
    if (isa<arith::SubIOp>(op))
      return clamp([](int64_t x, int64_t y) { return __int128(x) - y; }, a, b);
    if (isa<arith::MulIOp>(op))
      return clamp([](int64_t x, int64_t y) { return __int128(x) * y; }, a, b);
    if (isa<arith::MinSIOp>(op))
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    if (isa<arith::MaxSIOp>(op))
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    if (op->getResult(0).getType().isInteger(1)) {
      if (isa<arith::AndIOp>(op))
        return {std::min(a.low, b.low), std::min(a.high, b.high)};
      if (isa<arith::OrIOp>(op))
        return {std::max(a.low, b.low), std::max(a.high, b.high)};
      if (isa<arith::XOrIOp>(op) && a.low == a.high && b.low == b.high)
        return {a.low ^ b.low, a.low ^ b.low};
      return {0, 1};
    }
    bool isNatural = a.low >= 0 && b.low >= 0;
    if (isNatural && isa<arith::MinUIOp>(op))
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    if (isNatural && isa<arith::MaxUIOp>(op))
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    if (b.low < 1)
      return kAny;
    if (isa<arith::FloorDivSIOp>(op) || (isNatural && isa<arith::DivSIOp, arith::DivUIOp>(op)))
      return clamp([](int64_t x, int64_t y) { return llvm::divideFloorSigned(x, y); }, a, b);
    if (isa<sym::ModOp>(op) || (isNatural && isa<arith::RemSIOp, arith::RemUIOp>(op))) {
      // Within one period it is the distance from its beginning.
      if (b.low == b.high && llvm::divideFloorSigned(a.low, b.low) == llvm::divideFloorSigned(a.high, b.low)) {
        int64_t begin = llvm::divideFloorSigned(a.low, b.low) * b.low;
        return {a.low - begin, a.high - begin};
      }
      return {0, std::max<int64_t>(b.high - 1, 0)};
    }
    return kAny;
  }

  Value sizes;
  std::vector<Step> steps;
  std::vector<bool> sized;
  llvm::DenseMap<Value, int> slots;
  SmallVector<RangeOp> ranges;
  int indexSlot = -1, gateSlot = -1;
  bool complete = true, linear = true;
  SmallVector<Bounds> box;
  std::vector<Bounds> values;
};

/// Where extremes of indexes lie: at the least and the greatest sizes. Where sizes are multiplied, at any.
std::vector<SizePoint> listPoints(ArrayRef<Bounds> bounds, bool isLinear) {
  constexpr size_t kMostPoints = 1024;
  constexpr int64_t kFew = 4;
  std::vector<SizePoint> points;
  for (int64_t near : {static_cast<int64_t>(kMostPoints), kFew, int64_t(1)}) {
    if (isLinear && near > kFew)
      continue;
    points.assign(1, {});
    for (Bounds bound : bounds) {
      SmallVector<int64_t> values;
      for (int64_t value = bound.low; value < std::min(bound.low + near, bound.high); ++value)
        values.push_back(value);
      values.push_back(bound.high);
      std::vector<SizePoint> longer;
      for (const SizePoint &point : points)
        for (int64_t value : values) {
          if (longer.size() > kMostPoints)
            break;
          longer.push_back(point);
          longer.back().push_back(value);
        }
      points = std::move(longer);
    }
    if (points.size() <= kMostPoints)
      break;
  }
  return points;
}

/// What a kernel reads and writes, and how far its ranges run.
class KernelAccesses {
public:
  struct Access {
    Operation *op;
    unsigned buffer;
    AccessTape tape;
  };

  KernelAccesses(FuncOp kernel, Value sizes) {
    for (Operation &op : kernel.getBody().front()) {
      auto add = [&](Value buffer, Value index, Value gate) {
        auto argument = dyn_cast<BlockArgument>(buffer);
        if (!argument || argument == sizes)
          return;
        AccessTape tape(index, gate, sizes);
        if (tape.isComplete())
          accesses.push_back({&op, argument.getArgNumber(), std::move(tape)});
      };
      if (auto load = dyn_cast<LoadOp>(op))
        add(load.getBuffer(), load.getIndex(), load.getGate());
      if (auto store = dyn_cast<StoreOp>(op))
        add(store.getBuffer(), store.getIndex(), store.getGate());
      if (auto range = dyn_cast<RangeOp>(op); range && range.getSize())
        extents.emplace_back(range.getSize(), Value(), sizes);
    }
  }

  std::vector<Access> &getAccesses() { return accesses; }
  /// Whether a range is empty: then nothing is read that others run over.
  bool isEmptyAt(ArrayRef<int64_t> point) {
    return llvm::any_of(extents, [&](AccessTape &tape) { return tape.getLeast(point) < 1; });
  }

private:
  std::vector<Access> accesses;
  std::vector<AccessTape> extents;
};

} // namespace

LogicalResult Join::checkAccesses(ProgramOp program) {
  auto getCount = [&](Value buffer) {
    auto known = counts.find(buffer);
    return known != counts.end() ? known->second : Dim(cast<MemRefType>(buffer.getType()).getNumElements());
  };
  std::vector<SizePoint> few = listPoints(family.bounds, /*isLinear=*/true),
                         many = listPoints(family.bounds, /*isLinear=*/false);
  // A size that is data may be less than its bound where other sizes are small.
  for (std::vector<SizePoint> *points : {&few, &many})
    for (SizePoint &point : *points)
      for (const auto &[size, most] : mosts)
        if (std::optional<int64_t> value = most.evaluate(point))
          point[size] = std::clamp(*value, family.bounds[size].low, point[size]);
  // Evaluations for all accesses together: some tenths of a second.
  uint64_t budget = uint64_t(1) << 21;
  auto check = [&](LaunchOp launch) -> LogicalResult {
    auto kernel = SymbolTable::lookupNearestSymbolFrom<FuncOp>(launch, launch.getCalleeAttr());
    Value sizes;
    for (auto [operand, argument] : llvm::zip_equal(launch->getOperands(), kernel.getArguments()))
      if (operand == program.getArguments().back())
        sizes = argument;
    if (kernel.getBody().empty())
      return success();
    KernelAccesses known(kernel, sizes);
    for (KernelAccesses::Access &access : known.getAccesses()) {
      Dim count = getCount(launch->getOperand(access.buffer));
      for (const SizePoint &point : access.tape.isLinear() ? few : many) {
        int64_t length = count.evaluate(point).value_or(0);
        std::optional<int64_t> place = access.tape.findOutside(point, length, budget);
        if (!place || known.isEmptyAt(point))
          continue;
        std::string at;
        llvm::raw_string_ostream stream(at);
        llvm::interleaveComma(llvm::zip(family.names, point), stream,
                              [&](auto size) { stream << std::get<0>(size).getValue() << " = " << std::get<1>(size); });
        return access.op->emitError("at ")
               << at << " " << kWrongProgram << "access element " << *place << " of a buffer of " << length
               << " elements; with other bounds it may be right";
      }
    }
    return success();
  };
  WalkResult result = program.walk([&](LaunchOp launch) { return WalkResult(check(launch)); });
  return failure(result.wasInterrupted());
}

} // namespace tiny::kernel
