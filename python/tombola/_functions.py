# SPDX-License-Identifier: Apache-2.0
"""The functions, each of which is one call of a primitive."""
import math
import operator
from typing import Any, List, Literal, NamedTuple, Optional, Sequence, Tuple, Union

import numpy

from tombola import _core
from tombola._types import (
    Alignment,
    Array,
    DType,
    FilterOrder,
    Flag,
    Float,
    FloatDraws,
    Int,
    IntDraws,
    PermutationAlignment,
    Seed,
    Shape,
    Tensor,
)


def _scalar(number: Any) -> Any:
    """What may be a number. Raises TypeError for an array or a tensor with dimensions: PyTorch makes numbers of those of one element."""
    if getattr(number, "shape", ()):
        raise TypeError("an array with dimensions is no number")
    return number


def integer_of(number: Any, name: str) -> int:
    """An integer of Python from whatever is one."""
    try:
        return operator.index(_scalar(number))
    except TypeError as cause:
        raise TypeError(f"{name} is {_core.text_of(number)}; expected an integer") from cause


def _bytes_of(number: Any, count: int, name: str, whole: Flag = True) -> bytes:
    """The bytes of `count` words of 32 bits, the least significant ones first, from as many words, or if `whole` from an integer."""
    try:
        try:
            if not whole:
                raise TypeError
            words = operator.index(_scalar(number)).to_bytes(4 * count, "little")
        except TypeError:
            # Neither text nor what has no order or no end.
            if isinstance(number, (bytes, bytearray)) or not (isinstance(number, Sequence) or hasattr(number, "shape")):
                raise
            if len(number) != count:
                raise ValueError from None
            words = b"".join(operator.index(_scalar(word)).to_bytes(4, "little") for word in number)
        if len(words) != 4 * count:
            raise ValueError
    except (TypeError, ValueError, OverflowError) as failed:
        expected = f"an integer from 0 to 2**{32 * count} - 1 or " if whole else ""
        error = TypeError if isinstance(failed, TypeError) else ValueError
        raise error(f"{name} is {_core.text_of(number)}; expected {expected}{count} words of 32 bits") from None
    return words


def words_of(number: Any, count: int, name: str, whole: Flag = True) -> Array:
    """The words whose bytes _bytes_of() gives."""
    return numpy.frombuffer(_bytes_of(number, count, name, whole), "<u4")


def philox_state(counter: Any, key: Any) -> Array:
    """The state of Philox 4x32-10: the words of the counter and the key."""
    return numpy.frombuffer(_bytes_of(counter, 4, "counter") + _bytes_of(key, 2, "key"), "<u4")


def random_words(
    shape: Shape = None, *, key: Union[Int, Sequence[Int]] = 0, counter: Union[Int, Sequence[Int]] = 0, out: Tensor = None
) -> Tensor:
    """The words of Philox 4x32-10, as Random123 and DirectML's random generator give them. The page random_generator
    defines them.

    Element i is word i % 4 of the block at counter + i // 4. A shape of n elements uses up (n + 3) // 4 counters.

    shape: an integer or a sequence of integers; by default out's.
    key: an integer of 64 bits, or 2 words, the least significant one first.
    counter: an integer of 128 bits, or 4 words, the least significant one first.
    out: uint32; written and returned instead of a new array.

    >>> [hex(word) for word in tombola.random_words(4)]  # Random123's known answer for counter 0 and key 0
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    return _core.random_words(shape, philox_state(counter, key), out)


def uniform(
    shape: Shape = None,
    dtype: DType = None,
    low: Float = 0,
    high: Optional[Float] = None,
    *,
    seed: Seed = None,
    offset: Int = 0,
    alignment: Alignment = "tensorflow",
    int_draws: IntDraws = "spec",
    float_draws: FloatDraws = "torch1",
    full_range: Flag = False,
    out: Tensor = None,
) -> Tensor:
    """Numbers from [low, high), as tf.random.uniform (Philox) or tensor.uniform_ and random_ (MT19937) draw them. The page
    random_uniform defines them.

    Where rounding reaches it, a floating-point number may be high itself; from [0, 1) it never is.

    shape: an integer or a sequence of integers; by default out's.
    dtype: float16, bfloat16, float32, float64, int32 or int64; by default out's, or float32.
    low, high: finite, low < high, each rounded to the dtype, to float16 and bfloat16 by way of float32; high is 1 by
        default, and must be given for integers.
    seed: (global, op), two integers from 0 to 2**64 - 1; an integer n stands for (n, 1); None and (0, 0) draw entropy.
    offset: the index in the stream of the result's first element; offset + elements is at most 2**64.
    alignment: "tensorflow", or "pytorch", whose numbers are those after torch.manual_seed(global).
    int_draws: how many words an integer takes ("pytorch" alone): "spec", "torch1" (PyTorch before 2.7) or "torch2".
    float_draws: how a floating-point number is drawn ("pytorch" alone): "torch1" (PyTorch up to 2.6) or "torch2".
    full_range: integers from 0 to the dtype's greatest, as tensor.random_() without bounds draws them ("pytorch" alone).
    out: written and returned instead of a new array.

    >>> tombola.uniform((2, 3), "int32", 50, 100, seed=80, alignment="pytorch")
    array([[77, 58, 62],
           [69, 60, 94]], dtype=int32)
    """
    return _core.uniform(shape, dtype, low, high, seed, offset, alignment, int_draws, float_draws, full_range, out, None)


def normal(
    shape: Shape = None,
    dtype: DType = None,
    mean: Float = 0,
    std: Float = 1,
    *,
    seed: Seed = None,
    offset: Int = 0,
    alignment: Alignment = "tensorflow",
    out: Tensor = None,
) -> Tensor:
    """Normal numbers, as tf.random.normal (Philox) or torch.randn and tensor.normal_ (MT19937) draw them, by the transform
    of Box and Muller. The page random_normal defines them.

    "pytorch" gives PyTorch's bits in float32, bfloat16 and float16 (those of 2.6), "tensorflow" numbers with a
    stated error.

    shape: an integer or a sequence of integers; by default out's.
    dtype: float16, bfloat16, float32 or float64; by default out's, or float32.
    mean, std: finite, std at least 0, each rounded to the dtype, to float16 and bfloat16 by way of float32.
    seed, alignment: as for uniform().
    offset: the index in the stream of the result's first element; "pytorch": a multiple of 16, and 0 for fewer than 16
        elements.
    out: written and returned instead of a new array.

    >>> x = tombola.normal(100_000, mean=5, std=2, seed=1)
    >>> round(float(x.mean()), 1), round(float(x.std()), 1)
    (5.0, 2.0)
    """
    return _core.normal(shape, dtype, mean, std, seed, offset, alignment, out, None)


def exponential(
    shape: Shape = None,
    dtype: DType = None,
    rate: Float = 1,
    *,
    seed: Seed = None,
    offset: Int = 0,
    alignment: Alignment = "tensorflow",
    out: Tensor = None,
) -> Tensor:
    """Exponentially distributed numbers, as tensor.exponential_ draws them (MT19937) or from TensorFlow's stream. The page
    random_exponential defines them.

    shape: an integer or a sequence of integers; by default out's.
    dtype: float16, bfloat16, float32 or float64; by default out's, or float32.
    rate: finite, above 0, with a finite reciprocal: the reciprocal of the mean.
    seed, offset, alignment: as for uniform().
    out: written and returned instead of a new array.

    >>> round(float(tombola.exponential(100_000, rate=4, seed=1).mean()), 2)
    0.25
    """
    return _core.exponential(shape, dtype, rate, seed, offset, alignment, out, None)


def bernoulli(
    p: Any,
    shape: Shape = None,
    dtype: DType = None,
    *,
    seed: Seed = None,
    offset: Int = 0,
    alignment: Alignment = "tensorflow",
    out: Tensor = None,
) -> Tensor:
    """Numbers that are 1 with the probability p and 0 otherwise; "pytorch": those of tensor.bernoulli_. The page
    random_bernoulli defines them.

    p: from 0 to 1: a number, or a float32 or float64 tensor of the result's shape. A tensor without dimensions is a number
        for a result that has some.
    shape: an integer or a sequence of integers; by default p's or out's.
    dtype: uint8, int32, int64, float16, bfloat16, float32 or float64; by default out's, or uint8.
    seed, offset, alignment: as for uniform().
    out: written and returned instead of a new array.

    >>> numpy.array_equal(tombola.bernoulli(0.3, 100, seed=1), tombola.uniform(100, seed=1) < numpy.float32(0.3))
    True
    >>> tombola.bernoulli(numpy.array([0.0, 1, 0]), dtype="int32")
    array([0, 1, 0], dtype=int32)
    """
    return _core.bernoulli(p, shape, dtype, seed, offset, alignment, out, None)


def multinomial(
    weights: Tensor,
    samples: Int,
    *,
    replacement: Flag = True,
    log_probs: Flag = False,
    dtype: DType = None,
    seed: Seed = None,
    offset: Int = 0,
    uniforms: Tensor = None,
    out: Tensor = None,
) -> Tensor:
    """Classes drawn with probabilities proportional to weights, as OpenVINO's Multinomial-13 defines it. Sums are exact: no
    class of weight zero is ever drawn. The page multinomial defines them.

    weights: (classes,) or (batch, classes); float16, bfloat16, float32 or float64; finite and at least 0. Each row has a
        class of positive weight, and without replacement at least as many as samples.
    samples: how many classes are drawn in each row: the result is (samples,) or (batch, samples).
    replacement: whether a class may be drawn more than once in a row.
    log_probs: whether the weights are exp(weights): logits below infinity, of which -inf is weight 0.
    dtype: int32 or int64, which is the default without out.
    seed, offset: as for uniform(); the offset counts samples. One uniform number of float64 is used for each.
    uniforms: numbers from [0, 1] of the result's shape, float64, row-major, used instead of the stream. Then seed and offset
        are ignored.
    out: written and returned instead of a new array.

    >>> uniforms = numpy.array([[0.2, 0.4, 0.6, 0.8, 1]])  # the specification's first example
    >>> tombola.multinomial(numpy.array([[0.1, 0.5, 0.4]]), 5, uniforms=uniforms)
    array([[1, 1, 1, 2, 2]])
    """
    return _core.multinomial(weights, samples, replacement, log_probs, dtype, seed, offset, uniforms, out)


class Tokens(NamedTuple):
    """What sample_tokens() returns if more than the ids is wanted; what is not wanted is None.

    >>> tombola.sample_tokens(numpy.float32([0, 9, 5]), top_k=1, kept=True)
    Tokens(ids=array(1), logprobs=None, kept=array(1, dtype=int32), top_ids=None, top_logprobs=None)
    """

    ids: Tensor
    logprobs: Optional[Array]
    kept: Optional[Array]
    top_ids: Optional[Array]
    top_logprobs: Optional[Array]


_INTEGERS = {"int32": range(-(2**31), 2**31), "uint64": range(2**64)}


def _check_for_row(number: Any, dtype: str, label: str) -> None:
    """Raises TypeError or ValueError for what is no number that the dtype can hold."""
    expected = "an integer" if dtype in _INTEGERS else "a number"
    beyond = None
    try:
        if dtype in _INTEGERS:
            held = operator.index(_scalar(number)) in _INTEGERS[dtype]
        else:
            value = math.ldexp(_scalar(number), 0)
            held = math.isinf(value) or not numpy.isinf(numpy.float32(value))
    except TypeError as cause:
        raise TypeError(f"{label} is {_core.text_of(number)}; expected {expected}") from cause
    except OverflowError as cause:
        held, beyond = False, cause
    if not held:
        raise ValueError(f"{label} is {_core.text_of(number)}; expected {expected} that {dtype} can hold") from beyond


def _converted(given: Array, dtype: str, name: str) -> Array:
    """An array of the dtype with the same values."""
    array: Array
    with numpy.errstate(over="ignore", under="ignore"):
        try:
            if dtype in _INTEGERS:
                numbers = [operator.index(_scalar(number)) for number in given.ravel().tolist()]
                held = all(number in _INTEGERS[dtype] for number in numbers)
                array = numpy.array(numbers if held else 0, dtype)
            else:
                # math.ldexp() takes what is a number, and no text, which float() would take.
                exact = given.dtype.kind == "O"
                array = numpy.array([math.ldexp(_scalar(one), 0) for one in given.ravel().tolist()] if exact else given, dtype)
                held = not numpy.isinf(array).any()
        except (TypeError, OverflowError):
            held = False
        if not held:
            for index, number in zip(numpy.ndindex(given.shape), given.ravel().tolist()):
                _check_for_row(number, dtype, f"{name}[{', '.join(map(str, index))}]" if index else name)
    return array.reshape(given.shape)


def _is_held(numbers: List[Any], dtype: str) -> bool:
    """Whether these are plain numbers of Python that the dtype can hold. False for others that it can hold too."""
    kinds = set(map(type, numbers))
    if dtype in _INTEGERS:
        return kinds == {int} and min(numbers) in _INTEGERS[dtype] and max(numbers) in _INTEGERS[dtype]
    return bool(kinds) and kinds <= {int, float} and max(numbers) < 1e38 and min(numbers) > -1e38


def _for_rows(value: Any, dtype: str, name: str) -> Any:
    """A number as it is; otherwise an array of the dtype with the same values."""
    if isinstance(value, (int, float)):
        return value
    return _core.in_default_fp_env(_read_for_rows, value, dtype, name)


def _read_for_rows(value: Any, dtype: str, name: str) -> Any:
    """What _for_rows() returns for all but plain numbers."""
    # Fast paths for common cases. _converted() would give the same several times more slowly.
    if type(value) is list and _is_held(value, dtype):
        return numpy.array(value, dtype)
    if isinstance(value, numpy.number) and value.dtype.kind in "iuf" and _is_held([value.item()], dtype):
        return value.item()
    # A tensor without dimensions may have a gradient, or a dtype that NumPy has not.
    if not isinstance(value, (numpy.ndarray, numpy.generic)) and getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()
    # Python's integers stay what they are: an array of small and large ones would become float64.
    try:
        given = numpy.asarray(value, None if hasattr(value, "__array__") else object)
    except (TypeError, RuntimeError) as cause:
        error = TypeError if isinstance(cause, TypeError) else ValueError
        raise error(
            f"{name} is {_core.text_of(value)}, of which NumPy makes no array: {cause}; expected numbers of the dtype {dtype}, "
            "without gradient (detach())"
        ) from cause
    if given.dtype.kind not in "biufO":
        raise TypeError(f"{name} has the dtype {given.dtype}; expected numbers of the dtype {dtype}")
    if given.dtype != dtype:
        given = _converted(given, dtype, name)
    return numpy.ascontiguousarray(given).reshape(given.shape) if given.ndim else given.item()


def _mask_words(mask: Any) -> Tuple[Any, Optional[Tuple[int, ...]]]:
    """Words of 32 bits from a mask of bool, and its shape; any other mask as it is, and None."""
    if mask is None:
        return None, None
    # "torch.bool"; "bool" of other libraries.
    if not isinstance(mask, numpy.ndarray) and str(getattr(mask, "dtype", "")).split(".")[-1] == "bool":
        mask = numpy.asarray(mask) if hasattr(mask, "__array__") else numpy.from_dlpack(mask)
    if not isinstance(mask, numpy.ndarray) or mask.dtype != bool:
        return mask, None
    if not mask.ndim:
        return mask, mask.shape
    padding = [(0, 0)] * (mask.ndim - 1) + [(0, -mask.shape[-1] % 32)]
    padded = numpy.pad(numpy.ascontiguousarray(mask), padding)
    return numpy.packbits(padded, axis=-1, bitorder="little").view("<i4"), mask.shape


def sample_tokens(
    logits: Tensor,
    samples: Optional[Int] = None,
    *,
    temperature: Any = 1.0,
    top_k: Any = 0,
    top_p: Any = 1.0,
    min_p: Any = 0.0,
    mask: Tensor = None,
    order: FilterOrder = "transformers",
    seed: Any = None,
    offset: Any = 0,
    uniforms: Tensor = None,
    logprobs: Optional[Literal["processed", "raw"]] = None,
    top_n: Int = 0,
    kept: Flag = False,
    dtype: DType = None,
    out: Tensor = None,
) -> Any:
    """Token ids from logits: the last step of a language model. The page token_sampler defines it.

    Temperature, top_k, top_p, min_p and offset are a number for all rows or an array of one for each row. Temperature, top_p and
    min_p are rounded to float32.

    logits: (classes,) or (batch, classes); float16, bfloat16 or float32; below infinity. Each row has an allowed class
        above -inf.
    samples: how many ids are drawn in each row: the result is (samples,) or (batch, samples). If it is None,
        one id is drawn in each row, and the result has the shape () or (batch,).
    temperature: 0 (the greatest logit), or from 2**-64 on.
    top_k: how many classes are kept at most; 0 keeps all.
    top_p: from 0 to 1: the shortest prefix with this mass is kept.
    min_p: from 0 to 1: classes of less than this share of the greatest probability are not kept.
    mask: which classes are allowed: bool of the logits' shape, or ceil(classes / 32) words of 32 bits for each row.
    order: "transformers", "vllm", "joint" or "temperature_last": in which order the filters are applied.
    seed: as for uniform(), or integers of the shape (batch, 2): a stream of its own for each row. Two integers are one pair for
        all rows, also if there are two rows.
    offset: the index in the stream of the first sample. From step to step it must grow by samples, with a pair of seeds for each row,
        or by batch * samples, with one pair: otherwise steps share numbers.
    uniforms: numbers from [0, 1] of the result's shape, float64, row-major, used instead of the stream. Then seed and offset
        are ignored.
    logprobs: log probabilities, of the distribution that is drawn from ("processed") or of the logits ("raw").
    top_n: from 0 to classes: how many of the most probable classes are returned, with log probabilities if `logprobs`
        asks for them. Those after the first `kept` ones cannot be drawn, and their "processed" numbers are no log probabilities.
    kept: whether the number of classes that could have been drawn is returned.
    dtype: int32 or int64, which is the default without out.
    out: the ids are written here; returned instead of a new array.

    Returns the ids, or Tokens if logprobs, top_n or kept are wanted.

    >>> logits = numpy.float32([[1, 4, 2, 0, 3], [0, 0, 7, 7, 1]])
    >>> tombola.sample_tokens(logits, temperature=0)
    array([1, 2])
    >>> tombola.sample_tokens(logits, 3, top_k=[1, 2], top_p=0.5, uniforms=numpy.full((2, 3), 0.7))
    array([[1, 1, 1],
           [2, 2, 2]])
    """
    pairs = any(hasattr(one, "__len__") for one in seed) if isinstance(seed, (list, tuple)) else getattr(seed, "ndim", 1) == 2
    if pairs:
        seed = _for_rows(seed, "uint64", "seed")
    result = _core.sample_tokens(
        logits,
        samples,
        _for_rows(temperature, "float32", "temperature"),
        _for_rows(top_k, "int32", "top_k"),
        _for_rows(top_p, "float32", "top_p"),
        _for_rows(min_p, "float32", "min_p"),
        *_mask_words(mask),
        order,
        seed,
        _for_rows(offset, "uint64", "offset"),
        uniforms,
        logprobs,
        top_n,
        kept,
        dtype,
        out,
    )
    return Tokens(*result) if logprobs is not None or top_n or kept else result[0]


def permutation(
    n: Int,
    size: Optional[Int] = None,
    dtype: DType = None,
    *,
    seed: Seed = None,
    offset: Int = 0,
    alignment: PermutationAlignment = "philox",
    out: Tensor = None,
) -> Tensor:
    """A random permutation of 0 ... n - 1, or a part of it: a sample without replacement. The page random_permutation
    defines both ways to draw it.

    n: from 0 to 2**63 - 1, the elements of the whole permutation; "pytorch": below 214748364; int32: at most 2**31.
    size: how many elements of the permutation; by default those from the offset on, or out's size.
    dtype: int32 or int64, which is the default without out.
    seed: as for uniform().
    offset: the index in the permutation of the result's first element, from 0 to n; offset + size is at most n.
    alignment: "philox" computes each element by itself, so the time for a part depends only on its size; "pytorch" is torch.randperm.
    out: of one dimension; written and returned instead of a new array.

    >>> whole = tombola.permutation(1000, seed=(150, 11))
    >>> shard = tombola.permutation(1000, 250, seed=(150, 11), offset=500)
    >>> numpy.array_equal(shard, whole[500:750]) and numpy.array_equal(numpy.sort(whole), numpy.arange(1000))
    True
    """
    if size is None and out is None:
        size = max(integer_of(n, "n") - integer_of(offset, "offset"), 0)
    return _core.permutation(n, size, dtype, seed, offset, alignment, out, None)


def dropout(
    src: Tensor,
    p: Float,
    *,
    seed: Seed = None,
    offset: Int = 0,
    draw_bits: Literal[32, 16, 8] = 32,
    mask: Tensor = None,
    packed: Flag = False,
    backward: Flag = False,
    out: Tensor = None,
) -> Tensor:
    """Drops elements with the probability p and multiplies the others, so that the mean stays. The page dropout defines it.

    The mask follows from the seed and the offset: backward needs no stored one, if seed and offset are the same.

    src: float16, bfloat16 or float32; backward: the gradient of the result.
    p: from 0 to 1, as float32. The others are multiplied by 1 / (1 - p), where p is rounded up as draw_bits says.
    seed, offset: as for uniform(); with draw_bits=32 an element is kept where uniform()'s float32 is at least p.
    draw_bits: the random bits that decide about an element; fewer are faster, and p is rounded up to a multiple of 2**-23,
        2**-16 or 2**-8.
    mask: written in forward direction, read in backward direction: 1 where an element is kept, uint8 or bool, of src's
        shape; other strides than src's (backward: out's) take a copy. By default there is none.
    packed: whether the mask has a bit for each element instead, the lowest first, in (elements + 7) // 8 bytes.
        Refused without a mask.
    backward: whether src is the gradient: its elements are dropped as forward dropped them. Without a mask, seed must be
        given, as forward's was.
    out: src's shape and dtype; may be src itself; written and returned instead of a new array.

    >>> mask = numpy.empty(8, bool)
    >>> y = tombola.dropout(numpy.ones(8, numpy.float32), 0.5, seed=1, mask=mask)
    >>> numpy.array_equal(y, 2 * mask), numpy.array_equal(mask, tombola.uniform(8, seed=1) >= 0.5)
    (True, True)
    """
    return _core.dropout(src, p, seed, offset, draw_bits, mask, packed, backward, out)


def stochastic_round(
    src: Tensor, dtype: DType = None, *, seed: Seed = None, offset: Int = 0, out: Tensor = None
) -> Tensor:
    """Rounds float32 to bfloat16 or float16, up or down at random, such that the expected value is the number itself. The
    page stochastic_rounding defines it.

    src: float32. A finite number stays finite; NaN and infinity stay what they are.
    dtype: bfloat16, which is the default without out, or float16.
    seed, offset: as for uniform(); an element takes 16 bits of the stream.
    out: src's shape; written and returned instead of a new array, which has src's order of dimensions in memory.

    >>> x = numpy.full(100_000, 1 + 2**-9, numpy.float32)  # a quarter of the way from 1 to the next bfloat16
    >>> y = numpy.asarray(tombola.stochastic_round(x, seed=1))
    >>> numpy.unique(y).tolist(), round(float((y > 1).mean()), 2)
    ([1.0, 1.0078125], 0.25)
    """
    return _core.stochastic_round(src, dtype, seed, offset, out)


def shuffle(src: Tensor, group_size: Int, axis: Int = 1, *, backward: Flag = False, out: Tensor = None) -> Tensor:
    """The channel shuffle of oneDNN: reshapes the axis of C elements to (C // group_size, group_size), transposes, flattens.

    So shuffle(x, C // g) and shuffle(x, g, backward=True) are torch.channel_shuffle(x, g).

    src: of 1 to 12 dimensions, elements of 1, 2, 4 or 8 bytes.
    group_size: at least 1, a divisor of the axis' size.
    axis: from -ndim to ndim - 1.
    backward: undoes the forward shuffle of the same group_size and axis.
    out: src's shape and dtype, any strides, sharing no memory with src; written and returned instead of a new array.

    >>> tombola.shuffle(numpy.arange(6), 3, axis=0)
    array([0, 3, 1, 4, 2, 5])
    """
    return _core.shuffle(src, group_size, axis, backward, out)
