// Tensors that no file holds: what a person names in a file's place to try a program.
#ifndef TINY_FILES_RECIPE_H
#define TINY_FILES_RECIPE_H

#include "Tiny/Files/HostTensor.h"
#include "Tiny/Files/Result.h"

#include <string_view>

namespace tiny::files {

/// How the elements of a tensor are made.
struct Recipe {
  enum class Kind {
    /// Floats from -1 to 1 (1 excluded), integers from 0 to 15, truth values.
    Random,
    Zeros,
    /// 0, 1, 2 and so on, row by row; it starts again behind the last number up to which the type has all.
    Arange,
  } kind = Kind::Random;
  uint64_t seed = 0;
};

/// Reads `random`, `random:SEED`, `zeros` or `arange`. Any other text is the name of a file, and gives none; one that
/// begins with `random:` fails where no seed follows.
Result<std::optional<Recipe>> parseRecipe(std::string_view text);

/// Makes a tensor: the same bytes on every machine for the same seed, type and `stream`, the position of an input, so
/// that two inputs of one type differ. Fails for a shape that does not fit into this machine's memory.
Result<HostTensor> makeTensor(const Recipe &recipe, tiny_dtype dtype, const std::vector<int64_t> &shape,
                              uint64_t stream);

} // namespace tiny::files

#endif // TINY_FILES_RECIPE_H
