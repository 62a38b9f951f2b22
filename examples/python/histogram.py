# SPDX-License-Identifier: Apache-2.0
"""A million draws beside their exact probabilities."""
import numpy as np

import plot
import tombola

weights = np.array([5.0, 1, 0, 3, 0.5, 2])
draws = tombola.multinomial(weights, 1_000_000, seed=7)
share = np.bincount(draws, minlength=6) / len(draws)
exact = weights / weights.sum()
for k in range(6):
    print(f"class {k}: drawn {share[k]:.5f}, exact {exact[k]:.5f}")
assert share[2] == 0  # a class of weight zero is never drawn
assert np.all(abs(share - exact) < 5 * np.sqrt(exact / len(draws)) + 1e-12)  # five standard deviations


def draw(axes):
    axes.bar(np.arange(6) - 0.2, share, 0.4, label="drawn")
    axes.bar(np.arange(6) + 0.2, exact, 0.4, label="exact")
    axes.set(title="a million draws", xlabel="class", ylabel="share")
    axes.legend(frameon=False)


plot.save(draw)
