// Enumerations of the uop dialect.
#ifndef TINY_UOP_ENUMS
#define TINY_UOP_ENUMS

include "mlir/IR/EnumAttr.td"

def UOp_HardwareAxis : I32EnumAttr<"HardwareAxis", "an axis that the device runs in parallel", [
    I32EnumAttrCase<"Global", 0, "global">, I32EnumAttrCase<"Local", 1, "local">,
    I32EnumAttrCase<"Thread", 2, "thread">]> {
  let cppNamespace = "::tiny::uop";
  let genSpecializedAttr = 0;
}

#endif // TINY_UOP_ENUMS
