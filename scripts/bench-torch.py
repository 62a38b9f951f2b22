#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's uniform_ and random_ on one thread, to be held beside mt19937_peers (tests/peers).

    scripts/bench-torch.py [MILLISECONDS_A_CASE]

Prints for each type the best of many runs on 256 KiB and on 256 MiB, in GB/s of the tensor.
"""
import sys
import time

import torch

CASES = [("f32", torch.float32, None), ("f64", torch.float64, None), ("f16", torch.float16, None),
         ("bf16", torch.bfloat16, None), ("s32", torch.int32, 1000003), ("s64", torch.int64, 1000003),
         ("s64_two_words", torch.int64, 1 << 62)]


def best_seconds(draw, budget):
    best, end = float("inf"), time.perf_counter() + budget
    while True:
        start = time.perf_counter()
        draw()
        now = time.perf_counter()
        best = min(best, now - start)
        if now > end:
            return best


def main():
    budget = (float(sys.argv[1]) if len(sys.argv) > 1 else 300) / 1000
    torch.set_num_threads(1)
    print("PyTorch", torch.__version__)
    for size, name in ((256 << 10, "256KiB"), (256 << 20, "256MiB")):
        for type_name, dtype, high in CASES:
            tensor = torch.zeros(size // torch.empty(0, dtype=dtype).element_size(), dtype=dtype)
            draw = tensor.uniform_ if high is None else lambda: tensor.random_(0, high)
            draw()
            print("%-14s %s %7.3f GB/s" % (type_name, name, size / best_seconds(draw, budget) / 1e9), flush=True)


if __name__ == "__main__":
    main()
