// Matrix products: reshape so that rows and columns meet on one axis, multiply, sum.
#include "Window.h"

using namespace mlir;
using namespace tiny::tensor;

//===--- matmul ---------------------------------------------------------------------------------------------------===//

/// Operands as [batch..., rows, inner] and [batch..., inner, columns]: a rank-1 left operand is a row, a right one a
/// column.
struct MatmulShapes {
  SmallVector<int64_t> lhs, rhs;

  MatmulShapes(RankedTensorType lhsType, RankedTensorType rhsType) : lhs(lhsType.getShape()), rhs(rhsType.getShape()) {
    if (lhs.size() == 1)
      lhs.insert(lhs.begin(), 1);
    if (rhs.size() == 1)
      rhs.push_back(1);
  }
};

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  StringRef name = getOperationName();
  RankedTensorType lhs = getStaticTensor(adaptor.getLhs().getType());
  RankedTensorType rhs = getStaticTensor(adaptor.getRhs().getType());
  // (matmul_c1) Neither operand is a scalar.
  if (!lhs || !rhs || lhs.getRank() == 0 || rhs.getRank() == 0)
    return emitInferError(location, name, "expects operands of rank 1 or more, got ", adaptor.getLhs().getType(),
                          " and ", adaptor.getRhs().getType());
  MatmulShapes shapes(lhs, rhs);
  // (matmul_c2) The inner sizes agree.
  int64_t inner = shapes.lhs.back(), other = shapes.rhs[shapes.rhs.size() - 2];
  if (inner != other)
    return emitInferError(location, name, "expects a right operand with ", inner, " rows, got ", other);
  // (matmul_c3) The axes before the last two broadcast.
  ArrayRef<int64_t> lhsBatch = ArrayRef(shapes.lhs).drop_back(2), rhsBatch = ArrayRef(shapes.rhs).drop_back(2);
  std::optional<SmallVector<int64_t>> shape = broadcastShapes(lhsBatch, rhsBatch);
  if (!shape)
    return emitInferError(location, name, "expects batch axes that broadcast, got ", printShape(lhsBatch), " and ",
                          printShape(rhsBatch));
  if (lhs.getRank() > 1)
    shape->push_back(shapes.lhs[shapes.lhs.size() - 2]);
  if (rhs.getRank() > 1)
    shape->push_back(shapes.rhs.back());
  types.push_back(RankedTensorType::get(*shape, promote(lhs.getElementType(), rhs.getElementType())));
  return success();
}

/// [batch..., rows, inner] times [batch..., columns, inner] as [batch..., rows, columns]; fails with an error where
/// the loop is too large.
static FailureOr<Value> multiplyRows(TensorBuilder &build, Value lhs, Value rhs) {
  SmallVector<int64_t> lhsShape(build.getShape(lhs)), rhsShape(build.getShape(rhs));
  lhsShape.insert(lhsShape.end() - 1, 1);
  rhsShape.insert(rhsShape.end() - 2, 1);
  SmallVector<int64_t> loop = *broadcastShapes(lhsShape, rhsShape);
  if (failed(checkIterationSpace(build.getLoc(), loop, build.getElement(lhs))))
    return failure();
  Value product = build.mul(build.reshape(lhs, lhsShape), build.reshape(rhs, rhsShape));
  return build.sum(product, static_cast<int64_t>(loop.size()) - 1);
}

/// Exchanges the last two axes.
static Value transposeLast(TensorBuilder &build, Value value) {
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, build.getShape(value).size()));
  std::swap(permutation.back(), permutation[permutation.size() - 2]);
  return build.permute(value, permutation);
}

FailureOr<SmallVector<Value>> MatmulOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  Type element = getType().getElementType(), compute = getAccumulator(element);
  MatmulShapes shapes(getLhs().getType(), getRhs().getType());
  Value lhs = build.reshape(build.cast(getLhs(), compute), shapes.lhs);
  Value rhs = transposeLast(build, build.reshape(build.cast(getRhs(), compute), shapes.rhs));
  FailureOr<Value> product = multiplyRows(build, lhs, rhs);
  if (failed(product))
    return failure();
  return SmallVector<Value>{build.cast(build.reshape(*product, getType().getShape()), element)};
}

//===--- linear ---------------------------------------------------------------------------------------------------===//

LogicalResult LinearOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  StringRef name = getOperationName();
  RankedTensorType input = getStaticTensor(adaptor.getInput().getType());
  RankedTensorType weight = getStaticTensor(adaptor.getWeight().getType());
  // (linear_c1) The weight is a matrix [out, in], and the input ends in `in`.
  if (!input || !weight || input.getRank() == 0 || weight.getRank() != 2 ||
      input.getShape().back() != weight.getDimSize(1))
    return emitInferError(location, name, "expects an input [..., in] and a weight [out, in], got ",
                          adaptor.getInput().getType(), " and ", adaptor.getWeight().getType());
  Type element = promote(input.getElementType(), weight.getElementType());
  if (Value bias = adaptor.getBias()) {
    // (linear_c2) The bias has one number per output.
    RankedTensorType type = getStaticTensor(bias.getType());
    if (!type || type.getShape() != weight.getShape().take_front())
      return emitInferError(location, name, "expects a bias of ", weight.getDimSize(0), " numbers, got ",
                            bias.getType());
    element = promote(element, type.getElementType());
  }
  SmallVector<int64_t> shape(input.getShape());
  shape.back() = weight.getDimSize(0);
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

FailureOr<SmallVector<Value>> LinearOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  Type element = getType().getElementType(), compute = getAccumulator(element);
  // A rank-1 input is one row.
  SmallVector<int64_t> rows(getInput().getType().getShape());
  if (rows.size() == 1)
    rows.insert(rows.begin(), 1);
  Value input = build.reshape(build.cast(getInput(), compute), rows);
  FailureOr<Value> product = multiplyRows(build, input, build.cast(getWeight(), compute));
  if (failed(product))
    return failure();
  Value result = build.reshape(*product, getType().getShape());
  if (Value bias = getBias())
    result = build.add(result, build.cast(bias, compute));
  return SmallVector<Value>{build.cast(result, element)};
}

//===--- gemm -----------------------------------------------------------------------------------------------------===//

LogicalResult GemmOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  StringRef name = getOperationName();
  RankedTensorType lhs = getStaticTensor(adaptor.getLhs().getType());
  RankedTensorType rhs = getStaticTensor(adaptor.getRhs().getType());
  // (gemm_c1) Both operands are matrices.
  if (!lhs || !rhs || lhs.getRank() != 2 || rhs.getRank() != 2)
    return emitInferError(location, name, "expects operands of rank 2, got ", adaptor.getLhs().getType(), " and ",
                          adaptor.getRhs().getType());
  bool transposeA = adaptor.getTransposeA(), transposeB = adaptor.getTransposeB();
  int64_t inner = lhs.getDimSize(transposeA ? 0 : 1), other = rhs.getDimSize(transposeB ? 1 : 0);
  // (gemm_c2) The inner sizes agree.
  if (inner != other)
    return emitInferError(location, name, "expects an inner size of ", inner, " on the right, got ", other);
  SmallVector<int64_t> shape = {lhs.getDimSize(transposeA ? 1 : 0), rhs.getDimSize(transposeB ? 0 : 1)};
  Type element = promote(lhs.getElementType(), rhs.getElementType());
  if (Value addend = adaptor.getAddend()) {
    // (gemm_c3) What is added broadcasts to the product.
    RankedTensorType type = getStaticTensor(addend.getType());
    std::optional<SmallVector<int64_t>> common;
    if (type)
      common = broadcastShapes(type.getShape(), shape);
    if (!common || *common != shape)
      return emitInferError(location, name, "expects an addend that broadcasts to ", printShape(shape), ", got ",
                            addend.getType());
    element = promote(element, type.getElementType());
  }
  // (gemm_c4) Integers are scaled by integers.
  if (!isa<FloatType>(element) && (!adaptor.getAlpha().isInteger() || !adaptor.getBeta().isInteger()))
    return emitInferError(location, name, "expects an integer alpha and beta for ", element);
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

FailureOr<SmallVector<Value>> GemmOp::decompose(OpBuilder &builder) {
  TensorBuilder build(builder, getLoc());
  Type element = getType().getElementType(), compute = getAccumulator(element);
  Value lhs = build.cast(getLhs(), compute), rhs = build.cast(getRhs(), compute);
  if (getTransposeA())
    lhs = transposeLast(build, lhs);
  if (!getTransposeB())
    rhs = transposeLast(build, rhs);
  FailureOr<Value> product = multiplyRows(build, lhs, rhs);
  if (failed(product))
    return failure();
  Value result = *product;
  if (double alpha = getAlpha().convertToDouble(); alpha != 1)
    result = build.mul(result, alpha);
  // A factor of zero leaves the addend out, as in BLAS.
  if (double beta = getBeta().convertToDouble(); getAddend() && beta != 0) {
    Value addend = build.cast(getAddend(), compute);
    result = build.add(result, beta == 1 ? addend : build.mul(addend, beta));
  }
  return SmallVector<Value>{build.cast(result, element)};
}
