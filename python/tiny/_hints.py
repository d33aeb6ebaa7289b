"""What to write instead of names that PyTorch has: said where one of them is looked up."""
GRADIENTS = "gradients are tensors: `tiny.grad(loss, [weight])`, or `optimizer.step(loss)` for a whole step"
NOTHING = "leave it out: "
IN_PLACE = "values of tensors never change under another handle: write `x = x.{}(...)`"

TENSOR = {
    "backward": GRADIENTS, "grad": GRADIENTS, "retain_grad": GRADIENTS, "grad_fn": GRADIENTS,
    "requires_grad": NOTHING + "a gradient is what `tiny.grad(loss, [x])` is asked for",
    "requires_grad_": NOTHING + "a gradient is what `tiny.grad(loss, [x])` is asked for",
    "cpu": NOTHING + "tensors lie in the processor's memory", "cuda": NOTHING + "tensors lie in the processor's memory",
    "data": "numpy() is the elements, detach() stops gradients, and assign() gives a tensor another value",
    "index_add": "`x.scatter_add(...)`", "index_fill": "`x[:, index] = value`", "masked_scatter": "`x[mask] = value`",
    "copy_": "`x.assign(y)` makes x another value", "zero_": "`x.assign(tiny.zeros_like(x))`", "fill_": "`x.assign(tiny.full_like(x, value))`",
    "uniform_": "`x.assign(tiny.uniform(x.shape, low, high))`", "normal_": "`x.assign(tiny.randn_like(x))`",
    "register_hook": "gradients are tensors: compute with what tiny.grad() gives",
    "storage": "numpy() is a view of the memory", "data_ptr": "numpy() is a view of the memory",
    "values": "max(dim) is the values, argmax(dim) says where they stand", "indices": "argmax(dim), argmin(dim)",
    "quantile": "numpy.quantile(x, q) takes a tensor", "kthvalue": "sort() and an index", "new_zeros": "`tiny.zeros(shape, dtype=x.dtype)`",
    "new_ones": "`tiny.ones(shape, dtype=x.dtype)`", "type": "`x.to(dtype)`", "astype": "`x.to(dtype)`", "is_contiguous": NOTHING + "every tensor is row-major", "median": "sort() and an index",
}

MODULE = {
    "no_grad": NOTHING + "nothing is kept for gradients that nobody asks for", "inference_mode": NOTHING + "nothing is kept for gradients that nobody asks for",
    "enable_grad": NOTHING + "a gradient is what `tiny.grad(loss, [x])` is asked for", "autograd": "`tiny.grad(loss, [x])`; again on what it gives for second gradients",
    "compile": "`tiny.jit(f)`", "func": "`tiny.grad(loss, [x])`", "device": NOTHING + "tensors lie in the processor's memory",
    "cuda": NOTHING + "tensors lie in the processor's memory", "backends": NOTHING + "there is nothing to choose", "set_num_threads": "the environment variable TINY_NUM_THREADS says on how many threads kernels run",
    "utils": "batches are slices of arrays: `for start in range(0, len(x), 64): x[start:start + 64]`",
    "as_tensor": "`tiny.Tensor(array)` copies, `tiny.from_numpy(array)` shares memory", "FloatTensor": "`tiny.Tensor(array, dtype='float32')`",
    "LongTensor": "`tiny.Tensor(array, dtype='int64')`", "Generator": "`tiny.manual_seed(seed)`", "numel": "`x.numel()`",
    "finfo": "`numpy.finfo(name)` and numpy.iinfo(name)", "iinfo": "`numpy.iinfo(name)`", "amp": "`with tiny.autocast('bfloat16'):`, and `optimizer.scale_loss(2.0**16)`", "stft": "an ONNX model has STFT; `unfold()` and a product do the same",
}

NN = {
    "Parameter": "a tensor that is an attribute of a module is a parameter: `self.weight = tiny.randn(3, 4)`; `buffers_ = {'name'}` of the class says which are none",
    "ParameterList": "a list of tensors: `self.weights = [...]`", "DataParallel": "one process has one device",
    "utils": "`optimizer.clip_grad_norm(1.0)` before the first step",
    "init": "draw the values: `layer.weight.assign(tiny.kaiming_uniform(layer.weight.shape))`",
    "TransformerEncoderLayer": "nn.MultiHeadAttention, LayerNorm and Linear make one: examples/text has it", "Upsample": "`x.interpolate(...)`",
    "InstanceNorm2d": "nn.GroupNorm with as many groups as channels",
}

OPTIM = {
    "lr_scheduler": "a number: `optimizer.lr = optim.cosine_rate(lr, step, steps)`, or step_rate()", "RMSprop": "SGD, Adam, AdamW and LAMB are there",
    "Adagrad": "SGD, Adam, AdamW and LAMB are there", "Optimizer": "SGD, Adam, AdamW and LAMB are there",
}

OPTIMIZER = {
    "zero_grad": NOTHING + "`optimizer.step(loss)` computes gradients, and keeps none", "param_groups": "`optimizer.lr = rate` for the rate, and an optimiser for each group",
    "add_param_group": "an optimiser for each group",
}

LAYER = {
    "flatten_parameters": NOTHING + "weights lie as they are computed with",
    "to": NOTHING + "tensors lie in the processor's memory; `with tiny.autocast('bfloat16'):` computes in smaller floats",
    "cuda": NOTHING + "tensors lie in the processor's memory", "cpu": NOTHING + "tensors lie in the processor's memory",
    "zero_grad": NOTHING + "gradients are not kept", "apply": "a loop over named_parameters()", "register_buffer": "an attribute whose name is in the class's `buffers_ = {'name'}`",
    "register_parameter": "an attribute that is a tensor", "add_module": "an attribute, or a list of modules as one", "requires_grad_": "give the optimiser only what trains",
    "children": "vars(module).values()", "modules": "vars(module).values()", "named_modules": "vars(module).items()", "half": "`with tiny.autocast('float16'):`",
}


def refuse(owner, name, hints):
    """The error for a name that is not there."""
    hint = hints.get(name)
    if hint is None and owner == "Tensor" and name.endswith("_") and not name.startswith("_"):
        hint = IN_PLACE.format(name[:-1])
    return AttributeError(f"{owner} has no '{name}'" + (f": {hint}" if hint else ""), name=name)


def lookup(owner, hints, known=lambda name: None):
    """A function for `__getattr__` of a module, which gives what is known by other names."""
    def look(name):
        if (found := known(name)) is not None:
            return found
        raise refuse(owner, name, hints)
    return look


def watch(kind, owner, hints):
    """Gives a class the hints."""
    def look(self, name):
        raise refuse(owner or type(self).__name__, name, hints)
    look.__name__, look.__qualname__, look.__module__ = "__getattr__", f"{kind.__name__}.__getattr__", kind.__module__
    kind.__getattr__ = look
