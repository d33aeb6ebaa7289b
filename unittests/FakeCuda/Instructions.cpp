// Reads instructions: what they are called, and what their operands are.
#include "Parser.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

namespace fake {

static bool has(const std::vector<std::string> &parts, const char *word) {
  return std::find(parts.begin(), parts.end(), word) != parts.end();
}

static bool isIn(const std::string &word, std::initializer_list<const char *> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

Operand KernelParser::parseSimple() {
  Operand operand;
  bool isNegative = words.takeIf("-");
  std::string word = words.take();
  if (word == "_") {
    operand.kind = Operand::Sink;
    return operand;
  }
  if (const Register *found = find(word)) {
    operand.kind = Operand::Register;
    operand.slot = found->slot;
    operand.bytes = found->bytes;
    return operand;
  }
  for (size_t k = 0; k < kSpecialCount; ++k)
    if (word == kSpecials[k]) {
      if (kernel.specials[k] == kNone)
        kernel.specials[k] = addRegister(4);
      operand.kind = Operand::Special;
      operand.slot = kernel.specials[k];
      operand.bytes = 4;
      return operand;
    }
  if (auto parameter = parameters.find(word); parameter != parameters.end()) {
    operand.value = kParamWindow + parameter->second;
    return operand;
  }
  if (auto symbol = symbols.find(word); symbol != symbols.end()) {
    operand.value = symbol->second;
    return operand;
  }
  if (word.size() > 2 && word[0] == '0' && std::strchr("fFdD", word[1])) {
    operand.value = std::strtoull(word.c_str() + 2, nullptr, 16);
    return operand;
  }
  char *end = nullptr;
  operand.value = std::strtoull(word.c_str(), &end, 0);
  if (word.empty() || !std::isdigit(static_cast<unsigned char>(word[0])) || (*end && std::strcmp(end, "U") != 0))
    words.fail("unknown operand '" + word + "'");
  if (isNegative)
    operand.value = 0 - operand.value;
  return operand;
}

Operand KernelParser::parseOperand() {
  Operand operand;
  if (words.takeIf("{")) {
    operand.kind = Operand::List;
    do
      operand.parts.push_back(parseSimple());
    while (words.takeIf(","));
    words.expect("}");
    return operand;
  }
  if (words.takeIf("[")) {
    // A parameter's name is a number: where it begins.
    if (auto parameter = parameters.find(words.peek()); parameter != parameters.end()) {
      words.take();
      operand.value = parameter->second;
    } else {
      operand = parseSimple();
    }
    operand.isAddress = true;
    if (words.takeIf("+")) {
      bool isNegative = words.takeIf("-");
      auto offset = int64_t(words.takeNumber());
      operand.offset = isNegative ? -offset : offset;
    }
    if (words.takeIf(",")) {
      words.expect("{");
      do
        operand.parts.push_back(parseSimple());
      while (words.takeIf(","));
      words.expect("}");
    }
    words.expect("]");
    return operand;
  }
  if (words.takeIf("!")) {
    operand = parseSimple();
    operand.value = 1;
    return operand;
  }
  operand = parseSimple();
  if (words.takeIf("|"))
    operand.second.push_back(parseSimple());
  return operand;
}

uint32_t KernelParser::resolve(const Operand &operand, uint8_t bytes) {
  if (operand.kind == Operand::Register || operand.kind == Operand::Special) {
    if (operand.bytes != bytes)
      words.fail("a register of " + std::to_string(operand.bytes) + " bytes, expected one of " + std::to_string(bytes));
    return operand.slot;
  }
  if (operand.kind != Operand::Number || operand.isAddress)
    words.fail("expected a register or a number");
  uint64_t value = bytes < 8 ? operand.value & ((uint64_t(1) << (8 * bytes)) - 1) : operand.value;
  auto [place, isNew] = numbers.try_emplace({bytes, value}, 0);
  if (isNew) {
    place->second = addRegister(bytes);
    kernel.constants.push_back({place->second, bytes, value});
  }
  return place->second;
}

uint32_t KernelParser::resolveTarget(const Operand &operand, uint8_t bytes) {
  if (operand.kind != Operand::Register)
    words.fail("expected a register to write to");
  return resolve(operand, bytes);
}

void KernelParser::resolveAddress(const Operand &operand, Instruction &instruction) {
  if (!operand.isAddress)
    words.fail("expected an address in brackets");
  instruction.aBytes = operand.kind == Operand::Register ? operand.bytes : 8;
  if (instruction.aBytes < 4)
    words.fail("an address of " + std::to_string(instruction.aBytes) + " bytes");
  Operand base = operand;
  base.isAddress = false;
  instruction.a = resolve(base, instruction.aBytes);
  instruction.offset = operand.offset;
}

/// One register, or those of a vector. All have the same width.
void KernelParser::resolveList(const Operand &operand, Instruction &instruction, bool isTarget) {
  const std::vector<Operand> list = operand.kind == Operand::List ? operand.parts : std::vector<Operand>{operand};
  if (list.size() > 4)
    words.fail("a vector of " + std::to_string(list.size()) + " registers");
  instruction.count = uint8_t(list.size());
  // Numbers are as wide as what stands in memory.
  instruction.listBytes = instruction.bytes;
  for (const Operand &part : list)
    if (part.kind == Operand::Register)
      instruction.listBytes = part.bytes;
  for (size_t k = 0; k < list.size(); ++k) {
    if (list[k].kind == Operand::Sink)
      continue;
    instruction.list[k] =
        isTarget ? resolveTarget(list[k], instruction.listBytes) : resolve(list[k], instruction.listBytes);
  }
}

void KernelParser::expectCount(const std::vector<Operand> &operands, size_t least, size_t most) {
  if (operands.size() < least || operands.size() > most)
    words.fail("got " + std::to_string(operands.size()) + " operands, expected " + std::to_string(least));
}

/// ld and st, with the modifiers that say no more than how fast or how far the access is seen.
void KernelParser::parseMemory(const std::vector<std::string> &parts, Instruction &instruction,
                               std::vector<Operand> &operands) {
  expectCount(operands, 2, 2);
  bool isLoad = parts[0] == "ld";
  size_t vector = 1;
  for (size_t k = 1; k + 1 < parts.size(); ++k) {
    const std::string &part = parts[k];
    if (part == "global")
      instruction.space = Space::Global;
    else if (part == "shared" || part == "shared::cta")
      instruction.space = Space::Shared;
    else if (part == "local")
      instruction.space = Space::Local;
    else if (part == "param")
      instruction.space = Space::Param;
    else if (part == "nc" && isLoad)
      instruction.isReadOnly = kernel.readsConstants = true;
    else if (part == "v2" || part == "v4")
      vector = size_t(part[1] - '0');
    else if (!isIn(part, {"weak", "volatile", "relaxed", "acquire", "release", "cta", "gpu", "sys", "ca", "cg", "cs",
                          "lu", "cv", "wb", "wt"}) &&
             part.find("::") == std::string::npos)
      words.fail("unknown modifier '" + part + "' of " + parts[0]);
  }
  const std::string &type = parts.back();
  instruction.bytes = sizeOfType(type);
  if (!instruction.bytes || type == "pred")
    words.fail("unknown type '" + type + "' of " + parts[0]);
  instruction.isSigned = type[0] == 's';
  resolveList(operands[isLoad ? 0 : 1], instruction, isLoad);
  if (instruction.count != vector)
    words.fail("a vector of " + std::to_string(instruction.count) + " registers, expected " + std::to_string(vector));
  if (instruction.listBytes < instruction.bytes)
    words.fail("a register of " + std::to_string(instruction.listBytes) + " bytes for " + type);
  const Operand &address = operands[isLoad ? 1 : 0];
  if (instruction.space == Space::Param && !isLoad) {
    // A place that a function is called with is a register here.
    std::vector<Operand> move = operands;
    if (!move[0].isAddress || move[0].offset)
      words.fail("expected a parameter in brackets");
    move[0].isAddress = false;
    return parseForm("mov.b" + std::to_string(8 * instruction.bytes), instruction, move);
  }
  if (instruction.space == Space::Param) {
    if (address.kind != Operand::Number)
      words.fail("a parameter at an address that is computed");
    instruction.offset = int64_t(address.value) + address.offset;
    instruction.run = runLoadParameter;
    return;
  }
  resolveAddress(address, instruction);
  instruction.run = isLoad ? runLoad : runStore;
}

void KernelParser::parseAtomic(const std::vector<std::string> &parts, Instruction &instruction,
                               std::vector<Operand> &operands) {
  bool gives = parts[0] == "atom";
  const std::string &type = parts.back();
  const std::pair<const char *, Atomic> names[] = {{"add", kAdd},       {"min", kMin},    {"max", kMax},
                                                   {"and", kAnd},       {"or", kOr},      {"xor", kXor},
                                                   {"exch", kExchange}, {"cas", kCompare}};
  bool isKnown = false;
  Atomic operation = kAdd;
  for (size_t k = 1; k + 1 < parts.size(); ++k) {
    const std::string &part = parts[k];
    if (part == "global")
      instruction.space = Space::Global;
    else if (part == "shared" || part == "shared::cta")
      instruction.space = Space::Shared;
    else if (auto found =
                 std::find_if(std::begin(names), std::end(names), [&](auto &name) { return part == name.first; });
             found != std::end(names))
      operation = found->second, isKnown = true;
    else if (!isIn(part, {"relaxed", "acquire", "release", "acq_rel", "cta", "gpu", "sys"}))
      words.fail("unknown modifier '" + part + "' of " + parts[0]);
  }
  instruction.bytes = instruction.listBytes = sizeOfType(type);
  if (!isKnown || instruction.bytes < 4 || (type[0] == 'f' && operation != kAdd))
    words.fail("unknown instruction of " + parts[0]);
  AtomicType kind = type[0] == 'f' ? kFloat : type[0] == 's' ? kSignedInteger : kUnsigned;
  instruction.detail = makeAtomic(operation, kind);
  size_t first = gives ? 1 : 0, sources = operation == kCompare ? 2 : 1;
  expectCount(operands, first + 1 + sources, first + 1 + sources);
  if (gives && operands[0].kind != Operand::Sink) {
    instruction.d = resolveTarget(operands[0], instruction.bytes);
    instruction.dBytes = instruction.bytes;
  }
  resolveAddress(operands[first], instruction);
  instruction.b = resolve(operands[first + 1], instruction.bytes);
  if (sources == 2)
    instruction.c = resolve(operands[first + 2], instruction.bytes);
  instruction.run = runAtomic;
}

void KernelParser::parseLanes(const std::vector<std::string> &parts, Instruction &instruction,
                              std::vector<Operand> &operands) {
  if (parts[0] == "activemask") {
    expectCount(operands, 1, 1);
    instruction.run = runVote;
    instruction.detail = kActiveMask;
    instruction.d = resolveTarget(operands[0], 4);
    instruction.dBytes = 4;
    return;
  }
  if (parts.size() < 4 || parts[1] != "sync")
    words.fail("expected ." + parts[0] + ".sync");
  if (parts[0] == "shfl") {
    expectCount(operands, 5, 5);
    const char *modes[] = {"up", "down", "bfly", "idx"};
    auto mode = std::find(std::begin(modes), std::end(modes), parts[2]);
    if (mode == std::end(modes))
      words.fail("unknown mode '" + parts[2] + "' of shfl");
    instruction.detail = uint32_t(mode - std::begin(modes));
    instruction.d = resolveTarget(operands[0], 4);
    if (!operands[0].second.empty())
      instruction.list[1] = resolveTarget(operands[0].second[0], 1);
    instruction.a = resolve(operands[1], 4);
    instruction.b = resolve(operands[2], 4);
    instruction.c = resolve(operands[3], 4);
    instruction.list[0] = resolve(operands[4], 4);
    instruction.run = runShuffle;
    return;
  }
  expectCount(operands, 3, 3);
  instruction.list[0] = resolve(operands[2], 4);
  if (parts[0] == "vote") {
    const char *modes[] = {"all", "any", "uni", "ballot"};
    auto mode = std::find(std::begin(modes), std::end(modes), parts[2]);
    if (mode == std::end(modes))
      words.fail("unknown mode '" + parts[2] + "' of vote");
    instruction.detail = uint32_t(mode - std::begin(modes));
    instruction.dBytes = instruction.detail == kVoteBallot ? 4 : 1;
    instruction.d = resolveTarget(operands[0], instruction.dBytes);
    instruction.isSigned = operands[1].kind == Operand::Register && operands[1].value == 1;
    instruction.a = resolve(operands[1], 1);
    instruction.run = runVote;
    return;
  }
  const std::pair<const char *, Atomic> names[] = {{"add", kAdd}, {"min", kMin}, {"max", kMax},
                                                   {"and", kAnd}, {"or", kOr},   {"xor", kXor}};
  for (auto &[name, operation] : names)
    if (parts[2] == name) {
      instruction.detail = makeAtomic(operation, parts[3][0] == 's' ? kSignedInteger : kUnsigned);
      instruction.d = resolveTarget(operands[0], 4);
      instruction.a = resolve(operands[1], 4);
      instruction.run = runReduceLanes;
      return;
    }
  words.fail("unknown operation '" + parts[2] + "' of redux");
}

void KernelParser::parseAsync(const std::vector<std::string> &parts, Instruction &instruction,
                              std::vector<Operand> &operands) {
  if (has(parts, "commit_group")) {
    instruction.run = runAsyncCommit;
    return;
  }
  if (has(parts, "wait_all") || has(parts, "wait_group")) {
    instruction.run = runAsyncWait;
    instruction.detail = has(parts, "wait_all") ? kNone : uint32_t(operands.at(0).value);
    return;
  }
  if (!has(parts, "shared") && !has(parts, "shared::cta"))
    words.fail("unknown copy");
  expectCount(operands, 3, 4);
  const Operand &target = operands[0];
  instruction.dBytes = target.kind == Operand::Register ? target.bytes : 8;
  Operand base = target;
  base.isAddress = false;
  instruction.d = resolve(base, instruction.dBytes);
  instruction.detail = uint32_t(target.offset);
  resolveAddress(operands[1], instruction);
  instruction.bytes = uint8_t(operands[2].value);
  if (operands[2].kind != Operand::Number ||
      (instruction.bytes != 4 && instruction.bytes != 8 && instruction.bytes != 16))
    words.fail("a copy of 4, 8 or 16 bytes is expected");
  if (operands.size() == 4)
    instruction.b = resolve(operands[3], 4);
  instruction.run = runAsyncCopy;
}

void KernelParser::parseForm(const std::string &name, Instruction &instruction, std::vector<Operand> &operands) {
  auto found = getForms().find(name);
  if (found == getForms().end())
    words.fail("unknown instruction '" + name + "'");
  const Form &form = found->second;
  size_t count = 2u + (form.b != 0) + (form.c != 0);
  bool isConversion = name.rfind("cvt.", 0) == 0;
  expectCount(operands, count, count + 1);
  instruction.run = form.run;
  if (isConversion) {
    // Registers may be wider.
    auto widthOf = [&](const Operand &operand, uint8_t natural) {
      return operand.kind == Operand::Register && operand.bytes > natural ? operand.bytes : natural;
    };
    instruction.dBytes = widthOf(operands[0], form.d);
    instruction.aBytes = widthOf(operands[1], form.a);
  } else {
    instruction.dBytes = form.d;
    instruction.aBytes = form.a;
  }
  if (operands[0].kind == Operand::Sink)
    words.fail("a result that nobody takes");
  instruction.d = resolveTarget(operands[0], instruction.dBytes);
  instruction.a = resolve(operands[1], instruction.aBytes);
  if (form.b)
    instruction.b = resolve(operands[2], form.b);
  if (form.c)
    instruction.c = resolve(operands[3], form.c);
  if (operands.size() > count)
    instruction.list[0] = resolve(operands[count], 4);
}

void KernelParser::parseCall(Instruction &instruction) {
  std::string name = words.take();
  if (!functions.count(name))
    words.fail("unknown function '" + name + "'");
  words.expect(",");
  words.expect("(");
  instruction.a = resolve(parseSimple(), 8);
  words.expect(",");
  instruction.b = resolve(parseSimple(), 4);
  words.expect(")");
  instruction.run = runSetConditional;
}

void KernelParser::parseInstruction(const std::string &name, Instruction &instruction) {
  std::vector<std::string> parts = splitName(name);
  const std::string &kind = parts[0];
  if (kind == "bra") {
    jumps.push_back({kernel.code.size(), words.take(), instruction.line});
    words.expect(";");
    instruction.run = runBranch;
    kernel.code.push_back(instruction);
    return;
  }
  std::vector<Operand> operands;
  if (kind != "call" && words.peek() != ";")
    do
      operands.push_back(parseOperand());
    while (words.takeIf(","));
  if (kind == "call")
    parseCall(instruction);
  else if (kind == "ret" || kind == "exit")
    instruction.run = runReturn;
  else if ((kind == "bar" || kind == "barrier") && has(parts, "sync") && !has(parts, "warp"))
    instruction.run = runBarrier;
  else if (kind == "ld" || kind == "st")
    parseMemory(parts, instruction, operands);
  else if (kind == "atom" || kind == "red")
    parseAtomic(parts, instruction, operands);
  else if (kind == "shfl" || kind == "vote" || kind == "redux" || kind == "activemask")
    parseLanes(parts, instruction, operands);
  else if (kind == "cp" && has(parts, "bulk"))
    parseBulk(parts, instruction, operands);
  else if (kind == "mbarrier")
    parseMbarrier(parts, instruction, operands);
  else if (kind == "bar" && has(parts, "warp"))
    instruction.run = runNothing;
  else if (kind == "cp" && has(parts, "async"))
    parseAsync(parts, instruction, operands);
  else if (kind == "mma")
    parseProduct(parts, instruction, operands);
  else if (kind == "ldmatrix")
    parseLoadMatrices(parts, instruction, operands);
  else if (kind == "wgmma")
    parseWarpgroup(parts, instruction, operands);
  else if (kind == "fence" && has(parts, "proxy") && has(parts, "async"))
    parseProxyFence(instruction);
  else if (kind == "membar" || kind == "fence" || kind == "prefetch" || kind == "nanosleep")
    instruction.run = runNothing;
  else if (kind == "mov" && operands.size() == 2 && operands[0].kind == Operand::List) {
    instruction.bytes = 1;
    resolveList(operands[0], instruction, /*isTarget=*/true);
    instruction.aBytes = sizeOfType(parts.back());
    instruction.a = resolve(operands[1], instruction.aBytes);
    instruction.run = runSplit;
    if (instruction.listBytes * instruction.count != instruction.aBytes)
      words.fail("parts of another width");
  } else if (kind == "mov" && operands.size() == 2 && operands[1].kind == Operand::List) {
    instruction.bytes = uint8_t(sizeOfType(parts.back()) / operands[1].parts.size());
    resolveList(operands[1], instruction, /*isTarget=*/false);
    instruction.dBytes = sizeOfType(parts.back());
    instruction.d = resolveTarget(operands[0], instruction.dBytes);
    instruction.run = runJoin;
    if (instruction.listBytes * instruction.count != instruction.dBytes)
      words.fail("parts of another width");
  } else {
    parseForm(name, instruction, operands);
  }
  words.expect(";");
  kernel.code.push_back(instruction);
}

} // namespace fake
