// Programs of any level, for those who call them.
#include "Tiny/Frontend/Model.h"

#include "Calls.h"
#include "ModelState.h"

using namespace tiny;
using namespace tiny::frontend;

Model Model::parse(const std::string &text, Site site) { return Model(takeOrRaise(parseModel(text), site)); }
Model Model::load(const std::string &path, const std::vector<std::string> &dims, Site site) {
  return Model(takeOrRaise(loadModel(path, dims), site));
}
Model Model::of(const std::vector<Tensor> &tensors, Site site) {
  if (tensors.empty())
    raise("expects a tensor", site);
  return Model(makeModel(getNodes(tensors)));
}
std::string Model::text() const { return printModel(*state); }
Model Model::run(const std::string &pipeline, Site site) const {
  return Model(takeOrRaise(runPasses(*state, pipeline), site));
}
std::string Model::lowered(const std::string &level, const std::string &target, Site site) const {
  return takeOrRaise(lowerModel(*state, level, target), site);
}
std::vector<Model::Parameter> Model::inputs(Site site) const { return takeOrRaise(getInputs(*state), site); }
std::vector<Model::Parameter> Model::results(Site site) const { return takeOrRaise(getResults(*state), site); }
std::vector<Tensor> Model::operator()(const std::vector<Tensor> &arguments, Site site) const {
  Tensor::realize(arguments, site);
  return getTensors(takeOrRaise(callModel(*state, getNodes(arguments)), site));
}
