"""Runs kernels by a driver of CUDA's: the one that TINY_CUDA_LIBRARY names."""
import ctypes
import os


class CudaError(Exception):
    pass


class Cuda:
    def __init__(self):
        self.library = ctypes.CDLL(os.environ["TINY_CUDA_LIBRARY"])
        self.functions = {}
        context, self.stream = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxPushCurrent", context)
        self.call("cuStreamCreate", ctypes.byref(self.stream), 1)

    def find(self, name):
        if name not in self.functions:
            pointer, status = ctypes.c_void_p(), ctypes.c_int()
            self.library.cuGetProcAddress_v2(name.encode(), ctypes.byref(pointer), 12000, ctypes.c_uint64(0),
                                             ctypes.byref(status))
            self.functions[name] = ctypes.CFUNCTYPE(ctypes.c_int)(pointer.value)
        return self.functions[name]

    def call(self, name, *arguments):
        result = self.find(name)(*arguments)
        if result:
            words = ctypes.c_char_p()
            self.find("cuGetErrorString")(result, ctypes.byref(words))
            raise CudaError(f"{name} gave {result}: {(words.value or b'').decode()}")

    def load(self, text):
        module = ctypes.c_void_p()
        log = ctypes.create_string_buffer(4096)
        options = (ctypes.c_int * 2)(5, 6)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
        try:
            self.call("cuModuleLoadDataEx", ctypes.byref(module), text.encode(), 2, options, values)
        except CudaError as error:
            raise CudaError(f"{error}: {log.value.decode()}") from None
        return module

    def encode(self, pointer, map):
        """A matrix in a buffer as the device reads it, at a multiple of 64 bytes."""
        types = {"f16": (6, 2), "bf16": (9, 2), "f32": (7, 4)}
        kind, width = types[map["element"]]
        rows, columns, stride, box_rows, box_columns = (
            int(map[key]) for key in ("rows", "columns", "stride", "box_rows", "box_columns"))
        memory = ctypes.create_string_buffer(192)
        address = (ctypes.addressof(memory) + 63) // 64 * 64
        two = lambda type, a, b: (type * 2)(a, b)
        # Swizzled by 128 bytes, which a row of the box has.
        self.call("cuTensorMapEncodeTiled", ctypes.c_void_p(address), kind, 2, ctypes.c_void_p(pointer.value),
                  two(ctypes.c_uint64, columns, rows), two(ctypes.c_uint64, stride * width, 0),
                  two(ctypes.c_uint32, box_columns, box_rows), two(ctypes.c_uint32, 1, 1), 0, 3, 2, 0)
        return memory, address

    def launch(self, module, name, grid, lanes, buffers, launch_bytes=0, maps=()):
        """Runs the kernel on buffers of bytes, in place. Of workgroup memory the launch gives so many bytes. Behind the
        buffers come maps of matrices in them."""
        function, pointers = ctypes.c_void_p(), []
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        if launch_bytes:
            self.call("cuFuncSetAttribute", function, 8, launch_bytes)
        for data in buffers:
            pointer = ctypes.c_uint64()
            self.call("cuMemAlloc", ctypes.byref(pointer), ctypes.c_size_t(max(len(data), 1)))
            if data:
                self.call("cuMemcpyHtoDAsync", pointer, bytes(data), ctypes.c_size_t(len(data)), self.stream)
            pointers.append(pointer)
        encoded = [self.encode(pointers[int(map["buffer"])], map) for map in maps]
        places = [ctypes.addressof(pointer) for pointer in pointers] + [address for _, address in encoded]
        parameters = (ctypes.c_void_p * len(places))(*places)
        self.call("cuLaunchKernel", function, *grid, *lanes, launch_bytes, self.stream, parameters, None)
        self.call("cuStreamSynchronize", self.stream)
        for data, pointer in zip(buffers, pointers):
            if data:
                target = (ctypes.c_char * len(data)).from_buffer(data)
                self.call("cuMemcpyDtoHAsync", target, pointer, ctypes.c_size_t(len(data)), self.stream)
            self.call("cuMemFree", pointer)
