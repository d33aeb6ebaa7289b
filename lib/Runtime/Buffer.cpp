// Buffers: allocation, imports, views, mapping, and copies from and to the host.
#include "Buffer.h"
#include "Error.h"
#include "Handles.h"

#include <memory>

using namespace tiny::runtime;

namespace {

/// The buffer is alive, the part lies inside it, and may be written if asked.
tiny_status checkAccess(const tiny_buffer *buffer, uint64_t offset, uint64_t size, bool writes) {
  if (tiny_status status = checkHandle(buffer, HandleKind::Buffer))
    return status;
  if (offset > buffer->size || size > buffer->size - offset)
    return fail(TINY_OUT_OF_RANGE, "%llu bytes at offset %llu leave the buffer of %llu bytes", (unsigned long long)size,
                (unsigned long long)offset, (unsigned long long)buffer->size);
  if (writes && buffer->readOnly)
    return fail(TINY_READ_ONLY, "buffer is read-only");
  return TINY_OK;
}

/// Enters a finished buffer as a handle that keeps its device alive.
tiny_status publish(std::unique_ptr<tiny_buffer> buffer, tiny_buffer **out) {
  enterHandle(buffer.get(), HandleKind::Buffer);
  if (tiny_status status = retainHandle(buffer->device, HandleKind::Device)) {
    bool last;
    releaseHandle(buffer.get(), HandleKind::Buffer, last);
    return status;
  }
  *out = buffer.release();
  return TINY_OK;
}

tiny_status checkCreation(tiny_device *device, tiny_buffer **buffer) {
  if (tiny_status status = checkHandle(device, HandleKind::Device))
    return status;
  return buffer ? TINY_OK : fail(TINY_INVALID_ARGUMENT, "out parameter is null");
}

} // namespace

tiny_status tiny::runtime::checkImport(const void *data, uint64_t size, bool isWritten) {
  if (!data && size)
    return fail(TINY_INVALID_ARGUMENT, "imported memory is null");
  if (isWritten && reinterpret_cast<uintptr_t>(data) % TINY_IMPORT_ALIGNMENT)
    return fail(TINY_INVALID_ARGUMENT, "imported memory at %p is not aligned to %d bytes", data, TINY_IMPORT_ALIGNMENT);
  if (size > kMaxSize || size > UINTPTR_MAX - reinterpret_cast<uintptr_t>(data))
    return fail(TINY_OUT_OF_RANGE, "imported memory of %llu bytes leaves the address space", (unsigned long long)size);
  return TINY_OK;
}

tiny_status tiny_buffer_allocate(tiny_device *device, uint64_t size, tiny_buffer **buffer) {
  return guarded([&]() -> tiny_status {
    if (tiny_status status = checkCreation(device, buffer))
      return status;
    auto result = std::make_unique<tiny_buffer>();
    result->device = device;
    result->size = result->storage.size = size;
    result->memory = &result->storage;
    if (tiny_status status = device->allocateCounted(result->storage))
      return status;
    Memory storage = result->storage;
    tiny_status status = guarded([&] { return publish(std::move(result), buffer); });
    if (status)
      device->freeCounted(storage);
    return status;
  });
}

tiny_status tiny_buffer_import(tiny_device *device, void *data, uint64_t size, uint32_t flags, tiny_release_fn release,
                               void *context, tiny_buffer **buffer) {
  return guarded([&]() -> tiny_status {
    if (tiny_status status = checkCreation(device, buffer))
      return status;
    if (flags & ~uint32_t(TINY_IMPORT_READ_ONLY))
      return fail(TINY_INVALID_ARGUMENT, "unknown import flags 0x%x", flags);
    if (tiny_status status = checkImport(data, size, !(flags & TINY_IMPORT_READ_ONLY)))
      return status;
    auto result = std::make_unique<tiny_buffer>();
    result->device = device;
    result->size = result->storage.size = size;
    result->storage.owned = false;
    result->memory = &result->storage;
    result->readOnly = flags & TINY_IMPORT_READ_ONLY;
    result->hostData = data;
    result->release = release;
    result->releaseContext = context;
    if (tiny_status status = device->import(data, result->storage))
      return status;
    Memory storage = result->storage;
    tiny_status status = guarded([&] { return publish(std::move(result), buffer); });
    if (status)
      device->free(storage);
    return status;
  });
}

tiny_status tiny_buffer_view(tiny_buffer *parent, uint64_t offset, uint64_t size, tiny_buffer **buffer) {
  return guarded([&]() -> tiny_status {
    if (tiny_status status = checkAccess(parent, offset, size, /*writes=*/false))
      return status;
    if (!buffer)
      return fail(TINY_INVALID_ARGUMENT, "out parameter is null");
    auto result = std::make_unique<tiny_buffer>();
    result->device = parent->device;
    result->memory = parent->memory;
    result->offset = parent->offset + offset;
    result->size = size;
    result->readOnly = parent->readOnly;
    result->root = parent->root ? parent->root : parent;
    if (tiny_status status = retainHandle(result->root, HandleKind::Buffer))
      return status;
    tiny_buffer *root = result->root;
    tiny_status status = guarded([&] { return publish(std::move(result), buffer); });
    if (status)
      tiny_buffer_release(root);
    return status;
  });
}

tiny_status tiny_buffer_retain(tiny_buffer *buffer) { return retainHandle(buffer, HandleKind::Buffer); }

tiny_status tiny_buffer_release(tiny_buffer *buffer) {
  bool last;
  if (tiny_status status = releaseHandle(buffer, HandleKind::Buffer, last))
    return status;
  if (!last)
    return TINY_OK;
  std::unique_ptr<tiny_buffer> owner(buffer);
  if (buffer->root) {
    tiny_buffer_release(buffer->root);
  } else {
    buffer->device->freeCounted(buffer->storage);
    if (buffer->release)
      buffer->release(buffer->releaseContext, buffer->hostData);
  }
  return tiny_device_release(buffer->device);
}

uint64_t tiny_buffer_size(const tiny_buffer *buffer) {
  return isLiveHandle(buffer, HandleKind::Buffer) ? buffer->size : 0;
}

tiny_device *tiny_buffer_device(const tiny_buffer *buffer) {
  return isLiveHandle(buffer, HandleKind::Buffer) ? buffer->device : nullptr;
}

tiny_status tiny_buffer_map(tiny_buffer *buffer, uint32_t access, uint64_t offset, uint64_t size, void **data) {
  if (!data)
    return fail(TINY_INVALID_ARGUMENT, "out parameter is null");
  if (!access || (access & ~uint32_t(TINY_MAP_READ | TINY_MAP_WRITE)))
    return fail(TINY_INVALID_ARGUMENT, "map access 0x%x is neither reading nor writing", access);
  if (tiny_status status = checkAccess(buffer, offset, size, access & TINY_MAP_WRITE))
    return status;
  return buffer->device->map(buffer->region(offset, size), access, data);
}

tiny_status tiny_buffer_unmap(tiny_buffer *buffer, void *data) {
  if (tiny_status status = checkHandle(buffer, HandleKind::Buffer))
    return status;
  if (!data)
    return fail(TINY_INVALID_ARGUMENT, "mapped address is null");
  return buffer->device->unmap(buffer->region(), data);
}

tiny_status tiny_buffer_read(tiny_buffer *buffer, uint64_t offset, void *target, uint64_t size) {
  if (tiny_status status = checkAccess(buffer, offset, size, /*writes=*/false))
    return status;
  if (!size)
    return TINY_OK;
  if (!target)
    return fail(TINY_INVALID_ARGUMENT, "target of a read is null");
  return buffer->device->read(buffer->region(offset, size), target);
}

tiny_status tiny_buffer_write(tiny_buffer *buffer, uint64_t offset, const void *source, uint64_t size) {
  if (tiny_status status = checkAccess(buffer, offset, size, /*writes=*/true))
    return status;
  if (!size)
    return TINY_OK;
  if (!source)
    return fail(TINY_INVALID_ARGUMENT, "source of a write is null");
  return buffer->device->write(buffer->region(offset, size), source);
}

tiny_status tiny_buffer_copy(tiny_buffer *source, uint64_t sourceOffset, tiny_buffer *target, uint64_t targetOffset,
                             uint64_t size) {
  if (tiny_status status = checkAccess(source, sourceOffset, size, /*writes=*/false))
    return status;
  if (tiny_status status = checkAccess(target, targetOffset, size, /*writes=*/true))
    return status;
  if (!size)
    return TINY_OK;
  Region from = source->region(sourceOffset, size), to = target->region(targetOffset, size);
  tiny_status status = source->device == target->device
                           ? source->device->copy(from, to)
                           : guarded([&] { return copyBetween(*source->device, from, *target->device, to); });
  return status ? status : target->device->synchronize();
}

tiny_status tiny_buffer_fill(tiny_buffer *buffer, uint64_t offset, uint64_t size, const void *pattern,
                             uint32_t patternSize) {
  if (!pattern || (patternSize != 1 && patternSize != 2 && patternSize != 4 && patternSize != 8))
    return fail(TINY_INVALID_ARGUMENT, "fill pattern of %u bytes, expected 1, 2, 4 or 8", pattern ? patternSize : 0);
  if (size % patternSize)
    return fail(TINY_INVALID_ARGUMENT, "fill of %llu bytes is no multiple of its pattern of %u",
                (unsigned long long)size, patternSize);
  if (tiny_status status = checkAccess(buffer, offset, size, /*writes=*/true))
    return status;
  if (!size)
    return TINY_OK;
  tiny_status status = buffer->device->fill(buffer->region(offset, size), pattern, patternSize);
  return status ? status : buffer->device->synchronize();
}
