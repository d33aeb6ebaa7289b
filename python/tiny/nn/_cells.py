"""One step of LSTM, GRU and RNN, from the state before it to the one after it."""
import math as _math

from . import Module
from .._tiny import rand, zeros


class Cell(Module):
    """Weights have PyTorch's names and order of gates."""

    gates = 1

    def __init__(self, input_size, hidden_size, bias=True):
        if input_size < 1 or hidden_size < 1:
            raise ValueError(f"expects sizes of at least 1, got {input_size} and {hidden_size}")
        self.input_size, self.hidden_size = input_size, hidden_size
        rows, bound = self.gates * hidden_size, 1 / _math.sqrt(hidden_size)

        def draw(*shape):
            return (rand(*shape) * (2 * bound) - bound).realize()

        self.weight_ih, self.weight_hh = draw(rows, input_size), draw(rows, hidden_size)
        self.bias_ih, self.bias_hh = (draw(rows), draw(rows)) if bias else (None, None)

    def _project(self, x, weight, bias):
        product = x.matmul(weight.T)
        return product if bias is None else product + bias

    def _start(self, x, state):
        """The state, zeros where there is none."""
        if x.ndim not in (1, 2) or x.shape[-1] != self.input_size:
            raise ValueError(f"expects an input of rank 1 or 2 with {self.input_size} features, got {tuple(x.shape)}")
        shape = (*x.shape[:-1], self.hidden_size)
        if state is None:
            return zeros(*shape, dtype=x.dtype)
        if not hasattr(state, "shape"):
            raise TypeError(f"expects a state of {shape}, got a {type(state).__name__}")
        if tuple(state.shape) != shape:
            raise ValueError(f"expects a state of {shape}, got {tuple(state.shape)}")
        return state

    def _both(self, x, hidden):
        return self._project(x, self.weight_ih, self.bias_ih), self._project(hidden, self.weight_hh, self.bias_hh)


class LSTMCell(Cell):
    """A step of nn.LSTM: from x [batch, in] or [in] and (hidden, cell), or None for zeros, to (hidden, cell)."""

    gates = 4

    def forward(self, x, state=None):
        if state is not None and (not isinstance(state, (tuple, list)) or len(state) != 2):
            raise TypeError("expects the states as a pair: cell(x, (h, c))")
        hidden, cell = (self._start(x, part) for part in state or (None, None))
        from_input, from_hidden = self._both(x, hidden)
        into, keep, new, out = (from_input + from_hidden).chunk(4, -1)
        cell = keep.sigmoid() * cell + into.sigmoid() * new.tanh()
        return out.sigmoid() * cell.tanh(), cell


class GRUCell(Cell):
    """A step of nn.GRU: from x [batch, in] or [in] and the state, or None for zeros, to the next state."""

    gates = 3

    def forward(self, x, hidden=None):
        hidden = self._start(x, hidden)
        (reset, update, new), (from_reset, from_update, from_new) = (part.chunk(3, -1) for part in self._both(x, hidden))
        reset, update = (reset + from_reset).sigmoid(), (update + from_update).sigmoid()
        new = (new + reset * from_new).tanh()
        return (1 - update) * new + update * hidden


class RNNCell(Cell):
    """A step of nn.RNN, with `nonlinearity` "tanh" or "relu": from x [batch, in] or [in] and the state, or None for zeros, to the
    next state."""

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh"):
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"expects the nonlinearity 'tanh' or 'relu', got {nonlinearity!r}")
        super().__init__(input_size, hidden_size, bias)
        self.nonlinearity = nonlinearity

    def forward(self, x, hidden=None):
        from_input, from_hidden = self._both(x, self._start(x, hidden))
        total = from_input + from_hidden
        return total.tanh() if self.nonlinearity == "tanh" else total.relu()
