# SPDX-License-Identifier: Apache-2.0
"""What the examples share: a picture where matplotlib is installed and a file is named on the command line."""
import sys


def save(draw):
    """Calls draw(axes) and writes the picture to the file that the command line names, if it names one."""
    if len(sys.argv) < 2:
        return
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    draw(axes)
    figure.savefig(sys.argv[1])
