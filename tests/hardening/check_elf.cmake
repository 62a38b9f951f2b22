# SPDX-License-Identifier: Apache-2.0
# Reads an ELF file and lists what cmake/hardening.cmake asks for and the file does not have.
#
#   cmake -D READELF=readelf -D FILE=libtombola.so [-D LIBRARY=ON] -D FLAGS="-fstack-protector-strong ..." -D SANITIZE=.. -D CONFIG=..
#         -P check_elf.cmake
#
# LIBRARY: it is the shared library, which also carries the mark of the shadow stack, no run path, and calls of the checked
# functions of the C library.
execute_process(COMMAND ${READELF} --program-headers --dynamic --notes --dyn-syms --wide ${FILE}
    OUTPUT_VARIABLE elf ERROR_VARIABLE errors RESULT_VARIABLE result)
if(result)
    message(FATAL_ERROR "${READELF} ${FILE}: ${errors}")
endif()
set(faults "")

function(require pattern fault)
    if(NOT elf MATCHES "${pattern}")
        set(faults "${faults}\n  ${fault}" PARENT_SCOPE)
    endif()
endfunction()
function(refuse pattern fault)
    if(elf MATCHES "${pattern}")
        set(faults "${faults}\n  ${fault}" PARENT_SCOPE)
    endif()
endfunction()

require("\n +GNU_RELRO " "no GNU_RELRO: the tables of addresses stay writable")
require("\\(FLAGS\\) +BIND_NOW|\\(FLAGS_1\\) +Flags:[^\n]* NOW" "no BIND_NOW: functions are bound at their first call")
require("\n +GNU_STACK [^\n]* RW +0x" "an executable stack, or no word about it")
refuse("\n +LOAD [^\n]* RWE " "a segment that is writable and executable")
refuse("TEXTREL" "TEXTREL: code is written to when it is loaded")
require("Elf file type is DYN" "not position-independent")
if(NOT LIBRARY AND FLAGS MATCHES "-fstack-protector-strong")
    require("__stack_chk_fail" "no stack protector")
endif()
if(LIBRARY)
    refuse("\\((RPATH|RUNPATH)\\)" "a run path")
    if(FLAGS MATCHES "-fcf-protection=return")
        require("x86 feature:[^\n]*SHSTK" "no mark for a shadow stack")
        refuse("x86 feature:[^\n]*IBT" "the mark of indirect branch tracking, for which generated code is not fit")
    endif()
    if(NOT SANITIZE AND NOT CONFIG STREQUAL "Debug")
        require("__[a-z]+_chk(@| |\n)" "no call of a checked function (_FORTIFY_SOURCE)")
    endif()
endif()
if(faults)
    message(FATAL_ERROR "${FILE}:${faults}")
endif()
message("${FILE}: hardened")
