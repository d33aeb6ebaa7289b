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

defvar Tiny_FloatTypes = [F64, F32, F16, BF16, F8E4M3FN, F8E5M2];
defvar Tiny_IntTypes = [I8, I16, I32, I64, UI8, UI16, UI32, UI64];

// (tensor_type) The size in bytes stays below 2^62, so that no index computation overflows.
def Tiny_SizePred : CPred<"::tiny::tensor::hasValidSize(::llvm::cast<::mlir::ShapedType>($_self))">;

class Tiny_TensorOf<list<Type> elements> : RankedTensorOf<elements, [HasStaticShapePred, Tiny_SizePred],
    "static tensor of at most 2^62 bytes">;

def Tiny_Tensor : Tiny_TensorOf<Tiny_FloatTypes # [I1] # Tiny_IntTypes>;
def Tiny_FloatTensor : Tiny_TensorOf<Tiny_FloatTypes>;
def Tiny_IntTensor : Tiny_TensorOf<Tiny_IntTypes>;
def Tiny_IntOrBoolTensor : Tiny_TensorOf<[I1] # Tiny_IntTypes>;
def Tiny_NumberTensor : Tiny_TensorOf<Tiny_FloatTypes # Tiny_IntTypes>;
def Tiny_BoolTensor : Tiny_TensorOf<[I1]>;

//===--- Operations -----------------------------------------------------------------------------------------------===//

class Tiny_Op<string mnemonic, list<Trait> traits = []> : Op<Tiny_Dialect, mnemonic, [Pure] # traits>;

// Gets its result type from its operands: `static LogicalResult inferReturnTypes(..., Adaptor, ...)`.
class Tiny_InferredOp<string mnemonic, list<Trait> traits = []> : Tiny_Op<mnemonic, [InferTypeOpAdaptor] # traits>;

// Not primitive: `decompose` in the .cpp of its family.
class Tiny_CompositeOp<string mnemonic, list<Trait> traits = []>
    : Tiny_InferredOp<mnemonic, [DeclareOpInterfaceMethods<DecomposableOpInterface>] # traits>;

// Primitive on some operands only: `isPrimitive` beside `decompose`.
defvar Tiny_SometimesPrimitive = DeclareOpInterfaceMethods<DecomposableOpInterface, ["isPrimitive"]>;

#endif // TINY_TENSOR_BASE
