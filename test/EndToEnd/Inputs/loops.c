#include "loops.h"

#include <stdio.h>

int main(void) {
  static _Alignas(64) unsigned char scratch[LOOPS_SCRATCH_BYTES];
  const int64_t limits[] = {-1, 3, 99};
  for (int k = 0; k < 3; ++k) {
    int64_t x[4] = {1, 2, 3, 4}, y[4], count;
    if (loops_run(scratch, x, &limits[k], y, &count))
      return 1;
    printf("%d: %d %d %d %d\n", (int)count, (int)y[0], (int)y[1], (int)y[2], (int)y[3]);
  }
  return 0;
}
