# SPDX-License-Identifier: Apache-2.0
"""The first numbers of TensorFlow and of PyTorch, from published examples."""
import numpy as np

import plot
import tombola

# OpenVINO's specification of RandomUniform-8, first example: TensorFlow's numbers for the seeds 150 and 10.
tensorflow = tombola.uniform((3, 3), seed=(150, 10))
published = np.float32([[0.7011236, 0.30539632, 0.93931055], [0.9456035, 0.11694777, 0.50770056], [0.5197197, 0.22727466, 0.991374]])
assert np.array_equal(tensorflow, published)
print("tensorflow", tensorflow.ravel())

# torch.manual_seed(150); torch.rand(3, 3)
pytorch = tombola.uniform((3, 3), seed=150, alignment="pytorch")
published = [0.59748673, 0.54458201, 0.04074067, 0.58105618, 0.67971706, 0.39076531, 0.1751616, 0.36466956, 0.70758903]
assert np.array_equal(pytorch.ravel(), np.float32(published))
print("pytorch   ", pytorch.ravel())


def draw(axes):
    axes.stem(np.arange(9) - 0.1, tensorflow.ravel(), linefmt="C0-", basefmt=" ", label="tensorflow, seeds 150 and 10")
    axes.stem(np.arange(9) + 0.1, pytorch.ravel(), linefmt="C1-", basefmt=" ", label="pytorch, seed 150")
    axes.set(title="the first numbers", xlabel="index", ylim=(0, 1.3), xticks=range(9))
    axes.legend(frameon=False, ncol=2, loc="upper left")


plot.save(draw)
