// Integers that exporters compute from shapes, computed now: without this a model whose shapes are all known would
// still reshape by a computed shape.
#include "Node.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace tiny::onnximport {
namespace {

constexpr int64_t kLargestFolded = 1024;

/// Integers known now: a number, or a list.
struct Known {
  Ints numbers;
  bool isList;
};

std::optional<Known> getKnown(Node &node, unsigned index) {
  ElementsAttr elements = node.constant(index);
  if (!elements || !elements.getElementType().isInteger(64) || elements.getShapedType().getRank() > 1 ||
      elements.getNumElements() > kLargestFolded)
    return std::nullopt;
  std::optional<Ints> numbers = node.constantInts(index, "");
  return numbers ? std::optional<Known>(Known{*numbers, elements.getShapedType().getRank() == 1}) : std::nullopt;
}

std::optional<int64_t> compute(StringRef op, int64_t lhs, int64_t rhs) {
  if (op == "Add")
    return llvm::checkedAdd(lhs, rhs);
  if (op == "Sub")
    return llvm::checkedSub(lhs, rhs);
  if (op == "Mul")
    return llvm::checkedMul(lhs, rhs);
  if (rhs == 0 || (lhs == INT64_MIN && rhs == -1))
    return std::nullopt;
  return lhs / rhs;
}

std::optional<Known> foldBinary(Node &node) {
  std::optional<Known> lhs = getKnown(node, 0), rhs = getKnown(node, 1);
  if (!lhs || !rhs)
    return std::nullopt;
  size_t size = lhs->numbers.size() == 1 ? rhs->numbers.size() : lhs->numbers.size();
  if (rhs->numbers.size() != size && rhs->numbers.size() != 1)
    return std::nullopt;
  Known result{{}, lhs->isList || rhs->isList};
  for (size_t i = 0; i < size; ++i) {
    std::optional<int64_t> number = compute(node.opType(), lhs->numbers[lhs->numbers.size() == 1 ? 0 : i],
                                            rhs->numbers[rhs->numbers.size() == 1 ? 0 : i]);
    if (!number)
      return std::nullopt;
    result.numbers.push_back(*number);
  }
  return result;
}

std::optional<Known> foldGather(Node &node) {
  std::optional<Known> list = getKnown(node, 0), indices = getKnown(node, 1);
  if (!list || !list->isList || !indices)
    return std::nullopt;
  Known result{{}, indices->isList};
  int64_t size = int64_t(list->numbers.size());
  for (int64_t index : indices->numbers) {
    if (index < -size || index >= size)
      return std::nullopt;
    result.numbers.push_back(list->numbers[index < 0 ? index + size : index]);
  }
  return result;
}

std::optional<Known> foldConcat(Node &node) {
  Known result{{}, true};
  for (unsigned i = 0; i < node.numInputs(); ++i) {
    std::optional<Known> part = getKnown(node, i);
    if (!part || !part->isList || result.numbers.size() + part->numbers.size() > size_t(kLargestFolded))
      return std::nullopt;
    llvm::append_range(result.numbers, part->numbers);
  }
  return result;
}

/// A number and the list of it alone are the same elements.
std::optional<Known> foldRank(Node &node, bool isList) {
  std::optional<Known> known = getKnown(node, 0);
  if (!known || known->isList == isList || known->numbers.size() != 1)
    return std::nullopt;
  known->isList = isList;
  return known;
}

std::optional<Known> foldSlice(Node &node) {
  std::optional<Known> list = getKnown(node, 0);
  if (!list || !list->isList || node.opset() < 10 || node.numInputs() < 3)
    return std::nullopt;
  std::optional<Known> from = getKnown(node, 1), to = getKnown(node, 2);
  std::optional<Known> step = node.hasInput(4) ? getKnown(node, 4) : Known{{1}, true};
  if (!from || !to || !step || from->numbers.size() != 1 || to->numbers.size() != 1 || step->numbers != Ints{1})
    return std::nullopt;
  int64_t size = int64_t(list->numbers.size());
  auto clamp = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size); };
  int64_t begin = clamp(from->numbers[0]), end = std::max(begin, clamp(to->numbers[0]));
  return Known{Ints(ArrayRef(list->numbers).slice(begin, end - begin)), true};
}

std::optional<Known> fold(Node &node) {
  StringRef op = node.opType();
  if (op == "Add" || op == "Sub" || op == "Mul" || op == "Div")
    return foldBinary(node);
  if (op == "Gather")
    return foldGather(node);
  if (op == "Concat")
    return foldConcat(node);
  if (op == "Unsqueeze")
    return foldRank(node, true);
  if (op == "Squeeze")
    return foldRank(node, false);
  if (op == "Slice")
    return foldSlice(node);
  if (op == "Cast" && node.getInt("to", 0) == onnx::TensorProto::INT64)
    return getKnown(node, 0);
  return std::nullopt;
}

} // namespace

Value foldIntegers(Node &node) {
  std::optional<Known> known = fold(node);
  if (!known)
    return nullptr;
  Ints shape;
  if (known->isList)
    shape.push_back(int64_t(known->numbers.size()));
  return node.makeInts(known->numbers, shape, IntegerType::get(node.getContext(), 64));
}

} // namespace tiny::onnximport
