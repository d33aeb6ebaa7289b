// The tiny dialect's definition, its types, and the class every operation derives from.
#ifndef TINY_TENSOR_BASE
#define TINY_TENSOR_BASE

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "Tiny/Dialect/Tensor/TensorInterfaces.td"

def Tiny_Dialect : Dialect {
  let name = "tiny";
  let cppNamespace = "::tiny::tensor";
  let summary = "Named tensor operations with NumPy broadcasting and type promotion";
  let description = [{
    Operations on builtin ranked tensors of static shape. Signed integers are `i8` to `i64`, unsigned ones `ui8` to
    `ui64`; `i1` is a truth value. Operands broadcast as in NumPy, and their element types promote along one lattice
    (`Promotion.h`). A few operations are primitive, all others decompose into them.
  }];
  let hasConstantMaterializer = 1;
}

//===--- Types ----------------------------------------------------------------------------------------------------===//

// (tensor_type) A static ranked tensor of the named elements. Its size in bytes stays below 2^62, so that no index
// computation overflows.
class Tiny_TensorOf<string set, string what> : Type<
    CPred<"::tiny::tensor::isTensorOf($_self, ::tiny::tensor::ElementSet::" # set # ")">,
    "static ranked tensor of " # what # " in at most 2^62 bytes", "::mlir::RankedTensorType">;

def Tiny_Tensor : Tiny_TensorOf<"Any", "floats, integers or truth values">;
def Tiny_FloatTensor : Tiny_TensorOf<"Float", "floats">;
def Tiny_IntTensor : Tiny_TensorOf<"Integer", "integers">;
def Tiny_IntOrBoolTensor : Tiny_TensorOf<"IntegerOrBool", "integers or truth values">;
def Tiny_NumberTensor : Tiny_TensorOf<"Number", "floats or integers">;
def Tiny_BoolTensor : Tiny_TensorOf<"Bool", "truth values (i1)">;

//===--- Operations -----------------------------------------------------------------------------------------------===//

class Tiny_Op<string mnemonic, list<Trait> traits = []> : Op<Tiny_Dialect, mnemonic, [Pure] # traits>;

// Gets its result type from its operands: `static LogicalResult inferReturnTypes(..., Adaptor, ...)`.
class Tiny_InferredOp<string mnemonic, list<Trait> traits = []> : Tiny_Op<mnemonic, [InferTypeOpAdaptor] # traits>;

// Not primitive: `decompose` in the .cpp of its family.
class Tiny_CompositeOp<string mnemonic, list<Trait> traits = []>
    : Tiny_InferredOp<mnemonic, [DeclareOpInterfaceMethods<DecomposableOpInterface>] # traits>;

// Primitive on some operands only: `isPrimitive` beside `decompose`.
defvar Tiny_SometimesPrimitive = DeclareOpInterfaceMethods<DecomposableOpInterface, ["isPrimitive"]>;

// Knows its gradient: `differentiate` in the ...Gradients.cpp of its family.
defvar Tiny_HasGradient = DeclareOpInterfaceMethods<GradientOpInterface>;

// May be cut among ranks: `getShardingRule` in the Sharding...cpp of its family.
defvar Tiny_Shardable = DeclareOpInterfaceMethods<ShardingOpInterface>;
// Has attributes that name sizes: `localize`, too.
defvar Tiny_ShardableWithSizes = DeclareOpInterfaceMethods<ShardingOpInterface, ["localize"]>;

#endif // TINY_TENSOR_BASE
