// Finds a run's sizes from the shapes of its arguments, and shapes from sizes.
#include "Sizes.h"
#include "Error.h"
#include "Handles.h"
#include "LoadedProgram.h"

#include <vector>

using namespace tiny::runtime;

namespace {

/// An argument or a result of a loaded program, with its live shape.
class LiveParameter {
public:
  LiveParameter(const LoadedProgram &loaded, bool isResult, uint32_t index)
      : container(loaded.container), isResult(isResult), index(index),
        parameter(container.parameters[isResult ? container.program->n_arguments + index : index]) {}

  const char *getKind() const { return isResult ? "result" : "argument"; }
  uint32_t getRank() const { return parameter.rank; }

  /// As tools call it: by its number where it has no name.
  std::string getName() const {
    const char *name = container.getString(parameter.name);
    return *name ? name : (isResult ? "result" : "arg") + std::to_string(index);
  }

  /// The size that the dimension is, or TINY_FORMAT_NONE where it is static, or more than a size.
  uint32_t getSize(uint32_t axis) const {
    const tiny_format_dimension &dimension = container.dimensions[parameter.first_extent + axis];
    const tiny_format_term &first = container.terms.begin()[dimension.first_term];
    return dimension.n_terms == 1 && first.kind == TINY_TERM_SIZE ? uint32_t(first.value) : TINY_FORMAT_NONE;
  }

  /// The live extent. Sizes within their bounds may still give one that no buffer has.
  tiny_status findExtent(uint32_t axis, const int64_t *sizes, int64_t &extent) const {
    int64_t bound = container.extents[parameter.first_extent + axis];
    extent = bound;
    if (!container.sizes.count)
      return TINY_OK;
    const tiny_format_dimension &dimension = container.dimensions[parameter.first_extent + axis];
    if (!dimension.n_terms)
      return TINY_OK;
    if (!tiny_format_evaluate(container.terms.begin() + dimension.first_term, dimension.n_terms, sizes,
                              container.sizes.count, &extent))
      return fail(TINY_INVALID_ARGUMENT, "%s '%.100s': dimension %u has no extent at these sizes", getKind(),
                  getName().c_str(), axis);
    if (extent < 0 || extent > bound)
      return fail(TINY_INVALID_ARGUMENT, "%s '%.100s': dimension %u is %lld at these sizes, expected 0 to %lld",
                  getKind(), getName().c_str(), axis, (long long)extent, (long long)bound);
    return TINY_OK;
  }

  uint64_t getElementBytes() const { return tiny_dtype_size(tiny_dtype(parameter.dtype)); }

private:
  const ContainerReader &container;
  bool isResult;
  uint32_t index;
  const tiny_format_parameter &parameter;
};

bool isWithin(const ProgramSize &size, int64_t value) { return value >= size.least && value <= size.most; }

/// "argument 'x': dimension 'tokens' is 300, expected 1 to 128"
tiny_status failBounds(const std::string &where, const ProgramSize &size, int64_t value) {
  return fail(TINY_INVALID_ARGUMENT, "%s: dimension '%.100s' is %lld, expected %lld to %lld", where.c_str(),
              size.name.c_str(), (long long)value, (long long)size.least, (long long)size.most);
}

/// Finds the sizes of one call, argument by argument.
class SizeFinder {
public:
  SizeFinder(const tiny_program &program, const tiny_shape *shapes, int64_t *sizes)
      : program(program), shapes(shapes), sizes(sizes), definedBy(program.sizes.size(), TINY_FORMAT_NONE) {
    for (size_t k = 0; k < program.sizes.size(); ++k)
      if (program.sizes[k].isComputed)
        sizes[k] = program.sizes[k].most;
  }

  tiny_status run() {
    for (uint32_t k = 0; k < program.nArguments; ++k)
      if (tiny_status status = define(k))
        return status;
    // Each is defined or computed: a container in which one is not is malformed.
    for (uint32_t k = 0; k < program.nArguments; ++k)
      if (tiny_status status = compare(k))
        return status;
    return TINY_OK;
  }

private:
  LiveParameter getArgument(uint32_t index) const { return {*program.loaded, /*isResult=*/false, index}; }

  /// Takes the sizes that are dimensions of this argument.
  tiny_status define(uint32_t index) {
    LiveParameter argument = getArgument(index);
    if (shapes[index].rank != argument.getRank() || (shapes[index].rank && !shapes[index].extents))
      return fail(TINY_INVALID_ARGUMENT, "argument '%.100s': got %u dimensions, expected %u",
                  argument.getName().c_str(), shapes[index].rank, argument.getRank());
    for (uint32_t axis = 0; axis < argument.getRank() && !program.sizes.empty(); ++axis) {
      uint32_t number = argument.getSize(axis);
      if (number == TINY_FORMAT_NONE)
        continue;
      const ProgramSize &size = program.sizes[number];
      int64_t extent = shapes[index].extents[axis];
      if (!isWithin(size, extent))
        return failBounds("argument '" + argument.getName() + "'", size, extent);
      if (definedBy[number] == TINY_FORMAT_NONE) {
        definedBy[number] = index;
        sizes[number] = extent;
      } else if (sizes[number] != extent) {
        return fail(TINY_INVALID_ARGUMENT,
                    "argument '%.100s': dimension '%.100s' is %lld, but argument '%.100s' has %lld",
                    argument.getName().c_str(), size.name.c_str(), (long long)extent,
                    getArgument(definedBy[number]).getName().c_str(), (long long)sizes[number]);
      }
    }
    return TINY_OK;
  }

  /// Every other dimension is what the sizes say.
  tiny_status compare(uint32_t index) {
    LiveParameter argument = getArgument(index);
    for (uint32_t axis = 0; axis < argument.getRank(); ++axis) {
      int64_t expected;
      if (tiny_status status = argument.findExtent(axis, sizes, expected))
        return status;
      if (shapes[index].extents[axis] != expected)
        return fail(TINY_INVALID_ARGUMENT, "argument '%.100s': dimension %u is %lld, expected %lld",
                    argument.getName().c_str(), axis, (long long)shapes[index].extents[axis], (long long)expected);
    }
    return TINY_OK;
  }

  const tiny_program &program;
  const tiny_shape *shapes;
  int64_t *sizes;
  /// By size, the first argument that has it.
  std::vector<uint32_t> definedBy;
};

tiny_status findShape(const tiny_program *program, bool isResult, uint32_t index, const int64_t *sizes,
                      int64_t *extents) {
  if (tiny_status status = checkHandle(program, HandleKind::Program))
    return status;
  size_t count = !program->loaded ? 0 : isResult ? program->results.size() : program->nArguments;
  if (index >= count)
    return fail(TINY_INVALID_ARGUMENT, "the shape of %s %u is asked for, there are %zu",
                isResult ? "result" : "argument", index, count);
  if (tiny_status status = checkSizes(*program, sizes))
    return status;
  LiveParameter parameter(*program->loaded, isResult, index);
  if (parameter.getRank() && !extents)
    return fail(TINY_INVALID_ARGUMENT, "the list of extents is null");
  std::vector<int64_t> found(parameter.getRank());
  for (uint32_t axis = 0; axis < found.size(); ++axis)
    if (tiny_status status = parameter.findExtent(axis, sizes, found[axis]))
      return status;
  for (uint32_t axis = 0; axis < found.size(); ++axis)
    extents[axis] = found[axis];
  return TINY_OK;
}

} // namespace

tiny_status tiny::runtime::checkSizes(const tiny_program &program, const int64_t *sizes) {
  if (program.sizes.empty())
    return TINY_OK;
  if (!sizes)
    return fail(TINY_INVALID_ARGUMENT, "program '%.100s' has %zu sizes, and the list of them is null",
                program.name.c_str(), program.sizes.size());
  for (size_t k = 0; k < program.sizes.size(); ++k)
    if (!isWithin(program.sizes[k], sizes[k]))
      return failBounds("program '" + program.name + "'", program.sizes[k], sizes[k]);
  return TINY_OK;
}

tiny_status tiny::runtime::findLiveBytes(const tiny_program &program, bool isResult, uint32_t index,
                                         const int64_t *sizes, uint64_t otherwise, uint64_t &bytes) {
  bytes = otherwise;
  if (!program.loaded)
    return TINY_OK;
  LiveParameter parameter(*program.loaded, isResult, index);
  // Live extents are at most those at the bounds, whose product the reader checked.
  bytes = parameter.getElementBytes();
  for (uint32_t axis = 0; axis < parameter.getRank(); ++axis) {
    int64_t extent;
    if (tiny_status status = parameter.findExtent(axis, sizes, extent))
      return status;
    bytes *= uint64_t(extent);
  }
  return TINY_OK;
}

uint32_t tiny_program_size_count(const tiny_program *program) {
  return isLiveHandle(program, HandleKind::Program) ? uint32_t(program->sizes.size()) : 0;
}

tiny_status tiny_program_size(const tiny_program *program, uint32_t index, tiny_size *size) {
  if (tiny_status status = checkHandle(program, HandleKind::Program))
    return status;
  if (index >= program->sizes.size() || !size)
    return fail(TINY_INVALID_ARGUMENT, "size %u is asked for, there are %zu", index, program->sizes.size());
  const ProgramSize &entry = program->sizes[index];
  *size = {entry.name.c_str(), entry.least, entry.most, entry.isComputed};
  return TINY_OK;
}

tiny_status tiny_program_find_sizes(const tiny_program *program, const tiny_shape *arguments, size_t n_arguments,
                                    int64_t *sizes) {
  return guarded([&]() -> tiny_status {
    if (tiny_status status = checkHandle(program, HandleKind::Program))
      return status;
    if (!program->loaded)
      return fail(TINY_INVALID_ARGUMENT, "program '%.100s' was not loaded, and knows no shapes", program->name.c_str());
    if (n_arguments != program->nArguments)
      return fail(TINY_INVALID_ARGUMENT, "program '%.100s' takes %u arguments, got %llu", program->name.c_str(),
                  program->nArguments, (unsigned long long)n_arguments);
    if ((n_arguments && !arguments) || (!program->sizes.empty() && !sizes))
      return fail(TINY_INVALID_ARGUMENT, "the list of shapes or of sizes is null");
    std::vector<int64_t> found(program->sizes.size());
    if (tiny_status status = SizeFinder(*program, arguments, found.data()).run())
      return status;
    for (size_t k = 0; k < found.size(); ++k)
      sizes[k] = found[k];
    return TINY_OK;
  });
}

tiny_status tiny_program_argument_shape(const tiny_program *program, uint32_t index, const int64_t *sizes,
                                        int64_t *extents) {
  return guarded([&] { return findShape(program, /*isResult=*/false, index, sizes, extents); });
}

tiny_status tiny_program_result_shape(const tiny_program *program, uint32_t index, const int64_t *sizes,
                                      int64_t *extents) {
  return guarded([&] { return findShape(program, /*isResult=*/true, index, sizes, extents); });
}
