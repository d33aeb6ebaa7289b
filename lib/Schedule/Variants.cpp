// Finds the schedules that differ from a given one in one decision, by taking the changed steps on copies of the
// kernel. NDEBUG: see Schedule/Steps/KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Tiny/Schedule/Variants.h"

#include "Tiny/Analysis/Kernel/KernelNests.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Schedule/Steps/Axes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tiny::kernel {
namespace {

using What = ScheduleStep::What;

/// Most copies of a body that a variant may make, lanes included, and how many times as many as the given schedule:
/// more compile for seconds.
constexpr uint64_t kMostCopies = 1024, kMostTimesCopies = 2;

/// Copies of a body that varies over all axes: of passes side by side it counts too many.
uint64_t countCopies(FuncOp kernel) {
  uint64_t copies = 1;
  for (auto range : kernel.getBody().getOps<RangeOp>())
    if (range.getKind() == AxisKind::Upcast || range.getKind() == AxisKind::Unroll)
      copies = llvm::SaturatingMultiply<uint64_t>(copies, range.getExtent());
  return copies;
}

/// Everything that two equal schedules have alike.
std::string identify(ArrayRef<ScheduleStep> steps) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const ScheduleStep &step : steps) {
    stream << int(step.what) << " " << step.id << " " << step.number << " " << int(step.kind) << " " << int(step.space);
    for (int64_t axis : step.axes)
      stream << " " << axis;
    stream << ";";
  }
  return text;
}

/// Parts that threads share.
int64_t countParts(FuncOp kernel) {
  int64_t parts = 1;
  for (auto range : kernel.getBody().getOps<RangeOp>())
    if (range.getKind() == AxisKind::Thread || range.getKind() == AxisKind::Global)
      parts *= range.getExtent();
  return parts;
}

/// A step of a variant, and the step of the given schedule that it stands for, if any.
struct Move {
  ScheduleStep step;
  std::optional<size_t> original;
};

class Finder {
public:
  Finder(FuncOp kernel, ArrayRef<ScheduleStep> steps) : kernel(kernel), given(kernel) {
    seen.insert("");
    for (auto [index, step] : llvm::enumerate(steps)) {
      if (!given.take(step, made.emplace_back()))
        return;
      moves.push_back({step, index});
    }
    seen.insert(identify(given.getSteps()));
    isTaken = true;
  }

  ScheduleVariants find() {
    if (!isTaken)
      return {};
    for (size_t index = 0; index < moves.size(); ++index)
      changeStep(index);
    addSteps();
    llvm::stable_sort(found.variants,
                      [](const ScheduleVariant &a, const ScheduleVariant &b) { return a.predicted < b.predicted; });
    return std::move(found);
  }

private:
  /// Other factors of a split: near ones for rows, whole vectors for lanes, halves and doubles for both.
  SmallVector<int64_t> findFactors(const ScheduleStep &step) const {
    int64_t factor = step.number, lanes = target::findMachine(kernel).getLanes();
    SmallVector<int64_t> factors = {factor / 2, factor * 2, factor * 3 / 2, factor * 3 / 4};
    if (factor % lanes == 0)
      factors.append({factor - lanes, factor + lanes});
    else if (factor <= lanes)
      factors.append({factor - 2, factor - 1, factor + 1, factor + 2});
    llvm::erase_if(factors, [&](int64_t other) { return other < 2 || other == factor; });
    return factors;
  }

  /// Gives the split another factor, and the padding that is for it.
  static void setFactor(SmallVectorImpl<Move> &changed, size_t index, int64_t factor) {
    ScheduleStep &step = changed[index].step;
    for (Move &other : MutableArrayRef(changed).take_front(index))
      if (other.step.what == What::Pad && other.step.id == step.id && other.step.number == step.number)
        other.step.number = factor;
    step.number = factor;
  }

  void changeStep(size_t index) {
    const ScheduleStep &step = moves[index].step;
    if (step.what == What::Split)
      for (int64_t factor : findFactors(step)) {
        SmallVector<Move> changed(moves);
        setFactor(changed, index, factor);
        take(changed);
        // Passes over one row, and what fills a tile and what reads it, have equal splits.
        bool isFirst = true;
        for (size_t other = 0; other < moves.size(); ++other)
          if (const ScheduleStep &like = moves[other].step;
              other != index && like.what == What::Split && like.number == step.number && like.kind == step.kind) {
            isFirst &= other > index;
            setFactor(changed, other, factor);
          }
        if (isFirst)
          take(changed);
      }
    SmallVector<Move> without(moves);
    without.erase(without.begin() + index);
    take(without);
  }

  /// Steps behind the given ones: exchanged loops, copies of loops, and parts.
  void addSteps() {
    auto add = [&](ScheduleStep step) {
      SmallVector<Move> more(moves);
      more.push_back({std::move(step), std::nullopt});
      take(more);
    };
    bool hasParts = false;
    for (auto range : given.getKernel().getBody().getOps<RangeOp>())
      hasParts |= range.getKind() == AxisKind::Thread || range.getKind() == AxisKind::Global;
    for (AxisKind kind : {AxisKind::Loop, AxisKind::Reduce}) {
      SmallVector<RangeOp> nest = getNest(given.getKernel(), kind);
      for (size_t index = 0; index < nest.size(); ++index) {
        auto id = static_cast<int64_t>(nest[index].getId());
        int64_t extent = nest[index].getExtent();
        if (index + 1 < nest.size())
          add({What::Swap, id, static_cast<int64_t>(nest[index + 1].getId()), {}, {}, {}});
        for (int64_t factor : {2, 3, 4, 6, 8, 16, 32})
          if (factor <= extent)
            add({What::Split, id, factor, kind == AxisKind::Loop ? AxisKind::Upcast : AxisKind::Unroll, {}, {}});
        for (int64_t parts : {2, 4, 8})
          if (kind == AxisKind::Loop && index < 2 && !hasParts && parts <= extent)
            add({What::Split, id, parts, AxisKind::Thread, {}, {}});
      }
    }
  }

  /// Takes the steps on a copy of the kernel, and keeps them if all are legal. Steps that name axes which a changed
  /// step no longer makes are left out.
  void take(ArrayRef<Move> changed) {
    SchedulePlan plan(kernel);
    llvm::DenseMap<int64_t, std::optional<int64_t>> names;
    auto rename = [&](int64_t &id) {
      auto name = names.find(id);
      if (name == names.end())
        return true;
      id = name->second.value_or(id);
      return name->second.has_value();
    };
    llvm::DenseSet<size_t> kept;
    for (const Move &move : changed)
      if (move.original)
        kept.insert(*move.original);
    // What a step that is left out would have made does not exist.
    for (auto [index, ids] : llvm::enumerate(made))
      if (!kept.contains(index))
        for (int64_t id : ids)
          if (id != moves[index].step.id || moves[index].step.what != What::Split)
            names[id] = std::nullopt;
    for (const Move &move : changed) {
      ScheduleStep step = move.step;
      bool isNamed = llvm::all_of(step.axes, rename);
      if (step.what != What::Stage)
        isNamed &= rename(step.id);
      if (step.what == What::Swap || step.what == What::Merge || step.what == What::WidenStage)
        isNamed &= rename(step.number);
      if (!isNamed) {
        if (move.original)
          for (int64_t id : made[*move.original])
            names[id] = std::nullopt;
        continue;
      }
      if (step.what == What::Split && step.number > 0) {
        RangeOp axis = plan.getAxis(step.id);
        if (!axis || (axis.getExtent() % step.number != 0 && !plan.pad(step.id, step.number))) {
          ++found.refused;
          return;
        }
      }
      SmallVector<int64_t> ids;
      if (!plan.take(step, ids)) {
        ++found.refused;
        return;
      }
      if (move.original)
        nameMade(move.step, made[*move.original], step, ids, names);
    }
    keep(plan);
  }

  /// What later steps call the axes that a step made.
  static void nameMade(const ScheduleStep &before, ArrayRef<int64_t> old, const ScheduleStep &after,
                       ArrayRef<int64_t> ids, llvm::DenseMap<int64_t, std::optional<int64_t>> &names) {
    for (auto [index, id] : llvm::enumerate(old))
      names[id] = index < ids.size() ? std::optional(ids[index]) : std::nullopt;
    // A split of the whole axis leaves no outer part.
    if (after.what == What::Split && ids.front() == after.id && old.front() != before.id)
      names[before.id] = std::nullopt;
  }

  void keep(SchedulePlan &plan) {
    // A search on one thread must not take the parts from those who have several.
    bool takesParts = countParts(plan.getKernel()) < countParts(given.getKernel());
    if (takesParts ||
        countCopies(plan.getKernel()) > std::max(kMostCopies, kMostTimesCopies * countCopies(given.getKernel()))) {
      ++found.refused;
      return;
    }
    std::string text = identify(plan.getSteps());
    if (!seen.insert(text).second)
      return;
    found.variants.push_back({SmallVector<ScheduleStep>(plan.getSteps()), std::move(text), predict(plan)});
  }

  FuncOp kernel;
  SchedulePlan given;
  bool isTaken = false;
  SmallVector<Move> moves;
  /// By step of the given schedule, the axes that it makes.
  SmallVector<SmallVector<int64_t>> made;
  llvm::StringSet<> seen;
  ScheduleVariants found;
};

} // namespace

std::optional<SmallVector<ScheduleStep>> findSteps(FuncOp kernel) {
  SymbolRefAttr name = kernel.getScheduleAttr();
  if (!name)
    return SmallVector<ScheduleStep>();
  auto module = kernel->getParentOfType<ModuleOp>();
  auto script = dyn_cast_or_null<transform::NamedSequenceOp>(SymbolTable::lookupSymbolIn(module, name));
  return script ? readSteps(script) : std::nullopt;
}

SchedulePlan makePlan(FuncOp kernel, ArrayRef<ScheduleStep> steps) {
  SchedulePlan plan(kernel);
  for (const ScheduleStep &step : steps)
    if (SmallVector<int64_t> made; !plan.take(step, made))
      break;
  return plan;
}

int64_t predict(SchedulePlan &plan) {
  // The copy stands in no module, where the record would be.
  std::optional<SmallVector<cost::Nest>> nests = findNests(plan.getKernel());
  return nests ? cost::predictKernel(*nests, target::findMachine(plan.getOriginal()))
               : std::numeric_limits<int64_t>::max();
}

ScheduleVariants findVariants(FuncOp kernel, ArrayRef<ScheduleStep> steps) { return Finder(kernel, steps).find(); }

} // namespace tiny::kernel
