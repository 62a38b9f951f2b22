# SPDX-License-Identifier: Apache-2.0
"""A dropout mask that nobody stores: backward draws it again from the seed and the offset."""
import numpy as np

import plot
import tombola

x = np.ones((32, 64), np.float32)
gradient = np.full_like(x, 3)
step = 5  # Each step of a training takes numbers of its own from the stream.
y = tombola.dropout(x, 0.25, seed=(1, 2), offset=step * x.size)
back = tombola.dropout(gradient, 0.25, seed=(1, 2), offset=step * x.size, backward=True)
assert np.array_equal(back, 3 * y)  # the same elements, with the same factor
print(f"dropped {np.mean(y == 0):.3f} of the elements; mean {y.mean():.3f}")


def draw(axes):
    axes.imshow(y != 0, cmap="Greys", aspect="auto", interpolation="nearest")
    axes.set(title="kept elements (dark), p = 0.25", xlabel="column", ylabel="row")


plot.save(draw)
