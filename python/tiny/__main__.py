"""python -m tiny SCRIPT [ARGUMENT]..., python -m tiny -m MODULE [ARGUMENT]...: runs a script as a rank under mpirun.

    mpirun -n 4 python -m tiny train.py

A second process, the rank's guard, says which rank has died or ended too early before mpirun ends the others, and a rank
whose script fails says its number. Without mpirun it is `python SCRIPT`.
"""
import os
import runpy
import sys

from . import _tiny


def main():
    arguments = sys.argv[1:]
    is_module = arguments[:1] == ["-m"]
    arguments = arguments[is_module:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__.strip(), file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    target = arguments[0]
    name = os.path.basename(target)
    sys.argv[:] = arguments
    rank = _tiny._guard_rank(name)
    try:
        if is_module:
            sys.path[0] = os.getcwd()
            runpy.run_module(target, run_name="__main__", alter_sys=True)
        else:
            sys.path[0] = os.path.dirname(os.path.abspath(target))
            runpy.run_path(target, run_name="__main__")
    except Exception:
        if rank is not None:
            print(f"{name}: error: rank {rank} fails:", file=sys.stderr, flush=True)
        raise
    return 0


sys.exit(main())
