// See KernelTransformOps.cpp for why.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Scripts.h"

#include "mlir/Dialect/Transform/IR/TransformDialect.h"

using namespace mlir;

namespace tiny::kernel {

static constexpr StringLiteral kScriptsName = "schedules";

static ModuleOp getScripts(ModuleOp module) {
  auto scripts = module.lookupSymbol<ModuleOp>(kScriptsName);
  if (scripts)
    return scripts;
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  scripts = ModuleOp::create(builder, builder.getUnknownLoc(), kScriptsName);
  scripts->setAttr(transform::TransformDialect::kWithNamedSequenceAttrName, builder.getUnitAttr());
  return scripts;
}

void addScript(ModuleOp module, FuncOp kernel, transform::NamedSequenceOp script) {
  ModuleOp scripts = getScripts(module);
  StringAttr name = SymbolTable(scripts).insert(script, scripts.getBody()->end());
  kernel.setScheduleAttr(SymbolRefAttr::get(scripts.getSymNameAttr(), {FlatSymbolRefAttr::get(name)}));
}

void dropScript(ModuleOp module, FuncOp kernel) {
  if (SymbolRefAttr name = kernel.getScheduleAttr())
    if (auto script = dyn_cast_or_null<transform::NamedSequenceOp>(SymbolTable::lookupSymbolIn(module, name)))
      script.erase();
  kernel.removeScheduleAttr();
}

} // namespace tiny::kernel
