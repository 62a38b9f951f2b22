# SPDX-License-Identifier: Apache-2.0
"""The types that the functions' annotations name."""
from typing import Any, Literal, Sequence, SupportsFloat, SupportsIndex, Union

import numpy

Array = numpy.ndarray[Any, Any]
# NumPy's numbers are taken like Python's.
Int = SupportsIndex
Float = Union[SupportsFloat, SupportsIndex]
Flag = Union[bool, numpy.bool_]
Shape = Union[Int, Sequence[Int], Array, None]
# A name such as "float32", a numpy.dtype, a type of NumPy's, or a torch.dtype.
DType = Any
# A NumPy array, or a CPU tensor that DLPack exports.
Tensor = Any
Seed = Union[Int, Sequence[Int], Array, None]
Alignment = Literal["tensorflow", "pytorch"]
PermutationAlignment = Literal["philox", "pytorch"]
FilterOrder = Literal["transformers", "vllm", "joint", "temperature_last"]
IntDraws = Literal["spec", "torch1", "torch2"]
FloatDraws = Literal["torch1", "torch2"]
