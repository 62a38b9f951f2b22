# SPDX-License-Identifier: Apache-2.0
"""What the module is compared with: the definitions in Python's integers and NumPy's arithmetic."""
from fractions import Fraction

import numpy as np


def philox(words, key, counter=0):
    """Words of Philox 4x32-10 from (Salmon et al., 2011), as Python's integers."""
    result = []
    for block in range(-(-words // 4)):
        c = [(counter + block >> 32 * i) & 0xFFFFFFFF for i in range(4)]
        k = [key & 0xFFFFFFFF, key >> 32]
        for _ in range(10):
            p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [p1 >> 32 ^ c[1] ^ k[0], p1 & 0xFFFFFFFF, p0 >> 32 ^ c[3] ^ k[1], p0 & 0xFFFFFFFF]
            k = [k[0] + 0x9E3779B9 & 0xFFFFFFFF, k[1] + 0xBB67AE85 & 0xFFFFFFFF]
        result += c
    return np.array(result[:words], np.uint64)


def mt19937(words, seed):
    """Words of MT19937 after init_genrand(seed), by NumPy."""
    generator = np.random.RandomState(seed & 0xFFFFFFFF)
    return generator.randint(0, 2**32, words, dtype=np.uint64)


def bfloat16(numbers):
    """float32 numbers rounded to bfloat16, nearest even, as float32."""
    bits = numbers.astype(np.float32).view(np.uint32)
    return (bits + 0x7FFF + (bits >> 16 & 1) & 0xFFFF0000).astype(np.uint32).view(np.float32)


def tensorflow_uniform(count, dtype, low, high, seed):
    """As tf.random.uniform's kernel computes them; bfloat16 as float32."""
    width = 2 if dtype in ("float64", "int64") else 1
    words = philox(width * count, seed[0], seed[1] << 64)
    first, second = words[::width], words[width - 1 :: width]
    if dtype == "int32":
        return ((first % np.uint64(high - low)).astype(np.int64) + low).astype(np.int32)
    if dtype == "int64":
        return ((second << np.uint64(32) | first) % np.uint64(high - low)).astype(np.int64) + low
    if dtype == "float64":
        bits = np.uint64(0x3FF << 52) | (first & np.uint64(0xFFFFF)) << np.uint64(32) | second
        return (bits.view(np.float64) - 1) * (high - low) + low
    mantissa = {"float32": 23, "float16": 10, "bfloat16": 7}[dtype]
    unit = ((words & np.uint64(2**mantissa - 1)) * 2.0**-mantissa).astype(np.float32)
    kind = np.float16 if dtype == "float16" else np.float32
    rounded = bfloat16 if dtype == "bfloat16" else lambda x: x
    low, high = rounded(np.array(low, kind)), rounded(np.array(high, kind))
    return rounded(rounded(unit.astype(kind) * rounded(high - low)) + low)


def pytorch_unit(count, dtype, seed):
    """PyTorch's numbers from [0, 1)."""
    if dtype == "float64":
        words = mt19937(2 * count, seed)
        return ((words[::2] << np.uint64(32) | words[1::2]) & np.uint64(2**53 - 1)) * 2.0**-53
    digits = {"float32": 24, "float16": 11, "bfloat16": 8}[dtype]
    return ((mt19937(count, seed) & np.uint64(2**digits - 1)) * 2.0**-digits).astype(np.float32)


def multinomial(weights, uniforms, replacement=True):
    """The classes for one row of weights, in exact arithmetic, by the definition on the primitive's page."""
    w = [Fraction(float(x)) for x in weights]
    greatest = float(max(w))
    e = int(np.frexp(greatest)[1]) - 1
    levels = (len(w) - 1).bit_length()
    q = [max(1, int(x * Fraction(2) ** (61 - levels - e))) if x else 0 for x in w]
    classes = []
    for u in uniforms:
        threshold = max(1, -int(-Fraction(float(u)) * sum(q) // 1))
        total, k = 0, -1
        while total < threshold:
            k += 1
            total += q[k]
        classes.append(k)
        if not replacement:
            q[k] = 0
    return classes


def shuffled(x, group_size, axis):
    before, after = x.shape[:axis], x.shape[axis + 1 :]
    split = x.reshape(*before, x.shape[axis] // group_size, group_size, *after)
    return np.swapaxes(split, axis, axis + 1).reshape(x.shape)


def randperm(n, seed):
    """torch.randperm: the exchanges that MT19937's words ask for."""
    order = list(range(n))
    for i, word in enumerate(mt19937(max(n - 1, 0), seed).tolist()):
        j = i + word % (n - i)
        order[i], order[j] = order[j], order[i]
    return order


def feistel_permutation(n, seed):
    """The alignment philox of random_permutation, as its page defines it."""
    b = max(4, (n - 1).bit_length())
    left, right = b // 2, b - b // 2
    keys = philox(25, seed[0], seed[1] << 64).tolist()

    def scrambled(x, key, bits):
        h = (x ^ key) * 0x7FEB352D & 0xFFFFFFFF
        h = (h ^ h >> 15) * 0x846CA68B & 0xFFFFFFFF
        return h >> 32 - bits

    def step(v):
        upper, lower = v >> right, v & (1 << right) - 1
        for r in range(0, 24, 2):
            upper ^= scrambled(lower, keys[r], left)
            lower ^= scrambled(upper, keys[r + 1], right)
        v = upper << right | lower
        return v ^ (keys[24] & 1) if v < 2 else v

    order = []
    for i in range(n):
        i = step(i)
        while i >= n:
            i = step(i)
        order.append(i)
    return order


def draws(count, bits, seed, offset=0):
    """The draws of dropout and stochastic_rounding: parts of Philox's words, the low one first."""
    words = philox((offset + count) * bits // 32 + 4, seed[0], seed[1] << 64).astype(np.uint32)
    parts = words & 0x7FFFFF if bits == 32 else words.view({16: np.uint16, 8: np.uint8}[bits])
    return parts[offset : offset + count].astype(np.int64)


def dropout(x, p, bits, seed, offset=0):
    """(result, mask) for float32 numbers."""
    steps = 2.0 ** {32: 23, 16: 16, 8: 8}[bits]
    threshold = np.ceil(np.float64(np.float32(p)) * steps)
    mask = draws(x.size, bits, seed, offset).reshape(x.shape) >= threshold
    scale = np.float32(1) / np.float32(1 - threshold / steps) if threshold < steps else np.float32(0)
    return np.where(mask, x * scale, np.float32(0)), mask


def stochastic_bfloat16(x, seed):
    """The bits of finite float32 numbers of moderate size, rounded."""
    return (x.view(np.uint32).astype(np.int64) + draws(x.size, 16, seed).reshape(x.shape) >> 16).astype(np.uint16)
