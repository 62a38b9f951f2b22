# SPDX-License-Identifier: Apache-2.0
"""What temperature, top-k and top-p make of one distribution over ten tokens."""
import numpy as np

import plot
import tombola

logits = np.float32([3, 2.5, 2, 1.5, 1, 0.5, 0, -0.5, -1, -2])
rows = np.tile(logits, (4, 1))
names = ["as it is", "temperature 0.5", "top_k 3", "top_p 0.8"]
tokens = tombola.sample_tokens(
    rows, 100_000, temperature=[1, 0.5, 1, 1], top_k=[0, 0, 3, 0], top_p=[1, 1, 1, 0.8], seed=1, kept=True
)
shares = np.array([np.bincount(ids, minlength=10) / ids.size for ids in tokens.ids])
for name, share, kept in zip(names, shares, tokens.kept):
    print(f"{name:16s} {kept:2d} kept  ", *(f"{x:.3f}" for x in share))
assert tokens.kept.tolist() == [10, 10, 3, 4] and np.count_nonzero(shares[2]) == 3


def draw(axes):
    for name, share in zip(names, shares):
        axes.plot(share, "o-", label=name)
    axes.set(title="100,000 draws of one distribution", xlabel="token", ylabel="share", xticks=range(10))
    axes.legend(frameon=False)


plot.save(draw)
