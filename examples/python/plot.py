# SPDX-License-Identifier: Apache-2.0
"""What the examples share: a picture where matplotlib is installed and a file is named on the command line."""
import sys


def save(draw):
    """Calls draw(axes) and writes the picture to the file that the command line names, if it names one: the same bytes each time."""
    if len(sys.argv) < 2:
        return
    try:
        import matplotlib
    except ModuleNotFoundError:
        print(f"matplotlib is not installed: {sys.argv[1]} is not written", file=sys.stderr)
        return

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "tombola", "svg.fonttype": "none", "font.size": 11})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 3.5))
    axes.spines[["top", "right"]].set_visible(False)
    draw(axes)
    figure.tight_layout()
    figure.savefig(sys.argv[1], metadata={"Date": None} if sys.argv[1].endswith(".svg") else {"Software": None})
