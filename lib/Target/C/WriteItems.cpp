// Writes the items of a program, one `write` for each kind.
#include "ProgramWriter.h"

#include "Tiny/Support/HostTensor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::c {

/// Constants of more bytes stand in a file of their own.
static constexpr size_t kInlineBytes = 4096;

LogicalResult ProgramWriter::write(kernel::ConstantOp op) {
  std::optional<HostTensor> tensor = readConstant(op.getValue());
  if (!tensor)
    return op.emitOpError("has elements that are missing, too few, or of a type that has no form in C");
  auto type = cast<MemRefType>(op.getBuffer().getType());
  Type element = type.getElementType();
  int64_t count = type.getNumElements();
  std::string name = stem + "_" + makeUnique("constant");
  described[op.getBuffer()] = name;
  names[op.getBuffer()] = "(" + getElementName(element).str() + " *)" + name;
  size_t width = tensor->bytes.size() / std::max<int64_t>(count, 1);
  bool isLarge = tensor->bytes.size() > kInlineBytes;
  std::string declared =
      ("const " + getElementName(element) + " " + name + "[" + Twine(std::max<int64_t>(count, 1)) + "]").str();
  std::string &text = isLarge ? largeConstants : constants;
  if (isLarge)
    constants += "extern " + declared + ";\n";
  text += (isLarge ? "extern " + declared + ";\n" : std::string("static ")) + declared + " = {";
  for (int64_t k = 0; k < count; ++k)
    text += (k % 8 == 0 ? "\n  " : " ") +
            writeElement(reinterpret_cast<const char *>(tensor->bytes.data()) + k * width, element) + ",";
  text += count == 0 ? "0};\n" : "\n};\n";
  return success();
}

LogicalResult ProgramWriter::write(kernel::LaunchOp launch) {
  auto kernel = module.lookupSymbol<mlir::emitc::FuncOp>(launch.getCallee());
  if (!kernel)
    return launch.emitOpError("launches '") << launch.getCallee() << "', which is no emitc.func";
  kernel::EntryAttr entry = kernel::getEntry(kernel);
  if (!entry)
    return launch.emitOpError("launches '") << launch.getCallee() << "', which has no '" << kernel::kEntryAttr << "'";
  std::vector<std::string> arguments;
  for (Value buffer : launch->getOperands())
    arguments.push_back(names[buffer]);
  if (entry.getScratch() != 0)
    arguments.push_back("memory + " + std::to_string(planned));
  std::string indent = "  ";
  // The grid axes that the kernel has are its last arguments.
  size_t nAxes = kernel.getNumArguments() - arguments.size();
  for (size_t axis = 0; axis < nAxes; ++axis) {
    std::string name = "g" + std::to_string(axis);
    body += llvm::formatv("{0}for (int64_t {1} = 0; {1} < {2}; ++{1})\n", indent, name, entry.getGrid()[axis]).str();
    indent += "  ";
    arguments.push_back(name);
  }
  body += indent + kernelNames[launch.getCallee()] + "(" + llvm::join(arguments, ", ") + ");\n";
  return success();
}

void ProgramWriter::declare(Value buffer, const Twine &from) {
  auto type = cast<MemRefType>(buffer.getType());
  std::string name = "b" + std::to_string(names.size()), element = getElementName(type.getElementType()).str();
  names[buffer] = name;
  described.try_emplace(buffer, name);
  body += "  " + element + " *" + name + " = (" + element + " *)(" + from.str() + ");\n";
}

LogicalResult ProgramWriter::write(kernel::AllocOp op) {
  declare(op.getBuffer(), "memory + " + Twine(offsets[op.getBuffer()]));
  return success();
}

LogicalResult ProgramWriter::write(kernel::AliasOp op) {
  declare(op.getResult(), names[op.getSource()] + " + " + Twine(op.getOffset()));
  return success();
}

LogicalResult ProgramWriter::write(kernel::CopyOp op) {
  std::string source = writeCount(op.getSource()), target = writeCount(op.getTarget());
  // As much as both have.
  std::string count = source == target                                        ? source
                      : !liveCounts.contains(kernel::getRoot(op.getSource())) ? target
                      : !liveCounts.contains(kernel::getRoot(op.getTarget()))
                          ? source
                          : "tiny_mins_i64(" + source + ", " + target + ")";
  body += "  memmove(" + names[op.getTarget()] + ", " + names[op.getSource()] + ", " +
          writeBytes(count, cast<MemRefType>(op.getTarget().getType())) + ");\n";
  return success();
}

LogicalResult ProgramWriter::write(kernel::CollectiveOp op) {
  return op.emitOpError("has no form in C: what it calls is the runtime's");
}

LogicalResult ProgramWriter::write(kernel::WaitOp op) {
  return op.emitOpError("has no form in C: what it waits for is the runtime's");
}

LogicalResult ProgramWriter::write(kernel::FillOp op) {
  auto type = cast<MemRefType>(op.getTarget().getType());
  std::optional<HostTensor> one = readConstant(
      DenseElementsAttr::get(RankedTensorType::get({1}, op.getValue().getType()), Attribute(op.getValue())));
  if (!one)
    return op.emitOpError("fills with a value that has no form in C");
  body += "  for (int64_t i = 0; i < " + writeCount(op.getTarget()) + "; ++i)\n    " + names[op.getTarget()] +
          "[i] = " + writeElement(reinterpret_cast<const char *>(one->bytes.data()), type.getElementType()) + ";\n";
  return success();
}

LogicalResult ProgramWriter::writeList(Region &list) {
  std::string outside = std::exchange(body, "");
  if (!list.empty())
    for (Operation &item : list.front())
      if (failed(writeItem(item)))
        return failure();
  for (StringRef rest = body; !rest.empty();) {
    auto [line, others] = rest.split('\n');
    outside += (line.empty() ? "" : "  ") + line.str() + "\n";
    rest = others;
  }
  body = std::move(outside);
  return success();
}

LogicalResult ProgramWriter::write(kernel::LoopOp op) {
  std::string count = "n" + std::to_string(nLoops), iteration = "k" + std::to_string(nLoops);
  ++nLoops;
  std::string most = "INT64_C(" + std::to_string(op.getMost()) + ")";
  body += "  int64_t " + iteration + " = 0;\n";
  if (op.getLimit()) {
    std::string limit = "*" + names[op.getLimit()];
    body += "  const int64_t " + count + " = " + limit + " < " + most + " ? " + limit + " : " + most + ";\n";
  }
  std::string condition = iteration + " < " + (op.getLimit() ? count : most);
  if (op.getCondition())
    condition += " && *" + names[op.getCondition()];
  body += "  for (; " + condition + "; ++" + iteration + ") {\n";
  std::string counter = op.getCounter() ? "  *" + names[op.getCounter()] + " = " + iteration + ";\n" : "";
  if (op.getCounter())
    body += "  " + counter;
  if (failed(writeList(op.getBody())))
    return failure();
  body += "  }\n" + counter;
  return success();
}

LogicalResult ProgramWriter::write(kernel::IfOp op) {
  body += "  if (*" + names[op.getCondition()] + ") {\n";
  if (failed(writeList(op.getBody())))
    return failure();
  if (!op.getOtherwise().empty()) {
    body += "  } else {\n";
    if (failed(writeList(op.getOtherwise())))
      return failure();
  }
  body += "  }\n";
  return success();
}

LogicalResult ProgramWriter::writeItem(Operation &item) {
#define TINY_WRITE(KIND, Name)                                                                                         \
  if (auto op = dyn_cast<kernel::Name##Op>(item))                                                                      \
    return write(op);
  TINY_ITEMS(TINY_WRITE)
#undef TINY_WRITE
  return item.emitOpError("has no form in C");
}

} // namespace tiny::c
