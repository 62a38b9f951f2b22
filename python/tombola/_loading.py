# SPDX-License-Identifier: Apache-2.0
"""Says plainly why this Python cannot import the package: Python's own messages speak of circular imports."""
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

try:
    import numpy
except ModuleNotFoundError as missing:
    if missing.name != "numpy":
        raise
    raise ModuleNotFoundError(f"tombola needs NumPy, which {sys.executable} does not have", name="numpy") from None

_compiled = sorted(file.name for file in Path(__file__).parent.glob("_core.*") if file.suffix != ".pyi")
if not any(f"_core{suffix}" in _compiled for suffix in EXTENSION_SUFFIXES):
    found = f"tombola was built for another Python ({', '.join(_compiled)})" if _compiled else "tombola's module _core is not built"
    raise ImportError(
        f"{found}; expected _core{EXTENSION_SUFFIXES[0]} for {sys.executable}. Run the Python that CMake has named, or build for"
        f" this one: -D Python_EXECUTABLE={sys.executable}",
        name="tombola._core",
    )
