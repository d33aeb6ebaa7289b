// The registry of targets, and what a target need not say.
#include "Tiny/Target/Target.h"

using namespace mlir;

namespace tiny {

Target::~Target() = default;

FailureOr<std::string> Target::print(ModuleOp module, StringRef form, const SerializeOptions &) const {
  return module.emitError("target '") << getName() << "' has no form '" << form << "'";
}

static std::vector<std::unique_ptr<Target>> &getRegistry() {
  static std::vector<std::unique_ptr<Target>> registry;
  return registry;
}

void registerTarget(std::unique_ptr<Target> target) {
  assert(llvm::none_of(getRegistry(), [&](const auto &other) { return other->getName() == target->getName(); }) &&
         "one target a name");
  getRegistry().push_back(std::move(target));
}

std::vector<const Target *> getTargets() {
  std::vector<const Target *> targets;
  for (const std::unique_ptr<Target> &target : getRegistry())
    targets.push_back(target.get());
  return targets;
}

llvm::Expected<const Target *> findTarget(StringRef name) {
  std::string names;
  for (const Target *target : getTargets()) {
    if (name.empty() || target->getName() == name)
      return target;
    names += (names.empty() ? "'" : ", '") + target->getName().str() + "'";
  }
  return llvm::createStringError("no target is called '" + name + "'; there are " + (names.empty() ? "none" : names));
}

llvm::Expected<std::vector<const Target *>> findTargets(StringRef names) {
  std::vector<const Target *> targets;
  SmallVector<StringRef> parts;
  names.split(parts, ',');
  for (StringRef part : parts) {
    if (part.empty() && parts.size() > 1)
      return llvm::createStringError("a target of '" + names + "' has no name");
    llvm::Expected<const Target *> target = findTarget(part);
    if (!target)
      return target.takeError();
    if (llvm::is_contained(targets, *target))
      return llvm::createStringError("target '" + part + "' is named twice");
    if (parts.size() > 1 && (*target)->getOutput() != Target::Output::Binary)
      return llvm::createStringError("target '" + part + "' makes source code, which is for no other target");
    targets.push_back(*target);
  }
  return targets;
}

} // namespace tiny
