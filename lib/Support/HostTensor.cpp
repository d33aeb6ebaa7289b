// Element types of MLIR as those of files and the runtime, and the elements of constant attributes.
#include "Tiny/Support/HostTensor.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include <cstring>

using namespace mlir;

namespace tiny {

const llvm::fltSemantics *getFloatFormat(tiny_dtype dtype) {
  switch (dtype) {
  case TINY_DTYPE_F64:
    return &llvm::APFloat::IEEEdouble();
  case TINY_DTYPE_F32:
    return &llvm::APFloat::IEEEsingle();
  case TINY_DTYPE_F16:
    return &llvm::APFloat::IEEEhalf();
  case TINY_DTYPE_BF16:
    return &llvm::APFloat::BFloat();
  case TINY_DTYPE_F8E4M3FN:
    return &llvm::APFloat::Float8E4M3FN();
  case TINY_DTYPE_F8E5M2:
    return &llvm::APFloat::Float8E5M2();
  default:
    return nullptr;
  }
}

/// The elements of an attribute that stores them as bytes, `count` of them or one for a splat.
static bool copyElements(HostTensor &tensor, ArrayRef<char> raw, bool splat) {
  uint64_t width = tiny_dtype_size(tensor.dtype);
  if (!splat) {
    if (raw.size() != tensor.bytes.size())
      return false;
    if (!raw.empty())
      std::memcpy(tensor.bytes.data(), raw.data(), raw.size());
    return true;
  }
  if (raw.size() < width)
    return false;
  for (size_t at = 0; at < tensor.bytes.size(); at += width)
    std::memcpy(tensor.bytes.data() + at, raw.data(), width);
  return true;
}

DenseElementsAttr makeConstant(MLIRContext *context, const HostTensor &tensor) {
  auto type = RankedTensorType::get(tensor.shape, getElementType(context, tensor.dtype));
  if (tensor.dtype == TINY_DTYPE_I1)
    return DenseElementsAttr::get(type, SmallVector<bool>(tensor.bytes.begin(), tensor.bytes.end()));
  return DenseElementsAttr::getFromRawBuffer(type, ArrayRef<char>(tensor.bytes.data(), tensor.bytes.size()));
}

std::optional<HostTensor> readConstant(ElementsAttr attr) {
  auto type = dyn_cast<ShapedType>(attr.getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  std::optional<tiny_dtype> dtype = getDtype(type.getElementType());
  if (!dtype || !countElements(type.getShape(), tiny_dtype_size(*dtype)))
    return std::nullopt;
  HostTensor tensor = HostTensor::zeros(*dtype, type.getShape());

  if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(attr)) {
    // How i1 is stored has changed between releases: read it by value.
    if (*dtype == TINY_DTYPE_I1) {
      if (dense.isSplat()) {
        std::fill(tensor.bytes.begin(), tensor.bytes.end(), dense.getSplatValue<bool>() ? 1 : 0);
      } else {
        size_t at = 0;
        for (bool bit : dense.getValues<bool>())
          tensor.bytes[at++] = bit ? 1 : 0;
      }
      return tensor;
    }
    if (!copyElements(tensor, dense.getRawData(), dense.isSplat()))
      return std::nullopt;
    return tensor;
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || !copyElements(tensor, blob->getData(), /*splat=*/false))
      return std::nullopt;
    if (*dtype == TINY_DTYPE_I1)
      for (char &byte : tensor.bytes)
        byte = byte ? 1 : 0;
    return tensor;
  }
  return std::nullopt;
}

std::optional<tiny_dtype> getDtype(Type element) {
  if (auto integer = dyn_cast<IntegerType>(element)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return integer.isSignless() ? std::optional(TINY_DTYPE_I1) : std::nullopt;
    case 8:
      return isUnsigned ? TINY_DTYPE_U8 : TINY_DTYPE_I8;
    case 16:
      return isUnsigned ? TINY_DTYPE_U16 : TINY_DTYPE_I16;
    case 32:
      return isUnsigned ? TINY_DTYPE_U32 : TINY_DTYPE_I32;
    case 64:
      return isUnsigned ? TINY_DTYPE_U64 : TINY_DTYPE_I64;
    default:
      return std::nullopt;
    }
  }
  if (element.isF16())
    return TINY_DTYPE_F16;
  if (element.isBF16())
    return TINY_DTYPE_BF16;
  if (element.isF32())
    return TINY_DTYPE_F32;
  if (element.isF64())
    return TINY_DTYPE_F64;
  if (isa<Float8E4M3FNType>(element))
    return TINY_DTYPE_F8E4M3FN;
  if (isa<Float8E5M2Type>(element))
    return TINY_DTYPE_F8E5M2;
  return std::nullopt;
}

Type getElementType(MLIRContext *context, tiny_dtype dtype) {
  switch (dtype) {
  case TINY_DTYPE_I1:
    return IntegerType::get(context, 1);
  case TINY_DTYPE_I8:
  case TINY_DTYPE_I16:
  case TINY_DTYPE_I32:
  case TINY_DTYPE_I64:
    return IntegerType::get(context, 8 * tiny_dtype_size(dtype));
  case TINY_DTYPE_U8:
  case TINY_DTYPE_U16:
  case TINY_DTYPE_U32:
  case TINY_DTYPE_U64:
    return IntegerType::get(context, 8 * tiny_dtype_size(dtype), IntegerType::Unsigned);
  case TINY_DTYPE_F16:
    return Float16Type::get(context);
  case TINY_DTYPE_BF16:
    return BFloat16Type::get(context);
  case TINY_DTYPE_F32:
    return Float32Type::get(context);
  case TINY_DTYPE_F64:
    return Float64Type::get(context);
  case TINY_DTYPE_F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case TINY_DTYPE_F8E5M2:
    return Float8E5M2Type::get(context);
  }
  llvm_unreachable("not an element type");
}

} // namespace tiny
