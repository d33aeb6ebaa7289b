/* The header is C: this file is compiled as C99 and used by the tests. */
#include "Tiny/Runtime/Runtime.h"

int tinyUseFromC(void) {
  tiny_device *device = NULL;
  tiny_buffer *buffer = NULL;
  float one = 1.0f, value = 0.0f;
  int ok = tiny_device_open("cpu", &device) == TINY_OK && tiny_buffer_allocate(device, 16, &buffer) == TINY_OK &&
           tiny_buffer_fill(buffer, 0, 16, &one, sizeof(one)) == TINY_OK &&
           tiny_buffer_read(buffer, 12, &value, sizeof(value)) == TINY_OK && value == 1.0f;
  tiny_buffer_release(buffer);
  tiny_device_release(device);
  return ok;
}
