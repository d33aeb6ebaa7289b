/* Classifies the images of examples/digits with the network as C: digits.c, which tiny-compile writes.
 *
 * usage: digits IMAGES.npy LABELS.npy [PROBABILITIES.raw]
 */
#include "digits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kImages = 360, kPixels = 64, kClasses = 10 };

/* Reads the elements of an .npy file of version 1, which begin behind a header whose length it states. */
static int read_npy(const char *path, void *elements, size_t size) {
  unsigned char prefix[10];
  FILE *file = fopen(path, "rb");
  int ok = file && fread(prefix, 1, sizeof(prefix), file) == sizeof(prefix) && memcmp(prefix, "\x93NUMPY", 6) == 0 &&
           fseek(file, prefix[8] | prefix[9] << 8, SEEK_CUR) == 0 && fread(elements, 1, size, file) == size;
  if (file)
    fclose(file);
  if (!ok)
    fprintf(stderr, "cannot read %s\n", path);
  return ok;
}

static int write_raw(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  int ok = file && fwrite(bytes, 1, size, file) == size;
  if (file && fclose(file) != 0)
    ok = 0;
  if (!ok)
    fprintf(stderr, "cannot write %s\n", path);
  return ok;
}

int main(int argc, char **argv) {
  static float images[kImages * kPixels], probabilities[kImages * kClasses];
  static int64_t labels[kImages];
  if (argc < 3 || !read_npy(argv[1], images, sizeof(images)) || !read_npy(argv[2], labels, sizeof(labels)))
    return 1;
  void *scratch = aligned_alloc(64, DIGITS_SCRATCH_BYTES);
  if (!scratch || digits_run(scratch, images, probabilities) != 0) {
    fprintf(stderr, "the run failed\n");
    return 1;
  }
  free(scratch);
  int right = 0;
  for (int image = 0; image < kImages; ++image) {
    const float *row = probabilities + image * kClasses;
    int best = 0;
    for (int digit = 1; digit < kClasses; ++digit)
      if (row[digit] > row[best])
        best = digit;
    right += best == labels[image];
  }
  printf("accuracy: %d of %d\n", right, kImages);
  return argc > 3 && !write_raw(argv[3], probabilities, sizeof(probabilities));
}
