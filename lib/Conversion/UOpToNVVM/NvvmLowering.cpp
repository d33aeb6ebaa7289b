// A CUDA kernel's frame: its arguments, its tiles and its hardware axes.
#include "NvvmLowering.h"

#include "Tiny/Conversion/UOpToNVVM/Limits.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/UOp/Parallel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <algorithm>
#include <numeric>

using namespace mlir;

namespace tiny {

/// Where memory that a launch gives begins: at the least multiple that copies of tensors want.
static constexpr int64_t kLaunchAlignment = 128;

/// Where tiles begin that are swizzled: what the swizzle repeats by.
static constexpr int64_t kSwizzleAlignment = 1024;

/// Of a CUtensorMap.
static constexpr int64_t kMapBytes = 128, kMapAlignment = 64;

/// Registers of a lane, at most, and those that a product without instructions for matrices has enough of.
static constexpr int64_t kMostRegisters = 255, kManyRegisters = 128;

/// Workgroups that every multiprocessor takes at once.
static constexpr int64_t kMostWorkgroups = 16;

LLVM::LLVMFuncOp NvvmLowering::run() {
  int64_t workgroups = countWorkgroups();
  shareGates();
  readsByProxy = hasTeams();
  hasPairsOfRows = readsLeftFactors();
  holdFragments();
  mergeRowReduces();
  startSums();
  roundPairs();
  lowerExponentials();
  shareReciprocals();
  lowerTeams();
  mergeProducts();
  groupLoads();
  describeBuffers();
  LLVM::LLVMFuncOp kernel = KernelLowering::run();
  widenPairs(kernel);
  for (auto [number, attributes] : llvm::enumerate(bufferAttributes))
    for (NamedAttribute attribute : attributes)
      kernel.setArgAttr(number, attribute.getName(), attribute.getValue());
  // Maps are parameters by value, which copies read where they lie.
  for (unsigned number = bufferAttributes.size(); number < kernel.getNumArguments(); ++number) {
    kernel.setArgAttr(number, LLVM::LLVMDialect::getByValAttrName(),
                      TypeAttr::get(LLVM::LLVMArrayType::get(builder.getI8Type(), kMapBytes)));
    kernel.setArgAttr(number, LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(kMapAlignment));
    kernel.setArgAttr(number, NVVM::NVVMDialect::getGridConstantAttrName(), builder.getUnitAttr());
  }
  kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  kernel::Extents lanes = entry.getWorkgroup();
  kernel->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                  builder.getDenseI32ArrayAttr({int32_t(lanes[0]), int32_t(lanes[1]), int32_t(lanes[2])}));
  if (workgroups > 0)
    kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), builder.getI32IntegerAttr(workgroups));
  return kernel;
}

int64_t NvvmLowering::countWorkgroups() {
  const cost::Machine &machine = target::findMachine(func);
  kernel::Extents extents = entry.getWorkgroup();
  int64_t lanes = extents[0] * extents[1] * extents[2];
  auto getElement = [](BlockArgument buffer) { return cast<MemRefType>(buffer.getType()).getElementType(); };
  bool hasDouble = llvm::any_of(func.getArguments(), [&](BlockArgument buffer) { return getElement(buffer).isF64(); });
  bool isWide = llvm::all_of(func.getArguments(),
                             [&](BlockArgument buffer) { return uop::getElementBytes(getElement(buffer)) == 8; });
  if (hasDouble || isWide)
    return std::clamp<int64_t>(machine.coreRegisters / (lanes * kMostRegisters), 1, kMostWorkgroups);
  if (entry.getScratch() <= cuda::kMostTileBytes || machine.shared < entry.getScratch())
    return 0;
  bool hasMatrices = func.walk([](uop::MmaOp) { return WalkResult::interrupt(); }).wasInterrupted();
  int64_t workgroups = machine.shared / entry.getScratch();
  int64_t registers = workgroups * lanes * (hasMatrices ? kMostRegisters : kManyRegisters);
  return registers <= machine.coreRegisters ? workgroups : 0;
}

void NvvmLowering::describeBuffers() {
  for (BlockArgument argument : func.getBody().getArguments()) {
    SmallVector<NamedAttribute> attributes;
    auto add = [&](StringRef name, Attribute value) { attributes.emplace_back(builder.getStringAttr(name), value); };
    // LLVM would read whole vectors, over the end of a buffer too, if it knew where they begin.
    bool isStored = llvm::all_of(argument.getUsers(), llvm::IsaPred<uop::StoreOp, uop::FragmentStoreOp>);
    Type element = cast<MemRefType>(argument.getType()).getElementType();
    add("llvm.align", builder.getI64IntegerAttr(isStored ? kVectorBytes : uop::getElementBytes(element)));
    if (!entry.getInPlace())
      add("llvm.noalias", builder.getUnitAttr());
    if (llvm::none_of(argument.getUsers(), llvm::IsaPred<uop::StoreOp, uop::AtomicOp, uop::FragmentStoreOp>))
      add("llvm.readonly", builder.getUnitAttr());
    bufferAttributes.push_back(std::move(attributes));
  }
}

void NvvmLowering::loadBuffers() {
  auto pointer = LLVM::LLVMPointerType::get(func.getContext());
  for (BlockArgument buffer : llvm::to_vector(func.getBody().getArguments()))
    buffers[buffer].pointer = func.getBody().addArgument(pointer, buffer.getLoc());
  for (Attribute map : entry.getMaps() ? entry.getMaps().getValue() : ArrayRef<Attribute>())
    maps[map] = func.getBody().addArgument(pointer, func.getLoc());
}

void NvvmLowering::placeTiles(ArrayRef<Operation *> tiles) {
  Location loc = func.getLoc();
  MLIRContext *context = func.getContext();
  auto generic = LLVM::LLVMPointerType::get(context);
  Type byte = builder.getI8Type();
  auto makeNumber = [&](int64_t number) -> Value {
    return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), builder.getI64IntegerAttr(number));
  };
  Value memory, begin;
  bool needsBegins = hasPhases();
  // Swizzled tiles come first: each is as long as multiples of where they may begin.
  SmallVector<Operation *> ordered(tiles);
  auto *rest = std::stable_partition(ordered.begin(), ordered.end(), [](Operation *tile) {
    return llvm::any_of(tile->getUsers(), [](Operation *user) {
      auto load = dyn_cast<uop::FragmentLoadOp>(user);
      return load && load.getPanel();
    });
  });
  (void)rest;
  for (Operation *tile : ordered) {
    Buffer &buffer = buffers[tile->getResult(0)];
    int64_t bytes = uop::getTileBytes(buffer.type);
    if (isa<uop::RegisterOp>(tile)) {
      buffer.pointer = LLVM::AllocaOp::create(builder, loc, generic, byte, makeNumber(bytes), uop::kTileAlignment);
      continue;
    }
    if (!memory) {
      Value global = LLVM::AddressOfOp::create(builder, loc, LLVM::LLVMPointerType::get(context, kWorkgroupSpace),
                                               makeGlobal().getSymName());
      memory = LLVM::AddrSpaceCastOp::create(builder, loc, generic, global);
      if (needsBegins)
        begin = LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), global);
    }
    if (needsBegins) {
      Value offset =
          LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), builder.getI32IntegerAttr(scratchBytes));
      tileBegins[tile->getResult(0)] = LLVM::AddOp::create(builder, loc, begin, offset);
    }
    buffer.pointer =
        LLVM::GEPOp::create(builder, loc, generic, byte, memory, ArrayRef<LLVM::GEPArg>{makeNumber(scratchBytes)},
                            LLVM::GEPNoWrapFlags::inbounds);
    scratchBytes += bytes;
  }
}

LLVM::GlobalOp NvvmLowering::makeGlobal() {
  OpBuilder outside(func);
  SymbolTable symbols(func->getParentOp());
  // The size of a declaration is that of the launch.
  bool isOfLaunch = entry.getScratch() > cuda::kMostTileBytes;
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), isOfLaunch ? 0 : entry.getScratch());
  int64_t alignment = isOfLaunch ? kLaunchAlignment : uop::kTileAlignment;
  auto global = LLVM::GlobalOp::create(outside, func.getLoc(), type, /*isConstant=*/false,
                                       isOfLaunch ? LLVM::Linkage::External : LLVM::Linkage::Internal,
                                       (func.getSymName() + "_tiles").str(), Attribute(),
                                       readsByProxy ? kSwizzleAlignment : alignment, kWorkgroupSpace);
  symbols.insert(global, global->getIterator());
  return global;
}

/// A special register, by axis.
template <typename X, typename Y, typename Z>
static Value readRegister(OpBuilder &builder, Location loc, unsigned axis, int64_t extent) {
  auto range = LLVM::ConstantRangeAttr::get(builder.getContext(), 32, 0, extent);
  Type type = builder.getI32Type();
  if (axis == 0)
    return X::create(builder, loc, type, range);
  if (axis == 1)
    return Y::create(builder, loc, type, range);
  return Z::create(builder, loc, type, range);
}

Value NvvmLowering::readLane(Location loc, unsigned axis, int64_t extent) {
  return readRegister<NVVM::ThreadIdXOp, NVVM::ThreadIdYOp, NVVM::ThreadIdZOp>(builder, loc, axis, extent);
}

Value NvvmLowering::readGroup(Location loc, unsigned axis, int64_t extent) {
  return readRegister<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>(builder, loc, axis, extent);
}

Value NvvmLowering::readLaneNumber(Location loc) {
  kernel::Extents extents = entry.getWorkgroup();
  Value number;
  for (unsigned axis : {2, 1, 0}) {
    if (extents[axis] == 1 && axis != 0)
      continue;
    Value lane = readLane(loc, axis, extents[axis]);
    if (number) {
      Value extent = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(extents[axis]));
      number = arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, number, extent), lane);
    } else {
      number = lane;
    }
  }
  return number;
}

Value NvvmLowering::readLaneOfWarp(Location loc) {
  Value warp = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(kWarp));
  return arith::RemUIOp::create(builder, loc, readLaneNumber(loc), warp);
}

Value NvvmLowering::readWarpOfTeam(Location loc) {
  auto makeNumber = [&](int64_t number) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(number));
  };
  constexpr int64_t kWarpsOfTeam = 4;
  Value warp = arith::DivUIOp::create(builder, loc, readLaneNumber(loc), makeNumber(kWarp));
  return arith::RemUIOp::create(builder, loc, warp, makeNumber(kWarpsOfTeam));
}

void NvvmLowering::lowerSpecial(uop::SpecialOp op) {
  Location loc = op.getLoc();
  Value index;
  switch (op.getAxis()) {
  case uop::HardwareAxis::Local:
    index = readLane(loc, op.getDim(), op.getExtent());
    break;
  case uop::HardwareAxis::Global:
  case uop::HardwareAxis::Thread:
    index = readGroup(loc, grid.positions.lookup(op), op.getExtent());
    break;
  case uop::HardwareAxis::Lane:
    index = readLaneOfWarp(loc);
    break;
  case uop::HardwareAxis::Team: {
    kernel::Extents lanes = entry.getWorkgroup();
    Value size = arith::ConstantOp::create(
        builder, loc, builder.getI32IntegerAttr(lanes[0] * lanes[1] * lanes[2] / int64_t(op.getExtent())));
    index = arith::DivUIOp::create(builder, loc, readLaneNumber(loc), size);
    break;
  }
  case uop::HardwareAxis::Subgroup: {
    Value warp = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(kWarp));
    index = arith::DivUIOp::create(builder, loc, readLaneNumber(loc), warp);
    break;
  }
  }
  op.replaceAllUsesWith(arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), index).getResult());
  op.erase();
}

int64_t getDivisor(Value index, unsigned depth) {
  constexpr unsigned kDeepest = 12;
  if (std::optional<int64_t> number = getConstantIntValue(index))
    return std::gcd(*number, kWarp);
  Operation *op = depth < kDeepest ? index.getDefiningOp() : nullptr;
  if (isa_and_nonnull<arith::MulIOp>(op))
    return std::gcd(getDivisor(op->getOperand(0), depth + 1) * getDivisor(op->getOperand(1), depth + 1), kWarp);
  // Up to 32 they are powers of two.
  if (isa_and_nonnull<arith::AddIOp, arith::XOrIOp>(op))
    return std::gcd(getDivisor(op->getOperand(0), depth + 1), getDivisor(op->getOperand(1), depth + 1));
  if (auto choice = dyn_cast_or_null<arith::SelectOp>(op))
    return std::gcd(getDivisor(choice.getTrueValue(), depth + 1), getDivisor(choice.getFalseValue(), depth + 1));
  // Where elements of a fragment lie.
  if (auto element = dyn_cast_or_null<vector::ExtractOp>(op); element && element.getStaticPosition().size() == 1)
    if (auto all = element.getSource().getDefiningOp<vector::FromElementsOp>(); all && !element.hasDynamicPosition())
      return getDivisor(all.getElements()[element.getStaticPosition().front()], depth + 1);
  return 1;
}

unsigned NvvmLowering::getAlignmentAt(Value index, Type type, unsigned least) const {
  // Of scalars, too: those that begin a vector of neighbours can be moved with them.
  int64_t bytes = uop::getElementBytes(getElementTypeOrSelf(type));
  return std::max<int64_t>(least, std::gcd(getDivisor(index) * bytes, kVectorBytes));
}

unsigned NvvmLowering::getReadAlignment(Type type) const { return uop::getElementBytes(getElementTypeOrSelf(type)); }

} // namespace tiny
