# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where. Four components, which become four packages:
#
#   runtime   libtombola.so.0 and its list of ingredients, tombola.spdx.json
#   devel     the headers, libtombola.so or libtombola.a, tombolaConfig.cmake, tombola.pc
#   tools     benchtombola and its batch files
#   python    the Python module, by python/CMakeLists.txt
#
# And one that is installed when it is asked for:
#
#   pytorch   the PyTorch extension, by examples/pytorch/CMakeLists.txt
#
# The installed tree may be moved: every path in it is relative to where it lies.
include(CMakePackageConfigHelpers)

set(tombola_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tombola)

install(TARGETS tombola tombola_dnnl_compat EXPORT tombola_targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT devel
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT devel)
include(cmake/sbom.cmake)
install(DIRECTORY include/tombola DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT devel
    FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(EXPORT tombola_targets FILE tombolaTargets.cmake NAMESPACE tombola::
    DESTINATION ${tombola_cmake_dir} COMPONENT devel)

configure_package_config_file(cmake/tombolaConfig.cmake.in
    ${CMAKE_CURRENT_BINARY_DIR}/tombolaConfig.cmake INSTALL_DESTINATION ${tombola_cmake_dir}
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tombolaConfigVersion.cmake
    COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tombolaConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/tombolaConfigVersion.cmake
    DESTINATION ${tombola_cmake_dir} COMPONENT devel)

# Who links the static library links its run-time too; the shared one brings it along.
set(tombola_pc_flags "")
set(tombola_pc_libs "")
set(tombola_pc_requires "")
if(TOMBOLA_LIBRARY_TYPE STREQUAL "STATIC")
    set(tombola_pc_flags " -DTOMBOLA_STATIC")
    set(tombola_pc_libs " -lstdc++ -lm")
    if("c++" IN_LIST CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
        set(tombola_pc_libs " -lc++ -lm")
    endif()
    if(TOMBOLA_CPU_RUNTIME STREQUAL "OMP")
        # Clang's library may lie in a folder of its own.
        foreach(name IN LISTS OpenMP_CXX_LIB_NAMES)
            cmake_path(GET OpenMP_${name}_LIBRARY PARENT_PATH folder)
            if(folder AND NOT name MATCHES "^(gomp|pthread)$")
                string(APPEND tombola_pc_libs " -L${folder}")
            endif()
            string(APPEND tombola_pc_libs " -l${name}")
        endforeach()
    elseif(TOMBOLA_CPU_RUNTIME STREQUAL "TBB")
        set(tombola_pc_requires " tbb")
    else()
        string(APPEND tombola_pc_libs " -lpthread")
    endif()
endif()
file(RELATIVE_PATH tombola_pc_prefix
    ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" tombola_pc_prefix "${tombola_pc_prefix}")
# These may be absolute, as in some distributions: they then stay as they are.
foreach(folder IN ITEMS LIBDIR INCLUDEDIR)
    set(tombola_pc_${folder} "\${prefix}")
    cmake_path(APPEND tombola_pc_${folder} ${CMAKE_INSTALL_${folder}})
endforeach()
configure_file(cmake/tombola.pc.in ${CMAKE_CURRENT_BINARY_DIR}/tombola.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tombola.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT devel)

if(TARGET benchtombola)
    file(RELATIVE_PATH tombola_bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(benchtombola PROPERTIES INSTALL_RPATH "$ORIGIN/${tombola_bin_to_lib}")
    # OPTIONAL: a build of other targets has no program.
    install(TARGETS benchtombola OPTIONAL RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
    install(DIRECTORY tests/benchdnn-like/inputs DESTINATION ${CMAKE_INSTALL_DATADIR}/tombola COMPONENT tools)
endif()
