// Kernels call nothing. What an object leaves undefined is found before it is linked, and by whom it is used.
#include "Codegen.h"

#include "llvm/Object/ObjectFile.h"

using namespace llvm;

namespace tiny::cpu {

/// The function of the section that covers an offset.
static Expected<std::string> findFunction(const object::ObjectFile &file, const object::SectionRef &section,
                                          uint64_t offset) {
  std::string name;
  uint64_t best = 0;
  for (const object::SymbolRef &symbol : file.symbols()) {
    Expected<object::SymbolRef::Type> type = symbol.getType();
    if (!type)
      return type.takeError();
    if (*type != object::SymbolRef::ST_Function)
      continue;
    Expected<object::section_iterator> home = symbol.getSection();
    if (!home)
      return home.takeError();
    Expected<uint64_t> begin = symbol.getValue();
    if (!begin)
      return begin.takeError();
    if (*home != section || *begin > offset || (!name.empty() && *begin < best))
      continue;
    Expected<StringRef> symbolName = symbol.getName();
    if (!symbolName)
      return symbolName.takeError();
    best = *begin;
    name = symbolName->str();
  }
  return name;
}

Expected<std::vector<ForeignCall>> findForeignCalls(MemoryBufferRef object) {
  Expected<std::unique_ptr<object::ObjectFile>> file = object::ObjectFile::createObjectFile(object);
  if (!file)
    return file.takeError();
  std::vector<ForeignCall> calls;
  for (const object::SectionRef &section : (*file)->sections()) {
    Expected<object::section_iterator> target = section.getRelocatedSection();
    if (!target)
      return target.takeError();
    if (*target == (*file)->section_end())
      continue;
    for (const object::RelocationRef &relocation : section.relocations()) {
      object::symbol_iterator symbol = relocation.getSymbol();
      if (symbol == (*file)->symbol_end())
        continue;
      Expected<uint32_t> flags = symbol->getFlags();
      if (!flags)
        return flags.takeError();
      if (!(*flags & object::SymbolRef::SF_Undefined))
        continue;
      Expected<StringRef> name = symbol->getName();
      if (!name)
        return name.takeError();
      Expected<std::string> kernel = findFunction(**file, **target, relocation.getOffset());
      if (!kernel)
        return kernel.takeError();
      calls.push_back({name->str(), *kernel});
    }
  }
  return calls;
}

} // namespace tiny::cpu
