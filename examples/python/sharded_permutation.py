# SPDX-License-Identifier: Apache-2.0
"""The order of an epoch, drawn by four workers that send each other nothing."""
import numpy as np

import plot
import tombola

samples, workers, epoch = 10_000, 4, 3


def shard(worker):
    """What a worker reads in this epoch: a quarter of a permutation, computed alone."""
    size = samples // workers
    return tombola.permutation(samples, size, seed=(2024 + epoch, 1), offset=worker * size)


order = np.concatenate([shard(worker) for worker in range(workers)])
assert np.array_equal(np.sort(order), np.arange(samples))  # each sample once
assert np.array_equal(order, tombola.permutation(samples, seed=(2024 + epoch, 1)))  # whatever the number of workers
print("the first samples of each worker:", *(shard(worker)[:3] for worker in range(workers)))


def draw(axes):
    for worker in range(workers):
        axes.plot(np.arange(len(shard(worker))) + worker * len(shard(worker)), shard(worker), ",", color=f"C{worker}")
    axes.set(title="what each of four workers reads", xlabel="place in the epoch's order", ylabel="sample")


plot.save(draw)
