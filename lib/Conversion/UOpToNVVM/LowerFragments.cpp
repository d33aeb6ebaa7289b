// Fragments of matrices as what a lane of a warp holds of them. PTX's tables say which elements these are: "Matrix
// Fragments for mma.m16n8k8" and its siblings, for a lane's group g = lane / 4 and place t = lane % 4.
//
// Factors are words of 32 bits with p = 32 / width elements each. Word r of a left factor begins at row g + 8 (r mod 2)
// and column p t + 4 p (r / 2), and goes along the row; word r of a right one at row p t + 4 p r and column g, and goes
// along the column. Element e of a sum is at row g + 8 (e / 2) and column 2 t + e mod 2.
#include "NvvmLowering.h"

#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/UOp/Parallel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tiny {

using uop::FragmentRole;
using uop::FragmentType;

/// Rows of a left factor and of a sum, and columns of a right factor and of a sum.
static constexpr int64_t kRows = 16, kColumns = 8;
/// Lanes that hold one row of a sum.
static constexpr int64_t kLanesOfRow = 4;
static constexpr int64_t kElementsOfSum = kRows * kColumns / kWarp;

static int64_t getWidth(FragmentType type) { return type.getScalar().getIntOrFloatBitWidth(); }

/// Elements in a word.
static int64_t countPacked(FragmentType type) { return 32 / getWidth(type); }

static std::optional<NVVM::MMATypes> getFactorType(Type element) {
  if (element.isF16())
    return NVVM::MMATypes::f16;
  if (element.isBF16())
    return NVVM::MMATypes::bf16;
  if (element.isTF32())
    return NVVM::MMATypes::tf32;
  if (element.isSignlessInteger(8))
    return NVVM::MMATypes::s8;
  if (isa<Float8E4M3FNType>(element))
    return NVVM::MMATypes::e4m3;
  if (isa<Float8E5M2Type>(element))
    return NVVM::MMATypes::e5m2;
  return std::nullopt;
}

/// The axis of a factor along which products are summed up.
static int64_t getDepth(FragmentType type) {
  return type.getRole() == FragmentRole::Left ? type.getColumns() : type.getRows();
}

bool hasFragment(FragmentType type) {
  if (type.getSubgroups() > 1)
    return hasTeamFragment(type);
  Type element = type.getElement();
  if (type.getRole() == FragmentRole::Sum)
    return type.getRows() == kRows && type.getColumns() == kColumns &&
           (element.isF32() || element.isSignlessInteger(32));
  if (!getFactorType(element))
    return false;
  int64_t other = type.getRole() == FragmentRole::Left ? type.getRows() : type.getColumns();
  int64_t least = kLanesOfRow * countPacked(type), depth = getDepth(type);
  return other == (type.getRole() == FragmentRole::Left ? kRows : kColumns) && (depth == least || depth == 2 * least);
}

static int64_t countHeldElements(FragmentType type) {
  return type.getRows() * type.getColumns() / (kWarp * type.getSubgroups());
}

/// What a lane holds of a fragment.
static Type getHeldType(FragmentType type) {
  if (type.getSubgroups() > 1)
    return getHeldByTeam(type);
  if (type.getRole() == FragmentRole::Sum)
    return VectorType::get(kElementsOfSum, type.getElement());
  return VectorType::get(countHeldElements(type) / countPacked(type), IntegerType::get(type.getContext(), 32));
}

void NvvmLowering::holdFragments() {
  auto hold = [&](Value value) {
    auto type = dyn_cast<FragmentType>(value.getType());
    auto load = value.getDefiningOp<uop::FragmentLoadOp>();
    if (type && (value.getDefiningOp<uop::FragmentPackOp>() || (load && uop::isHeldByTeam(load, type))))
      value.setType(VectorType::get(countHeldElements(type) / countPacked(type), builder.getI32Type()));
    else if (type)
      value.setType(getHeldType(type));
  };
  func.walk([&](Operation *op) {
    if (auto fill = dyn_cast<uop::FragmentFillOp>(op))
      fragments[op] = fill.getType();
    else if (auto load = dyn_cast<uop::FragmentLoadOp>(op))
      fragments[op] = load.getType();
    else if (auto store = dyn_cast<uop::FragmentStoreOp>(op))
      fragments[op] = store.getValue().getType();
    else if (auto mma = dyn_cast<uop::MmaOp>(op))
      fragments[op] = mma.getLeft().getType();
    else if (auto pack = dyn_cast<uop::FragmentPackOp>(op))
      fragments[op] = pack.getType();
  });
  func.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), hold);
    for (Region &region : op->getRegions())
      llvm::for_each(region.getArguments(), hold);
  });
}

Value NvvmLowering::makeIndex(Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// The lane's group and its place in the group.
std::pair<Value, Value> NvvmLowering::readGroupAndPlace(Location loc) {
  Value lane = arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), readLaneOfWarp(loc));
  Value four = makeIndex(loc, kLanesOfRow);
  return {arith::DivUIOp::create(builder, loc, lane, four), arith::RemUIOp::create(builder, loc, lane, four)};
}

/// Elements of one part of what a lane holds: a word of a factor, an element of a sum.
static int64_t countInPart(FragmentType type) { return type.getRole() == FragmentRole::Sum ? 1 : countPacked(type); }

/// Rows and columns between the first element that a lane holds and element `k` of a part.
static std::pair<int64_t, int64_t> getDistance(FragmentType type, int64_t part, int64_t k) {
  int64_t block = kLanesOfRow * countPacked(type);
  switch (type.getRole()) {
  case FragmentRole::Left:
    return {kRows / 2 * (part % 2), block * (part / 2) + k};
  case FragmentRole::Right:
    return {block * part + k, 0};
  case FragmentRole::Sum:
    return {kRows / 2 * (part / 2), part % 2};
  }
  llvm_unreachable("unknown role");
}

/// The index of the first element that a lane holds.
Value NvvmLowering::findFirst(Location loc, FragmentType type, Value index, int64_t rowStride, int64_t columnStride) {
  auto [group, place] = readGroupAndPlace(loc);
  bool isSum = type.getRole() == FragmentRole::Sum, goesAlongRow = type.getRole() != FragmentRole::Right;
  int64_t step = isSum ? kColumns / kLanesOfRow : countPacked(type);
  auto scale = [&](Value value, int64_t by) {
    return arith::MulIOp::create(builder, loc, value, makeIndex(loc, by)).getResult();
  };
  Value ofGroup = scale(group, goesAlongRow ? rowStride : columnStride);
  Value ofPlace = scale(place, step * (goesAlongRow ? columnStride : rowStride));
  return arith::AddIOp::create(builder, loc, index, arith::AddIOp::create(builder, loc, ofGroup, ofPlace));
}

/// Floats that the device does not compute in are moved as their bits.
static Type getMovedType(FragmentType type) {
  Type element = type.getElement();
  return type.getRole() == FragmentRole::Sum ? element : IntegerType::get(type.getContext(), getWidth(type));
}

void NvvmLowering::lowerFragmentFill(uop::FragmentFillOp op) {
  Location loc = op.getLoc();
  FragmentType type = fragments.lookup(op);
  Type held = op.getResult().getType();
  Value value = op.getValue();
  if (type.getRole() != FragmentRole::Sum) {
    // One word, over and over.
    Value packed =
        vector::BroadcastOp::create(builder, loc, VectorType::get(countPacked(type), value.getType()), value);
    value = LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), packed);
  }
  op.getResult().replaceAllUsesWith(vector::BroadcastOp::create(builder, loc, held, value).getResult());
  op.erase();
}

void NvvmLowering::lowerFragmentLoad(uop::FragmentLoadOp op) {
  Location loc = op.getLoc();
  FragmentType type = fragments.lookup(op);
  if (uop::isHeldByTeam(op, type))
    return loadLeftFactor(op);
  if (type.getSubgroups() > 1) {
    op.getResult().replaceAllUsesWith(makeDescriptor(op, type));
    op.erase();
    return;
  }
  const Buffer &buffer = buffers[op.getBuffer()];
  auto held = cast<VectorType>(op.getResult().getType());
  Value all = loadMatrices(op, type);
  if (!all) {
    int64_t stride = op.getStride(), rowStride = op.getTransposed() ? 1 : stride;
    int64_t columnStride = op.getTransposed() ? stride : 1;
    Value first = findFirst(loc, type, op.getIndex(), rowStride, columnStride);
    SmallVector<Value> parts;
    for (int64_t part = 0; part < held.getNumElements(); ++part) {
      SmallVector<Value> elements;
      for (int64_t k = 0; k < countInPart(type); ++k) {
        auto [row, column] = getDistance(type, part, k);
        Value distance = makeIndex(loc, row * rowStride + column * columnStride);
        Value index = arith::AddIOp::create(builder, loc, first, distance);
        elements.push_back(loadElements(loc, buffer, index, getMovedType(type)));
      }
      if (type.getRole() == FragmentRole::Sum) {
        parts.push_back(elements.front());
        continue;
      }
      auto packed = VectorType::get(elements.size(), getMovedType(type));
      Value word = vector::FromElementsOp::create(builder, loc, packed, elements);
      parts.push_back(LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), word));
    }
    all = vector::FromElementsOp::create(builder, loc, held, parts);
  }
  op.getResult().replaceAllUsesWith(all);
  op.erase();
}

void NvvmLowering::lowerFragmentStore(uop::FragmentStoreOp op) {
  Location loc = op.getLoc();
  FragmentType type = fragments.lookup(op);
  const Buffer &buffer = buffers[op.getBuffer()];
  int64_t stride = op.getStride();
  Value first = findFirst(loc, type, op.getIndex(), stride, 1);
  for (int64_t part = 0; part < cast<VectorType>(op.getValue().getType()).getNumElements(); ++part) {
    Value value = vector::ExtractOp::create(builder, loc, op.getValue(), part);
    bool isSum = type.getRole() == FragmentRole::Sum;
    if (!isSum)
      value = LLVM::BitcastOp::create(builder, loc, VectorType::get(countPacked(type), getMovedType(type)), value);
    for (int64_t k = 0; k < countInPart(type); ++k) {
      auto [row, column] = getDistance(type, part, k);
      Value index = arith::AddIOp::create(builder, loc, first, makeIndex(loc, row * stride + column));
      storeElements(loc, buffer, index, isSum ? value : vector::ExtractOp::create(builder, loc, value, k).getResult());
    }
  }
  op.erase();
}

void NvvmLowering::lowerFragmentPlace(uop::FragmentPlaceOp op) {
  Location loc = op.getLoc();
  auto type = cast<FragmentType>(op.getFragment());
  if (type.getSubgroups() > 1)
    return lowerTeamPlace(op);
  auto [group, place] = readGroupAndPlace(loc);
  Value first = arith::MulIOp::create(builder, loc, place, makeIndex(loc, kColumns / kLanesOfRow));
  SmallVector<Value> rows, columns;
  for (int64_t part = 0; part < kElementsOfSum; ++part) {
    auto [row, column] = getDistance(type, part, 0);
    rows.push_back(arith::AddIOp::create(builder, loc, group, makeIndex(loc, row)));
    columns.push_back(arith::AddIOp::create(builder, loc, first, makeIndex(loc, column)));
  }
  op.getRows().replaceAllUsesWith(vector::FromElementsOp::create(builder, loc, op.getRows().getType(), rows));
  op.getColumns().replaceAllUsesWith(vector::FromElementsOp::create(builder, loc, op.getColumns().getType(), columns));
  op.erase();
}

//===--- Matrices of the workgroup's memory -----------------------------------------------------------------------===//

/// Lines of a matrix, and the most matrices that one instruction reads.
static constexpr int64_t kLines = 8, kMostMatrices = 4;

bool isTransposing(uop::FragmentLoadOp op, FragmentType type) {
  return (type.getRole() == FragmentRole::Left) == op.getTransposed();
}

bool NvvmLowering::isOfMatrices(uop::FragmentLoadOp op) {
  FragmentType type = fragments.lookup(op);
  if (!op.getBuffer().getDefiningOp<uop::LocalOp>() || type.getRole() == FragmentRole::Sum || type.getSubgroups() > 1)
    return false;
  int64_t packed = countPacked(type), row = kLanesOfRow * packed;
  return (packed == 2 || !isTransposing(op, type)) && op.getStride() % row == 0 && getDivisor(op.getIndex()) % row == 0;
}

std::pair<Value, int64_t> splitIndex(Value index) {
  int64_t number = 0;
  while (auto sum = index.getDefiningOp<arith::AddIOp>()) {
    std::optional<int64_t> left = getConstantIntValue(sum.getLhs()), right = getConstantIntValue(sum.getRhs());
    if (!left && !right)
      break;
    number += left ? *left : *right;
    index = left ? sum.getRhs() : sum.getLhs();
  }
  if (std::optional<int64_t> rest = getConstantIntValue(index))
    return {Value(), number + *rest};
  return {index, number};
}

llvm::DenseMap<Operation *, Operation *> NvvmLowering::findHalves() const {
  llvm::DenseMap<Operation *, Operation *> halves;
  for (auto [second, first] : firstHalves) {
    auto lower = uop::MmaOp(first).getRight().getDefiningOp<uop::FragmentLoadOp>();
    auto upper = cast<uop::MmaOp>(second).getRight().getDefiningOp<uop::FragmentLoadOp>();
    if (lower && upper && lower != upper)
      halves[upper] = lower;
  }
  return halves;
}

/// Joins loads to those in front that they lie a known distance apart from.
class NvvmLowering::LoadGrouping {
public:
  explicit LoadGrouping(NvvmLowering &lowering) : lowering(lowering), halves(lowering.findHalves()) {
    for (auto [upper, lower] : halves)
      isLower.insert(lower);
  }

  void add(uop::FragmentLoadOp load) {
    auto lower = cast_or_null<uop::FragmentLoadOp>(halves.lookup(load));
    if (lower && waiting.remove(lower))
      join(lower, load);
    else if (isLower.contains(load))
      waiting.insert(load);
    else
      join(load, {});
  }

  void close() {
    for (Operation *load : waiting)
      join(cast<uop::FragmentLoadOp>(load), {});
    waiting.clear();
    for (LoadGroup &group : open) {
      // There is no instruction for three.
      group.loads.truncate(llvm::bit_floor(group.loads.size()));
      if (group.loads.size() > 1)
        lowering.groups[group.loads.front()] = group;
    }
    open.clear();
  }

private:
  /// Elements between two loads of the same kind.
  std::optional<int64_t> findDistance(uop::FragmentLoadOp from, uop::FragmentLoadOp to) const {
    auto [base, number] = splitIndex(from.getIndex());
    auto [otherBase, otherNumber] = splitIndex(to.getIndex());
    if (from.getBuffer() != to.getBuffer() || from.getStride() != to.getStride() ||
        from.getTransposed() != to.getTransposed() ||
        lowering.fragments.lookup(from) != lowering.fragments.lookup(to) || base != otherBase || number == otherNumber)
      return std::nullopt;
    return otherNumber - number;
  }

  /// Words of the halves of one product stand next to each other, as its instruction reads them.
  void join(uop::FragmentLoadOp load, uop::FragmentLoadOp upper) {
    std::optional<int64_t> inner = upper ? findDistance(load, upper) : std::optional<int64_t>(0);
    if (!inner) {
      join(load, {});
      return join(upper, {});
    }
    int64_t words = cast<VectorType>(load.getResult().getType()).getNumElements(), own = upper ? 2 : 1;
    SmallVector<uop::FragmentLoadOp, 2> loads{load};
    if (upper)
      loads.push_back(upper);
    for (LoadGroup &group : open) {
      int64_t size = group.loads.size(), units = size / own;
      std::optional<int64_t> distance = findDistance(group.loads.front(), load);
      if (group.inner != own || group.innerDistance != *inner || !distance || (size + own) * words > kMostMatrices ||
          (units > 1 && *distance != units * group.distance))
        continue;
      if (units == 1)
        group.distance = *distance;
      llvm::append_range(group.loads, loads);
      return;
    }
    LoadGroup group;
    group.inner = own;
    group.innerDistance = *inner;
    llvm::append_range(group.loads, loads);
    open.push_back(group);
  }

  NvvmLowering &lowering;
  llvm::DenseMap<Operation *, Operation *> halves;
  llvm::DenseSet<Operation *> isLower;
  SmallVector<LoadGroup> open;
  llvm::SetVector<Operation *> waiting;
};

void NvvmLowering::groupLoads() {
  LoadGrouping grouping(*this);
  func.walk([&](Block *block) {
    for (Operation &op : *block) {
      auto load = dyn_cast<uop::FragmentLoadOp>(op);
      // What is written meanwhile may be what the next ones read.
      if (load && isOfMatrices(load))
        grouping.add(load);
      else if (!load && !isa<uop::LoadOp, uop::MmaOp, uop::FragmentPackOp, uop::FragmentFillOp>(op) &&
               !isMemoryEffectFree(&op))
        grouping.close();
    }
    grouping.close();
  });
}

/// By ldmatrix, where rows of 16 bytes begin at multiples of 16 bytes in a tile: lane 8 r + i says where row i of the
/// matrix that becomes word r begins. Words of the next fragment in a group follow those of the one before. Null where
/// that is not known.
Value NvvmLowering::loadMatrices(uop::FragmentLoadOp op, FragmentType type) {
  if (Value loaded = loadedBefore.lookup(op))
    return loaded;
  if (!isOfMatrices(op))
    return nullptr;
  bool isLeft = type.getRole() == FragmentRole::Left, transposes = isTransposing(op, type);
  int64_t row = kLanesOfRow * countPacked(type);
  Location loc = op.getLoc();
  auto held = cast<VectorType>(op.getResult().getType());
  Value lane = arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), readLaneOfWarp(loc));
  auto get = [&](int64_t divisor, int64_t modulus) -> Value {
    Value part = arith::DivUIOp::create(builder, loc, lane, makeIndex(loc, divisor));
    return arith::RemUIOp::create(builder, loc, part, makeIndex(loc, modulus));
  };
  LoadGroup group = groups.lookup(op);
  if (group.loads.empty())
    group.loads.push_back(op);
  // Blocks of a left factor are numbered down its 16 rows first, those of a right one along its depth.
  int64_t words = held.getNumElements(), downwards = isLeft ? 2 : 1, along = words / downwards;
  int64_t fragmentCount = group.loads.size(), matrices = words * fragmentCount;
  Value line = get(1, kLines), down = get(kLines, downwards), deep = get(kLines * downwards, along);
  auto scale = [&](Value value, int64_t by) -> Value {
    return arith::MulIOp::create(builder, loc, value, makeIndex(loc, by));
  };
  // Rows of memory go along the depth, or across it.
  Value index = op.getIndex();
  for (Value part : {scale(line, op.getStride()), scale(down, kLines * (transposes ? 1 : op.getStride())),
                     scale(deep, row * (transposes ? op.getStride() : 1)),
                     scale(get(kLines * words, group.inner), group.innerDistance),
                     scale(get(kLines * words * group.inner, fragmentCount / group.inner), group.distance)})
    index = arith::AddIOp::create(builder, loc, index, part);
  auto shared = LLVM::LLVMPointerType::get(op.getContext(), kWorkgroupSpace);
  Value pointer = LLVM::AddrSpaceCastOp::create(builder, loc, shared,
                                                address(loc, buffers[op.getBuffer()], index, /*inbounds=*/true));
  Type word = builder.getI32Type();
  Type result =
      matrices == 1 ? word : LLVM::LLVMStructType::getLiteral(op.getContext(), SmallVector<Type>(matrices, word));
  Value loaded = NVVM::LdMatrixOp::create(
      builder, loc, result, pointer, matrices, transposes ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(op.getContext(), kLines, kLines), NVVM::LdStMatrixEltType::B16);
  for (auto [number, load] : llvm::enumerate(group.loads)) {
    SmallVector<Value> parts;
    for (int64_t k = 0; k < words; ++k)
      parts.push_back(
          matrices == 1 ? loaded : LLVM::ExtractValueOp::create(builder, loc, loaded, number * words + k).getResult());
    loadedBefore[load] = vector::FromElementsOp::create(builder, loc, held, parts);
  }
  return loadedBefore.lookup(op);
}

void NvvmLowering::mergeRowReduces() {
  llvm::DenseMap<std::tuple<Block *, Value, arith::AtomicRMWKind>, uop::FragmentReduceOp> known;
  func.walk([&](uop::FragmentReduceOp op) {
    auto [first, isNew] = known.try_emplace({op->getBlock(), op.getElements(), op.getKind()}, op);
    if (isNew)
      return;
    op.replaceAllUsesWith(first->second.getResult());
    op.erase();
  });
}

/// Lanes that hold a row stand next to each other. A lane has two rows: neighbours of them in turn.
void NvvmLowering::lowerFragmentReduce(uop::FragmentReduceOp op) {
  if (reduceRoundedRows(op))
    return;
  Location loc = op.getLoc();
  int64_t count = op.getElements().getType().getNumElements();
  SmallVector<Value> results(count);
  for (int64_t first = 0; first < kElementsOfSum; first += 2) {
    Value value;
    auto forEachOfRow = [&](auto &&work) {
      for (int64_t k = first; k < count; k += kElementsOfSum)
        for (int64_t at : {k, k + 1})
          work(at);
    };
    forEachOfRow([&](int64_t at) {
      Value next = vector::ExtractOp::create(builder, loc, op.getElements(), at);
      value = value ? arith::getReductionOp(op.getKind(), builder, loc, value, next) : next;
    });
    for (int64_t distance = 1; distance < kLanesOfRow; distance *= 2) {
      Value offset = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(distance));
      Value other = shuffle(loc, uop::ShuffleMode::Xor, value, offset);
      value = arith::getReductionOp(op.getKind(), builder, loc, value, other);
    }
    forEachOfRow([&](int64_t at) { results[at] = value; });
  }
  op.replaceAllUsesWith(vector::FromElementsOp::create(builder, loc, op.getElements().getType(), results).getResult());
  op.erase();
}

/// Words of the factor are the two neighbours of each row, in the order of the sum's elements.
void NvvmLowering::lowerFragmentPack(uop::FragmentPackOp op) {
  Location loc = op.getLoc();
  FragmentType type = fragments.lookup(op);
  SmallVector<Value> words;
  int64_t before = op.getFrom().value_or(0) / kColumns * kElementsOfSum;
  for (int64_t word = 0; word < countHeldElements(type) / 2; ++word) {
    SmallVector<Value> pair;
    for (int64_t k : {2 * word, 2 * word + 1}) {
      Value value = vector::ExtractOp::create(builder, loc, op.getElements(), before + k);
      if (value.getType() != type.getElement())
        value = arith::TruncFOp::create(builder, loc, type.getElement(), value);
      pair.push_back(value);
    }
    Value both = vector::FromElementsOp::create(builder, loc, VectorType::get(2, type.getElement()), pair);
    words.push_back(LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), both));
  }
  op.getResult().replaceAllUsesWith(
      vector::FromElementsOp::create(builder, loc, cast<VectorType>(op.getResult().getType()), words));
  op.erase();
}

/// x1 y1 + (x0 y0 + c) of half the depth is (x0 x1) (y0 y1) + c: a lane's words of the two factors stand one behind the
/// other in those of the whole.
void NvvmLowering::mergeProducts() {
  const cost::Machine &machine = target::findMachine(func);
  func.walk([&](uop::MmaOp second) {
    auto first = second.getSum().getDefiningOp<uop::MmaOp>();
    FragmentType type = fragments.lookup(second);
    if (!first || isFirstHalf.contains(first) || firstHalves.contains(first) || !first->hasOneUse() ||
        first->getBlock() != second->getBlock() || fragments.lookup(first) != type)
      return;
    std::optional<cost::ElementType> input = target::getElementType(type.getElement());
    if (llvm::none_of(machine.matrices, [&](const cost::MatrixShape &shape) {
          return shape.m == kRows && shape.n == kColumns && shape.k == 2 * getDepth(type) && shape.input == input;
        }))
      return;
    firstHalves[second] = first;
    isFirstHalf.insert(first);
  });
}

void NvvmLowering::lowerMma(uop::MmaOp op) {
  if (isFirstHalf.contains(op))
    return;
  Location loc = op.getLoc();
  FragmentType left = fragments.lookup(op);
  uop::MmaOp first = firstHalves.lookup(op);
  Type element = left.getElement();
  auto held = cast<VectorType>(op.getResult().getType());
  auto split = [&](Value value) {
    SmallVector<Value> parts;
    for (int64_t k = 0; k < cast<VectorType>(value.getType()).getNumElements(); ++k)
      parts.push_back(vector::ExtractOp::create(builder, loc, value, k));
    return parts;
  };
  auto splitFactor = [&](Value value) {
    SmallVector<Value> words = split(value);
    if (element.isF16())
      for (Value &word : words)
        word = LLVM::BitcastOp::create(builder, loc, VectorType::get(2, element), word);
    return words;
  };
  SmallVector<Value> lefts, rights;
  for (uop::MmaOp part : {first, op})
    if (part) {
      llvm::append_range(lefts, splitFactor(part.getLeft()));
      llvm::append_range(rights, splitFactor(part.getRight()));
    }
  Value start = first ? first.getSum() : op.getSum();
  int64_t depth = getDepth(left) * (first ? 2 : 1);
  MLIRContext *context = op.getContext();
  auto result = LLVM::LLVMStructType::getLiteral(context, SmallVector<Type>(kElementsOfSum, held.getElementType()));
  NVVM::MMATypes type = *getFactorType(element);
  std::optional<NVVM::MMAIntOverflow> overflow;
  if (element.isInteger())
    overflow = NVVM::MMAIntOverflow::wrapped;
  Value product;
  if (getWidth(left) == 8 && isa<FloatType>(element)) {
    // The operation does not know these types.
    StringRef name = NVVM::stringifyMMATypes(type);
    std::string intrinsic =
        ("llvm.nvvm.mma.m16n8k" + Twine(depth) + ".row.col.f32." + name + "." + name + ".f32").str();
    SmallVector<Value> operands(lefts);
    llvm::append_range(operands, rights);
    llvm::append_range(operands, split(start));
    product =
        LLVM::CallIntrinsicOp::create(builder, loc, result, builder.getStringAttr(intrinsic), operands).getResult(0);
  } else {
    product = NVVM::MmaOp::create(builder, loc, result, lefts, rights, split(start),
                                  ArrayRef<int64_t>{kRows, kColumns, depth}, std::nullopt, overflow,
                                  std::array{type, type}, std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  }
  SmallVector<Value> parts;
  for (int64_t k = 0; k < kElementsOfSum; ++k)
    parts.push_back(LLVM::ExtractValueOp::create(builder, loc, product, k));
  op.getResult().replaceAllUsesWith(vector::FromElementsOp::create(builder, loc, held, parts).getResult());
  op.erase();
  if (first)
    first.erase();
}

} // namespace tiny
