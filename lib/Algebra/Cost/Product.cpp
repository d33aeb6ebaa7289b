// The nests of a product: what is packed, tiles of registers, dot products.
#include "Tiny/Algebra/Cost/Product.h"

#include "NestMath.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tiny::cost {

static int64_t divideUp(int64_t a, int64_t b) { return int64_t(llvm::divideCeil(a, b)); }

static std::optional<int64_t> scale(std::optional<int64_t> stride, int64_t by) {
  return stride ? std::optional(*stride * by) : stride;
}

int64_t Product::countReduced() const {
  int64_t points = 1;
  for (int64_t extent : reduced)
    points *= extent;
  return points;
}

int64_t Product::countLanes(const Machine &machine) const {
  return std::max<int64_t>(1, machine.getLanes() * 4 / std::max<int64_t>(4, bytes));
}

bool Product::hasPlainRows() const {
  return llvm::all_of(a, [](const Factor &factor) {
    return factor.stride && factor.reduced.back() == std::optional<int64_t>(1) && !factor.isGated &&
           factor.work.empty();
  });
}

bool Product::walksLanes() const {
  return llvm::all_of(b, [](const Factor &factor) { return factor.stride == std::optional<int64_t>(1); });
}

Product Product::make(int64_t others, int64_t rows, int64_t depth, int64_t lanes, bool isTurned) {
  Product product;
  product.rows = rows;
  product.lanes = lanes;
  product.others = others;
  product.reduced = {depth};
  Factor a, b;
  a.stride = depth;
  a.reduced = {1};
  b.stride = isTurned ? depth : 1;
  b.reduced = {isTurned ? 1 : lanes};
  a.others = b.others = others;
  product.a = {a};
  product.b = {b};
  return product;
}

std::string RegisterTile::describe() const {
  std::string text = llvm::formatv("register tile of {0} rows and {1} lanes{2}{3}", rows, lanes,
                                   packRows ? ", rows packed" : "", packLanes ? ", lanes packed" : "");
  if (panel > lanes)
    text += llvm::formatv(", panels of {0}", panel).str();
  return blocks > 1 ? text + llvm::formatv(", in {0} blocks", blocks).str() : text;
}

std::string DotShape::describe() const {
  return llvm::formatv("dot products of {0} rows and {1} columns, {2} vectors each", rows, columns, vectors);
}

namespace {
/// Adds axes, and then accesses with one stride for each of them.
struct Builder {
  Nest nest;

  size_t add(int64_t trips, AxisRole role, bool isReduced) {
    nest.axes.push_back({trips, role, isReduced, int64_t(nest.axes.size())});
    return nest.axes.size() - 1;
  }
  NestAccess &access(int64_t bytes, bool isStore) {
    NestAccess access;
    access.bytes = bytes;
    access.isStore = isStore;
    access.strides.assign(nest.axes.size(), 0);
    nest.accesses.push_back(std::move(access));
    return nest.accesses.back();
  }
};
} // namespace

/// Packs a factor: for each of its matrices, in groups of so many of its rows or lanes, all reduced points of which
/// each is `width` elements next to each other.
static int64_t predictPacking(const Product &product, const Factor &factor, int64_t extent, int64_t width, bool isLanes,
                              const Machine &machine) {
  if (factor.isConstant)
    return 0;
  Builder builder;
  int64_t reduced = product.countReduced();
  size_t others = builder.add(factor.others, AxisRole::Loop, false),
         groups = builder.add(divideUp(extent, width), AxisRole::Loop, false), first = builder.nest.axes.size();
  for (int64_t trips : product.reduced)
    builder.add(trips, AxisRole::Loop, false);
  size_t inner = builder.add(width, isLanes ? AxisRole::Lanes : AxisRole::Loop, false);
  NestAccess &load = builder.access(factor.bytes, false);
  load.strides[others] = factor.others > 1 ? std::optional(extent * reduced) : 0;
  load.strides[groups] = scale(factor.stride, width);
  load.strides[inner] = factor.stride;
  if (factor.isGated)
    load.gate = (uint64_t(1) << builder.nest.axes.size()) - 1;
  for (size_t k = 0; k < product.reduced.size(); ++k)
    load.strides[first + k] = factor.reduced[k];
  NestAccess &store = builder.access(product.bytes, true);
  store.strides[inner] = 1;
  // All rows are packed at once; a panel of lanes is packed where the one before it was.
  store.strides[groups] = isLanes ? 0 : width * reduced;
  int64_t apart = width;
  for (size_t k = product.reduced.size(); k-- > 0; apart *= product.reduced[k])
    store.strides[first + k] = apart;
  for (OpClass opClass : factor.work)
    builder.nest.work.push_back({opClass, (uint64_t(1) << builder.nest.axes.size()) - 1, false});
  return predictNest(builder.nest, machine).getTotal();
}

/// Additions in the time of bringing an element into all lanes: a shuffle, and what takes it out of its own vector.
static constexpr int64_t kBroadcast = 4;

/// The sums, each in registers over all reduced points of a block.
static int64_t predictSums(const Product &product, const RegisterTile &tile, const Machine &machine) {
  Builder builder;
  int64_t reduced = product.countReduced();
  int64_t blockRows = product.countBlockRows();
  size_t others = builder.add(product.others, AxisRole::Loop, false),
         rowBlocks = builder.add(divideUp(product.rows, blockRows), AxisRole::Loop, false),
         panels = builder.add(divideUp(product.lanes, tile.lanes), AxisRole::Loop, false),
         blocks = builder.add(tile.blocks, AxisRole::Loop, false),
         groups = builder.add(divideUp(blockRows, tile.rows), AxisRole::Loop, false), first = builder.nest.axes.size();
  uint64_t reducedAxes = 0;
  for (auto [k, extent] : llvm::enumerate(product.reduced))
    reducedAxes |= uint64_t(1) << builder.add(k == 0 ? extent / tile.blocks : extent, AxisRole::Loop, true);
  size_t rows = builder.add(tile.rows, AxisRole::Copies, false),
         lanes = builder.add(tile.lanes, AxisRole::Lanes, false);
  uint64_t all = (uint64_t(1) << builder.nest.axes.size()) - 1;
  // Packed, the points of a group lie next to each other.
  auto walk = [&](const Factor &factor, NestAccess &access, bool isPacked, int64_t width) {
    access.strides[others] = factor.others > 1 ? int64_t(1) << 20 : 0;
    int64_t apart = width;
    for (size_t k = product.reduced.size(); k-- > 0; apart *= product.reduced[k])
      access.strides[first + k] = isPacked ? std::optional(apart) : factor.reduced[k];
    access.strides[blocks] = scale(access.strides[first], product.reduced.front() / tile.blocks);
  };
  for (const Factor &factor : product.a) {
    NestAccess &access = builder.access(tile.packRows ? product.bytes : factor.bytes, false);
    walk(factor, access, tile.packRows, tile.rows);
    access.strides[groups] = tile.packRows ? tile.rows * reduced : scale(factor.stride, tile.rows);
    access.strides[rowBlocks] = tile.packRows ? blockRows * reduced : scale(factor.stride, blockRows);
    access.strides[rows] = tile.packRows ? 1 : factor.stride;
    if (factor.isGated && !tile.packRows)
      access.gate = reducedAxes | uint64_t(1) << rows;
    // What is computed of an element has to be brought into all lanes: one as it lies is loaded so.
    if (!tile.packRows && !factor.work.empty()) {
      for (OpClass opClass : factor.work)
        builder.nest.work.push_back({opClass, all & ~(uint64_t(1) << lanes), false});
      builder.nest.work.append(kBroadcast, {OpClass::Add, all & ~(uint64_t(1) << lanes), false});
    }
  }
  for (const Factor &factor : product.b) {
    NestAccess &access = builder.access(tile.packLanes ? product.bytes : factor.bytes, false);
    walk(factor, access, tile.packLanes, tile.lanes);
    // A panel is packed where the one before it was, unless all are packed once.
    int64_t whole = factor.isConstant ? tile.lanes * reduced : 0;
    access.strides[panels] = tile.packLanes ? whole : scale(factor.stride, tile.lanes);
    access.strides[lanes] = tile.packLanes ? 1 : factor.stride;
    // Where a window ends, each point of it has masks of its own.
    if (factor.isGated && !tile.packLanes) {
      access.gate = reducedAxes | uint64_t(1) << groups | uint64_t(1) << lanes;
      access.comparisons.push_back(access.gate);
    }
    if (!tile.packLanes)
      for (OpClass opClass : factor.work)
        builder.nest.work.push_back({opClass, all & ~(uint64_t(1) << rows), false});
  }
  builder.nest.work.append(product.sums, {OpClass::MultiplyAdd, all, true});
  for (int64_t k = 0; k < product.sums; ++k)
    for (bool isStore : {true, false}) {
      if (!isStore && tile.blocks == 1)
        continue;
      NestAccess &access = builder.access(product.bytes, isStore);
      if (!product.isKept) {
        access.strides[others] = product.rows * product.lanes;
        access.strides[rowBlocks] = blockRows * product.lanes;
      }
      access.strides[panels] = tile.lanes;
      access.strides[groups] = tile.rows * product.lanes;
      access.strides[rows] = product.lanes;
      access.strides[lanes] = 1;
    }
  return predictPasses(builder.nest, machine);
}

/// Reads the tile of a block's sums once for each time that it is filled.
static int64_t predictReading(const Product &product, const Machine &machine) {
  Nest nest;
  int64_t width = machine.getLanes();
  nest.axes = {{product.others * divideUp(product.rows, product.countBlockRows()), AxisRole::Loop, false},
               {product.countBlockRows(), AxisRole::Loop, false},
               {divideUp(product.lanes, width), AxisRole::Loop, false},
               {width, AxisRole::Lanes, false}};
  nest.accesses = {{product.bytes, false, {0, product.lanes, width, 1}}};
  return predictNest(nest, machine).getTotal();
}

/// The machine while so many bytes of something else are in its caches.
static Machine crowd(const Machine &machine, int64_t bytes) {
  Machine crowded = machine;
  for (Cache &cache : crowded.caches)
    if (cache.bytes > 0)
      cache.bytes = std::max(machine.cacheLine, cache.bytes - bytes);
  return crowded;
}

TileTimes predictTile(const Product &product, const RegisterTile &tile, const Machine &machine) {
  TileTimes times;
  // Before a factor is packed again, the sums and the other factor have passed.
  int64_t reduced = product.countReduced() * product.bytes;
  int64_t sums = product.isFused ? 0 : product.countBlockRows() * product.lanes * product.bytes;
  Machine crowded = crowd(machine, sums + product.rows * reduced);
  if (tile.packRows)
    for (const Factor &factor : product.a)
      times.packRows += predictPacking(product, factor, product.rows, tile.rows, false, machine);
  if (tile.packLanes)
    for (const Factor &factor : product.b)
      times.packLanes +=
          predictPacking(product, factor, product.lanes, std::max(tile.panel, tile.lanes), true, crowded);
  times.sums = predictSums(product, tile, machine);
  if (product.blockRows > 0)
    times.packLanes *= divideUp(product.rows, product.blockRows);
  if (product.isKept)
    times.sums += predictReading(product, machine);
  return times;
}

static bool hasFunctions(const Factor &factor) { return llvm::is_contained(factor.work, OpClass::Function); }

/// Numbers of vectors of a row, and numbers of rows that are weighed for each of them, the largest first.
static constexpr int64_t kMostVectors = 4, kFewestTried = 4;

/// The numbers of blocks of the outermost reduced axis for which a tile has the sums of all lanes, the fewest first.
/// One panel has all lanes: several would have to be packed at once.
static llvm::SmallVector<int64_t> findBlocks(const Product &product, int64_t lanes) {
  llvm::SmallVector<int64_t> blocks{1};
  int64_t extent = product.reduced.front();
  if (lanes >= product.lanes && product.sums == 1 && product.hasPlainRows() && !product.isKept && product.mayReorder)
    for (int64_t count = 2; count <= extent / 4; count *= 2)
      if (extent % count == 0)
        blocks.push_back(count);
  return blocks;
}

llvm::SmallVector<TileChoice, 0> findTiles(const Product &product, const Machine &machine) {
  llvm::SmallVector<TileChoice, 0> choices;
  int64_t width = product.countLanes(machine), all = product.countBlockRows();
  bool gathersRows = llvm::any_of(product.a, hasFunctions), computesLanes = llvm::any_of(product.b, hasFunctions);
  for (int64_t vectors = 1; vectors <= kMostVectors; ++vectors) {
    int64_t lanes = vectors * width;
    if (vectors > 1 && lanes >= product.lanes + width)
      break;
    // Accumulators leave room for a row of lanes and an element of the other factor.
    int64_t fitting = (machine.vectorRegisters - 1 - vectors * int64_t(product.b.size()) - int64_t(product.a.size())) /
                      (vectors * product.sums);
    if (vectors > 1 && fitting < 1)
      break;
    int64_t most = std::min(std::max<int64_t>(fitting, 1), all), least = 2 * all + 1, tried = 0;
    for (int64_t rows = most; rows >= (product.isKept ? 1 : std::max<int64_t>(1, most / 3)); --rows) {
      // Vectors of rows are gathered while they are packed.
      if ((product.isKept && all % rows != 0 && rows > 1) || (gathersRows && rows > 1 && !llvm::isPowerOf2_64(rows)))
        continue;
      // Fewer rows load more for each product. They gain where fewer of them are behind the end, or find registers.
      int64_t padded = divideUp(all, rows) * rows;
      if (padded >= least && tried >= kFewestTried)
        continue;
      least = std::min(least, padded);
      ++tried;
      for (bool packRows : {true, false})
        for (bool packLanes : {true, false})
          // A function is evaluated once for each element, in vectors.
          if ((packLanes || (product.walksLanes() && !computesLanes)) && (packRows || !gathersRows))
            for (int64_t blocks : findBlocks(product, lanes))
              if (RegisterTile tile{rows, lanes, lanes, packRows, packLanes, blocks}; blocks == 1 || !packRows)
                choices.push_back({tile, predictTile(product, tile, machine)});
    }
  }
  llvm::stable_sort(choices,
                    [](const TileChoice &a, const TileChoice &b) { return a.times.getTotal() < b.times.getTotal(); });
  return choices;
}

int64_t chooseBlockRows(const Product &product, const RegisterTile &tile, int64_t fewestBlocks,
                        const Machine &machine) {
  int64_t best = product.rows, least = std::numeric_limits<int64_t>::max(), rows = product.rows;
  for (int64_t blocks = fewestBlocks; rows > tile.rows; blocks += 1 + blocks / 4) {
    rows = divideUp(divideUp(product.rows, blocks), tile.rows) * tile.rows;
    Product block = product;
    block.isKept = true;
    block.blockRows = rows;
    int64_t time = predictTile(block, tile, machine).getTotal();
    if (time < least) {
      least = time;
      best = rows;
    }
  }
  return best;
}

int64_t predictDots(const Product &product, const DotShape &shape, const Machine &machine) {
  int64_t width = shape.vectors * machine.getLanes(), columnLoops = divideUp(product.lanes, shape.columns),
          rowLoops = divideUp(product.rows, shape.rows);
  Builder builder;
  size_t others = builder.add(product.others, AxisRole::Loop, false),
         columnGroups = builder.add(columnLoops, AxisRole::Loop, false),
         rowGroups = builder.add(rowLoops, AxisRole::Loop, false), first = builder.nest.axes.size();
  for (int64_t extent : llvm::drop_end(product.reduced))
    builder.add(extent, AxisRole::Loop, true);
  size_t inner = builder.add(divideUp(product.reduced.back(), width), AxisRole::Loop, true),
         rows = builder.add(shape.rows, AxisRole::Copies, false),
         columns = builder.add(shape.columns, AxisRole::Copies, false),
         lanes = builder.add(width, AxisRole::Lanes, true);
  auto walk = [&](const Factor &factor, size_t groups, size_t copies, int64_t count) {
    NestAccess &access = builder.access(factor.bytes, false);
    access.strides[others] = factor.others > 1 ? int64_t(1) << 20 : 0;
    access.strides[groups] = scale(factor.stride, count);
    access.strides[copies] = factor.stride;
    for (size_t k = 0; k + 1 < product.reduced.size(); ++k)
      access.strides[first + k] = factor.reduced[k];
    access.strides[inner] = scale(factor.reduced.back(), width);
    access.strides[lanes] = factor.reduced.back();
    uint64_t other = uint64_t(1) << (copies == rows ? columns : rows);
    for (OpClass opClass : factor.work)
      builder.nest.work.push_back({opClass, ((uint64_t(1) << builder.nest.axes.size()) - 1) & ~other, false});
  };
  for (const Factor &factor : product.a)
    walk(factor, rowGroups, rows, shape.rows);
  for (const Factor &factor : product.b)
    walk(factor, columnGroups, columns, shape.columns);
  builder.nest.work.append(product.sums, {OpClass::MultiplyAdd, (uint64_t(1) << builder.nest.axes.size()) - 1, true});
  // Each halving of a vector is a shuffle and an addition.
  Nest ends;
  ends.axes = {{multiply(multiply(product.others, columnLoops), multiply(rowLoops, shape.rows * shape.columns)),
                AxisRole::Loop, false}};
  int64_t halvings = llvm::Log2_64_Ceil(machine.getLanes());
  ends.work.assign(product.sums * (2 * halvings + shape.vectors - 1), {OpClass::Add, 0b1, false});
  return predictNest(builder.nest, machine).getTotal() + predictNest(ends, machine).getTotal();
}

std::optional<std::pair<DotShape, int64_t>> chooseDots(const Product &product, const Machine &machine,
                                                       llvm::function_ref<void(const DotShape &, int64_t)> tell) {
  std::optional<std::pair<DotShape, int64_t>> best;
  int64_t extent = product.reduced.back();
  for (int64_t columns : {1, 2, 3, 4, 6, 8})
    for (int64_t vectors : {4, 2, 1})
      for (int64_t parts = 1; parts <= std::min<int64_t>(product.rows, machine.vectorRegisters); ++parts) {
        DotShape shape{divideUp(product.rows, parts), columns, vectors};
        int64_t registers = (shape.rows * columns * product.sums + columns + 1) * vectors;
        if (registers > machine.vectorRegisters || columns > product.lanes || vectors * machine.getLanes() > extent)
          continue;
        // A function is evaluated once for each element.
        if ((shape.columns < product.lanes && llvm::any_of(product.a, hasFunctions)) ||
            (shape.rows < product.rows && llvm::any_of(product.b, hasFunctions)))
          continue;
        int64_t time = predictDots(product, shape, machine);
        tell(shape, time);
        if (!best || time < best->second)
          best = {shape, time};
      }
  return best;
}

} // namespace tiny::cost
