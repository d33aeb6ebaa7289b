// Memory of tensors.
#include "Tiny/Files/HostBytes.h"

#include <sys/mman.h>

void tiny::adviseHugePages(void *memory, size_t size) {
  madvise(memory, size, MADV_HUGEPAGE); // A system without them goes on with small ones.
}
