// Cuts the nests of a kernel in some hundred ways, and sorts them by their predicted times.
#include "Tiny/Algebra/Cost/LoopChoice.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

namespace tiny::cost {

/// Numbers of vectors of lanes, of rows side by side, and of choices that are refined by these.
static constexpr int64_t kVectors[] = {1, 2, 3, 4, 6, 8}, kRows[] = {2, 3, 4, 5, 6, 7, 8};
static constexpr size_t kRefined = 4;
/// Most points that are written out, and reduced axes of which any are: those of a window and its channels.
static constexpr int64_t kMostWritten = 64;
static constexpr size_t kMostReduced = 3;
/// A choice replaces another where it is predicted to save one part in so many: prediction tells no less apart.
static constexpr int64_t kLeastGain = 5;
/// Nanoseconds in which an instruction is compiled, and runs that share these.
static constexpr int64_t kCompile = 20'000, kRuns = 10'000;

int64_t LoopSpace::getExtent(int64_t id) const {
  for (const Nest &nest : nests)
    if (std::optional<size_t> axis = findAxis(nest, id))
      return nest.axes[*axis].trips;
  return 1;
}

std::string LoopChoice::describe() const {
  static constexpr llvm::StringLiteral names[] = {"lanes", "copies", "written out"};
  std::string text;
  for (const Cut &cut : cuts)
    text += llvm::formatv("{0}axis {1} by {2} as {3}", text.empty() ? "" : ", ", cut.id, cut.factor,
                          names[static_cast<unsigned>(cut.kind)]);
  return text.empty() ? "loops as they are" : text;
}

static void predict(LoopChoice &choice, const LoopSpace &space, const Machine &machine) {
  choice.instructions = 0;
  llvm::SmallVector<Nest> nests(space.nests);
  for (Nest &nest : nests) {
    for (const Cut &cut : choice.cuts)
      if (std::optional<size_t> axis = findAxis(nest, cut.id))
        splitAxis(nest, *axis, cut.factor, cut.kind == CutKind::Lanes ? AxisRole::Lanes : AxisRole::Copies);
    // Copies are vectors already.
    if (llvm::none_of(choice.cuts, [](const Cut &cut) { return cut.kind == CutKind::Copies; }))
      vectorizeInnermost(nest);
    choice.instructions += countInstructions(nest, machine);
  }
  choice.time = predictPasses(nests, machine);
}

/// The points of an axis with so many vectors of lanes: all of them, in lengths that machines have, where they are few.
/// Vectors that are added up in the end are halved, and a tile has one axis for its lanes.
static int64_t chooseLength(int64_t extent, int64_t vectors, int64_t width, bool isHalved) {
  if (extent <= width || (isHalved && extent <= vectors * width))
    return llvm::PowerOf2Ceil(extent);
  return std::min<int64_t>(vectors * width, llvm::alignTo(extent, width));
}

static bool hasTiles(const LoopSpace &space) {
  return llvm::any_of(space.nests, [](const Nest &nest) {
    return llvm::any_of(nest.accesses, [](const NestAccess &access) { return access.isTile; });
  });
}

static void addLanes(const LoopSpace &space, llvm::ArrayRef<int64_t> lanes, const Machine &machine, int64_t longest,
                     llvm::SmallVectorImpl<LoopChoice> &choices) {
  int64_t before = -1;
  bool isHalved = space.needsPowersOf2 || hasTiles(space) ||
                  llvm::any_of(lanes, [&](int64_t id) { return llvm::is_contained(space.reduced, id); });
  for (int64_t vectors : kVectors) {
    if (isHalved && !llvm::isPowerOf2_64(vectors))
      continue;
    LoopChoice choice;
    choice.isWhole = !space.filling.empty() &&
                     llvm::all_of(space.filling, [&](int64_t id) { return llvm::is_contained(lanes, id); });
    int64_t points = 0;
    for (int64_t id : lanes) {
      int64_t extent = space.getExtent(id), length = chooseLength(extent, vectors, space.width, isHalved);
      choice.cuts.push_back({id, length, CutKind::Lanes});
      choice.isWhole &= length >= extent;
      points += length;
    }
    for (auto [id, between] : space.interleaved)
      if (llvm::is_contained(lanes, id) &&
          llvm::none_of(choice.cuts, [&, between = between](const Cut &cut) { return cut.id == between; }))
        choice.cuts.push_back({between, space.getExtent(between), CutKind::Written});
    if (points == before)
      return;
    before = points;
    predict(choice, space, machine);
    if (choice.instructions <= longest)
      choices.push_back(std::move(choice));
  }
}

static void refine(const LoopChoice &choice, const LoopSpace &space, const Machine &machine, int64_t longest,
                   llvm::SmallVectorImpl<LoopChoice> &choices) {
  auto isCut = [&](int64_t id) { return llvm::any_of(choice.cuts, [&](const Cut &cut) { return cut.id == id; }); };
  auto add = [&](LoopChoice next) {
    predict(next, space, machine);
    bool isShort = next.instructions <= longest;
    if (isShort)
      choices.push_back(std::move(next));
    return isShort;
  };
  auto reduced = llvm::filter_to_vector(space.reduced, [&](int64_t id) { return !isCut(id); });
  for (unsigned set = 0; set < 1u << std::min<size_t>(reduced.size(), kMostReduced); ++set) {
    LoopChoice written = choice;
    int64_t points = 1;
    for (auto [number, id] : llvm::enumerate(reduced))
      if (set >> number & 1) {
        points *= space.getExtent(id);
        written.cuts.push_back({id, space.getExtent(id), CutKind::Written});
      }
    if (points > kMostWritten || (set && !add(written)))
      continue;
    for (int64_t id : space.free)
      for (int64_t rows : kRows)
        if (!isCut(id) && rows <= space.getExtent(id)) {
          LoopChoice next = written;
          // All points of an axis are no vector.
          next.cuts.push_back({id, rows, rows == space.getExtent(id) ? CutKind::Written : CutKind::Copies});
          add(next);
        }
  }
}

/// Writes out all reduced axes, and the free ones that are as short: LLVM's vectoriser then puts rows side by side.
static void addWritten(const LoopSpace &space, const Machine &machine, int64_t longest,
                       llvm::SmallVectorImpl<LoopChoice> &choices) {
  LoopChoice choice;
  for (int64_t id : llvm::concat<const int64_t>(space.reduced, space.free)) {
    int64_t extent = space.getExtent(id);
    if (extent <= machine.getLanes())
      choice.cuts.push_back({id, extent, CutKind::Written});
    else if (llvm::is_contained(space.reduced, id))
      return;
  }
  predict(choice, space, machine);
  if (!space.reduced.empty() && choice.instructions <= longest)
    choices.push_back(std::move(choice));
}

bool isFaster(int64_t time, int64_t other) { return time < other - other / kLeastGain; }

int64_t LoopChoice::costRun(int64_t time, int64_t instructions) {
  return time + instructions * (kCompile * 1000 / kRuns);
}

llvm::SmallVector<LoopChoice> findLoopChoices(llvm::ArrayRef<LoopSpace> spaces, const Machine &machine,
                                              int64_t longest) {
  auto costsLess = [](const LoopChoice &a, const LoopChoice &b) { return a.getCost() < b.getCost(); };
  llvm::SmallVector<LoopChoice> choices, refined;
  for (auto [index, space] : llvm::enumerate(spaces)) {
    size_t first = choices.size();
    addLanes(space, {}, machine, longest, choices);
    addWritten(space, machine, longest, choices);
    for (llvm::ArrayRef<int64_t> lanes : space.lanes)
      addLanes(space, lanes, machine, longest, choices);
    for (size_t k = first; k < choices.size(); ++k)
      choices[k].space = index;
  }
  llvm::stable_sort(choices, costsLess);
  for (const LoopChoice &choice : llvm::ArrayRef(choices).take_front(kRefined))
    if (!choice.cuts.empty())
      refine(choice, spaces[choice.space], machine, longest, refined);
  choices.append(refined);
  llvm::stable_sort(choices, costsLess);
  return choices;
}

} // namespace tiny::cost
