// Modules of the compiler, as the public functions see them: failures are values. Defined where LLVM is.
#ifndef TINY_LIB_FRONTEND_MODELSTATE_H
#define TINY_LIB_FRONTEND_MODELSTATE_H

#include "Graph.h"
#include "Tiny/Frontend/Model.h"

namespace tiny::frontend {

using ModelPtr = std::shared_ptr<ModelState>;

Result<ModelPtr> parseModel(const std::string &text);
Result<ModelPtr> loadModel(const std::string &path, const std::vector<std::string> &dims);
/// The program that computes the nodes.
ModelPtr makeModel(const std::vector<NodePtr> &nodes);
std::string printModel(const ModelState &model);
Result<ModelPtr> runPasses(const ModelState &model, const std::string &pipeline);
Result<std::string> lowerModel(const ModelState &model, const std::string &level, const std::string &target);
/// Of its program.
Result<std::vector<Model::Parameter>> getInputs(const ModelState &model);
Result<std::vector<Model::Parameter>> getResults(const ModelState &model);
/// Runs it on known nodes.
Result<std::vector<NodePtr>> callModel(ModelState &model, const std::vector<NodePtr> &arguments);

} // namespace tiny::frontend

#endif // TINY_LIB_FRONTEND_MODELSTATE_H
