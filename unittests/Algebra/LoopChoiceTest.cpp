// Choices of kernels that stream: what is chosen, and that no size takes much longer than the next multiple of 16.
#include "Tiny/Algebra/Cost/LoopChoice.h"

#include "gtest/gtest.h"
#include <random>

using namespace tiny::cost;

namespace {

enum Axis : int64_t { Rows, Columns };

/// Vectors of half a cache line, which lie across two lines half as often as longer ones: that is no fault of a choice.
const Machine &getMachine() {
  static const Machine machine = [] {
    Machine machine = getGenericMachine();
    machine.vectorBits = 256;
    machine.vectorRegisters = 16;
    return machine;
  }();
  return machine;
}

/// A pass over rows and columns of one buffer, the columns fastest; with `reduced` a sum along one of them.
LoopSpace makeSpace(int64_t rows, int64_t columns, std::optional<Axis> reduced, OpClass work) {
  LoopSpace space;
  Nest nest;
  nest.axes = {{rows, AxisRole::Loop, reduced == Rows, Rows}, {columns, AxisRole::Loop, reduced == Columns, Columns}};
  nest.accesses = {{4, false, {columns, 1}, rows * columns * 4}};
  nest.work = {{work, 0b11, reduced.has_value()}};
  // Reduced loops stand inside.
  if (reduced == Rows) {
    std::swap(nest.axes[0], nest.axes[1]);
    nest.accesses[0].strides = {1, columns};
  }
  if (reduced)
    space.reduced = {*reduced};
  else
    nest.accesses.push_back({4, true, {columns, 1}, rows * columns * 4});
  for (int64_t axis : {Rows, Columns})
    if (reduced != static_cast<Axis>(axis))
      space.free.push_back(axis);
  space.nests = {nest};
  space.lanes = {{Columns}, {Rows}};
  space.width = getMachine().getLanes();
  return space;
}

LoopChoice choose(const LoopSpace &space) { return findLoopChoices(space, getMachine(), 3000).front(); }

const Cut *findCut(const LoopChoice &choice, int64_t id, CutKind kind) {
  for (const Cut &cut : choice.cuts)
    if (cut.id == id && cut.kind == kind)
      return &cut;
  return nullptr;
}

TEST(LoopChoice, LanesLieAlongWhatIsContiguous) {
  for (std::optional<Axis> reduced : {std::optional<Axis>(), std::optional(Rows), std::optional(Columns)}) {
    LoopChoice choice = choose(makeSpace(500, 1000, reduced, OpClass::Add));
    const Cut *lanes = findCut(choice, Columns, CutKind::Lanes);
    ASSERT_TRUE(lanes) << choice.describe();
    // A sum needs accumulators that do not wait for each other; a sum of columns walks long runs, too.
    EXPECT_GE(lanes->factor, reduced ? 16 : 8) << choice.describe();
  }
}

TEST(LoopChoice, ShortRowsAreWhole) {
  LoopSpace space = makeSpace(500, 8, Columns, OpClass::Add);
  space.filling = {Columns};
  LoopChoice choice = choose(space);
  EXPECT_TRUE(choice.isWhole) << choice.describe();
}

TEST(LoopChoice, CodeIsBounded) {
  LoopSpace space = makeSpace(64, 64, std::nullopt, OpClass::Function);
  space.nests.front().work.assign(40, {OpClass::Function, 0b11, false});
  for (const LoopChoice &choice : findLoopChoices(space, getMachine(), 3000))
    EXPECT_LE(choice.instructions, 3000);
}

/// No size is predicted to take much longer than the next multiple of 16.
template <typename F> void expectNoCliff(F predict, int64_t size, const char *what) {
  int64_t longer = (size + 15) / 16 * 16;
  // A launch takes as long as what is below.
  if (int64_t own = predict(size), other = predict(longer); own > 1000000)
    EXPECT_LE(double(own), 1.3 * double(other)) << what << " of " << size << ", then " << longer;
}

TEST(LoopChoice, HasNoCliffs) {
  std::mt19937 random(1);
  auto draw = [&](int64_t least, int64_t most) {
    double low = std::log(double(least)), high = std::log(double(most));
    return int64_t(std::exp(std::uniform_real_distribution<double>(low, high)(random)));
  };
  for (int shape = 0; shape < 4000; ++shape) {
    int64_t rows = draw(1, 2000), columns = draw(16, 4000);
    for (std::optional<Axis> reduced : {std::optional<Axis>(), std::optional(Rows), std::optional(Columns)})
      expectNoCliff([&](int64_t size) { return choose(makeSpace(rows, size, reduced, OpClass::Add)).time; }, columns,
                    reduced ? *reduced == Rows ? "sum of columns" : "sum of rows" : "elementwise");
  }
}

} // namespace
