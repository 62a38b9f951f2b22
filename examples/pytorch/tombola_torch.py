# SPDX-License-Identifier: Apache-2.0
"""tombola's operators for PyTorch, on the CPU.

    import torch, tombola_torch
    torch.manual_seed(1)
    x = tombola_torch.rand(3, 3)            # torch.rand(3, 3), bit for bit

The library is found by the environment variable TOMBOLA_TORCH_LIBRARY, otherwise beside this file.
"""
import operator
import os

import torch

_library = os.environ.get("TOMBOLA_TORCH_LIBRARY") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "libtombola_torch.so"
)
if not os.path.exists(_library):
    raise ImportError(
        f"there is no {_library}: build the target tombola_torch, and set TOMBOLA_TORCH_LIBRARY to the path of "
        "libtombola_torch.so"
    )
torch.ops.load_library(_library)
_ops = torch.ops.tombola
_ABSENT = object()


def rand(*size, out=None, **options):
    """torch.rand, the same numbers.

    Every function that makes a tensor takes generator, dtype, layout, device, pin_memory and requires_grad; those that
    make one of a given size take out as well.
    """
    return _make(_ops.rand, "", (), _shape(size, options), out, options)


def rand_like(input, **options):
    """torch.rand_like, the same numbers."""
    return _make(_ops.rand_like, "", (input,), None, None, options)


def uniform_(tensor, low=0.0, high=1.0, generator=None):
    """Tensor.uniform_, the same numbers, in the order of memory."""
    return _ops.uniform_(tensor, low, high, generator=generator)


def randn(*size, out=None, **options):
    """torch.randn, the same numbers (float64: up to the rounding of the C library)."""
    return _make(_ops.randn, "", (), _shape(size, options), out, options)


def randn_like(input, **options):
    """torch.randn_like, the same numbers."""
    return _make(_ops.randn_like, "", (input,), None, None, options)


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Tensor.normal_, the same numbers, in the order of memory."""
    return _ops.normal_(tensor, mean, std, generator=generator)


def exponential_(tensor, lambd=1.0, generator=None):
    """Tensor.exponential_, the same numbers, in the order of memory."""
    return _ops.exponential_(tensor, lambd, generator=generator)


def bernoulli_(tensor, p=0.5, generator=None):
    """Tensor.bernoulli_, the same numbers, in the order of memory. p: a number, or a tensor of probabilities."""
    if isinstance(p, torch.Tensor):
        return _ops.bernoulli_.Tensor(tensor, p, generator=generator)
    return _ops.bernoulli_.default(tensor, p, generator=generator)


def bernoulli(input, p=None, *, generator=None, out=None):
    """torch.bernoulli, the same numbers: of a tensor of probabilities, or with p, a number, like input."""
    if out is not None:
        if p is not None:
            raise TypeError("bernoulli takes p or out")
        return _ops.bernoulli.out(input, generator=generator, out=out)
    if p is None:
        return _ops.bernoulli.probabilities(input, generator=generator)
    # The operator keeps the order of memory; torch.bernoulli(input, p) does not.
    contiguous = torch.empty_like(input, memory_format=torch.contiguous_format)
    return _ops.bernoulli.default(contiguous, p, generator=generator)


def random_(tensor, low, high=_ABSENT, generator=None):
    """Tensor.random_(high) or Tensor.random_(low, high), the same numbers, in the order of memory."""
    if high is None:
        raise TypeError("high is None, the greatest value of the dtype; expected a number")
    if high is _ABSENT:
        low, high = 0, low
    return _ops.random_(tensor, _integer(low, "low"), _integer(high, "high"), generator=generator)


def randint(*bounds, size=None, out=None, **options):
    """torch.randint(high, size) or torch.randint(low, high, size), the same numbers."""
    if size is None:
        if not bounds:
            raise TypeError("size is missing; expected a sequence of integers")
        bounds, size = bounds[:-1], bounds[-1]
    overload, arguments = _bounds(bounds, options)
    return _make(_ops.randint, overload, arguments, _numbers(size), out, options)


def randint_like(input, *bounds, **options):
    """torch.randint_like(input, high) or torch.randint_like(input, low, high), the same numbers."""
    overload, arguments = _bounds(bounds, options)
    return _make(_ops.randint_like, overload, (input, *arguments), None, None, options)


def randperm(n, *, out=None, **options):
    """torch.randperm, the same permutation."""
    return _make(_ops.randperm, "", (_integer(n, "n"),), None, out, options)


def multinomial(input, num_samples, replacement=False, *, generator=None, out=None):
    """torch.multinomial; see tombola_torch.hpp for when the samples are PyTorch's."""
    num_samples = _integer(num_samples, "num_samples")
    if not isinstance(replacement, bool):
        raise TypeError(f"replacement is {replacement!r}; expected True or False")
    if out is None:
        return _ops.multinomial(input, num_samples, replacement, generator=generator)
    return _ops.multinomial(input, num_samples, replacement, generator=generator, out=out)


def sample_tokens(
    logits,
    temperature=None,
    top_k=None,
    top_p=None,
    min_p=None,
    *,
    num_samples=1,
    filter_order="transformers",
    mask=None,
    seeds=None,
    offset=None,
    logprobs=None,
    generator=None,
):
    """Token ids drawn from logits [classes] or [batch, classes]: int64 [num_samples] or [batch, num_samples].

    Temperature (0 is greedy), top_k (0 keeps all), top_p, min_p and offset are numbers, or tensors with an element per row.
    seeds are two integers, or int64 [batch, 2]: a stream for each row; without them the generator is asked for two.
    mask is int32 [batch, ceil(classes / 32)], a bit for each class that is allowed. With logprobs "processed" or "raw" the
    result is a pair of ids and log probabilities. See doc/token_sampler.md."""

    device = getattr(logits, "device", None)

    def tensor(value, dtype=None):
        if value is None or isinstance(value, torch.Tensor):
            return value
        return torch.tensor(value, dtype=dtype, device=device)

    ids, values = _ops.sample_tokens(
        logits,
        tensor(temperature, torch.float32),
        tensor(top_k),
        tensor(top_p, torch.float32),
        tensor(min_p, torch.float32),
        num_samples=_integer(num_samples, "num_samples"),
        filter_order=filter_order,
        mask=mask,
        seeds=tensor(seeds),
        offset=tensor(offset),
        logprobs="none" if logprobs is None else logprobs,
        generator=generator,
    )
    return ids if logprobs is None else (ids, values)


def channel_shuffle(input, groups):
    """torch.channel_shuffle with gradients, for every layout and every type of up to 8 bytes."""
    return _ops.channel_shuffle(input, _integer(groups, "groups"))


def dropout(input, p=0.5, training=True, *, generator=None):
    """torch.nn.functional.dropout with tombola's numbers, in one pass over the tensor.

    The generator is asked for two seeds. The gradient draws the mask again from them: autograd keeps no mask."""
    if not isinstance(training, bool):
        raise TypeError(f"training is {training!r}; expected True or False")
    return _ops.dropout(input, p, training, generator=generator)


def stochastic_round_(tensor, source, *, generator=None):
    """Writes source, float32, into a bfloat16 or float16 tensor, rounded up or down at random, without bias."""
    return _ops.stochastic_round_(tensor, source, generator=generator)


def _shape(size, options):
    """The size, given as rand(2, 3), rand((2, 3)) or rand(size=(2, 3)); the last is taken out of the options."""
    if "size" in options:
        if size:
            raise TypeError("size is given twice; expected it by position or by name")
        return _numbers(options.pop("size"))
    if not size:
        raise TypeError("size is missing; expected numbers or a sequence of them")
    is_sequence = len(size) == 1 and not isinstance(size[0], int) and not hasattr(size[0], "__index__")
    return _numbers(size[0] if is_sequence else size)


def _numbers(size):
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"size is {size!r}; expected integers or a tuple of them")
    return [_integer(number, f"size[{i}]", max_dim=1) for i, number in enumerate(size)]


def _integer(number, name, max_dim=0):
    """The number, if it is an integer, also of NumPy or a tensor. PyTorch's operators would cut other numbers."""
    if type(number) is int or isinstance(number, getattr(torch, "SymInt", ())):
        return number
    is_bool = isinstance(number, bool) or str(getattr(number, "dtype", "")) in ("bool", "torch.bool")
    try:
        if not is_bool and getattr(number, "ndim", 0) <= max_dim:
            return operator.index(number)
    except TypeError:
        pass
    raise TypeError(f"{name} is {number!r}; expected an integer")


def _bounds(bounds, options):
    """The overload for high, or for low and high, and their values: by position, or taken out of the options by name."""
    named = "low" in options or "high" in options
    names = ("low", "high") if len(bounds) == 2 or named else ("high",)
    given = dict(zip(names, bounds))
    if len(bounds) > 2 or any(name in options for name in given):
        raise TypeError("expected high, or low and high, each of them once")
    given.update({name: options.pop(name) for name in ("low", "high") if name in options})
    if "high" not in given:
        raise TypeError("high is missing; expected an integer")
    values = tuple(_integer(given[name], name) for name in ("low", "high") if name in given)
    return ("low" if len(values) == 2 else ""), values


def _dtype_of(op, arguments, options):
    """The dtype of the tensor that an operator makes."""
    if options.get("dtype") is not None:
        return options["dtype"]
    if arguments and isinstance(arguments[0], torch.Tensor):
        return arguments[0].dtype
    return torch.int64 if op in (_ops.randint, _ops.randperm) else torch.get_default_dtype()


def _make(op, overload, arguments, size, out, options):
    """Calls an operator that makes a tensor, as PyTorch's Python functions call theirs: out must have the type, the
    layout and the device that are asked for, and requires_grad is no argument of the operator.

    The overload is named: PyTorch finds it otherwise by trying one after the other, which is slow."""
    if size is not None:
        arguments += (size,)
    requires_grad = options.pop("requires_grad", None)
    if requires_grad is None:
        requires_grad = False
    if not isinstance(requires_grad, bool):
        raise TypeError(f"requires_grad is {requires_grad!r}; expected True or False")
    if options.get("dtype") in (float, int, bool):
        options["dtype"] = {float: torch.float64, int: torch.int64, bool: torch.bool}[options["dtype"]]
    if not isinstance(options.get("dtype"), (torch.dtype, type(None))):
        raise TypeError(f"dtype is {options['dtype']!r}; expected a torch.dtype")
    dtype = _dtype_of(op, arguments, options) if out is None else out.dtype
    if requires_grad and not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
    absent = ("dtype", "layout", "device", "pin_memory", "memory_format", "generator")
    if op in (_ops.rand, _ops.randn):
        absent += ("names",)
    options = {name: value for name, value in options.items() if value is not None or name not in absent}
    if out is None:
        result = getattr(op, overload or "default")(*arguments, **options)
    else:
        generator = options.pop("generator", None)
        options.pop("pin_memory", None)
        for name, value in options.items():
            if name not in ("dtype", "layout", "device"):
                raise TypeError(f"unexpected argument {name}")
            has = getattr(out, name)
            if name == "device":
                value, has = torch.device(value).type, has.type
            if value != has:
                raise RuntimeError(f"{name} {value} does not match {name} of out parameter ({has})")
        with_out = getattr(op, overload + "_out" if overload else "out")
        result = with_out(*arguments, generator=generator, out=out)
    return result.requires_grad_() if requires_grad else result
