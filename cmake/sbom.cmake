# SPDX-License-Identifier: Apache-2.0
# Installs a list of what the shared or static library is made of and needs (SBOM), in SPDX 2.3's JSON:
# share/doc/libtombolaN/tombola.spdx.json. What CMake knows is collected here; write_sbom.cmake.in adds the hash of the
# library when it is installed. Include it after the library's own install(), which strips the file that is hashed.
set(sbom_packages "")
set(sbom_relationships "")

# sbom_add(NAME VERSION LICENSE URL RELATIONSHIP COMMENT): one package. RELATIONSHIP is how it stands to tombola: "tombola DYNAMIC_LINK it",
# or, if it ends with _OF, "it BUILD_TOOL_OF tombola". An empty version is written as NOASSERTION.
function(sbom_add name version license url relationship comment)
    string(REGEX REPLACE "[^A-Za-z0-9.-]" "-" id "SPDXRef-${name}")
    if(version STREQUAL "")
        set(version NOASSERTION)
    endif()
    string(APPEND sbom_packages ",
    {
      \"SPDXID\": \"${id}\",
      \"name\": \"${name}\",
      \"versionInfo\": \"${version}\",
      \"downloadLocation\": \"${url}\",
      \"filesAnalyzed\": false,
      \"licenseConcluded\": \"${license}\",
      \"licenseDeclared\": \"${license}\",
      \"copyrightText\": \"NOASSERTION\",
      \"comment\": \"${comment}\"
    }")
    set(from SPDXRef-tombola)
    set(to ${id})
    if(relationship MATCHES "_OF$")
        set(from ${id})
        set(to SPDXRef-tombola)
    endif()
    string(APPEND sbom_relationships ",
    {\"spdxElementId\": \"${from}\", \"relationshipType\": \"${relationship}\", \"relatedSpdxElement\": \"${to}\"}")
    set(sbom_packages "${sbom_packages}" PARENT_SCOPE)
    set(sbom_relationships "${sbom_relationships}" PARENT_SCOPE)
endfunction()

if(TOMBOLA_X64)
    # Xbyak's version is a hexadecimal number: 0x6680 is 6.68, 0x7242 is 7.24.2.
    set(xbyak_version "")
    file(STRINGS ${XBYAK_INCLUDE_DIR}/xbyak/xbyak.h line REGEX "VERSION = 0x[0-9A-Fa-f]+" LIMIT_COUNT 1)
    if(line MATCHES "0x([0-9A-Fa-f])([0-9A-Fa-f][0-9A-Fa-f])([0-9A-Fa-f]?)")
        set(xbyak_version "${CMAKE_MATCH_1}.${CMAKE_MATCH_2}.${CMAKE_MATCH_3}")
        string(REGEX REPLACE "\\.0?$" "" xbyak_version "${xbyak_version}")
    endif()
    sbom_add(xbyak "${xbyak_version}" BSD-3-Clause https://github.com/herumi/xbyak STATIC_LINK
        "The assembler: headers, compiled into the library")
endif()

set(gcc_license "GPL-3.0-or-later WITH GCC-exception-3.1")
if(TOMBOLA_CPU_RUNTIME STREQUAL "OMP" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    sbom_add(libgomp "${CMAKE_CXX_COMPILER_VERSION}" "${gcc_license}" https://gcc.gnu.org DYNAMIC_LINK
        "The run-time of OpenMP; the version is that of the compiler")
elseif(TOMBOLA_CPU_RUNTIME STREQUAL "OMP")
    sbom_add(libomp "${CMAKE_CXX_COMPILER_VERSION}" "Apache-2.0 WITH LLVM-exception" https://openmp.llvm.org DYNAMIC_LINK
        "The run-time of OpenMP; the version is that of the compiler")
elseif(TOMBOLA_CPU_RUNTIME STREQUAL "TBB")
    sbom_add(oneTBB "${TBB_VERSION}" Apache-2.0 https://github.com/uxlfoundation/oneTBB DYNAMIC_LINK "The threads")
endif()
if("c++" IN_LIST CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
    sbom_add(libc++ "" "Apache-2.0 WITH LLVM-exception" https://libcxx.llvm.org DYNAMIC_LINK "The C++ library")
else()
    sbom_add(libstdc++ "" "${gcc_license}" https://gcc.gnu.org DYNAMIC_LINK "The C++ library")
endif()
sbom_add(libgcc "" "${gcc_license}" https://gcc.gnu.org DYNAMIC_LINK "What the compiler calls")
sbom_add(glibc "" LGPL-2.1-or-later https://www.gnu.org/software/libc DYNAMIC_LINK "The C library")

sbom_add(${CMAKE_CXX_COMPILER_ID} "${CMAKE_CXX_COMPILER_VERSION}" NOASSERTION NOASSERTION BUILD_TOOL_OF "The compiler")
sbom_add(CMake "${CMAKE_VERSION}" BSD-3-Clause https://cmake.org BUILD_TOOL_OF "The build system")
if(TARGET tombola_python)
    sbom_add(pybind11 "${tombola_pybind11_version}" BSD-3-Clause https://github.com/pybind/pybind11 OPTIONAL_DEPENDENCY_OF
        "Headers, compiled into the Python module")
endif()
if(TOMBOLA_BUILD_TESTS)
    sbom_add(fmt "${fmt_VERSION}" MIT https://github.com/fmtlib/fmt TEST_DEPENDENCY_OF "benchtombola links it")
    sbom_add(googletest "${GTest_VERSION}" BSD-3-Clause https://github.com/google/googletest TEST_DEPENDENCY_OF "The tests")
endif()

set(sbom_list ${CMAKE_INSTALL_DATADIR}/doc/libtombola${PROJECT_VERSION_MAJOR}/tombola.spdx.json)
if(TOMBOLA_LIBRARY_TYPE STREQUAL "SHARED")
    set(sbom_library ${CMAKE_INSTALL_LIBDIR}/libtombola.so.${PROJECT_VERSION})
    set(sbom_component runtime)
else()
    set(sbom_library ${CMAKE_INSTALL_LIBDIR}/libtombola.a)
    set(sbom_component devel)
endif()
string(REGEX REPLACE "^/" "" sbom_name "${sbom_library}")
configure_file(cmake/write_sbom.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/write_sbom.cmake @ONLY)
install(SCRIPT ${CMAKE_CURRENT_BINARY_DIR}/write_sbom.cmake COMPONENT ${sbom_component})
