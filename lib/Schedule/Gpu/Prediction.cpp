// Predicts the time of a kernel that workgroups run, term by term.
#include "Prediction.h"

#include "Workgroups.h"

#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "Tiny/Dialect/Target/OpClass.h"
#include "Tiny/Schedule/Steps/Split.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include <cmath>

using namespace mlir;

namespace tiny::kernel {

namespace {

/// Bytes that the nearest memory moves in a cycle, as a line of it.
constexpr double kLineBytes = 128;
/// Loads that a lane has under way: compilers write out so many rounds of a loop.
constexpr double kLoadsAhead = 16;
/// Elements of two factors that the four parts of a multiprocessor multiply in a cycle by an instruction for matrices.
constexpr double kProductsOfCycle = 1024, kPartsOfCore = 4;
/// How many times as many where several subgroups multiply together.
constexpr double kSpeedOfTeams = 2;
/// Most registers of a lane, and most workgroups of a core.
constexpr double kMostRegisters = 255, kMostGroups = 32;
/// Nanoseconds that a core takes to begin a workgroup.
constexpr double kGroupLaunch = 20;

/// Instructions of one operation.
double countInstructions(Operation *op) {
  switch (target::classify(op)) {
  case cost::OpClass::Free:
    return 0;
  case cost::OpClass::Divide:
    return 8;
  case cost::OpClass::DivideInteger:
    return 20;
  case cost::OpClass::Function:
    return 16;
  default:
    return 1;
  }
}

int64_t getBytes(Type type) { return type.isIndex() ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8u); }

bool isCopies(RangeOp range) { return range.getKind() == AxisKind::Upcast || range.getKind() == AxisKind::Unroll; }

bool isLanes(RangeOp range) {
  return range.getKind() == AxisKind::Local || range.getKind() == AxisKind::GroupReduce ||
         range.getKind() == AxisKind::Warp;
}

class WorkgroupPredictor {
public:
  WorkgroupPredictor(FuncOp kernel, const cost::Machine &target)
      : target(target), order(sortByDependence(kernel.getBody().front())), sets(order) {
    for (RangeOp range : sets.getRanges())
      if (range.getKind() == AxisKind::Global)
        groups *= range.getExtent();
    double shared = 0;
    for (Operation *op : order)
      if (auto reduce = dyn_cast<ReduceOp>(op)) {
        team = std::max(team, countTeam(reduce));
        shared += countSharedBytes(reduce);
      }
    for (Operation *op : order) {
      double together = 1;
      bool isOfSubgroups = false;
      for (unsigned position : sets.getOpenOfOperands(op))
        if (RangeOp range = sets.getRanges()[position]; isLanes(range)) {
          together *= range.getExtent();
          isOfSubgroups |= range.getKind() == AxisKind::Warp;
        }
      if (isOfSubgroups)
        together *= getSubgroup() * team;
      lanes = std::max(lanes, together);
    }
    warps = std::ceil(lanes / getSubgroup());
    tileBytes += warps * shared;
  }

  WorkgroupTimes predict() {
    for (Operation *op : order)
      count(op);
    double cores = std::max<int64_t>(1, target.cores), cycle = 1e3 / std::max<int64_t>(1, target.clock);
    // Workgroups of the busiest core, and so many at a time.
    double rounds = std::ceil(groups / cores), waves = std::ceil(rounds / countResident());
    double inCycle = target.cycleLanes ? double(target.cycleLanes) : double(target.workgroup);
    WorkgroupTimes times;
    products /= team > 1 ? kSpeedOfTeams : 1;
    double all = instructions * getSubgroup() / inCycle + products / kProductsOfCycle;
    // A subgroup begins an operation in a cycle, however few there are.
    double one = instructions + kPartsOfCore * products / kProductsOfCycle;
    times.issue = std::max(rounds * warps * all, waves * one) * cycle;
    times.accesses = target.cycleLanes ? rounds * warps * lines * cycle : 0;
    times.cache = target.sharedCacheBandwidth ? groups * groupBytes * 1e3 / target.sharedCacheBandwidth : 0;
    double bytes = 0;
    for (auto [buffer, touched] : memoryBytes)
      bytes += touched;
    times.memory = bytes * 1e3 / std::max<int64_t>(1, target.memoryBandwidth);
    times.latency = waves * ((1 + waits) * double(target.memoryLatency) + chain * cycle) + rounds * kGroupLaunch;
    times.fits = (!target.workgroup || lanes <= target.workgroup) && (!target.shared || tileBytes <= target.shared);
    return times;
  }

private:
  /// Axes of fragments that the reduction leaves, and the depth of the one that it is over.
  SmallVector<int64_t> findMatrix(ReduceOp reduce, int64_t &depth) {
    SmallVector<int64_t> free;
    for (unsigned position : sets.getOpenOfOperands(reduce))
      if (RangeOp range = sets.getRanges()[position]; range.getKind() == AxisKind::Fragment) {
        if (llvm::is_contained(reduce.getRanges(), range.getResult()))
          depth = range.getExtent();
        else
          free.push_back(range.getExtent());
      }
    return free;
  }

  /// Bytes by which the lanes of a subgroup get the elements of a product, where they cannot tell which ones they hold:
  /// uop-share-fragments.
  double countSharedBytes(ReduceOp reduce) {
    int64_t depth = 1;
    SmallVector<int64_t> free = findMatrix(reduce, depth);
    bool isShared = target.has(cost::Instruction::HiddenFragments) && free.size() == 2;
    return isShared ? double(free[0]) * free[1] * getBytes(reduce.getResult(0).getType()) : 0;
  }

  /// Subgroups that compute the product of matrices together, if it is one.
  double countTeam(ReduceOp reduce) {
    int64_t depth = 1;
    SmallVector<int64_t> free = findMatrix(reduce, depth);
    if (free.size() != 2)
      return 1;
    return std::max(target.countTeam(free[0], free[1], depth), target.countTeam(free[1], free[0], depth));
  }

  double getSubgroup() const { return std::max<int64_t>(1, target.subgroup); }

  /// Workgroups that a core holds at once.
  double countResident() const {
    double resident = kMostGroups;
    if (target.residentLanes)
      resident = std::min(resident, std::floor(target.residentLanes / lanes));
    if (target.coreRegisters)
      resident = std::min(resident, std::floor(target.coreRegisters /
                                               (lanes * std::min(kMostRegisters, kOtherRegisters + accumulators))));
    if (tileBytes && target.shared)
      resident = std::min(resident, std::floor(target.shared / tileBytes));
    return std::max(1.0, resident);
  }

  /// What an operation is done for.
  struct Space {
    /// Rounds of loops around it, copies of it in one round, copies along reduced axes, a subgroup's share of the
    /// elements of all matrices, and elements of a matrix along reduced axes.
    double loops = 1, innermost = 1, copies = 1, reducedCopies = 1, matrix = 1, reducedMatrix = 1;
    /// Axes of fragments.
    unsigned fragments = 0;
    /// Elements along all axes, and along those of one workgroup.
    double points = 1, groupPoints = 1;
    SmallVector<RangeOp> lanes, neighbours;
    bool isProduct = false;
  };
  Space describe(Operation *op) {
    Space space;
    for (unsigned position : sets.getOpenOfOperands(op)) {
      RangeOp range = sets.getRanges()[position];
      double extent = range.getExtent();
      space.points *= extent;
      if (range.getKind() == AxisKind::Global)
        continue;
      space.groupPoints *= extent;
      if (range.getKind() == AxisKind::Fragment) {
        space.matrix *= extent;
        ++space.fragments;
        space.isProduct |= isReduced(range);
        if (isReduced(range))
          space.reducedMatrix *= extent;
      } else if (isLanes(range)) {
        space.lanes.push_back(range);
      } else if (isCopies(range)) {
        space.copies *= extent;
        if (isReduced(range))
          space.reducedCopies *= extent;
        space.neighbours.push_back(range);
      } else {
        space.loops *= extent;
        space.innermost = extent;
      }
    }
    if (space.fragments > 0)
      space.matrix /= team;
    // The innermost lanes come last: they lie next to each other.
    llvm::sort(space.lanes, [](RangeOp a, RangeOp b) {
      return std::tuple(a.getLoopOrder(), a.getId()) < std::tuple(b.getLoopOrder(), b.getId());
    });
    return space;
  }

  std::optional<int64_t> getStride(RangeOp range, Value index) {
    return strides.try_emplace(range, range.getResult()).first->second.get(index);
  }

  /// Elements that a lane moves at once: copies next to each other.
  double findVector(Space &space, Value index, double width) {
    if (!target.has(cost::Instruction::WideAccess))
      return 1;
    double vector = 1;
    for (RangeOp range : space.neighbours)
      if (std::optional<int64_t> stride = getStride(range, index); stride && *stride == 1)
        vector = std::max(vector, std::min<double>(range.getExtent(), std::max(1.0, kWideBytes / width)));
    return vector;
  }

  /// What the copies of an access come to: elements, each once, and accesses that move neighbours among them at once.
  struct Distinct {
    double elements, accesses;
  };
  Distinct countDistinct(Space &space, Value index, double width) {
    constexpr double kMostListed = 256;
    SmallVector<int64_t> places{0};
    for (RangeOp range : space.neighbours) {
      std::optional<int64_t> stride = getStride(range, index);
      if (!stride || space.copies > kMostListed)
        return {space.copies, space.copies / findVector(space, index, width)};
      size_t before = places.size();
      for (int64_t point = 1, extent = range.getExtent(); point < extent; ++point)
        for (size_t place = 0; place < before; ++place)
          places.push_back(places[place] + point * *stride);
    }
    llvm::sort(places);
    places.erase(llvm::unique(places), places.end());
    // What is left of a run of neighbours beside whole vectors moves one by one.
    int64_t vector = findVector(space, index, width), accesses = 0;
    for (size_t begin = 0, end = 0; begin < places.size(); begin = end) {
      for (end = begin + 1; end < places.size() && places[end] == places[end - 1] + 1;)
        ++end;
      int64_t run = end - begin;
      accesses += run / vector + run % vector;
    }
    return {double(places.size()), double(accesses)};
  }

  /// Cycles of an element of each lane of a subgroup, where they access memory one after the other.
  double countLaneAccesses() const { return getSubgroup() * target.laneAccess; }

  /// Lines of memory that a subgroup touches with `bytes` of each lane. A tile of a workgroup has lines of banks, which
  /// give what lanes ask for wherever it lies.
  double countLines(Space &space, Value index, double width, double bytes, bool isTile) {
    if (target.laneAccess)
      return countLaneAccesses() * bytes / width;
    double left = getSubgroup(), touched = 1;
    // A subgroup reaches over as many axes as it has lanes for.
    for (RangeOp range : llvm::reverse(space.lanes)) {
      double here = std::min<double>(left, range.getExtent());
      left = std::max(1.0, left / here);
      std::optional<int64_t> stride = getStride(range, index);
      // A tile is filled along memory.
      double apart = stride ? std::abs(double(*stride)) * width : isStaged(range) ? bytes : kLineBytes;
      if (apart != 0 && isTile)
        touched *= here;
      else if (apart != 0)
        touched *=
            std::max(1.0, apart <= bytes ? here * bytes / kLineBytes : std::min(here, here * apart / kLineBytes));
    }
    return isTile ? std::max(1.0, touched * bytes / kLineBytes) : std::max(touched, bytes / kLineBytes);
  }

  /// Elements that come from memory for each one that lanes ask for: those that lie between, as far as a line reaches.
  double findSpread(Space &space, Value index, double width) {
    double most = std::max(1.0, double(target.cacheLine) / width);
    // Those of a subgroup hold neighbours of a matrix. A line of one element, or of a size that the record leaves out,
    // brings nothing else.
    if (space.lanes.empty() || space.fragments != 0 || most == 1)
      return 1;
    // Elements that copies and lanes have next to each other.
    double run = 1, left = getSubgroup();
    SmallVector<RangeOp> ranges(space.neighbours);
    for (RangeOp range : llvm::reverse(space.lanes)) {
      if (left > 1)
        ranges.push_back(range);
      left = std::ceil(left / range.getExtent());
    }
    double apart = 0;
    for (bool grows = true; grows;) {
      grows = false;
      apart = 0;
      for (RangeOp range : ranges) {
        std::optional<int64_t> stride = getStride(range, index);
        double distance = stride ? std::abs(double(*stride)) : isStaged(range) ? 0 : most * run;
        if (distance == run && range.getExtent() > 1) {
          run *= range.getExtent();
          grows = true;
          break;
        }
        if (distance > run && isLanes(range))
          apart = apart == 0 ? distance : std::min(apart, distance);
      }
    }
    return apart == 0 ? 1 : std::clamp(std::min(apart, most) / run, 1.0, most);
  }

  void countAccess(Operation *op, Value buffer, Value index, Type type, Space &space) {
    double width = getBytes(type), executed = space.loops * space.copies, shared = 1;
    // What lanes hold stays where it is.
    if (auto stage = buffer.getDefiningOp<StageOp>(); stage && isHeld(stage))
      return;
    if (space.matrix > 1) {
      // A subgroup reads or writes a matrix together.
      lines += executed * std::max(1.0, space.matrix * width / kLineBytes);
      instructions += executed * std::max(1.0, space.matrix * width / (getSubgroup() * kWideBytes));
    } else {
      Distinct distinct = countDistinct(space, index, width);
      shared = distinct.elements / space.copies;
      executed = space.loops * distinct.accesses;
      instructions += executed;
      lines += executed * countLines(space, index, width, distinct.elements / distinct.accesses * width,
                                     !isa<BlockArgument>(buffer));
    }
    if (!isa<BlockArgument>(buffer))
      return;
    double spread = findSpread(space, index, width),
           whole = double(cast<MemRefType>(buffer.getType()).getNumElements()) * width;
    groupBytes += space.groupPoints * width * spread * shared;
    double &touched = memoryBytes[buffer];
    touched = std::max(touched, std::min(space.points * width, whole) * spread);
    if (isa<StoreOp>(op))
      return;
    // While lanes wait for a tile they do nothing; what is filled ahead is there.
    StageOp tile = findTile(op);
    if (!tile || tile.getSpace() != StageSpace::Local)
      waits += executed / kLoadsAhead;
    else if (int64_t ahead = tile.getBuffers().value_or(1) - 1; ahead < 1)
      waits += space.loops;
    else // A round takes no less than what its tile needs to come, and the first one of each loop waits.
      waits += space.loops / double(ahead) / 2 + space.loops / space.innermost;
  }

  /// The tile that the operation's result goes into.
  static StageOp findTile(Operation *op) {
    for (Operation *user = op; user && user->getNumResults() == 1;) {
      if (user->use_empty())
        return {};
      user = *user->getUsers().begin();
      if (auto stage = dyn_cast<StageOp>(user))
        return stage;
      if (isa<LoadOp, StoreOp, ReduceOp>(user))
        return {};
    }
    return {};
  }

  /// Whether each lane keeps in registers what it reads of the tile itself.
  static bool isHeld(StageOp stage) {
    return stage.getSpace() == StageSpace::Register && llvm::any_of(stage.getRanges(), [](Value range) {
             auto axis = range.getDefiningOp<RangeOp>();
             return axis && (isLanes(axis) || axis.getKind() == AxisKind::Fragment);
           });
  }

  /// Whether it is a part of one operation with the addition behind it.
  static bool isFused(Operation *op) {
    if (!isa<arith::MulFOp>(op) || !op->hasOneUse())
      return false;
    auto reduce = dyn_cast<ReduceOp>(*op->getUsers().begin());
    return reduce && arith::bitEnumContainsAll(reduce.getFastmath(), arith::FastMathFlags::contract);
  }

  /// Index arithmetic is done once for a loop, but for what divides in it.
  static double countIndexInstructions(Operation *op) {
    if (!isa<arith::FloorDivSIOp, sym::ModOp>(op))
      return 0;
    APInt divisor;
    return matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) && divisor.isPowerOf2() ? 1 : 6;
  }

  void count(Operation *op) {
    if (isa<RangeOp, arith::ConstantOp>(op))
      return;
    Space space = describe(op);
    if (auto load = dyn_cast<LoadOp>(op))
      return countAccess(op, load.getBuffer(), load.getIndex(), load.getType(), space);
    if (auto store = dyn_cast<StoreOp>(op))
      return countAccess(op, store.getBuffer(), store.getIndex(), store.getValue().getType(), space);
    double executed = space.loops * space.copies;
    if (auto stage = dyn_cast<StageOp>(op)) {
      double width = getBytes(stage.getTile().getType().getElementType());
      double vector = 1;
      for (RangeOp range : space.neighbours)
        if (range.getKind() == AxisKind::Upcast)
          vector = std::min<double>(range.getExtent(), std::max(1.0, kWideBytes / width));
      if (stage.getSpace() == StageSpace::Local) {
        instructions += executed / vector;
        lines += executed * (target.laneAccess ? countLaneAccesses() : getSubgroup() * width / kLineBytes);
        tileBytes += stage.getTile().getType().getNumElements() * width * stage.getBuffers().value_or(1);
        chain += space.loops * kMeetingLatency;
      } else if (isHeld(stage)) {
        accumulators += space.copies * std::max(1.0, space.matrix / getSubgroup()) * std::max(1.0, width / 4);
      }
      return;
    }
    if (space.fragments == 2 && space.isProduct && isa<ReduceOp>(op)) {
      // Lanes combine what they hold of a row, then four of them with each other: two exchanges for each row.
      constexpr double kLanesOfRow = 4;
      double rows = space.matrix / space.reducedMatrix * kLanesOfRow / getSubgroup();
      instructions += executed * space.matrix / getSubgroup() + executed / space.reducedCopies * 4 * rows;
    } else if (space.matrix > 1 && space.isProduct) {
      // One instruction multiplies two matrices; the casts in front of it are none.
      if (isa<ReduceOp>(op)) {
        products += executed * space.matrix;
        instructions += executed;
      }
    } else if (op->getNumResults() == 1 && op->getResult(0).getType().isIndex()) {
      instructions += space.loops * countIndexInstructions(op);
    } else if (!isFused(op)) {
      instructions += executed * std::max(1.0, space.matrix / getSubgroup()) * countInstructions(op);
    }
    if (auto reduce = dyn_cast<ReduceOp>(op))
      countReduce(reduce, space);
  }

  void countReduce(ReduceOp reduce, const Space &space) {
    for (Value result : reduce.getResults()) {
      double held = std::max<double>(1, getBytes(result.getType()) / 4.0), times = 1, matrix = 1;
      for (unsigned position : sets.getOpen(result)) {
        RangeOp range = sets.getRanges()[position];
        if (isCopies(range))
          held *= range.getExtent();
        else if (range.getKind() == AxisKind::Fragment)
          matrix *= range.getExtent();
        else if (!isLanes(range) && range.getKind() != AxisKind::Global)
          times *= range.getExtent();
      }
      held *= std::max(1.0, matrix / (getSubgroup() * team));
      accumulators += held;
      bool isOfLanes = llvm::any_of(reduce.getRanges(), [](Value range) {
        auto axis = range.getDefiningOp<RangeOp>();
        return axis && axis.getKind() == AxisKind::GroupReduce;
      });
      if (!isOfLanes)
        continue;
      // Exchanges in a subgroup, then what each of them has.
      double steps = std::log2(std::max(2.0, std::min(lanes, getSubgroup()))) + warps;
      instructions += times * held * 2 * steps;
      chain += times * (steps * 8 * kOperationLatency + kMeetingLatency);
    }
    chain += space.loops * (space.isProduct ? 1 : space.reducedCopies) * kOperationLatency;
  }

  const cost::Machine &target;
  SmallVector<Operation *> order;
  RangeSets sets;
  double groups = 1, lanes = 1, warps = 1, team = 1;
  /// Of one lane, of one subgroup, and of one workgroup.
  double instructions = 0, accumulators = 0, waits = 0, chain = 0;
  double lines = 0, products = 0;
  double tileBytes = 0, groupBytes = 0;
  llvm::MapVector<Value, double> memoryBytes;
  llvm::DenseMap<Operation *, AccessStride> strides;
};

} // namespace

int64_t WorkgroupTimes::getTotal() const {
  double sum = issue + accesses + cache + memory + latency,
         longest = std::max({issue, accesses, cache, memory, latency});
  return int64_t(std::min(1e3 * (longest + kNotHidden * (sum - longest)), 9e18));
}

WorkgroupTimes predictWorkgroups(FuncOp kernel, const cost::Machine &target) {
  return WorkgroupPredictor(kernel, target).predict();
}

} // namespace tiny::kernel
