import os

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
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --allow-unused-prefixes=false"
config.substitutions.append(("%source", config.tiny_source))
config.substitutions.append(("%build", config.tiny_build))
config.substitutions.append(("%unittests", os.path.join(config.tiny_build, "unittests")))
