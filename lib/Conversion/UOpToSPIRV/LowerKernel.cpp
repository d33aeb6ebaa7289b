// One kernel: its variables, and its operations with regions or memory.
#include "KernelLowering.h"

#include "Tiny/Dialect/UOp/Parallel.h"
#include "Tiny/Runtime/Format.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tiny::spirv_lowering {

Type getStorageType(Type element) {
  if (isWords(element))
    return element;
  if (!element.isIntOrFloat())
    return nullptr;
  MLIRContext *context = element.getContext();
  if (element.isInteger(1) || isa<Float8E4M3FNType, Float8E5M2Type>(element))
    return IntegerType::get(context, 8);
  if (element.isBF16())
    return IntegerType::get(context, 16);
  bool isInteger = element.isSignlessInteger(8) || element.isSignlessInteger(16) || element.isSignlessInteger(32) ||
                   element.isSignlessInteger(64);
  return isInteger || element.isF16() || element.isF32() || element.isF64() ? element : Type();
}

unsigned getIndexBits(uop::FuncOp func) {
  // Half of what 32 bits hold, for what indices are on the way.
  constexpr int64_t kMostElements = int64_t(1) << 30;
  bool isWide = llvm::any_of(func.getArgumentTypes(),
                             [](Type type) { return cast<MemRefType>(type).getNumElements() >= kMostElements; });
  func.walk([&](Operation *op) {
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
      isWide |= op->getOperand(0).getType().isInteger(64) || op->getResult(0).getType().isInteger(64);
  });
  return isWide ? 64 : 32;
}

KernelLowering::KernelLowering(uop::FuncOp func, const uop::GridPlan &grid, kernel::EntryAttr entry,
                               spirv::FuncOp target, bool hasVulkanModel)
    : func(func), grid(grid), entry(entry), module(target->getParentOfType<spirv::ModuleOp>()), target(target),
      builder(func.getContext()), indexType(builder.getIntegerType(getIndexBits(func))),
      hasVulkanModel(hasVulkanModel) {
  bool hasSubgroups = func.walk([](Operation *op) {
                            auto special = dyn_cast<uop::SpecialOp>(op);
                            bool isAxis = special && (special.getAxis() == uop::HardwareAxis::Lane ||
                                                      special.getAxis() == uop::HardwareAxis::Subgroup);
                            return isAxis || uop::isSubgroupOp(op) ? WalkResult::interrupt() : WalkResult::advance();
                          })
                          .wasInterrupted();
  if (hasSubgroups)
    subgroupSize = uop::getSubgroupSize(func).value_or(0);
}

Value KernelLowering::addressOf(spirv::GlobalVariableOp variable) {
  auto symbol = FlatSymbolRefAttr::get(variable);
  if (!llvm::is_contained(interface, symbol))
    interface.push_back(symbol);
  return spirv::AddressOfOp::create(builder, func.getLoc(), variable);
}

/// Kernels share them.
spirv::GlobalVariableOp KernelLowering::getBuiltIn(spirv::BuiltIn builtIn, bool isVector) {
  StringRef name = spirv::stringifyBuiltIn(builtIn);
  for (auto variable : module.getOps<spirv::GlobalVariableOp>())
    if (variable.getBuiltIn() == name)
      return variable;
  Type number = builder.getI32Type();
  auto type = spirv::PointerType::get(isVector ? VectorType::get(3, number) : number, spirv::StorageClass::Input);
  OpBuilder outside = OpBuilder::atBlockBegin(module.getBody());
  auto variable = spirv::GlobalVariableOp::create(outside, func.getLoc(), type, name, builtIn);
  SymbolTable(module).insert(variable);
  return variable;
}

Value KernelLowering::getSubgroupSize(Location loc) {
  std::string name = "subgroup_size_" + std::to_string(subgroupSize);
  auto constant = module.lookupSymbol<spirv::SpecConstantOp>(name);
  if (!constant) {
    OpBuilder outside = OpBuilder::atBlockBegin(module.getBody());
    constant = spirv::SpecConstantOp::create(outside, loc, builder.getStringAttr(name),
                                             builder.getI32IntegerAttr(subgroupSize));
    constant->setAttr("spec_id", builder.getI32IntegerAttr(TINY_SPIRV_SUBGROUP_SIZE));
  }
  return spirv::ReferenceOfOp::create(builder, loc, builder.getI32Type(), name);
}

Value KernelLowering::readBuiltIn(Location loc, spirv::BuiltIn builtIn) {
  return spirv::LoadOp::create(builder, loc, addressOf(getBuiltIn(builtIn, /*isVector=*/false)));
}

void KernelLowering::makeVariables() {
  OpBuilder outside(target);
  SymbolTable symbols(module);
  for (BlockArgument argument : target.getBody().getArguments()) {
    auto type = cast<MemRefType>(argument.getType());
    unsigned number = argument.getArgNumber();
    auto array = spirv::RuntimeArrayType::get(getStorageType(type.getElementType()),
                                              uop::getElementBytes(type.getElementType()));
    spirv::StructType::StructDecorationInfo block(spirv::Decoration::Block, builder.getUnitAttr());
    auto pointer = spirv::PointerType::get(spirv::StructType::get({array}, spirv::StructType::OffsetInfo(0), {}, block),
                                           spirv::StorageClass::StorageBuffer);
    auto variable = spirv::GlobalVariableOp::create(outside, func.getLoc(), pointer,
                                                    (func.getSymName() + "_" + Twine(number)).str(), 0, number);
    symbols.insert(variable, target->getIterator());
    // Without it a driver may take buffers for different memory.
    if (entry.getInPlace())
      variable->setAttr("aliased", builder.getUnitAttr());
    buffers[argument] = {addressOf(variable), /*isStruct=*/true, type.getNumElements()};
  }
}

void KernelLowering::placeTile(Operation *tile) {
  auto type = cast<MemRefType>(tile->getResult(0).getType());
  // A variable has an element at least.
  auto array =
      spirv::ArrayType::get(getStorageType(type.getElementType()), std::max<int64_t>(type.getNumElements(), 1));
  bool isShared = isa<uop::LocalOp>(tile);
  auto storage = isShared ? spirv::StorageClass::Workgroup : spirv::StorageClass::Function;
  auto pointer = spirv::PointerType::get(array, storage);
  Value address;
  if (isShared) {
    OpBuilder outside(target);
    auto variable =
        spirv::GlobalVariableOp::create(outside, tile->getLoc(), pointer, (func.getSymName() + "_tile").str());
    SymbolTable(module).insert(variable, target->getIterator());
    address = addressOf(variable);
  } else {
    address = spirv::VariableOp::create(builder, tile->getLoc(), pointer, storage, Value());
  }
  buffers[tile->getResult(0)] = {address, /*isStruct=*/false, type.getNumElements()};
}

/// Constants of types that are only moved.
static void holdAsInteger(arith::ConstantOp op) {
  auto value = dyn_cast<FloatAttr>(op.getValue());
  Type stored = value ? getStorageType(op.getType()) : Type();
  if (!stored || stored == op.getType())
    return;
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  Value bits =
      arith::ConstantOp::create(builder, op.getLoc(), IntegerAttr::get(stored, value.getValue().bitcastToAPInt()));
  op.replaceAllUsesWith(arith::BitcastOp::create(builder, op.getLoc(), op.getType(), bits).getResult());
  op.erase();
}

void KernelLowering::run() {
  target.getBody().takeBody(func.getBody());
  Block &body = target.getBody().front();
  SmallVector<Operation *> tiles, ops;
  target.getBody().walk([&](Operation *op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      holdAsInteger(constant);
    else if (isa<uop::LocalOp, uop::RegisterOp>(op))
      tiles.push_back(op);
    else if (isa<uop::UOpDialect>(op->getDialect()))
      ops.push_back(op);
  });
  builder.setInsertionPointToStart(&body);
  makeVariables();
  if (subgroupSize != 0)
    getSubgroupSize(func.getLoc());
  holdMatrices();
  for (Operation *tile : tiles)
    placeTile(tile);
  for (Operation *op : ops) {
    builder.setInsertionPoint(op);
    lower(op);
  }
  // Only now nothing uses them, and no builder stands at one.
  for (Operation *tile : tiles)
    tile->erase();
  body.eraseArguments(0, body.getNumArguments());

  builder.setInsertionPoint(func);
  auto declaration = func::FuncOp::create(builder, func.getLoc(), func.getSymName(), func.getFunctionType());
  declaration.setPrivate();
  declaration->setAttr(kernel::kEntryAttr, entry);
  func.erase();
  builder.setInsertionPointToEnd(module.getBody());
  spirv::EntryPointOp::create(builder, target.getLoc(), spirv::ExecutionModel::GLCompute, target, interface);
  kernel::Extents lanes = entry.getWorkgroup();
  // A device forms whole subgroups along x alone; where a lane stands is computed from them.
  if (subgroupSize != 0 && lanes[0] % subgroupSize != 0)
    lanes = {lanes[0] * lanes[1] * lanes[2], 1, 1};
  spirv::ExecutionModeOp::create(builder, target.getLoc(), target, spirv::ExecutionMode::LocalSize,
                                 {int32_t(lanes[0]), int32_t(lanes[1]), int32_t(lanes[2])});
}

void KernelLowering::lower(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](uop::SpecialOp special) { lowerSpecial(special); })
      .Case([&](uop::ForOp loop) { lowerFor(loop); })
      .Case([&](uop::IfOp condition) { lowerIf(condition); })
      .Case([&](uop::LoadOp load) { lowerLoad(load); })
      .Case([&](uop::StoreOp store) { lowerStore(store); })
      .Case([&](uop::YieldOp yield) {
        scf::YieldOp::create(builder, yield.getLoc(), yield.getOperands());
        yield.erase();
      })
      .Case([&](uop::ReturnOp end) {
        spirv::ReturnOp::create(builder, end.getLoc());
        end.erase();
      })
      // There is nothing to be gained: other lanes run meanwhile.
      .Case([](uop::PrefetchOp prefetch) { prefetch.erase(); })
      .Case([&](uop::BarrierOp barrier) {
        synchronize(barrier.getLoc(), spirv::Scope::Workgroup);
        barrier.erase();
      })
      .Case([&](uop::SubgroupBarrierOp barrier) {
        synchronize(barrier.getLoc(), spirv::Scope::Subgroup);
        barrier.erase();
      })
      .Case([&](uop::ShuffleOp shuffle) { lowerShuffle(shuffle); })
      .Case([&](uop::SubgroupReduceOp reduce) { lowerSubgroupReduce(reduce); })
      .Case([&](uop::AtomicOp atomic) { lowerAtomic(atomic); })
      .Case([&](uop::CopyAsyncOp copy) { lowerCopy(copy); })
      .Case([&](uop::FragmentFillOp fill) { lowerFragmentFill(fill); })
      .Case([&](uop::FragmentLoadOp load) { lowerFragmentLoad(load); })
      .Case([&](uop::FragmentStoreOp store) { lowerFragmentStore(store); })
      .Case([&](uop::MmaOp mma) { lowerMma(mma); })
      // Each lane copies at once.
      .Case<uop::CopyCommitOp, uop::CopyWaitOp>([](Operation *group) { group->erase(); })
      .Default([](Operation *) { llvm_unreachable("the pass checked the kernel's operations"); });
}

/// A device may number the lanes of subgroups as it likes, so with subgroups the order of lanes is theirs: a workgroup
/// has whole ones.
Value KernelLowering::readLane(Location loc, unsigned axis) {
  if (subgroupSize == 0) {
    Value all = spirv::LoadOp::create(builder, loc, addressOf(getBuiltIn(spirv::BuiltIn::LocalInvocationId)));
    return spirv::CompositeExtractOp::create(builder, loc, all, ArrayRef<int32_t>{int32_t(axis)});
  }
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value));
  };
  Value number = arith::AddIOp::create(
      builder, loc,
      arith::MulIOp::create(builder, loc, readBuiltIn(loc, spirv::BuiltIn::SubgroupId), getSubgroupSize(loc)),
      readBuiltIn(loc, spirv::BuiltIn::SubgroupLocalInvocationId));
  kernel::Extents extents = entry.getWorkgroup();
  int64_t inner = 1;
  for (unsigned other = 0; other < axis; ++other)
    inner *= extents[other];
  number = arith::DivUIOp::create(builder, loc, number, constant(inner));
  return arith::RemUIOp::create(builder, loc, number, constant(extents[axis]));
}

void KernelLowering::lowerSpecial(uop::SpecialOp op) {
  Location loc = op.getLoc();
  Value index;
  switch (op.getAxis()) {
  case uop::HardwareAxis::Local:
    index = readLane(loc, op.getDim());
    break;
  case uop::HardwareAxis::Lane:
    index = readBuiltIn(loc, spirv::BuiltIn::SubgroupLocalInvocationId);
    break;
  case uop::HardwareAxis::Subgroup:
    index = readBuiltIn(loc, spirv::BuiltIn::SubgroupId);
    break;
  case uop::HardwareAxis::Team:
    llvm_unreachable("the pass checked the kernel's operations");
  case uop::HardwareAxis::Global:
  case uop::HardwareAxis::Thread: {
    Value all = spirv::LoadOp::create(builder, loc, addressOf(getBuiltIn(spirv::BuiltIn::WorkgroupId)));
    index = spirv::CompositeExtractOp::create(builder, loc, all, ArrayRef<int32_t>{int32_t(grid.positions.lookup(op))});
    break;
  }
  }
  op.replaceAllUsesWith(arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), index).getResult());
  op.erase();
}

void KernelLowering::lowerFor(uop::ForOp op) {
  Location loc = op.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto loop = scf::ForOp::create(builder, loc, zero, op.getBound(), one, op.getInitArgs());
  loop.getRegion().takeBody(op.getRegion());
  SmallVector<Value> results(loop.getResults());
  // Upstream's pattern leaves the results of a loop that never runs undefined.
  if (std::optional<int64_t> bound = getConstantIntValue(op.getBound()); !results.empty() && (!bound || *bound < 1)) {
    Value runs = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, op.getBound(), zero);
    for (auto [result, init] : llvm::zip_equal(results, op.getInitArgs()))
      result = arith::SelectOp::create(builder, loc, runs, result, init);
  }
  op.replaceAllUsesWith(results);
  op.erase();
}

void KernelLowering::lowerIf(uop::IfOp op) {
  auto condition = scf::IfOp::create(builder, op.getLoc(), op.getCondition(), /*withElseRegion=*/false);
  condition.getThenRegion().takeBody(op.getBody());
  op.erase();
}

void KernelLowering::synchronize(Location loc, spirv::Scope scope) {
  using Semantics = spirv::MemorySemantics;
  auto semantics = Semantics::AcquireRelease | Semantics::WorkgroupMemory | Semantics::UniformMemory;
  if (hasVulkanModel)
    semantics = semantics | Semantics::MakeAvailable | Semantics::MakeVisible;
  spirv::ControlBarrierOp::create(builder, loc, scope, scope, semantics);
}

Value KernelLowering::accessElement(Location loc, const Buffer &buffer, Value index) {
  SmallVector<Value> path;
  if (buffer.isStruct)
    path.push_back(spirv::ConstantOp::getZero(builder.getI32Type(), loc, builder));
  path.push_back(arith::IndexCastUIOp::create(builder, loc, indexType, index));
  return spirv::AccessChainOp::create(builder, loc, buffer.pointer, path);
}

/// Registers are a lane's own.
static bool isPrivate(Value pointer) {
  return cast<spirv::PointerType>(pointer.getType()).getStorageClass() == spirv::StorageClass::Function;
}

Value KernelLowering::loadElement(Location loc, const Buffer &buffer, Value index) {
  Value pointer = accessElement(loc, buffer, index);
  return spirv::LoadOp::create(builder, loc, pointer, isPrivate(pointer) ? spirv::MemoryAccessAttr() : getAccess(),
                               /*alignment=*/IntegerAttr());
}

void KernelLowering::storeElement(Location loc, Value value, const Buffer &buffer, Value index) {
  Value pointer = accessElement(loc, buffer, index);
  spirv::StoreOp::create(builder, loc, pointer, value, isPrivate(pointer) ? spirv::MemoryAccessAttr() : getAccess(),
                         /*alignment=*/IntegerAttr());
}

void KernelLowering::lowerLoad(uop::LoadOp op) {
  Location loc = op.getLoc();
  const Buffer &buffer = buffers.find(op.getBuffer())->second;
  Type type = op.getResult().getType(), stored = getStorageType(type);
  Value value;
  if (buffer.size == 0) {
    // No gate lets one read it.
    value = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(stored));
  } else {
    Value index = op.getIndex();
    // The first element stands for the one that may not be read.
    if (Value gate = op.getGate()) {
      Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
      index = arith::SelectOp::create(builder, loc, gate, index, zero);
    }
    value = loadElement(loc, buffer, index);
  }
  if (type.isInteger(1)) {
    Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(stored));
    value = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value, zero);
  } else if (type != stored) {
    value = arith::BitcastOp::create(builder, loc, type, value);
  }
  op.replaceAllUsesWith(value);
  op.erase();
}

void KernelLowering::lowerStore(uop::StoreOp op) {
  Location loc = op.getLoc();
  const Buffer &buffer = buffers.find(op.getBuffer())->second;
  if (Value gate = op.getGate()) {
    auto condition = scf::IfOp::create(builder, loc, gate, /*withElseRegion=*/false);
    builder.setInsertionPoint(condition.thenYield());
  }
  Value value = op.getValue();
  Type type = value.getType(), stored = getStorageType(type);
  if (type.isInteger(1))
    value = arith::ExtUIOp::create(builder, loc, stored, value);
  else if (type != stored)
    value = arith::BitcastOp::create(builder, loc, stored, value);
  storeElement(loc, value, buffer, op.getIndex());
  op.erase();
}

} // namespace tiny::spirv_lowering
