"""Peers of the Python registry, in a virtual environment of their own."""
import functools
import pathlib
import subprocess
import sys


class PythonPeers:
    # The modules that a peer needs, each in the package of the same name.
    MODULES = {"onnxruntime": ["onnx", "onnxruntime"], "torch": ["onnx", "torch", "onnx2torch"],
               "tinygrad": ["onnx", "tinygrad", "numpy"]}

    def __init__(self, folder: pathlib.Path, skip):
        """`skip` is told what cannot be installed."""
        self.folder, self.python, self.skip = folder, folder / "bin" / "python", skip

    def has(self, module: str) -> bool:
        command = [self.python, "-c", f"import importlib.util as u, sys; sys.exit(not u.find_spec('{module}'))"]
        try:
            return subprocess.run(command, capture_output=True).returncode == 0
        except OSError:
            return False

    @functools.cache
    def interpreter(self, peer: str):
        """The one with which a peer runs; none where it is not installed."""
        return self.python if all(self.has(module) for module in self.MODULES[peer]) else None

    def install(self):
        """Installs what is missing."""
        if not self.has("pip"):
            made = subprocess.run([sys.executable, "-m", "venv", "--clear", self.folder], capture_output=True, text=True)
            if made.returncode:
                return self.skip(f"Python peers, since no virtual environment can be made in {self.folder}")
        for peer, modules in self.MODULES.items():
            missing = [module for module in modules if not self.has(module)]
            if missing:
                print(f"installing {', '.join(missing)} into {self.folder}", file=sys.stderr, flush=True)
                pip = subprocess.run([self.python, "-m", "pip", "install", "-q", *missing], capture_output=True, text=True)
                if pip.returncode:
                    reason = (pip.stderr.strip().splitlines() or ["pip failed"])[-1]
                    self.skip(f"{peer}, which cannot be installed: {reason}")
