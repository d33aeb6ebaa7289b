// Arrays of the tensor-level interpreter: elements with a sign, index tuples, broadcasting.
#include "Array.h"

using namespace mlir;

namespace tiny::reference {

std::optional<Element> getElement(Type type) {
  std::optional<ScalarType> scalar = getScalarType(type);
  if (!scalar)
    return std::nullopt;
  return Element{*scalar, getElementTypeOrSelf(type).isUnsignedInteger()};
}

double asDouble(Scalar value, Element type) {
  return type.isFloat() ? value.f : static_cast<double>(asWide(value, type));
}

Wide asWide(Scalar value, Element type) {
  return type.isUnsigned || type.isBool() ? static_cast<Wide>(zeroExtend(value.i, type.scalar.width)) : value.i;
}

Scalar fromDouble(double value, Element type) {
  if (type.isFloat())
    return makeFloat(roundTo(type.scalar.format, value));
  if (type.isBool())
    return makeInt(value != 0 ? -1 : 0);
  return makeInt(wrapInt(floatToInt(value, type.scalar.width, !type.isUnsigned), type.scalar.width));
}

Scalar fromWide(Wide value, Element type) {
  if (type.isFloat())
    return makeFloat(roundTo(type.scalar.format, static_cast<double>(value)));
  return makeInt(wrapInt(static_cast<int64_t>(value), type.scalar.width));
}

Scalar convert(Scalar value, Element from, Element to) {
  if (from == to)
    return value; // all bits of a NaN, too
  if (from.isFloat())
    return fromDouble(value.f, to);
  Wide number = asWide(value, from);
  if (to.isFloat())
    return makeFloat(intToFloat(to.scalar.format, static_cast<int64_t>(number), number < 0));
  return to.isBool() ? makeInt(number != 0 ? -1 : 0) : fromWide(number, to);
}

FailureOr<Array> makeArray(Session &session, Type type, Location location) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::optional<Element> element = tensor ? getElement(tensor) : std::nullopt;
  std::optional<int64_t> count = tensor && tensor.hasStaticShape() ? countElements(tensor.getShape()) : std::nullopt;
  if (!element || !count)
    return session.fail(Session::Kind::Unsupported, location, "the interpreter does not know this type");
  // Counted as the scalars it is held in.
  if (static_cast<uint64_t>(*count) > session.options.maxBytes ||
      (session.bytes += static_cast<uint64_t>(*count) * sizeof(Scalar)) > session.options.maxBytes)
    return session.fail(Session::Kind::Limit, location,
                        "evaluation takes more than " + Twine(session.options.maxBytes) + " bytes");
  if (failed(session.step(*count, location)))
    return failure();
  Array array;
  array.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  array.type = *element;
  array.values.assign(*count, makeInt(0));
  return array;
}

Array convertArray(Array array, Element to) {
  for (Scalar &value : array.values)
    value = convert(value, array.type, to);
  array.type = to;
  return array;
}

int64_t toLinear(ArrayRef<int64_t> shape, ArrayRef<int64_t> indices) {
  int64_t position = 0;
  for (auto [extent, index] : llvm::zip_equal(shape, indices))
    position = position * extent + index;
  return position;
}

void forEachIndex(ArrayRef<int64_t> shape, function_ref<void(int64_t, ArrayRef<int64_t>)> visit) {
  if (llvm::is_contained(shape, 0))
    return;
  SmallVector<int64_t> indices(shape.size(), 0);
  for (int64_t position = 0;; ++position) {
    visit(position, indices);
    size_t axis = shape.size();
    while (axis > 0 && ++indices[axis - 1] == shape[axis - 1])
      indices[--axis] = 0;
    if (axis == 0)
      return;
  }
}

int64_t broadcastIndex(ArrayRef<int64_t> from, ArrayRef<int64_t> indices) {
  int64_t position = 0;
  ArrayRef<int64_t> inner = indices.take_back(from.size());
  for (auto [extent, index] : llvm::zip_equal(from, inner))
    position = position * extent + (extent == 1 ? 0 : index);
  return position;
}

} // namespace tiny::reference
