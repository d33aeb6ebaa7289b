// Fills a container with what the compiler knows of a program, and reads back what a loaded one says of itself.
#include "ProgramContainer.h"

#include "ProgramItems.h"
#include "Tiny/Runtime/ContainerWriter.h"
#include "Tiny/Support/FileMapping.h"
#include "Tiny/Support/Signature.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using llvm::Expected;

namespace tiny {

llvm::Error runtimeError(const Twine &doing) { return llvm::createStringError(doing + ": " + tiny_last_error()); }

/// The innermost dimension first.
static tiny_tensor_map describeMap(kernel::TensorMapAttr map) {
  std::optional<tiny_dtype> dtype = getDtype(map.getElement());
  assert(dtype && "a buffer has elements of a type that the runtime knows");
  tiny_tensor_map made = {};
  made.buffer = map.getBuffer();
  made.dtype = *dtype;
  made.rank = 2;
  uint64_t bytes = tiny_dtype_size(*dtype);
  made.extents[0] = map.getColumns();
  made.extents[1] = map.getRows();
  made.strides[0] = map.getStride() * bytes;
  made.box[0] = map.getBoxColumns();
  made.box[1] = map.getBoxRows();
  made.swizzle = map.getBoxColumns() * bytes;
  return made;
}

/// The kernels that the program launches, in the order of their numbers. One that is in another binary has no symbol.
static llvm::Error addKernels(const ProgramItems &items, const TargetOutput &output, bool isOnly,
                              runtime::ContainerBinary &binary) {
  llvm::StringMap<const KernelLaunch *> launches;
  for (const KernelLaunch &launch : output.kernels)
    launches[launch.name] = &launch;
  for (auto [number, name] : llvm::enumerate(items.getKernels())) {
    const KernelLaunch *launch = launches.lookup(name);
    if (!launch && isOnly)
      return llvm::createStringError("there is no machine code for kernel '" + name + "'");
    runtime::ContainerKernel kernel;
    if (!launch) {
      kernel.name = name;
      kernel.nBuffers = items.getBufferCount(number);
      binary.kernels.push_back(std::move(kernel));
      continue;
    }
    kernel.name = launch->name;
    kernel.symbol = launch->symbol.empty() ? launch->name : launch->symbol;
    llvm::copy(launch->entry.getGrid(), kernel.grid);
    kernel.nBuffers = items.getBufferCount(number);
    kernel.flags = launch->entry.getInPlace() ? TINY_KERNEL_IN_PLACE : 0;
    kernel.scratchBytes = launch->entry.getScratch();
    kernel.operations = launch->entry.getOperations();
    kernel.bytes = launch->entry.getBytes();
    for (Attribute map : launch->entry.getMaps() ? launch->entry.getMaps().getValue() : ArrayRef<Attribute>())
      kernel.maps.push_back(describeMap(cast<kernel::TensorMapAttr>(map)));
    binary.kernels.push_back(std::move(kernel));
  }
  return llvm::Error::success();
}

static Expected<std::vector<runtime::ContainerParameter>> makeParameters(ArrayRef<Parameter> parameters) {
  std::vector<runtime::ContainerParameter> made;
  for (const Parameter &parameter : parameters) {
    std::optional<tiny_dtype> dtype = getDtype(parameter.type.getElementType());
    if (!dtype)
      return llvm::createStringError("'" + parameter.name + "' is of a type that has no buffers");
    made.push_back({parameter.name, *dtype, parameter.type.getShape().vec()});
    made.back().live = parameter.live;
  }
  return made;
}

/// What a parameter is a part of, where the program is one of many ranks.
static void addCuts(runtime::ContainerParameter &parameter, RankedTensorType local, Attribute axes, Attribute whole,
                    ArrayRef<int64_t> grid) {
  std::optional<ShardedTensor> tensor = getShardedTensor(local, axes, whole, grid);
  if (!tensor)
    return;
  for (auto [size, cut] : llvm::zip_equal(tensor->whole.getShape(), tensor->axes))
    parameter.cuts.push_back({size, std::vector<uint32_t>(cut.begin(), cut.end())});
}

/// The device that the code is for. A program that began below every record is for this machine.
static Expected<runtime::ContainerRecord> describeDevice(kernel::ProgramOp program, const Target &target) {
  target::RecordAttr record = target::lookupRecord(program, target.getName());
  if (!record) {
    Expected<target::RecordAttr> host = target.makeRecord("", program.getContext());
    if (!host)
      return host.takeError();
    record = *host;
  }
  Expected<MachineNeeds> needs = target.getNeeds(record);
  if (!needs)
    return needs.takeError();
  std::string text;
  llvm::raw_string_ostream(text) << record;
  return runtime::ContainerRecord{target.getDevice().str(), record.getName().str(), text,
                                  needs->machine,           needs->features,        record.getStableHash()};
}

/// What a container in the folder calls the file.
static Expected<std::string> nameFile(const FileMapping &file, const CompileOptions &options) {
  if (options.constants == ConstantPlace::Machine)
    return file.getPath().str();
  llvm::SmallString<256> folder;
  StringRef name = file.getPath();
  bool isKnown = !llvm::sys::fs::real_path(options.folder.empty() ? "." : StringRef(options.folder), folder);
  if (!isKnown || !name.consume_front(folder) || (folder != "/" && !name.consume_front("/")))
    return llvm::createStringError("constants lie in '" + file.getPath() +
                                   "', which is not below the output's folder '" +
                                   (isKnown ? StringRef(folder) : StringRef(options.folder)) + "'");
  return name.str();
}

/// Leaves large constants in the files that they lie in.
static llvm::Error placeConstants(const ProgramItems &items, const CompileOptions &options,
                                  runtime::Container &container) {
  // Smaller ones are not worth a page of their own, and begin at a cache line in the container.
  constexpr uint64_t kSmallestExternal = 64 << 10;
  llvm::StringSet<> known;
  if (options.constants == ConstantPlace::Container)
    return llvm::Error::success();
  for (auto [index, item] : llvm::enumerate(items.getItems())) {
    if (item.kind != TINY_ITEM_CONSTANT || item.data_size < kSmallestExternal)
      continue;
    std::optional<FileRange> range = findFileRange(StringRef(static_cast<const char *>(item.data), item.data_size));
    if (!range)
      continue;
    Expected<std::string> name = nameFile(*range->file, options);
    if (!name)
      return name.takeError();
    // A cache goes by the file's time, and does not read the weights.
    bool stays = options.constants == ConstantPlace::Machine;
    container.external[uint32_t(index)] = {*name, range->offset,
                                           stays ? 0 : tiny_format_checksum(item.data, item.data_size)};
    if (!known.insert(*name).second)
      continue;
    StringRef bytes = range->file->getBytes();
    container.files.push_back(
        {*name, bytes.size(), stays ? range->file->getModified() : 0, tiny_format_sample(bytes.data(), bytes.size())});
  }
  return llvm::Error::success();
}

Expected<std::string> writeContainer(kernel::ProgramOp program, ArrayRef<TargetBinary> binaries,
                                     const CompileOptions &options) {
  Expected<std::unique_ptr<ProgramItems>> items = ProgramItems::build(program);
  if (!items)
    return items.takeError();
  runtime::Container container;
  for (auto [number, made] : llvm::enumerate(binaries)) {
    Expected<runtime::ContainerRecord> record = describeDevice(program, *made.target);
    if (!record)
      return record.takeError();
    container.records.push_back(std::move(*record));
    runtime::ContainerBinary &binary = container.binaries.emplace_back();
    binary.record = number;
    binary.code = made.output->code;
    binary.format = made.output->format;
    if (llvm::Error error = addKernels(**items, *made.output, binaries.size() == 1, binary))
      return error;
  }

  Expected<std::vector<runtime::ContainerParameter>> inputs = makeParameters(getInputs(program)),
                                                     results = makeParameters(getResults(program));
  if (!inputs || !results)
    return llvm::joinErrors(inputs.takeError(), results.takeError());
  for (auto [index, input] : llvm::enumerate(*inputs))
    input.donated = program.getArgAttr(index, kDonatedAttr) != nullptr;
  for (auto [index, result] : llvm::enumerate(*results))
    result.alias = getAliasedArgument(program, index).value_or(TINY_FORMAT_NONE);
  ArrayRef<int64_t> grid;
  if (auto attribute = program->getAttrOfType<DenseI64ArrayAttr>(kGridAttr))
    grid = attribute;
  if (FailureOr<Signature> signature = getSignature(program); succeeded(signature) && !grid.empty()) {
    for (auto [index, input] : llvm::enumerate(*inputs))
      addCuts(input, signature->inputs[index], program.getArgAttr(index, kShardingAttr),
              program.getArgAttr(index, kWholeAttr), grid);
    for (auto [index, result] : llvm::enumerate(*results))
      addCuts(result, signature->results[index], program.getResultAttr(index, kShardingAttr),
              program.getResultAttr(index, kWholeAttr), grid);
  }
  auto stages = program->getAttrOfType<IntegerAttr>(kStageAxisAttr);
  for (auto [index, result] : llvm::enumerate(*results))
    if (auto stage = program.getResultAttrOfType<IntegerAttr>(index, kStageAttr); stage && stages)
      result.stage = stage.getInt();
  container.inputs = std::move(*inputs);
  container.results = std::move(*results);

  if (llvm::Error error = placeConstants(**items, options, container))
    return error;
  std::string name = program.getSymName().str();
  std::vector<files::Size> sizes = getSizes(program);
  std::vector<tiny_size> sizeList;
  sizeList.reserve(sizes.size());
  for (const files::Size &size : sizes)
    sizeList.push_back({size.name.c_str(), size.least, size.most, size.isComputed});
  tiny_program_desc &desc = container.program;
  desc.name = name.c_str();
  desc.slots = (*items)->getSlots().data();
  desc.n_slots = (*items)->getSlots().size();
  desc.n_arguments = container.inputs.size();
  desc.results = (*items)->getResults().data();
  desc.n_results = (*items)->getResults().size();
  desc.items = (*items)->getItems().data();
  desc.n_items = (*items)->getItems().size();
  desc.sizes = sizeList.data();
  desc.n_sizes = sizeList.size();
  desc.grid = grid.data();
  desc.n_grid = grid.size();
  // Devices of the program are those of the binaries, in their order.
  desc.slot_devices = program.getDevices() ? (*items)->getSlotDevices().data() : nullptr;
  desc.has_stages = stages != nullptr;
  desc.stage_axis = stages ? uint32_t(stages.getInt()) : 0;
  unsigned nArguments = program.getNumArguments();
  desc.reads_place = nArguments && program.getArgAttr(nArguments - 1, kRankAttr);
  return runtime::writeContainer(container);
}

/// A parameter as the runtime describes it, under its name or, where it has none, its number.
static Parameter readParameter(const tiny_parameter &parameter, MLIRContext *context) {
  ArrayRef<int64_t> shape(parameter.shape, parameter.rank);
  files::LiveShape live;
  for (uint32_t axis = 0; parameter.dimensions && axis < parameter.rank; ++axis) {
    const tiny_format_dimension &dimension = parameter.dimensions[axis];
    const tiny_format_term *first = parameter.terms + dimension.first_term;
    live.emplace_back(first, first + dimension.n_terms);
  }
  return {parameter.name, RankedTensorType::get(shape, getElementType(context, parameter.dtype)), std::move(live)};
}

/// The whole tensor of which a rank has a part.
static Parameter makeWhole(Parameter local, const RankTensor &tensor) {
  std::vector<int64_t> shape;
  shape.reserve(tensor.parts.cuts.size());
  for (const files::Cut &cut : tensor.parts.cuts)
    shape.push_back(cut.whole);
  local.type = local.type.clone(shape);
  return local;
}

Expected<LoadedContainer> loadContainer(StringRef bytes, const ContainerOrigin &origin, tiny_device *device,
                                        MLIRContext *context) {
  LoadedContainer loaded;
  uint32_t flags =
      (origin.isOwn ? TINY_LOAD_ANY_FILE : 0u) | (origin.checkConstants ? uint32_t(TINY_LOAD_CHECK_CONSTANTS) : 0u);
  if (tiny_program_load(device, bytes.data(), bytes.size(), origin.folder.c_str(), flags, loaded.program.receive()) !=
      TINY_OK)
    return runtimeError("cannot load the program");
  const tiny_program *program = loaded.program.get();
  tiny_parameter parameter;
  const int64_t *grid = nullptr;
  uint32_t nGrid = tiny_program_grid(program, &grid);
  loaded.ranks.grid.assign(grid, grid + nGrid);
  auto add = [&](std::vector<Parameter> &list, std::vector<RankTensor> &tensors) {
    list.push_back(readParameter(parameter, context));
    if (!nGrid)
      return;
    tensors.push_back(readRankTensor(parameter, loaded.ranks.grid));
    list.back() = makeWhole(list.back(), tensors.back());
  };
  for (uint32_t i = 0; i < tiny_program_input_count(program); ++i) {
    if (tiny_program_input(program, i, &parameter) != TINY_OK)
      return runtimeError("cannot read an input");
    add(loaded.inputs, loaded.ranks.inputs);
    loaded.donated.push_back(parameter.donated);
  }
  for (uint32_t i = 0; i < tiny_program_result_count(program); ++i) {
    if (tiny_program_result(program, i, &parameter) != TINY_OK)
      return runtimeError("cannot read a result");
    add(loaded.results, loaded.ranks.results);
    loaded.aliases.push_back(parameter.alias < 0 ? std::nullopt : std::optional<unsigned>(parameter.alias));
  }
  tiny_size size;
  for (uint32_t i = 0; i < tiny_program_size_count(program); ++i) {
    if (tiny_program_size(program, i, &size) != TINY_OK)
      return runtimeError("cannot read a size");
    loaded.sizes.push_back({size.name, size.least, size.most, size.computed != 0});
  }
  tiny_kernel_info kernel;
  for (uint32_t i = 0; i < tiny_program_kernel_count(program); ++i)
    if (tiny_program_kernel(program, i, &kernel) == TINY_OK && (kernel.bytes || kernel.operations))
      loaded.work[kernel.name] = {kernel.bytes, kernel.operations};
  return loaded;
}

} // namespace tiny
