// The sym dialect: what arith on index lacks. Floor modulo, and a statement of bounds.
#ifndef TINY_SYMBOLIC_OPS
#define TINY_SYMBOLIC_OPS

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Sym_Dialect : Dialect {
  let name = "sym";
  let cppNamespace = "::tiny::sym";
  let summary = "Index arithmetic that arith lacks: floor modulo and stated bounds";
  let description = [{
    Index expressions are `arith` on `index`: floor division is `arith.floordivsi`. arith has no floor modulo, so this
    dialect owns one arithmetic operation, `sym.mod`, and beside it `sym.range_of`, which states the bounds of a value.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let hasConstantMaterializer = 1;
}

class Sym_Op<string mnemonic, list<Trait> traits = []> : Op<Sym_Dialect, mnemonic, traits>;

// index, a signless integer, or a vector or tensor of them.
def Sym_IndexLike : TypeConstraint<SignlessIntegerOrIndexLike.predicate, "index-like">;

def Sym_ModOp : Sym_Op<"mod", [Pure, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>] # ElementwiseMappable.traits> {
  let summary = "floor modulo: x - y * floor(x / y)";
  let description = [{
    The result has the sign of the divisor. It is undefined for a divisor of zero, like `arith.floordivsi`.

    ```mlir
    %r = sym.mod %x, %c8 : index
    ```
  }];
  let arguments = (ins SignlessIntegerOrIndexLike:$lhs, SignlessIntegerOrIndexLike:$rhs);
  let results = (outs SignlessIntegerOrIndexLike:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Sym_RangeOfOp : Sym_Op<"range_of", [Pure, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "states that a value lies between two inclusive bounds";
  let description = [{
    Gives its operand unchanged and promises `lower <= x <= upper`; what breaks the promise, a NaN too, is undefined
    behaviour. The bounds of a float are floats.

    ```mlir
    %b = sym.range_of %x [0, 31] : index
    %g = sym.range_of %y [-4.5, 4.5] : f32
    ```
  }];
  let arguments = (ins AnyTypeOf<[Index, AnySignlessInteger, AnyFloat]>:$value, AnyAttrOf<[I64Attr, F64Attr]>:$lower,
                   AnyAttrOf<[I64Attr, F64Attr]>:$upper);
  let results = (outs AnyTypeOf<[Index, AnySignlessInteger, AnyFloat]>:$result);
  let assemblyFormat = "$value `[` custom<Bound>($lower) `,` custom<Bound>($upper) `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // TINY_SYMBOLIC_OPS
