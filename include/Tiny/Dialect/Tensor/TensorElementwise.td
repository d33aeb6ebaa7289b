// Elementwise operations: one entry each. What is not primitive has its `lower` in lib/Dialect/Tensor.
#ifndef TINY_TENSOR_ELEMENTWISE
#define TINY_TENSOR_ELEMENTWISE

include "Tiny/Dialect/Tensor/TensorBase.td"

// Operands broadcast to one shape and are cast to the type that `rule` computes in (ElementRule in Promotion.h);
// `tensor-decompose` makes both explicit. After that the operation is primitive where the C++ expression `primitive`
// holds; elsewhere `lower` gives it in simpler operations, with operands of one shape and type.
class Tiny_ElementwiseOp<string mnemonic, string rule, dag operands, string primitive, string format,
    list<Trait> traits> : Tiny_InferredOp<mnemonic, [Tiny_SometimesPrimitive, Tiny_Shardable] # traits> {
  let arguments = operands;
  let results = (outs Tiny_Tensor:$result);
  let assemblyFormat = format # " attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// How operand types promote, and what the result is.
    static constexpr ::tiny::tensor::ElementRule kRule = ::tiny::tensor::ElementRule::}] # rule # [{;
  }] # !if(!eq(primitive, "true"), "", [{
    /// The operation in simpler ones, for operands of one shape and type.
    ::mlir::Value lower(::tiny::tensor::TensorBuilder &build);
  }]);
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::tiny::tensor::inferElementwise(location, getOperationName(), adaptor.getOperands(), kRule, types);
    }
    ::tiny::tensor::ShardingRule $cppClass::getShardingRule() { return ::tiny::tensor::getElementwiseRule(*this); }
    bool $cppClass::isPrimitive() {
      [[maybe_unused]] ::mlir::Type element = ::mlir::getElementTypeOrSelf((*this)->getOperands().back().getType());
      return ::tiny::tensor::hasExplicitOperands(*this, kRule) && (}] # primitive # [{);
    }
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>> $cppClass::decompose(::mlir::OpBuilder &builder) {
      if (!::tiny::tensor::hasExplicitOperands(*this, kRule))
        return ::tiny::tensor::makeOperandsExplicit(builder, *this, kRule);
      }] # !if(!eq(primitive, "true"), "return ::mlir::failure();", [{
      if (auto wide = ::tiny::tensor::computeInF32(builder, *this, kRule))
        return *wide;
      ::tiny::tensor::TensorBuilder build(builder, getLoc());
      return ::llvm::SmallVector<::mlir::Value>{lower(build)};}]) # [{
    }
  }];
}

class Tiny_UnaryOp<string mnemonic, string rule, string primitive = "true", Type type = Tiny_Tensor,
    list<Trait> traits = [Tiny_HasGradient]> : Tiny_ElementwiseOp<mnemonic, rule, (ins type:$input), primitive, "$input", traits>;

class Tiny_ParametricOp<string mnemonic, string rule, dag parameters, string format>
    : Tiny_ElementwiseOp<mnemonic, rule, !con((ins Tiny_Tensor:$input), parameters), "false", "$input " # format,
      [Tiny_HasGradient]>;

class Tiny_BinaryOp<string mnemonic, string rule, string primitive = "true", Type type = Tiny_Tensor,
    list<Trait> traits = []>
    : Tiny_ElementwiseOp<mnemonic, rule, (ins type:$lhs, type:$rhs), primitive, "$lhs `,` $rhs", traits>;

defvar isFloat = "::llvm::isa<::mlir::FloatType>(element)";
defvar isSigned = "!element.isUnsignedInteger() && !element.isInteger(1)";
defvar isInteger = "!::llvm::isa<::mlir::FloatType>(element)";

//===--- Conversion between element types -------------------------------------------------------------------------===//

class Tiny_CastLikeOp<string mnemonic, string what, Type type, list<Trait> traits = []>
    : Tiny_Op<mnemonic, [Tiny_SometimesPrimitive, Tiny_Shardable] # traits> {
  let summary = what;
  let arguments = (ins type:$input);
  let results = (outs type:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "::mlir::Type":$element), [{
    build($_builder, $_state, ::llvm::cast<::mlir::RankedTensorType>(input.getType()).clone(element), input);
  }]>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tiny_CastOp : Tiny_CastLikeOp<"cast", "converts numbers: to i1 is `!= 0`, from float to integer truncates", Tiny_Tensor,
    [Tiny_HasGradient]> {
  let description = [{
    Between integers the low bits stay. A float beyond an integer type gives its largest or least number, NaN gives 0.

    ```mlir
    %1 = tiny.cast %0 : (tensor<4xi32>) -> tensor<4xf32>
    ```
  }];
}

def Tiny_BitcastOp : Tiny_CastLikeOp<"bitcast", "the same bits as another type of the same width", Tiny_NumberTensor> {
  let description = [{
    ```mlir
    %1 = tiny.bitcast %0 : (tensor<4xi32>) -> tensor<4xf32>
    ```
  }];
}

//===--- Unary ----------------------------------------------------------------------------------------------------===//

def Tiny_NegOp : Tiny_UnaryOp<"neg", "Number"> { let summary = "-x"; let hasFolder = 1; }
def Tiny_AbsOp : Tiny_UnaryOp<"abs", "Promote", !strconcat(isFloat, " || (", isSigned, ")")> { let summary = "|x|"; let hasFolder = 1; }
def Tiny_NotOp : Tiny_UnaryOp<"not", "Promote", "true", Tiny_IntOrBoolTensor, []> { let summary = "logical on i1, bitwise on integers"; let hasFolder = 1; }
def Tiny_SignOp : Tiny_UnaryOp<"sign", "Promote", "false"> { let summary = "-1, 0 or 1; NaN for NaN"; }
def Tiny_SquareOp : Tiny_UnaryOp<"square", "Promote", "false"> { let summary = "x * x"; }
def Tiny_ReciprocalOp : Tiny_UnaryOp<"reciprocal", "Float", "false"> { let summary = "1 / x"; }

def Tiny_ExpOp : Tiny_UnaryOp<"exp", "Float"> { let summary = "e^x"; }
def Tiny_Exp2Op : Tiny_UnaryOp<"exp2", "Float"> { let summary = "2^x"; }
def Tiny_Expm1Op : Tiny_UnaryOp<"expm1", "Float"> { let summary = "e^x - 1 without cancellation"; }
def Tiny_LogOp : Tiny_UnaryOp<"log", "Float"> { let summary = "natural logarithm"; }
def Tiny_Log2Op : Tiny_UnaryOp<"log2", "Float"> { let summary = "logarithm to base 2"; }
def Tiny_Log1pOp : Tiny_UnaryOp<"log1p", "Float"> { let summary = "log(1 + x) without cancellation"; }
def Tiny_SqrtOp : Tiny_UnaryOp<"sqrt", "Float"> { let summary = "square root"; }
def Tiny_RsqrtOp : Tiny_UnaryOp<"rsqrt", "Float"> { let summary = "1 / sqrt(x)"; }
def Tiny_SinOp : Tiny_UnaryOp<"sin", "Float"> { let summary = "sine"; }
def Tiny_CosOp : Tiny_UnaryOp<"cos", "Float"> { let summary = "cosine"; }
def Tiny_TanOp : Tiny_UnaryOp<"tan", "Float"> { let summary = "tangent"; }
def Tiny_AsinOp : Tiny_UnaryOp<"asin", "Float"> { let summary = "arc sine"; }
def Tiny_AcosOp : Tiny_UnaryOp<"acos", "Float"> { let summary = "arc cosine"; }
def Tiny_AtanOp : Tiny_UnaryOp<"atan", "Float"> { let summary = "arc tangent"; }
def Tiny_SinhOp : Tiny_UnaryOp<"sinh", "Float"> { let summary = "hyperbolic sine"; }
def Tiny_CoshOp : Tiny_UnaryOp<"cosh", "Float"> { let summary = "hyperbolic cosine"; }
def Tiny_TanhOp : Tiny_UnaryOp<"tanh", "Float"> { let summary = "hyperbolic tangent"; }
def Tiny_ErfOp : Tiny_UnaryOp<"erf", "Float"> { let summary = "error function"; }

def Tiny_FloorOp : Tiny_UnaryOp<"floor", "Promote", isFloat> { let summary = "the next integer below"; let hasFolder = 1; }
def Tiny_CeilOp : Tiny_UnaryOp<"ceil", "Promote", isFloat> { let summary = "the next integer above"; let hasFolder = 1; }
def Tiny_RoundOp : Tiny_UnaryOp<"round", "Promote", isFloat> { let summary = "the nearest integer, halves to the even one"; let hasFolder = 1; }
def Tiny_TruncOp : Tiny_UnaryOp<"trunc", "Promote", isFloat> { let summary = "the next integer towards zero"; let hasFolder = 1; }
def Tiny_IsNaNOp : Tiny_UnaryOp<"isnan", "Compare", "false", Tiny_Tensor, []> { let summary = "whether x is not a number"; }
def Tiny_IsInfOp : Tiny_UnaryOp<"isinf", "Compare", "false", Tiny_Tensor, []> { let summary = "whether x is infinite"; }

def Tiny_ReluOp : Tiny_UnaryOp<"relu", "Promote", "false"> { let summary = "max(x, 0)"; }
def Tiny_Relu6Op : Tiny_UnaryOp<"relu6", "Promote", "false"> { let summary = "min(max(x, 0), 6)"; }
def Tiny_SigmoidOp : Tiny_UnaryOp<"sigmoid", "Float", "false"> { let summary = "1 / (1 + exp(-x))"; }
def Tiny_SiluOp : Tiny_UnaryOp<"silu", "Float", "false"> { let summary = "x * sigmoid(x)"; }
def Tiny_SoftplusOp : Tiny_UnaryOp<"softplus", "Float", "false"> { let summary = "log(1 + exp(x)), without overflow"; }
def Tiny_SoftsignOp : Tiny_UnaryOp<"softsign", "Float", "false"> { let summary = "x / (1 + |x|)"; }
def Tiny_MishOp : Tiny_UnaryOp<"mish", "Float", "false"> { let summary = "x * tanh(softplus(x))"; }
def Tiny_HardSwishOp : Tiny_UnaryOp<"hardswish", "Float", "false"> { let summary = "x * hardsigmoid(x)"; }
def Tiny_HardSigmoidOp : Tiny_ParametricOp<"hardsigmoid", "Float", (ins
    DefaultValuedAttr<F64Attr, "1.0 / 6.0">:$alpha, DefaultValuedAttr<F64Attr, "0.5">:$beta),
    "(`alpha` $alpha^)? (`beta` $beta^)?"> { let summary = "min(max(alpha * x + beta, 0), 1)"; }
def Tiny_LeakyReluOp : Tiny_ParametricOp<"leaky_relu", "Float", (ins DefaultValuedAttr<F64Attr, "0.01">:$alpha),
    "(`alpha` $alpha^)?"> { let summary = "x, or alpha * x where x is negative"; }
def Tiny_EluOp : Tiny_ParametricOp<"elu", "Float", (ins DefaultValuedAttr<F64Attr, "1.0">:$alpha),
    "(`alpha` $alpha^)?"> { let summary = "x, or alpha * (exp(x) - 1) where x is negative"; }
def Tiny_GeluOp : Tiny_ParametricOp<"gelu", "Float", (ins UnitAttr:$approximate),
    "(`approximate` $approximate^)?"> { let summary = "x times the normal distribution's integral at x, by erf or approximately by tanh"; }

//===--- Binary ---------------------------------------------------------------------------------------------------===//

def Tiny_AddOp : Tiny_BinaryOp<"add", "Number", "true", Tiny_Tensor, [Commutative, Tiny_HasGradient]> { let summary = "x + y"; let hasFolder = 1; }
def Tiny_SubOp : Tiny_BinaryOp<"sub", "Number", "true", Tiny_Tensor, [Tiny_HasGradient]> { let summary = "x - y"; let hasFolder = 1; }
def Tiny_MulOp : Tiny_BinaryOp<"mul", "Number", "true", Tiny_Tensor, [Commutative, Tiny_HasGradient]> { let summary = "x * y"; let hasFolder = 1; }
def Tiny_DivOp : Tiny_BinaryOp<"div", "Float", "true", Tiny_Tensor, [Tiny_HasGradient]> { let summary = "true division: integers are divided as f32"; let hasFolder = 1; }
def Tiny_FloorDivOp : Tiny_BinaryOp<"floordiv", "Number", isInteger, Tiny_Tensor, [Tiny_HasGradient]> { let summary = "the quotient rounded down; 0 where an integer is divided by 0"; }
def Tiny_TruncDivOp : Tiny_BinaryOp<"truncdiv", "Number", isInteger, Tiny_Tensor, [Tiny_HasGradient]> { let summary = "the quotient rounded towards zero; 0 where an integer is divided by 0"; }
def Tiny_ModOp : Tiny_BinaryOp<"mod", "Number", "false", Tiny_Tensor, [Tiny_HasGradient]> { let summary = "the remainder of floordiv, with the divisor's sign; 0 where an integer is divided by 0"; }
def Tiny_FmodOp : Tiny_BinaryOp<"fmod", "Number", "true", Tiny_Tensor, [Tiny_HasGradient]> { let summary = "the remainder of truncdiv, with the dividend's sign; 0 where an integer is divided by 0"; }
def Tiny_PowOp : Tiny_BinaryOp<"pow", "Number", isFloat, Tiny_Tensor, [Tiny_HasGradient]> { let summary = "x to the power y; 1 / x^-y truncated where an integer's power is negative"; let hasCanonicalizer = 1; }
def Tiny_MaximumOp : Tiny_BinaryOp<"maximum", "Promote", "true", Tiny_Tensor, [Commutative, Tiny_HasGradient]> { let summary = "the larger one; NaN where one is NaN"; let hasFolder = 1; }
def Tiny_MinimumOp : Tiny_BinaryOp<"minimum", "Promote", "true", Tiny_Tensor, [Commutative, Tiny_HasGradient]> { let summary = "the smaller one; NaN where one is NaN"; let hasFolder = 1; }
def Tiny_AndOp : Tiny_BinaryOp<"and", "Promote", "true", Tiny_IntOrBoolTensor, [Commutative]> { let summary = "logical on i1, bitwise on integers"; let hasFolder = 1; }
def Tiny_OrOp : Tiny_BinaryOp<"or", "Promote", "true", Tiny_IntOrBoolTensor, [Commutative]> { let summary = "logical on i1, bitwise on integers"; let hasFolder = 1; }
def Tiny_XorOp : Tiny_BinaryOp<"xor", "Promote", "true", Tiny_IntOrBoolTensor, [Commutative]> { let summary = "logical on i1, bitwise on integers"; }
def Tiny_ShlOp : Tiny_BinaryOp<"shl", "Promote", "true", Tiny_IntTensor> { let summary = "x * 2^y; 0 where y is negative or reaches the width"; }
def Tiny_ShrOp : Tiny_BinaryOp<"shr", "Promote", "true", Tiny_IntTensor> { let summary = "x / 2^y rounded down; all copies of the sign where y is negative or reaches the width"; }

def Tiny_EqOp : Tiny_BinaryOp<"eq", "Compare", "true", Tiny_Tensor, [Commutative]> { let summary = "x == y; false on NaN"; }
def Tiny_NeOp : Tiny_BinaryOp<"ne", "Compare", "true", Tiny_Tensor, [Commutative]> { let summary = "x != y; true on NaN"; }
def Tiny_LtOp : Tiny_BinaryOp<"lt", "Compare"> { let summary = "x < y; false on NaN"; }
def Tiny_LeOp : Tiny_BinaryOp<"le", "Compare"> { let summary = "x <= y; false on NaN"; }
def Tiny_GtOp : Tiny_BinaryOp<"gt", "Compare"> { let summary = "x > y; false on NaN"; }
def Tiny_GeOp : Tiny_BinaryOp<"ge", "Compare"> { let summary = "x >= y; false on NaN"; }

//===--- Ternary --------------------------------------------------------------------------------------------------===//

def Tiny_WhereOp : Tiny_ElementwiseOp<"where", "Select",
    (ins Tiny_BoolTensor:$condition, Tiny_Tensor:$lhs, Tiny_Tensor:$rhs), "true", "$condition `,` $lhs `,` $rhs", [Tiny_HasGradient]> {
  let summary = "lhs where the condition holds, else rhs";
  let hasFolder = 1;
}

def Tiny_ClampOp : Tiny_ElementwiseOp<"clamp", "Promote",
    (ins Tiny_Tensor:$input, Tiny_Tensor:$low, Tiny_Tensor:$high), "false", "$input `,` $low `,` $high", [Tiny_HasGradient]> {
  let summary = "min(max(x, low), high)";
}

#endif // TINY_TENSOR_ELEMENTWISE
