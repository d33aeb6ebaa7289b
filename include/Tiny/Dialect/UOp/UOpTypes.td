// Types of the uop dialect. UOpOps.td includes it.
#ifndef TINY_UOP_TYPES
#define TINY_UOP_TYPES

def UOp_FragmentType : TypeDef<UOp_Dialect, "Fragment"> {
  let mnemonic = "fragment";
  let summary = "a small matrix that the lanes of a subgroup, or of several, hold together";
  let description = [{
    Which lane holds which element is the device's affair. `left` and `right` are the factors of a product, `sum` is
    what it is added to. Elements of `tf32` are f32 wherever they lie; a product takes the upper 19 bits of them.
    `by 4` means that the lanes of four subgroups next to each other, a team, hold it.

    ```text
    !uop.fragment<left 16x8xf16>
    !uop.fragment<sum 64x128xf32 by 4>
    ```
  }];
  let parameters = (ins EnumParameter<UOp_FragmentRole>:$role, "int64_t":$rows, "int64_t":$columns,
    "::mlir::Type":$element, "int64_t":$subgroups);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The type of an element in memory and as a scalar.
    ::mlir::Type getScalar() const;
  }];
}

#endif // TINY_UOP_TYPES
