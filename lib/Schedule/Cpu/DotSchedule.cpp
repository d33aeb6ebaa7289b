// Schedules products of few rows as dot products: lanes along the reduced axis, all rows side by side.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "DotSchedule.h"

#include "Candidates.h"
#include "Parts.h"
#include "Tiny/Algebra/Cost/Nest.h"
#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::kernel {

namespace {
/// What one body computes: rows side by side, columns that share what is read of them, and vectors of each result.
struct Shape {
  int64_t rows = 1, columns = 1, vectors = 1;

  std::string describe() const {
    return llvm::formatv("dot products of {0} rows and {1} columns, {2} vectors each", rows, columns, vectors);
  }
};

/// The operands as a nest sees them.
struct Dots {
  int64_t nRows, nColumns, nReduced, nSums, bytes;
  SmallVector<std::optional<int64_t>> rowStrides, columnStrides;
};
} // namespace

/// Picoseconds of all dot products in this shape: the loops, and the sums of lanes at their end.
static int64_t predict(const Dots &dots, const Shape &shape, const cost::Machine &machine) {
  using cost::AxisRole;
  int64_t lanes = shape.vectors * machine.getLanes(),
          columnLoops = int64_t(llvm::divideCeil(dots.nColumns, shape.columns)),
          rowLoops = int64_t(llvm::divideCeil(dots.nRows, shape.rows));
  cost::Nest loops, ends;
  loops.axes = {{columnLoops, AxisRole::Loop, false},
                {rowLoops, AxisRole::Loop, false},
                {int64_t(llvm::divideCeil(dots.nReduced, lanes)), AxisRole::Loop, true},
                {shape.rows, AxisRole::Copies, false},
                {shape.columns, AxisRole::Copies, false},
                {lanes, AxisRole::Lanes, true}};
  auto scale = [](std::optional<int64_t> stride, int64_t by) { return stride ? std::optional(*stride * by) : stride; };
  for (std::optional<int64_t> row : dots.rowStrides)
    loops.accesses.push_back({dots.bytes, false, {0, scale(row, shape.rows), lanes, row, 0, 1}});
  for (std::optional<int64_t> column : dots.columnStrides)
    loops.accesses.push_back({dots.bytes, false, {scale(column, shape.columns), 0, lanes, 0, column, 1}});
  loops.work.assign(dots.nSums, {cost::OpClass::MultiplyAdd, 0b111111, true});
  // Each halving of a vector is a shuffle and an addition.
  ends.axes = {{columnLoops * rowLoops * shape.rows * shape.columns, AxisRole::Loop, false}};
  int64_t halvings = llvm::Log2_64_Ceil(machine.getLanes());
  ends.work.assign(dots.nSums * (2 * halvings + shape.vectors - 1), {cost::OpClass::Add, 0b1, false});
  return cost::predictNest(loops, machine).getTotal() + cost::predictNest(ends, machine).getTotal();
}

/// The best predicted shape of those whose sums, with a vector of each column and one of a row, are registers.
static Shape chooseShape(const Dots &dots, int64_t extent, const cost::Machine &machine, Candidates &&candidates) {
  Shape best;
  int64_t least = -1;
  for (int64_t columns : {1, 2, 3, 4, 6, 8})
    for (int64_t vectors : {4, 2, 1})
      for (int64_t parts = 1; parts <= std::min<int64_t>(dots.nRows, machine.vectorRegisters); ++parts) {
        Shape shape{int64_t(llvm::divideCeil(dots.nRows, parts)), columns, vectors};
        int64_t registers = (shape.rows * columns * dots.nSums + columns + 1) * vectors;
        if (registers > machine.vectorRegisters || columns > dots.nColumns || vectors * machine.getLanes() > extent)
          continue;
        int64_t time = predict(dots, shape, machine);
        candidates.add([&] { return shape.describe(); }, double(time) / 1000);
        if (least < 0 || time < least) {
          least = time;
          best = shape;
        }
      }
  candidates.tell([&] { return best.describe(); });
  return best;
}

bool prefersDots(const Products &products, const cost::Machine &target) {
  return cost::prefersSums(products.nRows, products.nReduced, target);
}

bool scheduleDots(SchedulePlan &plan, const Products &products, const cost::Machine &target) {
  if (products.isKept || !llvm::all_of(products.sums, [](ReduceOp sum) { return sum.mayReorder(); }))
    return false;
  int64_t reduced = products.reduced.back(), extent = plan.getAxis(reduced).getExtent();
  AccessStride strides(plan.getAxis(reduced));
  auto liesAlong = [&](const Operand &operand) {
    return strides.get(LoadOp(operand.load).getIndex()) == std::optional<int64_t>(1);
  };
  if (extent < target.getLanes() || !llvm::all_of(products.a, liesAlong) || !llvm::all_of(products.b, liesAlong))
    return false;
  int64_t bytes = llvm::divideCeil(ReduceOp(products.sums.front()).getResult(0).getType().getIntOrFloatBitWidth(), 8);
  Dots dots{products.nRows, products.nLanes * products.nOthers, products.nReduced, products.getCount(), bytes, {}, {}};
  AccessStride rowStrides(plan.getAxis(products.rowAxis)), columnStrides(plan.getAxis(products.laneAxis));
  for (const Operand &a : products.a)
    dots.rowStrides.push_back(rowStrides.get(LoadOp(a.load).getIndex()));
  for (const Operand &b : products.b)
    dots.columnStrides.push_back(columnStrides.get(LoadOp(b.load).getIndex()));
  auto [rows, columns, vectors] = chooseShape(dots, extent, target, Candidates(plan.getOriginal(), "nanoseconds"));
  int64_t lanes = vectors * target.getLanes(), column = products.laneAxis, row = products.rowAxis;
  bool good = plan.pad(reduced, lanes) && plan.split(reduced, lanes, AxisKind::Upcast) && plan.pad(row, rows) &&
              plan.split(row, rows, AxisKind::Upcast) &&
              (columns == 1 || (plan.pad(column, columns) && plan.split(column, columns, AxisKind::Upcast)));
  if (good && rows < products.nRows && plan.getAxis(row).getPlace() < plan.getAxis(column).getPlace())
    good = plan.swap(row, column);
  if (!good) {
    plan.reset();
    return false;
  }
  addParts(plan, target);
  return true;
}

} // namespace tiny::kernel
