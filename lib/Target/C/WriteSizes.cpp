// Writes what depends on sizes that are known when the program runs: parameters, their checks, and live extents.
#include "ProgramWriter.h"

#include "Tiny/Support/Family.h"
#include "Tiny/Support/Signature.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::c {

/// An extent as C; the helpers floor, as the map does.
std::string ProgramWriter::writeExtent(AffineExpr extent) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(extent))
    return std::to_string(constant.getValue());
  if (auto size = dyn_cast<AffineSymbolExpr>(extent))
    return sizeNames[size.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(extent);
  std::string left = writeExtent(binary.getLHS()), right = writeExtent(binary.getRHS());
  auto call = [&](StringRef helper) { return ("tiny_" + helper + "_i64(" + left + ", " + right + ")").str(); };
  switch (extent.getKind()) {
  case AffineExprKind::Add:
    return "(" + left + " + " + right + ")";
  case AffineExprKind::Mul:
    return left + " * " + right;
  case AffineExprKind::FloorDiv:
    return call("floordiv");
  case AffineExprKind::CeilDiv:
    return call("ceildiv");
  default:
    return call("mod");
  }
}

std::string ProgramWriter::writeLiveCount(AffineMapAttr shape) const {
  std::string count;
  for (AffineExpr extent : shape.getValue().getResults())
    count += (count.empty() ? "" : " * ") + writeExtent(extent);
  return count.empty() ? "1" : count;
}

std::string ProgramWriter::writeCount(Value buffer) const {
  int64_t bound = cast<MemRefType>(buffer.getType()).getNumElements(), offset = 0;
  Value root = buffer;
  while (auto alias = root.getDefiningOp<kernel::AliasOp>()) {
    offset += alias.getOffset();
    root = alias.getSource();
  }
  auto found = liveCounts.find(root);
  if (found == liveCounts.end())
    return std::to_string(bound);
  std::string live = found->second + (offset ? " - " + std::to_string(offset) : "");
  return "tiny_maxs_i64(tiny_mins_i64(" + live + ", " + std::to_string(bound) + "), 0)";
}

std::string ProgramWriter::writeBytes(const std::string &count, MemRefType type) {
  int64_t number, width = type.getNumElements() ? getBytes(type) / type.getNumElements() : 1;
  if (!StringRef(count).getAsInteger(10, number))
    return std::to_string(number * width);
  return "(size_t)(" + count + ") * " + std::to_string(width);
}

std::string ProgramWriter::writeSizes(kernel::ProgramOp program, StringRef array, std::string &parameters,
                                      std::string &comments) {
  std::string checks, values;
  for (auto [number, size] : llvm::enumerate(program.getSizesAttr().getAsRange<kernel::SizeAttr>())) {
    std::string name = "size_" + makeIdentifier(size.getName());
    while (llvm::is_contained(sizeNames, name) || llvm::is_contained(sizeNames, "*" + name))
      name += "_";
    int64_t least = size.getLeast(), most = size.getMost();
    auto check = [&](const std::string &value) {
      return llvm::formatv("  if ({0} < {1} || {0} > {2})\n    return 2;\n", value, least, most).str();
    };
    comments += llvm::formatv("   {0}: {1}, {2} to {3}{4}\n", name, quote(size.getName()), least, most,
                              size.getComputed() ? ", is written" : "")
                    .str();
    if (size.getComputed()) {
      std::string place = (array + "[" + Twine(number) + "]").str();
      sizeNames.push_back("*" + name);
      parameters += ", int64_t *" + name;
      computed += check(place);
      computed += llvm::formatv("  *{0} = {1};\n", name, place).str();
      values += (number ? ", " : "") + std::to_string(most);
      continue;
    }
    sizeNames.push_back(name);
    parameters += ", int64_t " + name;
    checks += check(name);
    values += (number ? ", " : "") + name;
  }
  checks += ("  int64_t " + array + "[" + Twine(sizeNames.size()) + "] = {" + values + "};\n").str();
  Block &block = program.getBody().front();
  for (BlockArgument argument : block.getArguments())
    if (auto shape = program.getArgAttrOfType<AffineMapAttr>(argument.getArgNumber(), kShapeAttr))
      liveCounts[argument] = writeLiveCount(shape);
  return checks;
}

} // namespace tiny::c
