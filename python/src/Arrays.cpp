// Arrays of NumPy and of others in and out. Memory is shared where that is asked for, by DLPack.
#include "Module.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <cstring>
#include <mutex>

namespace tiny::python {

namespace {

/// An element type, its names, and DLPack's for it.
struct DtypeRow {
  tiny_dtype dtype;
  const char *shortName, *name;
  nb::dlpack::dtype_code code;
  /// What DLPack has no name for has a code of another type.
  bool hasDlpack = true;
};

constexpr DtypeRow kDtypes[] = {
    {TINY_DTYPE_F64, "f64", "float64", nb::dlpack::dtype_code::Float},
    {TINY_DTYPE_F32, "f32", "float32", nb::dlpack::dtype_code::Float},
    {TINY_DTYPE_F16, "f16", "float16", nb::dlpack::dtype_code::Float},
    {TINY_DTYPE_BF16, "bf16", "bfloat16", nb::dlpack::dtype_code::Bfloat},
    {TINY_DTYPE_F8E4M3FN, "f8E4M3FN", "float8_e4m3fn", nb::dlpack::dtype_code::UInt, false},
    {TINY_DTYPE_F8E5M2, "f8E5M2", "float8_e5m2", nb::dlpack::dtype_code::UInt, false},
    {TINY_DTYPE_I64, "i64", "int64", nb::dlpack::dtype_code::Int},
    {TINY_DTYPE_I32, "i32", "int32", nb::dlpack::dtype_code::Int},
    {TINY_DTYPE_I16, "i16", "int16", nb::dlpack::dtype_code::Int},
    {TINY_DTYPE_I8, "i8", "int8", nb::dlpack::dtype_code::Int},
    {TINY_DTYPE_U64, "ui64", "uint64", nb::dlpack::dtype_code::UInt},
    {TINY_DTYPE_U32, "ui32", "uint32", nb::dlpack::dtype_code::UInt},
    {TINY_DTYPE_U16, "ui16", "uint16", nb::dlpack::dtype_code::UInt},
    {TINY_DTYPE_U8, "ui8", "uint8", nb::dlpack::dtype_code::UInt},
    {TINY_DTYPE_I1, "i1", "bool", nb::dlpack::dtype_code::Bool},
};

const DtypeRow &rowOf(tiny_dtype dtype) {
  for (const DtypeRow &row : kDtypes)
    if (row.dtype == dtype)
      return row;
  throw nb::type_error("no such element type");
}

/// Python's objects whose memory tensors had. They are let go with the interpreter's lock: whoever drops a tensor may
/// have other locks, and must not wait for that one.
class Releases {
public:
  void add(PyObject *object) {
    std::lock_guard<std::mutex> lock(mutex);
    objects.push_back(object);
  }
  void drain() {
    std::vector<PyObject *> now;
    {
      std::lock_guard<std::mutex> lock(mutex);
      now.swap(objects);
    }
    for (PyObject *object : now)
      Py_DECREF(object);
  }

private:
  std::mutex mutex;
  std::vector<PyObject *> objects;
};

Releases &releases() {
  static Releases *all = new Releases();
  return *all;
}

HostTensor copyArray(const nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu> &array, tiny_dtype dtype, Shape shape) {
  HostTensor host = HostTensor::zeros(dtype, std::move(shape));
  if (array.nbytes())
    std::memcpy(host.bytes.data(), array.data(), array.nbytes());
  return host;
}

/// The tensor's elements as an array over its memory, which keeps the tensor.
template <typename... Annotations> nb::ndarray<Annotations...> toArray(const Tensor &tensor) {
  Site site = findSite();
  const DtypeRow &row = rowOf(tensor.dtype());
  if (!row.hasDlpack)
    throw nb::type_error(
        (std::string("arrays have no elements of ") + row.name + ": convert with .to('float32')").c_str());
  const HostTensor &data = unlocked([&]() -> const HostTensor & { return tensor.data(site); });
  std::vector<size_t> shape(data.shape.begin(), data.shape.end());
  nb::capsule owner(new Tensor(tensor), [](void *kept) noexcept { delete static_cast<Tensor *>(kept); });
  nb::dlpack::dtype dtype;
  dtype.code = uint8_t(row.code);
  dtype.bits = uint8_t(tiny_dtype_size(row.dtype) * 8);
  dtype.lanes = 1;
  return nb::ndarray<Annotations...>(const_cast<char *>(data.bytes.data()), shape.size(), shape.data(), owner, nullptr,
                                     dtype, nb::device::cpu::value, 0);
}

} // namespace

std::optional<tiny_dtype> toDtype(nb::handle object) {
  if (object.is_none())
    return std::nullopt;
  if (nb::isinstance<tiny_dtype>(object))
    return nb::cast<tiny_dtype>(object);
  std::string name;
  if (nb::isinstance<nb::str>(object))
    name = nb::cast<std::string>(object);
  else if (object.is(nb::handle((PyObject *)&PyFloat_Type)))
    name = "float32";
  else if (object.is(nb::handle((PyObject *)&PyLong_Type)))
    name = "int64";
  else if (object.is(nb::handle((PyObject *)&PyBool_Type)))
    name = "bool";
  else if (nb::hasattr(object, "name")) // numpy.dtype
    name = nb::cast<std::string>(object.attr("name"));
  else if (nb::hasattr(object, "__name__")) // numpy.float32
    name = nb::cast<std::string>(object.attr("__name__"));
  for (const DtypeRow &row : kDtypes)
    if (name == row.name || name == row.shortName)
      return row.dtype;
  throw nb::type_error(("expects an element type such as tiny.float32, got " + nb::cast<std::string>(nb::repr(object)) +
                        "; of devices there is the processor alone: leave them out")
                           .c_str());
}

Tensor fromArray(nb::handle object, std::optional<tiny_dtype> dtype, bool share) {
  releases().drain();
  nb::object source = nb::borrow(object);
  bool isArray = nb::ndarray_check(object);
  if (!isArray) {
    // Numbers and lists, as PyTorch takes them: floats are f32, integers i64.
    nb::object numpy = nb::module_::import_("numpy");
    source = numpy.attr("asarray")(object);
    if (nb::cast<std::string>(source.attr("dtype").attr("name")) == "float64")
      source = source.attr("astype")("float32");
  }
  nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu> array;
  if (share && isArray) {
    if (!nb::try_cast(source, array, /*convert=*/false))
      throw nb::value_error("expects a row-major array in the processor's memory to share: Tensor(array) copies any");
  } else if (!nb::try_cast(source, array, /*convert=*/true)) {
    throw nb::type_error(
        ("expects numbers or an array of them, got " + nb::cast<std::string>(nb::repr(object))).c_str());
  }
  const DtypeRow *row = nullptr;
  for (const DtypeRow &candidate : kDtypes)
    if (candidate.hasDlpack && uint8_t(candidate.code) == array.dtype().code && array.dtype().lanes == 1 &&
        tiny_dtype_size(candidate.dtype) * 8 == array.dtype().bits)
      row = &candidate;
  if (!row)
    throw nb::type_error("expects elements of a type that tensors have, from bool to float64");
  Shape shape;
  for (size_t axis = 0; axis < array.ndim(); ++axis)
    shape.push_back(int64_t(array.shape(axis)));
  HostTensor host;
  if (share) {
    host.dtype = row->dtype;
    host.shape = std::move(shape);
    auto *kept = new nb::object(nb::cast(array));
    std::shared_ptr<char> memory(static_cast<char *>(const_cast<void *>(static_cast<const void *>(array.data()))),
                                 [object = kept->release().ptr()](char *) { releases().add(object); });
    delete kept;
    host.bytes = HostBytes(std::move(memory), array.nbytes());
  } else {
    host = copyArray(array, row->dtype, std::move(shape));
  }
  Tensor tensor(std::move(host));
  return dtype && *dtype != tensor.dtype() ? tensor.to(*dtype, findSite()) : tensor;
}

void bindArrays(nb::module_ &module, nb::class_<Tensor> &tensor) {
  auto dtypes = nb::enum_<tiny_dtype>(module, "dtype", "The type of a tensor's elements.");
  for (const DtypeRow &row : kDtypes)
    dtypes.value(row.name, row.dtype);
  for (const DtypeRow &row : kDtypes)
    module.attr(row.dtype == TINY_DTYPE_I1 ? "bool_" : row.name) = dtypes.attr(row.name);
  dtypes.def_prop_ro("itemsize", [](tiny_dtype dtype) { return tiny_dtype_size(dtype); }, "Bytes of an element.");

  tensor.def(
      "__init__",
      [](Tensor *self, nb::handle data, nb::handle dtype, const nb::kwargs &options) {
        checkOptions(options);
        if (nb::isinstance<Tensor>(data)) {
          const Tensor &other = *nb::inst_ptr<Tensor>(data);
          std::optional<tiny_dtype> wanted = toDtype(dtype);
          new (self) Tensor(wanted && *wanted != other.dtype() ? other.to(*wanted, findSite()) : other);
        } else {
          new (self) Tensor(fromArray(data, toDtype(dtype), /*share=*/false));
        }
      },
      nb::arg("data").none(), nb::arg("dtype") = nb::none(), nb::arg("options"),
      "Copies numbers, lists of them, or an array. Floats of Python are float32, integers int64.");
  module.def(
      "from_numpy", [](nb::handle array) { return fromArray(array, std::nullopt, /*share=*/true); }, nb::arg("array"),
      "A tensor in the array's own memory, which must be row-major: what is written there later, the tensor sees.");
  module.attr("from_dlpack") = module.attr("from_numpy");

  tensor.def(
      "numpy", [](const Tensor &self) { return toArray<nb::numpy, nb::ro>(self); },
      "The elements as a read-only array over the tensor's memory.");
  tensor.def(
      "__array__",
      [](const Tensor &self, nb::handle dtype, nb::handle copy) -> nb::object {
        nb::object array = nb::cast(toArray<nb::numpy, nb::ro>(self));
        if (!dtype.is_none())
          array = array.attr("astype")(dtype, nb::arg("copy") = false);
        return copy.is_none() || !nb::cast<bool>(copy) ? array : nb::object(array.attr("copy")());
      },
      nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none());
  tensor.def(
      "__dlpack__",
      [](const Tensor &self, const nb::kwargs &options) {
        return nb::cast(toArray<nb::array_api>(self)).attr("__dlpack__")(**options);
      },
      "The elements for another library, without a copy; it must not write them.");
  tensor.def("__dlpack_device__", [](const Tensor &) { return std::pair<int, int>(1, 0); });
  // Data only: loading runs no code. The elements' bytes, whatever their type is called elsewhere.
  tensor.def("__getstate__", [](const Tensor &self) {
    Site site = findSite();
    const HostTensor &data = unlocked([&]() -> const HostTensor & { return self.data(site); });
    return std::tuple(nb::bytes(data.bytes.data(), data.bytes.size()), data.shape, std::string(rowOf(data.dtype).name));
  });
  tensor.def("__setstate__", [](Tensor &self, const std::tuple<nb::bytes, Shape, std::string> &state) {
    const auto &[bytes, shape, name] = state;
    tiny_dtype dtype = *toDtype(nb::str(name.c_str()));
    std::optional<int64_t> count = countElements(shape.data(), shape.size(), tiny_dtype_size(dtype));
    if (!count || uint64_t(*count) * tiny_dtype_size(dtype) != bytes.size())
      throw nb::value_error("expects as many bytes as the tensor's elements have");
    HostTensor host = HostTensor::zeros(dtype, shape);
    std::memcpy(host.bytes.data(), bytes.c_str(), bytes.size());
    new (&self) Tensor(std::move(host));
  });
  // Arrays leave operators with tensors to tensors.
  tensor.attr("__array_ufunc__") = nb::none();
}

} // namespace tiny::python
