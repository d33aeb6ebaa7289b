// Parses an ONNX model, checks its opset, and imports its graph.
#include "Graph.h"
#include "ModelBytes.h"
#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Import/Onnx.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>

using namespace mlir;

namespace tiny {

/// Protobuf writes what it finds wrong to stderr unless told otherwise.
static bool parseModel(StringRef bytes, onnx::ModelProto &model) {
  google::protobuf::LogSilencer silencer;
  if (bytes.size() > size_t(INT_MAX))
    return false;
  return model.ParseFromArray(bytes.data(), int(bytes.size()));
}

/// The version of the default operator set; none after an error.
static std::optional<int64_t> getOpset(const onnx::ModelProto &model, Location loc) {
  std::optional<int64_t> version;
  for (const onnx::OperatorSetIdProto &opset : model.opset_import())
    if (opset.domain().empty() || opset.domain() == "ai.onnx")
      version = opset.version();
  // Operators of other domains need no default set.
  auto isOther = [](const onnx::NodeProto &node) { return !node.domain().empty() && node.domain() != "ai.onnx"; };
  if (!version && model.opset_import_size() && llvm::all_of(model.graph().node(), isOther))
    return kNewestOnnxOpset;
  if (!version) {
    emitError(loc) << "the model does not say which operator set it uses";
    return std::nullopt;
  }
  if (*version < kOldestOnnxOpset || *version > kNewestOnnxOpset) {
    emitError(loc) << "the model uses version " << *version << " of the operator set, expected " << kOldestOnnxOpset
                   << " to " << kNewestOnnxOpset;
    return std::nullopt;
  }
  return version;
}

bool OnnxChoices::measureSlices() {
  OnnxChoices next;
  next.otherwise = otherwise;
  bool isNew = false;
  for (const auto &[place, slice] : slices) {
    bool isMixed = slice.isWhole && slice.isCut;
    isNew |= isMixed && !slice.isMeasured;
    next.slices[place].isMeasured = isMixed || slice.isMeasured;
  }
  *this = std::move(next);
  return isNew;
}

OwningOpRef<ModuleOp> importOnnx(StringRef bytes, MLIRContext *context, const OnnxImportOptions &options) {
  context->loadDialect<func::FuncDialect, tensor::TinyDialect>();
  Location loc =
      options.path.empty() ? Location(UnknownLoc::get(context)) : FileLineColLoc::get(context, options.path, 0, 0);
  onnx::ModelProto model;
  onnximport::SlimModel slim = onnximport::takeOutElements(bytes);
  if (!parseModel(slim.bytes, model)) {
    emitError(loc) << "not an ONNX model, or cut off";
    return nullptr;
  }
  if (!model.has_graph()) {
    emitError(loc) << "not an ONNX model: it has no graph";
    return nullptr;
  }
  std::optional<int64_t> opset = getOpset(model, loc);
  if (!opset)
    return nullptr;

  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  onnximport::DataFiles files(slim.elements, options.folder);
  onnximport::Graph graph(model, *opset, files, *module, options);
  if (failed(graph.import()))
    return nullptr;
  return module;
}

OnnxContent getOnnxContent(StringRef bytes) {
  onnximport::SlimModel slim = onnximport::takeOutElements(bytes);
  OnnxContent content;
  content.graph = std::move(slim.bytes);
  content.hasOwnElements = !slim.elements.empty();
  for (StringRef file : slim.files.keys())
    content.files.push_back(file.str());
  llvm::sort(content.files);
  return content;
}

} // namespace tiny
