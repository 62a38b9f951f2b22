# SPDX-License-Identifier: Apache-2.0
# `cpack` makes Debian packages of the four components of install.cmake: libtombola0, libtombola-dev, tombola-tools,
# python3-tombola.
# The preset "package" sets what a package needs: the prefix /usr, and no run path.
set(TOMBOLA_PACKAGE_MAINTAINER "The tombola authors <tombola@example.org>" CACHE STRING
    "Maintainer of the packages that cpack makes")

set(runtime_package libtombola${PROJECT_VERSION_MAJOR})
set(devel_package libtombola-dev)
set(tools_package tombola-tools)
set(python_package python3-tombola)
set(packages_version "${PROJECT_VERSION}")

# The licences are in each package. A plain `cmake --install` installs those of the runtime component.
foreach(component IN ITEMS runtime devel tools python)
    set(folder ${CMAKE_INSTALL_DATADIR}/doc/${${component}_package})
    set(from_all EXCLUDE_FROM_ALL)
    if(component STREQUAL "runtime")
        set(from_all "")
    endif()
    install(FILES LICENSE DESTINATION ${folder} RENAME copyright COMPONENT ${component} ${from_all})
    install(FILES THIRD-PARTY-NOTICES DESTINATION ${folder} COMPONENT ${component} ${from_all})
    string(TOUPPER ${component} COMPONENT)
    set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME ${${component}_package})
endforeach()

set(CPACK_GENERATOR DEB)
set(shlibdeps ON)
set(no_packages "")  # why a cross build has none
if(CMAKE_CROSSCOMPILING)
    # dpkg-shlibdeps would look for packages of the target on the building machine. So the libraries are named here: those of this
    # release of GCC, and of the C library whose headers were used, or newer. The other packages depend on that of the library.
    set(shlibdeps OFF)
    set(processors aarch64 amd64 ppc64le riscv64 x86_64)
    set(architectures arm64 amd64 ppc64el riscv64 amd64)
    list(JOIN processors ", " known_processors)
    list(FIND processors "${CMAKE_SYSTEM_PROCESSOR}" index)
    if(index GREATER_EQUAL 0)
        list(GET architectures ${index} CPACK_DEBIAN_PACKAGE_ARCHITECTURE)
    endif()
    set(sysroot "")
    if(CMAKE_SYSROOT)
        set(sysroot --sysroot=${CMAKE_SYSROOT})
    endif()
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${sysroot} -dM -E -x c++ -include features.h /dev/null OUTPUT_VARIABLE macros ERROR_QUIET)
    if(index LESS 0)
        set(no_packages "CMAKE_SYSTEM_PROCESSOR is '${CMAKE_SYSTEM_PROCESSOR}'; expected one of ${known_processors}")
    elseif(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR NOT macros MATCHES "__GLIBC__ ([0-9]+)")
        set(no_packages "the compiler is ${CMAKE_CXX_COMPILER_ID}; expected GCC, with glibc")
    elseif(TOMBOLA_CPU_RUNTIME STREQUAL "TBB" OR (fmt_FOUND AND NOT TARGET fmt_header_only))
        set(no_packages "which packages have TBB and fmt is not known")
    else()
        set(glibc ${CMAKE_MATCH_1})
        string(REGEX MATCH "__GLIBC_MINOR__ ([0-9]+)" glibc_minor "${macros}")
        string(APPEND glibc .${CMAKE_MATCH_1})
        string(REGEX MATCH "^[0-9]+" gcc ${CMAKE_CXX_COMPILER_VERSION})
        set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "libc6 (>= ${glibc}), libgcc-s1 (>= ${gcc}), libstdc++6 (>= ${gcc})")
        if(TOMBOLA_CPU_RUNTIME STREQUAL "OMP")
            string(APPEND CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS ", libgomp1 (>= ${gcc})")
        endif()
    endif()
endif()
set(CPACK_PACKAGE_NAME tombola)
set(CPACK_PACKAGE_CONTACT "${TOMBOLA_PACKAGE_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime devel)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "${PROJECT_DESCRIPTION}
 TensorFlow's, PyTorch's and DirectML's random numbers bit for bit, class indices by
 weight, and shuffles along any axis in any layout, with kernels generated at run time.
 .
 This package has the shared library.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ${shlibdeps})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

set(CPACK_COMPONENT_DEVEL_DESCRIPTION "${PROJECT_DESCRIPTION} (development files)
 The headers of the C and the C++ API, tombolaConfig.cmake and tombola.pc.")
set(CPACK_DEBIAN_DEVEL_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVEL_PACKAGE_DEPENDS "${runtime_package} (= ${packages_version})")

if(TARGET benchtombola)
    list(APPEND CPACK_COMPONENTS_ALL tools)
    set(CPACK_COMPONENT_TOOLS_DESCRIPTION "${PROJECT_DESCRIPTION} (command line)
 benchtombola checks every primitive against an independent reference, and measures it.")
    set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
    set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ${shlibdeps})
    set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "${runtime_package} (= ${packages_version})")
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src)
endif()

if(TARGET tombola_python)
    list(APPEND CPACK_COMPONENTS_ALL python)
    set(CPACK_COMPONENT_PYTHON_DESCRIPTION "${PROJECT_DESCRIPTION} (Python)
 The module tombola for NumPy.")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
    set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ${shlibdeps})
    # The compiled part is for one version of Python.
    math(EXPR python_after "${tombola_python_minor} + 1")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "${runtime_package} (= ${packages_version}), python3-numpy, \
python3 (>= 3.${tombola_python_minor}), python3 (<< 3.${python_after})")
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src)
endif()
# A project around this one has packages of its own. The packages are those of the shared library.
if(PROJECT_IS_TOP_LEVEL AND TOMBOLA_LIBRARY_TYPE STREQUAL "SHARED")
    if(no_packages)
        file(WRITE ${PROJECT_BINARY_DIR}/CPackConfig.cmake "message(FATAL_ERROR \"No packages in this cross build: ${no_packages}\")\n")
    else()
        include(CPack)
    endif()
endif()
