# SPDX-License-Identifier: Apache-2.0

# Compiles every public header alone, the C headers as C99 and as C++98, all of them as C++17, and natural_calls.c as C99 and
# C++17, with every warning as an error. The headers under oneDNN's names likewise, but for C++98, and natural_dnnl_calls.c.
#
# cmake -D CC=gcc -D CXX=g++ -D INCLUDE=include -D CALLS=natural_calls.c -P public_headers.cmake
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
set(failures 0)

function(compile what)
    execute_process(COMMAND ${ARGN} ${warnings} -I${INCLUDE} RESULT_VARIABLE status ERROR_VARIABLE text)
    if(status)
        message("${what}:\n${text}")
        math(EXPR failures "${failures} + 1")
        set(failures ${failures} PARENT_SCOPE)
    endif()
endfunction()

set(program ${CMAKE_CURRENT_BINARY_DIR}/public_header)
file(GLOB c_headers RELATIVE ${INCLUDE} ${INCLUDE}/tombola/*.h)
file(GLOB cpp_headers RELATIVE ${INCLUDE} ${INCLUDE}/tombola/*.hpp)
file(GLOB compat_headers RELATIVE ${INCLUDE} ${INCLUDE}/tombola/compat/*.h ${INCLUDE}/tombola/compat/*.hpp
    ${INCLUDE}/tombola/compat/oneapi/dnnl/*.h ${INCLUDE}/tombola/compat/oneapi/dnnl/*.hpp)
if(NOT c_headers OR NOT cpp_headers OR NOT compat_headers)
    message(FATAL_ERROR "no headers in ${INCLUDE}/tombola")
endif()
foreach(header IN LISTS c_headers cpp_headers compat_headers)
    # A header of macros alone is no translation unit in C.
    file(WRITE ${program}.cpp "#include \"${header}\"\nint nothing;\n")
    if(header MATCHES "\\.h$")
        configure_file(${program}.cpp ${program}.c COPYONLY)
        compile("${header} as C99" ${CC} -std=c99 -fsyntax-only ${program}.c)
        if(NOT header MATCHES "compat/")
            compile("${header} as C++98" ${CXX} -std=c++98 -Wno-long-long -fsyntax-only ${program}.cpp)
        endif()
    endif()
    compile("${header} as C++17" ${CXX} -std=c++17 -Wold-style-cast -Wfloat-equal -fsyntax-only ${program}.cpp)
endforeach()
# With optimisation: only then does GCC compare arrays with what a parameter says.
compile("natural_calls.c as C99" ${CC} -std=c99 -O2 -o ${program}.o -c ${CALLS})
compile("natural_calls.c as C++17" ${CXX} -x c++ -std=c++17 -O2 -o ${program}.o -c ${CALLS})
compile("natural_dnnl_calls.c as C99" ${CC} -std=c99 -O2 -o ${program}.o -c ${CMAKE_CURRENT_LIST_DIR}/natural_dnnl_calls.c)
file(REMOVE ${program}.c ${program}.cpp ${program}.o)
if(failures)
    message(FATAL_ERROR "${failures} do not compile")
endif()
