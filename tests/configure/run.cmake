# SPDX-License-Identifier: Apache-2.0
# Configures tombola for another target.
#
#   cmake -D KIND=m32|mx32|amd64 -D SOURCE=.. -D WORK=.. -D GENERATOR=.. -D CC=.. -D CXX=.. -D XBYAK=.. -D COMPILER=GNU|.. -P run.cmake
#
#   m32, mx32   targets of 32 bits are refused, by a message that names the compiler
#   amd64       the compiler, not the name of the processor, decides whether kernels are compiled; and, of GCC, there are packages for amd64 alone
cmake_minimum_required(VERSION 3.21)
file(REMOVE_RECURSE ${WORK})
set(options -G ${GENERATOR} -D CMAKE_C_COMPILER=${CC} -D CMAKE_CXX_COMPILER=${CXX} -D XBYAK_INCLUDE_DIR=${XBYAK}
    -D TOMBOLA_CPU_RUNTIME=SEQ -D TOMBOLA_BUILD_TESTS=OFF -D TOMBOLA_BUILD_EXAMPLES=OFF -D TOMBOLA_PYTHON=OFF)
if(KIND STREQUAL "amd64")
    foreach(processor IN ITEMS amd64 nameless)
        execute_process(COMMAND ${CMAKE_COMMAND} ${options} -S ${SOURCE} -B ${WORK}/${processor}
            -D CMAKE_SYSTEM_NAME=Linux -D CMAKE_SYSTEM_PROCESSOR=${processor} RESULT_VARIABLE result ERROR_VARIABLE errors OUTPUT_QUIET)
        if(result)
            message(FATAL_ERROR "${processor}: ${errors}")
        endif()
        file(STRINGS ${WORK}/${processor}/CMakeCache.txt kernels REGEX "^TOMBOLA_X64:INTERNAL=1$")
        if(NOT kernels)
            message(FATAL_ERROR "${processor}: no kernels are compiled, although the compiler is that of this machine")
        endif()
        file(READ ${WORK}/${processor}/CPackConfig.cmake packages)
        set(expected_amd64 "PACKAGE_ARCHITECTURE \"amd64\"")
        set(expected_nameless "FATAL_ERROR.*CMAKE_SYSTEM_PROCESSOR is 'nameless'")
        if(COMPILER STREQUAL "GNU" AND NOT packages MATCHES "${expected_${processor}}")
            message(FATAL_ERROR "${processor}: ${packages}\nexpected ${expected_${processor}}")
        endif()
    endforeach()
else()
    # No program is linked: this machine may have no libraries of 32 bits.
    execute_process(COMMAND ${CMAKE_COMMAND} ${options} -S ${SOURCE} -B ${WORK} -D CMAKE_C_FLAGS=-${KIND} -D CMAKE_CXX_FLAGS=-${KIND}
        -D CMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY RESULT_VARIABLE result ERROR_VARIABLE errors OUTPUT_QUIET)
    string(REGEX REPLACE "[ \n]+" " " errors "${errors}")
    if(NOT result OR NOT errors MATCHES "expected a 64-bit little-endian one")
        message(FATAL_ERROR "-${KIND} gives ${result}: ${errors}")
    endif()
endif()
