# SPDX-License-Identifier: Apache-2.0
import doctest

import numpy
import tombola


def test_examples_of_docstrings():
    results = doctest.testmod(tombola, extraglobs={"tombola": tombola, "numpy": numpy})
    assert results.attempted > 0 and results.failed == 0
