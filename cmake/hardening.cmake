# SPDX-License-Identifier: Apache-2.0
# The targets tombola_hardening, for the library, and tombola_hardening_programs, for the programs and the Python module: what makes
# a memory error harder to exploit. SECURITY.md says what each flag is for, and tests/hardening reads it back from the ELF files.
#
# The two flags about the stack are for the programs alone, which read files and command lines. With all flags, the library's calls on
# 64 words took 3 % and its portable rows of multinomial and token_sampler 11 to 13 % more time. Which flag costs that was not measured.
#
# TOMBOLA_HARDENING_FLAGS lists the flags that the compiler has.
include(CheckCXXCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)

add_library(tombola_hardening INTERFACE)
add_library(tombola_hardening_programs INTERFACE)
target_link_libraries(tombola_hardening_programs INTERFACE tombola_hardening)
set(TOMBOLA_HARDENING_FLAGS "")
if(TOMBOLA_HARDENING)
    # Without this check CMake compiles programs as position-independent but does not link them so.
    check_pie_supported(LANGUAGES C CXX)
    # -fcf-protection=return marks the library as fit for a shadow stack, and changes no code. Its other half, branch, would be
    # untrue: generated code does not begin with ENDBR64, and kernels of shuffle jump through tables.
    foreach(flag IN ITEMS -fstack-protector-strong -fstack-clash-protection -fcf-protection=return)
        string(MAKE_C_IDENTIFIER "TOMBOLA_HAS${flag}" has)
        check_cxx_compiler_flag(${flag} ${has})
        if(${has})
            list(APPEND TOMBOLA_HARDENING_FLAGS ${flag})
        endif()
    endforeach()
    set(stack_flags ${TOMBOLA_HARDENING_FLAGS})
    list(FILTER stack_flags INCLUDE REGEX "stack")
    target_compile_options(tombola_hardening_programs INTERFACE ${stack_flags})
    if("-fcf-protection=return" IN_LIST TOMBOLA_HARDENING_FLAGS)
        target_compile_options(tombola_hardening INTERFACE -fcf-protection=return)
    endif()
    # The C library checks nothing without optimisation, and sanitizers check more by themselves. A distribution's own level counts.
    if(NOT TOMBOLA_SANITIZE AND NOT CMAKE_CXX_FLAGS MATCHES "_FORTIFY_SOURCE")
        target_compile_options(tombola_hardening INTERFACE
            $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>)
    endif()
    target_link_options(tombola_hardening INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
    # Debian 12's crti.o has no mark. It calls and returns as everything does, so the library keeps the mark all the same.
    check_linker_flag(CXX -Wl,-z,shstk TOMBOLA_HAS_Z_SHSTK)
    if("-fcf-protection=return" IN_LIST TOMBOLA_HARDENING_FLAGS AND TOMBOLA_HAS_Z_SHSTK)
        target_link_options(tombola_hardening INTERFACE -Wl,-z,shstk)
    endif()
endif()
