# SPDX-License-Identifier: Apache-2.0
"""tombola's operators for PyTorch, on the CPU.

    import tombola_torch
    torch.manual_seed(1)
    x = tombola_torch.rand(3, 3)            # torch.rand(3, 3), bit for bit

The library is found by the environment variable TOMBOLA_TORCH_LIBRARY, otherwise beside this file.
"""
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


def rand(*size, dtype=None, generator=None):
    """torch.rand, the same numbers."""
    return _ops.rand(_shape(size), dtype=dtype or torch.get_default_dtype(), generator=generator)


def uniform_(tensor, low=0.0, high=1.0, generator=None):
    """Tensor.uniform_, the same numbers."""
    return _ops.uniform_(tensor, low, high, generator=generator)


def randint(low, high, size, dtype=None, generator=None):
    """torch.randint, the same numbers."""
    return _ops.randint(low, high, list(size), dtype=dtype, generator=generator)


def multinomial(input, num_samples, replacement=False, generator=None):
    """torch.multinomial; see tombola_torch.hpp for when the samples are PyTorch's."""
    return _ops.multinomial(input, num_samples, replacement, generator=generator)


def channel_shuffle(input, groups):
    """torch.channel_shuffle with gradients, for every layout and type."""
    return _ops.channel_shuffle(input, groups)


def _shape(size):
    return list(size[0]) if len(size) == 1 and not isinstance(size[0], int) else list(size)
