// The pass: the worker lowers what is uop's own, upstream's patterns the rest (arith, math, scf).
#include "KernelLowering.h"
#include "Tiny/Conversion/UOpToLLVM/KernelLowering.h"
#include "Tiny/Conversion/UOpToSPIRV/Passes.h"
#include "Tiny/Dialect/UOp/Limits.h"

#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Conversion/UBToSPIRV/UBToSPIRV.h"
#include "mlir/Conversion/VectorToSPIRV/VectorToSPIRV.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"

using namespace mlir;

namespace tiny {

#define GEN_PASS_DEF_CONVERTUOPTOSPIRV
#include "Tiny/Conversion/UOpToSPIRV/Passes.h.inc"

namespace {

using spirv::Capability;

/// What every device has, by the standard's table of required limits.
constexpr uop::LaunchLimits kLeastLimits = {{65535, 65535, 65535}, {128, 128, 64}, 128, 16 << 10, 128 << 20};

/// What values the kernel has: SPIR-V asks for a capability for most of their types.
LogicalResult checkValues(uop::FuncOp func, llvm::SetVector<Capability> &capabilities) {
  auto note = [&](Type type, bool isInBuffer) {
    if (spirv_lowering::isWords(type))
      return true;
    if (!isInBuffer && (type.isIndex() || type.isInteger(1)))
      return true;
    Type stored = spirv_lowering::getStorageType(type);
    if (!stored)
      return false;
    unsigned bits = stored.getIntOrFloatBitWidth();
    bool isFloat = isa<FloatType>(stored);
    if (bits == 8)
      capabilities.insert(Capability::Int8);
    if (bits == 16)
      capabilities.insert(isFloat ? Capability::Float16 : Capability::Int16);
    if (bits == 64)
      capabilities.insert(isFloat ? Capability::Float64 : Capability::Int64);
    if (isInBuffer && bits < 32)
      capabilities.insert(bits == 8 ? Capability::StorageBuffer8BitAccess : Capability::StorageBuffer16BitAccess);
    return true;
  };
  for (BlockArgument argument : func.getBody().getArguments())
    if (!note(cast<MemRefType>(argument.getType()).getElementType(), /*isInBuffer=*/true))
      return func.emitOpError("argument ") << argument.getArgNumber() << " of type " << argument.getType()
                                           << " has elements without a form in SPIR-V";
  WalkResult walked = func.walk([&](Operation *op) {
    for (Type type :
         llvm::concat<Type>(llvm::to_vector(op->getOperandTypes()), llvm::to_vector(op->getResultTypes()))) {
      auto buffer = dyn_cast<MemRefType>(type);
      if (auto fragment = dyn_cast<uop::FragmentType>(type))
        type = fragment.getScalar();
      if (note(buffer ? buffer.getElementType() : type, bool(buffer)))
        continue;
      op->emitOpError("has a value of type ") << type << ", which has no form in SPIR-V; expected a scalar";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

/// Leaves the device no choice about roundings.
void forbidContraction(spirv::FuncOp kernel) {
  kernel.walk([](Operation *op) {
    if (isa<spirv::FAddOp, spirv::FSubOp, spirv::FMulOp, spirv::FDivOp, spirv::FNegateOp>(op))
      op->setAttr("no_contraction", UnitAttr::get(op->getContext()));
  });
}

/// Matrices want a version of Vulkan 1.3's, all else one of 1.2's.
spirv::TargetEnvAttr describeDevice(MLIRContext *context, ArrayRef<Capability> capabilities) {
  bool hasMatrices = llvm::is_contained(capabilities, Capability::CooperativeMatrixKHR);
  SmallVector<spirv::Extension> extensions;
  if (hasMatrices)
    extensions.push_back(spirv::Extension::SPV_KHR_cooperative_matrix);
  auto triple = spirv::VerCapExtAttr::get(hasMatrices ? spirv::Version::V_1_6 : spirv::Version::V_1_5, capabilities,
                                          extensions, context);
  return spirv::TargetEnvAttr::get(triple, spirv::getDefaultResourceLimits(context), spirv::ClientAPI::Vulkan);
}

/// Converts what the worker left.
LogicalResult convertRest(spirv::FuncOp kernel, bool hasWideIndices, spirv::TargetEnvAttr device) {
  SPIRVConversionOptions options;
  options.use64bitIndex = hasWideIndices;
  options.emulateLT32BitScalarTypes = false;
  SPIRVTypeConverter types(device, options);
  // What is only moved.
  types.addConversion([](FloatType type) -> std::optional<Type> {
    Type stored = spirv_lowering::getStorageType(type);
    return stored && stored != type ? std::optional(stored) : std::nullopt;
  });
  RewritePatternSet patterns(kernel.getContext());
  ScfToSPIRVContext loops;
  arith::populateArithToSPIRVPatterns(types, patterns);
  populateMathToSPIRVPatterns(types, patterns);
  populateSCFToSPIRVPatterns(types, loops, patterns);
  ub::populateUBToSPIRVConversionPatterns(types, patterns);
  populateVectorToSPIRVPatterns(types, patterns);
  std::unique_ptr<SPIRVConversionTarget> target = SPIRVConversionTarget::get(device);
  return applyFullConversion(kernel, *target, std::move(patterns));
}

class ConvertUOpToSPIRV : public impl::ConvertUOpToSPIRVBase<ConvertUOpToSPIRV> {
public:
  LogicalResult convert() {
    auto kernels = llvm::to_vector(getOperation().getOps<uop::FuncOp>());
    if (kernels.empty())
      return success();
    OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
    bool hasVulkanModel = llvm::any_of(kernels, spirv_lowering::hasMatrices);
    auto module = spirv::ModuleOp::create(builder, getOperation().getLoc(), spirv::AddressingModel::Logical,
                                          hasVulkanModel ? spirv::MemoryModel::Vulkan : spirv::MemoryModel::GLSL450);
    // Functions come first: they are found by their names, which no variable may take.
    SmallVector<spirv::FuncOp> targets;
    builder.setInsertionPointToStart(module.getBody());
    for (uop::FuncOp func : kernels)
      targets.push_back(
          spirv::FuncOp::create(builder, func.getLoc(), func.getSymName(), builder.getFunctionType({}, {})));
    llvm::SetVector<Capability> all;
    all.insert(Capability::Shader);
    for (auto [func, target] : llvm::zip_equal(kernels, targets)) {
      FailureOr<uop::GridPlan> grid =
          checkKernel(func, {"Vulkan", /*hasWorkgroups=*/true, /*dialect=*/"", /*hasFragments=*/true});
      if (failed(grid))
        return failure();
      FailureOr<kernel::EntryAttr> entry = uop::getCheckedEntry(func, *grid);
      spirv_lowering::expandOps(func);
      llvm::SetVector<Capability> own;
      own.insert(Capability::Shader);
      if (hasVulkanModel)
        own.insert(Capability::VulkanMemoryModel);
      if (failed(entry) || failed(uop::checkLimits(func, *entry, kLeastLimits)) ||
          failed(spirv_lowering::holdDeviceTypes(func)) || failed(spirv_lowering::checkParallel(func, own)) ||
          failed(checkValues(func, own)))
        return failure();
      bool hasWideIndices = spirv_lowering::getIndexBits(func) == 64;
      if (hasWideIndices)
        own.insert(Capability::Int64);
      spirv_lowering::KernelLowering(func, *grid, *entry, target, hasVulkanModel).run();
      if (failed(convertRest(target, hasWideIndices, describeDevice(&getContext(), own.getArrayRef()))))
        return failure();
      forbidContraction(target);
      all.insert_range(own);
    }
    module.setVceTripleAttr(describeDevice(&getContext(), all.getArrayRef()).getTripleAttr());
    return success();
  }

  void runOnOperation() override {
    if (failed(convert()))
      signalPassFailure();
  }
};

} // namespace
} // namespace tiny
