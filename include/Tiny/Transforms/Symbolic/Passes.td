// Passes over index arithmetic, on any level.
#ifndef TINY_TRANSFORMS_SYMBOLIC_PASSES
#define TINY_TRANSFORMS_SYMBOLIC_PASSES

include "mlir/Pass/PassBase.td"

def SymSimplify : Pass<"sym-simplify"> {
  let summary = "Simplify index arithmetic and validity conditions";
  let description = [{
    Works on every block below any operation, graph regions included. The pass reads slices of `arith` and `sym`
    operations on `index` and `i1` into the symbolic engine, simplifies them with the bounds of their leaves, and writes
    back those that became cheaper: division and modulo cost 8, multiplication 2, the rest 1. It simplifies an index
    beside the gate of its access under that gate, and erases what is left unused. On floats it folds comparisons that
    ranges decide, and powers of two into the constant of a quotient where every step is exact.

    Bounds come from `InferIntRangeInterface`; `sym.range_of` states them in any function. Index arithmetic is assumed
    not to overflow. No slice gets dearer, and a second run changes nothing.

    ```mlir
    %0 = sym.range_of %x [0, 31] : index
    %1 = arith.floordivsi %0, %c4 : index
    %2 = arith.muli %1, %c4 : index
    %3 = sym.mod %0, %c4 : index
    %4 = arith.addi %2, %3 : index
    memref.load %m[%4]
    ```
    becomes
    ```mlir
    %0 = sym.range_of %x [0, 31] : index
    memref.load %m[%0]
    ```
  }];
  let statistics = [
    Statistic<"simplified", "simplified-values", "Index and condition values that became cheaper">,
    Statistic<"saved", "saved-cost", "Cost removed: division and modulo 8, multiplication 2, the rest 1">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tiny::sym::SymDialect"];
}

def SymAnnotateBounds : Pass<"sym-annotate-bounds"> {
  let summary = "Write the known bounds of index arithmetic as attributes";
  let description = [{
    Adds `sym.bounds`, inclusive bounds from the symbolic engine, to each `arith` or `sym` operation that gives an
    `index` or an `i1`, and to scalar floats and other integers where something is known of them. For reading and for
    tests: nothing depends on it.

    ```mlir
    %0 = sym.range_of %x [0, 31] : index
    %1 = arith.floordivsi %0, %c4 : index
    ```
    becomes
    ```mlir
    %0 = sym.range_of %x [0, 31] : index
    %1 = arith.floordivsi %0, %c4 {sym.bounds = array<i64: 0, 7>} : index
    ```
  }];
}

def SymCheckBounds : Pass<"sym-check-bounds"> {
  let summary = "Prove that every access stays inside its buffer";
  let description = [{
    Checks each access to a buffer of static size, and changes nothing. An access is an operation whose last operands
    are a rank-1 memref, an index and optionally a gate; a vector covers consecutive elements. The pass proves that no
    element outside the buffer is reached where the gate is on, with the bounds that `InferIntRangeInterface` and
    constant loop bounds give: first by the rules of the symbolic engine, then by Presburger arithmetic. An access that
    leaves its buffer is an error that names a point where it does. Accesses with a gate per lane are not checked.

    ```mlir
    %i = kernel.range loop id(0) extent(8)
    %v = kernel.load %in[%i] : memref<4xf32> // error: reaches element 4 of a buffer of 4
    ```
  }];
  let options = [
    Option<"rejectUnknown", "reject-unknown", "bool", "true",
           "Report accesses that neither the rules nor Presburger arithmetic decides (default true)">,
  ];
  let statistics = [
    Statistic<"checked", "checked-accesses", "Accesses to buffers of static size">,
    Statistic<"byRules", "proved-by-rules", "Accesses that the rules alone proved inside">,
  ];
}

#endif // TINY_TRANSFORMS_SYMBOLIC_PASSES
