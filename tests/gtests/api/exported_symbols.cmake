# SPDX-License-Identifier: Apache-2.0
#
# Fails unless the symbols that the shared library defines are exactly the functions that tombola.h declares.
#
# usage: cmake -D NM=... -D LIBRARY=... -D HEADER=... -P exported_symbols.cmake
execute_process(COMMAND ${NM} --dynamic --defined-only --format=posix ${LIBRARY}
    OUTPUT_VARIABLE output RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR "${NM} failed on ${LIBRARY}")
endif()
string(REGEX MATCHALL "[^\n]+" lines "${output}")
set(exported "")
foreach(line IN LISTS lines)
    string(REGEX REPLACE "[ @].*" "" symbol "${line}")
    list(APPEND exported ${symbol})
endforeach()

file(READ ${HEADER} header)
string(REGEX REPLACE "/\\*[^*]*\\*+([^/*][^*]*\\*+)*/" "" header "${header}")
string(REGEX MATCHALL "TOMBOLA_API[^;(]*[ *\n]tombola_[a-z0-9_]+\\(" declarations "${header}")
set(declared "")
foreach(declaration IN LISTS declarations)
    string(REGEX MATCH "tombola_[a-z0-9_]+\\($" name "${declaration}")
    string(REPLACE "(" "" name "${name}")
    list(APPEND declared ${name})
endforeach()

list(LENGTH declared count)
if(count LESS 40)
    message(FATAL_ERROR "${HEADER}: only ${count} functions were found: this script no longer reads it")
endif()
set(extra ${exported})
list(REMOVE_ITEM extra ${declared})
set(missing ${declared})
list(REMOVE_ITEM missing ${exported})
if(extra)
    message(SEND_ERROR "exported, but not declared in tombola.h: ${extra}")
endif()
if(missing)
    message(SEND_ERROR "declared in tombola.h, but not exported: ${missing}")
endif()
if(NOT extra AND NOT missing)
    message(STATUS "${count} functions, all of tombola.h")
endif()
