"""Which modules of Python's do not train: what is captured in one mode is another function in another."""
import weakref

_still = {}
_name = ""


def name():
    """A text that tells the sets of them apart."""
    return _name


def _rename():
    global _name
    _name = ",".join(str(number) for number in sorted(number for number, _ in _still.values()))


def note(module, trains):
    """Notes that a module trains from here on, or does not."""
    key = id(module)
    if trains:
        changed = _still.pop(key, None)
    else:
        changed = key not in _still
        if changed:
            note.count += 1
            _still[key] = (note.count, weakref.ref(module, lambda _: (_still.pop(key, None), _rename())))
    if changed:
        _rename()


note.count = 0
