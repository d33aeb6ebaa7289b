// Tensors of modules in files.
#include "Tiny/Frontend/Nn.h"

#include "Calls.h"
#include "Tiny/Files/Tensors.h"

#include <map>

using namespace tiny;
using namespace tiny::frontend;

void nn::save(const std::string &path, const std::vector<std::pair<std::string, Tensor>> &tensors, Site site) {
  auto ends = [&](const std::string &end) {
    return path.size() >= end.size() && path.compare(path.size() - end.size(), end.size(), end) == 0;
  };
  if (!ends(".safetensors") && !ends(".npz"))
    raise("expects a name that ends in .safetensors or .npz, got '" + path + "'", site);
  std::vector<Tensor> values;
  values.reserve(tensors.size());
  for (const auto &[name, tensor] : tensors)
    values.push_back(tensor);
  Tensor::realize(values, site);
  std::vector<NamedTensor> named;
  for (const auto &[name, tensor] : tensors) {
    // Memory that is read here alone, in place of a copy of it.
    const HostTensor &data = tensor.data(site);
    HostBytes bytes(std::shared_ptr<char>(std::shared_ptr<void>(), const_cast<char *>(data.bytes.data())),
                    data.bytes.size());
    named.push_back({name, {data.dtype, data.shape, std::move(bytes)}});
  }
  if (files::Failure failure = files::writeTensors(path, named))
    raise(failure.message, site);
}

std::vector<std::pair<std::string, Tensor>> nn::load(const std::string &path, Site site) {
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (NamedTensor &named : takeOrRaise(files::readTensors(path), site))
    tensors.emplace_back(named.name, Tensor(std::move(named.tensor)));
  return tensors;
}

void nn::loadState(const std::vector<Named> &state, const std::vector<std::pair<std::string, Tensor>> &tensors,
                   Site site) {
  std::map<std::string, const Tensor *> given;
  for (const auto &[name, tensor] : tensors)
    given[name] = &tensor;
  std::vector<Tensor> values;
  for (const Named &named : state) {
    auto found = given.find(named.name);
    if (found == given.end())
      raise("expects a tensor '" + named.name + "', got none of this name", site);
    const Tensor &tensor = *found->second, &old = *named.tensor;
    if (tensor.shape() != old.shape())
      raise("expects '" + named.name + "' to be " + formatType(old.dtype(), old.shape().data(), old.shape().size()) +
                ", got " + formatType(tensor.dtype(), tensor.shape().data(), tensor.shape().size()),
            site);
    // Memory of its own: a file's is not updated in place.
    HostTensor copy = tensor.to(old.dtype(), site).data(site);
    values.emplace_back(std::move(copy));
    given.erase(found);
  }
  for (const auto &[name, tensor] : tensors)
    if (given.count(name) && name.find("num_batches_tracked") == std::string::npos)
      raise("nothing is called '" + name + "'", site);
  for (size_t index = 0; index < state.size(); ++index)
    *state[index].tensor = values[index];
}
