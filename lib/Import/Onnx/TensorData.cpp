// Reads the elements of ONNX tensors, and makes constants of them.
#include "TensorData.h"
#include "ModelBytes.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/SwapByteOrder.h"
#include <cstring>

using namespace mlir;

namespace tiny::onnximport {

// Newer than the packaged schema.
constexpr int32_t kFloat8E4M3FN = 17, kFloat8E5M2 = 19, kUint4 = 21, kInt4 = 22;

bool isFourBit(int32_t dataType) { return dataType == kUint4 || dataType == kInt4; }

Type getElementType(MLIRContext *context, int32_t dataType) {
  using Proto = onnx::TensorProto;
  switch (dataType) {
  case Proto::FLOAT:
    return Float32Type::get(context);
  case Proto::DOUBLE:
    return Float64Type::get(context);
  case Proto::FLOAT16:
    return Float16Type::get(context);
  case Proto::BFLOAT16:
    return BFloat16Type::get(context);
  case kFloat8E4M3FN:
    return Float8E4M3FNType::get(context);
  case kFloat8E5M2:
    return Float8E5M2Type::get(context);
  case Proto::BOOL:
    return IntegerType::get(context, 1);
  case Proto::INT8:
    return IntegerType::get(context, 8);
  case Proto::INT16:
    return IntegerType::get(context, 16);
  case Proto::INT32:
    return IntegerType::get(context, 32);
  case Proto::INT64:
    return IntegerType::get(context, 64);
  case Proto::UINT8:
    return IntegerType::get(context, 8, IntegerType::Unsigned);
  case Proto::UINT16:
    return IntegerType::get(context, 16, IntegerType::Unsigned);
  case Proto::UINT32:
    return IntegerType::get(context, 32, IntegerType::Unsigned);
  case Proto::UINT64:
    return IntegerType::get(context, 64, IntegerType::Unsigned);
  default:
    return nullptr;
  }
}

std::string getDataTypeName(int32_t dataType) {
  if (onnx::TensorProto_DataType_IsValid(dataType))
    return StringRef(onnx::TensorProto_DataType_Name(onnx::TensorProto_DataType(dataType))).lower();
  return std::to_string(dataType);
}

/// Copies one repeated field, whose numbers are at least as wide as the elements, to elements of type T.
template <typename T, typename Field> static bool copyField(HostTensor &tensor, const Field &field) {
  if (field.size() != tensor.size())
    return false;
  T *element = tensor.data<T>();
  for (auto value : field)
    *element++ = static_cast<T>(value);
  return true;
}

/// Reads the field that the schema prescribes for the element type. False when it has another number of elements.
static bool copyTypedField(HostTensor &tensor, const onnx::TensorProto &proto) {
  switch (tensor.dtype) {
  case TINY_DTYPE_F32:
    return copyField<float>(tensor, proto.float_data());
  case TINY_DTYPE_F64:
    return copyField<double>(tensor, proto.double_data());
  case TINY_DTYPE_I64:
    return copyField<int64_t>(tensor, proto.int64_data());
  case TINY_DTYPE_U64:
    return copyField<uint64_t>(tensor, proto.uint64_data());
  case TINY_DTYPE_U32:
    return copyField<uint32_t>(tensor, proto.uint64_data());
  case TINY_DTYPE_I32:
    return copyField<int32_t>(tensor, proto.int32_data());
  case TINY_DTYPE_I16:
  case TINY_DTYPE_U16:
  case TINY_DTYPE_F16:
  case TINY_DTYPE_BF16:
    return copyField<uint16_t>(tensor, proto.int32_data());
  case TINY_DTYPE_I1:
  case TINY_DTYPE_I8:
  case TINY_DTYPE_U8:
  case TINY_DTYPE_F8E4M3FN:
  case TINY_DTYPE_F8E5M2:
    return copyField<uint8_t>(tensor, proto.int32_data());
  }
  return false;
}

/// A constant over the elements where they lie, if they are in a mapped file; else of a copy.
static ElementsAttr makeElements(RankedTensorType type, StringRef raw, StringRef name) {
  ArrayRef<char> bytes(raw.data(), raw.size());
  if (raw.size() <= kLargestInlineConstant)
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  std::optional<FileRange> range = findFileRange(raw);
  return DenseResourceElementsAttr::get(type, name.empty() ? "constant" : name,
                                        range ? range->file->makeBlob(raw)
                                              : HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, /*align=*/64));
}

/// Two elements in a byte, the first in its low half, as a byte each.
static ElementsAttr readFourBits(MLIRContext *context, const onnx::TensorProto &proto, DataFiles &files,
                                 EmitError emitError) {
  bool isSigned = proto.data_type() == kInt4;
  HostTensor tensor;
  tensor.dtype = isSigned ? TINY_DTYPE_I8 : TINY_DTYPE_U8;
  tensor.shape.assign(proto.dims().begin(), proto.dims().end());
  std::optional<int64_t> count = countElements(tensor.shape, 1);
  if (!count) {
    emitError() << "the size of its shape overflows";
    return nullptr;
  }
  uint64_t packed = (uint64_t(*count) + 1) / 2;
  bool isElsewhere = proto.data_location() == onnx::TensorProto::EXTERNAL;
  std::optional<StringRef> raw =
      isElsewhere ? files.find(proto, packed, emitError) : std::optional<StringRef>(proto.raw_data());
  if (!raw)
    return nullptr;
  // One number of the typed field has one byte.
  std::string bytes(proto.int32_data().begin(), proto.int32_data().end());
  if (!isElsewhere && !proto.has_raw_data())
    raw = bytes;
  if (raw->size() != packed) {
    emitError() << "got " << raw->size() << " bytes of elements, expected " << packed;
    return nullptr;
  }
  tensor.bytes.resize(size_t(*count));
  for (int64_t k = 0; k < *count; ++k) {
    int half = (uint8_t((*raw)[size_t(k / 2)]) >> (k % 2 * 4)) & 15;
    tensor.bytes[size_t(k)] = char(isSigned && half >= 8 ? half - 16 : half);
  }
  return makeElements(context, tensor, proto.name());
}

ElementsAttr readTensor(MLIRContext *context, const onnx::TensorProto &proto, DataFiles &files, EmitError emitError) {
  if (isFourBit(proto.data_type()) && !proto.has_segment())
    return readFourBits(context, proto, files, emitError);
  Type element = getElementType(context, proto.data_type());
  if (!element) {
    emitError() << "element type " << getDataTypeName(proto.data_type()) << " is not supported";
    return nullptr;
  }
  if (proto.has_segment()) {
    emitError() << "tensors in segments are not supported";
    return nullptr;
  }

  HostTensor tensor;
  tensor.dtype = *getDtype(element);
  tensor.shape.assign(proto.dims().begin(), proto.dims().end());
  uint64_t width = tiny_dtype_size(tensor.dtype);
  std::optional<int64_t> count = countElements(tensor.shape, width);
  if (!count) {
    emitError() << "the size of its shape overflows";
    return nullptr;
  }
  // Nothing is allocated before the message is known to hold that many elements.
  uint64_t expected = uint64_t(*count) * width;
  bool isElsewhere = proto.data_location() == onnx::TensorProto::EXTERNAL;
  if (isElsewhere || proto.has_raw_data()) {
    std::optional<StringRef> raw = isElsewhere ? files.find(proto, expected, emitError) : StringRef(proto.raw_data());
    if (!raw)
      return nullptr;
    if (raw->size() != expected) {
      emitError() << "got " << raw->size() << " bytes of elements, expected " << expected;
      return nullptr;
    }
    if (tensor.dtype != TINY_DTYPE_I1 && llvm::sys::IsLittleEndianHost)
      return makeElements(RankedTensorType::get(tensor.shape, element), *raw, proto.name());
    tensor.bytes.assign(raw->begin(), raw->end());
    if (llvm::sys::IsBigEndianHost)
      for (uint64_t at = 0; at < expected; at += width)
        std::reverse(tensor.bytes.begin() + at, tensor.bytes.begin() + at + width);
  } else {
    int64_t present = std::max({proto.float_data_size(), proto.double_data_size(), proto.int32_data_size(),
                                proto.int64_data_size(), proto.uint64_data_size()});
    if (present == *count)
      tensor.bytes.resize(expected);
    if (present != *count || !copyTypedField(tensor, proto)) {
      emitError() << "got " << present << " elements, expected " << *count << " of type "
                  << getDataTypeName(proto.data_type());
      return nullptr;
    }
  }
  if (tensor.dtype == TINY_DTYPE_I1)
    for (char &byte : tensor.bytes)
      byte = byte != 0;
  return makeElements(context, tensor, proto.name());
}

/// The place of element `k` in row-major order, from its coordinates or its place; none where it is out of range.
static std::optional<int64_t> findPlace(const HostTensor &indices, ArrayRef<int64_t> shape, int64_t count, int64_t k) {
  int64_t place = 0;
  if (indices.shape.size() == 1) {
    place = indices.getInteger(k);
    return place >= 0 && place < count ? std::optional(place) : std::nullopt;
  }
  for (auto [axis, size] : llvm::enumerate(shape)) {
    int64_t at = indices.getInteger(k * int64_t(shape.size()) + int64_t(axis));
    if (at < 0 || at >= size)
      return std::nullopt;
    place = place * size + at;
  }
  return place;
}

ElementsAttr readSparseTensor(MLIRContext *context, const onnx::SparseTensorProto &proto, DataFiles &files,
                              EmitError emitError) {
  // A file may claim any size with few elements.
  constexpr int64_t kLargestSparse = int64_t(1) << 28;
  ElementsAttr values = readTensor(context, proto.values(), files, emitError);
  ElementsAttr places = values ? readTensor(context, proto.indices(), files, emitError) : nullptr;
  if (!places)
    return nullptr;
  std::optional<HostTensor> elements = readConstant(values), indices = readConstant(places);
  HostTensor tensor;
  tensor.dtype = elements->dtype;
  tensor.shape.assign(proto.dims().begin(), proto.dims().end());
  int64_t width = int64_t(tiny_dtype_size(tensor.dtype)), rank = int64_t(tensor.shape.size());
  std::optional<int64_t> count = countElements(tensor.shape, uint64_t(width));
  if (!count || *count * width > kLargestSparse) {
    emitError() << "the size of a sparse tensor passes " << kLargestSparse << " bytes";
    return nullptr;
  }
  int64_t given = elements->size();
  if (indices->dtype != TINY_DTYPE_I64 || elements->shape.size() != 1 ||
      (indices->shape != std::vector<int64_t>{given} && indices->shape != std::vector<int64_t>{given, rank})) {
    emitError() << "expected a list of elements, and a place or coordinates for each";
    return nullptr;
  }
  tensor.bytes.resize(size_t(*count * width));
  std::fill(tensor.bytes.begin(), tensor.bytes.end(), 0);
  for (int64_t k = 0; k < given; ++k) {
    std::optional<int64_t> place = findPlace(*indices, tensor.shape, *count, k);
    if (!place) {
      emitError() << "the place of element " << k << " is out of range";
      return nullptr;
    }
    std::copy_n(elements->bytes.begin() + k * width, width, tensor.bytes.begin() + *place * width);
  }
  return makeElements(context, tensor, proto.values().name());
}

ElementsAttr makeElements(MLIRContext *context, const HostTensor &tensor, StringRef name) {
  if (tensor.dtype == TINY_DTYPE_I1)
    return makeConstant(context, tensor);
  auto type = RankedTensorType::get(tensor.shape, tiny::getElementType(context, tensor.dtype));
  return makeElements(type, StringRef(tensor.bytes.data(), tensor.bytes.size()), name);
}

} // namespace tiny::onnximport
