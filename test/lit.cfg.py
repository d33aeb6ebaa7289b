import glob
import os
import platform
import shutil
import subprocess
import sys

import lit.formats
import lit.llvm

config.name = "Tiny"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "lit.cfg.py"]
config.test_source_root = os.path.join(config.tiny_source, "test")
config.test_exec_root = os.path.join(config.tiny_build, "test")
# A folder of wrappers may stand before the tools: `--param wrappers=FOLDER` (utils/guards).
config.environment["PATH"] = os.pathsep.join(
    lit_config.params.get("wrappers", "").split()
    + [os.path.join(config.tiny_build, "bin"), config.llvm_tools, os.environ["PATH"]])
# Undefined variables and prefixes that nobody wrote are errors.
# Tests see what this build does now; those of the cache name a folder of their own.
config.environment["TINY_CACHE_DIR"] = ""
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --allow-unused-prefixes=false"
if platform.machine() in ("x86_64", "AMD64"):
    config.available_features.add("target-x86")
    # Kernels for x86-64-v3, and -v4, run here.
    try:
        with open("/proc/cpuinfo") as file:
            flags = set(file.read().split())
            if {"avx2", "fma", "bmi2"} <= flags:
                config.available_features.add("cpu-x86-64-v3")
            if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= flags:
                config.available_features.add("cpu-x86-64-v4")
    except OSError:
        pass
# The assembler of PTX comes with CUDA, which no build needs.
for folder in os.environ["PATH"].split(os.pathsep) + ["/usr/local/cuda/bin"]:
    if os.access(os.path.join(folder, "ptxas"), os.X_OK):
        config.available_features.add("ptxas")
        config.substitutions.append(("%ptxas", os.path.join(folder, "ptxas")))
        break
# The disassembler of what it makes is in the Python registry's nvidia-cuda-nvdisasm, too.
nvdisasm = [os.environ.get("NVDISASM"), shutil.which("nvdisasm", path=os.environ["PATH"] + ":/usr/local/cuda/bin")]
for folder in sys.path:
    nvdisasm += glob.glob(os.path.join(glob.escape(folder), "nvidia", "*", "bin", "nvdisasm"))
nvdisasm = next(filter(None, nvdisasm), None)
if nvdisasm:
    config.available_features.add("nvdisasm")
    config.substitutions.append(("%nvdisasm", nvdisasm))
# Khronos's validator of SPIR-V is in Debian's package spirv-tools.
if shutil.which("spirv-val") and shutil.which("spirv-dis"):
    config.available_features.add("spirv-tools")
# Kernels run on Mesa's driver for processors (mesa-vulkan-drivers), with vulkan-validationlayers, where the build found
# libvulkan-dev.
with open(os.path.join(config.tiny_build, "CMakeCache.txt")) as cache:
    has_vulkan = any(line.startswith("TINY_VULKAN_INCLUDE:") and "NOTFOUND" not in line for line in cache)
vulkan_icd = glob.glob("/usr/share/vulkan/icd.d/lvp_icd*.json")
if vulkan_icd and has_vulkan and os.environ.get("TINY_TEST_VULKAN") != "no" and os.path.exists(
        "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json"):
    config.available_features.add("vulkan")
    # One word from the validation layer fails the call, and a test that finds no device fails.
    config.environment["VK_ICD_FILENAMES"] = vulkan_icd[0]
    config.environment["TINY_VULKAN_VALIDATION"] = config.environment["TINY_TEST_VULKAN"] = "1"
    config.substitutions.append(("%vulkan-icd", vulkan_icd[0]))
    config.substitutions.append(("%failing-vulkan", os.path.join(config.tiny_build, "lib", "libTinyFailingVulkan.so")))
    # Newer versions of Mesa's driver have products of matrices; that of Debian 12 has none.
    described = subprocess.run(
        [os.path.join(config.tiny_build, "bin", "tiny-compile"), "-", "--target=vulkan", "--processor=host",
         "--compile-to=kernel"], input="func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }",
        capture_output=True, text=True, env={**os.environ, "VK_ICD_FILENAMES": vulkan_icd[0]})
    if "matrices = " in described.stdout:
        config.available_features.add("vulkan-matrices")
else:
    lit_config.note("kernels do not run by Vulkan: it needs mesa-vulkan-drivers, libvulkan-dev and vulkan-validationlayers")
# Ranks are processes where the communicator of MPI was built.
if os.environ.get("TINY_TEST_MPI") != "no" and shutil.which("mpirun") and os.path.exists(os.path.join(config.tiny_build, "lib", "libTinyCommunicator_mpi.so")):
    config.available_features.add("mpi")
else:
    lit_config.note("programs of many ranks do not run under mpirun: it needs mpich and libmpich-dev (docs/Sharding.md)")
# Pages are tried in Chromium by Selenium, both Debian's.
for python in [sys.executable, "/usr/bin/python3"]:
    if shutil.which("chromedriver") and not subprocess.run([python, "-c", "import selenium"], capture_output=True).returncode:
        config.available_features.add("browser")
        config.substitutions.append(("%browser-python", python))
        break
else:
    lit_config.note("pages are not tried in a browser: it needs chromium, chromium-driver and python3-selenium (docs/View.md)")
# The package of Python is built where an interpreter with headers, nanobind and NumPy is.
try:
    with open(os.path.join(config.tiny_build, "python", "interpreter")) as file:
        interpreter = file.read().strip()
    if os.access(interpreter, os.X_OK) and any(name.startswith("_tiny.") for name in os.listdir(os.path.join(config.tiny_build, "python", "tiny"))):
        config.available_features.add("python")
        config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
        config.substitutions.append(("%python", f"env PYTHONPATH={config.tiny_build}/python {interpreter}"))
except OSError:
    pass
if "python" not in config.available_features:
    lit_config.note("the tests of the Python package are skipped: it needs Python's headers, nanobind and NumPy (docs/Tensor.md)")
# A tree whose libraries are shared installs no front end.
if os.path.exists(os.path.join(config.tiny_build, "lib", "Frontend", "TinyConfigVersion.cmake")):
    config.available_features.add("installs-frontend")
config.substitutions.append(("%source", config.tiny_source))
config.substitutions.append(("%cxx", config.cxx_compiler))
config.substitutions.append(("%build", config.tiny_build))
# Kernels in PTX run by a driver of the tests' own, on any machine.
config.substitutions.append(("%fake-cuda", os.path.join(config.tiny_build, "unittests", "FakeCuda", "libcuda.so.1")))
config.substitutions.append(("%unittests", os.path.join(config.tiny_build, "unittests")))
