/* Runs the container of a program y = f(x), of floats, and prints y. usage: embed PROGRAM.tiny X... */
#include <Tiny/Runtime/Runtime.h>

#include <stdio.h>
#include <stdlib.h>

static int check(tiny_status status) {
  if (status != TINY_OK)
    fprintf(stderr, "%s\n", tiny_last_error());
  return status == TINY_OK;
}

int main(int argc, char **argv) {
  tiny_device *device = NULL;
  tiny_program *program = NULL;
  tiny_buffer *x = NULL, *y = NULL;
  size_t count = argc > 2 ? (size_t)argc - 2 : 0;
  if (!count || !check(tiny_device_open("cpu", &device)) || !check(tiny_program_open(device, argv[1], 0, &program)) ||
      !check(tiny_buffer_allocate(device, count * sizeof(float), &x)))
    return 1;
  for (size_t k = 0; k < count; ++k) {
    float value = strtof(argv[k + 2], NULL);
    if (!check(tiny_buffer_write(x, k * sizeof(float), &value, sizeof(value))))
      return 1;
  }
  if (!check(tiny_program_run(program, &x, 1, &y, 1, NULL)))
    return 1;
  for (uint64_t at = 0; at < tiny_buffer_size(y); at += sizeof(float)) {
    float value;
    if (!check(tiny_buffer_read(y, at, &value, sizeof(value))))
      return 1;
    printf("%g ", value);
  }
  printf("\n");
  tiny_buffer_release(y);
  tiny_buffer_release(x);
  tiny_program_release(program);
  tiny_device_release(device);
  return 0;
}
