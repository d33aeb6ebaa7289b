// Tensors in host memory: element types, numbers, and the elements of constant attributes.
#include "Tiny/Support/HostTensor.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;

namespace tiny {

HostTensor HostTensor::zeros(tiny_dtype dtype, ArrayRef<int64_t> shape) {
  HostTensor tensor;
  tensor.dtype = dtype;
  tensor.shape.assign(shape.begin(), shape.end());
  std::optional<int64_t> count = countElements(shape, tiny_dtype_size(dtype));
  assert(count && "the caller checks the shape");
  tensor.bytes.resize(static_cast<size_t>(*count) * tiny_dtype_size(dtype));
  return tensor;
}

int64_t HostTensor::size() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

/// The bits of an element, in the low end.
static uint64_t getBits(const HostTensor &tensor, int64_t index) {
  uint64_t width = tiny_dtype_size(tensor.dtype), bits = 0;
  const char *from = tensor.bytes.data() + index * width;
  // Shorter ones by their own type, so that either byte order will do.
  switch (width) {
  case 1:
    return static_cast<uint8_t>(*from);
  case 2:
    return tensor.data<uint16_t>()[index];
  case 4:
    return tensor.data<uint32_t>()[index];
  default:
    std::memcpy(&bits, from, sizeof(bits));
    return bits;
  }
}

static bool isUnsigned(tiny_dtype dtype) {
  return llvm::is_contained({TINY_DTYPE_I1, TINY_DTYPE_U8, TINY_DTYPE_U16, TINY_DTYPE_U32, TINY_DTYPE_U64}, dtype);
}

int64_t HostTensor::getInteger(int64_t index) const {
  uint64_t bits = getBits(*this, index);
  return isUnsigned(dtype) ? static_cast<int64_t>(bits) : llvm::SignExtend64(bits, 8 * tiny_dtype_size(dtype));
}

double HostTensor::getNumber(int64_t index) const {
  if (dtype == TINY_DTYPE_F32)
    return data<float>()[index];
  if (dtype == TINY_DTYPE_F64)
    return data<double>()[index];
  if (dtype == TINY_DTYPE_U64)
    return static_cast<double>(getBits(*this, index));
  const llvm::fltSemantics *format = getFloatFormat(dtype);
  if (!format)
    return static_cast<double>(getInteger(index));
  llvm::APFloat number(*format, llvm::APInt(8 * tiny_dtype_size(dtype), getBits(*this, index)));
  bool inexact;
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &inexact);
  return number.convertToDouble();
}

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

std::optional<HostTensor> HostTensor::fromAttr(ElementsAttr attr) {
  auto type = dyn_cast<ShapedType>(attr.getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  std::optional<tiny_dtype> dtype = getDtype(type.getElementType());
  if (!dtype || !countElements(type.getShape(), tiny_dtype_size(*dtype)))
    return std::nullopt;
  HostTensor tensor = zeros(*dtype, type.getShape());

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

StringRef getDtypeName(tiny_dtype dtype) {
  switch (dtype) {
  case TINY_DTYPE_I1:
    return "i1";
  case TINY_DTYPE_I8:
    return "i8";
  case TINY_DTYPE_I16:
    return "i16";
  case TINY_DTYPE_I32:
    return "i32";
  case TINY_DTYPE_I64:
    return "i64";
  case TINY_DTYPE_U8:
    return "ui8";
  case TINY_DTYPE_U16:
    return "ui16";
  case TINY_DTYPE_U32:
    return "ui32";
  case TINY_DTYPE_U64:
    return "ui64";
  case TINY_DTYPE_F16:
    return "f16";
  case TINY_DTYPE_BF16:
    return "bf16";
  case TINY_DTYPE_F32:
    return "f32";
  case TINY_DTYPE_F64:
    return "f64";
  case TINY_DTYPE_F8E4M3FN:
    return "f8E4M3FN";
  case TINY_DTYPE_F8E5M2:
    return "f8E5M2";
  }
  return "unknown";
}

std::optional<int64_t> countElements(ArrayRef<int64_t> shape, uint64_t elementBytes) {
  constexpr uint64_t limit = uint64_t(1) << 62;
  // A zero extent does not excuse the others: a shape whose strides overflow is refused too.
  uint64_t total = std::max<uint64_t>(elementBytes, 1);
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    if (extent == 0) {
      empty = true;
      continue;
    }
    bool overflow = false;
    total = llvm::SaturatingMultiply(total, static_cast<uint64_t>(extent), &overflow);
    if (overflow || total > limit)
      return std::nullopt;
  }
  return empty ? 0 : static_cast<int64_t>(total / std::max<uint64_t>(elementBytes, 1));
}

} // namespace tiny
