// Measures convolutions as sums of products and by Winograd's filtering.
#include "ConvolutionSearch.h"

#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/Tensor/TensorBuilder.h"
#include "Tiny/Dialect/Tensor/Winograd.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using llvm::Expected;

namespace tiny {

SmallVector<SmallVector<tensor::ConvOp>> findConvolutions(ModuleOp module) {
  llvm::MapVector<StringAttr, SmallVector<tensor::ConvOp>> classes;
  module.walk([&](tensor::ConvOp conv) {
    if (!conv.getWinograd() && !tensor::findWinogradTiles(conv, 2).empty())
      classes[StringAttr::get(conv.getContext(), tensor::getConvKey(conv))].push_back(conv);
  });
  SmallVector<SmallVector<tensor::ConvOp>> found;
  for (auto &entry : classes)
    found.push_back(std::move(entry.second));
  auto count = [](ArrayRef<tensor::ConvOp> convs) {
    tensor::ConvOp conv = convs.front();
    RankedTensorType result = conv.getType(), weight = conv.getWeight().getType();
    return double(convs.size()) * double(result.getNumElements()) * double(weight.getNumElements()) /
           std::max<int64_t>(1, weight.getDimSize(0));
  };
  llvm::stable_sort(found, [&](const auto &a, const auto &b) { return count(a) > count(b); });
  return found;
}

/// The text of a program that computes the convolution alone, by these tiles if there are any.
static std::string writeProgram(tensor::ConvOp conv, ArrayRef<int64_t> tiles) {
  OpBuilder builder(conv.getContext());
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, loc);
  (*module)->setDiscardableAttrs(conv->getParentOfType<ModuleOp>()->getDiscardableAttrDictionary());
  SmallVector<Type> inputs = {conv.getInput().getType()};
  bool isKnown = tensor::isKnownValue(conv.getWeight());
  if (!isKnown)
    inputs.push_back(conv.getWeight().getType());
  if (conv.getBias())
    inputs.push_back(conv.getBias().getType());
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(builder, loc, kSearchProgram, builder.getFunctionType(inputs, conv.getType()));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  IRMapping mapping;
  mapping.map(conv.getInput(), function.getArgument(0));
  tensor::TensorBuilder build(builder, loc);
  if (isKnown) {
    // Any numbers that only the compiler computes: what depends on constants alone runs once.
    RankedTensorType type = conv.getWeight().getType();
    auto flat = RankedTensorType::get({type.getNumElements()}, type.getElementType());
    Value numbers = build.create<tensor::ContiguousOp>(
        build.create<tensor::SinOp>(build.create<tensor::IotaOp>(flat.getShape(), flat.getElementType(), int64_t(0))));
    mapping.map(conv.getWeight(), build.reshape(numbers, type.getShape()));
  } else
    mapping.map(conv.getWeight(), function.getArgument(1));
  if (conv.getBias())
    mapping.map(conv.getBias(), function.getArguments().back());
  auto copy = cast<tensor::ConvOp>(builder.clone(*conv, mapping));
  if (!tiles.empty())
    copy.setWinograd(tiles);
  func::ReturnOp::create(builder, loc, copy.getResult());
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().useLocalScope());
  return text;
}

Expected<WinogradChoice> searchTiles(const SearchSetting &setting, tensor::ConvOp conv,
                                     llvm::function_ref<bool()> isOver) {
  WinogradChoice choice;
  SmallVector<SmallVector<int64_t>> tiles;
  for (int64_t tile : {4, 2, 6})
    if (SmallVector<int64_t> some = tensor::findWinogradTiles(conv, tile); !llvm::is_contained(tiles, some))
      tiles.push_back(some);
  std::vector<std::string> programs = {writeProgram(conv, {})};
  for (ArrayRef<int64_t> some : tiles)
    programs.push_back(writeProgram(conv, some));
  std::vector<std::string> containers = setting.pool.compile(programs, isOver);
  // In a model other weights have gone through the caches since those of this layer were read.
  int64_t bytes = target::findMachine(conv).caches.back().bytes;
  std::vector<std::unique_ptr<Runner>> runners;
  std::vector<HostTensor> inputs;
  SmallVector<Runner *> challengers;
  SmallVector<size_t> which;
  for (auto [index, container] : llvm::enumerate(containers)) {
    if (container.empty()) {
      if (index == 0)
        return choice;
      continue;
    }
    Expected<std::unique_ptr<Runner>> runner = Runner::load(container, setting.context, setting.request.threads, bytes);
    if (!runner)
      return runner.takeError();
    runners.push_back(std::move(*runner));
    if (index == 0) {
      Expected<std::vector<HostTensor>> made = makeSearchInputs(runners.front()->getInputs());
      if (!made)
        return made.takeError();
      inputs = std::move(*made);
    }
    if (llvm::Error error = runners.back()->run(getPointers(inputs)))
      return error;
    if (index == 0 || !hasSameResults(*runners.back(), *runners.front(), /*toTheBit=*/false))
      continue;
    challengers.push_back(runners.back().get());
    which.push_back(index - 1);
  }
  Expected<Runner *> winner = race(*runners.front(), challengers, getPointers(inputs), isOver);
  if (!winner)
    return winner.takeError();
  choice.before = choice.after = runners.front()->getLeast();
  if (!*winner)
    return choice;
  choice.after = (*winner)->getLeast();
  choice.tiles = tiles[which[llvm::find(challengers, *winner) - challengers.begin()]];
  return choice;
}

} // namespace tiny
