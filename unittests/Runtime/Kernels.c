/* Kernels for the tests of containers, as a compiler would link them: nothing is left to look up. */
#include "Tiny/Runtime/Abi.h"

static const float one = 1, two = 2;
/* Addresses in data are relocations. */
const float *const tinyTestTable[2] = {&one, &two};

/* out[i] = in[i] + constant[i], for four elements. */
void add(void *const *buffers, const int64_t *index) {
  const float *in = buffers[0], *constant = buffers[1];
  float *out = buffers[2];
  for (int k = 0; k < 4; ++k)
    out[k] = in[k] + constant[k];
  (void)index;
}

/* out[i] = in[i] * 2 for as many rows of two elements as the first size says. */
void twice_rows(void *const *buffers, const int64_t *index) {
  const float *in = buffers[0];
  const int64_t *sizes = buffers[1];
  float *out = buffers[2];
  for (int64_t k = 0; k < 2 * sizes[0]; ++k)
    out[k] = in[k] * two;
  (void)index;
}

/* out[i] = in[i] * 2, by way of the table. */
void twice(void *const *buffers, const int64_t *index) {
  const float *in = buffers[0];
  float *out = buffers[1];
  for (int k = 0; k < 4; ++k)
    out[k] = in[k] * *tinyTestTable[1 + index[0]];
}
