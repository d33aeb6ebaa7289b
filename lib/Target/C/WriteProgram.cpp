// Writes the files: names, the plan of the scratch memory, constants, and the function that runs the items in order.
#include "WriteProgram.h"

#include "Tiny/Conversion/UOpToEmitC/Passes.h"
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Support/HostTensor.h"
#include "Tiny/Support/Signature.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Target/Cpp/CppEmitter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tiny::c {
namespace {

/// Constants of more bytes stand in a file of their own.
constexpr size_t kInlineBytes = 4096;
constexpr int64_t kAlignment = 64;

/// Only what C allows in a name. Names of functions get the stem in front, so that none is a keyword or libc's.
std::string makeIdentifier(StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) || c == '_' ? c : '_';
  return name;
}

StringRef getElementName(Type element) {
  if (element.isF32())
    return "float";
  if (element.isF64())
    return "double";
  switch (element.isIndex() ? 64 : element.getIntOrFloatBitWidth()) {
  case 1:
    return "uint8_t";
  case 8:
    return "int8_t";
  case 16:
    return "int16_t";
  case 32:
    return "int32_t";
  default:
    return "int64_t";
  }
}

int64_t getBytes(MemRefType type) {
  Type element = type.getElementType();
  return type.getNumElements() * (element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
}

/// An element as C writes it; the bits of floats decide, so NaN is written by its sign alone.
template <typename T> std::string writeNumber(T value) {
  if constexpr (std::is_integral_v<T>) {
    if (sizeof(T) == 8 && int64_t(value) == std::numeric_limits<int64_t>::min())
      return "INT64_MIN";
    return std::to_string(value);
  } else {
    if (std::isnan(value))
      return std::signbit(value) ? "-NAN" : "NAN";
    if (std::isinf(value))
      return value < 0 ? "-INFINITY" : "INFINITY";
    SmallString<32> text;
    APFloat(value).toString(text, 0, 4);
    if (!StringRef(text).contains('.') && !StringRef(text).contains_insensitive("e"))
      text += ".0";
    return (text + (sizeof(T) == 4 ? "f" : "")).str();
  }
}

std::string writeElement(const char *bytes, Type type) {
  auto read = [&](auto value) {
    memcpy(&value, bytes, sizeof value);
    return writeNumber(value);
  };
  if (type.isF32())
    return read(float());
  if (type.isF64())
    return read(double());
  switch (type.isIndex() ? 64 : type.getIntOrFloatBitWidth()) {
  case 1:
  case 8:
    return read(int8_t());
  case 16:
    return read(int16_t());
  case 32:
    return read(int32_t());
  default:
    return read(int64_t());
  }
}

class ProgramWriter {
public:
  ProgramWriter(ModuleOp module, StringRef stem) : module(module), stem(makeIdentifier(stem)) {
    StringRef begin = this->stem;
    if (begin.empty() || llvm::isDigit(begin.front()) || begin.front() == '_' || begin == "tiny" ||
        begin.starts_with("tiny_"))
      this->stem = "model_" + this->stem;
    // The function that runs the program, the macros, and types such as int8_t.
    for (StringRef name : {"run", "SCRATCH_BYTES", "H", "t"})
      taken.insert(name);
  }

  FailureOr<std::vector<OutputFile>> write(StringRef fileStem, bool single);

private:
  void nameKernels();
  LogicalResult writeKernels();
  LogicalResult writeRun(kernel::ProgramOp program);
  LogicalResult writeConstant(kernel::ConstantOp op);
  LogicalResult writeItem(Operation &item);
  void writeLaunch(kernel::LaunchOp launch);
  std::string describeKernel(mlir::emitc::FuncOp kernel, kernel::LaunchOp launch);
  void planMemory(kernel::ProgramOp program);
  static Value getRoot(Value buffer) {
    while (auto alias = buffer.getDefiningOp<kernel::AliasOp>())
      buffer = alias.getSource();
    return buffer;
  }
  std::string makeUnique(StringRef wish) {
    std::string name = makeIdentifier(wish);
    for (unsigned number = 2; !taken.insert(name).second; ++number)
      name = makeIdentifier(wish) + "_" + std::to_string(number);
    return name;
  }

  ModuleOp module;
  std::string stem, header, kernels, constants, largeConstants, body;
  llvm::StringSet<> taken;
  llvm::StringMap<std::string> kernelNames;
  llvm::DenseMap<Value, std::string> names;
  /// What comments say of a buffer: its name in the run's function and, where it is known, its tensor's type.
  llvm::DenseMap<Value, std::string> described;
  llvm::DenseMap<Value, int64_t> offsets;
  int64_t planned = 0, kernelScratch = 0;
};

/// A buffer of a kernel: those that it reads come first.
std::string getParameter(unsigned number, kernel::LaunchOp launch) {
  unsigned reads = launch.getIns().size();
  return number < reads ? "in" + std::to_string(number) : "out" + std::to_string(number - reads);
}

int64_t getScratchBytes(mlir::emitc::FuncOp kernel) {
  kernel::EntryAttr entry = kernel::getEntry(kernel);
  return entry ? entry.getScratch() : 0;
}

/// The emitter calls a function's parameters v1, v2, ..., and no other word of its text is such a name.
std::string nameParameters(StringRef text, mlir::emitc::FuncOp kernel, kernel::LaunchOp launch) {
  std::vector<std::string> parameters;
  parameters.reserve(kernel.getNumArguments());
  for (unsigned number = 0; number < launch->getNumOperands(); ++number)
    parameters.push_back(getParameter(number, launch));
  if (getScratchBytes(kernel) != 0)
    parameters.push_back("scratch");
  for (unsigned axis = 0; parameters.size() < kernel.getNumArguments(); ++axis)
    parameters.push_back("g" + std::to_string(axis));
  std::string named;
  while (!text.empty()) {
    size_t length =
        std::max<size_t>(text.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; }).size(), 1);
    StringRef word = text.take_front(length), digits = word;
    unsigned number;
    bool isParameter =
        digits.consume_front("v") && !digits.getAsInteger(10, number) && number >= 1 && number <= parameters.size();
    named += isParameter ? parameters[number - 1] : word.str();
    text = text.drop_front(length);
  }
  return named;
}

/// What stands in a comment: no line ends, and nothing that ends it.
std::string quote(StringRef text) {
  std::string quoted;
  llvm::raw_string_ostream stream(quoted);
  llvm::printEscapedString(text, stream);
  for (size_t at; (at = quoted.find("*/")) != std::string::npos;)
    quoted.replace(at, 2, "* /");
  return "\"" + quoted + "\"";
}

/// Where the operations of a kernel were written: names of nodes, or lines of files.
void collectPlaces(Location loc, std::vector<std::string> &places) {
  auto add = [&](std::string place) {
    if (!llvm::is_contained(places, place))
      places.push_back(std::move(place));
  };
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location one : fused.getLocations())
      collectPlaces(one, places);
  } else if (auto named = dyn_cast<NameLoc>(loc)) {
    add(quote(named.getName()));
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    collectPlaces(call.getCallee(), places);
  } else if (auto line = dyn_cast<FileLineColLoc>(loc)) {
    add(quote((llvm::sys::path::filename(line.getFilename()) + ":" + Twine(line.getLine())).str()));
  }
}

/// What the kernel computes and on which buffers, at its first launch.
std::string ProgramWriter::describeKernel(mlir::emitc::FuncOp kernel, kernel::LaunchOp launch) {
  constexpr size_t maxPlaces = 8;
  std::vector<std::string> places;
  kernel.walk([&](Operation *op) { collectPlaces(op->getLoc(), places); });
  std::string text = "\n/* " + makeIdentifier(kernel.getSymName());
  for (auto [number, place] : llvm::enumerate(llvm::ArrayRef(places).take_front(maxPlaces)))
    text += (number == 0 ? ", from " : ", ") + place;
  text += places.size() > maxPlaces ? ", ..." : "";
  if (launch)
    for (auto [number, buffer] : llvm::enumerate(launch->getOperands())) {
      auto type = cast<MemRefType>(buffer.getType());
      text += "\n   " + getParameter(number, launch) + ": " + std::to_string(type.getNumElements()) + " " +
              getElementName(type.getElementType()).str();
      if (auto known = described.find(buffer); known != described.end())
        text += ", " + known->second;
    }
  return text + (launch ? "\n*/\n" : " */\n");
}

/// Names are taken for all kernels before the program is written, which calls them.
void ProgramWriter::nameKernels() {
  for (auto kernel : module.getOps<mlir::emitc::FuncOp>()) {
    kernelNames[kernel.getSymName()] = stem + "_" + makeUnique(kernel.getSymName());
    kernelScratch = std::max(kernelScratch, getScratchBytes(kernel));
  }
}

LogicalResult ProgramWriter::writeKernels() {
  llvm::StringMap<kernel::LaunchOp> launches;
  module.walk([&](kernel::LaunchOp launch) { launches.try_emplace(launch.getCallee(), launch); });
  for (auto kernel : module.getOps<mlir::emitc::FuncOp>()) {
    OwningOpRef<Operation *> copy(kernel->clone());
    cast<mlir::emitc::FuncOp>(*copy).setSymName(kernelNames[kernel.getSymName()]);
    kernel::LaunchOp launch = launches.lookup(kernel.getSymName());
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (failed(mlir::emitc::translateToCpp(*copy, stream)))
      return failure();
    kernels += describeKernel(kernel, launch) + (launch ? nameParameters(text, kernel, launch) : text);
  }
  return success();
}

/// First fit in the order of the program: a buffer keeps its place from its allocation to its last use.
void ProgramWriter::planMemory(kernel::ProgramOp program) {
  Block &block = program.getBody().front();
  llvm::DenseMap<Operation *, int64_t> order;
  for (Operation &op : block)
    order[&op] = order.size();
  llvm::DenseMap<Value, int64_t> last;
  for (Operation &op : block)
    for (Value operand : op.getOperands())
      last[getRoot(operand)] = order[&op];
  struct Taken {
    int64_t begin, end, last;
  };
  std::vector<Taken> live;
  for (auto alloc : block.getOps<kernel::AllocOp>()) {
    int64_t now = order[alloc], bytes = llvm::alignTo(getBytes(alloc.getBuffer().getType()), kAlignment), begin = 0;
    llvm::erase_if(live, [&](const Taken &other) { return other.last < now; });
    llvm::sort(live, [](const Taken &a, const Taken &b) { return a.begin < b.begin; });
    for (const Taken &other : live) {
      if (begin + bytes <= other.begin)
        break;
      begin = std::max(begin, other.end);
    }
    live.push_back({begin, begin + bytes, last.count(alloc.getBuffer()) ? last[alloc.getBuffer()] : now});
    offsets[alloc.getBuffer()] = begin;
    planned = std::max(planned, begin + bytes);
  }
}

LogicalResult ProgramWriter::writeConstant(kernel::ConstantOp op) {
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

void ProgramWriter::writeLaunch(kernel::LaunchOp launch) {
  auto kernel = module.lookupSymbol<mlir::emitc::FuncOp>(launch.getCallee());
  std::vector<std::string> arguments;
  for (Value buffer : launch->getOperands())
    arguments.push_back(names[buffer]);
  kernel::EntryAttr entry = kernel::getEntry(kernel);
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
}

LogicalResult ProgramWriter::writeItem(Operation &item) {
  if (auto constant = dyn_cast<kernel::ConstantOp>(item))
    return writeConstant(constant);
  if (auto launch = dyn_cast<kernel::LaunchOp>(item)) {
    if (!module.lookupSymbol<mlir::emitc::FuncOp>(launch.getCallee()))
      return item.emitOpError("launches '") << launch.getCallee() << "', which is no emitc.func";
    if (!kernel::getEntry(module.lookupSymbol(launch.getCallee())))
      return item.emitOpError("launches '") << launch.getCallee() << "', which has no '" << kernel::kEntryAttr << "'";
    return writeLaunch(launch), success();
  }
  auto declare = [&](Value buffer, const Twine &from) {
    auto type = cast<MemRefType>(buffer.getType());
    std::string name = "b" + std::to_string(names.size()), element = getElementName(type.getElementType()).str();
    names[buffer] = name;
    described.try_emplace(buffer, name);
    body += "  " + element + " *" + name + " = (" + element + " *)(" + from.str() + ");\n";
  };
  if (auto alloc = dyn_cast<kernel::AllocOp>(item))
    return declare(alloc.getBuffer(), "memory + " + Twine(offsets[alloc.getBuffer()])), success();
  if (auto alias = dyn_cast<kernel::AliasOp>(item))
    return declare(alias.getResult(), names[alias.getSource()] + " + " + Twine(alias.getOffset())), success();
  if (auto copy = dyn_cast<kernel::CopyOp>(item)) {
    body += "  memmove(" + names[copy.getTarget()] + ", " + names[copy.getSource()] + ", " +
            std::to_string(getBytes(cast<MemRefType>(copy.getTarget().getType()))) + ");\n";
    return success();
  }
  if (auto fill = dyn_cast<kernel::FillOp>(item)) {
    auto type = cast<MemRefType>(fill.getTarget().getType());
    std::optional<HostTensor> one = readConstant(
        DenseElementsAttr::get(RankedTensorType::get({1}, fill.getValue().getType()), Attribute(fill.getValue())));
    if (!one)
      return item.emitOpError("fills with a value that has no form in C");
    body += "  for (int64_t i = 0; i < " + std::to_string(type.getNumElements()) + "; ++i)\n    " +
            names[fill.getTarget()] +
            "[i] = " + writeElement(reinterpret_cast<const char *>(one->bytes.data()), type.getElementType()) + ";\n";
    return success();
  }
  return item.emitOpError("has no form in C");
}

LogicalResult ProgramWriter::writeRun(kernel::ProgramOp program) {
  Block &block = program.getBody().front();
  planMemory(program);
  llvm::StringSet<> used;
  for (StringRef name : {"scratch", "memory", "i"})
    used.insert(name);
  auto describe = [&](StringRef wish, DictionaryAttr attrs, const Twine &other) {
    auto given = attrs ? attrs.getAs<StringAttr>("tiny.name") : StringAttr();
    std::string name = wish.str() + "_" + (given ? makeIdentifier(given.getValue()) : other.str());
    while (!used.insert(name).second)
      name += "_";
    return name;
  };
  std::string signature = "int " + stem + "_run(void *scratch", comments;
  auto add = [&](bool isConst, Type type, const std::string &name, DictionaryAttr attrs) {
    auto memory = cast<MemRefType>(type);
    signature +=
        std::string(", ") + (isConst ? "const " : "") + getElementName(memory.getElementType()).str() + " *" + name;
    comments += "   " + name + ": " + std::to_string(memory.getNumElements()) + " elements";
    if (auto tensor = attrs ? attrs.getAs<TypeAttr>("tiny.type") : TypeAttr()) {
      llvm::raw_string_ostream stream(comments);
      stream << ", " << tensor.getValue();
    }
    auto given = attrs ? attrs.getAs<StringAttr>("tiny.name") : StringAttr();
    if (given && !StringRef(name).ends_with("_" + given.getValue().str()))
      comments += ", " + quote(given.getValue());
    comments += "\n";
  };
  auto describeBuffer = [&](Value buffer, const std::string &name, DictionaryAttr attrs) {
    auto tensor = attrs ? attrs.getAs<TypeAttr>("tiny.type") : TypeAttr();
    auto [entry, isNew] = described.try_emplace(buffer, name);
    llvm::raw_string_ostream stream(entry->second);
    if (!isNew)
      stream << ", " << name;
    else if (tensor)
      stream << ", " << tensor.getValue();
  };
  for (BlockArgument argument : block.getArguments()) {
    DictionaryAttr attrs = program.getArgAttrDict(argument.getArgNumber());
    std::string name = describe("in", attrs, Twine(argument.getArgNumber()));
    bool donated = program.getArgAttr(argument.getArgNumber(), kDonatedAttr) != nullptr;
    add(!donated, argument.getType(), name, attrs);
    describeBuffer(argument, name, attrs);
    if (argument.use_empty())
      body += "  (void)" + name + ";\n";
    names[argument] =
        donated ? name
                : "(" + getElementName(cast<MemRefType>(argument.getType()).getElementType()).str() + " *)" + name;
  }
  std::vector<std::string> outputs;
  for (auto [number, type] : llvm::enumerate(program.getFunctionType().getResults())) {
    DictionaryAttr attrs = program.getResultAttrDict(number);
    outputs.push_back(describe("out", attrs, Twine(number)));
    add(false, type, outputs.back(), attrs);
    describeBuffer(block.getTerminator()->getOperand(number), outputs.back(), attrs);
  }
  for (Operation &item : block.without_terminator())
    if (failed(writeItem(item)))
      return failure();
  for (auto [output, value] : llvm::zip_equal(outputs, block.getTerminator()->getOperands()))
    body += "  memmove(" + output + ", " + names[value] + ", " +
            std::to_string(getBytes(cast<MemRefType>(value.getType()))) + ");\n";
  signature += ")";
  header += "/* Bytes of scratch memory that a run needs, aligned to 64. */\n#define " + llvm::StringRef(stem).upper() +
            "_SCRATCH_BYTES " + std::to_string(std::max<int64_t>(planned + kernelScratch, 1)) +
            "\n\n/* Runs the program. Buffers are dense, in row-major order; bool is a byte. Returns 0, or 1 where "
            "scratch is NULL\n"
            "   or not aligned to 64 bytes.\n" +
            comments + "*/\n" + signature + ";\n";
  body = "\n" + signature +
         " {\n  unsigned char *memory = (unsigned char *)scratch;\n"
         "  if (memory == 0 || (uintptr_t)memory % 64 != 0)\n    return 1;\n" +
         body + "  return 0;\n}\n";
  return success();
}

FailureOr<std::vector<OutputFile>> ProgramWriter::write(StringRef fileStem, bool single) {
  nameKernels();
  auto programs = llvm::to_vector(module.getOps<kernel::ProgramOp>());
  if (programs.size() > 1)
    return programs[1].emitOpError("is a second program; C is written of one");
  if (!programs.empty() && failed(writeRun(programs.front())))
    return failure();
  if (failed(writeKernels()))
    return failure();
  std::string guard = llvm::StringRef(stem).upper() + "_H";
  header = "/* Written by Tiny. */\n#ifndef " + guard + "\n#define " + guard + "\n\n#include <stdint.h>\n\n" + header +
           "\n#endif /* " + guard + " */\n";
  std::string
      start = "/* Written by Tiny. Compile with -std=c11 -ffp-contract=off and link with -lm. Results are bit for bit "
              "those of\n   the CPU's code, whatever the optimisation, but for options that break IEEE 754 such "
              "as -ffast-math. Where the\n   processor has fused multiply-adds, -mfma or -march=native makes "
              "fmaf one instruction; calls stay right. */\n",
      code = "\n" + constants + kernels + body;
  if (single)
    return std::vector<OutputFile>{{fileStem.str() + ".c", header + getHelpers().str() + "\n" + largeConstants + code}};
  std::vector<OutputFile> files;
  files.push_back(
      {fileStem.str() + ".c", start + "#include \"" + fileStem.str() + ".h\"\n\n" + getHelpers().str() + code});
  files.push_back({fileStem.str() + ".h", header});
  if (!largeConstants.empty())
    files.push_back(
        {fileStem.str() + "_constants.c", start + "#include <math.h>\n#include <stdint.h>\n\n" + largeConstants});
  return files;
}

} // namespace

FailureOr<std::vector<OutputFile>> writeProgram(ModuleOp module, StringRef stem, bool single) {
  return ProgramWriter(module, stem).write(stem, single);
}

} // namespace tiny::c
