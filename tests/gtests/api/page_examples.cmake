# SPDX-License-Identifier: Apache-2.0
#
# Writes the blocks of code in pages to one source file: a block with main() as it stands, others as one function each,
# with the names that the pages say there are. In C++ a main() calls them; in C they are there to be compiled.
#
# usage: cmake -D "PAGES=a.md;b.md" -D LANGUAGE=cpp|c -D OUTPUT=... -P page_examples.cmake
cmake_minimum_required(VERSION 3.21)
set(program "")
set(calls "")
set(count 0)
foreach(page IN LISTS PAGES)
    file(READ ${page} rest)
    set(line 1)
    set(before ${count})
    while(TRUE)
        string(FIND "${rest}" "\n```${LANGUAGE}\n" begin)
        if(begin EQUAL -1)
            break()
        endif()
        string(LENGTH "\n```${LANGUAGE}\n" mark)
        math(EXPR begin "${begin} + ${mark}")
        string(SUBSTRING "${rest}" 0 ${begin} skipped)
        string(SUBSTRING "${rest}" ${begin} -1 rest)
        string(FIND "${rest}" "```" end)
        string(SUBSTRING "${rest}" 0 ${end} block)
        string(SUBSTRING "${rest}" ${end} -1 rest)

        # The compiler speaks of the page's lines.
        string(REGEX REPLACE "[^\n]" "" skipped_lines "${skipped}")
        string(LENGTH "${skipped_lines}" lines)
        math(EXPR line "${line} + ${lines}")
        set(place "#line ${line} \"${page}\"\n")
        string(REGEX REPLACE "[^\n]" "" block_lines "${block}")
        string(LENGTH "${block_lines}" lines)
        math(EXPR line "${line} + ${lines}")

        math(EXPR count "${count} + 1")
        if(block MATCHES "int main")
            string(APPEND program "${place}${block}")
        elseif(LANGUAGE STREQUAL "cpp")
            string(APPEND program "static void example_${count}([[maybe_unused]] engine& eng, [[maybe_unused]] stream& s) {\n${place}${block}}\n")
            string(APPEND calls "    example_${count}(eng, s);\n")
        else()
            string(APPEND program "void example_${count}(void);\nvoid example_${count}(void) {\n${place}${block}}\n")
        endif()
    endwhile()
    if(before EQUAL count)
        message(FATAL_ERROR "${page}: no block of ${LANGUAGE}")
    endif()
endforeach()

if(LANGUAGE STREQUAL "c")
    string(PREPEND program "#include \"tombola/tombola.h\"\n#include <stddef.h>\n#include <stdio.h>\n"
        "extern tombola_engine_t engine;\nextern tombola_primitive_desc_t pd, back;\n"
        "extern tombola_memory_desc_t src_desc, dst_desc, diff_src_desc, diff_dst_desc, probs_desc, logits_desc, p_desc;\n")
elseif(calls)
    string(PREPEND program "#include \"tombola/tombola.hpp\"\n#include <algorithm>\n#include <cstdint>\n#include <vector>\nusing namespace tombola;\n")
    string(APPEND program "int main() {\n    engine eng(engine::kind::cpu, 0);\n    stream s(eng);\n${calls}}\n")
endif()
file(WRITE ${OUTPUT} "${program}")
