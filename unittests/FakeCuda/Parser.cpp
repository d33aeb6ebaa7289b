// Reads modules of PTX: directives, entries with their parameters, and declarations in them.
#include "Parser.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

namespace fake {

const char *const kSpecials[] = {"%tid.x",  "%tid.y",  "%tid.z",    "%ctaid.x",  "%ctaid.y",  "%ctaid.z", "%ntid.x",
                                 "%ntid.y", "%ntid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z", "%laneid",  "%warpid"};

static bool isWordLetter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) || (letter && std::strchr("_.$%", letter));
}

void Words::advance() {
  for (;;) {
    if (*at == '\n')
      ++line;
    if (std::isspace(static_cast<unsigned char>(*at))) {
      ++at;
    } else if (at[0] == '/' && at[1] == '/') {
      at += std::strcspn(at, "\n");
    } else if (at[0] == '/' && at[1] == '*') {
      const char *end = std::strstr(at, "*/");
      end = end ? end + 2 : at + std::strlen(at);
      line += uint32_t(std::count(at, end, '\n'));
      at = end;
    } else {
      break;
    }
  }
  const char *begin = at;
  if (*at == '"') {
    at += 1 + std::strcspn(at + 1, "\"\n");
    at += *at == '"';
  } else if (isWordLetter(*at)) {
    // "L2::128B" is part of a word.
    while (isWordLetter(*at) || (at[0] == ':' && at[1] == ':') || (at[0] == ':' && at[-1] == ':' && at > begin))
      ++at;
  } else if (*at) {
    ++at;
  }
  word.assign(begin, at);
}

uint64_t Words::takeNumber() {
  std::string text = take();
  char *end = nullptr;
  uint64_t value = std::strtoull(text.c_str(), &end, 0);
  if (text.empty() || !std::isdigit(static_cast<unsigned char>(text[0])) || (*end && std::strcmp(end, "U") != 0))
    fail("got '" + text + "', expected a number");
  return value;
}

uint8_t sizeOfType(const std::string &type) {
  static const std::map<std::string, uint8_t> sizes = {{"pred", 1}, {"b8", 1},  {"u8", 1},  {"s8", 1},    {"b16", 2},
                                                       {"u16", 2},  {"s16", 2}, {"f16", 2}, {"bf16", 2},  {"b32", 4},
                                                       {"u32", 4},  {"s32", 4}, {"f32", 4}, {"f16x2", 4}, {"bf16x2", 4},
                                                       {"b64", 8},  {"u64", 8}, {"s64", 8}, {"f64", 8}};
  auto found = sizes.find(type);
  return found == sizes.end() ? 0 : found->second;
}

std::vector<std::string> splitName(const std::string &name) {
  std::vector<std::string> parts(1);
  for (char letter : name)
    if (letter == '.')
      parts.emplace_back();
    else
      parts.back() += letter;
  return parts;
}

std::string placeArray(Words &words, uint32_t &used, uint64_t &offset, bool &isOpen) {
  uint64_t alignment = 1;
  if (words.takeIf(".align"))
    alignment = words.takeNumber();
  std::string type = words.take();
  uint8_t bytes = type.empty() ? 0 : sizeOfType(type.substr(1));
  if (!bytes || !alignment)
    words.fail("got '" + type + "', expected the type of an array");
  std::string name = words.take();
  uint64_t count = 1;
  isOpen = false;
  if (words.takeIf("[")) {
    isOpen = words.peek() == "]";
    count = isOpen ? 0 : words.takeNumber();
    words.expect("]");
  }
  words.expect(";");
  offset = (used + alignment - 1) / alignment * alignment;
  used = uint32_t(offset + count * bytes);
  return name;
}

namespace {

class ModuleParser {
public:
  explicit ModuleParser(const std::string &text) : words(text) {}

  PtxModule parse() {
    while (!words.isAtEnd())
      parseDirective();
    if (!module.version || !module.target)
      words.fail("a module without .version or .target");
    return std::move(module);
  }

private:
  void parseDirective() {
    std::string word = words.take();
    if (word == ".version") {
      std::string version = words.take();
      module.version = int(std::strtol(version.c_str(), nullptr, 10)) * 10;
      if (size_t dot = version.find('.'); dot != std::string::npos)
        module.version += int(std::strtol(version.c_str() + dot + 1, nullptr, 10));
    } else if (word == ".target") {
      std::string target = words.take();
      module.target = target.rfind("sm_", 0) == 0 ? int(std::strtol(target.c_str() + 3, nullptr, 10)) : 0;
      module.isExact = !target.empty() && (target.back() == 'a' || target.back() == 'f');
      while (words.takeIf(","))
        words.take();
    } else if (word == ".address_size") {
      if (words.takeNumber() != 64)
        words.fail("expected addresses of 64 bits");
    } else if (word == ".visible" || word == ".weak") {
    } else if (word == ".extern" && words.takeIf(".func")) {
      parseFunction();
    } else if (word == ".extern") {
      words.expect(".shared");
      bool isOpen;
      uint64_t offset;
      uint32_t behind = 0;
      std::string name = placeArray(words, behind, offset, isOpen);
      open.push_back(name);
    } else if (word == ".shared") {
      bool isOpen;
      uint64_t offset;
      std::string name = placeArray(words, sharedBytes, offset, isOpen);
      shared[name] = offset;
    } else if (word == ".entry") {
      parseEntry();
    } else {
      words.fail("unknown directive '" + word + "'");
    }
  }

  /// The compiler knows functions of the driver's; all others it would not find.
  void parseFunction() {
    std::string name = words.take();
    if (name != "cudaGraphSetConditional")
      words.fail("unresolved extern function '" + name + "'");
    words.expect("(");
    for (const char *type : {".b64", ".b32"}) {
      words.expect(".param");
      words.expect(type);
      words.take();
      words.expect(type[2] == '6' ? "," : ")");
    }
    words.expect(";");
    functions.insert(name);
  }

  void parseEntry() {
    PtxKernel kernel;
    kernel.name = words.take();
    kernel.specials.assign(kSpecialCount, kNone);
    kernel.sharedBytes = sharedBytes;
    std::map<std::string, uint32_t> offsets;
    if (words.takeIf("("))
      while (!words.takeIf(")")) {
        parseParameter(kernel, offsets);
        words.takeIf(",");
      }
    while (words.peek() != "{")
      parseEntryDirective(kernel);
    words.expect("{");
    // What the launch gives lies behind all else, wherever the kernel declares that.
    std::map<std::string, uint64_t> symbols = shared;
    kernel.hasLaunchMemory = !open.empty();
    if (kernel.hasLaunchMemory) {
      kernel.sharedBytes = (kernel.sharedBytes + 127) / 128 * 128;
      for (const std::string &name : open)
        symbols[name] = kernel.sharedBytes;
    }
    KernelParser(words, kernel, symbols, functions).parse(offsets);
    if (kernel.multipliesSmall && (module.version < 84 || module.target < 89))
      words.fail("products of f8 need PTX 8.4 and sm_89");
    module.kernels[kernel.name] = std::move(kernel);
  }

  void parseParameter(PtxKernel &kernel, std::map<std::string, uint32_t> &offsets) {
    words.expect(".param");
    Parameter parameter;
    uint64_t alignment = 1;
    if (words.takeIf(".align"))
      alignment = words.takeNumber();
    std::string type = words.take();
    parameter.bytes = type.empty() ? 0 : sizeOfType(type.substr(1));
    if (!parameter.bytes)
      words.fail("got '" + type + "', expected the type of a parameter");
    while (words.peek()[0] == '.') {
      std::string word = words.take();
      if (word == ".ptr")
        parameter.isPointer = true;
      else if (word == ".align")
        parameter.alignment = uint32_t(words.takeNumber());
      else if (word != ".global" && word != ".shared" && word != ".const")
        words.fail("unknown word '" + word + "' of a parameter");
    }
    std::string name = words.take();
    if (words.takeIf("[")) {
      parameter.bytes *= uint32_t(words.takeNumber());
      words.expect("]");
    }
    uint64_t step = std::max<uint64_t>(alignment, std::min<uint32_t>(parameter.bytes, 8));
    parameter.offset = uint32_t((kernel.parameterBytes + step - 1) / step * step);
    kernel.parameterBytes = parameter.offset + parameter.bytes;
    offsets[name] = parameter.offset;
    kernel.parameters.push_back(parameter);
  }

  void parseEntryDirective(PtxKernel &kernel) {
    std::string word = words.take();
    if (word == ".reqntid" || word == ".maxntid") {
      uint32_t extents[3] = {1, 1, 1};
      for (int axis = 0; axis < 3; ++axis) {
        extents[axis] = uint32_t(words.takeNumber());
        if (!words.takeIf(","))
          break;
      }
      kernel.mostLanes = extents[0] * extents[1] * extents[2];
      if (word == ".reqntid")
        std::copy_n(extents, 3, kernel.lanes);
    } else if (word == ".maxnreg" || word == ".minnctapersm") {
      words.takeNumber();
    } else {
      words.fail("unknown directive '" + word + "' of an entry");
    }
  }

  Words words;
  PtxModule module;
  uint32_t sharedBytes = 0;
  std::map<std::string, uint64_t> shared;
  std::vector<std::string> open;
  std::set<std::string> functions;
};

} // namespace

PtxModule parsePtx(const std::string &text) { return ModuleParser(text).parse(); }

//===--- Bodies ---------------------------------------------------------------------------------------------------===//

uint32_t KernelParser::addRegister(uint8_t bytes) {
  uint32_t slot = kernel.registerBytes;
  kernel.registerBytes += bytes;
  return slot;
}

const KernelParser::Register *KernelParser::find(const std::string &name) const {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (auto found = scope->find(name); found != scope->end())
      return &found->second;
  return nullptr;
}

void KernelParser::parseRegisters() {
  std::string type = words.take();
  uint8_t bytes = type.empty() ? 0 : sizeOfType(type.substr(1));
  if (!bytes)
    words.fail("got '" + type + "', expected the type of registers");
  do {
    std::string name = words.take();
    if (!words.takeIf("<")) {
      scopes.back()[name] = {addRegister(bytes), bytes};
      continue;
    }
    uint64_t count = words.takeNumber();
    words.expect(">");
    if (count > 1 << 20)
      words.fail("more registers than there can be");
    for (uint64_t k = 0; k < count; ++k)
      scopes.back()[name + std::to_string(k)] = {addRegister(bytes), bytes};
  } while (words.takeIf(","));
  words.expect(";");
}

void KernelParser::parse(const std::map<std::string, uint32_t> &parameterOffsets) {
  parameters = parameterOffsets;
  scopes.emplace_back();
  while (!scopes.empty()) {
    if (words.isAtEnd())
      words.fail("a kernel that does not end");
    if (words.takeIf("{"))
      scopes.emplace_back();
    else if (words.takeIf("}"))
      scopes.pop_back();
    else
      parseStatement();
  }
  // Whoever comes to the end is done.
  Instruction end;
  end.run = runReturn;
  end.line = words.getLine();
  kernel.code.push_back(end);
  for (const Jump &jump : jumps) {
    auto found = labels.find(jump.label);
    if (found == labels.end())
      throw PtxError(kInvalidPtx, "line " + std::to_string(jump.line) + ": unknown label '" + jump.label + "'");
    kernel.code[jump.instruction].target = found->second;
  }
  orderBlocks(kernel);
}

void KernelParser::parseStatement() {
  Instruction instruction;
  instruction.line = words.getLine();
  if (words.takeIf("@")) {
    instruction.guardInverted = words.takeIf("!");
    std::string name = words.take();
    const Register *guard = find(name);
    if (!guard || guard->bytes != 1)
      words.fail("'" + name + "' is no predicate");
    instruction.guard = guard->slot;
    parseInstruction(words.take(), instruction);
    return;
  }
  std::string word = words.take();
  // What a function is called with is a place that nothing else uses.
  if (word == ".reg" || word == ".param")
    return parseRegisters();
  if (word == ".shared" || word == ".local") {
    bool isShared = word == ".shared", isOpen;
    uint64_t offset;
    std::string name = placeArray(words, isShared ? kernel.sharedBytes : kernel.localBytes, offset, isOpen);
    symbols[name] = offset;
    return;
  }
  if (word == ".pragma") {
    words.take();
    return words.expect(";");
  }
  if (words.takeIf(":")) {
    labels[word] = uint32_t(kernel.code.size());
    return;
  }
  parseInstruction(word, instruction);
}

} // namespace fake
