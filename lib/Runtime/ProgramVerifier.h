// What checks a program's description, item by item, and fills in the program.
#ifndef TINY_LIB_RUNTIME_PROGRAMVERIFIER_H
#define TINY_LIB_RUNTIME_PROGRAMVERIFIER_H

#include "Program.h"
#include "Tiny/Runtime/ItemKinds.h"

namespace tiny {
namespace runtime {

inline unsigned long long ull(uint64_t value) { return value; }

/// A list of items that is being read.
struct OpenList {
  uint32_t step;                      ///< whose it is
  int64_t end;                        ///< behind its last item
  int64_t otherwise = -1;             ///< of a first list: the end of the second
  std::vector<uint32_t> defined = {}; ///< slots
  /// Of a branch: what was written in front of it, and in the first list.
  std::vector<bool> before = {}, first = {};
};

/// An async collective that nothing has waited for.
struct PendingCollective {
  uint32_t source, target;
  uint64_t places;
  uint32_t owner;    ///< the step whose list it is in
  int64_t otherwise; ///< tells the two lists of a branch apart
};

class Verifier {
public:
  Verifier(const tiny_program_desc &desc, tiny_program &program) : desc(desc), program(program) {}

  tiny_status run();

private:
  tiny_status checkCounts();
  tiny_status checkSlots();
  tiny_status checkSizes();
  tiny_status checkPlaces(const tiny_item &item);
  tiny_status checkKind(const tiny_item &item);
  tiny_status checkGrid();
  tiny_status checkKernels();
  tiny_status checkDevices();
  tiny_status checkItem(const tiny_item &item);
#define TINY_CHECK(KIND, Name) tiny_status check##Name(const tiny_item &item);
  TINY_ITEMS(TINY_CHECK)
#undef TINY_CHECK
  tiny_status checkResults();
  tiny_status openList(const tiny_item &item, uint64_t count);
  void closeLists();
  tiny_status checkBytes(const char *what, uint32_t slot, uint64_t size);

  /// The slot exists and no earlier item defined it; marks it as defined.
  tiny_status define(uint32_t slot);
  /// The slot was defined by an earlier item, or is an argument.
  tiny_status checkDefined(uint32_t slot);
  tiny_status checkRead(uint32_t slot);
  tiny_status checkWrite(uint32_t slot);
  void markWritten(uint32_t slot) { written[program.slots[slot].root] = true; }
  bool overlap(uint32_t a, uint32_t b) const;
  /// Where the slot lies.
  const char *nameDevice(uint32_t slot) const;
  tiny_status checkPending(uint32_t slot, bool isWritten);

  tiny_status error(tiny_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
  tiny_status invalid(const char *format, ...) __attribute__((format(printf, 2, 3)));

  const tiny_program_desc &desc;
  tiny_program &program;
  std::vector<bool> defined, visible, written;
  std::vector<OpenList> open;
  std::vector<PendingCollective> pending;
  /// The item that messages name; none before the first.
  int64_t current = -1;
};

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_PROGRAMVERIFIER_H
