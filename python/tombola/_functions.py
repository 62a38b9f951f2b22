# SPDX-License-Identifier: Apache-2.0
"""The functions, each of which is one call of a primitive."""
import operator
from typing import Optional, Sequence, Union

import numpy

from tombola import _core
from tombola._types import Alignment, DType, IntDraws, Seed, Shape, Tensor


def words_of(number: Union[int, Sequence[int]], count: int, name: str) -> numpy.ndarray:
    """`count` words of 32 bits, the least significant one first, from an integer or from as many words."""
    try:
        try:
            words = operator.index(number).to_bytes(4 * count, "little")
        except TypeError:
            words = b"".join(operator.index(word).to_bytes(4, "little") for word in number)
        if len(words) != 4 * count:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        expected = f"an integer from 0 to 2**{32 * count} - 1 or {count} words of 32 bits"
        raise ValueError(f"{name} is {number!r}; expected {expected}") from None
    return numpy.frombuffer(words, "<u4")


def random_words(
    shape: Shape = None, *, key: Union[int, Sequence[int]] = 0, counter: Union[int, Sequence[int]] = 0, out: Tensor = None
) -> Tensor:
    """The words of Philox 4x32-10, as Random123 and DirectML's random generator give them.

    Element i is word i % 4 of the block at counter + i // 4. A shape of n elements uses up (n + 3) // 4 counters.

    shape: an integer or a sequence of integers; by default out's.
    key: an integer of 64 bits, or 2 words, the least significant one first.
    counter: an integer of 128 bits, or 4 words, the least significant one first.
    out: uint32; written and returned instead of a new array.

    >>> [hex(word) for word in tombola.random_words(4)]  # Random123's known answer for counter 0 and key 0
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    state = numpy.concatenate([words_of(counter, 4, "counter"), words_of(key, 2, "key")])
    return _core.random_words(shape, state, out)


def uniform(
    shape: Shape = None,
    dtype: DType = None,
    low: float = 0,
    high: Optional[float] = None,
    *,
    seed: Seed = None,
    offset: int = 0,
    alignment: Alignment = "tensorflow",
    int_draws: IntDraws = "spec",
    out: Tensor = None,
) -> Tensor:
    """Numbers from [low, high), as tf.random.uniform (Philox) or tensor.uniform_ and random_ (MT19937) draw them.

    shape: an integer or a sequence of integers; by default out's.
    dtype: float16, bfloat16, float32, float64, int32 or int64; by default out's, or float32.
    low, high: finite, low < high, each rounded to the dtype; high is 1 by default, and must be given for integers.
    seed: (global, op), two integers from 0 to 2**64 - 1; an integer n stands for (n, 1); None and (0, 0) draw entropy.
    offset: the index in the stream of the result's first element, from 0 to 2**64 - 1.
    alignment: "tensorflow", or "pytorch", whose numbers are those after torch.manual_seed(global).
    int_draws: how many words an integer takes ("pytorch" alone): "spec", "torch1" (PyTorch before 2.7) or "torch2".
    out: written and returned instead of a new array.

    >>> tombola.uniform((2, 3), "int32", 50, 100, seed=80, alignment="pytorch")
    array([[77, 58, 62],
           [69, 60, 94]], dtype=int32)
    """
    return _core.uniform(shape, dtype, low, high, seed, offset, alignment, int_draws, out, None)


def multinomial(
    weights: Tensor,
    samples: int,
    *,
    replacement: bool = True,
    log_probs: bool = False,
    dtype: DType = None,
    seed: Seed = None,
    offset: int = 0,
    uniforms: Tensor = None,
    out: Tensor = None,
) -> Tensor:
    """Classes drawn with probabilities proportional to weights. Sums are exact: no class of weight zero is ever drawn.

    weights: (classes,) or (batch, classes); float16, bfloat16, float32 or float64; finite and at least 0.
    samples: how many classes are drawn in each row: the result is (samples,) or (batch, samples).
    replacement: whether a class may be drawn more than once in a row.
    log_probs: whether the weights are exp(weights): logits, of which -inf is weight 0.
    dtype: int32 or int64, which is the default without out.
    seed, offset: as for uniform(); the offset counts samples. One uniform number of float64 is used for each.
    uniforms: numbers from [0, 1] of the result's shape, float64, used instead of the stream; seed and offset are not.
    out: written and returned instead of a new array.

    >>> uniforms = numpy.array([[0.2, 0.4, 0.6, 0.8, 1]])  # the specification's first example
    >>> tombola.multinomial(numpy.array([[0.1, 0.5, 0.4]]), 5, uniforms=uniforms)
    array([[1, 1, 1, 2, 2]])
    """
    return _core.multinomial(weights, samples, replacement, log_probs, dtype, seed, offset, uniforms, out)


def shuffle(src: Tensor, group_size: int, axis: int = 1, *, backward: bool = False, out: Tensor = None) -> Tensor:
    """The channel shuffle: reshapes the axis of C elements to (C // group_size, group_size), transposes, flattens.

    So shuffle(x, C // g) and shuffle(x, g, backward=True) are torch.channel_shuffle(x, g).

    src: any shape, elements of 1, 2, 4 or 8 bytes.
    group_size: at least 1, a divisor of the axis' size.
    axis: from -ndim to ndim - 1.
    backward: undoes the forward shuffle of the same group_size and axis.
    out: src's shape and dtype, any strides, sharing no memory with src; written and returned instead of a new array.

    >>> tombola.shuffle(numpy.arange(6), 3, axis=0)
    array([0, 3, 1, 4, 2, 5])
    """
    return _core.shuffle(src, group_size, axis, backward, out)
