/* The container of a compiled program: what tiny-compile writes, the cache keeps, and the runtime loads. Plain C; any
 * layer may include it.
 *
 * A container is one block of bytes, little-endian, without pointers: a header, a table of sections, and the sections,
 * each of which begins at a multiple of TINY_FORMAT_ALIGNMENT. Bytes between them are zero. Tables are arrays of the
 * structures below. A string is an offset into the section of strings, where it ends in a zero; 0 is the empty string.
 *
 * Whoever reads checks everything before using anything: magic, version, checksums of all sections but the data of
 * constants (those on request), and every offset, count and reference. A checksum finds damage, and is no signature:
 * to load a container is to run its code.
 *
 * Structures only grow at their end, by what a reader of the version before may ignore; everything else is a new
 * version. A container has the first version that can say what it holds. A reader refuses versions that it does not
 * know, and names both.
 *
 *   version 1   programs whose shapes are all static
 *   version 2   SIZES, DIMENSIONS and TERMS: shapes that are known when the program runs
 *   version 3   sizes that the program computes
 *   version 4   loops and branches: items with lists of their own
 *   version 5   GRID, CUTS and CUT_AXES: programs of one rank among many, with collectives
 *   version 6   stages of pipelines: items that some ranks run, results that some have, messages
 *   version 7   collectives that run beside other items, and waits for them
 *   version 8   MAPS: matrices in buffers that a device copies boxes of
 *   version 9   slots that lie on one of several devices each, with all copies between these as items
 */
#ifndef TINY_RUNTIME_FORMAT_H
#define TINY_RUNTIME_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TINY_FORMAT_MAGIC "TinyProg"
#define TINY_FORMAT_VERSION 9u
#define TINY_FORMAT_FIRST_VERSION 1u
#define TINY_FORMAT_ALIGNMENT 64u
/** Says that there is no such index. */
#define TINY_FORMAT_NONE 0xFFFFFFFFu

typedef struct tiny_format_header {
  char magic[8]; /**< TINY_FORMAT_MAGIC, without its zero */
  uint32_t version;
  uint32_t n_sections;
  uint64_t size;     /**< of the whole container, in bytes */
  uint64_t checksum; /**< of the header and the table of sections, taken with 0 here */
} tiny_format_header;

/** The numbers never change. Each kind occurs at most once; all but DATA and CODE are tables. */
typedef enum tiny_format_section_kind {
  TINY_SECTION_STRINGS = 1,     /**< bytes; the first and the last are zero */
  TINY_SECTION_PROGRAM = 2,     /**< one tiny_format_program */
  TINY_SECTION_RECORDS = 3,     /**< tiny_format_record */
  TINY_SECTION_BINARIES = 4,    /**< tiny_format_binary */
  TINY_SECTION_KERNELS = 5,     /**< tiny_format_kernel: those of each binary side by side */
  TINY_SECTION_SLOTS = 6,       /**< tiny_format_slot; the first are the arguments */
  TINY_SECTION_ITEMS = 7,       /**< tiny_format_item, in the order in which they run */
  TINY_SECTION_OPERANDS = 8,    /**< uint32_t: slots of launches, and those of the results */
  TINY_SECTION_PARAMETERS = 9,  /**< tiny_format_parameter: inputs, then results */
  TINY_SECTION_EXTENTS = 10,    /**< int64_t: of the parameters' shapes */
  TINY_SECTION_CONSTANTS = 11,  /**< tiny_format_constant */
  TINY_SECTION_CODE = 12,       /**< bytes of the binaries */
  TINY_SECTION_DATA = 13,       /**< bytes of the constants; its checksum is checked on request */
  TINY_SECTION_FILES = 14,      /**< tiny_format_file; left out where no constant is in a file */
  TINY_SECTION_SIZES = 15,      /**< tiny_format_size; left out, as the next two, where all shapes are static */
  TINY_SECTION_DIMENSIONS = 16, /**< tiny_format_dimension: one for each of the extents */
  TINY_SECTION_TERMS = 17,      /**< tiny_format_term */
  TINY_SECTION_GRID = 18,       /**< tiny_format_grid; left out, as the next two, where the program runs alone */
  TINY_SECTION_CUTS = 19,       /**< tiny_format_cut: one for each of the extents */
  TINY_SECTION_CUT_AXES = 20,   /**< uint32_t: axes of the grid */
  TINY_SECTION_MAPS = 21        /**< tiny_format_map, by their kernels' numbers; left out where there is none */
} tiny_format_section_kind;

typedef struct tiny_format_section {
  uint32_t kind;
  uint32_t reserved; /**< 0 */
  uint64_t offset;   /**< from the container's begin */
  uint64_t size;     /**< bytes */
  uint64_t checksum; /**< tiny_format_checksum of them */
} tiny_format_section;

/** The program as a whole. Bytes say what a run needs; the runtime plans anew and does not rely on them. */
typedef struct tiny_format_program {
  uint32_t name; /**< a string */
  uint32_t n_arguments;
  uint32_t n_results;
  uint32_t first_result; /**< index of the first result's slot among the operands */
  uint64_t arguments_bytes;
  uint64_t results_bytes;
  uint64_t constants_bytes;
  uint64_t temporaries_bytes; /**< one beside the other, without sharing */
} tiny_format_program;

/** Processors that code may be for: ELF's numbers. */
enum { TINY_MACHINE_ANY = 0, TINY_MACHINE_X86_64 = 62, TINY_MACHINE_AARCH64 = 183, TINY_MACHINE_CUDA = 190 };

/** With TINY_MACHINE_CUDA features are the architecture's number, 80 for sm_80, which later ones run, too; with this
 * bit the code is for that one alone (sm_90a). */
#define TINY_CUDA_EXACT 0x10000u

/** What x86-64 code may use beyond the first processors of that kind. The numbers never change. */
enum {
  TINY_X86_SSE3 = 1u << 0,
  TINY_X86_SSSE3 = 1u << 1,
  TINY_X86_SSE41 = 1u << 2,
  TINY_X86_SSE42 = 1u << 3,
  TINY_X86_POPCNT = 1u << 4,
  TINY_X86_AVX = 1u << 5,
  TINY_X86_F16C = 1u << 6,
  TINY_X86_FMA = 1u << 7,
  TINY_X86_AVX2 = 1u << 8,
  TINY_X86_BMI = 1u << 9,
  TINY_X86_BMI2 = 1u << 10,
  TINY_X86_LZCNT = 1u << 11,
  TINY_X86_MOVBE = 1u << 12,
  TINY_X86_AVX512F = 1u << 13,
  TINY_X86_AVX512BW = 1u << 14,
  TINY_X86_AVX512CD = 1u << 15,
  TINY_X86_AVX512DQ = 1u << 16,
  TINY_X86_AVX512VL = 1u << 17,
  TINY_X86_AVX512VNNI = 1u << 18,
  TINY_X86_AVX512BF16 = 1u << 19,
  TINY_X86_AVX512FP16 = 1u << 20,
  TINY_X86_AVXVNNI = 1u << 21,
  TINY_X86_AVX512VBMI = 1u << 22,
  TINY_X86_AVX512VBMI2 = 1u << 23,
  TINY_X86_AVX512BITALG = 1u << 24,
  TINY_X86_AVX512VPOPCNTDQ = 1u << 25,
  TINY_X86_AVX512IFMA = 1u << 26,
  TINY_X86_GFNI = 1u << 27,
  TINY_X86_VPCLMULQDQ = 1u << 28
};

/** A device that there is code for. */
typedef struct tiny_format_record {
  uint32_t device;   /**< a string: the runtime's device, "cpu" */
  uint32_t name;     /**< a string: "x86-64-v3" */
  uint32_t text;     /**< a string: the target record as the compiler prints it */
  uint32_t machine;  /**< TINY_MACHINE_* */
  uint64_t features; /**< what the code needs on that machine: TINY_X86_*, an architecture of CUDA's, or, of
                          SPIR-V, rounds of loops that a lane may run, 0 for any number */
  uint64_t hash;     /**< of the record, as the compiler computes it */
} tiny_format_record;

enum {
  TINY_CODE_ELF = 1,   /**< a shared object for the runtime's own loader, see docs/Runtime.md */
  TINY_CODE_SPIRV = 2, /**< SPIR-V modules for Vulkan, each behind its size in bytes as a uint32_t */
  TINY_CODE_PTX = 3    /**< a module of PTX for CUDA, as text that a zero ends */
};

/** In SPIR-V, the specialization constant of this number is the size of subgroups that the code counts on. */
#define TINY_SPIRV_SUBGROUP_SIZE 1

/** The code of all kernels for one device. All binaries have the same kernels; the first that the device can run is
 *  taken. */
typedef struct tiny_format_binary {
  uint32_t record;
  uint32_t format;       /**< TINY_CODE_* */
  uint64_t offset;       /**< in the section of code; a multiple of TINY_FORMAT_ALIGNMENT */
  uint64_t size;         /**< 0 where there is no kernel */
  uint32_t first_kernel; /**< in the table of kernels */
  uint32_t n_kernels;
} tiny_format_binary;

/** How a kernel is entered. */
typedef struct tiny_format_kernel {
  uint32_t name;   /**< a string: for messages and profiles */
  uint32_t symbol; /**< a string: in the binary */
  int64_t grid[3];
  uint32_t n_buffers;
  uint32_t flags; /**< TINY_KERNEL_* of Runtime.h */
  uint64_t scratch_bytes;
  uint64_t operations; /**< on elements, of one launch; 0 where it is not known */
  uint64_t bytes;      /**< that one launch must move at least; 0 where it is not known */
} tiny_format_kernel;

/** tiny_tensor_map of Runtime.h: a parameter of a kernel behind its buffers and the maps in front of this one. */
typedef struct tiny_format_map {
  uint32_t kernel; /**< in the table of kernels */
  uint32_t buffer;
  uint32_t dtype; /**< tiny_dtype of Runtime.h */
  uint32_t rank;
  uint32_t box[5];
  uint32_t swizzle;
  uint64_t extents[5];
  uint64_t strides[4];
} tiny_format_map;

/** In a slot's flags, from this bit on: the number of the binary on whose device it lies; since version 9. Where all
 * have 0, items say nothing of devices, and the runtime copies what a kernel needs. */
#define TINY_SLOT_DEVICE_SHIFT 8

/** tiny_slot of Runtime.h. */
typedef struct tiny_format_slot {
  uint64_t size;
  uint32_t alignment;
  uint32_t flags; /**< TINY_SLOT_*, and the device */
} tiny_format_slot;

/** One step, or a list of steps. What its kind does not name is 0. */
typedef struct tiny_format_item {
  uint32_t kind;     /**< tiny_item_kind of Runtime.h */
  uint32_t n_nested; /**< so many of the items behind it are its own list; 0 before version 4 */
  uint32_t slot;
  uint32_t source;
  uint32_t kernel;        /**< launch: which of a binary's kernels; collective: tiny_collective_kind */
  uint32_t constant;      /**< constant: in the table of constants; loop: the slot of its limit, or TINY_FORMAT_NONE */
  uint32_t first_operand; /**< launch: slots it reads, then slots it writes; collective: `n_inputs` axes of the grid */
  uint32_t n_inputs;
  uint32_t n_outputs; /**< launch; collective: tiny_reduction in the low byte, tiny_dtype in the next, then `async` */
  uint32_t pattern_size; /**< fill */
  uint64_t offset;       /**< alias; what works: tiny_item's `places`, 0 before version 6 */
  uint8_t pattern[8];    /**< fill; collective: the two `peers`, a uint32_t each, 0 before version 6 */
  uint64_t count;        /**< loop: the most iterations; if: how many items are the first list; otherwise 0 */
} tiny_format_item;

enum {
  TINY_PARAMETER_DONATED = 1, /**< an input whose buffer the program may write */
  TINY_PARAMETER_STAGE = 2    /**< a result that one stage has, whose number stands from bit 8 on; since version 6 */
};

/** An input or a result. */
typedef struct tiny_format_parameter {
  uint32_t name;  /**< a string, empty where it has none */
  uint32_t dtype; /**< tiny_dtype of Abi.h */
  uint32_t rank;
  uint32_t first_extent;
  uint32_t flags; /**< TINY_PARAMETER_*, and what they say */
  uint32_t alias; /**< result: the input whose buffer it is in, or TINY_FORMAT_NONE */
} tiny_format_parameter;

enum { TINY_SIZE_COMPUTED = 1 /**< no argument tells it, an item writes it; since version 3 */ };

/** A size that is known when the program runs, the same wherever a shape has it. The slot behind the arguments holds
 * all of them, an int64_t each; the runtime writes it before the first item, at their greatest those that are computed.
 */
typedef struct tiny_format_size {
  uint32_t name;  /**< a string, never empty */
  uint32_t flags; /**< TINY_SIZE_* */
  int64_t least, most;
} tiny_format_size;

/** A dimension of a parameter, whose extent at the bounds stands among the extents. What is live of a buffer is dense:
 *  row-major at the live extents, from its begin. */
typedef struct tiny_format_dimension {
  uint32_t first_term;
  uint32_t n_terms; /**< 0: it is static */
} tiny_format_dimension;

enum {
  TINY_GRID_PLACE = 1, /**< on the first: the slot behind the arguments holds the rank's place */
  TINY_GRID_STAGES = 2 /**< on one: stages lie along it; since version 6 */
};

/** An axis of the grid of ranks. */
typedef struct tiny_format_grid {
  int64_t size;
  uint32_t flags;    /**< TINY_GRID_* */
  uint32_t reserved; /**< 0 */
} tiny_format_grid;

/** What the extent of a parameter is a part of: axes of the grid cut the whole one after the other into equal parts, of
 *  which the last ones are padded. */
typedef struct tiny_format_cut {
  int64_t whole;
  uint32_t first_axis;
  uint32_t n_axes; /**< 0: the extent is whole on every rank */
} tiny_format_cut;

/** A step of the arithmetic that gives a live extent: numbers on a stack, on which one is left. */
typedef enum tiny_format_term_kind {
  TINY_TERM_CONSTANT = 0, /**< pushes `value` */
  TINY_TERM_SIZE = 1,     /**< pushes the size number `value` */
  TINY_TERM_ADD = 2,      /**< this and what follows take two numbers and push one */
  TINY_TERM_MULTIPLY = 3,
  TINY_TERM_FLOOR_DIVIDE = 4, /**< by a positive number */
  TINY_TERM_CEIL_DIVIDE = 5,  /**< by a positive number */
  TINY_TERM_MODULO = 6        /**< by a positive number; never negative */
} tiny_format_term_kind;

typedef struct tiny_format_term {
  uint32_t kind;     /**< tiny_format_term_kind */
  uint32_t reserved; /**< 0 */
  int64_t value;     /**< 0 where the kind does not name it */
} tiny_format_term;

/** The deepest stack of terms. */
#define TINY_FORMAT_STACK 16

/** The bytes of a constant: in this container, or in a file beside it. */
typedef struct tiny_format_constant {
  uint32_t file; /**< a string: a path below the container's folder; empty: in the section of data. A cache, whose
                      containers stay on their machine, names absolute paths: see TINY_LOAD_ANY_FILE. */
  uint32_t reserved;
  uint64_t offset; /**< in the section, or in the file: there mapped, and used without a copy */
  uint64_t size;
  uint64_t identity; /**< of a file: tiny_format_checksum of the bytes, checked on request; 0: unknown */
} tiny_format_constant;

/** A file that constants lie in, as it was when the program was compiled. Checked whenever it is mapped. */
typedef struct tiny_format_file {
  uint32_t name;     /**< a string, as constants have it */
  uint32_t reserved; /**< 0 */
  uint64_t size;     /**< bytes */
  int64_t modified;  /**< nanoseconds since 1970, or 0: then the file may be a copy of another age */
  uint64_t sample;   /**< tiny_format_sample of the file */
} tiny_format_file;

/** Begins a checksum, or goes on with one: of bytes in words of eight, the last filled with zeros. A change of any one
 *  word changes the result, since each step can be undone. */
static inline uint64_t tiny_format_checksum_from(uint64_t sum, const void *data, uint64_t size) {
  const unsigned char *bytes = (const unsigned char *)data;
  uint64_t at, k;
  for (at = 0; at < size; at += 8) {
    uint64_t word = 0;
    for (k = 0; k < 8 && at + k < size; ++k)
      word |= (uint64_t)bytes[at + k] << (8 * k);
    sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    sum ^= sum >> 29;
  }
  return sum;
}

/** The checksum of a block of bytes, whose number is part of it. */
static inline uint64_t tiny_format_checksum(const void *data, uint64_t size) {
  return tiny_format_checksum_from(size ^ UINT64_C(0x54696E7950726F67), data, size);
}

/** The checksum of 16 blocks of 4 KiB, the first and the last of them at the ends of the bytes: tells most other files
 *  from this one, and reads little of it. */
static inline uint64_t tiny_format_sample(const void *data, uint64_t size) {
  const uint64_t block = 4096, count = 16;
  const unsigned char *bytes = (const unsigned char *)data;
  uint64_t sum, k;
  if (size <= block * count)
    return tiny_format_checksum(data, size);
  sum = size ^ UINT64_C(0x54696E7950726F67);
  for (k = 0; k < count; ++k)
    sum = tiny_format_checksum_from(sum, bytes + (size - block) / (count - 1) * k, block);
  return tiny_format_checksum_from(sum, bytes + (size - block), block);
}

/** What terms give at these sizes. Returns 0, and leaves `result`, where they are malformed, overflow, or divide by
 * what is not positive. */
static inline int tiny_format_evaluate(const tiny_format_term *terms, uint64_t n_terms, const int64_t *sizes,
                                       uint64_t n_sizes, int64_t *result) {
  int64_t stack[TINY_FORMAT_STACK] = {0};
  uint64_t k, depth = 0;
  for (k = 0; k < n_terms; ++k) {
    int64_t x, y, value = terms[k].value;
    if (terms[k].kind <= TINY_TERM_SIZE) {
      int is_size = terms[k].kind == TINY_TERM_SIZE;
      if (depth == TINY_FORMAT_STACK || (is_size && (value < 0 || (uint64_t)value >= n_sizes)))
        return 0;
      stack[depth++] = is_size ? sizes[value] : value;
      continue;
    }
    if (depth < 2 || terms[k].kind > TINY_TERM_MODULO)
      return 0;
    y = stack[--depth];
    x = stack[--depth];
    if (terms[k].kind == TINY_TERM_ADD || terms[k].kind == TINY_TERM_MULTIPLY) {
      int wraps =
          terms[k].kind == TINY_TERM_ADD ? __builtin_add_overflow(x, y, &value) : __builtin_mul_overflow(x, y, &value);
      if (wraps)
        return 0;
    } else {
      if (y <= 0)
        return 0;
      value = x % y + (x % y < 0 ? y : 0); /* the modulo */
      if (terms[k].kind == TINY_TERM_FLOOR_DIVIDE)
        value = x / y - (x % y < 0);
      else if (terms[k].kind == TINY_TERM_CEIL_DIVIDE)
        value = x / y + (x % y > 0);
    }
    stack[depth++] = value;
  }
  if (depth != 1)
    return 0;
  *result = stack[0];
  return 1;
}

#ifdef __cplusplus
}
#endif

#endif /* TINY_RUNTIME_FORMAT_H */
