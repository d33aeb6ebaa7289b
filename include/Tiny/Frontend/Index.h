// What chooses elements of a tensor: integers, slices, new axes, tensors of integers, and masks, as in NumPy.
#ifndef TINY_FRONTEND_INDEX_H
#define TINY_FRONTEND_INDEX_H

#include "Tiny/Frontend/Tensor.h"

#include <optional>
#include <variant>

namespace tiny {

/// One item between the brackets. Negative numbers count from the end, a slice's ends are cut to the axis. Tensors of
/// integers broadcast against each other, and their axes stand where the first of them does. A mask chooses where it
/// holds: `with` takes it lazily, `index` computes it at once, since the result's shape depends on it.
class Index {
public:
  struct Slice {
    std::optional<int64_t> begin, end, step;
  };
  struct NewAxis {};
  struct Ellipsis {};

  Index(int64_t number) : item(number) {}
  Index(int number) : item(int64_t(number)) {}
  Index(const Tensor &tensor) : item(tensor) {}
  static Index slice(std::optional<int64_t> begin = {}, std::optional<int64_t> end = {},
                     std::optional<int64_t> step = {}) {
    return Index(Slice{begin, end, step});
  }
  static Index newAxis() { return Index(NewAxis{}); }
  static Index ellipsis() { return Index(Ellipsis{}); }

  template <typename T> const T *get() const { return std::get_if<T>(&item); }

private:
  using Item = std::variant<int64_t, Slice, NewAxis, Ellipsis, Tensor>;
  explicit Index(Item item) : item(std::move(item)) {}

  Item item;
};

} // namespace tiny

#endif // TINY_FRONTEND_INDEX_H
