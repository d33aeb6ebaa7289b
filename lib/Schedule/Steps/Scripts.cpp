// The module of scripts: adds a script for a kernel, and drops one.
// NDEBUG: see KernelTransformOps.cpp.
#ifndef NDEBUG
#define NDEBUG
#endif
#include "Tiny/Schedule/Steps/Scripts.h"

#include "mlir/Dialect/Transform/IR/TransformDialect.h"

using namespace mlir;

namespace tiny::kernel {

static constexpr StringLiteral kScriptsName = "schedules";

static ModuleOp getScripts(ModuleOp module) {
  StringRef isScripts = transform::TransformDialect::kWithNamedSequenceAttrName;
  for (auto scripts : module.getOps<ModuleOp>())
    if (scripts.getSymName() && scripts.getSymName()->starts_with(kScriptsName) && scripts->hasAttr(isScripts))
      return scripts;
  OpBuilder builder(module.getContext());
  auto scripts = ModuleOp::create(builder, builder.getUnknownLoc(), kScriptsName);
  scripts->setAttr(isScripts, builder.getUnitAttr());
  // Inserting renames it where something else has the name.
  SymbolTable(module).insert(scripts, module.getBody()->end());
  return scripts;
}

void Scripts::add(FuncOp kernel, transform::NamedSequenceOp script) {
  if (!table)
    table = std::make_unique<SymbolTable>(getScripts(module));
  auto scripts = cast<ModuleOp>(table->getOp());
  StringAttr name = table->insert(script, scripts.getBody()->end());
  kernel.setScheduleAttr(SymbolRefAttr::get(scripts.getSymNameAttr(), {FlatSymbolRefAttr::get(name)}));
}

void Scripts::drop(FuncOp kernel) {
  if (SymbolRefAttr name = kernel.getScheduleAttr())
    if (auto script = dyn_cast_or_null<transform::NamedSequenceOp>(SymbolTable::lookupSymbolIn(module, name))) {
      if (table && script->getParentOp() == table->getOp())
        table->erase(script);
      else
        script.erase();
    }
  kernel.removeScheduleAttr();
}

} // namespace tiny::kernel
