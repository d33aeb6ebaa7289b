// GGUF files: metadata as Python's own values, tensors in the file's memory.
#include "Module.h"

#include "Tiny/Files/Gguf.h"

namespace tiny::python {

static nb::object toObject(const files::GgufValue &value) {
  return std::visit(
      [](const auto &held) -> nb::object {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::vector<files::GgufValue>>) {
          nb::list list;
          for (const files::GgufValue &item : held)
            list.append(toObject(item));
          return list;
        } else if constexpr (std::is_same_v<Held, std::string>) {
          // A file may hold any bytes.
          return nb::steal(PyUnicode_DecodeUTF8(held.data(), Py_ssize_t(held.size()), "replace"));
        } else {
          return nb::cast(held);
        }
      },
      value.value);
}

void bindGguf(nb::module_ &module) {
  module.def("_load_gguf", [](const std::string &path) {
    files::Result<files::GgufFile> file = unlocked([&] { return files::readGguf(path); });
    if (!file)
      throw Error(file.message());
    nb::dict metadata;
    for (const auto &[key, value] : file->metadata)
      metadata[nb::str(key.c_str(), key.size())] = toObject(value);
    nb::list tensors;
    for (files::GgufTensor &tensor : file->tensors)
      tensors.append(nb::make_tuple(nb::str(tensor.name.c_str(), tensor.name.size()), tensor.type,
                                    nb::tuple(nb::cast(tensor.shape)), Tensor(std::move(tensor.tensor))));
    return nb::make_tuple(metadata, tensors);
  });
}

} // namespace tiny::python
