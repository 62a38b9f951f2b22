# SPDX-License-Identifier: Apache-2.0
import doctest
import sys

import numpy
import pytest
import tombola

MODULES = sorted(name for name in sys.modules if name == "tombola" or name.startswith("tombola._") and name != "tombola._core")


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_docstrings(module):
    results = doctest.testmod(sys.modules[module], extraglobs={"tombola": tombola, "numpy": numpy})
    assert results.failed == 0


@pytest.mark.parametrize("name", tombola.__all__)
def test_everything_public_has_an_example(name):
    assert ">>> " in getattr(tombola, name).__doc__
