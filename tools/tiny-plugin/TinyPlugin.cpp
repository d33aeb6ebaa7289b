// Tiny's dialects and passes for a stock mlir-opt: --load-dialect-plugin and --load-pass-plugin take this library.
#include "Tiny/Pipelines/Registration.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Tiny", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) { tiny::registerAllDialects(*registry); }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Tiny", LLVM_VERSION_STRING, [] { tiny::registerAllPasses(); }};
}
