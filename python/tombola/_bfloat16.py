# SPDX-License-Identifier: Apache-2.0
import numpy


class BFloat16Array:
    """Numbers of the type bfloat16, which NumPy does not have. `torch.from_dlpack(x)` makes a tensor of it without a copy.

    bits: the numbers' bits, an array of uint16; its memory is this object's.
    """

    def __init__(self, bits):
        self.bits = bits

    shape = property(lambda self: self.bits.shape)
    dtype = "bfloat16"

    def __array__(self, dtype=None, copy=None):
        """The numbers as float32, which holds each of them exactly."""
        numbers = (self.bits.astype(numpy.uint32) << 16).view(numpy.float32)
        return numbers if dtype is None else numbers.astype(dtype)

    def __repr__(self):
        return f"BFloat16Array({numpy.asarray(self)})"
