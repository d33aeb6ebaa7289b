"""Products in smaller floats: `with tiny.autocast("bfloat16"): ...`."""
from ._tiny import _Autocast


class autocast:
    """Inside, products, convolutions and attention of float32 are computed in another float type, and cross_entropy in
    float32. Parameters stay what they are; optimizer.scale_loss() keeps small gradients of float16."""

    def __init__(self, dtype="bfloat16"):
        self._dtype, self._inner = dtype, []

    def __enter__(self):
        self._inner.append(_Autocast(self._dtype))
        return self

    def __exit__(self, *error):
        self._inner.pop()
