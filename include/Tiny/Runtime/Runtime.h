/* The runtime: devices, buffers and programs. Plain C, no compiler in here.
 *
 * Conventions, everywhere:
 *  - Sizes and offsets are bytes.
 *  - Every call that can fail returns a tiny_status. After anything but TINY_OK, tiny_last_error() holds a one-line
 *    message of this thread's last failure, and out parameters are unchanged. Nothing throws or aborts.
 *  - Handles are reference counted and begin with one reference, which the caller owns. A null handle, a handle of the
 *    wrong kind or one that was already freed is TINY_INVALID_ARGUMENT. A handle must stay alive while a call uses it.
 *  - Every function may be called from any thread. The contents of a buffer are the caller's to synchronise: two calls
 *    that touch the same bytes, one of them writing, must not overlap in time.
 */
#ifndef TINY_RUNTIME_RUNTIME_H
#define TINY_RUNTIME_RUNTIME_H

#include "Tiny/Runtime/Abi.h"

#include <stddef.h>

#if defined(__GNUC__)
#define TINY_EXPORT __attribute__((visibility("default")))
#else
#define TINY_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Buffers that the runtime allocates begin at a multiple of this. */
#define TINY_BUFFER_ALIGNMENT 64
/** Host memory must begin at a multiple of this to be imported: the size of the largest element. */
#define TINY_IMPORT_ALIGNMENT 8

/** What came of a call. The numbers are part of the binary interface and never change. */
typedef enum tiny_status {
  TINY_OK = 0,
  TINY_INVALID_ARGUMENT = 1, /**< a null or dead handle, a malformed program, a wrong size */
  TINY_OUT_OF_RANGE = 2,     /**< an access that leaves its buffer, or an offset that overflows */
  TINY_OUT_OF_MEMORY = 3,
  TINY_NOT_FOUND = 4,    /**< no device of this name */
  TINY_UNSUPPORTED = 5,  /**< the device cannot do this */
  TINY_READ_ONLY = 6,    /**< a write to a buffer imported as read-only */
  TINY_DEVICE_ERROR = 7, /**< the driver below failed; the message has its words */
  TINY_TIMED_OUT = 8     /**< a wait with a time limit ended without what it waited for */
} tiny_status;

/** The name of a status, "out of range"; never null. */
TINY_EXPORT const char *tiny_status_name(tiny_status status);
/** The message of this thread's last failed call; "" when none failed. Valid until this thread's next failure. */
TINY_EXPORT const char *tiny_last_error(void);

/*---- Devices -------------------------------------------------------------------------------------------------------*/

typedef struct tiny_device tiny_device;

/** How many devices have a driver in the runtime. */
TINY_EXPORT size_t tiny_device_count(void);
/** The name of the device number `index`, or null where there is none. "cpu" and "null" can always be opened. */
TINY_EXPORT const char *tiny_device_name_at(size_t index);
/** Opens a device by name, such as "cpu", "cuda:1" for one GPU of several, or "cuda,cpu" for several as one.
 * TINY_NOT_FOUND's message lists those that exist; TINY_UNSUPPORTED says what the machine lacks. Opening twice gives
 * the same device. */
TINY_EXPORT tiny_status tiny_device_open(const char *name, tiny_device **device);
TINY_EXPORT tiny_status tiny_device_retain(tiny_device *device);
TINY_EXPORT tiny_status tiny_device_release(tiny_device *device);
/** On how many threads the device shares out the grid of one kernel, at least 1. Results never depend on it. "cpu"
 * begins with `TINY_NUM_THREADS` of the environment, or with as many as there are processors; other devices answer
 *  TINY_UNSUPPORTED. */
TINY_EXPORT tiny_status tiny_device_set_threads(tiny_device *device, uint32_t threads);
/** On how many it does: 1 on devices that have none to set, 0 for a dead handle. */
TINY_EXPORT uint32_t tiny_device_threads(const tiny_device *device);
/** The name it was opened by; null for a dead handle. */
TINY_EXPORT const char *tiny_device_name(const tiny_device *device);

/** Whether it computes in the host's memory: see tiny_program_run_on_host. 0 for a dead handle. */
TINY_EXPORT int tiny_device_computes_on_host(const tiny_device *device);

/** What the compiler calls the processor that the device found, such as "sm_80"; "" where it has no name for it, null
 * for a dead handle. Valid as long as the device. */
TINY_EXPORT const char *tiny_device_processor(const tiny_device *device);

/** What the device states of itself. What it points to is valid as long as the device. TINY_UNSUPPORTED on one whose
 * processor's name says everything. */
TINY_EXPORT tiny_status tiny_device_describe(const tiny_device *device, tiny_device_facts *facts);

/** What a device's allocator holds at the moment, all buffers and programs together. */
typedef struct tiny_memory_info {
  uint64_t bytes_in_use;
  uint64_t peak_bytes;
  uint64_t allocations; /**< live ones; imports do not count */
} tiny_memory_info;
TINY_EXPORT tiny_status tiny_device_memory(const tiny_device *device, tiny_memory_info *info);

/*---- Buffers -------------------------------------------------------------------------------------------------------*/

typedef struct tiny_buffer tiny_buffer;

/** Gives host memory back to whoever lent it. Runs on the thread that drops the last reference. */
typedef void (*tiny_release_fn)(void *context, void *data);

enum {
  TINY_IMPORT_READ_WRITE = 0,
  TINY_IMPORT_READ_ONLY = 1 /**< writes fail with TINY_READ_ONLY; a program must not write it either */
};

enum { TINY_MAP_READ = 1, TINY_MAP_WRITE = 2 };

/** A new buffer, aligned to TINY_BUFFER_ALIGNMENT, with unspecified contents. `size` may be 0. */
TINY_EXPORT tiny_status tiny_buffer_allocate(tiny_device *device, uint64_t size, tiny_buffer **buffer);
/** A buffer over the caller's memory, without a copy. `data` must be a multiple of TINY_IMPORT_ALIGNMENT unless the
 *  buffer is read-only, and stay valid until `release` is called (once, with `context` and `data`) or, where `release`
 *  is null, as long as the buffer or a view of it lives. On failure `release` is not called. `data` may be null only
 *  where `size` is 0. A device that does not compute on the host's memory answers TINY_UNSUPPORTED: allocate and copy.
 */
TINY_EXPORT tiny_status tiny_buffer_import(tiny_device *device, void *data, uint64_t size, uint32_t flags,
                                           tiny_release_fn release, void *context, tiny_buffer **buffer);
/** A part of a buffer as a buffer of its own; it keeps its parent alive and is read-only when its parent is. */
TINY_EXPORT tiny_status tiny_buffer_view(tiny_buffer *parent, uint64_t offset, uint64_t size, tiny_buffer **buffer);
TINY_EXPORT tiny_status tiny_buffer_retain(tiny_buffer *buffer);
TINY_EXPORT tiny_status tiny_buffer_release(tiny_buffer *buffer);
/** Bytes in the buffer; 0 for a dead handle. */
TINY_EXPORT uint64_t tiny_buffer_size(const tiny_buffer *buffer);
/** The device it lives on, without a new reference; null for a dead handle. */
TINY_EXPORT tiny_device *tiny_buffer_device(const tiny_buffer *buffer);
/** Host address of the bytes [offset, offset + size), for `access` (TINY_MAP_READ, TINY_MAP_WRITE or both). Valid until
 *  tiny_buffer_unmap or the buffer's end. Devices without host-visible memory answer TINY_UNSUPPORTED. */
TINY_EXPORT tiny_status tiny_buffer_map(tiny_buffer *buffer, uint32_t access, uint64_t offset, uint64_t size,
                                        void **data);
/** Ends a mapping; what was written is then visible to the device. Null `data` is TINY_INVALID_ARGUMENT. */
TINY_EXPORT tiny_status tiny_buffer_unmap(tiny_buffer *buffer, void *data);
/** Copies bytes out of a buffer, or into it. */
TINY_EXPORT tiny_status tiny_buffer_read(tiny_buffer *buffer, uint64_t offset, void *target, uint64_t size);
TINY_EXPORT tiny_status tiny_buffer_write(tiny_buffer *buffer, uint64_t offset, const void *source, uint64_t size);
/** Copies between buffers, of one device or of two; parts of one buffer may overlap. */
TINY_EXPORT tiny_status tiny_buffer_copy(tiny_buffer *source, uint64_t source_offset, tiny_buffer *target,
                                         uint64_t target_offset, uint64_t size);
/** Repeats a pattern of 1, 2, 4 or 8 bytes over [offset, offset + size); `size` must be a multiple of it. */
TINY_EXPORT tiny_status tiny_buffer_fill(tiny_buffer *buffer, uint64_t offset, uint64_t size, const void *pattern,
                                         uint32_t pattern_size);

/*---- Programs ------------------------------------------------------------------------------------------------------*/

/* A program is a list of items over numbered slots. The first `n_arguments` slots are the arguments; every other slot
 * is defined by exactly one item, before any item that uses it. Results name slots. */

enum {
  TINY_SLOT_WRITABLE = 1 /**< on an argument: the program may write it, and a result that aliases it is a view of it */
};

/** A buffer that the program's items talk about. */
typedef struct tiny_slot {
  uint64_t size;
  uint32_t alignment; /**< what kernels assume of its address: a power of two up to 64, the element's size; 0 means 1 */
  uint32_t flags;     /**< TINY_SLOT_*, on arguments only */
} tiny_slot;

enum {
  TINY_KERNEL_IN_PLACE = 1 /**< a buffer it writes may overlap its other buffers; without it a launch like that is
                                malformed, since kernels are compiled for buffers that do not overlap */
};

/** An array in a buffer that the device copies boxes of by itself. What is behind `rank` is 0. */
typedef struct tiny_tensor_map {
  uint32_t buffer; /**< of the kernel's; the array begins with it */
  tiny_dtype dtype;
  uint32_t rank;       /**< 1 to 5 */
  uint32_t box[5];     /**< extents of what is copied at once, the innermost first */
  uint32_t swizzle;    /**< bytes of the box's rows, whose groups of 16 bytes are swizzled: 0 for none, 32, 64 or 128 */
  uint64_t extents[5]; /**< of the array, the innermost first */
  uint64_t strides[4]; /**< bytes from one to the next along each dimension but the innermost */
} tiny_tensor_map;

/** A kernel: a grid of calls, or of workgroups. On "cpu" the device calls `function` once for each index of the grid,
 * in any order and on several threads.
 */
typedef struct tiny_kernel {
  const char *name;         /**< for messages and profiles; copied */
  tiny_cpu_kernel function; /**< on "cpu"; must outlive the program */
  int64_t grid[3]; /**< extents x, y, z; each at least 1, unless the kernel has nothing to do; at most 2^26 points */
  uint32_t n_buffers;
  uint32_t flags;         /**< TINY_KERNEL_* */
  uint64_t scratch_bytes; /**< memory of each thread's own while it runs: behind the buffers' addresses stands its
                               address, a multiple of TINY_BUFFER_ALIGNMENT; 0 for none */
  const void *code;       /**< on devices that call no functions: what a container's binary has, with a kernel of this
                               name; must live until the program is created. Null on others. */
  uint64_t code_size;
  const tiny_tensor_map *maps; /**< on "cuda": parameters behind the buffers; must live until the program is created */
  uint32_t n_maps;
} tiny_kernel;

/** The numbers are part of the binary interface and never change. */
typedef enum tiny_item_kind {
  TINY_ITEM_ALLOC = 0,    /**< defines `slot`: storage with unspecified contents */
  TINY_ITEM_CONSTANT = 1, /**< defines `slot`: the bytes at `data`, read-only */
  TINY_ITEM_ALIAS = 2,    /**< defines `slot`: the part of `source` that begins at `offset` */
  TINY_ITEM_LAUNCH = 3,   /**< runs `kernel` on `buffers` */
  TINY_ITEM_COPY = 4,     /**< copies `source` to `slot`, of equal sizes */
  TINY_ITEM_FILL = 5,     /**< repeats `data` (`data_size` bytes: 1, 2, 4 or 8) over `slot` */
  TINY_ITEM_LOOP = 6,     /**< runs its list at most `count` times, and at most as often as the int64_t in `limit` says,
                               which is read once; before each iteration ends if the byte in `source` is 0, and writes the
                               iteration's number into the int64_t in `slot`; behind the last, how many there were */
  TINY_ITEM_IF = 7,       /**< runs the first `count` items of its list if the byte in `source` is not 0, otherwise the
                              others */
  TINY_ITEM_COLLECTIVE = 8,    /**< what `collective` says, from `source` to `slot` */
  TINY_ITEM_WAIT = 9,          /**< waits for the async collective of the same list from `source` to `slot` */
  TINY_ITEM_WIDTH = 0x7fffffff /**< no kind: with it the type holds any number that a caller may give */
} tiny_item_kind;

/** In place of a slot: a loop has no counter, no condition, or no limit. */
#define TINY_NO_SLOT UINT32_MAX

/** The numbers are part of the binary interface and never change. */
typedef enum tiny_collective_kind {
  TINY_ALL_REDUCE = 0,     /**< all get the reduction of what they have */
  TINY_ALL_GATHER = 1,     /**< all get what all have, in the group's order */
  TINY_REDUCE_SCATTER = 2, /**< each has a part for each, and gets the reduction of its own */
  TINY_ALL_TO_ALL = 3,     /**< each has a part for each, and gets its own from all */
  TINY_BROADCAST = 4,      /**< all get what the group's first has */
  TINY_SEND = 5,           /**< the second of two peers gets what the first has, and nobody else anything */
  TINY_COLLECTIVE_WIDTH = 0x7fffffff
} tiny_collective_kind;

typedef enum tiny_reduction {
  TINY_REDUCE_NONE = 0,
  TINY_REDUCE_SUM = 1,
  TINY_REDUCE_PRODUCT = 2,
  TINY_REDUCE_MAX = 3, /**< NaN where one is NaN */
  TINY_REDUCE_MIN = 4,
  TINY_REDUCE_WIDTH = 0x7fffffff
} tiny_reduction;

/** What ranks do together. They stand row-major in the program's grid; a group are those that differ along `axes`
 * alone.
 */
typedef struct tiny_collective {
  tiny_collective_kind kind;
  tiny_reduction reduction;
  tiny_dtype dtype;
  const uint32_t *axes; /**< of the grid, each at most once; a group's order is row-major in them; copied */
  uint32_t n_axes;
  uint32_t peers[2]; /**< send: from which place of a group to which */
  /** 1 where it may run beside the items behind it, until a wait of the same list. Until then nothing writes its source
   * or touches its target. */
  uint32_t async;
} tiny_collective;

/** One step. Fields that its kind does not name are ignored. */
typedef struct tiny_item {
  tiny_item_kind kind;
  uint32_t slot;
  uint32_t source;
  uint32_t kernel; /**< an index into the program's kernels */
  uint64_t offset;
  const void *data;        /**< constant: borrowed, must outlive the program; fill: copied */
  uint64_t data_size;      /**< constant: the slot's size; fill: the pattern's */
  const uint32_t *buffers; /**< launch: slots it reads, then slots it writes (in place: both); copied */
  uint32_t n_inputs;
  uint32_t n_outputs;
  uint32_t n_nested; /**< loop, if: so many of the items behind it are its list, and what is nested in these. Slots that
                          they define are used there alone, and hold nothing when the list begins */
  uint32_t limit;
  uint64_t count;
  const tiny_collective *collective; /**< collective; copied */
  /** Where the program has an axis of stages, and this is not 0: ranks run the item, with its list, whose place there
   * is the number of a set bit. What defines a slot has none. */
  uint64_t places;
} tiny_item;

/** A size that is known when the program runs. */
typedef struct tiny_size {
  const char *name; /**< for messages; copied */
  int64_t least, most;
  uint32_t computed; /**< 1 where no argument tells it, but an item writes it */
} tiny_size;

typedef struct tiny_program_desc {
  const char *name; /**< for messages; may be null */
  const tiny_slot *slots;
  uint32_t n_slots;
  uint32_t n_arguments;
  const uint32_t *results;
  uint32_t n_results;
  const tiny_kernel *kernels;
  uint32_t n_kernels;
  const tiny_item *items;
  uint32_t n_items;
  /** Where there are any, the slot behind the arguments, number `n_arguments`, holds them, an int64_t each: no item
   *  defines it, each run does. Items write the places of those that are computed, and no others; until then these hold
   *  the greatest value. */
  const tiny_size *sizes;
  uint32_t n_sizes;
  /** Of a program of one rank among many, the sizes of their grid, row-major; empty for any other. Where `reads_place`
   * is 1 the slot behind the arguments holds the rank's place on each of its axes, an int64_t each: no item defines it,
   *  each run does. Such a program has no sizes. Copied. */
  const int64_t *grid;
  uint32_t n_grid;
  uint32_t reads_place;
  /** Where ranks are stages of a pipeline: 1 and the axis of the grid along which these lie, at most 64 of them. */
  uint32_t has_stages;
  uint32_t stage_axis;
  /** Where the items say all that is copied between devices: by slot, on which device it lies, and by kernel, where it
   * runs, as numbers in the name that the device was opened by ("vulkan,cpu": 0 and 1). A launch takes slots that lie
   * where its kernel runs; a copy goes from one device to another. Null: the device copies what a kernel needs. Copied.
   */
  const uint32_t *slot_devices;
  const uint32_t *kernel_devices;
} tiny_program_desc;

typedef struct tiny_program tiny_program;

/** Checks a description and plans its memory. Refused are, with the item's number in the message: a slot, kernel or
 *  part that does not exist, sizes that differ or overflow, a slot defined twice or never, a temporary read before
 *  anything wrote it, a result that nothing wrote, a write to a constant or to an argument that is not writable. All of
 *  the description is copied but the constants' bytes. */
TINY_EXPORT tiny_status tiny_program_create(tiny_device *device, const tiny_program_desc *desc, tiny_program **program);
TINY_EXPORT tiny_status tiny_program_retain(tiny_program *program);
TINY_EXPORT tiny_status tiny_program_release(tiny_program *program);

/* A compiled program as bytes: Tiny/Runtime/Format.h says what they are. To load a container is to run its code: load
 * none that you would not execute. */

enum {
  TINY_LOAD_CHECK_CONSTANTS = 1, /**< checks the bytes of constants, too, which reads all of them */
  /** Constants may lie in files anywhere, by absolute paths, too: for containers that stay where they were written, as
   *  in a cache. */
  TINY_LOAD_ANY_FILE = 2
};

/** Loads a container. Everything but the bytes of constants is verified first: TINY_INVALID_ARGUMENT says what is wrong
 *  with a damaged or malformed one, TINY_UNSUPPORTED that it is of another version or has no code for this device.
 *  `data` must begin at a multiple of 64 and stay valid and unchanged as long as the program lives: constants are used
 *  where they are. `folder` is where files of constants are found; null means the current one. A file
 *  that is not below it is TINY_INVALID_ARGUMENT, and so is one of another size or content than the program was
 * compiled with; TINY_NOT_FOUND one that cannot be read. Files are mapped and must not be changed while the program
 * lives. */
TINY_EXPORT tiny_status tiny_program_load(tiny_device *device, const void *data, uint64_t size, const char *folder,
                                          uint32_t flags, tiny_program **program);
/** Loads the container in a file, which is mapped as long as the program lives. */
TINY_EXPORT tiny_status tiny_program_open(tiny_device *device, const char *path, uint32_t flags,
                                          tiny_program **program);

/** An input or a result of a program that was loaded. What it points at lives as long as the program. */
typedef struct tiny_parameter {
  const char *name; /**< "" where it has none */
  tiny_dtype dtype;
  uint32_t rank;
  const int64_t *shape; /**< at the sizes' bounds */
  uint32_t donated;     /**< input: 1 if the program may write its buffer */
  int64_t alias;        /**< result: the input whose buffer it is in, or -1 */
  /** By dimension, which of the terms give its live extent (tiny_format_evaluate of Format.h); null where the program
   *  has no sizes. */
  const struct tiny_format_dimension *dimensions;
  const struct tiny_format_term *terms;
  /** By dimension, what it is a part of; null where the tensor is whole on every rank. `cut_axes` is what they name. */
  const struct tiny_format_cut *cuts;
  const uint32_t *cut_axes;
  int64_t stage;       /**< result: the one stage of a pipeline that has it, or -1 */
  uint32_t stage_axis; /**< of the grid: stages lie along it */
} tiny_parameter;

/** How many there are; 0 for a dead handle, and for a program that was not loaded. */
TINY_EXPORT uint32_t tiny_program_input_count(const tiny_program *program);
TINY_EXPORT uint32_t tiny_program_result_count(const tiny_program *program);
TINY_EXPORT tiny_status tiny_program_input(const tiny_program *program, uint32_t index, tiny_parameter *parameter);
TINY_EXPORT tiny_status tiny_program_result(const tiny_program *program, uint32_t index, tiny_parameter *parameter);

/* Sizes that are known when a program runs. Each is a dimension of an argument, within its bounds, or computed by the
 * program. A caller who has shapes asks tiny_program_find_sizes for the sizes, tiny_program_result_shape for the
 * results' shapes, and runs the program with the sizes among its options. Where some are computed, they are at their
 * greatest until then; the run tells them, and with them the results' shapes. Buffers are dense at the live shape. */

/** How many there are; 0 for a dead handle. */
TINY_EXPORT uint32_t tiny_program_size_count(const tiny_program *program);
/** The name lives as long as the program. */
TINY_EXPORT tiny_status tiny_program_size(const tiny_program *program, uint32_t index, tiny_size *size);

/** A shape that a caller has. */
typedef struct tiny_shape {
  const int64_t *extents;
  uint32_t rank;
} tiny_shape;

/** Finds the sizes of a program that was loaded from the shapes of its arguments, and checks every shape: the message
 * of TINY_INVALID_ARGUMENT names the argument and the dimension. `sizes` has room for all. */
TINY_EXPORT tiny_status tiny_program_find_sizes(const tiny_program *program, const tiny_shape *arguments,
                                                size_t n_arguments, int64_t *sizes);
/** The shape of an argument or a result at these sizes, of which there is one for each of the program's. `extents` has
 *  room for its rank. TINY_INVALID_ARGUMENT where a size is outside of its bounds. */
TINY_EXPORT tiny_status tiny_program_argument_shape(const tiny_program *program, uint32_t index, const int64_t *sizes,
                                                    int64_t *extents);
TINY_EXPORT tiny_status tiny_program_result_shape(const tiny_program *program, uint32_t index, const int64_t *sizes,
                                                  int64_t *extents);

/** A kernel of a program that was loaded. */
typedef struct tiny_kernel_info {
  const char *name;
  uint64_t operations; /**< on elements, of one launch; 0 where it is not known */
  uint64_t bytes;      /**< that one launch must move at least; 0 where it is not known */
} tiny_kernel_info;
TINY_EXPORT uint32_t tiny_program_kernel_count(const tiny_program *program);
TINY_EXPORT tiny_status tiny_program_kernel(const tiny_program *program, uint32_t index, tiny_kernel_info *info);
/** The sizes of the grid of ranks that a program runs on; 0 of them for one that runs alone. They live as long as it
 * does.
 */
TINY_EXPORT uint32_t tiny_program_grid(const tiny_program *program, const int64_t **sizes);
/** The name of the record whose code is used, "x86-64-v3"; "" where there is no code, null for a dead handle. */
TINY_EXPORT const char *tiny_program_record_name(const tiny_program *program);

/** Bytes that one run holds for temporaries, after those that never live together share storage. */
TINY_EXPORT uint64_t tiny_program_arena_size(const tiny_program *program);

/** The memory plan, in bytes; at the bounds of a program with sizes. */
typedef struct tiny_memory_plan {
  uint64_t arguments;   /**< all of them */
  uint64_t constants;   /**< all of them */
  uint64_t results;     /**< that are not parts of arguments */
  uint64_t temporaries; /**< all of them, one beside the other */
  uint64_t arena;       /**< what they take, sharing storage */
  uint64_t arena_bound; /**< the most that is live at a step: no arena for these steps in this order is smaller */
} tiny_memory_plan;
TINY_EXPORT tiny_status tiny_program_memory(const tiny_program *program, tiny_memory_plan *plan);

/** A temporary in the arena. */
typedef struct tiny_temporary {
  uint64_t offset, size; /**< in bytes */
  /** The items that need it, both included. Items that do work count from 0; a result that is copied at the end needs
   *  its temporary once more, after the last of them. */
  uint32_t first, last;
  const char *writer; /**< what item `first` is: its kernel's name, "copy" or "fill"; lives as long as the program */
} tiny_temporary;
/** How many there are; 0 for a dead handle. They are in the order of `first`. */
TINY_EXPORT uint32_t tiny_program_temporary_count(const tiny_program *program);
TINY_EXPORT tiny_status tiny_program_temporary(const tiny_program *program, uint32_t index, tiny_temporary *temporary);

/** Told after each item that does work: its kernel's name (or "copy", "fill") and wall time. */
typedef void (*tiny_profile_fn)(void *context, const char *name, uint64_t nanoseconds);

/** What one thread did of a launch without a pause: times in nanoseconds, from the beginning of the launch. */
typedef struct tiny_part {
  uint32_t thread; /**< 0 is the thread that launches */
  uint64_t begin, nanoseconds;
} tiny_part;
/** Told after each launch, behind its profile, which threads ran it. Devices whose launches have no such parts tell
 *  none. */
typedef void (*tiny_parts_fn)(void *context, const tiny_part *parts, size_t n_parts);

typedef struct tiny_run_options {
  tiny_profile_fn profile; /**< may be null */
  void *profile_context;
  /** One for each of the program's, within its bounds; null where it has none. Of those that are computed the greatest
   *  must stand there. */
  const int64_t *sizes;
  tiny_parts_fn parts; /**< may be null; takes `profile_context`, too */
  /** May be null; has room for as many as `sizes`, which it may be, and gets them when the run has ended well, with
   *  those that were computed. */
  int64_t *found_sizes;
  /** For a program of one rank among many: the others. Its size is that of the grid. */
  struct tiny_communicator *communicator;
} tiny_run_options;

/** Runs a program and waits for its end. `arguments` and supplied results must have exactly their slots' sizes, and
 * live on the program's device. In a program with sizes they may have any number of bytes from that of the live shape
 * (0 in one that was not loaded) to their slots', and the runtime allocates results for the live shape. A size that is
 * computed outside of its bounds is TINY_OUT_OF_RANGE, and the results have no meaning. Where
 * `results[i]` is null the runtime allocates the buffer, and the caller owns it; a buffer that stands there is written,
 * and may overlap arguments but no other result. Results never share memory with arguments, except where they alias a
 * writable one. `options` may be null. Runs of one program may overlap in time.
 */
TINY_EXPORT tiny_status tiny_program_run(tiny_program *program, tiny_buffer *const *arguments, size_t n_arguments,
                                         tiny_buffer **results, size_t n_results, const tiny_run_options *options);

/** Memory of the host's. What is written is at a multiple of TINY_IMPORT_ALIGNMENT bytes. */
typedef struct tiny_host_memory {
  void *data; /**< null is right for no bytes */
  uint64_t size;
} tiny_host_memory;

/** Runs a program on the caller's memory, where the device computes there, and else is TINY_UNSUPPORTED: what importing
 *  each argument and result for one run would do, without handles, so that a program of many buffers starts sooner. All
 *  results are supplied. A result that aliases an argument which is written has
 *  the argument's memory. */
TINY_EXPORT tiny_status tiny_program_run_on_host(tiny_program *program, const tiny_host_memory *arguments,
                                                 size_t n_arguments, const tiny_host_memory *results, size_t n_results,
                                                 const tiny_run_options *options);

#ifdef __cplusplus
}
#endif

#endif /* TINY_RUNTIME_RUNTIME_H */
