// The kernel dialect's enumerations, apart from KernelOps.td because that one includes arith's.
#ifndef TINY_KERNEL_ENUMS
#define TINY_KERNEL_ENUMS

include "mlir/IR/EnumAttr.td"

// Outermost first: this order is the order of loops.
def Kernel_AxisKind : I32EnumAttr<"AxisKind", "what a loop axis becomes", [
    I32EnumAttrCase<"Global", 0, "global">, I32EnumAttrCase<"Thread", 1, "thread">,
    I32EnumAttrCase<"Local", 2, "local">, I32EnumAttrCase<"Warp", 3, "warp">,
    I32EnumAttrCase<"Loop", 4, "loop">, I32EnumAttrCase<"GroupReduce", 5, "group_reduce">,
    I32EnumAttrCase<"Reduce", 6, "reduce">, I32EnumAttrCase<"Upcast", 7, "upcast">,
    I32EnumAttrCase<"Unroll", 8, "unroll">, I32EnumAttrCase<"Fragment", 9, "fragment">,
    I32EnumAttrCase<"Dot", 10, "dot">]> {
  let cppNamespace = "::tiny::kernel";
  let genSpecializedAttr = 0;
}

def Kernel_StageSpace : I32EnumAttr<"StageSpace", "where a staged tile lives", [
    I32EnumAttrCase<"Local", 0, "local">, I32EnumAttrCase<"Register", 1, "register">]> {
  let cppNamespace = "::tiny::kernel";
  let genSpecializedAttr = 0;
}

#endif // TINY_KERNEL_ENUMS
