# SPDX-License-Identifier: Apache-2.0
"""bfloat16, which NumPy does not have."""
from typing import Any, Optional, Tuple

import numpy

from tombola import _core
from tombola._types import Array


def _comparable(other: object) -> Any:
    """What NumPy can compare with. It leaves the comparison with a tensor to the tensor, which knows no BFloat16Array."""
    if isinstance(other, BFloat16Array):
        return numpy.asarray(other)
    if hasattr(other, "__dlpack__") and not isinstance(other, (numpy.ndarray, numpy.generic)):
        raise TypeError(
            f"a BFloat16Array is compared with {_core.text_of(other)}; expected numbers of NumPy, or a tensor on both sides"
        )
    return other


class BFloat16Array:
    """Numbers of the type bfloat16. torch.from_dlpack(x) makes a tensor of them without a copy.

    bits: the numbers' bits, an array of uint16, whose memory is this object's.

    >>> x = tombola.BFloat16Array(numpy.array([0x3F80, 0xC000], numpy.uint16))
    >>> numpy.asarray(x)
    array([ 1., -2.], dtype=float32)
    """

    bits: Array
    dtype = "bfloat16"

    def __init__(self, bits: Array):
        if not isinstance(bits, numpy.ndarray) or bits.dtype != numpy.uint16:
            raise TypeError(f"bits is {_core.text_of(bits)}; expected a NumPy array of uint16")
        self.bits = bits

    @property
    def shape(self) -> Tuple[int, ...]:
        return self.bits.shape

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        """The numbers as float32, which holds each of them exactly, or as another dtype."""
        if copy is False:
            raise ValueError("bfloat16 numbers become an array of NumPy by a copy only")
        numbers = numpy.left_shift(self.bits, numpy.uint32(16), dtype=numpy.uint32)
        numbers = numpy.asarray(numbers).view(numpy.float32)
        return numbers if dtype is None else numbers.astype(dtype)

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Optional[bool] = None
    ) -> Any:
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"dl_device is {dl_device!r}; expected None or the CPU, (1, 0)")
        return _core.export_bfloat16(self.bits.copy() if copy else self.bits)

    def __dlpack_device__(self) -> Tuple[int, int]:
        return (1, 0)

    def __len__(self) -> int:
        return len(self.bits)

    def __bool__(self) -> bool:
        if self.bits.size != 1:
            raise ValueError(f"the truth value of {self.bits.size} numbers is ambiguous; expected 1 number")
        return bool(numpy.asarray(self))

    def __eq__(self, other: object) -> Any:
        """Element by element, as NumPy compares: with another BFloat16Array, an array of NumPy, or a number."""
        return numpy.asarray(self) == _comparable(other)

    def __ne__(self, other: object) -> Any:
        return numpy.asarray(self) != _comparable(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"BFloat16Array({numpy.asarray(self)})"
