# SPDX-License-Identifier: Apache-2.0
import numpy as np

import tombola


def test_published_examples():
    """The first example of RandomUniform-8 in OpenVINO's specification, and PyTorch's numbers for the seed 80."""
    numbers = tombola.uniform((3, 3), seed=(150, 10))
    expected = [[0.7011236, 0.30539632, 0.93931055], [0.9456035, 0.11694777, 0.50770056], [0.5197197, 0.22727466, 0.991374]]
    assert numbers.dtype == np.float32
    np.testing.assert_array_equal(numbers, np.array(expected, np.float32))
    integers = tombola.uniform((2, 3), "int32", 50, 100, seed=80, alignment="pytorch")
    np.testing.assert_array_equal(integers, [[77, 58, 62], [69, 60, 94]])


def test_pytorch_numbers_are_the_mersenne_twisters():
    """NumPy's MT19937, seeded as PyTorch seeds it."""
    for seed in (0, 1, 2024):
        words = np.random.RandomState(seed).randint(0, 2**32, 1000, dtype=np.uint64)
        expected = ((words & 0xFFFFFF) * 2.0**-24).astype(np.float32)
        np.testing.assert_array_equal(tombola.uniform(1000, seed=seed, alignment="pytorch"), expected)
