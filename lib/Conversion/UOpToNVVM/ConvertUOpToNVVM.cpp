// The pass: the worker of convert-uop-to-llvm, with a CUDA kernel's frame. Buffers are arguments, hardware axes special
// registers, and tiles of a workgroup lie in a global of its address space. Pointers are generic: LLVM finds out which
// ones point to global memory, since a kernel's arguments do, and which ones to that of the workgroup.
#include "Tiny/Conversion/UOpToNVVM/Passes.h"
#include "Tiny/Conversion/UOpToLLVM/KernelLowering.h"
#include "Tiny/Conversion/UOpToNVVM/Limits.h"
#include "Tiny/Dialect/UOp/Limits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tiny {

#define GEN_PASS_DEF_CONVERTUOPTONVVM
#include "Tiny/Conversion/UOpToNVVM/Passes.h.inc"

namespace {

/// Where a pointer into a workgroup's memory points.
constexpr unsigned kWorkgroupSpace = 3;

class NvvmLowering : public KernelLowering {
public:
  using KernelLowering::KernelLowering;

  LLVM::LLVMFuncOp run() {
    describeBuffers();
    LLVM::LLVMFuncOp kernel = KernelLowering::run();
    for (auto [number, attributes] : llvm::enumerate(bufferAttributes))
      for (NamedAttribute attribute : attributes)
        kernel.setArgAttr(number, attribute.getName(), attribute.getValue());
    kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    kernel::Extents lanes = entry.getWorkgroup();
    kernel->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    builder.getDenseI32ArrayAttr({int32_t(lanes[0]), int32_t(lanes[1]), int32_t(lanes[2])}));
    return kernel;
  }

private:
  /// What is known of the buffers: what nothing writes is read through the cache for constants.
  void describeBuffers() {
    for (BlockArgument argument : func.getBody().getArguments()) {
      SmallVector<NamedAttribute> attributes;
      auto add = [&](StringRef name, Attribute value) { attributes.emplace_back(builder.getStringAttr(name), value); };
      auto type = cast<MemRefType>(argument.getType());
      add("llvm.align", builder.getI64IntegerAttr(uop::getElementBytes(type.getElementType())));
      if (!entry.getInPlace())
        add("llvm.noalias", builder.getUnitAttr());
      if (llvm::none_of(argument.getUsers(), llvm::IsaPred<uop::StoreOp>))
        add("llvm.readonly", builder.getUnitAttr());
      bufferAttributes.push_back(std::move(attributes));
    }
  }

  void loadBuffers() override {
    auto pointer = LLVM::LLVMPointerType::get(func.getContext());
    for (BlockArgument buffer : llvm::to_vector(func.getBody().getArguments()))
      buffers[buffer].pointer = func.getBody().addArgument(pointer, buffer.getLoc());
  }

  void placeTiles(ArrayRef<Operation *> tiles) override {
    Location loc = func.getLoc();
    MLIRContext *context = func.getContext();
    auto generic = LLVM::LLVMPointerType::get(context);
    Type byte = builder.getI8Type();
    auto makeNumber = [&](int64_t number) -> Value {
      return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), builder.getI64IntegerAttr(number));
    };
    Value memory;
    for (Operation *tile : tiles) {
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
      }
      buffer.pointer =
          LLVM::GEPOp::create(builder, loc, generic, byte, memory, ArrayRef<LLVM::GEPArg>{makeNumber(scratchBytes)},
                              LLVM::GEPNoWrapFlags::inbounds);
      scratchBytes += bytes;
    }
  }

  /// The memory of all tiles of the workgroup, in front of the kernel.
  LLVM::GlobalOp makeGlobal() {
    OpBuilder outside(func);
    SymbolTable symbols(func->getParentOp());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), entry.getScratch());
    auto global = LLVM::GlobalOp::create(outside, func.getLoc(), type, /*isConstant=*/false, LLVM::Linkage::Internal,
                                         (func.getSymName() + "_tiles").str(), Attribute(),
                                         /*alignment=*/uop::kTileAlignment, kWorkgroupSpace);
    symbols.insert(global, global->getIterator());
    return global;
  }

  /// Indices are read where they are used.
  void loadGrid() override {}

  void lowerSpecial(uop::SpecialOp op) override {
    bool isLane = op.getAxis() == uop::HardwareAxis::Local;
    unsigned axis = isLane ? op.getDim() : grid.positions.lookup(op);
    Value index = isLane ? read<NVVM::ThreadIdXOp, NVVM::ThreadIdYOp, NVVM::ThreadIdZOp>(op, axis)
                         : read<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>(op, axis);
    op.replaceAllUsesWith(
        arith::IndexCastUIOp::create(builder, op.getLoc(), builder.getIndexType(), index).getResult());
    op.erase();
  }

  template <typename X, typename Y, typename Z> Value read(uop::SpecialOp op, unsigned axis) {
    auto range = LLVM::ConstantRangeAttr::get(op.getContext(), 32, 0, op.getExtent());
    Location loc = op.getLoc();
    Type type = builder.getI32Type();
    if (axis == 0)
      return X::create(builder, loc, type, range);
    if (axis == 1)
      return Y::create(builder, loc, type, range);
    return Z::create(builder, loc, type, range);
  }

  /// There is nothing to be gained: other lanes run meanwhile.
  void lowerPrefetch(uop::PrefetchOp op) override { op.erase(); }

  unsigned getReadAlignment(Type type) const override { return uop::getElementBytes(getElementTypeOrSelf(type)); }

  std::vector<SmallVector<NamedAttribute>> bufferAttributes;
};

constexpr uop::LaunchLimits kLeastLimits = {cuda::kMostWorkgroups, cuda::kMostLanes, cuda::kMostLanesTogether,
                                            cuda::kMostTileBytes, INT64_MAX};

class ConvertUOpToNVVM : public impl::ConvertUOpToNVVMBase<ConvertUOpToNVVM> {
public:
  LogicalResult initialize(MLIRContext *context) override {
    converter = std::make_shared<KernelConverter>(context);
    return success();
  }

  void runOnOperation() override {
    auto lower = [](uop::FuncOp func, const uop::GridPlan &grid,
                    kernel::EntryAttr entry) -> FailureOr<LLVM::LLVMFuncOp> {
      if (failed(uop::checkLimits(func, entry, kLeastLimits)))
        return failure();
      return NvvmLowering(func, grid, entry).run();
    };
    KernelDevice device = {"CUDA", /*hasWorkgroups=*/true, NVVM::NVVMDialect::getDialectNamespace()};
    if (failed(converter->convert(getOperation(), device, lower)))
      signalPassFailure();
  }

private:
  std::shared_ptr<KernelConverter> converter;
};

} // namespace
} // namespace tiny
