# SPDX-License-Identifier: Apache-2.0
#
# Fails unless the symbols that the shared library defines are exactly the functions that tombola.h and
# tombola_threadpool.h declare.
#
# usage: cmake -D NM=... -D LIBRARY=... -D INCLUDE=include/tombola -P exported_symbols.cmake
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

file(READ ${INCLUDE}/tombola.h header)
file(READ ${INCLUDE}/tombola_threadpool.h threadpool_header)
string(APPEND header "${threadpool_header}")
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
    message(FATAL_ERROR "${INCLUDE}: only ${count} functions were found: this script no longer reads it")
endif()
set(extra ${exported})
list(REMOVE_ITEM extra ${declared})
set(missing ${declared})
list(REMOVE_ITEM missing ${exported})
if(extra)
    message(SEND_ERROR "exported, but not declared: ${extra}")
endif()
if(missing)
    message(SEND_ERROR "declared, but not exported: ${missing}")
endif()
if(NOT extra AND NOT missing)
    message(STATUS "${count} functions, all that are declared")
endif()
