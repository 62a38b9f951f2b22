# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import reference
import tombola

X = (np.arange(1, 1001).reshape(4, 250) / 8).astype(np.float32)


@pytest.mark.parametrize("bits", [32, 16, 8])
@pytest.mark.parametrize("p", [0, 0.1, 0.5, 1])
def test_definition(bits, p):
    expected, kept = reference.dropout(X, p, bits, (3, 4), offset=7)
    arguments = dict(seed=(3, 4), offset=7, draw_bits=bits)
    mask, packed = np.full(X.shape, 9, np.uint8), np.full(125, 255, np.uint8)
    for more in ({}, dict(mask=mask), dict(mask=packed, packed=True), dict(out=np.zeros((250, 4), np.float32).T)):
        y = tombola.dropout(X, p, **arguments, **more)
        np.testing.assert_array_equal(y, expected)
        assert more.get("out", y) is y
    np.testing.assert_array_equal(mask, kept)
    np.testing.assert_array_equal(np.unpackbits(packed, bitorder="little"), kept.ravel())
    for more in ({}, dict(mask=mask), dict(mask=mask.view(bool)), dict(mask=packed, packed=True)):
        np.testing.assert_array_equal(tombola.dropout(X, p, backward=True, **arguments, **more), expected)


def test_layouts_and_types():
    expected, kept = reference.dropout(X, 0.25, 32, (3, 4))
    turned = np.asfortranarray(X)
    mask = np.empty_like(turned, bool)
    y = tombola.dropout(turned, 0.25, seed=(3, 4), mask=mask)
    assert y.strides == turned.strides
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(mask, kept)
    half = tombola.dropout(X.astype(np.float16), 0.5, seed=(3, 4))
    assert half.dtype == np.float16
    np.testing.assert_array_equal(half, reference.dropout(X, 0.5, 32, (3, 4))[0].astype(np.float16))
    brain = tombola.BFloat16Array(np.full(100, 0x3F80, np.uint16))
    y = tombola.dropout(brain, 0.5, seed=(3, 4))
    np.testing.assert_array_equal(np.asarray(y), reference.dropout(np.ones(100, np.float32), 0.5, 32, (3, 4))[0])
    again = X.copy()
    assert tombola.dropout(again, 0.25, seed=(3, 4), out=again) is again  # in place
    np.testing.assert_array_equal(again, expected)
    assert tombola.dropout(np.float32([2]).reshape(()), 0.0).shape == ()


LAYOUTS = {
    "row-major": lambda dtype: np.zeros((4, 6), dtype),
    "transposed": lambda dtype: np.zeros((6, 4), dtype).T,
    "every second": lambda dtype: np.zeros((4, 12), dtype)[:, ::2],
    "a column": lambda dtype: np.zeros((4, 6, 3), dtype)[..., 1],
}


@pytest.mark.parametrize("of_mask", LAYOUTS)
@pytest.mark.parametrize("of_src", LAYOUTS)
def test_masks_of_any_strides(of_src, of_mask):
    src, expected_mask = LAYOUTS[of_src](np.float32), np.zeros((4, 6), bool)
    src[...] = np.arange(1, 25).reshape(4, 6)
    expected = tombola.dropout(np.ascontiguousarray(src), 0.5, seed=7, mask=expected_mask)
    for dtype in (bool, np.uint8):
        mask = LAYOUTS[of_mask](dtype)
        np.testing.assert_array_equal(tombola.dropout(src, 0.5, seed=7, mask=mask), expected)
        np.testing.assert_array_equal(mask, expected_mask)
        whole = mask if mask.base is None else mask.base
        assert np.count_nonzero(whole) == np.count_nonzero(expected_mask)  # nothing beside the view was written
        mask[...] *= np.array(5).astype(dtype)  # backward keeps every nonzero byte
        out = LAYOUTS[of_src](np.float32)
        np.testing.assert_array_equal(tombola.dropout(src, 0.5, mask=mask, backward=True, out=out), expected)
    in_place = src.copy(order="K")
    tombola.dropout(in_place, 0.5, seed=7, mask=LAYOUTS[of_mask](bool), out=in_place)
    np.testing.assert_array_equal(in_place, expected)


def test_a_mask_like_a_slice():
    S = np.ones((4, 6), np.float32)
    mask = np.empty_like(S[:, ::2], bool)
    y = tombola.dropout(S[:, ::2], 0.5, seed=1, mask=mask)
    np.testing.assert_array_equal(y, 2 * mask)
    np.testing.assert_array_equal(y, tombola.dropout(np.ones((4, 3), np.float32), 0.5, seed=1))
    # One mask for all rows.
    row = np.broadcast_to(np.array([True, False, True]), (4, 3))
    np.testing.assert_array_equal(tombola.dropout(S[:, ::2], 0.5, mask=row, backward=True), 2 * row)


def test_a_mask_of_other_strides_has_memory_of_its_own():
    buffer = np.full(64, 0.5, np.float32)
    src, out, before = buffer[:12:2], np.zeros(6, np.float32), buffer.tobytes()
    for mask in (buffer.view(bool)[:6], buffer.view(bool)[4:16:2], buffer.view(bool)[40:46]):
        with pytest.raises(ValueError, match="overlaps .* in memory; expected a buffer of its own$"):
            tombola.dropout(src, 0.5, seed=1, mask=mask, out=out)
        with pytest.raises(ValueError, match="overlaps .* in memory; expected a buffer of its own$"):
            tombola.dropout(out, 0.5, seed=1, mask=mask, out=src, backward=True)
    with pytest.raises(ValueError, match="^mask overlaps src in memory; expected a buffer of its own$"):
        tombola.dropout(src, 0.5, seed=1, mask=buffer.view(bool)[:6])
    assert buffer.tobytes() == before and not out.any()
    # Bytes between the elements are memory of its own.
    between = buffer.view(bool)[4:48:8]
    np.testing.assert_array_equal(tombola.dropout(src, 0.5, seed=1, mask=between), between * 1.0)


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        (dict(src=X.astype(np.float64)), TypeError, "src has the dtype float64; expected float32, float16 or bfloat16"),
        (dict(src=X[:, ::-1]), ValueError, "src has a negative stride"),
        (dict(p=1.5), ValueError, "^p is 1.5"),
        (dict(p=float("nan")), ValueError, "^p is"),
        (dict(p="half"), TypeError, "p is 'half'"),
        (dict(draw_bits=7), ValueError, "draw_bits is 7"),
        (dict(mask=np.zeros((4, 250), np.float32)), TypeError, "mask has the dtype float32; expected uint8 or bool"),
        (dict(mask=np.zeros((4, 251), np.uint8)), ValueError, r"mask has the shape \(4, 251\); expected \(4, 250\)"),
        (dict(mask=np.lib.stride_tricks.as_strided(np.zeros(250, np.uint8), (4, 250), (0, 1))), ValueError, "mask has the strides .* may share an address"),
        (dict(mask=np.zeros(124, np.uint8), packed=True), ValueError, r"mask has the shape \(124,\); expected \(125,\)"),
        (dict(mask=np.zeros(250, np.uint8)[::2], packed=True), ValueError, "mask has gaps"),
        (dict(packed=True), ValueError, "packed is True without a mask"),
        (dict(out=np.zeros((250, 4), np.float32)), ValueError, "out has the shape"),
        (dict(out=np.zeros((4, 250), np.float16)), TypeError, "out has the dtype float16; expected float32"),
        (dict(backward=True, seed=None), ValueError, "^seed is None, which draws a mask of its own; expected"),
    ],
)
def test_wrong_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        tombola.dropout(**{"src": X, "p": 0.5, "seed": 1, **arguments})
