// Products of matrices by warpgroups, the four warps of a team, with wgmma. Factors stay in the workgroup's memory:
// what a lane holds of one is the descriptor of "Matrix Descriptor Format" in PTX's manual. Sums are in registers: each
// warp has 16 of the 64 rows, in blocks of 8 columns that lie in its lanes as the sums of mma.sync do. Two such blocks
// of 16 bits are a left factor, which may be in registers, too. Of tf32 a left factor that lies across the depth is:
// the lanes read it.
//
// wgmma runs on while the warps go on. A series of products in one block begins with wgmma.fence, which orders them
// behind what wrote the sums, and ends in front of what needs a sum, or of the next barrier, with a wait. Both take and
// give all sums of the series, so that nothing moves over them. Where uop.mma_wait ends a series, its products run on,
// up to as many series as that says: their sums stay in the registers that they are in.
#include "NvvmLowering.h"

#include "Tiny/Dialect/UOp/Parallel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny {

using uop::FragmentRole;
using uop::FragmentType;

/// Warps of a warpgroup, and rows and bytes along the depth of its products.
static constexpr int64_t kTeam = 4, kTeamRows = 64, kTeamDepthBytes = 32;
/// Rows of a product that one of them has.
static constexpr int64_t kRowsOfWarp = kTeamRows / kTeam;
/// Rows of a group of lanes that lie next to each other.
static constexpr int64_t kPair = 2;
/// Columns of its products.
static constexpr int64_t kColumnStep = 8, kMostColumns = 256;

static int64_t getBytes(FragmentType type) { return type.getScalar().getIntOrFloatBitWidth() / 8; }

bool hasTeamFragment(FragmentType type) {
  auto isColumns = [](int64_t extent) {
    return extent % kColumnStep == 0 && kColumnStep <= extent && extent <= kMostColumns;
  };
  if (type.getSubgroups() != kTeam)
    return false;
  Type element = type.getElement();
  bool isFactor = element.isF16() || element.isBF16() || element.isTF32();
  switch (type.getRole()) {
  case FragmentRole::Sum:
    return type.getRows() == kTeamRows && isColumns(type.getColumns()) && element.isF32();
  case FragmentRole::Left:
    return isFactor && type.getRows() == kTeamRows && type.getColumns() * getBytes(type) == kTeamDepthBytes;
  case FragmentRole::Right:
    return isFactor && isColumns(type.getColumns()) && type.getRows() * getBytes(type) == kTeamDepthBytes;
  }
  llvm_unreachable("unknown role");
}

/// The load of a factor that is still in its tile when the product reads it there; null where it need not be.
static uop::FragmentLoadOp findTile(Value factor, uop::MmaOp mma) {
  auto load = factor.getDefiningOp<uop::FragmentLoadOp>();
  if (!load || !load.getPanel() || load->getBlock() != mma->getBlock())
    return {};
  for (Operation *op = load->getNextNode(); op != mma; op = op->getNextNode())
    if (op->getNumRegions() != 0 || isa<uop::BarrierOp>(op))
      return {};
  return load;
}

/// Whether lanes hold the product's left factor, of elements that they computed.
static bool isPacked(uop::MmaOp mma) { return mma.getLeft().getDefiningOp<uop::FragmentPackOp>(); }

/// Whether lanes hold it, where fragments are what lanes hold by now.
static bool isHeld(uop::MmaOp mma) { return isa<VectorType>(mma.getLeft().getType()); }

/// Whether lanes read it of a tile.
static bool isReadByLanes(Value factor) {
  auto load = factor.getDefiningOp<uop::FragmentLoadOp>();
  return load && uop::isHeldByTeam(load, load.getType());
}

/// Where sums begin with zeros the first product drops what its registers have.
static bool isFilledWithZeros(Value sum) {
  auto fill = sum.getDefiningOp<uop::FragmentFillOp>();
  return fill && matchPattern(fill.getValue(), m_PosZeroFloat());
}

/// A product by one number: all columns are the rows' sums.
static bool isSumOfRows(Value sum) {
  auto mma = sum.getDefiningOp<uop::MmaOp>();
  return mma && mma.getRight().getDefiningOp<uop::FragmentFillOp>();
}

LogicalResult checkTeams(uop::FuncOp func) {
  // Where lanes read left factors, sums have another order of rows.
  std::optional<bool> areReadByLanes;
  WalkResult walked = func.walk([&](Operation *op) {
    if (uop::countTeam(op) == 1)
      return WalkResult::advance();
    auto refuse = [&](const Twine &reason) {
      op->emitOpError(reason);
      return WalkResult::interrupt();
    };
    if (auto mma = dyn_cast<uop::MmaOp>(op)) {
      if (isSumOfRows(mma.getResult())) {
        if (!isPacked(mma) || (!isFilledWithZeros(mma.getSum()) && !isSumOfRows(mma.getSum())))
          return refuse(
              "of several subgroups with a filled right factor needs a packed left one, and sums from zero on");
        return WalkResult::advance();
      }
      if ((!findTile(mma.getLeft(), mma) && !isPacked(mma)) || !findTile(mma.getRight(), mma))
        return refuse("of several subgroups needs factors that are read as panels in front of it, with no barrier "
                      "between, or a packed left one");
      auto right = mma.getRight().getDefiningOp<uop::FragmentLoadOp>();
      if (right.getType().getElement().isTF32() && isTransposing(right, right.getType()))
        return refuse("of several subgroups needs a right factor of tf32 that lies along the depth");
      bool isRead = isReadByLanes(mma.getLeft());
      if (areReadByLanes.value_or(isRead) != isRead)
        return refuse("of several subgroups has a left factor across the depth, and another product has none");
      areReadByLanes = isRead;
    } else if (isa<uop::FragmentStoreOp>(op)) {
      return refuse("has no form in PTX for what several subgroups hold");
    } else if (auto load = dyn_cast<uop::FragmentLoadOp>(op)) {
      if (load.getType().getRole() == FragmentRole::Sum)
        return refuse("has no form in PTX for what several subgroups hold");
    }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

Type getHeldByTeam(FragmentType type) {
  if (type.getRole() != FragmentRole::Sum)
    return IntegerType::get(type.getContext(), 64);
  return VectorType::get(type.getRows() * type.getColumns() / (kTeam * kWarp), type.getElement());
}

bool NvvmLowering::readsLeftFactors() {
  auto find = [](uop::FragmentLoadOp load) {
    return uop::isHeldByTeam(load, load.getType()) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return func.walk(find).wasInterrupted();
}

bool NvvmLowering::hasTeams() {
  auto find = [](uop::MmaOp mma) { return uop::countTeam(mma) > 1 ? WalkResult::interrupt() : WalkResult::advance(); };
  return func.walk(find).wasInterrupted();
}

static SmallVector<Value> split(OpBuilder &builder, Location loc, Value held) {
  SmallVector<Value> parts;
  for (int64_t k = 0; k < cast<VectorType>(held.getType()).getNumElements(); ++k)
    parts.push_back(vector::ExtractOp::create(builder, loc, held, k));
  return parts;
}

//===--- Descriptors ----------------------------------------------------------------------------------------------===//

/// The index by a number that it is a multiple of.
Value NvvmLowering::divideExact(Location loc, Value index, int64_t divisor) {
  if (std::optional<int64_t> number = getConstantIntValue(index))
    return makeIndex(loc, *number / divisor);
  if (auto sum = index.getDefiningOp<arith::AddIOp>())
    return arith::AddIOp::create(builder, loc, divideExact(loc, sum.getLhs(), divisor),
                                 divideExact(loc, sum.getRhs(), divisor));
  if (auto product = index.getDefiningOp<arith::MulIOp>()) {
    std::optional<int64_t> by = getConstantIntValue(product.getRhs());
    if (by && *by % divisor == 0)
      return arith::MulIOp::create(builder, loc, product.getLhs(), makeIndex(loc, *by / divisor));
  }
  return arith::DivUIOp::create(builder, loc, index, makeIndex(loc, divisor));
}

/// Bits 0 to 13 are where the matrix begins, 16 to 29 the distance between panels, 32 to 45 that between eight lines,
/// all by 16 bytes; 62 and 63 are 1 for a swizzle of 128 bytes.
Value NvvmLowering::makeDescriptor(uop::FragmentLoadOp op, FragmentType type) {
  constexpr int64_t kUnit = uop::FragmentLoadOp::kGroupBytes, kLines = 8;
  constexpr uint64_t kSwizzle = uint64_t(1) << 62;
  Location loc = op.getLoc();
  int64_t width = getBytes(type);
  uint64_t panel = isTransposing(op, type) ? *op.getPanel() * width / kUnit : 1;
  uint64_t fixed = kSwizzle | (uint64_t(kLines * uop::FragmentLoadOp::kPieceBytes / kUnit) << 32) | panel << 16;
  auto makeWord = [&](uint64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(int32_t(uint32_t(value))));
  };
  auto shared = LLVM::LLVMPointerType::get(op.getContext(), kWorkgroupSpace);
  Value pointer = LLVM::AddrSpaceCastOp::create(builder, loc, shared, buffers[op.getBuffer()].pointer);
  Value base = LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), pointer);
  base =
      arith::AddIOp::create(builder, loc, arith::DivUIOp::create(builder, loc, base, makeWord(kUnit)), makeWord(fixed));
  Value steps =
      arith::IndexCastOp::create(builder, loc, builder.getI32Type(), divideExact(loc, op.getIndex(), kUnit / width));
  Value low =
      arith::ExtUIOp::create(builder, loc, builder.getI64Type(), arith::AddIOp::create(builder, loc, base, steps));
  Value high = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(int64_t(fixed >> 32 << 32)));
  return arith::OrIOp::create(builder, loc, low, high);
}

/// Warp w of the warpgroup has rows from 16 w on, of which group g of its lanes has rows g and g + 8. Where lanes read
/// a left factor of f32 across the depth, the rows of the matrix go to other rows of the instruction, and so do those
/// of the sum: rows 2 r and 2 r + 1 are a group's two, which lie next to each other, and the groups of half a warp have
/// pairs in groups of 16 bytes 0 and 4, or 1 and 5, of a piece of 32 rows: swizzled they meet in no bank. Warps 1 and 3
/// have those that follow two behind.
std::pair<Value, Value> NvvmLowering::findPairOfRows(Location loc, Value group) {
  Value warp = arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), readWarpOfTeam(loc));
  auto take = [&](Value number, int64_t divisor, int64_t by) -> Value {
    Value bit = arith::RemUIOp::create(
        builder, loc, arith::DivUIOp::create(builder, loc, number, makeIndex(loc, divisor)), makeIndex(loc, 2));
    return arith::MulIOp::create(builder, loc, bit, makeIndex(loc, by));
  };
  // Twice a number: it is seen to be even, so that both rows are stored at once.
  Value half = take(group, 1, 1);
  for (Value part : {take(group, 2, 8), take(group, 4, 2), take(warp, 1, 4)})
    half = arith::AddIOp::create(builder, loc, half, part);
  Value piece = take(warp, 2, 1);
  return {piece, half};
}

/// The word of row r and column c is at c pieces and r, swizzled: groups of 16 bytes are combined with c. A lane has
/// columns t and t + 4.
void NvvmLowering::loadLeftFactor(uop::FragmentLoadOp op) {
  constexpr int64_t kGroupElements = 4, kWidth = 4, kPairBytes = 8, kPiece = uop::FragmentLoadOp::kPieceBytes / kWidth;
  Location loc = op.getLoc();
  const Buffer &buffer = buffers[op.getBuffer()];
  auto [group, place] = readGroupAndPlace(loc);
  auto [piece, half] = findPairOfRows(loc, group);
  auto scale = [&](Value value, int64_t by) -> Value {
    return arith::MulIOp::create(builder, loc, value, makeIndex(loc, by));
  };
  auto add = [&](Value a, Value b) -> Value { return arith::AddIOp::create(builder, loc, a, b); };
  Value ofPiece = add(scale(piece, *op.getPanel()), scale(place, kPiece)), inPiece = scale(half, kPair);
  auto pair = VectorType::get(kPair, builder.getI32Type());
  SmallVector<Value> words;
  for (int64_t column : {int64_t(0), kTeamDepthBytes / kWidth / 2}) {
    Value number = add(place, makeIndex(loc, column));
    Value swizzled = arith::XOrIOp::create(builder, loc, inPiece, scale(number, kGroupElements));
    Value own = add(add(ofPiece, swizzled), makeIndex(loc, column * kPiece));
    Value from = address(loc, buffer, add(op.getIndex(), own), /*inbounds=*/true);
    auto load = LLVM::LoadOp::create(builder, loc, pair, from, kPairBytes);
    load.setAliasScopesAttr(buffer.scopes);
    load.setNoaliasScopesAttr(buffer.noalias);
    llvm::append_range(words, split(builder, loc, load));
  }
  op.getResult().replaceAllUsesWith(
      vector::FromElementsOp::create(builder, loc, cast<VectorType>(op.getResult().getType()), words).getResult());
  op.erase();
}

void NvvmLowering::lowerTeamPlace(uop::FragmentPlaceOp op) {
  Location loc = op.getLoc();
  auto type = cast<FragmentType>(op.getFragment());
  constexpr int64_t kElements = 4, kNeighbours = 2;
  auto [group, place] = readGroupAndPlace(loc);
  Value firstRow;
  if (hasPairsOfRows) {
    auto [piece, half] = findPairOfRows(loc, group);
    Value pairs = arith::MulIOp::create(builder, loc, piece, makeIndex(loc, kTeamRows / 2 / kPair));
    firstRow =
        arith::MulIOp::create(builder, loc, arith::AddIOp::create(builder, loc, pairs, half), makeIndex(loc, kPair));
  } else {
    Value warp = arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), readWarpOfTeam(loc));
    firstRow = arith::AddIOp::create(builder, loc,
                                     arith::MulIOp::create(builder, loc, warp, makeIndex(loc, kRowsOfWarp)), group);
  }
  int64_t nextRow = hasPairsOfRows ? 1 : kRowsOfWarp / 2;
  Value firstColumn = arith::MulIOp::create(builder, loc, place, makeIndex(loc, kNeighbours));
  SmallVector<Value> rows, columns;
  for (int64_t k = 0, count = cast<VectorType>(getHeldByTeam(type)).getNumElements(); k < count; ++k) {
    int64_t inBlock = k % kElements;
    rows.push_back(arith::AddIOp::create(builder, loc, firstRow, makeIndex(loc, inBlock / kNeighbours * nextRow)));
    columns.push_back(arith::AddIOp::create(builder, loc, firstColumn,
                                            makeIndex(loc, k / kElements * kColumnStep + inBlock % kNeighbours)));
  }
  op.getRows().replaceAllUsesWith(vector::FromElementsOp::create(builder, loc, op.getRows().getType(), rows));
  op.getColumns().replaceAllUsesWith(vector::FromElementsOp::create(builder, loc, op.getColumns().getType(), columns));
  op.erase();
}

//===--- Series ---------------------------------------------------------------------------------------------------===//

namespace {

/// Products of a series of which each adds to the one before.
struct Chain {
  /// The last one's sum.
  Value end;
  /// What the lane holds of the sum; nothing where it begins with zeros.
  SmallVector<Value> held;
};

} // namespace

/// An instruction that gives registers of these types, the same that it takes where `taken` has any, with more operands
/// behind them.
static SmallVector<Value> writeAssembly(OpBuilder &builder, Location loc, const Twine &text, ArrayRef<Type> given,
                                        ArrayRef<Value> taken, ArrayRef<Value> others = {},
                                        StringRef constraints = "") {
  MLIRContext *context = builder.getContext();
  SmallVector<Value> operands(taken);
  llvm::append_range(operands, others);
  SmallVector<std::string> all;
  for (Type type : given)
    all.push_back(type.isF32() ? "=f" : "=r");
  for (size_t k = 0; k < taken.size(); ++k)
    all.push_back(std::to_string(k));
  Type type = given.empty() ? Type(LLVM::LLVMVoidType::get(context)) : LLVM::LLVMStructType::getLiteral(context, given);
  auto assembly = LLVM::InlineAsmOp::create(builder, loc, type, operands, builder.getStringAttr(text),
                                            builder.getStringAttr(llvm::join(all, ",") + constraints.str()),
                                            /*has_side_effects=*/builder.getUnitAttr(), /*is_align_stack=*/UnitAttr(),
                                            LLVM::TailCallKindAttr::get(context, LLVM::TailCallKind::None),
                                            LLVM::AsmDialectAttr(), ArrayAttr());
  SmallVector<Value> parts;
  for (size_t k = 0; k < given.size(); ++k)
    parts.push_back(LLVM::ExtractValueOp::create(builder, loc, assembly.getRes(), k));
  return parts;
}

/// Takes and gives the registers of all of them, and of factors.
static void writeAroundAll(OpBuilder &builder, Location loc, StringRef text, MutableArrayRef<Chain> chains,
                           MutableArrayRef<SmallVector<Value>> factors = {}) {
  SmallVector<Value> all;
  for (const Chain &chain : chains)
    llvm::append_range(all, chain.held);
  for (const SmallVector<Value> &factor : factors)
    llvm::append_range(all, factor);
  SmallVector<Value> parts = writeAssembly(builder, loc, text, llvm::to_vector(ValueRange(all).getTypes()), all);
  size_t next = 0;
  for (Chain &chain : chains)
    for (Value &part : chain.held)
      part = parts[next++];
  for (SmallVector<Value> &factor : factors)
    for (Value &part : factor)
      part = parts[next++];
}

void NvvmLowering::lowerSeries(MutableArrayRef<uop::MmaOp> products, Operation *end) {
  SmallVector<Chain> chains;
  /// The chain of each product's sum.
  llvm::DenseMap<Value, unsigned> numbers;
  /// Left factors that lanes hold, by number; they are there in front of all products.
  SmallVector<SmallVector<Value>> held;
  llvm::DenseMap<Value, unsigned> heldNumbers;
  builder.setInsertionPoint(products.front());
  Location loc = products.front().getLoc();
  for (uop::MmaOp mma : products) {
    auto before = numbers.find(mma.getSum());
    unsigned number = before == numbers.end() ? chains.size() : before->second;
    if (before == numbers.end()) {
      Chain &chain = chains.emplace_back();
      if (!isFilledWithZeros(mma.getSum()))
        chain.held = split(builder, loc, mma.getSum());
    }
    numbers[mma.getResult()] = number;
    if (isHeld(mma) && heldNumbers.try_emplace(mma.getLeft(), held.size()).second)
      held.push_back(split(builder, loc, mma.getLeft()));
  }
  writeAroundAll(builder, loc, "wgmma.fence.sync.aligned;", chains, held);
  for (uop::MmaOp mma : products) {
    builder.setInsertionPoint(mma);
    FragmentType left = fragments.lookup(mma);
    Chain &chain = chains[numbers.lookup(mma.getResult())];
    SmallVector<Type> sums(cast<VectorType>(mma.getResult().getType()).getNumElements(), builder.getF32Type());
    int64_t columns = int64_t(sums.size()) * kTeam * kWarp / kTeamRows;
    unsigned next = 0;
    auto list = [&](size_t count) {
      std::string text;
      for (size_t k = 0; k < count; ++k)
        text += (k ? ", $" : "$") + std::to_string(next++);
      return "{" + text + "}";
    };
    auto isTransposed = [&](Value factor) {
      auto load = factor.getDefiningOp<uop::FragmentLoadOp>();
      return isTransposing(load, fragments.lookup(load)) ? ", 1" : ", 0";
    };
    bool isWide = left.getElement().isTF32();
    StringRef type = isWide ? "tf32" : left.getElement().isBF16() ? "bf16" : "f16";
    std::string text = llvm::formatv("wgmma.mma_async.sync.aligned.m{0}n{1}k{2}.f32.{3}.{3} ", kTeamRows, columns,
                                     kTeamDepthBytes / getBytes(left), type)
                           .str() +
                       list(sums.size());
    SmallVector<Value> others;
    std::string constraints, orders;
    next += chain.held.size();
    if (isHeld(mma)) {
      others = held[heldNumbers.lookup(mma.getLeft())];
      text += ", " + list(others.size());
      for (size_t k = 0; k < others.size(); ++k)
        constraints += ",r";
    } else {
      others = {mma.getLeft()};
      text += ", $" + std::to_string(next++);
      constraints = ",l";
      orders = isTransposed(mma.getLeft());
    }
    orders += isTransposed(mma.getRight());
    // Of tf32 there is one order.
    if (isWide)
      orders.clear();
    text += ", $" + std::to_string(next++);
    text += ", $" + std::to_string(next++) + ", 1, 1" + orders + ";";
    bool adds = !chain.held.empty();
    others.append({mma.getRight(), arith::ConstantOp::create(builder, mma.getLoc(), builder.getBoolAttr(adds))});
    constraints += ",l,b";
    chain.held = writeAssembly(builder, mma.getLoc(), text, sums, chain.held, others, constraints);
    chain.end = mma.getResult();
  }
  builder.setInsertionPoint(end);
  NVVM::WgmmaGroupSyncAlignedOp::create(builder, loc);
  // Another wait is the program's own.
  if (!isa<uop::MmaWaitOp>(end))
    writeAroundAll(builder, loc, "wgmma.wait_group.sync.aligned 0;", chains);
  for (Chain &chain : chains)
    chain.end.replaceAllUsesWith(
        vector::FromElementsOp::create(builder, loc, cast<VectorType>(chain.end.getType()), chain.held));
  for (uop::MmaOp mma : llvm::reverse(products))
    mma.erase();
}

void NvvmLowering::lowerMmaWait(uop::MmaWaitOp op) {
  builder.setInsertionPoint(op);
  SmallVector<Chain> chains;
  for (Value sum : op.getSums())
    chains.emplace_back().held = split(builder, op.getLoc(), sum);
  writeAroundAll(builder, op.getLoc(),
                 llvm::formatv("wgmma.wait_group.sync.aligned {0};", int64_t(op.getPending())).str(), chains);
  for (auto [chain, result] : llvm::zip(chains, op.getResults()))
    result.replaceAllUsesWith(
        vector::FromElementsOp::create(builder, op.getLoc(), cast<VectorType>(result.getType()), chain.held));
  op.erase();
}

void NvvmLowering::lowerRowSums() {
  SmallVector<uop::MmaOp> products;
  func.walk([&](uop::MmaOp mma) {
    if (uop::FragmentType left = fragments.lookup(mma); left.getSubgroups() > 1 && isSumOfRows(mma.getResult()))
      products.push_back(mma);
  });
  MLIRContext *context = func.getContext();
  constexpr int64_t kElements = kColumnStep * kRowsOfWarp / kWarp;
  auto held = LLVM::LLVMStructType::getLiteral(context, SmallVector<Type>(kElements, builder.getF32Type()));
  /// Of each product one block of columns.
  llvm::DenseMap<Value, SmallVector<Value>> sums;
  for (uop::MmaOp mma : products) {
    builder.setInsertionPoint(mma);
    Location loc = mma.getLoc();
    Type element = fragments.lookup(mma).getElement();
    auto fill = mma.getRight().getDefiningOp<uop::FragmentFillOp>();
    auto pair = VectorType::get(2, element);
    Value right = vector::BroadcastOp::create(builder, loc, pair, fill.getValue());
    SmallVector<Value> left = split(builder, loc, mma.getLeft());
    if (element.isF16())
      for (Value &word : left)
        word = LLVM::BitcastOp::create(builder, loc, pair, word);
    else
      right = LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), right);
    SmallVector<Value> start = sums.lookup(mma.getSum());
    if (start.empty())
      start.assign(kElements, arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0)));
    NVVM::MMATypes type = element.isF16() ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
    Value product = NVVM::MmaOp::create(builder, loc, held, left, ArrayRef<Value>{right, right}, start,
                                        ArrayRef<int64_t>{kRowsOfWarp, kColumnStep, kTeamDepthBytes / 2}, std::nullopt,
                                        std::nullopt, std::array{type, type},
                                        std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    SmallVector<Value> &block = sums[mma.getResult()], all;
    for (int64_t k = 0; k < kElements; ++k)
      block.push_back(LLVM::ExtractValueOp::create(builder, loc, product, k));
    auto whole = cast<VectorType>(mma.getResult().getType());
    for (int64_t k = 0; k < whole.getNumElements(); ++k)
      all.push_back(block[k % kElements / 2 * 2]);
    if (llvm::any_of(mma->getUsers(), [](Operation *user) { return !isa<uop::MmaOp>(user); })) {
      Value elements = vector::FromElementsOp::create(builder, loc, whole, all);
      mma.getResult().replaceUsesWithIf(elements, [](OpOperand &use) { return !isa<uop::MmaOp>(use.getOwner()); });
    }
  }
  for (uop::MmaOp mma : llvm::reverse(products)) {
    Operation *fill = mma.getRight().getDefiningOp();
    mma.erase();
    if (fill->use_empty())
      fill->erase();
  }
}

void NvvmLowering::lowerTeams() {
  lowerRowSums();
  SmallVector<std::pair<SmallVector<uop::MmaOp>, Operation *>> all;
  func.walk([&](Block *block) {
    SmallVector<uop::MmaOp> series;
    llvm::SmallPtrSet<Value, 16> sums;
    auto close = [&](Operation *end) {
      if (!series.empty())
        all.push_back({series, end});
      series.clear();
      sums.clear();
    };
    for (Operation &op : llvm::make_early_inc_range(*block)) {
      auto mma = dyn_cast<uop::MmaOp>(op);
      if (mma && fragments.lookup(mma).getSubgroups() == 1)
        mma = {};
      bool reads = llvm::any_of(op.getOperands(), [&](Value operand) { return sums.contains(operand); });
      // The sums of a series, and what lanes hold of factors, are there when it begins.
      auto bringForward = [&](Value value) {
        llvm::SetVector<Operation *> moved;
        // Tiles are not written since: no barrier stands between.
        auto load = value.getDefiningOp<uop::FragmentLoadOp>();
        if (!collectBefore(load ? load.getIndex() : value, series.front(), moved))
          return false;
        if (load && load->getBlock() == block && !load->isBeforeInBlock(series.front()))
          moved.insert(load);
        for (Operation *other : moved)
          other->moveBefore(series.front());
        return true;
      };
      bool isLate = mma && !series.empty() &&
                    ((!sums.contains(mma.getSum()) && !bringForward(mma.getSum())) ||
                     (isHeld(mma) && !bringForward(mma.getLeft())));
      if (mma ? isLate
              : reads || op.getNumRegions() != 0 || isa<uop::BarrierOp, uop::MbarrierArriveOp>(op) ||
                    op.hasTrait<OpTrait::IsTerminator>())
        close(&op);
      if (mma) {
        series.push_back(mma);
        sums.insert(mma.getResult());
        // Nobody else takes a sum that a product goes on from.
        if (!mma.getResult().hasOneUse())
          close(mma->getNextNode());
      }
    }
  });
  for (auto &[series, end] : all)
    lowerSeries(series, end);
  SmallVector<uop::MmaWaitOp> waits;
  func.walk([&](uop::MmaWaitOp wait) { waits.push_back(wait); });
  for (uop::MmaWaitOp wait : waits)
    lowerMmaWait(wait);
}

} // namespace tiny
