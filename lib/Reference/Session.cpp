// Buffers of the interpreter: allocation within the limits, constants, and conversion from and to host tensors.
#include "Session.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace tiny::reference {

FailureOr<Buffer> allocate(Session &session, ScalarType type, int64_t count, Location location, bool tracked) {
  if (count < 0 || static_cast<uint64_t>(count) > session.options.maxBytes ||
      (session.bytes += static_cast<uint64_t>(count) * type.bytes()) > session.options.maxBytes)
    return session.fail(Session::Kind::Limit, location,
                        "evaluation takes more than " + Twine(session.options.maxBytes) + " bytes");
  Buffer buffer{std::make_shared<Memory>(), 0, count};
  buffer.memory->type = type;
  buffer.memory->bytes.resize(static_cast<size_t>(count) * type.bytes());
  if (tracked)
    buffer.memory->written.resize(count);
  return buffer;
}

FailureOr<Buffer> readConstant(Session &session, ElementsAttr attr, Location location) {
  std::optional<ScalarType> type = getScalarType(attr.getElementType());
  int64_t count = attr.getNumElements();
  if (!type)
    return session.fail(Session::Kind::Unsupported, location, "the interpreter does not know this constant's type");
  FailureOr<Buffer> buffer = allocate(session, *type, count, location);
  if (failed(buffer))
    return failure();
  if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(attr); dense && dense.getElementType().isIndex()) {
    int64_t at = 0;
    for (const APInt &value : dense.getValues<APInt>())
      buffer->store(at++, makeInt(value.getSExtValue()));
    return buffer;
  }
  std::optional<HostTensor> tensor = tiny::readConstant(attr);
  if (!tensor)
    return session.fail(Session::Kind::Unsupported, location, "the interpreter cannot read this constant");
  buffer->memory->bytes = std::move(tensor->bytes);
  return buffer;
}

FailureOr<Buffer> fromHost(Session &session, const HostTensor &tensor, Type element, Location location) {
  std::optional<ScalarType> type = getScalarType(element);
  if (!type || type->bytes() != tiny_dtype_size(tensor.dtype))
    return session.fail(Session::Kind::Unsupported, location, "the interpreter does not know this argument's type");
  FailureOr<Buffer> buffer = allocate(session, *type, tensor.size(), location);
  if (succeeded(buffer))
    buffer->memory->bytes = tensor.bytes;
  return buffer;
}

FailureOr<HostTensor> toHost(Session &session, const Buffer &buffer, RankedTensorType type, Location location) {
  std::optional<tiny_dtype> dtype = getDtype(type.getElementType());
  if (!dtype || tiny_dtype_size(*dtype) != buffer.type().bytes())
    return session.fail(Session::Kind::Unsupported, location, "the interpreter does not know this result's type");
  if (countElements(type.getShape()) != buffer.count)
    return session.fail(Session::Kind::Undefined, location,
                        "a result of " + Twine(buffer.count) + " elements does not have its stated shape");
  HostTensor tensor;
  tensor.dtype = *dtype;
  tensor.shape.assign(type.getShape().begin(), type.getShape().end());
  for (int64_t k = 0; k < buffer.count; ++k)
    if (!buffer.isWritten(k))
      return session.fail(Session::Kind::Undefined, location, "element " + Twine(k) + " of a result is never written");
  auto begin = buffer.memory->bytes.begin() + buffer.offset * buffer.type().bytes();
  tensor.bytes.assign(begin, begin + buffer.count * buffer.type().bytes());
  return tensor;
}

} // namespace tiny::reference
