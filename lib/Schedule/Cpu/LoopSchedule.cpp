// Reads the space of choices of a kernel that streams, and takes the steps of the best predicted one.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "LoopSchedule.h"

#include "Candidates.h"
#include "KeptRows.h"
#include "Lanes.h"
#include "MergeLoops.h"
#include "Tiny/Algebra/Cost/LoopChoice.h"
#include "Tiny/Analysis/Kernel/KernelNests.h"
#include "Tiny/Schedule/Steps/Split.h"

using namespace mlir;

namespace tiny::kernel {

/// Choices whose steps are taken: others stand behind one that a step refuses, or that takes longer than it promised.
static constexpr unsigned kMostTried = 4;
/// What takes no longer than so many launches is not worth another choice.
static constexpr int64_t kFewLaunches = 10;
/// The sets of axes that no operation varies over together, one set for each axis that may be lanes: with it those that
/// fit best. What has lanes already gets no others.
static SmallVector<SmallVector<int64_t>> findLaneSets(FuncOp kernel) {
  RangeSets sets(sortByDependence(kernel.getBody().front()));
  SmallVector<BitVector> met(sets.getRanges().size(), BitVector(sets.getRanges().size()));
  for (Operation &op : kernel.getBody().front())
    for (unsigned a : sets.getOpenOfOperands(&op))
      for (unsigned b : sets.getOpenOfOperands(&op))
        met[a].set(b);
  auto hasLanes = [&](RangeOp axis) {
    return llvm::any_of(met[sets.getPosition(axis)].set_bits(),
                        [&](unsigned other) { return RangeOp(sets.getRanges()[other]).getKind() == AxisKind::Upcast; });
  };
  SmallVector<std::pair<LaneFit, RangeOp>> fitting;
  for (RangeOp axis : sets.getRanges())
    if (axis.getKind() == (isReduced(axis) ? AxisKind::Reduce : AxisKind::Loop) && axis.getExtent() > 1 &&
        !hasLanes(axis))
      if (LaneFit fit = judgeLanes(kernel, axis); fit != LaneFit::None)
        fitting.push_back({fit, axis});
  auto rank = [](const std::pair<LaneFit, RangeOp> &entry) {
    RangeOp axis = entry.second;
    return std::tuple(-static_cast<int>(entry.first), isReduced(axis), axis.getId());
  };
  llvm::sort(fitting, [&](const auto &a, const auto &b) { return rank(a) < rank(b); });
  SmallVector<SmallVector<int64_t>> found;
  for (const auto &[firstFit, first] : fitting) {
    SmallVector<RangeOp> chosen{first};
    for (const auto &[fit, axis] : fitting) {
      BitVector &others = met[sets.getPosition(axis)];
      if (llvm::none_of(chosen, [&](RangeOp other) { return others.test(sets.getPosition(other)); }))
        chosen.push_back(axis);
    }
    // What fills a tile is padded before what reads it, whose end then needs no gate.
    llvm::sort(chosen, [](RangeOp a, RangeOp b) {
      return std::tuple(!isStaged(a), a.getId()) < std::tuple(!isStaged(b), b.getId());
    });
    SmallVector<int64_t> ids = llvm::map_to_vector(chosen, [](RangeOp axis) -> int64_t { return axis.getId(); });
    if (!llvm::is_contained(found, ids))
      found.push_back(std::move(ids));
  }
  return found;
}

/// None where a pass has too many axes.
static std::optional<cost::LoopSpace> findSpace(FuncOp kernel, const cost::Machine &target) {
  std::optional<SmallVector<cost::Nest>> nests = findNests(kernel);
  if (!nests)
    return std::nullopt;
  cost::LoopSpace space;
  space.nests = std::move(*nests);
  space.lanes = findLaneSets(kernel);
  for (ArrayRef<int64_t> lanes : space.lanes)
    for (auto axis : kernel.getBody().getOps<RangeOp>())
      if (llvm::is_contained(lanes, static_cast<int64_t>(axis.getId())))
        for (RangeOp between : findInterleaved(kernel, axis))
          if (std::pair<int64_t, int64_t> pair(axis.getId(), between.getId());
              !llvm::is_contained(space.interleaved, pair))
            space.interleaved.push_back(pair);
  space.width = countLanes(kernel, target);
  space.needsPowersOf2 = makesScalars(kernel);
  SmallVector<RangeOp> reduced;
  llvm::SmallDenseSet<int64_t> loops;
  for (auto axis : kernel.getBody().getOps<RangeOp>()) {
    if (axis.getKind() != AxisKind::Upcast && axis.getKind() != AxisKind::Unroll)
      loops.insert(axis.getId());
    if (isReduced(axis) && axis.getKind() == AxisKind::Reduce)
      reduced.push_back(axis);
    else if (!isReduced(axis) && !isStaged(axis) && axis.getKind() == AxisKind::Loop && axis.getExtent() > 1)
      space.free.push_back(axis.getId());
  }
  for (const KeptRow &row : findKeptRows(kernel, target))
    space.filling.append(row.filling);
  // Lanes that LLVM's vectoriser would make of a loop are a loop as long as nothing is chosen.
  for (cost::Nest &nest : space.nests)
    for (cost::NestAxis &axis : nest.axes)
      if (loops.contains(axis.id)) {
        axis.role = cost::AxisRole::Loop;
        axis.hasRest = false;
      }
  llvm::sort(reduced, [](RangeOp a, RangeOp b) { return a.getPlace() > b.getPlace(); });
  space.reduced = llvm::map_to_vector(reduced, [](RangeOp axis) -> int64_t { return axis.getId(); });
  return space;
}

/// Takes the steps of a choice. False where one is refused.
static bool takeChoice(SchedulePlan &steps, const cost::LoopChoice &choice, int64_t width) {
  for (const cost::Cut &cut : choice.cuts) {
    // A tile that was taken back has no axes.
    if (!steps.getAxis(cut.id))
      continue;
    AxisKind kind = cut.kind == cost::CutKind::Written ? AxisKind::Unroll : AxisKind::Upcast;
    int64_t inner = cut.id;
    if (!steps.pad(cut.id, cut.factor) || !steps.split(cut.id, cut.factor, kind, &inner))
      return false;
    // Vectors of other lengths than powers of two are no machine's.
    if (cut.kind == cost::CutKind::Lanes && !llvm::isPowerOf2_64(cut.factor))
      steps.split(inner, width, AxisKind::Upcast);
  }
  return true;
}

namespace {
struct Prediction {
  int64_t time = 0, instructions = 0;

  int64_t getCost() const { return cost::LoopChoice::costRun(time, instructions); }
};
} // namespace

/// The kernel as its plan has it. None where a pass has too many axes.
static std::optional<Prediction> predict(SchedulePlan &plan, const cost::Machine &target) {
  std::optional<SmallVector<cost::Nest>> nests = findNests(plan.getKernel());
  if (!nests)
    return std::nullopt;
  Prediction prediction;
  prediction.time = cost::predictPasses(*nests, target);
  for (const cost::Nest &nest : *nests)
    prediction.instructions += cost::countInstructions(nest, target);
  return prediction;
}

std::optional<int64_t> predictPlan(SchedulePlan &plan, const cost::Machine &target) {
  std::optional<Prediction> prediction = predict(plan, target);
  return prediction ? std::optional(prediction->time) : std::nullopt;
}

bool isFewLaunches(int64_t time, const cost::Machine &target) { return time < kFewLaunches * 1000 * target.launch; }

namespace {
/// The loops from which to choose: as the plan has them; without the tiles of rows; as windows want them, apart; and
/// split where accesses divide them.
struct Starts {
  SchedulePlan bare, apart, split;
  SmallVector<SchedulePlan *, 4> plans;
  SmallVector<cost::LoopSpace, 0> spaces;

  Starts(SchedulePlan &plan, const cost::Machine &target)
      : bare(plan), apart(plan.getOriginal()), split(plan), plans{&plan} {
    unstageRows(bare, target);
    if (hasTiles = bare.getSteps().size() != plan.getSteps().size(); hasTiles)
      plans.push_back(&bare);
    bool hasLanes = llvm::any_of(plan.getKernel().getBody().getOps<RangeOp>(),
                                 [](RangeOp axis) { return axis.getKind() == AxisKind::Upcast; });
    if (!plan.isEmpty() && !hasLanes && !plan.getKernel().getBody().getOps<ReduceOp>().empty())
      plans.push_back(&apart);
    if (!hasLanes && splitDivided(split))
      plans.push_back(&split);
    for (SchedulePlan *start : plans)
      if (std::optional<cost::LoopSpace> space = findSpace(start->getKernel(), target))
        spaces.push_back(std::move(*space));
      else
        break;
  }

  /// Rows that are registers need no tile.
  SchedulePlan &get(const cost::LoopChoice &choice) {
    return hasTiles && choice.space == 0 && choice.isWhole ? bare : *plans[choice.space];
  }

private:
  bool hasTiles = false;
};
} // namespace

/// One vector along the axis that fits best, where a pass has too many axes to be predicted.
static void takeFirstLanes(SchedulePlan &plan, const cost::Machine &target) {
  SmallVector<SmallVector<int64_t>> sets = findLaneSets(plan.getKernel());
  int64_t width = countLanes(plan.getKernel(), target);
  if (!sets.empty())
    for (int64_t id : sets.front())
      if (plan.pad(id, width))
        plan.split(id, width, AxisKind::Upcast);
}

std::optional<int64_t> scheduleLoops(SchedulePlan &plan, const cost::Machine &target) {
  Starts starts(plan, target);
  std::optional<Prediction> given = predict(plan, target);
  if (starts.spaces.size() < starts.plans.size() || !given) {
    takeFirstLanes(plan, target);
    return std::nullopt;
  }
  SmallVector<cost::LoopChoice> choices =
      cost::findLoopChoices(starts.spaces, target, std::max(given->instructions, cost::kLongestCode));
  Candidates told(plan.getOriginal(), "nanoseconds");
  for (const cost::LoopChoice &choice : choices)
    told.add([&] { return choice.describe(); }, double(choice.time) / 1000);
  std::optional<SchedulePlan> best;
  std::string chosen;
  int64_t least = std::numeric_limits<int64_t>::max(), time = given->time;
  unsigned tried = 0;
  for (const cost::LoopChoice &choice : choices) {
    if (choice.getCost() >= least || tried++ == kMostTried)
      break;
    SchedulePlan steps(starts.get(choice));
    if (!takeChoice(steps, choice, starts.spaces[choice.space].width))
      continue;
    // What became of the kernel is predicted once more.
    std::optional<Prediction> made = predict(steps, target);
    if (!made || made->getCost() >= least)
      continue;
    least = made->getCost();
    time = made->time;
    chosen = choice.describe();
    best.emplace(steps);
  }
  told.tell([&] { return chosen; });
  if (best)
    plan.swap(*best);
  return time;
}

} // namespace tiny::kernel
