# SPDX-License-Identifier: Apache-2.0
"""Random numbers, sampling and shuffles for NumPy: TensorFlow's and PyTorch's numbers, bit for bit.

    >>> import tombola
    >>> tombola.uniform(3, seed=(150, 10))
    array([0.7011236 , 0.30539632, 0.93931055], dtype=float32)

Every value depends on the algorithm, the seeds, the offset and its index alone: never on the processor, the number of
threads, the memory layout, or how a tensor is cut into calls.
"""
from tombola import _core
from tombola._bfloat16 import BFloat16Array

__all__ = ["BFloat16Array", "uniform"]
__version__ = _core.version


def uniform(shape=None, dtype=None, low=0, high=1, *, seed=None, offset=0, alignment="tensorflow", out=None):
    """Draws numbers from [low, high).

    shape: an integer or a sequence of integers; by default out's.
    dtype: float16, bfloat16, float32, float64, int32 or int64; by default out's, or float32.
    low, high: finite, low < high; each is rounded to the dtype.
    seed: (global, op), two integers from 0 to 2**64 - 1; an integer n stands for (n, 1); None draws fresh entropy.
    offset: the index in the stream of the result's first element, from 0 to 2**64 - 1.
    alignment: "tensorflow" (Philox) or "pytorch" (MT19937, which the global seed's low 32 bits seed).
    out: an array or a tensor that is written, and returned, instead of a new array.

    >>> tombola.uniform((2, 3), "int32", 50, 100, seed=80, alignment="pytorch")
    array([[77, 58, 62],
           [69, 60, 94]], dtype=int32)
    """
    return _core.uniform(shape, dtype, low, high, seed, offset, alignment, out)
