# SPDX-License-Identifier: Apache-2.0
"""The types that the functions' annotations name."""
from typing import Any, Literal, Optional, Sequence, Tuple, Union

Shape = Union[int, Sequence[int], None]
# A name such as "float32", a numpy.dtype, a type of NumPy's, or a torch.dtype.
DType = Any
# A NumPy array, or a CPU tensor that DLPack exports.
Tensor = Any
Seed = Optional[Union[int, Tuple[int, int]]]
Alignment = Literal["tensorflow", "pytorch"]
PermutationAlignment = Literal["philox", "pytorch"]
FilterOrder = Literal["transformers", "vllm", "joint", "temperature_last"]
IntDraws = Literal["spec", "torch1", "torch2"]
FloatDraws = Literal["torch1", "torch2"]
