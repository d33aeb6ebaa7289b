// Enumerations of the uop dialect.
#ifndef TINY_UOP_ENUMS
#define TINY_UOP_ENUMS

include "mlir/IR/EnumAttr.td"

def UOp_HardwareAxis : I32EnumAttr<"HardwareAxis", "an axis that the device runs in parallel", [
    I32EnumAttrCase<"Global", 0, "global">, I32EnumAttrCase<"Local", 1, "local">,
    I32EnumAttrCase<"Thread", 2, "thread">, I32EnumAttrCase<"Subgroup", 3, "subgroup">,
    I32EnumAttrCase<"Lane", 4, "lane">, I32EnumAttrCase<"Team", 5, "team">]> {
  let cppNamespace = "::tiny::uop";
  let genSpecializedAttr = 0;
}

def UOp_ShuffleMode : I32EnumAttr<"ShuffleMode", "which lane of its subgroup a lane reads from", [
    I32EnumAttrCase<"Xor", 0, "xor">, I32EnumAttrCase<"Up", 1, "up">, I32EnumAttrCase<"Down", 2, "down">,
    I32EnumAttrCase<"From", 3, "from">]> {
  let cppNamespace = "::tiny::uop";
  let genSpecializedAttr = 0;
}

def UOp_FragmentRole : I32EnumAttr<"FragmentRole", "what a fragment is in a product of matrices", [
    I32EnumAttrCase<"Left", 0, "left">, I32EnumAttrCase<"Right", 1, "right">, I32EnumAttrCase<"Sum", 2, "sum">]> {
  let cppNamespace = "::tiny::uop";
  let genSpecializedAttr = 0;
}

#endif // TINY_UOP_ENUMS
