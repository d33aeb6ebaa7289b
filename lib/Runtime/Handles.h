// The table of live handles. Reference counts live here and not in the objects, so that a dead or foreign handle is
// recognised by its address alone, before anything behind it is read.
#ifndef TINY_LIB_RUNTIME_HANDLES_H
#define TINY_LIB_RUNTIME_HANDLES_H

#include "Tiny/Runtime/Runtime.h"

namespace tiny {
namespace runtime {

enum class HandleKind { Device, Buffer, Program, Signal, Queue, Communicator };

/// Enters an object with one reference. Throws std::bad_alloc.
void enterHandle(const void *object, HandleKind kind);
/// Takes a reference; a dead handle or one of another kind is TINY_INVALID_ARGUMENT.
tiny_status retainHandle(const void *object, HandleKind kind);
/// Drops a reference; `last` tells the caller that the object is its to destroy.
tiny_status releaseHandle(const void *object, HandleKind kind, bool &last);
bool isLiveHandle(const void *object, HandleKind kind);
/// TINY_OK, or TINY_INVALID_ARGUMENT with a message that names the kind.
tiny_status checkHandle(const void *object, HandleKind kind);

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_HANDLES_H
