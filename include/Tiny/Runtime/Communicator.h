/* Ranks that run one program together. Plain C.
 *
 * A communicator is one rank's end of what connects all of them. Every rank calls the same collectives in the same
 * order. A rank that does not come within the time limit, that leaves, or that runs another program ends all of them:
 * each call then answers TINY_DEVICE_ERROR with a message that names the rank, and so does every later one.
 *
 * "local" are threads of one process, "nccl" is NVIDIA's library for GPUs. Others are shared libraries, opened by
 * dlopen: for a communicator `x` the runtime looks for libTinyCommunicator_x.so in the folder that
 * TINY_COMMUNICATOR_PATH names, beside the running program and in
 * ../lib of that folder, beside the library that has the runtime and in ../lib of that, and then where the system
 * looks.
 */
#ifndef TINY_RUNTIME_COMMUNICATOR_H
#define TINY_RUNTIME_COMMUNICATOR_H

#include "Tiny/Runtime/Runtime.h"

#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tiny_communicator tiny_communicator;

/** Makes the ends of `size` ranks that are threads of this process, at most 1024. */
TINY_EXPORT tiny_status tiny_communicator_create_local(uint32_t size, tiny_communicator **ranks);
/** Joins the ranks that somebody else started: "mpi" under mpirun, whose processes end where not all join within
 *  TINY_START_TIMEOUT seconds, by default 120; "nccl" joins them by "mpi", or by what
 *  TINY_NCCL_CONTROL names. TINY_NOT_FOUND where there is no such library. */
TINY_EXPORT tiny_status tiny_communicator_open(const char *name, tiny_communicator **communicator);
/** NCCL for the memory of CUDA's devices, each rank with one of its own. `control`, which it keeps, joins the ranks and
 *  carries what is in host memory. The library is libnccl.so.2, or what TINY_NCCL_LIBRARY names; TINY_NOT_FOUND without
 *  it. */
TINY_EXPORT tiny_status tiny_communicator_create_nccl(tiny_communicator *control, tiny_communicator **communicator);
TINY_EXPORT tiny_status tiny_communicator_retain(tiny_communicator *communicator);
/** The last reference leaves the ranks. */
TINY_EXPORT tiny_status tiny_communicator_release(tiny_communicator *communicator);
/** Both are 0 for a dead handle. */
TINY_EXPORT uint32_t tiny_communicator_rank(const tiny_communicator *communicator);
TINY_EXPORT uint32_t tiny_communicator_size(const tiny_communicator *communicator);
/** How long a collective waits for a rank, in seconds: by default TINY_COLLECTIVE_TIMEOUT of the environment, otherwise
 *  120. */
TINY_EXPORT tiny_status tiny_communicator_set_timeout(tiny_communicator *communicator, double seconds);
/** Ends all ranks: every call of theirs fails with this message from now on; processes end. */
TINY_EXPORT tiny_status tiny_communicator_abort(tiny_communicator *communicator, const char *message);

/** A collective on host memory among some ranks. `count` are elements: of the source, and for reduce-scatter and
 *  all-to-all of one part. Source and target do not overlap. A message goes from the first of two ranks to the second:
 *  the one's target and the other's source stay untouched. The sender does not wait for it to arrive, unless very much
 *  is under way: its source may be written at once. */
typedef struct tiny_group_call {
  tiny_collective_kind kind;
  tiny_reduction reduction;
  tiny_dtype dtype;
  const uint32_t *ranks; /**< of the group, in its order; the caller is one of them */
  uint32_t n_ranks;
  uint32_t place; /**< the caller's in the group */
  const void *source;
  void *target;
  uint64_t count;
  double timeout; /**< in seconds; set by the runtime */
} tiny_group_call;
/** All ranks have the same number, for what they do next; otherwise the message says "rank 2 `differs` than rank 0". */
TINY_EXPORT tiny_status tiny_communicator_agree(tiny_communicator *communicator, uint64_t number, const char *differs);
TINY_EXPORT tiny_status tiny_communicator_call(tiny_communicator *communicator, const tiny_group_call *call);

/** The rank's number as a launcher of MPI says it; null where none started this process. */
static inline const char *tiny_started_rank(void) {
  const char *rank = getenv("PMI_RANK");
  if (!rank)
    rank = getenv("PMIX_RANK");
  return rank ? rank : getenv("OMPI_COMM_WORLD_RANK");
}

/** Where a launcher of MPI started it, this process waits here for the end of another, in which this returns, and says
 *  which rank died if a signal ended it, or if it ended in the middle of a program. Before any thread begins. `name`
 *  begins the message. TINY_RANK_GUARDED of the environment says that a rank has its guard. Returns
 *  `tiny_started_rank`. */
TINY_EXPORT const char *tiny_guard_rank(const char *name);
/** What MPI's communicator writes to the file TINY_RANK_GUARDED, of a number above 2, when the rank joins and leaves.
 */
enum { TINY_RANK_JOINED = 'j', TINY_RANK_LEFT = 'l' };

/** Reduces `count` elements of `source` into `target`, pair by pair, each rounded to the type. */
TINY_EXPORT tiny_status tiny_reduce(tiny_reduction reduction, tiny_dtype dtype, void *target, const void *source,
                                    uint64_t count);

/*---- Libraries -----------------------------------------------------------------------------------------------------*/

#define TINY_COMMUNICATOR_VERSION 3u

/** What the runtime lends a library. */
typedef struct tiny_communicator_host {
  uint32_t version;
  tiny_status (*reduce)(tiny_reduction reduction, tiny_dtype dtype, void *target, const void *source, uint64_t count);
  /** A collective in words, "all-reduce of 48 bytes". */
  void (*describe)(const tiny_group_call *call, char *text, uint64_t room);
  double timeout; /**< how long `open` may take, in seconds */
} tiny_communicator_host;

/** What a library is. Calls that fail return something else than 0 and write a message of less than `room` bytes. */
typedef struct tiny_communicator_library {
  uint32_t version; /**< TINY_COMMUNICATOR_VERSION */
  int (*open)(const tiny_communicator_host *host, void **state, uint32_t *rank, uint32_t *size, char *message,
              uint64_t room);
  int (*call)(void *state, const tiny_group_call *call, char *message, uint64_t room);
  /** Ends the processes of all ranks with one message. Does not return where it can. */
  void (*abort)(void *state, const char *message);
  void (*close)(void *state);
  /** Says that the program's next collective is one of other ranks: all count alike. May be null. */
  void (*pass_over)(void *state);
} tiny_communicator_library;

/** The one function that a library exports: `tiny_communicator_library_get`. */
typedef const tiny_communicator_library *(*tiny_communicator_library_fn)(void);

#ifdef __cplusplus
}
#endif

#endif /* TINY_RUNTIME_COMMUNICATOR_H */
