// Fragments as cooperative matrices (SPV_KHR_cooperative_matrix), which the lanes of a subgroup hold. They come with
// Vulkan's memory model: what other lanes see is said to be non-private at each access.
#include "KernelLowering.h"

#include "Tiny/Dialect/UOp/Parallel.h"

using namespace mlir;

namespace tiny::spirv_lowering {

using spirv::Capability;
using uop::FragmentRole;
using uop::FragmentType;

bool hasMatrices(uop::FuncOp func) {
  return func
      .walk([](Operation *op) {
        auto isFragment = [](Type type) { return isa<FragmentType>(type); };
        return llvm::any_of(op->getResultTypes(), isFragment) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool hasForm(FragmentType type) {
  Type element = type.getElement();
  bool isSum = type.getRole() == FragmentRole::Sum;
  return type.getSubgroups() == 1 &&
         (isSum ? element.isF32() || element.isSignlessInteger(32) : element.isF16() || element.isSignlessInteger(8));
}

LogicalResult checkFragments(Operation *op, llvm::SetVector<Capability> &capabilities) {
  if (isa<uop::FragmentPlaceOp, uop::FragmentElementsOp, uop::FragmentReduceOp, uop::FragmentPackOp>(op))
    return op->emitOpError("is of elements of a matrix, which lanes cannot tell in SPIR-V; uop-share-fragments gives "
                           "them elements by way of a tile");
  if (auto load = dyn_cast<uop::FragmentLoadOp>(op); load && load.getPanel())
    return load.emitOpError("of a panel has no form in SPIR-V");
  for (Type type : llvm::concat<Type>(llvm::to_vector(op->getOperandTypes()), llvm::to_vector(op->getResultTypes()))) {
    auto fragment = dyn_cast<FragmentType>(type);
    if (!fragment)
      continue;
    if (!hasForm(fragment))
      return op->emitOpError("has a value of type ") << type << ", which has no form in SPIR-V";
    capabilities.insert(Capability::CooperativeMatrixKHR);
    capabilities.insert(Capability::VulkanMemoryModel);
  }
  return success();
}

static spirv::CooperativeMatrixUseKHR getUse(FragmentRole role) {
  switch (role) {
  case FragmentRole::Left:
    return spirv::CooperativeMatrixUseKHR::MatrixA;
  case FragmentRole::Right:
    return spirv::CooperativeMatrixUseKHR::MatrixB;
  case FragmentRole::Sum:
    return spirv::CooperativeMatrixUseKHR::MatrixAcc;
  }
  llvm_unreachable("unknown role");
}

/// Fragments' values are matrices from here on, wherever they go.
void KernelLowering::holdMatrices() {
  auto hold = [](Value value) {
    if (auto type = dyn_cast<FragmentType>(value.getType()))
      value.setType(spirv::CooperativeMatrixType::get(type.getScalar(), type.getRows(), type.getColumns(),
                                                      spirv::Scope::Subgroup, getUse(type.getRole())));
  };
  target.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), hold);
    for (Region &region : op->getRegions())
      llvm::for_each(region.getArguments(), hold);
  });
}

spirv::MemoryAccessAttr KernelLowering::getAccess() {
  return hasVulkanModel ? spirv::MemoryAccessAttr::get(builder.getContext(), spirv::MemoryAccess::NonPrivatePointer)
                        : spirv::MemoryAccessAttr();
}

static spirv::CooperativeMatrixLayoutKHR getLayout(bool isTransposed) {
  return isTransposed ? spirv::CooperativeMatrixLayoutKHR::ColumnMajor : spirv::CooperativeMatrixLayoutKHR::RowMajor;
}

Value KernelLowering::makeStride(Location loc, int64_t stride) {
  return spirv::ConstantOp::create(builder, loc, builder.getI32Type(), builder.getI32IntegerAttr(stride));
}

void KernelLowering::lowerFragmentFill(Operation *op) {
  Value all = spirv::CompositeConstructOp::create(builder, op->getLoc(), op->getResult(0).getType(), op->getOperands());
  op->getResult(0).replaceAllUsesWith(all);
  op->erase();
}

void KernelLowering::lowerFragmentLoad(uop::FragmentLoadOp op) {
  Location loc = op.getLoc();
  Value pointer = accessElement(loc, buffers.find(op.getBuffer())->second, op.getIndex());
  Value read = spirv::KHRCooperativeMatrixLoadOp::create(builder, loc, op->getResult(0).getType(), pointer,
                                                         getLayout(op.getTransposed()), makeStride(loc, op.getStride()),
                                                         getAccess(), /*alignment=*/IntegerAttr());
  op->getResult(0).replaceAllUsesWith(read);
  op.erase();
}

void KernelLowering::lowerFragmentStore(uop::FragmentStoreOp op) {
  Location loc = op.getLoc();
  Value pointer = accessElement(loc, buffers.find(op.getBuffer())->second, op.getIndex());
  spirv::KHRCooperativeMatrixStoreOp::create(builder, loc, pointer, op->getOperand(0), getLayout(false),
                                             makeStride(loc, op.getStride()), getAccess(),
                                             /*alignment=*/IntegerAttr());
  op.erase();
}

void KernelLowering::lowerMma(Operation *op) {
  using Operands = spirv::CooperativeMatrixOperandsKHR;
  auto type = cast<spirv::CooperativeMatrixType>(op->getResult(0).getType());
  spirv::CooperativeMatrixOperandsKHRAttr operands;
  if (type.getElementType().isInteger())
    operands = spirv::CooperativeMatrixOperandsKHRAttr::get(
        builder.getContext(), Operands::ASigned | Operands::BSigned | Operands::CSigned | Operands::ResultSigned);
  Value product = spirv::KHRCooperativeMatrixMulAddOp::create(builder, op->getLoc(), type, op->getOperand(0),
                                                              op->getOperand(1), op->getOperand(2), operands);
  op->getResult(0).replaceAllUsesWith(product);
  op->erase();
}

} // namespace tiny::spirv_lowering
