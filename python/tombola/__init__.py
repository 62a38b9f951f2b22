# SPDX-License-Identifier: Apache-2.0
"""Random numbers, sampling and shuffles for NumPy: TensorFlow's and PyTorch's numbers, bit for bit.

    >>> import tombola
    >>> tombola.uniform(3, seed=(150, 10))
    array([0.7011236 , 0.30539632, 0.93931055], dtype=float32)

Every value depends on the algorithm, the seeds, the offset and its index alone: never on the processor, the number of
threads, the memory layout, or how a tensor is cut into calls.

Tensors that come in are NumPy arrays, or CPU tensors of any library that exports them by DLPack (torch.Tensor). Strides
are taken, except negative ones and those by which two elements may share an address. Results are new NumPy
arrays, or `out`, which is written and returned; bfloat16, which NumPy does not have, is returned as a BFloat16Array.
Wrong arguments raise ValueError or TypeError, and nothing is written. The message names the argument, its value and what
was expected.

Any number of threads may call any functions at the same time, as long as no tensor is written by one call and read or
written by another. The global interpreter lock is released while numbers are computed. None of the generators is
secure: never draw keys or passwords from them.
"""
from tombola import _loading  # before everything else
from tombola import _core
from tombola._bfloat16 import BFloat16Array
from tombola._bit_generators import MT19937, Philox4x32
from tombola._functions import (
    Tokens,
    bernoulli,
    dropout,
    exponential,
    multinomial,
    normal,
    permutation,
    random_words,
    sample_tokens,
    shuffle,
    stochastic_round,
    uniform,
)
from tombola._generator import Generator

__all__ = [
    "BFloat16Array",
    "Generator",
    "MT19937",
    "Philox4x32",
    "Tokens",
    "bernoulli",
    "dropout",
    "exponential",
    "multinomial",
    "normal",
    "permutation",
    "random_words",
    "sample_tokens",
    "shuffle",
    "stochastic_round",
    "uniform",
]
__version__ = _core.version
