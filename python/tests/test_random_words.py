# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import reference
import tombola

# Random123's kat_vectors for philox4x32, 10 rounds.
KNOWN = [
    (0, 0, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    (2**128 - 1, 2**64 - 1, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (0x0370734413198A2E85A308D3243F6A88, 0x299F31D0A4093822, [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]),
]


@pytest.mark.parametrize("counter, key, words", KNOWN)
def test_known_answers(counter, key, words):
    np.testing.assert_array_equal(tombola.random_words(4, counter=counter, key=key), np.array(words, np.uint32))
    as_words = [counter >> 32 * i & 0xFFFFFFFF for i in range(4)]
    key_words = (key & 0xFFFFFFFF, key >> 32)
    np.testing.assert_array_equal(tombola.random_words(4, counter=as_words, key=key_words), np.array(words, np.uint32))


def test_long_stream():
    counter = 2**128 - 7  # the counter wraps
    expected = reference.philox(1001, 99, counter)[:1001]
    numbers = tombola.random_words((7, 143), key=99, counter=counter)
    assert numbers.dtype == np.uint32 and numbers.shape == (7, 143)
    np.testing.assert_array_equal(numbers.ravel()[:28], expected[:28])
    np.testing.assert_array_equal(numbers.ravel()[28:], reference.philox(973, 99))
    out = np.zeros((143, 7), np.uint32).T
    assert tombola.random_words(key=99, counter=counter, out=out) is out
    np.testing.assert_array_equal(out, numbers)


def test_wrong_arguments():
    for arguments, error, message in (
        (dict(key=2**64), ValueError, "key is 18446744073709551616"),
        (dict(key=-1), ValueError, "key is -1"),
        (dict(key=(1, 2, 3)), ValueError, r"key is \(1, 2, 3\); expected .* or 2 words"),
        (dict(counter="abcd"), TypeError, "counter is 'abcd'"),
        (dict(out=np.zeros(3, np.int32)), TypeError, "out has the dtype int32; expected uint32"),
    ):
        with pytest.raises(error, match=message):
            tombola.random_words(3, **arguments)
