# SPDX-License-Identifier: Apache-2.0
"""Tensors that come and go by DLPack, and bfloat16, which NumPy does not have."""
import copy
import ctypes
import pickle

import numpy as np
import pytest

import tombola
from exporter import Exporter

X = np.arange(24, dtype=np.float32).reshape(2, 12)
LOGITS = np.zeros((2, 40), np.float32)


def test_orders_of_bytes_and_units_are_part_of_a_dtype():
    big = X.astype(">f4")
    np.testing.assert_array_equal(tombola.shuffle(big, 3), tombola.shuffle(X, 3))
    times = np.arange(24).reshape(2, 12).astype("M8[s]")
    for src, out in ((big, np.zeros_like(X)), (X, np.zeros_like(big)), (times, np.zeros((2, 12), "M8[ms]"))):
        with pytest.raises(TypeError, match="out has another dtype than src: out is .*; expected the same"):
            tombola.shuffle(src, 3, out=out)
        assert out.tobytes() == bytes(out.nbytes)
    out = np.zeros((2, 12), np.float32)
    with pytest.raises(TypeError, match="out has another dtype than src"):
        tombola.shuffle(big, 3, out=Exporter(out.__dlpack__, out.__dlpack_device__()))
    with pytest.raises(TypeError, match="mask has the dtype >i4, whose byte order is not the machine's; expected bool, int32"):
        tombola.sample_tokens(LOGITS, mask=np.ones((2, 2), ">i4"), seed=1)


def test_pinned_tensors_are_tensors_of_the_cpu():
    # PyTorch says 3 for a tensor that is pinned for CUDA, and 1 in its capsule.
    expected = tombola.shuffle(X, 3)
    for device in ((3, 0), (11, 0)):
        out = np.zeros_like(X)
        tombola.shuffle(Exporter(X.__dlpack__, device), 3, out=Exporter(out.__dlpack__, device))
        np.testing.assert_array_equal(out, expected)


def test_a_tensor_is_exported_once_per_call():
    exports = []

    def counted(array):
        return Exporter(lambda: exports.append(1) or array.__dlpack__())

    for tensors, call in (
        (1, lambda: tombola.uniform(out=counted(np.empty(9)), seed=1)),
        (1, lambda: tombola.uniform(9, "float64", out=counted(np.empty(9)), seed=1)),
        (1, lambda: tombola.shuffle(counted(X), 3)),
        (2, lambda: tombola.multinomial(counted(X + 1), 3, out=counted(np.empty((2, 3), np.int64)))),
        (2, lambda: tombola.sample_tokens(counted(LOGITS), out=counted(np.empty(2, np.int64)))),
    ):
        exports.clear()
        call()
        assert len(exports) == tensors


# -- bfloat16 ----------------------------------------------------------------------------------------------------


def test_bits_of_bfloat16():
    for wrong in ([1, 2], None, 3, np.zeros(3, np.int16), np.zeros(3, np.float32), np.zeros(3, ">u2")):
        with pytest.raises(TypeError, match="bits is .*; expected a NumPy array of uint16"):
            tombola.BFloat16Array(wrong)
        replaced = tombola.BFloat16Array(np.zeros(3, np.uint16))
        replaced.bits = wrong
        with pytest.raises(TypeError, match="src.bits is .*; expected a NumPy array of uint16"):
            tombola.dropout(replaced, 0.5, seed=1)
    records = np.zeros(4, np.dtype([("a", np.uint8), ("b", np.uint16)]))
    for view in (records["b"], records["b"][1:]):
        brain = tombola.BFloat16Array(view)
        with pytest.raises(ValueError, match="^src "):
            tombola.dropout(brain, 0.5, seed=1)
        with pytest.raises(ValueError, match="^out "):
            tombola.uniform(out=brain, seed=1)
        with pytest.raises(BufferError, match="stride of"):
            brain.__dlpack__()
    assert not records["b"].any()


def test_read_only_bits_are_not_written():
    bits = np.frombuffer(bytes(6), np.uint16)
    brain = tombola.BFloat16Array(bits)
    with pytest.raises(ValueError, match="out is read-only"):
        tombola.uniform(out=brain, seed=1)
    with pytest.raises(BufferError, match="read-only"):
        brain.__dlpack__()
    assert not bits.any()
    assert tombola.dropout(brain, 0.5, seed=1).shape == (3,)


def test_one_bfloat16():
    one = tombola.uniform((), "bfloat16", seed=(150, 10))
    assert one.shape == () and np.asarray(one).shape == () and repr(one).startswith("BFloat16Array(0.")
    assert np.asarray(one) == np.asarray(tombola.uniform(1, "bfloat16", seed=(150, 10)))[0]


def test_bfloat16_is_compared_by_its_numbers():
    one, same = (tombola.uniform(5, "bfloat16", seed=1) for _ in range(2))
    zeros = tombola.BFloat16Array(np.array([0x0000, 0x8000], np.uint16))
    assert (one == same).all() and not (one != same).any()
    assert (zeros == 0).all() and (0 == zeros).all() and (zeros != np.float32([0, 1])).tolist() == [False, True]
    for several in (one, tombola.BFloat16Array(np.zeros(0, np.uint16))):
        with pytest.raises(ValueError, match="ambiguous"):
            bool(several)
    assert bool(tombola.BFloat16Array(np.array([0x3F80], np.uint16)))
    with pytest.raises(TypeError, match="is compared with .*; expected numbers of NumPy"):
        one == Exporter(one.__dlpack__)
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


def test_what_the_exporter_refuses_names_the_argument():
    def refuse():
        raise BufferError("no export today")

    with pytest.raises(ValueError, match="^src cannot be exported by DLPack: no export today; expected") as info:
        tombola.shuffle(Exporter(refuse), 3)
    assert isinstance(info.value.__cause__, BufferError)


def test_export_of_bfloat16():
    brain = tombola.BFloat16Array(np.zeros(3, np.uint16))
    with pytest.raises(BufferError, match=r"dl_device is \(2, 0\)"):
        brain.__dlpack__(dl_device=(2, 0))
    tombola.normal(out=Exporter(lambda: brain.__dlpack__(copy=True)), seed=1)
    assert not brain.bits.any()
    tombola.normal(out=Exporter(lambda: brain.__dlpack__(copy=False, dl_device=(1, 0), max_version=(1, 0))), seed=1)
    assert brain.bits.all()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(brain)).bits, brain.bits)
    np.testing.assert_array_equal(copy.deepcopy(brain).bits, brain.bits)


# -- DLPack ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", [None, (), ("a", 0), 1, (2**70, 0)])
def test_devices_that_are_none(device):
    with pytest.raises(TypeError, match=r"src.__dlpack_device__\(\) returned .*; expected two integers"):
        tombola.shuffle(Exporter(X.__dlpack__, device), 3)


def test_capsules_that_are_none():
    used = X.__dlpack__()
    assert tombola.shuffle(Exporter(used), 3).shape == X.shape
    for capsule in (None, "x", used):
        with pytest.raises(TypeError, match=r"src.__dlpack__\(\) returned .*; expected a capsule of the name dltensor"):
            tombola.shuffle(Exporter(capsule), 3)


@pytest.mark.parametrize("dtype", ["int8", "int16", "uint16", "int32", "float64", "complex64"])
def test_every_dtype_is_shuffled_by_dlpack(dtype):
    x = np.arange(24).reshape(2, 12).astype(dtype)
    y = tombola.shuffle(Exporter(x.__dlpack__), 3)
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(y, tombola.shuffle(x, 3))
    turned = tombola.shuffle(Exporter(x.T.__dlpack__), 3, 0)
    assert turned.strides == x.T.strides
    np.testing.assert_array_equal(turned, y.T)


def changed(array, offset, kind, value):
    """A capsule of the array, with another value in a field of DLPack's structure."""
    capsule = array.__dlpack__()
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    kind.from_address(pointer_of(capsule, b"dltensor") + offset).value = value
    return capsule


@pytest.mark.parametrize(
    "offset, kind, value, error, message",
    [
        (8, ctypes.c_int32, 2, TypeError, r"src is on a device of DLPack's kind 2; its __dlpack_device__\(\) says 1"),
        (16, ctypes.c_int32, -1, ValueError, "src has the shape"),
        (22, ctypes.c_uint16, 2, TypeError, "src has the dtype"),  # vectors of two numbers
        (24, ctypes.c_void_p, None, ValueError, "src has 2 dimensions and no shape; expected one"),
        (0, ctypes.c_void_p, None, ValueError, "src has elements at a null address"),
    ],
)
def test_tensors_that_are_none(offset, kind, value, error, message):
    with pytest.raises(error, match=message):
        tombola.shuffle(Exporter(lambda: changed(X, offset, kind, value)), 3)


def test_the_data_may_begin_behind_its_address():
    x = np.arange(36, dtype=np.float32).reshape(3, 12)
    second_row = 12 * 4  # bytes
    y = tombola.shuffle(Exporter(lambda: changed(x[:2], 40, ctypes.c_uint64, second_row)), 3)
    np.testing.assert_array_equal(y, tombola.shuffle(x[1:], 3))
    out = np.zeros_like(x)
    tombola.shuffle(X, 3, out=Exporter(lambda: changed(out[:2], 40, ctypes.c_uint64, second_row)))
    assert not out[0].any()
    np.testing.assert_array_equal(out[1:], tombola.shuffle(X, 3))


def test_strides_of_no_elements_may_be_anything():
    strides = (ctypes.c_int64 * 2)(-5, -1)
    x = np.zeros((0, 12), np.float32)
    src = Exporter(lambda: changed(x, 32, ctypes.c_void_p, ctypes.addressof(strides)))
    assert tombola.shuffle(src, 3).shape == (0, 12)


def called(array, code, bits):
    """A capsule of the array, whose elements have another type by DLPack."""
    return changed(array, 20, ctypes.c_uint16, code | bits << 8)  # behind the address, the device and ndim


def test_types_of_dlpack_that_numpy_does_not_have():
    x = np.zeros((2, 12), np.uint8)
    for code in (3, 10):  # a handle, a float8
        for out in (None, Exporter(lambda: called(np.ones_like(x), code, 8))):
            with pytest.raises(TypeError, match=f"src has the dtype of 8 bits of DLPack's type {code}; expected booleans"):
                tombola.shuffle(Exporter(lambda: called(x, code, 8)), 3, out=out)
    x = np.arange(24, dtype=np.uint32).reshape(2, 12)
    with pytest.raises(TypeError, match="src has elements of the kind c4, which NumPy does not have; expected out with"):
        tombola.shuffle(Exporter(lambda: called(x, 5, 32)), 3)
    out = np.zeros_like(x)
    tombola.shuffle(Exporter(lambda: called(x, 5, 32)), 3, out=Exporter(lambda: called(out, 5, 32)))
    np.testing.assert_array_equal(out, tombola.shuffle(x, 3))


def test_bfloat16_is_shuffled_from_and_to_every_kind_of_tensor():
    bits = np.arange(24, dtype=np.uint16).reshape(2, 12)
    brain, expected = tombola.BFloat16Array(bits), tombola.shuffle(bits, 3)
    for src in (brain, Exporter(brain.__dlpack__)):
        result = tombola.shuffle(src, 3)
        assert isinstance(result, tombola.BFloat16Array)
        np.testing.assert_array_equal(result.bits, expected)
        out = tombola.BFloat16Array(np.zeros_like(bits))
        assert tombola.shuffle(src, 3, out=out) is out
        np.testing.assert_array_equal(out.bits, expected)
        out = np.zeros_like(bits)
        tombola.shuffle(src, 3, out=Exporter(tombola.BFloat16Array(out).__dlpack__))
        np.testing.assert_array_equal(out, expected)
        with pytest.raises(TypeError, match="out has another dtype than src"):
            tombola.shuffle(src, 3, out=np.zeros((2, 12), np.float16))


# -- classes derived from arrays ---------------------------------------------------------------------------------
