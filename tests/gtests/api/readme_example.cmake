# SPDX-License-Identifier: Apache-2.0
#
# Writes the first C++ program of README.md to a file.
#
# usage: cmake -D README=... -D OUTPUT=... -P readme_example.cmake
file(READ ${README} readme)
string(FIND "${readme}" "```cpp\n" begin)
if(begin EQUAL -1)
    message(FATAL_ERROR "${README}: no block of ```cpp")
endif()
math(EXPR begin "${begin} + 7")
string(SUBSTRING "${readme}" ${begin} -1 rest)
string(FIND "${rest}" "```" end)
string(SUBSTRING "${rest}" 0 ${end} program)
file(WRITE ${OUTPUT} "${program}")
