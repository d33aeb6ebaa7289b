// Modules of the compiler in the graph's context.
#include "ModelState.h"
#include "Compiling.h"
#include "Program.h"

#include "Tiny/Driver/CompileModel.h"
#include "Tiny/Driver/Source.h"
#include "Tiny/Pipelines/Registration.h"
#include "Tiny/Support/Family.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace tiny::frontend {

struct ModelState {
  explicit ModelState(OwningOpRef<ModuleOp> module) : module(std::move(module)) {}
  ~ModelState() {
    std::lock_guard<std::recursive_mutex> lock(getGraph().mutex);
    module = nullptr;
  }

  OwningOpRef<ModuleOp> module;
  /// Null before the first run.
  std::shared_ptr<Executable> executable;
};

static Result<ModelPtr> takeModel(llvm::Expected<OwningOpRef<ModuleOp>> module) {
  if (!module)
    return Failure{llvm::toString(module.takeError())};
  if (auto sizes = (**module)->getAttrOfType<DictionaryAttr>(kSizesAttr)) {
    std::string names;
    for (NamedAttribute size : sizes)
      names += (names.empty() ? "" : ", ") + size.getName().str();
    return Failure{"a loaded model has one size for each dimension, and computes none: " + names};
  }
  return std::make_shared<ModelState>(std::move(*module));
}

Result<ModelPtr> parseModel(const std::string &text) {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  return takeModel(parseSource("text", text, &graph.context));
}

Result<ModelPtr> loadModel(const std::string &path, const std::vector<std::string> &dims) {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  llvm::Expected<DimSizes> sizes = parseDims(dims);
  if (!sizes)
    return Failure{llvm::toString(sizes.takeError())};
  return takeModel(readSource(path, &graph.context, *sizes));
}

ModelPtr makeModel(const std::vector<NodePtr> &nodes) {
  std::lock_guard<std::recursive_mutex> lock(getGraph().mutex);
  return std::make_shared<ModelState>(Program(nodes).makeModule());
}

std::string printModel(const ModelState &model) {
  std::lock_guard<std::recursive_mutex> lock(getGraph().mutex);
  std::string text;
  llvm::raw_string_ostream stream(text);
  model.module.get()->print(stream);
  return text + "\n";
}

static OwningOpRef<ModuleOp> copy(const ModelState &model) { return cast<ModuleOp>(model.module.get()->clone()); }

Result<ModelPtr> runPasses(const ModelState &model, const std::string &pipeline) {
  Graph &graph = getGraph();
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  registerAllPasses();
  FirstError errors(&graph.context);
  // Passes of functions run on those of the module.
  PassManager manager(&graph.context, ModuleOp::getOperationName(), OpPassManager::Nesting::Implicit);
  std::string why;
  llvm::raw_string_ostream stream(why);
  if (failed(parsePassPipeline(pipeline, manager, stream)))
    return Failure{"expects a pipeline of passes, got '" + pipeline + "': " + StringRef(why).trim().str()};
  OwningOpRef<ModuleOp> lowered = copy(model);
  if (failed(manager.run(*lowered)))
    return Failure{llvm::toString(errors.take("a pass failed without saying why"))};
  return std::make_shared<ModelState>(std::move(lowered));
}

Result<std::string> lowerModel(const ModelState &model, const std::string &level, const std::string &target) {
  std::lock_guard<std::recursive_mutex> lock(getGraph().mutex);
  OwningOpRef<ModuleOp> module = copy(model);
  CompileRequest request;
  request.model = "program";
  request.target = target;
  request.to = level;
  llvm::Expected<std::vector<OutputFile>> files = compileModule(request, *module);
  if (!files) {
    std::string message = llvm::toString(files.takeError()), option = "--compile-to=" + level + ": ";
    // Said of a level, not of an option of a tool.
    if (StringRef(message).starts_with(option))
      message = "expects a level or a form, got '" + level + "': " + message.substr(option.size());
    return Failure{message};
  }
  return std::move(files->front().content);
}

template <typename GetParameters>
static Result<std::vector<Model::Parameter>> describe(const ModelState &model, GetParameters get) {
  std::lock_guard<std::recursive_mutex> lock(getGraph().mutex);
  llvm::Expected<FunctionOpInterface> program = findProgram(model.module.get(), "");
  if (!program)
    return Failure{llvm::toString(program.takeError())};
  std::vector<Model::Parameter> all;
  for (const Parameter &parameter : get(*program))
    all.push_back({parameter.name, *getDtype(parameter.type.getElementType()), parameter.type.getShape().vec()});
  return all;
}

Result<std::vector<Model::Parameter>> getInputs(const ModelState &model) {
  return describe(model, [](FunctionOpInterface program) { return tiny::getInputs(program); });
}
Result<std::vector<Model::Parameter>> getResults(const ModelState &model) {
  return describe(model, [](FunctionOpInterface program) { return tiny::getResults(program); });
}

Result<std::vector<NodePtr>> callModel(ModelState &model, const std::vector<NodePtr> &arguments) {
  Graph &graph = getGraph();
  std::lock_guard<std::mutex> alone(graph.running);
  std::unique_lock<std::recursive_mutex> lock(graph.mutex);
  if (!model.executable) {
    OwningOpRef<ModuleOp> module = copy(model);
    Result<std::shared_ptr<Executable>> made = compileWatched(*module);
    if (!made)
      return made.takeFailure();
    model.executable = *made;
  }
  const Executable &executable = *model.executable;
  if (arguments.size() != executable.getInputs().size())
    return Failure{"expects " + std::to_string(executable.getInputs().size()) + " arguments, got " +
                   std::to_string(arguments.size())};
  std::vector<const HostTensor *> inputs;
  for (auto [input, argument] : llvm::zip_equal(executable.getInputs(), arguments)) {
    if (!argument->failure.empty())
      return Failure{argument->failure};
    if (llvm::Error error = checkInput(input, *argument->data))
      return Failure{llvm::toString(std::move(error))};
    inputs.push_back(argument->data.get());
  }
  lock.unlock();
  llvm::Expected<RunResult> result = executable.run(inputs);
  if (!result)
    return Failure{llvm::toString(result.takeError())};
  std::vector<NodePtr> nodes;
  for (HostTensor &tensor : result->tensors)
    nodes.push_back(makeLeaf(std::move(tensor)));
  return nodes;
}

Result<std::string> print(const NodePtr &node, const std::string &level, const std::string &target) {
  ModelPtr model = makeModel({node});
  return level == "tensor" && target.empty() ? printModel(*model) : lowerModel(*model, level, target);
}

} // namespace tiny::frontend
