# SPDX-License-Identifier: Apache-2.0
"""A table of times: tombola's operators beside PyTorch's own, on this machine, in this process.

usage: timing.py [MILLISECONDS]        time spent on each cell; default 200

The least of the repetitions is shown, in microseconds, after a check that both sides give the same tensor
(multinomial without replacement, sample_tokens and dropout: the same distribution, other numbers).
"""
import sys
from pathlib import Path

import torch

import tombola_torch as tt

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))
from least_times import least_times


def sample_of_top_k(logits, temperature, k, p):
    """Only k logits are sorted and divided. Two samples with replacement take PyTorch 2.6 less time than one."""
    values, classes = torch.topk(logits, k)
    probabilities = (values / temperature).softmax(-1)
    probabilities[probabilities.cumsum(-1) - probabilities >= p] = 0
    return classes.gather(1, torch.multinomial(probabilities, 2, True)[:, :1])


def cases():
    for name in ("float32", "float64", "float16", "bfloat16"):
        dtype = getattr(torch, name)
        for count in (1_000, 100_000, 10_000_000):
            x = torch.empty(count, dtype=dtype)
            yield (
                f"uniform_ {name} {count}",
                lambda x=x: tt.uniform_(x),
                lambda x=x: x.uniform_(),
                True,
            )
    for name in ("float32", "float64", "bfloat16"):
        dtype = getattr(torch, name)
        for count in (10, 1_000, 100_000, 10_000_000):
            x = torch.empty(count, dtype=dtype)
            yield (
                f"normal_ {name} {count}",
                lambda x=x: tt.normal_(x),
                lambda x=x: x.normal_(),
                name != "float64",
            )
    for name in ("float32", "float64"):
        dtype = getattr(torch, name)
        for count in (1_000, 100_000, 10_000_000):
            x = torch.empty(count, dtype=dtype)
            yield (
                f"exponential_ {name} {count}",
                lambda x=x: tt.exponential_(x),
                lambda x=x: x.exponential_(),
                name != "float64",
            )
    for name in ("uint8", "float32"):
        dtype = getattr(torch, name)
        for count in (1_000, 100_000, 10_000_000):
            x = torch.empty(count, dtype=dtype)
            yield (
                f"bernoulli_(0.3) {name} {count}",
                lambda x=x: tt.bernoulli_(x, 0.3),
                lambda x=x: x.bernoulli_(0.3),
                True,
            )
    for count in (100_000, 10_000_000):
        p = torch.rand(count)
        yield (
            f"bernoulli of {count} probabilities",
            lambda p=p: tt.bernoulli(p),
            lambda p=p: torch.bernoulli(p),
            True,
        )
    for count in (1_000, 1_000_000):
        yield (
            f"randint int64 {count}",
            lambda n=count: tt.randint(0, 1000, (n,)),
            lambda n=count: torch.randint(0, 1000, (n,)),
            True,
        )
    for count in (1_000, 1_000_000, 10_000_000):
        yield (
            f"randperm {count}",
            lambda n=count: tt.randperm(n),
            lambda n=count: torch.randperm(n),
            True,
        )
    w = torch.rand(1, 1000, dtype=torch.float64)
    yield (
        "multinomial 1x1000, 100000 with replacement",
        lambda: tt.multinomial(w, 100_000, True),
        lambda: torch.multinomial(w, 100_000, True),
        True,
    )
    v = torch.rand(64, 32_000)
    yield (
        "multinomial 64x32000, 1 each",
        lambda: tt.multinomial(v, 1, True),
        lambda: torch.multinomial(v, 1, True),
        False,
    )
    yield (
        "multinomial 64x32000, 100 without replacement",
        lambda: tt.multinomial(v, 100),
        lambda: torch.multinomial(v, 100),
        False,
    )
    logits = -1.5 * torch.rand(64, 128_000).log()
    yield (
        "sample_tokens 64x128000, T, top_k 50, top_p 0.9",
        lambda: tt.sample_tokens(logits, 0.8, 50, 0.9),
        lambda: sample_of_top_k(logits, 0.8, 50, 0.9),
        False,
    )
    for dtype in (torch.float32, torch.bfloat16):
        x = torch.rand(16_000_000).to(dtype)
        yield (
            f"dropout {str(dtype)[6:]} 16000000",
            lambda x=x: tt.dropout(x, 0.1),
            lambda x=x: torch.nn.functional.dropout(x, 0.1),
            False,
        )
    s, r = torch.rand(16_000_000), torch.empty(16_000_000, dtype=torch.bfloat16)
    yield (
        "stochastic_round_ bfloat16 16000000, beside copy_",
        lambda: tt.stochastic_round_(r, s),
        lambda: r.copy_(s),
        False,
    )
    for dtype in (torch.float32, torch.uint8):
        for format_name in ("contiguous_format", "channels_last"):
            x = (torch.rand(8, 136, 56, 56) * 200).to(dtype).contiguous(
                memory_format=getattr(torch, format_name)
            )
            yield (
                f"channel_shuffle {str(dtype)[6:]} 8x136x56x56 {format_name}",
                lambda x=x: tt.channel_shuffle(x, 4),
                lambda x=x: torch.channel_shuffle(x, 4),
                True,
            )


def main():
    budget = float(sys.argv[1] if len(sys.argv) > 1 else 200) / 1000
    print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} threads")
    print(f"{'operator':52} {'tombola us':>12} {'PyTorch us':>12} {'ratio':>7}")
    for name, ours, theirs, comparable in cases():
        torch.manual_seed(1)
        a = ours().clone()
        torch.manual_seed(1)
        b = theirs()
        if comparable and not torch.equal(a, b):
            sys.exit(f"{name}: the tensors differ")
        mine, other = least_times((ours, theirs), budget)
        print(f"{name:52} {mine * 1e6:12.1f} {other * 1e6:12.1f} {other / mine:6.1f}x")


if __name__ == "__main__":
    main()
