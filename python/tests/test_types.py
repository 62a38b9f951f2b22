# SPDX-License-Identifier: Apache-2.0
"""What the module takes at run time, its annotations take too."""
import textwrap

import pytest

api = pytest.importorskip("mypy.api")

TAKEN = """
    import numpy as np
    import tombola

    row = np.zeros(5, np.float32)
    tombola.uniform(np.array([2, 3]), seed=np.array([1, 2], np.uint64), offset=np.int64(3))
    tombola.uniform([np.int64(2), 3], np.float64, np.float32(0), np.float64(1), seed=[1, 2])
    tombola.uniform(np.int64(3), "int32", np.int32(0), 5, seed=np.uint64(4), alignment="pytorch", full_range=np.False_)
    tombola.normal((2, 3), "bf16", mean=np.float32(1), std=2, seed=(1, 2), out=None)
    tombola.exponential(3, rate=np.float64(2))
    tombola.random_words(4, key=np.uint64(3), counter=[np.uint32(1), 0, 0, 0])
    tombola.permutation(np.int64(10), np.int64(3), offset=np.uint64(3))
    tombola.multinomial(row, np.int64(3), replacement=np.True_)
    tombola.sample_tokens(row, np.int64(3), temperature=[1, 0.5], top_n=np.int64(1), kept=np.True_)
    tombola.dropout(row, np.float32(0.5), draw_bits=16)
    tombola.shuffle(row, np.int64(5), np.int64(0))
    g = tombola.Generator("pytorch", seed=np.uint64(42))
    words: "np.ndarray[tuple[int], np.dtype[np.uint32]]" = g.state
    g.state = words
    g.uniform(np.int64(3), low=np.float32(0)), g.permutation(np.int64(3))
    pair: tuple[int, int] = g.seed
    np.random.Generator(tombola.Philox4x32(key=np.uint64(7)))
    np.random.Generator(tombola.MT19937.init_genrand(np.uint32(7)))
"""
REFUSED = {
    'tombola.uniform(3, alignment="torch")': "alignment",
    "tombola.uniform(3, seed=1.5)": "seed",
    'tombola.uniform("3")': "uniform",
    "tombola.dropout([1.0], 0.5, draw_bits=7)": "draw_bits",
    "tombola.Generator().seed = (1, 2)": 'Property "seed"',
    'tombola.Generator().alignment = "pytorch"': 'Property "alignment"',
}


def errors(tmp_path, text):
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(text))
    report, problems, _ = api.run(["--strict", "--cache-dir", str(tmp_path), "--follow-imports=silent", str(program)])
    assert not problems
    return [line for line in report.splitlines() if "program.py:" in line]


def test_types(tmp_path):
    assert errors(tmp_path, TAKEN) == []
    found = errors(tmp_path, "import tombola\n" + "".join(f"{call}\n" for call in REFUSED))
    for number, (call, name) in enumerate(REFUSED.items(), 2):
        assert any(f":{number}: error" in line and name in line for line in found), (call, found)
