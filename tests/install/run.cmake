# SPDX-License-Identifier: Apache-2.0
# Installs a build into an empty prefix whose name has a space, moves the prefix elsewhere, then builds and runs consumers against it and
# nothing else: C++ (by a project that asks for no C++17) and C by find_package and by pkg-config, and a program for oneDNN by both.
#
#   cmake -D BUILD=dir -D WORK=dir -D TYPE=SHARED|STATIC -D VERSION=x.y.z -D LIBDIR=lib -D BINDIR=bin
#         -D PYTHON=python3 -D PYTHON_DIR=lib/python3/dist-packages (or both empty)
#         -D READELF=readelf -D CHECKER=python3 (or empty) -D SOURCE=dir (or empty: the binaries may name it)
#         -D GENERATOR=.. -D CC=.. -D CXX=.. -D FLAGS=.. -D PKG_CONFIG=.. -P run.cmake

# Runs a command; shows its output and stops when it fails.
function(run)
    execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
    list(JOIN ARGN " " command)
    message("$ ${command}\n${output}")
    if(result)
        message(FATAL_ERROR "failed: ${result}")
    endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
file(STRINGS ${BUILD}/install_manifest.txt listed REGEX "tombola.spdx.json$")
if(NOT listed)
    message(FATAL_ERROR "tombola.spdx.json was installed, but install_manifest.txt does not list it")
endif()
file(RENAME ${WORK}/first ${WORK}/prefix)
set(prefix ${WORK}/prefix)

foreach(file IN ITEMS include/tombola/tombola.h include/tombola/tombola.hpp ${LIBDIR}/pkgconfig/tombola.pc
        ${LIBDIR}/cmake/tombola/tombolaConfig.cmake ${LIBDIR}/cmake/tombola/tombolaConfigVersion.cmake)
    if(NOT EXISTS ${prefix}/${file})
        message(FATAL_ERROR "${file} was not installed")
    endif()
endforeach()

# No installed text may name a place of this machine.
get_filename_component(project ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
file(GLOB_RECURSE texts ${prefix}/*.cmake ${prefix}/*.pc ${prefix}/*.h ${prefix}/*.hpp ${prefix}/*.py ${prefix}/*.pyi ${prefix}/*.json)
foreach(file IN LISTS texts)
    file(READ ${file} text)
    foreach(place IN ITEMS ${BUILD} ${project}/src ${project}/include/tombola)
        string(FIND "${text}" "${place}" at)
        if(NOT at EQUAL -1)
            message(FATAL_ERROR "${file} names ${place}")
        endif()
    endforeach()
endforeach()

# Neither may an installed binary, or two builds in two folders would differ.
if(SOURCE)
    file(GLOB binaries ${prefix}/${LIBDIR}/libtombola* ${prefix}/${BINDIR}/* ${prefix}/${PYTHON_DIR}/tombola/_core*)
    if(NOT binaries)
        message(FATAL_ERROR "no binary was installed")
    endif()
    string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" pattern "${SOURCE}")
    foreach(file IN LISTS binaries)
        file(STRINGS ${file} places REGEX "${pattern}")
        if(places)
            message(FATAL_ERROR "${file} names the folder of the sources: ${places}")
        endif()
    endforeach()
endif()

if(CHECKER AND READELF)
    run(${CHECKER} ${CMAKE_CURRENT_LIST_DIR}/check_sbom.py ${prefix} ${VERSION} ${READELF})
else()
    message("SKIPPED: the check of tombola.spdx.json needs Python and readelf")
endif()

if(TYPE STREQUAL "SHARED")
    string(REGEX MATCH "^[0-9]+" major ${VERSION})
    if(NOT IS_SYMLINK ${prefix}/${LIBDIR}/libtombola.so OR NOT EXISTS ${prefix}/${LIBDIR}/libtombola.so.${major}
            OR NOT EXISTS ${prefix}/${LIBDIR}/libtombola.so.${VERSION})
        message(FATAL_ERROR "the shared library and its links were not installed")
    endif()
elseif(NOT EXISTS ${prefix}/${LIBDIR}/libtombola.a)
    message(FATAL_ERROR "libtombola.a was not installed")
endif()

foreach(language IN ITEMS cpp c)
    run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/${language} -B ${WORK}/${language}
        -G ${GENERATOR} --no-warn-unused-cli
        -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_BUILD_TYPE=Release
        -D TOMBOLA_EXPECTED_VERSION=${VERSION} -D TOMBOLA_EXPECTED_TYPE=${TYPE}
        -D CMAKE_C_COMPILER=${CC} -D CMAKE_CXX_COMPILER=${CXX}
        -D "CMAKE_C_FLAGS=${FLAGS} -Wall -Wextra -Werror" -D "CMAKE_CXX_FLAGS=${FLAGS} -Wall -Wextra -Werror")
    run(${CMAKE_COMMAND} --build ${WORK}/${language})
    run(${WORK}/${language}/consumer)
endforeach()
run(${WORK}/cpp/compat)

# A project in C that has this one as a subproject; its build would be a second one of the whole library. It has no build type, and flags on
# which the library's numbers must not depend, or without which the library does not compile. Its folder of libraries is absolute.
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/c_subproject -B ${WORK}/c_subproject -G ${GENERATOR}
    -D CMAKE_C_COMPILER=${CC} -D CMAKE_CXX_COMPILER=${CXX} "-D CMAKE_CXX_FLAGS=-ffast-math -fno-exceptions"
    -D CMAKE_EXPORT_COMPILE_COMMANDS=ON -D TOMBOLA_INSTALL=ON -D CMAKE_INSTALL_LIBDIR=/absolute/lib)
file(STRINGS ${WORK}/c_subproject/compile_commands.json commands REGEX "\"command\":")
set(count 0)
foreach(command IN LISTS commands)
    if(NOT command MATCHES "tombola_objects")
        if(command MATCHES " -O| -DNDEBUG")
            message(FATAL_ERROR "the subproject optimizes the project's own sources: ${command}")
        endif()
        continue()
    endif()
    math(EXPR count "${count} + 1")
    foreach(undone IN ITEMS "-ffast-math .* -fno-fast-math .*-ffp-contract=off" "-fno-exceptions .* -fexceptions" "-O3")
        if(NOT command MATCHES " ${undone} ")
            message(FATAL_ERROR "flags of a project reach the library; expected ${undone}: ${command}")
        endif()
    endforeach()
endforeach()
if(count LESS 10)
    message(FATAL_ERROR "${count} sources of the library in ${WORK}/c_subproject/compile_commands.json; expected more")
endif()
file(STRINGS ${WORK}/c_subproject/tombola/tombola.pc libdir REGEX "^libdir=")
if(NOT libdir STREQUAL "libdir=/absolute/lib")
    message(FATAL_ERROR "tombola.pc has ${libdir}; expected libdir=/absolute/lib")
endif()

file(STRINGS ${WORK}/c_subproject/CPackConfig.cmake packages REGEX "CPACK_PACKAGE_NAME|CPACK_GENERATOR|CPACK_COMPONENTS_ALL")
if(NOT packages MATCHES "c_subproject" OR NOT packages MATCHES "TGZ" OR packages MATCHES "tools")
    message(FATAL_ERROR "the subproject changed the packages of the project around it: ${packages}")
endif()

# The list of what the library is made of, for a library in that folder. Its hash is that of an empty file.
set(root ${WORK}/c_subproject/root)
file(WRITE ${root}/absolute/lib/libtombola.so.${VERSION} "")
run(${CMAKE_COMMAND} -E env DESTDIR=${root} ${CMAKE_COMMAND} -D CMAKE_INSTALL_PREFIX=/prefix
    -P ${WORK}/c_subproject/tombola/write_sbom.cmake)
file(GLOB lists ${root}/prefix/share/doc/libtombola*/tombola.spdx.json)
file(STRINGS "${lists}" hashes REGEX "\"./absolute/lib/libtombola.so|\"da39a3ee5e6b4b0d3255bfef95601890afd80709\"")
list(LENGTH hashes count)
if(NOT count EQUAL 2)
    message(FATAL_ERROR "${lists} lacks the library in its absolute folder, or its hash")
endif()

if(NOT PKG_CONFIG)
    message("SKIPPED: pkg-config is not installed: programs by pkg-config")
else()
    set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
    run(${PKG_CONFIG} --exact-version=${VERSION} tombola)
    foreach(query IN ITEMS "--cflags;--libs" --variable=includedir)
        execute_process(COMMAND ${PKG_CONFIG} ${query} tombola OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE)
        list(APPEND answers ${answer})
    endforeach()
    list(POP_BACK answers includedir)
    separate_arguments(flags UNIX_COMMAND "${FLAGS} ${answers}")
    list(APPEND flags -Wl,-rpath,${prefix}/${LIBDIR})
    run(${CC} -std=c99 ${CMAKE_CURRENT_LIST_DIR}/consumer.c ${flags} -o ${WORK}/c-by-pkg-config)
    run(${WORK}/c-by-pkg-config)
    run(${CXX} -std=c++17 ${CMAKE_CURRENT_LIST_DIR}/consumer.cpp ${flags} -o ${WORK}/cpp-by-pkg-config)
    run(${WORK}/cpp-by-pkg-config)
    separate_arguments(compat UNIX_COMMAND "-I${includedir}/tombola/compat")
    run(${CXX} -std=c++17 ${compat} ${CMAKE_CURRENT_LIST_DIR}/../compat/shuffle_v3.cpp ${flags}
        -o ${WORK}/compat-by-pkg-config)
    run(${WORK}/compat-by-pkg-config)
endif()

file(GLOB module ${prefix}/${PYTHON_DIR}/tombola/_core*)
if(PYTHON_DIR AND NOT module)
    message(FATAL_ERROR "the Python module was not installed")
endif()
if(PYTHON_DIR)
    run(${CMAKE_COMMAND} -E env PYTHONPATH=${prefix}/${PYTHON_DIR} PYTHONDONTWRITEBYTECODE=1 ${PYTHON} -c
        "import tombola; assert tombola.__file__.startswith('${prefix}'); print(tombola.uniform(3, seed=(150, 10)))")
endif()
run(${prefix}/${BINDIR}/benchtombola --help)
run(${prefix}/${BINDIR}/benchtombola --shuffle --mode=L --batch=smoke)
