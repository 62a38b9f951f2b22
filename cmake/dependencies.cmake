# SPDX-License-Identifier: Apache-2.0
# Dependencies: what the system has installed, otherwise fetched. The library itself needs Xbyak's headers to be
# built for x86-64, and links nothing but OpenMP.
include(FetchContent)

if(TOMBOLA_X64)
    find_path(XBYAK_INCLUDE_DIR xbyak/xbyak.h)
    if(NOT XBYAK_INCLUDE_DIR)
        message(STATUS "Xbyak is fetched, because it is not installed (libxbyak-dev; XBYAK_INCLUDE_DIR can name the folder of xbyak/xbyak.h)")
        FetchContent_Declare(xbyak GIT_REPOSITORY https://github.com/herumi/xbyak.git GIT_TAG v6.68
            SOURCE_SUBDIR xbyak)  # which has the headers and no CMakeLists.txt: nothing is built
        FetchContent_MakeAvailable(xbyak)
        set(XBYAK_INCLUDE_DIR ${xbyak_SOURCE_DIR})
    endif()
    if(NOT EXISTS ${XBYAK_INCLUDE_DIR}/xbyak/xbyak.h)
        message(FATAL_ERROR "XBYAK_INCLUDE_DIR is ${XBYAK_INCLUDE_DIR}; expected a folder with xbyak/xbyak.h. Debian's package is libxbyak-dev")
    endif()
endif()

# The threading run-time: all that the library itself links.
if(TOMBOLA_CPU_RUNTIME STREQUAL "OMP")
    find_package(OpenMP REQUIRED COMPONENTS CXX)
    set(tombola_runtime_libraries OpenMP::OpenMP_CXX)
    separate_arguments(tombola_openmp_options NATIVE_COMMAND "${OpenMP_CXX_FLAGS}")
elseif(TOMBOLA_CPU_RUNTIME STREQUAL "TBB")
    find_package(TBB REQUIRED)
    set(tombola_runtime_libraries TBB::tbb)
elseif(TOMBOLA_CPU_RUNTIME MATCHES "^(THREADPOOL|SEQ)$")
    # Locks, also of SEQ. From version 2.34 on they are in glibc itself.
    find_package(Threads REQUIRED)
    set(tombola_runtime_libraries Threads::Threads)
else()
    message(FATAL_ERROR
        "TOMBOLA_CPU_RUNTIME is ${TOMBOLA_CPU_RUNTIME}; expected OMP, SEQ, TBB or THREADPOOL")
endif()

if(TOMBOLA_BUILD_TESTS)
    find_package(Threads REQUIRED)
    find_package(GTest QUIET)
    if(NOT GTest_FOUND)
        set(BUILD_GMOCK OFF)
        set(INSTALL_GTEST OFF)
        FetchContent_Declare(googletest
            GIT_REPOSITORY https://github.com/google/googletest.git GIT_TAG v1.14.0)
        FetchContent_MakeAvailable(googletest)
    endif()
    find_package(fmt QUIET)
    if(NOT fmt_FOUND AND CMAKE_CROSSCOMPILING)
        # The headers of the building machine serve every processor, as they are a library of their own. The rest of their
        # folder is the C library of that machine, so a link to them goes into a folder of its own.
        find_path(host_fmt fmt/core.h NO_CMAKE_FIND_ROOT_PATH)
        if(host_fmt)
            file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/fmt)
            file(CREATE_LINK ${host_fmt}/fmt ${PROJECT_BINARY_DIR}/fmt/fmt SYMBOLIC)
            add_library(fmt_header_only INTERFACE)
            add_library(fmt::fmt ALIAS fmt_header_only)
            target_include_directories(fmt_header_only SYSTEM INTERFACE ${PROJECT_BINARY_DIR}/fmt)
            target_compile_definitions(fmt_header_only INTERFACE FMT_HEADER_ONLY)
            set(fmt_FOUND TRUE)
        endif()
    endif()
    if(NOT fmt_FOUND)
        FetchContent_Declare(fmt GIT_REPOSITORY https://github.com/fmtlib/fmt.git GIT_TAG 9.1.0)
        FetchContent_MakeAvailable(fmt)
    endif()

    # The peers are optional: what is not installed is left out, and said so.
    # oneDNN by its header and library: its CMake package asks for OpenCL's development files.
    find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
    find_library(DNNL_LIBRARY dnnl)
    if(DNNL_INCLUDE_DIR AND DNNL_LIBRARY)
        add_library(DNNL::dnnl UNKNOWN IMPORTED)
        set_target_properties(DNNL::dnnl PROPERTIES
            IMPORTED_LOCATION ${DNNL_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${DNNL_INCLUDE_DIR})
    endif()
    find_package(benchmark QUIET)
    find_path(RANDOM123_INCLUDE_DIR Random123/philox.h)
endif()
