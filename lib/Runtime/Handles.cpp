// The table of live handles: reference counts, and the check that a handle is alive and of its kind.
#include "Handles.h"
#include "Error.h"

#include <mutex>
#include <shared_mutex>
#include <unordered_map>

using namespace tiny::runtime;

namespace {
struct Entry {
  HandleKind kind;
  uint64_t references;
};

struct Table {
  std::shared_mutex mutex;
  std::unordered_map<const void *, Entry> entries;
};

/// Never destroyed: handles may be released while the process exits.
Table &table() {
  static Table *instance = new Table;
  return *instance;
}

const char *kindName(HandleKind kind) {
  switch (kind) {
  case HandleKind::Device:
    return "device";
  case HandleKind::Buffer:
    return "buffer";
  case HandleKind::Program:
    return "program";
  case HandleKind::Signal:
    return "signal";
  case HandleKind::Queue:
    return "queue";
  case HandleKind::Communicator:
    return "communicator";
  }
  return "object";
}

tiny_status dead(const void *object, HandleKind kind) {
  return fail(TINY_INVALID_ARGUMENT, object ? "%s handle is not alive" : "%s handle is null", kindName(kind));
}

Entry *find(const void *object, HandleKind kind) {
  auto it = table().entries.find(object);
  return it == table().entries.end() || it->second.kind != kind ? nullptr : &it->second;
}
} // namespace

void tiny::runtime::enterHandle(const void *object, HandleKind kind) {
  std::unique_lock<std::shared_mutex> lock(table().mutex);
  table().entries[object] = {kind, 1};
}

tiny_status tiny::runtime::retainHandle(const void *object, HandleKind kind) {
  std::unique_lock<std::shared_mutex> lock(table().mutex);
  Entry *entry = find(object, kind);
  if (!entry)
    return dead(object, kind);
  ++entry->references;
  return TINY_OK;
}

tiny_status tiny::runtime::releaseHandle(const void *object, HandleKind kind, bool &last) {
  last = false;
  std::unique_lock<std::shared_mutex> lock(table().mutex);
  Entry *entry = find(object, kind);
  if (!entry)
    return dead(object, kind);
  if (--entry->references == 0) {
    table().entries.erase(object);
    last = true;
  }
  return TINY_OK;
}

bool tiny::runtime::isLiveHandle(const void *object, HandleKind kind) {
  std::shared_lock<std::shared_mutex> lock(table().mutex);
  return find(object, kind);
}

tiny_status tiny::runtime::checkHandle(const void *object, HandleKind kind) {
  return isLiveHandle(object, kind) ? TINY_OK : dead(object, kind);
}
