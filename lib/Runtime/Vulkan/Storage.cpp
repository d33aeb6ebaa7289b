// Sub-allocation: first fit in blocks of 32 MiB, large requests in blocks of their own. Imports: whole pages around
// what was asked for.
#include "Storage.h"
#include "Error.h"

#include <algorithm>

using namespace tiny::runtime;
using namespace tiny::runtime::vulkan;

namespace {

constexpr uint64_t kBlockBytes = 32 << 20;
/// What is larger gets a block of its own.
constexpr uint64_t kMostShared = kBlockBytes / 4;
constexpr VkBufferUsageFlags kUsage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

uint64_t roundUp(uint64_t value, uint64_t step) { return (value + step - 1) / step * step; }

/// Addresses for blocks that the host does not see, above all that it does.
uint64_t takeAddress(uint64_t size) {
  static std::atomic<uint64_t> next{uint64_t(1) << 56};
  return next.fetch_add(roundUp(size, 4096));
}

tiny_status createBuffer(Context &context, uint64_t size, const void *more, VkBuffer &buffer) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = more;
  info.size = size;
  info.usage = kUsage;
  return context.check(context.vk.CreateBuffer(context.device, &info, nullptr, &buffer), "vkCreateBuffer");
}

tiny_status bind(Context &context, const void *more, uint32_t type, uint64_t size, VkBuffer buffer,
                 VkDeviceMemory &memory) {
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = more;
  info.allocationSize = size;
  info.memoryTypeIndex = type;
  if (tiny_status status =
          context.check(context.vk.AllocateMemory(context.device, &info, nullptr, &memory), "vkAllocateMemory"))
    return status;
  return context.check(context.vk.BindBufferMemory(context.device, buffer, memory, 0), "vkBindBufferMemory");
}

} // namespace

tiny_status Pool::makeBlock(uint64_t size, std::unique_ptr<Block> &block) {
  // Drivers give more than there is.
  if (size > context.limits.allocationBytes || size > kind.heapBytes || reserved > kind.heapBytes - size)
    return fail(TINY_OUT_OF_MEMORY, "cannot allocate %llu bytes on 'vulkan', which has %llu bytes, %llu in use",
                (unsigned long long)size, (unsigned long long)kind.heapBytes, (unsigned long long)reserved);
  auto made = std::make_unique<Block>();
  made->size = size;
  tiny_status status = createBuffer(context, size, nullptr, made->buffer);
  if (!status) {
    VkMemoryRequirements needs;
    context.vk.GetBufferMemoryRequirements(context.device, made->buffer, &needs);
    status = needs.memoryTypeBits >> kind.type & 1
                 ? bind(context, nullptr, kind.type, needs.size, made->buffer, made->memory)
                 : context.check(VK_ERROR_FEATURE_NOT_PRESENT, "vkGetBufferMemoryRequirements");
  }
  if (!status && kind.isMapped) {
    void *host = nullptr;
    status =
        context.check(context.vk.MapMemory(context.device, made->memory, 0, VK_WHOLE_SIZE, 0, &host), "vkMapMemory");
    made->host = static_cast<char *>(host);
  }
  if (status) {
    destroyBlock(*made);
    return status;
  }
  made->address = made->host ? reinterpret_cast<uintptr_t>(made->host) : takeAddress(size);
  made->holes[0] = size;
  reserved += size;
  block = std::move(made);
  return TINY_OK;
}

void Pool::destroyBlock(Block &block) {
  context.vk.DestroyBuffer(context.device, block.buffer, nullptr);
  context.vk.FreeMemory(context.device, block.memory, nullptr);
}

bool Pool::take(Block &block, uint64_t size, Storage &storage) {
  for (auto hole = block.holes.begin(); hole != block.holes.end(); ++hole) {
    auto [offset, bytes] = *hole;
    if (bytes < size)
      continue;
    // The room for the rest is this one's.
    auto node = block.holes.extract(hole);
    if (bytes > size) {
      node.key() = offset + size;
      node.mapped() = bytes - size;
      block.holes.insert(std::move(node));
    }
    storage.pool = this;
    storage.block = &block;
    storage.buffer = block.buffer;
    storage.offset = offset;
    storage.size = size;
    storage.host = block.host ? block.host + offset : nullptr;
    storage.address = block.address + offset;
    return true;
  }
  return false;
}

tiny_status Pool::allocate(uint64_t size, std::unique_ptr<Storage> &storage) {
  uint64_t step = std::max<uint64_t>(TINY_BUFFER_ALIGNMENT, context.limits.bufferAlignment);
  uint64_t bytes = roundUp(std::max<uint64_t>(size, 1), step);
  auto made = std::make_unique<Storage>();
  std::lock_guard<std::mutex> lock(mutex);
  if (bytes <= kMostShared)
    for (const std::unique_ptr<Block> &block : blocks)
      if (take(*block, bytes, *made)) {
        storage = std::move(made);
        return TINY_OK;
      }
  blocks.reserve(blocks.size() + 1);
  std::unique_ptr<Block> block;
  if (tiny_status status = makeBlock(bytes <= kMostShared ? kBlockBytes : bytes, block))
    return status;
  take(*block, bytes, *made);
  blocks.push_back(std::move(block));
  storage = std::move(made);
  return TINY_OK;
}

void Pool::free(const Storage &storage) {
  std::lock_guard<std::mutex> lock(mutex);
  Block &block = *storage.block;
  auto hole = block.holes.emplace(storage.offset, storage.size).first;
  if (auto after = std::next(hole); after != block.holes.end() && hole->first + hole->second == after->first) {
    hole->second += after->second;
    block.holes.erase(after);
  }
  if (hole != block.holes.begin())
    if (auto before = std::prev(hole); before->first + before->second == hole->first) {
      before->second += hole->second;
      block.holes.erase(hole);
    }
  if (block.holes.begin()->second != block.size)
    return;
  // One empty block stays, for the next small request.
  bool isShared = block.size == kBlockBytes;
  bool isOnly = std::none_of(blocks.begin(), blocks.end(), [&](const std::unique_ptr<Block> &other) {
    return other.get() != &block && other->size == kBlockBytes;
  });
  if (isShared && isOnly)
    return;
  reserved -= block.size;
  destroyBlock(block);
  blocks.erase(std::find_if(blocks.begin(), blocks.end(),
                            [&](const std::unique_ptr<Block> &other) { return other.get() == &block; }));
}

tiny_status vulkan::importStorage(Context &context, void *data, uint64_t size, std::unique_ptr<Storage> &storage) {
  uint64_t page = context.limits.importAlignment, address = reinterpret_cast<uintptr_t>(data);
  if (!page)
    return fail(TINY_UNSUPPORTED, "device 'vulkan' cannot compute on the host's memory: '%.200s' has its own",
                context.limits.name.c_str());
  uint64_t begin = address / page * page, bytes = roundUp(address + size, page) - begin;
  auto refuse = [&] {
    return fail(TINY_UNSUPPORTED, "device 'vulkan' cannot import %llu bytes of the host's memory",
                (unsigned long long)size);
  };
  if (bytes > context.limits.allocationBytes)
    return refuse();
  constexpr VkExternalMemoryHandleTypeFlagBits kHost = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  VkMemoryHostPointerPropertiesEXT known{};
  known.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
  void *pages = static_cast<char *>(data) - (address - begin);
  if (context.vk.GetMemoryHostPointerPropertiesEXT(context.device, kHost, pages, &known) != VK_SUCCESS)
    return refuse();
  auto made = std::make_unique<Storage>();
  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = kHost;
  if (tiny_status status = createBuffer(context, bytes, &external, made->buffer))
    return status;
  VkMemoryRequirements needs;
  context.vk.GetBufferMemoryRequirements(context.device, made->buffer, &needs);
  uint32_t types = needs.memoryTypeBits & known.memoryTypeBits;
  VkImportMemoryHostPointerInfoEXT import = {VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, nullptr, kHost,
                                             pages};
  if (!types || needs.size > bytes ||
      bind(context, &import, uint32_t(__builtin_ctz(types)), bytes, made->buffer, made->imported)) {
    freeImport(context, *made);
    return context.isLost() ? context.checkWell() : refuse();
  }
  made->offset = address - begin;
  made->size = size;
  made->host = static_cast<char *>(data);
  made->address = address;
  storage = std::move(made);
  return TINY_OK;
}

void vulkan::freeImport(Context &context, const Storage &storage) {
  context.vk.DestroyBuffer(context.device, storage.buffer, nullptr);
  context.vk.FreeMemory(context.device, storage.imported, nullptr);
}
