# SPDX-License-Identifier: Apache-2.0
"""Charts as SVG text. Each is a card with a background of its own, so that it can be read on any page; it turns dark
where the reader's system is."""
import math
from html import escape

WIDTH = 720
LINES = ["#0072b2", "#d55e00", "#009e73", "#b8578e", "#b87a00", "#3d9fd6", "#7a5bb5", "#6e7781"]
BARS = ["#0072b2", "#85bfe5"]
STYLE = """
  text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328; }
  .title { font-size: 15px; font-weight: 600; } .group { font-weight: 600; }
  .quiet { fill: #59636e; } .card { fill: #ffffff; stroke: #d1d9e0; }
  .grid { stroke: #e3e8ed; } .axis { stroke: #818b98; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } .quiet { fill: #9aa5b1; } .card { fill: #14191f; stroke: #3d444d; }
    .grid { stroke: #2a3038; } .axis { stroke: #7a8490; }
  }
"""


def text(x, y, content, anchor="start", kind=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{escape(content)}</text>'


def line(x1, y1, x2, y2, kind):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def card(title, subtitle, height, parts):
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
            f'viewBox="0 0 {WIDTH} {height}" role="img">',
            f"<title>{escape(title)}</title><style>{STYLE}</style>",
            f'<rect class="card" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6"/>',
            text(16, 26, title, kind="title"), text(16, 45, subtitle, kind="quiet")]
    return "\n".join(head + parts + ["</svg>", ""])


LEGEND_COLUMNS = 3


def legend(entries, y, step):
    """Names beside their colours."""
    parts = []
    for i, (name, colour) in enumerate(entries):
        x, row = 16 + i % LEGEND_COLUMNS * step, y + i // LEGEND_COLUMNS * 18
        parts.append(f'<rect x="{x}" y="{row - 9}" width="12" height="10" rx="2" fill="{colour}"/>')
        parts.append(text(x + 18, row, name))
    return parts


def bars(title, subtitle, groups, series):
    """Horizontal bars of ratios on a logarithmic axis. groups: [(heading, [(label, [ratio or None...], value, note)])],
    where value and note stand beside the bars; series: the name of each ratio."""
    left, right, step, thick, y = 228, 560, 23, 8, 84
    ratios = [ratio for _, rows in groups for _, values, _, _ in rows for ratio in values if ratio]
    low, high = min(1, *ratios), max(2, *ratios)
    ticks = [t * 10 ** p for p in range(-2, 4) for t in (1, 2, 5) if low / 1.05 <= t * 10 ** p <= high]

    def x_of(ratio):
        return left + math.log(ratio / low) / math.log(high / low) * (right - left)

    parts = legend(list(zip(series, BARS)), 70, 90)
    for heading, rows in groups:
        parts.append(text(16, y + 18, heading, kind="group"))
        y += 27
        parts += [line(x_of(t), y, x_of(t), y + step * len(rows), "axis" if t == 1 else "grid") for t in ticks]
        for label, values, value_text, note in rows:
            parts.append(text(left - 8, y + 15, label, "end"))
            for i, (value, colour) in enumerate(zip(values, BARS)):
                if value:
                    begin, end = sorted((x_of(1), x_of(value)))
                    parts.append(f'<rect x="{begin:.1f}" y="{y + 3 + i * thick}" width="{max(end - begin, 1):.1f}" '
                                 f'height="{thick}" fill="{colour}"/>')
            parts.append(text(right + 48, y + 15, value_text, "end", "group"))
            parts.append(text(WIDTH - 16, y + 15, note, "end", "quiet"))
            y += step
        y += 4
    parts += [text(x_of(t), y + 12, f"{t:g}×", "middle", "quiet") for t in ticks]
    parts.append(text((left + right) / 2, y + 30, "times as fast (logarithmic scale)", "middle", "quiet"))
    return card(title, subtitle, y + 46, parts)


def size_name(size):
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} B"


def lines(title, subtitle, series):
    """Shares over sizes on a logarithmic axis. series: [(name, [(size, share)])]."""
    left, right = 56, WIDTH - 24
    top = 84 + 18 * math.ceil(len(series) / LEGEND_COLUMNS)
    bottom = top + 260
    sizes = sorted({size for _, points in series for size, _ in points})
    highest = max(share for _, points in series for _, share in points)
    limit = math.ceil(max(highest, 1) * 5 - 0.1) / 5
    span = math.log(sizes[-1] / sizes[0]) or 1

    def place(size, share):
        return (left + 8 + math.log(size / sizes[0]) / span * (right - left - 16),
                bottom - min(share, limit) / limit * (bottom - top))

    parts = []
    for i in range(round(limit * 5) + 1):
        y = place(sizes[0], i / 5)[1]
        parts.append(line(left, y, right, y, "axis" if i in (0, 5) else "grid"))
        parts.append(text(left - 8, y + 4, f"{20 * i}%", "end", "quiet"))
    for size in sizes:
        x = place(size, 0)[0]
        parts.append(line(x, bottom, x, bottom + 4, "axis"))
        parts.append(text(min(x, right - 12), bottom + 18, size_name(size), "middle", "quiet"))
    for (_, points), colour in zip(series, LINES):
        placed = [place(size, share) for size, share in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in placed]
    entries = [(name, colour) for (name, _), colour in zip(series, LINES)]
    parts.append(text((left + right) / 2, bottom + 36, "bytes written, or read by multinomial (logarithmic scale)",
                      "middle", "quiet"))
    return card(title, subtitle, bottom + 52, legend(entries, 72, 229) + parts)
