# SPDX-License-Identifier: Apache-2.0
"""At temperature 1 the draw is multinomial's over the logits with -inf outside the kept set, which is computed here."""
import re

import numpy as np
import pytest

import tombola

LOGITS = (np.random.RandomState(2).standard_normal((6, 203)) * 2).astype(np.float32)
SEED = (11, 12)


def kept_classes(row, top_k=0, top_p=1.0, min_p=0.0, order="transformers"):
    """The definition in float64; no sum of these logits is near a border."""
    p = np.exp(row.astype(np.float64) - row.max())
    p /= p.sum()
    by_rank = np.argsort(-row, kind="stable")
    sizes = {
        "k": lambda ranked: top_k or len(row),
        "p": lambda ranked: int(np.searchsorted(np.cumsum(p[ranked]) / p[ranked].sum(), top_p)) + 1,
        "m": lambda ranked: int((p >= min_p * p.max()).sum()),
    }
    if order == "joint":
        return by_rank[: min(size(by_rank) for size in sizes.values())]
    for step in "mkp" if order == "vllm" else "kpm":
        by_rank = by_rank[: sizes[step](by_rank)]
    return by_rank


FILTERS = [
    {},
    dict(top_k=5),
    dict(top_p=0.8),
    dict(min_p=0.1),
    dict(top_k=20, top_p=0.6),
    dict(top_k=9, top_p=0.9, min_p=0.2),
    dict(top_k=30, top_p=0.95, min_p=0.01),
]


@pytest.mark.parametrize("order", ["transformers", "vllm", "joint", "temperature_last"])
@pytest.mark.parametrize("filters", FILTERS)
def test_filters(order, filters):
    classes = [kept_classes(row, order=order, **filters) for row in LOGITS]
    only = np.full_like(LOGITS, -np.inf)
    for row, inside in enumerate(classes):
        only[row, inside] = LOGITS[row, inside]
    expected = tombola.multinomial(only, 40, log_probs=True, seed=SEED)
    tokens = tombola.sample_tokens(LOGITS, 40, order=order, seed=SEED, logprobs="processed", kept=True, **filters)
    np.testing.assert_array_equal(tokens.ids, expected)
    np.testing.assert_array_equal(tokens.kept, [len(inside) for inside in classes])
    x = only.astype(np.float64)
    log_p = x - x.max(1, keepdims=True) - np.log(np.exp(x - x.max(1, keepdims=True)).sum(1, keepdims=True))
    np.testing.assert_allclose(tokens.logprobs, np.take_along_axis(log_p, expected, 1), rtol=1e-5, atol=1e-6)
    assert tokens.logprobs.dtype == np.float32 and tokens.kept.dtype == np.int32 and tokens.top_ids is None


def test_top_ids_and_raw_logprobs():
    tokens = tombola.sample_tokens(LOGITS, 2, temperature=0.5, top_k=3, seed=SEED, logprobs="raw", top_n=4)
    ranked = np.argsort(-LOGITS, axis=1, kind="stable")[:, :4]
    np.testing.assert_array_equal(tokens.top_ids, ranked)
    x = LOGITS.astype(np.float64)
    log_p = x - np.log(np.exp(x).sum(1, keepdims=True))
    np.testing.assert_allclose(tokens.top_logprobs, np.take_along_axis(log_p, ranked, 1), rtol=1e-5)
    np.testing.assert_allclose(tokens.logprobs, np.take_along_axis(log_p, tokens.ids, 1), rtol=1e-5)
    assert tombola.sample_tokens(LOGITS, top_n=4).top_logprobs is None


def test_shapes_and_types():
    greedy = LOGITS.argmax(1)
    for logits in (LOGITS, LOGITS.astype(np.float16).astype(np.float32), np.asfortranarray(LOGITS)):
        np.testing.assert_array_equal(tombola.sample_tokens(logits, temperature=0), greedy)
    assert tombola.sample_tokens(LOGITS[0], temperature=0) == greedy[0]
    assert tombola.sample_tokens(LOGITS[0], temperature=0).shape == ()
    assert tombola.sample_tokens(LOGITS[0], 3, seed=1).shape == (3,)
    bits = (LOGITS.view(np.uint32) >> 16).astype(np.uint16)
    brain = tombola.BFloat16Array(bits)
    np.testing.assert_array_equal(
        tombola.sample_tokens(brain, 5, seed=SEED), tombola.sample_tokens(np.asarray(brain), 5, seed=SEED)
    )
    for out in (np.zeros(6, np.int32), np.zeros((6, 2), np.int64)[:, 1]):
        assert tombola.sample_tokens(LOGITS, temperature=0, out=out) is out
        np.testing.assert_array_equal(out, greedy)
    # The tokens of one row alone are rank-0 or rank-1 like it.
    tokens = tombola.sample_tokens(LOGITS[0], logprobs="raw", top_n=2, kept=True)
    assert [x.shape for x in tokens] == [(), (), (), (2,), (2,)]


def test_numbers_for_each_row():
    arguments = dict(
        temperature=np.array([0.5, 1, 2, 0, 1, 0.7]),
        top_k=[5, 0, 100, 3, 1, 50],
        top_p=np.float32([1, 0.9, 0.5, 1, 1, 0.3]),
        min_p=(0, 0.1, 0, 0, 0, 0.05),
        offset=[0, 5, 2**40, 7, 8, 9],
    )
    pairs = np.array([[i + 1, 2**63 + i] for i in range(6)], np.uint64)
    for seed in (pairs, pairs.tolist(), pairs.astype(object), np.asfortranarray(pairs)):
        together = tombola.sample_tokens(LOGITS, 8, seed=seed, **arguments)
        for row in range(6):
            mine = {name: values[row] for name, values in arguments.items()}
            alone = tombola.sample_tokens(LOGITS[row], 8, seed=tuple(pairs[row].tolist()), **mine)
            np.testing.assert_array_equal(together[row], alone)


def test_seeds_for_each_row_of_every_integer_type():
    pairs = np.arange(12).reshape(6, 2) + 1
    expected = tombola.sample_tokens(LOGITS, 8, seed=pairs.astype(np.uint64))
    for dtype in (np.int64, np.uint32, np.int32, np.uint8):
        np.testing.assert_array_equal(tombola.sample_tokens(LOGITS, 8, seed=pairs.astype(dtype)), expected)
    for row, pair in enumerate(pairs):
        np.testing.assert_array_equal(tombola.sample_tokens(LOGITS[row], 8, seed=pair), expected[row])


def test_masks():
    allowed = np.random.RandomState(3).rand(6, 203) < 0.2
    words = np.zeros((6, 7), np.int64)
    for row, k in zip(*allowed.nonzero()):
        words[row, k // 32] |= 1 << k % 32
    words = words.astype(np.uint32)
    only = np.where(allowed, LOGITS, -np.inf).astype(np.float32)
    expected = tombola.sample_tokens(only, 30, top_k=10, seed=SEED)
    hidden = np.where(allowed, LOGITS, np.nan).astype(np.float32)
    for mask in (allowed, words, words.view(np.int32), np.asfortranarray(allowed)):
        np.testing.assert_array_equal(tombola.sample_tokens(hidden, 30, top_k=10, seed=SEED, mask=mask), expected)
    one = tombola.sample_tokens(hidden[0], 30, top_k=10, seed=SEED, mask=allowed[0])
    np.testing.assert_array_equal(one, expected[0])


def test_uniforms():
    u = np.random.RandomState(4).rand(6, 30)
    np.testing.assert_array_equal(
        tombola.sample_tokens(LOGITS, 30, uniforms=u), tombola.multinomial(LOGITS, 30, log_probs=True, uniforms=u)
    )
    np.testing.assert_array_equal(
        tombola.sample_tokens(LOGITS, uniforms=u[:, 0].copy()), tombola.sample_tokens(LOGITS, 1, uniforms=u[:, :1].copy())[:, 0]
    )


BAD = LOGITS.copy()
BAD[2, 3] = np.nan


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        (dict(logits=[1.0]), TypeError, "logits is"),
        (dict(logits=LOGITS[None]), ValueError, "logits has 3 dimensions"),
        (dict(logits=LOGITS[:, ::-1]), ValueError, "logits has a negative stride"),
        (dict(logits=LOGITS.astype(np.float64)), TypeError, "logits has the dtype float64"),
        (dict(logits=BAD), ValueError, "nan"),
        (dict(samples=-1), ValueError, "samples is -1"),
        (dict(temperature=-1), ValueError, "^temperature is -1"),
        (dict(temperature="hot"), TypeError, "^temperature is 'hot'; expected a number$"),
        (dict(temperature=None), TypeError, "^temperature is None; expected a number$"),
        (dict(temperature=["hot"] * 6), TypeError, r"^temperature\[0\] is 'hot'; expected a number$"),
        (dict(temperature=[1, 1, 1, 1e39, 1, 1]), ValueError, r"^temperature\[3\] is 1e\+39; expected a number that float32 can hold$"),
        (dict(temperature=np.full(6, -1e39)), ValueError, r"^temperature\[0\] is -1e\+39; expected a number that float32 can hold$"),
        (dict(temperature=np.full(6, np.inf)), ValueError, "^temperature: row 0: inf"),
        (dict(offset=[0, 0, -1, 2, 0, 0]), ValueError, r"^offset\[2\] is -1; expected an integer that uint64 can hold$"),
        (dict(top_k=None), TypeError, "^top_k is None; expected an integer$"),
        (dict(top_k=np.full(6, 1.0)), TypeError, r"^top_k\[0\] is 1.0; expected an integer$"),
        (dict(temperature=[1, 2]), ValueError, "temperature is .*; expected a number, or 6 numbers of the dtype float32"),
        (dict(top_k=-1), ValueError, "^top_k is -1"),
        (dict(top_k=[1, 2, 3, 4, 5, 6.5]), TypeError, r"^top_k\[5\] is 6.5; expected an integer$"),
        (dict(top_k=2.5), TypeError, "top_k is 2.5"),
        (dict(top_k=[1] * 5 + [2**40]), ValueError, r"^top_k\[5\] is 1099511627776; expected an integer that int32 can hold$"),
        (dict(top_k=np.array([2**40] * 6)), ValueError, r"top_k\[0\] is 1099511627776; expected an integer that int32"),
        (dict(top_p=1.5), ValueError, "^top_p is 1.5"),
        (dict(min_p=float("nan")), ValueError, "^min_p is nan"),
        (dict(order="llama"), ValueError, "order is 'llama'; expected \"transformers\""),
        (dict(logprobs="all"), ValueError, "logprobs is 'all'; expected None, \"processed\" or \"raw\""),
        (dict(top_n=-1), ValueError, "top_n"),
        (dict(seed=np.zeros((5, 2), np.uint64)), ValueError, "expected 6 pairs"),
        (dict(seed=[1, 2, 3, 4, 5, 6]), TypeError, "expected None, an integer, two integers, or two integers for each row$"),
        (dict(seed=np.full((6, 2), -1)), ValueError, r"^seed\[0, 0\] is -1; expected an integer that uint64 can hold$"),
        (dict(seed=np.ones((6, 2))), TypeError, r"^seed\[0, 0\] is 1.0; expected an integer$"),
        (dict(mask=np.ones((6, 6), np.int32)), ValueError, r"mask is .*; expected words of 32 bits of the shape \(6, 7\), or bool of the logits' shape, \(6, 203\)"),
        (dict(mask=np.ones((6, 7), np.float32)), TypeError, "mask has the dtype float32"),
        (dict(mask=np.zeros((6, 203), bool)), ValueError, "^mask: row 0: none of"),
        (dict(uniforms=np.full((6, 2), 1.5)), ValueError, "1.5"),
        (dict(uniforms=np.full((6, 3), 0.5)), ValueError, r"uniforms has the shape \(6, 3\); expected \(6, 2\)"),
        (dict(uniforms=np.full((2, 6), 0.5).T), ValueError, r"uniforms has the strides \(8, 48\) in bytes; .*ascontiguous"),
        (dict(mask=np.ones((7, 6), np.int32).T), ValueError, r"mask has the strides \(4, 24\) in bytes; .*ascontiguous"),
        (dict(dtype="float32"), TypeError, "dtype is float32"),
        (dict(out=np.zeros(6, np.int64)), ValueError, "out has the shape"),
    ],
)
def test_wrong_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        tombola.sample_tokens(**{"logits": LOGITS, "samples": 2, "seed": 1, **arguments})


def test_masks_of_other_shapes():
    """The words of a mask of 193 to 224 classes are as many as those of 203."""
    for shape in ((6, 202), (6, 204), (6, 224), (5, 203), (203,), (6, 203, 1), (0, 203)):
        with pytest.raises(ValueError, match=re.escape(f"mask has the shape {shape}; expected the logits' shape, (6, 203)")):
            tombola.sample_tokens(LOGITS, mask=np.ones(shape, bool), seed=SEED)
    with pytest.raises(ValueError, match=r"mask has the shape \(1, 203\); expected the logits' shape, \(203,\)"):
        tombola.sample_tokens(LOGITS[0], mask=np.ones((1, 203), bool), seed=SEED)


class Mask:
    """A mask of bool as another library than PyTorch has it: its type is "bool"."""

    def __init__(self, values):
        self.values, self.dtype = values, "bool"

    def __array__(self, *args, **kwargs):
        return self.values


def test_a_mask_of_bool_of_another_library():
    logits = np.zeros((3, 40), np.float32)
    mask = np.random.default_rng(1).random((3, 40)) < 0.5
    np.testing.assert_array_equal(
        tombola.sample_tokens(logits, 9, seed=1, mask=Mask(mask)), tombola.sample_tokens(logits, 9, seed=1, mask=mask)
    )


def test_errors_of_numpy_do_not_matter():
    logits = np.zeros((2, 40), np.float32)
    expected = tombola.sample_tokens(logits, temperature=[0.5, 1], min_p=[0.1, 0], seed=1)
    with np.errstate(all="raise"):
        given = tombola.sample_tokens(logits, temperature=np.array([0.5, 1]), min_p=np.array([0.1, 1e-50]), seed=1)
    np.testing.assert_array_equal(given, expected)
