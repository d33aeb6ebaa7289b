/* Runs the program of counted-sizes.test in C. */
#include "places.h"
#include <stdio.h>

static _Alignas(64) unsigned char scratch[PLACES_SCRATCH_BYTES];

int main(void) {
  const float some[6] = {0, 1, 0, 2, 0, 3}, none[6] = {0};
  int64_t places[12], count = -1;
  if (places_run(scratch, &count, some, places))
    return 1;
  printf("%lld:", (long long)count);
  for (int k = 0; k < 2 * count; ++k)
    printf(" %lld", (long long)places[k]);
  if (places_run(scratch, &count, none, places))
    return 1;
  printf("\n%lld\n", (long long)count);
  return 0;
}
