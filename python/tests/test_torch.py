# SPDX-License-Identifier: Apache-2.0
"""PyTorch's tensors by DLPack, and its numbers."""
import numpy as np
import pytest

import tombola
from oracles import import_torch

torch = import_torch()

# Without AVX2 (an old processor, or no /proc from which PyTorch could learn about a new one) PyTorch runs other code, which rounds
# otherwise, and so gives other numbers itself.
CAPABILITY = [line.split(": ")[1] for line in torch.__config__.show().split("\n") if "CPU capability usage" in line]
vectorised = pytest.mark.skipif(
    bool(CAPABILITY) and "AVX2" not in CAPABILITY[0] and "AVX512" not in CAPABILITY[0],
    reason=f"PyTorch runs its code for {CAPABILITY[:1]}, not for AVX2",
)

FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


def equal(a, b):
    return a.dtype == b.dtype and torch.equal(a, b)


@vectorised
@pytest.mark.parametrize("dtype", FLOATS)
def test_uniform_into_a_tensor(dtype):
    for low, high in ((0, 1), (-3, 7)):
        out = torch.zeros(4, 5, dtype=dtype)
        assert tombola.uniform(low=low, high=high, seed=77, alignment="pytorch", out=out) is out
        torch.manual_seed(77)
        assert equal(out, torch.zeros(4, 5, dtype=dtype).uniform_(low, high))
    strided = torch.zeros(5, 4, 2, dtype=dtype)[..., 0].t()
    tombola.uniform(low=low, high=high, seed=77, alignment="pytorch", out=strided)
    assert equal(strided.contiguous(), out)


@pytest.mark.parametrize("dtype, low", [(torch.float16, 1 + 2**-11 + 2**-30), (torch.bfloat16, 1 + 2**-8 + 2**-40)])
def test_bounds_and_moments_are_rounded_by_way_of_float32(dtype, low):
    """Rounded once, they would be the next numbers of the dtype."""
    torch.manual_seed(1)
    expected = [torch.zeros(1000, dtype=dtype).uniform_(low, 2), torch.zeros(1000, dtype=dtype).normal_(low, 0)]
    assert equal(tombola.uniform(low=low, high=2, seed=1, alignment="pytorch", out=torch.zeros(1000, dtype=dtype)), expected[0])
    assert equal(tombola.normal(mean=low, std=0, seed=1, alignment="pytorch", out=torch.zeros(1000, dtype=dtype)), expected[1])


@pytest.mark.parametrize("dtype", FLOATS)
def test_result_to_torch(dtype):
    numbers = torch.from_dlpack(tombola.uniform((3, 7), dtype, seed=5, alignment="pytorch"))
    torch.manual_seed(5)
    assert equal(numbers, torch.rand(3, 7, dtype=dtype))


def test_exported_memory_stays_alive():
    numbers = torch.from_dlpack(tombola.uniform(1000, "bfloat16", seed=5))
    again = torch.from_dlpack(tombola.uniform(1000, "bfloat16", seed=5))
    del again
    assert equal(numbers, torch.from_dlpack(tombola.uniform(1000, "bfloat16", seed=5)))


def test_generator_continues_pytorchs_and_back():
    torch.manual_seed(3)
    torch.rand(1000)
    g = tombola.Generator.from_torch(torch.get_rng_state())
    assert g.seed == (torch.initial_seed(), 1) == (3, 1)
    mine = torch.from_dlpack(g.uniform(500))
    torch.set_rng_state(g.to_torch(torch.get_rng_state()))
    then = torch.rand(10)
    torch.manual_seed(3)
    torch.rand(1000)
    assert equal(mine, torch.rand(500)) and equal(then, torch.rand(10))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.bfloat16, torch.float32, torch.int64])
def test_channel_shuffle(dtype):
    x = torch.arange(2 * 12 * 9).reshape(2, 12, 3, 3).to(dtype)
    expected = x.reshape(2, 3, 4, 3, 3).transpose(1, 2).reshape(2, 12, 3, 3)  # channel_shuffle(x, groups=3)
    for source in (x, x.contiguous(memory_format=torch.channels_last)):
        out = torch.zeros_like(source)
        assert tombola.shuffle(source, 4, out=out) is out
        assert equal(out, expected)


# In float64 the C library's rounding decides, in float16 PyTorch's version: doc/random_normal.md.
@vectorised
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_normal(dtype):
    for count in (1, 5, 15, 16, 17, 100, 1000):
        torch.manual_seed(4)
        expected, then = torch.zeros(count, dtype=dtype).normal_(0.25, 2), torch.randn(3)
        g = tombola.Generator(seed=4)
        assert equal(g.normal(mean=0.25, std=2, out=torch.zeros(count, dtype=dtype)), expected)
        assert equal(torch.from_dlpack(g.normal(3)), then)


@pytest.mark.skipif(torch.backends.mkl.is_available(), reason="a PyTorch with MKL draws these numbers from another stream")
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_exponential_and_bernoulli(dtype):
    torch.manual_seed(4)
    expected = [torch.zeros(200, dtype=dtype).exponential_(3)]
    p = torch.rand(200)
    expected += [torch.zeros(200).bernoulli_(0.3), torch.zeros(200).bernoulli_(p), torch.zeros(200).bernoulli_(p.double())]
    g = tombola.Generator(seed=4)
    assert equal(g.exponential(rate=3, out=torch.zeros(200, dtype=dtype)), expected[0])
    g.uniform(200)
    for i, probabilities in enumerate((0.3, p, p.double())):
        assert equal(g.bernoulli(probabilities, out=torch.zeros(200)), expected[i + 1])


def test_generators_exchange_the_kept_normal():
    torch.manual_seed(4)
    torch.randn(3)
    g = tombola.Generator.from_torch(torch.get_rng_state())
    mine = torch.from_dlpack(g.normal(2))
    torch.set_rng_state(g.to_torch(torch.get_rng_state()))
    then = torch.randn(1)
    torch.manual_seed(4)
    expected = torch.cat([torch.randn(n) for n in (3, 2, 1)])[3:]
    assert equal(torch.cat([mine, then]), expected)


def test_multinomial():
    weights = torch.rand(3, 50, dtype=torch.float64)
    torch.manual_seed(6)
    expected = torch.multinomial(weights, 40, True)
    drawn = tombola.Generator(seed=6).multinomial(weights, 40)
    assert equal(torch.from_dlpack(drawn), expected)


def test_wrong_tensors():
    with pytest.raises(TypeError, match="; expected "):
        tombola.uniform(out=torch.zeros(3, dtype=torch.complex64), seed=1)
    with pytest.raises(ValueError, match="address"):
        tombola.uniform(out=torch.zeros(1).expand(3), seed=1)
    assert np.asarray(tombola.uniform(3, torch.float32, seed=1)).dtype == np.float32


def test_permutation():
    for n in (1, 10, 5000):
        torch.manual_seed(8)
        expected, then = torch.randperm(n), torch.rand(3)
        g = tombola.Generator(seed=8)
        assert equal(torch.from_dlpack(g.permutation(n)), expected)
        assert equal(torch.from_dlpack(g.uniform(3)), then)


def test_elementwise():
    x = torch.linspace(-2, 2, 1000).reshape(40, 25)
    y = torch.zeros(40, 25, dtype=torch.bfloat16)
    assert tombola.stochastic_round(x, seed=1, out=y) is y
    assert equal(torch.from_dlpack(tombola.stochastic_round(x.numpy(), seed=1)), y)
    z = tombola.dropout(y, 0.5, seed=1, out=torch.empty_like(y))
    assert torch.equal(z == 0, (z != y * 2) | (y == 0))
    assert tombola.uniform(out=torch.zeros(0)).shape == (0,)


def test_tensors_of_one_element_are_no_numbers():
    for call in (
        lambda: tombola.uniform(3, low=torch.tensor([0.0])),
        lambda: tombola.uniform(3, "int32", 0, torch.tensor([5])),
        lambda: tombola.uniform(3, seed=1, offset=torch.tensor([5])),
        lambda: tombola.dropout(torch.ones(4), torch.tensor([0.5])),
    ):
        with pytest.raises(TypeError, match="is tensor.*; expected a"):
            call()


def test_tensors_without_dimensions_are_numbers():
    expected = tombola.uniform(3, "int32", 2, 50, seed=(1, 2), offset=4)
    given = tombola.uniform(
        torch.tensor([3]), "int32", torch.tensor(2), torch.tensor(50), seed=torch.tensor([1, 2]), offset=torch.tensor(4)
    )
    np.testing.assert_array_equal(given, expected)
    np.testing.assert_array_equal(tombola.uniform(3, high=torch.tensor(2.5), seed=1), tombola.uniform(3, high=2.5, seed=1))


def test_tensors_of_no_elements():
    for shape in ((2, 0), (0, 2), (2, 0, 3), (0,)):
        x = torch.zeros(shape)
        assert tombola.dropout(x, 0.5, seed=1).shape == shape
        assert tombola.dropout(x, 0.5, seed=1, out=torch.zeros(shape)).shape == shape
        assert tombola.stochastic_round(x, seed=1).shape == shape


def test_unaligned_tensors_are_named():
    unaligned = torch.frombuffer(bytearray(65), dtype=torch.float32, offset=1)
    with pytest.raises(ValueError, match="^src lies at an address that is no multiple of 4 bytes"):
        tombola.dropout(unaligned, 0.5)


def test_tensors_whose_memory_has_other_numbers():
    view = torch.tensor([1 + 2j, 3 + 4j]).conj().imag
    for call in (lambda: tombola.dropout(view, 0.0), lambda: tombola.multinomial(view, 2)):
        with pytest.raises(ValueError, match=r"(src|weights) is a negated view; .*resolve_neg\(\)"):
            call()
    with pytest.raises(ValueError, match="out is a negated view"):
        tombola.uniform(out=view, seed=1)
    assert view.tolist() == [-2, -4]
    assert tombola.dropout(view.resolve_neg(), 0.0).tolist() == [-2, -4]


def test_parameters_are_refused_by_name():
    parameter = torch.nn.Parameter(torch.zeros(3))
    with pytest.raises(ValueError, match=r"^out cannot be exported by DLPack: .*; expected .*detach\(\)"):
        tombola.uniform(out=parameter, seed=1)
    tombola.uniform(out=parameter.detach(), seed=1)
    assert parameter.detach().numpy().all()


def test_bfloat16_arrays_are_not_compared_with_tensors():
    array = tombola.uniform(3, "bfloat16", seed=1)
    tensor = torch.from_dlpack(array)
    for compare in (lambda: array == tensor, lambda: tensor == array, lambda: array != tensor):
        with pytest.raises(TypeError, match="is compared with .*; expected numbers of NumPy"):
            compare()
    assert (tensor == torch.from_dlpack(array)).all()


def test_conjugated_views_are_refused_by_name():
    view = torch.tensor([[1 + 2j, 3 + 4j, 5 + 6j, 7 + 8j]]).conj()
    with pytest.raises(ValueError, match=r"^src cannot be exported by DLPack: .*; expected .*resolve_conj\(\)"):
        tombola.shuffle(view, 2)


def test_bool_tensors():
    """PyTorch before 2.0 does not export them by DLPack."""
    mask = torch.tensor([True, False, True])
    np.testing.assert_array_equal(tombola.dropout(np.ones(3, np.float32), 0.5, backward=True, mask=mask), [2, 0, 2])
    drawn = torch.zeros(50, dtype=torch.bool)
    ones = tombola.dropout(np.ones(50, np.float32), 0.5, seed=3, mask=drawn)
    assert drawn.tolist() == (ones > 0).tolist() and drawn.any()
    shuffled = tombola.shuffle(torch.tensor([[True, False, True, False]]), 2)
    assert shuffled.dtype == bool and shuffled.tolist() == [[True, True, False, False]]
    with pytest.raises(TypeError, match="src has the dtype bool; expected"):
        tombola.dropout(mask, 0.5, seed=1)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # NumPy's, about lists of tensors
def test_numbers_for_rows():
    logits = np.arange(80, dtype=np.float32).reshape(2, 40)

    def sample(**parameters):
        return tombola.sample_tokens(logits, 9, seed=1, logprobs="processed", **parameters).logprobs

    for number in (torch.tensor(0.5, dtype=torch.bfloat16), torch.tensor(0.5, requires_grad=True)):
        np.testing.assert_array_equal(sample(temperature=number), sample(temperature=0.5))
        assert not np.array_equal(sample(temperature=number), sample())
    for wrong in (torch.ones(2, requires_grad=True), torch.ones(2, dtype=torch.bfloat16)):
        with pytest.raises((TypeError, ValueError), match="temperature is .*; expected numbers of the dtype float32"):
            sample(temperature=wrong)
    # NumPy makes an array of objects or of numbers of such a list.
    for parameter in ("top_k", "seed"):
        with pytest.raises((TypeError, ValueError), match=rf"^{parameter}(\[0\])? is .*; expected"):
            tombola.sample_tokens(logits, **{parameter: [torch.tensor([5])] * 2})
