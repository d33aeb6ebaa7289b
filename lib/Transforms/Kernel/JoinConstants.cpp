// Constants and copies of a program with sizes: what depends on a size is put where the run needs it.
#include "Join.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace tiny::kernel {

namespace {

/// The bytes of a constant, one element after the other; those of i1 are one each. Splats have one element.
std::optional<std::vector<char>> copyBytes(ElementsAttr value) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return std::nullopt;
    return std::vector<char>(blob->getData().begin(), blob->getData().end());
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return std::nullopt;
  if (dense.getElementType().isInteger(1) && !dense.isSplat())
    return std::vector<char>(dense.value_begin<bool>(), dense.value_end<bool>());
  return std::vector<char>(dense.getRawData().begin(), dense.getRawData().end());
}

/// Whether two constants of one type have the same elements, wherever these lie.
bool isSameData(ElementsAttr a, ElementsAttr b) {
  if (a == b)
    return true;
  auto left = dyn_cast<DenseResourceElementsAttr>(a), right = dyn_cast<DenseResourceElementsAttr>(b);
  if (a.getType() != b.getType() || !left || !right)
    return false;
  AsmResourceBlob *x = left.getRawHandle().getBlob(), *y = right.getRawHandle().getBlob();
  return x && y && (x->getData().data() == y->getData().data() || x->getData() == y->getData());
}

/// Whether two constants of one rank have the same elements wherever both have one.
bool isSameCorner(ElementsAttr a, ElementsAttr b) {
  std::optional<std::vector<char>> left = copyBytes(a), right = copyBytes(b);
  if (!left || !right)
    return false;
  if (a.isSplat() && b.isSplat())
    return *left == *right;
  ArrayRef<int64_t> shape = a.getShapedType().getShape(), other = b.getShapedType().getShape();
  if (a.isSplat() || b.isSplat() || a.getNumElements() == 0 || b.getNumElements() == 0)
    return false;
  SmallVector<int64_t> common;
  int64_t count = 1;
  for (auto [x, y] : llvm::zip_equal(shape, other)) {
    common.push_back(std::min(x, y));
    count *= common.back();
  }
  size_t bytes = left->size() / a.getNumElements();
  for (int64_t number = 0; number < count; ++number) {
    int64_t rest = number, x = 0, y = 0, xStride = 1, yStride = 1;
    for (unsigned axis = shape.size(); axis-- > 0; rest /= common[axis]) {
      x += rest % common[axis] * xStride;
      y += rest % common[axis] * yStride;
      xStride *= shape[axis];
      yStride *= other[axis];
    }
    if (!std::equal(left->begin() + x * bytes, left->begin() + (x + 1) * bytes, right->begin() + y * bytes))
      return false;
  }
  return true;
}

} // namespace

FuncOp Join::makeKernel(StringRef name, TypeRange buffers, unsigned reads, Location loc) {
  ModuleOp module = instances.front();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto kernel = FuncOp::create(builder, loc, name, builder.getFunctionType(buffers, {}), SymbolRefAttr(),
                               builder.getStringAttr("private"), ArrayAttr(), ArrayAttr());
  Block &block = kernel.getBody().emplaceBlock();
  block.addArguments(buffers, SmallVector<Location>(buffers.size(), loc));
  SymbolTable(module).insert(kernel);
  readsOf[kernel.getSymNameAttr()] = reads;
  return kernel;
}

FuncOp Join::makeCopyKernel(ArrayRef<Dim> extents, ArrayRef<Dim> source, ArrayRef<Dim> target, MemRefType from,
                            MemRefType to, Location loc) {
  FuncOp kernel = makeKernel("resize", {from, to}, 1, loc);
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.getBody().front());
  KernelSizes &sizes = getSizes(kernel);
  Value read = arith::ConstantIndexOp::create(builder, loc, 0), written = read;
  for (auto [number, extent] : llvm::enumerate(extents)) {
    bool isLive = !extent.asConstant();
    Value size = isLive ? sizes.makeIndex(extent, loc) : Value();
    Value axis = RangeOp::create(builder, loc, AxisKind::Loop, number, getMost(extent), IntegerAttr(), size);
    auto step = [&](Value sum, const Dim &stride) {
      Value distance = arith::MulIOp::create(builder, loc, axis, sizes.makeIndex(stride, loc));
      return arith::AddIOp::create(builder, loc, sum, distance).getResult();
    };
    read = step(read, source[number]);
    written = step(written, target[number]);
  }
  Value element = LoadOp::create(builder, loc, from.getElementType(), kernel.getArgument(0), read, Value());
  StoreOp::create(builder, loc, element, kernel.getArguments().back(), written, Value());
  return kernel;
}

void Join::launchCopy(OpBuilder &builder, ArrayRef<Dim> extents, ArrayRef<Dim> source, ArrayRef<Dim> target, Value from,
                      Value to) {
  FuncOp kernel = makeCopyKernel(extents, source, target, cast<MemRefType>(from.getType()),
                                 cast<MemRefType>(to.getType()), to.getLoc());
  LaunchOp::create(builder, to.getLoc(), kernel.getSymName(), ValueRange{from}, ValueRange{to});
}

/// A part that begins where the sizes say is copied, and so is one behind the beginning of a caller's buffer, which
/// ends with its live elements.
LogicalResult Join::joinAlias(AliasOp alias, ArrayRef<Operation *> peers) {
  SmallVector<int64_t> offsets, counts, lengths;
  for (Operation *peer : peers) {
    auto other = cast<AliasOp>(peer);
    offsets.push_back(other.getOffset());
    counts.push_back(other.getResult().getType().getNumElements());
    lengths.push_back(cast<MemRefType>(getRoot(other.getSource()).getType()).getNumElements());
  }
  bool isLive = isa<BlockArgument>(getRoot(alias.getSource())) && !llvm::all_equal(lengths) && offsets.front() != 0;
  if (llvm::all_equal(offsets) && !isLive)
    return success();
  std::optional<Dim> offset = fit.fit(offsets), count = fit.fit(counts);
  if (!offset || !count || !count->isNonNegative(family.bounds) || !offset->isNonNegative(family.bounds))
    return alias.emitError("where a part begins is no polynomial of the sizes up to squares: ")
           << llvm::interleaved_array(offsets);
  // What is copied to it can be copied to its place.
  bool isWritten = false, isRead = false, isHard = false;
  for (OpOperand &use : alias.getResult().getUses()) {
    bool writes = hasEffect<MemoryEffects::Write>(use.getOwner(), use.get());
    (writes ? isWritten : isRead) = true;
    isHard |= isa<AliasOp>(use.getOwner()) || (writes && !isa<CopyOp>(use.getOwner()));
  }
  if (isHard || (isWritten && isRead))
    return alias.emitError("a part that begins where the sizes say is written by another operation than copies, or has "
                           "parts");
  parts.push_back({alias, *offset, *count});
  return success();
}

void Join::launchPart(OpBuilder &builder, Value from, Value to, const Dim &read, const Dim &written, const Dim &count) {
  int64_t most = getMost(count);
  if (most < 1)
    return;
  Location loc = to.getLoc();
  FuncOp kernel = makeKernel("part", {from.getType(), to.getType()}, 1, loc);
  OpBuilder body = OpBuilder::atBlockEnd(&kernel.getBody().front());
  KernelSizes &sizes = getSizes(kernel);
  Value size = count.asConstant() ? Value() : sizes.makeIndex(count, loc);
  Value axis = RangeOp::create(body, loc, AxisKind::Loop, /*id=*/0, most, IntegerAttr(), size);
  auto makePlace = [&](const Dim &offset) -> Value {
    return offset.asConstant() == 0 ? axis : arith::AddIOp::create(body, loc, axis, sizes.makeIndex(offset, loc));
  };
  Type element = cast<MemRefType>(to.getType()).getElementType();
  Value number = LoadOp::create(body, loc, element, kernel.getArgument(0), makePlace(read), Value());
  StoreOp::create(body, loc, number, kernel.getArguments().back(), makePlace(written), Value());
  LaunchOp::create(builder, loc, kernel.getSymName(), from, to);
}

void Join::copyPart(AliasOp alias, const Dim &offset, const Dim &count) {
  for (OpOperand &use : llvm::make_early_inc_range(alias.getResult().getUses()))
    if (auto copy = dyn_cast<CopyOp>(use.getOwner()); copy && copy.getTarget() == alias.getResult()) {
      OpBuilder builder(copy);
      launchPart(builder, copy.getSource(), alias.getSource(), Dim(0), offset, count);
      copy.erase();
    }
  if (!alias.use_empty()) {
    // Right before it is read, since what it is a part of may be written before.
    Operation *first = nullptr;
    for (Operation *user : alias.getResult().getUsers())
      if (Operation *here = alias->getBlock()->findAncestorOpInBlock(*user); !first || here->isBeforeInBlock(first))
        first = here;
    OpBuilder builder(first);
    Value buffer = AllocOp::create(builder, alias.getLoc(), alias.getResult().getType());
    launchPart(builder, alias.getSource(), buffer, offset, Dim(0), count);
    alias.getResult().replaceAllUsesWith(buffer);
  }
  alias.erase();
}

/// The distances between neighbours along each axis, where elements are dense.
static SmallVector<Dim> getStrides(ArrayRef<Dim> shape) {
  SmallVector<Dim> strides(shape.size(), Dim(1));
  for (unsigned axis = shape.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

ElementsAttr Join::findWhole(ConstantOp constant, ArrayRef<Dim> shape) {
  auto most = llvm::map_to_vector(shape, [&](const Dim &extent) { return getMost(extent); });
  ElementsAttr whole;
  greatest->walk([&](ConstantOp other) {
    ShapedType type = other.getValue().getShapedType();
    if (other.getLoc() != constant.getLoc() || type.getShape() != ArrayRef(most) ||
        type.getElementType() != constant.getValue().getShapedType().getElementType())
      return WalkResult::advance();
    whole = other.getValue();
    return WalkResult::interrupt();
  });
  return whole;
}

/// A few numbers that follow the sizes, such as a shape that is data: a kernel writes them.
bool Join::joinElements(ConstantOp constant, ArrayRef<Operation *> peers) {
  constexpr int64_t kMostElements = 16;
  SmallVector<SmallVector<TypedAttr>> values(constant.getValue().getNumElements());
  if (values.empty() || values.size() > kMostElements)
    return false;
  for (Operation *peer : peers) {
    auto value = dyn_cast<DenseElementsAttr>(cast<ConstantOp>(peer).getValue());
    if (!value || value.getType() != constant.getValue().getShapedType())
      return false;
    for (auto [element, known] : llvm::zip_equal(value.getValues<Attribute>(), values))
      known.push_back(cast<TypedAttr>(element));
  }
  SmallVector<SizedNumber> numbers;
  for (ArrayRef<TypedAttr> known : values) {
    std::optional<SizedNumber> number = joinNumbers(known);
    if (!number)
      return false;
    numbers.push_back(*number);
  }
  Location loc = constant.getLoc();
  auto type = cast<MemRefType>(constant.getBuffer().getType());
  FuncOp kernel = makeKernel("numbers", type, 0, loc);
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.getBody().front());
  for (auto [place, number] : llvm::enumerate(numbers)) {
    Value value = getSizes(kernel).make(number, type.getElementType(), loc);
    builder.setInsertionPointToEnd(&kernel.getBody().front());
    Value index = arith::ConstantIndexOp::create(builder, loc, place);
    StoreOp::create(builder, loc, value, kernel.getArguments().back(), index, Value());
  }
  builder.setInsertionPoint(constant);
  auto buffer = AllocOp::create(builder, loc, type);
  LaunchOp::create(builder, loc, kernel.getSymName(), ValueRange(), ValueRange{buffer.getBuffer()});
  constant.getBuffer().replaceAllUsesWith(buffer.getBuffer());
  return true;
}

/// With a number that follows the sizes, a kernel fills the buffer.
LogicalResult Join::joinFill(FillOp fill, ArrayRef<Operation *> peers) {
  SmallVector<TypedAttr> values;
  SmallVector<int64_t> counts;
  for (Operation *peer : peers) {
    values.push_back(cast<FillOp>(peer).getValue());
    counts.push_back(cast<MemRefType>(cast<FillOp>(peer).getTarget().getType()).getNumElements());
  }
  if (llvm::all_equal(values))
    return success();
  std::optional<SizedNumber> number = joinNumbers(values);
  std::optional<Dim> count = fit.fit(counts);
  if (!number || !count || getMost(*count) < 1)
    return fill.emitError("the value follows the sizes by no known law: ") << llvm::interleaved_array(values);
  Location loc = fill.getLoc();
  auto type = cast<MemRefType>(fill.getTarget().getType());
  FuncOp kernel = makeKernel("fill", type, 0, loc);
  KernelSizes &sizes = getSizes(kernel);
  Value size = count->asConstant() ? Value() : sizes.makeIndex(*count, loc);
  Value element = sizes.make(*number, type.getElementType(), loc);
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.getBody().front());
  Value place = RangeOp::create(builder, loc, AxisKind::Loop, 0, getMost(*count), IntegerAttr(), size);
  StoreOp::create(builder, loc, element, kernel.getArguments().back(), place, Value());
  builder.setInsertionPoint(fill);
  LaunchOp::create(builder, loc, kernel.getSymName(), ValueRange(), ValueRange{fill.getTarget()});
  replaced.push_back(fill);
  return success();
}

/// The step along each axis, where the elements begin anywhere and go on in equal steps; none where they do not.
static std::optional<SmallVector<int64_t>> findSteps(DenseElementsAttr value) {
  ArrayRef<int64_t> shape = value.getType().getShape();
  SmallVector<int64_t> at(shape.size(), 0), steps(shape.size(), 0), numbers;
  for (const APInt &number : value.getValues<APInt>())
    numbers.push_back(number.getSExtValue());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis])
    if (shape[axis] > 1)
      steps[axis] = numbers[stride] - numbers[0];
  for (int64_t number : numbers) {
    int64_t expected = numbers[0];
    for (auto [step, coordinate] : llvm::zip_equal(steps, at))
      expected += step * coordinate;
    if (number != expected)
      return std::nullopt;
    for (size_t axis = shape.size(); axis > 0; --axis) {
      if (++at[axis - 1] < shape[axis - 1])
        break;
      at[axis - 1] = 0;
    }
  }
  return steps;
}

/// Integers that begin with a number of the sizes and go on in equal steps, such as positions: a kernel writes them.
bool Join::joinSteps(ConstantOp constant, ArrayRef<Operation *> peers, ArrayRef<Dim> shape) {
  auto type = cast<MemRefType>(constant.getBuffer().getType());
  if (!isa<IntegerType>(type.getElementType()) || type.getElementType().isInteger(1))
    return false;
  SmallVector<int64_t> first;
  SmallVector<SmallVector<int64_t>> each(shape.size());
  int64_t most = 1;
  for (Operation *peer : peers) {
    auto value = dyn_cast<DenseElementsAttr>(cast<ConstantOp>(peer).getValue());
    std::optional<SmallVector<int64_t>> own = value && value.getNumElements() > 0 ? findSteps(value) : std::nullopt;
    if (!own)
      return false;
    first.push_back((*value.value_begin<APInt>()).getSExtValue());
    for (auto [step, list] : llvm::zip_equal(*own, each))
      list.push_back(step);
  }
  std::optional<Dim> begin = fit.fit(first);
  SmallVector<Dim> steps;
  for (auto [extent, list] : llvm::zip_equal(shape, each)) {
    std::optional<Dim> step = fit.fit(list);
    most *= std::max<int64_t>(getMost(extent), 0);
    if (!step)
      return false;
    steps.push_back(*step);
  }
  if (!begin || most < 1)
    return false;
  Location loc = constant.getLoc();
  type = MemRefType::get({most}, type.getElementType());
  FuncOp kernel = makeKernel("steps", type, 0, loc);
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.getBody().front());
  KernelSizes &sizes = getSizes(kernel);
  Value number = sizes.makeIndex(*begin, loc), place = arith::ConstantIndexOp::create(builder, loc, 0);
  for (auto [axis, stride] : llvm::enumerate(getStrides(shape))) {
    Value size = shape[axis].asConstant() ? Value() : sizes.makeIndex(shape[axis], loc);
    Value range = RangeOp::create(builder, loc, AxisKind::Loop, axis, getMost(shape[axis]), IntegerAttr(), size);
    auto step = [&](Value sum, Value distance) {
      Value product = arith::MulIOp::create(builder, loc, range, distance);
      return arith::AddIOp::create(builder, loc, sum, product).getResult();
    };
    number = step(number, sizes.makeIndex(steps[axis], loc));
    place = step(place, sizes.makeIndex(stride, loc));
  }
  number = arith::IndexCastOp::create(builder, loc, type.getElementType(), number);
  StoreOp::create(builder, loc, number, kernel.getArguments().back(), place, Value());
  builder.setInsertionPoint(constant);
  auto buffer = AllocOp::create(builder, loc, type);
  LaunchOp::create(builder, loc, kernel.getSymName(), ValueRange(), ValueRange{buffer.getBuffer()});
  constant.getBuffer().replaceAllUsesWith(buffer.getBuffer());
  return true;
}

LogicalResult Join::joinConstant(ConstantOp constant, ArrayRef<Operation *> peers) {
  SmallVector<ShapedType> types;
  bool isSame = true;
  for (Operation *peer : peers) {
    ElementsAttr value = cast<ConstantOp>(peer).getValue();
    types.push_back(value.getShapedType());
    isSame &= isSameData(value, constant.getValue());
  }
  if (isSame || joinElements(constant, peers))
    return success();
  std::optional<SmallVector<Dim>> shape = joinShapes(types);
  ElementsAttr whole = shape ? findWhole(constant, *shape) : ElementsAttr();
  auto isOther = [&](Operation *peer) { return !whole || !isSameCorner(cast<ConstantOp>(peer).getValue(), whole); };
  if (shape && llvm::any_of(peers, isOther) && joinSteps(constant, peers, *shape))
    return success();
  for (auto [instance, peer] : llvm::enumerate(peers))
    if (isOther(peer))
      return emitDifference(constant, peers, instance)
             << "a constant of " << types[instance] << " has other elements at " << describe(instance) << " than at "
             << describe(0);
  constant.setValueAttr(whole);
  constant.getBuffer().setType(
      MemRefType::get({whole.getNumElements()}, cast<MemRefType>(constant.getBuffer().getType()).getElementType()));
  // It is dense at the greatest sizes. Kernels read what is dense at those that the program runs with.
  auto isUnit = [](const Dim &extent) { return extent == Dim(1); };
  bool isPrefix = whole.isSplat() || llvm::all_of(llvm::seq<size_t>(shape->size()), [&](size_t axis) {
                    return (*shape)[axis].asConstant() || llvm::all_of(ArrayRef(*shape).take_front(axis), isUnit);
                  });
  if (isPrefix)
    return success();
  OpBuilder builder(constant->getContext());
  builder.setInsertionPointAfter(constant);
  auto buffer = AllocOp::create(builder, constant.getLoc(), constant.getBuffer().getType());
  constant.getBuffer().replaceAllUsesWith(buffer.getBuffer());
  SmallVector<Dim> most;
  for (int64_t extent : whole.getShapedType().getShape())
    most.push_back(extent);
  launchCopy(builder, *shape, getStrides(most), getStrides(*shape), constant.getBuffer(), buffer.getBuffer());
  return success();
}

} // namespace tiny::kernel
